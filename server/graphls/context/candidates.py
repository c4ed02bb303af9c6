"""Candidates: the declarations that a ranking weighs, and why each is there.

Owns: the values Candidate and Reason, adding merits up.
Must not know: how merits are found, budgets.
Invariant: a candidate's score is the sum of its reasons, times what its file is worth.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.facts.paths import FilePath

_SPELLED = frozenset(("symbol", "line", "given"))


@attrs.frozen
class UnitKey:
    """A declaration: number of a unit of its file."""

    file: FilePath
    unit: int


@attrs.frozen
class Reason:
    """One merit of a candidate: where it comes from, how much it adds, in words."""

    kind: str
    score: float
    note: str


@attrs.define
class Candidate:
    """A declaration with its merits. `factor`: what the place it stands in is worth."""

    key: UnitKey
    start: int
    reasons: list[Reason]
    factor: float = 1.0

    @property
    def score(self) -> float:
        return self.factor * sum(reason.score for reason in self.reasons)

    @property
    def strength(self) -> float:
        """What names, places and files that someone spelled add to it."""
        return sum(reason.score for reason in self.reasons if reason.kind in _SPELLED)


class Candidates:
    """All candidates of one ranking, under construction."""

    def __init__(self) -> None:
        self._known: dict[UnitKey, Candidate] = {}

    def add(self, key: UnitKey, start: int, reason: Reason) -> None:
        """Give a declaration one more merit; the same kind and note counts once."""
        found = self._known.setdefault(key, Candidate(key, start, []))
        if all((known.kind, known.note) != (reason.kind, reason.note) for known in found.reasons):
            found.reasons.append(reason)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._known.values())

    def __contains__(self, key: UnitKey) -> bool:
        return key in self._known

    def ranked(self) -> list[Candidate]:
        """Best first; ties by file and place."""
        return sorted(self._known.values(), key=lambda found: (-found.score, found.key.file, found.start))
