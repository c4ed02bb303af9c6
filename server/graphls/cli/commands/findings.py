"""Findings: what the rules say about a workspace.

Owns: arguments of `graphls findings`, its layout, the threshold that makes the answer negative.
Must not know: any particular rule.
Invariant: a baseline is written only when asked for, inside the workspace, whole or not at all.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Annotated, TypedDict

import attrs
import typer

from graphls.analysis.baseline import Baseline, baseline_text
from graphls.analysis.finding import OWN_TOOL, PRIORITIES, STATUSES, Finding, Priority, Status
from graphls.analysis.findings import FindingSet, findings
from graphls.analysis.review_marks import MarkState
from graphls.analysis.sarif.log import sarif_log
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import At, Root, Scope
from graphls.cli.output_files import check_place, write_whole
from graphls.cli.rendering.answers import close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.completeness import rules_that_failed
from graphls.queries.node_views import Presenter
from graphls.session.annotations import AnnotationSource
from graphls.session.change_findings import CHANGE_RULES, with_change
from graphls.session.finding_views import FindingsReport, ReportedFinding, findings_report, review_words
from graphls.session.known_findings import known_findings
from graphls.session.marking import MarkRequest, mark_findings
from graphls.settings import Settings
from graphls.sources.read import read_small
from graphls.sources.write import write_inside

_COLOURS = {"P1": "bold red", "P2": "red", "P3": "yellow", "info": "cyan"}
_LARGEST_BASELINE = 20_000_000
_SHOWN_EVIDENCE = 6


class Severity(StrEnum):
    """How pressing a finding is."""

    P1 = "P1"
    P2 = "P2"
    P3 = "P3"
    INFO = "info"


class FindingsFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


class State(StrEnum):
    """Which findings are listed."""

    OPEN = "open"
    SUPPRESSED = "suppressed"
    REJECTED = "rejected"
    DEFERRED = "deferred"
    BASELINED = "baselined"
    STALE = "stale"
    ACCEPTED = "accepted"
    OUTDATED = "outdated"
    ALL = "all"


class Mark(StrEnum):
    """What is decided about a finding."""

    ACCEPT = "accept"
    REJECT = "reject"
    DEFER = "defer"
    NONE = "none"


COMMAND = CommandEntry(
    help="List architecture findings.",
    rank=230,
    read_only=True,
    synonyms=("lint", "problems"),
)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    rule: Annotated[list[str] | None, typer.Option("--rule", metavar="CODE", help="This rule only; repeat.")] = None,
    least: Annotated[Severity, typer.Option("--least", help="Leave out what is less pressing.")] = Severity.INFO,
    status: Annotated[
        State | None, typer.Option("--status", help="Which findings are listed; open if not given, all in SARIF.")
    ] = None,
    fail_on: Annotated[
        Severity | None, typer.Option("--fail-on", help="Exit with 1 when an open finding is this pressing or more.")
    ] = None,
    baseline: Annotated[
        str,
        typer.Option("--baseline", metavar="FILE", help="Known findings: such a file, or a SARIF log."),
    ] = "",
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write the open findings to the baseline.")
    ] = False,
    generated: Annotated[
        bool, typer.Option("--generated", help="Findings in generated and vendored files as well.")
    ] = False,
    sarif: Annotated[
        list[str] | None, typer.Option("--sarif", metavar="FILE", help="With the results of this SARIF log; repeat.")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where SARIF goes; standard output if not given.")
    ] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="REF", help="With what a change since this commit does to the public API.")
    ] = "",
    mark: Annotated[
        Mark | None, typer.Option("--mark", help="Decide about findings: right, wrong here, or later; none forgets.")
    ] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", metavar="ID", help="Which findings to mark; repeat.")] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for --mark.")] = "",
    author: Annotated[
        str, typer.Option("--author", metavar="NAME", help="Who, for --mark; git's user if not given.")
    ] = "",
    root: Root = ".",
    at: At = "",
    format: Annotated[
        FindingsFormat, typer.Option("--format", "-f", help="text for people, json for programs, sarif for services.")
    ] = FindingsFormat.TEXT,
) -> None:
    _check(output, format, at, ids or (), mark=mark, apart=update_baseline or bool(since))
    state = status or (State.ALL if format is FindingsFormat.SARIF else State.OPEN)
    with opened(ctx, root, "complete", at=at) as workspace:
        path = _baseline_path(workspace, baseline)
        before = _baseline_bytes(path, wanted=bool(baseline) and not update_baseline)
        folder = _folder(workspace, scope)
        settings = _with_generated(workspace.settings) if generated else workspace.settings
        beside = known_findings(workspace.workspace, settings, workspace.store, sarif or (), before)
        answered = findings(workspace.snapshot, settings, beside, folder)
        if answered.problems and sarif:
            raise UsageError(answered.problems[0])
        if since:
            answered = with_change(answered, workspace.workspace, workspace.snapshot, settings, since)
        rules = _known(rule or [], answered, workspace, since)
        if mark is not None:
            wanted = MarkRequest(tuple(ids or ()), None if mark is Mark.NONE else mark.value, reason, author)
            answered, chosen = mark_findings(workspace.workspace, workspace.snapshot, settings, answered, wanted)
        else:
            chosen = answered.chosen(**_filter(state), rules=rules, least=least.value, scope=folder)
        listing = _listing(workspace, answered, chosen)
        opens = answered.chosen(rules=rule or (), least=least.value, scope=folder) if update_baseline else ()
        note = _update(workspace, path, answered.baseline, opens) if update_baseline else ""
        completeness = rules_that_failed(len(answered.failures))
        envelope = answer(workspace.snapshot, Coverage(empty=not chosen, completeness=completeness))
        log = sarif_log(workspace.snapshot, answered, chosen) if format is FindingsFormat.SARIF else b""
    if format is FindingsFormat.SARIF:
        _write(log, output)
    elif format is FindingsFormat.JSON:
        write_answer(envelope, listing)
    else:
        page = _page(listing, answered, note)
        close_page(page, envelope)
        page.write()
    if fail_on is not None and not update_baseline and _exceeds(answered, chosen, fail_on.value):
        raise NegativeAnswer


def _check(output: str, format: FindingsFormat, at: str, ids: Sequence[str], *, mark: Mark | None, apart: bool) -> None:
    if output and format is not FindingsFormat.SARIF:
        raise UsageError("--output is for --format sarif.")
    if output:
        check_place(output)
    if at and (apart or mark):
        raise UsageError("--update-baseline, --mark and --since are about the files as they are: leave out --at.")
    if bool(mark) != bool(ids):
        raise UsageError("--mark and --id go together: what is decided, about which findings.")


def _with_generated(settings: Settings) -> Settings:
    return attrs.evolve(settings, findings=attrs.evolve(settings.findings, generated=True))


class _StateFilter(TypedDict):
    status: Collection[Status]
    mark: MarkState | None


def _filter(state: State) -> _StateFilter:
    """What a state means: a status of findings, or what a review says of them."""
    if state is State.ACCEPTED or state is State.OUTDATED:
        return {"status": STATUSES, "mark": state.value}
    return {"status": tuple(name for name in STATUSES if state in (name, State.ALL)), "mark": None}


def _listing(workspace: OpenWorkspace, answered: FindingSet, chosen: tuple[Finding, ...]) -> FindingsReport:
    files = {one.at.file for one in chosen}
    recorded = AnnotationSource(workspace.workspace, workspace.store)
    known = recorded.of(workspace.snapshot, files) if files else None
    return findings_report(Presenter(workspace.snapshot), answered, chosen, known)


def _exceeds(answered: FindingSet, chosen: tuple[Finding, ...], least: Priority) -> bool:
    limit = PRIORITIES.index(least)
    pressing = any(found.status == "open" and PRIORITIES.index(found.priority) <= limit for found in chosen)
    return pressing or bool(answered.failures)


def _known(rules: list[str], answered: FindingSet, workspace: OpenWorkspace, since: str) -> list[str]:
    compared = [one for one in rules if one in CHANGE_RULES]
    if compared and not since:
        raise UsageError(f"{compared[0]} compares two states: give the commit before with --since.")
    rules = [one for one in rules if one not in CHANGE_RULES]
    if why := answered.why_no_rule(rules, workspace.settings, workspace.snapshot):
        raise UsageError(why)
    return [*rules, *compared]


def _write(log: bytes, output: str) -> None:
    if output:
        write_whole(output, [log])
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(log)


def _folder(workspace: OpenWorkspace, scope: str) -> str:
    if not scope or scope == ".":
        return ""
    path = workspace.workspace.contained(scope)
    shards = workspace.snapshot.shards
    if path not in shards and not any(file.startswith(f"{path}/") for file in shards):
        raise UsageError(f"{scope!r} names no file or folder of the graph.")
    return path


def _baseline_path(workspace: OpenWorkspace, chosen: str) -> str:
    """ "" where nobody names one and several repositories are asked: none of them is where settings say."""
    place, named = workspace.workspace, chosen or workspace.settings.findings.baseline
    if not chosen and named.partition("/")[0] not in (place.prefixes or (named.partition("/")[0],)):
        return ""
    return place.absolute(place.contained(named))


def _baseline_bytes(path: str, *, wanted: bool) -> bytes:
    """What is there; nothing where no file is, unless the user named it."""
    data = read_small(path, _LARGEST_BASELINE) if path else None
    if data is None and wanted:
        raise UsageError("The baseline cannot be read. Make it with --update-baseline, or leave --baseline out.")
    return data or b""


def _update(workspace: OpenWorkspace, path: str, known: Baseline, opens: tuple[Finding, ...]) -> str:
    if not path:
        raise UsageError("Several repositories have no baseline in common: name a file of one with --baseline.")
    if known.problem:
        raise UsageError(known.problem)
    if known.is_log:
        raise UsageError("The baseline is a SARIF log, which nothing is added to. Write it with --format sarif.")
    opens = tuple(found for found in opens if found.tool == OWN_TOOL)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_inside(workspace.workspace, path, [baseline_text(known, opens).encode()])
    except OSError as error:
        raise UsageError(f"The baseline cannot be written: {error.strerror or error}.") from error
    return f"{counted(len(opens), 'finding')} added to the baseline"


def _page(listing: FindingsReport, answered: FindingSet, note: str) -> TextPage:
    page = TextPage()
    for found in listing.findings:
        _finding(page, found)
    for rule, reason in listing.failed.items():
        page.line((f"the rule {rule} could not finish: {reason}", "yellow"))
    for problem in filter(None, (answered.baseline.problem, answered.marks.problem)):
        page.line((problem, "yellow"))
    for gone in listing.fixed or ():
        page.line(("fixed", "green"), "  ", gone.title or gone.id, "  ", (gone.rule, "dim"))
    for problem in listing.problems:
        page.line((f"not taken in: {problem}", "yellow"))
    for log, count in listing.unlinked.items():
        page.line((f"{counted(count, 'result')} of {log} in no file of the graph", "yellow"))
    page.line(_total(listing, answered))
    if note:
        page.line(note)
    return page


def _total(listing: FindingsReport, answered: FindingSet) -> str:
    listed = ", ".join(f"{count} {priority}" for priority, count in listing.counts.items() if count)
    states = Counter(found.status for found in answered.findings)
    hidden = [f"{states[state]} {state}" for state in STATUSES[1:] if states[state]]
    outdated = sum(found.review is not None and found.review.outdated for found in answered.findings)
    if outdated:
        hidden.append(f"{counted(outdated, 'review')} out of date (--status outdated)")
    if listing.fixed:
        hidden.append(f"{len(listing.fixed)} fixed since the baseline")
    if answered.files_left_out:
        hidden.append(f"{counted(answered.files_left_out, 'generated or vendored file')} left out (--generated)")
    return "; ".join([counted(len(listing.findings), "finding") + (f": {listed}" if listed else ""), *hidden])


def _finding(page: TextPage, found: ReportedFinding) -> None:
    page.line(
        (found.priority, _COLOURS.get(found.priority, "")), " ", (found.title, "bold"), "  ", (found.rule, "dim"),
        "" if found.status == "open" else f"  ({found.status})", "  ", (found.id, "dim"),
    )  # fmt: skip
    if words := review_words(found):
        page.line("   ", (words, "yellow" if found.review is not None and found.review.outdated else ""))
    if found.pressure:
        page.line("   ", found.pressure)
    evidence = found.evidence[:_SHOWN_EVIDENCE]
    page.rows([((f"{seen.file}:{seen.line}", "green"), seen.note) for seen in evidence], indent="   ")
    if len(found.evidence) > _SHOWN_EVIDENCE:
        page.note(f"   and {len(found.evidence) - _SHOWN_EVIDENCE} more places")
    for reason in found.reasons:
        page.line("   here: ", reason)
    for suggestion in found.suggestions[:1]:
        page.line("   try: ", suggestion)
    page.line()
