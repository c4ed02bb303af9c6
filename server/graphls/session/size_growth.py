"""Size growth: functions, classes and files that were large, or are now, and that a change made larger.

Owns: the rule, from which size on growth is worth a word.
Must not know: version control, how changes were found.
Invariant: what a change makes smaller, or leaves as long as it was, is never named; tests and what tools made are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from graphls.analysis.finding import PRIORITIES, Evidence, Finding, Priority, finding_id
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import FileDiff
from graphls.queries.symbol_deltas import SymbolDelta

GROWTH: Final = "maintainability.size_growth"
_LARGE: Final[Mapping[str, int]] = {"function": 60, "method": 60, "callable": 60, "class": 400}
_LARGE_FILE: Final = 1000


def size_growth(
    snapshot: Snapshot, deltas: Sequence[SymbolDelta], diffs: Sequence[FileDiff], levels: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Findings of one change, symbols before files. Nothing unless the settings give the rule a priority, if only in
    one of several open folders."""
    single = (level for key, level in levels.items() if key.startswith("//") and key.endswith(f"/{GROWTH}"))
    said = next((one for one in (levels.get(GROWTH), *single) if one in PRIORITIES), None)
    level: Priority | None = next((one for one in PRIORITIES if one == said), None)
    return () if level is None else tuple(_found(snapshot, deltas, diffs, level))


def _found(
    snapshot: Snapshot, deltas: Sequence[SymbolDelta], diffs: Sequence[FileDiff], level: Priority
) -> Iterator[Finding]:
    for delta in deltas:
        large, place = _LARGE.get(delta.kind), delta.place
        if large is not None and place is not None and delta.delta > 0 and _is_judged(snapshot, delta.file):
            now = delta.lines_after or 0
            if now >= large:
                table = snapshot.facts(delta.file).definitions
                at = Evidence(delta.file, table.start[place.definition], table.end[place.definition], "grew", place)
                yield _finding(delta.symbol, delta.lines_before or 0, now, at, level)
    for diff in diffs:
        path = diff.path
        if path in snapshot.shards and snapshot.shards[path].language and _is_judged(snapshot, path):
            now, then = _lines(snapshot.text(path)), _lines(diff.before)
            if now > then and now > _LARGE_FILE:
                yield _finding(path, then, now, Evidence(path, 0, 0, "grew", SymbolRef(path, -1)), level)


def _finding(name: str, before: int, after: int, at: Evidence, level: Priority) -> Finding:
    return Finding(
        id=finding_id(GROWTH, (name,)),
        rule=GROWTH,
        category="maintainability",
        priority=level,
        confidence="high",
        title=f"{name} grew from {before} to {after} lines" if before else f"{name} is new, with {after} lines",
        pressure="It is large already, and every change of it is read in the light of all of it.",
        suggestions=("Move a part that has a name of its own out of it.",),
        risks=(),
        measures={"lines_before": before, "lines_after": after},
        caveats=(),
        evidence=(at,),
    )


def _is_judged(snapshot: Snapshot, path: FilePath) -> bool:
    return not is_test_file(path) and not comes_last(snapshot, path)


def _lines(text: bytes | None) -> int:
    return len((text or b"").splitlines())
