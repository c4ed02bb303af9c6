"""Tool catalog: what a tool is.

Owns: the declaration of a tool, what its function is given.
Must not know: which tools there are, transports.
Invariant: every hint about a tool is set, none is left to a client's guess.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import attrs
from mcp_types import Tool, ToolAnnotations

from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.mcp.agent_session import AgentSession
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ToolRequest
from graphls.mcp.results import Quoted
from graphls.mcp.schemas import schema_of
from graphls.mcp.subjects import Subjects
from graphls.queries.answer import Answer
from graphls.queries.neighborhood import Direction
from graphls.queries.node_views import Presenter
from graphls.session.looking import FreshnessMode


@attrs.frozen
class ToolContext:
    """What a tool's function may use: one snapshot and what goes with it."""

    state: AgentSession
    snapshot: Snapshot
    subjects: Subjects
    things: Presenter

    def verified(self, place: SymbolRef, direction: Direction = "both", depth: int = 1) -> ToolContext:
        """The same request, answered from a snapshot in which the edges at a place are settled by the checker."""
        return self.with_snapshot(self.state.session.checker_service.near(self.snapshot, (place,), direction, depth))

    def with_snapshot(self, snapshot: Snapshot) -> ToolContext:
        """The same request, answered from this snapshot."""
        return ToolContext(self.state, snapshot, self.subjects, Presenter(snapshot))


@attrs.frozen(kw_only=True)
class ToolEntry:
    """One tool. The docstring of the request is for readers of the source; `description` is for agents."""

    name: str
    title: str
    description: str
    request: type[ToolRequest]
    contents: type[attrs.AttrsInstance]
    run: Callable[[ToolContext, Any], Reply]
    writes: bool = False
    idempotent: bool = True

    def declared(self) -> Tool:
        """The tool as clients see it."""
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=_slim(self.request.model_json_schema()),
            output_schema=schema_of(Quoted, Answer, self.contents),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=not self.writes,
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )


def context_of(state: AgentSession, freshness: FreshnessMode = "prefer-fresh", *, now: bool = False) -> ToolContext:
    """What a request is answered from."""
    snapshot = state.snapshot(freshness, now=now)
    return ToolContext(state, snapshot, Subjects(state.workspace, snapshot), Presenter(snapshot))


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles that repeat the names of fields, and without what is written for readers of the source."""
    made = {key: _slimmed(value) for key, value in schema.items() if key not in ("title", "description")}
    return {**made, "type": "object", "properties": made.get("properties", {})}


def _slimmed(value: Any) -> Any:
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {key: _slimmed(item) for key, item in entries.items() if key != "title" or not isinstance(item, str)}
    if isinstance(value, list):
        return [_slimmed(item) for item in cast("list[Any]", value)]
    return value
