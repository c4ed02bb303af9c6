"""History: the last commits of a workspace's repositories.

Owns: asking each folder's repository once a commit, the cache of what git printed.
Must not know: what is made of the commits.
Invariant: what is cached is named by the commit, how many were asked for, and what names of people rest on; without a
    repository it is refused, never empty.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import attrs

from graphls.facts.paths import FilePath
from graphls.languages.registry import language_of
from graphls.session.comparing import NoHistory
from graphls.sources.git_log import (
    COMMITS,
    CommitPaths,
    GitHistory,
    LoggedCommit,
    commit_paths,
    head_of,
    is_shallow,
    merge_base,
    parsed_log,
    raw_log,
)
from graphls.sources.git_patches import RecentPatch, commit_hunks, uncommitted_hunks
from graphls.sources.git_program import GitRefused, Repository, repository
from graphls.sources.read import read_small
from graphls.sources.workspace import Folder, Workspace
from graphls.store.blobs import BlobStore

_FORM = "git log 1"
_PATCHES = 40
"""Commits whose lines are read."""
_MOST_PATHS = 60
"""Files of a commit whose lines are read."""


def git_history(
    workspace: Workspace, store: BlobStore | None = None, commits: int = COMMITS, at: str = ""
) -> GitHistory:
    """The commits of every folder, newest first, up to `at` or what is checked out. Raises NoHistory."""
    try:
        histories = [_of_folder(workspace, folder, store, commits, at) for folder in workspace.folders]
    except GitRefused as refused:
        raise NoHistory(str(refused)) from None
    if len(histories) == 1:
        return histories[0]
    merged = sorted((commit for one in histories for commit in one.commits), key=lambda one: (-one.time, one.id))
    heads, shallow = ",".join(one.head for one in histories), any(one.shallow for one in histories)
    return GitHistory(heads, tuple(merged), commits, shallow)


@attrs.frozen
class PastChanges:
    """What earlier commits of every folder changed, as paths of the workspace, newest first in each folder."""

    commits: tuple[CommitPaths, ...] = ()
    patches: tuple[RecentPatch, ...] = ()


def past_changes(workspace: Workspace, commits: int, at: str = "") -> PastChanges:
    """The last commits, and what a few of them changed in files that have a language; nothing of a folder where no
    history can be read."""
    found: list[CommitPaths] = []
    patches: list[RecentPatch] = []
    for folder in workspace.folders:
        try:
            git = repository(folder.root)
            read = commit_paths(git, head_of(git, at), commits)
        except GitRefused:
            continue
        found += (attrs.evolve(one, paths=tuple(workspace.key(folder, path) for path in one.paths)) for one in read)
        with contextlib.suppress(GitRefused):  # contents may not be in this clone
            patches += (_placed(workspace, folder, one) for one in _patches(git, read))
    return PastChanges(tuple(found), tuple(patches))


def uncommitted_changes(workspace: Workspace) -> tuple[RecentPatch, ...]:
    """What differs on disk from the last commit of every folder, where it has one."""
    found: list[RecentPatch] = []
    for folder in workspace.folders:
        with contextlib.suppress(GitRefused):
            changed = RecentPatch(0, uncommitted_hunks(repository(folder.root)))
            found.append(_placed(workspace, folder, changed))
    return tuple(found)


def _patches(git: Repository, commits: Sequence[CommitPaths]) -> Iterator[RecentPatch]:
    """What the last commits that changed anything changed, newest first. One of very many files is not read, nor are
    earlier ones of its files, since it may have moved their lines."""
    recent = [one for one in commits if one.paths][:_PATCHES]
    small = [one for one in recent if len(one.paths) <= _MOST_PATHS]
    paths = sorted({path for one in small for path in one.paths if language_of(FilePath(path))})
    changed = commit_hunks(git, [one.id for one in small], paths)
    lost: set[str] = set()
    for age, commit in enumerate(recent, 1):
        if len(commit.paths) > _MOST_PATHS:
            lost.update(commit.paths)
        yield RecentPatch(age, {path: found for path, found in changed.get(commit.id, {}).items() if path not in lost})


def _placed(workspace: Workspace, folder: Folder, patch: RecentPatch) -> RecentPatch:
    return RecentPatch(patch.age, {workspace.key(folder, path): found for path, found in patch.files.items()})


def common_commit(workspace: Workspace, name: str) -> str:
    """The commit where what is checked out and another one part. Raises NoHistory."""
    try:
        return merge_base(repository(workspace.folders[0].root), name)
    except GitRefused as refused:
        raise NoHistory(str(refused)) from None


def _of_folder(workspace: Workspace, folder: Folder, store: BlobStore | None, commits: int, at: str) -> GitHistory:
    git = repository(folder.root)
    head = head_of(git, at)
    key = _key(git, head, commits)
    known = None if store is None else store.get("values", key)
    shallow = is_shallow(git)
    if known is None:
        raw = raw_log(git, head, commits)
        if store is not None:
            store.put("values", key, zlib.compress(raw, 1))
    else:
        raw = zlib.decompress(known)
    return GitHistory(head, tuple(_named(workspace, folder, one) for one in parsed_log(raw)), commits, shallow)


def _named(workspace: Workspace, folder: Folder, commit: LoggedCommit) -> LoggedCommit:
    if len(workspace.folders) == 1:
        return commit
    files = tuple(
        attrs.evolve(
            file,
            path=workspace.key(folder, file.path),
            old_path=workspace.key(folder, file.old_path) if file.old_path else "",
        )
        for file in commit.files
    )
    return attrs.evolve(commit, files=files)


def _key(git: Repository, head: str, commits: int) -> str:
    """People are named by the mailmap of the work tree."""
    top = git.ask(("rev-parse", "--show-toplevel")).decode("utf-8", "surrogateescape").strip()
    prefix = git.ask(("rev-parse", "--show-prefix")).decode("utf-8", "surrogateescape").strip()
    people = blake2b(read_small(os.path.join(top, ".mailmap")) or b"", digest_size=16).hexdigest()
    return f"{_FORM}\0{head}\0{commits}\0{prefix}\0{people}"
