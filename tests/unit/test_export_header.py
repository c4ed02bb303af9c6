"""Export header: what it says of checkers.

Owns: exports of one snapshot beside a checker and without one.
Must not know: real checkers, records.
Invariant: what is not in an export does not change a byte of it.
"""

from __future__ import annotations

from graphls.graph.export import ExportOptions, export
from graphls.session.memory import snapshot_of


def test_a_header_names_a_checker_only_where_it_was_asked() -> None:
    checkers = {"python": "ty 1.2"}
    snapshot = snapshot_of({"a.py": b"def f(): ...\n"})
    running = ExportOptions(mode="allow-errors", checkers=checkers)
    assert list(export(snapshot, running).lines()) == list(export(snapshot, ExportOptions(mode="allow-errors")).lines())
    asked = ExportOptions(mode="allow-errors", verify="available", checkers=checkers)
    assert [provider.checker for provider in export(snapshot, asked).header.providers] == ["ty 1.2"]
