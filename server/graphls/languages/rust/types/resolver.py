"""Resolver: each occurrence of one Rust file and what it means.

Owns: which space of names a use is in, what imports and fields mean, methods that stand for those of traits.
Must not know: how types are found, other languages.
Invariant: a method call never means a field, the name of a macro never a function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind, Resolution, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.languages.declared.resolver import DeclaredResolver
from graphls.languages.declared.values import DeclaredRule, Denotation, ModuleBody, NamedType
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    DECORATE_ROLE,
    IMPLEMENT_ROLE,
    IMPORT_ROLE,
    INHERIT_ROLE,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    TYPE_ROLE,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External
from graphls.languages.rust.types.inference import RustInference
from graphls.languages.rust.types.paths import ENTER_EXPRESSION, MACRO_NAMES, TYPES, VALUES

_TYPES: Final = frozenset({TYPE_ROLE, INHERIT_ROLE, IMPLEMENT_ROLE})
_STARRED: Final = int(ExpressionKind.STARRED)
_IMPORTED: Final = int(Resolution.IMPORT)
_KEYWORD: Final = int(DeclaredRule.KEYWORD)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_MISSING_MEMBER: Final = int(UnresolvedReason.MISSING_MEMBER)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_EVERY_SPACE: Final = (TYPES, VALUES, MACRO_NAMES)


class RustResolver(DeclaredResolver):
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self._rust = RustInference(path, facts, world)
        self._entered: frozenset[int] | None = None
        super().__init__(path, facts, self._rust)

    def _import(self, row: int) -> DefinitionRefs:
        """What the last name of an import means, in every space of names."""
        rust, base = self._rust, self._bases[row]
        found: dict[DefinitionRef | External, None] = {}
        for space in _EVERY_SPACE:
            one = rust.paths.path_found(rust.own, base, space) if base >= 0 else None
            for ref in self.named(one) if one is not None else ():
                found[ref] = None
        inside = [ref for ref in found if isinstance(ref, DefinitionRef)]
        return tuple(inside or found)

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """A name may be that of a type and of a function alike."""
        return True

    def _modules(self) -> list[tuple[int, ...]]:
        """The files that imports bring in."""
        rust, own, table = self._rust, self._rust.own, self._facts.imports
        rows: list[tuple[int, ...]] = []
        for row, definition in enumerate(table.definition):
            path = own.value[definition] if definition >= 0 else -1
            found = next((one for space in _EVERY_SPACE if (one := rust.paths.path_found(own, path, space))), None)
            for ref in found.refs[:1] if found is not None else ():
                whole = DefinitionRef(ref.file, -1) if isinstance(ref, DefinitionRef) else ref
                rows.append((row, *self._target(whole, IMPORT_ROLE), _IMPORTED, 100, 0))
        return rows

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, by what may stand in its place."""
        rust = self._rust
        role, base = self._roles[row], self._bases[row]
        name, scope, start = self._facts.strings[self._names[row]], self._scopes[row], self._starts[row]
        table = rust.own.expressions
        if base >= 0 and table.kind[base] == _STARRED:
            return self.found_or_reason(rust.paths.path_found(rust.own, table.a[base], MACRO_NAMES), -1)
        if base < 0:
            return self.found_or_reason(self._plain(scope, name, start, role), base)
        if table.kind[base] == ENTER_EXPRESSION:
            return self._below(table.a[base], name, role)
        return self._called(base, name) if role == CALL_ROLE else super().resolved(row)

    def _plain(self, scope: int, name: str, start: int, role: int) -> Denotation | None:
        rust = self._rust
        if role == DECORATE_ROLE:
            return rust.paths.plain(rust.own, scope, name, start, TYPES) or rust.paths.macro(rust.own, name)
        typed = role in _TYPES or start in self._begun()
        first, second = (TYPES, VALUES) if typed else (VALUES, TYPES)
        found = rust.paths.plain(rust.own, scope, name, start, first)
        return found if found is not None else rust.paths.plain(rust.own, scope, name, start, second)

    def _begun(self) -> frozenset[int]:
        """Where names stand in front of `::`: a variable of the same name is never meant."""
        if self._entered is None:
            table = self._rust.own.expressions
            inner = [table.a[row] for row, kind in enumerate(table.kind) if kind == ENTER_EXPRESSION]
            self._entered = frozenset([table.c[row] for row in inner if table.kind[row] == NAME_EXPRESSION])
        return self._entered

    def _below(self, holder: int, name: str, role: int) -> Denotation | int:
        rust = self._rust
        first, second = (TYPES, VALUES) if role in _TYPES else (VALUES, TYPES)
        for space in (first, second, MACRO_NAMES):
            found = rust.paths.below(rust.own, holder, name, space)
            if found is not None:
                return found
        known = rust.paths.entered(rust.own, holder) is not None
        return self.found_or_reason(None, 0) if known else _UNKNOWN_RECEIVER

    def _called(self, base: int, name: str) -> Denotation | int:
        rust = self._rust
        value = rust.infer(rust.own, base)
        if value is None:
            return _LIMIT if rust.exhausted else _UNKNOWN_RECEIVER
        found = rust.members.method(value, name)
        return _MISSING_MEMBER if found is None else found

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """A field of a struct or variant, in braces."""
        found = self._rust.fields_of(self._rust.own, base, name)
        return None if found is None else Denotation(found.refs, found.value, _KEYWORD)

    def named(self, found: Denotation) -> DefinitionRefs:
        """What a name means to the graph: a module is its file."""
        if isinstance(found.value, ModuleBody):
            return (self._rust.paths.module_ref(found.value),)
        return found.refs

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Methods of the file, and those of traits that they stand for."""
        rust, own = self._rust, self._rust.own
        found: list[tuple[int, DefinitionRef, int]] = []
        for row, kind in enumerate(own.kind):
            if kind != METHOD_DEFINITION or own.type[row] < 0:
                continue
            around = rust.members.implementation_around(own, row)
            trait = rust.denote(own, own.value[around]) if around >= 0 and own.value[around] >= 0 else None
            member = rust.members.trait_row(trait, own.text(row)) if isinstance(trait, NamedType) else None
            if member is not None:
                found.append((row, DefinitionRef(member[0].file, member[1]), 1))
        return sorted((*found, *self._items()), key=lambda one: (one[0], one[1].file, one[1].row))

    def _items(self) -> Iterator[tuple[int, DefinitionRef, int]]:
        """Types and constants of implementations, and those of the traits."""
        rust, own = self._rust, self._rust.own
        for row in rust.paths.implementations(own.file):
            trait = rust.denote(own, own.value[row])
            if not isinstance(trait, NamedType) or own.body[row] < 0:
                continue
            for name, members in own.members(own.body[row]).items():
                above = rust.members.trait_row(trait, name)
                if above is not None:
                    yield from ((member, DefinitionRef(above[0].file, above[1]), 1) for member in members)
