"""Formats: hostile names stay data in every format, and the compact text reads back.

Owns: samples of names that look like structure.
Must not know: snapshots.
Invariant: a format's own parser accepts what is written.
"""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.formats.compact import CompactAbout, CompactItem, compact
from graphls.graph.formats.dot import quoted
from graphls.graph.formats.mermaid import escaped
from graphls.graph.records import Edge, Generator, Header, Node, Opaque, PositionUnit, Record, WorkspaceName
from graphls.graph.spool import Spool
from graphls.graph.wire import record_of

HOSTILE = [
    'say "hi"', "a\\", "<b>&amp;]]>", "line\nbreak", "]; evil[", "x|y", "--> n1", "\x00\x1b[31m", "\u2028next",
    "  @ x.py", "12 def fake()  L1 !", "> 1 calls 2!", "end", "#quot;", "𝒳", "{{template}}", "\ud800",
]  # fmt: skip
HEADER = Header("1.0", Generator("g", "0"), "checked", "s:x", None, WorkspaceName("w"), position=PositionUnit())


def records(name: str) -> list[Record]:
    one = Node("n:1", "callable", name=name, qualified_name=name, file=f"{name}.py", range=(0, 0, 0, 1), doc=name)
    two = Node("n:2", "external", name="two", qualified_name=name)
    edge = Edge("e:1", "calls", "n:1", "n:2", confidence=0.5)
    return [HEADER, one, two, edge, Node("n:3", "diagnostic", name=name), Opaque({"record": "later", "name": name})]


def written(name: str, kind: str) -> str:
    return "".join(WHOLE_GRAPH[kind](records(name))).encode("utf-8", "replace").decode()


@pytest.mark.parametrize("name", HOSTILE)
def test_json(name: str) -> None:
    document = json.loads(written(name, "json"))
    assert list(document) == ["header", "nodes", "edges", "diagnostics", "others"]
    assert len(document["nodes"]) == 2
    assert record_of(json.dumps(document["nodes"][0])) == records(name)[1] or name == "\ud800"


def test_empty_json() -> None:
    assert json.loads("".join(WHOLE_GRAPH["json"]([]))) == {"nodes": [], "edges": [], "diagnostics": []}
    only = json.loads("".join(WHOLE_GRAPH["json"]([HEADER])))
    assert list(only) == ["header", "nodes", "edges", "diagnostics"]


@pytest.mark.parametrize("name", HOSTILE)
def test_graphml(name: str) -> None:
    root = ElementTree.fromstring(written(name, "graphml"))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(root.findall(f".//{space}node")) == 3
    assert len(root.findall(f".//{space}edge")) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_dot(name: str) -> None:
    assert re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', quoted(name))
    lines = written(name, "dot").splitlines()
    assert len([line for line in lines if " -> " in line and "style=" in line]) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_mermaid(name: str) -> None:
    assert not set(escaped(name)) & set("\"'<>[](){}|\n`&\\")
    assert len(written(name, "mermaid").split("\n")) == 6


@pytest.mark.parametrize("name", HOSTILE)
def test_compact_text_cannot_look_like_structure(name: str) -> None:
    one = Node("n:1", "callable", qualified_name=name, signature=name, file=name, full_range=(0, 0, 4, 1), doc=name)
    two = Node("n:2", "test", qualified_name=name, file=name)
    items = [CompactItem(one, text=f"{name}\n@ other.py"), CompactItem(two)]
    edges = [Edge("e:1", "calls", "n:2", "n:1", ambiguous=True), Edge("e:2", "contains", "n:1", "n:2")]
    about = CompactAbout(
        "s:abc", 17, task=name, budget=8000, used=9, omitted=3, next=f"answer: {name}", unresolved={"n:1": 2}
    )
    lines = compact(about, items, edges).split("\n")
    starts = [line.split(" ")[0] if not line.startswith(" ") else line[1] for line in lines if line]
    texts = name.count("\n") + 2
    assert starts == ["graphls/compact", "!", "@", "1", *["|"] * texts, "2", ">", "x", "next"]
    assert "> 2 calls 1?" in lines
    assert "x 1 unresolved 2" in lines
    head = lines[0].split("  ")
    assert head[:4] == ["graphls/compact 1", "snapshot s:abc", "rev 17", "fresh"]
    assert head[-1] == "budget 8000 used 9 omitted 3"
    json.loads(head[4].removeprefix("task "))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_compact_graph(name: str) -> None:
    lines = written(name, "compact").split("\n")
    starts = [line.split(" ")[0] if not line.startswith(" ") else line.split(" ")[1] for line in lines if line]
    assert starts == ["graphls/compact", "!", "@", "1", "@", "2", "3", ">"]
    assert lines[-2] == "> 1 calls 2~"


def test_spool_sorts_whatever_comes_in() -> None:
    rows = [f"n:{number * 7919 % 1000:03}\t{'x' * 900}" for number in range(500)]
    one, two = Spool(skip=2, width=2), Spool(skip=2, width=2)
    for row in rows:
        one.add(row)
    for row in reversed(rows):
        two.add(row)
    assert list(one.sorted()) == list(two.sorted()) == sorted(rows)
    plain = Spool()
    for row in rows:
        plain.add(row)
    assert list(plain.in_order()) == rows
