"""Certainty of calls in Python: what runs for sure, and what is one of several or may not run at all.

Owns: samples in which a named or an implicit call leads to what another object, another arm or nobody runs.
Must not know: formats, editors.
Invariant: an edge that the code may never take is possible.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.session.memory import snapshot_of

USE = FilePath("use.py")
MADE = """from collections.abc import Callable
from enum import IntEnum
from typing import Any, Protocol, overload
class Made:
    def __call__(self): ...
    def __getattr__(self, name): ...
class Keyed:
    def __getitem__(self, key): ...
    def __iter__(self): ...
    def keys(self): ...
class Called(Protocol):
    def __call__(self) -> int: ...
class Code(IntEnum):
    def __new__(cls, value): ...
    OK = 200
@overload
def made(name: Callable[..., Any]) -> Made: ...
@overload
def made(name: str | None = None, **rest: Any) -> Callable[[Callable[..., Any]], Made]: ...
def made(name=None, **rest): ...
"""
SURE = {
    "def use(one: Made): one()": "Made.__call__",
    "def use(one: Made | None): one()": "Made.__call__",
    "def use(one: Keyed): dict(one)": "Keyed.keys",
    "def use(one: Keyed): {} | dict(one)": "Keyed.__getitem__",
}
POSSIBLE = {
    "def use(one: Made | Callable[..., int]): one()": "Made.__call__",
    "def use(one: Made | type[Code]): one()": "Made.__call__",
    "def use(one: Called): one()": "Called.__call__",
    "def use(*given): made(*given)(use)": "Made.__call__",
    "def use(one: Made): one.set_by_others": "Made.__getattr__",
}
NEVER = {
    "def use(): Code(200)": "Code.__new__",
    "def use(one: Keyed): dict(one)": "Keyed.__iter__",
}


def called(text: str) -> dict[str, RawEdge]:
    snapshot = snapshot_of({"m.py": MADE, "use.py": f"from m import *\nfrom collections.abc import Callable\n{text}\n"})
    edges = [edge for edge in edges_from(snapshot, USE) if edge.kind == "calls" and isinstance(edge.target, SymbolRef)]
    return {symbol_name(snapshot, edge.target).removeprefix("m:"): edge for edge in edges}  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "target"), SURE.items())
def test_what_nothing_else_can_be_is_certain(text: str, target: str) -> None:
    assert called(text)[target].confidence >= 0.95


@pytest.mark.parametrize(("text", "target"), POSSIBLE.items())
def test_what_may_be_another_is_possible(text: str, target: str) -> None:
    assert called(text)[target].confidence < 0.95


@pytest.mark.parametrize(("text", "target"), NEVER.items())
def test_what_never_runs_is_no_call(text: str, target: str) -> None:
    assert target not in called(text)


def test_what_decorators_in_a_function_call_is_called_by_it() -> None:
    text = "def use():\n    @made(Code(200), Keyed())\n    def inner(): ...\n@made(Keyed())\ndef outer(): ...\n"
    snapshot = snapshot_of({"m.py": MADE, "use.py": f"from m import *\n{text}"})
    made = [edge for edge in edges_from(snapshot, USE) if edge.kind == "instantiates"]
    ends = {(symbol_name(snapshot, one.source), symbol_name(snapshot, one.target)) for one in made}  # type: ignore[arg-type]
    assert ends == {("use:use", "m:Keyed"), ("use:use", "m:Code"), ("use:outer", "m:Keyed")}
