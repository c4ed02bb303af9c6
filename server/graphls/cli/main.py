"""Main: the `graphls` command, its subcommands and the options in front of them.

Owns: which commands there are, loading the one that is asked for, the start and the end of the process.
Must not know: what a command does.
Invariant: help loads no command; only the command that runs is imported.
"""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from graphls import __version__
from graphls.cli.command_catalog import CommandEntry, command_names, commands, declaration, module_of
from graphls.cli.guard import guarded, reported
from graphls.cli.switches import Faces, Switches, in_front
from graphls.cli.values import take_plain
from graphls.languages.compiled import compiled

EPILOG = (
    "A symbol is an id (n:...), module:Class.method, a dotted name, or path.py:LINE[:COLUMN] counted from 1. "
    "--debug, --trust, --no-cache and --repo may stand behind the command too. "
    "Exit codes: 0 fine, 1 the answer is negative, 2 usage, 3 a fault of graphls."
)


class _Commands(TyperGroup):
    """Lists every command without importing any."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(commands())

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """A stand-in that knows its name and help."""
        if cmd_name not in command_names():
            return None
        return TyperCommand(name=cmd_name, help=declaration(cmd_name).help, rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself, once it is to run."""
        self.commands = {name: TyperCommand(name=name) for name in command_names()}
        meant = _called_elsewhere(args[0]) if args and args[0] not in self.commands else []
        if meant:
            ctx.fail(f"No such command '{args[0]}': that is {' or '.join(f'graphls {name}' for name in meant)}.")
        name, _, rest = super().resolve_command(ctx, args)
        return name, loaded(str(name)), rest


def _called_elsewhere(name: str) -> list[str]:
    """The commands that other tools call so."""
    return [known for known, declared in commands().items() if name in declared.synonyms]


def loaded(name: str) -> Any:
    """The command of a name, ready to run."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    module = import_module(module_of(name))
    declared: CommandEntry = module.COMMAND
    settings = {"help_option_names": ["-h", "--help"]}
    app.command(name, help=declared.help, context_settings=settings)(guarded(module.run, again=declared.read_only))
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
        repo: Annotated[
            list[str] | None,
            typer.Option("--repo", metavar="ALIAS", help="Of a workspace of repositories, this one alone; repeat."),
        ] = None,
        version: Annotated[
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        ctx.obj = Switches(debug=debug, trusted=trust, cache=not no_cache, repositories=tuple(repo or ()), faces=faces)

    return take_plain(typer.main.get_group(app))


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"graphls {__version__}{' (compiled)' if compiled() else ''}\n")
        raise typer.Exit
