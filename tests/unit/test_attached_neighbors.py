"""Findings, decisions and the like around a symbol: who names the kind of their edges meets them, on every face."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from agent_workspace import agent_over
from e2e.cli_runs import graphls
from e2e.lsp_workspace import Workspace as LspWorkspace
from git_folders import committed
from graphls.graph.errors import BadRequest
from graphls.graph.export import ExportOptions
from graphls.graph.records import EDGE_KINDS
from graphls.graph.snapshot import Snapshot
from graphls.queries.neighborhood import Direction, NeighborhoodQuery, neighborhood
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_node
from graphls.session.attached_neighbors import RECORDS, attached_neighbors
from graphls.session.derived_records import with_derived
from graphls.session.health_report import HealthSources
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace

BODY = "".join(f"    if rows[{one}] > {one}:\n        rows[{one}] = twice(rows[{one}])\n" for one in range(9))
DECISION = "# 1. Rows are changed in place\n\nStatus: accepted\n\n## Decision\n\nSee [till](../../till.py).\n"
FILES = {
    "till.py": f"def twice(row):\n    return row * 2\ndef one(rows):\n{BODY}def _never():\n    return 1\n",
    "shop.py": f"from till import twice\ndef other(rows):\n{BODY}",
    "docs/adr/0001-rows.md": DECISION,
}
CASES: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("till:_never", "evidences", [("architecture_finding", "maintainability.unused_definition")]),
    ("till.py", "governed_by", [("decision_record", "1. Rows are changed in place")]),
    ("till:one", "similar_to", [("callable", "other")]),
    ("shop:other", "similar_to", [("callable", "one")]),
    ("till:one", "governed_by", []),
]


def _around(
    snapshot: Snapshot,
    workspace: Workspace,
    symbol: str,
    kinds: tuple[str, ...],
    depth: int = 1,
    direction: Direction = "both",
) -> list[tuple[int, str, str]]:
    query = NeighborhoodQuery(depth=depth, direction=direction, edge_kinds=frozenset(kinds))
    found = neighborhood(snapshot, one_node(snapshot, symbol), query)
    attached = attached_neighbors(snapshot, HealthSources(workspace, Settings(), None), query, found)
    views = attached.node_views(Presenter(snapshot))
    ends = {end for edge in attached.edges for end in (edge.source, edge.target)}
    assert {view.id for _, view in views} <= ends
    return [(depth, view.kind, view.name) for depth, view in views]


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """A shop with a decision, a clone and a function that nothing uses."""
    return snapshot_of(FILES)


@pytest.mark.parametrize(("symbol", "kind", "wanted"), CASES)
def test_who_names_a_kind_meets_what_has_it(
    snapshot: Snapshot, tmp_path: Path, symbol: str, kind: str, wanted: list[tuple[str, str]]
) -> None:
    found = _around(snapshot, Workspace.of([str(tmp_path)]), symbol, (kind,))
    assert found == [(1, *one) for one in wanted]


def test_a_walk_goes_on_to_them_within_its_steps_and_direction(snapshot: Snapshot, tmp_path: Path) -> None:
    workspace, kinds = Workspace.of([str(tmp_path)]), ("calls", "similar_to")
    assert _around(snapshot, workspace, "till:twice", kinds, 1) == []
    assert _around(snapshot, workspace, "till:twice", kinds, 2) == []  # one and other are both reached
    assert _around(snapshot, workspace, "till:_never", ("evidences",), 1, "in") == []
    assert len(_around(snapshot, workspace, "till:_never", ("evidences",), 1, "out")) == 1


def test_every_kind_that_only_records_have_is_known(snapshot: Snapshot, tmp_path: Path) -> None:
    sources = HealthSources(Workspace.of([str(tmp_path)]), Settings(), None)
    wanted = ["findings", "decisions", "clones", "dispatches", "processes"]
    made = with_derived(ExportOptions(), snapshot, sources, wanted)
    kinds = {tie.edge.kind for one in made.attached for tie in one.edges} | {tie.edge.kind for _, tie in made.ties}
    assert kinds - {"contains"} <= RECORDS.keys() <= set(EDGE_KINDS)


def test_what_lacks_its_input_is_refused(snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="no report of coverage"):
        _around(snapshot, Workspace.of([str(tmp_path)]), "till:one", ("covered_by",))


async def test_on_every_face(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    committed(tmp_path)
    root = ("--root", str(tmp_path))
    text = graphls("neighbors", "till.py", "-e", "governed_by", *root).out
    assert "-> governed_by  document  1. Rows are changed in place" in text
    compact = graphls("neighbors", "till.py", "-e", "governed_by", "-f", "compact", *root).out
    assert "Rows are changed in place" in compact
    assert "-> owned_by  person" in graphls("neighbors", "till.py", "-e", "owned_by", *root).out
    server = LspWorkspace(tmp_path, f"--- path: till.py ---\n{FILES['till.py']}")
    try:
        server.ready()
        near = server.ask("graph/neighborhood", symbol="till:_never", edgeKinds=["evidences"])
        assert [(node["kind"], node["depth"]) for node in near["nodes"]] == [("architecture_finding", 1)]
        assert [edge["target"] for edge in near["edges"]] == [near["nodes"][0]["id"]]
        assert near["nodes"][0]["uri"].endswith("till.py")
    finally:
        server.close()
    async with agent_over(tmp_path) as agent:
        near = await agent.say("graph", query="neighbors", symbol="till:one", kinds=["similar_to"])
        assert "other" in near
        assert "similar_to" in near


def test_settings_reach_the_rules(snapshot: Snapshot, tmp_path: Path) -> None:
    settings = Settings()
    off = attrs.evolve(
        settings, findings=attrs.evolve(settings.findings, rules={"maintainability.unused_definition": "off"})
    )
    query = NeighborhoodQuery(edge_kinds=frozenset({"evidences"}))
    found = neighborhood(snapshot, one_node(snapshot, "till:_never"), query)
    sources = HealthSources(Workspace.of([str(tmp_path)]), off, None)
    assert attached_neighbors(snapshot, sources, query, found).nodes == ()
