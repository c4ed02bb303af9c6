"""Findings: what the rules said last, for those who must not wait for them.

Owns: the last answer with the snapshot it was read from, which of it still holds.
Must not know: rules, how findings look to the client.
Invariant: a finding is shown only in a file whose contents are those it was found in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import attrs

from graphls.analysis.finding import Finding
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.settings import Settings


@attrs.frozen(eq=False)
class _CachedRun:
    snapshot: Snapshot
    answer: FindingSet


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
            if self._known is None or self._known.snapshot.revision <= snapshot.revision:
                self._known = _CachedRun(snapshot, answer)
        return answer

    def is_current(self, snapshot: Snapshot) -> bool:
        """Whether the last answer is of this revision."""
        known = self._known
        return known is not None and known.snapshot.revision == snapshot.revision

    def findings_in(self, snapshot: Snapshot, path: FilePath) -> tuple[Finding, ...]:
        """Open findings of a file, as far as they are known and still true of its contents."""
        known = self._known
        if known is None:
            return ()
        then, now = known.snapshot.shards.get(path), snapshot.shards.get(path)
        if then is None or now is None or then.content != now.content:
            return ()
        return known.answer.open_in(path)

    def about(self, snapshot: Snapshot, place: SymbolRef) -> tuple[Finding, ...]:
        """Those that are shown at a definition."""
        return tuple(found for found in self.findings_in(snapshot, place.file) if found.at.place == place)

    @property
    def last(self) -> FindingSet | None:
        """The last answer, for actions on it."""
        return self._known.answer if self._known else None
