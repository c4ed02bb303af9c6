"""Conversion of own messages: what is made beforehand is not made again."""

from __future__ import annotations

import json

import pytest

from graphls.lsp.messages import FindParams, FindResult, NextStep
from graphls.lsp.protocol import conversion
from graphls.lsp.protocol.conversion import Conversion, make_converter


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
