"""Command catalog: what a command declares, and which commands there are.

Owns: the declaration of a command, finding the commands that lie in the folder.
Must not know: any particular command.
Invariant: a command is registered by lying in `commands/`; its declaration is read without importing it.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.abc import InspectLoader
from importlib.machinery import PathFinder
from keyword import iskeyword
from pathlib import Path
from typing import Final

import attrs

_FOLDER: Final = Path(__file__).parent / "commands"


@attrs.frozen(kw_only=True)
class CommandEntry:
    """What stands in a command's module as `COMMAND`, in literals: help shows it without importing the module."""

    help: str
    """One sentence."""
    rank: int
    """Where it stands in the help."""
    read_only: bool = False
    """It answers and changes nothing, so it may run twice."""
    synonyms: tuple[str, ...] = ()
    """What other tools, or the tools for agents, call such a thing: who asks for that is told the name."""


def commands() -> Mapping[str, CommandEntry]:
    """Every command by name, in the order of the help."""
    found = {name: declaration(name) for name in command_names()}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


def command_names() -> tuple[str, ...]:
    """Names of all commands, in no particular order."""
    return tuple(entry.name.removesuffix("_").replace("_", "-") for entry in pkgutil.iter_modules([str(_FOLDER)]))


def module_of(name: str) -> str:
    """The module of a command."""
    return f"graphls.cli.commands.{_stem(name)}"


@cache
def declaration(name: str) -> CommandEntry:
    """What a command says of itself. Raises LookupError."""
    spec = PathFinder.find_spec(_stem(name), [str(_FOLDER)])
    loader = spec and spec.loader
    source = loader.get_source(_stem(name)) if isinstance(loader, InspectLoader) else None
    for statement in ast.parse(source or "").body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="COMMAND")], value=ast.Call(keywords=keywords)):
                return CommandEntry(**{one.arg: ast.literal_eval(one.value) for one in keywords if one.arg})
            case _:
                pass
    raise LookupError(f"{module_of(name)} declares no COMMAND")


def _stem(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name.replace("-", "_")
