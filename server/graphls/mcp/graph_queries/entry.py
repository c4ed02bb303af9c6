"""Entry: what stands behind a route, a tool, a command or a job.

Owns: entry.
Must not know: frameworks, how entries are followed.
Invariant: a name with several meanings is refused with its candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from graphls.mcp.graph_kinds import only_unresolved
from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Words
from graphls.mcp.text_form import Row, TextAnswer, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, headline, one_line, short
from graphls.queries.answer import answer
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_view import EntryView, entry_view

_RUNNING = ("callable", "method", "type", "table")
"""Kinds of what is worth a line of text: fields are in these."""


class EntryRequest(CommitRequest):
    name: Annotated[str, Field(min_length=1, max_length=1_000, description="entry: GET /items, /items, a tool or id")]
    depth: Annotated[int, Field(ge=1, le=6, description="steps")] = 2
    kinds: Annotated[Words, Field(description="unresolved lists open uses")] = ()
    limit: Annotated[int, Field(ge=1, le=1_000)] = 100


def about_entry(context: ToolContext, request: EntryRequest) -> Reply:
    """One entry with what it needs and its tests."""
    listed = only_unresolved(request.kinds)
    found = entry(context.snapshot, find_entry(context.snapshot, request.name), request.depth, request.limit)
    for handler in found.handlers:
        context = context.verified(handler)
    found = entry(context.snapshot, found.entry, request.depth, request.limit)
    envelope = answer(context.snapshot, found.coverage, listed=listed)
    view = entry_view(context.things, found)

    def text() -> TextAnswer:
        tested = f", {counted(len(view.tests), 'test')}" if view.tests else ""
        head = (
            f"{headline(view.entry)}: {counted(len(view.handlers), 'handler')}, needs "
            f"{counted(len(view.needs), 'symbol')}{tested}"
        )
        return TextAnswer(head, (*_rows(view), *open_rows(envelope.unresolved, "unresolved, may belong here:")))

    return Reply(envelope, view, text, "needs")


def _rows(view: EntryView) -> Iterator[Row]:
    heading = "handled by a function there, which calls:" if view.inline else "handled by:"
    yield from (Row(one_line(node), (heading,)) for node in view.handlers)
    if view.description:
        yield Row(f"says: {short(view.description, 200)}")
    for given in view.inputs:
        yield Row(f"{short(given.declared, 100)}{'' if given.required else '  (optional)'}", ("inputs:",))
    if view.response_types:
        yield Row(f"answers with {', '.join(view.response_types)}: {short(', '.join(view.response_fields), 300)}")
    if view.response_keys:
        more = " and maybe others" if view.more_keys else ""
        yield Row(f"answers with the keys {short(', '.join(view.response_keys), 300)}{more}")
    for error in view.errors:
        yield Row(f"{error.status}: {', '.join(error.keys)}  {error.at}", ("errors:",))
    for one in view.middleware:
        yield Row(f"{one.at}  {one.symbol or one.name}  ({one.how}{' ' * bool(one.path)}{one.path})", ("runs before:",))
    if view.middleware_gap:
        yield Row(f"not known: {view.middleware_gap}")
    for consumer in view.consumers:
        yield Row(f"{consumer.at}  {consumer.symbol}{'  (test)' if consumer.test else ''}", ("asked for by:",))
    for missing in view.mismatches:
        yield Row(f"{missing.at}  {missing.key}  {missing.symbol}", ("read from the answer, and never answered:",))
    running = [one for one in view.needs if one.node.file and one.node.kind in _RUNNING]
    for one in running:
        yield Row(f"{one_line(one.node)}  <- {one.via}", (f"needs, {counted(one.depth, 'step')} away:",))
    if others := len(view.needs) - len(running):
        yield Row(f"and {counted(others, 'field, value or thing')} outside: format json")
    yield from (Row(f"{one.node.at}  {one.node.symbol}", ("tests:",)) for one in view.tests)


QUERIES = (Query(name="entry", request=EntryRequest, contents=EntryView, run=about_entry),)
