"""Edges across languages of one workspace, to be read beside its code.

    python bench/contracts.py ROOT {http,rpc,key}

One line a site: where it stands, what asks or answers, what is meant; `possible` where it is one of several.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from graphls.graph.identity import end_name
from graphls.session.memory import snapshot_of

LARGEST = 2_000_000


def main() -> None:
    """Prints the edges, and how many sites there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("via", choices=("http", "rpc", "key"))
    chosen = parser.parse_args()
    texts: dict[str, bytes] = {}
    for path in sorted(chosen.root.rglob("*")):
        inside = path.relative_to(chosen.root).as_posix()
        if path.is_file() and not path.is_symlink() and not inside.startswith((".git/", "node_modules/")):
            data = path.read_bytes()
            if len(data) <= LARGEST and b"\0" not in data:
                texts[inside] = data.decode("utf-8", "replace").encode()
    snapshot = snapshot_of(texts)
    assert snapshot.derivation is not None
    found: dict[str, None] = {}
    for path in snapshot.shards:
        for edge in snapshot.derivation.edges_from(snapshot, path):
            for file, start, _ in edge.sites if edge.attributes.get("via") == chosen.via else ():
                ends = f"{end_name(snapshot, edge.source)} {edge.kind} {end_name(snapshot, edge.target)}"
                line = texts[file].count(b"\n", 0, start) + 1
                found[f"{file}:{line} {ends}{' possible' if edge.ambiguous else ''}"] = None
    print("\n".join(sorted(found)))
    certain = {line.partition(" ")[0] for line in found if not line.endswith(" possible")}
    print(f"{len({line.partition(' ')[0] for line in found})} sites, {len(certain)} of them certain")


if __name__ == "__main__":
    main()
