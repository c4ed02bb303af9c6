"""Change plan: the tool for who is about to change a symbol.

Owns: change_plan.
Must not know: how sites are found.
Invariant: what is certain, what is possible and what could not be resolved stand apart, each with its count.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import MOST_UNRESOLVED, PagedRequest, Subject
from graphls.mcp.selected_tests import selected_rows
from graphls.mcp.text_form import Row, TextAnswer, code_rows, folded, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext, ToolEntry
from graphls.mcp.wording import counted, headline, test_line
from graphls.queries.answer import Answer, answer
from graphls.queries.change_plan import Change, change_plan
from graphls.queries.change_plan_view import ChangePlanView, change_plan_view
from graphls.session.selected_tests import selection_of

Kind = Literal["certain", "possible", "unresolved", "tests"]
EVERY: tuple[Kind, ...] = ("certain", "possible", "unresolved")
_FEW_UNRESOLVED = 30


class ChangePlanRequest(PagedRequest):
    symbol: Subject
    change: Annotated[Change, Field(description="what is to be done with it")] = "signature"
    kinds: Annotated[tuple[Kind, ...], Field(description="only these sites")] = ()


def plan(context: ToolContext, request: ChangePlanRequest) -> Reply:
    """Every site that a change of one symbol has to edit."""
    place = context.subjects.place(request.symbol)
    context = context.verified(place, "in")
    found = change_plan(context.snapshot, place, request.change)
    wanted = request.kinds or EVERY
    listed = MOST_UNRESOLVED if "unresolved" in request.kinds else _FEW_UNRESOLVED if "unresolved" in wanted else 0
    envelope = answer(context.snapshot, found.coverage, listed=listed)
    view = change_plan_view(context.snapshot, context.things, found)
    rows = tuple[Row, ...]()
    if "tests" in wanted:
        state = context.state
        selected = selection_of(state.workspace, state.settings, context.snapshot, place)
        rows = tuple(selected_rows(context.snapshot, selected))
    return Reply(envelope, view, lambda: _text(view, envelope, wanted, rows), "sites")


def _text(view: ChangePlanView, envelope: Answer, wanted: tuple[Kind, ...], tests: tuple[Row, ...] = ()) -> TextAnswer:
    total = len(view.sites)
    head = (
        f"{view.change} of {headline(view.node)}: {counted(total, 'line')} to edit in {counted(view.files, 'file')}: "
        f"{view.certain} certain, {view.possible} possible; {envelope.unresolved_sites} unresolved"
    )
    rows: list[Row] = []
    for kind in ("certain", "possible"):
        if kind in wanted:
            heading = () if kind == "certain" else ("possible:",)
            rows += (
                Row(
                    f"{site.line}  {site.text}{f'  <- {site.why}' if site.why else ''}",
                    (*heading, site.file, site.owner),
                )
                for site in view.sites
                if site.certain == (kind == "certain")
            )
    same = code_rows(view.namesakes, "called the same, no part of it:") if wanted == EVERY else ()
    open_uses = open_rows(envelope.unresolved, _unresolved_heading(envelope))
    shown = [*folded(rows), *folded(same), *open_uses, *tests]
    return TextAnswer(head, tuple(shown), tuple(test_line([(test.file, test.tests) for test in view.tests])))


def _unresolved_heading(envelope: Answer) -> str:
    shown, total = len(envelope.unresolved), envelope.unresolved_sites
    some = f', {shown} of {total} (all: kinds ["unresolved"])' if shown < total else ""
    return f"unresolved, may be uses{some}:"


TOOL = ToolEntry(
    name="change_plan",
    title="Plan a change",
    description="Before you change a symbol's signature, rename, move or delete it: every line to edit, in order, "
    "certain apart from possible, and the tests to run. Also the way to list all uses or callers. Not for finding a "
    "symbol (where) or for edits already made (changes).",
    queries=(Query(name="change_plan", request=ChangePlanRequest, contents=ChangePlanView, run=plan),),
    rank=2,
)
