"""Provider: C as the core sees it.

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
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.languages.c.checker import CLANGD
from graphls.languages.c.includes import MANIFESTS, is_system, search_folders
from graphls.languages.capabilities import Aliases, Capabilities, FileType
from graphls.languages.declared.declared_provider import (
    DeclaredFragments,
    DeclaredProvider,
    ResolverFactory,
    RunExtractor,
    file_names,
    implies_no_name,
)
from graphls.languages.declared.rules import rule_name

EXTRACTOR_VERSION: Final = 2
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


def _load_extractor() -> RunExtractor:
    from graphls.languages.c.syntax.extraction import extract

    return extract


def _load_resolver() -> ResolverFactory:
    from graphls.languages.c.types.resolver import CResolver

    return CResolver


def _import_keys(aliases: Aliases, path: FilePath) -> Collection[str]:
    """Files are included by their names."""
    return (import_key(path),)


def _is_standard(dotted: str) -> bool:
    """Headers of systems, and what the compiler brings itself."""
    return dotted.startswith("builtin.") or is_system(dotted)


_RESERVED = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
})  # fmt: skip
CAPABILITIES = Capabilities(
    name="c",
    reserved=_RESERVED,
    files={".c": FileType("c", "c", "c"), ".h": FileType("c", "c", "c")},
    line_comment="//",
    manifests=MANIFESTS,
    prototypes=True,
    imported_endings=frozenset({"h"}),
    is_implied_name=implies_no_name,
    module_aliases=search_folders,
    import_keys=_import_keys,
    exports=CExports(),
    is_standard=_is_standard,
    checker=CLANGD,
    rule_name=rule_name,
    fragments=DeclaredFragments("c", _load_extractor),
)
PROVIDER = DeclaredProvider(
    capabilities=CAPABILITIES,
    extractor_version=EXTRACTOR_VERSION,
    load_extractor=_load_extractor,
    load_resolver=_load_resolver,
    packages_of=file_names,
)
