"""Loading: which file of the workspace `require` means.

Owns: what of the name of a module decides; what rockspecs say of modules.
Must not know: what files contain, the disk.
Invariant: a name means the file that a rockspec gives it, else the nearest below a folder that modules are loaded from;
    the only file of the workspace that ends so is meant where the name has two parts or more. Else nothing is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath, shared_parts
from graphls.languages.capabilities import Aliases
from graphls.languages.provider import World

ROOTS: Final = ("", "lua/", "src/", "lib/")
"""Folders below one that modules are loaded from: itself, that of plugins of Neovim, those of `package.path`."""
_PLACES: Final = frozenset(("", "lua", "src", "lib", "spec", "tests", "test", "bin", "examples", "example", "scripts"))
"""Folders that a program is started in: modules of one word are looked for beside the files in them."""
_ENTRY: Final = re.compile(rb"\[?[\"']?([A-Za-z_][\w.-]*)[\"']?\]?\s*=\s*[\"']([^\"'\n]+\.lua)[\"']")


def module_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Aliases:
    """Modules by the names that rockspecs give them (`build.modules`), with slashes."""
    known, found = frozenset(files), dict[str, dict[str, None]]()
    for path, data in manifests.items():
        folder = path.rpartition("/")[0]
        for entry in _ENTRY.finditer(data):
            written = entry[2].decode("utf-8", "replace")
            for home in (folder, folder.rpartition("/")[0]):
                file = normpath(f"{home}/{written}" if home else written)
                if file in known:
                    found.setdefault(entry[1].decode().replace(".", "/"), {})[file] = None
                    break
    return {name: tuple(sorted(some)) for name, some in found.items()}


def loaded_file(module: str, importer: FilePath, world: World) -> FilePath | None:
    """The file that the name of a module, with slashes, means in a file."""
    for one in world.aliases(module, importer):
        return FilePath(one)
    rest = normpath(module)
    if not rest or rest.startswith((".", "/")):
        return None
    found: dict[str, None] = {}
    for ending in (f"{rest}.lua", f"{rest}/init.lua"):
        found.update(dict.fromkeys(world.package(ending)))
    found.pop(importer, None)
    if not found:
        return None
    for place in _looked_at(rest, importer):
        if place in found:
            return FilePath(place)
    rooted = [one for one in found if any(_is_below(one, rest, root) for root in ROOTS[1:])]
    likely = rooted or (list(found) if "/" in rest else [])
    if len(likely) > 1:
        near = [shared_parts(one, importer) for one in likely]
        likely = [one for one, count in zip(likely, near, strict=True) if count == max(near)]
    return FilePath(likely[0]) if len(likely) == 1 else None


def _looked_at(rest: str, importer: FilePath) -> Iterator[str]:
    """Paths of a module below the folders around a file, the nearest first."""
    folder = importer.rpartition("/")[0]
    while True:
        beside = "/" in rest or folder.rpartition("/")[2] in _PLACES
        for root in ROOTS:
            for ending in (".lua", "/init.lua"):
                if root or beside:
                    yield f"{folder}/{root}{rest}{ending}" if folder else f"{root}{rest}{ending}"
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _is_below(path: str, rest: str, root: str) -> bool:
    return any(
        path == f"{root}{rest}{ending}" or path.endswith(f"/{root}{rest}{ending}") for ending in (".lua", "/init.lua")
    )
