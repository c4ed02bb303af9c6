"""Loading: which file of the workspace a `require` means.

Owns: what of a written path decides.
Must not know: what files contain, the disk.
Invariant: a path with a dot in front counts from the file's folder; any other from a folder that files are loaded
    from: `lib` of a package, the top, or the only place outside of these where a file of the workspace ends so.
"""

from __future__ import annotations

from posixpath import normpath

from graphls.facts.paths import FilePath, shared_parts
from graphls.languages.provider import World

_ENDINGS = (".rb", "")


def loaded_file(written: str, file: FilePath, world: World) -> FilePath | None:
    """The file that a written path means in a file; None where it is not in the workspace or may be one of several."""
    folder = file.rpartition("/")[0]
    for ending in _ENDINGS:
        if ending and written.endswith(ending):
            continue
        if written.startswith(("./", "../")):
            path = normpath(f"{folder}/{written}{ending}" if folder else f"{written}{ending}")
            if path in world.package(path):
                return FilePath(path)
            continue
        path = normpath(written + ending)
        found = world.package(path) if not path.startswith((".", "/")) else ()
        likely = [one for one in found if one in (path, f"lib/{path}") or one.endswith(f"/lib/{path}")]
        # What lies deeper in `lib` is asked for by its path from there: `require "mcp"` is no `lib/shop/mcp.rb`.
        likely = likely or [one for one in found if not _is_below_lib(one)]
        if len(likely) > 1:
            near = [shared_parts(one, file) for one in likely]
            likely = [one for one, count in zip(likely, near, strict=True) if count == max(near)]
        if len(likely) == 1:
            return likely[0]
    return None


def _is_below_lib(path: FilePath) -> bool:
    return "lib" in path.split("/")[:-1]
