"""Where: the tool that finds symbols.

Owns: where.
Must not know: how names are compared, how code is ranked.
Invariant: what is found by name comes first; words that no name has are answered by rank, and the answer says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from graphls.context.search import SearchHits, SearchQuery, method_for
from graphls.context.search_view import is_question
from graphls.graph.derivation import DIAGNOSTIC, DerivedNode
from graphls.graph.errors import BadRequest
from graphls.graph.request_budget import BudgetSpentError
from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Words
from graphls.mcp.results import FindReply
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext, ToolEntry
from graphls.mcp.wording import counted, one_line, short
from graphls.queries.answer import Next, answer
from graphls.queries.entry import routes_in_words
from graphls.queries.find import QUALITIES, FindQuery, Mode, SymbolMatches, find
from graphls.queries.find_filter import NO_TEXT, checked_filter
from graphls.queries.node_views import NodeView

_MOST, _MOST_ROUTES = 200, 5
_SAME_NAME = QUALITIES.index("case")


class WhereRequest(CommitRequest):
    text: Annotated[
        str,
        Field(max_length=2_000, description="name or part, Container.name, words, question; empty: all of a kind"),
    ] = ""
    mode: Mode = "fuzzy"
    kinds: Annotated[
        Words, Field(description="class, function, method, callable, constant, test, route, heading, diagnostic ...")
    ] = ()
    languages: Words = ()
    under: Annotated[str, Field(max_length=4_096, description="folder or file")] = ""
    severities: Annotated[Words, Field(description="of diagnostics: error, warning ...")] = ()
    limit: Annotated[int, Field(ge=1, le=1_000, description="rows a page")] = 10


def find_symbols(context: ToolContext, request: WhereRequest) -> Reply:
    """Symbols by name, else by words."""
    if DIAGNOSTIC in request.kinds or request.severities:
        context = context.with_reported()
    only = checked_filter(context.snapshot, request.kinds, request.languages, request.under, request.severities)
    if not request.text.strip() and not only.lists:
        raise BadRequest(NO_TEXT)
    # Text pages by rows; records come as many as were asked for.
    limit = request.limit if request.format == "json" else max(request.limit, _MOST)
    wanted = FindQuery(request.text, request.mode, only, limit=limit, locals=True, documents=True)
    found = find(context.snapshot, wanted)
    if is_question(wanted, found):
        query = SearchQuery(text=request.text, method=method_for(request.text), only=only, limit=limit)
        hits = context.state.session.search(context.snapshot, query)
        routes = _routes(context, request)
        if hits.hits or hits.sections or routes:
            return _ranked_reply(context, request, hits, routes)
    is_called_so = any(match.quality <= _SAME_NAME for match in found.matches[:1])
    routes = () if is_called_so else _routes(context, request)
    named = (*(match.place for match in found.matches), *found.derived)
    nodes = (*routes, *map(context.things.node, named))
    envelope = answer(context.snapshot, found.coverage, found.next_step)
    contents = FindReply(total=found.total + len(routes), matches=nodes)
    return Reply(envelope, contents, lambda: _text(request, found, nodes, len(routes)), "matches")


def _routes(context: ToolContext, request: WhereRequest) -> tuple[NodeView, ...]:
    """Routes whose paths stand among the words, where nothing else is asked for."""
    if request.kinds or request.languages or request.under:
        return ()
    found: Sequence[DerivedNode] = ()
    with contextlib.suppress(BudgetSpentError):
        found = routes_in_words(context.snapshot, request.text)
    return tuple(map(context.things.node, found[:_MOST_ROUTES]))


def _ranked_reply(
    context: ToolContext, request: WhereRequest, hits: SearchHits, routes: tuple[NodeView, ...] = ()
) -> Reply:
    """What the words are about, best first; sections of documents behind it. `routes`: those whose paths they have."""
    nodes = (*routes, *(context.things.node(hit.place) for hit in (*hits.hits, *hits.sections)))
    envelope = answer(
        context.snapshot,
        hits.coverage,
        Next("inspect", "where", nodes[0].symbol, reason="no name has these words; these are ranked by them"),
    )
    said = "symbol" if hits.hits else "section"
    order = "as a change of these words is ranked" if hits.method == "task" else "by rank"
    code = "no code was ranked in time" if envelope.is_cut_short and not hits.hits else "no name has these words"
    code = f"{counted(len(routes), 'route')} and what is ranked by the words" if routes else code
    head = f"{short(request.text, 60)}: {code}; {counted(len(nodes), said)} {order}"
    text = TextAnswer(head, tuple(map(_row, nodes)), most=request.limit)
    contents = FindReply(total=len(nodes), matches=nodes)
    return Reply(envelope, contents, lambda: text, "matches", is_secondary=not hits.hits)


def _text(request: WhereRequest, found: SymbolMatches, nodes: tuple[NodeView, ...], routes: int) -> TextAnswer:
    foot = () if nodes else (_nothing(request),)
    if not request.text.strip():
        asked = ", ".join((*request.severities, *(request.kinds or (DIAGNOSTIC,))))
        return TextAnswer(f"{asked}: {found.total} in all", tuple(map(_row, nodes)), foot, most=request.limit)
    said = "symbols have most of these words" if found.partial else "symbol" if found.total == 1 else "symbols"
    before = f"{counted(routes, 'route')}, " if routes else ""
    return TextAnswer(
        f"{short(request.text, 60)}: {before}{found.total} {said}", tuple(map(_row, nodes)), foot, most=request.limit
    )


def _nothing(request: WhereRequest) -> str:
    if not request.text.strip():
        return "next: ask for another kind or severity, or without a folder"
    filters = " or without filters" if request.kinds or request.languages or request.under else ""
    return f"next: ask with other words{filters}; grep finds parts of local names, and comments"


def _row(node: NodeView) -> Row:
    doc = f" - {short(node.doc, 80)}" if node.doc else ""
    return Row(f"{one_line(node)}{doc}")


TOOL = ToolEntry(
    name="where",
    title="Find symbols",
    description="Where something is: names, parts of names, words or a question -> ranked symbols, one line each. Not "
    "for text in comments or strings (grep), nor for all uses of a symbol (change_plan).",
    queries=(Query(name="where", request=WhereRequest, contents=FindReply, run=find_symbols),),
    rank=0,
)
