"""Location: the folder that holds the cache.

Owns: where the cache lives, its version, its permissions.
Must not know: what is in it.
Invariant: never inside a repository unless the user says so; on POSIX readable by its owner only.
"""

from __future__ import annotations

import os
import stat

STORE_VERSION = 1
"""Raise it when rows written before can no longer be understood."""


def cache_folder(chosen: str = "") -> str:
    """The folder of this version: below `chosen`, else below GRAPHLS_CACHE_DIR, else below the user's cache folder."""
    base = chosen or os.environ.get("GRAPHLS_CACHE_DIR") or _of_the_user()
    return os.path.join(os.path.abspath(os.path.expanduser(base)), f"v{STORE_VERSION}")


def _of_the_user() -> str:
    import platformdirs  # who was told another folder does without it

    return platformdirs.user_cache_dir("graphls", appauthor=False)


def prepare_folder(folder: str) -> None:
    """Makes the folder private. Raises OSError when it is another user's or cannot be made."""
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.stat(folder)
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        raise PermissionError(f"the cache folder {folder} belongs to another user")
    if os.name != "nt" and stat.S_IMODE(status.st_mode) != 0o700:
        os.chmod(folder, 0o700)
