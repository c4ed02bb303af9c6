"""Provider: C as the core sees it.

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
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.c.includes import MANIFESTS, file_names, is_system, search_folders
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.rules import rule_name
from graphls.languages.extract import grammars
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports

EXTRACTOR_VERSION: Final = 1
"""Raised whenever extraction says something else about the same bytes."""


@attrs.frozen
class CExports:
    """`static` keeps a name to its file."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Whatever stands at the top of a file without that word; of a header all."""
        table = facts.definitions
        header = path.endswith(".h")
        top = (row for row, scope in enumerate(table.scope) if scope == 0)
        return frozenset(row for row in top if header or not table.flags[row] & DefinitionFlag.STATIC)

    def visibility(self, name: str, before: bytes) -> str:
        """By the words before the name."""
        return "private" if b"static" in before.split() else "public"


@attrs.frozen
class CProvider:
    """The C language."""

    @property
    def capabilities(self) -> Capabilities:
        """What C is called, how its files look, what it can do besides."""
        return CAPABILITIES

    @property
    def recipe(self) -> str:
        """Digest of grammar and extractor version."""
        return grammars.recipe(("c",), EXTRACTOR_VERSION)

    def parser(self, path: FilePath) -> Parser:
        """A new parser."""
        return grammars.parser("c")

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        from graphls.languages.c.syntax.extraction import extract  # loads the grammar, which not every command needs

        return extract(data, tree)

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """The workspace: builds say more than roots can."""
        return ("",)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself; includes name it by whatever it ends in."""
        return ModuleName(path, False, "", packages=file_names(path))

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        from graphls.languages.c.types.resolver import CResolver  # those who only extract do without it

        return CResolver(path, facts, world)


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are included by their names."""
    return (import_key(path),)


def _is_standard(dotted: str) -> bool:
    """Headers of systems, and what the compiler brings itself."""
    return dotted.startswith("builtin.") or is_system(dotted)


def _is_implied_name(name: str) -> bool:
    """No name is asked for that no text spells."""
    return False


CAPABILITIES = Capabilities(
    name="c",
    files={".c": FileType("c", "c", "c"), ".h": FileType("c", "c", "c")},
    line_comment="//",
    manifests=MANIFESTS,
    prototypes=True,
    imported_endings=frozenset({"h"}),
    is_implied_name=_is_implied_name,
    module_aliases=search_folders,
    import_keys=_import_keys,
    exports=CExports(),
    is_standard=_is_standard,
    rule_name=rule_name,
)
PROVIDER = CProvider()
