"""Diagnoses: what is wrong with a text, and what a log says of it, at the symbol that it is about.

Owns: one file with a slip in one function, and a log about another.
Must not know: layout, formats of logs.
Invariant: every face tells of the same diagnostics, with the ids and edges of an export.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import attrs
import pytest

from agent_workspace import agent_over
from graphls.facts.paths import FilePath
from graphls.graph.diagnoses import DIAGNOSES, diagnostic_counts
from graphls.graph.errors import BadRequest
from graphls.graph.export import ExportOptions, export
from graphls.graph.records import Edge, Node
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.find import FindQuery, find
from graphls.queries.find_filter import checked_filter
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.impact_view import impact_view
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_node, one_symbol
from graphls.session.derived_records import with_derived
from graphls.session.health_report import HealthSources
from graphls.session.memory import snapshot_of
from graphls.session.reported_problems import with_logs
from graphls.settings import Settings
from graphls.sources.workspace import Workspace

CODE = "def used():\n    return missing\n\n\ndef slip(:\n    return 1\n\n\ndef caller():\n    return used()\n"
NOTES = "# Notes\n\na line\n"


def result(file: str, line: int, level: str, text: str) -> dict[str, object]:
    where = {"artifactLocation": {"uri": file}, "region": {"startLine": line}}
    return {"ruleId": "F821", "level": level, "message": {"text": text}, "locations": [{"physicalLocation": where}]}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    results = [result("code.py", 2, "error", "Undefined name `missing`"), result("notes.txt", 3, "note", "Too short")]
    run = {"tool": {"driver": {"name": "ruff"}}, "results": results}
    (tmp_path / "ruff.sarif").write_text(json.dumps({"version": "2.1.0", "runs": [run]}), "utf-8")
    return Workspace.of([str(tmp_path)])


PLAIN: Final = Settings()
SETTINGS: Final = attrs.evolve(PLAIN, findings=attrs.evolve(PLAIN.findings, reports=("ruff.sarif",)))


def seen(workspace: Workspace) -> Snapshot:
    return with_logs(snapshot_of({"code.py": CODE, "notes.txt": NOTES}), workspace, SETTINGS, None)


def test_all_kinds_of_diagnostics_are_found(workspace: Workspace) -> None:
    snapshot = seen(workspace)
    things = Presenter(snapshot)

    def said(text: str) -> list[tuple[str, str]]:
        found = find(snapshot, FindQuery(text, only=checked_filter(snapshot, ["diagnostic"])))
        views = [things.node(node) for node in found.derived]
        return [(view.symbol, view.at) for view in views]

    undefined = ("error ruff F821: Undefined name `missing`", "code.py:2")
    short = ("information ruff F821: Too short", "notes.txt:3")
    assert [place for _, place in said("")] == ["code.py:5", "code.py:2", "notes.txt:3"]
    assert said("undefined NAME") == [undefined]
    assert said("ruff") == [undefined, short]
    # Without logs only what the text says is there.
    plain = with_logs(snapshot, workspace, PLAIN, None)
    assert [node.name for node in find(plain, FindQuery("", only=checked_filter(plain, ["diagnostic"]))).derived] == [
        "syntax"
    ]


def test_they_are_listed_by_severity_and_place_alone(workspace: Workspace) -> None:
    snapshot = seen(workspace)

    def said(severity: str, under: str = "", limit: int = 100) -> tuple[list[str], int]:
        only = checked_filter(snapshot, severities=(severity,), under=under)
        found = find(snapshot, FindQuery("", only=only, limit=limit))
        return [f"{node.file} {node.name}" for node in found.derived], found.coverage.omitted

    assert said("error") == (["code.py syntax", "code.py F821"], 0)
    assert said("error", limit=1) == (["code.py syntax"], 1)
    assert said("error", "notes.txt") == ([], 0)
    assert said("information") == (["notes.txt F821"], 0)
    with pytest.raises(BadRequest, match="Diagnostics alone have a severity"):
        checked_filter(snapshot, ["class"], severities=["error"])
    with pytest.raises(BadRequest, match="no severity 'bad'"):
        checked_filter(snapshot, severities=["bad"])


async def test_agents_list_them_without_a_text(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for path in ("code.py", "tests/test_code.py"):
        (tmp_path / path).write_text(CODE, "utf-8")
    async with agent_over(tmp_path) as agent:
        text = await agent.say("where", kinds=["diagnostic"])
        assert text.startswith("diagnostic: 2 in all")
        assert "code.py:5" in text
        assert "tests/test_code.py:5" in text
        under = await agent.ask("where", severities=["error"], under="tests")
        assert [node["file"] for node in under["matches"]] == ["tests/test_code.py"]
        assert (await agent.ask("where", severities=["hint"]))["total"] == 0


def test_that_nothing_is_wrong_is_a_whole_answer() -> None:
    snapshot = snapshot_of({"code.py": "x = 1\n"})
    found = find(snapshot, FindQuery("", only=checked_filter(snapshot, ["diagnostic"])))
    assert (found.total, found.coverage.completeness.gaps) == (0, ())


def test_an_edge_leads_from_a_diagnostic_to_its_symbol_and_back(workspace: Workspace) -> None:
    snapshot = seen(workspace)
    places = {"F821": one_symbol(snapshot, "code:used"), "syntax": one_symbol(snapshot, "code:slip")}
    for code, place in (*places.items(), ("F821", SymbolRef(FilePath("notes.txt"), -1))):
        near = neighborhood(snapshot, place, NeighborhoodQuery(edge_kinds=frozenset({DIAGNOSES})))
        assert [Presenter(snapshot).node(one.node).name for one in near.nodes] == [code]
        node = Presenter(snapshot).node(near.nodes[0].node)
        assert Presenter(snapshot).node(one_node(snapshot, node.id)) == node
        back = neighborhood(snapshot, one_node(snapshot, node.id), NeighborhoodQuery())
        assert [(one.node, edge.kind) for one, edge in zip(back.nodes, back.edges, strict=True)] == [(place, DIAGNOSES)]
    caller = one_symbol(snapshot, "code:caller")
    assert not neighborhood(snapshot, caller, NeighborhoodQuery(edge_kinds=frozenset({DIAGNOSES}))).nodes


def test_ids_and_edges_are_those_of_an_export(workspace: Workspace) -> None:
    snapshot = seen(workspace)
    plain = snapshot_of({"code.py": CODE, "notes.txt": NOTES})
    options = ExportOptions(mode="allow-errors")
    sources = HealthSources(workspace, SETTINGS, None)
    bare = export(plain, options)
    records = list(export(plain, with_derived(options, plain, sources, ("reports",))).records())
    nodes = {one.id: one for one in records if isinstance(one, Node) and one.kind == "diagnostic"}
    edges = {(one.source, one.target) for one in records if isinstance(one, Edge) and one.kind == DIAGNOSES}
    assert sum(isinstance(one, Node) and one.kind == "diagnostic" for one in bare.records()) == 1
    things, found = Presenter(snapshot), find(snapshot, FindQuery("", only=checked_filter(snapshot, ["diagnostic"])))
    ends = {
        (edge.source_id, edge.target_id)
        for node in found.derived
        for edge in things.edges(neighborhood(snapshot, node, NeighborhoodQuery()).edges)
    }
    assert {things.node(node).id for node in found.derived} == nodes.keys()
    assert ends == edges
    provenances = {one.provenance: one.attributes.get("input") for one in nodes.values()}
    assert provenances == {"syntax_inferred": None, "process_observed": "report"}


def test_effects_count_what_is_wrong(workspace: Workspace) -> None:
    snapshot = seen(workspace)
    used, caller = (one_symbol(snapshot, name) for name in ("code:used", "code:caller"))
    view = impact_view(Presenter(snapshot), impact(snapshot, ImpactQuery(used)), "upstream")
    assert (view.diagnostics, [(one.node.name, one.diagnostics) for one in view.affected]) == (1, [("caller", 0)])
    down = impact_view(Presenter(snapshot), impact(snapshot, ImpactQuery(caller, "downstream")), "downstream")
    assert (down.diagnostics, [(one.node.name, one.diagnostics) for one in down.affected]) == (0, [("used", 1)])
    assert diagnostic_counts(snapshot, (used, caller, "outside")) == {used: 1}
