"""Announced: where a running language server answers agents, one small file a workspace.

Owns: the file's name, form and permissions.
Must not know: the protocol behind the address, who serves.
Invariant: a file is believed only when this user wrote it and it has the form that is written here.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, cast

import attrs

from graphls.store.location import cache_folder, prepare_folder

_FOLDER = "serving"
_LARGEST = 4_000


@attrs.frozen(kw_only=True)
class ServerAnnouncement:
    """A server on this machine. Only who knows the token is answered."""

    version: str
    port: int
    token: str


def announce(roots: Sequence[str], server: ServerAnnouncement) -> str:
    """Writes the file and answers its path; "" when it cannot be written."""
    path = _path(roots)
    text = json.dumps(attrs.asdict(server)).encode()
    try:
        prepare_folder(cache_folder())
        prepare_folder(os.path.dirname(path))
        # mkstemp makes a file that only this user can read.
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
        with os.fdopen(handle, "wb") as stream:
            stream.write(text)
        os.replace(temporary, path)
    except OSError:
        return ""
    return path


def announced(roots: Sequence[str]) -> ServerAnnouncement | None:
    """What was announced for exactly these folders."""
    found = _read(_path(roots))
    if found is None:
        return None
    version, port, token = found.get("version"), found.get("port"), found.get("token")
    if not isinstance(version, str) or not isinstance(port, int) or not isinstance(token, str):
        return None
    return (
        ServerAnnouncement(version=version, port=port, token=token) if 0 < port < 65_536 and len(token) >= 32 else None
    )


def withdraw(roots: Sequence[str], server: ServerAnnouncement) -> None:
    """Removes the file, unless another server has announced itself meanwhile."""
    if announced(roots) == server:
        with contextlib.suppress(OSError):
            os.unlink(_path(roots))


def _path(roots: Sequence[str]) -> str:
    name = blake2b("\0".join(roots).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(cache_folder(), _FOLDER, f"{name}.json")


def _read(path: str) -> dict[str, Any] | None:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        own = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077)
        data = stream.read(_LARGEST) if own and stat.S_ISREG(status.st_mode) else b""
    try:
        found = json.loads(data)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
