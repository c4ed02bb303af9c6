"""Symbols: what is printed for each declaration of a folder is asked for, and must find that declaration alone.

Owns: reading a folder, counting and naming declarations that do not come back.
Must not know: how symbols are spelled or found.
Invariant: exit code 0 only when every declaration comes back.

    python bench/symbols.py ROOT [--show N]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "server")]

from graphls.graph.errors import GraphError  # noqa: E402
from graphls.graph.identity import symbol_name  # noqa: E402
from graphls.graph.node_table import node_kind  # noqa: E402
from graphls.graph.nodes import is_node  # noqa: E402
from graphls.graph.snapshot import Snapshot, SymbolRef  # noqa: E402
from graphls.queries.symbol_lookup import one_symbol  # noqa: E402
from graphls.session.memory import snapshot_of  # noqa: E402

ENDINGS = (".py", ".pyi", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro", ".json", ".toml")
LEFT_OUT = frozenset({"node_modules", ".git", ".venv", "dist", "build"})
MOST_BYTES = 400_000
IMPORTS = ("import", "api_member")


def read(root: Path) -> dict[str, bytes]:
    """The files of a folder that graphls may read."""
    paths = (path for path in sorted(root.rglob("*")) if path.suffix in ENDINGS and path.is_file())
    kept = (path for path in paths if LEFT_OUT.isdisjoint(path.relative_to(root).parts))
    return {str(path.relative_to(root)): path.read_bytes() for path in kept if path.stat().st_size < MOST_BYTES}


def declarations(snapshot: Snapshot) -> Iterator[SymbolRef]:
    """Nodes that are no bindings of imports."""
    for path in snapshot.files():
        facts = snapshot.facts(path)
        for row in range(-1, len(facts.definitions)):
            if is_node(facts, row) and node_kind(snapshot, SymbolRef(path, row)).kind not in IMPORTS:
                yield SymbolRef(path, row)


def lost(snapshot: Snapshot, place: SymbolRef) -> str:
    """What a printed symbol finds instead; "" where it finds its declaration."""
    name = symbol_name(snapshot, place)
    try:
        found = one_symbol(snapshot, name)
    except GraphError as refusal:
        return f"{name}: {refusal}"
    return "" if found == place else f"{name}: {symbol_name(snapshot, found)} ({found.file})"


def main() -> int:
    """Prints how many declarations come back."""
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--show", type=int, default=10)
    given = parser.parse_args()
    snapshot = snapshot_of(read(given.root))
    places = list(declarations(snapshot))
    missing = [said for place in places if (said := lost(snapshot, place))]
    print(f"{given.root}: {len(places):,} declarations, {len(missing):,} not found by what is printed for them")
    for said in missing[: given.show]:
        print(f"  {said[:300]}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
