"""Provider: Go as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import import_key
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    ResolverFactory,
    RunExtractor,
)
from graphls.languages.declared.rules import rule_name
from graphls.languages.go.checker import GOPLS
from graphls.languages.go.modules import MANIFESTS, MODULES, module_aliases

EXTRACTOR_VERSION: Final = 2
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


def _packages_of(path: FilePath) -> tuple[str, ...]:
    """The folder is the package."""
    return (path.rpartition("/")[0],)


def _load_extractor() -> RunExtractor:
    from graphls.languages.go.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.go.types.resolver import GoResolver

    return GoResolver


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


_RESERVED = frozenset({
    "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
    "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type",
    "var",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="go",
    untried_rules=frozenset(("maintainability.unused_definition",)),
    shared_package="folder",
    reserved=_RESERVED,
    package_manager="gomod",
    test_runner="go test",
    files={".go": FileType("go", "go", "go")},
    line_comment="//",
    package_clauses=True,
    fills_fields_in_order=True,
    tier="typed",
    bracket_links=True,
    manifests=MANIFESTS,
    test_prefixes=("Test", "Benchmark", "Fuzz", "Example"),
    is_implied_name=_is_implied_name,
    compared_types=frozenset({DefinitionKind.INTERFACE}),
    module_aliases=module_aliases,
    import_keys=_import_keys,
    exports=GoExports(),
    asks_who_defines=True,
    is_standard=_is_standard,
    rule_name=rule_name,
    fragments=DeclaredFragments("go", _load_extractor),
    checker=GOPLS,
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=_packages_of,
)
