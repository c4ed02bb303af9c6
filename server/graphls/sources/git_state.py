"""Git state: what is checked out, read from the repository's own files.

Owns: HEAD, references loose and packed, worktrees.
Must not know: history, the index, contents.
Invariant: no process is started and nothing is written; anything odd is None, never an error.
"""

from __future__ import annotations

import os
import re

import attrs

from graphls.sources.ignore_rules import git_common_folder, git_folder
from graphls.sources.read import read_small

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REFERENCE = re.compile(r"refs/[^\0-\x20\x7f~^:?*\[\\]+")
_LARGEST_PACKED = 50_000_000


@attrs.frozen
class GitHead:
    commit: str | None
    """None on a branch without a commit."""
    branch: str | None
    """The full reference, `refs/heads/main`; None when detached."""


def git_head(root: str) -> GitHead | None:
    """What is checked out at the root or at the closest folder above it that is a repository."""
    repository = _repository(root)
    head = _text(os.path.join(git_folder(repository), "HEAD")) if repository else None
    if repository is None or head is None:
        return None
    if _COMMIT.fullmatch(head):
        return GitHead(head, None)
    branch = head.removeprefix("ref:").strip()
    if not _REFERENCE.fullmatch(branch) or ".." in branch:
        return None
    return GitHead(_resolved(repository, branch), branch)


def _resolved(repository: str, reference: str) -> str | None:
    common = git_common_folder(repository)
    loose = _text(os.path.join(common, *reference.split("/")))
    if loose is not None:
        return loose if _COMMIT.fullmatch(loose) else None
    packed = read_small(os.path.join(common, "packed-refs"), _LARGEST_PACKED) or b""
    for line in packed.decode("utf-8", "replace").splitlines():
        commit, _, name = line.partition(" ")
        if name == reference and _COMMIT.fullmatch(commit):
            return commit
    return None


def _repository(root: str) -> str | None:
    here = os.path.abspath(root)
    while not os.path.lexists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent
    return here


def _text(path: str) -> str | None:
    data = read_small(path, 4_096)
    return None if data is None else data.decode("utf-8", "replace").strip()
