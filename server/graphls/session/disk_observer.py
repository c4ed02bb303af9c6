"""Disk observer: what changed on disk before a moment, found out at that moment.

Owns: which of the paths that the system tells of are news, sweeps where the system tells nothing.
Must not know: threads, snapshots, who asks.
Invariant: what is no news holds the contents that are known.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.session.index.file_table import FileTable
from graphls.session.index.scanning import indexed
from graphls.settings import Settings
from graphls.sources.content import content_hash
from graphls.sources.limits import SourceLimits
from graphls.sources.look import look
from graphls.sources.read import read_source
from graphls.sources.source_files import SkippedSource
from graphls.sources.surroundings import folders, is_telling
from graphls.sources.workspace import Workspace
from graphls.store.manifest import ManifestEntry

if TYPE_CHECKING:
    import asyncio

    from graphls.sources.disk_events import DiskEvents

FreshnessMode = Literal["allow-stale", "prefer-fresh", "require-fresh"]
"""Answer from what is known; look at the disk and take in what can be taken in at once; wait for all of it."""

_SWEEP = 1_000
"""Files that one question looks at, in turn, where the system does not tell what changed."""
_RECENT_NS = 1_000_000_000
"""Within one tick of the file system's clock a file may change twice: a stamp so young proves nothing."""
_FEW = 50
"""Files whose contents are compared at once; with more of them, reading is for those who do it side by side."""


@attrs.frozen
class DiskChanges:
    """What to do about what changed. `rescan`: only a walk can say what did; `outside`: so for what is installed."""

    rescan: bool = False
    outside: bool = False
    paths: tuple[FilePath, ...] = ()


_NOTHING = DiskChanges()


class DiskObserver:
    """One workspace, looked at again and again."""

    def __init__(self, workspace: Workspace, *, follow: bool) -> None:
        """`follow`: many looks will come, so that folders are better followed."""
        self._workspace = workspace
        self._events: DiskEvents | None = None
        if follow:
            from graphls.sources.disk_events import DiskEvents  # a single command looks once

            self._events = DiskEvents(lambda name: indexed(name) or is_telling(name))
        self._sweep = Sweep()
        self._roots = frozenset(folder.root for folder in workspace.folders)

    @property
    def exact(self) -> bool:
        """Whether the system tells of everything that happens."""
        return self._events is not None and self._events.exact

    async def wait(self, stop: asyncio.Event) -> None:
        """Until something happened, or `stop` is set, or this is not exact any more."""
        if self._events is not None:
            await self._events.wait(stop)

    def follow_folder(self, folder: str, base: str) -> None:
        """A walk is about to list this folder."""
        if self._events is not None:
            self._events.walked(folder, base, is_root=folder in self._roots)

    def follow_environment(self, settings: Settings) -> None:
        """Follows what lies outside of what is walked. Before it is read: nothing that comes in between is missed."""
        if self._events is not None:
            self._events.surround(folders(self._workspace, settings.python.environment))

    def close(self) -> None:
        """Follows nothing any more."""
        if self._events is not None:
            self._events.close()

    def changes(self, limits: SourceLimits, files: FileTable, *, everything: bool) -> DiskChanges:
        """What changed since the last look. `everything`: also where that takes a walk."""
        events = self._events
        if events is None:
            return _NOTHING
        found, exact = events.glance(), events.exact
        if exact and not (found.paths or found.outside or found.lost):
            return _NOTHING
        if found.lost or (everything and not exact):
            return DiskChanges(rescan=True)
        paths = found.paths if exact else {*found.paths, *self._sweep.next_paths(files.stamps)}
        return DiskChanges(outside=found.outside, paths=self.news(limits, files, paths))

    def news(self, limits: SourceLimits, files: FileTable, paths: Iterable[FilePath]) -> tuple[FilePath, ...]:
        """Those of the paths at which there may be something else than is known. Who watches may tell of what a look
        has found before."""
        asked = {*paths}
        waiting = {*files.pending}.intersection(asked) if asked else asked
        other = changed_paths(self._workspace, limits, asked - waiting, files.stamps)
        return tuple(sorted({*waiting, *other}))


def changed_paths(
    workspace: Workspace, limits: SourceLimits, paths: Iterable[FilePath], stamps: Mapping[FilePath, ManifestEntry]
) -> Iterator[FilePath]:
    """Those of the paths at which something else may be than is known."""
    compared = 0
    for path in paths:
        known, found = stamps.get(path), look(workspace, path)
        if known is None or found is None or known.size != found.size:
            yield path
        elif known.mtime_ns != found.mtime_ns or time.time_ns() - found.mtime_ns < _RECENT_NS:
            compared += 1
            if compared > _FEW or _content(workspace, limits, path) != known.content:
                yield path


class Sweep:
    """Looks at known files in turn."""

    def __init__(self) -> None:
        self._left: list[FilePath] = []

    def next_paths(self, stamps: Mapping[FilePath, ManifestEntry]) -> tuple[FilePath, ...]:
        """The next files to look at; of those that a walk lists."""
        if not self._left:
            self._left = list(stamps)
        chosen = tuple(self._left[-_SWEEP:])
        del self._left[-_SWEEP:]
        return chosen


def _content(workspace: Workspace, limits: SourceLimits, path: FilePath) -> str:
    source = read_source(workspace, path, limits)
    return "" if isinstance(source, SkippedSource) else content_hash(source.data)
