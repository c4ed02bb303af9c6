"""Provider: Go as the core sees it.

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
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.rules import rule_name
from graphls.languages.extract import grammars
from graphls.languages.go.modules import MANIFESTS, MODULES, module_aliases
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports

EXTRACTOR_VERSION: Final = 1
"""Raised whenever extraction says something else about the same bytes."""


@attrs.frozen
class GoExports:
    """A capital letter offers a name to other packages."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Whatever stands at the top of a file: the whole package may use it."""
        table = facts.definitions
        top = (row for row, scope in enumerate(table.scope) if scope == 0)
        return frozenset(row for row in top if table.kind[row] != DefinitionKind.IMPORT)

    def visibility(self, name: str, before: bytes) -> str:
        """By the first letter."""
        return "public" if name[:1].isupper() else "internal"


@attrs.frozen
class GoProvider:
    """The Go language."""

    @property
    def capabilities(self) -> Capabilities:
        """What Go is called, how its files look, what it can do besides."""
        return CAPABILITIES

    @property
    def recipe(self) -> str:
        """Digest of grammar and extractor version."""
        return grammars.recipe(("go",), EXTRACTOR_VERSION)

    def parser(self, path: FilePath) -> Parser:
        """A new parser."""
        return grammars.parser("go")

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        from graphls.languages.go.syntax.extraction import extract  # loads the grammar, which not every command needs

        return extract(data, tree)

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """The workspace: packages are named by their folders."""
        return ("",)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself; its folder is the package."""
        return ModuleName(path, False, "", packages=(path.rpartition("/")[0],))

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        from graphls.languages.go.types.resolver import GoResolver  # those who only extract do without it

        return GoResolver(path, facts, world)


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are imported by their folder, or by the module that begins in it."""
    folder = path.rpartition("/")[0]
    keys = {import_key(folder): None}
    for entry in aliases.get(MODULES, ()):
        module, _, home = entry.partition("\t")
        if home == folder:
            keys[import_key(module)] = None
    return tuple(keys)


def _is_standard(dotted: str) -> bool:
    """The first part of the path of a module that somebody publishes has a dot."""
    path = dotted.rpartition("/")
    return "." not in path[0].partition("/")[0] if path[0] else True


def _is_implied_name(name: str) -> bool:
    """No name is asked for that no text spells, but those of packages and their clauses."""
    return False


CAPABILITIES = Capabilities(
    name="go",
    package_manager="gomod",
    files={".go": FileType("go", "go", "go")},
    line_comment="//",
    tier="typed",
    manifests=MANIFESTS,
    test_prefixes=("Test", "Benchmark", "Fuzz", "Example"),
    is_implied_name=_is_implied_name,
    compared_types=frozenset({DefinitionKind.INTERFACE}),
    module_aliases=module_aliases,
    import_keys=_import_keys,
    exports=GoExports(),
    is_standard=_is_standard,
    rule_name=rule_name,
)
PROVIDER = GoProvider()
