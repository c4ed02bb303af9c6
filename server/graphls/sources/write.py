"""Write: a result the user asked to have in a file of the workspace.

Owns: the one way to write below a workspace folder.
Must not know: what is written, who asks.
Invariant: the file is whole or untouched, lies inside the workspace with every link followed, and may be replaced.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable

from graphls.facts.paths import FilePath
from graphls.sources.workspace import OutsideWorkspaceError, Workspace

HEAD = 400
"""Bytes by which a file is known."""


class InTheWay(ValueError):
    """The file is there, and nobody said that it may be replaced."""


def write_inside(
    workspace: Workspace,
    argument: str,
    chunks: Iterable[bytes],
    replaceable: Callable[[bytes], bool] = lambda head: True,
    *,
    folders: bool = False,
) -> FilePath:
    """Write to the file that an argument names; its folder must exist, or is made with `folders`. `replaceable`: by its
    beginning, whether a file that is there may be replaced. Raises OutsideWorkspace, InTheWay, OSError."""
    path, target = _place(workspace, argument, replaceable, folders=folders)
    folder, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(prefix=f".{name[:40]}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(chunks)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def check_writable(
    workspace: Workspace, argument: str, replaceable: Callable[[bytes], bool] = lambda head: True
) -> None:
    """Raises what `write_inside` would raise: for those whose result takes long to make."""
    _place(workspace, argument, replaceable, folders=False)


def _place(
    workspace: Workspace, argument: str, replaceable: Callable[[bytes], bool], *, folders: bool
) -> tuple[FilePath, str]:
    """The file that an argument names, from the root and from that of the disk."""
    path = workspace.contained(argument)
    if path.startswith(".git/") or "/.git/" in path:
        raise OutsideWorkspaceError(f"{argument!r} is inside .git; give a path of the work tree")
    target = workspace.absolute(path)
    folder = os.path.dirname(target)
    if folders:
        os.makedirs(folder, exist_ok=True)
    if not os.path.isdir(folder) or (os.path.exists(target) and not os.path.isfile(target)):
        raise OutsideWorkspaceError(f"{argument!r} is no file in an existing folder of the workspace")
    if os.path.exists(target):
        with open(target, "rb") as there:
            if not replaceable(there.read(HEAD)):
                raise InTheWay(path)
    return path, target
