"""Graph: the tool for raw questions about the graph.

Owns: graph.
Must not know: the queries, which lie in `graph_queries`.
Invariant: every query of that folder can be asked here.
"""

from __future__ import annotations

from graphls.mcp import graph_queries
from graphls.mcp.tool_catalog import ToolEntry, queries_in

TOOL = ToolEntry(
    name="graph",
    title="Raw graph queries",
    description="For what the other tools do not answer. neighbors (symbol), trace (symbol to target), impact (symbol: "
    "all that depends on it, by distance), diff (commit before, after), entry (what is behind a route, tool or "
    "command), entries (all), findings (architecture rules), explain (why a pack holds its items), tour "
    "(what to read first), similar (like a symbol or new code), risk (git history). findings, similar take "
    "proposed or patch.",
    queries=queries_in(graph_queries),
    rank=6,
    chosen_by="query",
)
