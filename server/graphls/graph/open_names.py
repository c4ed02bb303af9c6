"""Open names: the uses in one file whose meaning its links do not know.

Owns: which uses these are, what kind of doubt each has, how they are counted by name and by owner.
Must not know: other files, questions, how links were made.
Invariant: a function of the file's facts and links; every use without a target is counted once.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from enum import IntEnum

import attrs

from graphls.facts.columns import NONE, Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import Resolution, Role, UnresolvedReason
from graphls.facts.links import EXTERNAL, Links
from graphls.facts.name_numbers import name_number
from graphls.graph.nodes import sources

KINDS = 16
_LAST = KINDS - 1
"""The low bits of a packed number: all that two names must differ in otherwise."""
_FEW = 16
"""A column that is so many times as long as what is looked for is searched, not gone through."""


class OpenKind(IntEnum):
    """Why a use is open."""

    RECEIVER = 0
    """A member of something whose type is not known, or that has no such member."""
    NAME = 1
    """A plain name that no scope binds."""
    STRING = 2
    """A string that spells a member, as in `getattr(x, "name")`."""
    IMPORT = 3
    """A name of a module that is not there."""
    LIMIT = 4
    """The bound on steps was reached."""
    FAILED = 5
    """The links of the file failed as a whole."""
    OUTSIDE = 6
    """Taken for a name outside the workspace because no module here is called so; nobody looked outside."""
    CANDIDATES = 7
    """Too many things may be meant."""
    KEY = 8
    """A key of an object, or the name of an argument, for something whose type is not known: of members only."""


@attrs.frozen(eq=False)
class OpenNames:
    """Counts for one file. Numbers are those of names with the kind in their low bits, ascending."""

    numbers: array[int]
    """One a use; without OUTSIDE."""
    owners: Column
    """Ascending: the node that a use is one by, -1 for the module; a use by two nodes is here twice."""
    owned: array[int]
    """Beside `owners`: the number of the use."""
    modules: tuple[str, ...]
    """What is left of the last dot in the names that are taken for outside."""
    outside: array[int]
    """OUTSIDE, one a name and module."""
    outside_modules: Column
    """Beside `outside`: the number of the module."""
    outside_counts: Column
    """Beside `outside`: how many uses."""

    def counts(self, name: str) -> tuple[int, ...]:
        """Uses that spell a name, by OpenKind; without OUTSIDE."""
        first = name_number(name) & ~_LAST
        low = bisect_left(self.numbers, first)
        high = bisect_right(self.numbers, first | _LAST, low)
        if low == high:
            return NOTHING_OPEN
        found = [0] * KINDS
        for number in self.numbers[low:high]:
            found[number & _LAST] += 1
        return tuple(found)

    def outside_of(self, name: str) -> Iterator[tuple[str, int]]:
        """Modules outside that a name is taken to be of, each with how many uses."""
        number = packed_number(name, OpenKind.OUTSIDE)
        at = bisect_left(self.outside, number)
        while at < len(self.outside) and self.outside[at] == number:
            yield self.modules[self.outside_modules[at]], self.outside_counts[at]
            at += 1

    def of(self, owner: int) -> array[int]:
        """Numbers of the uses that belong to a definition."""
        return self.owned[bisect_left(self.owners, owner) : bisect_right(self.owners, owner)]

    def packed(self) -> PackedNames:
        """The columns as bytes."""
        return PackedNames(
            self.numbers.tobytes(),
            self.owners.tobytes(),
            self.owned.tobytes(),
            self.modules,
            self.outside.tobytes(),
            self.outside_modules.tobytes(),
            self.outside_counts.tobytes(),
        )


@attrs.frozen(eq=False)
class PackedNames:
    """The columns of `OpenNames`, as they are kept and sent."""

    numbers: bytes
    owners: bytes
    owned: bytes
    modules: tuple[str, ...]
    outside: bytes
    outside_modules: bytes
    outside_counts: bytes

    def unpacked(self) -> OpenNames:
        """What was packed. Raises ValueError for bytes of another length."""
        modules = tuple(map(sys.intern, self.modules))
        found = OpenNames(array("Q"), column(), array("Q"), modules, array("Q"), column(), column())
        found.numbers.frombytes(self.numbers)
        found.owners.frombytes(self.owners)
        found.owned.frombytes(self.owned)
        found.outside.frombytes(self.outside)
        found.outside_modules.frombytes(self.outside_modules)
        found.outside_counts.frombytes(self.outside_counts)
        return found


NOTHING_OPEN = (0,) * KINDS
_OUTSIDE = int(OpenKind.OUTSIDE)
_IMPORTED = int(Resolution.IMPORT)
_PARAMETER = int(UnresolvedReason.OUTSIDE_PARAMETER)


def packed_number(name: str, kind: int) -> int:
    """The number of a use."""
    return name_number(name) & ~_LAST | kind


def same_name(number: int) -> int:
    """The number without its kind: equal for all uses of one name."""
    return number & ~_LAST


def defined_numbers(columns: Iterable[bytes]) -> Set[int]:
    """The names of many files, as `same_name` spells them, of columns of name numbers."""
    numbers = array("Q")
    for column_bytes in columns:
        numbers.frombytes(column_bytes)
    return frozenset(number & ~_LAST for number in numbers)


def open_names_of(facts: FileFacts, links: Links) -> OpenNames:
    """The counts for a file with these facts and links."""
    names, owners = facts.occurrences.name, facts.occurrences.owner
    number_of = _NameNumbers(facts.strings)
    counted = Counter((names[row], file) for row, file in _taken_for_outside(links, None))
    modules: dict[str, int] = {}
    outside: Counter[tuple[int, int]] = Counter()
    for (name, file), count in counted.items():
        module = links.externals[file].rpartition(".")[0]
        outside[number_of[name] | _OUTSIDE, modules.setdefault(module, len(modules))] += count
    open_uses = [(owners[row], number_of[names[row]] | kind) for row, kind in _without_target(facts, links, None)]
    users = sources(facts, {owner for owner, _ in open_uses})
    owned = sorted((user, number) for owner, number in open_uses for user in users[owner])
    beyond = sorted(outside)
    return OpenNames(
        array("Q", sorted(number for _, number in open_uses)),
        column(owner for owner, _ in owned),
        array("Q", [number for _, number in owned]),
        tuple(modules),
        array("Q", [number for number, _ in beyond]),
        column(module for _, module in beyond),
        column(outside[one] for one in beyond),
    )


class _NameNumbers(dict[int, int]):
    """Numbers without a kind, by the place of a name among the strings of a file."""

    def __init__(self, strings: Sequence[str]) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, name: int) -> int:
        number = self[name] = packed_number(self._strings[name], 0)
        return number


def outside_module(links: Links, row: int) -> str:
    """What is left of the last dot in the first name outside that an occurrence is taken for."""
    table = links.targets
    for target in range(bisect_left(table.occurrence, row), bisect_right(table.occurrence, row)):
        if _is_assumed(links, target):
            return links.externals[table.file[target]].rpartition(".")[0]
    return ""


def open_rows(facts: FileFacts, links: Links, among: Collection[int] | None = None) -> Iterator[tuple[int, int]]:
    """Rows of occurrences, each with its OpenKind. `among`: only these."""
    yield from _without_target(facts, links, among)
    for row, _ in _taken_for_outside(links, among):
        yield row, _OUTSIDE


def _without_target(facts: FileFacts, links: Links, among: Collection[int] | None) -> Iterator[tuple[int, int]]:
    uses, missing = facts.occurrences, links.unresolved
    rows, reasons, roles, bases = missing.occurrence, missing.reason, uses.role, uses.base
    failed = bool(len(uses)) and not len(links.targets) and len(missing) == len(uses)
    for index in _among(rows, among):
        if reasons[index] != _PARAMETER:
            row = rows[index]
            yield row, _kind(reasons[index], roles[row], failed, member=bases[row] != NONE)


def _taken_for_outside(links: Links, among: Collection[int] | None) -> Iterator[tuple[int, int]]:
    """Rows of occurrences that are outside because no module here is called so, each with the number of the name."""
    table, last = links.targets, NONE
    rows, files = table.occurrence, table.file
    if among is None:
        # Other targets of the same use may be inside.
        rules = links.rules if len(links.rules) else column([0]) * len(rows)
        columns = zip(rows, table.symbol, table.resolution, rules, files, strict=True)
        for row, symbol, resolution, rule, file in columns:
            if symbol == EXTERNAL and resolution == _IMPORTED and rule >= 0 and row != last:
                last = row
                yield row, file
        return
    for target in _among(rows, among):
        if rows[target] != last and _is_assumed(links, target):
            last = rows[target]
            yield last, files[target]


def _among(occurrences: Column, among: Collection[int] | None) -> Iterable[int]:
    """Where a column in order has some values: few are looked for one by one, as a file may have a million uses."""
    if among is None:
        return range(len(occurrences))
    if len(among) * _FEW < len(occurrences):
        spans = ((bisect_left(occurrences, row), bisect_right(occurrences, row)) for row in sorted(among))
        return (index for first, last in spans for index in range(first, last))
    return (index for index, row in enumerate(occurrences) if row in among)


def _is_assumed(links: Links, target: int) -> bool:
    """Whether a target is outside because no module here is called so. Others of the same use may be inside."""
    table = links.targets
    assumed = table.symbol[target] == EXTERNAL and table.resolution[target] == _IMPORTED
    # A rule below 0 is a checker's: it did look outside.
    return assumed and links.rules[target] >= 0


def _kind(reason: int, role: int, failed: bool, *, member: bool) -> int:
    if reason == UnresolvedReason.LIMIT:
        return int(OpenKind.FAILED if failed else OpenKind.LIMIT)
    if reason == UnresolvedReason.CANDIDATES:
        return int(OpenKind.CANDIDATES)
    if role == Role.TEXT:
        return int(OpenKind.STRING)
    if reason == UnresolvedReason.MISSING_MODULE:
        return int(OpenKind.IMPORT)
    if role == Role.KEYWORD:
        return int(OpenKind.KEY)
    return int(OpenKind.RECEIVER if member else OpenKind.NAME)
