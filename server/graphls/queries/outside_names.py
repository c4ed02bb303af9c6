"""Outside names: whether a module that resolution takes for one outside the workspace may be inside after all.

Owns: what proves that a module is outside: it is installed, declared, or nothing here is called like it.
Must not know: how a language spells imports, what is wanted from the module.
Invariant: a doubt stays a doubt: only a proof ends it.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.snapshot import Snapshot

_STEMS: Final = Memo["Set[str]"]("names of files and folders")
_DOUBTS: Final = MemoTable["tuple[str, str, str]", bool]("modules that may be inside")
_GLOBAL_OBJECTS: Final = frozenset({"window", "globalThis", "self", "global"})
"""What any file of a program may add names to."""
_PARTS: Final = re.compile(r"[/.]")


def may_be_inside(snapshot: Snapshot, path: FilePath, module: str) -> bool:
    """Whether a module, or a dotted name in one, that a file takes for outside may stand for something here."""
    folder, ending = path.rpartition("/")[0], path.rpartition(".")[2]
    memo = _DOUBTS.of(snapshot)
    known = memo.get((folder, ending, module))
    if known is None:
        known = memo[folder, ending, module] = _may_be(snapshot, path, module)
    return known


def _may_be(snapshot: Snapshot, path: FilePath, module: str) -> bool:
    if _PARTS.split(module, 1)[0] in _GLOBAL_OBJECTS:
        return True
    # Mostly this ends it, and it costs least.
    if stems(snapshot).isdisjoint(_PARTS.split(module)):
        return False
    known, table = snapshot.capabilities(path), snapshot.modules.get(snapshot.shards[path].language)
    declares = None if known is None else known.declares
    if table is not None and declares is not None and declares(table.aliases, path, module):
        return False
    return table is None or table.libraries is None or not table.libraries.distribution(module)[0]


def stems(snapshot: Snapshot) -> Set[str]:
    """Names of all folders of the workspace, and of all files without what follows the first dot."""
    known = _STEMS.get(snapshot)
    if known is None:
        folders, found = set[str](), set[str]()
        for path in (*snapshot.shards, *(skipped.path for skipped in snapshot.skipped)):
            folder, _, name = path.rpartition("/")
            found.add(name.partition(".")[0])
            folders.add(folder)
        for folder in folders:
            found.update(folder.split("/"))
        known = _STEMS.put(snapshot, frozenset(found - {""}))
    return known


def follow(before: Snapshot, snapshot: Snapshot) -> None:
    """The same files are there and modules are called the same as in the snapshot before."""
    if before.skipped == snapshot.skipped:
        _STEMS.carry(before, snapshot)
        _DOUBTS.carry(before, snapshot)
