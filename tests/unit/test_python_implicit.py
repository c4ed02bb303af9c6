"""Implicit calls of Python: constructs that run methods without naming them.

Owns: samples of constructs with the edges they must give, and those that must give none.
Must not know: formats, editors.
Invariant: what one place is asked for agrees with what the whole file says; uses of names stay what they were.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

METHODS = [
    "enter", "exit", "aenter", "aexit", "iter", "getitem", "setitem", "delitem", "contains", "len", "bool", "add",
    "radd", "iadd", "eq", "lt", "gt", "neg", "call", "repr", "str", "format", "await", "hash", "int",
]  # fmt: skip
BOX = "class Box:\n" + "".join(f"    def __{name}__(self, *rest): return It()\n" for name in METHODS)
ITERATOR = "class It:\n    def __next__(self): ...\nclass Plain: ...\nclass Sized:\n    def __len__(self): return 1\n"
HEAD = "from m import Box, Plain, Sized\n"

SAMPLES = {
    "with box: pass": {"__enter__ with", "__exit__ with"},
    "with box as b: pass": {"__enter__ with", "__exit__ with"},
    "for one in box: pass": {"__iter__ for", "It.__next__ for"},
    "[one for one in box]": {"__iter__ for", "It.__next__ for"},
    "a, b = box": {"__iter__ unpack", "It.__next__ unpack"},
    "print(*box)": {"__iter__ unpack", "It.__next__ unpack"},
    "box[1]": {"__getitem__ subscript"},
    "box[1] = 2": {"__setitem__ set_item"},
    "del box[1]": {"__delitem__ delete_item"},
    "box[1] += 2": {"__getitem__ subscript", "__setitem__ set_item"},
    "1 in box": {"__contains__ contains"},
    "if box: pass": {"__bool__ truth"},
    "not box": {"__bool__ truth"},
    "if sized: pass": {"Sized.__len__ truth"},
    "return 1 or box": set[str](),
    "box + 1": {"__add__ operator"},
    "1 + box": {"__radd__ operator"},
    "box += other": {"__iadd__ operator"},
    "box == 1": {"__eq__ operator"},
    "1 > box": {"__lt__ operator"},
    "box is 1": set[str](),
    "-box": {"__neg__ operator"},
    "box()": {"__call__ call"},
    "f'{box}'": {"__format__ format"},
    "f'{box!r}'": {"__repr__ format"},
    "f'{box!s}'": {"__str__ format"},
    "str(box)": {"__str__ builtin"},
    "len(box)": {"__len__ builtin"},
    "plain[1]; len(plain); plain + plain": set[str](),
    "unknown[1]; len(unknown); unknown + unknown": set[str](),
}


def samples(body: str) -> Snapshot:
    text = f"{HEAD}def use(box: Box, plain: Plain, sized: Sized, other: Box, unknown):\n    {body}\n"
    return snapshot_of({"m.py": BOX + ITERATOR, "use.py": text})


def spelled(snapshot: Snapshot, edge: RawEdge) -> str:
    assert isinstance(edge.target, SymbolRef)
    return f"{symbol_name(snapshot, edge.target).removeprefix('m:').removeprefix('Box.')} {edge.attributes['implicit']}"


def implicit(snapshot: Snapshot) -> dict[str, RawEdge]:
    found = [edge for edge in edges_from(snapshot, FilePath("use.py")) if "implicit" in edge.attributes]
    return {spelled(snapshot, edge): edge for edge in found}


@pytest.mark.parametrize("body", SAMPLES)
def test_constructs_call_the_methods_of_the_class(body: str) -> None:
    snapshot = samples(body)
    found = implicit(snapshot)
    assert found.keys() == SAMPLES[body]
    for edge in found.values():
        assert edge.kind == "calls"
        assert symbol_name(snapshot, edge.source) == "use:use"  # type: ignore[arg-type]
        assert isinstance(edge.target, SymbolRef)
        assert edge.sites in [other.sites for other in edges_to(snapshot, edge.target) if other.source == edge.source]


def test_a_name_says_it_before_a_construct_does() -> None:
    snapshot = samples("box.__enter__()\n    with box: pass")
    assert implicit(snapshot).keys() == {"__exit__ with"}


def test_references_are_uses_of_names() -> None:
    snapshot = samples("with box: pass")
    place = one_symbol(snapshot, "m.Box.__enter__")
    assert isinstance(place, SymbolRef)
    assert {use.file for use in references(snapshot, place).uses} <= {"m.py"}
