"""Programs: what is installed on this machine, and the surroundings a started program gets.

Owns: finding executables and their interpreters, the environment and the folder of children, how much memory a process
tree uses.
Must not know: what the programs do, settings.
Invariant: only this installation and the user's PATH are searched, of which relative folders and folders inside a
    workspace are left out, for children too; nothing inside a workspace is ever found, but what is installed beside
    graphls itself.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
import threading
from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from graphls.sources.read import read_small

ELSEWHERE: Final = os.path.abspath(os.sep)
"""Where children run: a folder that no workspace chose, so that no name that they look up leads into one."""
_SHEBANG: Final = 512
_OWN_OPTIONS: Final = ("-S", "--split-string")
_FIRST_LOOK: Final = threading.Lock()
"""Python works out its own folders when they are asked for first, and shows other threads what it has by then."""


def find_program(name: str, outside: tuple[str, ...] = ()) -> str | None:
    """Absolute path of an executable: installed beside graphls, else on PATH. On PATH nothing below `outside` is taken;
    what lies beside graphls is as much the user's choice as graphls, wherever that is."""
    for folder in _own_scripts():
        if found := _executable(folder, name):
            return found
    for folder in _folders(outside):
        found = _executable(folder, name)
        if found and not _below(found, outside):
            return found
    return None


def _own_scripts() -> list[str]:
    """Folders of programs that are installed with graphls."""
    with _FIRST_LOOK:
        own = [sysconfig.get_path("scripts")]
        if scheme := _user_scheme():
            own.append(sysconfig.get_path("scripts", scheme))
    return own


def interpreted(program: str, outside: tuple[str, ...] = ()) -> tuple[str, ...] | str:
    """The command that runs a program: for a script that says `env NAME` the interpreter that is found outside of the
    workspace, for others the program alone. A sentence where there is no such interpreter."""
    words = _shebang(program)
    if not words or os.path.basename(words[0]) != "env":
        return (program,)
    rest = words[2:] if len(words) > 1 and words[1] in _OWN_OPTIONS else words[1:]
    if not rest or rest[0].startswith("-") or "=" in rest[0]:
        return f"{program} begins with a line that graphls does not understand: {' '.join(words)[:100]!r}"
    interpreter = find_program(rest[0], outside)
    if interpreter is None:
        return f"{rest[0]}, which runs {program}, is not on the PATH"
    return (interpreter, *rest[1:], program)


def program_in(prefix: str, name: str) -> str | None:
    """The executable of a name in a Python environment."""
    return _executable(os.path.join(prefix, "Scripts" if os.name == "nt" else "bin"), name)


def real_program(name: str, outside: tuple[str, ...] = ()) -> str | None:
    """The same as `find_program`, all links followed: what lies around it is its installation."""
    found = find_program(name, outside)
    return None if found is None else os.path.realpath(found)


def real_executable(folder: str, name: str) -> str | None:
    """An executable of one folder, all links followed."""
    found = _executable(folder, name)
    return None if found is None else os.path.realpath(found)


def names_in(folder: str) -> tuple[str, ...]:
    """What a folder holds, sorted; nothing where there is none."""
    try:
        return tuple(sorted(os.listdir(folder)))
    except OSError:
        return ()


def package_folders(program: str) -> tuple[str, ...]:
    """Where Python packages lie that are installed beside graphls, or beside a program."""
    around = os.path.dirname(os.path.dirname(program))
    library = os.path.join(around, "lib")
    versions = [os.path.join(library, name) for name in names_in(library) if name.startswith("py")]
    beside = (os.path.join(folder, "site-packages") for folder in (*versions, os.path.join(around, "Lib")))
    with _FIRST_LOOK:
        return (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *beside)


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


def child_environment(
    changes: Mapping[str, str], without: tuple[str, ...] = (), outside: tuple[str, ...] = ()
) -> dict[str, str]:
    """The environment of this process with changes, for a child. PATH has absolute folders only, none below
    `outside`."""
    inherited = {name: value for name, value in os.environ.items() if name not in without}
    return {**inherited, "PATH": os.pathsep.join(_folders(outside)), **changes}


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


def _folders(outside: tuple[str, ...]) -> list[str]:
    """The folders of PATH that a program may be taken from."""
    listed = dict.fromkeys(os.environ.get("PATH", "").split(os.pathsep))
    return [folder for folder in listed if os.path.isabs(folder) and not _below(os.path.normpath(folder), outside)]


def _executable(folder: str, name: str) -> str | None:
    # With the folder in front no other one is searched, not even the current one.
    return shutil.which(os.path.join(folder, name))


def _shebang(program: str) -> list[str]:
    """The words of the first line of a script; none for what is no script."""
    try:
        with open(program, "rb") as stream:
            start = stream.read(_SHEBANG)
    except OSError:
        return []
    if not start.startswith(b"#!"):
        return []
    return start[2:].partition(b"\n")[0].decode("utf-8", "replace").split()


def _below(path: str, folders: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(
        candidate == folder or candidate.startswith(folder.rstrip(os.sep) + os.sep)
        for folder in folders
        for candidate in (path, real)
    )


def own_resident_bytes() -> int:
    """Memory of this process alone; 0 where the system does not tell."""
    fields = (read_small("/proc/self/statm", 200) or b"").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0
