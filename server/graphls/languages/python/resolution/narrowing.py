"""Narrowing: what tests prove about values.

Owns: `isinstance` and `None` tests of the own file and where they hold.
Must not know: how values are found.
Invariant: a test speaks only for its region, and not past a new binding of its subject.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_BINDINGS, MAX_TESTS
from graphls.languages.kinds import (
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
)
from graphls.languages.known import External
from graphls.languages.provider import World
from graphls.languages.python.resolution.annotations import Annotations
from graphls.languages.python.resolution.units import Unit
from graphls.languages.python.resolution.values import (
    CROWD,
    NOTHING,
    Class,
    ExternalInstance,
    Inference,
    Instance,
    Rule,
    Tuple,
    Value,
    Values,
    holding,
    solid,
)


class Narrowing(Annotations):
    """What tests on the way to a use prove."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self._tests: dict[str, list[tuple[int, int, int, int]]] = {}
        """Subject -> (start, end, class expression or -1, positive)."""
        self._ends: dict[str, list[int]] = {}
        """Beside `_tests`: how far the tests up to there reach."""
        self._narrowed_names: set[str] = set()
        """Last names of everything some test of the own file is about."""
        table = facts.narrowings
        for row, subject in enumerate(table.subject):
            key = self.dotted(self.own, subject)
            if key:
                self._narrowed_names.add(key.rpartition(".")[2])
                test = (table.start[row], table.end[row], table.test[row], table.positive[row])
                self._tests.setdefault(key, []).append(test)
        for key, tests in self._tests.items():
            tests.sort(key=_start)
            self._ends[key] = list(accumulate((end for _, end, _, _ in tests), max))

    def dotted(self, unit: Unit, expression: int) -> str:
        """`self.x.y` for a chain of names; "" for anything else."""
        table, parts = unit.expressions, list[str]()
        while expression >= 0 and table.kind[expression] == MEMBER_EXPRESSION:
            parts.append(unit.strings[table.b[expression]])
            expression = table.a[expression]
        if expression < 0 or table.kind[expression] != NAME_EXPRESSION:
            return ""
        return ".".join([unit.strings[table.a[expression]], *reversed(parts)])

    def _tests_at(self, key: str, use: int) -> list[tuple[int, int, int, int]] | None:
        """Tests that speak of a use, in source order; None where there are too many to look at."""
        tests, ends = self._tests.get(key, ()), self._ends.get(key, ())
        found: list[tuple[int, int, int, int]] = []
        last = bisect_right(tests, use, key=_start) - 1
        for index in range(last, -1, -1):
            if ends[index] <= use:
                break
            if last - index >= MAX_TESTS:
                return None
            if tests[index][1] > use:
                found.append(tests[index])
        found.reverse()
        return found

    def _narrowed(self, inference: Inference, key: str, use: int, rows: Sequence[int]) -> Inference:
        tests = self._tests_at(key, use)
        if tests is None or (tests and len(rows) > MAX_BINDINGS):
            return CROWD
        starts = self.facts.definitions.start
        for start, _, test, positive in tests:
            if any(start < starts[row] < use for row in rows):
                continue
            if test < 0:
                if not positive:
                    kept = tuple(value for value in inference.values if value != NOTHING)
                    inference = holding(inference, kept)
                continue
            proved = self._tested(self.own, test)
            if positive and proved:
                inference = self._meet(inference, proved)
            elif proved:
                kept = tuple(value for value in inference.values if value not in proved)
                inference = holding(inference, kept)
        return inference

    def _meet(self, inference: Inference, proved: Values) -> Inference:
        """Known values that already are subclasses of the proved class stay as they are."""
        kept: list[Value] = []
        wanted = [(p.file, p.row) for p in map(self.seen, proved) if isinstance(p, Instance)]
        for value in inference.values:
            seen = self.seen(value)
            if isinstance(seen, Instance):
                entries = self.order(Class(seen.file, seen.row))
                order = {(entry.file, entry.row) for entry in entries if isinstance(entry, Class)}
                if not order.isdisjoint(wanted):
                    kept.append(value)
        return Inference(tuple(kept) or proved, Rule.NARROWED)

    def _tested(self, unit: Unit, expression: int) -> Values:
        """Instances of the class, or classes, named by the second argument of `isinstance`."""
        made: dict[Value, None] = {}
        for value in self.infer(unit, expression).values:
            items = [item for element in value.elements for item in element] if isinstance(value, Tuple) else [value]
            for item in map(solid, items):
                if isinstance(item, Class):
                    made[Instance(item.file, item.row)] = None
                elif isinstance(item, External):
                    made[ExternalInstance(item.dotted)] = None
        return tuple(made)


def _start(test: tuple[int, int, int, int]) -> int:
    return test[0]
