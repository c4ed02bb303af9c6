"""Narrowing: what tests prove about values.

Owns: `isinstance` and `None` tests of the own file and where they hold.
Must not know: how values are found.
Invariant: a test speaks only for its region, and not past a new binding of its subject.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import final

from graphls.languages.bounds import MAX_BINDINGS, MAX_TESTS
from graphls.languages.extract.kinds import (
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
)
from graphls.languages.python.types.classes import Classes
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.outside import LibraryLookup
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import (
    CROWD,
    NOTHING,
    PyClass,
    PyExternalInstance,
    PyInference,
    PyInstance,
    PyRule,
    PyTuple,
    Value,
    Values,
    holding,
    solid,
)
from graphls.languages.resolve.structural_value import External


@final
class Narrowing:
    """What tests on the way to a use prove."""

    def __init__(self, context: PyContext, library: LibraryLookup, classes: Classes) -> None:
        self._context = context
        self._library = library
        self._classes = classes

        self._tests: dict[str, list[tuple[int, int, int, int]]] = {}
        """Subject -> (start, end, class expression or -1, positive)."""
        self._ends: dict[str, list[int]] = {}
        """Beside `_tests`: how far the tests up to there reach."""
        self.narrowed_names: set[str] = set()
        """Last names of everything some test of the own file is about."""
        table = context.facts.narrowings
        for row, subject in enumerate(table.subject):
            key = self.dotted(self._context.own, subject)
            if key:
                self.narrowed_names.add(key.rpartition(".")[2])
                test = (table.start[row], table.end[row], table.test[row], table.positive[row])
                self._tests.setdefault(key, []).append(test)
        for key, tests in self._tests.items():
            tests.sort(key=_start)
            self._ends[key] = list(accumulate((end for _, end, _, _ in tests), max))

    def dotted(self, unit: PyUnit, expression: int) -> str:
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

    def narrowed(self, inference: PyInference, key: str, use: int, rows: Sequence[int]) -> PyInference:
        tests = self._tests_at(key, use)
        if tests is None or (tests and len(rows) > MAX_BINDINGS):
            return CROWD
        starts = self._context.facts.definitions.start
        for start, _, test, positive in tests:
            if any(start < starts[row] < use for row in rows):
                continue
            if test < 0:
                if not positive:
                    remaining = tuple(value for value in inference.values if value != NOTHING)
                    inference = holding(inference, remaining)
                continue
            proved = self.tested(self._context.own, test)
            if positive and proved:
                inference = self._meet(inference, proved)
            elif proved:
                remaining = tuple(value for value in inference.values if value not in proved)
                inference = holding(inference, remaining)
        return inference

    def _meet(self, inference: PyInference, proved: Values) -> PyInference:
        """Known values that already are subclasses of the proved class stay as they are."""
        subclasses: list[Value] = []
        targets = [(p.file, p.row) for p in map(self._library.with_readable_class, proved) if isinstance(p, PyInstance)]
        for value in inference.values:
            seen = self._library.with_readable_class(value)
            if isinstance(seen, PyInstance):
                entries = self._classes.order(PyClass(seen.file, seen.row))
                order = {(entry.file, entry.row) for entry in entries if isinstance(entry, PyClass)}
                if not order.isdisjoint(targets):
                    subclasses.append(value)
        return PyInference(tuple(subclasses) or proved, PyRule.NARROWED)

    def tested(self, unit: PyUnit, expression: int) -> Values:
        """Instances of the class, or classes, named by the second argument of `isinstance`."""
        made: dict[Value, None] = {}
        for value in self._context.queries.infer(unit, expression).values:
            items = [item for element in value.elements for item in element] if isinstance(value, PyTuple) else [value]
            for item in map(solid, items):
                if isinstance(item, PyClass):
                    made[PyInstance(item.file, item.row)] = None
                elif isinstance(item, External):
                    made[PyExternalInstance(item.dotted)] = None
        return tuple(made)


def _start(test: tuple[int, int, int, int]) -> int:
    return test[0]
