"""Main: the language server put together.

Owns: what initialize opens, what is announced.
Must not know: how any request is answered.
Invariant: a service that is switched off is neither advertised nor answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, Protocol

import attrs
from lsprotocol import types
from pygls import uris

from graphls import __version__
from graphls.graph.records import SCHEMA_VERSION
from graphls.lsp.announcements import Announcer
from graphls.lsp.file_watching import GLOBS, watch_folders
from graphls.lsp.from_proto import table
from graphls.lsp.handlers import handler_modules
from graphls.lsp.handlers.notebook_sync import SYNC as NOTEBOOKS
from graphls.lsp.protocol import (
    Declaration,
    GraphlsServer,
    Listening,
    NotificationContext,
    leave,
    log_to_stderr,
    notification,
    serve_stdio,
    serve_tcp,
    serve_websocket,
)
from graphls.lsp.server_session import ServerSession
from graphls.lsp.services import methods_of
from graphls.session.process.foreground import take_short_turns
from graphls.session.session import IndexProgress

Server = GraphlsServer[ServerSession]


@attrs.frozen
class Transport:
    """How the client is reached."""

    kind: Literal["stdio", "tcp", "websocket"] = "stdio"
    listening: Listening | None = None
    """Where, for other kinds than `stdio`."""
    programs: bool = False
    """Let a client over a network name programs, and a folder for the cache, as one on the standard streams may."""
    trusted: bool = False
    """The user trusts the workspaces that the client opens."""


class Companion(Protocol):
    """What lives as long as the connection."""

    def start(self) -> None: ...
    def close(self) -> None: ...


CompanionFactory = Callable[[ServerSession], Companion]


def serve(
    transport: Transport | None = None, *, level: int = logging.WARNING, companion: CompanionFactory | None = None
) -> int:
    """Serve one client. The exit code. `beside`: what else is to answer from the same session."""
    transport = transport or Transport()
    log_to_stderr(level)
    take_short_turns()
    place = transport.listening
    server = make_server(companion, programs=place is None or transport.programs, trusted=transport.trusted)
    if place is None:
        return serve_stdio(server)
    return serve_tcp(server, place) if transport.kind == "tcp" else serve_websocket(server, place)


def features() -> tuple[Declaration, ...]:
    """Everything that is answered, apart from what belongs to the start."""
    declared: list[Declaration] = []
    for module in handler_modules():
        declared.extend(module.FEATURES)
    return tuple(declared)


def make_server(companion: CompanionFactory | None = None, *, programs: bool = True, trusted: bool = False) -> Server:
    """A server that waits for initialize. `programs`: whether the client's settings may name any. `trusted`: whether
    those of the workspace may."""
    server: Server = GraphlsServer("graphls", __version__, partial(_open, programs, trusted), NOTEBOOKS)
    server.experimental.update({"version": __version__, "schemaVersion": SCHEMA_VERSION})
    server.add(*features(), _initialized(server, companion))
    return server


def _open(programs: bool, trusted: bool, server: Server, params: types.InitializeParams) -> ServerSession:
    server.log_to_client(logging.WARNING)
    client = table(params.initialization_options)
    state = ServerSession(_folders(params), client, server.protocol.is_busy, programs=programs, trusted=trusted)
    state.run_on_loop = server.run_on_loop
    state.give_way = server.protocol.give_way
    server.disable(*methods_of(state.settings.disabled_services))
    return state


def _folders(params: types.InitializeParams) -> Sequence[str]:
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    made = uris.from_fs_path(params.root_path) if params.root_path else None
    return [made] if made else []


def _pull(server: Server, state: ServerSession) -> None:
    scopes = state.folders if len(state.folders) > 1 else ()

    def arrived(sections: Sequence[object]) -> None:
        general, *scoped = [table(section) for section in sections] or [{}]
        state.pulled(general, dict(zip(scopes, scoped, strict=False)))

    server.pull_configuration("graphls", arrived, scopes)


class _Startup:
    """Once all is linked, and so mostly before somebody asks an own method: gets its messages ready, in a thread that
    nobody waits for."""

    def __init__(self, server: Server, state: ServerSession) -> None:
        self._server = server
        self._state = state
        self._done = False

    def __call__(self, progress: IndexProgress) -> None:
        if progress.stage == "complete" and not self._done:
            self._done = True
            self._server.protocol.scheduler.submit_background(self._prepare)

    def _prepare(self) -> None:
        self._server.protocol.conversion.prepare(self._state.session.foreground.pause_for_requests)


def _initialized(server: Server, companion: CompanionFactory | None) -> Declaration:
    tasks: set[asyncio.Task[None]] = set()

    @notification(types.INITIALIZED)
    def begin(context: NotificationContext[ServerSession], params: types.InitializedParams) -> None:
        state = context.session
        Announcer(server, state).start()
        state.on_progress(_Startup(server, state))
        state.pull_settings = lambda: _pull(server, state)
        state.pull_settings()
        if companion is not None:
            started = companion(state)
            started.start()
            state.on_close(started.close)
        alone = not server.watch_files(GLOBS)
        task = asyncio.get_running_loop().create_task(watch_folders(state, alone=alone))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return begin


if __name__ == "__main__":
    leave(serve())
