"""Calls: what calls and `new` give, and what a call says about its arguments.

Owns: results, type arguments, contextual types of callbacks and object literals.
Must not know: occurrences, edges.
Invariant: a result that rests on inference of type arguments is never called sure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias, final

from graphls.languages.extract.kinds import (
    ABSTRACT_FLAG,
    ASYNC_FLAG,
    CALL_EXPRESSION,
    CLASS_SCOPE,
    GENERATOR_FLAG,
    LAMBDA_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    RETURN_RETURN,
    TYPE_EXPRESSION,
    VARIADIC_FLAG,
    YIELD_RETURN,
)
from graphls.languages.resolve.structural_value import DefinitionRefs, External
from graphls.languages.typescript.syntax.forms import forms_of
from graphls.languages.typescript.types import react
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.hierarchy import MAPPED, Hierarchy
from graphls.languages.typescript.types.library import TsLibrary
from graphls.languages.typescript.types.names import SymbolMeaning, TsNameLookup
from graphls.languages.typescript.types.overloads import CALL, CONSTRUCT, Overloads
from graphls.languages.typescript.types.types import Types
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    NO_INFERENCE,
    UNKNOWN,
    Bindings,
    TsBuiltin,
    TsBuiltinMethod,
    TsClass,
    TsFunction,
    TsInference,
    TsInstance,
    TsIntersection,
    TsObject,
    TsRule,
    TsSignature,
    TsSuper,
    TsThisType,
    TsTuple,
    TsTypeParameter,
    Value,
    Values,
    all_of,
    given,
    join,
    merged,
    substitute,
    unknown_after,
)

_SAME_ARRAY = frozenset(("filter", "slice", "concat", "sort", "reverse", "toSorted", "toReversed", "fill", "splice"))
_ELEMENT = frozenset(("find", "findLast", "pop", "shift", "at"))
_CALLBACKS: Mapping[str, str] = {
    **dict.fromkeys(
        ("forEach", "map", "filter", "find", "findLast", "findIndex", "some", "every", "flatMap"), "callback"
    ),
    **dict.fromkeys(("findLastIndex", "then"), "callback"),
    **dict.fromkeys(("sort", "toSorted"), "comparer"),
    **dict.fromkeys(("reduce", "reduceRight"), "reducer"),
}
"""Methods that call what they are given, and what that is called here."""
_GIVEN: Mapping[str, tuple[int, ...]] = {"callback": (0,), "comparer": (0, 1), "reducer": (1,)}
"""The places at which such a function is given an element."""
_TAKING: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("push", "unshift", "fill"), ("Array",)),
    "add": ("Set", "WeakSet"),
}
"""Methods that take elements, and what they are methods of."""
ArgumentForms: TypeAlias = tuple[int, tuple[int, ...]]
"""How many arguments a call has, -1 where that is not known, and the forms of the first."""
UNKNOWN_FORMS: ArgumentForms = (-1, ())
_MAX_STEPS: Final = 12
_COLLECTIONS = frozenset(("Map", "WeakMap", "ReadonlyMap"))
_RECORDS = frozenset(("Record", "Object"))
"""Types whose members all have the type that is their second argument; `Object<K, V>` is JSDoc."""


@final
class TsCallResolution:
    """Results of calls."""

    def __init__(
        self, *, context: TsContext, names: TsNameLookup, hierarchy: Hierarchy, annotations: Types, overloads: Overloads
    ) -> None:
        self._context = context
        self._names = names
        self._hierarchy = hierarchy
        self._annotations = annotations
        self._overloads = overloads
        self._library = TsLibrary(context, annotations, self)

    # results

    def call(self, unit: TsUnit, expression: int) -> TsInference:
        """What calling gives."""
        table = unit.expressions
        callee, arguments = table.a[expression], unit.list_at(table.b[expression])
        types: Sequence[int] = ()
        if unit.operator(callee) == "apply":
            callee, *types = unit.operands(callee)
        bound = self._bound(unit, unit.bound(expression), arguments)
        if bound is not None:
            return bound
        before = self._context.queries.infer(unit, callee)
        if not before.values:
            return unknown_after(before)
        given = tuple(self._annotations.denote(unit, item) for item in types)
        parts = tuple(self._called(value, unit, arguments, given) for value in before.values)
        return join(parts).after(before)

    def _bound(self, unit: TsUnit, function: int, arguments: Sequence[int]) -> TsInference | None:
        """`f.bind(x)` is the function, with `x` as its `this`; None where it is no function."""
        infer = self._context.queries.infer
        before = infer(unit, function) if function >= 0 else NO_INFERENCE
        receiver = next(iter(infer(unit, arguments[0]).values), None) if arguments and before.values else None
        made = [TsFunction(one.file, one.row, receiver) for one in before.values if isinstance(one, TsFunction)]
        is_function = made and len(made) == len(before.values)
        return TsInference(tuple(made), before.rule, before.sure, before.partial) if is_function else None

    def _called(self, value: Value, unit: TsUnit, arguments: Sequence[int], types: tuple[Values, ...]) -> TsInference:
        if isinstance(value, TsFunction):
            return self._call_function(value, unit, arguments, types)
        if isinstance(value, TsBuiltinMethod):
            return TsInference(self._call_method(value, unit, arguments), TsRule.ELEMENT, False)
        if isinstance(value, TsSignature):
            return TsInference(self.result_of(value), TsRule.RETURNED)
        if isinstance(value, External):
            return self._call_external(value, unit, arguments, types)
        if isinstance(value, (TsInstance, TsObject, TsIntersection)):
            parts = [self._found_call(value, unit, arguments, types)] if self._hierarchy.find(value, CALL) else []
            if isinstance(value, TsIntersection):
                parts += [self._called(part, unit, arguments, types) for part in _plain(value)]
            return join(tuple(parts))
        return NO_INFERENCE

    def _found_call(
        self, value: Value, unit: TsUnit, arguments: Sequence[int], types: tuple[Values, ...]
    ) -> TsInference:
        inference = self._context.queries.member_inference(value, CALL)
        functions = [item for item in inference.values if isinstance(item, TsFunction)]
        return join(tuple(self._call_function(item, unit, arguments, types) for item in functions))

    def _call_external(
        self, value: External, unit: TsUnit, arguments: Sequence[int], types: tuple[Values, ...]
    ) -> TsInference:
        """`Object.create(x)`, `Object.assign(a, b)` and the like keep what they are given."""
        if arguments and react.keeps(value.dotted):
            given = self._context.queries.infer(unit, arguments[0]).values
            called = merged(*(self.result_of(item) for item in given))
            made = react.result(value.dotted, types[0] if types else UNKNOWN, given, called)
            return TsInference(made, TsRule.RETURNED, False)
        inner = self._context.queries.infer(unit, arguments[0]) if arguments else NO_INFERENCE
        if value.dotted == "Object.assign":
            parts = merged(*(self._context.queries.infer(unit, item).values for item in arguments))
            return TsInference(all_of(parts), TsRule.RETURNED, False)
        kept = self._library.kept(value.dotted, unit, arguments, inner.values)
        return TsInference(kept, TsRule.RETURNED, False, inner.partial) if kept is not None else NO_INFERENCE

    def _call_function(
        self, value: TsFunction, unit: TsUnit, arguments: Sequence[int], types: tuple[Values, ...]
    ) -> TsInference:
        other, infer = self._context.unit(value.file), self._context.queries.infer
        forms = [self._overloads.form_of(infer(unit, argument).values) for argument in arguments[:3]]
        row = self._overloads.overload(other, value.row, len(arguments), forms)
        result = self.returned(other, row)
        declared = self._declared(other, row) >= 0
        bindings = (*self._solved(other, row, unit, arguments, types), *value.bindings)
        receiver = value.receiver
        values = substitute(result, bindings[:24], receiver)
        values = self._grounded(values, other, row)
        sure = declared and not any(isinstance(item, TsTypeParameter) for item in result)
        return TsInference(values, TsRule.RETURNED, sure)

    def _grounded(self, values: Values, unit: TsUnit, row: int) -> Values:
        """Type parameters of the called function that nothing fixed stand for their bound."""
        own = {(unit.file, parameter) for parameter in self._hierarchy.parameters_of(unit, row)}
        if not own:
            return values
        made: list[Value] = []
        for value in values:
            if isinstance(value, TsTypeParameter) and (value.file, value.row) in own:
                made.extend(self._hierarchy.constraint(value))
            else:
                made.append(value)
        return tuple(dict.fromkeys(made))

    def is_declared(self, unit: TsUnit, row: int) -> bool:
        """Whether a function says what its result is."""
        return self._declared(unit, row) >= 0

    def _declared(self, unit: TsUnit, row: int) -> int:
        """The declared result of a function, or -1."""
        rows = unit.returns(row)
        first = rows[0][0] if rows else -1
        return first if first >= 0 and unit.expressions.kind[first] == TYPE_EXPRESSION else -1

    def returned(self, unit: TsUnit, row: int) -> Values:
        """What a function gives back, type parameters as they are."""
        return self._context.guarded(("returned", unit.file, row), partial(self._returned, unit, row), UNKNOWN)

    def _returned(self, unit: TsUnit, row: int) -> Values:
        declared = self._declared(unit, row)
        if declared >= 0:
            return self._annotations.denote(unit, unit.expressions.a[declared])
        flags = unit.flags[row]
        if flags & ABSTRACT_FLAG:
            return UNKNOWN
        values = merged(
            *(
                self._context.queries.infer(unit, item).values
                for item, kind in unit.returns(row)
                if kind == RETURN_RETURN
            )
        )
        values = self._as_receiver(unit, row, values)
        if flags & GENERATOR_FLAG:
            yields = merged(
                *(
                    self._context.queries.infer(unit, item).values
                    for item, kind in unit.returns(row)
                    if kind == YIELD_RETURN
                )
            )
            return (TsBuiltin("Generator", (yields,)),)
        if flags & ASYNC_FLAG:
            return (TsBuiltin("Promise", (self._annotations.awaited(values),)),) if values else UNKNOWN
        return values

    def _as_receiver(self, unit: TsUnit, row: int, values: Values) -> Values:
        """`this` that a method without a declared result gives back is whatever the method is called on."""
        home = unit.scope[row]
        owner = unit.scope_owner[home]
        own = TsInstance(unit.file, owner)
        if owner < 0 or unit.scope_kind[home] != CLASS_SCOPE or own not in values:
            return values
        if not any(self._gives_this(unit, item, 0) for item, kind in unit.returns(row) if kind == RETURN_RETURN):
            return values
        return tuple(TsThisType() if value == own else value for value in values)

    def _gives_this(self, unit: TsUnit, expression: int, depth: int) -> bool:
        """Whether an expression is `this`, by a name, or by methods that give back what they are called on."""
        if expression < 0 or depth > _MAX_STEPS:
            return False
        table = unit.expressions
        kind, inner = table.kind[expression], table.a[expression]
        if kind == NAME_EXPRESSION:
            name = unit.strings[inner]
            rows = self._names.lookup(unit, table.b[expression], name, SymbolMeaning.VALUE) if name != "this" else ()
            return name == "this" or (len(rows) == 1 and self._gives_this(unit, unit.value[rows[0]], depth + 1))
        if kind != CALL_EXPRESSION or table.kind[inner] != MEMBER_EXPRESSION:
            return False
        called = [value for value in self._context.queries.infer(unit, inner).values if isinstance(value, TsFunction)]
        same = any(TsThisType() in self.returned(self._context.unit(value.file), value.row) for value in called)
        return same and self._gives_this(unit, table.a[inner], depth + 1)

    def result_of(self, value: Value) -> Values:
        """What calling a value gives, whatever the arguments."""
        if isinstance(value, TsSignature):
            unit = self._context.unit(value.file)
            expression = value.expression
            if unit.expressions.kind[expression] == LAMBDA_EXPRESSION:
                inner = self._context.queries.infer(unit, unit.expressions.a[expression]).values
            else:
                inner = self._annotations.denote(unit, unit.operands(expression)[0])
            return substitute(inner, value.bindings)
        if isinstance(value, TsFunction):
            return substitute(self.returned(self._context.unit(value.file), value.row), value.bindings, value.receiver)
        return UNKNOWN

    def constructed(self, value: Value) -> Values:
        """What `new` makes of a value."""
        if isinstance(value, TsClass):
            return (TsInstance(value.file, value.row, value.arguments),)
        if isinstance(value, TsFunction):
            unit = self._context.unit(value.file)
            known = bool(unit.scopes_of(value.row, CLASS_SCOPE))
            return (TsInstance(value.file, value.row),) if known else UNKNOWN
        if isinstance(value, TsSignature):
            return self.result_of(value)
        if isinstance(value, External):
            return (TsBuiltin(value.dotted),) if "." not in value.dotted and value.dotted != "Proxy" else UNKNOWN
        if isinstance(value, (TsInstance, TsObject, TsIntersection)):
            constructors = self._context.queries.member_inference(value, CONSTRUCT).values
            return merged(*(self.result_of(item) for item in constructors))
        if isinstance(value, TsTypeParameter):
            return self._context.guarded(("constructed", value), partial(self._constructed_bound, value), UNKNOWN)
        return UNKNOWN

    def _constructed_bound(self, value: TsTypeParameter) -> Values:
        return merged(*(self.constructed(item) for item in self._hierarchy.constraint(value)))

    # type arguments

    def _solved(
        self, other: TsUnit, row: int, unit: TsUnit, arguments: Sequence[int], types: tuple[Values, ...]
    ) -> Bindings:
        """What the function's own type parameters stand for in this call."""
        parameters = self._hierarchy.parameters_of(other, row)
        if not parameters:
            return ()
        made: dict[tuple[str, int], Values] = {}
        if types:
            for parameter, given in zip(parameters, types, strict=False):
                made[other.file, parameter] = given
        wanted: set[tuple[str, int]] = {(other.file, parameter) for parameter in parameters}
        for position, parameter in enumerate(other.parameters(row)):
            if position >= len(arguments) or other.type[parameter] < 0 or types:
                break
            pattern = self._annotations.denote(other, other.type[parameter])
            if any(
                isinstance(item, (TsTypeParameter, TsBuiltin, TsInstance, TsObject, TsSignature)) for item in pattern
            ):
                given = self._context.queries.infer(unit, arguments[position]).values
                self._unify(pattern, given, wanted, made, 0)
        for parameter in parameters:
            if (other.file, parameter) not in made and other.value[parameter] >= 0:
                default = self._annotations.denote(other, other.value[parameter])
                made[other.file, parameter] = substitute(default, tuple(made.items()))
        return tuple((key, given) for key, given in made.items() if given)

    def _unify(
        self,
        pattern: Values,
        given: Values,
        wanted: set[tuple[str, int]],
        made: dict[tuple[str, int], Values],
        depth: int,
    ) -> None:
        """Type parameters in the declared type of a parameter, matched with what is given for it."""
        if depth > 4 or not given:
            return
        classes = tuple(value for value in given if isinstance(value, TsClass))
        for item in pattern:
            if classes and isinstance(item, (TsInstance, TsObject, TsSignature)) and self._constructs(item):
                made_of = merged(*(self.constructed(value) for value in classes))
                self._unify(self.constructed(item), made_of, wanted, made, depth + 1)
                continue
            if isinstance(item, TsTypeParameter):
                key = (item.file, item.row)
                if key in wanted and key not in made:
                    made[key] = given
            elif isinstance(item, (TsBuiltin, TsInstance)) and item.arguments:
                for value in given:
                    if isinstance(value, TsTuple) and isinstance(item, TsBuiltin) and item.name == "Array":
                        self._unify(item.arguments[0], self._context.queries.element((value,)), wanted, made, depth + 1)
                    elif isinstance(value, (TsBuiltin, TsInstance)) and _same(item, value):
                        for inner, other in zip(item.arguments, value.arguments, strict=False):
                            self._unify(inner, other, wanted, made, depth + 1)
            elif isinstance(item, TsSignature):
                results = merged(*(self.result_of(value) for value in given))
                self._unify(self.result_of(item), results, wanted, made, depth + 1)

    def _constructs(self, value: Value) -> bool:
        """Whether a type is that of a constructor: `new () => T`, or what declares `new (): T`."""
        if isinstance(value, TsSignature):
            return self._context.unit(value.file).operator(value.expression) == "new"
        return bool(self._hierarchy.find(value, CONSTRUCT))

    def proved(self, call: int, place: int) -> Values:
        """What `x is T` of a called function says of its argument at a place."""
        table, unit = self._context.own.expressions, self._context.own
        callee, arguments = table.a[call], unit.list_at(table.b[call])
        made: list[Values] = []
        for value in self._context.queries.infer(unit, callee).values:
            if isinstance(value, TsFunction):
                other = self._context.unit(value.file)
                row = self._overloads.overload(other, value.row, len(arguments), ())
                declared = self._declared(other, row)
                predicate = other.expressions.a[declared] if declared >= 0 else -1
                if other.operator(predicate) == f"is:{place}":
                    bindings = (*self._solved(other, row, unit, arguments, ()), *value.bindings)
                    narrowed = substitute(
                        self._annotations.denote(other, other.operands(predicate)[0]), bindings[:24], value.receiver
                    )
                    made.append(narrowed)
            elif isinstance(value, TsSignature):
                other = self._context.unit(value.file)
                if other.expressions.kind[value.expression] != LAMBDA_EXPRESSION:
                    predicate = other.operands(value.expression)[0]
                    if other.operator(predicate) == f"is:{place}":
                        made.append(
                            substitute(self._annotations.denote(other, other.operands(predicate)[0]), value.bindings)
                        )
        return merged(*made)

    # operators

    def applied(self, unit: TsUnit, expression: int) -> TsInference:
        """An operator on values, or an index."""
        operator = unit.operator(expression)
        operands = unit.operands(expression)
        if not operator:
            inner = self._context.queries.infer(unit, unit.expressions.a[expression])
            if inner.crowded:
                return inner
            return TsInference(self.indexed_values(inner.values), TsRule.ELEMENT, False, inner.partial)
        if operator == "construct":
            return self._construct(unit, operands)
        if operator == "apply":
            return self._context.queries.infer(unit, operands[0])
        if operator == "result":
            return TsInference(self._expected_result(unit, operands[0]), TsRule.CONTEXT, False)
        if operator == "Promise":
            inner = self._context.queries.infer(unit, operands[0])
            return inner.holding((TsBuiltin("Promise", (self._annotations.awaited(inner.values),)),))
        if operator == "&":
            parts = merged(*(self._context.queries.infer(unit, item).values for item in operands))
            return TsInference(all_of(parts), TsRule.OBJECT_MEMBER)
        word, _, position = operator.partition(":")
        if word == "argument":
            place, _, flags = position.partition(":")
            return self._expected_argument(unit, operands, int(place), int(flags))
        if word == "parameter":
            expected = self._context.queries.infer(unit, operands[0])
            if position == "this":
                return TsInference(merged(*map(self.receiver_of, expected.values)), TsRule.CONTEXT)
            values = merged(*(self.parameter_of(value, int(position)) for value in expected.values))
            return TsInference(tuple(v for v in values if not isinstance(v, TsTypeParameter)), TsRule.CONTEXT, False)
        return TsInference(self._annotations.denote(unit, expression), TsRule.ANNOTATED)

    def indexed_values(self, values: Values) -> Values:
        """What `values[key]` gives."""
        records = [value for value in values if isinstance(value, TsBuiltin) and value.name in _RECORDS]
        element_types = [value.arguments[1] for value in records if len(value.arguments) == 2]
        return merged(self._context.queries.element(values), *element_types)

    def _construct(self, unit: TsUnit, operands: Sequence[int]) -> TsInference:
        before = self._context.queries.infer(unit, operands[0])
        if before.crowded:
            return before
        arguments = tuple(self._annotations.denote(unit, item) for item in operands[1:])
        made: list[Value] = []
        for value in before.values:
            for item in self.constructed(value):
                if arguments and isinstance(item, (TsInstance, TsBuiltin)):
                    made.append(given(item, arguments))
                else:
                    made.append(item)
        return TsInference(tuple(dict.fromkeys(made)), TsRule.CONSTRUCTED, before.sure, before.partial)

    # context

    def _expected_argument(self, unit: TsUnit, operands: Sequence[int], position: int, flags: int) -> TsInference:
        """What a call expects at a place: the declared type of the parameter there. `flags`: of the call."""
        made: list[Values] = []
        argument_forms = forms_of(flags)
        callee = operands[0]
        if unit.operator(callee) == "construct":
            before = self._context.queries.infer(unit, unit.operands(callee)[0]).values
            made += [self._constructor_parameter(value, position, argument_forms) for value in before]
            return TsInference(merged(*made), TsRule.CONTEXT, False)
        types: Sequence[int] = ()
        if unit.operator(callee) == "apply":
            callee, *types = unit.operands(callee)
        given = tuple(self._annotations.denote(unit, item) for item in types)
        result = self._context.queries.infer(unit, operands[1]).values if len(operands) > 1 and not given else UNKNOWN
        for value in self._context.queries.infer(unit, callee).values:
            bindings = self._from_result(value, result) if result else ()
            made.append(substitute(self.parameter_of(value, position, given, argument_forms), bindings))
        return TsInference(self._bounds(merged(*made)), TsRule.CONTEXT, False)

    def _expected_result(self, unit: TsUnit, expression: int) -> Values:
        """What a function must give back that stands where something is expected."""
        made: list[Values] = []
        for value in self._context.queries.infer(unit, expression).values:
            if isinstance(value, (TsSignature, TsFunction)):
                made.append(self.result_of(value))
            elif isinstance(value, (TsInstance, TsObject, TsIntersection)):
                callables = (*self._context.queries.member_inference(value, CALL).values, *_plain(value))
                made += [self.result_of(item) for item in callables]
        return self._bounds(merged(*made))

    def _bounds(self, values: Values) -> Values:
        """Values with what type parameters extend in their place."""
        if not any(isinstance(value, TsTypeParameter) for value in values):
            return values
        made = merged(
            *(self._hierarchy.constraint(value) if isinstance(value, TsTypeParameter) else (value,) for value in values)
        )
        return tuple(value for value in made if not isinstance(value, TsTypeParameter))

    def _from_result(self, value: Value, result: Values) -> Bindings:
        """Type arguments of a call, as far as what is expected of its result decides them."""
        if not isinstance(value, TsFunction):
            return ()
        unit = self._context.unit(value.file)
        wanted: set[tuple[str, int]] = {(unit.file, item) for item in self._hierarchy.parameters_of(unit, value.row)}
        made: dict[tuple[str, int], Values] = {}
        if wanted and self._declared(unit, value.row) >= 0:
            self._unify(self.returned(unit, value.row), result, wanted, made, 0)
        return tuple(made.items())

    def _constructor_parameter(self, value: Value, position: int, argument_forms: ArgumentForms) -> Values:
        if isinstance(value, TsClass):
            instance = TsInstance(value.file, value.row)
            for found in self._hierarchy.find(instance, "constructor"):
                return merged(*(self._parameters_at(found.answer, position, argument_forms)))
            return UNKNOWN
        constructors = (
            self._context.queries.member_inference(value, CONSTRUCT).values
            if isinstance(value, (TsInstance, TsObject))
            else UNKNOWN
        )
        return merged(*(self.parameter_of(item, position, (), argument_forms) for item in constructors))

    def _parameters_at(self, answer: DefinitionRefs, position: int, argument_forms: ArgumentForms) -> list[Values]:
        inference = self._context.queries.answer_value(answer)
        return [self.parameter_of(value, position, (), argument_forms) for value in inference.values]

    def parameter_of(
        self, value: Value, position: int, types: tuple[Values, ...] = (), argument_forms: ArgumentForms = UNKNOWN_FORMS
    ) -> Values:
        """The declared type of a parameter of something that can be called; `told`: what the arguments are."""
        if isinstance(value, TsFunction):
            return self._function_parameter(value, position, types, argument_forms)
        if isinstance(value, TsSignature):
            return self._signature_parameter(value, position)
        if isinstance(value, TsBuiltinMethod):
            return self._method_parameter(value, position)
        if isinstance(value, TsSuper):
            return merged(
                *(
                    inner
                    for found in self._hierarchy.find(value, "constructor")
                    for inner in self._parameters_at(found.answer, position, argument_forms)
                )
            )
        if isinstance(value, TsBuiltin):
            return react.parameter(value, position)
        if isinstance(value, (TsInstance, TsObject, TsIntersection)):
            callables = (*self._context.queries.member_inference(value, CALL).values, *_plain(value))
            return merged(*(self.parameter_of(item, position, types, argument_forms) for item in callables))
        if isinstance(value, TsTypeParameter):
            key = ("parameter of", value, position)
            return self._context.guarded(key, partial(self._bound_parameter, value, position), UNKNOWN)
        return UNKNOWN

    def _method_parameter(self, value: TsBuiltinMethod, position: int) -> Values:
        """What methods of arrays, maps and promises take, and give to what they take."""
        owner, name = value.owner, value.name
        given = _GIVEN.get(name)
        if given is not None:
            if owner.name in _COLLECTIONS and len(owner.arguments) == 2:
                return owner.arguments[1 - position] if name == "callback" and position < 2 else UNKNOWN
            return self._context.queries.element((owner,)) if position in given else UNKNOWN
        if owner.name in react.COMPONENTS:
            return self._given_to_component(value, position)
        if name in _TAKING and owner.name in _TAKING[name]:
            return self._context.queries.element((owner,))
        if name == "set" and owner.name in _COLLECTIONS and len(owner.arguments) == 2 and position < 2:
            return owner.arguments[position]
        if position or (name == "then") != (owner.name == "Promise"):
            return UNKNOWN
        called = _CALLBACKS.get(name)
        return (TsBuiltinMethod(owner, called),) if called else UNKNOWN

    def _bound_parameter(self, value: TsTypeParameter, position: int) -> Values:
        return merged(*(self.parameter_of(item, position) for item in self._hierarchy.constraint(value)))

    def _given_to_component(self, value: TsBuiltinMethod, position: int) -> Values:
        """`this.setState(state)`, `this.setState((state, props) => state)`."""
        if value.name == "updater":
            return react.updated(value.owner, position)
        takes = value.name == "setState" and position == 0
        return (*react.member(value.owner, "state"), TsBuiltinMethod(value.owner, "updater")) if takes else UNKNOWN

    def _function_parameter(
        self, value: TsFunction, position: int, types: tuple[Values, ...], argument_forms: ArgumentForms
    ) -> Values:
        unit = self._context.unit(value.file)
        count, forms = argument_forms
        row = self._overloads.overload(unit, value.row, count if count >= 0 else position + 1, forms)
        parameters = unit.parameters(row)
        if not parameters:
            return UNKNOWN
        last = parameters[-1]
        spread = bool(unit.flags[last] & VARIADIC_FLAG) and position >= len(parameters) - 1
        if position >= len(parameters) and not spread:
            return UNKNOWN
        parameter = last if spread else parameters[position]
        if unit.type[parameter] < 0:
            return self._context.queries.infer(unit, unit.value[parameter]).values if not spread else UNKNOWN
        values = self._annotations.denote(unit, unit.type[parameter])
        if spread:
            values = self._context.queries.element(values)
        own = zip(self._hierarchy.parameters_of(unit, row), types, strict=False)
        bindings = (*(((unit.file, item), given) for item, given in own), *value.bindings)
        return substitute(values, bindings[:24], value.receiver)

    def _signature_parameter(self, value: TsSignature, position: int) -> Values:
        unit = self._context.unit(value.file)
        if unit.expressions.kind[value.expression] == LAMBDA_EXPRESSION:
            return UNKNOWN
        operands = unit.operands(value.expression)
        if position + 1 >= len(operands) or unit.operator(operands[position + 1]) == "this":
            return UNKNOWN
        return substitute(self._annotations.denote(unit, operands[position + 1]), value.bindings)

    def declared_receiver(self, unit: TsUnit, scope: int) -> Values | None:
        """What a function says that its `this` is; None where it says nothing."""
        for row in unit.members(scope).get("this", ()) if scope >= 0 else ():
            if unit.type[row] >= 0:
                return self._annotations.denote(unit, unit.type[row])
        return None

    def receiver_of(self, value: Value) -> Values:
        """The declared `this` of something that can be called."""
        if isinstance(value, TsFunction):
            unit = self._context.unit(value.file)
            types = self.declared_receiver(unit, unit.body[value.row]) or UNKNOWN
            return substitute(types, value.bindings, value.receiver)
        if isinstance(value, TsSignature):
            unit = self._context.unit(value.file)
            last = unit.operands(value.expression)[-1:]
            if not unit.operator(value.expression) or not last or unit.operator(last[0]) != "this":
                return UNKNOWN
            return substitute(self._annotations.denote(unit, unit.operands(last[0])[0]), value.bindings)
        if isinstance(value, (TsInstance, TsObject, TsIntersection)):
            callables = (*self._context.queries.member_inference(value, CALL).values, *_plain(value))
            return merged(*(self.receiver_of(item) for item in callables if item != value))
        return UNKNOWN

    # builtins

    def builtin_member(self, value: TsBuiltin | TsTuple, name: str) -> TsInference:
        """A member of an array, a map or a promise."""
        owner = TsBuiltin("Array", (self._context.queries.element((value,)),)) if isinstance(value, TsTuple) else value
        if owner.name == MAPPED:
            return TsInference(owner.arguments[1], TsRule.ANNOTATED, False, not owner.arguments[1])
        if owner.name in _RECORDS and len(owner.arguments) == 2:
            return TsInference(owner.arguments[1], TsRule.ELEMENT)
        react_member = react.member(owner, name)
        if react_member:
            return TsInference(react_member, TsRule.ANNOTATED)
        return TsInference((TsBuiltinMethod(owner, name),), TsRule.BUILTIN) if owner.arguments else NO_INFERENCE

    def _call_method(self, value: TsBuiltinMethod, unit: TsUnit, arguments: Sequence[int]) -> Values:
        owner, name = value.owner, value.name
        element = owner.arguments[0] if owner.arguments else UNKNOWN
        if owner.name in _COLLECTIONS and len(owner.arguments) == 2:
            if name == "get":
                return owner.arguments[1]
            if name in ("values", "entries"):
                held = owner.arguments[1] if name == "values" else (TsTuple(owner.arguments),)
                return (TsBuiltin("Iterator", (held,)),)
            return (TsBuiltin("Iterator", (element,)),) if name == "keys" else UNKNOWN
        if owner.name == "Promise" and name in ("catch", "finally"):
            return (owner,)
        if owner.name == "Promise" and name == "then" and arguments:
            results = merged(*(self.result_of(item) for item in self._context.queries.infer(unit, arguments[0]).values))
            return (TsBuiltin("Promise", (self._annotations.awaited(results),)),)
        if name in _SAME_ARRAY:
            return (owner,)
        if name in ("reduce", "reduceRight"):
            return self._context.queries.infer(unit, arguments[1]).values if len(arguments) > 1 else element
        if name in _ELEMENT:
            return element
        if name in ("map", "flatMap") and arguments:
            results = merged(*(self.result_of(item) for item in self._context.queries.infer(unit, arguments[0]).values))
            return (TsBuiltin("Array", (results if name == "map" else self._flat(results),)),)
        if name == "entries" and owner.name in ("Array", "ReadonlyArray"):
            pair: Value = TsTuple(((TsBuiltin("number"),), element))
            return (TsBuiltin("Iterator", ((pair,),)),)
        return (TsBuiltin("Iterator", (element,)),) if name in ("values", "keys") else UNKNOWN

    def _flat(self, values: Values) -> Values:
        """Arrays among values for what they hold."""
        made: list[Value] = []
        for value in values:
            listed = isinstance(value, TsTuple) or (isinstance(value, TsBuiltin) and value.name == "Array")
            made.extend(self._context.queries.element((value,)) if listed else (value,))
        return tuple(dict.fromkeys(made))


def _plain(value: Value) -> Values:
    """What can be called among all the things that a value is at once."""
    if not isinstance(value, TsIntersection):
        return UNKNOWN
    return tuple(part for part in value.parts if isinstance(part, (TsSignature, TsFunction)))


def _same(pattern: TsBuiltin | TsInstance, value: TsBuiltin | TsInstance) -> bool:
    if isinstance(pattern, TsBuiltin) or isinstance(value, TsBuiltin):
        return isinstance(pattern, TsBuiltin) and isinstance(value, TsBuiltin) and pattern.name == value.name
    return (pattern.file, pattern.row) == (value.file, value.row)
