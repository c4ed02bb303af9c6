"""What files export: edges from modules, records that agree with them."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import is_structure
from graphls.graph.edges import edges_from, edges_of, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.node_records import FileNodes
from graphls.graph.snapshot import SymbolRef
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

SAMPLES = {
    "a list of exports": (
        {"p/__init__.py": "from .c import run\n__all__ = ['run', 'own']\ndef own(): ...\ndef hidden(): ...\n",
         "p/c.py": "def run(): ...\ndef _not(): ...\nclass T:\n    def m(self): ...\n"},
        {"p": {"p:run", "p.c:run", "p:own"}, "p.c": {"p.c:run", "p.c:T"}},
    ),
    "words": (
        {"a.ts": "export function one() {}\nfunction no() {}\nconst two = 2\nexport { two as zwei }\n"
                 "export default class {}\n",
         "b.ts": "export { one } from './a'\nexport * as ns from './a'\n"},
        {"a.ts": {"a.ts:one", "a.ts:two", "a.ts:zwei", "a.ts:default"}, "b.ts": {"b.ts:one", "b.ts:ns"}},
    ),
    "capitals": ({"m.go": "package m\nfunc Pub() {}\nfunc priv() {}\n"}, {"m.go": {"m.go:Pub"}}),
    "pub": (
        {"src/lib.rs": "#[derive(Debug)]\npub struct Open;\nfn shut() {}\npub(crate) fn own() {}\n"
                       "pub use crate::Open as Other;\n"},
        {"src/lib.rs": {"src/lib.rs:Open", "src/lib.rs:Other"}},
    ),
    "a namespace without a name": (
        {"a.cpp": "namespace {\nint hidden() { return 1; }\nnamespace deep { int far() { return 2; } }\n}\n"
                  "namespace named { int shown() { return 1; }\nnamespace { int veiled; } }\nint open();\n",
         "a.hpp": "namespace {\ninline int seen() { return 1; }\n}\n"},
        {"a.cpp": {"a.cpp:named", "a.cpp:named.shown", "a.cpp:open"}, "a.hpp": {"a.hpp:seen"}},
    ),
    "public in a namespace": (
        {"A.cs": "namespace N {\n  public class Open {}\n  class Own {}\n}\n"},
        {"A.cs": {"A.cs:N", "A.cs:N.Open"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "exported"), SAMPLES.values(), ids=SAMPLES)
def test_a_module_exports_what_it_offers_and_records_agree(
    files: dict[str, str], exported: dict[str, set[str]]
) -> None:
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    for path in map(FilePath, files):
        edges = [edge for edge in edges_from(snapshot, path) if edge.kind == "exports"]
        said = {symbol_name(snapshot, edge.target) for edge in edges if isinstance(edge.target, SymbolRef)}
        assert said == exported[symbol_name(snapshot, SymbolRef(path, -1))]
        module = [edge for edge in edges_of(snapshot, SymbolRef(path, -1)) if edge.kind == "exports"]
        assert {edge.target for edge in module} == {edge.target for edge in edges}
        for edge in edges:
            assert isinstance(edge.target, SymbolRef)
            assert edge.target in [one.target for one in edges_to(snapshot, edge.target) if one.kind == "exports"]
            if edge.target.file == path and not edge.sites:
                assert FileNodes(snapshot, path).node(edge.target.definition).exported


def test_what_a_module_exports_does_not_affect_it() -> None:
    snapshot = snapshot_of({"a.ts": b"export function one() {}\n"})
    place = one_symbol(snapshot, "a.ts:one")
    assert isinstance(place, SymbolRef)
    found = impact(snapshot, ImpactQuery(place))
    assert not found.affected
    assert not found.importers
    (edge,) = [one for one in edges_to(snapshot, place) if one.kind == "exports"]
    assert is_structure(edge)


def test_what_has_no_name_is_no_export() -> None:
    """Half a declaration has a signature without a name: exports of such a file ended with a fault."""
    path = FilePath("a.swift")
    snapshot = snapshot_of({path: b"public func pay() {}\nextension : Proto where { func f( -> }\nlet "})
    said = [symbol_name(snapshot, one.target) for one in edges_from(snapshot, path) if one.kind == "exports"
            and isinstance(one.target, SymbolRef)]  # fmt: skip
    assert said == ["a.swift:pay"]
