"""Generators of Python that others give back: they run where what they gave is entered or drawn from.

Owns: samples of both, through functions of other files.
Must not know: formats, editors.
Invariant: what the file that runs them says is what one finds who asks who runs them.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.session.memory import snapshot_of

USE = FilePath("use.py")
FILES = {
    "first.py": "import contextlib\n@contextlib.contextmanager\ndef deep():\n    yield 1\n"
    "def drawn():\n    yield 1\ndef plain():\n    return drawn()\n",
    "second.py": "from first import deep as other, plain\ndef opened():\n    return other()\n"
    "def many():\n    if 1:\n        return plain()\n    return []\n",
}
SAMPLES = {
    "with opened() as x: pass": {"deep with"},
    "made = opened()\n    with made: pass": {"deep with"},
    "for x in many(): pass": {"drawn for"},
    "list(many())": {"drawn builtin"},
    "next(many())": {"drawn builtin"},
    "yield from many()": {"drawn for"},
    "opened(); many()": set[str](),
    "with many(): pass": set[str](),
    "len(many())": set[str](),
}


@pytest.mark.parametrize("body", SAMPLES)
def test_generators_run_where_they_are_entered_and_drawn_from(body: str) -> None:
    text = f"from second import opened, many\ndef use():\n    {body}\n"
    snapshot = snapshot_of({**FILES, "use.py": text})
    found: dict[str, RawEdge] = {}
    for edge in edges_from(snapshot, USE):
        if "implicit" in edge.attributes and isinstance(edge.target, SymbolRef):
            name = symbol_name(snapshot, edge.target).removeprefix("first:")
            found[f"{name} {edge.attributes['implicit']}"] = edge
    assert found.keys() == SAMPLES[body]
    for edge in found.values():
        assert isinstance(edge.target, SymbolRef)
        assert edge.confidence < 0.95
        fresh = snapshot_of({**FILES, "use.py": text})
        assert edge.sites in [other.sites for other in edges_to(fresh, edge.target) if other.source == edge.source]
