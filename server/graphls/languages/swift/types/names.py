"""Names: what a plain name, and a name behind a dot, mean as values.

Owns: local names, members of the types around, what modules declare, members of values and types.
Must not know: calls, what a closure is given, how occurrences become links.
Invariant: a member of an instance is never one of its type; what may come from outside is never looked for elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, final

from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit, visible_row
from graphls.languages.declared.values import (
    Composite,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Package,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    ABSTRACT_FLAG,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    ENUM_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    INTERFACE_DEFINITION,
    METHOD_DEFINITION,
    PARAMETER_DEFINITION,
    STATIC_FLAG,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.swift.syntax.facts_builder import WRAPPED_BY
from graphls.languages.swift.syntax.types import OPTIONAL, TUPLE_TYPE
from graphls.languages.swift.types.scopes import (
    EXTERNAL,
    FIELD_KINDS,
    IMPORT,
    INHERITED,
    LOCAL,
    MEMBER,
    PACKAGE,
    TYPE_KINDS,
    SwiftScopes,
)
from graphls.languages.swift.types.standard import FUNCTIONS, is_protocol, last_name, member_type, payload, unwrapped

CALLABLES: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_VALUES: Final = FIELD_KINDS | {PARAMETER_DEFINITION}
_BARE: Final = frozenset((
    "Sendable", "AnyObject", "Error", "Equatable", "Hashable", "Comparable", "Copyable", "Escapable", "Encodable",
    "Decodable", "Codable", "CustomStringConvertible", "CustomDebugStringConvertible", "Identifiable",
))  # fmt: skip
"""Protocols of the library with few members, none of which a name is taken for."""
_OF_BARE: Final = {
    "hashValue", "description", "debugDescription", "hash", "encode", "localizedDescription", "allCases", "rawValue",
}  # fmt: skip
_OF_OPTIONAL: Final = frozenset(("some", "none", "map", "flatMap", "unsafelyUnwrapped", "take"))


class ClosureTypes(Protocol):
    """What who takes a closure says of it."""

    def closure_parameter(self, unit: DeclaredUnit, scope: int, at: int) -> Value | None:
        """What the closure around a scope is given at a position."""
        ...


@final
class SwiftNames:
    """Values of names."""

    def __init__(self, types: DeclaredInference, closures: ClosureTypes, scopes: SwiftScopes) -> None:
        self._types = types
        self._closures = closures
        self._scopes = scopes

    # plain names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """What a plain name means where it stands."""
        key = ("plain", unit.file, scope, name, offset if unit.own else -1)
        return self._types.guarded(key, lambda: self._name(unit, scope, name, offset), None)

    def _name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        if name == "self":
            return self._itself(unit, scope)
        if name == "super":
            value = self._above(unit, scope)
            return Denotation((), value, LOCAL) if value is not None else None
        if name[:1] == "$" and len(name) > 1:
            if name[1:].isdigit():
                at = int(name[1:]) if len(name) < 4 else 99
                return Denotation((), self._closures.closure_parameter(unit, scope, at), LOCAL)
            found = self.plain(unit, scope, name[1:], offset)
            return Denotation(found.refs, None, found.rule) if found is not None and found.rule != EXTERNAL else None
        found = self.plain(unit, scope, name, offset)
        if (found is None or found.rule == EXTERNAL) and name[:1] == "_" and len(name) > 1:
            stored = self.plain(unit, scope, name[1:], offset)
            first = stored.refs[0] if stored is not None and stored.refs else None
            if isinstance(first, DefinitionRef) and self._types.unit(first.file).flags[first.row] & WRAPPED_BY:
                return Denotation((first,), None, LOCAL)
        return found

    def _itself(self, unit: DeclaredUnit, scope: int) -> Denotation | None:
        value = self._scopes.self_type(unit, scope)
        if value is None:
            return None
        return Denotation((), TypeName(value) if self.is_static(unit, scope) else value, LOCAL)

    def _above(self, unit: DeclaredUnit, scope: int) -> Value | None:
        value = self._scopes.self_type(unit, scope)
        for one in self._scopes.supers(value) if isinstance(value, NamedType) else ():
            if isinstance(one, NamedType) and self._types.unit(one.file).kind[one.row] == CLASS_DEFINITION:
                return TypeName(one) if self.is_static(unit, scope) else one
            if isinstance(one, Outside) and not is_protocol(one.dotted):
                return one
        return None

    def is_static(self, unit: DeclaredUnit, scope: int) -> bool | None:
        """Whether code runs for a type and not for an instance; None where that is open."""
        at, owner = scope, -1
        while at > 0 and unit.scope_kind[at] != CLASS_SCOPE:
            if unit.scope_kind[at] == FUNCTION_SCOPE and unit.scope_owner[at] >= 0:
                owner = unit.scope_owner[at]
            at = unit.scope_parent[at]
        return None if owner < 0 else bool(unit.flags[owner] & STATIC_FLAG)

    def plain(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A local name, a member of a type around, what modules declare."""
        at = scope
        outside: Outside | None = None
        while at > 0:
            kind = unit.scope_kind[at]
            if kind == CLASS_SCOPE:
                value = self._scopes.self_type(unit, at)
                found = self._scopes.held_name(unit, at, name) or self.of_type_around(
                    value, name, self.is_static(unit, scope)
                )
                outside = outside or self.away(value)
            else:
                found = self.local(unit, at, name, kind, offset)
            if found is not None:
                return found
            at = unit.scope_parent[at]
        return self._beyond(unit, scope, name, outside)

    def local(self, unit: DeclaredUnit, scope: int, name: str, kind: int, offset: int) -> Denotation | None:
        """What a scope of a function binds."""
        if name not in unit.members(scope):
            return None
        functions = unit.members_of(scope, name, CALLABLES)
        values = unit.members_of(scope, name, _VALUES)
        row = visible_row(unit, values, kind, offset) if values else -1
        if row >= 0:
            return Denotation((DefinitionRef(unit.file, row),), self._types.row_value(unit, row), LOCAL)
        if functions:
            return Denotation(tuple([DefinitionRef(unit.file, one) for one in functions]),
                         Functions(unit.file, functions), LOCAL)  # fmt: skip
        types = unit.members_of(scope, name, TYPE_KINDS)
        return self._scopes.type_found([DefinitionRef(unit.file, types[-1])], LOCAL) if types else None

    def of_type_around(self, value: Value | None, name: str, static: bool | None) -> Denotation | None:
        """A member by its plain name: of the instance or the type that code runs for, else of the other."""
        if value is None:
            return None
        found = self.member_of(value, name, static)
        if found is None and static is not None:
            # Values of properties run before there is an instance, and types inside are known to both.
            other = self.member_of(value, name, not static)
            first = other.refs[0] if other is not None and other.refs else None
            if isinstance(first, DefinitionRef) and self._types.unit(first.file).kind[first.row] in TYPE_KINDS:
                found = other
        return Denotation(found.refs, found.value, LOCAL if found.rule == MEMBER else found.rule) if found else None

    def _beyond(self, unit: DeclaredUnit, scope: int, name: str, outside: Outside | None) -> Denotation | None:
        """What no scope of the file binds."""
        refs = self._scopes.declared(unit, name)
        found = self.value_at(refs, PACKAGE)
        if found is not None:
            return found
        type_ = self._scopes.type_named(unit, scope, name)
        if type_ is not None:
            return type_
        if outside is not None and name not in FUNCTIONS:
            return Denotation((External(f"{outside.dotted}.{name}"),), None, EXTERNAL)
        if name in FUNCTIONS:
            return Denotation((External(f"Swift.{name}"),), None, EXTERNAL)
        home = self._scopes.home_of(unit, name)
        return Denotation((External(f"{home}.{name}"),), None, EXTERNAL) if home else None

    def value_at(self, refs: Sequence[DefinitionRef], rule: int) -> Denotation | None:
        """The variable or the functions among declarations."""
        units = self._types.unit
        kept = self._scopes.nearest([ref for ref in refs if units(ref.file).kind[ref.row] in FIELD_KINDS])
        if kept:
            first = kept[0]
            rule = LOCAL if first.file == self._types.path else rule
            return Denotation(tuple(kept), self._types.row_value(units(first.file), first.row), rule)
        functions = [ref for ref in refs if units(ref.file).kind[ref.row] in CALLABLES]
        if functions:
            first = functions[0]
            value = Functions(first.file, (first.row,)) if len(functions) == 1 else None
            return Denotation(tuple(functions), value, LOCAL if first.file == self._types.path else rule)
        return None

    # members

    def away(self, value: Value | None) -> Outside | None:
        """What is outside above a type, and may have members that nobody here knows."""
        for one in self._scopes.lineage(value) if value is not None else ():
            if isinstance(one, Outside) and last_name(one.dotted) not in _BARE:
                return one
        return None

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """What stands behind the dot of a value, a type or a module."""
        if value is None:
            return None
        return self._types.guarded(("behind", value, name), lambda: self._member(value, name), None)

    def _member(self, value: Value, name: str) -> Denotation | None:
        if isinstance(value, Package):
            return self._in_package(value, name)
        if isinstance(value, TypeName):
            type_ = value.type
            if name == "Type":
                return Denotation((), TypeName(value), MEMBER)
            case = payload(type_, name) if isinstance(type_, Outside) else None
            if case is not None and isinstance(type_, Outside):
                return Denotation((External(f"{type_.dotted}.{name}"),), case, EXTERNAL)
            if isinstance(type_, Outside) and type_.dotted == OPTIONAL and name not in _OF_OPTIONAL:
                type_ = unwrapped(type_) or type_
            found = self.member_of(type_, name, True)
            if name == "init" and isinstance(type_, Outside):
                found = None
            if found is None:
                inner = self._scopes.member_type(type_, name)
                found = inner if inner is not None and not self._is_value_name(type_, name) else None
            return found or self._from_outside(type_, name, of_type=True)
        if isinstance(value, Outside) and value.dotted == OPTIONAL and name not in _OF_OPTIONAL:
            inside = self.member_of(value, name, False)
            held = unwrapped(value)
            return inside or (self._member(held, name) if held is not None else None)
        if isinstance(value, Composite) and value.constructor.startswith(TUPLE_TYPE):
            names = value.constructor[len(TUPLE_TYPE) :].split(",")
            return Denotation((), value.parts[names.index(name)], MEMBER) if name in names and name != "_" else None
        return self.member_of(value, name, False) or self._from_outside(value, name, of_type=False)

    def _is_value_name(self, type_: Value, name: str) -> bool:
        return isinstance(type_, Outside) and not name[:1].isupper()

    def _in_package(self, holder: Package, name: str) -> Denotation | None:
        refs = self._scopes.in_package(self._types.own, holder, name)
        types = [ref for ref in refs if self._types.unit(ref.file).kind[ref.row] in TYPE_KINDS]
        if types:
            return self._scopes.type_found(types, IMPORT)
        found = self.value_at(refs, IMPORT)
        if found is not None:
            return found
        if holder.name is not None:
            return None
        dotted = f"{holder.dotted}.{name}"
        if name[:1].isupper():
            return self._scopes.outside_type(dotted)
        return Denotation((External(dotted),), None, EXTERNAL)

    def member_of(self, value: Value, name: str, static: bool | None) -> Denotation | None:
        """A property, a case or the functions of a name that a type has. `static`: of the type itself, or of its
        instances; None: either."""
        functions: list[DefinitionRef] = []
        rule, concrete = MEMBER, not isinstance(value, (Variable, Composite))
        abstract: Denotation | None = None
        for one in self._scopes.member_rows(value, name):
            unit, row = one.unit, one.row
            kind = unit.kind[row]
            if kind in TYPE_KINDS:
                if static is False:
                    continue
                type_ = self._scopes.member_type(value, name)
                return type_ if type_ is not None and not functions else None
            if static is not None and name != "init" and bool(unit.flags[row] & STATIC_FLAG) != static:
                continue
            if kind in CALLABLES:
                functions.append(DefinitionRef(unit.file, row))
                rule = INHERITED if one.depth else MEMBER
                continue
            if kind not in FIELD_KINDS:
                continue
            made = substituted(self._types.row_value(unit, row), one.given)
            found = Denotation((DefinitionRef(unit.file, row),), made, INHERITED if one.depth else MEMBER)
            if concrete and unit.flags[row] & ABSTRACT_FLAG and not self._is_protocol(value):
                abstract = abstract or found
                continue
            return found
        if abstract is not None:
            return abstract
        if functions:
            first = functions[0]
            return Denotation(
                tuple(functions), Functions(first.file, (first.row,)) if len(functions) == 1 else None, rule
            )
        return None

    def _is_protocol(self, value: Value) -> bool:
        return isinstance(value, NamedType) and self._types.unit(value.file).kind[value.row] == INTERFACE_DEFINITION

    def _from_outside(self, value: Value, name: str, *, of_type: bool) -> Denotation | None:
        """A member that something outside has."""
        away = value if isinstance(value, Outside) else self.away(value)
        if isinstance(value, NamedType) and self._types.unit(value.file).kind[value.row] == ENUM_DEFINITION:
            if name == "rawValue" and not of_type:
                raw = self._raw_type(value)
                return Denotation((External("Swift.RawRepresentable.rawValue"),), raw, EXTERNAL)
            if name == "allCases" and of_type:
                return Denotation(
                    (External("Swift.CaseIterable.allCases"),), Outside("Swift.Array", (value,)), EXTERNAL
                )
        if away is None:
            if name in _OF_BARE and isinstance(value, (NamedType, Variable)):
                return Denotation((External(f"Swift.Any.{name}"),), None, EXTERNAL)
            return None
        given = None if of_type else member_type(away, name)
        return Denotation((External(f"{away.dotted}.{name}"),), given, EXTERNAL)

    def _raw_type(self, value: NamedType) -> Value | None:
        unit = self._types.unit(value.file)
        bases = unit.bases(value.row)
        made = self._types.denote(unit, bases[0][0]) if bases else None
        return made if isinstance(made, Outside) else None
