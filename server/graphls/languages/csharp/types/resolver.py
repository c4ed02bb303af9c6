"""Resolver: each occurrence of one C# file and what it means.

Owns: which kind of thing a name means by its role; what usings, initialisers and names of arguments mean; overriding.
Must not know: how types are found, other languages.
Invariant: a name of a type never means a variable; what is in no namespace that is seen is never answered.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.csharp.types.inference import CSharpInference
from graphls.languages.csharp.types.projects_index import TYPE_KINDS
from graphls.languages.declared.call_sites import arguments_of_call
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Outside, TypeName
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CALL_ROLE,
    CLASS_SCOPE,
    DECORATE_ROLE,
    INHERIT_ROLE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    PROPERTY_DEFINITION,
    STATIC_FLAG,
    TYPE_ROLE,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_TYPES: Final = frozenset({TYPE_ROLE, INHERIT_ROLE})
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_MISSING_MEMBER: Final = int(UnresolvedReason.MISSING_MEMBER)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)


class CSharpResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._csharp = CSharpInference(path, facts, world)
        super().__init__(path, facts, self._csharp)
        self._named_arguments: frozenset[int] | None = None

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """A namespace has no place of its own."""
        return ()

    def imported_files(self, module: str) -> DefinitionRefs:
        """What a using names that no file that is seen declares."""
        csharp = self._csharp
        space, _, name = module.rpartition(".")
        if csharp.scopes.index.is_namespace(module):
            return ()
        type_ = csharp.scopes.declared(space, name, -1)
        if type_ is not None:
            return (DefinitionRef(type_.file, -1),) if type_.file != csharp.path else ()
        return () if csharp.scopes.index.ends_namespace(module) else (External(module),)

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """The parts of one type are one thing."""
        csharp = self._csharp
        first = refs[0]
        if not isinstance(first, DefinitionRef) or csharp.unit(first.file).kind[first.row] not in TYPE_KINDS:
            return True
        parts = csharp.scopes.parts(first.file, first.row)
        return not all(isinstance(one, DefinitionRef) and (one.file, one.row) in parts for one in refs)

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by what may stand in its place."""
        csharp = self._csharp
        role, base = self._roles[row], self._bases[row]
        name, scope, start = self._facts.strings[self._names[row]], self._scopes[row], self._starts[row]
        arity = csharp.arities.get(start, 0)
        if role in _TYPES:
            if base < 0:
                return self.found_or_reason(csharp.scopes.type_named(csharp.own, scope, name, arity), base)
            return self.found_or_reason(csharp.scopes.type_below(csharp.own, base, name, arity), base)
        if role == DECORATE_ROLE:
            return self._decorated(start, base, scope, name)
        if role == CALL_ROLE:
            return self._called(start, base)
        if role == KEYWORD_ROLE or base >= 0:
            return super().resolved(row)
        return self.found_or_reason(csharp.name(csharp.own, scope, name, start), base)

    def _decorated(self, start: int, base: int, scope: int, name: str) -> Denotation | int:
        """An attribute, with or without the end of its name."""
        csharp = self._csharp
        found: Denotation | None = None
        for spelled in (f"{name}Attribute", name):
            made = csharp.scopes.type_named(csharp.own, scope, spelled) if base < 0 else None
            made = made or (csharp.scopes.type_below(csharp.own, base, spelled, 0) if base >= 0 else None)
            if made is not None and made.rule != _EXTERNAL:
                return self._constructed(start, made)
            found = made or found
        return self.found_or_reason(found, base)

    def _constructed(self, start: int, found: Denotation) -> Denotation:
        """The constructor that an attribute means, where its class declares some."""
        csharp = self._csharp
        value, call = found.value, csharp.calls.get(start, -1)
        type_ = value.type if isinstance(value, TypeName) else None
        if call < 0 or not isinstance(type_, NamedType):
            return found
        chosen = csharp.overloads.pick(
            csharp.overloads.constructors(type_), csharp.own, arguments_of_call(csharp, csharp.own, call)
        )
        return Denotation(tuple([one.ref for one in chosen]), value, found.rule) if chosen else found

    def _called(self, start: int, base: int) -> Denotation | int:
        csharp = self._csharp
        call = csharp.calls.get(start, -1)
        if call < 0:
            return _UNKNOWN_RECEIVER
        found = csharp.invocation(csharp.own, call).found
        if found is not None:
            return found
        known = base >= 0 and csharp.infer(csharp.own, base) is not None
        return self.found_or_reason(None, base) if base < 0 or known else _UNKNOWN_RECEIVER

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """The name of an argument, or a property in an initialiser or a pattern."""
        csharp = self._csharp
        if csharp.own.expressions.kind[base] == CALL_EXPRESSION and name and self._is_argument(start):
            ref = csharp.parameter_named(csharp.own, base, name)
            if ref is not None:
                return Denotation((ref,), None, _KEYWORD)
            found = csharp.invocation(csharp.own, base).found
            first = found.refs[0] if found is not None and found.refs else None
            return (
                Denotation((External(f"{first.dotted}.{name}"),), None, _EXTERNAL)
                if isinstance(first, External)
                else None
            )
        value = csharp.infer(csharp.own, base)
        if value is None:
            return None
        if isinstance(value, Outside):
            return Denotation((External(f"{value.dotted}.{name}"),), None, _EXTERNAL)
        field = csharp.member(value, name)
        return (
            Denotation(field.refs, field.value, _KEYWORD if field.rule != _EXTERNAL else field.rule) if field else None
        )

    def _is_argument(self, start: int) -> bool:
        """Whether a name stands in a call, and not in what sets properties of its result."""
        return start in self._argument_names()

    def _argument_names(self) -> frozenset[int]:
        known = self._named_arguments
        if known is None:
            table, uses = self._csharp.own.expressions, self._facts.occurrences
            calls = {row for row, kind in enumerate(table.kind) if kind == CALL_EXPRESSION and table.c[row] >= 0}
            rows = range(len(self._roles))
            named = [uses.start[row] for row in rows if self._roles[row] == KEYWORD_ROLE and self._bases[row] in calls]
            known = self._named_arguments = frozenset(named)
        return known

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Members of the file and those above that they stand for."""
        csharp, own = self._csharp, self._csharp.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            scope = own.scope[row]
            if kind not in (METHOD_DEFINITION, PROPERTY_DEFINITION) or own.flags[row] & STATIC_FLAG:
                continue
            if own.scope_kind[scope] != CLASS_SCOPE:
                continue
            type_ = csharp.scopes.type_of_scope(own, scope)
            ref = csharp.overloads.above(type_, row) if type_ is not None else None
            if ref is not None:
                unit = csharp.unit(ref.file)
                holder = unit.scope_owner[unit.scope[ref.row]]
                found.append((row, ref, int(holder >= 0 and unit.kind[holder] == INTERFACE_DEFINITION)))
        return found
