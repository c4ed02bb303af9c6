"""Checkers: the language servers that graphls knows how to ask.

Owns: their programs, arguments, settings, the languages they check, the versions that work.
Must not know: processes, requests, snapshots.
Invariant: a checker is found beside graphls or on the user's PATH, or named by the user; never by a repository.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

import attrs

from graphls.compilers.wire import Json
from graphls.settings.tree import Checker as CheckerSettings
from graphls.sources.environment import Environment
from graphls.sources.programs import find_program, is_program, stamp_of, surroundings


@attrs.frozen
class Known:
    """What is the same wherever a checker runs."""

    name: str
    program: str
    arguments: tuple[str, ...]
    languages: tuple[str, ...]
    """Names of providers whose files it checks."""
    oldest: tuple[int, ...]
    """The first version that answers as graphls needs."""
    install: str
    """How a user gets it."""
    reads_closed: bool = True
    """It answers about files that no editor has open. The others say "nothing" about those."""


KNOWN: Mapping[str, Known] = {
    known.name: known
    for known in (
        Known("ty", "ty", ("server",), ("python",), (0, 0, 60), "pip install ty"),
        Known(
            "basedpyright",
            "basedpyright-langserver",
            ("--stdio",),
            ("python",),
            (1, 20),
            "pip install basedpyright",
            False,
        ),
        Known(
            "pyright",
            "pyright-langserver",
            ("--stdio",),
            ("python",),
            (1, 1, 350),
            "pip install pyright[nodejs]",
            False,
        ),
        Known(
            "typescript",
            "tsc",
            ("--lsp", "--stdio"),
            ("typescript", "javascript"),
            (7, 0),
            "npm install -g typescript@7",
            False,
        ),
    )
}


@attrs.frozen
class Checker:
    """A checker that can be started."""

    known: Known
    command: tuple[str, ...]
    environment: Mapping[str, str]
    configuration: Mapping[str, Json]
    """What it gets when it asks for settings, by section."""
    stamp: str
    """Changes when the program or the packages it sees are installed anew."""

    @property
    def name(self) -> str:
        return self.known.name


@attrs.frozen
class NoChecker:
    """Why there is none. `off`: the user wants none."""

    name: str
    problem: str
    off: bool = False


def find_checker(
    settings: CheckerSettings, environment: Environment | None = None, roots: tuple[str, ...] = ()
) -> Checker | NoChecker:
    """The checker that the settings name, for workspaces at `roots` that use a Python environment."""
    known = KNOWN[settings.name]
    if not settings.enabled:
        return NoChecker(known.name, "checking is switched off by the setting checker.enabled", off=True)
    if settings.path:
        program = settings.path if is_program(settings.path) else None
        problem = f"the setting checker.path names {settings.path!r}, which is no executable file"
    else:
        program = find_program(known.program, roots)
        problem = f"{known.program} is not installed; install it with: {known.install}"
    if program is None:
        return NoChecker(known.name, problem)
    return Checker(
        known=known,
        command=(program, *known.arguments),
        environment=_environment(environment),
        configuration=_configuration(known.name, environment),
        stamp=stamp_of(program, *(environment.site_packages if environment else ())),
    )


def is_old(known: Known, version: str) -> bool:
    """Whether a version is one that does not answer as needed. An unreadable one is given a chance."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: next((at for at, letter in enumerate(part) if not letter.isdigit()), len(part))]
        if not digits:
            break
        numbers.append(int(digits))
    return bool(numbers) and tuple(numbers) < known.oldest


def _environment(environment: Environment | None) -> Mapping[str, str]:
    without = ("PYTHONPATH", "PYTHONHOME", "CONDA_PREFIX", "TY_LOG", "TY_CONFIG_FILE")
    if environment is None:
        return surroundings({}, without)
    return surroundings({"VIRTUAL_ENV": environment.prefix}, without)


def _configuration(name: str, environment: Environment | None) -> Mapping[str, Json]:
    if name == "ty":
        return {"ty": {"diagnosticMode": "openFilesOnly", "showSyntaxErrors": True}}
    if name == "typescript":
        return {}
    # The interpreter of the environment is not named: pyright would run it. Its packages are enough.
    analysis: Json = {
        "diagnosticMode": "openFilesOnly",
        "autoSearchPaths": True,
        "useLibraryCodeForTypes": True,
        "extraPaths": [PurePath(folder).as_posix() for folder in environment.site_packages] if environment else [],
    }
    section = "basedpyright" if name == "basedpyright" else "python"
    return {section: {"analysis": analysis}, f"{section}.analysis": analysis}
