"""Findable: the names of a workspace that can be found, as text that is searched many files at a time.

Owns: which definitions of a file can be found, the lists of one file and of many, how a pattern is looked for in them.
Must not know: how well a name matches, what an answer looks like.
Invariant: a list of many files says what the lists of these files say; an edit makes anew those of one block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, cast

import attrs

from graphls.facts.columns import NONE, Column, column
from graphls.facts.kinds import DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.memo import Memo
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot
from graphls.queries.find_filter import FindFilter

_NEVER: Final = frozenset({DefinitionKind.IMPORT, DefinitionKind.PARAMETER, DefinitionKind.TYPE_PARAMETER})
_SHARED: Final = frozenset((ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE))
_FILLED_KEY: Final = "scopes of what is set on parameters"
_MEMO: Final = Memo["FindableNames"]("findable names")
_BLOCK: Final = Memo["FindableBlock"]("findable block")
_BLOCKS: Final = Memo["Sequence[FindableBlock]"]("findable blocks")
_MANY: Final = 64
"""Files whose names are one text: to look into each file by itself takes longer than to look."""


@attrs.frozen(eq=False)
class FindableNames:
    """What can be found in one file, a line each. Kept with its contents."""

    text: str
    starts: Column
    """Where each line begins, and where one more would."""
    rows: Column
    """Row of the surface's symbols."""
    kinds: Column
    nested: Column

    def name(self, line: int) -> str:
        """One of the names."""
        return self.text[self.starts[line] : self.starts[line + 1] - 1]


@attrs.frozen(eq=False)
class FindableBlock:
    """The names of some files in lower case, one text."""

    paths: tuple[FilePath, ...]
    names: tuple[FindableNames, ...]
    low: str
    starts: Column
    firsts: Column
    """For each file, its first line."""

    def matches(self, pattern: re.Pattern[str], begins: str) -> Iterator[tuple[int, int, bool]]:
        """Number of the file, line in its list and whether the name begins with a text, of all that match."""
        low, starts, firsts = self.low, self.starts, self.firsts
        for match in pattern.finditer(low):
            start = match.start()
            line = bisect_right(starts, start) - 1
            file = bisect_right(firsts, line) - 1
            yield file, line - firsts[file], starts[line] == start and low.startswith(begins, start)


def names_in(snapshot: Snapshot, path: FilePath) -> FindableNames:
    """What can be found in one file."""
    shard = snapshot.shards[path]
    known = _MEMO.get(shard)
    if known is not None:
        return known
    spend()
    surface = snapshot.surface(path)
    symbols, strings = surface.symbols, surface.strings
    rows, kinds, nested = column(), column(), column()
    names: list[str] = []
    for row in range(len(symbols)):
        if symbols.kind[row] in _NEVER or symbols.ordinal[row] or not is_shared(surface, symbols.scope[row]):
            continue
        rows.append(row)
        kinds.append(symbols.kind[row])
        nested.append(int(symbols.scope[row] > 0))
        names.append(strings[symbols.name[row]])
    text, starts = _lines(names)
    return _MEMO.put(shard, FindableNames(text, starts, rows, kinds, nested))


def blocks_of(snapshot: Snapshot, only: FindFilter | None = None) -> Iterator[FindableBlock]:
    """The names of all files, or of those that a filter takes, in order of path. Raises BudgetSpentError behind those
    that a request had the time for; the next one goes on."""
    if only is not None and not only.whole:
        yield from _blocks(snapshot, [path for path in snapshot.files() if only.takes_file(snapshot, path)], False)
        return
    known = _BLOCKS.get(snapshot)
    if known is not None:
        yield from known
        return
    made: list[FindableBlock] = []
    for block in _blocks(snapshot, tuple(snapshot.files()), True):
        made.append(block)
        yield block
    _BLOCKS.put(snapshot, made)


def takes_line(snapshot: Snapshot, only: FindFilter, at: tuple[FilePath, FindableNames, int]) -> bool:
    """Whether a filter takes what stands on a line of the names of a file."""
    path, names, line = at
    kind = names.kinds[line]
    if only.takes_all(kind) or not only.may_take(kind):
        return only.may_take(kind)
    row = snapshot.definition_of_symbol(path, names.rows[line])
    return row != NONE and only.takes(snapshot, path, row)


def _blocks(snapshot: Snapshot, files: Sequence[FilePath], keep: bool) -> Iterator[FindableBlock]:
    for first in range(0, len(files), _MANY):
        yield _block(snapshot, tuple(files[first : first + _MANY]), keep)


def _block(snapshot: Snapshot, paths: tuple[FilePath, ...], keep: bool) -> FindableBlock:
    names = tuple(names_in(snapshot, path) for path in paths)
    # Lists are compared by what they are, not by what they say: the same ones stand there unless a file changed.
    shard = snapshot.shards[paths[0]]
    known = _BLOCK.get(shard)
    if known is not None and known.names == names and known.paths == paths:
        return known
    texts: list[str] = []
    starts, firsts = column(), column()
    offset = 0
    for found in names:
        firsts.append(len(starts))
        if found.rows:
            low, begins = _lowered(found)
            texts.append(low)
            starts.extend([offset + start for start in begins[:-1]])
            offset += begins[-1]
    made = FindableBlock(paths, names, "\n".join(texts), starts, firsts)
    if keep:
        _BLOCK.put(shard, made)
    return made


def _lowered(found: FindableNames) -> tuple[str, Column]:
    # Lower case may be longer.
    if found.text.isascii():
        return found.text.lower(), found.starts
    return _lines([found.name(line).lower() for line in range(len(found.rows))])


def _lines(names: Sequence[str]) -> tuple[str, Column]:
    return "\n".join(names), column(accumulate((len(name) + 1 for name in names), initial=0))


def is_shared(surface: Surface, scope: int) -> bool:
    """Whether what is bound in a scope has a name for others, as what functions set on an argument has."""
    if scope < 0 or surface.scopes.kind[scope] in _SHARED:
        return True
    return surface.scopes.kind[scope] == ScopeKind.OBJECT and scope in _filled(surface)


def _filled(surface: Surface) -> frozenset[int]:
    """The scopes of what is set on parameters."""
    known = surface.memo.get(_FILLED_KEY)
    if isinstance(known, frozenset):
        return cast("frozenset[int]", known)
    table = surface.symbols
    bodies = zip(table.body, table.kind, strict=True)
    found = frozenset(body for body, kind in bodies if kind == DefinitionKind.PARAMETER and body >= 0)
    surface.memo[_FILLED_KEY] = found
    return found
