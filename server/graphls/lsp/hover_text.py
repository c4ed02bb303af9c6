"""Hover text: the facts of a hover as markdown or plain text.

Owns: wording, order, escaping, provenance marks.
Must not know: how facts were found, LSP types.
Invariant: text from source can not look like structure; what is unknown is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from graphls.analysis.finding import Finding
from graphls.queries.hover import Card, Hover, Use

_VOUCHED: Mapping[str, str] = {
    "compiler_checked": " (compiler checked)",
    "compiler_unchecked": " (compiler, in a module with errors or not judged yet)",
    "lsp_resolved": " (by a language server)",
    "scip_imported": " (by an imported index)",
}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")


def markdown(found: Hover, findings: Sequence[Finding]) -> str:
    """For clients that show markdown."""
    parts: list[str] = []
    card = found.card
    if card is not None:
        parts.append(f"```python\n{_fenced(_heading(card))}\n```")
        if card.doc:
            parts.append(escaped(card.doc))
    elif found.outside is not None:
        parts += [f"```python\n{_fenced(found.outside.signature)}\n```"] if found.outside.signature else []
        parts += [escaped(found.outside.doc)] if found.outside.doc else []
    parts.extend(escaped(line) for line in _lines(found, findings))
    return "\n\n".join(parts)


def plain(found: Hover, findings: Sequence[Finding]) -> str:
    """For clients that show text as it is."""
    card = found.card
    head = [_heading(card), *([card.doc] if card.doc else [])] if card is not None else []
    if found.outside is not None:
        head = [text for text in (found.outside.signature, found.outside.doc) if text]
    return "\n".join((*head, *_lines(found, findings)))


def escaped(text: str) -> str:
    """Text in which no character means anything to markdown."""
    return _SPECIAL.sub(r"\\\1", text)


def mark(confidence: float, *, ambiguous: bool = False) -> str:
    """The sign for how sure something is."""
    return "?" if ambiguous else "~" if confidence < 1 else "!"


def _heading(card: Card) -> str:
    if card.signature:
        return card.signature
    kind = card.kind.subkind or card.kind.kind
    return f"({kind}) {card.symbol}"


def _lines(found: Hover, findings: Iterable[Finding]) -> Iterator[str]:
    card = found.card
    if card is not None:
        yield f"{card.symbol} ({card.place.file}:{card.line + 1})"
        if card.use is not None:
            yield _use(card.use)
        if not card.counted:
            yield "Callers are not counted yet: the workspace is still being linked"
        if card.overrides:
            yield f"Overrides {', '.join(card.overrides)}"
        if card.entries:
            yield f"Handles {', '.join(card.entries)}"
        if card.overridden_by:
            yield f"Overridden by {_count(card.overridden_by, 'member')}"
        if card.subclasses:
            yield _count(card.subclasses, "direct subclass", "direct subclasses")
    elif found.others:
        yield f"{found.others[0]} (outside the workspace)"
    if found.rule and card is not None:
        vouched = _VOUCHED.get(found.provenance, "")
        yield f"Resolved by {found.rule} {mark(found.confidence, ambiguous=found.ambiguous)}{vouched}"
    others = found.others if card is not None else found.others[1:]
    if others:
        yield f"May also mean {', '.join(others)}"
    for finding in findings:
        yield f"{finding.priority} {finding.rule}: {finding.title}"


def _use(use: Use) -> str:
    open_sites = f"; {_count(use.unresolved_sites, 'use')} of that name undecided" if use.unresolved_sites else ""
    open_sites += f"; handed on as a value {_count(use.values, 'time')}" if use.values else ""
    if not use.sites:
        return f"No caller found{open_sites}"
    sure = "" if use.sure_sites == use.sites else f", {use.sites - use.sure_sites} inferred ~"
    tests = f", {_count(use.tests, 'test')}" if use.tests else ""
    return f"Called by {_count(use.callers, 'caller')} at {_count(use.sites, 'site')}{sure}{tests}{open_sites}"


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _fenced(text: str) -> str:
    return text.replace("```", "'''")
