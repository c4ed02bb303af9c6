"""Language checker: the language server that settles what a language's own rules leave open, described in its folder.

Owns: the shape of the description.
Must not know: processes, requests, where programs are.
Invariant: no program and no argument comes from the workspace; of it a server is told what graphls read itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import attrs

Told: TypeAlias = "bool | int | float | str | Sequence[Told] | Mapping[str, Told] | None"
"""What a server is told when it starts."""
ServerEnvironment: TypeAlias = Callable[[int], Mapping[str, str]]
"""What a server's environment is to hold, by the megabytes that it may take."""
ServerOptions: TypeAlias = Callable[[str, Mapping[str, tuple[str, ...]]], Told]


@attrs.frozen
class ProbeQuestion:
    """A question whose answer is known: a server that answers otherwise is not asked about anything else."""

    text: str
    line: int
    """Of the name asked about, from 0."""
    character: int
    defined: int
    """The line of its definition."""
    file: str = ""
    """Where the text would stand below the folder; "" for a name that nobody gives a file."""


@attrs.frozen
class LanguageChecker:
    """One server."""

    name: str
    program: str
    arguments: tuple[str, ...]
    oldest: tuple[int, ...]
    """The first version that answers as graphls needs."""
    install: str
    """How a user gets it."""
    endings: tuple[str, ...]
    """Files that it reads as the language does."""
    probe: ProbeQuestion
    options: ServerOptions
    """What it is told, by the absolute path of the folder and the aliases that manifests give."""
    environment: ServerEnvironment = lambda _: {}
    beside: str = ""
    """The argument that names a folder without any settings; the program's own is given."""
