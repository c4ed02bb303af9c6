"""Answer: what every answer says about itself.

Owns: snapshot, revision, freshness, completeness, what to ask next.
Must not know: any particular question, protocols.
Invariant: an answer that left something out, or could not see something, says so and how much.
"""

from __future__ import annotations

from typing import Final, Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import VerificationResult
from graphls.queries.completeness import (
    COMPLETE,
    NOTHING_CLAIMED,
    SITES,
    Cause,
    Completeness,
    CoverageClaim,
    Gap,
    OpenUse,
    completeness,
    spent_gaps,
    unread_folders,
)

MAX_PENDING = 20

NextKind = Literal["answer", "inspect", "outside", "clarify"]


@attrs.frozen
class Next:
    """What to do with an answer: use it, ask `request` about `symbol`, look outside, or choose a candidate.

    `request` may be one of the own words: `again` (files are being read), `cursor` or `limit` (there is more),
    `unresolved` (have the uses listed that may belong here), `neighbors` (ask what is around the symbol) and `depth`
    (what was looked at ended before what there is). `reason` says why that.
    """

    kind: NextKind = "answer"
    request: str = ""
    symbol: str = ""
    candidates: tuple[str, ...] = ()
    reason: str = ""


@attrs.frozen
class Coverage:
    """How far a question saw."""

    truncated: bool = False
    omitted: int = 0
    """How many results were left out; 0 with `truncated` means: not counted."""
    cursor: str = ""
    """Where the next page starts."""
    completeness: Completeness = COMPLETE
    """What the claim lacks."""
    claim: CoverageClaim = NOTHING_CLAIMED
    """What the answer says it holds all of."""
    empty: bool = False
    """There is no result."""
    exhausted: bool = True
    """No bound of the question ended the search before there was nothing left to visit."""

    @property
    def unresolved_sites(self) -> int:
        """Uses that may belong to the answer and that no rule resolves."""
        return self.completeness.sites


@attrs.frozen
class Answer:
    """The envelope."""

    snapshot: str
    revision: int
    fresh: bool
    """The disk was looked at, and nothing that changed there is missing."""
    pending: tuple[FilePath, ...]
    """Files that changed and are not seen yet, capped."""
    pending_count: int
    complete: bool
    """Nothing that the question asks for can be missing: there are no causes."""
    causes: tuple[Gap, ...]
    """Why something may be missing, and how often."""
    unresolved_sites: int
    """Uses that may belong to the answer: those of all causes that are counted in uses."""
    unresolved: tuple[OpenUse, ...]
    """These uses, where they were asked for."""
    truncated: bool
    omitted: int
    cursor: str
    next: Next
    verification: VerificationResult | None = None
    """What a checker settled for this answer; null where nobody asked for that."""

    @property
    def is_cut_short(self) -> bool:
        """Whether it ended at the time limit of its request."""
        return any(gap.cause == Cause.TIME_LIMIT for gap in self.causes)

    @property
    def coverage_text(self) -> str:
        """Whether something that was asked for may be missing, where one line says all."""
        count = self.unresolved_sites
        open_uses = f", {count} use{'s' * (count != 1)} unresolved" if count else ""
        return "complete" if self.complete else f"not complete{open_uses}"


_WHOLE = Coverage()
_USE = Next()
_CUT_SHORT: Final = frozenset({Cause.TIME_LIMIT, Cause.MEMORY_LIMIT})


def coverage_for(
    snapshot: Snapshot,
    claim: CoverageClaim,
    *,
    truncated: bool = False,
    omitted: int = 0,
    cursor: str = "",
    empty: bool = False,
) -> Coverage:
    """How far a question saw that claims this."""
    return Coverage(truncated, omitted, cursor, completeness(snapshot, claim), claim, empty)


def answer(snapshot: Snapshot, coverage: Coverage = _WHOLE, next_step: Next = _USE, listed: int = 0) -> Answer:
    """The envelope of an answer from this snapshot. `listed`: how many open uses to list, at most."""
    pending = snapshot.pending
    causes = _causes(snapshot, coverage)
    return Answer(
        snapshot=snapshot_id(snapshot),
        revision=snapshot.revision,
        fresh=snapshot.looked and not pending,
        pending=pending[:MAX_PENDING],
        pending_count=len(pending),
        complete=not causes,
        causes=causes,
        unresolved_sites=coverage.unresolved_sites,
        unresolved=_listed(snapshot, coverage, listed) if listed else (),
        truncated=coverage.truncated,
        omitted=coverage.omitted,
        cursor=coverage.cursor,
        next=_follow_up(coverage, causes, next_step),
        verification=snapshot.verification_result,
    )


def _listed(snapshot: Snapshot, coverage: Coverage, count: int) -> tuple[OpenUse, ...]:
    from graphls.queries.open_uses import open_uses  # few ask for it

    return open_uses(snapshot, coverage.claim, count)


def _follow_up(coverage: Coverage, causes: tuple[Gap, ...], next_step: Next) -> Next:
    """What is not complete, or empty, is no answer yet: what to ask for, and why."""
    counts = {gap.cause: gap.count for gap in causes}
    # That nothing fits is said of what was looked at, and not by an answer that was cut short.
    is_unknown = next_step.kind in ("outside", "clarify") and bool(counts.keys() & _CUT_SHORT)
    if next_step.kind != "answer" and not is_unknown:
        return next_step
    if Cause.PENDING in counts:
        request, reason = "again", f"{counts[Cause.PENDING]} files that changed are not read yet"
    elif not coverage.cursor and (Cause.TIME_LIMIT in counts or Cause.MEMORY_LIMIT in counts):
        what = "took all the time that one request may" if Cause.TIME_LIMIT in counts else "met the limit of memory"
        request, reason = "again", f"the request {what}; ask again, or for a smaller depth or scope"
    elif coverage.truncated:
        request = "cursor" if coverage.cursor else "limit"
        reason = f"{coverage.omitted} more were left out" if coverage.omitted else "there is more, nobody counted it"
    elif counts.keys() & SITES:
        request, reason = "unresolved", f"{coverage.unresolved_sites} uses that no rule resolves may belong here"
    elif counts:
        request, reason = "neighbors", f"something may be missing: {', '.join(map(_spelled, counts))}"
    elif not coverage.exhausted:
        request, reason = "depth", "the depth ended the search; more may lie behind it"
    elif coverage.empty:
        return attrs.evolve(next_step, kind="outside", reason="nothing in the workspace fits, and nothing is missing")
    else:
        return attrs.evolve(next_step, reason=next_step.reason or "nothing that was asked for is missing")
    return attrs.evolve(next_step, kind="inspect", request=request, reason=reason)


def _spelled(cause: Cause) -> str:
    return str(cause).replace("_", " ")


def _causes(snapshot: Snapshot, coverage: Coverage) -> tuple[Gap, ...]:
    pending = len(snapshot.pending)
    unseen = (Gap(Cause.PENDING, "in", pending),) if pending else ()
    gaps = coverage.completeness.gaps
    spent = tuple(gap for gap in spent_gaps() if gap not in gaps)
    # What ended for want of time was cut by no limit that one could raise.
    ended = any(gap.cause in _CUT_SHORT for gap in (*gaps, *spent))
    limited = coverage.truncated and (coverage.omitted > 0 or not ended)
    cut = (Gap(Cause.LIMIT, "in", coverage.omitted),) if limited else ()
    # Whatever is asked, what is in them may belong to it.
    folders = 0 if any(gap.cause == Cause.UNLISTED for gap in gaps) else unread_folders(snapshot)
    unread = (Gap(Cause.UNLISTED, "in", folders),) if folders else ()
    return (*gaps, *cut, *unseen, *unread, *spent)
