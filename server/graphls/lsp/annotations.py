"""Annotations: decisions and history as they were read last, for those who must not wait for them.

Owns: the last answer with the snapshot it was read from, which of it still holds.
Must not know: how decisions are found, how history is read, wording.
Invariant: a decision is shown only at a file whose contents are those it was found for.
"""

from __future__ import annotations

from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.annotation_views import FileHistory, GoverningDecision
from graphls.session.annotations import AnnotationSource, RecordedNotes


class AnnotationsCache:
    """One connection's annotations; made in the background, read in any lane."""

    def __init__(self) -> None:
        self._known: RecordedNotes | None = None

    def compute(self, snapshot: Snapshot, source: AnnotationSource) -> None:
        """Read them, and remember what they say."""
        self._known = source.of(snapshot)

    def decisions(self, snapshot: Snapshot, place: SymbolRef) -> tuple[GoverningDecision, ...]:
        """Decisions that govern a place, as far as they are known and still true of its file."""
        known = self._known
        then = None if known is None else known.snapshot.shards.get(place.file)
        now = snapshot.shards.get(place.file)
        if known is None or then is None or now is None or then.content != now.content:
            return ()
        return known.decision_rows((place,))

    def history(self, place: SymbolRef) -> FileHistory | None:
        """What is known of its file, where that is one of the hottest."""
        found = None if self._known is None else self._known.history(place.file)
        return found if found is not None and found.is_hot else None
