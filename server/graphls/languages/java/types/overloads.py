"""Overloads: which of several methods of one name a call means.

Owns: methods of a type and of those above it, arity, how well arguments fit written types.
Must not know: what a call gives back, how occurrences become links.
Invariant: what arguments do not decide is answered as several, the best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.bounds import MAX_DECLARED, MAX_OVERLOADS
from graphls.languages.declared.accessors import is_kotlin, property_names
from graphls.languages.declared.inference import BUILTIN, UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.methods import (
    EXACT,
    FAR,
    IMPOSSIBLE,
    NEAR,
    UNSURE,
    MethodCandidate,
    Methods,
    most_special,
    open_positions,
)
from graphls.languages.declared.values import (
    Anonymous,
    Composite,
    NamedType,
    Outside,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    ABSTRACT_FLAG,
    CLASS_DEFINITION,
    CONSTANT_DEFINITION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    METHOD_DEFINITION,
    PARAMETER_DEFINITION,
    PROPERTY_DEFINITION,
    STATIC_FLAG,
    VARIABLE_DEFINITION,
    VARIADIC_FLAG,
)
from graphls.languages.java.types.generated import accessed_field
from graphls.languages.java.types.scopes import OBJECT_TYPE, JavaScopes
from graphls.languages.java.types.standard import (
    ABOVE,
    BOXES,
    FINAL_CLASSES,
    OBJECT_METHODS,
    RANKS,
    UNBOXES,
    function_shape,
)
from graphls.languages.resolve.structural_value import DefinitionRef

RECORD_FLAG: Final = int(DefinitionFlag.INSTANCE)
"""On a field: the component of a record, which a method of its name reads."""

_CONSTRUCTOR: Final = "constructor"
_WITH_CONSTRUCTOR: Final = int(DefinitionFlag.DEFAULTED)
"""On a class of Kotlin: its first constructor is written."""
_METHODS: Final = frozenset({METHOD_DEFINITION})
_PROPERTIES: Final = frozenset({PROPERTY_DEFINITION})
_KOTLIN_METHODS: Final = _METHODS | _PROPERTIES
_VALUES: Final = frozenset({PROPERTY_DEFINITION, CONSTANT_DEFINITION, VARIABLE_DEFINITION})
_CALLED: Final = frozenset({METHOD_DEFINITION, FUNCTION_DEFINITION})


@final
class JavaOverloads:
    """Methods by name and arguments."""

    def __init__(self, types: DeclaredInference, scopes: JavaScopes) -> None:
        self._types = types
        self._scopes = scopes

    def methods(self, value: Value | None, name: str) -> Methods:
        """Methods of a type and of those above it; what is overridden below is left out. Asked nine times out of ten
        about what is known."""
        if value is None:
            return Methods([], None)
        asked = value
        key = ("methods", asked, name)
        return self._types.guarded(key, lambda: self._methods(asked, name), Methods([], None))

    def _methods(self, value: Value, name: str) -> Methods:
        found: list[MethodCandidate] = []
        seen: set[object] = set()
        outside: Outside | None = None
        for depth, one in enumerate(self._scopes.lineage(value)):
            if isinstance(one, Outside):
                outside = outside or one
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit, given = body[0], self._types.given_to(one)
            rows: Sequence[int] = unit.members(body[1]).get(name, ())
            crowded = len(rows) > MAX_OVERLOADS
            if is_kotlin(unit.file):
                rows = rows or self._accessors(unit, body[1], name) or self._of_companion(one, name)
            elif isinstance(one, NamedType) and not any(unit.kind[row] == METHOD_DEFINITION for row in rows):
                field = accessed_field(self._scopes, unit, one.row, name)
                if field >= 0:
                    found.append(MethodCandidate(unit.file, field, given, depth > 0))
            # Of too many one more than are told apart, equal ones too: `pick` then knows.
            for row in rows[: MAX_OVERLOADS + 1]:
                if not self._is_method(unit, row, one) or self._scopes.is_hidden(unit, row, depth):
                    continue
                if depth and self._is_of_interface_alone(unit, row, one):
                    continue
                candidate = MethodCandidate(unit.file, row, given, depth > 0)
                signature = row if crowded else self.signature(candidate)
                if signature not in seen:
                    seen.add(signature)
                    found.append(candidate)
        return Methods(found, outside)

    def _accessors(self, unit: DeclaredUnit, scope: int, name: str) -> Sequence[int]:
        """The property of a type of Kotlin that a method of this name reads or writes."""
        named = property_names(name)
        return next((rows for one in named if (rows := unit.members_of(scope, one, _PROPERTIES))), ())

    def _of_companion(self, value: Value, name: str) -> Sequence[int]:
        """Functions of the companion, which may stand behind the name of the type."""
        inside = self._scopes.companion(value)
        body = self._types.body_of(inside) if inside is not None else None
        if body is None or body[1] < 0:
            return ()
        return body[0].members_of(body[1], name, _METHODS) or self._accessors(body[0], body[1], name)

    def _is_method(self, unit: DeclaredUnit, row: int, holder: Value) -> bool:
        if is_kotlin(unit.file):
            return unit.kind[row] in _KOTLIN_METHODS
        if unit.kind[row] == METHOD_DEFINITION:
            return not (isinstance(holder, NamedType) and unit.name[row] == unit.name[holder.row])
        # A component of a record is read by a method; components stand before the body of the record.
        return unit.kind[row] == FIELD_DEFINITION and unit.owner[row] >= 0 and self._is_component(unit, row, holder)

    def _is_of_interface_alone(self, unit: DeclaredUnit, row: int, holder: Value) -> bool:
        """Whether a method is static in an interface: what is below does not inherit it."""
        static = unit.flags[row] & STATIC_FLAG != 0
        return static and isinstance(holder, NamedType) and unit.kind[holder.row] == INTERFACE_DEFINITION

    def _is_component(self, unit: DeclaredUnit, row: int, holder: Value) -> bool:
        return isinstance(holder, NamedType) and unit.owner[row] == holder.row and unit.flags[row] & RECORD_FLAG != 0

    def constructors(self, value: NamedType) -> list[MethodCandidate]:
        """The constructors that a class declares."""
        unit, given = self._types.unit(value.file), self._types.given_to(value)
        body = unit.body[value.row]
        called = _CONSTRUCTOR if is_kotlin(value.file) else unit.text(value.row)
        rows = unit.members(body).get(called, ())[: MAX_OVERLOADS + 1] if body >= 0 else ()
        methods = [row for row in rows if unit.kind[row] == METHOD_DEFINITION]
        if is_kotlin(value.file) and (not methods or unit.flags[value.row] & _WITH_CONSTRUCTOR):
            methods.insert(0, value.row)  # a class is its first constructor
        # Of a class whose constructors are all private one is named where nobody may call it.
        seen = [row for row in methods if not self._scopes.is_hidden(unit, row)] or methods
        return [MethodCandidate(unit.file, row, given, False) for row in seen]

    def parameter_types(self, candidate: MethodCandidate) -> list[Value | None]:
        """Types of the parameters of a method, with what its type's parameters stand for."""
        if candidate.types is not None:
            return candidate.types
        unit = self._types.unit(candidate.file)
        rows = self._parameters(unit, candidate.row)
        types = [substituted(self._types.row_value(unit, row), candidate.given) for row in rows]
        if not self._types.is_cut:
            candidate.types = types
        return types

    def is_variadic(self, candidate: MethodCandidate) -> bool:
        """Whether the last parameter takes any number of arguments."""
        unit = self._types.unit(candidate.file)
        rows = self._parameters(unit, candidate.row)
        return bool(rows) and bool(unit.flags[rows[-1]] & VARIADIC_FLAG)

    def signature(self, candidate: MethodCandidate) -> object:
        """What two methods have in common of which one overrides the other."""
        return tuple([self._erased(type_, 0) for type_ in self.parameter_types(candidate)])

    def _erased(self, value: Value | None, depth: int) -> object:
        if isinstance(value, NamedType):
            return value.file, value.row
        if isinstance(value, Outside):
            return value.dotted
        if isinstance(value, Composite) and depth < 4:
            return "[]", self._erased(value.parts[0] if value.parts else None, depth + 1)
        if isinstance(value, Variable):
            supers = self._scopes.supers(value) if depth < 4 else []
            return self._erased(supers[0], depth + 1) if supers else OBJECT_TYPE
        return None

    def above(self, value: Value, row: int) -> DefinitionRef | None:
        """The nearest method above that a method of a type of the own file stands for."""
        name = self._types.own.text(row)
        own = self.signature(MethodCandidate(self._types.path, row, {}, False))
        for one in self._scopes.lineage(value)[1:]:
            body = self._types.body_of(one)
            found = body[0].members(body[1]).get(name, ()) if body is not None and body[1] >= 0 else ()
            rows: Sequence[int] = found
            if body is not None and not rows and is_kotlin(body[0].file):
                rows = self._accessors(body[0], body[1], name)
            for other in rows:
                if body is None or not self._is_method(body[0], other, one) or body[0].flags[other] & STATIC_FLAG:
                    continue
                if self._scopes.is_hidden(body[0], other, 1):
                    continue
                if self.signature(MethodCandidate(body[0].file, other, self._types.given_to(one), True)) == own:
                    return DefinitionRef(body[0].file, other)
        return None

    # the choice

    def pick(
        self, found: Sequence[MethodCandidate], unit: DeclaredUnit, arguments: Sequence[int]
    ) -> list[MethodCandidate]:
        """Those of some methods that fit the arguments of a call best."""
        count = len(arguments)
        if len(found) <= 1:
            return list(found)
        if len(found) > MAX_OVERLOADS:
            return list(found[: MAX_DECLARED + 1])
        exact = [one for one in found if self._arity(one) == count]
        variadic = [one for one in found if self.is_variadic(one) and count >= self._arity(one) - 1]
        scored = [(self._score(one, unit, arguments, False), at, one) for at, one in enumerate(exact)]
        scored = [entry for entry in scored if entry[0] >= 0]
        if not scored:
            scored = [(self._score(one, unit, arguments, True), at, one) for at, one in enumerate(variadic)]
            scored = [entry for entry in scored if entry[0] >= 0]
        if not scored:
            return exact or variadic or list(found)
        best = max(entry[0] for entry in scored)
        kept = [one for score, _, one in scored if score == best]
        if len(kept) > 1:
            types = [self.parameter_types(one) for one in kept]
            kept = most_special(kept, types, self.fit, open_positions(self._types, unit, arguments))
            kept.sort(key=self._takes_anything, reverse=True)
        return kept

    def takes_count(self, found: Sequence[MethodCandidate], count: int) -> bool:
        """Whether some method takes as many arguments."""
        return any(
            self._arity(one) == count
            or self._types.unit(one.file).kind[one.row] == FIELD_DEFINITION
            or (self.is_variadic(one) and count >= self._arity(one) - 1)
            for one in found
        )

    def _takes_anything(self, candidate: MethodCandidate) -> int:
        """How many parameters take every object: where nothing decides, that is meant most often."""
        return sum(isinstance(one, Outside) and one.dotted == OBJECT_TYPE for one in self.parameter_types(candidate))

    def _arity(self, candidate: MethodCandidate) -> int:
        unit = self._types.unit(candidate.file)
        return len(self._parameters(unit, candidate.row))

    def _parameters(self, unit: DeclaredUnit, row: int) -> Sequence[int]:
        kind = unit.kind[row]
        if kind in _CALLED:
            return unit.parameters(row)
        if kind != CLASS_DEFINITION or unit.body[row] < 0 or not is_kotlin(unit.file):
            return ()
        held = unit.members(unit.body[row]).values()
        return [
            other
            for other in sorted([one for rows in held for one in rows])
            if unit.kind[other] == PARAMETER_DEFINITION
            or (unit.kind[other] == PROPERTY_DEFINITION and unit.flags[other] & RECORD_FLAG)
        ]

    def _score(self, candidate: MethodCandidate, unit: DeclaredUnit, arguments: Sequence[int], spread: bool) -> int:
        types = self.parameter_types(candidate)
        total = 0
        for at, argument in enumerate(arguments):
            wanted = types[min(at, len(types) - 1)] if types else None
            if spread and at >= len(types) - 1:
                wanted = wanted.parts[0] if isinstance(wanted, Composite) and wanted.parts else wanted
            score = self._fit(wanted, unit, argument)
            if score < 0:
                return IMPOSSIBLE
            total += score
        return total

    def _fit(self, wanted: Value | None, unit: DeclaredUnit, argument: int) -> int:
        """How well an argument fits the type of a parameter."""
        if argument < 0:
            return UNSURE
        table = unit.expressions
        if table.kind[argument] == LAMBDA_EXPRESSION:
            return self._lambda_fit(wanted, table.c[argument] if table.b[argument] == 0 else -1)
        return self.fit(wanted, self._types.infer(unit, argument))

    def _lambda_fit(self, wanted: Value | None, count: int) -> int:
        if wanted is None:
            return UNSURE
        shape = self.function_of(wanted)
        if shape is None:
            unclear = isinstance(wanted, (Outside, Variable)) and not is_plain(wanted)
            return UNSURE if unclear else IMPOSSIBLE
        return NEAR if count < 0 or len(shape[0]) == count else IMPOSSIBLE

    def function_of(self, value: Value) -> tuple[tuple[Value | None, ...], Value | None] | None:
        """What the one method of a functional interface takes and gives; None for any other type."""
        if isinstance(value, Outside):
            return function_shape(value)
        if not isinstance(value, NamedType) or self._types.unit(value.file).kind[value.row] != INTERFACE_DEFINITION:
            return None
        return self._types.guarded(("function", value), lambda: self._function_of(value), None)

    def _function_of(self, value: NamedType) -> tuple[tuple[Value | None, ...], Value | None] | None:
        found: list[MethodCandidate] = []
        for one in self._scopes.lineage(value):
            if isinstance(one, Outside) and not found:
                shape = function_shape(one)
                if shape is not None:
                    return shape
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit = body[0]
            for name, rows in unit.members(body[1]).items():
                for row in rows:
                    if unit.kind[row] != METHOD_DEFINITION or name in OBJECT_METHODS:
                        continue
                    if unit.flags[row] & ABSTRACT_FLAG and not unit.flags[row] & STATIC_FLAG:
                        found.append(MethodCandidate(unit.file, row, self._types.given_to(one), False))
        if not found:
            return None
        first = found[0]
        names = {(self._types.unit(one.file).text(one.row), self._arity(one)) for one in found}
        return None if len(names) > 1 else (tuple(self.parameter_types(first)), self.result_type(first))

    def result_type(self, candidate: MethodCandidate) -> Value | None:
        """The written type of what a method gives back."""
        unit = self._types.unit(candidate.file)
        if unit.kind[candidate.row] in _VALUES:
            return substituted(self._types.row_value(unit, candidate.row), candidate.given)
        returns = unit.returns(candidate.row)
        return substituted(self._types.infer(unit, returns[0][0]), candidate.given) if returns else None

    def fit(self, wanted: Value | None, got: Value | None) -> int:
        """How well a value fits a type; below 0 where it cannot."""
        if wanted is None or got is None:
            return UNSURE
        if wanted == got:
            return EXACT
        if isinstance(got, Outside):
            return self._outside_fit(wanted, got)
        if isinstance(wanted, Outside):
            if wanted.dotted == OBJECT_TYPE:
                return FAR
            if isinstance(got, (NamedType, Anonymous, Variable)) and not is_plain(wanted):
                return self._supertype_fit(wanted, got)
            if isinstance(got, Variable):
                return IMPOSSIBLE if self._scopes.supers(got) else UNSURE
            return IMPOSSIBLE
        if isinstance(wanted, Variable):
            bounds = self._scopes.supers(wanted)
            fits = [self.fit(bound, got) for bound in bounds if not isinstance(bound, Variable)]
            return min([NEAR, *fits]) if fits else FAR
        if isinstance(wanted, Composite):
            if not isinstance(got, Composite):
                return IMPOSSIBLE
            return self._array_fit(wanted.parts[0], got.parts[0]) if wanted.parts and got.parts else UNSURE
        return self._supertype_fit(wanted, got) if isinstance(got, (NamedType, Anonymous, Variable)) else IMPOSSIBLE

    def _array_fit(self, wanted: Value | None, got: Value | None) -> int:
        """Arrays by their elements: those of numbers fit no other, any is meant before what takes every object."""
        if wanted != got and any(isinstance(one, Outside) and one.dotted in RANKS for one in (wanted, got)):
            return IMPOSSIBLE if wanted is not None and got is not None else UNSURE
        fit = self.fit(wanted, got)
        return max(fit, FAR + 1) if fit >= 0 else fit

    def _supertype_fit(self, wanted: Value, got: Value) -> int:
        """A type of the workspace for one that may be above it."""
        known = self._erased(wanted, 0)
        lineage = self._scopes.lineage(got)
        for depth, one in enumerate(lineage):
            if self._erased(one, 4) == known and not isinstance(one, Variable):
                return max(NEAR - depth, FAR + 1) if depth else EXACT
        if isinstance(wanted, Outside):
            if any(isinstance(one, Outside) and wanted.dotted in ABOVE.get(one.dotted, ()) for one in lineage):
                return FAR + 1
            unclear = any(isinstance(one, Outside) and one.dotted != OBJECT_TYPE for one in lineage)
            return UNSURE if unclear else IMPOSSIBLE
        return IMPOSSIBLE

    def _outside_fit(self, wanted: Value, got: Outside) -> int:
        """A value from outside, or of a primitive type."""
        if got.dotted.endswith(UNKNOWN_LAST):
            return UNSURE
        if got.dotted == "builtin.null":
            return IMPOSSIBLE if isinstance(wanted, Outside) and wanted.dotted.startswith(BUILTIN) else UNSURE
        if isinstance(wanted, Variable):
            bounds = [self._outside_fit(bound, got) for bound in self._scopes.supers(wanted)[:1]]
            return min([NEAR - 1, *bounds]) if bounds else FAR - 1
        if not isinstance(wanted, Outside):
            return IMPOSSIBLE
        if wanted.dotted == got.dotted:
            return EXACT
        if got.dotted in RANKS and wanted.dotted in RANKS:
            above = RANKS[wanted.dotted] - RANKS[got.dotted]
            return NEAR - above if above >= 0 and wanted.dotted != "builtin.char" else IMPOSSIBLE
        if got.dotted.startswith(BUILTIN):
            box = BOXES.get(got.dotted, "")
            if wanted.dotted == box:
                return FAR - 1
            return FAR - 2 if wanted.dotted in (OBJECT_TYPE, "java.lang.Number", "java.lang.Comparable") else IMPOSSIBLE
        if wanted.dotted.startswith(BUILTIN):
            # Whatever takes the object itself is meant before.
            plain = UNBOXES.get(got.dotted, "")
            wider = plain in RANKS and RANKS.get(wanted.dotted, -1) > RANKS[plain] and wanted.dotted != "builtin.char"
            return FAR - 3 if plain == wanted.dotted else FAR - 4 if wider else IMPOSSIBLE
        if wanted.dotted == OBJECT_TYPE:
            return FAR
        supers = ABOVE.get(got.dotted)
        if supers is not None and not wanted.dotted.startswith(UNKNOWN_LAST):
            return NEAR if wanted.dotted in supers else IMPOSSIBLE
        return IMPOSSIBLE if wanted.dotted in FINAL_CLASSES else UNSURE


def is_plain(value: Value) -> bool:
    """Whether a type from outside is no interface: a primitive one, a final class, or that of every object."""
    return isinstance(value, Outside) and (
        value.dotted.startswith(BUILTIN) or value.dotted in FINAL_CLASSES or value.dotted == OBJECT_TYPE
    )
