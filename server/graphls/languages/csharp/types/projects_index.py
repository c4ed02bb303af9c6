"""Project index: what the files that a project sees declare, by namespace and name.

Owns: types by namespace, extension methods by name, usings that hold for all files of a project.
Must not know: what a type has above it, calls.
Invariant: only files that declare what is asked for are looked at; what each declares is a function of its surface,
    made once for each surface; near projects come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.facts.definer_keys import (
    SHARED_IMPORTS,
    extension_key,
    namespace_key,
    namespace_tail_key,
    type_key,
)
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.languages.csharp.projects import PROJECTS, SEEN
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
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
        self.types: dict[str, list[tuple[str, int]]] = {}
        """By name: namespace, row."""
        self.extensions: dict[str, list[tuple[str, int]]] = {}
        self.usings: list[int] = []
        """Usings that hold for the whole project."""
        for row, kind in enumerate(unit.kind):
            scope = unit.scope[row]
            if scope < 0:
                continue
            if kind in TYPE_KINDS and unit.scope_kind[scope] in _OUTER:
                self.types.setdefault(unit.text(row), []).append((namespace_of(unit, scope), row))
            elif kind == IMPORT_DEFINITION and scope == 0 and how_of(unit, row) & OF_GLOBAL:
                self.usings.append(row)
            elif kind == PARAMETER_DEFINITION and unit.flags[row] & RECEIVER_FLAG:
                method = unit.scope_owner[scope]
                if unit.scope_kind[scope] == FUNCTION_SCOPE and method >= 0 and unit.kind[method] == METHOD_DEFINITION:
                    space = namespace_of(unit, unit.scope[method])
                    self.extensions.setdefault(unit.text(method), []).append((space, method))


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
    """What the files that the project of one file sees declare."""

    def __init__(self, types: DeclaredInference) -> None:
        self._types = types
        self._folders: tuple[str, ...] | None = None
        self._types_by_name: dict[str, dict[str, list[list[Declared]]]] = {}
        self._extensions: dict[str, list[tuple[str, FilePath, int]]] = {}
        self._usings: dict[str, dict[str, list[Declared]]] | None = None
        self._namespaces: dict[str, bool] = {}
        self._own: FileDeclarations | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders of the projects that are seen, the own one first."""
        if self._folders is None:
            own = self.project(self._types.path)
            self._folders = self._types.world.aliases(SEEN + own, self._types.path) or (own,)
        return self._folders

    def project(self, file: FilePath) -> str:
        """The folder of the project of a file."""
        # Written down, as it decides which project each file is in.
        self._types.world.aliases(PROJECTS, self._types.path)
        packages = self._types.world.name_of(file).packages
        return packages[0] if packages else ""

    def types(self, name: str) -> dict[str, list[list[Declared]]]:
        """Types of a name by namespace: one list for each project, the nearest first."""
        known = self._types_by_name.get(name)
        if known is None:
            known = self._types_by_name[name] = self._types_named(name)
        return known

    def _types_named(self, name: str) -> dict[str, list[list[Declared]]]:
        found: dict[str, list[list[Declared]]] = {}
        for files in self._defining(type_key(name)):
            own: dict[str, list[Declared]] = {}
            for file in files:
                for space, row in self._declared_in(file).types.get(name, ()):
                    if space not in own:
                        own[space] = []
                        found.setdefault(space, []).append(own[space])
                    own[space].append((file, row))
        return found

    def extensions(self, name: str) -> list[tuple[str, FilePath, int]]:
        """Methods of a name that extend a type: namespace, file, row."""
        found = self._extensions.get(name)
        if found is None:
            found = self._extensions[name] = []
            for files in self._defining(extension_key(name)):
                for file in files:
                    found += [(space, file, row) for space, row in self._declared_in(file).extensions.get(name, ())]
        return found

    def usings(self, folder: str, name: str) -> Sequence[Declared]:
        """Usings of a name that hold for all files of a project."""
        if self._usings is None:
            self._usings = {}
            for files in self._defining(SHARED_IMPORTS):
                for file in files:
                    unit, named = self._types.unit(file), self._usings.setdefault(self.project(file), {})
                    for row in self._declared_in(file).usings:
                        named.setdefault(unit.text(row), []).append((file, row))
        return self._usings.get(folder, {}).get(name, ())

    def is_namespace(self, dotted: str) -> bool:
        """Whether a file that is seen declares a namespace, or one inside of it."""
        found = self._namespaces.get(dotted)
        if found is None:
            found = self._namespaces[dotted] = self._is_declared(namespace_key(dotted))
        return found

    def ends_namespace(self, dotted: str) -> bool:
        """Whether the longer name of such a namespace ends with this."""
        return self._is_declared(namespace_tail_key(dotted))

    def _is_declared(self, key: str) -> bool:
        folders = self.folders
        return any(self.project(file) in folders for file in self._types.world.defining(key))

    def _defining(self, key: str) -> list[list[FilePath]]:
        """Files that are seen and define something: a list for each project that has some, the nearest first."""
        by_project: dict[str, list[FilePath]] = {}
        for file in self._types.world.defining(key):
            by_project.setdefault(self.project(file), []).append(file)
        return [by_project[folder] for folder in self.folders if folder in by_project]

    def _declared_in(self, file: FilePath) -> FileDeclarations:
        memo = None if file == self._types.path else self._types.world.surface(file).memo
        if memo is None:
            if self._own is None:
                self._own = FileDeclarations(self._types.own)
            return self._own
        known = memo.get(_KEY)
        if not isinstance(known, FileDeclarations):
            known = memo[_KEY] = FileDeclarations(self._types.unit(file))
        return known
