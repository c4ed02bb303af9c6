"""What a change takes from importers of a module: names that are gone, hidden, or no longer given on."""

from __future__ import annotations

from functools import partial

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.changed import ChangesQuery, FileDiff, changed_impact
from graphls.queries.reexports import reexported_names
from graphls.queries.symbol_deltas import symbol_deltas
from graphls.session.change_findings import change_findings
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

SCRIPT = {
    "a.ts": "export function alpha() {}\nexport function beta() {}\n", "all.ts": "export * from './a'\n",
    "some.ts": "export { alpha, beta as last } from './a'\n",
    "use.ts": "import { alpha, beta } from './all'\nimport { last } from './some'\nalpha(); beta(); last()\n",
}  # fmt: skip
PYTHON = {
    "pk/a.py": "__all__ = ['alpha', 'beta']\ndef alpha(): ...\ndef beta(): ...\n",
    "pk/__init__.py": "from .a import *\n", "use.py": "from pk import alpha, beta\nalpha()\nbeta()\n",
}  # fmt: skip


def drifts(files: dict[str, str], path: str, text: str) -> list[tuple[str, str]]:
    """What is said of an edit of one file: priority, title."""
    before, after = snapshot_of(files), snapshot_of({**files, path: text})
    edit = FileDiff(FilePath(path), "modified", None, files[path].encode(), text.encode())
    answered = changed_impact(after, [edit], ChangesQuery(), lambda _: before)
    found = change_findings(after, Settings(), symbol_deltas(before, after, answered), answered)
    return [(one.priority, one.title) for one in found]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("all.ts", "export { alpha } from './a'\n", [("P2", "all.ts:beta is no longer exported from there")]),
        ("all.ts", "export { alpha, beta } from './a'\n", []),
        ("some.ts", "export { alpha } from './a'\n", [("P2", "some.ts:last is no longer exported from there")]),
        ("some.ts", "export { beta as last } from './a'\n", [("P3", "some.ts:alpha is no longer exported from there")]),
        (
            "a.ts", "export function alpha() {}\nfunction beta() {}\n", [("P2", "a.ts:beta is no longer exported")],
        ),
        ("a.ts", "export function alpha() {}\nfunction beta() {}\nexport { beta }\n", []),
    ],
)  # fmt: skip
def test_names_that_modules_no_longer_export(path: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert drifts(SCRIPT, path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("pk/__init__.py", "from .a import alpha\n", [("P2", "pk:beta is no longer exported from there")]),
        ("pk/__init__.py", "from .a import alpha, beta\n", []),
        ("pk/a.py", PYTHON["pk/a.py"].replace(", 'beta'", ""), [("P2", "pk.a:beta is no longer exported")]),
    ],
)
def test_names_that_packages_no_longer_have(path: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert drifts(PYTHON, path, text) == expected


def test_what_a_module_gives_on() -> None:
    names = partial(
        reexported_names, snapshot_of({**SCRIPT, "more.ts": "export * from './all'\nexport * from './some'\n"})
    )
    assert names(FilePath("all.ts")) == {"alpha", "beta"}
    assert names(FilePath("some.ts")) == {"alpha", "last"}
    assert names(FilePath("more.ts")) == {"alpha", "beta", "last"}
    assert names(FilePath("use.ts")) == set()


def test_members_go_with_their_class() -> None:
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": "class Cart:\n    def pay(self): ...\n\n    def drop(self): ...\n",
        "shop/use.py": "from shop.cart import Cart\n\nCart().pay()\n",
        "shop/new.py": "class Cart: ...\n",
    }
    assert drifts(files, "shop/cart.py", "x = 1\n") == [("P2", "shop.cart:Cart is gone")]
    moved = drifts(files, "shop/cart.py", "from shop.new import Cart\n")
    assert moved == [("P3", "shop.cart:Cart is no longer exported")]
    left = "class Cart:\n    def drop(self): ...\n"
    assert drifts(files, "shop/cart.py", left) == [("P2", "shop.cart:Cart.pay is gone")]
