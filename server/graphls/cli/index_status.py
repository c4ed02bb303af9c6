"""Index status: how much of a workspace the graph holds, in one record.

Owns: the record that `index` and `status` show, its rows.
Must not know: arguments, how files are read.
Invariant: counts are of everything, lists are capped; `complete` means that every file is linked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from graphls.cli.empty_workspace import why_empty
from graphls.cli.open_workspace import OpenWorkspace
from graphls.cli.rendering.page import Part
from graphls.cli.rendering.words import counted, sized
from graphls.queries.answer import answer
from graphls.queries.status import Status, status
from graphls.session.link.background_linking import without_links
from graphls.session.snapshot_contents import SnapshotContents

_MOST = 20


@attrs.frozen
class ExcludedFile:
    """A file that is not in the graph, and why."""

    file: str
    reason: str


@attrs.frozen
class CacheStatus:
    """The cache."""

    folder: str
    entries: int
    bytes: int
    problem: str | None


@attrs.frozen
class CheckerLine:
    """A checker of the workspace."""

    name: str
    version: str
    state: str
    problem: str


@attrs.frozen
class IndexStatus:
    """What the graph of a workspace holds now."""

    snapshot: str
    revision: int
    fresh: bool
    complete: bool
    """Every file is linked."""
    root: str
    files: int
    indexed: int
    linked: int
    bytes: int
    languages: dict[str, int]
    packages: tuple[str, ...]
    pending: int
    skipped_count: int
    skipped: tuple[ExcludedFile, ...]
    unlinked_count: int
    unlinked: tuple[ExcludedFile, ...]
    """Files that could not be linked: what they use is unknown."""
    partly_read_count: int
    partly_read: tuple[ExcludedFile, ...]
    """Files with code that was not read in full."""
    cache: CacheStatus | None
    checkers: tuple[CheckerLine, ...]
    settings: str | None
    """The file that settings were read from."""
    problems: tuple[str, ...]


def index_status(workspace: OpenWorkspace) -> IndexStatus:
    """How much the graph holds."""
    snapshot = workspace.snapshot
    envelope, status_now = answer(snapshot), status(snapshot)
    linked = _linked(workspace, status_now) - status_now.unlinked_count
    empty = () if status_now.indexed or status_now.pending else (why_empty(workspace),)
    return IndexStatus(
        snapshot=envelope.snapshot,
        revision=envelope.revision,
        fresh=envelope.fresh,
        complete=envelope.fresh and linked == status_now.indexed,
        root=workspace.place.root,
        files=status_now.files,
        indexed=status_now.indexed,
        linked=linked,
        bytes=status_now.bytes,
        languages=dict(status_now.languages),
        packages=status_now.packages,
        pending=status_now.pending,
        skipped_count=status_now.skipped_count,
        skipped=tuple(ExcludedFile(skipped.path, skipped.reason) for skipped in status_now.skipped),
        unlinked_count=status_now.unlinked_count,
        unlinked=tuple(ExcludedFile(failed.path, failed.reason) for failed in status_now.unlinked),
        partly_read_count=status_now.partly_read_count,
        partly_read=tuple(ExcludedFile(one.path, one.reason) for one in status_now.partly_read),
        cache=_cache_status(workspace),
        checkers=tuple(
            CheckerLine(status.name, status.version, status.state.value, status.problem)
            for status in (workspace.session.checker_service.status(snapshot) if workspace.session.verifies else ())
        ),
        settings=workspace.place.origin,
        problems=(*workspace.place.problems, *workspace.session.problems.values(), *empty),
    )


def status_rows(index: IndexStatus) -> Iterator[tuple[Part, ...]]:
    """A line for each thing worth knowing."""
    yield "workspace", (index.root, "bold")
    languages = ", ".join(f"{count:,} {name}" for name, count in index.languages.items()) or "no source files"
    yield "files", f"{index.files:,}: {languages}, {index.files - index.indexed:,} other; {sized(index.bytes)}"
    if index.packages:
        yield "packages", ", ".join(index.packages[:_MOST])
    state = (
        ("complete", "green") if index.complete else (f"ready, {index.linked:,} of {index.indexed:,} linked", "yellow")
    )
    yield "state", state if index.fresh else (f"{counted(index.pending, 'file')} not read yet", "yellow")
    yield "snapshot", (index.snapshot, "dim")
    if index.cache is None:
        yield "cache", ("not used", "dim")
    else:
        yield "cache", index.cache.problem or f"{index.cache.folder}  {sized(index.cache.bytes)}"
    for checker in index.checkers:
        state = f"{checker.name} {checker.version}".strip() + f": {checker.state}"
        yield (
            "checker",
            (f"{state}, {checker.problem}" if checker.problem else state, "yellow" if checker.problem else ""),
        )
    if index.settings:
        yield "settings", index.settings
    for problem in index.problems:
        yield "problem", (problem, "yellow")
    yield from _left_rows("skipped", index.skipped_count, index.skipped)
    yield from _left_rows("not linked", index.unlinked_count, index.unlinked)
    yield from _left_rows("read in part", index.partly_read_count, index.partly_read)


def _left_rows(title: str, count: int, files: Sequence[ExcludedFile]) -> Iterator[tuple[Part, ...]]:
    if not count:
        return
    yield title, (counted(count, "file"), "yellow")
    yield from (("", f"{left.file}  ({left.reason})") for left in files[:_MOST])
    if count > _MOST:
        yield "", f"and {count - _MOST:,} more: --format json lists up to 100"


def _linked(workspace: OpenWorkspace, totals: Status) -> int:
    reader = workspace.snapshot.reader
    if not isinstance(reader, SnapshotContents):
        return 0
    return totals.indexed - len(without_links(workspace.snapshot, reader, lambda: False))


def _cache_status(workspace: OpenWorkspace) -> CacheStatus | None:
    if workspace.store is None:
        return None
    stats = workspace.store.stats()
    return CacheStatus(stats.folder, stats.entries, stats.size, stats.problem)
