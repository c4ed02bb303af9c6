"""Resources: what agents may read without a question.

Owns: which resources there are, their contents as JSON.
Must not know: transports, how anything is counted.
Invariant: status and snapshot are answered at once, whatever else runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp_types import ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from graphls.graph.control_escapes import escape_controls
from graphls.graph.records import SCHEMA_VERSION
from graphls.graph.schema import json_schema
from graphls.mcp.agent_session import AgentSession
from graphls.mcp.paging import lists_of
from graphls.mcp.profiles import TOOLS
from graphls.mcp.results import CheckerReply, IndexReply, Quoted, StatusReply
from graphls.mcp.schemas import plain
from graphls.mcp.tool_catalog import Query, context_of
from graphls.queries.answer import answer
from graphls.queries.status import status
from graphls.queries.summary import summary

Reader = Callable[[AgentSession], Mapping[str, Any]]
_MOMENT = 2_000
_PROGRAM = 3_600_000
_MOST_LISTED = 500


def status_reply(state: AgentSession) -> StatusReply:
    """What the graph holds now."""
    progress, session = state.session.progress, state.session
    noted = session.server_limits.problems(session.problems)
    problems = (*state.problems, *(f"{name}: {text}" for name, text in sorted(noted.items())))
    snapshot = state.snapshot(now=True)
    return StatusReply(
        workspace=state.workspace.name,
        answered_by="editor" if state.attached else "own",
        status=status(snapshot),
        progress=IndexReply(stage=progress.stage, done=progress.done, total=progress.total),
        checkers=tuple(
            CheckerReply(name=one.name, version=one.version, state=one.state.value, problem=one.problem)
            for one in session.checker_service.status(snapshot)
        ),
        problems=problems,
    )


def _summary(state: AgentSession) -> Mapping[str, Any]:
    context = context_of(state)
    return {**plain(answer(context.snapshot)), "summary": plain(summary(context.snapshot))}


def _schema(state: AgentSession) -> Mapping[str, Any]:
    return {"version": SCHEMA_VERSION, "schema": json_schema()}


def _packages(state: AgentSession) -> Mapping[str, Any]:
    snapshot = context_of(state).snapshot
    counts: dict[str, int] = {}
    for path in snapshot.files():
        name = snapshot.package_of(path)
        counts[name] = counts.get(name, 0) + 1
    folders = {name: folder or "." for folder, name in sorted(snapshot.packages.items(), reverse=True)}
    listed = [{"name": name, "folder": folders.get(name, "."), "files": counts[name]} for name in sorted(counts)]
    return {**plain(answer(snapshot)), "total": len(listed), "packages": listed[:_MOST_LISTED]}


def _status(state: AgentSession) -> Mapping[str, Any]:
    snapshot = state.snapshot(now=True)
    return {**plain(answer(snapshot)), **plain(status_reply(state))}


def _snapshot(state: AgentSession) -> Mapping[str, Any]:
    snapshot = state.snapshot(now=True)
    dirty = [path for path, shard in snapshot.shards.items() if shard.dirty]
    return {**plain(answer(snapshot)), "schema_version": SCHEMA_VERSION, "files": len(snapshot.shards), "dirty": dirty}


_ENTRIES: Final[tuple[tuple[str, str, str, Reader, int], ...]] = (
    (
        "graphls://summary",
        "summary",
        "Counts, entry points, public names and shape of the workspace.",
        _summary,
        _MOMENT,
    ),
    ("graphls://schema", "schema", "JSON Schema of the records of the graph.", _schema, _PROGRAM),
    ("graphls://packages", "packages", "Packages of the workspace with their folders.", _packages, _MOMENT),
    ("graphls://status", "status", "What the graph holds, what is pending, what was left out and why.", _status, 0),
    ("graphls://snapshot", "snapshot", "The current snapshot: id, revision, freshness.", _snapshot, 0),
)
DECLARED: Final = tuple(
    Resource(uri=uri, name=name, title=name.capitalize(), description=text, mime_type="application/json")
    for uri, name, text, _, _ in _ENTRIES
)
_ANSWERS: Final = "graphls://answers/"
_QUERIES: Final[Mapping[str, Query]] = {query.name: query for tool in TOOLS for query in tool.queries}
TEMPLATES: Final = (
    ResourceTemplate(
        uri_template=f"{_ANSWERS}{{query}}",
        name="answers",
        title="Answers",
        description="JSON Schema of what a tool, or a query of graph, gives with format json.",
        mime_type="application/json",
    ),
)
READERS: Final[Mapping[str, tuple[str, Reader, int]]] = {uri: (uri, reader, ttl) for uri, _, _, reader, ttl in _ENTRIES}


def reader_of(uri: str) -> tuple[str, Reader, int] | None:
    """The reader of a resource; None where there is none."""
    query = _QUERIES.get(uri.removeprefix(_ANSWERS)) if uri.startswith(_ANSWERS) else None
    if query is not None:
        return uri, lambda state: query.answer_schema(), _PROGRAM
    return READERS.get(uri)


def read(entry: tuple[str, Reader, int], state: AgentSession, max_bytes: int) -> ReadResourceResult:
    """The contents of a resource."""
    uri, reader, ttl = entry
    made = {**plain(Quoted()), **reader(state)}
    text = _dumped(made)
    while not uri.startswith(_ANSWERS) and len(text.encode("utf-8", "replace")) > max_bytes and _cut(made):
        text = _dumped(made)
    contents = TextResourceContents(uri=uri, mime_type="application/json", text=text)
    return ReadResourceResult(contents=[contents], ttl_ms=ttl, cache_scope="private")


def _cut(made: dict[str, Any]) -> bool:
    """Half of the longest list, said so; the schema has none and stays whole."""
    lists = {key: items for key, items in lists_of(made).items() if len(items) > 1}
    if not lists:
        return False
    key = max(lists, key=lambda name: len(lists[name]))
    made["truncated"], made["complete"] = True, False
    made[key] = lists[key][: len(lists[key]) // 2]
    return True


def _dumped(value: object) -> str:
    return escape_controls(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
