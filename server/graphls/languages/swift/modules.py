"""Modules: which files make a module, by what manifests say of targets and by folders.

Owns: targets of Swift packages, their folders, the folder that a file without a target belongs to.
Must not know: what Swift files contain, the disk.
Invariant: the innermost folder of a target decides; a manifest is read as text and never run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath

MANIFESTS: Final = ("Package.swift", "Package@swift-*.swift", "project.pbxproj")
TARGETS: Final = "swift:targets"
"""The question for all targets: `folder<TAB>name`, the deepest folders first."""
HOMES: Final = "swift:homes"
"""The question for folders of packages and projects, whose files without a target are compiled together."""
FILES: Final = "swift:"
"""Begins the name under which the files of a target are listed: its folder follows."""
_TARGET: Final = re.compile(r"\.(target|executableTarget|testTarget|macro|plugin|systemLibrary)\s*\(")
_NAME: Final = re.compile(r"\bname\s*:\s*\"([^\"\\]+)\"")
_PATH: Final = re.compile(r"\bpath\s*:\s*\"([^\"\\]*)\"")
_COMMENT: Final = re.compile(r"(?m)(?<![:\"])//[^\n]*$")
_SOURCES: Final = ("Sources", "Source", "src", "srcs")
_TESTS: Final = ("Tests", "Sources", "Source", "src", "srcs")
_PLUGINS: Final = ("Plugins",)
MAX_CALL: Final = 20_000
"""Characters of the description of one target."""


def module_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """Targets and folders of packages."""
    folders = {folder for path in files for folder in _folders_around(path)}
    found: dict[str, str] = {}
    homes: set[str] = set()
    for path in sorted(manifests):
        home, _, name = path.rpartition("/")
        if not name.startswith("Package"):
            homes.add(home.rpartition("/")[0])  # `App.xcodeproj/project.pbxproj`
            continue
        homes.add(home)
        text = _COMMENT.sub("", manifests[path].decode("utf-8", "replace"))
        for kind, target, written in _targets(text):
            for folder in _places(home, kind, target, written):
                if folder in folders:
                    found.setdefault(folder, target)
                    break
    for folder in sorted(folders):
        # `Sources/NAME` is a target in a package whose manifest computes its targets.
        around, _, last = folder.rpartition("/")
        home, _, base = around.rpartition("/")
        apart = not any(folder.startswith(f"{one}/") or one.startswith(f"{folder}/") for one in found)
        if apart and base in ("Sources", "Tests") and home in homes and folder not in found:
            found[folder] = last
    listed = sorted(found, key=lambda folder: (-folder.count("/"), folder))
    answers = {TARGETS: tuple([f"{folder}\t{found[folder]}" for folder in listed])} if listed else {}
    return {**answers, HOMES: tuple(sorted(homes, key=lambda one: (-one.count("/"), one)))} if homes else answers


def target_folders(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> tuple[str, ...]:
    """Folders of targets, the deepest first."""
    return tuple([entry.partition("\t")[0] for entry in module_aliases(files, manifests).get(TARGETS, ())])


def _folders_around(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _targets(text: str) -> Iterator[tuple[str, str, str | None]]:
    """Kind, name and path of each target that a manifest spells."""
    for begun in _TARGET.finditer(text):
        inside = _own_arguments(text, begun.end())
        name, path = _NAME.search(inside), _PATH.search(inside)
        if name is not None:
            yield begun.group(1), name.group(1), path.group(1) if path is not None else None


def _own_arguments(text: str, start: int) -> str:
    """The arguments of a call without those of calls and lists inside of them."""
    depth, at, kept, begun = 0, start, list[str](), start
    quoted = False
    end = min(len(text), start + MAX_CALL)
    while at < end:
        sign = text[at]
        if quoted:
            at += sign == "\\"
            quoted = sign != '"'
        elif sign == '"':
            quoted = True
        elif sign in "([":
            if not depth:
                kept.append(text[begun:at])
            depth += 1
        elif sign in ")]":
            if not depth:
                break
            depth -= 1
            begun = at + 1
        at += 1
    if not depth:
        kept.append(text[begun:at])
    return " ".join(kept)


def _places(home: str, kind: str, name: str, path: str | None) -> Iterator[str]:
    """Folders where the files of a target may be, the likeliest first."""
    if path is not None:
        joined = normpath(f"{home}/{path}" if home else path)
        if not joined.startswith("..") and joined != ".":
            yield joined
        return
    for around in _TESTS if kind == "testTarget" else _PLUGINS if kind == "plugin" else _SOURCES:
        yield f"{home}/{around}/{name}".strip("/")


def module_of(path: str, targets: tuple[str, ...], homes: tuple[str, ...]) -> tuple[str, str]:
    """The folder of the module that a file is in, and the name of the module; a file without a target is in the module
    of its package or project, which has no name, and tests beside it in one of their own."""
    for entry in targets:
        folder, _, name = entry.partition("\t")
        if path.startswith(f"{folder}/"):
            return folder, name
    home = next((one for one in homes if not one or path.startswith(f"{one}/")), "")
    rest = path[len(home) :].strip("/").split("/")
    for at, part in enumerate(rest[:-1]):
        if part.endswith("Tests"):
            return "/".join([*([home] if home else []), *rest[: at + 1]]), part
    return home, ""
