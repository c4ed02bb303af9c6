"""MCP: the server for agents, and how agents are told of it.

Owns: arguments of `graphls mcp`, which variable holds the token of a server on HTTP.
Must not know: the protocol, how the server is made.
Invariant: on the standard streams nothing but the protocol is written to standard output; `install` writes no file.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from graphls.cli.agents import AGENTS, start_words
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import chosen_settings, located, opened_store, switches
from graphls.cli.options import Root
from graphls.cli.rendering.words import visible
from graphls.cli.switches import McpRequest
from graphls.cli.tokens import ClientToken, TokenFile, token_of

TOKEN = "GRAPHLS_MCP_TOKEN"


class AgentAction(StrEnum):
    """What to do."""

    SERVE = "serve"
    INSTALL = "install"


class OfferedTools(StrEnum):
    """Which tools a client is offered."""

    FULL = "full"
    MINIMAL = "minimal"


COMMAND = CommandEntry(help="Speak the model context protocol with an agent.", rank=30)


def run(
    ctx: typer.Context,
    action: Annotated[
        AgentAction, typer.Argument(help="serve, or print what agents are to be told.")
    ] = AgentAction.SERVE,
    *,
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="With install: for this agent only.")] = "",
    http: Annotated[
        int | None,
        typer.Option("--http", metavar="PORT", min=0, max=65535, help="Listen on a port of this machine; 0 picks one."),
    ] = None,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Offer the tools that change something: feedback, reindex.")
    ] = False,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", min=4_000, max=10_000_000, help="The longest answer.")
    ] = 25_000,
    tools: Annotated[
        OfferedTools | None,
        typer.Option("--tools", help="Offer every tool, or one that takes their requests; else as settings say."),
    ] = None,
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0,
            max=600,
            help="How long a question waits for files to be read and linked.",
        ),
    ] = 10.0,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Have the checker settle what answers rest on.")
    ] = True,
    join: Annotated[
        bool,
        typer.Option("--join/--no-join", help="Let a language server that has the workspace open answer."),
    ] = True,
    token_file: TokenFile = "",
    root: Root = ".",
) -> None:
    place = located(ctx, root)
    if action is AgentAction.INSTALL:
        _install(place.root, agent, writes=allow_writes)
        return
    serve = switches(ctx).faces.mcp
    if serve is None:
        raise UsageError("This program has no server for agents. Start it as graphls mcp.")
    for problem in place.problems:
        sys.stderr.write(f"graphls: warning: {visible(problem)}\n")
    store = opened_store(ctx, place.settings)
    token = token_of(TOKEN, token_file) if http is not None else ClientToken()
    try:
        code = serve(
            McpRequest(
                workspace=place.workspace,
                settings=place.settings,
                store=store,
                problems=place.problems,
                http=http,
                token=token.text,
                notice=token.notice,
                writes=allow_writes,
                max_bytes=max_bytes,
                profile="minimal" if (tools or place.settings.agents.tools) == OfferedTools.MINIMAL else "full",
                wait=wait,
                verify=verify,
                join=join,
                reread=partial(chosen_settings, ctx, place.root),
            )
        )
    finally:
        if store is not None:
            store.close()
    raise typer.Exit(code)


def _install(root: str, name: str, *, writes: bool) -> None:
    if name and name not in AGENTS:
        raise UsageError(f"There is no agent {name!r}. Use one of: {', '.join(AGENTS)}.")
    words = start_words(root, writes=writes)
    for agent in AGENTS.values():
        if name in ("", agent.name):
            sys.stdout.write(f"# {agent.name}: {agent.where}\n{agent.text(words)}\n\n")
