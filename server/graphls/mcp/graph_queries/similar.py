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
from graphls.mcp.requests import PagedRequest
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, one_line
from graphls.queries.answer import answer
from graphls.queries.changed import changed_symbols
from graphls.queries.similar import similar
from graphls.queries.similar_view import SimilarRow, SimilarView, in_words, similar_rows


class SimilarRequest(PagedRequest):
    symbol: Annotated[str, Field(max_length=1_000)] = ""
    proposed: Texts = Field(default_factory=dict)
    patch: Patch = ""


def like(context: ToolContext, request: SimilarRequest) -> Reply:
    """What is like one symbol, or like each symbol of proposed code."""
    if bool(request.symbol) == bool(request.proposed or request.patch):
        raise BadRequest("Give a symbol, or code as proposed or patch.")
    if request.symbol:
        sources = (context.subjects.place(request.symbol),)
    else:
        after, edits = with_proposal(context, request.proposed, request.patch)
        context = context.with_snapshot(after)
        sources = tuple(one.place for one in changed_symbols(after, edits))
    found = similar(context.snapshot, sources)
    view = SimilarView(similar=similar_rows(context.things, found))

    def text() -> TextAnswer:
        head = f"{counted(len(view.similar), 'symbol')} like {counted(len(sources), 'symbol')}"
        return TextAnswer(head, tuple(map(similar_row, view.similar)))

    return Reply(answer(context.snapshot, found.coverage), view, text, "similar")


def similar_row(row: SimilarRow) -> Row:
    """What is there, under the symbol that it is like."""
    return Row(f"{one_line(row.match)}  <- {in_words(row)}", (f"like {row.source.symbol} ({row.source.at}):",))


QUERIES = (Query(name="similar", request=SimilarRequest, contents=SimilarView, run=like),)
