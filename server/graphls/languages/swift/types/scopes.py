"""Scopes: modules, types by name, extensions, what is above a type, members by name.

Owns: what a name of a type means where it stands, what modules declare, which extensions belong to a type.
Must not know: calls, closures, how occurrences become links.
Invariant: what other modules do not make public, and other files keep private, is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from graphls.facts.definer_keys import SHARED_IMPORTS
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_OVERLOADS
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.lineage import lineage
from graphls.languages.declared.values import (
    Bindings,
    Composite,
    DeclaredRule,
    Denotation,
    NamedType,
    Outside,
    Package,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    PROPERTY_DEFINITION,
    TYPE_ALIAS_DEFINITION,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
    VARIABLE_DEFINITION,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.swift.modules import HOMES, TARGETS, module_of
from graphls.languages.swift.syntax.declarations import REEXPORTED, TESTABLE
from graphls.languages.swift.syntax.facts_builder import PRIVATE, PUBLIC, STRUCT
from graphls.languages.swift.syntax.types import ALL, ARRAY, DICTIONARY, OPTIONAL
from graphls.languages.swift.types.standard import CLOSED, TYPES, element_of, is_protocol, last_name, protocols_of

TYPE_KINDS: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION, TYPE_ALIAS_DEFINITION})
_NAMED_TYPES: Final = TYPE_KINDS | {TYPE_PARAMETER_DEFINITION}
CLASSES: Final = TYPE_KINDS - {TYPE_ALIAS_DEFINITION}
FIELD_KINDS: Final = frozenset({PROPERTY_DEFINITION, ENUM_MEMBER_DEFINITION, VARIABLE_DEFINITION})
EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
IMPORT: Final = int(DeclaredRule.IMPORT)
INHERITED: Final = int(DeclaredRule.INHERITED)
LOCAL: Final = int(DeclaredRule.LOCAL)
MEMBER: Final = int(DeclaredRule.MEMBER)
PACKAGE: Final = int(DeclaredRule.PACKAGE)
_OWN: Final = TESTABLE | 4
_PARTS: Final = ("Element", "Key", "Value", "Wrapped", "Success", "Failure")
"""Names of what types of the library hold, by position."""
_FAILURE: Final = 5
RESULT: Final = "Swift.Result"
_ASSOCIATED: Final = frozenset((
    *_PARTS, "Index", "Indices", "Iterator", "SubSequence", "Elements", "RawValue", "ID", "Stride", "Magnitude",
    "Encoder", "AsyncIterator", "Bound", "Words", "Scalar", "View",
))  # fmt: skip
_WITH_SELF: Final = frozenset({INTERFACE_DEFINITION, CLASS_DEFINITION})
_WIDTH: Final = len(_PARTS)
_HOMES: Final = (("XCTest", ("XCT",)), ("Testing", ("Test", "Suite", "expect", "require", "Issue")))
"""Modules with names that tell where they are from."""
MAX_EXTENSIONS: Final = 200
"""Extensions of one type that are looked at."""


@final
class MemberRow:
    """A member of a type: where it is declared, on which type above, how far up, what type parameters stand for."""

    def __init__(self, unit: DeclaredUnit, row: int, given: Bindings, depth: int) -> None:
        self.unit = unit
        self.row = row
        self.given = given
        self.depth = depth


@final
class SwiftScopes:
    """Names of types in one file, and types that it can see."""

    def __init__(self, types: DeclaredInference) -> None:
        self._types = types
        self._targets = types.world.aliases(TARGETS, types.path)
        self._homes = types.world.aliases(HOMES, types.path)
        self._modules: dict[FilePath, tuple[str, str]] = {}
        self._seen: dict[FilePath, dict[str, int]] = {}
        self._declared: dict[tuple[FilePath, str], tuple[DefinitionRef, ...]] = {}
        self._imports: dict[FilePath, list[tuple[str, int]]] = {}

    # modules

    def module(self, file: FilePath) -> tuple[str, str]:
        """The folder and the name of the module that a file is in."""
        known = self._modules.get(file)
        if known is None:
            known = self._modules[file] = module_of(file, self._targets, self._homes)
        return known

    def imports(self, unit: DeclaredUnit) -> list[tuple[str, int]]:
        """Names of imported modules, and how they are imported: every name that nothing declares asks for them."""
        known = self._imports.get(unit.file)
        if known is None:
            known = self._imports[unit.file] = self._read_imports(unit)
        return known

    def _read_imports(self, unit: DeclaredUnit) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for rows in unit.members(0).values():
            for row in rows:
                value = unit.value[row]
                if unit.kind[row] == IMPORT_DEFINITION and value >= 0:
                    table = unit.expressions
                    if table.kind[value] == MODULE_EXPRESSION:
                        found.append((unit.strings[table.a[value]], table.b[value]))
        return found

    def folders(self, name: str, file: FilePath, how: int = 0) -> list[str]:
        """Folders of the module of a name, as a file means it: the nearest."""
        found = [folder for folder, _, one in (entry.partition("\t") for entry in self._targets) if one == name]
        if not found and how & TESTABLE:
            home = next((one for one in self._homes if not one or file.startswith(f"{one}/")), "")
            return [home] if self.module(file)[0] != home else []
        if len(found) < 2:
            return found
        parts = file.split("/")

        def shared(folder: str) -> int:
            count = 0
            for one, other in zip(folder.split("/"), parts, strict=False):
                if one != other:
                    break
                count += 1
            return count

        best = max(map(shared, found))
        return [folder for folder in found if shared(folder) == best][:1]

    def seen(self, unit: DeclaredUnit) -> dict[str, int]:
        """Folders of modules that a file sees, and how."""
        known = self._seen.get(unit.file)
        if known is None:
            known = self._seen[unit.file] = {self.module(unit.file)[0]: _OWN}
            pending = [(unit.file, name, how) for name, how in self.imports(unit)]
            while pending:
                file, name, how = pending.pop()
                for folder in self.folders(name, file, how):
                    if folder in known and (known[folder] & how) == how:
                        continue
                    known[folder] = known.get(folder, 0) | how
                    pending += [(other, inner, how & TESTABLE) for other, inner in self._reexports(folder)]
        return known

    def _reexports(self, folder: str) -> list[tuple[FilePath, str]]:
        """Modules that a module gives on to who imports it."""
        found: list[tuple[FilePath, str]] = []
        for file in self._types.world.defining(SHARED_IMPORTS):
            if self.module(file)[0] == folder:
                found += [(file, name) for name, how in self.imports(self._types.unit(file)) if how & REEXPORTED]
        return found

    def away(self, unit: DeclaredUnit) -> list[str]:
        """Imported modules that are outside."""
        return [name for name, how in self.imports(unit) if not self.folders(name, unit.file, how)]

    def home_of(self, unit: DeclaredUnit, name: str) -> str:
        """The imported module that a name from outside comes from, `?` where it may be several, "" for none."""
        away = self.away(unit)
        for module, begins in _HOMES:
            if module in away and name.startswith(begins):
                return module
        return away[0] if len(away) == 1 else "?" if away else ""

    def is_visible(self, unit: DeclaredUnit, other: DeclaredUnit, row: int, *, unseen: bool = False) -> bool:
        """Whether a file may name a declaration of another. `unseen`: also where it does not import its module, as a
        value of a type from there may come from elsewhere."""
        if other.file == unit.file:
            return True
        flags = other.flags[row]
        if flags & PRIVATE:
            return False
        how = self.seen(unit).get(self.module(other.file)[0], 0 if unseen else None)
        return how is not None and (bool(how & TESTABLE) or bool(flags & PUBLIC))

    def declared(self, unit: DeclaredUnit, name: str) -> tuple[DefinitionRef, ...]:
        """What files declare at their top under a name and a file may see: those of its module go before others."""
        key = (unit.file, name)
        known = self._declared.get(key)
        if known is None:
            own, others = list[DefinitionRef](), list[DefinitionRef]()
            folder = self.module(unit.file)[0]
            files = self._types.world.defining(name)
            for file in files if unit.file in files else (*files, unit.file):
                if self.module(file)[0] not in self.seen(unit):
                    continue
                other = self._types.unit(file)
                for row in other.members(0).get(name, ())[: MAX_OVERLOADS + 1]:
                    if other.kind[row] in (IMPORT_DEFINITION, NAMESPACE_DEFINITION):
                        continue
                    if self.is_visible(unit, other, row):
                        (own if self.module(file)[0] == folder else others).append(DefinitionRef(file, row))
            own.sort(key=lambda ref: (ref.file != unit.file, ref.file, ref.row))
            known = self._declared[key] = tuple(own or others)
        return known

    def nearest(self, refs: Sequence[DefinitionRef]) -> list[DefinitionRef]:
        """Those of declarations of one thing that stand in the nearest folders."""
        if len({ref.file for ref in refs}) < 2:
            return list(refs)
        parts = self._types.path.split("/")

        def distance(ref: DefinitionRef) -> tuple[bool, int]:
            shared = 0
            for one, other in zip(ref.file.split("/")[:-1], parts, strict=False):
                if one != other:
                    break
                shared += 1
            return ref.file != self._types.path, -shared

        best = min(map(distance, refs))
        return [ref for ref in refs if distance(ref) == best]

    # names of types

    def type_found(self, refs: Sequence[DefinitionRef], rule: int) -> Denotation:
        """The type that a declaration makes; of an alias the type that it stands for."""
        first = refs[0]
        return Denotation(tuple(refs), self._types.row_value(self._types.unit(first.file), first.row), rule)

    def outside_type(self, dotted: str) -> Denotation:
        """A type that the workspace does not declare."""
        return Denotation((External(dotted),), TypeName(Outside(dotted)), EXTERNAL)

    def type_named(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What a plain name of a type means where it stands."""
        key = ("typename", unit.file, scope, name)
        return self._types.guarded(key, lambda: self._type_named(unit, scope, name), None)

    def _type_named(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        if name == "Self":
            value = self.self_type(unit, scope)
            if isinstance(value, NamedType) and self._is_class(value):
                value = Variable(value.file, value.row)
            return Denotation((), TypeName(value), LOCAL) if value is not None else None
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            for row in unit.members_of(at, name, _NAMED_TYPES):
                if unit.kind[row] == TYPE_PARAMETER_DEFINITION and kind == TYPE_PARAMETERS_SCOPE:
                    return Denotation((DefinitionRef(unit.file, row),), TypeName(Variable(unit.file, row)), LOCAL)
                if unit.kind[row] in TYPE_KINDS and kind != CLASS_SCOPE:
                    return self.type_found([DefinitionRef(unit.file, row)], LOCAL)
            if kind == CLASS_SCOPE:
                found = self._in_holder(unit, at, name)
                if found is not None:
                    return found
            at = unit.scope_parent[at]
        return self._outer_type(unit, name)

    def held_name(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """A type parameter of the type that a scope is the body of, or of an extension of it."""
        holder = self.holder(unit, scope)
        if holder is None:
            return None
        owner = unit.scope_owner[scope]
        if owner >= 0 and unit.kind[owner] == NAMESPACE_DEFINITION:
            equal = self._constraint(unit, owner, f"{name}==")
            if isinstance(holder, NamedType):
                other = self._types.unit(holder.file)
                for row in other.type_parameters(holder.row):
                    if other.text(row) == name:
                        ref = DefinitionRef(holder.file, row)
                        return Denotation((ref,), TypeName(equal or Variable(holder.file, row)), LOCAL)
            elif isinstance(holder, Outside) and name in _PARTS:
                part = equal or Variable(unit.file, _part(owner, _PARTS.index(name)))
                return Denotation((External(f"{holder.dotted}.{name}"),), TypeName(part), EXTERNAL)
        elif owner >= 0:
            for row in unit.type_parameters(owner):
                if unit.text(row) == name:
                    return Denotation((DefinitionRef(unit.file, row),), TypeName(Variable(unit.file, row)), LOCAL)
        return None

    def _in_holder(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """Types that are known in the body of a type or of an extension."""
        found = self.held_name(unit, scope, name)
        holder = self.holder(unit, scope)
        if found is not None or holder is None:
            return found
        found = self.member_type(self.self_type(unit, scope) or holder, name)
        # A type outside may have any types inside of it, but names of others come first.
        return found if found is None or found.rule != EXTERNAL or name in _ASSOCIATED else None

    def _constraint(self, unit: DeclaredUnit, row: int, text: str) -> Value | None:
        for base, keyword in unit.bases(row):
            if keyword >= 0 and unit.strings[keyword] == text:
                return self._types.denote(unit, base)
        return None

    def _outer_type(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """The module, imported modules, what every file sees."""
        refs = self.nearest([ref for ref in self.declared(unit, name) if self._is_type(ref)])
        if refs:
            return self.type_found(refs, LOCAL if refs[0].file == unit.file else PACKAGE)
        named = [how for module, how in self.imports(unit) if module == name]
        if named or name == self.module(unit.file)[1]:
            folders = [self.module(unit.file)[0]] if not named else self.folders(name, unit.file, named[0])
            return Denotation((), Package(folders[0] if folders else None, name), IMPORT)
        if name in TYPES:
            return self.outside_type(TYPES[name])
        if name == "Swift":
            return Denotation((), Package(None, name), IMPORT)
        home = self.home_of(unit, name)
        return self.outside_type(f"{home}.{name}") if home and name[:1].isupper() else None

    def _is_type(self, ref: DefinitionRef) -> bool:
        return self._types.unit(ref.file).kind[ref.row] in TYPE_KINDS

    def in_package(self, unit: DeclaredUnit, holder: Package, name: str) -> list[DefinitionRef]:
        """What a module declares under a name, as a file sees it."""
        if holder.name is None:
            return []
        found: list[DefinitionRef] = []
        for file in self._types.world.defining(name):
            if self.module(file)[0] != holder.name:
                continue
            other = self._types.unit(file)
            rows = other.members(0).get(name, ())[: MAX_OVERLOADS + 1]
            named = [row for row in rows if other.kind[row] not in (IMPORT_DEFINITION, NAMESPACE_DEFINITION)]
            found += [DefinitionRef(file, row) for row in named if self.is_visible(unit, other, row)]
        return found

    # what a scope is the body of

    def holder(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """The type whose members stand in a scope: of an extension what it extends."""
        owner = unit.scope_owner[scope]
        if owner < 0:
            return None
        if unit.kind[owner] != NAMESPACE_DEFINITION:
            return unit.type_of_scope(scope)
        return self._types.guarded(("holder", unit.file, owner), lambda: self._extended(unit, owner), None)

    def _extended(self, unit: DeclaredUnit, row: int) -> Value | None:
        value = self._types.denote(unit, unit.type[row])
        if isinstance(value, NamedType) and not value.arguments:
            other = self._types.unit(value.file)
            given = [self._constraint(unit, row, f"{other.text(one)}==") or Variable(value.file, one)
                     for one in other.type_parameters(value.row)]  # fmt: skip
            return NamedType(value.file, value.row, tuple(given))
        if isinstance(value, Outside) and not value.arguments:
            parts = {ARRAY: (0,), DICTIONARY: (1, 2), OPTIONAL: (3,), RESULT: (4, 5)}.get(value.dotted)
            if parts is None and "Sequence" in protocols_of(value.dotted) and value.dotted not in CLOSED:
                parts = (0,)
            if parts is None and last_name(value.dotted) in ("Set", "Sequence", "ArraySlice", "AnySequence"):
                parts = (0,)
            given = [self._constraint(unit, row, f"{_PARTS[at]}==") or Variable(unit.file, _part(row, at))
                     for at in parts or ()]  # fmt: skip
            return Outside(value.dotted, tuple(given))
        return value

    def _is_class(self, value: NamedType) -> bool:
        unit = self._types.unit(value.file)
        return unit.kind[value.row] == CLASS_DEFINITION and not unit.flags[value.row] & STRUCT

    def self_type(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """What `self` is in a scope; in a protocol whatever conforms to it."""
        at = scope
        while at > 0:
            if unit.scope_kind[at] == CLASS_SCOPE:
                holder = self.holder(unit, at)
                if (
                    isinstance(holder, NamedType)
                    and self._types.unit(holder.file).kind[holder.row] == INTERFACE_DEFINITION
                ):
                    return Variable(holder.file, holder.row)
                return holder
            at = unit.scope_parent[at]
        return None

    # extensions and supertypes

    def extensions(self, value: Value) -> tuple[tuple[DeclaredUnit, int], ...]:
        """The extensions of a type that the own file sees, and of those its own module and that of the type."""
        key: object = (value.file, value.row) if isinstance(value, NamedType) else None
        key = last_name(value.dotted) if isinstance(value, Outside) else key
        if key is None:
            return ()
        nothing: tuple[tuple[DeclaredUnit, int], ...] = ()
        return self._types.guarded(("extending", key), lambda: tuple(self._extensions_of(value)), nothing)

    def _extensions_of(self, value: Value) -> Iterator[tuple[DeclaredUnit, int]]:
        if isinstance(value, NamedType):
            name, home = self._types.unit(value.file).text(value.row), self.module(value.file)[0]
        elif isinstance(value, Outside):
            name, home = last_name(value.dotted), ""
        else:
            return
        seen, count = self.seen(self._types.own), 0
        files = self._types.world.defining(name)
        path = self._types.path
        own = self.module(path)[0]
        listed = files if path in files else (*files, path)
        # What the own module adds goes before what others add.
        for file in sorted(listed, key=lambda one: self.module(one)[0] != own):
            folder = self.module(file)[0]
            if folder not in seen and not (isinstance(value, NamedType) and folder == home):
                continue
            other = self._types.unit(file)
            for row in other.members(0).get(name, ()):
                if (
                    count < MAX_EXTENSIONS
                    and other.kind[row] == NAMESPACE_DEFINITION
                    and self._extends(other, row, value)
                ):
                    count += 1
                    yield other, row

    def _extends(self, unit: DeclaredUnit, row: int, value: Value) -> bool:
        type_ = self._types.denote(unit, unit.type[row])
        if isinstance(type_, NamedType) and isinstance(value, NamedType):
            return (type_.file, type_.row) == (value.file, value.row)
        return (
            isinstance(type_, Outside)
            and isinstance(value, Outside)
            and last_name(type_.dotted) == last_name(value.dotted)
        )

    def supers(self, value: Value) -> list[Value]:
        """The types directly above a type, in the order of the text."""
        if isinstance(value, Variable):
            return self._bounds(value)
        if isinstance(value, Composite):
            return [one for one in value.parts if one is not None] if value.constructor == ALL else []
        found: list[Value] = []
        if isinstance(value, NamedType):
            unit = self._types.unit(value.file)
            given = self._types.arguments_of(value)
            found += self._bases(unit, value.row, given)
            if unit.kind[value.row] == ENUM_DEFINITION:
                found = [one for one in found if not (isinstance(one, Outside) and one.dotted in CLOSED)]
        elif isinstance(value, Outside):
            held = element_of(value)
            for name in protocols_of(value.dotted):
                found.append(Outside(f"Swift.{name}", (held,) if held is not None and name.endswith(_HOLDING) else ()))
        else:
            return []
        for other, row in self.extensions(value):
            found += self._bases(other, row, self._types.given_to(value))
        return found

    def _bases(self, unit: DeclaredUnit, row: int, given: Bindings) -> list[Value]:
        made = [substituted(self._types.denote(unit, base), given) for base, keyword in unit.bases(row) if keyword < 0]
        return [one for one in made if one is not None]

    def _bounds(self, value: Variable) -> list[Value]:
        unit, row = self._types.unit(value.file), value.row
        if row < 0:
            holder, part = divmod(-2 - row, _WIDTH)
            bound = self._constraint(unit, holder, f"{_PARTS[part]}:")
            if bound is None and part == _FAILURE:
                bound = Outside("Swift.Error")
            return [bound] if bound is not None else []
        if unit.kind[row] in (INTERFACE_DEFINITION, CLASS_DEFINITION):
            return [NamedType(value.file, row, tuple([Variable(value.file, one) for one in unit.type_parameters(row)]))]
        if unit.kind[row] == NAMESPACE_DEFINITION:
            bound = self._types.denote(unit, unit.type[row])
            return [bound] if bound is not None else []
        bound = self._types.denote(unit, unit.type[row])
        found = [bound] if bound is not None else []
        return found + self._bases(unit, row, {})

    def lineage(self, value: Value) -> tuple[Value, ...]:
        """A type and all above it, the nearest first."""
        return self._types.guarded(("lineage", value), lambda: lineage(value, self.supers), (value,))

    def is_open(self, value: Value) -> bool:
        """Whether a type from outside, of which not all is known, is above a type."""
        return any(isinstance(one, Outside) and not _is_plain(one) for one in self.lineage(value))

    # members

    def member_rows(self, value: Value | None, name: str) -> list[MemberRow]:
        """Everything that a type, types above it and their extensions declare under a name, the nearest first."""
        if value is None:
            return []
        nothing: list[MemberRow] = []
        return self._types.guarded(("members", value, name), lambda: list(self._member_rows(value, name)), nothing)

    def _member_rows(self, value: Value, name: str) -> Iterator[MemberRow]:
        own = self._types.own
        for depth, one in enumerate(self.lineage(value)):
            for unit, scope, row in self._bodies(one):
                rows = unit.members(scope).get(name, ()) if scope >= 0 else ()
                if not rows:
                    continue
                given = self._given(value, one, unit, row)
                if row >= 0 and not self._applies(unit, row, one):
                    continue
                for found in rows[: MAX_OVERLOADS + 1]:
                    if self.is_visible(own, unit, found, unseen=True):
                        yield MemberRow(unit, found, given, depth)

    def _bodies(self, value: Value) -> Iterator[tuple[DeclaredUnit, int, int]]:
        """Scopes of members of a type: its own, then those of its extensions with these."""
        if isinstance(value, NamedType):
            unit = self._types.unit(value.file)
            yield unit, unit.body[value.row], -1
        for unit, row in self.extensions(value):
            yield unit, unit.body[row], row

    def _given(self, value: Value, one: Value, unit: DeclaredUnit, row: int) -> Bindings:
        """What type parameters, `Self` and names of held types stand for in a body."""
        given = dict(self._types.given_to(one))
        if isinstance(one, NamedType) and self._types.unit(one.file).kind[one.row] in _WITH_SELF:
            given[one.file, one.row] = value
        if isinstance(one, Outside) and row >= 0:
            held = element_of(one) or element_of(value)
            if held is not None:
                given[unit.file, _part(row, 0)] = held
            if len(one.arguments) == 2:
                first = 4 if one.dotted == RESULT else 1
                given[unit.file, _part(row, first)], given[unit.file, _part(row, first + 1)] = one.arguments
            if one.dotted == OPTIONAL and one.arguments:
                given[unit.file, _part(row, 3)] = one.arguments[0]
        return given

    def _applies(self, unit: DeclaredUnit, row: int, value: Value) -> bool:
        """Whether what an extension demands may hold of a type."""
        for base, keyword in unit.bases(row):
            text = unit.strings[keyword] if keyword >= 0 else ""
            if not text.endswith("=="):
                continue
            wanted, got = self._types.denote(unit, base), self._part_named(value, text[:-2])
            plain = isinstance(wanted, (NamedType, Outside)) and isinstance(got, (NamedType, Outside))
            if plain and not self.same_type(wanted, got):
                return False
        return True

    def _part_named(self, value: Value, name: str) -> Value | None:
        if isinstance(value, Outside):
            if name == "Element":
                return element_of(value)
            if name == "Wrapped" and value.dotted == OPTIONAL and value.arguments:
                return value.arguments[0]
            if name in ("Key", "Value") and len(value.arguments) == 2:
                return value.arguments[name == "Value"]
        if isinstance(value, NamedType):
            unit = self._types.unit(value.file)
            for row, one in zip(unit.type_parameters(value.row), value.arguments, strict=False):
                if unit.text(row) == name:
                    return one
        return None

    def same_type(self, one: Value | None, other: Value | None) -> bool:
        """Whether two types are one, whatever their arguments."""
        if isinstance(one, NamedType) and isinstance(other, NamedType):
            return (one.file, one.row) == (other.file, other.row)
        if isinstance(one, Outside) and isinstance(other, Outside):
            return last_name(one.dotted) == last_name(other.dotted)
        return one is not None and one == other

    def member_type(self, value: Value | None, name: str) -> Denotation | None:
        """A type that is declared inside of a type, of one above it, or of an extension of one."""
        if isinstance(value, Outside) and value.dotted == OPTIONAL and name == "Wrapped" and value.arguments:
            inner = value.arguments[0]
            return Denotation(
                (External(f"{OPTIONAL}.Wrapped"),), TypeName(inner) if inner is not None else None, EXTERNAL
            )
        for one in self.member_rows(value, name):
            if one.unit.kind[one.row] in TYPE_KINDS:
                type_ = substituted(self._types.row_value(one.unit, one.row), one.given)
                return Denotation((DefinitionRef(one.unit.file, one.row),), type_, INHERITED if one.depth else MEMBER)
        if isinstance(value, NamedType):
            unit = self._types.unit(value.file)
            for row, given in zip(unit.type_parameters(value.row), value.arguments, strict=False):
                if unit.text(row) == name:
                    return Denotation(
                        (DefinitionRef(value.file, row),), TypeName(given) if given is not None else None, MEMBER
                    )
        if isinstance(value, Outside):
            held = element_of(value) if name == "Element" else None
            dotted = f"{value.dotted}.{name}"
            return Denotation((External(dotted),), TypeName(held if held is not None else Outside(dotted)), EXTERNAL)
        return None

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
        """A type by its last name, behind the expression of a type or a module."""
        table = unit.expressions
        found = self.written(unit, base) if table.kind[base] in (NAME_EXPRESSION, MEMBER_EXPRESSION) else None
        value = found.value if found is not None else None
        if isinstance(value, Package):
            refs = [ref for ref in self.in_package(unit, value, name) if self._is_type(ref)]
            if refs:
                return self.type_found(self.nearest(refs), IMPORT)
            return self.outside_type(f"{value.dotted}.{name}") if value.name is None else None
        type_ = value.type if isinstance(value, TypeName) else self._types.denote(unit, base)
        if name == "Type":
            return Denotation((), TypeName(TypeName(type_)), LOCAL) if type_ is not None else None
        return self.member_type(type_, name)


_HOLDING: Final = ("Sequence", "Collection")


def _part(row: int, at: int) -> int:
    """The row that stands for what an extended type of the library holds: below those of definitions."""
    return -2 - row * _WIDTH - at


def _is_plain(value: Outside) -> bool:
    """Whether it is known that a type outside has no members that a name without a receiver may mean."""
    return value.dotted in CLOSED or is_protocol(value.dotted) or value.dotted == OPTIONAL
