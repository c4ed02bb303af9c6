"""Review page: one change on one page, as text or Markdown.

Owns: sections, their order, what is left out of long ones.
Must not know: how anything was found, arguments.
Invariant: both forms say the same; what is cut says by how much; a part without input says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

from graphls.cli.rendering.words import counted, visible
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_test_file
from graphls.session.finding_views import review_words
from graphls.session.review import DeltaView, ReviewReport

_ROWS: Final = 30
_MODULE: Final = "module"
_TESTED: Final = frozenset(("test", "function", "callable", "method", "class", "module"))


@attrs.frozen
class ReviewSection:
    """A heading, a sentence that may be "", rows of cells."""

    title: str
    lead: str = ""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    omitted: int = 0


def sections(report: ReviewReport) -> Iterator[ReviewSection]:
    """The parts of the page."""
    yield _summary(report)
    yield _section("Public API", ("what", "before", "now", "where"), list(map(_drift, report.drift)), "Unchanged.")
    yield _section("Symbols", ("what", "symbol", "lines", "where"), list(map(_delta, _own(report))), "None changed.")
    yield _reach(report)
    tests = [(one.symbol, one.at) for one in report.tests]
    yield _section("Tests to run", ("test", "where"), tests, "No test reaches what changed.", report.tests_omitted)
    yield from _findings(report)
    if report.decisions:
        rows = [(one.status, one.title, f"{one.file}:{one.line}") for one in report.decisions]
        yield _section("Decisions that govern it", ("status", "decision", "where"), rows, "")
    if report.clones:
        copies = [(one.symbol, ", ".join(one.others[:3]), f"{one.file}:{one.line}") for one in report.clones]
        yield _section("Bodies that stand elsewhere too", ("symbol", "others", "where"), copies, "")
    yield from _risk(report)


def _own(report: ReviewReport) -> list[DeltaView]:
    """Modules behind what they declare, tests last, without their values, and without bindings of imports: what these
    bring in is declared elsewhere."""
    code = [one for one in report.symbols if one.kind != "import" and not is_test_file(FilePath(one.file))]
    code.sort(key=lambda one: one.kind == _MODULE)
    tests = [one for one in report.symbols if is_test_file(FilePath(one.file))]
    return [*code, *(one for one in tests if one.kind in _TESTED)]


def text_page(report: ReviewReport) -> Iterator[str]:
    """Lines for a terminal."""
    for number, section in enumerate(sections(report)):
        if number:
            yield ""
        yield section.title
        if section.lead:
            yield f"  {section.lead}"
        widths = [max((len(row[at]) for row in section.rows if at < len(row)), default=0) for at in range(9)]
        for row in section.rows:
            yield "  " + "  ".join(cell.ljust(widths[at]) for at, cell in enumerate(row)).rstrip()
        if section.omitted:
            yield f"  and {section.omitted:,} more"


def markdown_page(report: ReviewReport) -> Iterator[str]:
    """Lines of Markdown, for a comment on a pull request."""
    for number, section in enumerate(sections(report)):
        if number:
            yield ""
        yield f"## {section.title}"
        if section.lead:
            yield ""
            yield _plain(section.lead)
        if section.rows:
            yield ""
            yield "| " + " | ".join(section.head) + " |"
            yield "|" + "---|" * len(section.head)
            for row in section.rows:
                yield "| " + " | ".join(map(_cell, row)) + " |"
        if section.omitted:
            yield ""
            yield f"and {section.omitted:,} more"


def _summary(report: ReviewReport) -> ReviewSection:
    against = f"since {report.base[:12]}" if report.base else "in the work tree"
    actions = [
        (action, sum(one.action == action for one in report.symbols)) for action in ("added", "modified", "deleted")
    ]
    symbols = ", ".join(f"{count} {action}" for action, count in actions if count)
    new = report.new_findings
    parts = [
        f"{counted(len(report.files), 'file')} {against}",
        f"symbols: {symbols}" if symbols else "no symbols",
        f"{counted(len(report.drift), 'change')} of the public API" if report.drift else "",
        f"{counted(len(report.tests) + report.tests_omitted, 'test')} to run",
        "" if new is None else f"{counted(len(new), 'new finding')}, {len(report.fixed_findings or ())} fixed",
    ]
    # A page shows the first of them: what declares things comes before translations and configuration.
    touched = {one.file for one in report.symbols if one.kind != _MODULE}
    rows = [
        (one.status, one.file, _lines(one.hunks), one.reason if one.reason != one.status else "")
        for one in sorted(report.files, key=lambda one: one.file not in touched)
    ]
    return _section(
        "Change", ("status", "file", "lines", "note"), rows, "; ".join(filter(None, parts)) + ".", always=True
    )


def _lines(hunks: Iterable[object]) -> str:
    added = removed = 0
    for hunk in hunks:
        added += getattr(hunk, "end_line", 0) + 1 - getattr(hunk, "start_line", 0)
        removed += getattr(hunk, "removed", 0)
    return f"+{added} -{removed}" if added or removed else ""


def _drift(one: DeltaView) -> tuple[str, ...]:
    if one.drift == "removed":
        return one.symbol, one.signature_before or one.kind, "gone", one.file
    if one.drift == "hidden":
        return one.symbol, one.signature_before or one.kind, "not exported", f"{one.file}:{one.line}"
    return one.symbol, one.signature_before or "", one.signature_after or "", f"{one.file}:{one.line}"


def _delta(one: DeltaView) -> tuple[str, ...]:
    size = one.lines_after if one.lines_before is None else one.lines_before
    lines = (
        ""
        if size is None
        else f"{size}"
        if one.action != "modified"
        else f"{one.lines_before} -> {one.lines_after} ({one.delta:+})"
    )
    return f"{one.action} {one.kind}", one.symbol, lines, f"{one.file}:{one.line}"


def _reach(report: ReviewReport) -> ReviewSection:
    lead = "; ".join(
        f"distance {one.depth}: {one.sure} sure" + (f", {one.possible} possible" if one.possible else "")
        for one in report.reach
    )
    rows = [
        (str(one.depth), _sure(one.confidence, possible=one.possible), one.via, one.node.symbol, one.node.at)
        for one in report.affected
    ]
    title, head = "May break", ("distance", "certainty", "through", "symbol", "where")
    omitted = report.affected_omitted
    return _section(title, head, rows, f"{lead}." if lead else "Nothing else uses what changed.", omitted, always=True)


def _sure(confidence: float, *, possible: bool) -> str:
    return "possible" if possible else f"{confidence:.2f}".rstrip("0").rstrip(".")


def _findings(report: ReviewReport) -> Iterator[ReviewSection]:
    if report.new_findings is None:
        return
    new = [
        (
            one.priority,
            one.title + (f" ({review_words(one)})" if one.review else ""),
            one.rule,
            f"{one.evidence[0].file}:{one.evidence[0].line}",
        )
        for one in report.new_findings
    ]
    yield _section("New findings", ("priority", "finding", "rule", "where"), new, "None.")
    reviewed = [(review_words(one), one.title, one.rule, f"{one.evidence[0].file}:{one.evidence[0].line}")
                for one in report.reviewed_findings]  # fmt: skip
    if reviewed:
        yield _section("Decided earlier in these files", ("review", "finding", "rule", "where"), reviewed, "")
    reported = [
        (one.priority, one.title, one.rule, f"{one.evidence[0].file}:{one.evidence[0].line}")
        for one in report.reported or ()
    ]
    if reported:
        yield _section("Reported of what changed", ("priority", "result", "rule", "where"), reported, "")
    fixed = [(one.title, one.rule, one.file or "") for one in report.fixed_findings or ()]
    if fixed:
        yield _section("Fixed findings", ("finding", "rule", "where"), fixed, "")
    failed = tuple(report.failed_rules.items())
    if failed:
        yield _section("Rules that could not finish", ("rule", "reason"), list(failed), "")


def _risk(report: ReviewReport) -> Iterator[ReviewSection]:
    risk = report.risk
    if risk is None:
        yield ReviewSection("Risk", f"Unknown: {report.no_risk}")
        return
    window = risk.window
    span = f", {window.since} to {window.until}" if window.since else ""
    lead = f"By {counted(window.commits, 'commit')} before the change{span}. {' '.join(window.caveats)}".rstrip()
    rows: list[tuple[str, ...]] = []
    for one in risk.files:
        known = {name: value for signal in one.signals for name, value in signal.measures.items()}
        owner = f"{one.owners[0].name} {one.owners[0].share:g} %"
        lines = f"+{known['added']} -{known['deleted']}"
        rows.append((one.file, str(known["commits"]), lines, str(known["authors"]), f"{one.rank:g} %", owner))
    head = ("file", "commits", "lines", "authors", "busier than", "most commits")
    yield _section("Risk", head, rows, lead, always=True)
    left = [
        (one.file, f"{one.count} times with {one.changed}", f"{one.share:g} % of its commits",
         "no edge between them" if one.hidden else "") for one in risk.left_behind
    ]  # fmt: skip
    if left:
        yield _section("Mostly changed along, and left alone", ("file", "with", "share", "note"), left, "")
    people = [
        (one.name, one.email, f"{one.score:g}", _parts(one.authorship, one.cochange, one.recency))
        for one in risk.reviewers
    ]
    yield _section("Who knows the code", ("name", "address", "score", "parts"), people, "Nobody in that history.")


def _parts(authorship: float, cochange: float, recency: int) -> str:
    return f"authorship {authorship:g} + co-change {cochange:g} + recency {recency}"


def _section(
    title: str,
    head: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    lead: str,
    omitted: int = 0,
    *,
    always: bool = False,
) -> ReviewSection:
    """`lead`: what stands there without rows, or `always`."""
    shown = tuple(tuple(visible(cell) for cell in row) for row in rows[:_ROWS])
    return ReviewSection(title, lead if always or not rows else "", head, shown, omitted + max(len(rows) - _ROWS, 0))


def _cell(text: str) -> str:
    """A cell in which nothing of a repository is markup or notifies anybody."""
    return f"`{text.replace('`', chr(39)).replace('|', chr(92) + '|')}`" if text else ""


def _plain(text: str) -> str:
    for letter in "\\`*_{}[]<>#|@":
        text = text.replace(letter, f"\\{letter}")
    return text
