"""A method that leaves a class to its package, or is private, is overridden in no other."""

from __future__ import annotations

from graphls.graph.edges import edges_from
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.session.memory import snapshot_of

FILES = {
    "p/Base.java": "package p;\npublic class Base { void near() {} protected void open() {} private void own() {} }\n"
    "class Beside extends Base { void near() {} void own() {} }\n",
    "q/Sub.java": "package q;\nclass Sub extends p.Base { void near() {} protected void open() {} void own() {} }\n",
}


def test_what_is_overridden() -> None:
    snapshot = snapshot_of(FILES)
    found = {
        (symbol_name(snapshot, edge.source), symbol_name(snapshot, edge.target))
        for path in snapshot.shards
        for edge in edges_from(snapshot, path)
        if edge.kind == "overrides" and isinstance(edge.source, SymbolRef) and isinstance(edge.target, SymbolRef)
    }
    assert found == {
        ("p/Base.java:Beside.near", "p/Base.java:Base.near"),
        ("q/Sub.java:Sub.open", "p/Base.java:Base.open"),
    }
