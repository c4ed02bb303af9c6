"""Left out: what a pack left out, by name, and how to get it.

Owns: which of the declarations without room are named, what a name costs, the words that say how to see them.
Must not know: how declarations were ranked, output formats.
Invariant: nothing that is shown is named; the names never cost more than their room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from graphls.context.candidates import Candidate
from graphls.context.packing import SourceLines, row_cost
from graphls.facts.paths import FilePath
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.snapshot import Snapshot


@attrs.frozen(kw_only=True)
class LeftOut:
    """A declaration that came next and found no room. `size`: the tokens of its text; `tokens`: those of this row."""

    file: FilePath
    line: int
    symbol: str
    node: str
    size: int
    tokens: int


def left_out(snapshot: Snapshot, sources: SourceLines, rest: Sequence[Candidate], room: int) -> tuple[LeftOut, ...]:
    """The best of those without room, in order."""
    return tuple(_named(snapshot, sources, rest, room))


def _named(snapshot: Snapshot, sources: SourceLines, rest: Sequence[Candidate], room: int) -> Iterator[LeftOut]:
    for candidate in rest:
        key = candidate.key
        place, line = sources.place(key), sources.line(key)
        symbol, size = symbol_name(snapshot, place), sources.size(key)
        cost = row_cost(key.file, line, symbol, (size,))
        if cost > room:
            return
        room -= cost
        yield LeftOut(file=key.file, line=line, symbol=symbol, node=node_id(snapshot, place), size=size, tokens=cost)


def how_to_get(budget: int, left: Sequence[LeftOut], omitted: int) -> str:
    """The requests that show what was left out; "" when nothing was."""
    if not omitted:
        return ""
    more = max(budget + sum(row.size for row in left), 2 * budget)
    return f"one: graphls pack --node SYMBOL (`nodes` or `symbols` of a request); more: a budget of {more}"
