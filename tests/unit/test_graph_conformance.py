"""Conformance: exports keep what the schema promises, and what does not is found.

Owns: the check of exports of all fixtures, with every option; one broken line for each rule.
Must not know: how facts and links come about.
Invariant: an export of graphls has no breach, whatever part of a workspace it is of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import attrs
import jsonschema
import pytest

from fixture_text import fixture
from graphls.analysis.findings import findings
from graphls.analysis.records import attached_nodes
from graphls.graph.conformance import RULES, conformance
from graphls.graph.export import Export, ExportOptions, export
from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.records import EDGE_KINDS, NODE_KINDS, Edge, Json, Node, Opaque
from graphls.graph.schema import json_schema
from graphls.graph.scope import Scope
from graphls.graph.snapshot import Snapshot
from graphls.graph.wire import RecordError, line_of, record_of
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LOOSE = ExportOptions(mode="allow-errors")
HELD = """
from typing import overload

class Base:
    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str) -> str: ...
    def get(self, key): return key

class Sub(Base):
    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str) -> str: ...
    def get(self, key): return key

def route(app, view):
    app.add_url_rule("/", "x", view)
    return [Base().get(1), Sub().get(2)]
"""
LOCAL = """
import { Outer } from './outer'
interface Named { name: string; of?(key: number): void; of?(key: string): void }
class Impl implements Named { name = ''; of(key: number): void; of(key: string): void; of(key: any) {} }
export function build() {
  type Env = { value: Outer; inner: { deep: Env } }
  const handlers = { open(env: Env) { return env.value }, close: () => handlers.open }
  function nested() { const more = { key: Outer }; return more.key }
  return { handlers, nested, made: new Impl() }
}
it('does', () => { type Local = Outer; const x: Local = { at: build() } })
"""
FLASK = """
from flask import Flask
class Scaffold(Flask):
    def route(self, rule):
        def decorator(f):
            self.add_url_rule(rule, None, f)
            return f
        return decorator
"""


def plain(folder: str, *endings: str) -> dict[str, bytes]:
    root = FIXTURES / folder
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.suffix in endings and path.is_file()
    }


def marked(folder: str) -> dict[str, bytes]:
    """All fixtures of a folder in the mini-language, each in a folder of its own."""
    found: dict[str, bytes] = {}
    for text in sorted((FIXTURES / folder).rglob("*.txt")):
        if text.name in ("expected.txt", "expected-failure.txt"):
            continue
        home = str(text.relative_to(FIXTURES / folder)).removesuffix(".txt")
        whole = text.read_text("utf-8")
        files = fixture(whole[max(whole.find("--- path:"), 0) :]).files
        found.update({f"{home}/{path}": data for path, data in files.items()})
    return found


WORKSPACES: dict[str, Callable[[], dict[str, bytes]]] = {
    "python export": lambda: plain("python/export", ".py", ".toml"),
    "python facts": lambda: plain("python/facts", ".py"),
    "python resolution": lambda: marked("python/resolution"),
    "python frameworks": lambda: marked("python/frameworks"),
    "python findings": lambda: marked("python/findings"),
    "typescript facts": lambda: plain("typescript/facts", ".ts", ".tsx", ".js", ".vue", ".svelte", ".astro"),
    "typescript resolution": lambda: marked("typescript/resolution"),
    "typescript frameworks": lambda: marked("typescript/frameworks"),
    "held": lambda: {
        "held.py": HELD.encode(),
        "local.test.ts": LOCAL.encode(),
        "outer.ts": b"export class Outer {}\n",
        "app.py": FLASK.encode(),
    },
}


def breaches(snapshot: Snapshot, options: ExportOptions) -> list[str]:
    found = conformance(export(snapshot, options).lines())
    return [f"{one.rule} {one.line}: {one.message}" for one in found.examples]


@pytest.mark.parametrize("name", WORKSPACES)
def test_exports_of_fixtures_conform(name: str) -> None:
    snapshot = snapshot_of(WORKSPACES[name]())
    with_findings = attached_nodes(snapshot, findings(snapshot, Settings()).findings)
    for options in (
        LOOSE,
        ExportOptions(mode="allow-errors", sites=True, attached=with_findings),
        ExportOptions(mode="allow-errors", sites=True, locals=True, attached=with_findings),
    ):
        assert breaches(snapshot, options) == []


@pytest.mark.parametrize("name", ["python export", "held"])
def test_parts_of_a_workspace_conform(name: str) -> None:
    snapshot = snapshot_of(WORKSPACES[name]())
    with_findings = attached_nodes(snapshot, findings(snapshot, Settings()).findings)
    every = attrs.evolve(LOOSE, attached=with_findings, sites=True)
    for path in snapshot.shards:
        assert breaches(snapshot, attrs.evolve(every, scope=Scope("file", path))) == []
    for kind in (*NODE_KINDS, *EDGE_KINDS):
        assert breaches(snapshot, attrs.evolve(every, kinds=(kind,))) == []
    assert breaches(snapshot, attrs.evolve(every, kinds=("callable", "method", "calls", "call_site", "contains"))) == []


def test_other_formats_hold_the_same_ends() -> None:
    made = export(snapshot_of(WORKSPACES["held"]()), LOOSE)
    nodes = {record.id for record in made.records() if isinstance(record, Node)}
    for name in ("dot", "graphml"):
        text = "".join(WHOLE_GRAPH[name](made.records()))
        assert all(ident in nodes for ident in _ends(text))
    edges = made.header.counts.edges
    assert "".join(WHOLE_GRAPH["graphml"](made.records())).count("<edge ") == edges
    assert "".join(WHOLE_GRAPH["dot"](made.records())).count(" -> ") == edges
    # What mermaid leaves out has an end that is not shown: nothing has.
    mermaid = "".join(WHOLE_GRAPH["mermaid"](made.records()))
    assert mermaid.count("-->") + mermaid.count("-.->") == edges
    compact = "".join(WHOLE_GRAPH["compact"](made.records())).splitlines()
    assert sum(line.startswith(" ") for line in compact) == made.header.counts.nodes
    ends = [line.split(" ") for line in compact if line.startswith("> ")]
    read = {(row[1], row[2], end.rstrip("!~?")) for row in ends for end in row[3:]}
    numbers = _numbers(made)
    said = [edge for edge in made.records() if isinstance(edge, Edge) and edge.kind not in ("contains", "defines")]
    assert read == {(numbers[edge.source], edge.kind, numbers[edge.target]) for edge in said}


def _numbers(made: Export) -> dict[str, str]:
    """Those that the compact text gives to nodes: by file in their order, what is in none at the end."""
    nodes = [record for record in made.records() if isinstance(record, Node)]
    files = list(dict.fromkeys(node.file or "" for node in nodes if node.file))
    ordered = sorted(nodes, key=lambda node: files.index(node.file) if node.file else len(files))
    return {node.id: str(number) for number, node in enumerate(ordered, 1)}


def _ends(text: str) -> list[str]:
    ends = re.findall(r'(?:source=|target=|-> )"(n:[a-z2-7]{26})"|"(n:[a-z2-7]{26})" ->', text)
    return [one or other for one, other in ends]


# ---------------------------------------------------------------- what breaks a rule


def lines() -> list[bytes]:
    return list(
        export(snapshot_of(WORKSPACES["python export"]()), ExportOptions(mode="allow-errors", sites=True)).lines()
    )


def changed(line: bytes, **fields: Json) -> bytes:
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _first(every: list[bytes], text: bytes) -> int:
    return next(at for at, line in enumerate(every) if text in line)


def _dropped(every: list[bytes]) -> None:
    del every[_first(every, b'"record":"node"') + 3]


def _moved(every: list[bytes]) -> None:
    every.insert(1, every.pop(_first(every, b'"record":"edge"')))


def _twice(every: list[bytes]) -> None:
    every.append(every[-1])


def _same_id(every: list[bytes]) -> None:
    at = _first(every, b'"record":"edge"')
    every[at + 1] = changed(every[at + 1], id=json.loads(every[at])["id"])


def _beyond(every: list[bytes]) -> None:
    at = _first(every, b'"kind":"callable"')
    every[at] = changed(every[at], full_range=[0, 0, 999_999, 0])


def _surer(every: list[bytes]) -> None:
    at = next(at for at, line in enumerate(every) if b'"site_count":1,' in line)
    every[at] = changed(every[at], provenance="compiler_checked")


def _mistyped(every: list[bytes]) -> None:
    every[2] = changed(every[2], confidence="sure")


def _headless(every: list[bytes]) -> None:
    del every[0]


def _miscounted(every: list[bytes]) -> None:
    every[0] = changed(every[0], counts={"nodes": 1, "edges": 1, "diagnostics": 0, "unresolved_sites": 0})


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ("dangling", _dropped),
        ("order", _moved),
        ("duplicate_line", _twice),
        ("duplicate_id", _same_id),
        ("range", _beyond),
        ("evidence", _surer),
        ("record", _mistyped),
        ("header", _headless),
        ("counts", _miscounted),
    ],
)
def test_every_rule_finds_what_breaks_it(rule: str, broken: Callable[[list[bytes]], None]) -> None:
    every = lines()
    assert not conformance(every).breaches
    broken(every)
    found = conformance(every)
    assert found.breaches[rule] > 0
    assert {one.rule for one in found.examples} <= RULES.keys()


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"[1]", b"{}", b"[" * 100_000, b'{"record": "edge", "confidence": NaN}']
)
def test_what_is_no_export_is_said(data: bytes) -> None:
    assert conformance([data] if data else []).breaches


# ---------------------------------------------------------------- unknown fields and kinds

NEWER = (
    (
        '{"record":"node","id":"n:1","kind":"hologram","decorators":[{"name":"a","arguments":[],"line":3}],"extra":7,'
        '"depth":{"of":["field",null]}}'
    ),
    (
        '{"record":"edge","id":"e:1","kind":"haunts","source":"n:1","target":"n:2","weight":0.25,'
        '"sites":[{"file":"a.py","range":[0,0,0,1],"frame":12}]}'
    ),
    (
        '{"record":"header","schema_version":"1.9","generator":{"name":"x","version":"1","host":"y"},"mode":"checked",'
        '"snapshot":"s:1","revision":null,"workspace":{"name":"w"},"moon":"full"}'
    ),
    '{"record":"omen","of":[1,2]}',
)


def fits(line: str) -> bool:
    """Whether the published schema allows a record."""
    return jsonschema.Draft202012Validator(json_schema()).is_valid(json.loads(line))  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("line", NEWER)
def test_unknown_fields_and_kinds_survive(line: str) -> None:
    assert fits(line)
    record = record_of(line)
    written = json.loads(line_of(record))
    assert _within(json.loads(line), written)
    assert record_of(line_of(record)) == record
    assert isinstance(record, Opaque) == ("omen" in line)


def _within(part: Json, whole: Json) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _within(value, whole[name]) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(_within, part, whole))
    return part == whole


@pytest.mark.parametrize(
    "line",
    [
        '{"record":"node","id":1,"kind":"x"}',
        '{"record":"node","kind":"x"}',
        '{"record":"node","id":"a","kind":"x","modifiers":"ab"}',
        '{"record":"node","id":"a","kind":"x","confidence":2}',
        '{"record":"node","id":"a","kind":"x","exported":1}',
        '{"record":"node","id":"a","kind":"x","range":[0,1,2]}',
        '{"record":"node","id":"a","kind":"x","range":[0,1,2,-3]}',
        '{"record":"node","id":"a","kind":"x","attributes":[]}',
        '{"record":"edge","id":"e","kind":"c","source":"a","target":"b","sites":[{"file":"a"}]}',
        '{"record":"edge","id":"e","kind":"c","source":"a","target":"b","site_count":-1}',
    ],
)
def test_reader_and_schema_refuse_the_same(line: str) -> None:
    assert not fits(line)
    with pytest.raises(RecordError):
        record_of(line)
