"""Merge: what the repository asks for, then what the client says, under a trust rule.

Owns: precedence, refusing what an untrusted repository may not name.
Must not know: files, links between folders, who decides on trust.
Invariant: without trust, no value of the repository names or chooses an executable, the cache, or a path outside the
    workspace, or makes graphls do much more than it does by itself; and no value of a client names an executable or the
    cache.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from graphls.settings.kinds import render_value
from graphls.settings.option import Option, SettingEntry, Trust
from graphls.settings.parse import OPTIONS, Path, SettingProblem, build, read
from graphls.settings.policy_rules import PolicyRule
from graphls.settings.similarity import names_signature
from graphls.settings.tree import Settings

_OVER_A_NETWORK: Final = (
    "may not be set by a client over a network; it is ignored; start graphls serve with --allow-programs to let it"
)
_TOO_MUCH: Final = "may be at most {0} for a repository that is not trusted; {0} is used; set more in the editor"
_MOST_ENTRIES: Final = 1_000
"""Of a list or table that a repository gives. Each file or name is compared with each of them."""
_FROM_WORKSPACE: Final[Path] = ("checker", "from_workspace")
_ROOTED: Final = re.compile(r"[/\\~$%]|[A-Za-z]:|file:", re.IGNORECASE)


def merge(
    repository: Mapping[str, object], client: Mapping[str, object], trusted: bool, *, programs: bool = True
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Settings of a workspace. The client wins; tables of names are joined entry by entry.

    `trusted`: the user trusts the repository, and the programs that are installed in it. `programs`: the client may
    name programs and the cache; one over a network may not.
    """
    from_repository = read(repository, "repository")
    from_client = read(client, "client")
    allowed: dict[Path, object] = {}
    refused: list[SettingProblem] = []
    for path, value in from_repository.values.items():
        entry = OPTIONS[path]
        refusal = None if trusted else refusal_of(entry, value)
        if refusal is not None:
            refused.append(SettingProblem(entry.key, refusal, "error", "repository"))
            continue
        allowed[path] = value if trusted else _bounded(entry, value)
        if allowed[path] != value:
            refused.append(SettingProblem(entry.key, _TOO_MUCH.format(entry.option.most), "warning", "repository"))
    values = dict(allowed)
    if trusted:
        values.setdefault(_FROM_WORKSPACE, True)
    for path, value in from_client.values.items():
        entry = OPTIONS[path]
        if programs or entry.option.trust is not Trust.PROGRAM or value == entry.default:
            values[path] = _joined(allowed.get(path), value)
        else:
            refused.append(SettingProblem(entry.key, _OVER_A_NETWORK, "error", "client"))
    settings, problems = build(values, "client" if names_signature(from_client.values) else "repository")
    return settings, (*from_repository.problems, *refused, *from_client.problems, *problems)


def refusal_of(entry: SettingEntry, value: object) -> str | None:
    """Why an untrusted repository may not say this, or None when it may."""
    option = entry.option
    if value == entry.default or value in option.harmless:
        return None
    if _entries(value) > _most_entries(option):
        return f"has more than {_most_entries(option)} entries, and the repository is not trusted; it is ignored"
    if option.trust is Trust.ANY:
        return None
    if option.trust in (Trust.NOTHING, Trust.PROGRAM):
        return "may not be set by a repository that is not trusted; it is ignored; set it in the editor, or use --trust"
    outside = [path for path in _paths(value) if leaves_workspace(path)]
    if not outside:
        return None
    return f"names {render_value(outside[0])}, outside the workspace, and the repository is not trusted; it is ignored"


def _entries(value: object) -> int:
    return len(cast("Sequence[object]", value)) if isinstance(value, tuple | Mapping) else 0


def _most_entries(option: Option) -> int:
    return _MOST_ENTRIES if option.most is None else option.most


def _bounded(entry: SettingEntry, value: object) -> object:
    """A number of a repository, no larger than it may ask for."""
    most = entry.option.most
    if most is None or not isinstance(value, int) or isinstance(value, bool):
        return value
    return min(value, most)


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
    if isinstance(below, tuple) and isinstance(above, tuple):
        rules: tuple[object, ...] = (*cast("tuple[object, ...]", above), *cast("tuple[object, ...]", below))
        # Rules add up; those of the client come first, and say whether others may stand in their place.
        if rules and all(isinstance(one, PolicyRule) for one in rules):
            return rules
    return cast("object", above)
