"""Scopes: packages, imports, types by name, supertypes and their members.

Owns: what a name of a type means where it stands, what packages declare, which types are above another.
Must not know: calls, extensions, how occurrences become links.
Invariant: the package clause decides, never the folder; what the workspace does not declare is outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_OVERLOADS
from graphls.languages.declared.accessors import is_java
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.lineage import lineage
from graphls.languages.declared.values import (
    Anonymous,
    Bindings,
    DeclaredRule,
    Denotation,
    NamedType,
    Outside,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    CONSTANT_DEFINITION,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    FIELD_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    PROPERTY_DEFINITION,
    TYPE_ALIAS_DEFINITION,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.kotlin.syntax.facts_builder import COMPANION, PRIVATE, SINGLE
from graphls.languages.kotlin.types.standard import JAVA_TYPES, SAME_TYPES, TYPES
from graphls.languages.resolve.structural_value import DefinitionRef, External

STAR: Final = "*"
TYPE_KINDS: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION, TYPE_ALIAS_DEFINITION})
_NAMED_TYPES: Final = TYPE_KINDS | {TYPE_PARAMETER_DEFINITION}
_IMPORTS: Final = frozenset({IMPORT_DEFINITION})
CLASSES: Final = TYPE_KINDS - {TYPE_ALIAS_DEFINITION}
FIELD_KINDS: Final = frozenset({
    PROPERTY_DEFINITION, ENUM_MEMBER_DEFINITION, CONSTANT_DEFINITION, VARIABLE_DEFINITION, FIELD_DEFINITION,
})  # fmt: skip
"""The last one is Java's."""
EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
IMPORT: Final = int(DeclaredRule.IMPORT)
INHERITED: Final = int(DeclaredRule.INHERITED)
LOCAL: Final = int(DeclaredRule.LOCAL)
MEMBER: Final = int(DeclaredRule.MEMBER)
PACKAGE: Final = int(DeclaredRule.PACKAGE)
SCRIPT: Final = ".kts"
_PLATFORM: Final = re.compile(r"([a-z][a-zA-Z0-9]*)Test$")


@final
class KotlinScopes:
    """Names of types in one file, and types that it can see."""

    def __init__(self, types: DeclaredInference) -> None:
        self._types = types
        self._declared: dict[tuple[str, str], tuple[DefinitionRef, ...]] = {}
        self._bases: dict[int, int] = {}
        """Scope of a type without a name -> the written types that it extends."""
        table = self._types.own.expressions
        for row, kind in enumerate(table.kind):
            if kind == OBJECT_EXPRESSION and table.b[row] >= 0:
                self._bases[table.a[row]] = table.b[row]

    # packages

    def declared(self, package: str, name: str) -> tuple[DefinitionRef, ...]:
        """Everything that a package declares under a name and this file may see; the nearest files first."""
        key = (package, name)
        known = self._declared.get(key)
        if known is None:
            found: list[DefinitionRef] = []
            files = self._types.world.defining(name)
            for file in files if self._types.path in files else (*files, self._types.path):
                if self._types.clause(file) != package or (file.endswith(SCRIPT) and file != self._types.path):
                    continue
                unit = self._types.unit(file)
                for row in unit.members(0).get(name, ())[: MAX_OVERLOADS + 1]:
                    hidden = unit.flags[row] & PRIVATE and file != self._types.path
                    if unit.kind[row] != IMPORT_DEFINITION and not hidden:
                        found.append(DefinitionRef(file, row))
            known = tuple(sorted(found, key=lambda ref: (self.distance(ref.file), ref.row)))
            self._declared[key] = known
        return known

    def distance(self, file: FilePath) -> tuple[bool, int, str]:
        """How far a file is from this one: parts of the path that both do not share. Tests of a platform are nearer to
        its sources (`jvmTest`, `jvmMain`) than to common ones."""
        ours, theirs = self._types.path.split("/")[:-1], file.split("/")[:-1]
        shared = 0
        for one, other in zip(ours, theirs, strict=False):
            if one != other:
                platform = _PLATFORM.match(one)
                shared += platform is not None and other.startswith(platform[1])
                break
            shared += 2
        return file != self._types.path, -shared, file

    def nearest(self, refs: Iterable[DefinitionRef]) -> list[DefinitionRef]:
        """Of declarations of one thing in several source sets those that are nearest."""
        found: list[DefinitionRef] = []
        best: tuple[bool, int] | None = None
        for ref in refs:
            own, shared, _ = self.distance(ref.file)
            if best is None:
                best = (own, shared)
            if (own, shared) == best:
                found.append(ref)
        return found

    def nearest_of_each(self, refs: Iterable[DefinitionRef]) -> list[DefinitionRef]:
        """The same for each kind of declaration: types, functions and properties."""
        groups: dict[bool, list[DefinitionRef]] = {}
        for ref in refs:
            groups.setdefault(self._types.unit(ref.file).kind[ref.row] in TYPE_KINDS, []).append(ref)
        return [ref for group in groups.values() for ref in self.nearest(group)]

    def declared_types(self, package: str, name: str) -> list[DefinitionRef]:
        """The types that a package declares under a name: those of the nearest files."""
        found = self.declared(package, name)
        return self.nearest([ref for ref in found if self._types.unit(ref.file).kind[ref.row] in TYPE_KINDS])

    def type_at(self, dotted: str) -> list[DefinitionRef]:
        """The type of the workspace that a dotted name means."""
        parts = dotted.split(".")
        for at in range(len(parts) - 1, -1, -1):
            found = self.declared_types(".".join(parts[:at]), parts[at])
            for part in parts[at + 1 :]:
                found = self._inner_types(found, part)
            if found:
                return found
        return []

    def _inner_types(self, holders: list[DefinitionRef], name: str) -> list[DefinitionRef]:
        found: list[DefinitionRef] = []
        for holder in holders:
            inner = self.member_type(NamedType(holder.file, holder.row), name)
            found += [ref for ref in inner.refs if isinstance(ref, DefinitionRef)] if inner is not None else []
        return found

    def outside_type(self, dotted: str) -> Denotation:
        """A type that the workspace does not declare."""
        return Denotation((External(dotted),), TypeName(Outside(SAME_TYPES.get(dotted, dotted))), EXTERNAL)

    def type_found(self, refs: list[DefinitionRef], rule: int) -> Denotation:
        """The type that a declaration makes; of an alias the type that it stands for."""
        first = refs[0]
        return Denotation(tuple(refs), self._types.row_value(self._types.unit(first.file), first.row), rule)

    # imports

    def imports(self, unit: DeclaredUnit, name: str) -> list[str]:
        """Dotted names that imports bind to a name."""
        rows = unit.members_of(0, name, _IMPORTS)
        return [unit.strings[unit.expressions.a[unit.value[row]]] for row in rows if unit.value[row] >= 0]

    def star_imports(self, unit: DeclaredUnit) -> list[str]:
        """Packages and types that imports bring in with a star."""
        return self.imports(unit, STAR)

    # names of types

    def type_named(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What a plain name of a type means where it stands."""
        return self._types.guarded(
            ("typename", unit.file, scope, name), lambda: self._type_named(unit, scope, name), None
        )

    def _type_named(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            for row in unit.members_of(at, name, _NAMED_TYPES):
                if unit.kind[row] == TYPE_PARAMETER_DEFINITION and kind == TYPE_PARAMETERS_SCOPE:
                    return Denotation((DefinitionRef(unit.file, row),), TypeName(Variable(unit.file, row)), LOCAL)
                if unit.kind[row] in TYPE_KINDS:
                    return self.type_found([DefinitionRef(unit.file, row)], LOCAL)
            if kind in (CLASS_SCOPE, OBJECT_SCOPE):
                found = self.member_type(unit.type_of_scope(at), name)
                if found is not None:
                    return Denotation(found.refs, found.value, INHERITED)
            at = unit.scope_parent[at]
        return self._outer_type(unit, name)

    def _outer_type(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """Imports by name, the package, imports with stars, what every file sees."""
        for dotted in self.imports(unit, name):
            refs = self.type_at(dotted)
            if refs:
                return self.type_found(refs, IMPORT)
            if dotted.rpartition(".")[2][:1].isupper():
                return self.outside_type(dotted)
        refs = self.declared_types(self._types.clause(unit.file), name)
        if refs:
            return self.type_found(refs, LOCAL if refs[0].file == unit.file else PACKAGE)
        stars = self.star_imports(unit)
        for dotted in stars:
            refs = self.type_at(f"{dotted}.{name}")
            if refs:
                return self.type_found(refs, IMPORT)
        if name in JAVA_TYPES and is_java(unit.file):
            return self.outside_type(JAVA_TYPES[name])
        if name in TYPES:
            return self.outside_type(TYPES[name])
        away = [dotted for dotted in stars if not dotted.startswith("kotlin.")]
        return self.outside_type(f"{away[0]}.{name}") if len(away) == 1 and name[:1].isupper() else None

    # supertypes

    def supers(self, value: Value) -> list[Value]:
        """The types directly above a type, in the order of the text."""
        if isinstance(value, Anonymous):
            row = self._bases.get(value.scope, -1) if value.file == self._types.path else -1
            return [one for one in self._listed(row) if one is not None]
        if isinstance(value, Variable):
            unit = self._types.unit(value.file)
            bound = self._types.denote(unit, unit.type[value.row])
            return [bound] if bound is not None else []
        if not isinstance(value, NamedType):
            return []
        unit = self._types.unit(value.file)
        given: Bindings = self._types.arguments_of(value)
        found = [substituted(self._types.denote(unit, base), given) for base, _ in unit.bases(value.row)]
        if unit.kind[value.row] == ENUM_DEFINITION:
            found.append(Outside("kotlin.Enum", (value,)))
        return [one for one in found if one is not None]

    def _listed(self, row: int) -> list[Value | None]:
        if row < 0:
            return []
        table = self._types.own.expressions
        rows = self._types.own.list_at(table.a[row]) if table.kind[row] == UNION_EXPRESSION else (row,)
        return [self._types.denote(self._types.own, one) for one in rows]

    def lineage(self, value: Value) -> tuple[Value, ...]:
        """A type and all above it, the nearest first."""
        return self._types.guarded(("lineage", value), lambda: lineage(value, self.supers), (value,))

    def lacks(self, value: NamedType) -> bool:
        unit = self._types.unit(value.file)
        return any(self._types.denote(unit, base) is None for base, _ in unit.bases(value.row))

    def member_type(self, value: Value | None, name: str) -> Denotation | None:
        """A type that is declared inside of a type, of one above it, or of the companion of one."""
        for depth, one in enumerate(self.lineage(value)) if value is not None else ():
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            for row in body[0].members_of(body[1], name, TYPE_KINDS):
                return self.type_found([DefinitionRef(body[0].file, row)], INHERITED if depth else MEMBER)
        return None

    def companion(self, value: Value | None) -> NamedType | None:
        """The companion of a type."""
        body = self._types.body_of(value) if isinstance(value, NamedType) else None
        if body is None or body[1] < 0:
            return None
        unit = body[0]
        row = self.companions(unit).get(body[1], -1)
        return NamedType(unit.file, row) if row >= 0 else None

    def companions(self, unit: DeclaredUnit) -> dict[int, int]:
        """The companion in each scope."""
        key = ("companions", unit.file)
        return self._types.guarded(key, lambda: _companions(unit), dict[int, int]())

    def is_single(self, value: Value | None) -> bool:
        """Whether a type is an object."""
        if not isinstance(value, NamedType) or is_java(value.file):
            return False
        return bool(self._types.unit(value.file).flags[value.row] & SINGLE)

    # written types

    def written(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """What the expression of a written name of a type means."""
        table = unit.expressions
        if table.kind[row] == NAME_EXPRESSION:
            return self.type_named(unit, table.b[row], unit.strings[table.a[row]])
        if table.kind[row] != MEMBER_EXPRESSION:
            return None
        return self.type_below(unit, table.a[row], unit.strings[table.b[row]])

    def type_below(self, unit: DeclaredUnit, base: int, name: str) -> Denotation | None:
        """A type by its last name, behind the expression of a type or a package."""
        table = unit.expressions
        found = self.written(unit, base) if table.kind[base] in (NAME_EXPRESSION, MEMBER_EXPRESSION) else None
        value = found.value if found is not None else self._types.denote(unit, base)
        type_ = value.type if isinstance(value, TypeName) else value
        if isinstance(type_, Outside) and not unit.dotted(base).rpartition(".")[2][:1].islower():
            return self.outside_type(f"{type_.dotted}.{name}")
        if isinstance(type_, NamedType):
            return self.member_type(type_, name)
        dotted = unit.dotted(base)
        if not dotted:
            return None
        refs = self.type_at(f"{dotted}.{name}")
        return self.type_found(refs, IMPORT) if refs else self.outside_type(f"{dotted}.{name}")


def _companions(unit: DeclaredUnit) -> dict[int, int]:
    found: dict[int, int] = {}
    for row, flags in enumerate(unit.flags) if not is_java(unit.file) else ():
        if unit.kind[row] == CLASS_DEFINITION and flags & COMPANION:
            found[unit.scope[row]] = row
    return found
