"""Repositories: which repositories a workspace of several is made of.

Owns: the file that lists them, its syntax, the rules for aliases, finding repositories below a folder.
Must not know: what is in a repository, what is asked of it.
Invariant: reading never raises; an entry that cannot be used is a problem in words and the others stay.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.sources.git_state import git_head
from graphls.sources.read import read_small
from graphls.sources.workspace import Folder, Workspace

FOLDER: Final = ".graphls-workspace"
NAME: Final = f"{FOLDER}/workspace.json"
SCHEMA: Final = 1
_ALIAS: Final = re.compile(r"(?!\.+\Z)[A-Za-z0-9_.-]{1,100}\Z")
_PASSED_OVER: Final = frozenset({".git", "node_modules", "vendor", FOLDER})


class RegistryRefused(ValueError):
    """The list of repositories cannot be used or changed so. The text is fit for users."""


@attrs.frozen
class ListedRepository:
    """One repository of a workspace. `path`: as written, relative to the workspace where it is below it."""

    alias: str
    path: str
    head: str = ""
    """The commit that was checked out when it was listed, or refreshed."""


@attrs.frozen
class RepositoryList:
    """What the file of a workspace says."""

    repositories: tuple[ListedRepository, ...] = ()
    problems: tuple[str, ...] = ()


def has_list(root: str) -> bool:
    """Whether a folder is a workspace of repositories."""
    return os.path.lexists(os.path.join(root, NAME))


def read_list(root: str) -> RepositoryList:
    """The repositories of a workspace, by alias. Raises RegistryRefused where the file as a whole is unusable."""
    if not has_list(root):
        return RepositoryList()
    data = read_small(os.path.join(root, NAME))
    try:
        held = json.loads(data or b"")
    except (ValueError, RecursionError):
        raise RegistryRefused(f"{NAME} is no JSON. Correct it, or remove it and run graphls workspace scan.") from None
    table = cast("Mapping[str, object]", held) if isinstance(held, dict) else dict[str, object]()
    if table.get("schema_version") != SCHEMA:
        raise RegistryRefused(
            f"{NAME} has schema_version {table.get('schema_version')!r}; this version reads {SCHEMA}."
        )
    rows = table.get("repos")
    found: dict[str, ListedRepository] = {}
    problems: list[str] = []
    for number, row in enumerate(cast("list[object]", rows) if isinstance(rows, list) else ()):
        one = _listed(row)
        if one is None or one.alias in found:
            problems.append(f"{NAME}: repos[{number}] is left out: it has no alias and path of its own")
        else:
            found[one.alias] = one
    return RepositoryList(tuple(found[alias] for alias in sorted(found)), tuple(problems))


def write_list(root: str, repositories: Iterable[ListedRepository]) -> None:
    """Replaces the list, for this user's eyes alone. Raises RegistryRefused."""
    rows = [attrs.asdict(one) for one in sorted(repositories, key=lambda one: one.alias)]
    text = json.dumps({"schema_version": SCHEMA, "repos": rows}, indent=2, ensure_ascii=False) + "\n"
    path = os.path.join(root, NAME)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        made = f"{path}.{os.getpid()}"
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(made, path)
    except OSError as error:
        raise RegistryRefused(f"{NAME} cannot be written: {error.strerror or error}.") from None


def with_repository(root: str, listed: Sequence[ListedRepository], path: str, alias: str) -> ListedRepository:
    """The entry for a folder that is not listed yet. Raises RegistryRefused."""
    real = os.path.realpath(os.path.join(root, path))
    if not is_folder(real):
        raise RegistryRefused(f"{path!r} is no folder.")
    name = alias or os.path.basename(real)
    if not _ALIAS.match(name):
        raise RegistryRefused(f"{name!r} is no alias. Give one of letters, digits, '_', '.' and '-'.")
    for one in listed:
        if os.path.realpath(os.path.join(root, one.path)) == real:
            raise RegistryRefused(f"{path!r} is listed already, as {one.alias}.")
        if one.alias == name:
            raise RegistryRefused(f"The alias {name} is there already, for {one.path}. Give another one.")
    below = os.path.relpath(real, root)
    return ListedRepository(name, real if below.startswith("..") else below.replace(os.sep, "/"), head_of(real))


def repositories_below(root: str) -> Sequence[str]:
    """Names of folders directly below one that are repositories, or worktrees of one; sorted."""
    try:
        names = sorted(os.listdir(root))
    except OSError as error:
        raise RegistryRefused(f"{root!r} cannot be read: {error.strerror or error}.") from None
    return [name for name in names if name not in _PASSED_OVER and os.path.lexists(os.path.join(root, name, ".git"))]


def is_folder(path: str) -> bool:
    """Whether a repository is where it is said to be."""
    return os.path.isdir(path)


def head_of(path: str) -> str:
    """The commit that is checked out in a folder, "" without one."""
    head = git_head(path) if os.path.lexists(os.path.join(path, ".git")) else None
    return (head.commit or "") if head is not None else ""


def workspace_of(root: str, *, trusted: bool, only: Sequence[str] = ()) -> tuple[Workspace, tuple[str, ...]]:
    """The workspace that a list describes, and what is wrong with it. A repository that is not there stays in it, so
    that answers know that they lack it. `only`: aliases. `trusted`: paths may lead out of the root. Raises
    RegistryRefused."""
    found = read_list(root)
    unknown = sorted(set(only) - {one.alias for one in found.repositories})
    if unknown:
        known = ", ".join(one.alias for one in found.repositories) or "none"
        raise RegistryRefused(f"There is no repository {unknown[0]!r} in this workspace; there are: {known}.")
    folders: list[Folder] = []
    left_out: list[str] = []
    problems = list(found.problems)
    for one in found.repositories:
        if only and one.alias not in only:
            continue
        real = os.path.realpath(os.path.join(root, one.path))
        if not trusted and os.path.commonpath((root, real)) != root:
            problems.append(f"{one.alias}: {one.path} is outside of the workspace and left out; --trust takes it in")
            left_out.append(one.alias)
            continue
        if not is_folder(real):
            problems.append(f"{one.alias}: {one.path} is no folder; answers are without this repository")
        folders.append(Folder(one.alias, real))
    if not folders:
        raise RegistryRefused(f"{NAME} lists no repository that can be read. Add one: graphls workspace add PATH.")
    return Workspace(tuple(folders), tuple(left_out)), tuple(problems)


def _listed(row: object) -> ListedRepository | None:
    fields = cast("Mapping[str, object]", row) if isinstance(row, dict) else dict[str, object]()
    alias, path, head = (fields.get(name, "") for name in ("alias", "path", "head"))
    if not (isinstance(alias, str) and isinstance(path, str) and _ALIAS.match(alias) and path and "\0" not in path):
        return None
    return ListedRepository(alias, path, head if isinstance(head, str) else "")
