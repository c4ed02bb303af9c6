"""Agreement: every edge that came from an occurrence is what textDocument/definition answers at its site.

Owns: sampling sites of an export, asking a real server at each, counting and naming disagreements.
Must not know: how either answer is made.
Invariant: exit code 0 only when every sampled site agrees; the sample is chosen by seed.

    python bench/agreement.py ROOT [--count N] [--seed N] [--cache FOLDER]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "bench"), str(HERE / "tests"), str(HERE / "server")]

if TYPE_CHECKING:
    from latency import Client

Spot = tuple[str, int, int]
"""File, line and column."""

FOLLOWING = frozenset({"contains", "defines", "imports", "tests", "overrides", "implements", "diagnoses", "documents"})
"""Kinds whose sites, if any, are those of another edge, or no names."""


def expected(lines: Iterable[bytes]) -> Mapping[Spot, frozenset[Spot]]:
    """Site -> places of the nodes that the edges at this site lead to, from the lines of an export."""
    nodes: dict[str, Spot | None] = {}
    sites: dict[Spot, set[str]] = {}
    constructing: set[Spot] = set()
    for line in lines:
        record = json.loads(line)
        if record["record"] == "node":
            nodes[record["id"]] = (record["file"], *record["range"][:2]) if record["file"] and record["range"] else None
            if record["kind"] == "module":
                nodes[record["id"]] = (record["file"], 0, 0)
        elif (
            record["record"] == "edge"
            and record["kind"] not in FOLLOWING
            and record["provenance"] == "syntax_inferred"
            and "implicit" not in record["attributes"]
        ):
            for site in record["sites"]:
                spot = (site["file"], *site["range"][:2])
                sites.setdefault(spot, set()).add(f"{record['kind']} {record['target']}")
                if record["kind"] == "instantiates":
                    constructing.add(spot)
    found: dict[Spot, frozenset[Spot]] = {}
    for spot, ends in sites.items():
        wanted = [end.split(" ") for end in ends if spot not in constructing or not end.startswith("calls ")]
        places = [place for _, target in wanted if (place := nodes.get(target)) is not None]
        if places and spot not in places:
            found[spot] = frozenset(places)
    return found


def main() -> int:
    """Prints one JSON object and up to twenty disagreements."""
    from latency import Client

    from graphls.graph.export import ExportOptions, export
    from graphls.session.session import Session
    from graphls.sources.workspace import Workspace
    from graphls.store.blobs import BlobStore, StoreOptions

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", default="")
    chosen = parser.parse_args()
    root = chosen.root.resolve()
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Workspace.of([str(root)]), store=BlobStore(StoreOptions(chosen.cache or folder)))
        session.start()
        try:
            assert session.wait("complete", 900)
            sites = expected(export(session.snapshot(), ExportOptions(mode="allow-errors")).lines())
        finally:
            session.close()
        sample = random.Random(chosen.seed).sample(sorted(sites), min(chosen.count, len(sites)))
        client = Client(root, chosen.cache or folder, {"checker": {"enabled": False}})
        try:
            client.complete()
            wrong = [problem for spot in sample if (problem := _disagreement(client, spot, sites[spot]))]
        finally:
            client.raw.close()
    print(json.dumps({"sites": len(sites), "asked": len(sample), "disagree": len(wrong)}))
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


def _disagreement(client: Client, spot: Spot, wanted: frozenset[Spot]) -> str:
    file, line, column = spot
    where = {"textDocument": {"uri": client.uri(file)}, "position": {"line": line, "character": column}}
    answer, _ = client.ask("textDocument/definition", **where)
    places = [(place["uri"], place["range"]["start"]["line"], place["range"]["start"]["character"]) for place in answer]
    missing = [place for place in sorted(wanted) if (client.uri(place[0]), *place[1:]) not in places]
    return f"{file}:{line + 1}:{column + 1} should lead to {missing}, leads to {places}" if missing else ""


if __name__ == "__main__":
    sys.exit(main())
