"""Answers: what every answer shows around its contents.

Owns: the envelope in JSON and in words, rows of things and links.
Must not know: particular commands, queries.
Invariant: what an answer left out or could not see is said in both forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, mark
from graphls.queries.answer import Answer
from graphls.queries.completeness import SITES, Cause
from graphls.queries.node_views import EdgeView, NodeView

KIND, NAME, PLACE, FAINT = "cyan", "bold", "green", "dim"
_MARKS = {"!": "green", "~": "yellow", "?": "magenta"}


def write_answer(answer: Answer, contents: object) -> None:
    """The envelope and the contents as one JSON object."""
    write_json(answer, contents)


def close_page(page: TextPage, answer: Answer, *, lists_open: bool = True) -> None:
    """The last lines: what is missing, and from which state the answer was read. `lists_open`: whether the command can
    list the uses that no rule resolves."""
    page.line()
    for warning in caveats(answer, lists_open=lists_open):
        page.line((warning, "yellow"))
    if answer.unresolved:
        page.rows(_open_rows(answer), indent="  ")
    state = "fresh" if answer.fresh else "not fresh"
    page.note(f"{answer.snapshot}  {state}, {'complete' if answer.complete else 'not complete'}")


def caveats(answer: Answer, *, lists_open: bool = True) -> Iterator[str]:
    """Why the answer may not be the whole truth."""
    yield from _open(answer, lists_open=lists_open)
    if any(gap.cause == Cause.IMPLICIT for gap in answer.causes):
        yield "constructs on values of unknown type may run it, or a method on the way, without naming it"
    if any(gap.cause == Cause.OUTSIDE for gap in answer.causes):
        yield "code outside may use it, or a member on the way, through a class outside that has it or may have it"
    if any(gap.cause == Cause.SPELLED for gap in answer.causes):
        yield "code may spell its name in strings, where nobody counts it"
    if answer.is_cut_short:
        yield "it took all its time, and there may be more: --within 0 goes on to the end"
    for gap in answer.causes:
        if gap.cause == Cause.UNLISTED:
            yield f"{counted(gap.count, 'folder or repository', 'folders or repositories')} could not be read"
    if answer.truncated:
        more = f"{answer.omitted:,} more not shown" if answer.omitted else "there is more"
        yield f"{more}: raise the limit"
    verification = answer.verification
    if verification is not None and verification.reason:
        left = (
            "uncertain uses"
            if verification.left_out is None
            else counted(verification.left_out, "uncertain use", "uncertain uses")
        )
        yield f"{left} not checked: {verification.reason}"
    if answer.pending_count:
        yield f"{counted(answer.pending_count, 'changed file')} not read yet"


_WORDS: Mapping[Cause, tuple[str, str]] = {
    Cause.UNKNOWN_RECEIVER: ("unknown receiver", "unknown receivers"),
    Cause.UNBOUND_NAME: ("unbound name", "unbound names"),
    Cause.STRING: ("string", "strings"),
    Cause.UNRESOLVED_IMPORT: ("module not found", "of modules not found"),
    Cause.STEP_LIMIT: ("too many steps", "too many steps"),
    Cause.CANDIDATES: ("too many candidates", "too many candidates"),
    Cause.FAILED_LINKS: ("file that failed", "in files that failed"),
    Cause.UNREAD: ("in a file of another language, or not read", "in files of other languages, or not read"),
}


def _open(answer: Answer, *, lists_open: bool) -> Iterator[str]:
    """Uses that may belong to the answer, by direction and cause."""
    for direction, meaning in (
        ("in", "of these names could not be resolved and may belong here"),
        ("out", "inside could not be resolved, so more may be used"),
    ):
        gaps = [gap for gap in answer.causes if gap.cause in SITES and gap.direction == direction]
        if gaps:
            sites = counted(sum(gap.count for gap in gaps), "use", "uses")
            causes = ", ".join(counted(gap.count, *_WORDS[gap.cause]) for gap in gaps)
            count, shown = sum(gap.count for gap in gaps), sum(gap.shown for gap in gaps)
            known = f"; {'all' if shown == count else f'{shown:,}'} of them are above as possible" if shown else ""
            others = "the others" if shown else "them"
            hint = f"; --unresolved lists {others}" if shown < count and lists_open and not answer.unresolved else ""
            yield f"{sites} {meaning} ({causes}){known}{hint}"


def _open_rows(answer: Answer) -> Iterator[tuple[Part, ...]]:
    """One row a use: where, the line of code, why it is open, what it may mean."""
    for use in answer.unresolved:
        count = use.candidate_count
        note = f"may be {', '.join(use.candidates)}" if use.candidates else f"{count:,} are called so" if count else ""
        cause = _WORDS[Cause(use.cause)][0]
        arrow = "<-" if use.direction == "in" else "->"
        yield arrow, (f"{use.file}:{use.line}:{use.column}", PLACE), use.text, (cause, FAINT), (note, FAINT)


def thing_row(thing: NodeView) -> tuple[Part, ...]:
    """Kind, symbol, place."""
    return (thing.word, KIND), (thing.symbol, NAME), (thing.at, PLACE)


def link_mark(link: EdgeView) -> Part:
    """How far a link can be trusted, in one sign."""
    sign = mark(link.provenance, link.confidence, ambiguous=link.ambiguous, resolved=link.resolution is not None)
    return (sign, _MARKS.get(sign[:1], ""))


def link_rows(links: Iterable[EdgeView], *, other: str) -> Iterator[tuple[Part, ...]]:
    """One row a link: the mark, the symbol at its `source` or `target` end, the first site, the constructs of an
    implicit call."""
    for link in links:
        name = link.source if other == "source" else link.target
        site = str(link.sites[0]) if link.sites else ""
        more = f"+{link.site_count - 1}" if link.site_count > 1 else ""
        yield link_mark(link), (name, NAME), (site, PLACE), (more, FAINT), (construct_note(link), FAINT)


def construct_note(link: EdgeView) -> str:
    """`implicit: for, with` of a link whose sites are constructs; that it is of an earlier state; "" of others."""
    constructs, state = (str(link.attributes.get(name, "")) for name in ("implicit", "state"))
    said = (f"implicit: {constructs.replace(',', ', ')}" if constructs else "", f"state: {state}" if state else "")
    return ", ".join(filter(None, said))


def legend(links: Iterable[EdgeView]) -> str:
    """What the signs mean that were used; "" when there were none."""
    used = {str(link_mark(link)[0])[:1] for link in links} - {""}
    words = {"!": "! checked", "~": "~ inferred, with its confidence where below 1", "?": "? one of several"}
    return "  ".join(words[sign] for sign in "!~?" if sign in used)
