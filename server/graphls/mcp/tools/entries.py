"""Entries: what stands behind a route, a tool, a command or a job.

Owns: entry_context.
Must not know: frameworks, how entries are followed.
Invariant: a name with several meanings is refused with its candidates.
"""

from __future__ import annotations

from graphls.mcp.paging import Reply
from graphls.mcp.requests import EntryContext
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import answer
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_view import EntryView, entry_view


def about_entry(context: ToolContext, request: EntryContext) -> Reply:
    """One entry with what it needs and its tests."""
    found = entry(context.snapshot, find_entry(context.snapshot, request.name), request.depth, request.limit)
    for handler in found.handlers:
        context = context.verified(handler)
    found = entry(context.snapshot, found.entry, request.depth, request.limit)
    contents = entry_view(context.things, found)
    return Reply(answer(context.snapshot, found.coverage, listed=request.unresolved), contents, "needs")


TOOLS = (
    ToolEntry(
        name="entry_context",
        title="A route, tool, command or job",
        description="What stands behind one way into the program: its handlers, what they need step by step, the tests "
        "that reach them. Name a route as GET /items, or by its path; a tool, command or job by its name. graph_find "
        "with kinds route or tool lists them.",
        request=EntryContext,
        contents=EntryView,
        run=about_entry,
    ),
)
