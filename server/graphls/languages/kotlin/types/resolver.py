"""Resolver: each occurrence of one Kotlin file and what it means.

Owns: which kind of thing a name means by its role; what imports and names of arguments mean; overriding members.
Must not know: how types are found, other languages.
Invariant: a name of a type never means a variable.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.declared.accessors import is_java
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_SCOPE,
    DECORATE_ROLE,
    IMPLEMENT_ROLE,
    IMPORT_ROLE,
    INHERIT_ROLE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    LAMBDA_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    OBJECT_SCOPE,
    PROPERTY_DEFINITION,
    READ_ROLE,
    TYPE_ROLE,
    WRITE_ROLE,
)
from graphls.languages.kotlin.syntax.expressions import REFERENCE
from graphls.languages.kotlin.types.inference import KotlinInference
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_TYPES: Final = frozenset({TYPE_ROLE, INHERIT_ROLE, IMPLEMENT_ROLE, DECORATE_ROLE})
_PLAIN: Final = frozenset({READ_ROLE, WRITE_ROLE})
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_CONSTRUCTOR: Final = "constructor"


class KotlinResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        kotlin = self._kotlin = KotlinInference(path, facts, world)
        super().__init__(path, facts, kotlin)
        self._references: dict[int, int] = {}
        """Where the name behind `::` stands -> the reference."""
        table = kotlin.own.expressions
        for row, kind in enumerate(table.kind):
            if kind == LAMBDA_EXPRESSION and table.b[row] == REFERENCE:
                inner = table.a[row]
                if table.kind[inner] in (NAME_EXPRESSION, MEMBER_EXPRESSION):
                    self._references[table.c[inner]] = row

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """What the text of an import names: types, functions and properties of one name."""
        kotlin = self._kotlin
        found: list[DefinitionRef] = list(kotlin.scopes.type_at(module))
        found += [ref for ref in kotlin.receivers.callables_at(module) if ref not in found]
        found = kotlin.scopes.nearest_of_each(found)
        return tuple(found) if found else (External(module),)

    def imported_files(self, module: str) -> DefinitionRefs:
        """The files of what an import brings in."""
        found = [ref for ref in self.imported(module, 0) if isinstance(ref, DefinitionRef)]
        files = dict.fromkeys(ref.file for ref in found if ref.file != self._kotlin.path)
        if files:
            return tuple([DefinitionRef(file, -1) for file in files][:1])
        return () if found else (External(module),)

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """Whether several places are several things."""
        return True

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by what may stand in its place."""
        kotlin = self._kotlin
        own = kotlin.own
        role, base = self._roles[row], self._bases[row]
        name, scope, start = self._facts.strings[self._names[row]], self._scopes[row], self._starts[row]
        if role in (IMPORT_ROLE, KEYWORD_ROLE):
            return super().resolved(row)
        if role in _TYPES:
            found = (
                kotlin.scopes.type_named(own, scope, name) if base < 0 else kotlin.scopes.type_below(own, base, name)
            )
            return self.found_or_reason(found, base)
        if start in self._references:
            found = kotlin.referred(own, self._references[start])
            return self.found_or_reason(found, base) if found is not None or base < 0 else _UNKNOWN_RECEIVER
        if role == CALL_ROLE:
            call = kotlin.calls.get(start, -1)
            found = kotlin.invocations.invocation(own, call).found if call >= 0 else None
            if found is not None:
                return found
            known = base >= 0 and kotlin.infer(own, base) is not None
            return self.found_or_reason(None, base) if base < 0 or known else _UNKNOWN_RECEIVER
        if base < 0:
            return self.found_or_reason(self._written(kotlin.name(own, scope, name, start), role, name), base)
        value = kotlin.infer(own, base)
        found = self._written(kotlin.names.member_at(value, name, own, scope), role, name)
        if found is None and value is None:
            return _UNKNOWN_RECEIVER
        return self.found_or_reason(found, base)

    def _written(self, found: Denotation | None, role: int, name: str) -> Denotation | None:
        """Of a property that methods of Java are, the one that writes it where it is written."""
        first = found.refs[0] if found is not None and role == WRITE_ROLE and found.refs else None
        setter = self._kotlin.receivers.setter_of(first, name) if isinstance(first, DefinitionRef) else None
        return found if setter is None or found is None else Denotation((setter,), found.value, found.rule)

    def acting_role(self, row: int, refs: DefinitionRefs) -> int:
        """A property that a method of Java is runs that."""
        role, first = self._roles[row], refs[0] if refs else None
        if role not in _PLAIN or not isinstance(first, DefinitionRef) or not is_java(first.file):
            return role
        called = self._kotlin.unit(first.file).kind[first.row] == METHOD_DEFINITION
        return CALL_ROLE if called and self._starts[row] not in self._references else role

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The parameter that the name of an argument means."""
        kotlin = self._kotlin
        ref = kotlin.parameter_named(base, name)
        if ref is not None:
            return Denotation((ref,), None, _KEYWORD)
        found = kotlin.invocations.invocation(kotlin.own, base).found
        first = found.refs[0] if found is not None and found.refs else None
        return (
            Denotation((External(f"{first.dotted}.{name}"),), None, _KEYWORD) if isinstance(first, External) else None
        )

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Members of the file and those above that they stand for."""
        kotlin, own = self._kotlin, self._kotlin.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            scope = own.scope[row]
            if kind not in (METHOD_DEFINITION, PROPERTY_DEFINITION) or own.text(row) == _CONSTRUCTOR:
                continue
            if own.scope_kind[scope] not in (CLASS_SCOPE, OBJECT_SCOPE):
                continue
            type_ = own.type_of_scope(scope)
            ref = kotlin.overloads.above(type_, row) if type_ is not None else None
            if ref is not None:
                unit = kotlin.unit(ref.file)
                holder = unit.scope_owner[unit.scope[ref.row]]
                found.append((row, ref, int(holder >= 0 and unit.kind[holder] == INTERFACE_DEFINITION)))
        return found
