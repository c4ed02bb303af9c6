"""Project index: what the files that a project sees declare, by namespace and name.

Owns: types by namespace, extension methods by name, usings that hold for all files of a project.
Must not know: what a type has above it, calls.
Invariant: the part of each file is a function of its surface, made once for each surface; near projects come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    ENUM_DEFINITION,
    FUNCTION_SCOPE,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    METHOD_DEFINITION,
    MODULE_SCOPE,
    NAMESPACE_SCOPE,
    PARAMETER_DEFINITION,
)

TYPE_KINDS: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION})
OF_STATIC: Final = 1
OF_ALIAS: Final = 2
OF_GLOBAL: Final = 8
"""How a using is meant, in the second operand of its module."""
RECEIVER_FLAG: Final = int(DefinitionFlag.RECEIVER)
_KEY: Final = "csharp declarations"
_OUTER: Final = frozenset({MODULE_SCOPE, NAMESPACE_SCOPE})


@final
class FileDeclarations:
    """What one file declares for others."""

    def __init__(self, unit: DeclaredUnit) -> None:
        self.types: list[tuple[str, str, int]] = []
        """Namespace, name, row."""
        self.extensions: list[tuple[str, str, int]] = []
        self.usings: list[int] = []
        """Usings that hold for the whole project."""
        self.namespaces: set[str] = set()
        for scope, kind in enumerate(unit.scope_kind):
            if kind == NAMESPACE_SCOPE:
                self.namespaces.add(namespace_of(unit, scope))
        for row, kind in enumerate(unit.kind):
            scope = unit.scope[row]
            if scope < 0:
                continue
            if kind in TYPE_KINDS and unit.scope_kind[scope] in _OUTER:
                self.types.append((namespace_of(unit, scope), unit.text(row), row))
            elif kind == IMPORT_DEFINITION and scope == 0 and how_of(unit, row) & OF_GLOBAL:
                self.usings.append(row)
            elif kind == PARAMETER_DEFINITION and unit.flags[row] & RECEIVER_FLAG:
                method = unit.scope_owner[scope]
                if unit.scope_kind[scope] == FUNCTION_SCOPE and method >= 0 and unit.kind[method] == METHOD_DEFINITION:
                    self.extensions.append((namespace_of(unit, unit.scope[method]), unit.text(method), method))


def namespace_of(unit: DeclaredUnit, scope: int) -> str:
    """The namespace that a scope is in, "" for none."""
    names: list[str] = []
    while scope > 0:
        owner = unit.scope_owner[scope]
        if unit.scope_kind[scope] == NAMESPACE_SCOPE and owner >= 0:
            names.append("".join(unit.text(owner).split()))
        scope = unit.scope_parent[scope]
    return ".".join(reversed(names))


def how_of(unit: DeclaredUnit, row: int) -> int:
    """How a using is meant."""
    value = unit.value[row]
    return unit.expressions.b[value] if value >= 0 else 0


def module_of(unit: DeclaredUnit, row: int) -> str:
    """What a using names, as written."""
    value = unit.value[row]
    return unit.strings[unit.expressions.a[value]] if value >= 0 else ""


Declared = tuple[FilePath, int]


@final
class ProjectIndex:
    """What the files that one project sees declare."""

    def __init__(self) -> None:
        self.types: dict[str, dict[str, list[list[Declared]]]] = {}
        """By namespace and name: one list for each project, the nearest first."""
        self.extensions: dict[str, list[tuple[str, FilePath, int]]] = {}
        self.usings: dict[str, list[Declared]] = {}
        """By folder of a project."""
        self.namespaces: set[str] = set()

    def add_project(self, folder: str, files: Iterator[tuple[FilePath, FileDeclarations]]) -> None:
        """Adds the files of one project."""
        own: dict[tuple[str, str], list[Declared]] = {}
        usings = self.usings.setdefault(folder, [])
        for file, declared in files:
            for space, name, row in declared.types:
                known = own.get((space, name))
                if known is None:
                    known = own[space, name] = []
                    self.types.setdefault(space, {}).setdefault(name, []).append(known)
                known.append((file, row))
            for space, name, row in declared.extensions:
                self.extensions.setdefault(name, []).append((space, file, row))
            usings += [(file, row) for row in declared.usings]
            self.namespaces |= declared.namespaces

    def close(self) -> None:
        """Adds the namespaces around namespaces."""
        for name in tuple(self.namespaces):
            while "." in name:
                name = name.rpartition(".")[0]
                self.namespaces.add(name)


def declarations_of(unit: DeclaredUnit, memo: dict[str, object] | None) -> FileDeclarations:
    """What a file declares; kept with its surface."""
    known = memo.get(_KEY) if memo is not None else None
    if isinstance(known, FileDeclarations):
        return known
    made = FileDeclarations(unit)
    if memo is not None:
        memo[_KEY] = made
    return made
