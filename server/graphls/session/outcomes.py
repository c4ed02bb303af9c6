"""Outcomes: what became of findings that agents were shown.

Owns: which findings were shown and how their code was then, what each came to, keeping that between runs.
Must not know: protocols, layout, any particular rule.
Invariant: a finding is fixed only where its rule looked again and did not find it; no source is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, cast, get_args

import attrs

from graphls.analysis.baseline import FixedFinding
from graphls.analysis.finding import Finding, FindingId, Status
from graphls.analysis.findings import FindingSet
from graphls.analysis.moved_findings import moved_findings
from graphls.analysis.review_marks import content_of, is_same_content
from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.graph.snapshot import Snapshot
from graphls.session.feedback_rows import rows_from, start_of_rows
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

Outcome = Literal["suggested", "attempted", "fixed", "repeated", "closed", "unknown"]
"""`suggested`: as it was shown; `attempted`: its code was edited, and it is still there; `fixed`: gone; `repeated`: it
was gone, and is there again; `closed`: people or a comment say that it is none; `unknown`: its rule did not look."""
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
_CLOSED: Final[tuple[Status, ...]] = ("suppressed", "rejected", "deferred", "baselined")
_FORM: Final = "outcome 1"
_DAYS: Final = 90
MOST: Final = 5_000


@attrs.frozen(kw_only=True)
class ShownFinding:
    """One finding that somebody was shown. `shown`, `changed`: seconds since 1970; `attempts`: edits of its code after
    which it was looked for."""

    id: str
    rule: str
    title: str
    file: str
    content: str
    outcome: Outcome
    attempts: int
    shown: int
    changed: int


@attrs.frozen(kw_only=True)
class RuleEffect:
    """What became of the findings of one rule."""

    rule: str
    shown: int
    counts: Mapping[str, int]


class Outcomes:
    """Of one workspace; every finding is a row of its own."""

    def __init__(self, store: BlobStore | None, workspace: Workspace, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._start = start_of_rows(_FORM, workspace)

    def rows(self) -> tuple[ShownFinding, ...]:
        """All that is known and not too old, by rule, file and title."""
        limit = self._clock() - _DAYS * 86_400
        rows = (one for one in self._stored() if one.changed >= limit)
        return tuple(sorted(rows, key=lambda one: (one.rule, one.file, one.title, one.id)))

    def _stored(self) -> Iterator[ShownFinding]:
        if self._store is not None:
            raw_rows = self._store.get_many("feedback", rows_from(self._store, self._start))
            yield from (one for raw in raw_rows.values() if (one := _row(raw)) is not None)

    def look(self, snapshot: Snapshot, answered: FindingSet) -> tuple[ShownFinding, ...]:
        """What each comes to now; what changed is kept."""
        known = {one.id: one for one in answered.findings}
        before = self.rows()
        words = {FindingId(one.id): {"rule": one.rule, "title": one.title, "file": one.file} for one in before}
        moved = {str(old): known[new] for new, old in moved_findings(snapshot, words, answered.findings).items()}
        now = tuple(
            self._judged(snapshot, answered, one, moved.get(one.id) or known.get(FindingId(one.id))) for one in before
        )
        self._keep(new for old, new in zip(before, now, strict=True) if new != old)
        if self._store is not None and moved:
            self._store.delete("feedback", [self._start + one for one in moved])
        return now

    def note(self, snapshot: Snapshot, answered: FindingSet, shown: Iterable[Finding]) -> None:
        """Findings were shown; what earlier ones came to is looked at as well."""
        if self._store is None:
            return
        self.prune()
        known = {one.id for one in self.look(snapshot, answered)}
        when = int(self._clock())
        made = (
            ShownFinding(
                id=one.id, rule=one.rule, title=one.title, file=str(one.at.file), content=content_of(snapshot, one),
                outcome="suggested", attempts=0, shown=when, changed=when,
            )
            for one in shown
            if one.id not in known and one.status == "open"
        )  # fmt: skip
        self._keep(list(made)[: max(MOST - len(known), 0)])

    def erase(self) -> int:
        """Forgets everything; how much there was."""
        rows = tuple(self._stored())
        if self._store is not None and rows:
            self._store.delete("feedback", [self._start + one.id for one in rows])
        return len(rows)

    def prune(self) -> None:
        """Drops what nothing became of for so many days."""
        limit = self._clock() - _DAYS * 86_400
        old = [self._start + one.id for one in self._stored() if one.changed < limit]
        if self._store is not None and old:
            self._store.delete("feedback", old)

    def _judged(
        self, snapshot: Snapshot, answered: FindingSet, row: ShownFinding, found: Finding | None
    ) -> ShownFinding:
        outcome, content, attempts = row.outcome, row.content, row.attempts
        if found is not None and found.id != row.id:  # its symbol moved to another file
            row = attrs.evolve(row, id=found.id, file=str(found.at.file), changed=int(self._clock()))
        if found is None:
            there = answered.judged(FixedFinding(row.id, row.rule, row.title, row.file))
            outcome = "fixed" if there or outcome == "fixed" else "unknown"
        elif found.status in _CLOSED:
            outcome = "closed"
        else:
            if not is_same_content(snapshot, found, content):
                content, attempts = content_of(snapshot, found), attempts + 1
            outcome = "repeated" if outcome in ("fixed", "repeated") else "attempted" if attempts else "suggested"
        if (outcome, content, attempts) == (row.outcome, row.content, row.attempts):
            return row
        changed = int(self._clock())
        return attrs.evolve(row, outcome=outcome, content=content, attempts=attempts, changed=changed)

    def _keep(self, rows: Iterable[ShownFinding]) -> None:
        values = {self._start + one.id: encode_plain(attrs.astuple(one)) for one in rows}
        if self._store is not None and values:
            self._store.put_many("feedback", values)


def effects(rows: Sequence[ShownFinding]) -> tuple[RuleEffect, ...]:
    """What became of the findings of each rule, by name."""
    by_rule: dict[str, list[ShownFinding]] = {}
    for one in rows:
        by_rule.setdefault(one.rule, []).append(one)
    return tuple(
        RuleEffect(
            rule=rule,
            shown=len(found),
            counts={name: sum(one.outcome == name for one in found) for name in OUTCOMES},
        )
        for rule, found in sorted(by_rule.items())
    )


def _row(raw: bytes) -> ShownFinding | None:
    try:
        values = cast("tuple[str, str, str, str, str, Outcome, int, int, int]", decode_plain(raw))
        known, rule, title, file, content, outcome, attempts, shown, changed = values
        if outcome not in OUTCOMES:
            return None
        return ShownFinding(
            id=known, rule=rule, title=title, file=file, content=content, outcome=outcome, attempts=attempts,
            shown=shown, changed=changed,
        )  # fmt: skip
    except (CodecError, TypeError, ValueError):
        return None
