"""Every site that a change of a symbol has to edit: which, in what order, how sure."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.queries.change_plan import Change, change_plan
from graphls.queries.change_plan_view import ChangePlanView, change_plan_view
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

PYTHON = """
    --- path: shop/__init__.py ---
    from shop.store import Store, load
    __all__ = ["Store", "load"]
    --- path: shop/store.py ---
    class Store:
        def __init__(self, name):
            self.name = name
        def put(self, row):
            pass
    class Disk(Store):
        def put(self, row):
            super().put(row)
    class Other:
        def put(self, row):
            pass
    def load(name):
        return Store(name)
    --- path: shop/use.py ---
    import shop.store
    from shop.store import Disk, load as read
    def run(anything):
        Disk("x").put(1)
        shop.store.load("y")
        read("z")
        anything.put(2)
    later = map(read, ["a"])
    --- path: tests/test_store.py ---
    from shop import load
    def test_load():
        assert load("n")
"""
TYPESCRIPT = """
    --- path: store.ts ---
    export interface Store { put(row: string): void }
    export class Disk implements Store { put(row: string): void {} }
    export function load(name: string): Store { return new Disk() }
    --- path: use.tsx ---
    import { load as read, Disk } from "./store"
    export function Row(props: { name: string }) { return <b>{props.name}</b> }
    export function run() {
        read("x").put("y")
        new Disk().put("z")
        return <Row name="n" />
    }
"""


def planned(text: str, symbol: str, change: Change) -> ChangePlanView:
    snapshot = snapshot_of(fixture(text).files)
    plan = change_plan(snapshot, one_symbol(snapshot, symbol), change)
    return change_plan_view(snapshot, Presenter(snapshot), plan)


def told(view: ChangePlanView) -> list[str]:
    return [f"{site.file}:{site.line}{'' if site.certain else f' ({site.why})'}" for site in view.sites]


STORE = "shop/store.py"
HANDED_ON = "shop/use.py:8 (handed on as a value)"
CASES: tuple[tuple[str, str, Change, list[str]], ...] = (
    (
        PYTHON,
        "shop.store:load",
        "signature",
        [
            f"{STORE}:12",
            "shop/use.py:5",
            "shop/use.py:6",
            "shop/use.py:8 (handed on as a value)",
            "tests/test_store.py:3",
        ],
    ),
    # What was imported under another name keeps it.
    (
        PYTHON,
        "shop.store:load",
        "rename",
        [
            f"{STORE}:12",
            "shop/__init__.py:1",
            "shop/__init__.py:2",
            "shop/use.py:2",
            "shop/use.py:5",
            "tests/test_store.py:1",
            "tests/test_store.py:3",
        ],
    ),
    (
        PYTHON,
        "shop.store:load",
        "move",
        [
            f"{STORE}:12",
            "shop/__init__.py:1",
            "shop/__init__.py:2",
            "shop/use.py:2",
            "shop/use.py:5",
            "tests/test_store.py:1",
        ],
    ),
    # Who overrides it and who calls these change along; what is called so elsewhere does not.
    (PYTHON, "shop.store:Store.put", "signature", [f"{STORE}:4", f"{STORE}:7", f"{STORE}:8", "shop/use.py:4"]),
    # A class below inherits the constructor.
    (PYTHON, "shop.store:Store.__init__", "signature", [f"{STORE}:2", f"{STORE}:13", "shop/use.py:4"]),
    (PYTHON, "shop.store:Store", "signature", [f"{STORE}:1", f"{STORE}:2", f"{STORE}:13", "shop/use.py:4"]),
    (TYPESCRIPT, "store.ts:load", "signature", ["store.ts:3", "use.tsx:4"]),
    (TYPESCRIPT, "store.ts:load", "rename", ["store.ts:3", "use.tsx:1"]),
    (TYPESCRIPT, "store.ts:Store.put", "rename", ["store.ts:1", "store.ts:2", "use.tsx:4", "use.tsx:5"]),
    (TYPESCRIPT, "use.tsx:Row", "signature", ["use.tsx:2", "use.tsx:6"]),
)


@pytest.mark.parametrize(("text", "symbol", "change", "expected"), CASES)
def test_every_site_in_order(text: str, symbol: str, change: Change, expected: list[str]) -> None:
    assert told(planned(text, symbol, change)) == expected


def test_uses_of_unknown_receivers_are_counted_apart() -> None:
    snapshot = snapshot_of(fixture(PYTHON).files)
    plan = change_plan(snapshot, one_symbol(snapshot, "shop.store:Store.put"), "signature")
    assert plan.coverage.unresolved_sites == 1
    assert ("shop/use.py", 7) not in {(site.file, site.start) for site in plan.sites}


def test_what_else_is_called_so_is_named_apart() -> None:
    text = PYTHON + "    --- path: copy/store.py ---\n    def load(name):\n        return name\n"
    plan = planned(text, "shop.store:load", "signature")
    assert [(one.file, one.line) for one in plan.namesakes] == [("copy/store.py", 1)]
    assert "copy/store.py:1" not in told(plan)
    assert planned(text, "shop.store:Store.put", "signature").namesakes == ()


def test_a_class_that_goes_takes_the_uses_of_its_members() -> None:
    sites = told(planned(PYTHON, "shop.store:Disk", "delete"))
    assert "shop/use.py:4" in sites
    plan = planned(PYTHON, "shop.store:load", "delete")
    assert [(one.file, one.tests) for one in plan.tests] == [("tests/test_store.py", 1)]
    assert (plan.certain, plan.possible, plan.files) == (len(plan.sites), 0, 4)
