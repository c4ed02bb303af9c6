"""Findings: what the rules said last, for those who must not wait for them.

Owns: the last answer with the snapshot it was read from, which of it still holds.
Must not know: rules, how findings look to the client.
Invariant: a finding is shown only in a file whose contents are those it was found in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import attrs

from graphls.analysis.finding import Finding
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Revision, Snapshot, SymbolRef
from graphls.settings import Settings


@attrs.frozen(eq=False)
class _CachedRun:
    """The snapshot itself, which an answer refers to, would stay as long as nobody looks again."""

    revision: Revision
    contents: Mapping[FilePath, ContentHash]
    """Of the files with open findings, as they were then."""
    open: Mapping[FilePath, tuple[Finding, ...]]


class FindingsCache:
    """One connection's findings; made in the long lane or the background, read in any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: _CachedRun | None = None

    def compute(
        self,
        snapshot: Snapshot,
        settings: Settings,
        known: KnownFindings,
        pause: Callable[[], None] = lambda: None,
    ) -> FindingSet:
        """Run the rules, and remember what they say. `pause`: called between steps."""
        answer = findings(snapshot, settings, known, pause=pause)
        with self._lock:
            if self._known is None or self._known.revision <= snapshot.revision:
                self._known = _cached(snapshot, answer)
        return answer

    def is_current(self, snapshot: Snapshot) -> bool:
        """Whether the last answer is of this revision."""
        known = self._known
        return known is not None and known.revision == snapshot.revision

    def findings_in(self, snapshot: Snapshot, path: FilePath) -> tuple[Finding, ...]:
        """Open findings of a file, as far as they are known and still true of its contents."""
        known = self._known
        if known is None:
            return ()
        now = snapshot.shards.get(path)
        if now is None or known.contents.get(path) != now.content:
            return ()
        return known.open[path]

    def about(self, snapshot: Snapshot, place: SymbolRef) -> tuple[Finding, ...]:
        """Those that are shown at a definition."""
        return tuple(found for found in self.findings_in(snapshot, place.file) if found.at.place == place)


def _cached(snapshot: Snapshot, answer: FindingSet) -> _CachedRun:
    files = sorted({FilePath(one.at.file) for one in answer.findings if one.status == "open"})
    shown = {path: answer.open_in(path) for path in files if path in snapshot.shards}
    return _CachedRun(snapshot.revision, {path: snapshot.shards[path].content for path in shown}, shown)
