"""Review: one page about a change.

Owns: arguments of `graphls review`, the threshold that makes the answer negative.
Must not know: how anything is found, layout.
Invariant: every form says the same; nothing is written but the file that the user names.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from graphls.analysis.finding import PRIORITIES
from graphls.analysis.sarif.log import sarif_log
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import opened
from graphls.cli.options import WITHIN, Root, Within
from graphls.cli.output_files import check_place, write_whole
from graphls.cli.rendering.answers import caveats
from graphls.cli.rendering.review_page import markdown_page, text_page
from graphls.cli.rendering.wire import json_bytes
from graphls.queries.answer import answer
from graphls.session.history import common_commit
from graphls.session.review import ReviewSubject, review

COMMAND = CommandEntry(help="Show on one page what a change does, may break and needs.", rank=165, read_only=True)


class ReviewFormat(StrEnum):
    """How a review is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    SARIF = "sarif"


class FailOn(StrEnum):
    """How pressing a new finding is."""

    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


def run(
    ctx: typer.Context,
    base: Annotated[
        str, typer.Argument(metavar="[BASE]", help="Everything since the commit in common with this branch.")
    ] = "",
    *,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=6, help="Steps to go.")] = 3,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Nodes, tests and files to list.")] = 50,
    findings: Annotated[
        bool, typer.Option("--findings/--no-findings", help="Compare findings of before and after.")
    ] = True,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Exit with 1 when a new finding is this pressing or more.")
    ] = None,
    within: Within = WITHIN,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to, if not standard output.")
    ] = "",
    root: Root = ".",
    format: Annotated[
        ReviewFormat,
        typer.Option("--format", "-f", help="text, markdown for a comment, json for programs, sarif for services."),
    ] = ReviewFormat.TEXT,
) -> None:
    if output:
        check_place(output)
    with opened(ctx, root) as workspace:
        snapshot, place = workspace.snapshot, workspace.workspace
        since = common_commit(place, base) if base else ""
        found = review(
            ReviewSubject(place, snapshot, workspace.settings, workspace.store, since, depth, limit, findings, within)
        )
        envelope = answer(snapshot, found.coverage)
        if format is ReviewFormat.SARIF:
            log = found.findings
            data = sarif_log(snapshot, log, log.findings) if log is not None else b""
        elif format is ReviewFormat.JSON:
            data = json_bytes(envelope, found.report)
        else:
            page = markdown_page(found.report) if format is ReviewFormat.MARKDOWN else text_page(found.report)
            said = [*page, "", *caveats(envelope), f"{envelope.snapshot}"]
            data = "".join(f"{line}\n" for line in said).encode("utf-8", "backslashreplace")
    if output:
        write_whole(output, [data])
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    if fail_on is not None:
        limit_at = PRIORITIES.index(fail_on.value)
        new = found.report.new_findings or ()
        if found.report.failed_rules or any(PRIORITIES.index(one.priority) <= limit_at for one in new):
            raise NegativeAnswer
