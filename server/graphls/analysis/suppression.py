"""Suppression: which findings the code itself asks to leave alone.

Owns: the spelling of the comment, where it may stand, the reason it gives.
Must not know: any particular rule, who shows findings.
Invariant: a comment silences the rules that it names, on its line and the next one, and no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.analysis.finding import Evidence, Finding
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_COMMENT: Final = re.compile(rb"(?:#|//)\s*graphls:\s*ignore\[([^\]\r\n]*)\][ \t]*([^\r\n]*)")
MARK: Final = b"graphls: ignore["


@attrs.frozen
class SuppressionComment:
    """One comment: the line it stands on, the rules it names, why."""

    line: int
    rules: frozenset[str]
    reason: str


def with_suppression(snapshot: Snapshot, finding: Finding) -> Finding:
    """The finding with the status that comments beside its evidence give it."""
    if finding.status != "open":
        return finding
    for evidence in finding.evidence:
        for comment in _comments_near(snapshot, evidence):
            if finding.rule in comment.rules:
                return attrs.evolve(finding, status="suppressed", reason=comment.reason)
    return finding


def comments(text: bytes, lines: Iterator[int] | None = None) -> tuple[SuppressionComment, ...]:
    """Every suppressing comment of a text; `lines` are the offsets of line starts."""
    if MARK not in text:
        return ()
    starts = list(lines) if lines is not None else [0, *(match.end() for match in re.finditer(rb"\r\n|\n|\r", text))]
    return tuple(_read(match, starts) for match in _COMMENT.finditer(text))


def _read(match: re.Match[bytes], starts: list[int]) -> SuppressionComment:
    rules = frozenset(part.strip() for part in match[1].decode("utf-8", "replace").split(",") if part.strip())
    line = sum(start <= match.start() for start in starts) - 1
    return SuppressionComment(line, rules, match[2].decode("utf-8", "replace").strip(" -:"))


def _comments_near(snapshot: Snapshot, evidence: Evidence) -> Iterator[SuppressionComment]:
    shard = snapshot.shards[evidence.file]
    if not shard.language:
        return iter(())
    known = _MEMO.get(shard)
    facts = snapshot.facts(evidence.file)
    if known is None:
        text = snapshot.text(evidence.file)
        known = _CommentMemo(comments(text or b"", iter(facts.lines)))
        if text is not None:
            _MEMO.put(shard, known)
    first, _ = facts.line_column(evidence.start)
    return (comment for comment in known.found if comment.line in (first - 1, first))


@attrs.frozen(eq=False)
class _CommentMemo:
    found: tuple[SuppressionComment, ...]


_MEMO = Memo[_CommentMemo]("analysis comments")
