"""Write: the tool that changes something, offered only when the server was started so.

Owns: write.
Must not know: the queries, which lie in `write_queries`.
Invariant: nothing of the workspace is written.
"""

from __future__ import annotations

from graphls.mcp import write_queries
from graphls.mcp.tool_catalog import ToolEntry, queries_in

TOOL = ToolEntry(
    name="write",
    title="Feedback and reading again",
    description="feedback (node, useful): whether an item of a context was useful for its task, kept on this machine. "
    "reindex (paths): reads files again; seldom needed, the server watches the disk.",
    queries=queries_in(write_queries),
    rank=7,
    chosen_by="query",
    writes=True,
)
