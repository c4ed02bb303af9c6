"""Scopes: packages, types by name, supertypes and their members.

Owns: what a name of a type means where it stands, which types are above another, fields and nested types.
Must not know: calls, how occurrences become links.
Invariant: of several files that declare one type the nearest decides; what the workspace does not declare is outside.
"""

from __future__ import annotations

from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.languages.declared.accessors import is_kotlin, property_names
from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit
from graphls.languages.declared.lineage import lineage, unnamed_bases
from graphls.languages.declared.values import (
    Anonymous,
    Bindings,
    DeclaredRule,
    Denotation,
    NamedType,
    Outside,
    Several,
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
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_SCOPE,
    PROPERTY_DEFINITION,
    STATIC_FLAG,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
    VARIABLE_DEFINITION,
)
from graphls.languages.java.packages import HERE, is_for_tests
from graphls.languages.java.syntax.types import PACKAGE_PRIVATE, PRIVATE
from graphls.languages.java.types.standard import KOTLIN_TYPES, LANG
from graphls.languages.resolve.structural_value import DefinitionRef, External

OBJECT_TYPE: Final = "java.lang.Object"
STAR: Final = "*"
TYPE_KINDS: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION})
_NAMING: Final = frozenset((CLASS_SCOPE, OBJECT_SCOPE, TYPE_PARAMETERS_SCOPE))
_IMPORTS: Final = frozenset({IMPORT_DEFINITION})
_SCRIPT: Final = ".kts"
_COMPANION: Final = PACKAGE_PRIVATE
"""What the mark means on a class of Kotlin."""
_FACADE: Final = "Kt"
_INSTANCE: Final = "INSTANCE"
_OF_THE_LIBRARY: Final = ("java.", "javax.", "jdk.", "sun.")
_TOP_KINDS: Final = frozenset({
    FUNCTION_DEFINITION, PROPERTY_DEFINITION, CONSTANT_DEFINITION, VARIABLE_DEFINITION,
})  # fmt: skip
_KOTLIN_FIELDS: Final = frozenset({PROPERTY_DEFINITION, CONSTANT_DEFINITION, ENUM_MEMBER_DEFINITION})
FIELD_KINDS: Final = frozenset({FIELD_DEFINITION, ENUM_MEMBER_DEFINITION})
EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
IMPORT: Final = int(DeclaredRule.IMPORT)
INHERITED: Final = int(DeclaredRule.INHERITED)
LOCAL: Final = int(DeclaredRule.LOCAL)
MEMBER: Final = int(DeclaredRule.MEMBER)
PACKAGE: Final = int(DeclaredRule.PACKAGE)


@final
class JavaScopes:
    """Names of types in one file, and types that it can see."""

    def __init__(self, types: DeclaredInference) -> None:
        self._types = types
        self._declared: dict[tuple[str, str, str], DefinitionRef | None] = {}
        self._bases = unnamed_bases(types.own)
        self._naming: dict[FilePath, set[int]] = {}

    # packages

    def _defining(self, package: str, name: str, folder: str) -> list[FilePath]:
        """The files of a package that define a name, as seen from a folder: the nearest first. Of thousands of others
        none is read."""
        types, here = self._types, {package} if package else set[str]()
        if types.clause(types.path) == package and folder == types.path.rpartition("/")[0]:
            here.add(HERE + folder)
        listed = [
            file
            for file in types.world.defining(name)
            if is_kotlin(file) or not here.isdisjoint(types.world.name_of(file).packages)
        ]
        files = [file for file in listed if not file.endswith(_SCRIPT) and types.clause(file) == package]
        return sorted(files, key=lambda file: self._distance(file, folder))

    def _distance(self, file: FilePath, folder: str) -> tuple[int, bool, str]:
        """How far a file is from a folder: parts of the path that both do not share; tests are behind."""
        ours, theirs = folder.split("/"), file.split("/")
        shared = 0
        for one, other in zip(ours, theirs, strict=False):
            if one != other:
                break
            shared += 1
        return -shared, is_for_tests(file), file

    def declared(self, package: str, name: str, file: FilePath) -> DefinitionRef | None:
        """The type that a package declares under a name, as seen from a file."""
        folder = file.rpartition("/")[0]
        key = (package, name, folder)
        if key in self._declared:
            return self._declared[key]
        files = self._defining(package, name, folder)
        wanted = f"{name}.java"
        found: DefinitionRef | None = None
        for named in (True, False):
            for one in files:
                if found is None and (one.rpartition("/")[2] == wanted) == named:
                    found = self._top(one, name)
        self._declared[key] = found
        return found

    def _top(self, file: FilePath, name: str) -> DefinitionRef | None:
        unit = self._types.unit(file)
        row = self._type_row(unit, 0, name)
        return DefinitionRef(file, row) if row >= 0 else None

    def type_at(self, dotted: str, file: FilePath) -> DefinitionRef | None:
        """The type of the workspace that a dotted name means."""
        parts = dotted.split(".")
        for at in range(len(parts) - 1, 0, -1):
            package = ".".join(parts[:at])
            # Of a package outside no part of the name but a type is asked for: each question is written down.
            may_be = at == len(parts) - 1 or parts[at][:1].isupper()
            if not self._types.world.package(package) and not (may_be and self._has_kotlin(package, parts[at])):
                continue
            found = self.declared(package, parts[at], file)
            for part in parts[at + 1 :]:
                inner = self.member_type(NamedType(found.file, found.row), part, file) if found is not None else None
                first = inner.refs[0] if inner is not None else None
                found = first if isinstance(first, DefinitionRef) else None
            if found is not None:
                return found
        return None

    def _has_kotlin(self, package: str, name: str) -> bool:
        """Whether a file of Kotlin declares a name in a package: folders say nothing of its packages."""
        types = self._types
        if package.startswith(_OF_THE_LIBRARY):
            return False
        return any(is_kotlin(file) and types.clause(file) == package for file in types.world.defining(name))

    def facade(self, dotted: str, name: str) -> list[DefinitionRef]:
        """Functions and properties at the top of files of Kotlin, where a name with dots means the class of the
        machine that holds those of one file: `com.acme.ToolsKt` of `Tools.kt`."""
        package, _, holder = dotted.rpartition(".")
        if not holder.endswith(_FACADE) or package.startswith(_OF_THE_LIBRARY):
            return []
        found: list[DefinitionRef] = []
        for spelled in (name, *property_names(name)):
            for file in self._types.world.defining(spelled):
                stem = file.rpartition("/")[2].rpartition(".")[0]
                if not is_kotlin(file) or f"{stem[:1].upper()}{stem[1:]}{_FACADE}" != holder:
                    continue
                unit = self._types.unit(file)
                rows = unit.members_of(0, spelled, _TOP_KINDS) if self._types.clause(file) == package else ()
                found += [DefinitionRef(file, row) for row in rows if not unit.flags[row] & PRIVATE]
            if found:
                break
        return found

    def outside_or(self, dotted: str, file: FilePath, rule: int) -> Denotation:
        """A type by its dotted name, of the workspace or not."""
        ref = self.type_at(dotted, file)
        if ref is None:
            return Denotation((External(dotted),), Outside(dotted), EXTERNAL)
        return self._type_found(ref, rule)

    def _type_found(self, ref: DefinitionRef, rule: int) -> Denotation:
        return Denotation((ref,), TypeName(NamedType(ref.file, ref.row)), rule)

    # names of types

    def type_named(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What a plain name of a type means where it stands."""
        around = self._naming_scope(unit, scope)
        key = ("typename", unit.file, around, name)
        return self._types.guarded(key, lambda: self._type_named(unit, around, name), None)

    def _naming_scope(self, unit: DeclaredUnit, scope: int) -> int:
        """The innermost scope around that declares types or inherits them: of blocks few do."""
        naming = self._naming.get(unit.file)
        if naming is None:
            naming = {scope for scope, kind in enumerate(unit.scope_kind) if kind in _NAMING}
            naming.update(scope for scope, kind in zip(unit.scope, unit.kind, strict=True) if kind in TYPE_KINDS)
            self._naming[unit.file] = naming
        while scope > 0 and scope not in naming:
            scope = unit.scope_parent[scope]
        return scope

    def _type_named(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        at, outside = scope, None
        while at > 0:
            kind = unit.scope_kind[at]
            rows = unit.members(at).get(name, ())
            if kind == TYPE_PARAMETERS_SCOPE:
                for row in rows:
                    if unit.kind[row] == TYPE_PARAMETER_DEFINITION:
                        return Denotation((DefinitionRef(unit.file, row),), TypeName(Variable(unit.file, row)), LOCAL)
            row = self._type_row(unit, at, name)
            if row >= 0:
                return self._type_found(DefinitionRef(unit.file, row), LOCAL)
            if kind in (CLASS_SCOPE, OBJECT_SCOPE):
                found = self.member_type(unit.type_of_scope(at), name, unit.file)
                if found is not None and isinstance(found.value, TypeName):
                    return Denotation(found.refs, found.value, INHERITED)
                outside = outside or found
            at = unit.scope_parent[at]
        return self._outer_type(unit, name, outside)

    def _outer_type(self, unit: DeclaredUnit, name: str, outside: Denotation | None) -> Denotation | None:
        """Types of the file, imports, the package, imports with stars, java.lang."""
        own = self._top(unit.file, name)
        if own is not None:
            return self._type_found(own, LOCAL)
        imported = self._imported_type(unit, name)
        if imported is not None:
            return imported
        ref = self.declared(self._types.clause(unit.file), name, unit.file)
        if ref is not None:
            return self._type_found(ref, PACKAGE)
        stars: list[str] = []
        for dotted in self.star_imports(unit):
            ref = self.type_at(f"{dotted}.{name}", unit.file)
            if ref is not None:
                if self.is_hidden(self._types.unit(ref.file), ref.row, 0, unit.file):
                    continue
                return self._type_found(ref, IMPORT)
            if not self._types.world.package(dotted) and self.type_at(dotted, unit.file) is None:
                stars.append(dotted)
        if name in KOTLIN_TYPES and is_kotlin(unit.file):
            return Denotation((External(KOTLIN_TYPES[name]),), Outside(KOTLIN_TYPES[name]), EXTERNAL)
        if name not in LANG and not stars:
            return outside
        dotted = f"java.lang.{name}" if name in LANG else f"{stars[0] if len(stars) == 1 else '?'}.{name}"
        return Denotation((External(dotted),), Outside(dotted), EXTERNAL)

    def _imported_type(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """The type that an import without a star names."""
        for row in unit.members_of(0, name, _IMPORTS):
            if unit.value[row] >= 0:
                dotted = self._module(unit, row)
                ref = self.type_at(dotted, unit.file)
                if ref is not None:
                    return self._type_found(ref, IMPORT)
                if not self._is_static(unit, row):
                    return Denotation((External(dotted),), Outside(dotted), EXTERNAL)
        return None

    def star_imports(self, unit: DeclaredUnit, *, static: bool = False) -> list[str]:
        """What the imports with a star name: packages and types, or types whose static members are meant."""
        rows = unit.members(0).get(STAR, ())
        return [
            self._module(unit, row) for row in rows if unit.value[row] >= 0 and self._is_static(unit, row) == static
        ]

    def static_imports(self, unit: DeclaredUnit, name: str) -> list[str]:
        """The types from which a member is imported by name."""
        wanted = [
            row for row in unit.members_of(0, name, _IMPORTS) if unit.value[row] >= 0 and self._is_static(unit, row)
        ]
        return [self._module(unit, row).rpartition(".")[0] for row in wanted]

    def _module(self, unit: DeclaredUnit, row: int) -> str:
        return unit.strings[unit.expressions.a[unit.value[row]]]

    def _is_static(self, unit: DeclaredUnit, row: int) -> bool:
        return unit.expressions.b[unit.value[row]] == 1

    # access

    def is_hidden(self, unit: DeclaredUnit, row: int, depth: int = 0, file: FilePath | None = None) -> bool:
        """Whether a member is private in another file or in a type above, or of a class that leaves it to another
        package. `depth`: how far the type that declares it is above. `file`: whose code names it."""
        flags, asking = unit.flags[row], self._types.path if file is None else file
        if is_kotlin(unit.file):
            return bool(flags & PRIVATE)
        if flags & PRIVATE:
            return depth > 0 or unit.file != asking
        if not flags & PACKAGE_PRIVATE or unit.file == asking:
            return False
        owner = unit.owner[row]
        open_to_all = owner >= 0 and unit.kind[owner] == INTERFACE_DEFINITION
        return not open_to_all and self._types.clause(unit.file) != self._types.clause(asking)

    def is_static(self, unit: DeclaredUnit, scope: int) -> bool:
        """Whether a type has no object of the type around it."""
        row = unit.scope_owner[scope] if unit.scope_kind[scope] == CLASS_SCOPE else -1
        if row < 0:
            return False
        if unit.flags[row] & STATIC_FLAG or unit.kind[row] in (INTERFACE_DEFINITION, ENUM_DEFINITION):
            return True
        around = unit.owner[row]
        return around >= 0 and unit.kind[around] == INTERFACE_DEFINITION

    # supertypes

    def supers(self, value: Value) -> list[Value]:
        """The types directly above a type, what it extends first."""
        if isinstance(value, Anonymous):
            row = self._bases.get(value.scope, -1) if value.file == self._types.path else -1
            base = self._types.denote(self._types.own, row)
            return [base] if base is not None else []
        if isinstance(value, Variable):
            unit = self._types.unit(value.file)
            bound = self._types.denote(unit, unit.type[value.row])
            parts = bound.parts if isinstance(bound, Several) else (bound,)
            return [part for part in parts if part is not None]
        if not isinstance(value, NamedType):
            return []
        unit = self._types.unit(value.file)
        given: Bindings = self._types.arguments_of(value)
        found = [substituted(self._types.denote(unit, base), given) for base, _ in unit.bases(value.row)]
        if unit.kind[value.row] == ENUM_DEFINITION:
            found.append(Outside("java.lang.Enum", (value,)))
        return [one for one in found if one is not None]

    def lineage(self, value: Value) -> tuple[Value, ...]:
        """A type and all above it, the nearest first."""
        return self._types.guarded(("lineage", value), lambda: lineage(value, self.supers), (value,))

    def member_type(self, value: Value | None, name: str, file: FilePath | None = None) -> Denotation | None:
        """A type that is declared inside of a type, or of one above it. `file`: whose code names it, if not the own."""
        outside: Outside | None = None
        for depth, one in enumerate(self.lineage(value)) if value is not None else ():
            if isinstance(one, Outside):
                outside = outside or one
            body = self._types.body_of(one)
            row = self._type_row(body[0], body[1], name) if body is not None and body[1] >= 0 else -1
            if body is not None and row >= 0 and not self.is_hidden(body[0], row, depth, file):
                return self._type_found(DefinitionRef(body[0].file, row), INHERITED if depth else MEMBER)
        return self._in_outside(outside, name)

    def _type_row(self, unit: DeclaredUnit, scope: int, name: str) -> int:
        """The type of a name in a scope, or -1; constructors, of which there may be thousands, have its name too."""
        return next(iter(unit.members_of(scope, name, TYPE_KINDS)), -1)

    def field(self, value: Value | None, name: str, file: FilePath | None = None) -> Denotation | None:
        """A field or constant of a type, or of one above it. `file`: as of `member_type`."""
        outside: Outside | None = None
        for depth, one in enumerate(self.lineage(value)) if value is not None else ():
            if isinstance(one, Outside):
                outside = outside or one
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit = body[0]
            if is_kotlin(unit.file):
                held = self._kotlin_field(one, name)
                if held is not None:
                    return held
                continue
            for row in unit.members(body[1]).get(name, ()):
                if unit.kind[row] in FIELD_KINDS and not self.is_hidden(unit, row, depth, file):
                    type_ = substituted(self._types.row_value(unit, row), self._types.given_to(one))
                    return Denotation((DefinitionRef(unit.file, row),), type_, INHERITED if depth else MEMBER)
        return self._in_outside(outside, name)

    def _kotlin_field(self, value: Value, name: str) -> Denotation | None:
        """What the machine has as a field of a type of Kotlin: constants of an enum, the instance of an object,
        companions, and properties of the type and of its companion that are no methods."""
        body = self._types.body_of(value)
        if body is None or body[1] < 0 or not isinstance(value, NamedType):
            return None
        unit = body[0]
        if name == _INSTANCE and unit.flags[value.row] & STATIC_FLAG:
            return Denotation((DefinitionRef(unit.file, value.row),), value, MEMBER)
        inside = self.companion(value)
        if inside is not None and name == unit.text(inside.row):
            return Denotation((DefinitionRef(unit.file, inside.row),), inside, MEMBER)
        for holder in (value, inside):
            scope = unit.body[holder.row] if holder is not None else -1
            for row in unit.members_of(scope, name, _KOTLIN_FIELDS) if scope >= 0 else ():
                if not unit.flags[row] & PRIVATE:
                    return Denotation((DefinitionRef(unit.file, row),), self._types.row_value(unit, row), MEMBER)
        return None

    def companion(self, value: Value | None) -> NamedType | None:
        """The companion of a type of Kotlin, whose members stand behind the name of the type."""
        body = self._types.body_of(value) if isinstance(value, NamedType) and is_kotlin(value.file) else None
        if body is None or body[1] < 0:
            return None
        unit = body[0]
        for rows in unit.members(body[1]).values():
            for row in rows:
                if unit.kind[row] == CLASS_DEFINITION and unit.flags[row] & _COMPANION:
                    return NamedType(unit.file, row)
        return None

    def _in_outside(self, outside: Outside | None, name: str) -> Denotation | None:
        """A member that only a type from outside can have: which type it is, is not known."""
        if outside is None or outside.dotted.startswith(BUILTIN):
            return None
        dotted = f"{outside.dotted}.{name}"
        return Denotation((External(dotted),), None, EXTERNAL)

    # written types

    def type_found(self, unit: DeclaredUnit, row: int) -> Denotation | None:
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
        kind = table.kind[base]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            found = self.type_found(unit, base)
            value = None if found is None else found.value
            if isinstance(value, Outside) and unit.dotted(base).rpartition(".")[2][:1].islower():
                value = None  # part of the name of a package
        else:
            value = self._types.infer(unit, base)  # `outer.new Inner()`
        if isinstance(value, Outside):
            dotted = f"{value.dotted}.{name}"
            return Denotation((External(dotted),), Outside(dotted), EXTERNAL)
        if value is not None:
            return self.member_type(value.type if isinstance(value, TypeName) else value, name, unit.file)
        dotted = unit.dotted(base)
        return self.outside_or(f"{dotted}.{name}", unit.file, IMPORT) if dotted else None
