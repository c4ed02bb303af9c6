"""Init: the entry that makes an agent start the server, written where the agent looks.

Owns: arguments of `graphls init`, what is said of it.
Must not know: the protocol, formats of files.
Invariant: nothing but the entry is written, and nothing where a file cannot take it: then it is printed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from graphls.cli.agents import AGENTS, Agent, start_words
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import located
from graphls.cli.options import Root
from graphls.cli.registration import Entry, NotWritten, register
from graphls.cli.rendering.words import visible

COMMAND = CommandEntry(help="Write the entry that makes an agent start the server.", rank=40)


def run(
    ctx: typer.Context,
    *,
    agent: Annotated[
        str, typer.Option("--agent", metavar="NAME", help="Which agent; without it they are listed.")
    ] = "",
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Let the agent use the tool that changes something.")
    ] = False,
    root: Root = ".",
) -> None:
    place = located(ctx, root)
    chosen = AGENTS.get(agent)
    if chosen is None:
        said = f"There is no agent {agent!r}." if agent else "Say which agent: --agent NAME."
        raise UsageError(f"{said} Use one of: {', '.join(AGENTS)}.")
    words = start_words(place.root, writes=allow_writes)
    try:
        path = _path(chosen, place.root)
        written = register(path, Entry(chosen.key, chosen.entry(words)), within=_within(chosen, place.root))
    except NotWritten as why:
        sys.stdout.write(f"# {chosen.name}: {chosen.where}\n{chosen.text(words)}\n")
        raise UsageError(f"Nothing was written: {visible(str(why))}. Add the entry above yourself.", 1) from None
    sys.stdout.write(f"{visible(str(path))}: {'entry written' if written else 'has the entry already'}\n")


def _path(agent: Agent, root: str) -> Path:
    if not agent.path:
        raise NotWritten(f"where {agent.name} keeps servers is for you to know")
    return Path(os.path.expanduser(agent.path)) if agent.path.startswith("~") else Path(root) / agent.path


def _within(agent: Agent, root: str) -> Path | None:
    return None if agent.path.startswith("~") else Path(root)
