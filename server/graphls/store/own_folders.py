"""Own folders: places where a program that graphls starts may write.

Owns: their names, who holds one, what becomes of those whose holder is gone.
Must not know: which programs, what they write.
Invariant: beside the cache, readable by its owner only; one holder each; a folder outlives its holder only until the
    next one is made.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from typing import Final

from graphls.store.location import cache_folder, prepare_folder

_FOLDER: Final = "programs"
_HELD: Final = ".held"


class OwnFolder:
    """One folder, until it is closed or this process ends. Raises OSError when it cannot be made."""

    def __init__(self, name: str, files: Mapping[str, str]) -> None:
        """`files`: texts by their paths below the folder."""
        around = os.path.join(cache_folder(), _FOLDER)
        prepare_folder(cache_folder())
        prepare_folder(around)
        _sweep(around)
        self.path = tempfile.mkdtemp(prefix=f"{name}-", dir=around)
        self._lock = _hold(self.path)
        atexit.register(self.close)
        for file, text in files.items():
            path = os.path.join(self.path, *file.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)

    def close(self) -> None:
        """Removes it. What a program that just ended still holds stays for the next sweep."""
        atexit.unregister(self.close)
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            with contextlib.suppress(OSError):
                os.close(self._lock)
            self._lock = None


def _hold(folder: str) -> int | None:
    """A lock that the system gives up with this process; None where the system has none, or someone else holds it."""
    try:
        import fcntl  # not everywhere
    except ImportError:
        return None
    handle = os.open(os.path.join(folder, _HELD), os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _sweep(around: str) -> None:
    """Removes folders that nobody holds. One without the file of a lock is just being made, or its system has none."""
    for name in os.listdir(around):
        folder = os.path.join(around, name)
        if os.path.isfile(os.path.join(folder, _HELD)) and (lock := _hold(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
