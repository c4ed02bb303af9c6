"""Overloads: which of several functions of one name a call means.

Owns: functions of a type and of those above it, constructors, arity, names and defaults, how well arguments fit.
Must not know: what a call gives back, implicit receivers, how occurrences become links.
Invariant: what arguments do not decide is answered as several, the best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.languages.bounds import MAX_DECLARED, MAX_OVERLOADS
from graphls.languages.declared.accessors import is_java
from graphls.languages.declared.call_sites import (
    Arguments,
)
from graphls.languages.declared.inference import (
    BUILTIN,
    UNKNOWN_LAST,
    DeclaredInference,
    DeclaredUnit,
)
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
    Bindings,
    Composite,
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
    ABSTRACT_FLAG,
    DEFAULTED_FLAG,
    FIELD_DEFINITION,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    METHOD_DEFINITION,
    PARAMETER_DEFINITION,
    PROPERTY_DEFINITION,
    STATIC_FLAG,
    VARIADIC_FLAG,
)
from graphls.languages.kotlin.syntax.facts_builder import COMPONENT, EXTENSION, HIDDEN, PRIVATE, WITH_CONSTRUCTOR
from graphls.languages.kotlin.types.scopes import CLASSES, FIELD_KINDS, KotlinScopes
from graphls.languages.kotlin.types.standard import ABOVE, ANY, FINAL, RANKS, function_parts
from graphls.languages.resolve.structural_value import DefinitionRef

CONSTRUCTOR: Final = "constructor"
_METHODS: Final = frozenset({METHOD_DEFINITION})
_COMPONENTS: Final = frozenset({PROPERTY_DEFINITION, FIELD_DEFINITION})
ARRAY: Final = "[]"


@final
class KotlinOverloads:
    """Functions by name and arguments."""

    def __init__(self, types: DeclaredInference, scopes: KotlinScopes) -> None:
        self._types = types
        self._scopes = scopes

    # what is there

    def methods(self, value: Value | None, name: str) -> Methods:
        """Functions of a type and of those above it; what is overridden below is left out."""
        found: list[MethodCandidate] = []
        seen: set[object] = set()
        outside: Outside | None = None
        for depth, one in enumerate(self._scopes.lineage(value)) if value is not None else ():
            if isinstance(one, Outside) and one.dotted != ANY:
                outside = outside or one
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit, given = body[0], self._types.given_to(one)
            rows = unit.members(body[1]).get(name, ())
            crowded = len(rows) > MAX_OVERLOADS
            for row in rows[: MAX_OVERLOADS + 1]:
                if unit.kind[row] != METHOD_DEFINITION or unit.flags[row] & EXTENSION or self.is_constructor(unit, row):
                    continue
                candidate = MethodCandidate(unit.file, row, given, depth > 0)
                signature = row if crowded else self.signature(candidate)
                if signature not in seen:
                    seen.add(signature)
                    found.append(candidate)
        return Methods(found, outside)

    def member_extensions(self, value: Value, name: str) -> list[MethodCandidate]:
        """Extensions, functions and properties, that a type and those above it declare."""
        found: list[MethodCandidate] = []
        for depth, one in enumerate(self._scopes.lineage(value)):
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit = body[0]
            rows = unit.members(body[1]).get(name, ())[: MAX_OVERLOADS + 1]
            extending = [row for row in rows if unit.flags[row] & EXTENSION]
            given = self._types.given_to(one)
            found += [MethodCandidate(unit.file, row, given, depth > 0, extends=True) for row in extending]
        return found

    def constructors(self, value: NamedType) -> list[MethodCandidate]:
        """The constructors of a class: the class itself is the first one."""
        unit, given = self._types.unit(value.file), self._types.given_to(value)
        body = unit.body[value.row]
        called = unit.text(value.row) if is_java(unit.file) else CONSTRUCTOR
        rows = unit.members(body).get(called, ())[: MAX_OVERLOADS + 1] if body >= 0 else ()
        others = [row for row in rows if unit.kind[row] == METHOD_DEFINITION]
        if is_java(unit.file) and others:
            seen = [row for row in others if not unit.flags[row] & PRIVATE] or others
            return [MethodCandidate(value.file, row, given, False) for row in seen]
        if others and not unit.flags[value.row] & WITH_CONSTRUCTOR:
            return [MethodCandidate(value.file, row, given, False) for row in others]
        return [MethodCandidate(value.file, row, given, False) for row in (value.row, *others)]

    def is_constructor(self, unit: DeclaredUnit, row: int) -> bool:
        """Whether a method makes objects of the class around it."""
        if not is_java(unit.file):
            return unit.text(row) == CONSTRUCTOR
        holder = unit.scope_owner[unit.scope[row]]
        return holder >= 0 and unit.name[row] == unit.name[holder]

    def accessor(self, unit: DeclaredUnit, scope: int, names: Sequence[str], count: int) -> int:
        """The method of a class in Java that reads or writes a property, by its names and the number of its
        parameters; -1 for none."""
        for name in names:
            for row in unit.members_of(scope, name, _METHODS):
                if not unit.flags[row] & (STATIC_FLAG | PRIVATE) and len(unit.parameters(row)) == count:
                    return row
        return -1

    def class_parameters(self, unit: DeclaredUnit, row: int) -> Sequence[int]:
        """The parameters of the first constructor of a class."""
        return self._types.guarded(
            ("parameters", unit.file), lambda: _class_parameters(unit), dict[int, list[int]]()
        ).get(unit.body[row], ())

    def parameter_rows(self, candidate: MethodCandidate) -> Sequence[int]:
        """Parameters that arguments are for."""
        unit = self._types.unit(candidate.file)
        if unit.kind[candidate.row] in CLASSES:
            return self.class_parameters(unit, candidate.row)
        return unit.parameters(candidate.row) if unit.kind[candidate.row] not in FIELD_KINDS else ()

    def parameter_types(self, candidate: MethodCandidate) -> list[Value | None]:
        """Types of the parameters of a function, with what its type's parameters stand for."""
        unit = self._types.unit(candidate.file)
        return [
            substituted(self._types.row_value(unit, row), candidate.given) for row in self.parameter_rows(candidate)
        ]

    def receiver_type(self, candidate: MethodCandidate) -> Value | None:
        """The type that an extension extends."""
        unit = self._types.unit(candidate.file)
        return substituted(self._types.denote(unit, unit.value[candidate.row]), candidate.given)

    def signature(self, candidate: MethodCandidate) -> object:
        """What two functions have in common of which one overrides the other, or stands for it in other sources."""
        unit = self._types.unit(candidate.file)
        extended = self.receiver_type(candidate) if unit.flags[candidate.row] & EXTENSION else None
        return tuple([self.erased(type_, 0) for type_ in (extended, *self.parameter_types(candidate))])

    def erased(self, value: Value | None, depth: int) -> object:
        """A type without what stands in angle brackets; a type declared for several platforms is one by its name."""
        if isinstance(value, NamedType):
            return self._types.unit(value.file).text(value.row)
        if isinstance(value, Outside):
            return value.dotted.rpartition(".")[2]
        if isinstance(value, Composite) and depth < 4:
            return value.constructor, tuple([self.erased(part, depth + 1) for part in value.parts])
        if isinstance(value, Variable):
            supers = self._scopes.supers(value) if depth < 4 else []
            return self.erased(supers[0], depth + 1) if supers else ANY
        return None

    def above(self, value: Value, row: int) -> DefinitionRef | None:
        """The nearest member above that a member of a type of the own file stands for."""
        own = self._types.own
        name, kind, extends = own.text(row), own.kind[row], own.flags[row] & EXTENSION
        mine = self.signature(MethodCandidate(self._types.path, row, {}, False)) if kind == METHOD_DEFINITION else None
        for one in self._scopes.lineage(value)[1:]:
            body = self._types.body_of(one)
            for other in body[0].members(body[1]).get(name, ()) if body is not None and body[1] >= 0 else ():
                if body is None or body[0].flags[other] & EXTENSION != extends:
                    continue
                if kind != METHOD_DEFINITION:
                    if body[0].kind[other] in FIELD_KINDS and not is_java(body[0].file):
                        return DefinitionRef(body[0].file, other)
                    continue
                candidate = MethodCandidate(body[0].file, other, self._types.given_to(one), True)
                if body[0].kind[other] == METHOD_DEFINITION and self.signature(candidate) == mine:
                    return DefinitionRef(body[0].file, other)
        return None

    # the choice

    def pick(self, found: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> list[MethodCandidate]:
        """Those of some functions that fit the arguments of a call best; none where none can take them."""
        if len(found) > MAX_OVERLOADS:
            return list(found[: MAX_DECLARED + 1])
        fitting = [one for one in found if self.takes(one, unit, given)]
        if len(fitting) > 1:
            fitting = [one for one in fitting if not self._types.unit(one.file).flags[one.row] & HIDDEN] or fitting
        if len(fitting) < 2:
            return fitting
        scored = [(self._score(one, unit, given), one) for one in fitting]
        scored = [entry for entry in scored if entry[0] >= 0]
        if not scored:
            return fitting
        best = max(score for score, _ in scored)
        kept = [one for score, one in scored if score == best]
        if len(kept) > 1:
            types = [self._types_for(one, unit, given) for one in kept]
            kept = most_special(kept, types, self.fit, open_positions(self._types, unit, given.rows))
        return self._fewest_defaults(self.one_source(kept), unit, given) if len(kept) > 1 else kept

    def _types_for(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> list[Value | None]:
        """The types of the parameters that the arguments of a call are for."""
        types = self.parameter_types(candidate)
        return [types[at] if 0 <= at < len(types) else None for at in self.positions(candidate, unit, given)]

    def _fewest_defaults(
        self, found: list[MethodCandidate], unit: DeclaredUnit, given: Arguments
    ) -> list[MethodCandidate]:  # fmt: skip
        """Of functions that take the arguments as the same types those that have the fewest further parameters."""
        if len(found) < 2:
            return found
        types = [self._types_for(one, unit, given) for one in found]
        if any(other != types[0] for other in types):
            return found
        further = [(self._variadic(one), len(self.parameter_rows(one))) for one in found]
        return [one for one, count in zip(found, further, strict=True) if count == min(further)]

    def _variadic(self, candidate: MethodCandidate) -> bool:
        flags = self._types.unit(candidate.file).flags
        return any(flags[row] & VARIADIC_FLAG for row in self.parameter_rows(candidate))

    def misfits(self, chosen: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether the types of the arguments rule all of some functions out."""
        return bool(given.rows) and all(self._score(one, unit, given) < 0 for one in chosen)

    def one_source(self, found: list[MethodCandidate]) -> list[MethodCandidate]:
        """Of declarations of one function in several source sets the nearest."""
        made: dict[object, MethodCandidate] = {}
        for one in sorted(found, key=lambda it: self._scopes.distance(it.file)):
            made.setdefault(self.signature(one), one)
        return list(made.values())

    def takes(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether a function can take so many arguments, of these names."""
        other, rows = self._types.unit(candidate.file), self.parameter_rows(candidate)
        places = self.positions(candidate, unit, given)
        if any(place < 0 for place in places):
            return False
        taken = set(places)
        if len(taken) != len(places):
            repeated = [place for place in taken if places.count(place) > 1]
            if any(not other.flags[rows[place]] & VARIADIC_FLAG for place in repeated):
                return False
        missing = (row for at, row in enumerate(rows) if at not in taken)
        return all(other.flags[row] & (DEFAULTED_FLAG | VARIADIC_FLAG) for row in missing)

    def positions(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> list[int]:
        """Which parameter each argument is for, -1 for none."""
        other, rows = self._types.unit(candidate.file), self.parameter_rows(candidate)
        known = {other.text(row): at for at, row in enumerate(rows)}
        variadic = next((at for at, row in enumerate(rows) if other.flags[row] & VARIADIC_FLAG), -1)
        names = given.names or ("",) * len(given.rows)
        found: list[int] = []
        at = 0
        for index, (argument, name) in enumerate(zip(given.rows, names, strict=False)):
            if name:
                found.append(known.get(name, -1))
                at = known.get(name, -1) + 1
                continue
            last = (
                index == len(given.rows) - 1 and argument >= 0 and unit.expressions.kind[argument] == LAMBDA_EXPRESSION
            )
            if last and rows and at != len(rows) - 1 and self._takes_block(candidate, rows[-1]):
                found.append(len(rows) - 1)
                continue
            found.append(at if at < len(rows) else -1)
            at += at != variadic
        return found

    def _takes_block(self, candidate: MethodCandidate, row: int) -> bool:
        type_ = self._types.row_value(self._types.unit(candidate.file), row)
        return type_ is None or self.function_of(type_) is not None or isinstance(type_, Outside)

    def _score(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> int:
        types, total = self.parameter_types(candidate), 0
        other, rows = self._types.unit(candidate.file), self.parameter_rows(candidate)
        for argument, at in zip(given.rows, self.positions(candidate, unit, given), strict=True):
            wanted = types[at] if 0 <= at < len(types) else None
            if 0 <= at < len(rows) and other.flags[rows[at]] & VARIADIC_FLAG and isinstance(wanted, Composite):
                score = self._element_fit(wanted, unit, argument) - 1
            else:
                score = self._fit(wanted, unit, argument)
            if score < 0:
                return IMPOSSIBLE
            total += score
        # What leaves nothing to defaults is better.
        return 2 * total + (len(types) == len(given.rows))

    def _fit(self, wanted: Value | None, unit: DeclaredUnit, argument: int) -> int:
        """How well an argument fits the type of a parameter."""
        if argument < 0:
            return UNSURE
        table = unit.expressions
        if table.kind[argument] == LAMBDA_EXPRESSION:
            return self._lambda_fit(wanted, table.c[argument])
        return self.fit(wanted, self._types.infer(unit, argument))

    def _element_fit(self, wanted: Composite, unit: DeclaredUnit, argument: int) -> int:
        """How well one of many arguments fits; all of them may be given in an array."""
        element = wanted.parts[0] if wanted.parts else None
        value = self.as_value(self._types.infer(unit, argument)) if argument >= 0 else None
        if isinstance(value, Outside) and value.dotted == "kotlin.Array" and value.arguments:
            return max(self.fit(element, value.arguments[0]), self.fit(element, value))
        return self._fit(element, unit, argument)

    def _lambda_fit(self, wanted: Value | None, count: int) -> int:
        if wanted is None:
            return UNSURE
        shape = self.function_of(wanted)
        if shape is None:
            return UNSURE if isinstance(wanted, (Outside, Variable)) and not self._is_final(wanted) else IMPOSSIBLE
        taken = len(shape[1])
        return NEAR if count < 0 or taken == count or (count == 0 and taken == 1) else IMPOSSIBLE

    def _is_final(self, value: Value) -> bool:
        return isinstance(value, Outside) and (value.dotted in FINAL or value.dotted.startswith(BUILTIN))

    def function_of(
        self, value: Value | None
    ) -> tuple[Value | None, tuple[Value | None, ...], Value | None, bool] | None:
        """Receiver, parameters and result of the type of a function, or of an interface with one function."""
        parts = function_parts(value)
        if parts is not None:
            return parts
        if not isinstance(value, NamedType) or self._types.unit(value.file).kind[value.row] != INTERFACE_DEFINITION:
            return None
        return self._types.guarded(("function", value), lambda: self._function_of(value), None)

    def _function_of(
        self, value: NamedType
    ) -> tuple[Value | None, tuple[Value | None, ...], Value | None, bool] | None:
        found: list[MethodCandidate] = []
        for one in self._scopes.lineage(value):
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit = body[0]
            rows = [row for named in unit.members(body[1]).values() for row in named]
            open_ = [row for row in rows if unit.kind[row] == METHOD_DEFINITION and unit.flags[row] & ABSTRACT_FLAG]
            found += [MethodCandidate(unit.file, row, self._types.given_to(one), False) for row in open_]
        if len({self._types.unit(one.file).text(one.row) for one in found}) != 1:
            return None
        return None, tuple(self.parameter_types(found[0])), self.result_type(found[0]), False

    def result_type(self, candidate: MethodCandidate) -> Value | None:
        """What a function gives back: its written type, or that of the value that it is."""
        unit = self._types.unit(candidate.file)
        returns = unit.returns(candidate.row)
        if not returns:
            return Outside("kotlin.Unit")
        value = self.as_value(self._types.infer(unit, returns[0][0]))
        return substituted(value, candidate.given)

    def as_value(self, value: Value | None) -> Value | None:
        """The name of a type as a value is its object, or its companion."""
        if not isinstance(value, TypeName):
            return value
        if self._scopes.is_single(value.type):
            return value.type
        return self._scopes.companion(value.type) or value

    # fitting

    def fit(self, wanted: Value | None, got: Value | None) -> int:
        """How well a value fits a type; below 0 where it cannot."""
        got = self.as_value(got)
        if wanted is None or got is None or isinstance(got, (Several, Functions, TypeName)):
            return UNSURE
        if wanted == got:
            return EXACT
        if isinstance(wanted, Variable):
            bounds = [bound for bound in self._scopes.supers(wanted) if not isinstance(bound, Variable)]
            return min([FAR, *[self.fit(bound, got) for bound in bounds]])
        if isinstance(got, Outside):
            return self._outside_fit(wanted, got)
        if isinstance(wanted, Outside):
            return self._to_outside(wanted, got)
        if isinstance(wanted, Composite) or isinstance(got, Composite):
            if isinstance(wanted, Composite) and isinstance(got, Composite):
                return NEAR if len(wanted.parts) == len(got.parts) else IMPOSSIBLE
            return IMPOSSIBLE
        return self._supertype_fit(wanted, got)

    def _to_outside(self, wanted: Outside, got: Value) -> int:
        if wanted.dotted.endswith(UNKNOWN_LAST):
            return UNSURE
        if wanted.dotted == ANY:
            return FAR
        if isinstance(got, Composite):
            array = got.constructor == ARRAY
            return NEAR if array and wanted.dotted == "kotlin.Array" else IMPOSSIBLE if array else UNSURE
        return IMPOSSIBLE if wanted.dotted in FINAL else self._supertype_fit(wanted, got)

    def _supertype_fit(self, wanted: Value, got: Value) -> int:
        """A type of the workspace for one that may be above it."""
        lineage = self._scopes.lineage(got)
        for depth, one in enumerate(lineage):
            if self.same_type(wanted, one):
                return max(NEAR - depth, FAR + 1) if depth else EXACT
        if isinstance(wanted, Outside):
            for one in lineage:
                if isinstance(one, Outside):
                    known = ABOVE.get(one.dotted)
                    if known is None or wanted.dotted in known:
                        return UNSURE if known is None else FAR
        unclear = isinstance(got, Variable) or any(
            isinstance(one, NamedType) and self._scopes.lacks(one) for one in lineage
        )
        return UNSURE if unclear else IMPOSSIBLE

    def same_type(self, one: Value | None, other: Value | None) -> bool:
        """Whether two types are one, whatever their arguments; one in several source sets is one."""
        if isinstance(one, NamedType) and isinstance(other, NamedType):
            if one.file == other.file and one.row == other.row:
                return True
            left, right = self._types.unit(one.file), self._types.unit(other.file)
            same = left.text(one.row) == right.text(other.row) and left.scope[one.row] == 0 == right.scope[other.row]
            return same and self._types.clause(one.file) == self._types.clause(other.file)
        if isinstance(one, Outside) and isinstance(other, Outside):
            return one.dotted == other.dotted
        return one is not None and one == other

    def _outside_fit(self, wanted: Value, got: Outside) -> int:
        """A value from outside, or of a built-in type."""
        if got.dotted.endswith(UNKNOWN_LAST) or got.dotted == "builtin.null":
            return UNSURE
        if isinstance(wanted, Composite):
            known = got.dotted in ABOVE
            if wanted.constructor == ARRAY:
                return NEAR if got.dotted == "kotlin.Array" else IMPOSSIBLE if known else UNSURE
            return IMPOSSIBLE if known else UNSURE
        if not isinstance(wanted, Outside):
            return IMPOSSIBLE
        if wanted.dotted == got.dotted:
            return EXACT - 1 if self._holds_alike(wanted, got) else IMPOSSIBLE
        if wanted.dotted == ANY:
            return FAR
        if got.dotted in RANKS and wanted.dotted in RANKS:
            return 1 if got.dotted == "kotlin.Int" else IMPOSSIBLE
        if wanted.dotted.endswith(UNKNOWN_LAST):
            return UNSURE
        above = ABOVE.get(got.dotted)
        if above is not None:
            return NEAR if wanted.dotted in above and self._holds_alike(wanted, got) else IMPOSSIBLE
        return IMPOSSIBLE if wanted.dotted in FINAL else UNSURE

    def _holds_alike(self, wanted: Outside, got: Outside) -> bool:
        """Whether what a container holds may be what another one wants: a `List<A>` is no `List<B>`."""
        if len(wanted.arguments) != len(got.arguments) or not wanted.dotted.startswith("kotlin."):
            return True
        return all(self.fit(one, other) >= 0 for one, other in zip(wanted.arguments, got.arguments, strict=True))

    def unify_types(self, wanted: Value | None, got: Value | None, found: Bindings) -> None:
        """What type parameters in a type stand for by a value, also through what is above the type of the value."""
        got = self.as_value(got)
        if wanted is None or got is None or isinstance(got, (Several, TypeName, Functions)):
            return
        if isinstance(got, Outside) and got.dotted.endswith(("?", "null")):
            return
        if isinstance(wanted, Variable):
            unify(wanted, got, found)
            return
        if isinstance(wanted, Outside) and isinstance(got, Outside) and len(wanted.arguments) == len(got.arguments):
            for pattern, one in zip(wanted.arguments, got.arguments, strict=True):
                self.unify_types(pattern, one, found)
            return
        if isinstance(wanted, Composite) and isinstance(got, Composite) and len(wanted.parts) == len(got.parts):
            for pattern, one in zip(wanted.parts, got.parts, strict=True):
                self.unify_types(pattern, one, found)
            return
        for one in self._scopes.lineage(got) if isinstance(got, (NamedType, Anonymous, Variable)) else ():
            if (
                self.same_type(wanted, one)
                and isinstance(wanted, (NamedType, Outside))
                and isinstance(one, (NamedType, Outside))
            ):
                for pattern, inner in zip(wanted.arguments, one.arguments, strict=False):
                    self.unify_types(pattern, inner, found)
                return


def _class_parameters(unit: DeclaredUnit) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row, kind in enumerate(unit.kind):
        if kind == PARAMETER_DEFINITION or (kind in _COMPONENTS and unit.flags[row] & COMPONENT):
            found.setdefault(unit.scope[row], []).append(row)
    return found
