"""Inherited tests: what the members of a test class reach, where only a base far above says that they are tests.

Owns: `tests` edges of members that rules on bases call tests.
Must not know: fixtures, routes; tests that are plain from their own file are edges of the graph already.
Invariant: an edge stands for a call in the body of the test of something outside of tests.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from graphls.analysis.frameworks.declared_nodes import Handler, edge_to_handler
from graphls.analysis.frameworks.dependency_recorder import node_index
from graphls.analysis.frameworks.marks import Marks, Tests
from graphls.analysis.frameworks.routes import FileRules, MemberMatch
from graphls.facts.kinds import EdgeKind, Resolution
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import SymbolRef

MOST = 200
"""Edges of one test."""
_USES = (EdgeKind.CALLS, EdgeKind.INSTANTIATES)


def inherited_test_edges(file: FileRules, marks: Marks) -> Iterator[RawEdge]:
    """From the tests of a file to what they call or make."""
    tests = Tests(file.facts, file.path)
    members = [
        member for member in file.members(marks) if member.rule.yields == "test" and member.row not in tests
    ]  # fmt: skip
    if members:
        body = _Bodies(file, members)
        for member in members:
            yield from body.edges(member)


class _Bodies:
    """Calls in the bodies of some tests of one file, looked up at once."""

    def __init__(self, file: FileRules, members: list[MemberMatch]) -> None:
        self._file = file
        uses = [use for member in members for use in _inside(file, member)]
        self._links: Links = file.snapshot.own_links_at(file.path, uses)
        self._outer = [not is_test_file(path) for path in self._links.files]

    def edges(self, member: MemberMatch) -> Iterator[RawEdge]:
        """From one test to what it calls or makes, the first `MOST`."""
        file, table, uses = self._file, self._links.targets, self._file.facts.occurrences
        inside, count = _inside(file, member), 0
        first, last = (bisect_left(table.occurrence, use) for use in (inside.start, inside.stop))
        for row in range(first, last):
            if table.edge[row] not in _USES or table.symbol[row] in (EXTERNAL, WHOLE_MODULE):
                continue
            place = self._place(row) if self._outer[table.file[row]] else None
            if place is None:
                continue
            count += 1
            if count > MOST:
                return
            handler = Handler(
                place,
                uses.start[table.occurrence[row]],
                uses.end[table.occurrence[row]],
                Resolution(table.resolution[row]).name.lower(),
                table.confidence[row] / 100,
                bool(table.ambiguous[row]),
            )
            yield edge_to_handler(
                file.path, SymbolRef(file.path, member.row), "tests", handler, {"rule": member.rule.name}
            )

    def _place(self, row: int) -> SymbolRef | None:
        table = self._links.targets
        number, symbol = table.file[row], table.symbol[row]
        path = FilePath(self._links.files[number])
        there = node_index(self._file.snapshot, path).addresses
        rows = there.rows if number == OWN_FILE else there.symbols
        target = rows[symbol] if symbol < len(rows) else -1
        return SymbolRef(path, target) if target >= 0 else None


def _inside(file: FileRules, member: MemberMatch) -> range:
    """Occurrences in the body of a test, and in its parameters."""
    table, starts = file.facts.definitions, file.facts.occurrences.start
    return range(bisect_left(starts, table.start[member.row]), bisect_left(starts, table.full_end[member.row]))
