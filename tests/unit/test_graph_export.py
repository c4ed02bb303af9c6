"""Export: what is written, in which order, and what is refused.

Owns: goldens of exported workspaces, the properties that every export has.
Must not know: how facts and links come about.
Invariant: a golden is what a reader of the file gets; it is rewritten with --update-goldens and reviewed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, node_row
from graphls.graph.errors import BadRequest, NotInGraph
from graphls.graph.export import ExportOptions, ExportRefused, export
from graphls.graph.identity import end_name
from graphls.graph.records import EDGE_KINDS, NODE_KINDS, Edge, Header, Node, Opaque
from graphls.graph.schema import json_schema
from graphls.graph.scope import Scope
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.wire import RecordError, dumped, from_wire, line_of, record_of, to_wire
from graphls.session.memory import snapshot_of

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "python" / "export"
LOOSE = ExportOptions(mode="allow-errors")
FULL = ExportOptions(mode="allow-errors", sites=True, locals=True)


def workspace(case: str) -> Snapshot:
    root = CASES / case
    files = {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.suffix in (".py", ".toml")
    }
    return snapshot_of(files, name=case)


def text(snapshot: Snapshot, options: ExportOptions = LOOSE) -> bytes:
    return b"".join(export(snapshot, options).lines())


@pytest.mark.parametrize("case", ["shop", "broken"])
def test_every_line_fits_the_schema_and_comes_back(case: str) -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    for line in export(workspace(case), FULL).lines():
        fields = json.loads(line)
        validator.validate(fields)  # pyright: ignore[reportUnknownMemberType]
        record = record_of(line)
        assert not isinstance(record, Opaque)
        assert line.decode() == line_of(record) + "\n" == dumped(to_wire(record)) + "\n"
        assert list(fields) == list(to_wire(record))


@pytest.mark.parametrize("options", [LOOSE, FULL])
def test_order_and_references(options: ExportOptions) -> None:
    header, *records = export(workspace("shop"), options).records()
    assert isinstance(header, Header)
    nodes = [record for record in records if isinstance(record, Node)]
    edges = [record for record in records if isinstance(record, Edge)]
    assert len({node.id for node in nodes}) == len(nodes) == header.counts.nodes
    assert len({edge.id for edge in edges}) == len(edges) == header.counts.edges
    assert nodes == sorted(nodes, key=lambda n: (n.file or "", n.range[:2] if n.range else (0, 0), n.kind, n.id))
    assert edges == sorted(edges, key=lambda e: (e.source, e.kind, e.target))
    known = {node.id for node in nodes}
    assert all(edge.source in known and edge.target in known for edge in edges)
    assert {node.kind for node in nodes} <= set(NODE_KINDS)
    assert {edge.kind for edge in edges} <= set(EDGE_KINDS)


def test_diagnostics_come_last_and_point_at_their_owner() -> None:
    header, *records = export(workspace("broken"), LOOSE).records()
    assert isinstance(header, Header)
    assert header.degraded
    assert header.counts.diagnostics > 0
    tail = records[-header.counts.diagnostics :]
    assert all(isinstance(record, Node) and record.kind == "diagnostic" for record in tail)
    pointed = {record.source for record in records if isinstance(record, Edge) and record.kind == "diagnoses"}
    assert pointed == {record.id for record in tail if isinstance(record, Node)}


def test_checked_refuses_what_does_not_parse() -> None:
    with pytest.raises(ExportRefused, match=r"allow-errors") as refusal:
        export(workspace("broken"))
    assert refusal.value.code == "graphls.degraded"
    assert {node.file for node in refusal.value.diagnostics} == {"a.py"}
    assert export(workspace("broken"), ExportOptions(scope=Scope("file", "b.py"))).header.counts.diagnostics == 0


def test_no_word_depends_on_hash_seed_or_order_of_files() -> None:
    script = (
        "import sys; from pathlib import Path; sys.path[:0] = [sys.argv[1], sys.argv[2]];"
        "from unit.test_graph_export import *; sys.stdout.buffer.write(text(workspace('shop'), FULL))"
    )
    here = Path(__file__).resolve().parents[1]
    answers = {
        subprocess.run(
            [sys.executable, "-c", script, str(here), str(here.parent / "server")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert answers == {text(workspace("shop"), FULL)}
    files = {path: workspace("shop").text(path) or b"" for path in workspace("shop").shards}
    assert text(snapshot_of(dict(reversed(files.items())), name="shop"), FULL) in answers


def test_every_edge_from_an_occurrence_is_what_the_occurrence_means() -> None:
    """At the range of a use the edges name what definition answers there, and what it answers is an edge."""
    snapshot = workspace("shop")
    for path in snapshot.files():
        uses = snapshot.facts(path).occurrences
        bindings = set(snapshot.facts(path).definitions.start)
        declaring = {
            uses.start[row]
            for row in range(len(uses))
            if uses.start[row] in bindings and not snapshot.targets(path, row)
        }
        starts = set(uses.start) - declaring
        meant = {
            (uses.start[row], node_of(snapshot, target.place) if target.place else target.external)
            for row in range(len(uses))
            for target in snapshot.targets(path, row)
        }
        shown = {
            (start, edge.target)
            for edge in edges_from(snapshot, path, locals=True)
            for _, start, _ in edge.sites
            if start in starts and not (edge.kind == "calls" and symbol(snapshot, edge).endswith(".__init__"))
        }
        modules = {(start, target) for start, target in shown - meant if imported_from(snapshot, path, start)}
        assert shown - modules == meant


def node_of(snapshot: Snapshot, place: SymbolRef) -> SymbolRef:
    return SymbolRef(place.file, node_row(snapshot.facts(place.file), place.definition))


def symbol(snapshot: Snapshot, edge: RawEdge) -> str:
    return end_name(snapshot, edge.target)


def imported_from(snapshot: Snapshot, path: FilePath, start: int) -> bool:
    """`imports` of a module that no name spells is shown at what is imported from it."""
    return start in snapshot.facts(path).imports.start


@pytest.mark.parametrize(
    ("scope", "files"),
    [
        (Scope("file", "src/shop/orders.py"), {"src/shop/orders.py"}),
        (Scope("folder", "tests"), {"tests/test_orders.py"}),
        (Scope("package", "shop"), None),
        (Scope(), None),
    ],
)
def test_scope(scope: Scope, files: set[str] | None) -> None:
    records = list(export(workspace("shop"), ExportOptions(mode="allow-errors", scope=scope)).records())
    nodes = {record.id: record for record in records if isinstance(record, Node)}
    inside = {node.file for node in nodes.values() if node.file and not node.attributes.get("beyond")}
    assert files is None or inside == files
    edges = [record for record in records if isinstance(record, Edge)]
    assert all(edge.source in nodes and edge.target in nodes for edge in edges)


def test_kinds() -> None:
    records = list(
        export(workspace("shop"), ExportOptions(mode="allow-errors", kinds=("callable", "method", "calls"))).records()
    )[1:]
    assert {record.kind for record in records if isinstance(record, (Node, Edge))} == {"callable", "method", "calls"}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (ExportOptions(mode="maybe"), BadRequest),
        (ExportOptions(mode="allow-errors", kinds=("calls", "nonsense")), BadRequest),
        (ExportOptions(scope=Scope("street", "x")), BadRequest),
        (ExportOptions(scope=Scope("file", "nowhere.py")), NotInGraph),
    ],
)
def test_nonsense_is_refused(options: ExportOptions, error: type[Exception]) -> None:
    with pytest.raises(error):
        export(workspace("shop"), options)


def test_unknown_records_are_kept() -> None:
    strange = {"record": "aura", "id": "a:1", "colour": [1, {"x": None}]}
    assert to_wire(from_wire(strange)) == strange
    node = {**to_wire(Node("n:x", "hologram")), "later": 1}
    kept = from_wire(node)
    assert isinstance(kept, Node)
    assert kept.kind == "hologram"


@pytest.mark.parametrize(
    "line", ["", "[]", "7", '{"record": "node"}', '{"record":"edge","id":1,"sites":[{"file":"a"}]}']
)
def test_what_is_no_record_is_an_error(line: str) -> None:
    with pytest.raises(RecordError):
        record_of(line)
