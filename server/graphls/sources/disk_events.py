"""Disk events: what changed on disk since one last looked, at the cost of a glance.

Owns: which folders are followed, what of an event is passed on.
Must not know: what is known of files, what a change means for the graph.
Invariant: `exact` means that nothing that happened before a look is missing from it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import attrs

from graphls.facts.paths import FilePath
from graphls.sources.inotify import Inotify, InotifyEvent
from graphls.sources.surroundings import matters

if TYPE_CHECKING:
    import asyncio


@attrs.frozen
class DiskEventBatch:
    """Paths of the workspace at which something happened. `outside`: and something that is no file of it."""

    paths: tuple[FilePath, ...] = ()
    outside: bool = False
    lost: bool = False
    """More happened than is told: only a walk can say what is there now."""


_NOTHING = DiskEventBatch()


class DiskEvents:
    """Safe to use from any thread."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        """`wanted`: by their names, which files are of any use."""
        self._wanted = wanted
        self._queue = Inotify.opened()
        self._lock = threading.Lock()
        self._bases: dict[str, str] = {}
        """Folder of the workspace -> what stands before the names in it."""
        self._kinds: dict[str, str] = {}
        self._missing: set[str] = set()
        """Roots that are not there: nothing says when they come."""

    @property
    def exact(self) -> bool:
        """Whether all folders are followed."""
        return self._queue is not None and not self._queue.full and not self._missing

    def walked(self, folder: str, base: str, *, is_root: bool = False) -> None:
        """A walk is about to list this folder of the workspace."""
        if self._queue is None:
            return
        if self._queue.follow(folder):
            self._bases[folder] = base
            self._missing.discard(folder)
        elif is_root:
            self._missing.add(folder)
            self._queue.wake()

    def surround(self, folders: Iterable[tuple[str, str]]) -> None:
        """Folders outside of what is walked; see `surroundings`. They are followed one by one, as they are named."""
        if self._queue is not None:
            for folder, kind in folders:
                if self._queue.follow(folder):
                    self._kinds[folder] = kind

    def glance(self) -> DiskEventBatch:
        """What happened since the last time."""
        if self._queue is None:
            return _NOTHING
        with self._lock:
            drained = self._queue.drain()
            if not drained.events and not drained.lost:
                return _NOTHING
            paths: dict[FilePath, None] = {}
            outside, lost = False, drained.lost
            for event in drained.events:
                outside = outside or self._is_outside(event)
                base = self._bases.get(event.folder)
                # Of a root of its own nothing is left to look at, and no folder above it says what is there now.
                lost = lost or (base is not None and not f"{base}{event.name}")
                if base is not None and (event.is_folder or self._wanted(event.name)):
                    paths[FilePath(f"{base}{event.name}".rstrip("/"))] = None
            return DiskEventBatch(tuple(path for path in paths if path), outside, lost)

    async def wait(self, stop: asyncio.Event) -> None:
        """Until something happened, or `stop` is set, or this is not exact any more."""
        if self._queue is not None:
            await self._queue.wait(stop, lambda: not self.exact)

    def close(self) -> None:
        """Follows nothing any more."""
        if self._queue is not None:
            self._queue.close()

    def _is_outside(self, event: InotifyEvent) -> bool:
        kind = self._kinds.get(event.folder)
        return kind is not None and matters(kind, event.name, is_folder=event.is_folder)
