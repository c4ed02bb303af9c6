"""Resolver: each occurrence of one C++ file and what it means.

Owns: what includes, designators and calls mean to the graph; which declarations a definition stands for.
Must not know: how types are found, other languages.
Invariant: a declaration and its definition are one symbol with two places, the definition first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.syntax.facts_builder import PROTOTYPE, VIRTUAL
from graphls.languages.c.cpp.types.inference import FUNCTIONS, CppInference
from graphls.languages.c.includes import included_file
from graphls.languages.declared.call_sites import CallSites
from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Outside, Package, Value
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    IMPORT_ROLE,
    INHERIT_ROLE,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    STATIC_FLAG,
    TYPE_ROLE,
    VARIABLE_DEFINITION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_TYPES: Final = frozenset({TYPE_ROLE, INHERIT_ROLE})
_VARIABLES: Final = frozenset({FIELD_DEFINITION, VARIABLE_DEFINITION})
_LINKED: Final = frozenset({FUNCTION_DEFINITION, VARIABLE_DEFINITION, CLASS_DEFINITION})


class CppResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        cpp = self._cpp = CppInference(path, facts, world)
        self._written = frozenset(cpp.written_exports(path))
        super().__init__(path, facts, cpp)
        self._calls = CallSites(cpp.own).calls
        self._outer: dict[DefinitionRef, list[DefinitionRef]] | None = None

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The file that an include means."""
        angle = f"<{module}>"
        written = angle if angle in self._written else f'"{module}"'
        file = included_file(written, self._cpp.path, self._cpp.world)
        return (External(module),) if file is None else (DefinitionRef(file, -1),)

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The member that a designator names."""
        value = self._cpp.infer(self._cpp.own, base)
        found = self._cpp.member(value, name)
        if found is None or isinstance(value, Outside):
            return found
        return Denotation(found.refs, found.value, _KEYWORD)

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means; of overloads those that take as many arguments."""
        cpp, role, base = self._cpp, self._roles[row], self._bases[row]
        if role in (IMPORT_ROLE, KEYWORD_ROLE):
            return super().resolved(row)
        name, scope, start = self._facts.strings[self._names[row]], self._scopes[row], self._starts[row]
        if base >= 0 and cpp.infer(cpp.own, base) is None:
            return self.found_or_reason(None, base) if cpp.exhausted else _UNKNOWN_RECEIVER
        found: Denotation | None = None
        call = self._calls.get(start, -1) if role == CALL_ROLE else -1
        if role in _TYPES or (role == CALL_ROLE and call < 0):  # `new Type(...)`, `Type{...}`
            cpp.types_first = True
            found = self._named(base, scope, name, start)
            cpp.types_first = False
        if found is None or found.rule == _EXTERNAL:  # an argument of a template may be a value
            found = self._named(base, scope, name, start) or found
        if found is None:
            return self.found_or_reason(None, base)
        return self._with_definitions(self._fitting(found, call) if call >= 0 else found)

    def _with_definitions(self, found: Denotation) -> Denotation:
        """An answer with what the own file defines outside of its class: definitions stand first."""
        if self._outer is None:
            self._outer = {}
            for row in [row for rows in self._cpp.spaces.of(self._cpp.own).outer.values() for row in rows]:
                for ref in self._declared_in(row):
                    self._outer.setdefault(ref, []).append(DefinitionRef(self._cpp.path, row))
        if not self._outer:
            return found
        defined = [one for ref in found.refs if isinstance(ref, DefinitionRef) for one in self._outer.get(ref, ())]
        return Denotation((*defined, *found.refs), found.value, found.rule) if defined else found

    def _named(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        cpp = self._cpp
        if base < 0:
            return cpp.name(cpp.own, scope, name, start)
        return cpp.member(cpp.infer(cpp.own, base), name)

    def _fitting(self, found: Denotation, call: int) -> Denotation:
        cpp = self._cpp
        count = len(cpp.own.list_at(cpp.own.expressions.b[call]))
        fitting = tuple(
            [ref for ref in found.refs if isinstance(ref, External) or cpp.takes(cpp.unit(ref.file), ref.row, count)]
        )
        return Denotation(fitting, found.value, found.rule) if fitting and len(fitting) < len(found.refs) else found

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """Declarations are places of what they declare, where one thing alone is declared."""
        cpp = self._cpp
        shapes: set[object] = set()
        for ref in refs:
            if isinstance(ref, External):
                return True
            unit = cpp.unit(ref.file)
            shape = self._shape(unit, ref.row) if unit.kind[ref.row] in FUNCTIONS else unit.kind[ref.row]
            shapes.add(shape)
        defined = [ref for ref in refs if isinstance(ref, DefinitionRef) and not self._is_declaration(ref)]
        return len(shapes) > 1 or len(defined) > 1

    def _is_declaration(self, ref: DefinitionRef) -> bool:
        return ref.row >= 0 and bool(self._cpp.unit(ref.file).flags[ref.row] & PROTOTYPE)

    def _shape(self, unit: DeclaredUnit, row: int) -> object:
        """The types of parameters, as far as they are known."""
        taken = unit.strings[unit.expressions.a[unit.type[row]]] if unit.type[row] >= 0 else ""
        return taken, self._parameter_types(unit, row)

    # linkage

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Definitions of the file and what declares them to others; methods and those above that they stand for."""
        own = self._cpp.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            scope = own.scope[row]
            if kind in (METHOD_DEFINITION, FIELD_DEFINITION, CLASS_DEFINITION) and own.scope_kind[scope] == CLASS_SCOPE:
                if own.scope_owner[scope] < 0:
                    found += [(row, ref, 1) for ref in self._declared_in(row)]
                elif kind == METHOD_DEFINITION and own.flags[row] & VIRTUAL:
                    found += [(row, ref, 0) for ref in self._above(row)]
            elif kind in _LINKED and not own.flags[row] & (PROTOTYPE | STATIC_FLAG):
                found += [(row, ref, 1) for ref in self._prototypes(row)]
        return found

    def _same(self, row: int, refs: list[DefinitionRef]) -> list[DefinitionRef]:
        """Of declarations of one name those of what a row defines: by how many arguments, then by their types."""
        cpp, own = self._cpp, self._cpp.own
        if own.kind[row] not in FUNCTIONS:
            return refs[:1]
        taken = own.strings[own.expressions.a[own.type[row]]] if own.type[row] >= 0 else ""
        most = taken.partition(",")[2]
        alike: list[DefinitionRef] = []
        for ref in refs:
            unit = cpp.unit(ref.file)
            other = unit.strings[unit.expressions.a[unit.type[ref.row]]] if unit.type[ref.row] >= 0 else ""
            if other.partition(",")[2] == most:
                alike.append(ref)
        if len(alike) < 2:
            return alike
        types = self._parameter_types(own, row)
        exact = [ref for ref in alike if self._parameter_types(cpp.unit(ref.file), ref.row) == types]
        return exact if len(exact) == 1 else []

    def _parameter_types(self, unit: DeclaredUnit, row: int) -> tuple[Value | None, ...]:
        return tuple([self._cpp.row_value(unit, one) for one in unit.parameters(row)])

    def _declared_in(self, row: int) -> list[DefinitionRef]:
        """What a class declares, or a namespace, that is defined outside of it."""
        cpp, own = self._cpp, self._cpp.own
        holder = cpp.classes.holder(own, own.scope[row])
        if isinstance(holder, NamedType):
            file, type_row = cpp.classes.body(holder)
            unit = cpp.unit(file)
            body = unit.body[type_row]
            rows = unit.members(body).get(own.text(row), ()) if body >= 0 else ()
            return self._same(row, self._alike(row, [DefinitionRef(file, one) for one in rows]))
        if isinstance(holder, Package):
            refs = cpp.spaces.declared(holder.dotted, own.text(row))
            return self._same(row, [ref for ref in self._alike(row, refs) if self._is_declaration(ref)])
        return []

    def _alike(self, row: int, refs: Sequence[DefinitionRef]) -> list[DefinitionRef]:
        """Of declarations those of the kind of thing that a row defines."""
        kind = self._cpp.own.kind[row]
        kinds = FUNCTIONS if kind in FUNCTIONS else _VARIABLES if kind in _VARIABLES else {kind}
        return [ref for ref in refs if self._cpp.unit(ref.file).kind[ref.row] in kinds]

    def _prototypes(self, row: int) -> list[DefinitionRef]:
        cpp, own = self._cpp, self._cpp.own
        path_of = cpp.spaces.of(own).path_of
        if own.scope[row] not in path_of:
            return []
        refs = [
            ref
            for ref in cpp.spaces.declared(path_of[own.scope[row]], own.text(row))
            if ref.file != cpp.path and cpp.unit(ref.file).kind[ref.row] == own.kind[row] and self._is_declaration(ref)
        ]
        if own.kind[row] == CLASS_DEFINITION:
            refs += cpp.spaces.classes_elsewhere(path_of[own.scope[row]], own.text(row), defined=False)
        if own.kind[row] in FUNCTIONS:
            return self._same(row, refs)
        return refs

    def _above(self, row: int) -> list[DefinitionRef]:
        """The method above that a method stands for."""
        cpp, own = self._cpp, self._cpp.own
        type_ = own.type_of_scope(own.scope[row])
        for one in cpp.classes.lineage(type_)[1:] if type_ is not None else ():
            if not isinstance(one, NamedType):
                continue
            file, type_row = cpp.classes.body(one)
            unit = cpp.unit(file)
            body = unit.body[type_row]
            rows = unit.members(body).get(own.text(row), ()) if body >= 0 else ()
            refs = [DefinitionRef(file, at) for at in rows if unit.flags[at] & VIRTUAL]
            found = self._same(row, refs)
            if found:
                return found
        return []
