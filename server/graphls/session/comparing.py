"""Comparing: the files that differ from a commit, from the index, or from the disk.

Owns: earlier contents beside the snapshot, for every folder of a workspace.
Must not know: symbols, what a difference means.
Invariant: earlier contents are read from the repository's objects and compared with the snapshot, so that unsaved
    buffers count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest, GraphError
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import FileDiff
from graphls.sources.encodings import EncodingError, utf8_text
from graphls.sources.git_changes import ChangedPath, changed_paths, contents_of, paths_between
from graphls.sources.git_log import merge_base
from graphls.sources.git_program import GitRefused, repository
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_source
from graphls.sources.repositories import is_folder
from graphls.sources.source_files import SkippedSource
from graphls.sources.workspace import Folder, Workspace

Changes = Literal["unstaged", "staged", "all", "compare", "unsaved"]
PARTED = "..."
_BINARY = b"\0"


class NoHistory(GraphError):
    """Version control cannot answer."""

    def __init__(self, message: str) -> None:
        super().__init__("graphls.noHistory", message)


def edits(
    workspace: Workspace, snapshot: Snapshot, limits: SourceLimits, changes: Changes, base: str = "", *, at: str = ""
) -> tuple[FileDiff, ...]:
    """Files that differ, with what they held before. `at`: the snapshot is of this commit, which is compared with the
    one before it, or with `base`. Raises NoHistory, BadRequest."""
    if at and changes not in ("all", "compare"):
        raise BadRequest("What is staged or unsaved is no part of a commit: leave changes or at out.")
    if at:
        return _between(workspace, limits, at, base or f"{at}^")
    if changes == "unsaved":
        return tuple(_unsaved(workspace, snapshot, limits))
    if (changes == "compare") != bool(base):
        raise BadRequest("To compare with a commit, give changes 'compare' and the commit as base.")
    found: list[FileDiff] = []
    # A repository that is not there cannot be asked; the snapshot names it, and answers are not complete.
    folders = [folder for folder in workspace.folders if is_folder(folder.root)] or workspace.folders
    try:
        for folder in folders:
            found += _in_folder(workspace, folder, snapshot, limits, changes=changes, base=base)
        if changes != "staged":
            # The disk holds what they are compared with, or git would have named them.
            listed = {edit.path for edit in found}
            found += [edit for edit in _unsaved(workspace, snapshot, limits) if edit.path not in listed]
    except GitRefused as refused:
        raise NoHistory(str(refused)) from None
    return tuple(edit for edit in found if not _is_same(snapshot, edit))


def _between(workspace: Workspace, limits: SourceLimits, reference: str, base: str) -> tuple[FileDiff, ...]:
    """Files that a commit has otherwise than another one. Raises NoHistory."""
    found: list[FileDiff] = []
    for folder in workspace.folders:
        git = repository(folder.root)
        try:
            paths = paths_between(git, base, reference)
            contents = contents_of(
                git, {change.before for change in paths}, limits.of_folder(folder.name).max_file_bytes
            )
        except GitRefused as refused:
            raise NoHistory(str(refused)) from None
        for change in paths:
            old = workspace.key(folder, change.old_path) if change.old_path else None
            path = workspace.key(folder, change.path)
            found.append(FileDiff(path, change.status, old, _text(old or path, contents.get(change.before))))
    return tuple(found)


def _is_same(snapshot: Snapshot, edit: FileDiff) -> bool:
    """Only a time stamp differs, or a buffer took the edit back."""
    if edit.status != "modified" or edit.before is None or edit.after is not None or edit.path not in snapshot.shards:
        return False
    return edit.before == snapshot.text(edit.path)


def _in_folder(
    workspace: Workspace,
    folder: Folder,
    snapshot: Snapshot,
    limits: SourceLimits,
    *,
    changes: Literal["unstaged", "staged", "all", "compare"],
    base: str,
) -> Iterator[FileDiff]:
    git = repository(folder.root)
    # As git spells it: since what is checked out and that branch parted, which is what a pull request shows.
    base = merge_base(git, base.removesuffix(PARTED)) if base.endswith(PARTED) else base
    paths = changed_paths(git, changes, base)
    wanted = {change.before for change in paths}
    if changes == "staged":
        wanted |= {change.after for change in paths}
    contents = contents_of(git, wanted, limits.of_folder(folder.name).max_file_bytes)
    renamed = _moved(workspace, folder, snapshot, paths, contents)
    for change in paths:
        path = workspace.key(folder, change.path)
        old = workspace.key(folder, change.old_path) if change.old_path else None
        before = _text(old or path, contents.get(change.before))
        if path in renamed.values():
            continue
        if path in renamed:
            gone = renamed[path]
            yield FileDiff(path, "renamed", gone, snapshot.text(path))
            continue
        after = _text(path, contents.get(change.after)) if changes == "staged" else None
        still_there = change.status == "deleted" and changes != "staged" and path in snapshot.shards
        yield FileDiff(path, "modified" if still_there else change.status, old, before, after)


def _moved(
    workspace: Workspace,
    folder: Folder,
    snapshot: Snapshot,
    paths: tuple[ChangedPath, ...],
    contents: Mapping[str, bytes],
) -> dict[FilePath, FilePath]:
    """Files that git does not know yet and that hold exactly what a deleted file held."""
    deleted = {
        workspace.key(folder, change.path): contents[change.before]
        for change in paths
        if change.status == "deleted" and change.before in contents
    }
    gone = {_text(path, raw): path for path, raw in deleted.items()}
    new = (workspace.key(folder, change.path) for change in paths if change.status == "added" and not change.after)
    return {
        path: gone[text] for path in new if path in snapshot.shards and (text := snapshot.text(path)) and text in gone
    }


def _unsaved(workspace: Workspace, snapshot: Snapshot, limits: SourceLimits) -> Iterator[FileDiff]:
    for path, shard in snapshot.shards.items():
        if shard.dirty:
            source = read_source(workspace, path, limits)
            missing = isinstance(source, SkippedSource)
            yield FileDiff(path, "added" if missing else "modified", None, None if missing else source.data)


def _text(path: FilePath, raw: bytes | None) -> bytes | None:
    """What a file held, as the snapshot holds it."""
    try:
        data = None if raw is None else utf8_text(path, raw)
    except EncodingError:
        return None
    return None if data is None or _BINARY in data else data
