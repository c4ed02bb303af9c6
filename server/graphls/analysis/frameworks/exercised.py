"""Exercised: what the members of a test class reach, where only a base far above says that they are tests.

Owns: `tests` edges of members that rules on bases call tests.
Must not know: fixtures, routes; tests that are plain from their own file are edges of the graph already.
Invariant: an edge stands for a use in the body of the test of something outside of tests.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from graphls.analysis.frameworks.declared import Handler, tied
from graphls.analysis.frameworks.marks import Marks
from graphls.analysis.frameworks.routes import FileRules
from graphls.facts.kinds import EdgeKind
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import is_test_file, kind_of, node_row
from graphls.graph.snapshot import Place

MOST = 200
"""Edges of one test."""
_USES = (EdgeKind.CALLS, EdgeKind.INSTANTIATES)


def exercised(file: FileRules, marks: Marks) -> Iterator[RawEdge]:
    """From the tests of a file to what they call or make."""
    facts = file.facts
    for member in file.members(marks):
        if member.rule.yields == "test" and kind_of(facts, file.path, member.row).kind != "test":
            yield from _of(file, member.row, member.rule.name)


def _of(file: FileRules, row: int, rule: str) -> Iterator[RawEdge]:
    facts, path = file.facts, file.path
    uses, table = facts.occurrences, facts.definitions
    inside = range(bisect_left(uses.start, table.start[row]), bisect_left(uses.start, table.full_end[row]))
    file.naming.prepare(path, inside)
    count = 0
    for use in inside:
        for target in file.naming.targets(path, use):
            place = target.place
            if place is None or place.definition < 0 or target.edge not in _USES or is_test_file(place.file):
                continue
            count += 1
            if count > MOST:
                return
            to = Place(place.file, node_row(file.snapshot.facts(place.file), place.definition))
            handler = Handler(
                to, uses.start[use], uses.end[use], target.resolution.name.lower(), target.confidence, target.ambiguous
            )
            yield tied(path, Place(path, row), "tests", handler, {"rule": rule})
