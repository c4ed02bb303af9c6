"""Cold ends: are the edges to a declaration the same before anything is linked as once everything is?

Owns: the comparison of what a new session answers for one declaration with the edges of the whole workspace.
Must not know: how edges are found.
Invariant: each declaration is asked about in a session of its own that linked nothing; every difference is printed; ends
    with 1 where there is one.

    python bench/cold_ends.py ROOT [--count N] [--seed N] [--implicit]
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

from linked import linked

from graphls.graph.edges import edges_from, edges_to
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.session import Session, SessionOptions
from graphls.settings.tree import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

_PATIENCE = 300


def main() -> int:
    """Prints differences and how many declarations were compared."""
    options = argparse.ArgumentParser()
    options.add_argument("root", type=Path)
    options.add_argument("--count", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--implicit", action="store_true", help="only declarations that something runs without naming")
    chosen = options.parse_args()
    root = chosen.root.resolve()
    with tempfile.TemporaryDirectory() as cache:
        with linked(root) as session:
            wanted = _by_target(session.snapshot(), implicit=chosen.implicit)
        _new_session(root, cache).close()
        places = sorted(wanted, key=lambda place: (place.file, place.definition))
        random.Random(chosen.seed).shuffle(places)
        differing = sum(_differs(root, cache, place, wanted[place]) for place in places[: chosen.count])
    print(f"{differing} of {min(chosen.count, len(places)):,} declarations differ ({len(places):,} have edges)")
    return 1 if differing else 0


def _by_target(snapshot: Snapshot, *, implicit: bool) -> dict[SymbolRef, set[tuple[SymbolRef, str]]]:
    found: dict[SymbolRef, set[tuple[SymbolRef, str]]] = defaultdict(set)
    marked: set[SymbolRef] = set()
    for path in sorted(snapshot.files()):
        for edge in edges_from(snapshot, path) if snapshot.shards[path].language else ():
            if isinstance(edge.source, SymbolRef) and isinstance(edge.target, SymbolRef) and edge.target.definition >= 0:
                found[edge.target].add((edge.source, edge.kind))
                if edge.attributes.get("implicit"):
                    marked.add(edge.target)
    return {place: edges for place, edges in found.items() if place in marked or not implicit}


def _new_session(root: Path, cache: str) -> Session:
    """One that read every file and linked none."""
    options = SessionOptions(link_all=False, libraries=True)
    session = Session(Workspace.of([str(root)]), Settings(), BlobStore(StoreOptions(cache)), options)
    session.start()
    if not session.wait("ready", _PATIENCE):
        raise SystemExit(f"{root} was not read in time")
    return session


def _differs(root: Path, cache: str, place: SymbolRef, wanted: set[tuple[SymbolRef, str]]) -> bool:
    with tempfile.TemporaryDirectory() as folder:  # what was linked for one declaration is not there for the next
        shutil.copytree(cache, folder, dirs_exist_ok=True)
        session = _new_session(root, folder)
        try:
            snapshot = session.snapshot()
            edges = edges_to(snapshot, place)
            found = {(edge.source, edge.kind) for edge in edges if isinstance(edge.source, SymbolRef)}
            if found != wanted:
                name = qualified_name(snapshot.facts(place.file), place.definition)
                print("differs:", place.file, name, *sorted(map(str, found ^ wanted))[:4])
            return found != wanted
        finally:
            session.close()


if __name__ == "__main__":
    raise SystemExit(main())
