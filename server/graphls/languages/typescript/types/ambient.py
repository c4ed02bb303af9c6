"""Ambient: what declaration files give to every file, and what blocks add to modules of a name.

Owns: `declare module "name"`, `declare global`, declaration files without imports and exports.
Must not know: classes' members, types of values.
Invariant: a block of a library's name adds to the library; names that it does not have are still the library's.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

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
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.units import TsUnit

GLOBAL = "global"
LIB_TYPES = frozenset(
    ("Document", "Element", "HTMLElement", "HTMLElementTagNameMap", "JSX", "Navigator", "NodeJS", "React", "Window")
)
"""Names whose declarations elsewhere are many more than those that a workspace adds."""


def blocks(context: TsContext, unit: TsUnit, spec: str) -> tuple[tuple[TsUnit, int], ...]:
    """Blocks `declare module` for a module's name, in the asking file and in declaration files."""
    if not spec or is_library(unit.file):
        return ()
    return context.guarded(("blocks", unit.file, spec), lambda: tuple(_blocks(context, unit, spec)), ())


def _blocks(context: TsContext, unit: TsUnit, spec: str) -> Iterator[tuple[TsUnit, int]]:
    for other in _units(context, unit):
        for name, rows in other.members(0).items():
            if name == spec or ("*" in name and fnmatchcase(spec, name)):
                yield from ((other, row) for row in rows if _is_block(other, row))


def declares(unit: TsUnit, row: int) -> bool:
    """Whether a block is all that there is of a module, and says something."""
    scopes = unit.scopes_of(row, NAMESPACE_SCOPE)
    return not _is_module(unit) and any(unit.members(scope) for scope in scopes)


def augmentations(context: TsContext, file: str, name: str) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of a name that blocks for the module of a file add to it."""
    if is_library(file):
        return ()
    return context.guarded(("augmented", file, name), lambda: tuple(_augmentations(context, file, name)), ())


def _augmentations(context: TsContext, file: str, name: str) -> Iterator[tuple[TsUnit, int]]:
    for other in _units(context, context.own):
        for spec, rows in other.members(0).items():
            for row in rows:
                if _is_block(other, row) and context.modules().find(spec, other.file) == file:
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


def globals_of(context: TsContext, unit: TsUnit, name: str) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of a name that every file sees."""
    if name in LIB_TYPES or is_library(unit.file):
        return ()
    return context.guarded(("global", unit.file, name), lambda: tuple(_globals(context, unit, name)), ())


def added_to_window(context: TsContext) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of `interface Window` that every file sees."""
    own = context.own
    if is_library(own.file):
        return ()
    return context.guarded(("window", own.file), lambda: tuple(_windows(context, own)), ())


def _windows(context: TsContext, unit: TsUnit) -> Iterator[tuple[TsUnit, int]]:
    return ((other, row) for other, row in _globals(context, unit, "Window") if other.kind[row] == INTERFACE_DEFINITION)


def added_namespaces(context: TsContext, name: str) -> tuple[tuple[TsUnit, int], ...]:
    """Declarations of a namespace that the workspace gives to all files, or adds to modules outside of it."""
    own = context.own
    return context.guarded(("added", own.file, name), lambda: tuple(_added(context, own, name)), ())


def _added(context: TsContext, own: TsUnit, name: str) -> Iterator[tuple[TsUnit, int]]:
    yield from _globals(context, own, name)
    for unit in _units(context, own):
        for rows in unit.members(0).values():
            for row in rows:
                if _is_block(unit, row):
                    yield from ((unit, inner) for inner in _members(unit, row, name))


def _globals(context: TsContext, unit: TsUnit, name: str) -> Iterator[tuple[TsUnit, int]]:
    for other in _units(context, unit):
        for row in other.members(0).get(GLOBAL, ()):
            if other.kind[row] == NAMESPACE_DEFINITION:
                yield from ((other, inner) for inner in _members(other, row, name))
        if other.file != unit.file and not _is_module(other):
            yield from ((other, row) for row in other.members(0).get(name, ()) if not _is_block(other, row))


def _units(context: TsContext, unit: TsUnit) -> Iterator[TsUnit]:
    """The asking file, and the declaration files of the workspace."""
    yield unit
    for path in context.world.aliases(AMBIENT, context.own.file):
        if path != unit.file:
            yield context.unit(FilePath(path))


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
