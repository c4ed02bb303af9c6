"""Inference: what expressions and closures denote in Swift, and what places demand.

Owns: values of expressions, elements, what a closure is given, which type `.name` belongs to.
Must not know: how occurrences become links, other languages.
Invariant: a place demands a type only where a declaration or a value says it.
"""

from __future__ import annotations

from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.call_sites import Arguments, arguments_of_call
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit, named_literal
from graphls.languages.declared.methods import Invocation, MethodCandidate
from graphls.languages.declared.values import (
    Bindings,
    Composite,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Package,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CALL_EXPRESSION,
    COLLECTION_EXPRESSION,
    IMPORT_DEFINITION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    OPERATION_EXPRESSION,
    PARAMETER_DEFINITION,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    UNION_EXPRESSION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.swift.syntax.expressions import IMPLICIT
from graphls.languages.swift.syntax.literals import KEY_PATH
from graphls.languages.swift.syntax.types import ARRAY, DICTIONARY, FUNCTION_TYPE, OPTIONAL, TUPLE_TYPE
from graphls.languages.swift.types.calls import SwiftCalls
from graphls.languages.swift.types.names import SwiftNames
from graphls.languages.swift.types.overloads import SwiftOverloads
from graphls.languages.swift.types.scopes import SwiftScopes
from graphls.languages.swift.types.sites import ARGUMENT, HELD, PART, RESULT, SAME, VALUE, WRITTEN, SwiftSites
from graphls.languages.swift.types.standard import (
    COMPARING,
    INT,
    NUMBERS,
    STRING,
    TAKING_ELEMENT,
    element_of,
    function_parts,
    handed_out,
    last_name,
    optional,
    tuple_of,
    unwrapped,
    unwrapped_once,
)

_MADE_OF_PARTS: Final = frozenset({
    UNION_EXPRESSION, COLLECTION_EXPRESSION, OPERATION_EXPRESSION, TUPLE_EXPRESSION,
})  # fmt: skip
_NIL: Final = Outside("builtin.nil")


@final
class SwiftInference(DeclaredInference):
    """What one file of Swift and those that it can see denote, and the parts that find types, names and functions."""

    __deletable__ = ("invocations", "names", "overloads", "scopes")

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.scopes = SwiftScopes(self)
        self.sites = SwiftSites(self.own)
        self.overloads = SwiftOverloads(self, self.scopes, self.sites.roots)
        self.names = SwiftNames(self, self, self.scopes)
        self.invocations = SwiftCalls(self, self, self.scopes, self.overloads, self.names)

    def release(self) -> None:
        """Ends the questions: the parts, which lead back here, are let go."""
        del self.invocations, self.names, self.overloads, self.scopes

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A variable, property, function or type by a plain name."""
        return self.names.name(unit, scope, name, offset)

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a module."""
        return self.names.member(value, name)

    # values of rows

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind == IMPORT_DEFINITION:
            return self._module_value(unit, row)
        if kind == TYPE_ALIAS_DEFINITION and unit.value[row] < 0:
            return TypeName(Variable(unit.file, row))
        if kind == PARAMETER_DEFINITION and unit.type[row] < 0:
            value = unit.value[row]
            if value < 0 or unit.expressions.kind[value] == LITERAL_EXPRESSION:
                return None
        return super()._row_value(unit, row, kind)

    def _module_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        name = unit.text(row)
        how = next((how for one, how in self.scopes.imports(unit) if one == name), 0)
        folders = self.scopes.folders(name, unit.file, how)
        return Package(folders[0] if folders else None, name)

    # types

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            found = self.scopes.written(unit, row)
            value = None if found is None else found.value
            return value.type if isinstance(value, TypeName) else None
        if kind == SUBSCRIPT_EXPRESSION:
            base = table.a[row]
            parts = tuple([self.denote(unit, part) for part in unit.list_at(table.b[row])])
            if table.kind[base] == LITERAL_EXPRESSION:
                constructor = unit.strings[table.a[base]]
                return (
                    Outside(constructor, parts) if constructor.startswith("Swift.") else Composite(constructor, parts)
                )
            return self._with_arguments(unit, base, parts)
        if kind == LITERAL_EXPRESSION:
            return named_literal(unit.strings[table.a[row]])
        return super()._denote(unit, row)

    def _with_arguments(self, unit: DeclaredUnit, base: int, parts: tuple[Value | None, ...]) -> Value | None:
        found = self.scopes.written(unit, base)
        value = found.value if found is not None else None
        type_ = value.type if isinstance(value, TypeName) else None
        first = found.refs[0] if found is not None and found.refs else None
        if isinstance(first, DefinitionRef) and self.unit(first.file).kind[first.row] == TYPE_ALIAS_DEFINITION:
            rows = self.unit(first.file).type_parameters(first.row)
            return substituted(type_, {(first.file, one): part for one, part in zip(rows, parts, strict=False)})
        if isinstance(type_, NamedType):
            return NamedType(type_.file, type_.row, parts)
        return Outside(type_.dotted, parts) if isinstance(type_, Outside) else type_

    # values

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == CALL_EXPRESSION:
            return self.invocations.given_by(unit, row)
        if kind == MEMBER_EXPRESSION:
            found = self.member(self.infer(unit, a), unit.strings[table.b[row]])
            return None if found is None else found.value
        if kind == LITERAL_EXPRESSION:
            return named_literal(unit.strings[a])
        if kind == AWAIT_EXPRESSION:
            return unwrapped_once(self.infer(unit, a))
        if kind == STARRED_EXPRESSION:
            value = self.infer(unit, a)
            is_optional = isinstance(value, Outside) and value.dotted == OPTIONAL
            return value if value is None or is_optional else optional(value)
        if kind == ITEM_EXPRESSION:
            return self._part(unit, a, table.b[row])
        if kind in _MADE_OF_PARTS:
            return self._made_of_parts(unit, row)
        if kind == SUBSCRIPT_EXPRESSION:
            type_ = self.denote(unit, row)
            return TypeName(type_) if type_ is not None else None
        if kind == LAMBDA_EXPRESSION:
            return self._closure(unit, row)
        return super()._infer(unit, row)

    def _made_of_parts(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == UNION_EXPRESSION:
            return self._common(unit, a)
        if kind == COLLECTION_EXPRESSION:
            return self._collection(unit, row)
        if kind == OPERATION_EXPRESSION:
            return self._implied(unit, row) if a < 0 else self._operated(unit, row)
        parts = [self.infer(unit, part) for part in unit.list_at(a)]
        return tuple_of(parts, ["_"] * len(parts))

    def _common(self, unit: DeclaredUnit, listed: int) -> Value | None:
        """The type that several values have."""
        if listed < 0:
            return None
        values = [self.infer(unit, part) for part in unit.list_at(listed)]
        known = [value for value in values if value is not None and value != _NIL]
        if not known or any(unwrapped(one) != unwrapped(known[0]) for one in known[1:]):
            return None
        return known[0] if len(known) == len(values) or _NIL not in values else optional(unwrapped(known[0]))

    def _collection(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        wanted = unwrapped(self._demanded(row)) if unit.own else None
        if isinstance(wanted, (NamedType, Outside)) and not (isinstance(wanted, Outside) and not wanted.arguments):
            return wanted
        values = [self.infer(unit, part) for part in unit.list_at(table.a[row])]
        known = [value for value in values if value is not None and value != _NIL]
        held = known[0] if known and all(one == known[0] for one in known) else None
        if unit.strings[table.b[row]] == DICTIONARY:
            keys = [self.infer(unit, part) for part in unit.list_at(table.c[row])] if table.c[row] >= 0 else []
            key = keys[0] if keys and all(one == keys[0] for one in keys) else None
            return Outside(DICTIONARY, (key, held))
        return Outside(ARRAY, (held,))

    def _operated(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What an operator gives."""
        table = unit.expressions
        left, right = self.infer(unit, table.a[row]), self.infer(unit, table.b[row])
        name = unit.strings[table.c[row]]
        for one in (left, right):
            if isinstance(one, (NamedType, Variable)):
                found = [MethodCandidate(it.unit.file, it.row, it.given, False)
                         for it in self.scopes.member_rows(one, name) if it.unit.returns(it.row)]  # fmt: skip
                results = [self.invocations.result_type(it) for it in found]
                return results[0] if results and all(it == results[0] for it in results) else None
        if isinstance(left, Outside) and isinstance(right, Outside):
            if left.dotted in NUMBERS and right.dotted in NUMBERS:
                return right if left.dotted == INT else left
            if left.dotted == STRING or (left.dotted == right.dotted and left.dotted == ARRAY):
                return left
        return None

    def _part(self, unit: DeclaredUnit, row: int, at: int) -> Value | None:
        """A part of a tuple, of the payload of a case, or what a closure is given."""
        if unit.expressions.kind[row] == LAMBDA_EXPRESSION:
            return self._given(unit, row, at)
        value = self.infer(unit, row)
        if isinstance(value, Outside) and value.dotted == OPTIONAL:
            value = unwrapped(value)
        if isinstance(value, Composite):
            parts = value.parts
            if value.constructor.startswith(FUNCTION_TYPE):
                parts = parts[:-1]
            elif not value.constructor.startswith(TUPLE_TYPE):
                return None
            if at < len(parts):
                return parts[at]
        return None

    def element(self, value: Value | None) -> Value | None:
        """What a loop over something gives."""
        value = unwrapped(value)
        found = element_of(value)
        if found is not None or value is None or isinstance(value, (TypeName, Composite)):
            return found
        named = self.scopes.member_type(value, "Element")
        if named is not None and isinstance(named.value, TypeName) and named.rule != 7:
            type_ = named.value.type
            return type_ if not isinstance(type_, Variable) or isinstance(value, Variable) else None
        return None

    # closures and places

    def _closure(self, unit: DeclaredUnit, row: int) -> Value | None:
        """A closure as a function."""
        table = unit.expressions
        count = max(table.c[row], 0)
        return Composite(FUNCTION_TYPE + ",".join(["_"] * count), (*[None] * count, self.infer(unit, table.a[row])))

    def closure_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a closure, a key path or a function that is passed gives."""
        if row < 0:
            return None
        if unit.expressions.kind[row] == LAMBDA_EXPRESSION:
            return self.infer(unit, unit.expressions.a[row])
        value = self.infer(unit, row)
        if isinstance(value, Functions):
            return self.invocations.result_type(MethodCandidate(value.file, value.rows[0], {}, False))
        parts = function_parts(value)
        if parts is not None:
            return parts[1]
        return value if self._is_key_path(unit, row) else None

    def _is_key_path(self, unit: DeclaredUnit, row: int) -> bool:
        table = unit.expressions
        while row >= 0 and table.kind[row] in (MEMBER_EXPRESSION, AWAIT_EXPRESSION):
            row = table.a[row]
        return row >= 0 and table.kind[row] == OPERATION_EXPRESSION and unit.strings[table.c[row]] == KEY_PATH

    def closure_parameter(self, unit: DeclaredUnit, scope: int, at: int) -> Value | None:
        """What the closure around a scope is given at a position."""
        while scope > 0 and unit.scope_kind[scope] != LAMBDA_SCOPE:
            scope = unit.scope_parent[scope]
        row = self.sites.lambdas.get(scope, -1) if unit.own else -1
        return self._given(unit, row, at) if row >= 0 else None

    def _given(self, unit: DeclaredUnit, row: int, at: int) -> Value | None:
        nothing: tuple[Value | None, ...] = ()
        taken = self.guarded(("taken", row), lambda: self._taken(row), nothing) if unit.own else nothing
        count = unit.expressions.c[row]
        if count > 1 and len(taken) == 1:
            whole = taken[0]
            if isinstance(whole, Composite) and whole.constructor.startswith(TUPLE_TYPE):
                taken = whole.parts
        return taken[at] if at < len(taken) else None

    def _taken(self, row: int) -> tuple[Value | None, ...]:
        """What a closure is given, by its place."""
        place = self.sites.places.get(row)
        if place is not None and place[0] == ARGUMENT:
            handed = self._handed_out(place[1], place[2], row)
            if handed is not None:
                return handed
        parts = function_parts(self._demanded(row))
        return parts[0] if parts is not None else ()

    def _handed_out(self, call: int, at: int, row: int) -> tuple[Value | None, ...] | None:
        """What a function of the library hands to a closure."""
        unit, table = self.own, self.own.expressions
        made = self.invocations.invocation(unit, call)
        callee = table.a[call]
        if made.chosen or made.found is None:
            return None
        if table.kind[callee] == MEMBER_EXPRESSION:
            value, name = self.infer(unit, table.a[callee]), unit.strings[table.b[callee]]
        elif table.kind[callee] == NAME_EXPRESSION and made.receiver is not None:
            value, name = made.receiver, unit.strings[table.a[callee]]
        else:
            return None
        holder = value if isinstance(value, Outside) else self.names.away(value) if value is not None else None
        if holder is None:
            return None
        if isinstance(value, (NamedType, Variable)) and not holder.arguments:
            held = self.element(value)
            holder = Outside(holder.dotted, (held,)) if held is not None else holder
        if name == "reduce" and at and element_of(holder) is not None:
            given = arguments_of_call(self, unit, call)
            return self.infer(unit, given.rows[0]), element_of(holder)
        return handed_out(holder, name, table.c[row])

    def _demanded(self, row: int) -> Value | None:
        """The type that a place demands of the expression in it."""
        if row not in self.sites.places:
            return None
        return self.guarded(("demanded", row), lambda: self._demanded_by(row), None)

    def _demanded_by(self, row: int) -> Value | None:
        unit = self.own
        how, a, b = self.sites.places[row]
        if how == WRITTEN:
            return self.denote(unit, a)
        if how == VALUE:
            return self.infer(unit, a)
        if how == SAME:
            return self._demanded(a)
        if how == HELD:
            wanted = unwrapped(self._demanded(a))
            if wanted is None:
                return self._by_parts(a)
            if isinstance(wanted, Outside) and wanted.dotted == DICTIONARY and len(wanted.arguments) == 2:
                return wanted.arguments[1]
            return element_of(wanted) or self._literal_element(wanted) or self.element(wanted)
        if how == RESULT:
            parts = function_parts(self._demanded(a))
            return parts[1] if parts is not None else None
        if how == PART:
            whole = self._demanded(a)
            parts_of = whole.parts if isinstance(whole, Composite) and whole.constructor.startswith(TUPLE_TYPE) else ()
            return parts_of[b] if b < len(parts_of) else None
        return self._parameter_type(a, b) if how == ARGUMENT else None

    def _by_parts(self, row: int) -> Value | None:
        """What a literal holds, by those of its parts that say so themselves."""
        unit, roots = self.own, self.sites.roots
        parts = [part for part in unit.list_at(unit.expressions.a[row]) if part not in roots]
        values = [self.infer(unit, part) for part in parts]
        known = [one for one in values if one is not None and one != _NIL]
        return known[0] if known and all(one == known[0] for one in known) else None

    def _literal_element(self, wanted: Value | None) -> Value | None:
        """What a type of the workspace takes from the brackets of a literal."""
        for candidate in self.overloads.methods(wanted, "init") if isinstance(wanted, NamedType) else ():
            if [one[0] for one in self.overloads.labels(candidate)] == ["arrayLiteral"]:
                return self.overloads.parameter_types(candidate)[0]
        return None

    def _parameter_type(self, call: int, at: int) -> Value | None:
        """The type of the parameter that an argument is for."""
        unit = self.own
        made, given = self.invocations.invocation(unit, call), arguments_of_call(self, unit, call)
        if not made.chosen:
            parts = function_parts(made.receiver)
            if parts is not None:
                return parts[0][at] if at < len(parts[0]) else None
            return self._like_other(made, given, at)
        found: list[Value | None] = []
        for candidate in made.chosen:
            positions = self.overloads.positions(candidate, unit, given)
            types = self.overloads.parameter_types(candidate)
            place = positions[at] if positions is not None and at < len(positions) else -1
            wanted = types[place] if 0 <= place < len(types) else None
            found.append(self._bound(candidate, made.receiver, wanted, call))
        if all(one == found[0] for one in found):
            return found[0]
        # Of several the only one that has what stands behind the dot.
        _, name = self.sites.roots.get(given.rows[at], (-1, ""))
        having = [one for one in found if name and self.scopes.member_rows(unwrapped(one), name)]
        return having[0] if having and all(one == having[0] for one in having) else None

    def _like_other(self, made: Invocation, given: Arguments, at: int) -> Value | None:
        """What a function of the library takes that compares its first two arguments."""
        first = made.found.refs[0] if made.found is not None and made.found.refs else None
        if not isinstance(first, External):
            return None
        if last_name(first.dotted) in TAKING_ELEMENT and isinstance(made.receiver, Outside) and not at:
            return element_of(made.receiver)
        if last_name(first.dotted) not in COMPARING or at > 1:
            return None
        other = given.rows[1 - at] if len(given.rows) > 1 else -1
        return self.infer(self.own, other) if other >= 0 and other not in self.sites.roots else None

    def _bound(
        self, candidate: MethodCandidate, receiver: Value | None, wanted: Value | None, call: int
    ) -> Value | None:
        """The type of a parameter with what is known of type parameters."""
        unit = self.own
        given = arguments_of_call(self, unit, call)
        own = self.unit(candidate.file).type_parameters(candidate.row)
        found: Bindings = {(candidate.file, one): value for one, value in zip(own, given.types, strict=False)}
        if isinstance(receiver, NamedType) and all(isinstance(one, Variable) for one in receiver.arguments):
            own = [*own, *self.unit(receiver.file).type_parameters(receiver.row)]
        if wanted is not None and own:
            self.invocations.bind(candidate, unit, given, found, lambdas=False)
        return substituted(wanted, found)

    def _implied(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What stands before `.name` unwritten: the type that its place demands; the root of a key path."""
        if not unit.own:
            return None
        sign = unit.strings[unit.expressions.c[row]]
        wanted = self._demanded(row)
        if sign == KEY_PATH:
            return self._root(row, wanted)
        if sign != IMPLICIT or wanted is None or wanted == _NIL:
            return None
        inner = unwrapped(wanted)
        if isinstance(inner, TypeName) or function_parts(inner) is not None:
            return None
        return (
            TypeName(wanted if isinstance(wanted, Outside) and wanted.dotted == OPTIONAL else inner) if inner else None
        )

    def _root(self, row: int, wanted: Value | None) -> Value | None:
        wanted = unwrapped(wanted)
        if isinstance(wanted, Outside) and last_name(wanted.dotted).endswith("KeyPath") and wanted.arguments:
            return wanted.arguments[0]
        parts = function_parts(wanted)
        if parts is not None:
            return parts[0][0] if parts[0] else None
        place = self.sites.places.get(row)
        handed = self._handed_out(place[1], place[2], row) if place is not None and place[0] == ARGUMENT else None
        return handed[0] if handed else None
