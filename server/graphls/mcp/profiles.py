"""Profiles: which tools a client is offered.

Owns: the full list, and the one tool of the minimal profile with a request for each of the others.
Must not know: what a tool answers, transports.
Invariant: every profile asks the same queries; the one tool's schema is short, since a refusal names what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from mcp_types import Tool

from graphls.graph.errors import BadRequest
from graphls.mcp import tools
from graphls.mcp.requests import PagedRequest
from graphls.mcp.tool_catalog import Query, ToolEntry, hints, input_schema, tools_in

Profile = Literal["full", "minimal"]
TOOLS: Final = tools_in(tools)
_ONE: Final = "graphls"
_COMMON: Final = frozenset(PagedRequest.model_fields)
_SHORT: Final = (
    "A live code graph. where: find symbols by name or words. understand: one symbol. change_plan: before a signature "
    "change, rename, move, delete: all lines to edit; also all uses. changes: what edits broke or proposed code would. "
    "context: code for a task. map: the repository. graph: raw. symbol: name, module:Class.method, path:LINE."
)


class ToolSet:
    """The tools of one server."""

    def __init__(self, profile: Profile = "full", *, writes: bool = False) -> None:
        self._tools: Mapping[str, ToolEntry] = {tool.name: tool for tool in TOOLS if writes or not tool.writes}
        self._minimal = profile == "minimal"
        self.declared: list[Tool] = (
            [_union(self._tools.values(), writes=writes)]
            if self._minimal
            else [tool.declared() for tool in self._tools.values()]
        )

    @property
    def names(self) -> list[str]:
        """What a client may call."""
        return [tool.name for tool in self.declared]

    def query(self, name: str, arguments: Mapping[str, Any]) -> tuple[Query, dict[str, Any]] | None:
        """What a call asks, with its own arguments; None for a tool that there is not. Raises BadRequest."""
        if name not in self.names:
            return None
        if not self._minimal:
            return self._tools[name].query(dict(arguments))
        return self._query(arguments)

    def _query(self, arguments: Mapping[str, Any]) -> tuple[Query, dict[str, Any]]:
        request = arguments.get("request")
        fields: dict[str, Any] = {**request} if isinstance(request, dict) else {}
        others = sorted(arguments.keys() - _COMMON - {"request"})
        wanted = fields.pop("ask", None)
        if others or wanted not in self._tools:
            said = f"{others[0]!r} is no argument." if others else f"There is no request {str(wanted)[:100]!r}."
            asks = ", ".join(self._tools)
            raise BadRequest(
                f"{said} Allowed: request (an object whose ask is one of {asks}, with its fields), "
                f"{', '.join(sorted(_COMMON))}."
            )
        common = {name: value for name, value in arguments.items() if name in _COMMON}
        return self._tools[wanted].query({**fields, **common})


def _union(tools: Any, *, writes: bool) -> Tool:
    """One tool with a typed union of requests."""
    members = [_member(tool) for tool in tools]
    common = input_schema(PagedRequest)["properties"]
    schema = {
        "type": "object",
        "properties": {"request": {"oneOf": members}, **{name: _bare(shape) for name, shape in common.items()}},
        "required": ["request"],
        "additionalProperties": False,
    }
    return Tool(
        name=_ONE,
        title="Code graph",
        description=_SHORT,
        input_schema=schema,
        annotations=hints(writes=writes),
    )


def _member(tool: ToolEntry) -> dict[str, Any]:
    """A request without what nearly nobody sets; a refusal names these fields."""
    schema = tool.input_schema()
    needed = ["ask", *schema.get("required", ())]
    shown = {
        name: _bare(shape)
        for name, shape in schema["properties"].items()
        if name not in _COMMON and (name in needed or name in _USUAL)
    }
    return {"type": "object", "properties": {"ask": {"const": tool.name}, **shown}, "required": needed}


_USUAL: Final = frozenset(
    {
        "symbol", "change", "kinds", "source", "changes", "base", "proposed", "task", "files", "symbols", "budget",
        "scope", "target", "direction", "depth", "name", "before", "after",
    }
)  # fmt: skip


def _bare(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Type and words of a field."""
    if "anyOf" in shape:
        return _bare(next(inner for inner in shape["anyOf"] if inner.get("type") != "null"))
    made = {key: value for key, value in shape.items() if key in ("type", "enum", "const")}
    if "items" in shape:
        made["items"] = _bare(shape["items"])
    if "enum" in made:
        made.pop("type", None)
    return made
