"""Modules: which folder of the workspace an import path means.

Owns: what `go.mod`, `go.work` and vendored packages say about import paths.
Must not know: what Go files contain, the disk.
Invariant: the innermost module that a path begins with decides; what no module of the workspace has is outside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath, enclosing_folders
from graphls.languages.provider import World

MANIFESTS: Final = ("go.mod", "go.work")
_WORK: Final = "go.work"
MODULES: Final = "go:modules"
"""The question for all modules of the workspace: `path<TAB>folder`."""
REPLACED: Final = "go:replaced:"
"""The question what the module in a folder puts in the place of others: `path<TAB>folder`."""
_VENDOR: Final = "vendor/"
_MODULE: Final = re.compile(r"^[ \t]*module\s+\"?([^\s\"]+)\"?", re.MULTILINE)
_REPLACE: Final = re.compile(
    r"^[ \t]*(?:replace\s+)?\"?([^\s\"(]+)\"?(?:\s+v\S+)?\s+=>\s+\"?(\.{1,2}/[^\s\"]*|\.{1,2})\"?", re.MULTILINE
)
_USE: Final = re.compile(r"^[ \t]*use[ \t]*(?:\(([^)]*)\)|([^\s(]\S*))", re.MULTILINE)
_COMMENT: Final = re.compile(r"//[^\n]*")


def module_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """What the manifests of the workspace say about import paths."""
    found: dict[str, tuple[str, ...]] = {}
    modules: list[str] = []
    texts = {path: _COMMENT.sub("", manifests[path].decode("utf-8", "replace")) for path in sorted(manifests)}
    own = {path.rpartition("/")[0]: text for path, text in texts.items() if path.rpartition("/")[2] != _WORK}
    works = {path.rpartition("/")[0]: text for path, text in texts.items() if path.rpartition("/")[2] == _WORK}
    replaced = {folder: list(_replaced(text, folder)) for folder, text in own.items()}
    used = {around: dict.fromkeys(_used(text, around)) for around, text in works.items()}
    # What the workspace replaces goes first; what one of its modules does holds for all of them.
    first = {around: list(_replaced(text, around)) for around, text in works.items()}
    shared = {around: [pair for one in used[around] for pair in replaced.get(one, ())] for around in works}
    for folder, text in own.items():
        name = _MODULE.search(text)
        if name is not None:
            modules.append(f"{name[1]}\t{folder}")
        pairs = replaced[folder]
        around = next((above for above in enclosing_folders(folder) if above in works), None)
        if around is not None and folder in used[around]:
            pairs = [*first[around], *pairs, *shared[around]]
        if pairs:
            found[REPLACED + folder] = tuple(dict.fromkeys(f"{one}\t{there}" for one, there in pairs))
    if modules:
        found[MODULES] = tuple(modules)
    return found


def _used(text: str, folder: str) -> Iterator[str]:
    """Folders of the modules that a `go.work` uses."""
    for listed, alone in _USE.findall(text):
        for one in (listed or alone).split():
            there = normpath(f"{folder}/{one.strip(chr(34))}" if folder else one.strip(chr(34)))
            if not there.startswith(".."):
                yield "" if there == "." else there


def _replaced(text: str, folder: str) -> Iterator[tuple[str, str]]:
    for path, there in _REPLACE.findall(text):
        joined = normpath(f"{folder}/{there}" if folder else there)
        if not joined.startswith(".."):
            yield path, "" if joined == "." else joined


def module_name_of(text: bytes) -> str:
    """The path of the module that a `go.mod` declares, "" for none."""
    name = _MODULE.search(_COMMENT.sub("", text.decode("utf-8", "replace")))
    return "" if name is None else name[1]


def folder_of(path: str, importer: FilePath, world: World) -> str | None:
    """The folder whose package an import path means to a file; None for what is outside."""
    module = _module_around(importer, world)
    if module is not None:
        for name, folder in _pairs(world.aliases(REPLACED + module, importer)):
            if path == name or path.startswith(f"{name}/"):
                inside = _joined(folder, path[len(name) + 1 :])
                return inside if world.package(inside) else None
        vendored = _joined(module, _VENDOR + path)
        if world.package(vendored):
            return vendored
    best: tuple[int, str] | None = None
    for name, folder in _pairs(world.aliases(MODULES, importer)):
        if (path == name or path.startswith(f"{name}/")) and (best is None or len(name) > best[0]):
            inside = _joined(folder, path[len(name) + 1 :])
            if world.package(inside):
                best = len(name), inside
    return None if best is None else best[1]


def _module_around(importer: FilePath, world: World) -> str | None:
    """The folder of the innermost module around a file."""
    best: str | None = None
    for _, folder in _pairs(world.aliases(MODULES, importer)):
        if (not folder or importer.startswith(f"{folder}/")) and (best is None or len(folder) > len(best)):
            best = folder
    return best


def _pairs(entries: Collection[str]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        path, _, folder = entry.partition("\t")
        yield path, folder


def _joined(folder: str, inside: str) -> str:
    return f"{folder}/{inside}".strip("/")
