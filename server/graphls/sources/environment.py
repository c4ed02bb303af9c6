"""Environment: which Python environment a workspace uses, found without running anything.

Owns: where environments are looked for, their layouts, the version written in `pyvenv.cfg`.
Must not know: modules, typeshed, how names are resolved.
Invariant: no interpreter is started; the same folders and variables give the same answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Final

import attrs

from graphls.sources.read import read_small

_LIBRARY = re.compile(r"(?:python|pypy)(\d+)\.(\d+)t?")
_VERSION = re.compile(r"(\d+)\.(\d+)")


NO_PACKAGES: Final = str(PurePath(__file__).with_name("no_packages"))
"""Prefix of an environment that holds nothing, for programs that would otherwise look for another one."""


@attrs.frozen
class Environment:
    prefix: str
    origin: str
    """`setting`, `VIRTUAL_ENV`, `.venv`, `venv` or `CONDA_PREFIX`."""
    site_packages: tuple[str, ...]
    version: tuple[int, int] | None


@attrs.frozen
class EnvironmentSearch:
    found: Environment | None
    problems: tuple[str, ...] = ()


def find_environment(root: str, setting: str = "", variables: Mapping[str, str] | None = None) -> EnvironmentSearch:
    """The first that exists of: the setting, VIRTUAL_ENV, `.venv` and `venv` below `root`, CONDA_PREFIX.

    The setting names an environment's folder or its interpreter, relative to `root` unless absolute.
    """
    variables = os.environ if variables is None else variables
    problems: list[str] = []
    for origin, prefix in _candidates(root, setting, variables):
        packages = _site_packages(prefix)
        if packages:
            return EnvironmentSearch(Environment(prefix, origin, packages, _version(prefix, packages)), tuple(problems))
        if origin == "setting":
            problems.append(f"the Python environment {setting!r} has no site-packages folder; looking elsewhere")
    return EnvironmentSearch(None, tuple(problems))


def environment_folders(root: str, setting: str = "", variables: Mapping[str, str] | None = None) -> Iterator[str]:
    """The folders in which something changes when `find_environment` finds another environment, or the same with other
    packages. Those that exist; the folder above an environment that does not, unless that is `root`."""
    variables = os.environ if variables is None else variables
    for _, prefix in _candidates(root, setting, variables):
        if not os.path.isdir(prefix):
            above = os.path.dirname(prefix)
            yield from (above,) if above != root and os.path.isdir(above) else ()
            continue
        yield prefix
        for library in ("lib", "lib64", "Lib"):
            yield from _library_folders(os.path.join(prefix, library))
        yield from _site_packages(prefix)
        if _site_packages(prefix):
            return


def _library_folders(library: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(library))
    except OSError:
        return
    yield library
    yield from (os.path.join(library, name) for name in names if _LIBRARY.fullmatch(name) or name == "python3")


def _candidates(root: str, setting: str, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if setting:
        yield "setting", _prefix_of(os.path.join(root, os.path.expanduser(setting)))
    if active := variables.get("VIRTUAL_ENV"):
        yield "VIRTUAL_ENV", os.path.abspath(active)
    for name in (".venv", "venv"):
        yield name, os.path.join(root, name)
    if conda := variables.get("CONDA_PREFIX"):
        yield "CONDA_PREFIX", os.path.abspath(conda)


def _prefix_of(chosen: str) -> str:
    """The environment that a folder or an interpreter in it belongs to. Links are kept: an interpreter often is one."""
    chosen = os.path.normpath(chosen)
    if os.path.isdir(chosen):
        return chosen
    folder = os.path.dirname(chosen)
    return os.path.dirname(folder) if os.path.basename(folder) in ("bin", "Scripts") else folder


def _site_packages(prefix: str) -> tuple[str, ...]:
    own = _layouts(prefix)
    settings = _pyvenv(prefix)
    if settings.get("include-system-site-packages", "").lower() == "true" and (home := settings.get("home")):
        base = os.path.dirname(home) if os.path.basename(home) in ("bin", "Scripts") else home
        own += _layouts(base)
    return tuple(dict.fromkeys(own))


def _layouts(prefix: str) -> tuple[str, ...]:
    """Unix: lib/pythonX.Y (newest first; lib64 only where it is a folder of its own). Windows: Lib."""
    found: list[str] = [os.path.join(prefix, "Lib", "site-packages")] if os.name == "nt" else []
    seen: set[str] = set()
    for library in ("lib", "lib64"):
        real = os.path.realpath(os.path.join(prefix, library))
        if real not in seen:
            seen.add(real)
            found.extend(_unix_layouts(os.path.join(prefix, library)))
    if os.name != "nt":  # an environment made on Windows, seen from elsewhere
        found.append(os.path.join(prefix, "Lib", "site-packages"))
    return tuple(folder for folder in found if os.path.isdir(folder))


def _unix_layouts(library: str) -> Iterator[str]:
    try:
        names = os.listdir(library)
    except OSError:
        return
    versions = [(match, name) for name in names if (match := _LIBRARY.fullmatch(name))]
    for _, name in sorted(versions, key=lambda pair: (-int(pair[0][1]), -int(pair[0][2]), pair[1])):
        for packages in ("site-packages", "dist-packages"):
            yield os.path.join(library, name, packages)
    if any(name == "python3" for name in names):
        yield os.path.join(library, "python3", "dist-packages")


def _version(prefix: str, packages: tuple[str, ...]) -> tuple[int, int] | None:
    settings = _pyvenv(prefix)
    written = settings.get("version_info") or settings.get("version") or ""
    match = _VERSION.match(written) or _LIBRARY.fullmatch(os.path.basename(os.path.dirname(packages[0])))
    return (int(match[1]), int(match[2])) if match else None


def _pyvenv(prefix: str) -> Mapping[str, str]:
    data = read_small(os.path.join(prefix, "pyvenv.cfg"), 100_000) or b""
    pairs = (line.partition("=") for line in data.decode("utf-8", "replace").splitlines())
    return {key.strip().lower(): value.strip() for key, separator, value in pairs if separator}
