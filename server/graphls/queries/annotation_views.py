"""Annotation views: what is on record of code, as records beside other answers.

Owns: the records.
Must not know: how decisions are found, how history is read, layout.
Invariant: every number is of the window that its record names.
"""

from __future__ import annotations

from typing import Final

import attrs

HOT_RANK = 90.0
"""Percent of the files that have a lower score, from which on a file is worth a word where nobody asked."""


@attrs.frozen(kw_only=True)
class LeftBehind:
    """A file that mostly changes together with one of the change, and that the change leaves alone."""

    changed: str
    file: str
    count: int
    share: float
    hidden: bool | None


@attrs.frozen(kw_only=True)
class GoverningDecision:
    """A decision that governs code that an answer is about. `governs`: which of that code."""

    id: str
    title: str
    status: str
    file: str
    line: int
    governs: tuple[str, ...]


@attrs.frozen(kw_only=True)
class FileHistory:
    """What the window says of one file. `rank`: percent of the files with a lower hotspot score; `hidden`: files that
    change together with it, and that no edge ties to it, null where nobody looked."""

    file: str
    commits: int
    window: int
    authors: int
    primary: str
    primary_share: float
    last_seen: str
    hotspot: float
    rank: float
    hidden: tuple[str, ...] | None = None

    @property
    def is_hot(self) -> bool:
        """Whether few files change more."""
        return self.rank >= HOT_RANK

    @property
    def sentence(self) -> str:
        """In words."""
        people = "1 author" if self.authors == 1 else f"{self.authors} authors"
        said = f"{self.commits} of the last {self.window} commits, {people}, {self.primary} {self.primary_share:g} %"
        return f"{said}, above {self.rank:g} % of the files" if self.is_hot else said


@attrs.frozen(kw_only=True)
class ChangeNotes:
    """What is on record of the code that a change touches. `history`: of its files, hottest first, null without
    history; `left_behind`: files that mostly change together with these; `without`: why there is no history."""

    decisions: tuple[GoverningDecision, ...]
    history: tuple[FileHistory, ...] | None
    left_behind: tuple[LeftBehind, ...]
    without: str


NO_NOTES: Final = ChangeNotes(
    decisions=(), history=None, left_behind=(), without="history and decisions are of what is checked out"
)
"""Of a commit that is not."""
