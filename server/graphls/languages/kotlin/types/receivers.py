"""Receivers: what `this` is where a name stands, members of values, extensions that a file sees.

Owns: implicit receivers, properties, extensions by name and receiver, what tests prove.
Must not know: calls, what a lambda is given, how occurrences become links.
Invariant: a member goes before an extension, an import by name before the package, both before a star.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import (
    Final,
    Protocol,
    final,
)

from graphls.languages.declared.accessors import is_java, reading_names, writing_names
from graphls.languages.declared.inference import (
    DeclaredInference,
    DeclaredUnit,
)
from graphls.languages.declared.methods import FAR, UNSURE, MethodCandidate
from graphls.languages.declared.values import (
    Bindings,
    Denotation,
    NamedType,
    Outside,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_SCOPE,
    ENUM_MEMBER_DEFINITION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    METHOD_DEFINITION,
    OBJECT_SCOPE,
    STATIC_FLAG,
)
from graphls.languages.kotlin.syntax.facts_builder import EXTENSION, PRIVATE
from graphls.languages.kotlin.types.overloads import (
    KotlinOverloads,
)
from graphls.languages.kotlin.types.scopes import (
    FIELD_KINDS,
    INHERITED,
    MEMBER,
    KotlinScopes,
)
from graphls.languages.kotlin.types.standard import ANY
from graphls.languages.resolve.structural_value import DefinitionRef

_FIELDS: Final = frozenset({FIELD_DEFINITION})
CALLABLES: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_NO_RECEIVERS: Final[tuple[tuple[int, Value | None], ...]] = ()


class LambdaTypes(Protocol):
    """What who takes a lambda says of it, and what a lambda gives."""

    def lambda_receiver(self, scope: int) -> tuple[bool, Value | None]:
        """Whether a lambda surely has no receiver of its own, and which one it has."""
        ...

    def taker_name(self, scope: int) -> str:
        """The name of the function that takes a lambda."""
        ...

    def lambda_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a lambda, or a reference to a function or property, gives."""
        ...


@final
class KotlinReceivers:
    """Receivers and what they have."""

    def __init__(
        self, types: DeclaredInference, lambdas: LambdaTypes, scopes: KotlinScopes, overloads: KotlinOverloads
    ) -> None:
        self._types = types
        self._lambdas = lambdas
        self._scopes = scopes
        self._overloads = overloads
        table = types.own.expressions
        self.lambda_at: dict[int, int] = {}
        """Scope of a lambda -> its expression."""
        for row, kind in enumerate(table.kind):
            if kind == LAMBDA_EXPRESSION and table.b[row] >= 0:
                self.lambda_at[table.b[row]] = row

    # implicit receivers

    def receivers(self, unit: DeclaredUnit, scope: int) -> tuple[tuple[int, Value | None], ...]:
        """Scopes with a receiver and these, the innermost first; None for one that is not known."""
        key = ("receivers", unit.file, scope)
        return self._types.guarded(key, lambda: self._receivers(unit, scope), _NO_RECEIVERS)

    def _receivers(self, unit: DeclaredUnit, scope: int) -> tuple[tuple[int, Value | None], ...]:
        found: list[tuple[int, Value | None]] = []
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            if kind == LAMBDA_SCOPE and unit.own:
                none, value = self._lambdas.lambda_receiver(at)
                if not none:
                    found.append((at, value))
            elif kind == FUNCTION_SCOPE:
                owner = unit.scope_owner[at]
                if owner >= 0 and unit.flags[owner] & EXTENSION:
                    found.append((at, self._types.denote(unit, unit.value[owner])))
            elif kind in (CLASS_SCOPE, OBJECT_SCOPE):
                found.append((at, unit.type_of_scope(at)))
            at = unit.scope_parent[at]
        return tuple(found)

    def this(self, unit: DeclaredUnit, scope: int, label: str) -> Value | None:
        """What `this`, or `this@label`, stands for."""
        for at, value in self.receivers(unit, scope):
            if not label or self._is_called(unit, at, label):
                return value
        return None

    def _is_called(self, unit: DeclaredUnit, scope: int, label: str) -> bool:
        owner = unit.scope_owner[scope]
        if unit.scope_kind[scope] == LAMBDA_SCOPE:
            return self._lambdas.taker_name(scope) == label
        return owner >= 0 and unit.text(owner) == label

    # members

    def property_of(self, value: Value | None, name: str) -> Denotation | None:
        """A property or constant of a type, or of one above it."""
        for depth, one in enumerate(self._scopes.lineage(value)) if value is not None else ():
            body = self._types.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit = body[0]
            for row in unit.members(body[1]).get(name, ()):
                if unit.kind[row] in FIELD_KINDS and not unit.flags[row] & EXTENSION:
                    if (depth and unit.flags[row] & PRIVATE) or self._is_of_class_alone(unit, row):
                        continue
                    type_ = substituted(self.value_of(unit, row), self._types.given_to(one))
                    return Denotation((DefinitionRef(unit.file, row),), type_, INHERITED if depth else MEMBER)
            row = self._overloads.accessor(unit, body[1], reading_names(name), 0) if is_java(unit.file) else -1
            if row >= 0:
                read = MethodCandidate(unit.file, row, self._types.given_to(one), depth > 0)
                return Denotation((read.ref,), self._overloads.result_type(read), INHERITED if depth else MEMBER)
        return None

    def _is_of_class_alone(self, unit: DeclaredUnit, row: int) -> bool:
        """Whether a field of Java is private, or stands behind the name of its class."""
        return unit.kind[row] == FIELD_DEFINITION and bool(unit.flags[row] & (PRIVATE | STATIC_FLAG))

    def setter_of(self, getter: DefinitionRef, name: str) -> DefinitionRef | None:
        """The method of Java that writes the property which another one reads."""
        unit = self._types.unit(getter.file)
        if not is_java(getter.file) or unit.kind[getter.row] != METHOD_DEFINITION:
            return None
        row = self._overloads.accessor(unit, unit.scope[getter.row], writing_names(name), 1)
        return DefinitionRef(getter.file, row) if row >= 0 else None

    def static_of(self, type_: Value, name: str) -> Denotation | None:
        """What stands behind the name of a type: constants of an enum, objects and types inside, its companion's."""
        body = self._types.body_of(type_)
        if body is not None and body[1] >= 0:
            unit = body[0]
            for row in unit.members(body[1]).get(name, ()):
                if unit.kind[row] == ENUM_MEMBER_DEFINITION:
                    return Denotation((DefinitionRef(unit.file, row),), self._types.row_value(unit, row), MEMBER)
        inner = self._scopes.member_type(type_, name)
        if inner is not None:
            return Denotation(inner.refs, self.as_object(inner.value), inner.rule)
        for one in self._scopes.lineage(type_):
            companion = self._scopes.companion(one)
            found = self.property_of(companion, name) if companion is not None else None
            if found is not None:
                return found
            nested = self._scopes.member_type(companion, name) if companion is not None else None
            if nested is not None:
                return Denotation(nested.refs, self.as_object(nested.value), nested.rule)
        return self._static_field(type_, name)

    def _static_field(self, type_: Value, name: str) -> Denotation | None:
        """A static field of a type of Java, or of one above it."""
        for depth, one in enumerate(self._scopes.lineage(type_)):
            body = self._types.body_of(one)
            if body is None or body[1] < 0 or not is_java(body[0].file):
                continue
            for row in body[0].members_of(body[1], name, _FIELDS):
                if not body[0].flags[row] & PRIVATE:
                    type_of = self._types.row_value(body[0], row)
                    return Denotation((DefinitionRef(body[0].file, row),), type_of, INHERITED if depth else MEMBER)
        return None

    def as_object(self, value: Value | None) -> Value | None:
        """The name of an object as a value is its instance."""
        return value.type if isinstance(value, TypeName) and self._scopes.is_single(value.type) else value

    def value_of(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The value of a variable or property."""
        return self._overloads.as_value(self._types.row_value(unit, row))

    # extensions

    def extensions(self, unit: DeclaredUnit, scope: int, name: str) -> list[tuple[bool, list[MethodCandidate]]]:
        """Extensions of a name that a scope sees, group by group; whether an import names them."""
        key = ("extensions", unit.file, scope, name)
        nothing: list[tuple[bool, list[MethodCandidate]]] = []
        return self._types.guarded(key, lambda: self._extensions(unit, scope, name), nothing)

    def _extensions(self, unit: DeclaredUnit, scope: int, name: str) -> list[tuple[bool, list[MethodCandidate]]]:
        groups: list[tuple[bool, list[MethodCandidate]]] = []
        local: list[MethodCandidate] = []
        at = scope
        while at > 0:
            rows = unit.members(at).get(name, ()) if unit.scope_kind[at] not in (CLASS_SCOPE, OBJECT_SCOPE) else ()
            local += [MethodCandidate(unit.file, row, {}, False, True) for row in rows if unit.flags[row] & EXTENSION]
            at = unit.scope_parent[at]
        groups.append((True, local))
        for _, value in self.receivers(unit, scope):
            if value is not None:
                groups.append((True, self._overloads.member_extensions(value, name)))
                companion = self._scopes.companion(value)
                if companion is not None:
                    groups.append((True, self._overloads.member_extensions(companion, name)))
        named = [ref for dotted in self._scopes.imports(unit, name) for ref in self.callables_at(dotted)]
        groups.append((True, self._extending(named)))
        groups.append((False, self._extending(self._scopes.declared(self._types.clause(unit.file), name))))
        stars = [ref for dotted in self._scopes.star_imports(unit) for ref in self.callables_at(f"{dotted}.{name}")]
        groups.append((False, self._extending(stars)))
        return [group for group in groups if group[1]]

    def _extending(self, refs: Sequence[DefinitionRef]) -> list[MethodCandidate]:
        found: list[MethodCandidate] = []
        for ref in refs:
            unit = self._types.unit(ref.file)
            if unit.flags[ref.row] & EXTENSION and unit.kind[ref.row] in CALLABLES | FIELD_KINDS:
                found.append(MethodCandidate(ref.file, ref.row, {}, False, True))
        return found

    def callables_at(self, dotted: str) -> list[DefinitionRef]:
        """Functions, properties and constants that a dotted name means: of a package, or of an object or enum."""
        holder, _, name = dotted.rpartition(".")
        found = list(self._scopes.declared(holder, name))
        for ref in self._scopes.type_at(holder) if holder else ():
            for type_ in (NamedType(ref.file, ref.row), self._scopes.companion(NamedType(ref.file, ref.row))):
                body = self._types.body_of(type_) if type_ is not None else None
                rows = body[0].members(body[1]).get(name, ()) if body is not None and body[1] >= 0 else ()
                found += [DefinitionRef(body[0].file, row) for row in rows if body is not None]
        return found

    def extension_property(self, unit: DeclaredUnit, scope: int, value: Value | None, name: str) -> Denotation | None:
        """An extension property that fits a value."""
        for named, group in self.extensions(unit, scope, name):
            properties = [one for one in group if self._types.unit(one.file).kind[one.row] in FIELD_KINDS]
            chosen = self.best_receiver(self.fitting(properties, value, named), value)
            if chosen:
                given: Bindings = {}
                self._overloads.unify_types(self._overloads.receiver_type(chosen[0]), value, given)
                type_ = substituted(self.value_of(self._types.unit(chosen[0].file), chosen[0].row), given)
                return Denotation(tuple([one.ref for one in self._overloads.one_source(chosen)]), type_, INHERITED)
        return None

    def fitting(self, group: Sequence[MethodCandidate], value: Value | None, named: bool) -> list[MethodCandidate]:
        """Those extensions of a group whose receiver a value fits; what is not certain counts where an import names
        it."""
        sure: list[MethodCandidate] = []
        unsure: list[MethodCandidate] = []
        for one in group:
            score = self._receiver_fit(one, value)
            if score >= FAR:
                sure.append(one)
            elif score >= 0:
                unsure.append(one)
        return sure or (unsure if named else [])

    def _receiver_fit(self, candidate: MethodCandidate, value: Value | None) -> int:
        if value is None:
            return UNSURE
        wanted = self._overloads.receiver_type(candidate)
        score = self._overloads.fit(wanted, value)
        if score >= 0 and (isinstance(wanted, Variable) or (isinstance(wanted, Outside) and wanted.dotted == ANY)):
            return max(score, FAR)
        return score

    def best_receiver(self, group: list[MethodCandidate], value: Value | None) -> list[MethodCandidate]:
        """Those extensions whose receiver is the nearest to a value."""
        scores = [self._receiver_fit(one, value) for one in group]
        return [one for one, score in zip(group, scores, strict=True) if score == max(scores)]
