"""Symbol diagnostics: what is wrong at one symbol, as the text and a checker say.

Owns: which diagnostics of a file are about a symbol.
Must not know: logs of other tools, layout.
Invariant: a diagnostic is of the innermost node that holds its start, as its edge `diagnoses` in an export says.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.graph.node_records import FileNodes
from graphls.graph.snapshot import Snapshot, SymbolRef


@attrs.frozen(kw_only=True)
class SymbolDiagnostic:
    """One diagnostic. `origin`: the checker, or what reads the syntax; `line`, `column` from 1, in bytes."""

    line: int
    column: int
    severity: str
    origin: str
    code: str
    message: str


def symbol_diagnostics(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolDiagnostic, ...]:
    """In the order of an export: those of the syntax first."""
    return tuple(_found(snapshot, place))


def _found(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolDiagnostic]:
    nodes = FileNodes(snapshot, place.file)
    for found in nodes.diagnostics():
        record = found.record
        if nodes.owner_at(found.start) == place.definition and record.range is not None:
            said = record.attributes
            yield SymbolDiagnostic(
                line=record.range[0] + 1,
                column=record.range[1] + 1,
                severity=str(said.get("severity", "")),
                origin=str(said.get("source", "")),
                code=str(said.get("code", "")),
                message=str(said.get("message", record.name)),
            )
