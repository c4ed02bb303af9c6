"""Derived records: history, coverage, processes, communities and choices as nodes and edges of an export.

Owns: one small repository with two people, and one set of files with a choice, a chain and a report.
Must not know: layout.
Invariant: whatever part of a workspace is written, the export keeps to the schema; numbers are those that inputs say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from git_folders import committed, git
from graphls.graph.conformance import conformance
from graphls.graph.errors import BadRequest
from graphls.graph.export import ExportOptions, export
from graphls.graph.records import Edge, Node
from graphls.graph.scope import WORKSPACE, Scope
from graphls.graph.snapshot import Snapshot
from graphls.session.comparing import NoHistory
from graphls.session.derived_records import DERIVED, with_derived
from graphls.session.health_report import HealthSources
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace

COLORS = "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n    GREEN = 3\n"
PAINT = """from app.colors import Color


def paint(color: Color):
    if color == Color.RED:
        return one()
    elif color == Color.BLUE:
        return 7
    elif color == Color.GREEN:
        return one()


def one():
    return two()


def two():
    return 2
"""
KINDS = (
    "type Kind = 'a' | 'b'\nexport enum Mode { On, Off }\nexport function run(mode: Mode) {\n  switch (mode) {\n"
    "    case Mode.On: return 1\n    case Mode.Off: return 2\n  }\n}\n"
)
FILES = {
    "app/__init__.py": "",
    "app/colors.py": COLORS,
    "app/paint.py": PAINT,
    "web/mode.ts": KINDS,
    "notes.txt": "hello\n",
}


def made(
    root: Path,
    wanted: tuple[str, ...],
    scope: Scope = WORKSPACE,
    settings: Settings | None = None,
    more: Mapping[str, str] | None = None,
) -> tuple[Snapshot, list[Node], list[Edge]]:
    """The records of an export; it keeps to the schema."""
    snapshot = snapshot_of({**FILES, **(more or {})})
    sources = HealthSources(Workspace.of([str(root)]), settings or Settings(), None)
    options = with_derived(ExportOptions(mode="allow-errors", scope=scope), snapshot, sources, wanted)
    written = export(snapshot, options)
    assert not conformance(written.lines()).examples
    records = list(written.records())
    nodes = [one for one in records if isinstance(one, Node)]
    return snapshot, nodes, [one for one in records if isinstance(one, Edge)]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Four commits: three that touch the same two files, one of another person."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    committed(tmp_path)
    for number in (1, 2):
        for name in ("app/paint.py", "notes.txt"):
            (tmp_path / name).write_text(FILES[name] + f"# {number}\n", "utf-8")
        committed(tmp_path)
    (tmp_path / "app/paint.py").write_text(PAINT, "utf-8")
    git(tmp_path, "-c", "user.name=b", "commit", "-qam", "state", "--author", "Bob <Bob@example.org>")
    return tmp_path


def named(nodes: list[Node], edge: Edge) -> tuple[str, str]:
    names = {node.id: node.qualified_name for node in nodes}
    return names[edge.source], names[edge.target]


def test_history_is_people_measures_and_pairs(repository: Path) -> None:
    _, nodes, edges = made(repository, ("history",))
    people = {node.qualified_name: node.attributes["files"] for node in nodes if node.kind == "person"}
    assert people == {"a@example.org": 5, "bob@example.org": 1}
    owned = {named(nodes, edge): edge.attributes["share"] for edge in edges if edge.kind == "owned_by"}
    assert owned["app.paint", "a@example.org"] == 75.0
    assert owned["app.paint", "bob@example.org"] == 25.0
    pairs = {named(nodes, edge): edge.attributes for edge in edges if edge.kind == "co_changes_with"}
    assert {ends: (one["count"], one["hidden"]) for ends, one in pairs.items()} == {
        ("app.paint", "notes.txt"): (3, None)
    }
    churn = [n for n in nodes if n.kind == "risk_signal" and n.file == "app/paint.py" and n.subkind == "churn"]
    measured = churn[0].attributes["measures"]
    logged = git(repository, "log", "--format=", "--numstat", "--", "app/paint.py").split("\n")
    assert isinstance(measured, dict)
    assert measured["commits"] == len([line for line in logged if line])
    assert measured["added"] == sum(int(line.split()[0]) for line in logged if line)
    assert {node.provenance for node in nodes if node.kind in ("person", "risk_signal")} == {"process_observed"}


def test_without_history_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoHistory):
        made(tmp_path, ("history",))
    _, nodes, _ = made(tmp_path, ("communities",))
    assert [node.attributes["inputs"] for node in nodes if node.kind == "community"] == [["imports"]]


def test_coverage_leads_from_files_and_functions_to_the_report(tmp_path: Path) -> None:
    report = {"meta": {}, "files": {"app/paint.py": {"executed_lines": [4, 5, 6, 14, 18], "missing_lines": [7, 8, 10]}}}
    (tmp_path / "coverage.json").write_text(json.dumps(report), "utf-8")
    plain = Settings()
    settings = attrs.evolve(plain, findings=attrs.evolve(plain.findings, coverage=("coverage.json",)))
    _, nodes, edges = made(tmp_path, ("coverage",), settings=settings)
    covered = {named(nodes, edge)[0]: edge.attributes["covered"] for edge in edges if edge.kind == "covered_by"}
    assert covered == {"app.paint": 5, "paint": 2, "one": 1, "two": 1}
    assert [node.attributes["percent"] for node in nodes if node.kind == "coverage_report"] == [62.5]
    with pytest.raises(BadRequest, match="no report of coverage"):
        made(tmp_path, ("coverage",))


def test_a_choice_leads_to_its_subject_and_its_cases(tmp_path: Path) -> None:
    _, nodes, edges = made(tmp_path, ("dispatches",))
    choices = {node.qualified_name: node for node in nodes if node.kind == "match_dispatch"}
    assert {name: node.subkind for name, node in choices.items()} == {"color": "conditions", "mode": "match"}
    assert choices["color"].attributes["cases"] == ["Color.RED", "Color.BLUE", "Color.GREEN"]
    inside = {named(nodes, edge) for edge in edges if edge.kind == "contains"}
    assert {("paint", "color"), ("run", "mode"), ("color", "Color.RED"), ("mode", "Mode.Off")} <= inside
    on = {named(nodes, edge): edge.attributes["as"] for edge in edges if edge.kind == "dispatches_on"}
    assert on == {("color", "Color"): "type", ("mode", "Mode"): "type"}
    matched = {named(nodes, edge) for edge in edges if edge.kind == "matches_pattern"}
    both = {
        (f"{kind}.{case}", f"{kind}.{case}") for kind, case in (("Color", "RED"), ("Color", "BLUE"), ("Mode", "On"))
    }
    assert both <= matched


def test_a_name_that_only_ends_alike_is_no_case(tmp_path: Path) -> None:
    cases = "        case other.Color.RED: return 1\n        case 2: ...\n"
    text = f"from app.colors import Color\n\n\ndef f(x):\n    match x:\n{cases}"
    _, nodes, edges = made(tmp_path, ("dispatches",), more={"app/more.py": text})
    targets = [named(nodes, edge) for edge in edges if edge.kind == "matches_pattern"]
    assert ("other.Color.RED", "Color.RED") not in targets


def test_chains_are_nodes_with_ordered_steps(tmp_path: Path) -> None:
    _, nodes, edges = made(tmp_path, ("processes", "communities"))
    chains = [node for node in nodes if node.kind == "process"]
    assert [node.qualified_name for node in chains] == ["app.paint:paint -> app.paint:two"]
    for chain in chains:
        order = {edge.source: edge.attributes["order"] for edge in edges if edge.target == chain.id}
        assert chain.attributes["steps"] == sorted(order, key=lambda step: int(str(order[step])))
        assert chain.provenance == "derived_advisory"
    members = {named(nodes, edge) for edge in edges if edge.kind == "member_of"}
    assert members == {("app.colors", "app (colors.py)"), ("app.paint", "app (colors.py)")}
    assert chains[0].attributes["communities"] == ["app (colors.py)"]


@pytest.mark.parametrize("name", sorted(DERIVED))
def test_a_part_of_a_workspace_keeps_to_the_schema(repository: Path, name: str) -> None:
    if name != "coverage":
        made(repository, (name,), Scope("file", "app/paint.py"))
        made(repository, (name,), Scope("folder", "web"))
    with pytest.raises(BadRequest, match="nothing that an export may have"):
        made(repository, (f"{name}s?",))
