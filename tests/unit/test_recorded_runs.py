"""What tests ran, from a record, in the place of what may run: which tests that decides, and which it leaves open."""

from __future__ import annotations

import json

import pytest

from graphls.facts.own_output import is_own_output
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import FileDiff
from graphls.queries.matched_runs import TestRunMatch, outdated_tests
from graphls.queries.runs_of_tests import (
    FileRuns,
    TestRuns,
    TestRunsRefused,
    joined_runs,
    runs_of_text,
    sketch_of,
    text_of_runs,
)
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.tests_to_run import TestSelection, select_tests, select_tests_of_edits
from graphls.session.memory import snapshot_of

SHOP = """\
import os
from json import dumps
LIMIT = 3
class Shop:
    def total(self, rows):
        return add(rows)
    def label(self):
        \"\"\"Of a shop.\"\"\"
        return "x"
class Big(Shop):
    limit = 1
def add(rows):
    return sum(rows) + LIMIT
def other():
    return 1 if dumps else 2
def serve(call=None):
    return other() if call is None else call(Big() if LIMIT > 5 else Shop())
"""
TESTS = """\
from shop import Shop, other, serve
def test_total():
    serve(lambda shop: shop.total([1]))
def test_label():
    serve(lambda shop: shop.label())
def test_other():
    other()
"""
FILES = {"shop.py": SHOP, "tests/test_shop.py": TESTS}
RAN = {
    "test_total": ("shop.py:serve", "shop.py:Shop.total", "shop.py:add"),
    "test_label": ("shop.py:serve", "shop.py:Shop.label"),
    "test_other": ("shop.py:other",),
}
HOME = "tests/test_shop.py"
OWN = f"{HOME}::"
HEAD = {"format": "graphls test runs", "version": 1}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """The shop."""
    return snapshot_of(FILES)


@pytest.fixture(scope="module")
def runs(snapshot: Snapshot) -> TestRuns:
    """A record of it."""
    return _record(snapshot)


def _record(snapshot: Snapshot, only: tuple[str, ...] = tuple(RAN), early: str = "") -> TestRuns:
    tests = tuple(f"{OWN}{name}" for name in only)
    files: dict[FilePath, FileRuns] = {}
    for path in map(FilePath, FILES):
        sketch = sketch_of(snapshot, path)
        bits = {
            name: sum(1 << at for at, test in enumerate(only) if f"{path}:{name}" in (*RAN[test], f"{HOME}:{test}"))
            for name in sketch.functions
        }
        functions = {name: (digest, bits[name]) for name, digest in sketch.functions.items() if bits[name]}
        files[path] = FileRuns(snapshot.shards[path].content, sketch.rest, functions, frozenset({early} - {""}))
    return TestRuns("2026-12-01T00:00:00Z", tests, files)


def _ids(found: TestSelection) -> dict[str, str]:
    return {one.removeprefix(OWN): test.certainty for test in found.running for one in test.ids}


def _of(snapshot: Snapshot, symbol: str, runs: TestRuns | None) -> dict[str, str]:
    match = None if runs is None else TestRunMatch(runs, snapshot)
    return _ids(select_tests(snapshot, (one_symbol(snapshot, symbol),), runs=match))


def _edited(before: Snapshot, old: str, new: str, path: str = "shop.py") -> tuple[Snapshot, FileDiff]:
    text = FILES[path]
    assert old in text
    after = text.replace(old, new)
    diff = FileDiff(FilePath(path), "modified", before=text.encode(), after=after.encode())
    return snapshot_of({**FILES, path: after}), diff


def test_of_a_function_that_ran_those_tests_are_named_that_ran_it(snapshot: Snapshot, runs: TestRuns) -> None:
    assert set(_of(snapshot, "shop:other", None)) == {"test_total", "test_label", "test_other"}  # by the graph alone
    assert _of(snapshot, "shop:other", runs) == {"test_other": "certain"}
    assert _of(snapshot, "shop:serve", runs) == {"test_total": "certain", "test_label": "certain"}


def test_what_is_no_function_is_run_by_tests_of_the_functions_that_use_it(snapshot: Snapshot, runs: TestRuns) -> None:
    assert set(_of(snapshot, "shop:LIMIT", runs)) == {"test_total", "test_label"}


def test_what_no_test_ran_is_judged_by_the_graph(snapshot: Snapshot) -> None:
    runs = _record(snapshot, ("test_total", "test_label"))
    # It ends at the functions that call it and that ran.
    assert set(_of(snapshot, "shop:other", runs)) == {"test_other", "test_total", "test_label"}


def test_a_test_whose_code_changed_is_judged_by_the_graph(snapshot: Snapshot, runs: TestRuns) -> None:
    after, _ = _edited(snapshot, "return sum(rows)", "return 2 * sum(rows)")
    match = TestRunMatch(runs, after)
    assert {key[1] for key in match.undecided if isinstance(key, tuple)} == {
        one_symbol(after, "tests.test_shop:test_total").definition
    }
    # It may run it, and nobody saw it since.
    assert set(_of(after, "shop:other", runs)) == {"test_other", "test_total"}


@pytest.mark.parametrize(
    ("old", "new", "tests"),
    [
        ('return "x"', 'return "y"', {"test_label"}),
        ("return sum(rows)", "return 2 * sum(rows)", {"test_total"}),
        ("LIMIT = 3", "LIMIT = 4", {"test_total", "test_label"}),
        ("import os\n", "import os\nimport json\n", set[str]()),
        ("    return 1 if", "    return new() if", {"test_other"}),
        ("LIMIT = 3\n", "LIMIT = 3  # three\n\n\n# as many\n", set[str]()),
        ("import os\n", "import os, sys\n", set[str]()),
        ("from json import dumps\n", "from json import dumps, loads\n", set[str]()),
        ("    limit = 1\n", "    limit = 1\n    most = 9\n", {"test_total", "test_label"}),
        ("class Big(Shop):", "class Big(Shop, object):", {"test_total", "test_label"}),
        ("Of a shop.", "Of any shop.", set[str]()),
        ("    return sum", "    # all of them\n    return sum", set[str]()),
    ],
)
def test_of_an_edit_those_tests_are_named_that_ran_what_it_touches(
    snapshot: Snapshot, runs: TestRuns, old: str, new: str, tests: set[str]
) -> None:
    after, diff = _edited(snapshot, old, new)
    found = select_tests_of_edits(after, (diff,), lambda _: snapshot, runs)
    assert set(_ids(found)) == tests
    assert found.record is not None
    assert found.record.undecided == 0
    assert not found.whole


def test_an_override_that_is_new_is_run_by_tests_that_ran_its_callers(snapshot: Snapshot, runs: TestRuns) -> None:
    after, diff = _edited(snapshot, "    limit = 1\n", "    limit = 1\n    def label(self):\n        return ''\n")
    found = select_tests_of_edits(after, (diff,), lambda _: snapshot, runs)
    assert set(_ids(found)) == {"test_label"}


def test_a_new_test_runs(snapshot: Snapshot, runs: TestRuns) -> None:
    after, diff = _edited(
        snapshot, "def test_other", "def test_new():\n    other()\ndef test_other", "tests/test_shop.py"
    )
    found = select_tests_of_edits(after, (diff,), lambda _: snapshot, runs)
    assert set(_ids(found)) == {"test_new"}
    assert set(_of(after, "shop:other", runs)) == {"test_new", "test_other"}


def test_what_changed_before_the_edit_makes_a_test_undecided(snapshot: Snapshot, runs: TestRuns) -> None:
    text = SHOP.replace("return other() if call is None else call", "return other() if not call else call")
    middle = snapshot_of({**FILES, "shop.py": text})
    last = text.replace("return 1", "return 2")
    diff = FileDiff(FilePath("shop.py"), "modified", before=text.encode(), after=last.encode())
    found = select_tests_of_edits(snapshot_of({**FILES, "shop.py": last}), (diff,), lambda _: middle, runs)
    assert set(_ids(found)) == {"test_total", "test_label", "test_other"}


def test_what_stands_outside_of_functions_counts_for_all_tests_of_its_file(snapshot: Snapshot, runs: TestRuns) -> None:
    after, _ = _edited(snapshot, "LIMIT = 3", "LIMIT = 4")
    assert outdated_tests(runs, after) == 0b111
    moved, _ = _edited(snapshot, "LIMIT = 3\n", "\n\nLIMIT = 3   \n")
    assert outdated_tests(runs, moved) == 0


def test_what_ran_while_modules_were_imported_leads_to_importers_too(snapshot: Snapshot) -> None:
    found = select_tests(
        snapshot,
        (one_symbol(snapshot, "shop:other"),),
        runs=TestRunMatch(_record(snapshot, early="other"), snapshot),
    )
    assert _ids(found) == {"test_other": "certain"}
    assert found.count("import") == 2


def test_of_two_ways_to_a_test_the_surer_one_counts(snapshot: Snapshot) -> None:
    runs = _record(snapshot, ("test_total", "test_label"), early="serve")
    after, diff = _edited(snapshot, "    return other() if", "    return 3 * other() if")
    match = TestRunMatch(runs, after, (snapshot, {diff.path}))
    text = TESTS.replace("def test_other():\n", "def test_other():\n    serve(other)\n")
    more = snapshot_of({"shop.py": after.text(diff.path) or b"", "tests/test_shop.py": text})
    match = TestRunMatch(runs, more, (snapshot, {diff.path}))
    found = select_tests(more, (one_symbol(more, "shop:serve"),), runs=match)
    assert _ids(found)["test_other"] == "certain"  # the record alone says that it imports the module


def test_where_the_graph_does_not_end_tests_that_are_not_decided_run(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphls.queries.way_to_tests.MOST_RUNNING", 2)
    found = _of(snapshot, "shop:Shop.label", _record(snapshot, ("test_label", "test_other")))
    assert found == {"test_label": "certain", "test_total": "unresolved"}


def test_a_record_is_read_as_it_is_written(runs: TestRuns) -> None:
    text = text_of_runs(runs)
    assert runs_of_text(text.encode()) == runs
    assert text_of_runs(runs_of_text(text.encode())) == text
    assert is_own_output(text.encode())  # what it names is no use of it


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no JSON"),
        ("[]", '"format" has to be'),
        (json.dumps({**HEAD, "version": 9}), "version is 9"),
        (
            json.dumps(
                {"format": "graphls test runs", "version": 1, "files": {"a.py": {"functions": {"f": ["d", "x"]}}}}
            ),
            "f in a.py is no digest with a number",
        ),
    ],
)
def test_a_record_of_another_form_is_refused(text: str, why: str) -> None:
    with pytest.raises(TestRunsRefused, match=why):
        runs_of_text(text.encode())


def test_a_part_of_the_tests_joins_what_was_recorded_of_the_others(snapshot: Snapshot) -> None:
    before, after = _record(snapshot, ("test_total", "test_label")), _record(snapshot, ("test_other",))
    both = joined_runs(before, after, 0, {f"{OWN}test_other"})
    assert set(both.tests) == {f"{OWN}{name}" for name in RAN}
    for symbol in ("shop:serve", "shop:other", "shop:Shop.total"):
        assert _of(snapshot, symbol, both) == _of(snapshot, symbol, _record(snapshot))
    # What changed since, and what was run and not recorded again, is not known any more.
    assert joined_runs(before, after, 0b1, {f"{OWN}test_other"}).tests == (f"{OWN}test_other", f"{OWN}test_label")
    assert joined_runs(before, after, 0, {f"{OWN}test_label"}).tests == (f"{OWN}test_other", f"{OWN}test_total")
