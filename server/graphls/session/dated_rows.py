"""Dated rows: small records of one workspace in the order in which they came, kept for a while.

Owns: the names of rows, how long and how many are kept.
Must not know: what a row says.
Invariant: rows may be written from any thread and process, each is one of its own; without a store nothing is kept.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from typing import Final

from graphls.session.feedback_rows import rows_from, start_of_rows
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

MOST: Final = 5_000
"""Rows of one form in one workspace."""
DAYS: Final = 90
_EVERY: Final = 100
"""Rows after which old ones are looked for."""
_NUMBERS: Final = itertools.count()


class DatedRows:
    """Rows of one form."""

    def __init__(self, store: BlobStore | None, workspace: Workspace, form: str) -> None:
        self._store = store
        self._start = start_of_rows(form, workspace)
        self._written = 0

    def put(self, row: bytes) -> None:
        """Adds one."""
        if self._store is None:
            return
        number = f"{time.time_ns():020d}-{os.getpid()}-{next(_NUMBERS):012d}"
        self._store.put("feedback", self._start + number, row)
        self._written += 1
        if self._written % _EVERY == 1:
            self.prune()

    def newest(self) -> Iterator[bytes]:
        """The newest first, none older than rows are kept."""
        if self._store is None:
            return
        oldest = _oldest()
        names = [name for name in self._names() if name.rpartition("\0")[2] >= oldest][-MOST:]
        raw = self._store.get_many("feedback", names)
        yield from (raw[name] for name in reversed(names) if name in raw)

    def erase(self) -> int:
        """Forgets everything; how much there was."""
        names = self._names()
        if self._store is not None and names:
            self._store.delete("feedback", names)
        return len(names)

    def prune(self, days: int | None = None) -> int:
        """Drops what is older than so many days, else than rows are kept, and the oldest of too many; how many."""
        names, oldest = self._names(), _oldest(days)
        old = [name for name in names if name.rpartition("\0")[2] < oldest]
        old += names[len(old) : max(len(names) - MOST, len(old))]
        if self._store is not None and old:
            self._store.delete("feedback", old)
        return len(old)

    def _names(self) -> list[str]:
        return [] if self._store is None else rows_from(self._store, self._start)


def _oldest(days: int | None = None) -> str:
    """How the name of a row ends that is as old as one may be."""
    return f"{(time.time_ns() - (DAYS if days is None else days) * 86_400 * 10**9):020d}"
