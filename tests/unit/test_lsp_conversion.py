"""Conversion of own messages: what is made beforehand is not made again."""

from __future__ import annotations

import json

import pytest

from graphls.lsp.messages import ExportResult, FindResult, NextStep, NodeJson, StopView
from graphls.lsp.params import ExportParams, FindParams
from graphls.lsp.protocol import conversion
from graphls.lsp.protocol.conversion import BadParams, Conversion, make_converter
from graphls.lsp.protocol.raw_json import MARK


def test_prepared_messages_need_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Conversion(make_converter())
    made.register("graph/find", FindParams, FindResult)
    made.prepare()

    def never(*_: object, **__: object) -> None:
        raise AssertionError("made late")

    monkeypatch.setattr(conversion, "make_dict_unstructure_fn", never)
    monkeypatch.setattr(conversion, "make_dict_structure_fn", never)
    assert made.params("graph/find", {"text": "a"}) == FindParams(text="a")
    found = FindResult(
        snapshot="s:1",
        revision=1,
        fresh=True,
        pending=(),
        pending_count=0,
        complete=True,
        unresolved_sites=0,
        truncated=False,
        omitted=0,
        next=NextStep(kind="answer"),
        matches=[],
        total=0,
    )
    assert json.loads(made.encode(found))["next"] == {"kind": "answer", "candidates": []}


def test_written_values_stand_where_plain_ones_would() -> None:
    made = Conversion(make_converter())
    values: list[dict[str, object]] = [{"name": 'ä"\\', "depth": 1}, {}, {"name": "[1,2]"}]
    written = [NodeJson(json.dumps(value, separators=(",", ":"))) for value in values]
    for ends in ([], [NextStep()]):
        plain = {"nodes": values, "between": [MARK[:-1], '"'], "root": values[0], "ends": ends}
        assert made.encode({**plain, "nodes": written, "root": written[0]}) == made.encode(plain)
    stop = {"why": "a", "count": 1, "node": values[0]}
    assert json.loads(made.encode([StopView(why="a", count=1, node=written[0]), written[1]])) == [stop, {}]


def test_a_word_that_is_not_allowed_is_answered_with_those_that_are() -> None:
    made = Conversion(make_converter())
    made.register("graph/export", ExportParams, ExportResult)
    with pytest.raises(BadParams, match=r"method: expected one of 'none', 'available' @ params\.verify\."):
        made.params("graph/export", {"verify": "complete"})
