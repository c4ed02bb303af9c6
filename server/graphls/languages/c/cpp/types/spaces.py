"""Spaces: namespaces over all files that one file sees.

Owns: the namespace of each scope, what namespaces declare, what directives open.
Must not know: members of classes, how occurrences become links.
Invariant: inline and unnamed namespaces are part of the one around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, final

from graphls.facts.definer_keys import type_key
from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.syntax.facts_builder import INLINE, MACRO, PROTOTYPE, SPECIAL
from graphls.languages.c.syntax.preprocessor import SPACES
from graphls.languages.c.types.included_files import IncludedFiles
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    CONSTANT_DEFINITION,
    IMPORT_DEFINITION,
    LITERAL_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
)
from graphls.languages.resolve.structural_value import DefinitionRef

STAR: Final = "*"
SEPARATOR: Final = "::"
MOST_OTHER_FILES: Final = 64
"""Files that may define a class of which a file sees no definition."""
_FEW_SCOPES: Final = 16
_KEY: Final = "spaces"


@final
class FileSpaces:
    """Namespaces of one file."""

    def __init__(self, unit: DeclaredUnit, opened: Callable[[str], str]) -> None:
        self.alone = True
        """No macro of another file says what its namespaces are."""
        self.path_of: dict[int, str] = {0: ""}
        """Scope of a namespace -> its name in full."""
        self.scopes: dict[str, list[int]] = {"": [0]}
        for scope, kind in enumerate(unit.scope_kind):
            if kind != NAMESPACE_SCOPE:
                continue
            around = self.path_of.get(unit.scope_parent[scope], "")
            owner = unit.scope_owner[scope]
            name = "" if owner < 0 or unit.flags[owner] & INLINE else unit.text(owner)
            if owner < 0:
                for word, rows in unit.members(scope).items():
                    if any(unit.flags[row] & MACRO == MACRO and unit.kind[row] == IMPORT_DEFINITION for row in rows):
                        self.alone, name = False, opened(word)
            path = around if not name else f"{around}{SEPARATOR}{name}" if around else name
            self.path_of[scope] = path
            self.scopes.setdefault(path, []).append(scope)
        self.outer: dict[str, list[int]] = {}
        """Name -> rows that are declared with a qualified name."""
        for row, scope in enumerate(unit.scope):
            if scope >= 0 and unit.scope_kind[scope] == CLASS_SCOPE and unit.scope_owner[scope] < 0:
                self.outer.setdefault(unit.text(row), []).append(row)
        self.qualified: dict[int, int] = {}
        """Scope of what is declared with a qualified name -> its row."""
        for declared in self.outer.values():
            for row in declared:
                value = unit.value[row]
                if value >= 0 and unit.expressions.kind[value] != LITERAL_EXPRESSION:  # the name of a suite of tests
                    self.qualified.setdefault(unit.scope[row], row)


@final
class Spaces:
    """Namespaces that one file sees."""

    def __init__(self, types: DeclaredInference, files: IncludedFiles) -> None:
        self._types = types
        self._files = files
        self._spaces: dict[FilePath, FileSpaces] = {}
        self._macros: dict[str, str] = {}
        self._declared: dict[tuple[str, str], tuple[DefinitionRef, ...]] = {}
        self._directives: dict[str, Sequence[tuple[DeclaredUnit, int]]] = {}
        self._elsewhere: dict[tuple[str, str, bool], tuple[DefinitionRef, ...]] = {}
        self._holders: dict[str, list[tuple[FilePath, int]]] | None = None
        self._naming: dict[str, Mapping[str, Sequence[tuple[FilePath, int]]]] = {}
        """Namespace that has many scopes -> name -> those that bind it."""

    def of(self, unit: DeclaredUnit) -> FileSpaces:
        """The namespaces of a file."""
        known = self._spaces.get(unit.file)
        if known is None:
            if unit.own:
                known = FileSpaces(unit, self._opened)
            else:
                memo = self._types.world.surface(unit.file).memo
                cached = memo.get(_KEY)
                known = cached if isinstance(cached, FileSpaces) else FileSpaces(unit, self._opened)
                if known.alone:
                    memo[_KEY] = known
            self._spaces[unit.file] = known
        return known

    def _opened(self, macro: str) -> str:
        """The namespaces that a macro opens."""
        known = self._macros.get(macro)
        if known is None:
            known = self._macros[macro] = next(self._values(macro), "")
        return known

    def _values(self, macro: str) -> Iterator[str]:
        for file in self._files.visible(self._types.path):
            unit = self._types.unit(file)
            for row in unit.members(0).get(macro, ()):
                value, table = unit.value[row], unit.expressions
                if unit.kind[row] == CONSTANT_DEFINITION and value >= 0 and table.kind[value] == LITERAL_EXPRESSION:
                    text = unit.strings[table.a[value]]
                    if text.startswith(SPACES):
                        yield text.removeprefix(SPACES)

    def path(self, unit: DeclaredUnit, scope: int) -> str:
        """The namespace around a scope."""
        known = self.of(unit).path_of
        while scope > 0 and scope not in known:
            scope = unit.scope_parent[scope]
        return known.get(scope, "")

    def holders(self, path: str) -> Sequence[tuple[FilePath, int]]:
        """The scopes of a namespace in all files that are seen."""
        if self._holders is None:
            self._holders = {}
            for file in self._files.visible(self._types.path):
                for one, scopes in self.of(self._types.unit(file)).scopes.items():
                    self._holders.setdefault(one, []).extend((file, scope) for scope in scopes)
        return self._holders.get(path, ())

    def is_space(self, path: str) -> bool:
        """Whether some file that is seen has such a namespace."""
        return bool(self.holders(path))

    def declared(self, path: str, name: str) -> tuple[DefinitionRef, ...]:
        """What a namespace declares under a name: definitions first, those of the own file before others."""
        key = (path, name)
        known = self._declared.get(key)
        if known is None:
            found: list[tuple[int, int, DefinitionRef]] = []
            for file, scope in self._scopes_with(path, name):
                unit = self._types.unit(file)
                for row in unit.members(scope).get(name, ()):
                    rank = bool(unit.flags[row] & PROTOTYPE) + 2 * bool(unit.flags[row] & SPECIAL)
                    found.append((rank, int(file != self._types.path), DefinitionRef(file, row)))
            found.sort(key=_order)
            if found and any(rank < 2 for rank, _, _ in found):
                found = [one for one in found if one[0] < 2]
            known = self._declared[key] = tuple([ref for _, _, ref in found])
        return known

    def _scopes_with(self, path: str, name: str) -> Sequence[tuple[FilePath, int]]:
        """Scopes of a namespace that may bind a name: of one that is opened again and again they are told by name."""
        scopes = self.holders(path)
        if len(scopes) <= _FEW_SCOPES:
            return scopes
        known = self._naming.get(path)
        if known is None:
            made: dict[str, list[tuple[FilePath, int]]] = {}
            for file, scope in scopes:
                for one in self._types.unit(file).members(scope):
                    made.setdefault(one, []).append((file, scope))
            known = self._naming[path] = made
        return known.get(name, ())

    def classes_elsewhere(self, path: str, name: str, *, defined: bool) -> tuple[DefinitionRef, ...]:
        """The one class that a file which is not seen defines in a namespace, or all that only announce one."""
        key = (path, name, defined)
        known = self._elsewhere.get(key)
        if known is None:
            seen, found = self._files.seen(self._types.path), list[DefinitionRef]()
            files = [file for file in self._types.world.defining(type_key(name)) if file not in seen]
            for file in files if len(files) <= MOST_OTHER_FILES else ():
                unit = self._types.unit(file)
                for scope in self.of(unit).scopes.get(path, ()):
                    found += [
                        DefinitionRef(file, row)
                        for row in unit.members(scope).get(name, ())
                        if unit.kind[row] == CLASS_DEFINITION
                        and not unit.flags[row] & SPECIAL
                        and bool(unit.flags[row] & PROTOTYPE) != defined
                        and not self._is_unnamed(unit, scope)
                    ]
            known = self._elsewhere[key] = () if defined and len(found) != 1 else tuple(found)
        return known

    def _is_unnamed(self, unit: DeclaredUnit, scope: int) -> bool:
        """Whether a namespace without a name is around, which keeps what it holds to the file."""
        while scope > 0:
            if unit.scope_kind[scope] == NAMESPACE_SCOPE and unit.scope_owner[scope] < 0:
                return True
            scope = unit.scope_parent[scope]
        return False

    def directives(self, path: str) -> Sequence[tuple[DeclaredUnit, int]]:
        """Rows of `using namespace` in a namespace."""
        known = self._directives.get(path)
        if known is None:
            found = self.declared(path, STAR)
            known = self._directives[path] = [(self._types.unit(ref.file), ref.row) for ref in found]
        return known

    def is_directive(self, unit: DeclaredUnit, row: int) -> bool:
        """Whether a row opens a namespace."""
        return unit.kind[row] == IMPORT_DEFINITION and unit.text(row) == STAR

    def is_namespace(self, ref: DefinitionRef) -> bool:
        """Whether a definition is a namespace."""
        return self._types.unit(ref.file).kind[ref.row] == NAMESPACE_DEFINITION


def _order(entry: tuple[int, int, DefinitionRef]) -> tuple[int, int]:
    return entry[0], entry[1]
