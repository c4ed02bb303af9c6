"""Annotations: decisions and history as they were read last, for those who must not wait for them.

Owns: the last answer, the contents that it was read from, which of it still holds.
Must not know: how decisions are found, how history is read, wording.
Invariant: a decision is shown only at a file whose contents are those it was found for.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from graphls.analysis.decisions import Decision, governing
from graphls.analysis.git_signals import GitSignals
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.annotation_views import FileHistory, GoverningDecision
from graphls.queries.node_views import Presenter
from graphls.session.annotations import AnnotationSource, file_history


@attrs.frozen(eq=False)
class _CachedNotes:
    """The snapshot itself would stay as long as nobody reads them again."""

    decisions: tuple[Decision, ...]
    lines: Mapping[str, int]
    """Where each stood then."""
    contents: Mapping[FilePath, ContentHash]
    """Of the files that they govern, as they were then: rows of the same contents are the same."""
    signals: GitSignals | None


class AnnotationsCache:
    """One connection's annotations; made in the background, read in any lane."""

    def __init__(self) -> None:
        self._known: _CachedNotes | None = None

    def compute(self, snapshot: Snapshot, source: AnnotationSource) -> None:
        """Read them, and remember what they say."""
        read, things = source.of(snapshot), Presenter(snapshot)
        lines = {one.id: things.position(one.file, one.start).line for one in read.decisions}
        files = {place.file for one in read.decisions for place in one.governs}
        contents = {path: snapshot.shards[path].content for path in files if path in snapshot.shards}
        self._known = _CachedNotes(read.decisions, lines, contents, read.signals)

    def decisions(self, snapshot: Snapshot, place: SymbolRef) -> tuple[GoverningDecision, ...]:
        """Decisions that govern a place, as far as they are known and still true of its file."""
        known, now = self._known, snapshot.shards.get(place.file)
        if known is None or now is None or known.contents.get(place.file) != now.content:
            return ()
        names = (Presenter(snapshot).symbol(place),)
        return tuple(
            GoverningDecision(
                id=one.id, title=one.title, status=one.status, file=one.file, line=known.lines[one.id], governs=names
            )
            for one in governing(snapshot, known.decisions, place)
        )

    def history(self, place: SymbolRef) -> FileHistory | None:
        """What is known of its file, where that is one of the hottest."""
        signals = None if self._known is None else self._known.signals
        found = None if signals is None else file_history(signals, place.file)
        return found if found is not None and found.is_hot else None
