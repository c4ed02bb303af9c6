"""Risk: what history says of files and symbols.

Owns: risk.
Must not know: version control, formulas.
Invariant: raw numbers stand beside every score; without history it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from graphls.analysis.views import is_within
from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.risk_report import RiskReport, SymbolRisk, risk_report, signals_of, symbol_risks


class RiskRequest(PagedRequest):
    symbol: Annotated[str, Field(max_length=1_000)] = ""
    scope: Scope = ""


def history(context: ToolContext, request: RiskRequest) -> Reply:
    """Of a symbol with its file, of what is below a scope, or of every file."""
    snapshot, state = context.snapshot, context.state
    signals = signals_of(state.workspace, snapshot, state.store)
    symbols: tuple[SymbolRisk, ...] = ()
    if request.symbol:
        place = context.subjects.place(request.symbol)
        symbols = symbol_risks(state.workspace, snapshot, place.file, place if place.definition >= 0 else None)
        paths = [str(place.file)]
    else:
        scope = context.subjects.scope(request.scope).removeprefix("./")
        paths = [str(path) for path in snapshot.shards if is_within(path, scope)]
    report = risk_report(snapshot, signals, paths, symbols)

    def text() -> TextAnswer:
        window = report.window
        head = f"{counted(len(report.files), 'file')}, {counted(window.commits, 'commit')} to {window.head[:12]}"
        return TextAnswer(head, tuple(_rows(report)), window.caveats)

    return Reply(answer(snapshot, Coverage(empty=not report.files)), report, text, "files")


def _rows(report: RiskReport) -> Iterator[Row]:
    for one in report.files:
        measures = {name: value for signal in one.signals for name, value in signal.measures.items()}
        beside = ", ".join(f"{other.file} x{other.count}{' (hidden)' if other.hidden else ''}" for other in one.coupled)
        yield Row(
            f"{one.file}: {measures['commits']} commits, +{measures['added']} -{measures['deleted']}, "
            f"{measures['authors']} authors, {one.owners[0].name} {one.owners[0].share:g} %; with {beside or 'nothing'}"
        )


QUERIES = (Query(name="risk", request=RiskRequest, contents=RiskReport, run=history),)
