"""Provider: Java as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from typing import Final

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.rules import rule_name
from graphls.languages.extract import grammars
from graphls.languages.java.packages import MANIFESTS, dotted_name, package_names
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports

EXTRACTOR_VERSION: Final = 2
"""Raised whenever extraction says something else about the same bytes."""
_STANDARD: Final = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


@attrs.frozen
class JavaExports:
    """Words say who may use a declaration."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """The types of a file: its package at least may use them."""
        table = facts.definitions
        top = (row for row, scope in enumerate(table.scope) if scope == 0)
        return frozenset(row for row in top if table.kind[row] != DefinitionKind.IMPORT)

    def visibility(self, name: str, before: bytes) -> str:
        """By `public`, `protected` and `private`; none of them: the package."""
        words = before[-300:].split()
        if b"private" in words:
            return "private"
        return "public" if b"public" in words else "internal"


@attrs.frozen
class JavaProvider:
    """The Java language."""

    @property
    def capabilities(self) -> Capabilities:
        """What Java is called, how its files look, what it can do besides."""
        return CAPABILITIES

    @property
    def recipe(self) -> str:
        """Digest of grammar and extractor version."""
        return grammars.recipe(("java",), EXTRACTOR_VERSION)

    def parser(self, path: FilePath) -> Parser:
        """A new parser."""
        return grammars.parser("java")

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        from graphls.languages.java.syntax.extraction import extract  # loads the grammar, which not every command needs

        return extract(data, tree)

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """The workspace: the clause of a file says where packages begin."""
        return ("",)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself; its folders are the package."""
        return ModuleName(path, False, "", packages=package_names(path))

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        from graphls.languages.java.types.resolver import JavaResolver  # those who only extract do without it

        return JavaResolver(path, facts, world)


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are imported by the names of their types, or with their whole package."""
    names = package_names(path)[1:]
    keys = {import_key(name): None for name in names}
    keys[import_key(dotted_name(path))] = None
    return tuple(keys)


def _is_standard(dotted: str) -> bool:
    """Names that come with the language."""
    return dotted.startswith(_STANDARD)


def _is_implied_name(name: str) -> bool:
    """What an import with a star brings in is asked for by other names."""
    return name == "*"


def _is_reached_by_type(kind: int, flags: int) -> bool:
    """A lambda rests on the method of an interface, a pattern on the components of a record, without their names."""
    return kind == DefinitionKind.INTERFACE or bool(flags & DefinitionFlag.INSTANCE)


CAPABILITIES = Capabilities(
    name="java",
    package_manager="maven",
    files={".java": FileType("java", "java", "java")},
    line_comment="//",
    manifests=MANIFESTS,
    is_implied_name=_is_implied_name,
    is_reached_by_type=_is_reached_by_type,
    import_keys=_import_keys,
    exports=JavaExports(),
    is_standard=_is_standard,
    rule_name=rule_name,
)
PROVIDER = JavaProvider()
