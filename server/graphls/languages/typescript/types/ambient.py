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
from graphls.languages.extract.kinds import (
    DEFAULT_EXPORT_FLAG,
    EXPORTED_FLAG,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MODULE_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
    TYPE_ONLY_FLAG,
)
from graphls.languages.resolve.units import is_library
from graphls.languages.typescript.modules import AMBIENT
from graphls.languages.typescript.types.units import TsUnit

if TYPE_CHECKING:
    from graphls.languages.typescript.types.names import TsNameLookup

GLOBAL = "global"
LIB_TYPES = frozenset(
    ("Document", "Element", "HTMLElement", "HTMLElementTagNameMap", "JSX", "Navigator", "NodeJS", "React", "Window")
)
"""Names whose declarations elsewhere are many more than those that a workspace adds."""


def blocks(lookup: TsNameLookup, unit: TsUnit, spec: str) -> tuple[tuple[TsUnit, int], ...]:
    """Blocks `declare module` for a module's name, in the asking file and in declaration files."""
    if not spec or is_library(unit.file):
        return ()
    return lookup.guarded(("blocks", unit.file, spec), lambda: tuple(_blocks(lookup, unit, spec)), ())


def _blocks(lookup: TsNameLookup, unit: TsUnit, spec: str) -> Iterator[tuple[TsUnit, int]]:
    for other in _units(lookup, unit):
        for name, rows in other.members(0).items():
            if name == spec or ("*" in name and fnmatchcase(spec, name)):
                yield from ((other, row) for row in rows if _is_block(other, row))


def declares(unit: TsUnit, row: int) -> bool:
    """Whether a block is all that there is of a module, and says something."""
    scopes = unit.scopes_of(row, NAMESPACE_SCOPE)
    return not _is_module(unit) and any(unit.members(scope) for scope in scopes)


def augmentations(lookup: TsNameLookup, file: str, name: str) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of a name that blocks for the module of a file add to it."""
    if is_library(file):
        return ()
    return lookup.guarded(("augmented", file, name), lambda: tuple(_augmentations(lookup, file, name)), ())


def _augmentations(lookup: TsNameLookup, file: str, name: str) -> Iterator[tuple[TsUnit, int]]:
    for other in _units(lookup, lookup.own):
        for spec, rows in other.members(0).items():
            for row in rows:
                if _is_block(other, row) and lookup.modules().find(spec, other.file) == file:
                    yield from ((other, added) for added in _members(other, row, name))


def members(unit: TsUnit, row: int, name: str) -> tuple[int, ...]:
    """What a block declares under a name; `default` is what it exports so."""
    found = tuple(_members(unit, row, name))
    if found or name != "default":
        return found
    flag = DEFAULT_EXPORT_FLAG
    scopes = set(unit.scopes_of(row, NAMESPACE_SCOPE))
    return tuple(other for other, flags in enumerate(unit.flags) if flags & flag and unit.scope[other] in scopes)


def _members(unit: TsUnit, row: int, name: str) -> Iterator[int]:
    for scope in unit.scopes_of(row, NAMESPACE_SCOPE):
        yield from unit.members(scope).get(name, ())


def globals_of(lookup: TsNameLookup, unit: TsUnit, name: str) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of a name that every file sees."""
    if name in LIB_TYPES or is_library(unit.file):
        return ()
    return lookup.guarded(("global", unit.file, name), lambda: tuple(_globals(lookup, unit, name)), ())


def added_to_window(lookup: TsNameLookup) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of `interface Window` that every file sees."""
    own = lookup.own
    if is_library(own.file):
        return ()
    return lookup.guarded(("window", own.file), lambda: tuple(_windows(lookup, own)), ())


def _windows(lookup: TsNameLookup, unit: TsUnit) -> Iterator[tuple[TsUnit, int]]:
    return ((other, row) for other, row in _globals(lookup, unit, "Window") if other.kind[row] == INTERFACE_DEFINITION)


def added_namespaces(lookup: TsNameLookup, name: str) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of a namespace that the workspace gives to all files, or adds to modules outside of it."""
    own = lookup.own
    return lookup.guarded(("added", own.file, name), lambda: tuple(_added(lookup, own, name)), ())


def _added(lookup: TsNameLookup, own: TsUnit, name: str) -> Iterator[tuple[TsUnit, int]]:
    yield from _globals(lookup, own, name)
    for unit in _units(lookup, own):
        for rows in unit.members(0).values():
            for row in rows:
                if _is_block(unit, row):
                    yield from ((unit, inner) for inner in _members(unit, row, name))


def _globals(lookup: TsNameLookup, unit: TsUnit, name: str) -> Iterator[tuple[TsUnit, int]]:
    for other in _units(lookup, unit):
        for row in other.members(0).get(GLOBAL, ()):
            if other.kind[row] == NAMESPACE_DEFINITION:
                yield from ((other, inner) for inner in _members(other, row, name))
        if other.file != unit.file and not _is_module(other):
            yield from ((other, row) for row in other.members(0).get(name, ()) if not _is_block(other, row))


def _units(lookup: TsNameLookup, unit: TsUnit) -> Iterator[TsUnit]:
    """The asking file, and the declaration files of the workspace."""
    yield unit
    for path in lookup.world.aliases(AMBIENT, lookup.own.file):
        if path != unit.file:
            yield lookup.unit(FilePath(path))


def _is_block(unit: TsUnit, row: int) -> bool:
    value = unit.value[row]
    named = unit.kind[row] == NAMESPACE_DEFINITION and unit.flags[row] & TYPE_ONLY_FLAG
    return bool(named) and value >= 0 and unit.expressions.kind[value] == MODULE_EXPRESSION


def _is_module(unit: TsUnit) -> bool:
    """Whether a declaration file imports or exports something: then its names are its own."""
    if unit.export_scope >= 0:
        return True
    flags = EXPORTED_FLAG | DEFAULT_EXPORT_FLAG
    return any(
        unit.kind[row] == IMPORT_DEFINITION or unit.flags[row] & flags
        for rows in unit.members(0).values()
        for row in rows
    )
