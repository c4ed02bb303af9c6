"""Changed code: which of the symbols that an edit touches run differently.

Owns: what of a symbol counts as its own code.
Must not know: which lines differ, who runs a symbol.
Invariant: a symbol is left out only where its own code is the same, but for comments, docstrings and blank lines.

A function's own code is all of it; that of a class or module is what stands outside of the definitions in it; that of a
name that is imported is where it comes from; that of any other is its statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.graph.nodes import is_node, qualified_name
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef
from graphls.queries.rows import TYPES
from graphls.queries.runs_of_tests import digest_of_code

_CONTAINERS = TYPES | {DefinitionKind.NAMESPACE}


def running_differently(
    past: Snapshot, old: Shard, snapshot: Snapshot, places: Iterable[SymbolRef]
) -> Iterator[SymbolRef]:
    """Those of the symbols of one file whose own code is another one than in the file of before."""
    before = FileCode(past, old)
    now: FileCode | None = None
    for place in places:
        now = now or FileCode(snapshot, snapshot.shards[place.file])
        name = now.name(place.definition)
        if before.code(name) != now.code(name):
            yield place


class FileCode:
    """The own code of the symbols of one file, by qualified name; "" for the module."""

    def __init__(self, snapshot: Snapshot, shard: Shard) -> None:
        self._facts: FileFacts = snapshot.facts(shard.path)
        self._text = snapshot.text(shard.path) or b""
        self._language = shard.language
        self._rows: dict[str, list[int]] = {"": [NONE]}
        for row in range(len(self._facts.definitions)):
            if is_node(self._facts, row):
                self._rows.setdefault(self.name(row), []).append(row)
        table = self._facts.imports
        self._imports = {one: row for row, one in enumerate(table.definition) if one >= 0}

    def name(self, row: int) -> str:
        """What a symbol is compared by."""
        return qualified_name(self._facts, row) if row != NONE else ""

    def code(self, name: str) -> tuple[str, ...] | None:
        """Of each definition of a name; None where there is none."""
        rows = self._rows.get(name)
        return None if rows is None else tuple(self._of(row) for row in rows)

    def _of(self, row: int) -> str:
        table = self._facts.definitions
        if row in self._imports:
            one, imports = self._imports[row], self._facts.imports
            return f"{imports.level[one]} {self._string(imports.module[one])} {self._string(imports.name[one])}"
        if row != NONE and table.kind[row] not in _CONTAINERS:
            return digest_of_code(self._text[table.full_start[row] : table.full_end[row]], self._language)
        return digest_of_code(b"\n".join(self._outside(row)), self._language)

    def _outside(self, row: int) -> Iterator[bytes]:
        """Stretches of a class or module that are in no definition in it."""
        table = self._facts.definitions
        start, end = (0, len(self._text)) if row == NONE else (table.full_start[row], table.full_end[row])
        inner = (
            (table.full_start[one], table.full_end[one])
            for one in range(len(table))
            if one != row
            and is_node(self._facts, one)
            and start <= table.full_start[one]
            and table.full_end[one] <= end
        )
        for first, last in sorted(inner):
            if (first, last) == (start, end):
                continue
            if first > start:
                yield self._text[start:first]
            start = max(start, last)
        yield self._text[start:end]

    def _string(self, number: int) -> str:
        return self._facts.strings[number] if number >= 0 else ""
