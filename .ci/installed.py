"""Installed: does the installed package hold every file of the source tree?

Owns: comparing two folders by name.
Must not know: what the files mean.
Invariant: a query file or marker missing from the wheel fails here, not at a user's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import graphls


def contents(root: Path) -> set[str]:
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    # A wheel holds a grammar as it was built, not what it was built from.
    left = {"__pycache__", "grammar"}
    return {path.as_posix() for path in files if not left & set(path.parts) and path.suffix != ".so"}


def main() -> int:
    installed = Path(graphls.__file__).parent
    missing = sorted(contents(Path(sys.argv[1])) - contents(installed))
    for name in missing:
        print(f"not in the installed package: {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
