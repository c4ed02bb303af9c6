"""Processes: chains of calls from the entries of a program.

Owns: processes.
Must not know: how chains are found.
Invariant: a chain says that it is a heuristic.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.session.process_report import ProcessReport, ProcessView, process_report


class ProcessesRequest(PagedRequest):
    scope: Scope = ""
    symbol: Annotated[str, Field(max_length=1_000)] = ""
    limit: Annotated[int, Field(ge=1, le=75)] = 20


def chains(context: ToolContext, request: ProcessesRequest) -> Reply:
    """Those of the workspace, or those that pass a symbol."""
    place = context.subjects.place(request.symbol) if request.symbol else None
    envelope, report = process_report(context.snapshot, place, request.limit, context.subjects.scope(request.scope))

    def text() -> TextAnswer:
        head = f"{len(report.processes)} processes of {report.entries} entries, a heuristic: {report.rule}"
        return TextAnswer(head, tuple(map(_row, report.processes)))

    return Reply(envelope, report, text, "processes", may_be_empty=True)


def _row(one: ProcessView) -> Row:
    steps = " -> ".join(f"{step.symbol}{' (possibly)' if step.possible else ''}" for step in one.steps)
    return Row(f"{steps}  [{one.confidence:g}]")


QUERIES = (Query(name="processes", request=ProcessesRequest, contents=ProcessReport, run=chains),)
