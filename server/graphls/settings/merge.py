"""Merge: what the repository asks for, then what the client says, under a trust rule.

Owns: precedence, refusing what an untrusted repository may not name.
Must not know: files, links between folders, who decides on trust.
Invariant: without trust, no value of the repository names an executable, the cache, or a path outside the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

from graphls.settings.kinds import shown
from graphls.settings.option import Placed, Trust
from graphls.settings.parse import OPTIONS, Path, SettingProblem, build, read
from graphls.settings.tree import Settings

_ROOTED: Final = re.compile(r"[/\\~$%]|[A-Za-z]:|file:", re.IGNORECASE)


def merge(
    repository: Mapping[str, object], client: Mapping[str, object], trusted: bool
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Settings of a workspace. The client wins; tables of names are joined entry by entry."""
    asked = read(repository, "repository")
    said = read(client, "client")
    allowed: dict[Path, object] = {}
    refused: list[SettingProblem] = []
    for path, value in asked.values.items():
        refusal = None if trusted else refusal_of(OPTIONS[path], value)
        if refusal is None:
            allowed[path] = value
        else:
            refused.append(SettingProblem(OPTIONS[path].key, refusal, "error", "repository"))
    values = {**allowed, **{path: _joined(allowed.get(path), value) for path, value in said.values.items()}}
    return build(values), (*asked.problems, *refused, *said.problems)


def refusal_of(placed: Placed, value: object) -> str | None:
    """Why an untrusted repository may not say this, or None when it may."""
    if placed.option.trust is Trust.ANY or value == placed.default:
        return None
    if placed.option.trust is Trust.NOTHING:
        return "may not be set by a repository that is not trusted; it is ignored; set it in the editor"
    outside = [path for path in _paths(value) if leaves_workspace(path)]
    if not outside:
        return None
    return f"names {shown(outside[0])}, outside the workspace, and the repository is not trusted; it is ignored"


def leaves_workspace(path: str) -> bool:
    """Whether a path, read as text, may lead out of the folder that it is relative to.

    Links inside the workspace that lead out are for the reader of the disk to refuse.
    """
    depth = 0
    for part in re.split(r"[/\\]", path.strip()):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return _ROOTED.match(path.strip()) is not None


def _paths(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else cast("tuple[str, ...]", value)


def _joined(below: object, above: object) -> object:
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        return {**cast("Mapping[str, object]", below), **cast("Mapping[str, object]", above)}
    return above
