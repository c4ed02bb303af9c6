"""Tokens: what a client of a server on a port has to show.

Owns: where a token comes from, its least length, what the user is told of one that was made.
Must not know: protocols, who checks it.
Invariant: a token never stands on a command line, which every user of the machine can read.
"""

from __future__ import annotations

import os
import secrets
from typing import Annotated, Final

import attrs
import typer

from graphls.cli.guard import UsageError

SHORTEST: Final = 16
_LONGEST: Final = 4096

TokenFile = Annotated[
    str, typer.Option("--token-file", metavar="FILE", help="The file that holds the token for clients on a port.")
]


@attrs.frozen
class ClientToken:
    """What a client shows."""

    text: str = ""
    notice: str = ""
    """What the user is told once clients can connect, not before: a start that fails has no token."""


def token_of(variable: str, file: str = "") -> ClientToken:
    """The token in a file, else in a variable of the environment, else a new one. Raises UsageError."""
    source = f"The token in {file!r}" if file else f"The token in {variable}"
    given = _read(file) if file else os.environ.get(variable, "")
    if (given or file) and len(given) < SHORTEST:
        raise UsageError(f"{source} is too short: give at least {SHORTEST} characters.")
    if given and not (given.isascii() and given.isprintable()):
        raise UsageError(f"{source} has other characters than visible ASCII ones.")
    if given:
        return ClientToken(given)
    made = secrets.token_urlsafe(24)
    return ClientToken(made, f"graphls: token {made} (set {variable} to choose it)\n")


def _read(file: str) -> str:
    try:
        with open(file, "rb") as stream:
            return stream.read(_LONGEST).decode("utf-8", "replace").strip()
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read: {error.strerror or error}.") from None
