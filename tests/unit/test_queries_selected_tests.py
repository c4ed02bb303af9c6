"""Which tests may execute a change, in the ids of their runner, and how sure that is."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries import way_to_tests
from graphls.queries.changed import FileDiff
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.tests_to_run import TestSelection, select_tests, select_tests_of_edits
from graphls.session.memory import snapshot_of

PYTHON = """
    --- path: shop.py ---
    import functools
    from plugin import registry
    class Store:
        def __init__(self, rows):
            self.rows = rows
        def __len__(self):
            return len(self.rows)
        def put(self, row):
            return check(row)
        def unused(self):
            return helper()
    class Disk(Store):
        def put(self, row):
            return write(row)
    def check(row): return clean(row)
    def clean(row): return row
    def write(row): return row
    def helper(): return 1
    def lonely(): return 2
    def at_import(): return {}
    TABLE = at_import()
    def lookup(name): return TABLE[name]
    def held(row): return row
    registry.add(held)
    def timed(function):
        @functools.wraps(function)
        def wrapper(*given):
            return function(*given)
        return wrapper
    @timed
    def decorated(): return 3
    --- path: plugin.py ---
    class Registry:
        def add(self, one): ...
    registry = Registry()
    --- path: tests/conftest.py ---
    import pytest
    from shop import Store, helper
    @pytest.fixture
    def store():
        return Store([])
    @pytest.fixture(autouse=True)
    def around():
        yield
    --- path: tests/test_shop.py ---
    import unittest
    import pytest
    from shop import Disk, Store, check, decorated, lookup
    def test_certain():
        check(1)
    def test_fixture(store):
        store.put(1)
    def test_disk():
        Disk([]).put(1)
    def test_unknown(thing):
        Store([])
        thing.put(1)
    def test_without_instance(thing):
        thing.put(1)
    @pytest.mark.parametrize("call", [lookup])
    def test_given(call):
        call("a")
    def test_decorated():
        decorated()
    class TestBase:
        def test_inherited(self):
            self.made().put(1)
        def made(self):
            return Store([])
    class TestBelow(TestBase):
        pass
    class TestOld(unittest.TestCase):
        def setUp(self):
            Store([]).put(1)
        def test_after_set_up(self): ...
    --- path: tests/test_other.py ---
    def test_elsewhere():
        pass
"""
SHOP = "tests/test_shop.py::"
CASES = [
    ("shop:check", {
        "test_certain": "certain", "test_unknown": "unresolved", "TestBase::test_inherited": "possible",
        "test_fixture": "possible", "TestBelow::test_inherited": "possible", "TestOld::test_after_set_up": "certain",
    }),
    ("shop:write", {"test_disk": "certain"}),
    ("shop:TABLE", {"test_given": "certain"}),
    ("shop:at_import", {"test_given": "certain"}),
    ("shop:timed", {"test_decorated": "certain"}),
    ("shop:timed.wrapper", {"test_decorated": "certain"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """The shop."""
    return snapshot_of(dict(fixture(PYTHON).files))


def _ids(found: TestSelection) -> dict[str, str]:
    return {one.removeprefix(SHOP): test.certainty for test in found.running for one in test.ids}


@pytest.mark.parametrize(("symbol", "wanted"), CASES)
def test_tests_that_may_run_a_symbol(snapshot: Snapshot, symbol: str, wanted: dict[str, str]) -> None:
    assert _ids(select_tests(snapshot, (one_symbol(snapshot, symbol),))) == wanted


def test_a_test_that_only_imports_is_counted_apart(snapshot: Snapshot) -> None:
    found = select_tests(snapshot, (one_symbol(snapshot, "shop:at_import"),))
    assert found.count("import") > 1
    assert all(test.certainty != "import" for test in found.running)


def test_what_nothing_uses_is_run_by_whoever_imports_it(snapshot: Snapshot) -> None:
    found = _ids(select_tests(snapshot, (one_symbol(snapshot, "shop:lonely"),)))
    assert set(found.values()) == {"unresolved"}
    assert "test_certain" in found


def test_edits_of_what_no_language_reads_may_meet_any_test(snapshot: Snapshot) -> None:
    edits = (FileDiff(FilePath("data.bin"), "modified", None, b"1"), FileDiff(FilePath("docs/a.bin"), "modified"))
    assert select_tests_of_edits(snapshot, edits, lambda _: snapshot).whole == ("data.bin: not in the graph",)


def test_a_test_that_changed_runs(snapshot: Snapshot) -> None:
    assert _ids(select_tests(snapshot, (one_symbol(snapshot, "tests.test_shop:test_certain"),))) == {
        "test_certain": "certain"
    }


@pytest.mark.parametrize("bound", ["MOST_NAMING", "MOST_RUNNING"])
def test_of_what_too_much_runs_all_tests_are_to_run(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    users = "".join(f"def u{number}(): return hub()\n" for number in range(30))
    tests = "".join(f"def test_{number}():\n    u{number}()\n" for number in range(30))
    files = {"app.py": f"def hub(): ...\n{users}def one(): ...\n"}
    files["test_app.py"] = f"from app import *\n{tests}def test_one():\n    one()\n"
    whole = snapshot_of(files)
    every = _ids(select_tests(whole, (one_symbol(whole, "app:hub"),)))
    assert len(every) == 30
    monkeypatch.setattr(way_to_tests, bound, 40)
    found = select_tests(whole, (one_symbol(whole, "app:hub"),))
    assert found.whole == ("what more than 40 symbols may run",)
    assert found.coverage.truncated
    assert 0 < len(_ids(found)) <= len(every)
    assert _ids(found).items() <= every.items()
    few = select_tests(whole, (one_symbol(whole, "app:one"),))
    assert not few.whole
    assert list(_ids(few)) == ["test_app.py::test_one"]


def test_of_what_too_much_may_run_by_its_name_the_tests_until_then_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = "".join(f"def test_{number}(thing):\n    thing.hub()\n" for number in range(30))
    whole = snapshot_of(
        {"app.py": "class App:\n    def hub(self): ...\n", "test_app.py": f"from app import *\nApp()\n{tests}"}
    )
    monkeypatch.setattr(way_to_tests, "MOST_RUNNING", 20)
    found = select_tests(whole, (one_symbol(whole, "app:App.hub"),))
    assert found.whole
    assert found.count("unresolved") > 10


def test_suites_whose_classes_are_written_small_are_tests() -> None:
    """As those of celery and kombu, which say so in their settings of pytest."""
    whole = snapshot_of({
        "app.py": "def hub(): ...\n",
        "t/test_app.py": "import app\nclass test_hub:\n    def test_it(self):\n        app.hub()\n",
        "t/other.py": "import app\nclass test_hub:\n    def test_it(self):\n        app.hub()\n",
    })  # fmt: skip
    assert _ids(select_tests(whole, (one_symbol(whole, "app:hub"),))) == {"t/test_app.py::test_hub::test_it": "certain"}
