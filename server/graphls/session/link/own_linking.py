"""Own linking: how long the server's own process may link one file.

Owns: the time of one linking, the error that says that it is over, the files that were given up until a session knows.
Must not know: how a file is linked, what becomes of those that were given up.
Invariant: a file has as much computing time here as in a worker process; waiting for others does not count.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from graphls.facts.paths import FilePath
from graphls.session.link.link_entries import LinkEntry
from graphls.session.process.workers import CpuLimit


class LinkingTimeError(RuntimeError):
    """One file took longer than any may."""


class LinkingTime:
    """That of one file, begun now in this thread."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds, self._clock = seconds, clock
        self._begun = clock()

    @property
    def is_over(self) -> bool:
        """Whether the file has had all of it."""
        return self._clock() - self._begun > self._seconds

    def error(self) -> LinkingTimeError:
        """What says so, in the words that are used of a worker."""
        return LinkingTimeError(f"took longer than {self._seconds:.0f} seconds")


class OwnLinking:
    """What all snapshots of one session share. Safe to use from any thread."""

    def __init__(self, limit: CpuLimit | None = None, clock: Callable[[], float] = time.thread_time) -> None:
        self._limit, self._clock = limit or CpuLimit(), clock
        self._lock = threading.Lock()
        self._given_up: dict[FilePath, LinkEntry] = {}

    def begin(self, size: int) -> LinkingTime:
        """A file of so many bytes is about to be linked."""
        return LinkingTime(self._limit.seconds(size), self._clock)

    def give_up(self, entry: LinkEntry) -> None:
        """A file was given up; the entry says why."""
        with self._lock:
            self._given_up[entry.path] = entry

    def take(self) -> Mapping[FilePath, LinkEntry]:
        """Those that were since the last call."""
        with self._lock:
            taken, self._given_up = self._given_up, {}
        return taken
