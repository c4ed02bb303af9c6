"""Settings files: what `graphls.toml` or `pyproject.toml` of a folder says, as a plain table.

Owns: where settings files are, their syntax, which one counts.
Must not know: which settings exist and what they mean.
Invariant: never raises; a file that cannot be used is a problem in words, and settings are then empty.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import cast

import attrs

from graphls.settings.toml_text import toml_values
from graphls.sources.read import read_small

OWN_NAME = "graphls.toml"
SHARED_NAME = "pyproject.toml"


def _nothing() -> Mapping[str, object]:
    return {}


@attrs.frozen
class SettingsFile:
    table: Mapping[str, object] = attrs.field(factory=_nothing, hash=False)
    origin: str | None = None
    """`graphls.toml`, `pyproject.toml` or None."""
    problems: tuple[str, ...] = ()


def read_settings(root: str) -> SettingsFile:
    """`graphls.toml` stands alone where it exists; else `[tool.graphls]` of `pyproject.toml`."""
    if os.path.lexists(os.path.join(root, OWN_NAME)):
        table, problem = _read(root, OWN_NAME)
        return SettingsFile(table, OWN_NAME, (problem,) if problem else ())
    if not os.path.lexists(os.path.join(root, SHARED_NAME)):
        return SettingsFile()
    table, problem = _read(root, SHARED_NAME)
    if problem:
        return SettingsFile(problems=(problem,))
    tool = _table(table.get("tool", {}))
    own = _table(tool.get("graphls", {})) if tool is not None else None
    if own is None:
        return SettingsFile(problems=(f"{SHARED_NAME}: [tool.graphls] is not a table",))
    return SettingsFile(own, SHARED_NAME if tool and "graphls" in tool else None)


def _read(root: str, name: str) -> tuple[Mapping[str, object], str | None]:
    data = read_small(os.path.join(root, name))
    if data is None:
        return {}, f"{name}: cannot be read, or is larger than 1,000,000 bytes"
    try:
        return toml_values(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")), None
    except UnicodeDecodeError as error:
        return {}, f"{name}: not valid UTF-8 at byte {error.start}"
    except ValueError as error:
        return {}, f"{name}: {error}"


def _table(value: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None
