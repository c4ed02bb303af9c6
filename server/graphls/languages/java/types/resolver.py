"""Resolver: each occurrence of one Java file and what it means.

Owns: which kind of thing a name means by its role; what imports and elements of annotations mean; overriding methods.
Must not know: how types are found, other languages.
Invariant: a name of a type never means a variable, the name of a call never a field.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Outside, TypeName, Value
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_SCOPE,
    DECORATE_ROLE,
    ENUM_DEFINITION,
    IMPLEMENT_ROLE,
    INHERIT_ROLE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    OBJECT_SCOPE,
    STATIC_FLAG,
    TYPE_EXPRESSION,
    TYPE_ROLE,
)
from graphls.languages.java.types.inference import JavaInference
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_TYPES: Final = frozenset({TYPE_ROLE, INHERIT_ROLE, IMPLEMENT_ROLE, DECORATE_ROLE})
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_MEMBER: Final = int(DeclaredRule.MEMBER)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_MISSING_MEMBER: Final = int(UnresolvedReason.MISSING_MEMBER)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)


class JavaResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._java = JavaInference(path, facts, world)
        super().__init__(path, facts, self._java)

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """The type that an import names, or the static members of one name."""
        java = self._java
        holder, _, name = module.rpartition(".")
        if how == 0:
            ref = java.scopes.type_at(module, java.path)
            return (ref,) if ref is not None else (External(module),)
        ref = java.scopes.type_at(holder, java.path)
        if ref is None:
            return tuple(java.scopes.facade(holder, name)) or (External(module),)
        type_ = NamedType(ref.file, ref.row)
        found = [one.ref for one in java.overloads.methods(type_, name).found]
        for other in (java.scopes.field(type_, name), java.scopes.member_type(type_, name)):
            if other is not None and other.rule != _EXTERNAL:
                found += [one for one in other.refs if isinstance(one, DefinitionRef)]
        return tuple(found)

    def imported_files(self, module: str) -> DefinitionRefs:
        """The file of the type that an import brings in."""
        java = self._java
        holder, _, name = module.rpartition(".")
        ref = java.scopes.type_at(module, java.path) or java.scopes.type_at(holder, java.path)
        ref = ref or next(iter(java.scopes.facade(holder, name)), None)
        if ref is not None:
            return (DefinitionRef(ref.file, -1),)
        return () if java.world.package(module) else (External(module),)

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by what may stand in its place."""
        java = self._java
        role, base = self._roles[row], self._bases[row]
        name, scope, start = self._facts.strings[self._names[row]], self._scopes[row], self._starts[row]
        if role in _TYPES:
            scopes, own = java.scopes, java.own
            found = scopes.type_named(own, scope, name) if base < 0 else scopes.type_below(own, base, name)
            return self.found_or_reason(found, base)
        if role == CALL_ROLE:
            return self._called(start, base)
        if role == KEYWORD_ROLE or base >= 0:
            return super().resolved(row)
        return self.found_or_reason(java.name(java.own, scope, name, start), base)

    def _called(self, start: int, base: int) -> Denotation | int:
        java = self._java
        if start in java.references:
            return self._referred(java.references[start])
        if start in java.creations:
            return self._created(java.creations[start])
        call = java.calls.get(start, -1)
        if call < 0:
            return _UNKNOWN_RECEIVER
        if start in java.unnamed:
            table = java.own.expressions
            type_ = java.infer(java.own, table.a[call])
            if isinstance(type_, NamedType):
                return Denotation((DefinitionRef(type_.file, type_.row),), TypeName(type_), _MEMBER)
        found = java.invocation(java.own, call).found
        if found is not None:
            return found
        known = base >= 0 and java.infer(java.own, base) is not None
        return self.found_or_reason(None, base) if base < 0 or known else _UNKNOWN_RECEIVER

    def _referred(self, row: int) -> Denotation | int:
        java = self._java
        found = java.reference(java.own, row)
        if found:
            return Denotation(tuple([one.ref for one in found]), None, _MEMBER)
        table = java.own.expressions
        member = table.a[row]
        value = java.infer(java.own, table.a[member])
        made = java.member_call(value, java.own.strings[table.b[member]], java.own, ())
        return made.found if made.found is not None else _UNKNOWN_RECEIVER

    def _created(self, row: int) -> Denotation | int:
        """What `new` means in `Type::new`: constructors, or the class where it declares none."""
        type_, constructors = self._java.creation(self._java.own, row)
        if constructors:
            return Denotation(tuple([one.ref for one in constructors]), None, _MEMBER)
        if isinstance(type_, NamedType):
            return Denotation((DefinitionRef(type_.file, type_.row),), None, _MEMBER)
        return (
            Denotation((External(type_.dotted),), None, _EXTERNAL) if isinstance(type_, Outside) else _UNKNOWN_RECEIVER
        )

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """An element of an annotation, or the constant of an enum in a switch."""
        java = self._java
        value = java.infer(java.own, base)
        annotation = java.own.expressions.kind[base] == TYPE_EXPRESSION
        if isinstance(value, NamedType):
            elements = java.overloads.methods(value, name).found if annotation else []
            if elements:
                return Denotation((elements[0].ref,), None, _KEYWORD)
            field = java.scopes.field(value, name)
            if field is not None and field.rule != _EXTERNAL:
                return Denotation(field.refs, field.value, _KEYWORD)
        if annotation:
            if not isinstance(value, Outside):
                return None
            return Denotation((External(f"{value.dotted}.{name}"),), None, _EXTERNAL)
        plain = java.name(java.own, scope, name, start)
        if plain is not None and self._is_object(plain.value):
            plain = None  # what a switch names is a number, a text or the constant of an enum
        if plain is not None and (not isinstance(value, Outside) or plain.rule != _EXTERNAL):
            return plain
        return (
            Denotation((External(f"{value.dotted}.{name}"),), None, _EXTERNAL) if isinstance(value, Outside) else plain
        )

    def _is_object(self, value: Value | None) -> bool:
        return isinstance(value, NamedType) and self._java.unit(value.file).kind[value.row] != ENUM_DEFINITION

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Methods of the file and those above that they stand for."""
        java, own = self._java, self._java.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            scope = own.scope[row]
            if kind != METHOD_DEFINITION or own.flags[row] & STATIC_FLAG:
                continue
            if own.scope_kind[scope] not in (CLASS_SCOPE, OBJECT_SCOPE):
                continue
            type_ = own.type_of_scope(scope)
            if type_ is None:
                continue
            ref = java.overloads.above(type_, row)
            if ref is not None:
                holder = java.unit(ref.file).scope_owner[java.unit(ref.file).scope[ref.row]]
                interface = holder >= 0 and java.unit(ref.file).kind[holder] == INTERFACE_DEFINITION
                found.append((row, ref, int(interface)))
        return found
