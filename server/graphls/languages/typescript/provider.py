"""Provider: TypeScript and JavaScript as the core sees them.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Set

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath, ending_of
from graphls.facts.surface import Surface
from graphls.languages.capabilities import Capabilities, FileType, ModuleFinder
from graphls.languages.extract import grammars
from graphls.languages.extract.recovery import deciding_stretches
from graphls.languages.first_lines import interpreters
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports
from graphls.languages.typescript.bundlers import CONFIGS, bundler_aliases
from graphls.languages.typescript.conventions import conventions
from graphls.languages.typescript.import_keys import import_keys
from graphls.languages.typescript.import_rewriting import TypeScriptImports
from graphls.languages.typescript.manifests import MANIFESTS, aliases
from graphls.languages.typescript.modules import Modules, declaration_files
from graphls.languages.typescript.packages import declares, is_standard
from graphls.languages.typescript.visibility import offered, visibility

EXTRACTOR_VERSION = 37
"""Raised whenever extraction says something else about the same bytes."""

FILES: Mapping[str, FileType] = {
    ".ts": FileType("typescript", "typescript", "typescript"),
    ".mts": FileType("typescript", "typescript", "typescript"),
    ".cts": FileType("typescript", "typescript", "typescript"),
    ".tsx": FileType("tsx", "typescriptreact", "tsx"),
    ".js": FileType("javascript", "javascript", "javascript"),
    ".jsx": FileType("javascript", "javascriptreact", "jsx"),
    ".mjs": FileType("javascript", "javascript", "javascript"),
    ".cjs": FileType("javascript", "javascript", "javascript"),
    ".vue": FileType("vue", "vue", "vue", component=True),
    ".svelte": FileType("svelte", "svelte", "svelte", component=True),
    ".astro": FileType("astro", "astro", "astro", component=True),
}
"""The grammar of a component is its template's."""
_NODE = frozenset(("node", "nodejs", "zx", "npx zx", "qjs", "jake"))
_TYPED = frozenset(
    ("deno", "bun", "ts-node", "ts-node-esm", "tsx", "npx ts-node", "npx tsx", "bunx tsx", "bunx ts-node")
)
"""Programs that run TypeScript as well."""
AMBIENT = (".d.ts", ".d.mts", ".d.cts")
_ABOVE = re.compile(rb"(?:\xef\xbb\xbf)?(?:#![^\n]*)?(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*+")
"""What may stand above the first statement. It never goes back over what it took, so any text costs its length once."""


def is_component(path: str) -> bool:
    """Whether a file holds a template beside its script."""
    return CAPABILITIES.file_type(path).component


def grammar_of(path: str) -> str:
    """The grammar of a file by its ending."""
    return CAPABILITIES.file_type(path).grammar


def _is_typed_script(path: str, data: bytes) -> bool:
    """Whether the first line alone tells that a file may have types: then the tree that its name gives is of no use."""
    if ending_of(path) in FILES or not data.startswith(b"#!"):
        return False
    return not _TYPED.isdisjoint(interpreters(data))


@attrs.frozen
class TypeScriptFragments:
    """TypeScript read by parts."""

    def new_cache(self) -> object:
        """An empty memory of one file."""
        from graphls.languages.incremental.fragments import FragmentCache

        return FragmentCache()

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """Facts of one file, with what was read of an earlier text of it."""
        from graphls.languages.incremental.fragments import FragmentCache

        if is_component(path) or _is_typed_script(path, data) or not isinstance(cache, FragmentCache):
            return PROVIDER.extract(path, data, tree)
        from graphls.languages.typescript.syntax.extraction import extract

        return extract(data, tree, grammar_of(path), path.endswith(AMBIENT), cache)

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """Facts of one file, where its text differs little from the one read before."""
        from graphls.languages.incremental.fragments import FragmentCache

        if is_component(path) or _is_typed_script(path, data) or not isinstance(cache, FragmentCache):
            return None
        from graphls.languages.typescript.syntax.extraction import extract_edited

        grammar = grammar_of(path)
        deciding = deciding_stretches(data, tree.root_node, grammar)
        return None if deciding is None else extract_edited(data, tree, grammar, cache, deciding)


@attrs.frozen
class TypeScriptExports:
    """What `export`, `private` and their kin say."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """What a file exports."""
        return offered(facts, path.endswith(AMBIENT))

    def visibility(self, name: str, before: bytes) -> str:
        """By `private`, `protected` and `#`."""
        return visibility(name, before)


@attrs.frozen
class TypeScriptProvider:
    """TypeScript and JavaScript."""

    @property
    def capabilities(self) -> Capabilities:
        """What TypeScript is called, how its files look, what it can do besides."""
        return CAPABILITIES

    @property
    def recipe(self) -> str:
        """Digest of grammars, queries and extractor version."""
        return grammars.recipe(tuple(sorted({known.grammar for known in FILES.values()})), EXTRACTOR_VERSION)

    def parser(self, path: FilePath, data: bytes | None = None) -> Parser:
        """A new parser for files of this name."""
        return grammars.parser(grammar_of(path))

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        # Both load grammars, which not every command needs.
        if is_component(path):
            from graphls.languages.typescript.components.extraction import extract_component

            return extract_component(data, tree, ending_of(path))
        from graphls.languages.typescript.syntax.extraction import extract

        if _is_typed_script(path, data):
            return extract(data, grammars.parse(grammars.parser("typescript"), data), "typescript", False)
        return extract(data, tree, grammar_of(path), path.endswith(AMBIENT))

    def read(self, path: FilePath, data: bytes) -> FileFacts:
        """Facts of a file that nobody parsed."""
        return self.extract(path, data, grammars.parse(self.parser(path, data), data))

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """The workspace: modules are named by their path."""
        return ("",)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself: two endings are two modules."""
        return ModuleName(path, False, "")

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        from graphls.languages.typescript.types import TypeScriptResolver  # those who only extract do without

        return TypeScriptResolver(path, facts, surface, world)


def _module_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """What configs and packages say about module names."""
    manifest_aliases = aliases(manifests)
    given = {**declaration_files(files), **conventions(manifest_aliases, files), **bundler_aliases(manifests)}
    return {**manifest_aliases, **given}


def _module_start(path: FilePath, data: bytes) -> int:
    """Where what is not space or comment begins; in a component its file begins."""
    if is_component(path):
        return 0
    at = _ABOVE.match(data).end()  # pyright: ignore[reportOptionalMemberAccess]  # it matches nothing as well
    return at if at < len(data) else 0


def _module_finder(world: World) -> ModuleFinder:
    return Modules(world).find


def _rule_name(rule: int) -> str | None:
    from graphls.languages.typescript.types.values import TsRule  # only who shows rules loads what resolves names

    return next((known.name.lower() for known in TsRule if known == rule), None)


_RESERVED = frozenset({
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum",
    "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null",
    "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="typescript",
    declaration_endings=AMBIENT,
    reserved=_RESERVED,
    structural=True,
    augments_modules=True,
    package_manager="npm",
    files=FILES,
    keys_name_methods=True,
    line_comment="//",
    file_names=frozenset(("Jakefile",)),
    interpreters=_NODE | _TYPED,
    named_type=FILES[".js"],
    manifests=(*MANIFESTS, *CONFIGS),
    constructors=("constructor",),
    calls_inherited_constructor=True,
    package_files=frozenset({"index"}),
    imported_endings=frozenset(
        ("js", "mjs", "cjs", "ts", "json", "css", "scss", "vue", "svelte", "svg", "png"),
    ),
    markup=True,
    erases_type_imports=True,
    routes_join_by_slash=True,
    fragments=TypeScriptFragments(),
    module_aliases=_module_aliases,
    import_keys=import_keys,
    declares=declares,
    modifier_words=frozenset(
        (
            "export",
            "default",
            "declare",
            "abstract",
            "static",
            "readonly",
            "async",
            "const",
            "public",
            "private",
            "protected",
            "override",
            "accessor",
        )
    ),
    modifier_marks=((re.compile(rb"\s*\?"), "optional"),),
    exports=TypeScriptExports(),
    hides_unexported=True,
    is_standard=is_standard,
    module_start=_module_start,
    module_finder=_module_finder,
    import_rewriter=TypeScriptImports(),
    rule_name=_rule_name,
)
PROVIDER = TypeScriptProvider()
