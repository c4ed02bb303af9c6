"""Agent workspace: a server for agents over files in a folder, asked by the SDK's own client.

Owns: writing files, starting the server in this process, reading answers.
Must not know: any particular tool.
Invariant: an answer is what a client may rely on: text alone, or structured content alone that fits its schema.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import jsonschema
from mcp import Client

from fixture_text import Fixture
from graphls.mcp.agent_session import AgentSession, SessionStart
from graphls.mcp.paging import MAX_BYTES
from graphls.mcp.profiles import TOOLS, Profile
from graphls.mcp.server import AgentServer
from graphls.settings import Settings
from graphls.settings.tree import ServerSettings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

MODES = ("auto", "legacy")
UNHURRIED = Settings(server=ServerSettings(request_ms=120_000))
"""Who shares two cores with other tests must not be given a part of an answer."""
SCHEMAS: Mapping[str, Any] = {query.name: query.answer_schema() for tool in TOOLS for query in tool.queries}


@cache
def _validator(query: str) -> jsonschema.Draft202012Validator:
    """Its schema is checked once: that takes longer than most answers."""
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[query])  # pyright: ignore[reportUnknownMemberType]
    return jsonschema.Draft202012Validator(SCHEMAS[query])


@attrs.frozen(eq=False)
class Agent:
    """A client, and what the server declared."""

    client: Client
    state: AgentSession
    max_bytes: int

    async def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The answer of a tool that must succeed, as records."""
        result = await self.client.call_tool(tool, {**arguments, "format": "json"})
        assert not result.is_error, result.content
        assert result.content == []
        assert len(json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))) <= self.max_bytes
        assert result.structured_content["next"]["reason"]
        _validator(str(arguments.get("query", tool))).validate(result.structured_content)  # pyright: ignore[reportUnknownMemberType]
        return dict(result.structured_content)

    async def say(self, tool: str, **arguments: object) -> str:
        """The answer of a tool that must succeed, as text."""
        result = await self.client.call_tool(tool, arguments)
        (held,) = result.content
        text = str(held.text)  # pyright: ignore
        assert not result.is_error, text
        assert result.structured_content is None
        assert tool == "context" or len(text.encode()) <= self.max_bytes
        return text

    async def refused(self, tool: str, **arguments: object) -> str:
        """The words of a tool that must refuse."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return str(result.content[0].text)  # pyright: ignore

    async def pages(self, tool: str, name: str, **arguments: object) -> list[Any]:
        """A list over all its pages."""
        found: list[Any] = []
        cursor = ""
        while True:
            answer = await self.ask(tool, **arguments, **({"cursor": cursor} if cursor else {}))
            assert answer[name] or not cursor
            found += answer[name]
            cursor = answer["cursor"]
            if not cursor:
                return found


@asynccontextmanager
async def agent_over(
    folder: Path,
    files: Fixture | None = None,
    *,
    mode: str = "auto",
    writes: bool = False,
    max_bytes: int = MAX_BYTES,
    profile: Profile = "full",
) -> AsyncIterator[Agent]:
    """A client of a server over a folder."""
    if files is not None:
        files.write(folder)
    store = BlobStore(StoreOptions(str(folder.parent / "cache")))
    state = AgentSession(SessionStart(Workspace.of([str(folder)]), UNHURRIED, store, patience=60))
    server = AgentServer(state, writes=writes, max_bytes=max_bytes, profile=profile).made()
    async with state.running(), Client(server, mode=mode) as client:  # pyright: ignore
        yield Agent(client, state, max_bytes)
    store.close()
