"""Exported graphs: an export read back.

Owns: the round trip, what is refused, answers to questions.
Must not know: how records are encoded.
Invariant: what graphls wrote comes back byte for byte.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from graphls.graph.conformance import conformance
from graphls.graph.export import ExportOptions, export
from graphls.graph.exported_graph import NotConforming, read_export, symbol_of
from graphls.graph.merged_export import MergeRefused, merged_export
from graphls.graph.records import Edge, Node
from graphls.session.memory import snapshot_of

FILES = {
    "shop.py": "def pay(): return count()\ndef count(): return 1\ndef unused():\n    '''\u202e \u2028'''\n",
    "web.ts": "export const total = (prices: number[]) => prices.length\n",
    "notes.md": "text\n",
}


def _lines(files: dict[str, str], **options: bool) -> list[bytes]:
    made = export(snapshot_of(files), ExportOptions(mode="allow-errors", sites=options.get("sites", False)))
    return list(made.lines())


@pytest.mark.parametrize("sites", [False, True])
def test_an_export_comes_back_byte_for_byte(sites: bool) -> None:
    lines = _lines(FILES, sites=sites)
    assert list(read_export(lines).lines()) == lines


def test_what_is_unknown_comes_back_too() -> None:
    lines = _lines(FILES)
    lines[1] = lines[1].replace(b'"attributes":{', b'"attributes":{"later":[1,{"x":null}],', 1).replace(b",}", b"}")
    lines.append(b'{"record":"later","anything":1}\n')
    assert list(read_export(lines).lines()) == lines


@pytest.mark.parametrize("broken", [b"{}\n", b'{"record":"node"}\n', b"\xff\n"])
def test_a_file_that_breaks_a_rule_is_refused_as_a_whole(broken: bytes) -> None:
    with pytest.raises(NotConforming):
        read_export([*_lines(FILES), broken])
    with pytest.raises(NotConforming):
        read_export([])
    with pytest.raises(NotConforming):
        read_export([line for line in _lines(FILES) if b'"qualified_name":"count"' not in line])


def test_questions() -> None:
    graph = read_export(_lines(FILES))
    (pay,) = graph.named("shop:pay")
    (count,) = graph.named("count")
    assert graph.named(pay.id) == (pay,)
    assert [symbol_of(node) for node in graph.found("UNU")] == ["shop:unused"]
    assert ("out", "calls", "shop:count") in {(way, e.kind, symbol_of(end)) for way, e, end in graph.around(pay)}
    assert [edge.kind for edge in graph.path(pay, count) or ()] == ["calls"]
    assert graph.path(count, pay) is None


def test_differences() -> None:
    before = read_export(_lines(FILES))
    after = read_export(_lines({**FILES, "shop.py": "def pay(): return 2\ndef count(): return 1\ndef more(): pass\n"}))
    found = {(one.change, symbol_of(one.record)) for one in before.differences(after) if isinstance(one.record, Node)}
    assert {("added", "shop:more"), ("removed", "shop:unused"), ("changed", "shop:pay")} <= found
    gone = [one for one in before.differences(after) if isinstance(one.record, Edge) and one.record.kind == "calls"]
    assert [one.change for one in gone] == ["removed"]
    assert not list(before.differences(before))


def test_a_line_comes_back_as_its_writer_wrote_it() -> None:
    lines = _lines(FILES)
    fields = json.loads(lines[1])
    # Another order, other spaces, a number that Python would write otherwise, fields of a later version between others.
    odd = {"later": {"a": [1.50]}, **dict(reversed(fields.items()))}
    lines[1] = (json.dumps(odd).replace("1.5", "1.50") + "\n").encode()
    graph = read_export(lines)
    assert list(graph.lines()) == lines
    assert next(node for node in graph.records if isinstance(node, Node)).extra == {"later": {"a": [1.5]}}


OTHER = {"shop.py": "import json\ndef sell(): return json.dumps(1)\n", "pyproject.toml": "[project]\nname = 'other'\n"}
FIRST = {**FILES, "pyproject.toml": "[project]\nname = 'first'\n", "use.py": "import json\njson.loads('')\n"}


def test_two_exports_become_one() -> None:
    first, other = read_export(_lines(FIRST)), read_export([*_lines(OTHER), b'{"record":"later"}\n'])
    merged = merged_export({"a": first, "b": other})
    lines = list(merged.graph.lines())
    assert not conformance(lines).breaches
    assert lines[-1] == b'{"record":"later"}\n'
    assert [node.file for node in merged.graph.named("shop:sell")] == ["b/shop.py"]
    (call,) = [edge for _, edge, _ in merged.graph.around(merged.graph.named("shop:pay")[0]) if edge.kind == "calls"]
    assert [site.file for site in call.sites] == ["a/shop.py"]
    both = first.nodes.keys() & other.nodes.keys()
    assert {first.nodes[one].qualified_name for one in both} == {"first", "json"}
    # Each has a workspace, of one id in every export.
    assert len(merged.graph.nodes) == len(first.nodes) + len(other.nodes) - 1
    assert sorted(node.name for node in merged.graph.nodes.values() if node.kind == "workspace") == ["first", "other"]
    counts = merged.graph.header.counts
    assert counts.unresolved_sites == sum(one.header.counts.unresolved_sites for one in (first, other))
    assert merged.graph.header.workspace.packages == ("first", "other")
    provenances = Counter(edge.provenance for one in (first, other) for edge in one.edges.values())
    assert Counter(edge.provenance for edge in merged.graph.edges.values()) == provenances


def test_what_exports_contradict_each_other_in_is_named() -> None:
    changed = {**FIRST, "shop.py": FIRST["shop.py"].replace("return 1", "return 2")}
    with pytest.raises(MergeRefused, match=r"\(notes.md\) of a and b; .* more$"):
        merged_export({"a": read_export(_lines(FIRST)), "b": read_export(_lines(changed))})
    lines = _lines(OTHER)
    lines[0] = lines[0].replace(b'"unit":"byte"', b'"unit":"utf-16"')
    with pytest.raises(MergeRefused, match=r"a column counts \(a: byte from 0, b: utf-16 from 0\)"):
        merged_export({"a": read_export(_lines(FIRST)), "b": read_export(lines)})
    outside = [line.replace(b'"provenance":"external"', b'"doc":"x","provenance":"external"') for line in _lines(OTHER)]
    found = merged_export({"a": read_export(_lines(FIRST)), "b": read_export(outside)})
    assert {(node.qualified_name, name) for node, name in found.differing} == {("json", "a")}


def test_what_is_wrong_is_said_with_its_line() -> None:
    lines = _lines(FILES)
    lines[2] = lines[2].replace(b'"confidence":1.0', b'"confidence":2')
    with pytest.raises(NotConforming, match=r"line 3: no node record: 2 is no number from 0 to 1"):
        read_export(lines)
