"""Exported graphs: an export read back.

Owns: the round trip, what is refused, answers to questions.
Must not know: how records are encoded.
Invariant: what graphls wrote comes back byte for byte.
"""

from __future__ import annotations

import pytest

from graphls.graph.export import ExportOptions, export
from graphls.graph.exported_graph import NotConforming, read_export, symbol_of
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
