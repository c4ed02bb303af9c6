"""Includes: which file of the workspace an include means.

Owns: folders that builds search, headers of systems.
Must not know: what C files contain, the disk.
Invariant: the folder of the file that includes decides, then folders that a build names, then the nearest file whose
    path ends so; what no file ends in is outside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from posixpath import isabs, normpath
from typing import Final, cast

from graphls.facts.paths import FilePath, shared_folders
from graphls.languages.declared.declared_provider import file_names
from graphls.languages.provider import World

MANIFESTS: Final = ("compile_commands.json", "Makefile", "makefile", "GNUmakefile", "CMakeLists.txt")
FOLDERS: Final = "c:folders"
"""The question for folders that some build of the workspace searches, the first one first."""
_FLAG: Final = re.compile(r"(?:^|\s)(?:-I|-isystem|-iquote)\s*[\"']?([^\s\"'$()]+)")
_CMAKE: Final = re.compile(r"include_directories\s*\(([^)]*)\)", re.IGNORECASE)
_CMAKE_ROOT: Final = re.compile(r"\$\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR)\}/?")
_SYSTEM_FOLDERS: Final = frozenset(("sys", "netinet", "arpa", "net", "linux", "asm", "mach", "machine", "bits"))
_SYSTEM: Final = frozenset((
    "aio", "assert", "complex", "cpio", "ctype", "dirent", "dlfcn", "endian", "err", "errno", "execinfo", "fcntl",
    "features", "fenv", "float", "fmtmsg", "fnmatch", "ftw", "getopt", "glob", "grp", "iconv", "ifaddrs", "inttypes",
    "io", "iso646", "langinfo", "libgen", "limits", "locale", "malloc", "math", "memory", "monetary", "mqueue",
    "ndbm", "netdb", "nl_types", "paths", "poll", "process", "pthread", "pty", "pwd", "regex", "sched", "search",
    "semaphore", "setjmp", "sgtty", "signal", "spawn", "stdalign", "stdarg", "stdatomic", "stdbit", "stdbool",
    "stddef", "stdint", "stdio", "stdlib", "stdnoreturn", "string", "strings", "stropts", "syslog", "tar", "tchar",
    "termio", "termios", "tgmath", "threads", "time", "trace", "uchar", "ucontext", "ulimit", "unistd", "utime",
    "utmp", "utmpx", "wait", "wchar", "wctype", "windows", "winsock", "winsock2", "wordexp", "ws2tcpip",
))  # fmt: skip


def is_system(header: str) -> bool:
    """Whether a header comes with systems or compilers."""
    folder, _, name = header.rpartition("/")
    return folder.partition("/")[0] in _SYSTEM_FOLDERS if folder else name.removesuffix(".h") in _SYSTEM


def search_folders(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """What the builds of the workspace say about folders with headers."""
    folders = {folder for path in files for folder in _folders_above(path)}
    found: dict[str, None] = {}
    for path in sorted(manifests):
        home, _, name = path.rpartition("/")
        text = manifests[path].decode("utf-8", "replace")
        for folder in _database(text, files) if name.endswith(".json") else _written(text, home, name):
            if folder in folders:
                found[folder] = None
    return {FOLDERS: tuple(found)} if found else {}


def _folders_above(path: FilePath) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _written(text: str, home: str, name: str) -> Iterator[str]:
    if name == "CMakeLists.txt":
        for inside in _CMAKE.findall(text):
            for word in _CMAKE_ROOT.sub("", inside).split():
                yield _joined(home, word.strip("\"'"))
    for word in _FLAG.findall(text):
        yield _joined(home, word)


def _database(text: str, files: Collection[FilePath]) -> Iterator[str]:
    """Folders that a compilation database names; its absolute paths end in those of the workspace."""
    try:
        entries = cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return
    root: str | None = None
    for entry in cast("list[object]", entries) if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        given = cast("Mapping[str, object]", entry)
        home, file = str(given.get("directory", "")), str(given.get("file", ""))
        if root is None:
            root = _root(normpath(file if isabs(file) else f"{home}/{file}"), files)
        words = given.get("arguments")
        listed = map(str, cast("list[object]", words)) if isinstance(words, list) else (str(given.get("command")),)
        for word in _FLAG.findall(" ".join(listed)):
            folder = normpath(word if isabs(word) else f"{home}/{word}")
            if root is not None and folder.startswith(root):
                yield folder[len(root) :].strip("/")


def _root(whole: str, files: Collection[FilePath]) -> str | None:
    """Where the workspace is on the machine of the database, by the absolute path of one of its files."""
    for name in file_names(FilePath(whole.lstrip("/"))):
        if name in files:
            return whole.removesuffix(name)
    return None


def _joined(folder: str, inside: str) -> str:
    joined = normpath(f"{folder}/{inside}" if folder else inside)
    return "" if joined == "." else joined


def included_file(written: str, importer: FilePath, world: World) -> FilePath | None:
    """The file that an include means, which is written with its quotes or angle brackets."""
    path, angle = normpath(written[1:-1]), written.startswith("<")
    folder = importer.rpartition("/")[0]
    exact = _joined(folder, path)
    ending = exact if path.startswith("..") else path
    found = world.package(ending)
    if not found:
        return None
    if not angle and exact in found:
        return FilePath(exact)
    for place in world.aliases(FOLDERS, importer):
        searched = _joined(place, path)
        if searched in found:
            return FilePath(searched)
    if angle and is_system(path):
        return None
    return min(found, key=lambda file: (-shared_folders(file, importer), len(file), file))
