"""Entries: every route, tool, command and job, with what handles it.

Owns: entries.
Must not know: frameworks, how entries are found.
Invariant: by file and position; an entry that nothing known handles is listed too and says so.
"""

from __future__ import annotations

from typing import Annotated

import attrs
from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer, folded
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import described, name_from
from graphls.queries.answer import answer
from graphls.queries.entry_list import entry_list
from graphls.queries.node_views import NodeView

_MOST_NAMED = 3


class EntriesRequest(CommitRequest):
    scope: Scope = ""
    limit: Annotated[int, Field(ge=1, le=1_000)] = 200


@attrs.frozen(kw_only=True)
class HandledEntry:
    """A route, tool, command or job, and the functions and classes that it runs. `inline`: its handler has no name and
    calls these."""

    entry: NodeView
    handlers: tuple[NodeView, ...]
    inline: bool


@attrs.frozen(kw_only=True)
class EntriesReply:
    """By file and position, without those of tests."""

    entries: tuple[HandledEntry, ...]


def all_entries(context: ToolContext, request: EntriesRequest) -> Reply:
    """What a program is entered by."""
    found = entry_list(context.snapshot, context.subjects.scope(request.scope), request.limit)
    node = context.things.node
    entries = tuple(
        HandledEntry(entry=node(one.entry), handlers=tuple(map(node, one.handlers)), inline=one.inline)
        for one in found.entries
    )

    def text() -> TextAnswer:
        head = f"{len(entries) + found.coverage.omitted:,} routes, tools, commands and jobs"
        return TextAnswer(head, folded(map(_row, entries)))

    return Reply(answer(context.snapshot, found.coverage), EntriesReply(entries=entries), text, "entries")


def _row(one: HandledEntry) -> Row:
    names = [name_from(each, one.entry) for each in one.handlers]
    handlers = ", ".join(names[:_MOST_NAMED]) or "no handler known"
    if len(names) > _MOST_NAMED:
        handlers += f" and {len(names) - _MOST_NAMED} more"
    if one.inline:
        handlers = f"a function there, which calls {handlers}"
    return Row(f"{one.entry.line or ''}  {described(one.entry)}  -> {handlers}", (one.entry.file or "", ""))


QUERIES = (Query(name="entries", request=EntriesRequest, contents=EntriesReply, run=all_entries),)
