"""Flow: which bindings of a name can reach a use of it in the same scope.

Owns: the order and exclusion of regions within one function, class or module body.
Must not know: types, other files.
Invariant: `paths` leaves out a binding only when no run of the code leads from it to the use;
`reaching` further leaves out bindings that a later one surely replaces.
Source: a structured approximation of reaching definitions (no jumps but the end of an arm).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from graphls.facts.columns import Definitions, Regions
from graphls.languages.bounds import MAX_BINDINGS
from graphls.languages.extract.kinds import (
    BRANCH_REGION,
    CONSTANT_DEFINITION,
    FIELD_DEFINITION,
    LOOP_REGION,
    TYPE_ALIAS_DEFINITION,
    VARIABLE_DEFINITION,
)

_BOUND_AFTER: Final = frozenset({VARIABLE_DEFINITION, CONSTANT_DEFINITION, FIELD_DEFINITION, TYPE_ALIAS_DEFINITION})


class Flow:
    """Positions of one file."""

    def __init__(self, regions: Regions, definitions: Definitions) -> None:
        self._definitions = definitions
        self._starts: list[int] = regions.start.tolist()
        self._ends: list[int] = regions.end.tolist()
        self._kinds: list[int] = regions.kind.tolist()
        self._groups: list[int] = regions.group.tolist()
        self._parent = _parents(self._starts, self._ends)
        self._chains: dict[int, tuple[int, ...]] = {}

    def paths(self, rows: Sequence[int], use: int) -> tuple[int, ...]:
        """The bindings from which some path leads to the use."""
        return tuple(row for row in rows if self._leads(row, use))

    def reaching(self, rows: Sequence[int], use: int) -> tuple[int, ...]:
        """The bindings whose value the use may see."""
        possible = self.paths(rows, use)
        before = [row for row in possible if self._effective(row) <= use]
        chain = frozenset(self._chain(use))
        for index in range(len(before) - 1, -1, -1):
            if self._dominates(before[index], chain):
                reaching_rows = set(before[index:])
                later = [row for row in possible if row not in before and self._loops(row, use, before[index])]
                return tuple(row for row in possible if row in reaching_rows or row in later)
        return possible

    def nearest(self, rows: Sequence[int], use: int) -> tuple[int, ...] | None:
        """What `reaching` gives, of more bindings than anybody can look at for each use; None where too many reach it.

        `rows` in source order.
        """
        starts = self._definitions.start
        behind = bisect_right(rows, use, key=starts.__getitem__)
        chain = frozenset(self._chain(use))
        found: list[int] = []
        replaced = -1
        for index in range(behind - 1, max(behind - 1 - 4 * MAX_BINDINGS, -1), -1):
            row = rows[index]
            if self._leads(row, use):
                found.append(row)
                if len(found) > MAX_BINDINGS:
                    return None
                if self._effective(row) <= use and self._dominates(row, chain):
                    replaced = row
                    break
        if replaced < 0 and behind > 4 * MAX_BINDINGS:
            return None
        loops = [self._ends[region] for region in chain if self._kinds[region] == LOOP_REGION]
        end = bisect_right(rows, max(loops, default=use), key=starts.__getitem__)
        if end - behind > MAX_BINDINGS:
            return None
        later = (row for row in rows[behind:end] if self._leads(row, use))
        if replaced >= 0:
            later = (row for row in later if self._loops(row, use, replaced))
        return (*reversed(found), *later)

    def _effective(self, row: int) -> int:
        """From which offset on the binding holds: assignments after their value."""
        definitions = self._definitions
        if definitions.kind[row] in _BOUND_AFTER and definitions.value[row] >= 0:
            return max(definitions.full_end[row], definitions.end[row])
        return definitions.start[row]

    def _leads(self, row: int, use: int) -> bool:
        mine, others = self._chain(self._definitions.start[row]), self._chain(use)
        kinds, groups = self._kinds, self._groups
        for region in mine:
            if kinds[region] == LOOP_REGION and region in others:
                return True
        if self._effective(row) > use:
            return False
        for region in others:
            if kinds[region] == BRANCH_REGION and region not in mine:
                group = groups[region]
                for own in mine:
                    if kinds[own] == BRANCH_REGION and groups[own] == group and own not in others:
                        return False
        return True

    def _dominates(self, row: int, chain: frozenset[int]) -> bool:
        kinds = self._kinds
        conditional = (BRANCH_REGION, LOOP_REGION)
        return all(
            region in chain for region in self._chain(self._definitions.start[row]) if kinds[region] in conditional
        )

    def _loops(self, row: int, use: int, dominating: int) -> bool:
        """A later binding reaches an earlier use through a loop that does not hold the replacing binding."""
        shared = set(self._chain(self._definitions.start[row])) & set(self._chain(use))
        inside = set(self._chain(self._definitions.start[dominating]))
        kinds = self._kinds
        return any(kinds[region] == LOOP_REGION and region not in inside for region in shared)

    def _chain(self, offset: int) -> tuple[int, ...]:
        found = self._chains.get(offset)
        if found is None:
            chain: list[int] = []
            row = bisect_right(self._starts, offset) - 1
            ends = self._ends
            while row >= 0:
                if ends[row] > offset:
                    chain.append(row)
                row = self._parent[row]
            found = self._chains[offset] = tuple(chain)
        return found


def _parents(starts: list[int], ends: list[int]) -> list[int]:
    parents: list[int] = []
    stack: list[int] = []
    for row, start in enumerate(starts):
        while stack and ends[stack[-1]] <= start:
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        stack.append(row)
    return parents
