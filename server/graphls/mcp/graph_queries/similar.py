"""Similar: what is like a symbol, or like code that is not written yet.

Owns: similar.
Must not know: how code is compared.
Invariant: code that is proposed is compared with what is there and written nowhere.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from graphls.graph.errors import BadRequest
from graphls.mcp.paging import Reply
from graphls.mcp.proposals import Patch, Texts, with_proposal
from graphls.mcp.requests import CommitRequest
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, one_line
from graphls.queries.answer import answer
from graphls.queries.changed import changed_symbols
from graphls.queries.similar import refuse_where_off, similar
from graphls.queries.similar_view import SimilarRow, SimilarView, in_words, similar_rows
from graphls.session.snippets import with_snippet


class SimilarRequest(CommitRequest):
    symbol: Annotated[str, Field(max_length=1_000)] = ""
    proposed: Texts = Field(default_factory=dict)
    patch: Patch = ""
    code: Annotated[str, Field(description="a piece of code not written yet")] = ""
    language: Annotated[str, Field(max_length=40, description="of code")] = ""
    path: Annotated[str, Field(max_length=4_096, description="where code is to stand")] = ""


def like(context: ToolContext, request: SimilarRequest) -> Reply:
    """What is like one symbol, or like each symbol of proposed code."""
    if bool(request.symbol) + bool(request.proposed or request.patch) + bool(request.code) != 1:
        raise BadRequest("Give a symbol, or code (as code, proposed or patch).")
    if context.at and not request.symbol:
        raise BadRequest("Code that is not written yet is compared with the files as they are: leave at out.")
    note = ""
    if request.code:
        state = context.state
        path = context.subjects.inside(request.path) if request.path else ""
        made = with_snippet(
            context.snapshot,
            request.code,
            state.settings,
            state.workspace.prefixes,
            language=request.language,
            path=path,
        )
        context, sources, note = context.with_snapshot(made.snapshot), made.places, made.why_whole
    elif request.symbol:
        sources = (context.subjects.place(request.symbol),)
    else:
        after, edits = with_proposal(context, request.proposed, request.patch)
        context = context.with_snapshot(after)
        sources = tuple(one.place for one in changed_symbols(after, edits))
    refuse_where_off(context.state.settings.similarity)
    found = similar(context.snapshot, sources, context.state.settings.similarity, texts=bool(request.code))
    view = SimilarView(similar=similar_rows(context.things, found), note=note)

    def text() -> TextAnswer:
        head = f"{counted(len(view.similar), 'symbol')} like {counted(len(sources), 'symbol')}"
        head = f"{head}; {note}" if note else head
        return TextAnswer(head, tuple(map(similar_row, view.similar)))

    return Reply(answer(context.snapshot, found.coverage), view, text, "similar", may_be_empty=True)


def similar_row(row: SimilarRow) -> Row:
    """What is there, under the symbol that it is like."""
    return Row(f"{one_line(row.match)}  <- {in_words(row)}", (f"like {row.source.symbol} ({row.source.at}):",))


QUERIES = (Query(name="similar", request=SimilarRequest, contents=SimilarView, run=like),)
