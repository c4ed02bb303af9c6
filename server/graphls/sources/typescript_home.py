"""TypeScript home: what an installed `tsc` is, found without running it.

Owns: the version in its package, the native program that its launcher would start, the server of older versions.
Must not know: settings, who may start what, how it is spoken to.
Invariant: nothing is run; an installation of unknown shape keeps its launcher and says no version.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from typing import cast

import attrs

from graphls.sources.programs import is_program
from graphls.sources.read import read_small

_PACKAGES = ("typescript", "@typescript/native-preview")
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64", "armv7l": "arm", "armv6l": "arm"}
_MARKS = (".package-lock.json", ".modules.yaml", ".yarn-state.yml")
_LARGEST = 1_000_000


@attrs.frozen
class TypeScript:
    """An installed TypeScript. `version`: "" when nothing says it."""

    program: str
    version: str


def typescript_at(launcher: str) -> TypeScript:
    """The TypeScript that a `tsc` belongs to; the native program in its place where there is one."""
    for folder in _homes(launcher):
        about = _package(folder)
        if about.get("name") in _PACKAGES:
            native = next(filter(is_program, _natives(folder)), launcher)
            return TypeScript(native, str(about.get("version", "")))
    return TypeScript(launcher, "")


def typescript_in(root: str) -> TypeScript | None:
    """The TypeScript in the `node_modules` of a folder."""
    launcher = os.path.join(root, "node_modules", "typescript", "bin", "tsc")
    return typescript_at(launcher) if os.path.isfile(launcher) else None


def tsserver_at(launcher: str) -> TypeScript | None:
    """The server of TypeScript 5 that is installed with a `tsc` or beside a language server that drives it."""
    real = os.path.realpath(launcher)
    homes = [*_homes(launcher), os.path.join(os.path.dirname(real), "..", "..", "typescript")]
    for folder in map(os.path.realpath, homes):
        server = os.path.join(folder, "lib", "tsserver.js")
        if _package(folder).get("name") == "typescript" and os.path.isfile(server):
            return TypeScript(server, str(_package(folder).get("version", "")))
    return None


def install_marks(root: str) -> tuple[str, ...]:
    """Files that package managers write whenever they change what is installed below a folder."""
    inside = [os.path.join(root, "node_modules", name) for name in _MARKS]
    return (*inside, os.path.join(root, ".pnp.cjs"))


def _homes(launcher: str) -> Iterator[str]:
    real = os.path.realpath(launcher)
    yield os.path.dirname(os.path.dirname(real))
    # Where the launcher is a script and no link: beside `node_modules`, or in its `.bin`.
    for folder in (os.path.join(os.path.dirname(real), "node_modules"), os.path.dirname(os.path.dirname(real))):
        for package in _PACKAGES:
            yield os.path.realpath(os.path.join(folder, *package.split("/")))


def _natives(home: str) -> Iterator[str]:
    machine = platform.machine().lower()
    kind = f"{sys.platform}-{_MACHINES.get(machine, machine)}"
    above = os.path.dirname(home)
    for folder in (os.path.join(home, "node_modules", "@typescript"), os.path.join(above, "@typescript"), above):
        for package, program in ((f"typescript-{kind}", "tsc"), (f"native-preview-{kind}", "tsgo")):
            name = f"{program}.exe" if sys.platform == "win32" else program
            yield os.path.realpath(os.path.join(folder, package, "lib", name))


def _package(folder: str) -> Mapping[str, object]:
    raw = read_small(os.path.join(folder, "package.json"), _LARGEST)
    try:
        value: object = json.loads(raw) if raw else {}
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
