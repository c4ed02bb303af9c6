"""Export header: what it says of checkers, and what is not exported because it would say too little.

Owns: exports of one snapshot beside a checker and without one, while a change is pending.
Must not know: real checkers, records.
Invariant: what is not in an export does not change a byte of it.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.errors import GraphError
from graphls.graph.export import ExportOptions, export
from graphls.lsp.export import exported
from graphls.lsp.params import ExportParams
from graphls.session.memory import snapshot_of


def test_a_header_names_a_checker_only_where_it_was_asked() -> None:
    checkers = {"python": "ty 1.2"}
    snapshot = snapshot_of({"a.py": b"def f(): ...\n"})
    running = ExportOptions(mode="allow-errors", checkers=checkers)
    assert list(export(snapshot, running).lines()) == list(export(snapshot, ExportOptions(mode="allow-errors")).lines())
    asked = ExportOptions(mode="allow-errors", verify="available", checkers=checkers)
    assert [provider.checker for provider in export(snapshot, asked).header.providers] == ["ty 1.2"]


@pytest.mark.parametrize("freshness", ["require-fresh", "prefer-fresh"])
def test_what_must_be_fresh_is_not_exported_in_the_midst_of_a_change(freshness: Any) -> None:
    """Its header would differ from that of the same contents at rest."""
    taken = attrs.evolve(snapshot_of({"a.py": b"def f(): ...\n"}), pending=(FilePath("a.py"),))
    checkers = SimpleNamespace(session=SimpleNamespace(checker_service=SimpleNamespace(checkers=dict[str, str])))
    nothing: Any = Mock(begin=Mock(return_value=nullcontext()), deliver=Mock(return_value=()))
    context: Any = SimpleNamespace(snapshot=taken, session=checkers, cancel=nothing, progress=nothing, partial=nothing)
    params = ExportParams(mode="allow-errors", freshness=freshness)
    if freshness == "prefer-fresh":
        assert exported(context, params).degraded
        return
    with pytest.raises(GraphError, match="1 changed file is not read yet") as refusal:
        exported(context, params)
    assert refusal.value.code == "graphls.notReady"
