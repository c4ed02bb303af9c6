"""Answer: what every answer says about itself.

Owns: snapshot, revision, freshness, completeness, what to ask next.
Must not know: any particular question, protocols.
Invariant: an answer that left something out, or could not see something, says so and how much.
"""

from __future__ import annotations

from typing import Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import Settlement

MAX_PENDING = 20

NextKind = Literal["answer", "inspect", "outside", "clarify"]


@attrs.frozen
class Next:
    """What to do with an answer: use it, ask `request` about `symbol`, look outside, or choose a candidate."""

    kind: NextKind = "answer"
    request: str = ""
    symbol: str = ""
    candidates: tuple[str, ...] = ()


@attrs.frozen
class Coverage:
    """How far a question saw."""

    unresolved_sites: int = 0
    """Sites that may belong to the answer and that no rule resolves."""
    truncated: bool = False
    omitted: int = 0
    """How many results were left out; 0 with `truncated` means: not counted."""
    cursor: str = ""
    """Where the next page starts."""


@attrs.frozen
class Answer:
    """The envelope."""

    snapshot: str
    revision: int
    fresh: bool
    pending: tuple[FilePath, ...]
    """Files that changed and are not seen yet, capped."""
    pending_count: int
    complete: bool
    unresolved_sites: int
    truncated: bool
    omitted: int
    cursor: str
    next: Next
    verification: Settlement | None = None
    """What a checker settled for this answer; null where nobody asked for that."""


_WHOLE = Coverage()
_USE = Next()


def answer(snapshot: Snapshot, coverage: Coverage = _WHOLE, following: Next = _USE) -> Answer:
    """The envelope of an answer from this snapshot."""
    pending = snapshot.pending
    return Answer(
        snapshot=snapshot_id(snapshot),
        revision=snapshot.revision,
        fresh=not pending,
        pending=pending[:MAX_PENDING],
        pending_count=len(pending),
        complete=not (pending or coverage.truncated or coverage.unresolved_sites),
        unresolved_sites=coverage.unresolved_sites,
        truncated=coverage.truncated,
        omitted=coverage.omitted,
        cursor=coverage.cursor,
        next=following,
        verification=snapshot.settlement,
    )
