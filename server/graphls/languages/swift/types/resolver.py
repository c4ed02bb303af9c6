"""Resolver: each occurrence of one Swift file and what it means.

Owns: which kind of thing a name means by its role; what imports mean; members that stand for those of types above.
Must not know: how types are found, other languages.
Invariant: a name of a type never means a variable.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.declared.methods import MethodCandidate
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Package, Value, Variable
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_SCOPE,
    DECORATE_ROLE,
    IMPLEMENT_ROLE,
    IMPORT_ROLE,
    INHERIT_ROLE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    NAMESPACE_DEFINITION,
    PROPERTY_DEFINITION,
    TYPE_ROLE,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External
from graphls.languages.swift.modules import FILES
from graphls.languages.swift.types.inference import SwiftInference

_TYPES: Final = frozenset({TYPE_ROLE, INHERIT_ROLE, IMPLEMENT_ROLE, DECORATE_ROLE})
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_SILENT: Final = Denotation((), Package(None, ""), _KEYWORD)
_EXTENDS: Final = int(EdgeKind.EXTENDS)
_IMPLEMENTS: Final = int(EdgeKind.IMPLEMENTS)


class SwiftResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        swift = self._swift = SwiftInference(path, facts, world)
        super().__init__(path, facts, swift)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The module that an import names: a file of it stands for all."""
        scopes = self._swift.scopes
        for folder in scopes.folders(module, self._path, how):
            files = self._swift.world.package(FILES + folder)
            if files:
                return (DefinitionRef(files[0], -1),)
        return (External(module),)

    def named(self, found: Denotation) -> DefinitionRefs:
        """What a name means; a file stands for a module."""
        value = found.value
        if found.refs or not isinstance(value, Package) or value.name is None:
            return found.refs
        files = self._swift.world.package(FILES + value.name)
        return (DefinitionRef(files[0], -1),) if files else ()

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by what may stand in its place."""
        swift = self._swift
        own = swift.own
        role, base = self._roles[row], self._bases[row]
        name, scope, start = self._facts.strings[self._names[row]], self._scopes[row], self._starts[row]
        if role in (IMPORT_ROLE, KEYWORD_ROLE):
            return super().resolved(row)
        if role in _TYPES:
            scopes = swift.scopes
            found = scopes.type_named(own, scope, name) if base < 0 else scopes.type_below(own, base, name)
            return self.found_or_reason(found, base)
        if role == CALL_ROLE:
            call = swift.sites.calls.get(start, -1)
            found = swift.invocations.invocation(own, call).found if call >= 0 else None
            if found is not None:
                return found
            if call < 0:
                found = swift.name(own, scope, name, start) if base < 0 else swift.member(swift.infer(own, base), name)
                return self.found_or_reason(found, base)
            known = base >= 0 and swift.infer(own, base) is not None
            return self.found_or_reason(None, base) if base < 0 or known else _UNKNOWN_RECEIVER
        if base < 0:
            return self.found_or_reason(swift.name(own, scope, name, start), base)
        value = swift.infer(own, base)
        if value is None:
            return _UNKNOWN_RECEIVER
        return self.found_or_reason(swift.member(value, name), base)

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The parameter, or the stored property, that is called as the name of an argument."""
        swift = self._swift
        made = swift.invocations.invocation(swift.own, base)
        for candidate in made.chosen:
            unit = swift.unit(candidate.file)
            for row in swift.overloads.parameter_rows(candidate):
                if unit.text(row) == name and swift.overloads.label(unit, candidate, row) == name:
                    return Denotation((DefinitionRef(candidate.file, row),), None, _KEYWORD)
        if made.chosen:
            return _SILENT  # it is a part of the name of the function
        first = made.found.refs[0] if made.found is not None and made.found.refs else None
        if isinstance(first, External):
            return Denotation((External(f"{first.dotted}.{name}"),), None, _KEYWORD)
        return _SILENT if first is not None else None

    def _edge(self, role: int, ref: DefinitionRef) -> int:
        if role in (INHERIT_ROLE, IMPLEMENT_ROLE):
            is_protocol = self._types.unit(ref.file).kind[ref.row] == INTERFACE_DEFINITION
            return _IMPLEMENTS if is_protocol else _EXTENDS
        return super()._edge(role, ref)

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Members of the file and those above that they stand for."""
        swift, own = self._swift, self._swift.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            scope = own.scope[row]
            if kind not in (METHOD_DEFINITION, PROPERTY_DEFINITION) or own.scope_kind[scope] != CLASS_SCOPE:
                continue
            value = swift.scopes.self_type(own, scope)
            ref = self._above(value, row) if value is not None else None
            if ref is not None:
                unit = swift.unit(ref.file)
                holder = unit.scope_owner[unit.scope[ref.row]]
                found.append((row, ref, int(holder >= 0 and unit.kind[holder] == INTERFACE_DEFINITION)))
        return found

    def _above(self, value: Value, row: int) -> DefinitionRef | None:
        """The nearest member above that a member of the file stands for."""
        swift, own = self._swift, self._swift.own
        kind, overloads = own.kind[row], self._swift.overloads
        mine = MethodCandidate(self._path, row, {}, False)
        labels = overloads.labels(mine) if kind == METHOD_DEFINITION else []
        for one in swift.scopes.member_rows(value, own.text(row)):
            unit = one.unit
            same = unit.file == self._path and one.row == row
            holder = unit.scope_owner[unit.scope[one.row]]
            if same or unit.kind[one.row] != kind or not self._is_above(value, unit.file, holder):
                continue
            if kind == PROPERTY_DEFINITION:
                return DefinitionRef(unit.file, one.row)
            other = MethodCandidate(unit.file, one.row, one.given, True)
            if [label[0] for label in overloads.labels(other)] != [label[0] for label in labels]:
                continue
            wanted, got = overloads.parameter_types(other), overloads.parameter_types(mine)
            if all(overloads.fit(left, right) >= 0 for left, right in zip(wanted, got, strict=False)):
                return DefinitionRef(unit.file, one.row)
        return None

    def _is_above(self, value: Value, file: FilePath, row: int) -> bool:
        """Whether a type is one above another, and declares the member itself."""
        if row < 0:
            return False
        own = (value.file, value.row) if isinstance(value, (NamedType, Variable)) else None
        return own != (file, row) and self._swift.unit(file).kind[row] != NAMESPACE_DEFINITION
