"""Command reference: the page that lists every command and its parameters.

Owns: how a parameter is written there.
Must not know: what a command does.
Invariant: the page is a function of the signatures of the commands.
"""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import Any, Final, get_args, get_type_hints

from graphls.cli.command_catalog import commands, module_of
from graphls.cli.main import loaded

_INTRODUCTION: Final = """\
# Commands and their options

What `graphls COMMAND --help` says. The [guide](guides/command-line.md) says how a symbol is written, what exit codes
mean, and what commands answer that need more than a line.
"""


def commands_page() -> str:
    """Every command with its parameters, as Markdown."""
    parts = [_INTRODUCTION]
    for name, entry in commands().items():
        parameters = [one for one in loaded(name).params if not getattr(one, "hidden", False)]
        words = " ".join(_argument(one) for one in parameters if one.param_type_name == "argument")
        parts.append(f"## {name}\n\n{entry.help}\n\n    graphls {name} {words}".rstrip() + "\n")
        parts.append("| | meaning | default |\n|---|---|---|")
        kinds = get_type_hints(import_module(module_of(name)).run)
        parts.append("\n".join(_row(one, kinds[one.name]) for one in parameters) + "\n")
    return "\n".join(parts)


def _row(parameter: Any, kind: Any) -> str:
    cells = (_spelling(parameter, kind), parameter.help or "", _default(parameter))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _argument(parameter: Any) -> str:
    word = (parameter.metavar or str(parameter.name).upper()).strip("[]")
    many = "..." if parameter.nargs == -1 else ""
    return f"{word}{many}" if parameter.required else f"[{word}]{many}"


def _spelling(parameter: Any, kind: Any) -> str:
    """An option with all its spellings and what it takes; an argument by its name."""
    if parameter.param_type_name == "argument":
        return f"`{_argument(parameter)}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {_value(parameter, kind)}"


def _value(parameter: Any, kind: Any) -> str:
    for choice in (kind, *get_args(kind)):
        if isinstance(choice, type) and issubclass(choice, Enum):
            return ", ".join(str(member.value) for member in choice)
    if parameter.metavar or parameter.min is None:
        return parameter.metavar or "TEXT"
    return f"{parameter.min} to {parameter.max}" if parameter.max is not None else f"from {parameter.min}"


def _default(parameter: Any) -> str:
    value = parameter.default
    if value is True:
        return f"`{parameter.opts[0]}`"
    return "" if value in (None, False, "", (), []) or callable(value) else f"`{getattr(value, 'value', value)}`"
