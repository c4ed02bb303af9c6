"""Broken uses: lines that led somewhere before an edit and lead nowhere now."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.broken_uses import broken_uses
from graphls.queries.changed import FileDiff, removed_names
from graphls.session.memory import snapshot_of

_CART = "class Cart:\n    def total(self):\n        return 1\n\n    def size(self):\n        return self.total()\n"
_SHOP = """\
from cart import Cart

def known(cart: Cart):
    return cart.total()

def unknown(cart):
    return cart.total()

def other():
    return total()
"""
_VIEW = """\
export class Cart { total(): number { return 1; } size(): number { return this.total(); } }
export function present(user: any) {
  const data = { id: user.id, name: user.name };
  return user.next ? present(user.next) : data;
}
"""
_PAGE = """\
import { Cart, present } from "./view";
export const known = (cart: Cart) => cart.total();
export const unknown = (cart: any) => cart.total() + cart.id;
export const shown = present({});
"""
CASES = {
    "a method": ({"cart.py": _CART, "shop.py": _SHOP}, "cart.py", ("def total", "def sum"), ["cart.py:6", "shop.py:4"]),
    "a class": (
        {"cart.py": _CART, "shop.py": _SHOP}, "cart.py", ("class Cart", "class Basket"),
        ["shop.py:1", "shop.py:3", "shop.py:4"],
    ),
    "what was open before": ({"cart.py": _CART, "shop.py": _SHOP}, "cart.py", ("def size", "def count"), []),
    "a method in TypeScript": ({"view.ts": _VIEW, "page.ts": _PAGE}, "view.ts", ("total():", "sum():"), ["page.ts:2"]),
    "a function with an object": (
        {"view.ts": _VIEW, "page.ts": _PAGE}, "view.ts", ("function present", "function show"),
        ["page.ts:1", "page.ts:4", "view.ts:4"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_lines_that_led_to_what_is_gone(case: str) -> None:
    files, path, (old, new), expected = CASES[case]
    before, edits = snapshot_of(files), [FileDiff(FilePath(path), "modified", None, files[path].encode())]
    # A line more in front: lines of now are not those of before.
    note = "# A note.\n" if path.endswith(".py") else "// A note.\n"
    now = snapshot_of({**files, path: note + files[path].replace(old, new)})
    removed = removed_names(now, edits)
    assert not any(name.qualified.startswith("present.") for name in removed)
    found = broken_uses(lambda: before, now, edits, removed)
    lines = {f"{one.file}:{one.line - (one.file == path)}" for one in found}
    assert sorted(lines) == expected
    assert broken_uses(lambda: before, before, [], ()) == ()
