"""Graph news: which files differ between a state that a page was told of and the newest.

Owns: the states that pages were told of.
Must not know: pages, how changes are noticed.
Invariant: a state that is not remembered any more has no list of files: any may differ.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

from graphls.graph.snapshot import Snapshot

_REMEMBERED = 32


class GraphNews:
    """For any number of pages."""

    def __init__(self, newest: Callable[[], Snapshot]) -> None:
        self._newest = newest
        self._told: dict[int, Snapshot] = {}
        self._lock = threading.Lock()

    def since(self, revision: int) -> str:
        """The newest revision, and the files that differ from an earlier one, in JSON."""
        with self._lock:
            snapshot, before = self._newest(), self._told.get(revision)
            self._told[snapshot.revision] = snapshot
            for old in sorted(self._told)[:-_REMEMBERED]:
                del self._told[old]
        files = None if before is None else _differing(before, snapshot)
        return json.dumps({"revision": snapshot.revision, "files": files})


def _differing(before: Snapshot, after: Snapshot) -> list[str]:
    old, new = before.shards, after.shards
    changed = {path for path, shard in new.items() if path not in old or old[path].content != shard.content}
    return sorted(changed | (old.keys() - new.keys()))
