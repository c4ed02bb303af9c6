"""Hover text: the facts of a hover as markdown or plain text.

Owns: wording, order, escaping, provenance marks.
Must not know: how facts were found, LSP types.
Invariant: text from source can not look like structure; what is unknown is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from graphls.analysis.finding import Finding
from graphls.compilers.checker_hover import CheckerType
from graphls.facts.paths import FilePath
from graphls.graph.control_escapes import escape_controls
from graphls.languages.registry import fence_of
from graphls.queries.annotation_views import FileHistory, GoverningDecision
from graphls.queries.hover import Hover, SymbolCard, UseCounts
from graphls.session.publishing import EVERYTHING

_CONFIRMED: Mapping[str, str] = {
    "compiler_checked": "Confirmed by a checker",
    "compiler_unchecked": "Resolved by a checker, in a module with errors or not judged yet",
    "lsp_resolved": "Resolved by a language server",
    "scip_imported": "Resolved by an imported index",
}
_BY: Mapping[str, str] = {
    "lexical": "by its scope",
    "import": "through imports",
    "member": "as a member of what the type says",
    "inferred": "by inferred types",
    "name": "by its name alone",
}
_MOST_DECISIONS = 3
_MOST_PENDING = 2
_SPECIAL = re.compile(
    r"[\\`*<\[\]|]"  # anywhere
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore that is not inside a word
    r"|~(?=~)|(?<=~)~"
    r"|^[ \t]*[#>+=~-]|^[ \t]*\d+[.)]",  # what begins a heading, a quote, a list, a rule, a fence
    re.MULTILINE,
)
_NAME = re.compile(r"(?<!\S)[\w.:/@-]*_[\w.:/@-]*(?=[\s,;)]|$)", re.MULTILINE)
"""What reads as a name and has an underscore: set as code, which needs no escapes that some editors show."""


@attrs.frozen
class HoverContext:
    """What is known of a name beside the facts of the graph."""

    findings: Sequence[Finding] = ()
    type: CheckerType | None = None
    """What a checker calls it."""
    implicit: bool = True
    """Whether callers that do not name it are counted."""
    pending: tuple[FilePath, ...] = ()
    """Files that changed and are not read yet."""
    decisions: Sequence[GoverningDecision] = ()
    history: FileHistory | None = None
    """Of its file, where that is worth a word."""


def markdown(found: Hover, context: HoverContext = HoverContext()) -> str:
    """For clients that show markdown."""
    parts = [f"```{language}\n{_fenced(code)}\n```" for language, code in _codes(found, context)]
    parts += [escaped(doc) for doc in _docs(found)]
    parts += [escaped(line) for line in _lines(found, context)]
    return "\n\n".join(parts)


def plain(found: Hover, context: HoverContext = HoverContext()) -> str:
    """For clients that show text as it is."""
    codes = [escape_controls(code) for _, code in _codes(found, context)]
    return "\n".join((*codes, *map(escape_controls, _docs(found)), *map(escape_controls, _lines(found, context))))


def _codes(found: Hover, context: HoverContext) -> Iterator[tuple[str, str]]:
    """Stretches of code, each with its language: the declaration as written, and its type where that says more."""
    card, said = found.card, ""
    if card is not None:
        said = _heading(card)
        yield fence_of(card.place.file), said
    elif found.outside is not None and found.outside.signature:
        said = found.outside.signature
        yield fence_of(FilePath(found.outside.path)), said
    if context.type is not None and "".join(context.type.code.split()) not in "".join(said.split()):
        yield fence_of(found.at.file), context.type.code


def _docs(found: Hover) -> Iterator[str]:
    doc = found.card.doc if found.card is not None else found.outside.doc if found.outside is not None else ""
    if doc:
        yield doc


def escaped(text: str) -> str:
    """Text in which no character means anything to markdown, or turns what is around it."""
    text = escape_controls(text)
    made, last = list[str](), 0
    for name in _NAME.finditer(text):
        made += [_escaped_prose(text[last : name.start()]), f"`{name[0]}`"]
        last = name.end()
    return "".join((*made, _escaped_prose(text[last:])))


def _escaped_prose(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", text)


def _heading(card: SymbolCard) -> str:
    if card.signature:
        return card.signature
    kind = card.kind.subkind or card.kind.kind
    return f"({kind}) {card.symbol}"


def _lines(found: Hover, context: HoverContext) -> Iterator[str]:
    card = found.card
    if card is not None:
        yield from _about(card, implicit=context.implicit)
        if context.pending and (card.use is not None or card.place.file in context.pending):
            yield _pending(context.pending)
    elif found.others:
        yield f"{found.others[0]} (outside the workspace)"
    if found.rule and card is not None:
        yield from _resolution(found)
    others = found.others if card is not None else found.others[1:]
    if others:
        yield f"May also mean {', '.join(others)}"
    if context.type is not None:
        yield f"Type by {context.type.checker}"
    for finding in context.findings:
        yield f"{finding.priority} {finding.rule}: {finding.title}"
    for decision in context.decisions[:_MOST_DECISIONS]:
        yield f"Governed by {decision.title} ({decision.status}, {decision.file}:{decision.line})"
    if len(context.decisions) > _MOST_DECISIONS:
        yield f"Governed by {len(context.decisions) - _MOST_DECISIONS} more decisions"
    if context.history is not None:
        yield f"Its file changes often: {context.history.sentence}"


def _resolution(found: Hover) -> Iterator[str]:
    """How sure it is that the name means this: nothing where that is as good as always."""
    how = _BY.get(found.rule, "")
    if found.provenance in _CONFIRMED:
        yield _CONFIRMED[found.provenance]
    elif found.ambiguous:
        yield f"One of several that it may mean, found {how}".rstrip()
    elif found.confidence < 1:
        yield f"Inferred {how}, not certain (confidence {found.confidence:.2g})"


def _about(card: SymbolCard, *, implicit: bool) -> Iterator[str]:
    yield f"{card.symbol} ({card.place.file}:{card.line + 1})"
    if card.use is not None:
        yield _use(card.use if implicit else attrs.evolve(card.use, implicit=0))
    if not card.counted:
        why = (
            "that takes more work than a hover may do, ask again" if card.cut else "the workspace is still being linked"
        )
        yield f"Callers are not counted yet: {why}"
    if card.overrides:
        yield f"Overrides {', '.join(card.overrides)}"
    if card.entries is None:
        yield "Routes and tools that it handles are not known yet"
    elif card.entries:
        yield f"Handles {', '.join(card.entries)}"
    if card.overridden_by:
        yield f"Overridden by {_count(card.overridden_by, 'member')}"
    if card.subclasses:
        yield _count(card.subclasses, "direct subclass", "direct subclasses")


def _pending(paths: Sequence[FilePath]) -> str:
    if EVERYTHING in paths:
        return "The workspace is still being read: what other files say is missing"
    return f"Without changes that are not read yet, of {_files(paths)}"


def _files(paths: Sequence[FilePath]) -> str:
    more = len(paths) - _MOST_PENDING
    return ", ".join((*paths[:_MOST_PENDING], *([f"{_count(more, 'more file')}"] if more > 0 else [])))


def _use(use: UseCounts) -> str:
    unresolved = f"; {_count(use.unresolved_sites, 'use')} of that name could not be resolved"
    open_sites = unresolved if use.unresolved_sites else ""
    open_sites += f"; handed on as a value {_count(use.values, 'time')}" if use.values else ""
    open_sites += "; implicit callers are not counted yet" if use.implicit is None else ""
    unnamed = _count(use.implicit, "implicit caller") if use.implicit else ""
    if not use.sites:
        return f"{unnamed or 'No caller found'}{open_sites}"
    open_sites = f", {unnamed}{open_sites}" if unnamed else open_sites
    sure = "" if use.sure_sites == use.sites else f", {use.sites - use.sure_sites} of them not certain"
    tests = f", {_count(use.tests, 'test')}" if use.tests else ""
    return f"Called by {_count(use.callers, 'caller')} at {_count(use.sites, 'site')}{sure}{tests}{open_sites}"


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _fenced(text: str) -> str:
    return escape_controls(text.replace("```", "'''"))
