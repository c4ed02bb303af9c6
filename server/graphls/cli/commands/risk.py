"""Risk: what history says of files and symbols.

Owns: arguments of `graphls risk`, its layout.
Must not know: version control, formulas.
Invariant: raw numbers stand beside every score; without history the answer is negative and says so.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.analysis.risk import CoupledFile, FileRisk
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NEGATIVE, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.notes import left_behind_section
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted
from graphls.cli.symbols import place_of
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import Coverage, answer
from graphls.queries.coverage_reports import CoverageRefused
from graphls.session.comparing import NoHistory, edits
from graphls.session.reports import coverage_of
from graphls.session.risk_report import ReviewerView, RiskReport, SymbolRisk, risk_report, signals_of, symbol_risks
from graphls.sources.git_log import COMMITS
from graphls.sources.limits import SourceLimits

COMMAND = CommandEntry(help="Show what history says of files and symbols.", rank=235, read_only=True)


def run(
    ctx: typer.Context,
    subject: Annotated[
        str, typer.Argument(metavar="[SUBJECT]", help="A file, a folder or a symbol; all files when left out.")
    ] = "",
    *,
    changed: Annotated[
        bool, typer.Option("--changed", help="The files that the work tree changes; with --base since a commit.")
    ] = False,
    base: Annotated[str, typer.Option("--base", metavar="REF", help="Everything since this commit.")] = "",
    commits: Annotated[
        int, typer.Option("--commits", min=1, max=10_000, help="How many of the last commits count.")
    ] = COMMITS,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Files to list.")] = 20,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if subject and (changed or base):
        raise UsageError("Give a subject, or --changed; not both.")
    with opened(ctx, root) as workspace:
        snapshot = workspace.snapshot
        try:
            signals = signals_of(workspace.workspace, snapshot, workspace.store, commits)
        except NoHistory as refused:
            raise UsageError(f"There is no history. {refused.message}", NEGATIVE, refused.code) from None
        symbols: tuple[SymbolRisk, ...] = ()
        if changed or base:
            limits = SourceLimits.of(workspace.settings.files)
            kind = "compare" if base else "all"
            paths = [edit.path for edit in edits(workspace.workspace, snapshot, limits, kind, base)]
        else:
            paths, symbols = _subject(workspace, snapshot, subject)
        try:
            coverage = coverage_of(workspace.workspace, snapshot, workspace.settings)
        except CoverageRefused as refused:
            raise UsageError(str(refused)) from None
        by_change = changed or bool(base)
        report = risk_report(
            snapshot, signals, paths, symbols[:limit], limit=limit, change=by_change, coverage=coverage
        )
        hidden = max(len([path for path in paths if path in signals.files]) - limit, 0) if subject else 0
        envelope = answer(snapshot, Coverage(truncated=hidden > 0, omitted=hidden, empty=not report.files))
    if format is Format.JSON:
        write_answer(envelope, report)
        return
    page = _page(report, subject=subject)
    close_page(page, envelope)
    page.write()


def _subject(workspace: OpenWorkspace, snapshot: Snapshot, subject: str) -> tuple[list[str], tuple[SymbolRisk, ...]]:
    """Files that are asked about, and the measures of their symbols where it is one file or a symbol."""
    if not subject or subject == ".":
        return list(snapshot.shards), ()
    if ":" not in subject:
        folder = subject.rstrip("/").removeprefix("./")
        below = [path for path in snapshot.shards if path.startswith(f"{folder}/")]
        if below:
            return list(below), ()
    place = place_of(workspace, subject)
    only = place if place.definition >= 0 else None
    return [place.file], symbol_risks(workspace.workspace, snapshot, place.file, only)


def _page(report: RiskReport, *, subject: str) -> TextPage:
    page, window = TextPage(), report.window
    if len(report.files) == 1:
        _file(page, report.files[0])
    elif report.files:
        page.rows([("commits", "lines", "authors", "above", "owner", "file"), *map(_row, report.files)])
    for path in report.without_history:
        page.line((path, PLACE), f"  no commit among the last {window.commits:,}")
    if report.symbols:
        page.heading("symbols by commits that touched them, of the last 100 of their file")
        page.rows(map(_symbol, report.symbols), indent="  ")
    left_behind_section(page, report.left_behind)
    if report.reviewers:
        page.heading("who knows them")
        page.rows(map(_reviewer, report.reviewers), indent="  ")
    page.line()
    span = f", {window.since} to {window.until}" if window.since else ""
    page.note(f"{counted(window.commits, 'commit')} without merges up to {window.head[:12]}{span}")
    for caveat in window.caveats:
        page.line((caveat, "yellow"))
    return page


def _row(one: FileRisk) -> tuple[Part, ...]:
    measures = {name: value for signal in one.signals for name, value in signal.measures.items()}
    owner = one.owners[0]
    return (
        str(measures["commits"]), f"+{measures['added']} -{measures['deleted']}", str(measures["authors"]),
        f"{one.rank:g} %", f"{owner.name} {owner.share:g} %", (one.file, PLACE),
    )  # fmt: skip


def _file(page: TextPage, one: FileRisk) -> None:
    page.line((one.file, PLACE), f"  hotspot {one.hotspot:g}, above {one.rank:g} % of the files")
    for signal in one.signals:
        measures = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in signal.measures.items())
        page.rows([((signal.signal, KIND), measures)], indent="  ")
    page.heading("owned by")
    page.rows(
        [((owner.name, NAME), owner.email, f"{owner.share:g} % of commits", f"+{owner.added} -{owner.deleted}",
          (owner.last_seen, FAINT)) for owner in one.owners],
        indent="  ",
    )  # fmt: skip
    if one.coupled:
        page.heading("changes with")
        page.rows(map(_coupled, one.coupled), indent="  ")


def _coupled(one: CoupledFile) -> tuple[Part, ...]:
    known = {True: "no edge between them", False: "", None: "not judged: no code"}[one.hidden]
    return (one.file, PLACE), f"{one.count} times ({one.share:g} %)", (one.last_seen, FAINT), (known, "yellow")


def _symbol(one: SymbolRisk) -> tuple[Part, ...]:
    return (
        counted(one.commits, "commit"), counted(one.authors, "author"), (one.last_seen, FAINT), (one.kind, KIND),
        (one.symbol, NAME), (f"{one.file}:{one.line}", PLACE),
    )  # fmt: skip


def _reviewer(one: ReviewerView) -> tuple[Part, ...]:
    parts = f"authorship {one.authorship:g} + co-change {one.cochange:g} + recency {one.recency}"
    return (one.name, NAME), one.email, f"{one.score:g}", (f"= {parts}", FAINT)
