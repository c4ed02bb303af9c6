"""Agreement: an edge and the definition at its site say the same.

Owns: every site of the export of real files, against the query behind textDocument/definition.
Must not know: how either is made.
Invariant: no edge that came from an occurrence leads where definition does not.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from agreement import expected

from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.graph.snapshot import Snapshot
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of
from increment.test_equal_to_scratch import FILES


def leads_to(snapshot: Snapshot, file: str, line: int, column: int) -> set[tuple[str, int, int]]:
    path = FilePath(file)
    found = definition(snapshot, path, snapshot.facts(path).lines[line] + column)
    places = found.places if found else ()
    return {(place.file, *snapshot.facts(place.file).line_column(place.start)) for place in places}


def test_edges_lead_where_definition_leads() -> None:
    snapshot = snapshot_of(FILES)
    sites = expected(export(snapshot, ExportOptions(mode="allow-errors")).lines())
    assert len(sites) > 300
    wrong = {spot: places for spot, places in sites.items() if not places <= leads_to(snapshot, *spot)}
    assert not wrong
