"""Handed on: uses that name a function as a call does and hand it on, `Type::method`.

Owns: which of them are given to what calls them there.
Must not know: what answers do with them.
Invariant: a use that is given to anything else may be called by whoever has it.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind, OccurrenceFlag
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.nodes import use_named
from graphls.graph.snapshot import Snapshot, rows_of

_NAMING = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))


def hands_on_call(snapshot: Snapshot, path: FilePath, use: int) -> bool:
    """Whether a use hands on what it names, to more than what calls its arguments before all else."""
    facts = snapshot.facts(path)
    if not facts.occurrences.flags[use] & OccurrenceFlag.REFERRED:
        return False
    known = snapshot.capabilities(path)
    taker = _taker(facts, facts.occurrences.start[use])
    if taker < 0 or known is None or known.calls_given is None:
        return True
    links = snapshot.links_at(path, (taker,))
    outside = (row for row in rows_of(links.targets, taker) if links.targets.symbol[row] == EXTERNAL)
    return not any(known.calls_given(links.externals[links.targets.file[row]]) for row in outside)


def _taker(facts: FileFacts, start: int) -> int:
    """The use that names what is called with the reference at a place; -1 for none."""
    table = facts.expressions
    for row, kind in enumerate(table.kind):
        if kind == ExpressionKind.CALL and any(_names(facts, one, start) for one in facts.list_at(table.b[row])):
            return use_named(facts, table.a[row])
    return -1


def _names(facts: FileFacts, row: int, start: int) -> bool:
    """Whether an argument is the reference at a place."""
    table = facts.expressions
    if row < 0 or table.kind[row] != ExpressionKind.LAMBDA:
        return False
    named = table.a[row]
    return table.c[row] == start or (named >= 0 and table.kind[named] in _NAMING and table.c[named] == start)
