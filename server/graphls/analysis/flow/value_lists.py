"""Value lists: what values are taken from and where they go, packed: the form in which a file's are stored.

Owns: the tables, how the rows of one use or definition are found and become records.
Must not know: how they are read from a file, what names mean, where they are stored.
Invariant: rows stand by what they belong to, in ascending order, and those of one use or definition as they were read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.flow.values import Destination, Leaf, PassedArgument, SpreadArguments, Takes, ValueTarget
from graphls.facts.columns import Column, Table

_TAKES: Final = tuple(Takes)
_DESTINATIONS: Final = tuple(Destination)


@attrs.frozen(eq=False)
class LeafRows(Table):
    """One row a leaf. `how`: twice `Takes`, and 1 more where it is inside of a container."""

    key: Column
    use: Column
    how: Column


@attrs.frozen(eq=False)
class ArgumentRows(Table):
    """One row a leaf of an argument; those of one argument follow each other. `keyword`: number of a word."""

    key: Column
    position: Column
    keyword: Column
    use: Column
    how: Column


@attrs.frozen(eq=False)
class SpreadRows(Table):
    """One row a container that a call is given the elements of. `keywords`: number of a word, see `joined`."""

    key: Column
    use: Column
    position: Column
    positions: Column
    keywords: Column


@attrs.frozen(eq=False)
class WayRows(Table):
    """One row a way of the value of a use. `keyword`: number of a word."""

    key: Column
    destination: Column
    row: Column
    how: Column
    position: Column
    keyword: Column


class Words:
    """Numbers of words, while tables are made."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """That of a word."""
        return self._numbers.setdefault(word, len(self._numbers))

    def all(self) -> tuple[str, ...]:
        """Words by number."""
        return tuple(self._numbers)


def joined(names: Iterable[str]) -> str:
    """Names of arguments as one word."""
    return ",".join(sorted(names))


def _how(takes: Takes, inside: bool) -> int:
    return 2 * takes + inside


def _taken(how: int) -> tuple[Takes, bool]:
    """The inverse."""
    return _TAKES[how >> 1], bool(how & 1)


def _rows(keys: Column, key: int) -> range:
    """The rows of one key."""
    first = last = bisect_left(keys, key)
    while last < len(keys) and keys[last] == key:
        last += 1
    return range(first, last)


class LeafLists:
    """Leaves of definitions, uses or constructs."""

    def __init__(self, rows: LeafRows) -> None:
        self.rows = rows

    def __contains__(self, key: int) -> bool:
        return bool(_rows(self.rows.key, key))

    def of(self, key: int) -> tuple[Leaf, ...]:
        """Those of one."""
        table = self.rows
        return tuple(Leaf(table.use[row], *_taken(table.how[row])) for row in _rows(table.key, key))


def packed_leaves(lists: Mapping[int, Sequence[Leaf]]) -> LeafRows:
    """The table of some lists."""
    return LeafRows.of([(key, leaf.use, _how(*leaf[1:])) for key in sorted(lists) for leaf in lists[key]])


class ArgumentLists:
    """Arguments of uses."""

    def __init__(self, rows: ArgumentRows, words: Sequence[str]) -> None:
        self.rows = rows
        self._words = words

    def __contains__(self, use: int) -> bool:
        return bool(_rows(self.rows.key, use))

    def of(self, use: int) -> Sequence[PassedArgument]:
        """Those of one."""
        table, found = self.rows, dict[tuple[int, int], list[Leaf]]()
        for row in _rows(table.key, use):
            leaf = Leaf(table.use[row], *_taken(table.how[row]))
            found.setdefault((table.position[row], table.keyword[row]), []).append(leaf)
        words = self._words
        return [PassedArgument(position, words[word], tuple(leaves)) for (position, word), leaves in found.items()]


def packed_arguments(lists: Mapping[int, Sequence[PassedArgument]], words: Words) -> ArgumentRows:
    """The table of some lists."""
    rows = [
        (key, one.position, words.number(one.keyword), leaf.use, _how(*leaf[1:]))
        for key in sorted(lists)
        for one in lists[key]
        for leaf in one.leaves
    ]
    return ArgumentRows.of(rows)


class SpreadLists:
    """Containers whose elements are arguments of uses."""

    def __init__(self, rows: SpreadRows, words: Sequence[str]) -> None:
        self.rows = rows
        self._words = words

    def of(self, use: int) -> Sequence[SpreadArguments]:
        """Those of one."""
        table = self.rows
        return [
            SpreadArguments(table.use[row], table.position[row], table.positions[row], self._names(table.keywords[row]))
            for row in _rows(table.key, use)
        ]

    def _names(self, word: int) -> frozenset[str]:
        return frozenset(filter(None, self._words[word].split(",")))


def packed_spread(lists: Mapping[int, Sequence[SpreadArguments]], words: Words) -> SpreadRows:
    """The table of some lists."""
    rows = [
        (key, one.use, one.position, one.positions, words.number(joined(one.keywords)))
        for key in sorted(lists)
        for one in lists[key]
    ]
    return SpreadRows.of(rows)


class WayLists:
    """Where the values of uses go."""

    def __init__(self, rows: WayRows, words: Sequence[str]) -> None:
        self.rows = rows
        self._words = words

    def __contains__(self, use: int) -> bool:
        return bool(_rows(self.rows.key, use))

    def of(self, use: int) -> Iterator[ValueTarget]:
        """Those of one."""
        table, words = self.rows, self._words
        for row in _rows(table.key, use):
            takes, inside = _taken(table.how[row])
            destination, keyword = _DESTINATIONS[table.destination[row]], words[table.keyword[row]]
            yield ValueTarget(destination, table.row[row], takes, inside, table.position[row], keyword)


def packed_ways(lists: Mapping[int, Sequence[ValueTarget]], words: Words) -> WayRows:
    """The table of some lists."""
    rows = [
        (use, way.destination, way.row, _how(way.takes, way.inside), way.position, words.number(way.keyword))
        for use in sorted(lists)
        for way in lists[use]
    ]
    return WayRows.of(rows)


@attrs.frozen(eq=False)
class DecoratorRows(Table):
    """Uses that name decorators, in source order; `by_call`: the decorator is the result of a call."""

    use: Column
    definition: Column
    by_call: Column


@attrs.frozen(eq=False)
class ComputedRows(Table):
    """Uses of what looks a member up by a name that is worked out; `prefix`: number of the word that it begins with."""

    use: Column
    receiver: Column
    prefix: Column


@attrs.frozen(eq=False)
class UnpackedRows(Table):
    """Definitions that are a part of the object of an expression."""

    definition: Column
    expression: Column


@attrs.frozen(eq=False)
class PassingTables:
    """What one file passes on, as it is stored; see `FilePassing`."""

    words: tuple[str, ...]
    bound: LeafRows
    returned: LeafRows
    yielded: LeafRows
    called: LeafRows
    called_back: LeafRows
    stored: LeafRows
    written: LeafRows
    given: ArgumentRows
    filled: ArgumentRows
    spread: SpreadRows
    ways: WayRows
    undispatched: Column
    decorators: DecoratorRows
    computed: ComputedRows
    unpacked: UnpackedRows
