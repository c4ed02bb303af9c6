"""Exports of a compiler (`incan inspect codegraph`) as records of graphls.

Owns: small exports of schema 6 and 7, what each record becomes, what is refused.
Must not know: workspaces.
Invariant: what was read keeps to every rule of `graphls check`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from graphls.graph.codegraph import NotCodegraph, is_codegraph, read_codegraph
from graphls.graph.exported_graph import ExportedGraph, read_export
from graphls.graph.records import Opaque

ROOT = "/home/somebody/shop"


def _span(line: int, left: int, right: int, file: str = f"{ROOT}/src/main.incn") -> Mapping[str, object]:
    places = {"start": 0, "end": 1, "start_line": line, "start_column": left, "end_line": line, "end_column": right}
    return {"file": file, **places}


def _export(version: int = 6) -> list[bytes]:
    base = {"language": "incan", "degraded": False}
    checked = {**base, "provenance": "checked"}
    module = {"module_id": "module:main"}
    records: list[Mapping[str, object]] = [
        {
            "record": "header", "schema_version": version, "compiler_version": "0.5.0", "mode": "strict",
            "root_path": ROOT, "languages": ["incan"], "package": {"name": "shop"}, "degraded": False,
        },
        {**base, "record": "file", "id": "file:main", "path": f"{ROOT}/src/main.incn", "size_bytes": 900,
         "provenance": "source"},
        {**base, "record": "module", "id": "module:main", "file_id": "file:main", "module_path": ["shop", "main"],
         "name": "main", "span": None, "provenance": "syntax"},
        {**checked, **module, "record": "declaration", "id": "d:total", "kind": "function", "name": "total",
         "visibility": "public", "type_params": [], "signature": "def total() -> int", "span": _span(3, 5, 10),
         "stable_id": {"namespace": "shop", "origin": "module"}},
        {**checked, **module, "record": "declaration", "id": "d:Item", "kind": "model", "name": "Item",
         "visibility": "private", "type_params": ["T"], "signature": None, "span": _span(9, 7, 11)},
        {**checked, "record": "containment", "id": "c:1", "parent_id": "module:main", "child_id": "d:total",
         "kind": "module_contains_declaration", "span": None},
        {**checked, **module, "record": "call", "id": "k:1", "owner_id": "d:total", "callee": "Item", "kind": "call",
         "argument_count": 1, "type_argument_count": 0, "target_id": "d:Item", "span": _span(4, 12, 16)},
        {**checked, **module, "record": "call", "id": "k:2", "owner_id": "d:total", "callee": "Item", "kind": "call",
         "argument_count": 1, "type_argument_count": 0, "target_id": "d:Item", "span": _span(5, 12, 16)},
        {**base, **module, "record": "reference", "id": "r:1", "owner_id": None, "name": "read", "kind": "name",
         "target_id": "rust:std::fs::read", "span": _span(1, 1, 5), "provenance": "syntax"},
        {**base, **module, "record": "reference", "id": "r:2", "owner_id": None, "name": "lost", "kind": "name",
         "target_id": None, "span": _span(2, 1, 5), "provenance": "syntax"},
        {**base, **module, "record": "import", "id": "i:1", "kind": "from", "path": "std.fs", "items": ["read"],
         "alias": None, "visibility": "private", "span": _span(1, 1, 9), "provenance": "syntax"},
        {**checked, **module, "record": "export", "id": "e:1", "name": "total", "kind": "function",
         "source_id": "d:total", "span": None},
        {**base, "record": "diagnostic", "id": "x:1", "code": "INCAN-T0001", "severity": "error", "phase": "check",
         "message": "type mismatch", "primary_span": _span(4, 2, 1), "notes": [], "hints": ["cast it"],
         "explain": "", "provenance": "diagnostic"},
        {"record": "c_binding", "id": "b:1", "anything": {"new": [1]}},
    ]  # fmt: skip
    return [json.dumps(record).encode() + b"\n" for record in records]


def _edges(graph: ExportedGraph) -> set[str]:
    def name(id: str) -> str:
        return graph.nodes[id].qualified_name or graph.nodes[id].name

    return {f"{name(edge.source)} {edge.kind} {name(edge.target)}" for edge in graph.edges.values()}


@pytest.mark.parametrize("version", [6, 7])
def test_every_record_has_its_place(version: int) -> None:
    graph = read_codegraph(_export(version))
    assert _edges(graph) == {
        "src/main.incn contains shop.main",
        "shop.main contains total",
        "shop.main exports total",
        "shop.main imports std.fs",
        "shop.main references read",
        "total calls Item",
        "INCAN-T0001 diagnoses src/main.incn",
    }
    calls = next(edge for edge in graph.edges.values() if edge.kind == "calls")
    assert calls.provenance == "compiler_checked"
    assert [(site.file, site.range) for site in calls.sites] == [
        ("src/main.incn", (3, 11, 3, 15)),
        ("src/main.incn", (4, 11, 4, 15)),
    ]
    total = graph.named("shop.main:total")[0]
    assert (total.kind, total.subkind, total.exported, total.file) == ("callable", "function", True, "src/main.incn")
    assert total.attributes["stable_id"] == {"namespace": "shop", "origin": "module"}
    assert graph.header.counts.unresolved_sites == 1
    assert graph.header.workspace.name == "shop"


def test_what_is_read_keeps_to_the_rules_and_is_read_back() -> None:
    graph = read_codegraph(_export())
    again = read_export(graph.lines())
    assert list(again.lines()) == list(graph.lines())
    other = next(record for record in again.records if isinstance(record, Opaque))
    assert other.fields["anything"] == {"new": [1]}


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[" * 100_000, b'["compiler_version"' + b"[" * 100_000, b"{}"])
def test_other_lines_begin_none(line: bytes) -> None:
    assert not is_codegraph(line)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "no header"),
        ([b'{"record": "file"}'], "no header"),
        ([b"nonsense"], "line 1 is no JSON"),
        (_export(8), "schema 8 is not known"),
        ([*_export(), b"[1]"], "is no record"),
    ],
)
def test_refused(lines: list[bytes], reason: str) -> None:
    with pytest.raises(NotCodegraph, match=reason):
        read_codegraph(lines)


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "graph.jsonl"
    file.write_bytes(b"".join(_export()))
    assert is_codegraph(_export()[0])
    shown = _import(file, "--show", "shop.main:total")
    assert shown.returncode == 0, shown.stderr
    assert "calls" in shown.stdout
    assert "Item" in shown.stdout
    file.write_bytes(b"".join(_export(9)))
    refused = _import(file)
    assert refused.returncode == 2
    assert "schema 9 is not known: 1 to 7 are" in refused.stderr


def _import(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "graphls", "import", str(file), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)
