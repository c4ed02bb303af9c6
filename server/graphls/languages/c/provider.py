"""Provider: C and C++ as the core sees them.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Final

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key
from graphls.facts.kinds import DefinitionFlag, ScopeKind
from graphls.facts.paths import FilePath, ending_of
from graphls.languages.c.checker import CLANGD
from graphls.languages.c.cpp.dialect import CPP_ENDINGS, is_cpp
from graphls.languages.c.includes import MANIFESTS, is_system, search_folders
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    EditedExtractor,
    ResolverFactory,
    RunExtractor,
    file_names,
    implies_no_name,
)
from graphls.languages.declared.rules import rule_name
from graphls.languages.extract import grammars

EXTRACTOR_VERSION: Final = 20
"""Raised whenever extraction says something else about the same bytes."""
_CPP: Final = FileType("cpp", "cpp", "cpp", linkage="extern")
_SOURCES: Final = (".c", ".cpp", ".cc", ".cxx")
_OPEN: Final = frozenset({ScopeKind.MODULE, ScopeKind.NAMESPACE})


@attrs.frozen
class CExports:
    """`static` keeps a name to its file."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Whatever stands at the top of a file without that word, and in no namespace without a name; of a header
        all."""
        table, scopes = facts.definitions, facts.scopes
        header = not path.endswith(_SOURCES)
        named = {body for body in table.body if body >= 0}
        open_scopes = set[int]()
        for scope, kind in enumerate(scopes.kind):
            around = scopes.parent[scope]
            hidden = not header and around >= 0 and (scope not in named or around not in open_scopes)
            if kind in _OPEN and not hidden:
                open_scopes.add(scope)
        top = (row for row, scope in enumerate(table.scope) if scope in open_scopes)
        return frozenset(row for row in top if header or not table.flags[row] & DefinitionFlag.STATIC)

    def visibility(self, name: str, before: bytes) -> str:
        """By the words before the name."""
        return "private" if b"static" in before.split() else "public"


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are included by their names."""
    return (import_key(path),)


def _is_standard(dotted: str) -> bool:
    """Headers of systems, and what the compiler brings itself."""
    return dotted.startswith("builtin.") or is_system(dotted)


_RUN_UNNAMED = frozenset({
    "begin", "end", "get", "await_ready", "await_suspend", "await_resume", "await_transform", "get_return_object",
    "initial_suspend", "final_suspend", "yield_value", "return_value", "return_void", "unhandled_exception",
})  # fmt: skip


def _is_run_unnamed(name: str) -> bool:
    """Whether constructs of C++ run a method of this name: operators, what leaves a scope, loops and coroutines."""
    return name.startswith(("operator", "~")) or name in _RUN_UNNAMED


def _load_extractor() -> RunExtractor:
    from graphls.languages.c.syntax.extraction import extract

    return extract


def _load_edited() -> EditedExtractor:
    from graphls.languages.c.syntax.extraction import extract_edited

    return extract_edited


def _load_resolver() -> ResolverFactory:
    from graphls.languages.c.resolution import resolver

    return resolver


def _extract_cpp(data: bytes, tree: Tree | None) -> FileFacts:
    from graphls.languages.c.cpp.syntax.extraction import extract

    return extract(data, tree if tree is not None and _is_tree_of_cpp(tree) else None)


def _is_tree_of_cpp(tree: Tree) -> bool:
    return tree.language == grammars.language(_CPP.grammar)


@attrs.frozen(kw_only=True)
class CProvider(DeclaredProvider):
    """Both languages: a header may be in either, and all include each other."""

    @property
    def recipe(self) -> str:
        """Digest of grammars and extractor version."""
        return grammars.recipe(("c", _CPP.grammar), self.extractor_version)

    def parser(self, path: FilePath, data: bytes | None = None) -> Parser:
        """A new parser, by the ending of a file; of a header by its text where that is given."""
        if data is not None and is_cpp(path, data):
            return grammars.parser(_CPP.grammar)
        return grammars.parser(CAPABILITIES.files[ending_of(path)].grammar)

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        own = _is_tree_of_cpp(tree)
        return _extract_cpp(data, tree) if own or is_cpp(path, data) else self.load_extractor()(data, tree)

    def read(self, path: FilePath, data: bytes) -> FileFacts:
        """The same of a file that nobody parsed: of C++ the text that stands in for it is."""
        if is_cpp(path, data):
            return _extract_cpp(data, None)
        return self.load_extractor()(data, grammars.parse(grammars.parser(self.capabilities.name), data))


@attrs.frozen
class CFragments(DeclaredFragments):
    """C is read by runs of statements, C++ whole."""

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """Facts of one file, with what was read of an earlier text of it."""
        if _is_tree_of_cpp(tree) or is_cpp(path, data):
            return _extract_cpp(data, tree)
        return super().extract_again(path, data, tree, cache)

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """The same of a tree that an edit changed."""
        return None if is_cpp(path, data) else super().extract_edited(path, data, tree, cache)


_RESERVED = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
    # Words of C++ alone: a header may be read by both.
    "bool", "catch", "class", "concept", "constexpr", "const_cast", "decltype", "delete", "dynamic_cast", "explicit",
    "false", "friend", "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "private", "protected",
    "public", "reinterpret_cast", "requires", "static_cast", "template", "this", "throw", "true", "try", "typeid",
    "typename", "using", "virtual",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="c",
    functions_nest=False,
    untried_rules=frozenset(("maintainability.unused_definition",)),
    reserved=_RESERVED,
    files={
        ".c": FileType("c", "c", "c", linkage="name"),
        ".h": FileType("c", "c", "c", linkage="extern"),
        **dict.fromkeys(CPP_ENDINGS, _CPP),
    },
    line_comment="//",
    overloads=True,
    fills_fields_in_order=True,
    manifests=MANIFESTS,
    prototypes=True,
    asks_who_defines=True,
    constructors_named_by_class=True,
    part_word="template",
    test_runner="gtest",
    test_annotations=frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"}),
    is_run_unnamed=_is_run_unnamed,
    imported_endings=frozenset({"h", "hpp", "hh", "hxx"}),
    is_implied_name=implies_no_name,
    module_aliases=search_folders,
    import_keys=_import_keys,
    exports=CExports(),
    is_standard=_is_standard,
    checker=CLANGD,
    rule_name=rule_name,
    fragments=CFragments("c", _load_extractor, _load_edited),
)
PROVIDER = CProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=file_names,
)
