"""Checkers: the language servers that graphls knows how to ask.

Owns: their programs, arguments, settings, the languages they check, the versions that work.
Must not know: processes, requests, snapshots.
Invariant: a checker is found beside graphls or on the user's PATH, or named by the user; one that lies in a
    repository is taken only where the user trusts it, and so is what interprets it. Which packages a checker of Python
    sees is always said: those of the workspace's environment, or none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import TypeAlias

import attrs

from graphls.compilers.wire import Json
from graphls.facts.paths import FilePath, ending_of
from graphls.languages.language_checker import Installation, LanguageChecker
from graphls.languages.registry import capabilities_for, providers
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.environment import NO_PACKAGES, Environment
from graphls.sources.programs import (
    child_environment,
    find_program,
    interpreted,
    is_program,
    names_in,
    package_folders,
    program_in,
    real_executable,
    real_program,
    stamp_of,
)
from graphls.sources.read import read_small
from graphls.sources.typescript_home import TypeScript, install_marks, tsserver_at, typescript_at, typescript_in


@attrs.frozen
class CheckerDescription:
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
    lists_related_members: bool = False
    """Types relate members that no definition leads to each other: of interfaces that extend one, of libraries."""
    order_sensitive: bool = False
    """What it was asked before may keep it from knowing a name: asked about the inside of a function first, it does not
    know the parameters of which the call around the function decides. It answers many questions in any order."""
    checks_modules: bool = True
    """It says of a whole module what is wrong with it, when asked."""
    environment_error: str = ""
    """A message to the user with these words says that it could not take the environment that it was told, and goes on
    with another one."""
    patience: float = 1.0
    """How much longer than others it may be silent: it loads a whole project at the first question about it."""
    known: LanguageChecker | None = None
    """What the language's own folder says of it."""

    def reads(self, path: FilePath) -> bool:
        """Whether it reads files of this name. What has its language by a base name or a first line, none reads."""
        known = capabilities_for(path)
        if known is None or known.name not in self.languages or not known.file_type(path).checked:
            return False
        return ending_of(path) in (self.endings or known.files)


def _described() -> Iterator[CheckerDescription]:
    """Those that languages describe themselves. They answer about open files, and not what is wrong with a module."""
    for provider in providers().values():
        known = provider.capabilities.checker
        if known is not None:
            yield CheckerDescription(
                known.name,
                known.program,
                known.arguments,
                (provider.capabilities.name,),
                known.oldest,
                known.install,
                reads_closed=False,
                endings=known.endings,
                checks_modules=False,
                patience=4.0,
                known=known,
            )


DESCRIPTIONS: Mapping[str, CheckerDescription] = {
    known.name: known
    for known in (
        *_described(),
        CheckerDescription(
            "ty",
            "ty",
            ("server",),
            ("python",),
            (0, 0, 60),
            "pip install ty",
            environment_error="Failed to load project",
        ),
        CheckerDescription(
            "basedpyright",
            "basedpyright-langserver",
            ("--stdio",),
            ("python",),
            (1, 20),
            "pip install basedpyright",
            False,
        ),
        CheckerDescription(
            "pyright",
            "pyright-langserver",
            ("--stdio",),
            ("python",),
            (1, 1, 350),
            "pip install pyright[nodejs]",
            False,
        ),
        CheckerDescription(
            "typescript",
            "tsc",
            ("--lsp", "--stdio"),
            ("typescript",),
            (7, 0),
            "npm install -g typescript@7",
            reads_closed=False,
            endings=(".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
            lists_related_members=True,
            order_sensitive=True,
            patience=4.0,
        ),
        CheckerDescription(
            "typescript-language-server",
            "typescript-language-server",
            ("--stdio",),
            ("typescript",),
            (),
            "npm install -g typescript-language-server typescript@5",
            reads_closed=False,
            endings=(".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
            lists_related_members=True,
            checks_modules=False,
            patience=4.0,
        ),
    )
}


@attrs.frozen
class Checker:
    """A checker that can be started."""

    description: CheckerDescription
    command: tuple[str, ...]
    environment: Mapping[str, str]
    configuration: Mapping[str, Json]
    """What it gets when it asks for settings, by section."""
    stamp: str
    """Changes when the program or the packages it sees are installed anew."""

    @property
    def name(self) -> str:
        return self.description.name


@attrs.frozen
class NoChecker:
    """Why there is none. `off`: the user wants none."""

    name: str
    problem: str
    off: bool = False
    languages: tuple[str, ...] = ()
    """Whose checker it would be; all languages when empty."""


CheckerLookup: TypeAlias = "Checker | NoChecker"


def find_checkers(
    settings: CheckerSettings, environment: Environment | None = None, roots: tuple[str, ...] = ()
) -> tuple[CheckerLookup, ...]:
    """The checkers that the settings name, for workspaces at `roots` that use a Python environment."""
    described = (find_described_checker(settings, one.name, roots) for one in DESCRIPTIONS.values() if one.known)
    # Whoever has none of these misses nothing that graphls would have said.
    further = (found for found in described if isinstance(found, Checker))
    return (find_python_checker(settings, environment, roots), find_typescript_checker(settings, roots), *further)


def find_described_checker(settings: CheckerSettings, name: str, roots: tuple[str, ...] = ()) -> CheckerLookup:
    """A checker that the folder of its language describes: beside graphls or on the user's PATH."""
    description = DESCRIPTIONS[name]
    if not settings.enabled:
        return _off(description, "checking is switched off by the setting checker.enabled")
    program = find_program(description.program, roots)
    if program is None:
        problem = f"{description.program} is not installed; install it with: {description.install}"
        return NoChecker(description.name, problem, languages=description.languages)
    known = description.known
    if known is not None and known.command is not None:
        command = known.command(_installation(known, settings.memory_limit_mb, roots))
    else:
        command = interpreted(program, roots)
    if isinstance(command, str):
        return NoChecker(description.name, command, languages=description.languages)
    beside = known.beside if known is not None else ""
    own: Mapping[str, str] = known.environment(settings.memory_limit_mb) if known is not None else {}
    return Checker(
        description=description,
        command=(*command, *description.arguments, *((f"{beside}={os.path.dirname(program)}",) if beside else ())),
        environment=child_environment(own, outside=roots),
        configuration={} if known is None else known.settings,
        stamp=stamp_of(program, *(word for word in command[1:] if os.path.isabs(word))),
    )


def _installation(known: LanguageChecker, memory_mb: int, roots: tuple[str, ...]) -> Installation:
    program = real_program(known.program, roots) or known.program
    return Installation(
        program=program,
        memory_mb=memory_mb,
        find=partial(real_program, outside=roots),
        executable=real_executable,
        names=names_in,
        read=lambda path: (read_small(path) or b"").decode("utf-8", "replace"),
        packages=package_folders(program),
    )


def find_python_checker(
    settings: CheckerSettings, environment: Environment | None = None, roots: tuple[str, ...] = ()
) -> CheckerLookup:
    """The checker for Python."""
    description = DESCRIPTIONS[settings.name]
    if not settings.enabled:
        return _off(description, "checking is switched off by the setting checker.enabled")
    program = _python_program(settings, description, environment, roots)
    if isinstance(program, NoChecker):
        return program
    command = interpreted(program, roots)
    if isinstance(command, str):
        return NoChecker(description.name, command, languages=description.languages)
    return Checker(
        description=description,
        command=(*command, *description.arguments),
        environment=_environment(environment, roots),
        configuration=_configuration(description.name, environment),
        stamp=stamp_of(program, *(environment.site_packages if environment else ())),
    )


def _python_program(
    settings: CheckerSettings, description: CheckerDescription, environment: Environment | None, roots: tuple[str, ...]
) -> str | NoChecker:
    """The program that the settings name, else the one that is installed beside graphls or on the PATH, else the one of
    the workspace's environment where that may run."""
    if settings.path:
        if is_program(settings.path):
            return settings.path
        problem = f"the setting checker.path names {settings.path!r}, which is no executable file"
        return NoChecker(description.name, problem, languages=description.languages)
    program = find_program(description.program, roots)
    if program is not None:
        return program
    inside = program_in(environment.prefix, description.program) if environment is not None else None
    if inside is not None and settings.from_workspace:
        return inside
    hint = f", or let {inside} run with checker.fromWorkspace, if you trust this workspace" if inside else ""
    problem = f"{description.program} is not installed; install it with: {description.install}{hint}"
    return NoChecker(description.name, problem, languages=description.languages)


def find_typescript_checker(settings: CheckerSettings, roots: tuple[str, ...] = ()) -> CheckerLookup:
    """The checker for TypeScript and JavaScript."""
    description = DESCRIPTIONS["typescript" if settings.typescript == "off" else settings.typescript]
    if not settings.enabled:
        return _off(description, "checking is switched off by the setting checker.enabled")
    if settings.typescript == "off":
        return _off(description, "checking TypeScript is switched off by the setting checker.typescript")
    if description.name != "typescript":
        return _language_server(settings, description, roots)
    found = _typescript(settings, description, roots)
    command = found if isinstance(found, str) else interpreted(found.program, roots)
    if isinstance(found, str) or isinstance(command, str):
        return NoChecker(description.name, str(command), languages=description.languages)
    return Checker(
        description=description,
        command=(*command, *description.arguments),
        # It collects late: without a mark to keep below, the memory of a large project passes the limit that ends it.
        environment=child_environment({"GOMEMLIMIT": f"{settings.memory_limit_mb * 6 // 10}MiB"}, outside=roots),
        configuration=_configuration(description.name, None),
        stamp=stamp_of(found.program, found.version, *(mark for root in roots for mark in install_marks(root))),
    )


def _typescript(settings: CheckerSettings, description: CheckerDescription, roots: tuple[str, ...]) -> TypeScript | str:
    """A TypeScript that can be asked, or why there is none."""
    if settings.typescript_path:
        path = settings.typescript_path
        if not is_program(path):
            return f"the setting checker.typescriptPath names {path!r}, which is no executable file"
        return _new_enough(typescript_at(path), description)
    inside = [found for root in roots if (found := typescript_in(root)) is not None]
    usable = [found for found in inside if not is_old(description, found.version)]
    if settings.from_workspace and usable:
        return usable[0]
    program = find_program(description.program, roots)
    if program is not None:
        return _new_enough(typescript_at(program), description)
    hint = ""
    if usable and not settings.from_workspace:
        hint = ", or let the one in node_modules run with checker.fromWorkspace, if you trust this workspace"
    elif settings.from_workspace and inside:
        hint = f"; node_modules holds TypeScript {inside[0].version}, and {_oldest(description)} or newer is needed"
    return f"{description.program} is not installed; install it with: {description.install}{hint}"


def _language_server(
    settings: CheckerSettings, description: CheckerDescription, roots: tuple[str, ...]
) -> CheckerLookup:
    """The server that drives TypeScript 5. It is told which TypeScript: by itself it would take the workspace's."""
    path = settings.typescript_path
    inside = [
        os.path.join(root, "node_modules", ".bin", description.program) for root in roots if settings.from_workspace
    ]
    program = path or next(filter(is_program, inside), None) or find_program(description.program, roots)
    if path and not is_program(path):
        problem = f"the setting checker.typescriptPath names {path!r}, which is no executable file"
        return NoChecker(description.name, problem, languages=description.languages)
    tsc = find_program("tsc", roots)
    servers = (tsserver_at(one) for one in (program, tsc) if one)
    server = next((one for one in servers if one is not None), None)
    if program is None or server is None:
        missing = description.program if program is None else "the server of TypeScript 5"
        problem = f"{missing} is not installed; install it with: {description.install}"
        return NoChecker(description.name, problem, languages=description.languages)
    command = interpreted(program, roots)
    if isinstance(command, str):
        return NoChecker(description.name, command, languages=description.languages)
    options: Json = {
        "disableAutomaticTypingAcquisition": True,
        "maxTsServerMemory": settings.memory_limit_mb,
        "tsserver": {"path": server.program, "logVerbosity": "off", "useSyntaxServer": "never"},
    }
    return Checker(
        description=description,
        command=(*command, *description.arguments),
        environment=child_environment({}, outside=roots),
        configuration={description.name: options},
        stamp=stamp_of(program, server.program, server.version, *(m for root in roots for m in install_marks(root))),
    )


def _new_enough(found: TypeScript, description: CheckerDescription) -> TypeScript | str:
    if not is_old(description, found.version):
        return found
    needed = f"{_oldest(description)} or newer is needed; install it with: {description.install}"
    return f"{found.program} is TypeScript {found.version}; {needed}"


def _oldest(description: CheckerDescription) -> str:
    return ".".join(map(str, description.oldest))


def _off(description: CheckerDescription, problem: str) -> NoChecker:
    return NoChecker(description.name, problem, off=True, languages=description.languages)


def is_old(description: CheckerDescription, version: str) -> bool:
    """Whether a version is one that does not answer as needed. An unreadable one is given a chance."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: next((at for at, letter in enumerate(part) if not letter.isdigit()), len(part))]
        if not digits:
            break
        numbers.append(int(digits))
    return bool(numbers) and tuple(numbers) < description.oldest


def _environment(environment: Environment | None, roots: tuple[str, ...]) -> Mapping[str, str]:
    without = ("PYTHONPATH", "PYTHONHOME", "CONDA_PREFIX", "TY_LOG", "TY_CONFIG_FILE")
    return child_environment({"VIRTUAL_ENV": _prefix(environment)}, without, roots)


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
    sections: dict[str, Json] = {"python": {"pythonPath": python}, section: {"analysis": analysis}}
    if section == "python":
        sections["python"] = {"pythonPath": python, "analysis": analysis}
    return {**sections, f"{section}.analysis": analysis}
