"""Folders: what single folders of a workspace say, written as settings of the workspace.

Owns: how each setting that can be one folder's alone is written for the workspace.
Must not know: files, editors, who sends a table, trust.
Invariant: what a folder says of itself changes nothing in another one; what cannot count so is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.settings.folder_limits import MOST_BYTES, MOST_LINE_BYTES
from graphls.settings.health_weights import HealthOverride
from graphls.settings.kinds import snake
from graphls.settings.option import setting_entries, wire_key
from graphls.settings.parse import Path, read
from graphls.settings.tree import Settings

OWN: Final = tuple(entry.path for entry in setting_entries(Settings) if entry.option.per_folder)
"""The settings that one of several folders may have for itself."""
_EXCLUDE: Final[Path] = ("files", "exclude")
_PATHS: Final[tuple[Path, ...]] = (("python", "roots"), ("findings", "reports"), ("findings", "coverage"))
_LIMITS: Final[Mapping[Path, int]] = {
    ("files", "follow_ignore"): 1,
    ("files", "max_bytes"): MOST_BYTES,
    ("files", "max_line_bytes"): MOST_LINE_BYTES,
}
_FOLDERS: Final[Path] = ("files", "folders")
_ENABLED: Final[Path] = ("findings", "enabled")
_RULES: Final[Path] = ("findings", "rules")
_WEIGHTS: Final[Path] = ("health", "weights")
_OVERRIDES: Final[Path] = ("health", "overrides")
_SEVERAL: Final = 2
_Said = Mapping[Path, object]


def of_folders(
    general: Mapping[str, object], folders: Mapping[str, Mapping[str, object]]
) -> tuple[Mapping[str, object], Mapping[str, tuple[str, ...]]]:
    """`general` with what folders, by name, say for themselves alone; and by folder the keys of what else they say,
    which is not in `general` and counts nowhere."""
    common = read(general, "client").values
    said = {name: _other(read(own, "client").values, common) for name, own in folders.items()}
    table = general
    for path, added in (
        (_EXCLUDE, [_named(name, text) for name, own in said.items() for text in _texts(own.get(_EXCLUDE))]),
        *(
            (path, [_below(name, text) for name, own in said.items() for text in _texts(own.get(path))])
            for path in _PATHS
        ),
        (_FOLDERS, [limits for name, own in said.items() if (limits := _limits(name, own))]),
        (_OVERRIDES, [one for name, own in said.items() for one in _overrides(name, own)]),
    ):
        if added:
            table = _with(table, path, [*_items(common.get(path)), *added])
    levels = {key: level for name, own in said.items() for key, level in _levels(name, own)}
    if levels:
        table = _with(table, _RULES, {**_table(common.get(_RULES)), **levels})
    left: dict[str, tuple[str, ...]] = {}
    for name, own in said.items():
        others = tuple(wire_key(path) for path in own if path not in OWN or (path == _ENABLED and own[path]))
        if others:
            left[name] = others
    return table, left


def without_own(table: Mapping[str, object]) -> Mapping[str, object]:
    """A table without the settings that a folder may have for itself."""
    for path in OWN:
        table = _with(table, path, None)
    return table


def overlaid(
    lower: Mapping[str, object], upper: Mapping[str, object], general: Mapping[str, object]
) -> Mapping[str, object]:
    """What a folder says for itself in two places, the upper one counting, without what is said for all folders above
    the lower one."""
    common = read(general, "client").values
    values = {path: value for path, value in read(lower, "client").values.items() if path in OWN and path not in common}
    table: Mapping[str, object] = {}
    for path, value in {**values, **read(upper, "client").values}.items():
        table = _with(table, path, value)
    return table


def in_first(settings: Settings, folders: Sequence[str]) -> Settings:
    """Files that a workspace has one of, of several folders in the first: nothing lies beside them. A path that begins
    with a folder, or at the root, is as it is."""
    if len(folders) < _SEVERAL:
        return settings
    found = settings.findings
    named = {
        key: value if value.startswith("/") or value.partition("/")[0] in folders else _below(folders[0], value)
        for key, value in (("baseline", found.baseline), ("reviews", found.reviews))
    }
    return attrs.evolve(settings, findings=attrs.evolve(found, **named))


def _other(own: _Said, common: _Said) -> _Said:
    """What differs from what is said for all."""
    return {path: value for path, value in own.items() if path not in common or common[path] != value}


def _limits(name: str, own: _Said) -> Mapping[str, object]:
    found: dict[str, object] = {
        path[-1]: min(cast("int", own[path]), most) for path, most in _LIMITS.items() if path in own
    }
    if "follow_ignore" in found:
        found["follow_ignore"] = bool(own["files", "follow_ignore"])
    return {"folder": name, **found} if found else {}


def _overrides(name: str, own: _Said) -> Iterable[Mapping[str, object]]:
    if weights := _table(own.get(_WEIGHTS)):
        yield {"glob": f"{name}/**", "weights": weights}
    for one in cast("Iterable[HealthOverride]", own.get(_OVERRIDES, ())):
        yield {"glob": _below(name, one.glob), "weights": dict(one.weights)}


def _levels(name: str, own: _Said) -> Iterable[tuple[str, object]]:
    if own.get(_ENABLED) is False:
        yield f"//{name}/*", "off"
        return
    for rule, level in _table(own.get(_RULES)).items():
        if not rule.startswith("//"):
            yield f"//{name}/{rule}", level


def _texts(value: object) -> Sequence[str]:
    return tuple(cast("Iterable[str]", value)) if isinstance(value, tuple | list) else ()


def _items(value: object) -> Sequence[object]:
    return tuple(cast("Iterable[object]", value)) if isinstance(value, tuple | list) else ()


def _table(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _below(name: str, text: str) -> str:
    return f"{name}/{text.removeprefix('./').strip('/')}"


def _named(name: str, glob: str) -> str:
    """A glob of a folder, as one of the workspace: see `FilesSettings.exclude`."""
    sign, pattern = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    anchored = "/" in pattern.rstrip("/")
    return f"{sign}//{name}/{'' if anchored else '**/'}{pattern.removeprefix('/')}"


def _with(table: Mapping[str, object], path: Path, value: object) -> Mapping[str, object]:
    """The table with another value, whatever its key was spelled like; None: without one."""
    section, key = path
    inner = table.get(section)
    rows = _table(inner)
    known = {name: one for name, one in rows.items() if snake(name) != key}
    if value is None:
        return table if len(known) == len(rows) else {**table, section: known}
    return {**table, section: {**known, key: value}}
