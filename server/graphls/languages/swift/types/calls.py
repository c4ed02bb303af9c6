"""Calls: which function a call means, and what it gives.

Owns: calls of plain names, of members, of types and of values; what calls of the library hand on.
Must not know: how occurrences become links, what a place demands.
Invariant: what an unknown receiver may have is not looked for elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, final

from graphls.languages.declared.call_sites import Arguments, arguments_of_call
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.methods import Invocation, MethodCandidate, OutsideCall, external, refs
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
    CLASS_SCOPE,
    ENUM_MEMBER_DEFINITION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
)
from graphls.languages.resolve.structural_value import DefinitionRef
from graphls.languages.swift.syntax.expressions import SUBSCRIPT_NAME
from graphls.languages.swift.syntax.facts_builder import FAILABLE
from graphls.languages.swift.syntax.types import ARRAY, DICTIONARY, OPTIONAL
from graphls.languages.swift.types.names import CALLABLES, SwiftNames
from graphls.languages.swift.types.overloads import INIT, REFERENCE, SwiftOverloads
from graphls.languages.swift.types.scopes import (
    CLASSES,
    EXTERNAL,
    IMPORT,
    INHERITED,
    LOCAL,
    MEMBER,
    PACKAGE,
    TYPE_KINDS,
    SwiftScopes,
)
from graphls.languages.swift.types.standard import (
    FUNCTIONS,
    RANGE,
    element_of,
    function_parts,
    given_back,
    last_name,
    optional,
    tuple_of,
    unwrapped,
)

_NOWHERE: Final = Invocation(None)


class ClosureResults(Protocol):
    """What closures give."""

    def closure_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a closure, a key path or a function that is passed gives."""
        ...


@final
class SwiftCalls:
    """Calls and their results."""

    def __init__(
        self, types: DeclaredInference, closures: ClosureResults, scopes: SwiftScopes, overloads: SwiftOverloads,
        names: SwiftNames,
    ) -> None:  # fmt: skip
        self._types = types
        self._closures = closures
        self._scopes = scopes
        self._overloads = overloads
        self._names = names

    def invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        """What a call means."""
        return self._types.guarded(("call", unit.file, row), lambda: self._invocation(unit, row), _NOWHERE)

    def _invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        table = unit.expressions
        callee, given = table.a[row], arguments_of_call(self._types, unit, row)
        if table.kind[callee] == SUBSCRIPT_EXPRESSION:
            if table.kind[table.a[callee]] == LITERAL_EXPRESSION:
                type_ = self._types.denote(unit, callee)
                return self.constructed(type_, unit, given, EXTERNAL) if type_ is not None else _NOWHERE
            callee = table.a[callee]
        if table.kind[callee] == AWAIT_EXPRESSION:
            return self._optional_call(unit, table.a[callee], given)
        if table.kind[callee] == NAME_EXPRESSION:
            name = unit.strings[table.a[callee]]
            return self._plain_call(unit, table.b[callee], name, table.c[callee], given)
        if table.kind[callee] == MEMBER_EXPRESSION:
            value = self._types.infer(unit, table.a[callee])
            return self.member_call(value, unit.strings[table.b[callee]], unit, given)
        return self._invoked(self._types.infer(unit, callee), unit, given, None)

    def _optional_call(self, unit: DeclaredUnit, callee: int, given: Arguments) -> Invocation:
        """`name?(arguments)`: a call of what a name holds, not of a function of this name."""
        table = unit.expressions
        if table.kind[callee] == NAME_EXPRESSION:
            name = unit.strings[table.a[callee]]
            found = self._names.name(unit, table.b[callee], name, table.c[callee])
        elif table.kind[callee] == MEMBER_EXPRESSION:
            found = self._names.member(self._types.infer(unit, table.a[callee]), unit.strings[table.b[callee]])
        else:
            return self._invoked(self._types.infer(unit, callee), unit, given, None)
        return self._invoked(unwrapped(found.value), unit, given, found) if found is not None else _NOWHERE

    # plain names

    def _plain_call(self, unit: DeclaredUnit, scope: int, name: str, offset: int, given: Arguments) -> Invocation:
        if name in ("self", "super") or name[:1] == "$":
            found = self._names.name(unit, scope, name, offset)
            return self._invoked(found.value if found is not None else None, unit, given, found)
        at = scope
        static = self._names.is_static(unit, scope)
        while at > 0:
            kind = unit.scope_kind[at]
            if kind == CLASS_SCOPE:
                value = self._scopes.self_type(unit, at)
                made = self._own_call(value, name, unit, given, static) if value is not None else None
            else:
                made = self._call_in_scope(unit, at, name, given, offset=offset)
            if made is not None and (made.chosen or made.receiver is not None or made.found is not None):
                return made
            at = unit.scope_parent[at]
        made = self._module_call(unit, scope, name, given)
        if made is not None:
            return made
        found = self._names.name(unit, scope, name, offset)
        if found is not None and found.rule == EXTERNAL:
            value = self._scopes.self_type(unit, scope) if name not in FUNCTIONS and not name[:1].isupper() else None
            if value is not None and self._names.away(value) is not None:
                return self._outside_call(value, found, name)
            return Invocation(Denotation(found.refs, self._of_library(name, unit, given), EXTERNAL))
        return Invocation(None)

    def _call_in_scope(
        self, unit: DeclaredUnit, scope: int, name: str, given: Arguments, *, offset: int
    ) -> Invocation | None:  # fmt: skip
        rows = unit.members(scope).get(name, ())
        functions = [MethodCandidate(unit.file, row, {}, False) for row in rows if unit.kind[row] in CALLABLES]
        chosen = self._overloads.pick(functions, unit, given)
        if chosen:
            return Invocation(Denotation(refs(chosen), None, LOCAL), chosen)
        found = self._names.local(unit, scope, name, unit.scope_kind[scope], offset) if rows else None
        if found is None:
            type_ = next((row for row in rows if unit.kind[row] in TYPE_KINDS), -1)
            return self.constructed(NamedType(unit.file, type_), unit, given, LOCAL) if type_ >= 0 else None
        if isinstance(found.value, TypeName):
            return self._of_type(found, unit, given)
        return self._invoked(found.value, unit, given, found)

    def _own_call(
        self, value: Value, name: str, unit: DeclaredUnit, given: Arguments, static: bool | None
    ) -> Invocation | None:  # fmt: skip
        """A function of a type around, by its plain name."""
        made = self._methods_call(value, name, unit, given, static)
        if made is not None:
            return made
        found = self._names.of_type_around(value, name, static)
        if found is None or found.rule == EXTERNAL:
            return None
        if isinstance(found.value, TypeName):
            return self._of_type(found, unit, given)
        if function_parts(found.value) is not None or isinstance(unwrapped(found.value), NamedType):
            return self._invoked(found.value, unit, given, found)
        first = found.refs[0] if found.refs else None
        if isinstance(first, DefinitionRef) and self._types.unit(first.file).kind[first.row] in CALLABLES:
            return None  # none of them takes the arguments: one further out may
        return self._invoked(found.value, unit, given, found)

    def _methods_call(
        self, value: Value, name: str, unit: DeclaredUnit, given: Arguments, static: bool | None
    ) -> Invocation | None:  # fmt: skip
        chosen = self._overloads.pick(self._overloads.methods(value, name, static), unit, given)
        if not chosen:
            return None
        rule = INHERITED if chosen[0].inherited else MEMBER
        return Invocation(Denotation(refs(chosen), None, rule), chosen, value)

    def _module_call(self, unit: DeclaredUnit, scope: int, name: str, given: Arguments) -> Invocation | None:
        """Functions, types and variables that modules declare."""
        declared = self._scopes.declared(unit, name)
        made = self._called_of(declared, unit, given, PACKAGE)
        if made is not None:
            return made
        type_ = self._scopes.type_named(unit, scope, name)
        if type_ is not None and isinstance(type_.value, TypeName):
            return self._of_type(type_, unit, given)
        return Invocation(type_) if type_ is not None and type_.refs else None

    def _called_of(
        self, declared: Sequence[DefinitionRef], unit: DeclaredUnit, given: Arguments, rule: int
    ) -> Invocation | None:
        functions = [MethodCandidate(ref.file, ref.row, {}, False) for ref in declared
                     if self._types.unit(ref.file).kind[ref.row] in CALLABLES]  # fmt: skip
        chosen = self._overloads.pick(functions, unit, given)
        if chosen:
            kept = self._scopes.nearest([one.ref for one in chosen]) if len(chosen) > 1 else []
            chosen = [one for one in chosen if one.ref in kept] if kept else chosen
            rule = LOCAL if chosen[0].file == self._types.path else rule
            return Invocation(Denotation(refs(chosen), None, rule), chosen)
        if functions:
            return None
        found = self._names.value_at(declared, rule)
        return self._invoked(found.value, unit, given, found) if found is not None else None

    # types

    def _of_type(self, type_: Denotation, unit: DeclaredUnit, given: Arguments) -> Invocation:
        value = type_.value.type if isinstance(type_.value, TypeName) else None
        made = self.constructed(value, unit, given, type_.rule)
        if made.chosen and made.found is not None:
            first = made.chosen[0]
            if self._types.unit(first.file).kind[first.row] in CLASSES:
                return Invocation(type_, made.chosen, made.receiver)
            return made
        return Invocation(Denotation(type_.refs, value, type_.rule)) if type_.refs else made

    def constructed(self, type_: Value | None, unit: DeclaredUnit, given: Arguments, rule: int) -> Invocation:
        """A call of a type: one of its constructors."""
        if type_ is None:
            return _NOWHERE
        if isinstance(type_, NamedType) and given.types and not type_.arguments:
            type_ = NamedType(type_.file, type_.row, tuple(given.types))
        elif isinstance(type_, Outside) and given.types and not type_.arguments:
            type_ = Outside(type_.dotted, tuple(given.types))
        chosen = self._overloads.pick(self._overloads.constructors(type_), unit, given)
        if chosen and not (isinstance(type_, Outside) and self._is_library_made(chosen, unit, given)):
            return Invocation(Denotation(refs(chosen), None, rule), chosen, type_)
        if isinstance(type_, Outside):
            if last_name(type_.dotted) in ("Array", "Set", "ArraySlice", "ContiguousArray") and not type_.arguments:
                first = self._types.infer(unit, given.rows[0]) if len(given.rows) == 1 else None
                type_ = Outside(type_.dotted, (element_of(first),)) if first is not None else type_
            return Invocation(external(type_.dotted, type_))
        if isinstance(type_, NamedType):
            return Invocation(Denotation((DefinitionRef(type_.file, type_.row),), type_, rule))
        return Invocation(Denotation((), type_, rule))

    def _is_library_made(self, chosen: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether a call of a type of the library may as well mean what that has: without a name of an argument, where
        neither an argument nor a parameter is surely of a type of the workspace."""
        if not given.rows or any(given.names):
            return False
        values = [self._types.infer(unit, row) for row in given.rows if row >= 0]
        if any(isinstance(value, NamedType) for value in values):
            return False
        wanted = [type_ for one in chosen for type_ in self._overloads.parameter_types(one)]
        return not all(isinstance(type_, NamedType) for type_ in wanted) or None in values

    # members

    def member_call(self, value: Value | None, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation:
        """A call of what stands behind a dot."""
        if value is None:
            return _NOWHERE
        if isinstance(value, Package):
            return self._package_call(value, name, unit, given)
        if isinstance(value, TypeName):
            return self._type_call(value.type, name, unit, given)
        if name == INIT:
            return self.constructed(value, unit, given, MEMBER)
        made = self._methods_call(value, name, unit, given, False)
        if made is not None:
            return made
        held = unwrapped(value)
        if isinstance(value, Outside) and value.dotted == OPTIONAL and name not in ("map", "flatMap"):
            return self.member_call(held, name, unit, given)
        if name == SUBSCRIPT_NAME:
            return self._indexed(value, unit, given)
        found = self._names.member(value, name)
        if found is None:
            return _NOWHERE
        if found.rule == EXTERNAL:
            return self._outside_call(value, found, name)
        first = found.refs[0] if found.refs else None
        if isinstance(first, DefinitionRef) and self._types.unit(first.file).kind[first.row] in CALLABLES:
            away = self._names.away(value)
            return Invocation(external(f"{away.dotted}.{name}", None)) if away is not None else _NOWHERE
        return self._invoked(found.value, unit, given, found)

    def _package_call(self, value: Package, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation:
        declared = self._scopes.in_package(unit, value, name)
        made = self._called_of(declared, unit, given, IMPORT)
        if made is not None:
            return made
        found = self._names.member(value, name)
        if found is not None and isinstance(found.value, TypeName):
            return self._of_type(found, unit, given)
        return Invocation(found)

    def _type_call(self, type_: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation:
        if isinstance(type_, Outside) and type_.dotted == OPTIONAL and name not in ("some", "none"):
            type_ = unwrapped(type_) or type_
        if name == INIT:
            return self.constructed(type_, unit, given, MEMBER)
        made = self._methods_call(type_, name, unit, given, True)
        if made is not None:
            return made
        if isinstance(type_, Outside) and type_.dotted == OPTIONAL:
            first = self._types.infer(unit, given.rows[0]) if given.rows else None
            return Invocation(external(f"{OPTIONAL}.{name}", optional(first)))
        found = self._names.member(TypeName(type_), name)
        if found is None or found.rule == EXTERNAL:
            return Invocation(found)
        if isinstance(found.value, TypeName):
            return self._of_type(found, unit, given)
        first_ref = found.refs[0] if found.refs else None
        if isinstance(first_ref, DefinitionRef) and self._types.unit(first_ref.file).kind[first_ref.row] in CALLABLES:
            return _NOWHERE
        return self._invoked(found.value, unit, given, found)

    def _indexed(self, value: Value, unit: DeclaredUnit, given: Arguments) -> Invocation:
        """`value[index]` of the library."""
        index = self._types.infer(unit, given.rows[0]) if given.rows else None
        if isinstance(index, Outside) and last_name(index.dotted) in ("Range", "ClosedRange", "PartialRangeFrom"):
            return Invocation(external(f"{RANGE}.subscript", value))
        if isinstance(index, TypeName) or (isinstance(index, Outside) and index.dotted.startswith(RANGE)):
            return Invocation(external(f"{RANGE}.subscript", value))
        if isinstance(value, Outside):
            if value.dotted == DICTIONARY and len(value.arguments) == 2:
                held = value.arguments[1]
                first = given.names[0] if given.names else ""
                return Invocation(external(f"{DICTIONARY}.subscript", held if first else optional(held)))
            return Invocation(external(f"{value.dotted}.subscript", element_of(value)))
        return _NOWHERE

    def _invoked(
        self, value: Value | None, unit: DeclaredUnit, given: Arguments, held: Denotation | None
    ) -> Invocation:
        """A call of a value: of a function, of what has `callAsFunction`. `held`: what its name means."""
        if isinstance(value, TypeName):
            made = self.constructed(value.type, unit, given, MEMBER)
            return made if held is None else Invocation(held, made.chosen, made.receiver or value.type)
        if isinstance(value, Functions):
            candidates = [MethodCandidate(value.file, row, {}, False) for row in value.rows]
            chosen = self._overloads.pick(candidates, unit, given)
            return Invocation(held, chosen) if chosen else Invocation(held)
        if function_parts(value) is not None:
            return Invocation(held, (), value)
        plain = unwrapped(value)
        if isinstance(plain, (NamedType, Variable)):
            chosen = self._overloads.pick(self._overloads.methods(plain, "callAsFunction", False), unit, given)
            if chosen:
                return Invocation(held, chosen, plain)
        return Invocation(held)

    # what is outside

    def _outside_call(
        self, value: Value, found: Denotation, name: str
    ) -> Invocation:  # fmt: skip
        away = value if isinstance(value, Outside) else self._names.away(value)
        if away is None:
            return Invocation(found)
        return Invocation(Denotation(found.refs, None, EXTERNAL), (), value, OutsideCall(away, name))

    def _given_outside(self, call: OutsideCall, unit: DeclaredUnit, given: Arguments) -> Value | None:
        """What a call of a type from outside gives."""
        if call.name == "reduce" and given.rows:
            return self._types.infer(unit, given.rows[0])
        selected = self._closures.closure_result(unit, given.rows[-1]) if given.rows else None
        return given_back(call.holder, call.name, selected) if isinstance(call.holder, Outside) else None

    def _of_library(self, name: str, unit: DeclaredUnit, given: Arguments) -> Value | None:
        """What a function of the library without a receiver gives."""
        if name not in FUNCTIONS or not given.rows:
            return None
        first = self._types.infer(unit, given.rows[0])
        if name == "type":
            return TypeName(first) if first is not None else None
        if name in ("min", "max", "abs"):
            return first
        if name == "stride":
            return Outside(RANGE, (first,))
        if name == "zip" and len(given.rows) == 2:
            pair = [element_of(first), element_of(self._types.infer(unit, given.rows[1]))]
            return Outside(ARRAY, (tuple_of(pair, ("0", "1")),)) if None not in pair else None
        return None

    # results

    def given_by(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a call gives."""
        made, given = self.invocation(unit, row), arguments_of_call(self._types, unit, row)
        if given.names and given.names[0].startswith(REFERENCE):
            one = made.chosen[0] if len(made.chosen) == 1 else None
            return Functions(one.file, (one.row,)) if one is not None else None
        if not made.chosen:
            parts = function_parts(made.receiver)
            if parts is not None:
                return parts[1]
            if made.outside is not None:
                return self._given_outside(made.outside, unit, given)
            return made.found.value if made.found is not None else None
        results = [self._result(one, made, unit, given) for one in made.chosen]
        return results[0] if all(one == results[0] for one in results) else None

    def _result(
        self, candidate: MethodCandidate, made: Invocation, unit: DeclaredUnit, given: Arguments
    ) -> Value | None:
        other, row = self._types.unit(candidate.file), candidate.row
        kind = other.kind[row]
        if kind in CLASSES or other.text(row) == INIT:
            return self._instance(candidate, made, unit, given)
        if kind == ENUM_MEMBER_DEFINITION:
            type_ = self._types.row_value(other, row)
            result = type_.parts[-1] if isinstance(type_, Composite) else type_
            return made.receiver if isinstance(made.receiver, NamedType) and made.receiver.arguments else result
        type_ = self.result_type(candidate)
        own = other.type_parameters(row)
        if type_ is None or not own:
            return type_
        found: Bindings = {(candidate.file, one): value for one, value in zip(own, given.types, strict=False)}
        self.bind(candidate, unit, given, found)
        for one in own:
            found.setdefault((candidate.file, one), None)
        result = substituted(type_, found)
        if result is None and isinstance(type_, Variable):
            bounds = [one for one in self._scopes.supers(type_) if isinstance(one, NamedType)]
            return bounds[0] if len(bounds) == 1 else None
        return result

    def result_type(self, candidate: MethodCandidate) -> Value | None:
        """What a function gives back: its written type."""
        unit = self._types.unit(candidate.file)
        returns = unit.returns(candidate.row)
        if not returns:
            return Outside("Swift.Void")
        return substituted(self._types.infer(unit, returns[0][0]), candidate.given)

    def _instance(
        self, candidate: MethodCandidate, made: Invocation, unit: DeclaredUnit, given: Arguments
    ) -> Value | None:
        """A new instance; arguments decide type arguments that are not written."""
        type_ = made.receiver
        other = self._types.unit(candidate.file)
        failable = other.kind[candidate.row] not in CLASSES and bool(other.flags[candidate.row] & FAILABLE)
        if isinstance(type_, NamedType):
            unit_of = self._types.unit(type_.file)
            own = unit_of.type_parameters(type_.row)
            open_ = all(isinstance(one, Variable) or one is None for one in type_.arguments)
            if own and open_:
                found: Bindings = {}
                self.bind(candidate, unit, given, found)
                type_ = NamedType(type_.file, type_.row, tuple([found.get((type_.file, one)) for one in own]))
        if type_ is None:
            return None
        return optional(type_) if failable else type_

    def bind(
        self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments, found: Bindings, *, lambdas: bool = True
    ) -> None:
        """What arguments say of the type parameters of a function."""
        positions = self._overloads.positions(candidate, unit, given)
        if positions is None:
            return
        types, kinds = self._overloads.parameter_types(candidate), unit.expressions.kind
        late: list[tuple[Value, int]] = []
        for argument, at in zip(given.rows, positions, strict=False):
            wanted = types[at] if 0 <= at < len(types) else None
            if wanted is None or argument < 0:
                continue
            if kinds[argument] == LAMBDA_EXPRESSION:
                late.append((wanted, argument))
            else:
                self._overloads.unify_types(wanted, self._types.infer(unit, argument), found)
        for wanted, argument in late if lambdas else ():
            parts = function_parts(wanted)
            if parts is not None:
                self._overloads.unify_types(parts[1], self._closures.closure_result(unit, argument), found)
