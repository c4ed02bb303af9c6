"""Reverse index: from an end to the files whose links lead there.

Owns: the numbers of all link entries that were ever covered, and who had them.
Must not know: which snapshot asks, how entries are made.
Invariant: for entries that are covered the answer is exact, whatever other entries of the same files were covered.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping

from graphls.facts.paths import FilePath
from graphls.session.link.link_entries import LinkEntry

_SPARE_PAIRS = 200_000
_FEW = 8


class ReverseIndex:
    """Shared by the snapshots of a session. Grows by what is new; starts again when most of it is old."""

    def __init__(self) -> None:
        self._where: dict[int, tuple[FilePath, ...] | list[FilePath]] = {}
        """Few files as a tuple, which takes less; many as a list, which grows where it is."""
        self._added: dict[FilePath, LinkEntry] = {}
        self._pairs = 0
        self._wanted = 0
        """Ends of the entries in `_added`."""
        self._lock = threading.Lock()
        self.generation = 0
        """Changes when what was covered before must be covered again."""

    def cover(self, entries: Mapping[FilePath, LinkEntry]) -> None:
        """Takes in the entries of one snapshot, as far as they are new."""
        with self._lock:
            new = [entry for path, entry in tuple(entries.items()) if self._added.get(path) is not entry]
            if self._pairs > _SPARE_PAIRS + 3 * self._wanted:
                self._where, self._added, self._pairs, self._wanted = {}, {}, 0, 0
                self.generation += 1
                new = list(entries.values())
            for entry in new:
                self._add(entry)

    def files(self, entries: Mapping[FilePath, LinkEntry], ends: Collection[int]) -> set[FilePath]:
        """Files whose entry among these, all of them covered, leads to any of the ends."""
        return {
            path
            for end in ends
            for path in self._where.get(end, ())
            if (entry := entries.get(path)) is not None and entry.index.leads_to(end)
        }

    def _add(self, entry: LinkEntry) -> None:
        path, where, before = entry.path, self._where, self._added.get(entry.path)
        if before is not None and before.index is entry.index:
            self._added[path] = entry
            return
        for end in entry.index.ends:
            known = where.get(end)
            if known is None:
                where[end] = (path,)
            elif before is not None and path in known:
                continue
            elif isinstance(known, list):
                known.append(path)
            else:
                where[end] = (*known, path) if len(known) < _FEW else [*known, path]
            self._pairs += 1
        self._wanted += len(entry.index.ends) - (0 if before is None else len(before.index.ends))
        self._added[path] = entry
