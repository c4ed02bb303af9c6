"""Recent changes: which declarations the last commits, and edits since, touched.

Owns: how much a change of late adds to a declaration.
Must not know: how commits are read, what they say, budgets.
Invariant: only the patches that were given count; without any, nothing is added.

Work on a declaration goes on: what one of the last commits touched is touched again far more often than the rest, and
more so the later it was. That of a whole file says much less. Figures in docs/context.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from graphls.context.candidates import Candidates, Reason, UnitKey
from graphls.context.lexical import FileTerms
from graphls.context.past_changes import damped
from graphls.context.weights import Weights
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.line_history import carried_lines
from graphls.sources.git_patches import LoggedHunk, RecentPatch

_FADES: Final = 10
"""Commits after which a change counts e times less."""


def add_recent(
    snapshot: Snapshot,
    corpus: Mapping[FilePath, FileTerms],
    patches: Sequence[RecentPatch],
    weights: Weights,
    found: Candidates,
) -> None:
    """A merit for every candidate that recent patches touched; the one that was touched most has all of it."""
    if not weights.recent:
        return
    touched = {key: share for key, share in touched_units(snapshot, corpus, patches).items() if key in found}
    most = max(touched.values(), default=0.0)
    for key, share in touched.items():
        reason = Reason("recent", weights.recent * damped(share / most), key.file)
        found.add(key, corpus[key.file].starts[key.unit], reason)


def touched_units(
    snapshot: Snapshot, corpus: Mapping[FilePath, FileTerms], patches: Sequence[RecentPatch]
) -> Mapping[UnitKey, float]:
    """Declarations by how much the patches touched them, newest patch first. A patch of many says less of each."""
    later = defaultdict[str, list[Sequence[LoggedHunk]]](list)
    touched = defaultdict[UnitKey, float](float)
    for patch in patches:
        units: dict[UnitKey, None] = {}
        for path, hunks in patch.files.items():
            known = corpus.get(FilePath(path))
            if known is None:
                continue
            facts = snapshot.facts(FilePath(path))
            for hunk in hunks:
                lines = carried_lines(hunk.start, hunk.end, later[path])
                units.update((UnitKey(FilePath(path), unit), None) for unit in _units(known, facts, lines))
            later[path].insert(0, hunks)
        for key in units:
            touched[key] += math.exp(-patch.age / _FADES) / math.sqrt(len(units))
    return touched


def _units(known: FileTerms, facts: FileFacts, lines: tuple[int, int]) -> Iterator[int]:
    """The units on lines; a gap between lines is part of the unit on both of its sides."""
    ends = facts.lines[-1] + 1
    start, end = (facts.lines[line] if line < len(facts.lines) else ends for line in lines)
    first = max(bisect_right(known.starts, start) - 1, 0)
    if start == end:
        inside = first < len(known.starts) and known.starts[first] < start < known.ends[first]
        yield from (first,) if inside else ()
        return
    yield from (unit for unit in range(first, bisect_left(known.starts, end)) if known.ends[unit] > start)
