"""Sources: which file of the workspace a `source`, or a program given by its path, means.

Owns: what of a written path decides.
Must not know: what scripts contain, the disk.
Invariant: a path that is written out counts from the script's folder; of one that begins with what is computed only
    what follows decides, and only where one file of the workspace ends so.
"""

from __future__ import annotations

from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.provider import World

COMPUTED: Final = "$/"
"""Stands at the beginning of a written path for what the script computes."""
_RUN_FROM: Final = ""
"""Scripts are often run from the top of their repository, and paths in them count from there."""


def sourced_file(written: str, script: FilePath, world: World) -> FilePath | None:
    """The file that a path in a script means; None where it is not in the workspace, or where several may be meant."""
    folder = script.rpartition("/")[0]
    if not written.startswith(COMPUTED):
        for home in (folder, _RUN_FROM):
            exact = _joined(home, written)
            if exact and exact in world.package(exact):
                return FilePath(exact)
        return None
    inside = normpath(written[len(COMPUTED) :].lstrip("/"))
    near, ending = _joined(folder, inside), inside.removeprefix("../").replace("../", "")
    if near and near in world.package(near):
        return FilePath(near)
    found = world.package(ending)
    return next(iter(found)) if len(found) == 1 else None


def _joined(folder: str, inside: str) -> str:
    """A path of the workspace; "" for what leads out of it."""
    joined = normpath(f"{folder}/{inside}" if folder else inside)
    return "" if joined in (".", "..") or joined.startswith(("../", "/")) else joined
