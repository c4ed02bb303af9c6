"""Values: what a command is given, taken as it is where there is nothing to convert.

Owns: which values these are.
Must not know: any command; how all others are converted. What does that takes longer to load than most commands.
Invariant: a value is taken as it is only where converting it would give just that.

Typer stays in the place of plain click, as parameters stand once, typed, in the signature that uses them; this module
is what that costs.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, Final

_CONVERT: Final = object()


def take_plain(command: Any) -> Any:
    """The same command, which converts only what has to be."""
    command.get_help_option = partial(_help, command.get_help_option)
    for parameter in command.params:
        _taking(parameter)
    return command


def _help(ask: Callable[[Any], Any], context: Any) -> Any:
    return _taking(ask(context))


def _taking(parameter: Any) -> Any:
    # Where typer does not say what a parameter is for, it converts by itself.
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    if kind is not None and "process_value" not in vars(parameter):  # a help option is asked for several times
        parameter.process_value = partial(_processed, parameter, kind, parameter.process_value)
    return parameter


def _processed(parameter: Any, kind: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    plain = _plain(parameter, kind, value)
    if plain is _CONVERT:
        return convert(context, value)
    return plain if parameter.callback is None else parameter.callback(context, parameter, plain)


def _plain(parameter: Any, kind: Any, value: Any) -> object:
    several = parameter.multiple or parameter.nargs != 1
    if value is None:
        return _CONVERT if parameter.required else () if several else None
    if several or not isinstance(kind, type):
        return _CONVERT
    if value is parameter.default and isinstance(value, kind):
        return value
    # Names of files may hold bytes that are no text.
    if type(value) is not str or not value.isascii():
        return _CONVERT
    if issubclass(kind, Enum):
        return next((member for member in kind if member.value == value), _CONVERT)
    return value if kind is str else _CONVERT
