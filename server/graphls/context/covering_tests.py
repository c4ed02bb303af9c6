"""Covering tests: the tests that run what a pack shows.

Owns: which tests are looked at, what makes one cover an item, which of them are worth their tokens.
Must not know: how items were chosen, output formats.
Invariant: a test that `use` brought has a link to the item; reads a bounded number of files.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import attrs

from graphls.context.candidates import UnitKey
from graphls.context.lexical import FileTerms, terms_in
from graphls.context.packing import row_cost
from graphls.context.terms import parts_of, term_id, terms
from graphls.context.units import owners
from graphls.facts.columns import rows_with
from graphls.facts.kinds import Role
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE
from graphls.facts.paths import FilePath
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import is_test_file, node_row, running_owner
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors
from graphls.queries.rows import name_of, string_index

_ITEMS: Final = 16
"""Declarations whose tests are looked for, the best."""
_FILES: Final = 6
"""Files of tests that are read."""
_EACH: Final = 2
"""Tests of one declaration that come before others have as many."""
_PART: Final = 0.8
"""Of a request, up to which such files are looked at: what an answer says of itself needs the rest."""
_MARKS: Final = frozenset(("test", "spec"))
"""Words that say only that something is a test."""


@attrs.frozen(kw_only=True)
class Covering:
    """A test, and the items that it covers: their numbers in the list of items, from 0.

    `by`: it uses them (`use`), or is called like them (`name`). `line`: of its name, or of the first use where it has
    none.
    """

    file: FilePath
    line: int
    symbol: str
    node: str
    items: tuple[int, ...]
    by: Literal["use", "name"]
    tokens: int


@attrs.frozen
class _Test:
    """A test that may be shown: its file, and the row of its definition or -1 with the offset of a use."""

    file: FilePath
    row: int
    offset: int


def covering_tests(
    snapshot: Snapshot, files: Mapping[FilePath, FileTerms], item_numbers: Mapping[UnitKey, int], room: int
) -> tuple[Covering, ...]:
    """Tests of the declarations that are shown, within so many tokens; those of the best items first."""
    targets = _CoverageTargets(snapshot, files, item_numbers)
    if not targets.names or room < 1:
        return ()
    used: dict[_Test, set[int]] = defaultdict(set)
    named: dict[_Test, set[int]] = defaultdict(set)
    for path in targets.test_files():
        if is_spent_to(_PART):
            break
        for test, item in targets.uses(path):
            used[test].add(item)
        for test, item in targets.alike(path):
            named[test].add(item)
    rest = {test: items for test, items in named.items() if test not in used}
    return tuple(_within(snapshot, [*_chosen(used, "use"), *_chosen(rest, "name")], room))


class _CoverageTargets:
    """What tests are looked for."""

    def __init__(
        self, snapshot: Snapshot, files: Mapping[FilePath, FileTerms], item_numbers: Mapping[UnitKey, int]
    ) -> None:
        self._snapshot = snapshot
        self._files = files
        self._items_by_key: dict[UnitKey, list[int]] = defaultdict(list)
        self.names: dict[str, float] = {}
        """Names that uses have, with what one is worth."""
        self._terms: list[tuple[int, tuple[int, ...], frozenset[str]]] = []
        keys = [key for key in item_numbers if key.file in files and not is_test_file(key.file)][:_ITEMS]
        for number, key in enumerate(keys):
            self._take(key, item_numbers[key], 1 / (number + 1))

    def _take(self, key: UnitKey, item: int, worth: float) -> None:
        facts, known = self._snapshot.facts(key.file), self._files[key.file]
        name, parent = name_of(facts, known.rows[key.unit]), known.parents[key.unit]
        if name in constructors() and parent >= 0:
            key, name = UnitKey(key.file, parent), name_of(facts, known.rows[parent])
        self._items_by_key[key].append(item)
        self.names[name] = self.names.get(name, 0.0) + worth
        spelled = tuple(dict.fromkeys(map(term_id, parts_of(name))))
        if spelled:
            self._terms.append((item, spelled, _words_of(key.file).union(parts_of(name))))

    def test_files(self) -> list[FilePath]:
        """The files of tests that are likeliest to run what is wanted, by path."""
        worth: dict[FilePath, float] = defaultdict(float)
        for name, share in self.names.items():
            tests = [path for path in self._snapshot.files_with_name(name) if is_test_file(path)]
            for path in tests:
                worth[path] += share / math.log(2 + len(tests))
        places = frozenset(word for *_, words in self._terms for word in words)
        near = {path: value * (1 + len(places & _words_of(path))) for path, value in worth.items()}
        return sorted(sorted(near, key=lambda path: (-near[path], path))[:_FILES])

    def uses(self, path: FilePath) -> Iterator[tuple[_Test, int]]:
        """Tests of a file, each with an item that it has a link to."""
        snapshot, facts = self._snapshot, self._snapshot.facts(path)
        uses = facts.occurrences
        numbers = {number for name in self.names if (number := string_index(facts, name)) >= 0}
        rows = sorted(row for number in numbers for row in rows_with(uses.name, number))
        links = snapshot.links_at(path, rows)
        table, ends = links.targets, [self._files.get(FilePath(file)) for file in links.files]
        first: dict[int, int] = {}
        units = owners(facts, terms_in(snapshot, path).units) if len(table) else {}
        for at, occurrence in enumerate(table.occurrence):
            symbol, file = table.symbol[at], table.file[at]
            known = ends[file] if symbol not in (EXTERNAL, WHOLE_MODULE) and file != OWN_FILE else None
            key = None if known is None else UnitKey(FilePath(links.files[file]), known.of_symbol(symbol))
            items = self._items_by_key.get(key, ()) if key is not None and uses.role[occurrence] != Role.IMPORT else ()
            for item in items:
                # Tests that are no functions of their own are named by the first use of each item.
                offset = first.setdefault(item, uses.start[occurrence])
                owner = running_owner(facts, uses.owner[occurrence])
                test = _Test(path, -1, offset) if owner < 0 else self._around(path, units.get(owner, -1))
                if test is not None:
                    yield test, item

    def alike(self, path: FilePath) -> Iterator[tuple[_Test, int]]:
        """Tests of a file called like an item or its file, each with an item whose name is half of its own or more."""
        known, here = terms_in(self._snapshot, path), _words_of(path)
        for item, spelled, words in self._terms:
            if not words & here:
                continue
            units = [{known.unit[at] for at in known.postings(term) if known.named[at]} for term in spelled]
            for unit in sorted(set[int].intersection(*units)):
                test = self._test(path, known.rows[unit])
                if test is not None and 2 * len(spelled) >= len(self._parts(test)):
                    yield test, item

    def _around(self, path: FilePath, unit: int) -> _Test | None:
        """The test that a declaration is; None where it is something else."""
        return self._test(path, terms_in(self._snapshot, path).rows[unit]) if unit >= 0 else None

    def _parts(self, test: _Test) -> Sequence[str]:
        facts = self._snapshot.facts(test.file)
        return [part for part in parts_of(name_of(facts, test.row)) if part not in _MARKS]

    def _test(self, path: FilePath, row: int) -> _Test | None:
        facts = self._snapshot.facts(path)
        row = node_row(facts, row)
        return (
            _Test(path, row, facts.definitions.start[row])
            if node_kind(self._snapshot, SymbolRef(path, row)).kind == "test"
            else None
        )


def _chosen(found: Mapping[_Test, set[int]], by: Literal["use", "name"]) -> list[tuple[_Test, tuple[int, ...], str]]:
    """Those that cover the best items first, and of each item a few before all others."""
    tests = sorted(found, key=lambda test: (-_worth(found[test]), test.file, test.offset))
    counts: dict[int, int] = defaultdict(int)
    first: list[_Test] = []
    later: list[_Test] = []
    for test in tests:
        needed = any(counts[item] < _EACH for item in found[test])
        (first if needed else later).append(test)
        for item in found[test]:
            counts[item] += 1
    return [(test, tuple(sorted(found[test])), by) for test in (*first, *later)]


def _worth(items: set[int]) -> float:
    return sum(1 / (item + 1) for item in items)


def _within(snapshot: Snapshot, tests: Sequence[tuple[_Test, tuple[int, ...], str]], room: int) -> Iterator[Covering]:
    for test, items, by in tests:
        place = SymbolRef(test.file, test.row)
        line, _ = snapshot.facts(test.file).line_column(test.offset)
        symbol = symbol_name(snapshot, place)
        cost = row_cost(test.file, line + 1, symbol, items)
        if cost > room:
            return
        room -= cost
        yield Covering(
            file=test.file,
            line=line + 1,
            symbol=symbol,
            node=node_id(snapshot, place),
            items=items,
            by="use" if by == "use" else "name",
            tokens=cost,
        )


def _words_of(path: str) -> frozenset[str]:
    """Words of a file's own name, `test` left out; those of its folder where that leaves none."""
    folder, _, name = path.rpartition("/")
    words = frozenset(terms(name.partition(".")[0])) - _MARKS
    return words or frozenset(terms(folder.rpartition("/")[2])) - _MARKS
