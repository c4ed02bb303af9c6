"""Problems: what is wrong with the text of one file.

Owns: the list of syntax problems as plain values.
Must not know: findings, severities of a protocol.
Invariant: reads the facts of one file and nothing else.
"""

from __future__ import annotations

import attrs

from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot


@attrs.frozen
class Problem:
    """One stretch that could not be read as code."""

    kind: ProblemKind
    start: int
    end: int
    text: str


def problems(snapshot: Snapshot, path: FilePath) -> tuple[Problem, ...]:
    """Problems of a file in source order."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return ()
    facts = snapshot.facts(path)
    rows = facts.problems
    return tuple(
        Problem(ProblemKind(kind), start, max(start, end), facts.strings[text])
        for kind, start, end, text in zip(rows.kind, rows.start, rows.end, rows.text, strict=True)
    )
