"""Decisions: why code is as it is.

Owns: decisions.
Must not know: where decisions stand.
Invariant: what a decision names and the graph does not have is said.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.decision_report import DecisionReport, DecisionView, decision_report


class DecisionsRequest(PagedRequest):
    symbol: Annotated[str, Field(max_length=1_000)] = ""
    scope: Scope = ""


def recorded(context: ToolContext, request: DecisionsRequest) -> Reply:
    """Those that govern a symbol, or that are about what is below a scope."""
    place = context.subjects.place(request.symbol) if request.symbol else None
    scope = context.subjects.scope(request.scope)
    report = decision_report(context.snapshot, scope, place)

    def text() -> TextAnswer:
        head = f"{counted(len(report.decisions), 'decision')} of {report.total}"
        return TextAnswer(head, tuple(map(_row, report.decisions)))

    return Reply(answer(context.snapshot, Coverage(empty=not report.decisions)), report, text, "decisions")


def _row(one: DecisionView) -> Row:
    governs = f"; governs {', '.join(one.governs[:5])}" if one.governs else ""
    return Row(f"{one.file}:{one.line} [{one.status}] {one.title}{governs}")


QUERIES = (Query(name="decisions", request=DecisionsRequest, contents=DecisionReport, run=recorded),)
