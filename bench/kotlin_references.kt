/*
 * References of Kotlin sources as the compiler resolves them: one line of JSON an occurrence, for bench/languages.py.
 *
 * A plugin of kotlinc. Build: kotlinc -cp kotlin-compiler.jar bench/kotlin_references.kt -d classes; add to `classes`
 * META-INF/services/org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar with the line `ReferencesRegistrar`,
 * and pack it as a jar. Run: GRAPHLS_ROOT=/tree GRAPHLS_TRUTH=out.jsonl kotlinc -Xplugin=references.jar SOURCES.
 * Names that do not resolve (libraries that are not there) are left out, and what the compiler makes itself.
 */
@file:OptIn(org.jetbrains.kotlin.compiler.plugin.ExperimentalCompilerApi::class, org.jetbrains.kotlin.fir.symbols.SymbolInternals::class)

import java.io.File
import java.io.Writer
import org.jetbrains.kotlin.KtFakeSourceElementKind
import org.jetbrains.kotlin.KtRealSourceElementKind
import org.jetbrains.kotlin.KtSourceElement
import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar
import org.jetbrains.kotlin.config.CompilerConfiguration
import org.jetbrains.kotlin.diagnostics.DiagnosticReporter
import org.jetbrains.kotlin.fir.FirElement
import org.jetbrains.kotlin.fir.FirSession
import org.jetbrains.kotlin.fir.analysis.checkers.MppCheckerKind
import org.jetbrains.kotlin.fir.analysis.checkers.context.CheckerContext
import org.jetbrains.kotlin.fir.analysis.checkers.declaration.DeclarationCheckers
import org.jetbrains.kotlin.fir.analysis.checkers.declaration.FirFileChecker
import org.jetbrains.kotlin.fir.analysis.extensions.FirAdditionalCheckersExtension
import org.jetbrains.kotlin.fir.declarations.FirFile
import org.jetbrains.kotlin.fir.declarations.synthetic.FirSyntheticProperty
import org.jetbrains.kotlin.fir.expressions.FirResolvedQualifier
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrar
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrarAdapter
import org.jetbrains.kotlin.fir.moduleData
import org.jetbrains.kotlin.fir.originalOrSelf
import org.jetbrains.kotlin.fir.references.FirResolvedNamedReference
import org.jetbrains.kotlin.fir.resolve.providers.firProvider
import org.jetbrains.kotlin.fir.resolve.providers.symbolProvider
import org.jetbrains.kotlin.fir.resolve.toSymbol
import org.jetbrains.kotlin.fir.symbols.FirBasedSymbol
import org.jetbrains.kotlin.fir.symbols.impl.*
import org.jetbrains.kotlin.fir.types.FirResolvedTypeRef
import org.jetbrains.kotlin.fir.types.FirUserTypeRef
import org.jetbrains.kotlin.fir.types.abbreviatedTypeOrSelf
import org.jetbrains.kotlin.fir.types.coneType
import org.jetbrains.kotlin.fir.types.ConeClassLikeType
import org.jetbrains.kotlin.fir.types.ConeTypeParameterType
import org.jetbrains.kotlin.fir.types.ConeDefinitelyNotNullType
import org.jetbrains.kotlin.fir.visitors.FirVisitorVoid
import org.jetbrains.kotlin.name.ClassId

private val ROOT = File(System.getenv("GRAPHLS_ROOT")).canonicalPath + "/"

class ReferencesRegistrar : CompilerPluginRegistrar() {
    override val pluginId = "graphls-references"
    override val supportsK2 = true
    override fun ExtensionStorage.registerExtensions(configuration: CompilerConfiguration) {
        FirExtensionRegistrarAdapter.registerExtension(object : FirExtensionRegistrar() {
            override fun ExtensionRegistrarContext.configurePlugin() { +::ReferenceCheckers }
        })
    }
}

class ReferenceCheckers(session: FirSession) : FirAdditionalCheckersExtension(session) {
    override val declarationCheckers = object : DeclarationCheckers() {
        override val fileCheckers: Set<FirFileChecker> = setOf(ReferenceChecker)
    }
}

private object ReferenceChecker : FirFileChecker(MppCheckerKind.Common) {
    private val out: Writer = File(System.getenv("GRAPHLS_TRUTH")).bufferedWriter()
    private val texts = HashMap<String, Text>()

    context(context: CheckerContext, reporter: DiagnosticReporter)
    override fun check(declaration: FirFile) {
        val path = declaration.sourceFile?.path ?: return
        synchronized(out) {
            try { declaration.accept(Walk(declaration, path, context.session)) } catch (e: Throwable) { System.err.println("$path: $e"); e.printStackTrace() }
            out.flush()
        }
    }

    private class Text(path: String) {
        val content = File(path).readText().replace("\r\n", "\n").removePrefix("\uFEFF")
        val starts = buildList { add(0); content.forEachIndexed { at, c -> if (c == '\n') add(at + 1) } }
        fun line(offset: Int) = starts.binarySearch(offset).let { if (it >= 0) it + 1 else -it - 1 }
        fun column(offset: Int) = offset - starts[line(offset) - 1] + 1
    }

    private fun text(path: String) = texts.getOrPut(path) { Text(path) }
    private fun relative(path: String) = File(path).canonicalPath.takeIf { it.startsWith(ROOT) }?.removePrefix(ROOT)

    private class Walk(val file: FirFile, val path: String, val session: FirSession) : FirVisitorVoid() {
        val seen = HashSet<Triple<Int, String, String>>()

        override fun visitElement(element: FirElement) {
            when (element) {
                is FirResolvedNamedReference -> reference(element)
                is FirResolvedQualifier -> element.qualifierSymbol?.classId?.let { id ->
                    element.source?.let { source -> classes(id, source, text(path).content.substring(source.startOffset, source.endOffset)) }
                }
                is FirResolvedTypeRef -> type(element)
                else -> {}
            }
            element.acceptChildren(this)
            if (element is FirResolvedTypeRef) element.delegatedTypeRef?.accept(this)
        }

        fun reference(element: FirResolvedNamedReference) {
            val source = element.source ?: return
            if (source.kind !is KtRealSourceElementKind && source.kind !is KtFakeSourceElementKind.ReferenceInAtomicQualifiedAccess) return
            val symbol = element.resolvedSymbol
            val name = when (symbol) {
                is FirConstructorSymbol -> null
                is FirCallableSymbol<*> -> symbol.name.asString()
                is FirClassLikeSymbol<*> -> symbol.classId.shortClassName.asString()
                else -> return
            }
            val here = text(path).content
            val spelled = here.substring(source.startOffset, source.endOffset)
            val plain = spelled.trim('`')
            if (!plain.all { it == '_' || it.isLetterOrDigit() || it == '$' || it == ' ' }) return
            if (name != null && plain != name && !imported(plain)) return
            emit(source.startOffset + (if (spelled.startsWith('`')) 1 else 0), plain, symbol)
        }

        fun imported(name: String) = file.imports.any { it.aliasName?.asString() == name }

        fun classes(id: ClassId, source: KtSourceElement, written: String) {
            // `a.b.Outer.Inner<T>`: names from the last one on.
            val bare = written.substringBefore('<').trimEnd().trimEnd('?', '!')
            var end = bare.length
            var at: ClassId? = id
            while (at != null && end > 0) {
                var begin = end
                while (begin > 0 && (bare[begin - 1].isLetterOrDigit() || bare[begin - 1] == '_')) begin--
                val name = bare.substring(begin, end)
                val same = name == at.shortClassName.asString()
                if (!same && (at !== id || !imported(name))) return
                session.symbolProvider.getClassLikeSymbolByClassId(at)?.let { emit(source.startOffset + begin, name, it) }
                end = begin
                while (end > 0 && (bare[end - 1].isWhitespace() || bare[end - 1] == '.')) end--
                at = at.outerClassId
            }
        }

        fun type(element: FirResolvedTypeRef) {
            val written = element.delegatedTypeRef as? FirUserTypeRef ?: return
            val cone = element.coneType.abbreviatedTypeOrSelf
            val plain = if (cone is ConeDefinitelyNotNullType) cone.original else cone
            when (plain) {
                is ConeTypeParameterType -> written.qualifier.last().let { part ->
                    part.source?.let { emit(start(it, part.name.asString()), part.name.asString(), plain.lookupTag.typeParameterSymbol) }
                }
                is ConeClassLikeType -> {
                    var id: ClassId? = plain.lookupTag.classId
                    for ((depth, part) in written.qualifier.reversed().withIndex()) {
                        val name = part.name.asString()
                        val now = id ?: return
                        if (name != now.shortClassName.asString() && !(depth == 0 && imported(name))) return
                        val symbol = now.let { session.symbolProvider.getClassLikeSymbolByClassId(it) } ?: plain.lookupTag.toSymbol(session).takeIf { depth == 0 } ?: return
                        part.source?.let { if (it.kind is KtRealSourceElementKind) emit(start(it, name), name, symbol) }
                        id = now.outerClassId
                    }
                }
                else -> {}
            }
        }

        fun start(source: KtSourceElement, name: String): Int {
            val at = text(path).content.indexOf(name, source.startOffset)
            return if (at < 0) source.startOffset else at
        }

        fun emit(offset: Int, name: String, found: FirBasedSymbol<*>) {
            var symbol = found
            if (symbol is FirSyntheticPropertySymbol) symbol = (symbol.fir as FirSyntheticProperty).getter.delegate.symbol
            if (symbol is FirCallableSymbol<*>) symbol = symbol.originalOrSelf()
            if (symbol is FirValueParameterSymbol && symbol.source?.kind is KtFakeSourceElementKind) return // `it`
            var named: FirBasedSymbol<*> = symbol
            if (symbol is FirConstructorSymbol && symbol.isPrimary) {
                named = symbol.callableId?.classId?.let { session.symbolProvider.getClassLikeSymbolByClassId(it) } ?: symbol.resolvedReturnTypeRef.coneType.let { (it as? ConeClassLikeType)?.lookupTag?.toSymbol(session) } ?: return
            }
            val place = place(named)
            if (place == null && isOwn(named)) return
            val text = text(path)
            if (!text.content.startsWith(name, offset)) return
            val line = text.line(offset)
            val local = symbol is FirValueParameterSymbol || symbol is FirTypeParameterSymbol ||
                (symbol is FirPropertySymbol && symbol.isLocal) || (symbol is FirNamedFunctionSymbol && symbol.callableId?.let { it.isLocal } == true) || symbol is FirBackingFieldSymbol
            val kind = when (symbol) {
                is FirConstructorSymbol -> "constructor"
                is FirClassLikeSymbol<*> -> "type"
                is FirFunctionSymbol<*> -> if (symbol.fir.receiverParameter != null) "extension" else "function"
                is FirEnumEntrySymbol -> "entry"
                is FirVariableSymbol<*> -> if ((symbol as? FirPropertySymbol)?.fir?.receiverParameter != null) "extension" else "property"
                else -> "other"
            }
            if (!seen.add(Triple(offset, name, place.toString()))) return
            val where = if (place == null) "[]" else "[[${quoted(place.first)},${place.second},null]]"
            out.write("{\"file\":${quoted(relative(path) ?: return)},\"line\":$line,\"col\":${text.column(offset)},\"name\":${quoted(name)},\"external\":${place == null},\"local\":$local,\"kind\":\"$kind\",\"definitions\":$where}\n")
        }

        /** Whether a symbol is of these sources although nothing is written for it. */
        fun isOwn(symbol: FirBasedSymbol<*>): Boolean = symbol.fir.origin.let { it.fromSource || it.generated } || file(symbol) != null

        fun file(symbol: FirBasedSymbol<*>): FirFile? = when (symbol) {
            is FirClassLikeSymbol<*> -> symbol.fir.moduleData.session.firProvider.getFirClassifierContainerFileIfAny(symbol)
            is FirValueParameterSymbol -> file(symbol.containingDeclarationSymbol)
            is FirTypeParameterSymbol -> file(symbol.containingDeclarationSymbol)
            is FirCallableSymbol<*> -> symbol.fir.moduleData.session.firProvider.getFirCallableContainerFile(symbol) ?: symbol.callableId?.classId?.let { id -> session.symbolProvider.getClassLikeSymbolByClassId(id)?.let { file(it) } }
            else -> null
        }

        fun place(symbol: FirBasedSymbol<*>): Pair<String, Int>? {
            val source = symbol.source ?: return null
            if (source.kind is KtFakeSourceElementKind && source.kind !is KtFakeSourceElementKind.PropertyFromParameter) return null
            val own = file(symbol)
            val where = own?.sourceFile?.path ?: if (symbol.fir.origin.fromSource) path else javaPath(source) ?: return null
            val text = text(where)
            val word = when (symbol) {
                is FirConstructorSymbol -> "constructor"
                is FirClassLikeSymbol<*> -> symbol.classId.shortClassName.asString()
                is FirCallableSymbol<*> -> symbol.name.asString()
                is FirTypeParameterSymbol -> symbol.name.asString()
                else -> return null
            }
            val at = name(text.content, source, word) ?: source.startOffset
            return Pair(relative(where) ?: return null, text.line(at))
        }

        fun javaPath(source: KtSourceElement): String? = (source as? org.jetbrains.kotlin.KtPsiSourceElement)?.psi?.containingFile?.virtualFile?.path

        /** Where the name stands in a declaration: behind annotations, receivers and words. */
        fun name(content: String, source: KtSourceElement, word: String): Int? {
            val tree = source.treeStructure
            val kids = com.intellij.openapi.util.Ref<Array<com.intellij.lang.LighterASTNode?>>()
            if (source is org.jetbrains.kotlin.KtPsiSourceElement) {
                val owner = source.psi as? com.intellij.psi.PsiNameIdentifierOwner
                return owner?.nameIdentifier?.textRange?.startOffset
            }
            val count = tree.getChildren(source.lighterASTNode, kids)
            val base = source.startOffset - tree.getStartOffset(source.lighterASTNode)
            for (at in 0 until count) {
                val kid = kids.get()[at] ?: continue
                val type = kid.tokenType.toString()
                val begin = tree.getStartOffset(kid) + base
                if (type == "IDENTIFIER" || type == word || (word == "Companion" && type == "object")) return begin
            }
            return null
        }
    }

    private fun quoted(text: String) = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
}
