"""Main: the `graphls` command, its subcommands and the options in front of them.

Owns: which commands there are, loading the one that is asked for, the start and the end of the process.
Must not know: what a command does.
Invariant: help loads no command; only the command that runs is imported.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from graphls import __version__
from graphls.cli.guard import guarded, reported
from graphls.cli.switches import Faces, Switches, in_front
from graphls.cli.values import take_plain
from graphls.languages.compiled import compiled

COMMANDS: Mapping[str, str] = {
    "serve": "Speak the language server protocol with an editor.",
    "index": "Read a workspace and keep what it says for later.",
    "mcp": "Speak the model context protocol with an agent.",
    "init": "Write the entry that makes an agent start the server.",
    "export": "Write the graph, one record a line.",
    "query": "Ask the graph in SQL, read-only.",
    "check": "Check that a file of records is what the schema promises.",
    "import": "Ask about an export, or write it again.",
    "summary": "Show the shape of a workspace or of a part of it.",
    "find": "Find symbols by name.",
    "show": "Show one symbol: what it is, what it holds, what touches it.",
    "neighbors": "Show what is around a symbol, step by step.",
    "trace": "Show how one symbol reaches another.",
    "entry": "Show what stands behind a route, tool, command or job.",
    "impact": "Show what a change of a symbol may reach.",
    "changed": "Show what the edits since a commit touch and may reach.",
    "similar": "Show what is like a symbol, or like proposed code.",
    "diff": "Show how the graphs of two commits differ.",
    "tour": "List what to read first in a workspace or a part of it.",
    "pack": "Gather the code that a task needs, within a budget of tokens.",
    "feedback": "Say whether an item of a pack was useful; list or erase.",
    "explain": "Say why a pack holds its items, or how two symbols are tied.",
    "findings": "List architecture findings.",
    "view": "Draw a part of the graph as a page for a browser.",
    "eval": "Measure packs against tasks whose answers are known.",
    "status": "Say what the graph holds and what it could not take in.",
    "doctor": "Check that everything graphls needs is there and works.",
    "schema": "Print the JSON Schema of the graph's records.",
    "cache": "Show or clear what is kept between runs.",
}
EPILOG = (
    "A symbol is an id (n:...), module:Class.method, a dotted name, or path.py:LINE[:COLUMN] counted from 1. "
    "--debug, --trust and --no-cache may stand behind the command too. "
    "Exit codes: 0 fine, 1 the answer is negative, 2 usage, 3 a fault of graphls."
)


class _Commands(TyperGroup):
    """Lists every command without importing any."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """A stand-in that knows its name and help."""
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(name=cmd_name, help=COMMANDS[cmd_name], rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself, once it is to run."""
        self.commands = {name: stand_in for name in COMMANDS if (stand_in := self.get_command(ctx, name))}
        name, _, rest = super().resolve_command(ctx, args)
        return name, loaded(str(name)), rest


def loaded(name: str) -> Any:
    """The command of a name, ready to run."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    function = import_module(f"graphls.cli.commands.{name}{'_' if iskeyword(name) else ''}").run
    settings = {"help_option_names": ["-h", "--help"]}
    app.command(name, help=COMMANDS[name], context_settings=settings)(guarded(function))
    return take_plain(typer.main.get_command(app))


def run(faces: Faces | None = None) -> None:
    """Runs the command that the arguments of the process name."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    arguments = in_front(sys.argv[1:])
    with reported(debug="--debug" in arguments):
        _group(faces or Faces()).main(args=arguments, prog_name="graphls")


def _group(faces: Faces) -> Any:
    app = typer.Typer(
        cls=_Commands,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        epilog=EPILOG,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(help="One live code graph of a workspace, for editors, agents, scripts and people.")
    def _start(
        ctx: typer.Context,
        *,
        debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of a fault.")] = False,
        trust: Annotated[
            bool, typer.Option("--trust", help="Let the workspace name programs: in settings, and in node_modules.")
        ] = False,
        no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache.")] = False,
        version: Annotated[
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        ctx.obj = Switches(debug=debug, trusted=trust, cache=not no_cache, faces=faces)

    return take_plain(typer.main.get_group(app))


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"graphls {__version__}{' (compiled)' if compiled() else ''}\n")
        raise typer.Exit
