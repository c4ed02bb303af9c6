"""Checkers: the language servers that graphls knows how to ask.

Owns: their programs, arguments, settings, the languages they check, the versions that work.
Must not know: processes, requests, snapshots.
Invariant: a checker is found beside graphls or on the user's PATH, or named by the user; one that lies in a
    repository is taken only where the user trusts it, and so is what interprets it. Which packages a checker of Python
    sees is always said: those of the workspace's environment, or none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import TypeAlias

import attrs

from graphls.compilers.wire import Json
from graphls.facts.paths import FilePath
from graphls.languages.registry import language_of
from graphls.settings.tree import Checker as CheckerSettings
from graphls.sources.environment import NO_PACKAGES, Environment
from graphls.sources.programs import find_program, interpreted, is_program, program_in, stamp_of, surroundings
from graphls.sources.typescript_home import TypeScript, install_marks, tsserver_at, typescript_at, typescript_in


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
    endings: tuple[str, ...] = ()
    """Files of its languages that it reads; all when empty."""
    relates: bool = False
    """Types relate members that no definition leads to each other: of interfaces that extend one, of libraries."""
    wavers: bool = False
    """What it was asked before may keep it from knowing a name: asked about the inside of a function first, it does not
    know the parameters of which the call around the function decides. It answers many questions in any order."""
    judges: bool = True
    """It says of a whole module what is wrong with it, when asked."""
    misled: str = ""
    """A message to the user with these words says that it could not take the environment that it was told, and goes on
    with another one."""
    patience: float = 1.0
    """How much longer than others it may be silent: it loads a whole project at the first question about it."""

    def reads(self, path: FilePath) -> bool:
        """Whether it reads files of this name."""
        return language_of(path) in self.languages and (not self.endings or ending_of(path) in self.endings)


KNOWN: Mapping[str, Known] = {
    known.name: known
    for known in (
        Known("ty", "ty", ("server",), ("python",), (0, 0, 60), "pip install ty", misled="Failed to load project"),
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
            ("typescript",),
            (7, 0),
            "npm install -g typescript@7",
            reads_closed=False,
            endings=(".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
            relates=True,
            wavers=True,
            patience=4.0,
        ),
        Known(
            "typescript-language-server",
            "typescript-language-server",
            ("--stdio",),
            ("typescript",),
            (),
            "npm install -g typescript-language-server typescript@5",
            reads_closed=False,
            endings=(".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
            relates=True,
            judges=False,
            patience=4.0,
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
    languages: tuple[str, ...] = ()
    """Whose checker it would be; all languages when empty."""


Found: TypeAlias = "Checker | NoChecker"


def find_checkers(
    settings: CheckerSettings, environment: Environment | None = None, roots: tuple[str, ...] = ()
) -> tuple[Found, ...]:
    """The checkers that the settings name, for workspaces at `roots` that use a Python environment."""
    return (find_python_checker(settings, environment, roots), find_typescript_checker(settings, roots))


def find_python_checker(
    settings: CheckerSettings, environment: Environment | None = None, roots: tuple[str, ...] = ()
) -> Found:
    """The checker for Python."""
    known = KNOWN[settings.name]
    if not settings.enabled:
        return _off(known, "checking is switched off by the setting checker.enabled")
    program = _python_program(settings, known, environment, roots)
    if isinstance(program, NoChecker):
        return program
    command = interpreted(program, roots)
    if isinstance(command, str):
        return NoChecker(known.name, command, languages=known.languages)
    return Checker(
        known=known,
        command=(*command, *known.arguments),
        environment=_environment(environment, roots),
        configuration=_configuration(known.name, environment),
        stamp=stamp_of(program, *(environment.site_packages if environment else ())),
    )


def _python_program(
    settings: CheckerSettings, known: Known, environment: Environment | None, roots: tuple[str, ...]
) -> str | NoChecker:
    """The program that the settings name, else the one that is installed beside graphls or on the PATH, else the one of
    the workspace's environment where that may run."""
    if settings.path:
        if is_program(settings.path):
            return settings.path
        problem = f"the setting checker.path names {settings.path!r}, which is no executable file"
        return NoChecker(known.name, problem, languages=known.languages)
    program = find_program(known.program, roots)
    if program is not None:
        return program
    inside = program_in(environment.prefix, known.program) if environment is not None else None
    if inside is not None and settings.from_workspace:
        return inside
    hint = f", or let {inside} run with checker.fromWorkspace, if you trust this workspace" if inside else ""
    problem = f"{known.program} is not installed; install it with: {known.install}{hint}"
    return NoChecker(known.name, problem, languages=known.languages)


def find_typescript_checker(settings: CheckerSettings, roots: tuple[str, ...] = ()) -> Found:
    """The checker for TypeScript and JavaScript."""
    known = KNOWN["typescript" if settings.typescript == "off" else settings.typescript]
    if not settings.enabled:
        return _off(known, "checking is switched off by the setting checker.enabled")
    if settings.typescript == "off":
        return _off(known, "checking TypeScript is switched off by the setting checker.typescript")
    if known.name != "typescript":
        return _language_server(settings, known, roots)
    found = _typescript(settings, known, roots)
    command = found if isinstance(found, str) else interpreted(found.program, roots)
    if isinstance(found, str) or isinstance(command, str):
        return NoChecker(known.name, str(command), languages=known.languages)
    return Checker(
        known=known,
        command=(*command, *known.arguments),
        # It collects late: without a mark to keep below, the memory of a large project passes the limit that ends it.
        environment=surroundings({"GOMEMLIMIT": f"{settings.memory_limit_mb * 6 // 10}MiB"}, outside=roots),
        configuration=_configuration(known.name, None),
        stamp=stamp_of(found.program, found.version, *(mark for root in roots for mark in install_marks(root))),
    )


def _typescript(settings: CheckerSettings, known: Known, roots: tuple[str, ...]) -> TypeScript | str:
    """A TypeScript that can be asked, or why there is none."""
    if settings.typescript_path:
        path = settings.typescript_path
        if not is_program(path):
            return f"the setting checker.typescriptPath names {path!r}, which is no executable file"
        return _new_enough(typescript_at(path), known)
    inside = [found for root in roots if (found := typescript_in(root)) is not None]
    usable = [found for found in inside if not is_old(known, found.version)]
    if settings.from_workspace and usable:
        return usable[0]
    program = find_program(known.program, roots)
    if program is not None:
        return _new_enough(typescript_at(program), known)
    hint = ""
    if usable and not settings.from_workspace:
        hint = ", or let the one in node_modules run with checker.fromWorkspace, if you trust this workspace"
    elif settings.from_workspace and inside:
        hint = f"; node_modules holds TypeScript {inside[0].version}, and {_oldest(known)} or newer is needed"
    return f"{known.program} is not installed; install it with: {known.install}{hint}"


def _language_server(settings: CheckerSettings, known: Known, roots: tuple[str, ...]) -> Found:
    """The server that drives TypeScript 5. It is told which TypeScript: by itself it would take the workspace's."""
    path = settings.typescript_path
    inside = [os.path.join(root, "node_modules", ".bin", known.program) for root in roots if settings.from_workspace]
    program = path or next(filter(is_program, inside), None) or find_program(known.program, roots)
    if path and not is_program(path):
        problem = f"the setting checker.typescriptPath names {path!r}, which is no executable file"
        return NoChecker(known.name, problem, languages=known.languages)
    tsc = find_program("tsc", roots)
    servers = (tsserver_at(one) for one in (program, tsc) if one)
    server = next((one for one in servers if one is not None), None)
    if program is None or server is None:
        missing = known.program if program is None else "the server of TypeScript 5"
        problem = f"{missing} is not installed; install it with: {known.install}"
        return NoChecker(known.name, problem, languages=known.languages)
    command = interpreted(program, roots)
    if isinstance(command, str):
        return NoChecker(known.name, command, languages=known.languages)
    told: Json = {
        "disableAutomaticTypingAcquisition": True,
        "maxTsServerMemory": settings.memory_limit_mb,
        "tsserver": {"path": server.program, "logVerbosity": "off", "useSyntaxServer": "never"},
    }
    return Checker(
        known=known,
        command=(*command, *known.arguments),
        environment=surroundings({}, outside=roots),
        configuration={known.name: told},
        stamp=stamp_of(program, server.program, server.version, *(m for root in roots for m in install_marks(root))),
    )


def _new_enough(found: TypeScript, known: Known) -> TypeScript | str:
    if not is_old(known, found.version):
        return found
    needed = f"{_oldest(known)} or newer is needed; install it with: {known.install}"
    return f"{found.program} is TypeScript {found.version}; {needed}"


def _oldest(known: Known) -> str:
    return ".".join(map(str, known.oldest))


def _off(known: Known, problem: str) -> NoChecker:
    return NoChecker(known.name, problem, off=True, languages=known.languages)


def ending_of(path: FilePath) -> str:
    """The ending of a name, in small letters."""
    return path[path.rfind(".") :].lower()


def is_old(known: Known, version: str) -> bool:
    """Whether a version is one that does not answer as needed. An unreadable one is given a chance."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: next((at for at, letter in enumerate(part) if not letter.isdigit()), len(part))]
        if not digits:
            break
        numbers.append(int(digits))
    return bool(numbers) and tuple(numbers) < known.oldest


def _environment(environment: Environment | None, roots: tuple[str, ...]) -> Mapping[str, str]:
    without = ("PYTHONPATH", "PYTHONHOME", "CONDA_PREFIX", "TY_LOG", "TY_CONFIG_FILE")
    return surroundings({"VIRTUAL_ENV": _prefix(environment)}, without, roots)


def _prefix(environment: Environment | None) -> str:
    """Never left open: by itself a checker takes the packages it is installed with, or those of some Python on PATH."""
    return NO_PACKAGES if environment is None else environment.prefix


def _configuration(name: str, environment: Environment | None) -> Mapping[str, Json]:
    if name == "ty":
        chosen: Json = {"environment": {"python": _prefix(environment)}}
        return {"ty": {"diagnosticMode": "openFilesOnly", "showSyntaxErrors": True, "configuration": chosen}}
    if name == "typescript":
        # Fetching types from the net means starting npm in the workspace: nobody asked for that.
        quiet: Json = {
            "disableAutomaticTypeAcquisition": True,
            "disablePushDiagnostics": True,
            "tsserver": {"automaticTypeAcquisition": {"enabled": False}, "log": "off"},
        }
        return dict.fromkeys(("typescript", "javascript", "js/ts"), quiet)
    # The interpreter of the environment is not named: pyright would run it. Its packages are enough. Without any name
    # it would run the first Python on PATH, and take the packages of that one.
    python: Json = os.path.join(NO_PACKAGES, "python")
    analysis: Json = {
        "diagnosticMode": "openFilesOnly",
        "autoSearchPaths": True,
        "useLibraryCodeForTypes": True,
        "extraPaths": [PurePath(folder).as_posix() for folder in environment.site_packages] if environment else [],
    }
    section = "basedpyright" if name == "basedpyright" else "python"
    told: dict[str, Json] = {"python": {"pythonPath": python}, section: {"analysis": analysis}}
    if section == "python":
        told["python"] = {"pythonPath": python, "analysis": analysis}
    return {**told, f"{section}.analysis": analysis}
