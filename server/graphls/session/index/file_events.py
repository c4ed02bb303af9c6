"""File events: what is at paths that somebody told of.

Owns: telling files, folders and what is neither apart, and what each means for the files that are known.
Must not know: threads, which files are known, who told.
Invariant: the disk decides, not the kind of the event; a path that is no folder has nothing below it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import attrs

from graphls.facts.paths import FilePath
from graphls.session.index.scanning import indexed
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.ignore_rules import IGNORE_NAMES
from graphls.sources.limits import SourceLimits
from graphls.sources.look import is_folder, is_symbolic_link, is_there, look
from graphls.sources.surroundings import CODE, bears_on
from graphls.sources.workspace import Workspace


@attrs.frozen
class FileEvents:
    """What to do about them."""

    rescan: bool
    """Only a walk can say what is there now."""
    outside: bool
    """And so for what the graph rests on besides the files of the workspace."""
    changed: tuple[tuple[FilePath, int], ...]
    """With their sizes."""
    gone: tuple[FilePath, ...]
    no_folders: tuple[FilePath, ...]
    """Whatever is known below these is gone."""


def classify_changes(
    workspace: Workspace, limits: SourceLimits, paths: Iterable[FilePath], links: Collection[str] = ()
) -> FileEvents:
    """Looks at each path once. `links`: paths that were symbolic links."""
    index = IgnoreIndex(workspace, limits)
    rescan = outside = False
    changed: list[tuple[FilePath, int]] = []
    gone: list[FilePath] = []
    no_folders: list[FilePath] = []
    for path in dict.fromkeys(paths):
        found = look(workspace, path)
        if path.rpartition("/")[2] in IGNORE_NAMES:
            rescan = rescan or _counts(path, index)
            continue
        outside = outside or _bears_on(workspace, path, index)
        if path in links or (found is None and is_symbolic_link(workspace, path)):
            rescan = rescan or not index.leaves_out(path)
        if path.rpartition("/")[2] == "pyvenv.cfg":
            rescan = rescan or _counts(path, index)
        elif found is None and is_folder(workspace, path):
            rescan = rescan or not index.leaves_out(path, is_folder=True)
        else:
            no_folders.append(path)
            left_out = index.leaves_out(path)
            if found is None or left_out:
                gone.append(path)
                # A walk says why it is left out.
                rescan = rescan or (not left_out and indexed(path) and is_there(workspace, path))
            elif indexed(path):
                changed.append((path, found.size))
    return FileEvents(rescan, outside, tuple(changed), tuple(gone), tuple(no_folders))


def _bears_on(workspace: Workspace, path: FilePath, index: IgnoreIndex) -> bool:
    """Whether the surroundings may have changed. A workspace may be made of packages: its own files are none."""
    return bears_on(workspace, path) and (not path.endswith(CODE) or index.leaves_out(path))


def _counts(path: FilePath, index: IgnoreIndex) -> bool:
    """Whether the folder of an ignore file is looked into: installed packages bring many."""
    folder = FilePath(path.rpartition("/")[0])
    return not folder or not index.leaves_out(folder, is_folder=True)
