"""Scopes: namespaces, types by name, supertypes and their members.

Owns: what a name of a type means where it stands, parts of partial types, which types are above another, fields.
Must not know: calls, how occurrences become links.
Invariant: all parts of a type are one type, which its first part stands for; what no file that is seen declares is
    outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, final

from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.languages.csharp.projects import PACKAGES, USINGS
from graphls.languages.csharp.types.projects_index import (
    OF_ALIAS,
    OF_STATIC,
    TYPE_KINDS,
    ProjectIndex,
    how_of,
    module_of,
    namespace_of,
)
from graphls.languages.csharp.types.standard import HOMES, outside
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.lineage import lineage
from graphls.languages.declared.values import (
    Bindings,
    DeclaredRule,
    Denotation,
    NamedType,
    Outside,
    Package,
    Several,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_SCOPE,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    FIELD_DEFINITION,
    FUNCTION_SCOPE,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_SCOPE,
    NAME_EXPRESSION,
    NAMESPACE_SCOPE,
    PROPERTY_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External

STAR: Final = "*"
FIELD_KINDS: Final = frozenset({FIELD_DEFINITION, ENUM_MEMBER_DEFINITION, PROPERTY_DEFINITION})
EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
IMPORT: Final = int(DeclaredRule.IMPORT)
INHERITED: Final = int(DeclaredRule.INHERITED)
LOCAL: Final = int(DeclaredRule.LOCAL)
MEMBER: Final = int(DeclaredRule.MEMBER)
PACKAGE: Final = int(DeclaredRule.PACKAGE)
COMPONENT_FLAG: Final = int(DefinitionFlag.INSTANCE)
ANY: Final = -1
_MAX_PARTS: Final = 8
_FEW_PARTS: Final = 4
MANY_BODIES: Final = 16
"""Of more bodies of one type what they have of a name is remembered."""
_OUTSIDE_ROOTS: Final = frozenset(("System", "Microsoft", "Windows"))
Part = tuple[FilePath, int]
_IMPORTS: Final = frozenset({IMPORT_DEFINITION})


@final
class OpenedNamespaces:
    """What the usings of one scope open."""

    def __init__(self) -> None:
        self.spaces: dict[str, int] = {}
        """Namespaces, with the position of the first using of each."""
        self.statics: list[tuple[int, DeclaredUnit, int]] = []
        """Position, unit and row of usings of types."""
        self.away: list[str] = []
        """Namespaces that no file that is seen declares, one for each using."""


@final
class CSharpScopes:
    """Names of types in one file, and types that it can see."""

    def __init__(self, types: DeclaredInference) -> None:
        self._types = types
        self.index = ProjectIndex(types)
        """What the files that the own project sees declare."""
        self._parts: dict[Part, tuple[Part, ...]] = {}
        self._members: dict[Part, dict[str, list[Part]]] = {}
        """Of types with many parts: which of these have a member of a name."""
        self._bodies: dict[tuple[NamedType, str], list[tuple[DeclaredUnit, int, Bindings]]] = {}
        """The bodies of these."""
        self._opened: dict[tuple[FilePath, int], OpenedNamespaces] = {}
        self._first_opened: dict[tuple[FilePath, int, str, int], tuple[int, str]] = {}
        self._spaces: dict[tuple[FilePath, int], frozenset[str]] = {}

    # namespaces

    def declared(self, space: str, name: str, arity: int) -> NamedType | None:
        """The type that a namespace declares under a name."""
        for parts in self.index.types(name).get(space, ()):
            first = next((one for one in parts if self._fits(one, arity)), None)
            if first is not None:
                return self._named(first)
        return None

    def _fits(self, part: Part, arity: int) -> bool:
        return arity == ANY or len(self._types.unit(part[0]).type_parameters(part[1])) == arity

    def _named(self, part: Part) -> NamedType:
        return NamedType(*self.parts(*part)[0])

    def parts(self, file: FilePath, row: int) -> tuple[Part, ...]:
        """All declarations of the type that a row declares."""
        known = self._parts.get((file, row))
        if known is None:
            self._parts[file, row] = ((file, row),)
            found = tuple(self._other_parts(file, row)) or ((file, row),)
            known = found if (file, row) in found else ((file, row),)
            for part in known:
                self._parts[part] = known
        return known

    def _other_parts(self, file: FilePath, row: int) -> Iterator[Part]:
        unit = self._types.unit(file)
        scope, name, arity = unit.scope[row], unit.text(row), len(unit.type_parameters(row))
        kind = unit.scope_kind[scope] if scope >= 0 else MODULE_SCOPE
        while kind == TYPE_PARAMETERS_SCOPE:
            scope = unit.scope_parent[scope]
            kind = unit.scope_kind[scope]
        if kind in (MODULE_SCOPE, NAMESPACE_SCOPE):
            for listed in self.index.types(name).get(namespace_of(unit, scope), ()):
                if (file, row) in listed:
                    yield from (one for one in listed if self._fits(one, arity))
        elif unit.scope_owner[scope] >= 0:
            for other, holder in self.parts(file, unit.scope_owner[scope]):
                body = self._types.unit(other).body[holder]
                for one in self._types.unit(other).members(body).get(name, ()) if body >= 0 else ():
                    if self._types.unit(other).kind[one] in TYPE_KINDS and self._fits((other, one), arity):
                        yield other, one

    def found_type(self, type_: NamedType, rule: int) -> Denotation:
        """A type as what a name means."""
        refs = tuple([DefinitionRef(file, row) for file, row in self.parts(type_.file, type_.row)[:_MAX_PARTS]])
        return Denotation(refs, TypeName(type_), rule)

    # names of types

    def type_named(self, unit: DeclaredUnit, scope: int, name: str, arity: int = 0) -> Denotation | None:
        """What a plain name of a type means where it stands; a namespace where it is one."""
        key = ("typename", unit.file, scope, name, arity)
        return self._types.guarded(key, lambda: self._type_named(unit, scope, name, arity), None)

    def _type_named(self, unit: DeclaredUnit, scope: int, name: str, arity: int) -> Denotation | None:
        at, outer = scope, None
        away: list[str] = []
        while at >= 0:
            kind = unit.scope_kind[at]
            if kind in (TYPE_PARAMETERS_SCOPE, FUNCTION_SCOPE):
                for row in unit.members(at).get(name, ()):
                    if unit.kind[row] == TYPE_PARAMETER_DEFINITION:
                        return Denotation((DefinitionRef(unit.file, row),), TypeName(Variable(unit.file, row)), LOCAL)
            elif kind == CLASS_SCOPE:
                found = self.member_type(self.type_of_scope(unit, at), name, arity)
                if found is not None and isinstance(found.value, TypeName):
                    return found
                outer = outer or found
            elif kind in (NAMESPACE_SCOPE, MODULE_SCOPE):
                found = self._in_namespace(unit, at, name, arity, away)
                if found is not None:
                    return found
            at = unit.scope_parent[at]
        if not arity and (name in _OUTSIDE_ROOTS or name in self.stated(PACKAGES, unit.file)):
            return Denotation((External(name),), Package(None, name), EXTERNAL)
        if name in HOMES and (away or "System" in self.stated(USINGS, unit.file)):
            return outside_found(f"{HOMES[name]}.{name}")
        return outside_found(f"{away[0] if len(away) == 1 else '?'}.{name}") if away else outer

    def _in_namespace(
        self, unit: DeclaredUnit, scope: int, name: str, arity: int, away: list[str]
    ) -> Denotation | None:  # fmt: skip
        """Types of a namespace and of those around it that one clause names, then its usings."""
        space = namespace_of(unit, scope)
        parent = unit.scope_parent[scope]
        end = namespace_of(unit, parent) if parent >= 0 else ""
        first = True
        while True:
            type_ = self.declared(space, name, arity)
            if type_ is not None:
                return self.found_type(type_, LOCAL if type_.file == unit.file else PACKAGE)
            inner = f"{space}.{name}" if space else name
            if not arity and self.index.is_namespace(inner):
                return Denotation((), Package(None, inner), PACKAGE)
            if first:
                found = self._by_usings(unit, scope, name, arity, away)
                if found is not None:
                    return found
                first = False
            if space == end or not space:
                return None
            space = space.rpartition(".")[0]
            if space == end:
                return None

    def usings(self, unit: DeclaredUnit, scope: int, name: str = STAR) -> list[tuple[DeclaredUnit, int]]:
        """Usings of a scope: those of a namespace, or of the file and its project."""
        rows = [(unit, row) for row in unit.members_of(scope, name, _IMPORTS)]
        if scope == 0:
            for file, row in self.index.usings(self.index.project(unit.file), name):
                if file != unit.file:
                    rows.append((self._types.unit(file), row))
        return rows

    def opened(self, unit: DeclaredUnit, scope: int) -> OpenedNamespaces:
        """What the usings of a scope without names of their own open."""
        key = (unit.file, scope)
        known = self._opened.get(key)
        if known is None:
            known = self._opened[key] = OpenedNamespaces()
            for at, (holder, row) in enumerate(self.usings(unit, scope)):
                if how_of(holder, row) & OF_STATIC:
                    known.statics.append((at, holder, row))
                    continue
                dotted = self.full_namespace(holder, row)
                known.spaces.setdefault(dotted, at)
                if not self.index.is_namespace(dotted):
                    known.away.append(dotted)
        return known

    def _by_usings(
        self, unit: DeclaredUnit, scope: int, name: str, arity: int, away: list[str]
    ) -> Denotation | None:  # fmt: skip
        if not arity:
            for holder, row in self.usings(unit, scope, name):
                if how_of(holder, row) & OF_ALIAS:
                    return self._alias(holder, row)
        opened = self.opened(unit, scope)
        first, space = self._first_space(unit, scope, name, arity)
        for at, holder, row in opened.statics:
            if 0 <= first < at:
                break
            target = self._types.denote(holder, holder.type[row])
            found = self.member_type(target, name, arity) if isinstance(target, NamedType) else None
            if found is not None and isinstance(found.value, TypeName):
                return Denotation(found.refs, found.value, IMPORT)
        type_ = self.declared(space, name, arity) if first >= 0 else None
        if type_ is not None:
            return self.found_type(type_, IMPORT)
        # Who asks only tells one from several.
        away += opened.away[:2]
        for dotted in self.stated(USINGS, unit.file) if scope == 0 else ():
            type_ = self.declared(dotted, name, arity)
            if type_ is not None:
                return self.found_type(type_, IMPORT)
            if not self.index.is_namespace(dotted):
                away.append(dotted)
        return None

    def _first_space(self, unit: DeclaredUnit, scope: int, name: str, arity: int) -> tuple[int, str]:
        """The first using of a scope whose namespace declares a type: its position, -1 for none, and that namespace."""
        key = (unit.file, scope, name, arity)
        known = self._first_opened.get(key)
        if known is None:
            spaces = self.opened(unit, scope).spaces
            fitting = [
                (spaces[space], space)
                for space in self.index.types(name)
                if space in spaces and self.declared(space, name, arity) is not None
            ]
            known = self._first_opened[key] = min(fitting, default=(-1, ""))
        return known

    def sees_namespace(self, unit: DeclaredUnit, scope: int, space: str) -> bool:
        """Whether a namespace is around a scope, or opened there."""
        if not space or space in self.stated(USINGS, unit.file):
            return True
        at = scope
        while at >= 0:
            if space in self._spaces_at(unit, at):
                return True
            at = unit.scope_parent[at]
        return False

    def _spaces_at(self, unit: DeclaredUnit, scope: int) -> frozenset[str]:
        """The namespace that a scope is the body of and those that its name holds, and what usings open there."""
        known = self._spaces.get((unit.file, scope))
        if known is None:
            found: set[str] = set()
            space = namespace_of(unit, scope) if unit.scope_kind[scope] == NAMESPACE_SCOPE else ""
            while space:
                found.add(space)
                space = space.rpartition(".")[0]
            if scope == 0 or STAR in unit.members(scope):
                opened = self.opened(unit, scope)
                found.update(opened.spaces)
                found.update([self.full_namespace(holder, row) for _, holder, row in opened.statics])
            known = self._spaces[unit.file, scope] = frozenset(found)
        return known

    def stated(self, question: str, file: FilePath) -> tuple[str, ...]:
        """What the files of the project around a file say."""
        return self._types.world.aliases(question + self.index.project(file), file)

    def full_namespace(self, unit: DeclaredUnit, row: int) -> str:
        """What a using of a namespace names: inside of a namespace it may be relative."""
        dotted, space = module_of(unit, row), namespace_of(unit, unit.scope[row])
        while space:
            if self.index.is_namespace(f"{space}.{dotted}"):
                return f"{space}.{dotted}"
            space = space.rpartition(".")[0]
        return dotted

    def _alias(self, unit: DeclaredUnit, row: int) -> Denotation:
        type_ = self._types.denote(unit, unit.type[row])
        own = DefinitionRef(unit.file, row)
        if isinstance(type_, NamedType):
            found = self.found_type(type_, IMPORT)
            return Denotation(found.refs, TypeName(type_), IMPORT)
        if type_ is not None:
            refs = (External(type_.dotted),) if isinstance(type_, Outside) else (own,)
            return Denotation(refs, TypeName(type_), EXTERNAL if isinstance(type_, Outside) else IMPORT)
        dotted = module_of(unit, row)
        return Denotation((own,), Package(None, dotted), IMPORT)

    def type_of_scope(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The type whose body a scope is."""
        owner = unit.scope_owner[scope]
        if owner < 0:
            return None
        given = tuple([Variable(unit.file, row) for row in unit.type_parameters(owner)])
        first = self.parts(unit.file, owner)[0]
        return NamedType(*first, given)

    # supertypes

    def supers(self, value: Value) -> list[Value]:
        """The types directly above a type, what it extends first."""
        if isinstance(value, Variable):
            unit = self._types.unit(value.file)
            bound = self._types.denote(unit, unit.type[value.row])
            several = bound.parts if isinstance(bound, Several) else (bound,)
            return [part for part in several if part is not None]
        if not isinstance(value, NamedType):
            return []
        found: list[Value | None] = []
        for file, row in self.parts(value.file, value.row):
            unit = self._types.unit(file)
            given = self.given_to(value, file, row)
            found += [substituted(self._types.denote(unit, base), given) for base, _ in unit.bases(row)]
        if self._types.unit(value.file).kind[value.row] == ENUM_DEFINITION:
            found = [Outside("System.Enum")]
        return [one for one in dict.fromkeys(found) if one is not None]

    def lineage(self, value: Value) -> tuple[Value, ...]:
        """A type and all above it, the nearest first."""
        return self._types.guarded(("lineage", value), lambda: lineage(value, self.supers), (value,))

    def offering(self, value: Value) -> tuple[Value, ...]:
        """A type and those above it whose members it offers by name: a class has what its interfaces want by itself."""
        found = self.lineage(value)
        if not isinstance(value, NamedType) or self.is_interface(value):
            return found
        return tuple([one for one in found if not (isinstance(one, NamedType) and self.is_interface(one))])

    def is_interface(self, value: NamedType) -> bool:
        """Whether a type is an interface or a delegate."""
        return self._types.unit(value.file).kind[value.row] == INTERFACE_DEFINITION

    def bodies(self, value: Value) -> list[tuple[DeclaredUnit, int, Bindings]]:
        """Where the members of a type are declared, and what its type parameters stand for there."""
        if not isinstance(value, NamedType):
            return []
        found: list[tuple[DeclaredUnit, int, Bindings]] = []
        for file, row in self.parts(value.file, value.row):
            unit = self._types.unit(file)
            body = unit.body[row]
            if body >= 0 and unit.scope_kind[body] == CLASS_SCOPE:
                found.append((unit, body, self.given_to(value, file, row)))
        return found

    def bodies_with(self, value: Value, name: str) -> list[tuple[DeclaredUnit, int, Bindings]]:
        """Those of the bodies of a type that declare a name."""
        if not isinstance(value, NamedType):
            return []
        parts: Sequence[Part] = self.parts(value.file, value.row)
        if len(parts) <= _FEW_PARTS:
            return self._bodies_among(parts, value, name)
        key = (value, name)
        known = self._bodies.get(key)
        if known is None:
            parts = self._members_of(parts).get(name, ())
            known = self._bodies[key] = self._bodies_among(parts, value, name)
        return known

    def _bodies_among(
        self, parts: Sequence[Part], value: NamedType, name: str
    ) -> list[tuple[DeclaredUnit, int, Bindings]]:
        found: list[tuple[DeclaredUnit, int, Bindings]] = []
        for file, row in parts:
            unit = self._types.unit(file)
            body = unit.body[row]
            if body >= 0 and unit.scope_kind[body] == CLASS_SCOPE and name in unit.members(body):
                found.append((unit, body, self.given_to(value, file, row)))
        return found

    def _members_of(self, parts: Sequence[Part]) -> dict[str, list[Part]]:
        known = self._members.get(parts[0])
        if known is None:
            known = self._members[parts[0]] = {}
            for file, row in parts:
                unit = self._types.unit(file)
                for name in unit.members(unit.body[row]) if unit.body[row] >= 0 else ():
                    known.setdefault(name, []).append((file, row))
        return known

    def given_to(self, value: NamedType, file: FilePath, row: int) -> Bindings:
        """What the type parameters of one part of a type stand for."""
        rows: Sequence[int] = self._types.unit(file).type_parameters(row) if value.arguments else ()
        return {(file, one): type_ for one, type_ in zip(rows, value.arguments, strict=False)}

    def member_type(self, value: Value | None, name: str, arity: int = 0) -> Denotation | None:
        """A type that is declared inside of a type, or of one above it."""
        away: Outside | None = None
        for depth, one in enumerate(self.lineage(value)) if value is not None else ():
            away = away or (one if isinstance(one, Outside) else None)
            for unit, body, _ in self.bodies_with(one, name):
                for row in unit.members_of(body, name, TYPE_KINDS):
                    if self._fits((unit.file, row), arity):
                        return self.found_type(self._named((unit.file, row)), INHERITED if depth else MEMBER)
        return in_outside(away, name)

    def field(self, value: Value | None, name: str) -> Denotation | None:
        """A field, property, event or constant of a type, or of one above it."""
        away: Outside | None = None
        for depth, one in enumerate(self.offering(value)) if value is not None else ():
            away = away or (one if isinstance(one, Outside) else None)
            bodies = self.bodies_with(one, name)
            if len(bodies) <= MANY_BODIES:
                found = self._field_in(bodies, name, depth)
            else:
                found = self._types.guarded(
                    ("field", one, name, depth > 0), partial(self._field_in, bodies, name, depth), None
                )
            if found is not None:
                return found
        return in_outside(away, name)

    def _field_in(
        self, bodies: Sequence[tuple[DeclaredUnit, int, Bindings]], name: str, depth: int
    ) -> Denotation | None:
        for unit, body, given in bodies:
            for row in unit.members(body).get(name, ()):
                if self._is_field(unit, row, depth):
                    type_ = substituted(self._types.row_value(unit, row), given)
                    return Denotation((DefinitionRef(unit.file, row),), type_, INHERITED if depth else MEMBER)
        return None

    def _is_field(self, unit: DeclaredUnit, row: int, depth: int) -> bool:
        kind = unit.kind[row]
        if kind not in FIELD_KINDS or (kind == PROPERTY_DEFINITION and unit.value[row] >= 0):
            return False
        return not (depth and kind == FIELD_DEFINITION and unit.flags[row] & COMPONENT_FLAG)

    # written types

    def type_found(self, unit: DeclaredUnit, row: int, arity: int) -> Denotation | None:
        """What the expression of a written name of a type means."""
        table = unit.expressions
        if table.kind[row] == NAME_EXPRESSION:
            return self.type_named(unit, table.b[row], unit.strings[table.a[row]], arity)
        if table.kind[row] != MEMBER_EXPRESSION:
            return None
        return self.type_below(unit, table.a[row], unit.strings[table.b[row]], arity)

    def type_below(self, unit: DeclaredUnit, base: int, name: str, arity: int) -> Denotation | None:
        """A type by its last name, behind the expression of a type or a namespace."""
        table = unit.expressions
        if table.kind[base] == SUBSCRIPT_EXPRESSION:
            found = self.type_found(unit, table.a[base], len(unit.list_at(table.b[base])))
        else:
            found = self.type_found(unit, base, 0)
        return self.below(found.value, name, arity) if found is not None else None

    def below(self, value: Value | None, name: str, arity: int) -> Denotation | None:
        """A type or a namespace in a type or a namespace."""
        if isinstance(value, Package):
            dotted = f"{value.dotted}.{name}"
            type_ = self.declared(value.dotted, name, arity)
            if type_ is not None:
                return self.found_type(type_, IMPORT)
            if self.index.is_namespace(dotted):
                return Denotation((), Package(None, dotted), IMPORT)
            if self.index.is_namespace(value.dotted) and value.dotted.partition(".")[0] not in _OUTSIDE_ROOTS:
                return None
            return Denotation((External(dotted),), outside(dotted), EXTERNAL)
        type_value = value.type if isinstance(value, TypeName) else value
        if isinstance(type_value, Outside):
            return outside_found(f"{type_value.dotted}.{name}")
        return self.member_type(type_value, name, arity)


def type_in(found: Denotation | None) -> Value | None:
    """The type that a name was found to mean."""
    value = None if found is None else found.value
    return value.type if isinstance(value, TypeName) else value if isinstance(value, Outside) else None


def outside_found(dotted: str) -> Denotation:
    """A type outside."""
    value = outside(dotted)
    return Denotation((External(value.dotted),), value, EXTERNAL)


def in_outside(away: Outside | None, name: str) -> Denotation | None:
    """A member that only a type from outside can have: which type it is, is not known."""
    if away is None or away.dotted.startswith(BUILTIN):
        return None
    # What has no type arguments can give none of ours.
    value = None if away.arguments else Outside(UNKNOWN_LAST)
    return Denotation((External(f"{away.dotted}.{name}"),), value, EXTERNAL)
