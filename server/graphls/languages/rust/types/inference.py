"""Inference: what expressions of Rust denote.

Owns: calls, closures, patterns, operators that unwrap, what the standard library gives back.
Must not know: how occurrences become links, other languages.
Invariant: what the library may give back is followed only where a table says what that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import (
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
    substituted,
    unify,
)
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    COLLECTION_EXPRESSION,
    ELEMENT_EXPRESSION,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    ITEM_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
    UNION_EXPRESSION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.rust.types.members import RustMembers, last_word
from graphls.languages.rust.types.paths import ENTER_EXPRESSION, TYPES, VALUES, RustPaths, type_of
from graphls.languages.rust.types.standard import (
    HOMES,
    MADE_OF_ARGUMENT,
    MAPS,
    OPTION,
    RESULT,
    SAME,
    STRING,
    closure_part,
    family,
    result_of,
)
from graphls.languages.rust.types.written_results import WrittenResult, filled, last_part

_TRIED: Final = int(ExpressionKind.EXCEPTION)
_LAMBDA: Final = int(ExpressionKind.LAMBDA)
_GIVEN: Final = int(ExpressionKind.PARAMETER)
_NARROWED: Final = int(ExpressionKind.NARROWED)
_RECEIVER: Final = int(DefinitionFlag.RECEIVER)
_PAYLOADS: Final = {f"{OPTION}.Some": 0, f"{RESULT}.Ok": 0, f"{RESULT}.Err": 1}
_WRAPPED: Final = frozenset(("Option", "Result", "Poll"))


@final
class RustInference(DeclaredInference):
    """What one file of Rust and the crates that it can see denote, and the parts that find names and members."""

    __deletable__ = ("members", "paths")

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.paths = RustPaths(self, self._of_type)
        self.members = RustMembers(self, self.paths)

    def release(self) -> None:
        """Ends the questions: the parts, which lead back here, are let go."""
        del self.members, self.paths

    def _of_type(self, type_: Value, name: str, space: int) -> Denotation | None:
        return self.members.of_type(type_, name, space)

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """What the module around has under a name."""
        return self.paths.plain(unit, 0, name, -1, VALUES)

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What an import binds, as a type or module."""
        found = self.paths.path_found(unit, unit.value[row], TYPES)
        return None if found is None else found.value

    def row_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a definition denotes."""
        kind = unit.kind[row]
        if kind == NAMESPACE_DEFINITION:
            return self.guarded(("module", unit.file, row), lambda: self.paths.module_of(unit, row), None)
        if kind in (CLASS_DEFINITION, ENUM_DEFINITION) and unit.type_parameters(row):
            return TypeName(self.paths.type_itself(unit, row))
        if kind == ENUM_MEMBER_DEFINITION:
            return self.paths.variant_value(unit, row)
        return super().row_value(unit, row)

    # written types

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind = table.kind[row]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            found = self.paths.path_found(unit, row, TYPES) or self.paths.as_variant(unit, row)
            return None if found is None else type_of(found.value)
        if kind == SUBSCRIPT_EXPRESSION:
            base = table.a[row]
            if table.kind[base] == LITERAL_EXPRESSION:
                return self._constructed(unit, unit.strings[table.a[base]], unit.list_at(table.b[row]))
            found = self.paths.path_found(unit, row, TYPES)
            return None if found is None else type_of(found.value)
        if kind == TYPE_EXPRESSION:
            return self.denote(unit, table.a[row])
        return super()._denote(unit, row)

    def _constructed(self, unit: DeclaredUnit, constructor: str, rows: Sequence[int]) -> Value | None:
        if constructor == "as":
            return self.denote(unit, rows[0]) if rows else None
        parts = [self.denote(unit, part) for part in rows]
        if constructor == "+":
            known = [part for part in parts if part is not None]
            marks = [
                part for part in known if not (isinstance(part, Outside) and part.dotted.startswith("std.marker."))
            ]
            known = marks or known
            if not known:
                return None
            return known[0] if len(known) == 1 else Composite("+", tuple(known))
        return Composite(constructor, tuple(parts))

    # members

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A field or method: what is outside may be a pointer to what is not."""
        return None if value is None else self.find_member(value, name)

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A field or method, for those who do not say which."""
        return self.members.field(holder, name) or self.members.method(holder, name)

    # values

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind == TYPE_ALIAS_DEFINITION:
            target = self.denote(unit, unit.value[row])
            return None if target is None else TypeName(target)
        if unit.type[row] >= 0 and unit.value[row] >= 0:
            return filled(self.denote(unit, unit.type[row]), lambda: self.infer(unit, unit.value[row]))
        return super()._row_value(unit, row, kind)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == NAME_EXPRESSION:
            found = self.paths.path_found(unit, row, VALUES) or self.paths.path_found(unit, row, TYPES)
            return None if found is None else found.value
        if kind == MEMBER_EXPRESSION:
            return self._member_value(unit, row)
        if kind == CALL_EXPRESSION:
            return self._call(unit, row)
        if kind == TYPE_EXPRESSION:
            return self.denote(unit, a)
        if kind == LITERAL_EXPRESSION:
            name = unit.strings[a]
            return Outside(STRING if name == "String" else BUILTIN + name)
        if kind == SUBSCRIPT_EXPRESSION:
            return self._subscripted(unit, row)
        if kind == ELEMENT_EXPRESSION:
            return self.element(self.infer(unit, a))
        if kind == ITEM_EXPRESSION:
            return self.members.numbered(self.infer(unit, a), table.b[row])
        return self._infer_other(unit, row, kind)

    def _infer_other(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        """Kinds of expressions that other languages do not have, or have otherwise."""
        table = unit.expressions
        a = table.a[row]
        if kind == TUPLE_EXPRESSION:
            return Several(tuple([self.infer(unit, part) for part in unit.list_at(a)]))
        if kind == COLLECTION_EXPRESSION:
            return self._collection(unit, row)
        if kind == UNION_EXPRESSION:
            return self._first_known(unit, unit.list_at(a))
        if kind == ENTER_EXPRESSION:
            return self.paths.entered(unit, a)
        if kind in (_TRIED, AWAIT_EXPRESSION):
            return self._unwrapped(self.infer(unit, a), kind)
        if kind == _LAMBDA:
            return Composite("func", (None, self.infer(unit, a)))
        if kind == _GIVEN:
            return self._given_to_closure(unit, a, table.b[row], table.c[row])
        if kind == _NARROWED:
            return self._matched(unit, a, table.b[row], table.c[row])
        return None

    def _first_known(self, unit: DeclaredUnit, rows: Sequence[int]) -> Value | None:
        best: Value | None = None
        for row in rows:
            value = self.infer(unit, row)
            if value is not None and (best is None or (_is_vague(best) and not _is_vague(value))):
                best = value
            if best is not None and not _is_vague(best):
                return best
        return best

    def _collection(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        name, rows = unit.strings[table.b[row]], unit.list_at(table.a[row])
        first = self.infer(unit, rows[0]) if rows else None
        if name == "[]":
            return Composite("[]", (first,))
        if name == "Result":
            return Outside(RESULT, (Several(()), None))
        return Outside(HOMES[name], (first,))

    def _member_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        base, name = table.a[row], unit.strings[table.b[row]]
        if table.kind[base] == ENTER_EXPRESSION:
            found = self.paths.path_found(unit, row, VALUES) or self.paths.path_found(unit, row, TYPES)
            return None if found is None else found.value
        if table.kind[base] == _NARROWED:
            return self._matched_field(unit, base, name)
        found = self.member(self.infer(unit, base), name)
        return None if found is None else found.value

    def _subscripted(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        base = table.a[row]
        if table.kind[base] == LITERAL_EXPRESSION:
            type_ = self.denote(unit, row)
            return None if type_ is None else TypeName(type_)
        value = self.infer(unit, base)
        if isinstance(value, TypeName):
            found = self.paths.path_found(unit, row, TYPES)
            return None if found is None else found.value
        if isinstance(value, Functions):
            given = [self.denote(unit, part) for part in unit.list_at(table.b[row])]
            other = self.unit(value.file)
            rows = other.type_parameters(value.rows[0])
            bound = tuple([(value.file, one, type_) for one, type_ in zip(rows, given, strict=False)])
            return Functions(value.file, value.rows, (*value.given, *bound))
        if isinstance(value, Outside) and value.dotted.rpartition(".")[2] in ("size_of", "default", "new", "parse"):
            return value
        for one in self.members.pointed(value):
            if isinstance(one, Outside) and one.dotted.rpartition(".")[2] in MAPS:
                return one.arguments[1] if len(one.arguments) > 1 else None
            if isinstance(one, NamedType):
                indexed = self._by_trait(one, "Index", "Output")
                if indexed is not None:
                    return indexed
                continue
            held = self.element(one)
            if held is not None:
                return held
        return None

    def _by_trait(self, value: NamedType, trait: str, name: str) -> Value | None:
        """An associated type of a trait of the library that a type implements."""
        for unit, row, given in self.members.traits_of(value):
            if last_word(unit, unit.value[row]) == trait:
                return substituted(self.members.associated_type(unit, row, name), given)
        return None

    def element(self, value: Value | None) -> Value | None:
        """What a loop over something hands out."""
        for one in self.members.pointed(value):
            if isinstance(one, Composite):
                return self._element_of_parts(one)
            if isinstance(one, NamedType):
                return self._handed_out(one)
            if isinstance(one, Variable):
                return self._element_of_bounds(self.members.bounds(one))
            if isinstance(one, Outside) and one.arguments:
                if last_part(one) in MAPS:
                    return Several(one.arguments[:2])
                if family(last_part(one)) in ("Iterator", "[]", "Option", "Channel"):
                    return one.arguments[0]
        return None

    def _element_of_parts(self, value: Composite) -> Value | None:
        if value.constructor == "[]":
            return value.parts[0] if value.parts else None
        held = (self.element(part) for part in value.parts if part is not None) if value.constructor == "+" else ()
        return next((one for one in held if one is not None), None)

    def _element_of_bounds(self, bounds: Sequence[Value]) -> Value | None:
        for bound in bounds:
            if isinstance(bound, Outside) and bound.arguments and family(last_part(bound)) == "Iterator":
                return bound.arguments[-1]
        return None

    def _handed_out(self, value: NamedType) -> Value | None:
        return self._by_trait(value, "Iterator", "Item") or self._by_trait(value, "IntoIterator", "Item")

    def _unwrapped(self, value: Value | None, kind: int) -> Value | None:
        """`x?` and `x.await`."""
        value = self.members.reduced(value)
        if kind == AWAIT_EXPRESSION:
            if (
                isinstance(value, Outside)
                and last_part(value) in ("Future", "JoinHandle", "BoxFuture")
                and value.arguments
            ):
                return value.arguments[-1]
            return value
        if isinstance(value, Outside) and (last_part(value) in _WRAPPED or last_part(value).endswith("Result")):
            return value.arguments[0] if value.arguments else Outside(f"{value.dotted.partition('.')[0]}.?")
        return None

    # calls

    def _call(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        callee, arguments = table.a[row], unit.list_at(table.b[row])
        inner = callee
        turbofish: tuple[int, ...] = ()
        if table.kind[callee] == SUBSCRIPT_EXPRESSION:
            inner, turbofish = table.a[callee], tuple(unit.list_at(table.b[callee]))
        if table.kind[inner] == MEMBER_EXPRESSION and table.kind[table.a[inner]] != ENTER_EXPRESSION:
            return self._method_call(unit, inner, turbofish, arguments)
        value = self.infer(unit, callee)
        if isinstance(value, TypeName):
            return self._made(value.type, unit, arguments)
        if isinstance(value, Functions):
            return self.result(value, unit, arguments)
        if isinstance(value, Outside):
            return self.called_outside(value, [self.infer(unit, argument) for argument in arguments])
        return _result_of_function(value)

    def _method_call(
        self, unit: DeclaredUnit, member: int, turbofish: Sequence[int], arguments: Sequence[int]
    ) -> Value | None:
        table = unit.expressions
        name = unit.strings[table.b[member]]
        receiver = self.infer(unit, table.a[member])
        found = self.members.method(receiver, name)
        if found is None:
            held = self.members.field(receiver, name)
            return None if held is None else _result_of_function(held.value)
        if isinstance(found.value, Functions):
            functions = found.value
            if turbofish:
                rows = self.unit(functions.file).type_parameters(functions.rows[0])
                given = [self.denote(unit, part) for part in turbofish]
                bound = tuple([(functions.file, one, type_) for one, type_ in zip(rows, given, strict=False)])
                functions = Functions(functions.file, functions.rows, (*functions.given, *bound))
            return self.result(functions, unit, arguments, receiver)
        return self._standard_result(receiver, name, unit, turbofish, arguments)

    def _standard_result(
        self, receiver: Value | None, name: str, unit: DeclaredUnit, turbofish: Sequence[int], arguments: Sequence[int]
    ) -> Value | None:
        """What a method of the library gives."""
        if turbofish and name in ("collect", "sum", "product", "parse", "into"):
            type_ = self.denote(unit, turbofish[0])
            if name == "parse":
                return Outside(RESULT, (type_, None))
            return filled(type_, lambda: self._plain_result(receiver, name, unit, arguments))
        return self._plain_result(receiver, name, unit, arguments)

    def _plain_result(
        self, receiver: Value | None, name: str, unit: DeclaredUnit, arguments: Sequence[int]
    ) -> Value | None:
        last: Value | None = None
        for one in self.members.pointed(receiver):
            last = one
            kind, parts = self._family(one, name)
            written = result_of(kind, name)
            if written:
                return self._written(written, parts, one, unit, arguments)
            if isinstance(one, NamedType) and name in ("clone", "to_owned", "borrow", "as_ref", "by_ref", "max", "min"):
                return one
            if isinstance(one, Variable) and name in ("clone", "to_owned", "by_ref", "max", "min"):
                return one
        if isinstance(last, Outside) and not last.arguments:
            return Outside(f"{last.dotted.partition('.')[0]}.?")
        return None

    def _family(self, value: Value, name: str) -> tuple[str, tuple[Value | None, ...]]:
        """Under which table the methods of a value are, and the parts that results are made of."""
        if isinstance(value, Composite):
            if value.constructor == "+":
                for part in value.parts:
                    kind, parts = self._family(part, name) if part is not None else ("", ())
                    if kind:
                        return kind, parts
            return ("[]", value.parts) if value.constructor == "[]" else ("", ())
        if isinstance(value, Outside):
            last = last_part(value)
            kind = "Result" if last.endswith("Result") else family(last)
            if kind == "Pointer" and value.arguments and not result_of(kind, name):
                return "", ()
            return kind, value.arguments
        if isinstance(value, (NamedType, Variable)):
            item = self.element(value)
            return ("Iterator", (item,)) if item is not None else ("", ())
        return "", ()

    def _written(
        self, text: str, parts: tuple[Value | None, ...], receiver: Value, unit: DeclaredUnit, arguments: Sequence[int]
    ) -> Value | None:
        """A result as a table writes it."""
        return WrittenResult(
            self,
            text,
            parts,
            receiver,
            unit=unit,
            arguments=arguments,
            closure=lambda: self.closure_result(unit, arguments),
        ).value()

    def closure_result(self, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """What the last function among some arguments gives."""
        for row in reversed(arguments):
            value = self.infer(unit, row)
            if isinstance(value, (Functions, Composite, TypeName)):
                made = self.called(value, unit, ())
                if made is not None:
                    return made
        return None

    def called(self, callee: Value | None, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """The result of a call."""
        if isinstance(callee, TypeName):
            return callee.type
        if isinstance(callee, Functions):
            return self.result(callee, unit, arguments)
        if isinstance(callee, Outside):
            return self.called_outside(callee, [self.infer(unit, argument) for argument in arguments])
        return _result_of_function(callee)

    def _made(self, type_: Value, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """An instance that a tuple struct makes."""
        if not isinstance(type_, NamedType):
            return type_
        other = self.unit(type_.file)
        own = other.type_parameters(type_.row)
        if not own:
            return type_
        found: Bindings = {}
        for at, argument in enumerate(arguments):
            unify(self.members.part_of(other, type_.row, at), self.infer(unit, argument), found)
        return substituted(type_, found)

    def result(
        self, callee: Functions, unit: DeclaredUnit, arguments: Sequence[int], receiver: Value | None = None
    ) -> Value | None:
        """What a function gives, with type arguments written, or as the receiver and the arguments decide them."""
        other, row = self.unit(callee.file), callee.rows[0]
        given: Bindings = {(file, one): value for file, one, value in callee.given}
        if other.kind[row] == ENUM_MEMBER_DEFINITION:
            return self._made_variant(other, row, given, unit, arguments)
        returns = other.returns(row)
        if not returns:
            return Several(())
        type_ = self.infer(other, returns[0][0])
        own = other.type_parameters(row)
        around = self.members.implementation_around(other, row)
        more = other.type_parameters(around) if around >= 0 else ()
        if any((callee.file, one) not in given for one in (*own, *more)):
            found = self._decided(other, row, unit, arguments, receiver)
            given = {**found, **given}
            for one in own:
                given.setdefault((callee.file, one), None)
        return self.reduced_deep(substituted(substituted(type_, given), given))

    def reduced_deep(self, value: Value | None) -> Value | None:
        """A type whose parts are reduced too."""
        value = self.members.reduced(value)
        if isinstance(value, Outside) and value.arguments:
            return Outside(value.dotted, tuple([self.members.reduced(part) for part in value.arguments]))
        return value

    def _decided(
        self, other: DeclaredUnit, row: int, unit: DeclaredUnit, arguments: Sequence[int], receiver: Value | None
    ) -> Bindings:
        """What the arguments of a call say of type parameters."""
        found: Bindings = {}
        rows = list(other.parameters(row))
        if rows and other.flags[rows[0]] & _RECEIVER and receiver is not None:
            rows = rows[1:]
        if len(rows) != len(arguments):
            return found
        for parameter, argument in zip(rows, arguments, strict=True):
            type_, value = self.row_value(other, parameter), self.infer(unit, argument)
            if isinstance(type_, Variable):
                self._by_bound(type_, value, found)
            unify(type_, value, found)
        return found

    def _by_bound(self, variable: Variable, value: Value | None, found: Bindings) -> None:
        """What a closure or a value says of the type parameters in the bound of its own."""
        for bound in self.members.bounds(variable):
            if isinstance(bound, Composite) and bound.constructor == "func" and isinstance(value, Composite):
                unify(bound.parts[-1], value.parts[-1] if value.parts else None, found)
            elif isinstance(bound, Outside) and bound.arguments and family(last_part(bound)) == "Iterator":
                unify(bound.arguments[-1], self.element(value), found)

    def _made_variant(
        self, other: DeclaredUnit, row: int, given: Bindings, unit: DeclaredUnit, arguments: Sequence[int]
    ) -> Value | None:
        owner = other.scope_owner[other.scope[row]]
        if owner < 0:
            return None
        found: Bindings = {}
        for at, argument in enumerate(arguments if other.type_parameters(owner) else ()):
            unify(self.members.part_of(other, row, at), self.infer(unit, argument), found)
        return substituted(self.paths.type_itself(other, owner), {**found, **given})

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """What functions of the library give, where that is known."""
        dotted = callee.dotted
        first = arguments[0] if arguments else None
        holder, _, name = dotted.rpartition(".")
        if dotted == f"{OPTION}.Some":
            return Outside(OPTION, (first,))
        if dotted == f"{RESULT}.Ok":
            return Outside(RESULT, (first, None))
        if dotted == f"{RESULT}.Err":
            return Outside(RESULT, (None, first))
        short = ".".join(dotted.split(".")[-2:])
        if short in SAME or name in SAME:
            return first
        if short in MADE_OF_ARGUMENT or name in MADE_OF_ARGUMENT:
            home = holder if short in MADE_OF_ARGUMENT else dotted
            return Outside(home, callee.arguments or (first,))
        if name[:1].islower() and holder.rpartition(".")[2][:1].isupper():
            if name in ("new", "with_capacity", "default", "from", "from_iter", "open", "create", "now"):
                return Outside(holder, callee.arguments)
            known = result_of(family(last_part(Outside(holder))), name)
            if known == "self":
                return first
        if callee.arguments:
            return None
        if any(_mentions(value) for value in arguments):
            return None
        return Outside(f"{dotted.partition('.')[0]}.?")

    # closures and patterns

    def _given_to_closure(self, unit: DeclaredUnit, callee: int, position: int, index: int) -> Value | None:
        """What a closure is given by the function that it is an argument of."""
        table = unit.expressions
        if table.kind[callee] == SUBSCRIPT_EXPRESSION:
            callee = table.a[callee]
        if table.kind[callee] == MEMBER_EXPRESSION and table.kind[table.a[callee]] != ENTER_EXPRESSION:
            name = unit.strings[table.b[callee]]
            receiver = self.infer(unit, table.a[callee])
            found = self.members.method(receiver, name)
            if found is None:
                return None
            if isinstance(found.value, Functions):
                return self._handed(found.value, position, index, receiver=True)
            for one in self.members.pointed(receiver):
                kind, parts = self._family(one, name)
                written = closure_part(kind, name, position, index)
                if written:
                    return self._written(written, parts, one, unit, ())
            return None
        value = self.infer(unit, callee)
        if isinstance(value, Functions):
            return self._handed(value, position, index, receiver=False)
        return None

    def _handed(self, callee: Functions, position: int, index: int, *, receiver: bool) -> Value | None:
        """What a function hands to the closure that is one of its arguments."""
        other, row = self.unit(callee.file), callee.rows[0]
        rows = list(other.parameters(row))
        if receiver and rows and other.flags[rows[0]] & _RECEIVER:
            rows = rows[1:]
        if position >= len(rows):
            return None
        type_ = self.row_value(other, rows[position])
        bounds = self.members.bounds(type_) if isinstance(type_, Variable) else [type_]
        given: Bindings = {(file, one): value for file, one, value in callee.given}
        for bound in bounds:
            for one in self.members.pointed(bound):
                if isinstance(one, Composite) and one.constructor == "func" and isinstance(one.parts[0], Several):
                    parts = one.parts[0].parts
                    return self.members.reduced(substituted(parts[index], given)) if index < len(parts) else None
        return None

    def _matched(self, unit: DeclaredUnit, subject: int, path: int, position: int) -> Value | None:
        """A part of what a pattern matched."""
        found = self.paths.path_found(unit, path, VALUES) or self.paths.path_found(unit, path, TYPES)
        ref = found.refs[0] if found is not None and found.refs else None
        if isinstance(ref, External):
            return self._payload(self.infer(unit, subject), ref.dotted, position)
        if ref is None or ref.row < 0:
            return None
        other = self.unit(ref.file)
        if position < 0:
            value = self.infer(unit, subject)
            return value if value is not None else self.denote(unit, path)
        part = self.members.part_of(other, ref.row, position)
        return self._of_subject(unit, subject, other, ref.row, part)

    def _payload(self, value: Value | None, dotted: str, position: int) -> Value | None:
        at = _PAYLOADS.get(dotted)
        if at is None or position != 0:
            return None
        for one in self.members.pointed(value):
            if isinstance(one, Outside) and (last_part(one) in _WRAPPED or last_part(one).endswith("Result")):
                return one.arguments[at] if at < len(one.arguments) else None
        return None

    def _of_subject(
        self, unit: DeclaredUnit, subject: int, other: DeclaredUnit, row: int, part: Value | None
    ) -> Value | None:
        """A part with the type arguments of what was matched."""
        owner = row
        if other.kind[row] == ENUM_MEMBER_DEFINITION:
            owner = other.scope_owner[other.scope[row]]
        if part is None or owner < 0 or not other.type_parameters(owner):
            return part
        for one in self.members.pointed(self.infer(unit, subject)):
            if isinstance(one, NamedType) and (one.file, one.row) == (other.file, owner):
                return substituted(part, self.arguments_of(one))
        return part

    def _matched_field(self, unit: DeclaredUnit, narrowed: int, name: str) -> Value | None:
        table = unit.expressions
        path = table.b[narrowed]
        found = self.fields_of(unit, path, name)
        if found is None or not found.refs:
            return None
        ref = found.refs[0]
        if not isinstance(ref, DefinitionRef):
            return None
        other = self.unit(ref.file)
        owner = other.scope_owner[other.scope[ref.row]]
        return self._of_subject(unit, table.a[narrowed], other, owner, found.value)

    def fields_of(self, unit: DeclaredUnit, path: int, name: str) -> Denotation | None:
        """A field of the struct or variant that a path means."""
        found = self.paths.path_found(unit, path, TYPES) or self.paths.path_found(unit, path, VALUES)
        if found is None:
            return None
        ref = found.refs[0] if found.refs else None
        if isinstance(ref, DefinitionRef) and ref.row >= 0:
            other = self.unit(ref.file)
            if other.kind[ref.row] == ENUM_MEMBER_DEFINITION:
                return self.members.field_in(other, other.body[ref.row], name)
        value = found.value.type if isinstance(found.value, TypeName) else found.value
        return self.members.field(value, name)


def _result_of_function(value: Value | None) -> Value | None:
    return value.parts[-1] if isinstance(value, Composite) and value.constructor == "func" and value.parts else None


def _is_vague(value: Value) -> bool:
    """Whether a part of a type is not known."""
    if isinstance(value, Outside):
        return (
            value.dotted.endswith("?")
            or any(part is None for part in value.arguments)
            or (not value.arguments and value.dotted in (OPTION, f"{OPTION}.None", RESULT))
        )
    return False


def _mentions(value: Value | None) -> bool:
    """Whether a function may give back something of the workspace that it was given."""
    if value is None or isinstance(value, (NamedType, Variable, Functions)):
        return True
    if isinstance(value, (Composite, Several)):
        return any(map(_mentions, value.parts))
    return isinstance(value, Outside) and any(map(_mentions, value.arguments))
