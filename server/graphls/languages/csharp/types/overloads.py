"""Overloads: which of several methods of one name a call means.

Owns: methods of a type and of those above it, methods that extend it, arity, how well arguments fit written types.
Must not know: what a call gives back, how occurrences become links.
Invariant: what arguments do not decide is answered as several, the best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, TypeAlias, final

from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_DECLARED, MAX_OVERLOADS
from graphls.languages.csharp.types.projects_index import RECEIVER_FLAG
from graphls.languages.csharp.types.scopes import MANY_BODIES, CSharpScopes
from graphls.languages.csharp.types.standard import OBJECT, RANKS, function_shape, last_name
from graphls.languages.declared.call_sites import (
    Arguments,
)
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
    Bindings,
    Composite,
    NamedType,
    Outside,
    Several,
    Value,
    Variable,
    substituted,
    unify,
)
from graphls.languages.extract.kinds import (
    DEFAULTED_FLAG,
    FUNCTION_SCOPE,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    METHOD_DEFINITION,
    VARIADIC_FLAG,
)
from graphls.languages.resolve.structural_value import DefinitionRef

Extension: TypeAlias = "tuple[str, FilePath, int]"
Body: TypeAlias = "tuple[DeclaredUnit, int, Bindings]"
Signed: TypeAlias = "tuple[tuple[object, MethodCandidate], ...]"
_NOTHING: Final[Signed] = ()


@final
class CSharpOverloads:
    """Methods by name and arguments."""

    def __init__(self, types: DeclaredInference, scopes: CSharpScopes) -> None:
        self._types = types
        self._scopes = scopes

    def methods(self, value: Value | None, name: str) -> Methods:
        """Methods of a type and of those above it; what is overridden below is left out."""
        found: list[MethodCandidate] = []
        seen: set[object] = set()
        outside: Outside | None = None
        for depth, one in enumerate(self._scopes.offering(value)) if value is not None else ():
            outside = outside or (one if isinstance(one, Outside) else None)
            bodies = self._scopes.bodies_with(one, name)
            if len(bodies) <= MANY_BODIES:
                signed = self._signed(bodies, one, name, depth > 0)
            else:
                signed = self._types.guarded(
                    ("methods", one, name, depth > 0), partial(self._signed, bodies, one, name, depth > 0), _NOTHING
                )
            for signature, candidate in signed:
                if signature not in seen:
                    seen.add(signature)
                    found.append(candidate)
        return Methods(found, outside)

    def _signed(self, bodies: Sequence[Body], holder: Value, name: str, inherited: bool) -> Signed:
        """The first method of each signature in some bodies of a type."""
        found: dict[object, MethodCandidate] = {}
        for unit, body, given in bodies:
            rows = unit.members(body).get(name, ())
            crowded = len(rows) > MAX_OVERLOADS
            # Of too many one more than are told apart: `pick` then knows.
            for row in rows[: MAX_OVERLOADS + 1]:
                if unit.kind[row] != METHOD_DEFINITION or unit.value[row] >= 0:
                    continue
                if isinstance(holder, NamedType) and unit.text(row) == self._types.unit(holder.file).text(holder.row):
                    continue
                candidate = MethodCandidate(unit.file, row, given, inherited)
                found.setdefault(row if crowded else self.signature(candidate), candidate)
        return tuple(found.items())

    def extensions(self, value: Value, name: str, unit: DeclaredUnit, scope: int) -> list[MethodCandidate]:
        """Methods that extend a type, of namespaces that a scope sees."""
        listed = self._scopes.index.extensions(name)[:MAX_OVERLOADS]
        if len(listed) <= MANY_BODIES:
            fitting = self._extending(listed, value)
        else:
            fitting = self._types.guarded(("extends", value, name), partial(self._extending, listed, value), ())
        sees = self._scopes.sees_namespace
        seen = {space: sees(unit, scope, space) for space in {space for space, _, _ in fitting}}
        return [MethodCandidate(file, row, {}, False, extends=True) for space, file, row in fitting if seen[space]]

    def of_anything(self, name: str, unit: DeclaredUnit, scope: int) -> list[MethodCandidate]:
        """Methods that extend `object`, of namespaces that a scope sees, where no type of the workspace has one of the
        name: a value of an unknown type has them."""
        listed = self._scopes.index.extensions(name)[:MAX_OVERLOADS]
        fitting = self._extending(listed, Outside(UNKNOWN_LAST)) if listed else ()
        homes = {file for _, file, _ in listed}
        if not fitting or len(fitting) != len(listed) or not homes.issuperset(self._types.world.defining(name)):
            return []
        sees = self._scopes.sees_namespace
        return [
            MethodCandidate(file, row, {}, False, extends=True)
            for space, file, row in fitting
            if sees(unit, scope, space)
        ]

    def _extending(self, listed: Sequence[Extension], value: Value) -> tuple[Extension, ...]:
        """Those of some methods that extend the type of a value."""
        found: list[Extension] = []
        for one in listed:
            other = self._types.unit(one[1])
            parameters = other.parameters(one[2])
            if not parameters or not other.flags[parameters[0]] & RECEIVER_FLAG:
                continue
            if self.extended_fit(self._types.row_value(other, parameters[0]), value):
                found.append(one)
        return tuple(found)

    def nearest_receiver(self, chosen: list[MethodCandidate], value: Value) -> list[MethodCandidate]:
        """Those of several that extend what is nearest to the type of a value."""
        if len(chosen) < 2:
            return chosen
        lineage = self._scopes.lineage(value)
        ranks = [self._receiver_rank(one, lineage) for one in chosen]
        return [one for one, rank in zip(chosen, ranks, strict=True) if rank == min(ranks)]

    def _receiver_rank(self, candidate: MethodCandidate, lineage: Sequence[Value]) -> int:
        unit = self._types.unit(candidate.file)
        wanted = self._types.row_value(unit, unit.parameters(candidate.row)[0])
        at = next((at for at, one in enumerate(lineage) if self._same_type(wanted, one)), len(lineage))
        # What extends a type parameter extends the very type, and is less special.
        return 2 * at if not isinstance(wanted, Variable) else 1

    def extended_fit(self, wanted: Value | None, value: Value) -> bool:
        """Whether a value surely is of the type that a method extends."""
        if isinstance(wanted, Variable):
            return all(self.extended_fit(bound, value) for bound in self._scopes.supers(wanted))
        if isinstance(wanted, Outside) and wanted.dotted == OBJECT:
            return True
        if isinstance(wanted, Composite):
            return isinstance(value, Composite) and wanted.constructor == value.constructor
        for one in self._scopes.lineage(value):
            if self._same_type(wanted, one):
                return self._holds_alike(wanted, one)
        return self._is_sequence(wanted, value) and self._holds_alike(wanted, value)

    def _holds_alike(self, wanted: Value | None, value: Value) -> bool:
        """Whether what a generic type holds is what another one wants, as far as both say it: `List<Item>` is no
        `List<Text>`."""
        ours = wanted.arguments if isinstance(wanted, (NamedType, Outside)) else ()
        theirs = value.parts if isinstance(value, Composite) else ()
        theirs = value.arguments if isinstance(value, (NamedType, Outside)) else theirs
        for one, other in zip(ours, theirs, strict=False):
            if one is None or other is None or isinstance(one, (Variable, Composite)) or isinstance(other, Variable):
                continue
            if isinstance(other, Outside) and other.dotted.endswith(UNKNOWN_LAST):
                continue
            if one != other and not self.extended_fit(one, other):
                return False
        return True

    def _is_sequence(self, wanted: Value | None, value: Value) -> bool:
        kinds = ("List", "IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "HashSet", "IQueryable")
        if not isinstance(wanted, Outside) or last_name(wanted.dotted) != "IEnumerable":
            return False
        return isinstance(value, Composite) or (isinstance(value, Outside) and last_name(value.dotted) in kinds)

    def _same_type(self, one: Value | None, other: Value | None) -> bool:
        if isinstance(one, NamedType) and isinstance(other, NamedType):
            return one.file == other.file and one.row == other.row
        if isinstance(one, Outside) and isinstance(other, Outside):
            return same_outside(one.dotted, other.dotted)
        return one is not None and one == other

    def constructors(self, value: NamedType) -> list[MethodCandidate]:
        """The constructors that a class declares: all that make one ask for the same."""
        return self._types.guarded(("constructors", value), lambda: self._constructors(value), [])

    def _constructors(self, value: NamedType) -> list[MethodCandidate]:
        found: list[MethodCandidate] = []
        name = self._types.unit(value.file).text(value.row)
        for unit, body, given in self._scopes.bodies_with(value, name):
            rows = unit.members(body).get(name, ())[: MAX_OVERLOADS + 1]
            found += [
                MethodCandidate(unit.file, row, given, False) for row in rows if unit.kind[row] == METHOD_DEFINITION
            ]
        return found

    def parameter_rows(self, candidate: MethodCandidate) -> Sequence[int]:
        """Parameters that arguments are for."""
        rows = self._types.unit(candidate.file).parameters(candidate.row)
        return rows[1:] if candidate.extends else rows

    def parameter_types(self, candidate: MethodCandidate) -> list[Value | None]:
        """Types of the parameters of a method, with what its type's parameters stand for."""
        unit = self._types.unit(candidate.file)
        return [
            substituted(self._types.row_value(unit, row), candidate.given) for row in self.parameter_rows(candidate)
        ]

    def is_variadic(self, candidate: MethodCandidate) -> bool:
        """Whether the last parameter takes any number of arguments."""
        rows = self.parameter_rows(candidate)
        return bool(rows) and bool(self._types.unit(candidate.file).flags[rows[-1]] & VARIADIC_FLAG)

    def signature(self, candidate: MethodCandidate) -> object:
        """What two methods have in common of which one overrides the other."""
        types = tuple([self._erased(type_, 0) for type_ in self.parameter_types(candidate)])
        return len(self._types.unit(candidate.file).type_parameters(candidate.row)), types

    def _erased(self, value: Value | None, depth: int) -> object:
        if isinstance(value, NamedType):
            given = tuple([self._erased(one, depth + 1) for one in value.arguments]) if depth < 3 else ()
            return value.file, value.row, given
        if isinstance(value, Outside):
            given = tuple([self._erased(one, depth + 1) for one in value.arguments]) if depth < 3 else ()
            return last_name(value.dotted), given
        if isinstance(value, Composite) and depth < 4:
            return value.constructor[:1], tuple([self._erased(part, depth + 1) for part in value.parts])
        if isinstance(value, Variable):
            unit = self._types.unit(value.file)
            owner = unit.scope_owner[unit.scope[value.row]]
            if owner >= 0 and unit.kind[owner] == METHOD_DEFINITION:
                return "T", list(unit.type_parameters(owner)).index(value.row)
            return "T", unit.text(value.row)
        return None

    def above(self, value: Value, row: int) -> DefinitionRef | None:
        """The nearest member above that a method or property of a type of the own file stands for."""
        name, kind, own = self._types.own.text(row), self._types.own.kind[row], None
        if kind == METHOD_DEFINITION:
            own = self.signature(MethodCandidate(self._types.path, row, {}, False))
        explicit = self._types.denote(self._types.own, self._types.own.value[row])
        for one in self._scopes.lineage(value)[1:]:
            if explicit is not None and not self._same_type(explicit, one):
                continue
            for unit, body, given in self._scopes.bodies_with(one, name):
                for other in unit.members(body).get(name, ()):
                    if unit.kind[other] != kind or unit.value[other] >= 0:
                        continue
                    if kind != METHOD_DEFINITION:
                        return DefinitionRef(unit.file, other)
                    if self.signature(MethodCandidate(unit.file, other, given, True)) == own:
                        return DefinitionRef(unit.file, other)
        return None

    # the choice

    def pick(self, found: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> list[MethodCandidate]:
        """Those of some methods that fit the arguments of a call best; none where none can take so many."""
        if len(found) > MAX_OVERLOADS:
            return list(found[: MAX_DECLARED + 1])
        if len(found) == 1:
            return list(found)
        fitting = [one for one in found if self.takes(one, given)]
        scored = [(self._score(one, unit, given), one) for one in fitting]
        scored = [entry for entry in scored if entry[0] >= 0]
        if not scored:
            return fitting or list(found)
        best = max(score for score, _ in scored)
        kept = [one for score, one in scored if score == best]
        types = [self.parameter_types(one)[: len(given.rows)] for one in kept]
        open_at = open_positions(self._types, unit, given.rows) if len(kept) > 1 else ()
        return most_special(kept, types, self.fit, open_at) if len(kept) > 1 else kept

    def misfits(self, chosen: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether the types of the arguments rule all of some methods out."""
        return all(not self.takes(one, given) or self._score(one, unit, given) < 0 for one in chosen)

    def takes(self, candidate: MethodCandidate, given: Arguments) -> bool:
        """Whether a method can take so many arguments, of these names, and type arguments."""
        unit, rows, count = self._types.unit(candidate.file), self.parameter_rows(candidate), len(given.rows)
        if given.generic and len(unit.type_parameters(candidate.row)) != given.generic:
            return False
        names = {unit.text(row) for row in rows}
        if any(name and name not in names for name in given.names):
            return False
        needed = [row for row in rows if not unit.flags[row] & (DEFAULTED_FLAG | VARIADIC_FLAG)]
        return len(needed) <= count and (count <= len(rows) or self.is_variadic(candidate))

    def positions(self, candidate: MethodCandidate, given: Arguments) -> list[int]:
        """Which parameter each argument is for."""
        unit, rows = self._types.unit(candidate.file), self.parameter_rows(candidate)
        known = {unit.text(row): at for at, row in enumerate(rows)}
        names = given.names or ("",) * len(given.rows)
        return [known.get(name, -1) if name else min(at, len(rows) - 1) for at, name in enumerate(names)]

    def _score(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> int:
        types, total = self.parameter_types(candidate), 0
        spread = self.is_variadic(candidate)
        for argument, at in zip(given.rows, self.positions(candidate, given), strict=True):
            wanted = types[at] if 0 <= at < len(types) else None
            score = self._fit(wanted, unit, argument)
            if spread and at == len(types) - 1 and score <= UNSURE and isinstance(wanted, Composite) and wanted.parts:
                score = self._fit(wanted.parts[0], unit, argument) - 1
            if score < 0:
                return IMPOSSIBLE
            total += score
        # What leaves nothing to defaults and no list is better.
        return 4 * total + 2 * (not spread) + (len(types) == len(given.rows))

    def _fit(self, wanted: Value | None, unit: DeclaredUnit, argument: int) -> int:
        """How well an argument fits the type of a parameter."""
        if argument < 0:
            return UNSURE
        table = unit.expressions
        if table.kind[argument] == LAMBDA_EXPRESSION:
            return self._lambda_fit(wanted, table.c[argument])
        return self.fit(wanted, self._types.infer(unit, argument))

    def _lambda_fit(self, wanted: Value | None, count: int) -> int:
        if wanted is None:
            return UNSURE
        shape = self.function_of(wanted)
        if shape is None:
            known = isinstance(wanted, NamedType) or (isinstance(wanted, Outside) and wanted.dotted.startswith(BUILTIN))
            return IMPOSSIBLE if known or isinstance(wanted, Composite) else UNSURE
        return NEAR if count < 0 or len(shape[0]) == count else IMPOSSIBLE

    def function_of(self, value: Value) -> tuple[tuple[Value | None, ...], Value | None] | None:
        """What a delegate takes and gives; None for any other type."""
        if isinstance(value, Outside):
            return function_shape(value)
        if not isinstance(value, NamedType):
            return None
        unit = self._types.unit(value.file)
        body = unit.body[value.row]
        if unit.kind[value.row] != INTERFACE_DEFINITION or body < 0 or unit.scope_kind[body] != FUNCTION_SCOPE:
            return None
        candidate = MethodCandidate(value.file, value.row, self._types.arguments_of(value), False)
        return tuple(self.parameter_types(candidate)), self.result_type(candidate)

    def result_type(self, candidate: MethodCandidate) -> Value | None:
        """The written type of what a method gives back."""
        unit = self._types.unit(candidate.file)
        returns = unit.returns(candidate.row)
        return substituted(self._types.infer(unit, returns[0][0]), candidate.given) if returns else None

    def fit(self, wanted: Value | None, got: Value | None) -> int:
        """How well a value fits a type; below 0 where it cannot."""
        if wanted is None or got is None or isinstance(got, Several):
            return UNSURE
        if wanted == got:
            return EXACT
        if isinstance(got, Outside):
            return self._outside_fit(wanted, got)
        if isinstance(wanted, Outside):
            if wanted.dotted == OBJECT or wanted.dotted.endswith(UNKNOWN_LAST):
                return FAR
            if isinstance(got, (NamedType, Variable)) and not wanted.dotted.startswith(BUILTIN):
                return self._supertype_fit(wanted, got)
            return self._sequence_fit(wanted, got)
        if isinstance(wanted, Variable):
            bounds = [bound for bound in self._scopes.supers(wanted) if not isinstance(bound, Variable)]
            return min([FAR, *[self.fit(bound, got) for bound in bounds]])
        if isinstance(wanted, Composite):
            if not isinstance(got, Composite) or wanted.constructor[:1] != got.constructor[:1]:
                return IMPOSSIBLE
            return self.fit(wanted.parts[0], got.parts[0]) if wanted.parts and got.parts else UNSURE
        return self._supertype_fit(wanted, got) if isinstance(got, (NamedType, Variable)) else UNSURE

    def _sequence_fit(self, wanted: Outside, got: Value) -> int:
        if isinstance(got, Composite) and self._is_sequence(wanted, got):
            return self.fit(wanted.arguments[0], got.parts[0]) if wanted.arguments and got.parts else NEAR
        return UNSURE if isinstance(got, Composite) and not wanted.dotted.startswith(BUILTIN) else IMPOSSIBLE

    def _supertype_fit(self, wanted: Value, got: Value) -> int:
        """A type of the workspace for one that may be above it."""
        lineage = self._scopes.lineage(got)
        for depth, one in enumerate(lineage):
            if self._same_type(wanted, one):
                return max(NEAR - depth, FAR + 1) if depth else EXACT
        # What may convert to it is not looked at.
        unclear = isinstance(wanted, Outside) and any(isinstance(one, Outside) for one in lineage)
        return UNSURE if unclear or isinstance(got, Variable) else 0

    def _outside_fit(self, wanted: Value, got: Outside) -> int:
        """A value from outside, or of a built-in type."""
        if got.dotted.endswith(UNKNOWN_LAST) or got.dotted == "builtin.null":
            return UNSURE
        if isinstance(wanted, Variable):
            bounds = self._scopes.supers(wanted)
            return FAR - 1 if not bounds else min(FAR - 1, *[max(self._outside_fit(one, got), 0) for one in bounds])
        if isinstance(wanted, Composite):
            return IMPOSSIBLE if got.dotted.startswith(BUILTIN) else UNSURE
        if not isinstance(wanted, Outside):
            return 0
        if same_outside(wanted.dotted, got.dotted):
            return EXACT - 1
        if got.dotted in RANKS and wanted.dotted in RANKS:
            above = RANKS[wanted.dotted] - RANKS[got.dotted]
            return NEAR - above if above >= 0 and wanted.dotted != "builtin.char" else IMPOSSIBLE
        if wanted.dotted == OBJECT:
            return FAR
        both = got.dotted.startswith(BUILTIN) and wanted.dotted.startswith(BUILTIN)
        return IMPOSSIBLE if both else UNSURE

    def unify_receiver(self, candidate: MethodCandidate, value: Value, found: Bindings) -> None:
        """What a value says of the type parameters of a method that extends it."""
        unit = self._types.unit(candidate.file)
        rows = unit.parameters(candidate.row)
        wanted = self._types.row_value(unit, rows[0]) if rows else None
        self.unify_types(wanted, value, found)

    def unify_types(self, wanted: Value | None, got: Value | None, found: Bindings) -> None:
        """Also through what is above the type of an argument."""
        if wanted is None or got is None or isinstance(got, Several):
            return
        if isinstance(got, Outside) and got.dotted.endswith(("?", "null")):
            return
        if isinstance(wanted, Variable):
            unify(wanted, got, found)
            return
        if isinstance(wanted, Outside) and isinstance(got, (Composite, Outside)):
            theirs = got.parts if isinstance(got, Composite) else got.arguments
            for pattern, given in zip(wanted.arguments, theirs, strict=False):
                self.unify_types(pattern, given, found)
            return
        for one in self._scopes.lineage(got):
            if self._same_type(wanted, one) and isinstance(wanted, (NamedType, Outside)):
                theirs = one.arguments if isinstance(one, (NamedType, Outside)) else ()
                for pattern, given in zip(wanted.arguments, theirs, strict=False):
                    self.unify_types(pattern, given, found)
                return
        unify(wanted, got, found)


def same_outside(one: str, other: str) -> bool:
    """Whether two dotted names are those of one type; of some only the last part is known."""
    if one == other:
        return True
    return (one.startswith("?") or other.startswith("?")) and last_name(one) == last_name(other)
