"""Look: what one path of the workspace is, by itself.

Owns: the stamp of a single file, what is no file.
Must not know: ignore rules, contents.
Invariant: no link is followed; anything but a regular file is None.
"""

from __future__ import annotations

import os
import stat

from graphls.facts.paths import FilePath
from graphls.sources.source_files import FoundFile
from graphls.sources.workspace import OutsideWorkspaceError, Workspace


def look(workspace: Workspace, path: FilePath) -> FoundFile | None:
    """The file as a walk would list it, or None when there is no such file."""
    try:
        status = os.lstat(workspace.absolute(path))
    except (OSError, OutsideWorkspaceError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return FoundFile(path, status.st_size, status.st_mtime_ns, status.st_ino)


def is_folder(workspace: Workspace, path: FilePath) -> bool:
    """Whether the path is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(workspace.absolute(path)).st_mode)
    except (OSError, OutsideWorkspaceError, ValueError):
        return False


def is_symbolic_link(workspace: Workspace, path: FilePath) -> bool:
    """Whether the path is a symbolic link."""
    try:
        return stat.S_ISLNK(os.lstat(workspace.absolute(path)).st_mode)
    except (OSError, OutsideWorkspaceError, ValueError):
        return False


def is_there(workspace: Workspace, path: FilePath) -> bool:
    """Whether there is anything of this name, be it a link that leads nowhere."""
    try:
        return os.path.lexists(workspace.absolute(path))
    except (OutsideWorkspaceError, ValueError):
        return False
