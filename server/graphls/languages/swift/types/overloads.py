"""Overloads: which of several functions of one name a call means.

Owns: functions of a type and of those above it, constructors, names and defaults of arguments, how well arguments fit.
Must not know: what a call gives back, how occurrences become links.
Invariant: what arguments do not decide is answered as several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from graphls.languages.bounds import MAX_DECLARED, MAX_OVERLOADS
from graphls.languages.declared.call_sites import Arguments
from graphls.languages.declared.inference import UNKNOWN_LAST, DeclaredInference, DeclaredUnit
from graphls.languages.declared.methods import (
    EXACT,
    FAR,
    IMPOSSIBLE,
    NEAR,
    UNSURE,
    MethodCandidate,
    most_special,
    open_positions,
)
from graphls.languages.declared.values import (
    Bindings,
    Composite,
    Functions,
    NamedType,
    Outside,
    TypeName,
    Value,
    Variable,
    substituted,
    unify,
)
from graphls.languages.extract.kinds import (
    ABSTRACT_FLAG,
    CLASS_DEFINITION,
    DEFAULTED_FLAG,
    ENUM_MEMBER_DEFINITION,
    FUNCTION_DEFINITION,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    PROPERTY_DEFINITION,
    STATIC_FLAG,
    VARIADIC_FLAG,
)
from graphls.languages.swift.syntax.facts_builder import CONSTANT_VALUE, STORED, STRUCT
from graphls.languages.swift.syntax.types import ALL, ARRAY, FUNCTION_TYPE, OPTIONAL
from graphls.languages.swift.types.scopes import CLASSES, SwiftScopes
from graphls.languages.swift.types.standard import (
    ANY,
    CLOSED,
    NUMBERS,
    function_parts,
    is_protocol,
    last_name,
    protocols_of,
    unwrapped,
)

CALLABLES: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
INIT: Final = "init"
TRAILING: Final = "{"
REFERENCE: Final = "::"
NIL: Final = "builtin.nil"
Label = tuple[str, bool, bool]
"""How an argument is called (`_` for none), whether it may be left out, whether there may be several."""


@final
class SwiftOverloads:
    """Functions by name and arguments."""

    def __init__(
        self, types: DeclaredInference, scopes: SwiftScopes, roots: Mapping[int, tuple[int, str]]
    ) -> None:  # fmt: skip
        self._types = types
        self._scopes = scopes
        self._roots = roots
        """Expressions of the own file that begin with `.name`."""

    # what is there

    def methods(self, value: Value | None, name: str, static: bool | None = None) -> list[MethodCandidate]:
        """Functions of a type and of those above it; what is overridden below is left out. `static`: only those that
        the type itself has, or its instances; None: both. A name may have hundreds, and each call asks for them."""
        nothing: list[MethodCandidate] = []
        key = ("methods", value, name, static)
        return list(self._types.guarded(key, lambda: self._methods(value, name, static), nothing))

    def _methods(self, value: Value | None, name: str, static: bool | None) -> list[MethodCandidate]:
        found: list[MethodCandidate] = []
        seen: dict[object, int] = {}
        concrete = not isinstance(value, (Variable, Composite)) and not self._is_protocol(value)
        for one in self._scopes.member_rows(value, name):
            unit, row = one.unit, one.row
            kind = unit.kind[row]
            is_case = kind == ENUM_MEMBER_DEFINITION and self._payload(unit, row) is not None
            if kind != METHOD_DEFINITION and not is_case:
                continue
            if static is not None and name != INIT and bool(unit.flags[row] & STATIC_FLAG) != static:
                continue
            candidate = MethodCandidate(unit.file, row, one.given, one.depth > 0)
            signature = self.signature(candidate)
            at = seen.get(signature)
            if at is None:
                seen[signature] = len(found)
                found.append(candidate)
                continue
            earlier = self._types.unit(found[at].file).flags[found[at].row]
            if concrete and earlier & ABSTRACT_FLAG and not unit.flags[row] & ABSTRACT_FLAG:
                found[at] = candidate  # what a protocol demands, an extension of it does
        return found

    def _is_protocol(self, value: Value | None) -> bool:
        return isinstance(value, NamedType) and self._types.unit(value.file).kind[value.row] == INTERFACE_DEFINITION

    def constructors(self, value: Value) -> list[MethodCandidate]:
        """The constructors of a type; a struct without one is its own, which takes its stored properties."""
        found = self.methods(value, INIT)
        if not isinstance(value, NamedType):
            return found
        own = [one for one in found if not one.inherited]
        unit = self._types.unit(value.file)
        if unit.kind[value.row] == CLASS_DEFINITION and not unit.flags[value.row] & STRUCT and own:
            return own + [one for one in found if one.inherited]
        inside = any(self._types.unit(one.file).scope[one.row] == unit.body[value.row] and one.file == value.file
                     for one in own)  # fmt: skip
        if unit.flags[value.row] & STRUCT and not inside:
            found = [*found, MethodCandidate(value.file, value.row, self._types.given_to(value), False)]
        return found

    def _payload(self, unit: DeclaredUnit, row: int) -> Composite | None:
        value = self._types.row_value(unit, row)
        return value if isinstance(value, Composite) and value.constructor.startswith(FUNCTION_TYPE) else None

    def parameter_rows(self, candidate: MethodCandidate) -> Sequence[int]:
        """Definitions of what arguments are for."""
        unit, row = self._types.unit(candidate.file), candidate.row
        if unit.kind[row] not in CLASSES:
            return unit.parameters(row)
        body = unit.body[row]
        rows = [one for named in unit.members(body).values() for one in named] if body >= 0 else []
        kept = [one for one in rows if unit.kind[one] == PROPERTY_DEFINITION and unit.flags[one] & STORED
                and not unit.flags[one] & (STATIC_FLAG | CONSTANT_VALUE)]  # fmt: skip
        return sorted(kept)

    def labels(self, candidate: MethodCandidate) -> list[Label]:
        """How the arguments of a function are called."""
        key = ("labels", candidate.file, candidate.row)
        nothing: list[Label] = []
        return self._types.guarded(key, lambda: self._labels(candidate), nothing)

    def _labels(self, candidate: MethodCandidate) -> list[Label]:
        unit, row = self._types.unit(candidate.file), candidate.row
        if unit.kind[row] == ENUM_MEMBER_DEFINITION:
            made = self._payload(unit, row)
            names = (
                made.constructor[len(FUNCTION_TYPE) :].split(",") if made is not None and len(made.parts) > 1 else []
            )
            return [(name.rstrip("="), name.endswith("="), False) for name in names]
        found: list[Label] = []
        sign = not (unit.text(row)[:1].isalpha() or unit.text(row)[:1] == "_")
        properties = unit.kind[row] in CLASSES
        for one in self.parameter_rows(candidate):
            flags = unit.flags[one]
            label = "_" if sign else unit.text(one) if properties else self._label(unit, one)
            left_out = bool(flags & DEFAULTED_FLAG)
            if properties and not left_out:
                type_ = self._types.denote(unit, unit.type[one])
                left_out = isinstance(type_, Outside) and type_.dotted == OPTIONAL
            found.append((label, left_out, bool(flags & VARIADIC_FLAG)))
        return found

    def label(self, unit: DeclaredUnit, candidate: MethodCandidate, row: int) -> str:
        """How the argument for a parameter is called."""
        return unit.text(row) if unit.kind[candidate.row] in CLASSES else self._label(unit, row)

    def _label(self, unit: DeclaredUnit, row: int) -> str:
        value = unit.value[row]
        if value >= 0 and unit.expressions.kind[value] == LITERAL_EXPRESSION:
            return unit.strings[unit.expressions.a[value]][:-1]
        return unit.text(row)

    def parameter_types(self, candidate: MethodCandidate) -> list[Value | None]:
        """Types of the parameters of a function, with what type parameters around it stand for; of a variadic one that
        of each argument."""
        unit, row = self._types.unit(candidate.file), candidate.row
        if unit.kind[row] == ENUM_MEMBER_DEFINITION:
            made = self._payload(unit, row)
            return [substituted(one, candidate.given) for one in made.parts[:-1]] if made is not None else []
        found: list[Value | None] = []
        for one in self.parameter_rows(candidate):
            type_ = (
                self._types.denote(unit, unit.type[one]) if unit.type[one] >= 0 else self._types.row_value(unit, one)
            )
            if unit.flags[one] & VARIADIC_FLAG and isinstance(type_, Outside) and type_.dotted == ARRAY:
                type_ = type_.arguments[0] if type_.arguments else None
            found.append(substituted(type_, candidate.given))
        return found

    def signature(self, candidate: MethodCandidate) -> object:
        """What two functions have in common of which one stands for the other."""
        unit = self._types.unit(candidate.file)
        returns = unit.returns(candidate.row)
        result = substituted(self._types.infer(unit, returns[0][0]), candidate.given) if returns else None
        types = [self.erased(type_, 0) for type_ in (result, *self.parameter_types(candidate))]
        return tuple([one[0] for one in self.labels(candidate)]), tuple(types)

    def erased(self, value: Value | None, depth: int) -> object:
        """A type without what stands in angle brackets."""
        if isinstance(value, NamedType):
            return value.file, value.row
        if isinstance(value, Outside):
            return last_name(value.dotted), tuple([self.erased(one, depth + 1) for one in value.arguments if depth < 3])
        if isinstance(value, Composite) and depth < 4:
            return value.constructor, tuple([self.erased(part, depth + 1) for part in value.parts])
        return None

    # the choice

    def pick(self, found: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> list[MethodCandidate]:
        """Those of some functions that fit the arguments of a call best; none where none can take them."""
        if len(found) > MAX_OVERLOADS:
            return list(found[: MAX_DECLARED + 1])
        fitting = [one for one in found if self.positions(one, unit, given) is not None]
        if len(fitting) < 2:
            return fitting
        scored = [(self._score(one, unit, given), one) for one in fitting]
        scored = [entry for entry in scored if entry[0] >= 0] or [(0, one) for _, one in scored]
        best = max(score for score, _ in scored)
        kept = [one for score, one in scored if score == best]
        if len(kept) > 1:
            nearest = [one for one in kept if not one.inherited]
            kept = nearest or kept
        if len(kept) > 1:
            count = len(given.rows)
            types = [self.parameter_types(one)[:count] for one in kept]
            kept = most_special(kept, types, self.fit, open_positions(self._types, unit, given.rows))
        return kept

    def positions(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> list[int] | None:
        """Which parameter each argument is for; None where the function cannot take them."""
        labels = self.labels(candidate)
        names = given.names
        if names and names[0].startswith(REFERENCE):
            wanted = [one[len(REFERENCE) :] for one in names]
            return list(range(len(labels))) if wanted == [one[0] for one in labels] else None
        if not names:
            names = ("",) * len(given.rows)
            if not unit.own:  # others do not see how arguments are called
                needed = sum(not one[1] and not one[2] for one in labels)
                fits = needed <= len(given.rows) and (len(given.rows) <= len(labels) or any(one[2] for one in labels))
                return [min(at, len(labels) - 1) for at in range(len(given.rows))] if fits else None
        closures = self._closures(candidate) if TRAILING in names else ()
        found = _matched(labels, names, closures)
        if found is None and closures:
            found = _matched_from_end(labels, names, closures)
        return found

    def _closures(self, candidate: MethodCandidate) -> Sequence[bool]:
        """Which parameters may take a closure."""
        key = ("closures", candidate.file, candidate.row)
        nothing: Sequence[bool] = ()
        return self._types.guarded(key, lambda: self._closures_of(candidate), nothing)

    def _closures_of(self, candidate: MethodCandidate) -> Sequence[bool]:
        found: list[bool] = []
        for type_ in self.parameter_types(candidate):
            plain = unwrapped(type_)
            found.append(plain is None or isinstance(plain, Variable) or function_parts(plain) is not None)
        return found

    def _score(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> int:
        positions = self.positions(candidate, unit, given)
        if positions is None:
            return IMPOSSIBLE
        types, total = self.parameter_types(candidate), 0
        for argument, at in zip(given.rows, positions, strict=False):
            score = self._fit(types[at] if 0 <= at < len(types) else None, unit, argument)
            if score < 0:
                return IMPOSSIBLE
            total += score
        # What leaves nothing to defaults is better.
        return 2 * total + (len(set(positions)) == len(types))

    def _fit(self, wanted: Value | None, unit: DeclaredUnit, argument: int) -> int:
        """How well an argument fits the type of a parameter."""
        if argument < 0 or wanted is None:
            return UNSURE
        table = unit.expressions
        if table.kind[argument] == LAMBDA_EXPRESSION:
            return self._closure_fit(wanted, table.c[argument])
        root = self._roots.get(argument) if unit.own else None
        if root is not None:
            return self._implicit_fit(wanted, root[1])
        return self.fit(wanted, self._types.infer(unit, argument))

    def _implicit_fit(self, wanted: Value, name: str) -> int:
        """How well `.name` fits: the type must have such a member."""
        plain = unwrapped(wanted)
        if not name or plain is None or function_parts(plain) is not None:
            return UNSURE
        having = self._scopes.member_rows(plain, name)
        if name == INIT or any(one.unit.flags[one.row] & STATIC_FLAG for one in having):
            return NEAR
        return IMPOSSIBLE if isinstance(plain, NamedType) and not self._scopes.is_open(plain) else UNSURE

    def _closure_fit(self, wanted: Value, count: int) -> int:
        parts = function_parts(wanted)
        if parts is None:
            plain = unwrapped(wanted)
            return UNSURE if isinstance(plain, Variable) else IMPOSSIBLE if isinstance(plain, Outside) else UNSURE
        taken = len(parts[0])
        return NEAR if taken == count or (count <= 1 and taken <= 1) else FAR if count < taken and not count else UNSURE

    # fitting

    def fit(self, wanted: Value | None, got: Value | None) -> int:
        """How well a value fits a type; below 0 where it cannot."""
        if wanted is None or got is None or isinstance(got, Functions):
            return UNSURE
        if wanted == got:
            return EXACT
        if isinstance(wanted, Outside) and wanted.dotted == OPTIONAL:
            inner = wanted.arguments[0] if wanted.arguments else None
            if isinstance(got, Outside) and got.dotted in (OPTIONAL, NIL):
                return self.fit(inner, got.arguments[0] if got.arguments else None)
            score = self.fit(inner, got)
            return score - 1 if score > UNSURE else score
        if isinstance(wanted, Variable):
            bounds = [one for one in self._scopes.supers(wanted) if not isinstance(one, Variable)]
            return min([FAR, *[self.fit(bound, got) for bound in bounds]])
        if isinstance(wanted, Composite) and wanted.constructor == ALL:
            return min([NEAR, *[self.fit(part, got) for part in wanted.parts]])
        return self._plain_fit(wanted, got)

    def _plain_fit(self, wanted: Value, got: Value) -> int:
        """The same, where the type is neither an optional nor one that stands for others."""
        if isinstance(wanted, TypeName) and isinstance(got, TypeName):
            return self.fit(wanted.type, got.type)
        if isinstance(wanted, TypeName) or isinstance(got, TypeName):
            return UNSURE if self._is_any(wanted) else IMPOSSIBLE
        if isinstance(got, Outside):
            return self._outside_fit(wanted, got)
        if isinstance(wanted, Outside):
            return FAR if self._is_any(wanted) else self._supertype_fit(wanted, got)
        if isinstance(wanted, Composite) or isinstance(got, Composite):
            if isinstance(wanted, Composite) and isinstance(got, Composite):
                return NEAR if len(wanted.parts) == len(got.parts) else IMPOSSIBLE
            return IMPOSSIBLE
        return self._supertype_fit(wanted, got)

    def _is_any(self, value: Value) -> bool:
        return isinstance(value, Outside) and (value.dotted == ANY or value.dotted.endswith(UNKNOWN_LAST))

    def _supertype_fit(self, wanted: Value, got: Value) -> int:
        """A type of the workspace for one that may be above it."""
        for depth, one in enumerate(self._scopes.lineage(got)):
            if self._scopes.same_type(wanted, one):
                if not self._same_arguments(wanted, one):
                    return IMPOSSIBLE
                return max(NEAR - depth, FAR + 1) if depth else EXACT - 1
        if isinstance(wanted, Outside):
            if wanted.dotted in CLOSED:
                return IMPOSSIBLE if not isinstance(got, Variable) else UNSURE
            # A type may conform to what derives from a protocol of the library, or gives it by itself.
            return UNSURE
        return UNSURE if isinstance(got, Variable) or self._scopes.is_open(got) else IMPOSSIBLE

    def _same_arguments(self, wanted: Value, got: Value) -> bool:
        """Whether what stands in angle brackets may be the same."""
        if not isinstance(wanted, (NamedType, Outside)) or not isinstance(got, (NamedType, Outside)):
            return True
        for one, other in zip(wanted.arguments, got.arguments, strict=False):
            if one is None or other is None or isinstance(one, Variable):
                continue
            if isinstance(other, Variable) or self.fit(one, other) < 0:
                return False
        return True

    def _outside_fit(self, wanted: Value, got: Outside) -> int:
        """A value from outside, or of a literal."""
        if got.dotted.endswith(UNKNOWN_LAST):
            return UNSURE
        if got.dotted == NIL:
            return UNSURE if isinstance(wanted, (NamedType, Variable)) else IMPOSSIBLE
        if isinstance(wanted, Composite):
            return IMPOSSIBLE if got.dotted in CLOSED else UNSURE
        if not isinstance(wanted, Outside):
            for one in self._scopes.lineage(got):
                if self._scopes.same_type(wanted, one):
                    return NEAR
            return IMPOSSIBLE if got.dotted in CLOSED and not self._is_literal_type(wanted) else UNSURE
        if last_name(wanted.dotted) == last_name(got.dotted):
            scores = [self.fit(one, other) for one, other in zip(wanted.arguments, got.arguments, strict=False)]
            return IMPOSSIBLE if scores and min(scores) < 0 else EXACT - 1
        if self._is_any(wanted):
            return FAR
        if got.dotted in NUMBERS and wanted.dotted in NUMBERS:
            return 1 if got.dotted in ("Swift.Int", "Swift.Double") else IMPOSSIBLE
        if is_protocol(wanted.dotted):
            known = got.dotted in CLOSED
            return NEAR if last_name(wanted.dotted) in protocols_of(got.dotted) else IMPOSSIBLE if known else UNSURE
        if got.dotted == OPTIONAL and got.arguments:
            return IMPOSSIBLE
        return IMPOSSIBLE if got.dotted in CLOSED and wanted.dotted in CLOSED else UNSURE

    def _is_literal_type(self, wanted: Value) -> bool:
        """Whether a type may be written as a literal of another."""
        return any(isinstance(one, Outside) and last_name(one.dotted).startswith("ExpressibleBy")
                   for one in self._scopes.lineage(wanted))  # fmt: skip

    def unify_types(self, wanted: Value | None, got: Value | None, found: Bindings) -> None:
        """What type parameters in a type stand for by a value, also through what is above the type of the value."""
        if wanted is None or got is None or isinstance(got, Functions):
            return
        if isinstance(got, Outside) and (got.dotted == NIL or got.dotted.endswith(UNKNOWN_LAST)):
            return
        if isinstance(wanted, Variable):
            unify(wanted, got, found)
        elif isinstance(wanted, TypeName):
            self.unify_types(wanted.type, got.type if isinstance(got, TypeName) else None, found)
        elif isinstance(wanted, Outside) and wanted.dotted == OPTIONAL and not _is_optional(got):
            self.unify_types(wanted.arguments[0] if wanted.arguments else None, got, found)
        elif isinstance(wanted, Composite):
            parts = got.parts if isinstance(got, Composite) and len(got.parts) == len(wanted.parts) else ()
            self._unify_each(wanted.parts, parts, found)
        elif isinstance(wanted, (NamedType, Outside)):
            self._unify_arguments(wanted, got, found)

    def _unify_arguments(self, wanted: NamedType | Outside, got: Value, found: Bindings) -> None:
        if isinstance(got, Outside):
            if isinstance(wanted, Outside) and len(wanted.arguments) == len(got.arguments):
                self._unify_each(wanted.arguments, got.arguments, found)
            return
        for one in self._scopes.lineage(got) if isinstance(got, (NamedType, Variable)) else ():
            if isinstance(one, (NamedType, Outside)) and self._scopes.same_type(wanted, one):
                self._unify_each(wanted.arguments, one.arguments, found)
                return

    def _unify_each(self, wanted: Sequence[Value | None], got: Sequence[Value | None], found: Bindings) -> None:
        for pattern, one in zip(wanted, got, strict=False):
            self.unify_types(pattern, one, found)


def _is_optional(value: Value) -> bool:
    return isinstance(value, Outside) and value.dotted == OPTIONAL


def _matched(labels: Sequence[Label], names: Sequence[str], closures: Sequence[bool]) -> list[int] | None:
    """Arguments from the first parameter on: each takes the next one that is called like it, past what may be left
    out. A closure behind the brackets takes the next one that may be a function."""
    found: list[int] = []
    at, several = 0, False
    for name in names:
        if several and not name:
            found.append(at - 1)
            continue
        several = False
        while at < len(labels) and not _takes(labels, closures, at, name) and (labels[at][1] or labels[at][2]):
            at += 1
        if at >= len(labels) or not _takes(labels, closures, at, name):
            return None
        found.append(at)
        several = labels[at][2]
        at += 1
    return found if all(one[1] or one[2] for one in labels[at:]) else None


def _takes(labels: Sequence[Label], closures: Sequence[bool], at: int, name: str) -> bool:
    if name == TRAILING:
        return at >= len(closures) or closures[at]
    return labels[at][0] == (name or "_")


def _matched_from_end(labels: Sequence[Label], names: Sequence[str], closures: Sequence[bool]) -> list[int] | None:
    """The same, where a closure behind the brackets takes the last parameter."""
    if list(names).count(TRAILING) != 1 or names[-1] != TRAILING or not labels:
        return None
    found = _matched(labels[:-1], names[:-1], closures)
    return [*found, len(labels) - 1] if found is not None else None
