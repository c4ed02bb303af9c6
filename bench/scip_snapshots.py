"""Truth for `bench/languages.py` from the snapshots of a SCIP indexer.

    python bench/scip_snapshots.py SNAPSHOTS [--ending .cs] > TRUTH.jsonl

A snapshot is a source file, each line two columns further right, with lines of marks below:
`//   ^^^^ definition SYMBOL` or `reference SYMBOL`. SNAPSHOTS is one folder of them (`snapshots/output-net8.0` of
sourcegraph/scip-dotnet); its sources are the folder `input` beside it. Symbols of no package are the workspace's.
Uses of what no snapshot defines (namespaces, constructors that nobody wrote) say no place and are left out.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

_MARK = re.compile(r"^//( *)(\^+) (definition|reference) (.+)$")


def marks(text: str) -> Iterator[tuple[int, int, int, str, str]]:
    """Line and column from 1, length, role, symbol."""
    line = 0
    for row in text.splitlines():
        found = _MARK.match(row)
        if found is not None:
            yield line, len(found[1]) + 1, len(found[2]), found[3], found[4]
        elif not row.startswith("//"):
            line += 1


def truth(root: Path, ending: str) -> Iterator[dict[str, object]]:
    """One row a use."""
    found = sorted(root.rglob(f"*{ending}"))
    files = {path.relative_to(root).as_posix(): path.read_text("utf-8-sig") for path in found}
    places: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
    for file, text in files.items():
        for line, column, _, role, symbol in marks(text):
            if role == "definition":
                home = file if symbol.startswith("local ") else ""
                places.setdefault((home, symbol), []).append((file, line, column))
    for file, text in files.items():
        source = [row[2:] for row in text.splitlines() if not row.startswith("//")]
        for line, column, length, role, symbol in marks(text):
            if role != "reference":
                continue
            local = symbol.startswith("local ")
            external = not local and " . . " not in symbol
            known = list(places.get((file if local else "", symbol), []))
            if source[line - 1][: column - 1].endswith("new "):  # a creation leads to what runs: a constructor
                made = f"{symbol}`.ctor`"
                known += [one for (_, other), found in places.items() if _is_method(other, made) for one in found]
            if known or external:
                yield {
                    "file": file, "line": line, "col": column,
                    "name": source[line - 1][column - 1 : column - 1 + length],
                    "external": external, "local": local, "kind": "use", "definitions": [list(one) for one in known],
                }  # fmt: skip


def _is_method(symbol: str, start: str) -> bool:
    return symbol.startswith(start) and symbol.endswith(").")


def main() -> None:
    """Prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--ending", default=".cs")
    given = parser.parse_args()
    for row in truth(given.root, given.ending):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
