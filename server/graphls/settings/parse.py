"""Parse: from raw tables to `Settings`, with every problem named.

Owns: spelling of keys, reading values, building the tree, the words of problems.
Must not know: files, TOML, JSON, editors.
Invariant: parsing never raises; a bad value leaves the default (or the lower source's value) and one problem.

cattrs, which reads messages of protocols, does not read settings: it makes a whole object or none, while here each bad
value gives way alone to the source below, with a problem that names its key as the user spelled it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeVar, cast

import attrs

from graphls.settings.kinds import ListKind, RejectedEntry, RejectedError, render_value, snake
from graphls.settings.option import Section, SettingEntry, about_field, fields_of, setting_entries, wire_key
from graphls.settings.services import SERVICES
from graphls.settings.similarity import SECTION, disagreement, without_signature
from graphls.settings.tree import Settings

T = TypeVar("T")
Path = tuple[str, ...]
Origin = Literal["client", "repository"]
Severity = Literal["warning", "error"]

OPTIONS: Final[Mapping[Path, SettingEntry]] = {placed.path: placed for placed in setting_entries(Settings)}
_SECTIONS: Final = frozenset(path[:depth] for path in OPTIONS for depth in range(1, len(path)))
_KEYS: Final = {wire_key(path): path for path in (*OPTIONS, *sorted(_SECTIONS))}
_SERVICES_PATH: Final[Path] = ("disabled_language_services",)


@attrs.frozen
class SettingProblem:
    """What is wrong with one key, in words for the person who wrote it."""

    key: str
    message: str
    severity: Severity
    origin: Origin


@attrs.frozen
class ParsedSettings:
    """What one source says: the settings that it names, and its problems."""

    values: Mapping[Path, object]
    problems: tuple[SettingProblem, ...]


def parse_settings(raw: Mapping[str, object]) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Settings from one table whose origin the user controls."""
    reading = read(raw, "client")
    settings, problems = build(reading.values, "client")
    return settings, (*reading.problems, *problems)


def read(raw: object, origin: Origin) -> ParsedSettings:
    """Every setting that a raw table names."""
    values: dict[Path, object] = {}
    problems: list[SettingProblem] = []
    if not isinstance(raw, Mapping):
        problem = SettingProblem("graphls", f"found {render_value(raw)}, expected a table of settings", "error", origin)
        return ParsedSettings({}, () if raw is None else (problem,))
    for path, value in _entries(cast("Mapping[object, object]", raw), ()):
        outcome, rejected = _read_one(path, value, origin)
        problems += rejected
        if isinstance(outcome, SettingProblem):
            problems.append(outcome)
        elif path in values:
            problems.append(SettingProblem(wire_key(path), "is given twice, the last one counts", "warning", origin))
            values[path] = outcome
        else:
            values[path] = outcome
    return ParsedSettings(values, (*problems, *_unknown_services(values, origin)))


def _entries(table: Mapping[object, object], path: Path) -> Iterator[tuple[Path, object]]:
    """Leaves of a raw table. A null is an absent key: that is how editors say "unset"."""
    for name, value in table.items():
        where = (*path, snake(str(name)))
        if value is None:
            continue
        if where in _SECTIONS and isinstance(value, Mapping):
            yield from _entries(cast("Mapping[object, object]", value), where)
        else:
            yield where, value


def _read_one(path: Path, raw: object, origin: Origin) -> tuple[object, Sequence[SettingProblem]]:
    """What a setting holds, or the problem that it is; and its entries that are none."""
    key = wire_key(path)
    if path in _SECTIONS:
        return SettingProblem(key, f"found {render_value(raw)}, expected a table of settings", "error", origin), ()
    entry = OPTIONS.get(path)
    if entry is None:
        return SettingProblem(key, f"is not a setting{_suggestion(key, _KEYS)}; it is ignored", "warning", origin), ()
    kind = entry.option.kind
    apart = cast("ListKind[object]", kind) if isinstance(kind, ListKind) else None
    try:
        if apart is None or not apart.apart:
            return entry.option.kind.read(raw), ()
        found, rejected = apart.read_apart(raw)
    except RejectedError as error:
        return SettingProblem(key, f"{error}; it is ignored", "error", origin), ()
    problems = [_of_entry(key, one, origin) for one in rejected]
    # Where nothing of it can be used, the source below counts.
    return (found, problems) if found or not problems else (problems[0], problems[1:])


def _of_entry(key: str, entry: RejectedEntry, origin: Origin) -> SettingProblem:
    """What is wrong with one entry of a list, counted from 0 as tools for TOML and JSON do."""
    named = f"({entry.name}) " if entry.name else ""
    return SettingProblem(f"{key}[{entry.number}]", f"{named}{entry.error}; it is ignored", "error", origin)


def _unknown_services(values: Mapping[Path, object], origin: Origin) -> Iterator[SettingProblem]:
    named = cast("Mapping[str, bool]", values.get(_SERVICES_PATH, {}))
    for name in named:
        if name not in SERVICES:
            key = f"{wire_key(_SERVICES_PATH)}.{name}"
            yield SettingProblem(key, f"is not a service{_suggestion(name, SERVICES)}", "warning", origin)


def _suggestion(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    import difflib  # only mistakes need it

    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def build(values: Mapping[Path, object], origin: Origin) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """The tree with these values and defaults elsewhere, and what does not fit together in it, which stays at its
    default. The values have passed their kinds. `origin`: who is told."""
    settings = _build(Settings, values, ())
    why = disagreement(settings.similarity)
    if not why:
        return settings, ()
    problem = SettingProblem(SECTION, why, "error", origin)
    return _build(Settings, without_signature(values), ()), (problem,)


def _build(cls: type[T], values: Mapping[Path, object], path: Path) -> T:
    arguments: dict[str, object] = {}
    for attribute in fields_of(cls):
        where = (*path, attribute.name)
        about = about_field(attribute)
        if isinstance(about, Section):
            arguments[attribute.name] = _build(about.cls, values, where)
        elif where in values:
            arguments[attribute.name] = values[where]
    return cast("Callable[..., T]", cls)(**arguments)
