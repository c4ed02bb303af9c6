"""SCIP export: an index against its schema, and against what graphls answers.

Owns: reading an index by the schema that SCIP publishes, asking for each occurrence and symbol, counting differences.
Must not know: how an index is written.
Invariant: exit code 0 only when the index keeps to the schema and nothing differs; every occurrence and every symbol
    is asked for, none is drawn by chance.

    python bench/scip_export.py ROOT [--cache FOLDER]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), str(HERE / "server")]

if TYPE_CHECKING:
    from graphls.graph.snapshot import Snapshot

Spot = tuple[str, int, int]
"""File, line and column in bytes."""
_DEFINITION, _IMPORT = 1, 2


class IndexPlaces:
    """Where symbols of an index are defined and used. Names of the form `local N` are those of their document."""

    def __init__(self, index: Any) -> None:  # noqa: ANN401 (made by a schema that is read when this runs)
        self.defined: dict[str, set[Spot]] = {}
        self.used: dict[str, set[Spot]] = {}
        self.at: dict[Spot, set[str]] = {}
        for document in index.documents:
            for one in document.occurrences:
                symbol = f"{document.relative_path} {one.symbol}" if one.symbol.startswith("local ") else one.symbol
                spot = (document.relative_path, one.range[0], one.range[1])
                if one.symbol_roles & _DEFINITION and not one.symbol_roles & _IMPORT:
                    self.defined.setdefault(symbol, set()).add(spot)
                elif not one.symbol_roles & _DEFINITION:
                    self.used.setdefault(symbol, set()).add(spot)
                    self.at.setdefault(spot, set()).add(symbol)


def differing_definitions(snapshot: Snapshot, places: IndexPlaces) -> Iterator[str]:
    """Uses whose symbol is defined elsewhere than graphls answers."""
    from graphls.facts.paths import FilePath
    from graphls.queries.definition import definition

    for spot, symbols in sorted(places.at.items()):
        path = FilePath(spot[0])
        wanted = {place for symbol in symbols for place in places.defined.get(symbol, ())}
        answer = definition(snapshot, path, snapshot.facts(path).lines[spot[1]] + spot[2])
        found = {
            (place.file, *snapshot.facts(place.file).line_column(place.start))
            for place in (answer.places if answer else ())
        }
        # A module is defined at the start of its file in an index, where its text begins in an answer.
        modules = {file for file, *start in wanted if start == [0, 0]}
        # Of `{ join }` the name means a value outside and a property here; an answer shows the first.
        outside = bool(answer and answer.externals) and not symbols <= places.defined.keys()
        if wanted and wanted.isdisjoint(found) and modules.isdisjoint(file for file, *_ in found) and not outside:
            yield f"definition {spot}: the index says {sorted(wanted)[:3]}, graphls {sorted(found)[:3]}"


def differing_references(snapshot: Snapshot, places: IndexPlaces) -> Iterator[str]:
    """Symbols whose uses are others than graphls answers."""
    from graphls.facts.kinds import DefinitionKind, Resolution
    from graphls.graph.monikers import moniker
    from graphls.graph.nodes import node_rows
    from graphls.graph.snapshot import SymbolRef
    from graphls.queries.references import references

    for path in snapshot.files():
        facts = snapshot.facts(path)
        rows = node_rows(facts)
        for row, kind in enumerate(facts.definitions.kind):
            place = SymbolRef(path, row)
            symbol = moniker(snapshot, place)
            if rows[row] != row or kind == DefinitionKind.IMPORT or symbol.startswith("local "):
                continue
            answer = references(snapshot, place)
            found = {
                (use.file, *snapshot.facts(use.file).line_column(use.start))
                for use in (*answer.bindings, *answer.uses)
                if use.resolution is not Resolution.NAME
            }
            said = places.used.get(symbol, set()) - places.defined.get(symbol, set())
            missing, more = found - said - places.defined.get(symbol, set()), said - found
            for words, spots in (("lacks", missing), ("has beyond graphls", more)):
                if spots:
                    yield f"references {symbol}: the index {words} {sorted(spots)[:3]}"


def main() -> int:
    """Prints one JSON object and up to twenty differences of each kind."""
    from graphls.session.session import Session
    from graphls.sources.workspace import Workspace
    from graphls.store.blobs import BlobStore, StoreOptions
    from graphls.tables.scip_index import scip_chunks
    from scip_schema import parsed, unfit

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--cache", default="")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = BlobStore(StoreOptions(chosen.cache or folder))
        session = Session(Workspace.of([str(chosen.root.resolve())]), store=store)
        session.start()
        try:
            assert session.wait("complete", 900)
            snapshot = session.snapshot()
            raw = b"".join(scip_chunks(snapshot, tuple(snapshot.files())))
            index = parsed(raw)
            places = IndexPlaces(index)
            wrong: Mapping[str, list[str]] = {
                "schema": _listed(unfit(index)),
                "definitions": _listed(differing_definitions(snapshot, places)),
                "references": _listed(differing_references(snapshot, places)),
            }
        finally:
            session.close()
    figures = {"bytes": len(raw), "documents": len(index.documents), "uses": len(places.at)}
    figures |= {"symbols": len(places.defined), "externals": len(index.external_symbols)}
    print(json.dumps({**figures, **{f"differ: {name}": len(rows) for name, rows in wrong.items()}}))
    for rows in wrong.values():
        print("\n".join(rows[:20]))
    return 1 if any(wrong.values()) else 0


def _listed(found: Iterable[str]) -> list[str]:
    return list(found)


if __name__ == "__main__":
    sys.exit(main())
