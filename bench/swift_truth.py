"""What swiftc says each name in Swift files means, one line an occurrence, for `languages.py`.

    swift-frontend -typecheck -filelist FILES -index-unit-output-path-filelist UNITS -module-name NAME \\
        -index-store-path STORE -index-include-locals -sdk / ...        (each module, what it imports before it)
    swift_index LIBINDEXSTORE STORE > INDEX.tsv                        (`bench/swift_index.c` says how it is built)
    python bench/swift_truth.py ROOT INDEX.tsv... > TRUTH.jsonl

FILES lists the sources of a module, one a line; UNITS as many names, each of its own. Code that `#if` leaves out is in no
index. Uses that no text spells are left out, and so are operators and names of accessors. Where a name stands for a type
and for the constructor that it calls, both are right.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

DECLARED, DEFINED, REFERENCE, IMPLICIT = 1, 2, 4, 256
MODULE, EXTENSION, PARAMETER = 1, 5, 25
Place = tuple[str, int, int]


def main() -> None:
    """Prints the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("index", type=Path, nargs="+")
    given = parser.parse_args()
    root = f"{given.root.resolve().as_posix()}/"
    places: dict[str, set[Place]] = {}
    uses: dict[Place, list[tuple[str, str, int]]] = {}
    for index in given.index:
        for line in index.read_text("utf-8").splitlines():
            path, row, column, role, kind, name, usr = line.split("\t")
            if not path.startswith(root):
                continue
            roles, place = int(role), (path.removeprefix(root), int(row), int(column))
            if ":" in name.partition("(")[0] or (roles & IMPLICIT and not roles & (DECLARED | DEFINED)):
                continue
            if roles & (DECLARED | DEFINED):
                places.setdefault(usr, set()).add(place)
            elif roles & REFERENCE:
                uses.setdefault(place, []).append((name.partition("(")[0], usr, int(kind)))
    texts = {path: (given.root / path).read_bytes().split(b"\n") for path in {place[0] for place in uses}}
    for place, meant in sorted(uses.items()):
        path, row, column = place
        text = texts[path][row - 1][column - 1 :].lstrip(b"`").decode("utf-8", "replace")
        name = text[: next((at for at, sign in enumerate(text) if not (sign.isalnum() or sign in "_$")), len(text))]
        kinds = {kind for _, _, kind in meant}
        if not name or (kinds <= {MODULE}) or not any(one in (name, "init", name.lstrip("$_")) for one, _, _ in meant):
            continue
        found = sorted({spot for _, usr, _ in meant for spot in places.get(usr, ())})
        local = any(kind == PARAMETER or "L_" in usr or usr.endswith("mfp") for _, usr, kind in meant)
        record = {
            "file": path,
            "line": row,
            "col": column,
            "name": name,
            "external": not found,
            "local": local,
            "kind": str(meant[0][2]),
            "definitions": [list(spot) for spot in found],
        }
        sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
