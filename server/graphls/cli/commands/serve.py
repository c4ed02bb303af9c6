"""Serve: the language server.

Owns: arguments of `graphls serve`.
Must not know: the protocol, how the server is made.
Invariant: on the standard streams, nothing but the protocol is written to standard output.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import switches
from graphls.cli.switches import ServeRequest
from graphls.cli.tokens import ClientToken, TokenFile, token_of

TOKEN = "GRAPHLS_LSP_TOKEN"


COMMAND = CommandEntry(
    help="Speak the language server protocol with an editor.",
    rank=10,
    synonyms=("lsp", "server", "start"),
)


def run(
    ctx: typer.Context,
    *,
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak on the standard streams; this is the default.")] = False,
    tcp: Annotated[
        int | None, typer.Option("--tcp", metavar="PORT", min=0, max=65535, help="Listen on a port; 0 picks one.")
    ] = None,
    ws: Annotated[
        int | None,
        typer.Option("--ws", metavar="PORT", min=0, max=65535, help="Listen for a WebSocket; 0 picks a port."),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; this machine only.")] = "127.0.0.1",
    token_file: TokenFile = "",
    allow_programs: Annotated[
        bool, typer.Option("--allow-programs", help="Let the settings of a client on a port name programs.")
    ] = False,
    agents: Annotated[
        bool, typer.Option("--agents/--no-agents", help="Let graphls mcp on this machine ask this server.")
    ] = True,
) -> None:
    if sum((stdio, tcp is not None, ws is not None)) > 1:
        raise UsageError("Choose one of --stdio, --tcp and --ws.")
    serve = switches(ctx).faces.serve
    if serve is None:
        raise UsageError("This program has no language server. Start it as graphls serve.")
    listens = tcp is not None or ws is not None
    token = token_of(TOKEN, token_file) if listens else ClientToken()
    request = ServeRequest(
        tcp=tcp,
        ws=ws,
        host=host,
        token=token.text,
        notice=token.notice,
        programs=allow_programs,
        trusted=switches(ctx).trusted,
        agents=agents,
    )
    raise typer.Exit(serve(request))
