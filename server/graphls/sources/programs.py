"""Programs: what is installed on this machine, and the surroundings a started program gets.

Owns: finding executables, the environment of children, how much memory a process tree uses.
Must not know: what the programs do, settings.
Invariant: only this installation and the user's PATH are searched; nothing inside a workspace is ever found.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Mapping
from hashlib import blake2b

from graphls.sources.read import read_small


def find_program(name: str, outside: tuple[str, ...] = ()) -> str | None:
    """Absolute path of an executable: installed beside graphls, else on PATH. Nothing below `outside` is taken."""
    scripts = [sysconfig.get_path("scripts")]
    if scheme := _user_scheme():
        scripts.append(sysconfig.get_path("scripts", scheme))
    for folders in (os.pathsep.join(scripts), os.environ.get("PATH", "")):
        found = shutil.which(name, path=folders)
        if found and os.path.isabs(found) and not _below(found, outside):
            return found
    return None


def is_program(path: str) -> bool:
    """Whether an absolute path is an executable file."""
    return os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK)


def stamp_of(*paths: str) -> str:
    """Sizes and times of files and folders: changes when one of them is installed anew."""
    parts: list[str] = []
    for path in paths:
        try:
            status = os.stat(path)
            parts.append(f"{path}:{status.st_size}:{status.st_mtime_ns}")
        except OSError:
            parts.append(path)
    return blake2b("\n".join(parts).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def surroundings(changes: Mapping[str, str], without: tuple[str, ...] = ()) -> dict[str, str]:
    """The environment of this process with changes, for a child."""
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return {**kept, **changes}


def resident_bytes(pid: int) -> int | None:
    """Memory of a process and its descendants, or None where the system does not tell."""
    children: dict[int, list[int]] = {}
    memory: dict[int, int] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    for name in names:
        raw = read_small(f"/proc/{name}/stat", 4096) if name.isdigit() else None
        fields = raw.rpartition(b")")[2].split() if raw else []
        if len(fields) > 21:
            children.setdefault(int(fields[1]), []).append(int(name))
            memory[int(name)] = int(fields[21]) * page
    total, todo = 0, [pid]
    while todo:
        current = todo.pop()
        total += memory.get(current, 0)
        todo.extend(children.get(current, ()))
    return total if pid in memory else None


def _user_scheme() -> str:
    scheme = sysconfig.get_preferred_scheme("user")
    return scheme if scheme in sysconfig.get_scheme_names() else ""


def _below(path: str, folders: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(
        candidate == folder or candidate.startswith(folder.rstrip(os.sep) + os.sep)
        for folder in folders
        for candidate in (path, real)
    )
