"""Inference: what variables, members and calls denote in PHP.

Owns: members of types, what calls give, elements, what `static` stands for.
Must not know: how occurrences become links, other languages.
Invariant: a property, a method and a constant of one name are three things; the class that a value surely has decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import (
    MAX_NESTING,
    Anonymous,
    Bindings,
    Composite,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Several,
    TypeName,
    Value,
    Variable,
    mentions_workspace,
    substituted,
    unify,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CONSTANT_DEFINITION,
    ELEMENT_EXPRESSION,
    ENUM_MEMBER_DEFINITION,
    FIELD_DEFINITION,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    OPERATION_EXPRESSION,
    PARAMETER_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.php.types.names import EXTERNAL, INHERITED, LOCAL, MARK, MEMBER, PhpNames, spelled, union_rows
from graphls.languages.php.types.standard import ELEMENTS, ENUM, ENUM_MEMBERS, PREDEFINED, PREDEFINED_IN_FILES
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

EITHER: Final = "|"
CONSTANTS: Final = "::"
STATIC: Final = Outside("builtin.static")
_VARIABLES: Final = frozenset({VARIABLE_DEFINITION, PARAMETER_DEFINITION})
_CONSTANTS: Final = frozenset({CONSTANT_DEFINITION, ENUM_MEMBER_DEFINITION})
_METHODS: Final = frozenset({METHOD_DEFINITION})
_FIELDS: Final = frozenset({FIELD_DEFINITION})
_VALUELESS: Final = frozenset(("null", "false", "void", "never", "true"))
_OBJECT: Final = Outside(UNKNOWN_LAST)


@final
class PhpInference(DeclaredInference):
    """What one file of PHP and those that it can see denote, and the part that finds names."""

    __deletable__ = ("names",)

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.names = PhpNames(self)

    def release(self) -> None:
        """Ends the questions: the part, which leads back here, is let go."""
        del self.names

    # names of variables

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A variable, by the functions around it."""
        if name.startswith(MARK):
            return self.names.class_named(unit, scope, name[1:])
        if name == "this":
            value = self.names.around(unit, scope)
            return Denotation((), value, LOCAL) if value is not None else None
        row = unit.captured_row(scope, name, _VARIABLES)
        if row >= 0:
            return Denotation((DefinitionRef(unit.file, row),), self.row_value(unit, row), LOCAL)
        predefined = name in PREDEFINED or (name in PREDEFINED_IN_FILES and unit.scope_owner[scope] < 0)
        return Denotation((External(f"${name}"),), None, EXTERNAL) if predefined else None

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """No name is looked for outside of functions but as one of a class, function or constant."""
        return None

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind == IMPORT_DEFINITION:
            return None
        if kind == PARAMETER_DEFINITION and unit.type[row] < 0 and unit.value[row] < 0:
            return self._inherited_parameter(unit, row)
        return super()._row_value(unit, row, kind)

    def _inherited_parameter(self, unit: DeclaredUnit, row: int) -> Value | None:
        """A parameter without a type has that of the method above."""
        method = unit.scope_owner[unit.scope[row]]
        if method < 0 or unit.kind[method] != METHOD_DEFINITION:
            return None
        above = self.above(unit, method)
        if above is None:
            return None
        other, rows = self.unit(above.file), unit.parameters(method)
        theirs = other.parameters(above.row)
        at = list(rows).index(row) if row in rows else len(theirs)
        return self.row_value(other, theirs[at]) if at < len(theirs) and other.type[theirs[at]] >= 0 else None

    def above(self, unit: DeclaredUnit, method: int) -> DefinitionRef | None:
        """The nearest method above that a method stands for."""
        holder = self.names.around(unit, unit.scope[method])
        for one in self.names.lineage(holder)[1:] if holder is not None else ():
            body = self.body_of(one)
            for row in self._rows(body[0], body[1], unit.text(method), _METHODS) if body is not None else ():
                return DefinitionRef(body[0].file, row) if body is not None else None
        return None

    # members

    def _rows(self, unit: DeclaredUnit, scope: int, name: str, kinds: frozenset[int]) -> list[int]:
        if scope < 0:
            return []
        members = unit.members(scope)
        rows = [row for row in members.get(name, ()) if unit.kind[row] in kinds]
        if not rows and kinds is _METHODS:
            low = name.lower()
            same = [other for other in members if other.lower() == low]
            rows = [row for other in same for row in members[other] if unit.kind[row] in kinds]
        return rows

    def member_of(self, value: Value | None, name: str, kinds: frozenset[int]) -> Denotation | None:
        """A member of one kind of a type: of classes before that of interfaces, the nearest first."""
        if value is None:
            return None
        parts = self._parts_of(value)
        if len(parts) > 1:
            return self._of_each(parts, name, kinds)
        return self.guarded(("of", value, name, kinds), lambda: self._member_of(value, name, kinds), None)

    def _parts_of(self, value: Value) -> tuple[Value, ...]:
        if isinstance(value, Composite) and value.constructor == EITHER:
            return tuple([part for part in value.parts if part is not None])
        return (value,)

    def _of_each(self, parts: Sequence[Value], name: str, kinds: frozenset[int]) -> Denotation | None:
        """A member of what may be several types: each of them counts that has it."""
        found = [one for one in (self.member_of(part, name, kinds) for part in parts) if one is not None]
        inside = [one for one in found if one.rule != EXTERNAL]
        if len(inside) < len(found):
            return found[0] if not inside and len(found) == len(parts) else None
        if not inside:
            return None
        refs = tuple(dict.fromkeys(ref for one in inside for ref in one.refs))
        return Denotation(refs, either([one.value for one in inside]), inside[0].rule)

    def _member_of(self, value: Value, name: str, kinds: frozenset[int]) -> Denotation | None:
        if isinstance(value, Outside):
            return self._outside_member(value, name)
        outside: Outside | None = None
        later: Denotation | None = None
        for depth, one in enumerate(self.names.lineage(value)):
            if isinstance(one, Outside):
                outside = outside or one
            body = self.body_of(one)
            if body is None:
                continue
            for row in self._rows(body[0], body[1], name, kinds):
                made = self._found_row(body[0], row, one, depth)
                if not isinstance(one, NamedType) or body[0].kind[one.row] != INTERFACE_DEFINITION or depth == 0:
                    return made
                later = later or made
        if later is not None:
            return later
        if outside is not None and outside.dotted == ENUM and name in ("from", "tryFrom", "cases"):
            cases: Value = Composite("[]", (value,)) if name == "cases" else value
            return Denotation((External(f"{ENUM}.{name}"),), cases, EXTERNAL)
        return self._outside_member(outside, name) if outside is not None else None

    def _found_row(self, unit: DeclaredUnit, row: int, holder: Value, depth: int) -> Denotation:
        rule = INHERITED if depth else MEMBER
        if unit.kind[row] == METHOD_DEFINITION:
            listed = tuple([(file, one, type_) for (file, one), type_ in self.given_to(holder).items()])
            return Denotation((DefinitionRef(unit.file, row),), Functions(unit.file, (row,), listed), rule)
        type_ = substituted(self.row_value(unit, row), self.given_to(holder))
        return Denotation((DefinitionRef(unit.file, row),), type_, rule)

    def _outside_member(self, value: Outside, name: str) -> Denotation | None:
        if value.dotted.startswith(BUILTIN) or (value.dotted == ENUM and name not in ENUM_MEMBERS):
            return None
        after = None if value.arguments else _OBJECT
        return Denotation((External(f"{value.dotted}.{name}"),), after, EXTERNAL)

    def field(self, value: Value | None, name: str) -> Denotation | None:
        """A property of a value or a class."""
        return self.member_of(of_type(value), name, _FIELDS)

    def method(self, value: Value | None, name: str) -> Denotation | None:
        """A method of a value or a class."""
        return self.member_of(of_type(value), name, _METHODS)

    def constant(self, value: Value | None, name: str) -> Denotation | None:
        """A constant of a class."""
        return self.member_of(of_type(value), name, _CONSTANTS)

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A property; behind `::` a constant."""
        if isinstance(holder, Composite) and holder.constructor == CONSTANTS:
            return self.constant(holder.parts[0], name)
        return self.field(holder, name)

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A property of a value; behind `::` a constant of a class."""
        return None if value is None else self.find_member(value, name)

    # written types

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind == NAME_EXPRESSION:
            text = spelled(unit, row)
            found = self.names.class_named(unit, table.b[row], text) if text else None
            return of_type(found.value) if found is not None else None
        if kind == UNION_EXPRESSION:
            return either([self.denote(unit, part) for part in union_rows(unit, row)])
        if kind == SUBSCRIPT_EXPRESSION and table.kind[table.a[row]] == NAME_EXPRESSION:
            value = self.denote(unit, table.a[row])
            parts = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
            if isinstance(value, NamedType):
                own = len(self.unit(value.file).type_parameters(value.row))
                missing = (None,) * max(0, own - len(parts))  # the last ones are written: `Collection<Item>`
                return NamedType(value.file, value.row, (*missing, *parts))
            return Outside(value.dotted, parts) if isinstance(value, Outside) else value
        return super()._denote(unit, row)

    # values

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a, b = table.kind[row], table.a[row], table.b[row]
        if kind == CALL_EXPRESSION:
            return self._given_by(unit, row)
        if kind == UNION_EXPRESSION:
            return either([self.infer(unit, part) for part in union_rows(unit, row)])
        if kind == OPERATION_EXPRESSION:
            return self._operation(unit, a, unit.strings[table.c[row]])
        if kind == NARROWED_EXPRESSION:
            value = self.infer(unit, a)
            return value if value is not None and not is_builtin(value) else self.infer(unit, b)
        if kind == ELEMENT_EXPRESSION:
            return self.element(self.infer(unit, a))
        if kind == TYPE_EXPRESSION:
            return self.denote(unit, a)
        if kind == LAMBDA_EXPRESSION:
            return Composite("func", (None, self.infer(unit, a)))
        if kind == LITERAL_EXPRESSION:
            return Outside(BUILTIN + unit.strings[a])
        if kind == TUPLE_EXPRESSION:
            return None
        return super()._infer(unit, row)

    def _operation(self, unit: DeclaredUnit, a: int, name: str) -> Value | None:
        if name == "const":
            text = spelled(unit, a)
            return self.names.constant_named(unit, unit.expressions.b[a], text).value if text else None
        value = self.infer(unit, a)
        if name == CONSTANTS:
            return Composite(CONSTANTS, (of_type(value),)) if value is not None else None
        if name == "class":
            return Composite("class", (of_type(value),))
        if name == "new":
            return value.parts[0] if isinstance(value, Composite) and value.constructor == "class" else None
        if name == "[]":
            return self._same_elements(unit, a)
        if name == "()":
            if isinstance(value, Composite) and value.constructor == "func":
                return value.parts[1] if len(value.parts) > 1 else None
            made = self.method(value, "__invoke") if value is not None else None
            return self._result(made, value, unit, ()) if made is not None else None
        return None

    def _same_elements(self, unit: DeclaredUnit, row: int) -> Value | None:
        """An array whose elements are of one type."""
        values = [self.infer(unit, part) for part in union_rows(unit, row)]
        known = dict.fromkeys(values)
        return Composite("[]", (values[0],)) if len(known) == 1 and values[0] is not None else Outside("builtin.array")

    def element(self, value: Value | None) -> Value | None:
        """What a loop over something gives, or what stands in brackets behind it."""
        parts = self._parts_of(value) if value is not None else ()
        if len(parts) > 1:
            return either([self.element(part) for part in parts if not is_builtin(part)])
        if isinstance(value, Composite):
            return value.parts[0] if value.constructor == "[]" and value.parts else None
        for one in self.names.lineage(value) if value is not None else ():
            if isinstance(one, Outside) and one.arguments:
                return one.arguments[-1]
        if not isinstance(value, (NamedType, Anonymous)):
            return None
        for name in ELEMENTS:
            made = self.method(value, name)
            if made is not None and made.rule != EXTERNAL:
                given = self._result(made, value, self.own, ())
                return self.element(given) if name == "getIterator" else given
        return None

    # calls

    def callee(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """What the callee of a call means."""
        table = unit.expressions
        kind = table.kind[row]
        if kind == TYPE_EXPRESSION:
            return self.created(unit, row)
        if kind == MEMBER_EXPRESSION:
            return self.method(self.infer(unit, table.a[row]), unit.strings[table.b[row]])
        text = spelled(unit, row)
        return self.names.function_named(unit, table.b[row], text) if text else None

    def created(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """`new Name`: the constructor, or the class where it and those above declare none."""
        named = unit.expressions.a[row]
        text = spelled(unit, named)
        found = self.names.class_named(unit, unit.expressions.b[named], text) if text else None
        type_ = of_type(found.value) if found is not None else None
        if found is None or not isinstance(type_, NamedType):
            return found
        made = self.method(type_, "__construct")
        if made is None or made.rule == EXTERNAL:
            return found
        return Denotation(made.refs, found.value, found.rule)

    def _given_by(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a call gives."""
        table = unit.expressions
        callee, arguments = table.a[row], unit.list_at(table.b[row])
        if table.kind[callee] == TYPE_EXPRESSION:
            return self._made(unit, callee, arguments)
        holder = self.infer(unit, table.a[callee]) if table.kind[callee] == MEMBER_EXPRESSION else None
        if table.kind[callee] == MEMBER_EXPRESSION and holder is not None:
            parts = self._parts_of(of_type(holder) or holder)
            if len(parts) > 1:
                name = unit.strings[table.b[callee]]
                return either([self._result(self.method(one, name), one, unit, arguments) for one in parts])
        return self._result(self.callee(unit, callee), holder, unit, arguments)

    def _made(self, unit: DeclaredUnit, callee: int, arguments: Sequence[int]) -> Value | None:
        """A new instance; arguments decide its type arguments."""
        type_ = self.denote(unit, unit.expressions.a[callee])
        if not isinstance(type_, NamedType) or type_.arguments:
            return type_
        own = self.unit(type_.file).type_parameters(type_.row)
        made = self.method(type_, "__construct") if own else None
        if made is None or not isinstance(made.value, Functions):
            return type_
        found: Bindings = {}
        self._bind(made.value, unit, arguments, found)
        given = tuple([found.get((type_.file, one)) for one in own])
        return NamedType(type_.file, type_.row, given) if any(one is not None for one in given) else type_

    def _bind(self, callee: Functions, unit: DeclaredUnit, arguments: Sequence[int], found: Bindings) -> None:
        other = self.unit(callee.file)
        for parameter, argument in zip(other.parameters(callee.rows[0]), arguments, strict=False):
            if argument >= 0:
                self._unify(self.row_value(other, parameter), self.infer(unit, argument), found)

    def _unify(self, wanted: Value | None, got: Value | None, found: Bindings) -> None:
        if wanted is None or got is None or is_builtin(got):
            return
        if isinstance(wanted, Composite) and wanted.constructor == EITHER:
            for part in wanted.parts:
                self._unify(part, got, found)
            return
        if isinstance(wanted, Composite) and wanted.constructor == "func":
            if isinstance(got, Composite) and got.constructor == "func" and len(wanted.parts) == len(got.parts) == 2:
                self._unify(wanted.parts[1], got.parts[1], found)
            return
        if isinstance(wanted, (NamedType, Outside)) and isinstance(got, (NamedType, Anonymous)):
            for one in self.names.lineage(got):
                if _is_same_class(one, wanted):
                    unify(wanted, one, found)
                    return
            return
        unify(wanted, got, found)

    def _result(
        self, found: Denotation | None, holder: Value | None, unit: DeclaredUnit, arguments: Sequence[int]
    ) -> Value | None:
        """What calling something gives."""
        if found is None:
            return None
        callee = found.value
        if not isinstance(callee, Functions):
            if found.rule != EXTERNAL:
                return None
            if isinstance(callee, (NamedType, Composite)):
                return callee
            values = [self.infer(unit, argument) for argument in arguments]
            brought = isinstance(holder, Outside) and any(map(mentions_workspace, holder.arguments))
            plain = all(value is not None and _is_plain(value) for value in values)
            return _OBJECT if plain and not brought else None
        return self._function_result(callee, holder, unit, arguments)

    def _function_result(
        self, callee: Functions, holder: Value | None, unit: DeclaredUnit, arguments: Sequence[int]
    ) -> Value | None:
        other, row = self.unit(callee.file), callee.rows[0]
        returns = other.returns(row)
        if not returns:
            above = self.above(other, row) if other.kind[row] == METHOD_DEFINITION else None
            if above is None or (above.file, above.row) == (callee.file, row):
                return None
            inherited = Functions(above.file, (above.row,), callee.given)
            return self.guarded(
                ("result", inherited, holder), lambda: self._function_result(inherited, holder, unit, arguments), None
            )
        type_ = self.infer(other, returns[0][0])
        if type_ is None:
            return None
        given: Bindings = {(file, one): value for file, one, value in callee.given}
        own = other.type_parameters(row)
        if own:
            found: Bindings = {}
            self._bind(callee, unit, arguments, found)
            for one in own:
                given[callee.file, one] = found.get((callee.file, one))
        result = substituted(type_, given)
        if result is None and isinstance(type_, Variable):
            bounds = self.names.supers(type_)
            result = bounds[0] if bounds else None
        around = of_type(holder) if holder is not None else self.names.around(other, other.scope[row])
        return self._with_static(result, around)

    def _with_static(self, value: Value | None, holder: Value | None, depth: int = 0) -> Value | None:
        """A type with the class that a method is called on in place of `static`."""
        if value is None or depth > MAX_NESTING:
            return value
        if value == STATIC:
            return holder if holder is not None else value
        if isinstance(value, Composite):
            return Composite(
                value.constructor, tuple([self._with_static(part, holder, depth + 1) for part in value.parts])
            )
        if isinstance(value, NamedType) and value.arguments:
            parts = tuple([self._with_static(part, holder, depth + 1) for part in value.arguments])
            return NamedType(value.file, value.row, parts)
        return value

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """What a function outside gives is not known."""
        return None

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """An import is looked at where names are."""
        return None


def of_type(value: Value | None) -> Value | None:
    """A type that is named, or the type of a value; nothing for what has no members."""
    if isinstance(value, TypeName):
        return value.type
    if isinstance(value, Composite) and value.constructor == "class":
        return value.parts[0]
    return None if isinstance(value, (Functions, Several)) else value


def is_builtin(value: Value | None) -> bool:
    """Whether a value is of a type that has no members."""
    return isinstance(value, Outside) and value.dotted.startswith(BUILTIN) and value != STATIC


def _is_same_class(one: Value, other: Value) -> bool:
    if isinstance(one, NamedType) and isinstance(other, NamedType):
        return (one.file, one.row) == (other.file, other.row)
    return isinstance(one, Outside) and isinstance(other, Outside) and one.dotted == other.dotted


def _is_plain(value: Value) -> bool:
    """Whether a value brings no type of ours to what it is handed to."""
    return isinstance(value, Outside) and not any(map(mentions_workspace, value.arguments))


def either(values: Sequence[Value | None]) -> Value | None:
    """One of several types: what has no members is none of those that a member is asked of. Of too many, none."""
    if any(value is None for value in values):
        return None
    parts: dict[Value, None] = {}
    for value in values:
        inner = value.parts if isinstance(value, Composite) and value.constructor == EITHER else (value,)
        parts.update(dict.fromkeys(one for one in inner if one is not None))
    kept = [part for part in parts if not is_builtin(part)]
    if not kept:
        return next(iter(parts), None)
    if len(kept) > MAX_CANDIDATES:
        return None
    return kept[0] if len(kept) == 1 else Composite(EITHER, tuple(kept))
