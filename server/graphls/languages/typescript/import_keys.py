"""Import keys: the words by which files that may import a module are found.

Owns: which names imports may have for a file: its own, its folder's, those that manifests give.
Must not know: which file a name means in the end.
Invariant: whoever imports a file by a name that is resolved to it writes a name with one of its keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from graphls.facts.import_keys import import_key
from graphls.facts.paths import FilePath
from graphls.languages.typescript.modules import BUNDLER, CONFIG, FOLDER, FRAMEWORK, PACKAGE

_LINKS: Final = "link:"
"""The question for symbolic links."""


def import_keys(aliases: Mapping[str, tuple[str, ...]], path: FilePath) -> Collection[str]:
    """Keys of all names by which imports may name a file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    keys = {stem: None}
    if stem == "index":
        keys.update({import_key(folder): None, "": None})
    for entry in aliases.get(_LINKS, ()):
        link, _, target = entry.partition("\t")
        if path == target or (stem == "index" and folder == target):
            keys[import_key(link)] = None
    for key, entries in aliases.items():
        if not key.startswith((BUNDLER, CONFIG, FOLDER, PACKAGE, FRAMEWORK)):
            continue
        for entry in entries:
            pattern, *targets = entry.split("\t")
            if _may_mean(pattern, targets, path):
                # The whole of a package or folder is called as that is.
                keys[import_key(key.partition(":")[2] if pattern == "." else pattern)] = None
    return tuple(keys)


def _may_mean(pattern: str, targets: Collection[str], path: FilePath) -> bool:
    """Whether a pattern that gives more than the last part of a path as it is may lead to a file."""
    if pattern.endswith("*"):
        return False
    return any(path.startswith(_bare(target.partition("*")[0])) for target in targets)


def _bare(target: str) -> str:
    """A target without its ending: `src/a.js` may mean `src/a.ts`, and `src` what is in it."""
    name = target.rpartition("/")[2]
    return target[: len(target) - len(name)] + name.partition(".")[0]
