"""Size growth: what is large and became longer is named, what became shorter or is of a test is not."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.queries.changed import FileDiff
from graphls.queries.symbol_deltas import SymbolDelta, SymbolState
from graphls.session.memory import snapshot_of
from graphls.session.size_growth import GROWTH, size_growth


def function(lines: int) -> str:
    return "def work():\n" + "    x = 1\n" * (lines - 1)


@pytest.mark.parametrize(
    ("path", "before", "after", "levels", "titles"),
    [
        ("a.py", 59, 60, {GROWTH: "P3"}, ["a:work grew from 59 to 60 lines"]),
        ("a.py", None, 70, {GROWTH: "P3"}, ["a:work is new, with 70 lines"]),
        ("a.py", 999, 1001, {GROWTH: "P3"}, ["a:work grew from 999 to 1001 lines", "a.py grew from 999 to 1001 lines"]),
        ("a.py", 1200, 1100, {GROWTH: "P3"}, []),
        ("a.py", 50, 59, {GROWTH: "P3"}, []),
        ("tests/test_a.py", 59, 70, {GROWTH: "P3"}, []),
        ("a.py", 59, 70, {}, []),
        ("a.py", 59, 70, {GROWTH: "off"}, []),
    ],
)
def test_growth(path: str, before: int | None, after: int, levels: dict[str, str], titles: list[str]) -> None:
    snapshot = snapshot_of({path: function(after)})
    place = SymbolRef(FilePath(path), 0)
    delta = SymbolDelta(
        file=FilePath(path),
        symbol=symbol_name(snapshot, place),
        kind="function",
        action="modified",
        line=1,
        before=SymbolState(start_line=1, end_line=before, lines=before, hash=None) if before else None,
        after=SymbolState(start_line=1, end_line=after, lines=after, hash=None),
        place=place,
    )
    diff = FileDiff(FilePath(path), "modified", None, function(before).encode() if before else None)
    assert [one.title for one in size_growth(snapshot, [delta], [diff], levels)] == titles
