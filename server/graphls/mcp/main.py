"""Main: the server for agents put together.

Owns: what a start asks for, whether an editor's server is joined, the exit code.
Must not know: tools, how the workspace was found.
Invariant: the client can talk at once; the workspace is read meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from graphls.mcp.handshake import Hello
from graphls.mcp.proxy import AgentOutput, PendingMessages, StdinLines, joined, relay

# A relay starts quickly because it does without the libraries of the protocol and without a session.
if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from graphls.mcp.agent_session import AgentSession, Reread
    from graphls.mcp.profiles import Profile
    from graphls.settings import Settings
    from graphls.sources.workspace import Workspace
    from graphls.store.blobs import BlobStore


@attrs.frozen(kw_only=True)
class Start:
    """How the server is started. Without `port` it speaks on the standard streams."""

    workspace: Workspace
    settings: Settings
    store: BlobStore | None
    problems: tuple[str, ...]
    wait: float
    verify: bool
    writes: bool
    max_bytes: int
    profile: Profile
    join: bool
    """Have the language server that has this workspace open answer, where there is one."""
    port: int | None = None
    token: str = ""
    announce: Callable[[str], None] = lambda address: None
    reread: Reread | None = None


def serve(start: Start) -> int:
    """Serves until the client leaves. The exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="graphls: %(message)s", force=True)
    if start.port is None and start.join and asyncio.run(_joined(start)):
        return 0
    from graphls.mcp.transports import Http, run_http, run_stdio

    state, server = _own(start)
    if start.port is None:
        run_stdio(state, server)
    else:
        run_http(state, server, Http(start.port, start.token, announce=start.announce))
    return 0


async def _joined(start: Start) -> bool:
    """Lets an editor's server answer, and a server of its own once that one is gone; False if there is none."""
    hello = Hello(writes=start.writes, max_bytes=start.max_bytes, wait=start.wait, profile=start.profile)
    folders = start.workspace.folders
    connection = await joined(folders[0].root, hello) if len(folders) == 1 else None
    if connection is None:
        return False
    lines, pending = StdinLines(), PendingMessages()
    if not await relay(connection, lines, pending):
        sys.stderr.write("graphls: the editor's server is gone; the workspace is read anew\n")
        await _alone(start, lines, pending)
    return True


async def _alone(start: Start, lines: StdinLines, pending: PendingMessages) -> None:
    from graphls.mcp.transports import serve_lines

    state, server = _own(start)
    lines.ahead(pending.replay())
    async with state.running():
        await serve_lines(server, lines, AgentOutput(pending))


def _own(start: Start) -> tuple[AgentSession, Server[Any]]:
    from graphls.mcp.agent_session import AgentSession, SessionStart
    from graphls.mcp.server import AgentServer
    from graphls.session.process.foreground import take_short_turns

    take_short_turns()
    opening = SessionStart(
        start.workspace, start.settings, start.store, start.problems, start.wait, start.verify, start.reread
    )
    state = AgentSession(opening)
    return state, AgentServer(state, writes=start.writes, max_bytes=start.max_bytes, profile=start.profile).made()
