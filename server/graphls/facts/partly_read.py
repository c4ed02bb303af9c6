"""Partly read: whether a file has stretches of code that its facts do not show in full.

Owns: which problems say so, the mark by which such files are found among the names of all files.
Must not know: snapshots, who asks.
Invariant: a function of the facts alone; the mark is no name of any language.
"""

from __future__ import annotations

import re
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind

PARTLY_READ: Final = "\0partly read"
"""Kept among the names of a file that is read in part."""
WORD: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
"""What may be a name in code that was not read."""
_REASONS: Final = {
    int(ProblemKind.DEPTH): "nested too deeply to be read in full",
    int(ProblemKind.PARTIAL): "parts of it were not understood",
    int(ProblemKind.MINIFIED): "minified: the bodies of its functions are not read",
}


def stretches(facts: FileFacts) -> list[tuple[int, int]]:
    """Start and end, in bytes, of what was not read in full: definitions there are missing, and what names mean."""
    rows = facts.problems
    return [(start, end) for kind, start, end in zip(rows.kind, rows.start, rows.end, strict=True) if kind in _REASONS]


def is_partly_read(facts: FileFacts) -> bool:
    """Whether there are such stretches."""
    return any(kind in _REASONS for kind in facts.problems.kind)


def mentions_unread_words(facts: FileFacts) -> bool:
    """Whether all words of these stretches are among the names that the facts mention."""
    return {*facts.problems.kind}.intersection(_REASONS) == {ProblemKind.MINIFIED}


def reason(facts: FileFacts) -> str:
    """Why a file is read in part, for people; "" for one that is not."""
    return "; ".join(_REASONS[kind] for kind in sorted({*facts.problems.kind}.intersection(_REASONS)))
