"""Language checker: the language server that settles what a language's own rules leave open, described in its folder.

Owns: the shape of the description.
Must not know: processes, requests, where programs are.
Invariant: no program and no argument comes from the workspace; of it a server is told what graphls read itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

import attrs

Told: TypeAlias = "bool | int | float | str | Sequence[Told] | Mapping[str, Told] | None"
"""What a server is told when it starts."""
ServerEnvironment: TypeAlias = Callable[[int], Mapping[str, str]]
"""What a server's environment is to hold, by the megabytes that it may take."""
ServerOptions: TypeAlias = Callable[[str, Mapping[str, tuple[str, ...]]], Told]
OWN_FOLDER: Final = "{own}"
"""Stands in the words of a command for the folder that a server gets for itself."""
PROJECT: Final = "project"
"""Below that folder: what the server takes for the workspace."""


@attrs.frozen
class Installation:
    """Where the program of a server is, and the questions that lead to what starts it. All paths are absolute, without
    links; nothing inside of a workspace is found but what graphls itself lies beside."""

    program: str
    memory_mb: int
    """What the server may take."""
    find: Callable[[str], str | None]
    """A program by its name."""
    executable: Callable[[str, str], str | None]
    """A program by its folder and its name."""
    names: Callable[[str], Sequence[str]]
    """What a folder holds, sorted; nothing where there is none."""
    read: Callable[[str], str]
    """The start of a file; "" where there is none."""
    packages: tuple[str, ...]
    """Folders of Python packages beside graphls and beside the program."""


ServerCommand: TypeAlias = Callable[[Installation], tuple[str, ...] | str]
"""The words that start a server, or why it cannot be."""


@attrs.frozen
class SourceTree:
    """The files of a language in a folder of the workspace."""

    root: str
    files: Sequence[str]
    """Paths below it, sorted."""
    text: Callable[[str], str]
    """What a file says; "" where it cannot be read."""


ProjectFiles: TypeAlias = Callable[[SourceTree], Mapping[str, str]]
"""The files of a project of the server's own, by their paths in its folder."""


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
class ErrorsRequest:
    """A request after whose answer the server has published what is wrong with a document."""

    method: str
    params: Callable[[str], Told]
    """By the URI of the document."""
    most: int
    """It says no more than so many."""


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
    command: ServerCommand | None = None
    """How it is started where the program alone does not say so."""
    names_outside: bool = True
    """Whether it says where names outside of the workspace are defined."""
    errors: ErrorsRequest | None = None
    """For a server that guesses in code that it does not understand, as where a library is missing: what it says about
    functions with errors in them is no answer."""
    settings: Mapping[str, Told] = MappingProxyType({})
    """What it gets when it asks for settings, by section, and when they change."""
    project: ProjectFiles | None = None
    """A server with it sees a project that graphls wrote beside its cache, never the folder of the workspace, which it
    would write into or whose build it would run. The project leads to the sources where they are."""
    beside: str = ""
    """The argument that names a folder without any settings; the program's own is given."""
