"""Classes: members of classes and enums, and of what is above them.

Owns: bodies of classes, bases, what is declared outside of its class, members by name.
Must not know: namespaces beyond what `Spaces` says, how occurrences become links.
Invariant: a class with a base that nobody knows gives no answer for a name that it does not declare itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, final

from graphls.facts.paths import FilePath
from graphls.languages.c.cpp.syntax.facts_builder import PROTOTYPE, SPECIAL
from graphls.languages.c.cpp.types.spaces import Spaces
from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.declared.lineage import lineage
from graphls.languages.declared.values import (
    Anonymous,
    DeclaredRule,
    Denotation,
    NamedType,
    Package,
    TypeName,
    Value,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    IMPORT_DEFINITION,
    OBJECT_SCOPE,
)
from graphls.languages.resolve.structural_value import DefinitionRef

if TYPE_CHECKING:
    from graphls.languages.c.cpp.types.inference import CppInference

_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_INHERITED: Final = int(DeclaredRule.INHERITED)
_MEMBER: Final = int(DeclaredRule.MEMBER)


@final
class CppClasses:
    """Members of types that one file sees."""

    def __init__(self, types: CppInference, spaces: Spaces) -> None:
        self._types = types
        self._spaces = spaces
        self._bodies: dict[tuple[FilePath, int], tuple[FilePath, int]] = {}

    # scopes

    def holder(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The class, or the namespace, whose scope this is."""
        if unit.scope_kind[scope] == OBJECT_SCOPE:
            return Anonymous(unit.file, scope)
        if unit.scope_owner[scope] >= 0:
            return unit.type_of_scope(scope)
        row = self._spaces.of(unit).qualified.get(scope, -1)
        if row < 0:
            return None
        value = self._types.guarded(("holder", unit.file, row), lambda: self._types.infer(unit, unit.value[row]), None)
        return value.type if isinstance(value, TypeName) else value

    def around(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The class whose instance `this` is."""
        while scope > 0:
            if unit.scope_kind[scope] in (CLASS_SCOPE, OBJECT_SCOPE):
                found = self.holder(unit, scope)
                return found if isinstance(found, (NamedType, Anonymous)) else None
            scope = unit.scope_parent[scope]
        return None

    def in_scope(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What a plain name means in a class, or behind a qualified name: there also in what is around that class."""
        holder = self.holder(unit, scope)
        if holder is None:
            return None
        found = self._types.find_member(holder, name)
        if found is not None or unit.scope_owner[scope] >= 0 or isinstance(holder, Anonymous):
            return found
        if isinstance(holder, Package):
            path = holder.dotted
            while path:
                path = path.rpartition("::")[0]
                found = self._types.in_space(path, name) if path else None
                if found is not None:
                    return found
            return None
        if isinstance(holder, NamedType) and (holder.file, holder.row) != (unit.file, -1):
            other = self._types.unit(holder.file)
            at = other.scope[holder.row]
            if at > 0:
                found = self._types.name(other, at, name, -1)
                return found if found is not None and found.rule != _EXTERNAL else None
        return None

    # types

    def body(self, type_: NamedType) -> tuple[FilePath, int]:
        """The file and the row of the definition of a class; of one that is only declared, itself."""
        key = (type_.file, type_.row)
        known = self._bodies.get(key)
        if known is None:
            self._bodies[key] = key
            known = self._bodies[key] = self._defined(type_) or key
        return known

    def _defined(self, type_: NamedType) -> tuple[FilePath, int] | None:
        unit = self._types.unit(type_.file)
        if not unit.flags[type_.row] & PROTOTYPE:
            return None
        scope, name = unit.scope[type_.row], unit.text(type_.row)
        path_of = self._spaces.of(unit).path_of
        if scope in path_of:
            for ref in self._spaces.declared(path_of[scope], name):
                other = self._types.unit(ref.file)
                if other.kind[ref.row] == CLASS_DEFINITION and not other.flags[ref.row] & (PROTOTYPE | SPECIAL):
                    return ref.file, ref.row
            return None
        owner = unit.scope_owner[scope] if scope >= 0 else -1
        if owner < 0:
            return None
        for file in self._types.files.visible(self._types.path):
            other = self._types.unit(file)
            for row in self._spaces.of(other).outer.get(name, ()):
                if other.kind[row] == CLASS_DEFINITION and other.body[row] >= 0:
                    holder = self.holder(other, other.scope[row])
                    if isinstance(holder, NamedType) and self.body(holder) == (type_.file, owner):
                        return file, row
        return None

    def bases(self, type_: Value) -> list[Value | None]:
        """Types directly above a class; None for one that nobody knows."""
        if not isinstance(type_, NamedType):
            return []
        file, row = self.body(type_)
        unit = self._types.unit(file)
        given = self._types.arguments_of(NamedType(file, row, type_.arguments))
        return [
            substituted(self._types.denote(unit, expression), given)
            for expression, keyword in unit.bases(row)
            if keyword < 0
        ]

    def _known_bases(self, type_: Value) -> list[Value]:
        return [one for one in self.bases(type_) if one is not None]

    def lineage(self, type_: Value) -> tuple[Value, ...]:
        """A class and all that is above it."""
        return lineage(type_, self._known_bases)

    def is_open(self, type_: NamedType) -> bool:
        """Whether something above a class, or its own body, is not known."""
        for one in self.lineage(type_):
            if not isinstance(one, NamedType):
                return True
            file, row = self.body(one)
            unit = self._types.unit(file)
            if unit.kind[row] == CLASS_DEFINITION and (unit.body[row] < 0 or None in self.bases(one)):
                return True
        return False

    def has_unknown_base(self, unit: DeclaredUnit, scope: int) -> bool:
        """Whether the class of a scope is not known, or is below one that is not; what is outside is known."""
        holder = self.holder(unit, scope)
        if not isinstance(holder, NamedType):
            return holder is None and scope in self._spaces.of(unit).qualified
        return any(None in self.bases(one) for one in self.lineage(holder))

    # members

    def member(self, type_: NamedType, name: str) -> Denotation | None:
        """A member of a class, of what is above it, or of an enum."""
        unit = self._types.unit(type_.file)
        if unit.kind[type_.row] == ENUM_DEFINITION:
            return self._enumerator(type_, name)
        for depth, one in enumerate(self.lineage(type_)):
            if not isinstance(one, NamedType):
                continue
            found = self._own_member(one, name, _INHERITED if depth else _MEMBER)
            if found is not None:
                return found
        return None

    def _own_member(self, type_: NamedType, name: str, rule: int) -> Denotation | None:
        file, row = self.body(type_)
        unit = self._types.unit(file)
        if unit.text(row) == name and unit.kind[row] == CLASS_DEFINITION:
            return Denotation((DefinitionRef(file, row),), TypeName(type_), rule)
        body = unit.body[row]
        if body < 0:
            return None
        found = self.rows(unit, body, name, rule)
        if found is None or found.value is None or not type_.arguments:
            return found
        given = self._types.arguments_of(NamedType(file, row, type_.arguments))
        return Denotation(found.refs, substituted(found.value, given), rule)

    def rows(self, unit: DeclaredUnit, scope: int, name: str, rule: int) -> Denotation | None:
        """What the body of a class declares under a name."""
        rows: Sequence[int] = unit.members(scope).get(name, ())
        if not rows:
            return None
        if all(unit.kind[row] == IMPORT_DEFINITION for row in rows):
            return self._types.found_at(unit, unit.value[rows[0]])
        refs = tuple([DefinitionRef(unit.file, row) for row in rows if unit.kind[row] != IMPORT_DEFINITION])
        found = self._types.found(refs)
        return None if found is None else Denotation(found.refs, found.value, rule)

    def _enumerator(self, type_: NamedType, name: str) -> Denotation | None:
        unit = self._types.unit(type_.file)
        body = unit.body[type_.row]
        scope = body if body >= 0 else unit.scope[type_.row]
        for row in unit.members(scope).get(name, ()):
            if unit.kind[row] == ENUM_MEMBER_DEFINITION and unit.owner[row] == type_.row:
                return Denotation((DefinitionRef(type_.file, row),), self._types.row_value(unit, row), _MEMBER)
        return None
