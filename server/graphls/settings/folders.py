"""Folders: what single folders of a workspace say, written as settings of the workspace.

Owns: which settings can be one folder's alone, and how they are written.
Must not know: files, editors, who sends a table, trust.
Invariant: what a folder says of itself changes nothing in another one; what cannot count so is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from graphls.settings.option import wire_key
from graphls.settings.parse import Path, read

_EXCLUDE: Final[Path] = ("files", "exclude")
_ROOTS: Final[Path] = ("python", "roots")
OWN: Final = (_EXCLUDE, _ROOTS)
"""The settings that one of several folders may have for itself."""


def of_folders(
    general: Mapping[str, object], folders: Mapping[str, Mapping[str, object]]
) -> tuple[Mapping[str, object], Mapping[str, tuple[str, ...]]]:
    """`general` with what folders, by name, say for themselves alone; and by folder the keys of what else they say,
    which is not in `general` and counts nowhere."""
    common = read(general, "client").values
    table = general
    left: dict[str, tuple[str, ...]] = {}
    for path in OWN:
        shared = _texts(common.get(path))
        added: list[str] = []
        for name, own in folders.items():
            said = _texts(read(own, "client").values.get(path))
            if said != shared:
                added += (_named(name, text) if path == _EXCLUDE else f"{name}/{text.strip('/')}" for text in said)
        if added:
            table = _with(table, path, [*shared, *added])
    for name, own in folders.items():
        said = read(own, "client").values
        others = tuple(wire_key(path) for path in said if path not in OWN and common.get(path) != said[path])
        if others:
            left[name] = others
    return table, left


def without_own(table: Mapping[str, object]) -> Mapping[str, object]:
    """A table without the settings that a folder may have for itself."""
    for path in OWN:
        table = _with(table, path, None)
    return table


def _texts(value: object) -> Sequence[str]:
    return tuple(cast("Iterable[str]", value)) if isinstance(value, tuple | list) else ()


def _named(name: str, glob: str) -> str:
    """A glob of a folder, as one of the workspace: see `FilesSettings.exclude`."""
    sign, pattern = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    anchored = "/" in pattern.rstrip("/")
    return f"{sign}//{name}/{'' if anchored else '**/'}{pattern.removeprefix('/')}"


def _with(table: Mapping[str, object], path: Path, value: object) -> Mapping[str, object]:
    """The table with another value; None: without one. Sections and keys of these settings have one spelling."""
    section, key = path
    inner = table.get(section)
    known = dict(cast("Mapping[str, object]", inner)) if isinstance(inner, Mapping) else {}
    if value is None:
        if key not in known:
            return table
        del known[key]
    else:
        known[key] = value
    return {**table, section: known}
