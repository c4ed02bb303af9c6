"""Ambient: what declaration files give to every file, and what blocks add to modules of a name.

Owns: `declare module "name"`, `declare global`, declaration files without imports and exports.
Must not know: classes' members, types of values.
Invariant: a block of a library's name adds to the library; names that it does not have are still the library's.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from graphls.facts.paths import FilePath
from graphls.languages.kinds import (
    DEFAULT_EXPORT_FLAG,
    EXPORTED_FLAG,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MODULE_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
    TYPE_ONLY_FLAG,
)
from graphls.languages.typescript.modules import AMBIENT
from graphls.languages.typescript.resolution.units import Unit
from graphls.languages.units import is_library

if TYPE_CHECKING:
    from graphls.languages.typescript.resolution.names import Names

GLOBAL = "global"
LIB_TYPES = frozenset(
    ("Document", "Element", "HTMLElement", "HTMLElementTagNameMap", "JSX", "Navigator", "NodeJS", "React", "Window")
)
"""Names whose declarations elsewhere are many more than those that a workspace adds."""


def blocks(asked: Names, unit: Unit, spec: str) -> tuple[tuple[Unit, int], ...]:
    """Blocks `declare module` for a module's name, in the asking file and in declaration files."""
    if not spec or is_library(unit.file):
        return ()
    return asked.guarded(("blocks", unit.file, spec), lambda: tuple(_blocks(asked, unit, spec)), ())


def _blocks(asked: Names, unit: Unit, spec: str) -> Iterator[tuple[Unit, int]]:
    for other in _units(asked, unit):
        for name, rows in other.members(0).items():
            if name == spec or ("*" in name and fnmatchcase(spec, name)):
                yield from ((other, row) for row in rows if _is_block(other, row))


def declares(unit: Unit, row: int) -> bool:
    """Whether a block is all that there is of a module, and says something."""
    scopes = unit.scopes_of(row, NAMESPACE_SCOPE)
    return not _is_module(unit) and any(unit.members(scope) for scope in scopes)


def augmentations(asked: Names, file: str, name: str) -> tuple[tuple[Unit, int], ...]:
    """Declarations of a name that blocks for the module of a file add to it."""
    if is_library(file):
        return ()
    return asked.guarded(("augmented", file, name), lambda: tuple(_augmentations(asked, file, name)), ())


def _augmentations(asked: Names, file: str, name: str) -> Iterator[tuple[Unit, int]]:
    for other in _units(asked, asked.own):
        for spec, rows in other.members(0).items():
            for row in rows:
                if _is_block(other, row) and asked.modules().find(spec, other.file) == file:
                    yield from ((other, added) for added in _members(other, row, name))


def members(unit: Unit, row: int, name: str) -> tuple[int, ...]:
    """What a block declares under a name; `default` is what it exports so."""
    found = tuple(_members(unit, row, name))
    if found or name != "default":
        return found
    flag = DEFAULT_EXPORT_FLAG
    scopes = set(unit.scopes_of(row, NAMESPACE_SCOPE))
    return tuple(other for other, flags in enumerate(unit.flags) if flags & flag and unit.scope[other] in scopes)


def _members(unit: Unit, row: int, name: str) -> Iterator[int]:
    for scope in unit.scopes_of(row, NAMESPACE_SCOPE):
        yield from unit.members(scope).get(name, ())


def globals_of(asked: Names, unit: Unit, name: str) -> tuple[tuple[Unit, int], ...]:
    """Declarations of a name that every file sees."""
    if name in LIB_TYPES or is_library(unit.file):
        return ()
    return asked.guarded(("global", unit.file, name), lambda: tuple(_globals(asked, unit, name)), ())


def added_to_window(asked: Names) -> tuple[tuple[Unit, int], ...]:
    """Declarations of `interface Window` that every file sees."""
    own = asked.own
    if is_library(own.file):
        return ()
    return asked.guarded(("window", own.file), lambda: tuple(_windows(asked, own)), ())


def _windows(asked: Names, unit: Unit) -> Iterator[tuple[Unit, int]]:
    return ((other, row) for other, row in _globals(asked, unit, "Window") if other.kind[row] == INTERFACE_DEFINITION)


def _globals(asked: Names, unit: Unit, name: str) -> Iterator[tuple[Unit, int]]:
    for other in _units(asked, unit):
        for row in other.members(0).get(GLOBAL, ()):
            if other.kind[row] == NAMESPACE_DEFINITION:
                yield from ((other, inner) for inner in _members(other, row, name))
        if other.file != unit.file and not _is_module(other):
            yield from ((other, row) for row in other.members(0).get(name, ()) if not _is_block(other, row))


def _units(asked: Names, unit: Unit) -> Iterator[Unit]:
    """The asking file, and the declaration files of the workspace."""
    yield unit
    for path in asked.world.aliases(AMBIENT, asked.own.file):
        if path != unit.file:
            yield asked.unit(FilePath(path))


def _is_block(unit: Unit, row: int) -> bool:
    value = unit.value[row]
    named = unit.kind[row] == NAMESPACE_DEFINITION and unit.flags[row] & TYPE_ONLY_FLAG
    return bool(named) and value >= 0 and unit.expressions.kind[value] == MODULE_EXPRESSION


def _is_module(unit: Unit) -> bool:
    """Whether a declaration file imports or exports something: then its names are its own."""
    if unit.export_scope >= 0:
        return True
    flags = EXPORTED_FLAG | DEFAULT_EXPORT_FLAG
    return any(
        unit.kind[row] == IMPORT_DEFINITION or unit.flags[row] & flags
        for rows in unit.members(0).values()
        for row in rows
    )
