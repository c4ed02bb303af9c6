"""Inference: what variables and messages denote in Ruby.

Owns: `self`, methods by who receives them, what calls give where that is evident.
Must not know: how occurrences become links.
Invariant: a receiver whose class is not known has no methods; what only a class below or a host of a module declares
    is not answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.kinds import DefinitionFlag, ReturnKind
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import BUILTIN, DeclaredUnit
from graphls.languages.declared.values import (
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Several,
    TypeName,
    Value,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    COLLECTION_EXPRESSION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    ITEM_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    NAMESPACE_SCOPE,
    OPERATION_EXPRESSION,
    PARAMETER_DEFINITION,
    PROPERTY_DEFINITION,
    SETTER_FLAG,
    STATIC_FLAG,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    TYPE_ONLY_FLAG,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.ruby.loading import loaded_file
from graphls.languages.ruby.syntax.records import RELATION
from graphls.languages.ruby.types.constants import EXTERNAL, LOCAL, ROOT, UNKNOWN, RubyConstants, is_constant
from graphls.languages.ruby.types.standard import (
    CLASS_METHODS,
    OBJECT_METHODS,
    RECORD,
    VARIABLES,
    given_back,
    handed_out,
    is_like,
    is_of_records,
    mapped,
)

INHERITED: Final = int(DeclaredRule.INHERITED)
MEMBER: Final = int(DeclaredRule.MEMBER)
IMPORT: Final = int(DeclaredRule.IMPORT)
_BUILTIN: Final = int(DeclaredRule.BUILTIN)
NIL: Final = Outside(BUILTIN + "NilClass")
_MAIN: Final = Outside(BUILTIN + "main")
_INSTANCE: Final = int(DefinitionFlag.INSTANCE)
_MOST_INCLUDERS: Final = 16
"""Files that declare a method of a name, among which classes that include a module are looked for."""
_HANDED: Final = int(DefinitionFlag.CLASSMETHOD)
_READ_ONLY: Final = int(DefinitionFlag.FINAL)
_METHODS: Final = frozenset({METHOD_DEFINITION, PROPERTY_DEFINITION})
_LOCALS: Final = frozenset({VARIABLE_DEFINITION, PARAMETER_DEFINITION})
_BODIES: Final = frozenset({CLASS_SCOPE, NAMESPACE_SCOPE})
_SAME: Final = frozenset(("dup", "clone", "freeze", "tap", "itself"))
_YIELDED: Final = int(ReturnKind.YIELD)
_ITSELF: Final = frozenset(("tap", "then", "yield_self"))
"""What every object has and hands itself to."""
_THEN: Final = frozenset(("then", "yield_self"))
_MAPPED: Final = frozenset(("map", "collect", "flat_map", "filter_map"))
_NEVER: Final = frozenset(("abort", "exit", "fail", "raise", "throw"))
"""What does not come back gives nothing."""
OPEN_SELF: Final = "self?"
_OUTER: Final = frozenset(("extend",))
_MOST_LOADED: Final = 200


class RubyInference(RubyConstants):
    """What one file of Ruby and those that it can see denote."""

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A local variable, a field, a constant or a variable of the program."""
        if is_constant(name):
            return self.constant(unit, scope, name)
        if name.startswith("@"):
            return self.field_at(unit, scope, name)
        if name.startswith("$"):
            return self._of_program(name)
        if name in ("self", OPEN_SELF):
            value = self.self_at(unit, scope)
            if name == OPEN_SELF and isinstance(value, TypeName):
                value = Several((value.type, value))
            return Denotation((), value, LOCAL) if value is not None else None
        row = unit.captured_row(scope, name, _LOCALS)
        return Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), LOCAL) if row >= 0 else None

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """Names of variables do not reach out of methods."""
        return None

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """Files that are required bind no name."""
        return None

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A method."""
        return self.method(holder, name)

    def self_at(self, unit: DeclaredUnit, scope: int) -> Value | None:
        """What `self` is in a scope."""
        at = scope
        static: bool | None = None
        while at > 0:
            kind, owner = unit.scope_kind[at], unit.scope_owner[at]
            if kind in _BODIES:
                value = self._canonical(unit, owner)
                return TypeName(value) if static or static is None else value
            if kind in (FUNCTION_SCOPE, LAMBDA_SCOPE) and owner >= 0 and static is None:
                if unit.kind[owner] == FUNCTION_DEFINITION:
                    return _MAIN if unit.scope[owner] == 0 else None
                flags = unit.flags[owner]
                static = bool(flags & STATIC_FLAG)
            at = unit.scope_parent[at]
        return _MAIN

    def _canonical(self, unit: DeclaredUnit, row: int) -> Value:
        """The class of which a row is a part, by the first of its parts."""
        found = self.type_named(self.whole(unit, row))
        return found if found is not None else NamedType(unit.file, row)

    def is_module(self, value: Value) -> bool:
        """Whether a type is a module, whose methods run on what includes it."""
        if not isinstance(value, NamedType):
            return False
        unit = self.unit(value.file)
        return unit.kind[value.row] != CLASS_DEFINITION or bool(unit.flags[value.row] & TYPE_ONLY_FLAG)

    def _of_program(self, name: str) -> Denotation | None:
        own = list(self.own.members(0).get(name, ()))
        if own:
            return Denotation((DefinitionRef(self.path, own[0]),), self.row_value(self.own, own[0]), LOCAL)
        if name in VARIABLES:
            return Denotation((External(BUILTIN + name),), None, _BUILTIN)
        found: list[DefinitionRef] = []
        for file in self.world.defining(name):
            unit = self.unit(file)
            found += [DefinitionRef(file, row) for row in unit.members(0).get(name, ())[:1]]
        return Denotation(tuple(found), None, int(DeclaredRule.PACKAGE)) if found else None

    # fields

    def field_at(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """A field of what `self` is in a scope."""
        at, of_class = scope, True
        while at > 0 and unit.scope_kind[at] not in _BODIES:
            owner = unit.scope_owner[at]
            if owner >= 0 and unit.scope_kind[at] in (FUNCTION_SCOPE, LAMBDA_SCOPE):
                of_class = unit.flags[owner] & (STATIC_FLAG | _INSTANCE) == STATIC_FLAG
            at = unit.scope_parent[at]
        if at <= 0:
            rows = [row for row in unit.members(0).get(name, ()) if unit.kind[row] == VARIABLE_DEFINITION]
            return Denotation((DefinitionRef(unit.file, rows[0]),), None, LOCAL) if rows else None
        wanted = STATIC_FLAG if of_class or name.startswith("@@") else _INSTANCE
        own = self._fields(unit, at, name, wanted)
        value = self.row_value(unit, own[0]) if own else None
        if own and value is not None:
            return Denotation((DefinitionRef(unit.file, own[0]),), value, LOCAL)
        holder = self._canonical(unit, unit.scope_owner[at])
        found = self.field(TypeName(holder) if wanted == STATIC_FLAG else holder, name)
        if not own:
            return found
        return Denotation((DefinitionRef(unit.file, own[0]),), found.value if found is not None else None, LOCAL)

    def field(self, value: Value | None, name: str) -> Denotation | None:
        """A field of an instance, or of a class, from whatever part of it, or of what is above, declares it first."""
        return self.guarded(("field", value, name), lambda: self._field(value, name), None)

    def _field(self, value: Value | None, name: str) -> Denotation | None:
        holder = value.type if isinstance(value, TypeName) else value
        wanted = STATIC_FLAG if isinstance(value, TypeName) or name.startswith("@@") else _INSTANCE
        if not isinstance(holder, NamedType):
            return None
        first: Denotation | None = None
        for one in self.above(self.name_of(holder)):
            for ref in self.declared(self.name_of(one)) if isinstance(one, NamedType) else ():
                unit = self.unit(ref.file)
                rows = self._fields(unit, unit.body[ref.row], name, wanted)
                found = self.row_value(unit, rows[0]) if rows else None
                first = first or (Denotation((DefinitionRef(ref.file, rows[0]),), found, INHERITED) if rows else None)
                if found is not None and first is not None:
                    return Denotation(first.refs, found, INHERITED)
        return first

    def _fields(self, unit: DeclaredUnit, scope: int, name: str, wanted: int) -> list[int]:
        if scope < 0:
            return []
        rows = unit.members(scope).get(name, ())
        return [row for row in rows if unit.kind[row] == FIELD_DEFINITION and unit.flags[row] & wanted]

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        """A field stands for what is known of its values, where that is one: a method may be handed others."""
        value, given = super()._row_value(unit, row, kind), unit.value[row]
        table = unit.expressions
        if value is not None or kind != FIELD_DEFINITION or given < 0 or table.kind[given] != UNION_EXPRESSION:
            return value
        known = [self.infer(unit, part) for part in unit.list_at(table.a[given])]
        return self._one_of([one for one in known if one is not None])

    # methods

    def method(self, value: Value | None, name: str, writes: bool = False) -> Denotation | None:
        """The method that a message runs on a value."""
        if value is None or value == UNKNOWN:
            return None
        key = ("method", value, name, writes)
        return self.guarded(key, lambda: self._method(value, name, writes), None)

    def _method(self, value: Value, name: str, writes: bool) -> Denotation | None:
        if isinstance(value, Several):
            return self._of_either([self.method(part, name, writes) for part in value.parts])
        if isinstance(value, TypeName):
            made = self._of_class(value.type, name, writes)
            if made is None and is_of_records(name) and self._is_record(value.type):
                return Denotation((External(f"{RECORD}.{name}"),), None, EXTERNAL)
            return made
        if isinstance(value, Outside):
            return self._of_outside(value, name)
        if not isinstance(value, NamedType):
            return None
        found, unsure = self._along(self._order(self.name_of(value)), name, writes)
        if found is None and self.is_module(value):
            found, unsure = self._of_includers(value, name, writes), True
        return self._of_object(name, unsure) if found is None else found

    def _of_includers(self, module: NamedType, name: str, writes: bool) -> Denotation | None:
        """What a module asks of itself that a class which includes it declares: where one class alone does."""
        files = self.world.defining(name)
        found: dict[Value, list[DefinitionRef]] = {}
        for file in files if len(files) <= _MOST_INCLUDERS else ():
            unit = self.unit(file)
            for row, kind in enumerate(unit.kind):
                holder = unit.scope_owner[unit.scope[row]] if kind in _METHODS and unit.text(row) == name else -1
                if holder < 0 or not self._fits(kind, unit.flags[row], writes, False):
                    continue
                cls = self._canonical(unit, holder)
                if isinstance(cls, NamedType) and not self.is_module(cls) and module in self.above(self.name_of(cls)):
                    found.setdefault(cls, []).append(DefinitionRef(file, row))
        refs = next(iter(found.values())) if len(found) == 1 else []
        return self.found(tuple(refs), INHERITED) if refs else None

    def _of_either(self, found: Sequence[Denotation | None]) -> Denotation | None:
        """The method of a class, or of its instances: where one of them alone has it."""
        known = [one for one in found if one is not None]
        inside = [one for one in known if one.rule != EXTERNAL]
        if len(inside) == 1 or (inside and inside[0].refs == inside[1].refs):
            return inside[0]
        return known[0] if not inside and len(known) == 2 and known[0].refs == known[1].refs else None

    def _order(self, whole: str) -> list[Value]:
        """Where a message to an instance is looked for, in order."""
        above = list(self.above(whole))
        first = [one for one in self.prepended(whole) if one in above]
        return [*reversed(first), *[one for one in above if one not in first]]

    def _along(
        self, order: Sequence[Value], name: str, writes: bool, static: bool = False
    ) -> tuple[Denotation | None, bool]:
        """The first of some types that declares a method; whether one that is not read comes before."""
        unsure = False
        for depth, one in enumerate(order):
            if not isinstance(one, NamedType):
                unsure = unsure or not self._is_plain(one)
                continue
            refs = self.rows_of(one, name, writes, static)
            if refs:
                return self.found(refs, INHERITED if depth else MEMBER), unsure
        return None, unsure

    def _is_plain(self, value: Value) -> bool:
        """Whether a class outside is known to bring nothing of its own."""
        return isinstance(value, Outside) and value.dotted in ("Object", "BasicObject", "Struct", "StandardError")

    def rows_of(self, holder: NamedType, name: str, writes: bool, static: bool) -> tuple[DefinitionRef, ...]:
        """The definitions of a method in all parts of a class."""
        found: list[DefinitionRef] = []
        for unit, row in self.parts(self.name_of(holder)).members.get(name, ()):
            if unit.kind[row] in _METHODS and self._fits(unit.kind[row], unit.flags[row], writes, static):
                found.append(DefinitionRef(unit.file, row))
        return tuple(found)

    def _fits(self, kind: int, flags: int, writes: bool, static: bool) -> bool:
        both = bool(flags & _INSTANCE and flags & STATIC_FLAG)
        if flags & _HANDED or (bool(flags & STATIC_FLAG) != static and not both):
            return False
        if kind == PROPERTY_DEFINITION:
            return not flags & (_READ_ONLY if writes else SETTER_FLAG)
        return bool(flags & SETTER_FLAG) == writes

    def found(self, refs: tuple[DefinitionRef, ...], rule: int) -> Denotation:
        """Definitions of one method as an answer."""
        first = refs[0]
        return Denotation(refs, Functions(first.file, tuple([ref.row for ref in refs if ref.file == first.file])), rule)

    def _of_class(self, holder: Value, name: str, writes: bool) -> Denotation | None:
        """A method of a class itself."""
        if isinstance(holder, Outside):
            return None if holder == UNKNOWN else Denotation((External(f"{holder.dotted}.{name}"),), None, EXTERNAL)
        if not isinstance(holder, NamedType):
            return None
        unsure = False
        for depth, one in enumerate(self.above(self.name_of(holder))):
            if not isinstance(one, NamedType):
                unsure = unsure or not self._is_plain(one)
                continue
            above = depth > 0 and self.is_module(one)
            refs = () if above else self.rows_of(one, name, writes, static=True)
            if refs:
                return self.found(refs, INHERITED if depth else MEMBER)
            made, more = self._extended(one, name, writes, above)
            if made is not None:
                return made
            unsure = unsure or more
        if name == "new":
            return self._made(holder)
        if (
            name in CLASS_METHODS
            and not self.is_declared_for("Module", name)
            and not self.is_declared_for("Class", name)
        ):
            return Denotation((External(f"Module.{name}"),), None, EXTERNAL)
        for whole in ("Class", "Module"):
            type_ = self.type_named(whole)
            refs = self.rows_of(type_, name, writes, static=False) if isinstance(type_, NamedType) else ()
            if refs:
                return self.found(refs, INHERITED)
        return self._of_object(name, unsure)

    def is_declared_for(self, whole: str, name: str) -> bool:
        """Whether the workspace adds a method to a class that comes with the language."""
        type_ = self.type_named(whole)
        return isinstance(type_, NamedType) and bool(self.rows_of(type_, name, False, static=False))

    def _extended(self, one: NamedType, name: str, writes: bool, mixed_in: bool) -> tuple[Denotation | None, bool]:
        """A method that a class has itself since it extends a module, or since one that it includes hands it on."""
        whole, unsure = self.name_of(one), False
        if mixed_in:
            refs = self._handed(one, name)
            if refs:
                return self.found(refs, INHERITED), False
            inner = self.type_named(f"{whole}{ROOT}ClassMethods")
            mixed = [inner] if inner is not None else []
        else:
            mixed = self.bases_of(whole, _OUTER)
        for module in mixed:
            if not isinstance(module, NamedType):
                unsure = True
                continue
            made, more = self._along(self._order(self.name_of(module)), name, writes)
            if made is not None:
                return made, False
            unsure = unsure or more
        return None, unsure

    def _handed(self, module: NamedType, name: str) -> tuple[DefinitionRef, ...]:
        found: list[DefinitionRef] = []
        for ref in self.declared(self.name_of(module)):
            unit = self.unit(ref.file)
            rows = unit.members(unit.body[ref.row]).get(name, ()) if unit.body[ref.row] >= 0 else ()
            handed = [row for row in rows if unit.kind[row] in _METHODS and unit.flags[row] & _HANDED]
            found += [DefinitionRef(ref.file, row) for row in handed]
        return tuple(found)

    def _made(self, holder: NamedType) -> Denotation:
        """`new`: the method that runs when an instance is made, or the class where none is declared."""
        found, unsure = self._along(self._order(self.name_of(holder)), "initialize", False)
        if found is not None and not unsure:
            return Denotation(found.refs, holder, found.rule)
        return Denotation(self.declared(self.name_of(holder)), holder, MEMBER)

    def _is_record(self, type_: Value) -> bool:
        """Whether instances of a class are records of a database."""
        above = self.above(self.name_of(type_)) if isinstance(type_, NamedType) else ()
        return any(isinstance(one, Outside) and one.dotted in (RECORD, "ApplicationRecord") for one in above)

    def _of_outside(self, value: Outside, name: str) -> Denotation | None:
        """A method of a value of a class that no file declares, or that the workspace adds to."""
        if value == _MAIN:
            return self._of_object(name, False)
        whole = value.dotted.removeprefix(BUILTIN)
        held = value.arguments[0] if whole == RELATION and value.arguments else None
        if isinstance(held, NamedType):  # what the class can do all of some records can
            made = self._of_class(held, name, False) if name != "new" else None
            if made is not None and made.rule != EXTERNAL:
                return made
        type_ = self.type_named(whole)
        if isinstance(type_, NamedType):
            refs = self.rows_of(type_, name, False, static=False)
            if refs:
                return self.found(refs, MEMBER)
        return Denotation((External(f"{whole}.{name}"),), None, EXTERNAL)

    def _of_object(self, name: str, unsure: bool) -> Denotation | None:
        """A method that every object has: of the file, of what it loads, of `Object`, of the language."""
        for file in self.loaded():
            unit = self.unit(file)
            rows = [row for row in unit.members(0).get(name, ()) if unit.kind[row] == FUNCTION_DEFINITION]
            if rows:
                rule = LOCAL if file == self.path else IMPORT
                return Denotation(tuple([DefinitionRef(file, row) for row in rows]), Functions(file, tuple(rows)), rule)
        for whole in ("Object", "Kernel", "BasicObject"):
            type_ = self.type_named(whole)
            refs = self.rows_of(type_, name, False, static=False) if isinstance(type_, NamedType) else ()
            if refs:
                return self.found(refs, INHERITED)
        if name in OBJECT_METHODS and not unsure:
            return Denotation((External(f"Kernel.{name}"),), None, EXTERNAL)
        return None

    def loaded(self) -> Sequence[FilePath]:
        """The file, and those that it requires, however far, the nearest first."""
        return self.guarded(("loaded",), self._loaded, (self.path,))

    def _loaded(self) -> Sequence[FilePath]:
        found: dict[FilePath, None] = {self.path: None}
        for module in self.facts.imports.module:
            other = loaded_file(self.facts.strings[module], self.path, self.world)
            if other is not None and len(found) < _MOST_LOADED:
                found[other] = None
        return tuple(found)

    def above_method(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What `super` means in a method of this name."""
        value = self.self_at(unit, scope)
        static = isinstance(value, TypeName)
        holder = value.type if isinstance(value, TypeName) else value
        if not isinstance(holder, NamedType):
            return None
        whole = self.name_of(holder)
        if self.is_module(holder) and not static:
            order = list(self.above(whole))[1:]
        elif static:
            return self._class_method_above(whole, name)
        else:
            order = list(self.above(whole))[1:]
            before = self.prepended(whole)
            order = [one for one in order if one not in before]
        found, unsure = self._along(order, name, False)
        if found is not None and not unsure:
            return Denotation(found.refs, found.value, INHERITED)
        return None

    def _class_method_above(self, whole: str, name: str) -> Denotation | None:
        for one in self.above(whole)[1:]:
            if not isinstance(one, NamedType):
                return None
            if self.is_module(one):
                continue
            refs = self.rows_of(one, name, False, static=True)
            if refs:
                return self.found(refs, INHERITED)
        return None

    # values

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == NAME_EXPRESSION:
            name = unit.strings[a]
            if name == ROOT:
                return None
            found = self.name(unit, table.b[row], name, table.c[row])
            return None if found is None else found.value
        if kind == MEMBER_EXPRESSION:
            found = self._scoped(unit, row)
            return None if found is None else found.value
        if kind == CALL_EXPRESSION:
            return self._sent(unit, a)
        if kind == UNION_EXPRESSION:
            return self._one_of([self.infer(unit, part) for part in unit.list_at(a)]) if a >= 0 else None
        if kind == COLLECTION_EXPRESSION:
            held = self._one_of([self.infer(unit, part) for part in unit.list_at(a)])
            return Outside(BUILTIN + unit.strings[table.b[row]], (held,) if held not in (None, NIL) else ())
        if kind == ITEM_EXPRESSION:
            return self._block_argument(unit, a, table.b[row])
        if kind == OPERATION_EXPRESSION:
            return self._with_block(unit, a, table.b[row])
        if kind == TYPE_EXPRESSION:
            value = self.infer(unit, a)
            return value.type if isinstance(value, TypeName) else None
        if kind == LITERAL_EXPRESSION:
            return Outside(BUILTIN + unit.strings[a])
        return None

    def _scoped(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """`Outer::Name`."""
        table = unit.expressions
        name = unit.strings[table.b[row]]
        return self.scoped(unit, table.a[row], name) if is_constant(name) else None

    def scoped(self, unit: DeclaredUnit, base: int, name: str) -> Denotation | None:
        """A constant of what an expression means."""
        table = unit.expressions
        if table.kind[base] == NAME_EXPRESSION and unit.strings[table.a[base]] == ROOT:
            return self.inside(ROOT, name)
        value = self.infer(unit, base)
        if not isinstance(value, TypeName):
            return None
        if isinstance(value.type, NamedType):
            return self.inside(self.name_of(value.type), name)
        return self.inside(value.type.dotted, name) if isinstance(value.type, Outside) else None

    def _one_of(self, values: Sequence[Value | None]) -> Value | None:
        """The value that all ways give; that some may give nothing is no matter for what is sent to it, nor that an
        array may be empty."""
        known = [value for value in dict.fromkeys(values) if value != NIL]
        full = [value for value in known if isinstance(value, Outside) and value.arguments] if len(known) > 1 else []
        if len(full) == 1 and all(is_like(full[0], value) for value in known):
            return full[0]
        return known[0] if len(known) == 1 else NIL if not known and values else None

    def _sent(self, unit: DeclaredUnit, member: int) -> Value | None:
        """What a message gives."""
        table = unit.expressions
        if table.kind[member] != MEMBER_EXPRESSION:
            return None
        value, name = self.infer(unit, table.a[member]), unit.strings[table.b[member]]
        if value is None:
            return None
        if name == "class" and isinstance(value, NamedType):
            return TypeName(value)
        if name in _SAME:
            return value
        found = self.method(value, name)
        if found is None:
            return None
        if name in _NEVER and found.rule == EXTERNAL:
            return NIL
        if isinstance(value, Outside) and found.rule == EXTERNAL and value.arguments:
            return given_back(value, name)
        if isinstance(value, TypeName) and found.rule == EXTERNAL and self._is_record(value.type):
            return given_back(Outside(BUILTIN + RELATION, (value.type,)), name)
        if name == "new" and isinstance(value, TypeName):
            if isinstance(found.value, NamedType):
                return found.value
            if isinstance(value.type, Outside):
                return value.type if value.type.dotted not in ("Class", "Module", "Struct") else None
        return self._given_by(found, value)

    def _block_argument(self, unit: DeclaredUnit, call: int, at: int) -> Value | None:
        """What a call hands to its block at a position."""
        table = unit.expressions
        member = table.a[call]
        if table.kind[call] != CALL_EXPRESSION or table.kind[member] != MEMBER_EXPRESSION:
            return None
        value, name = self.infer(unit, table.a[member]), unit.strings[table.b[member]]
        if value is None:
            return None
        if isinstance(value, Outside) and value.arguments:
            return handed_out(value, name, at)
        if name in _ITSELF and not at:
            return value
        found = self.method(value, name)
        values: list[Value | None] = []
        for ref in found.refs if found is not None else ():
            if not isinstance(ref, DefinitionRef):
                return None
            other = self.unit(ref.file)
            rows = [row for row, kind in other.returns(ref.row) if kind == _YIELDED]
            values += [self._of_yield(other, row, at) for row in rows]
        return self._one_of(values) if values else None

    def _of_yield(self, unit: DeclaredUnit, row: int, at: int) -> Value | None:
        table = unit.expressions
        if table.kind[row] == TUPLE_EXPRESSION:
            parts = unit.list_at(table.a[row])
            return self.infer(unit, parts[at]) if at < len(parts) else None
        value = self.infer(unit, row)
        return value if not at else None

    def _with_block(self, unit: DeclaredUnit, call: int, block: int) -> Value | None:
        """What a call gives that runs a block."""
        table = unit.expressions
        member = table.a[call]
        if table.kind[call] != CALL_EXPRESSION or table.kind[member] != MEMBER_EXPRESSION:
            return None
        name = unit.strings[table.b[member]]
        if name in _MAPPED or name in _THEN:
            value = self.infer(unit, table.a[member])
            if name in _THEN and value is not None:
                return self.infer(unit, block)
            if isinstance(value, Outside) and value.arguments:
                return mapped(name, self.infer(unit, block))
        return self._sent(unit, member)

    def _given_by(self, found: Denotation, receiver: Value) -> Value | None:
        """What methods give back, where every way of each gives the same."""
        values: list[Value | None] = []
        for ref in found.refs:
            if not isinstance(ref, DefinitionRef):
                return None
            unit = self.unit(ref.file)
            if unit.kind[ref.row] == PROPERTY_DEFINITION and unit.value[ref.row] >= 0:
                values.append(self.infer(unit, unit.value[ref.row]))
                continue
            if unit.kind[ref.row] == PROPERTY_DEFINITION:
                field = self.field(receiver, "@" + unit.text(ref.row))
                values.append(field.value if field is not None else None)
                continue
            returns = [row for row, kind in unit.returns(ref.row) if kind != _YIELDED]
            values += [self.infer(unit, expression) for expression in returns] if returns else [None]
        return self._one_of(values) if values else None
