"""Exports: languages where words in front of a declaration say who may use it.

Owns: what a file offers, and what `public`, `protected`, `internal`, `private` say.
Must not know: any particular language.
Invariant: only declarations of the file, or of namespaces in it, are offered.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath

_HIDDEN: Final = frozenset({DefinitionKind.IMPORT, DefinitionKind.TYPE_PARAMETER})
_OPEN: Final = frozenset({ScopeKind.MODULE, ScopeKind.NAMESPACE})


@attrs.frozen
class WordedExports:
    """Words say who may use a declaration."""

    unmarked: str = "internal"
    """What a declaration without such a word is."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """What stands outside of types and functions: its package or project at least may use it."""
        table = facts.definitions
        open_scopes = {row for row, kind in enumerate(facts.scopes.kind) if kind in _OPEN}
        top = (row for row, scope in enumerate(table.scope) if scope in open_scopes)
        return frozenset(row for row in top if table.kind[row] not in _HIDDEN)

    def visibility(self, name: str, before: bytes) -> str:
        """`public`, `internal` or `private`."""
        words = before[-300:].split()
        if b"private" in words:
            return "private"
        return "public" if b"public" in words else self.unmarked
