"""Entries: what stands behind a route, a tool, a command or a job.

Owns: entry_context.
Must not know: frameworks, how entries are followed.
Invariant: a name with several meanings is refused with its candidates.
"""

from __future__ import annotations

from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import EntryContext
from graphls.queries.answer import answer
from graphls.queries.entry import entry, entry_named
from graphls.queries.entry_shown import Entry, entry_shown


def about_entry(asked: Asked, request: EntryContext) -> Reply:
    """One entry with what it needs and its tests."""
    found = entry(asked.snapshot, entry_named(asked.snapshot, request.name), request.depth, request.limit)
    for handler in found.handlers:
        asked = asked.settled(handler)
    found = entry(asked.snapshot, found.entry, request.depth, request.limit)
    contents = entry_shown(asked.things, found)
    return Reply(answer(asked.snapshot, found.coverage, listed=request.unresolved), contents, "needs")


TOOLS = (
    ToolEntry(
        name="entry_context",
        title="A route, tool, command or job",
        description="What stands behind one way into the program: its handlers, what they need step by step, the tests "
        "that reach them. Name a route as GET /items, or by its path; a tool, command or job by its name. graph_find "
        "with kinds route or tool lists them.",
        request=EntryContext,
        contents=Entry,
        run=about_entry,
    ),
)
