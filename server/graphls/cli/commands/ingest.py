"""Ingest: results of linters and scanners that stay with the workspace.

Owns: arguments of `graphls ingest`, its layout.
Must not know: formats of logs, how they are kept.
Invariant: nothing of the workspace is written; a log that is refused is named and changes nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Annotated

import attrs
import typer

from graphls.analysis.sarif.imported import imported_findings
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import NAME, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.ingested_logs import IngestResult, forget, ingest_log, ingested_logs
from graphls.session.reports import named_log
from graphls.store.blobs import BlobStore

COMMAND = CommandEntry(help="Keep results of linters and scanners; list or forget them.", rank=231)


@attrs.frozen(kw_only=True)
class IngestedLogView:
    """A log that is kept. `stale`: results whose code has changed since; `unlinked`: in no file of the graph; `own`:
    those of graphls, which findings have already."""

    name: str
    results: int
    stale: int
    unlinked: int
    own: int


@attrs.frozen(kw_only=True)
class IngestView:
    """What was taken in just now, and all that is kept."""

    taken: tuple[IngestResult, ...]
    logs: tuple[IngestedLogView, ...]


def run(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="SARIF (`sarif FILE` too), or JSON of ruff or eslint; none: list."),
    ] = None,
    *,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="In the place of the file's name.")] = "",
    drop: Annotated[list[str] | None, typer.Option("--forget", metavar="NAME", help="Forget a log; repeat.")] = None,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    files = _without_format(files or [])
    if name and len(files) != 1:
        raise UsageError("--name is for one file.")
    with opened(ctx, root) as workspace:
        store = workspace.store
        if store is None:
            raise UsageError("Logs are kept in the cache, which is switched off.")
        for one in drop or ():
            forget(store, workspace.workspace, one)
        taken = tuple(_taken(workspace, store, file, name) for file in files)
        view = IngestView(taken=taken, logs=_logs(workspace, store))
        envelope = answer(workspace.snapshot, Coverage(empty=not view.logs))
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view)
        close_page(page, envelope)
        page.write()
    if not view.logs and not drop:
        raise NegativeAnswer


def _without_format(files: list[str]) -> list[str]:
    """`graphls ingest sarif FILE` is `graphls ingest FILE`: each log says its format itself."""
    named = len(files) > 1 and files[0] == "sarif" and not os.path.exists(files[0])
    return files[1:] if named else files


def _taken(workspace: OpenWorkspace, store: BlobStore, file: str, name: str) -> IngestResult:
    inside = workspace.workspace.relative(file)
    report = named_log(workspace.workspace, name or inside or file.rpartition("/")[2], file)
    return ingest_log(store, workspace.workspace, workspace.snapshot, report)


def _logs(workspace: OpenWorkspace, store: BlobStore) -> tuple[IngestedLogView, ...]:
    rows: list[IngestedLogView] = []
    for log in ingested_logs(store, workspace.workspace):
        found = imported_findings(workspace.snapshot, (log,))
        states = Counter(one.status for one in found.findings)
        unlinked = found.unlinked.get(log.name, 0)
        own = found.own.get(log.name, 0)
        rows.append(
            IngestedLogView(
                name=log.name, results=len(found.findings), stale=states["stale"], unlinked=unlinked, own=own
            )
        )
    return tuple(rows)


def _page(view: IngestView) -> TextPage:
    page = TextPage()
    for one in view.taken:
        back = f" ({one.reopened} of them back)" if one.reopened else ""
        beside = "" if one.new is None else f"; {one.new} new{back} and {one.gone} gone since it was taken in last"
        by = f" of {', '.join(one.tools)}" if one.tools else ""
        page.line("taken in  ", (one.name, NAME), f"  {counted(one.results, 'result')}{by}{beside}")
    taken = {one.name for one in view.taken}
    for log in view.logs:
        if log.name not in taken:
            page.line("kept  ", (log.name, NAME), f"  {counted(log.results, 'result')}")
        if log.stale:
            page.line((f"   {log.stale} of code that changed since: take in a new log", "yellow"))
        if log.own:
            said = f"   {counted(log.own, 'result')} of graphls itself: findings have them already, "
            page.line(said, "`graphls sarif results` asks the log")
        if log.unlinked:
            page.line((f"   {counted(log.unlinked, 'result')} in no file of the graph", "yellow"))
    if not view.logs:
        page.line("No log is kept.")
    return page
