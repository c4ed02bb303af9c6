"""Tool catalog: what a tool is, and which there are.

Owns: the declaration of a tool, what its function is given, finding the tools that lie in a folder.
Must not know: any particular tool, transports.
Invariant: every hint about a tool is set, none is left to a client's guess; tools stand in the order of their `rank`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

import attrs
from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.mcp.agent_session import AgentSession
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ToolRequest, refusal_words
from graphls.mcp.results import Quoted
from graphls.mcp.schemas import schema_of
from graphls.mcp.sent_blocks import SentBlocks
from graphls.mcp.subjects import Subjects
from graphls.queries.answer import Answer
from graphls.queries.neighborhood import Direction
from graphls.queries.node_views import Presenter
from graphls.session.disk_observer import FreshnessMode
from graphls.session.reported_problems import with_logs


@attrs.frozen
class ToolContext:
    """What a tool's function may use: one snapshot and what goes with it. `sent`: source that the agent has."""

    state: AgentSession
    snapshot: Snapshot
    subjects: Subjects
    things: Presenter
    sent: SentBlocks
    at: str = ""
    """The commit that the snapshot is of; else it is of the files."""

    def verified(self, place: SymbolRef | DerivedNode, direction: Direction = "both", depth: int = 1) -> ToolContext:
        """The same request, answered from a snapshot in which the edges at a place are settled by the checker. Nothing
        is to be settled at an entry of a document, or at a commit: a checker reads files as they are."""
        if self.at or isinstance(place, DerivedNode):
            return self
        return self.with_snapshot(self.state.session.checker_service.near(self.snapshot, (place,), direction, depth))

    def with_reported(self) -> ToolContext:
        """The same request, answered with what logs of other tools say; they say nothing of a commit."""
        if self.at:
            return self
        state = self.state
        return self.with_snapshot(with_logs(self.snapshot, state.workspace, state.settings, state.store))

    def with_snapshot(self, snapshot: Snapshot) -> ToolContext:
        """The same request, answered from this snapshot."""
        if snapshot is self.snapshot:
            return self
        return attrs.evolve(self, snapshot=snapshot, things=Presenter(snapshot))


@attrs.frozen(kw_only=True)
class Query:
    """One way to ask: arguments, what they are answered with, and the function that answers."""

    name: str
    request: type[ToolRequest]
    contents: type[attrs.AttrsInstance]
    run: Callable[[ToolContext, Any], Reply]
    whole: bool = False
    """Its answer is all or nothing: it takes as much work as it takes."""

    def read(self, arguments: dict[str, Any]) -> ToolRequest:
        """The arguments as a request. Raises BadRequest with words that name what is allowed."""
        try:
            return self.request.model_validate(arguments)
        except ValidationError as error:
            raise BadRequest(refusal_words(error, self.request)) from None

    def answer_schema(self) -> dict[str, Any]:
        """JSON Schema of the structured content."""
        return schema_of(Quoted, Answer, self.contents)


@attrs.frozen(kw_only=True)
class ToolEntry:
    """One tool. It has one query, or several that an argument chooses from."""

    name: str
    title: str
    description: str
    queries: tuple[Query, ...]
    rank: int
    chosen_by: str = ""
    """The argument that names the query, where there are several."""
    writes: bool = False

    def query(self, arguments: dict[str, Any]) -> tuple[Query, dict[str, Any]]:
        """The query that arguments ask for, and those that are its own. Raises BadRequest."""
        if not self.chosen_by:
            return self.queries[0], arguments
        wanted = arguments.get(self.chosen_by)
        query = next((query for query in self.queries if query.name == wanted), None)
        if query is None:
            names = ", ".join(query.name for query in self.queries)
            said = f"There is no {self.chosen_by} {str(wanted)[:100]!r}." if wanted else f"{self.chosen_by} is missing."
            raise BadRequest(f"{said} Use one of: {names}.")
        return query, {name: value for name, value in arguments.items() if name != self.chosen_by}

    def declared(self) -> Tool:
        """The tool as clients see it."""
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.input_schema(),
            annotations=hints(writes=self.writes),
        )

    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments; of several queries all fields, of which each takes some."""
        if not self.chosen_by:
            return input_schema(self.queries[0].request)
        properties: dict[str, Any] = {self.chosen_by: {"enum": [query.name for query in self.queries]}}
        defs: dict[str, Any] = {}
        for query in self.queries:
            schema = input_schema(query.request)
            defs.update(schema.get("$defs", {}))
            for name, shape in schema["properties"].items():
                known = properties.setdefault(name, dict(shape))
                if {**known, "default": 0} != {**shape, "default": 0}:
                    properties[name] = _common(known, shape)
        made = {"type": "object", "properties": properties, "required": [self.chosen_by]}
        return {**made, "additionalProperties": False, **({"$defs": defs} if defs else {})}


def tools_in(package: Any) -> tuple[ToolEntry, ...]:
    """The tools of a folder: a module is registered by lying there."""
    modules = [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    return tuple(sorted((cast("ToolEntry", module.TOOL) for module in modules), key=lambda tool: tool.rank))


def queries_in(package: Any) -> tuple[Query, ...]:
    """The queries of a folder, likewise."""
    modules = [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    return tuple(query for module in modules for query in cast("tuple[Query, ...]", module.QUERIES))


def context_of(
    state: AgentSession,
    freshness: FreshnessMode = "prefer-fresh",
    sent: SentBlocks | None = None,
    *,
    now: bool = False,
    at: str = "",
) -> ToolContext:
    """What a request is answered from: the files, or a commit."""
    snapshot = state.snapshot_at(at) if at else state.snapshot(freshness, now=now)
    subjects = Subjects(state.workspace, snapshot)
    return ToolContext(state, snapshot, subjects, Presenter(snapshot), sent or SentBlocks(), at)


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a request, without what repeats the names of fields or is for readers of the source."""
    schema = model.model_json_schema()
    made = {key: _slimmed(value) for key, value in schema.items() if key not in ("title", "description")}
    return {**made, "type": "object", "properties": made.get("properties", {})}


def _common(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What two queries say of a field of one name: the kind of value, and all words where both list some."""
    made = {key: value for key, value in one.items() if other.get(key) == value}
    if "enum" in one and "enum" in other:
        made["enum"] = [*dict.fromkeys([*one["enum"], *other["enum"]])]
    return made


def _slimmed(value: Any) -> Any:
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        if "anyOf" in entries:
            (shape,) = (inner for inner in entries.pop("anyOf") if inner.get("type") != "null")
            entries = {**entries, **shape}
        empty = {key for key, item in entries.items() if key == "default" and item in ("", [], 0, False, None)}
        words = {"type"} if "enum" in entries else set[str]()
        return {
            key: _slimmed(item)
            for key, item in entries.items()
            if (key not in _OMITTED or not isinstance(item, (str, int, float))) and key not in empty | words
        }
    if isinstance(value, list):
        return [_slimmed(item) for item in cast("list[Any]", value)]
    return value


_OMITTED = frozenset({
    "title", "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minimum", "maximum",
})  # fmt: skip
"""Names said twice, and bounds that nobody meets by chance: a refusal names them."""


def hints(*, writes: bool) -> ToolAnnotations:
    """What a client may rely on before it asks. That a repeated call changes nothing more means something only of what
    writes."""
    return ToolAnnotations(
        read_only_hint=not writes,
        destructive_hint=False,
        idempotent_hint=True if writes else None,
        open_world_hint=False,
    )
