"""Receivers: what `this` is where a name stands, members of values, extensions that a file sees.

Owns: implicit receivers, properties, extensions by name and receiver, what tests prove.
Must not know: calls, what a lambda is given, how occurrences become links.
Invariant: a member goes before an extension, an import by name before the package, both before a star.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.declared.methods import FAR, UNSURE, MethodCandidate
from graphls.languages.declared.values import (
    Bindings,
    Found,
    Named,
    Outside,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_SCOPE,
    ENUM_MEMBER_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    OBJECT_SCOPE,
)
from graphls.languages.kotlin.syntax.facts_builder import EXTENSION, PRIVATE
from graphls.languages.kotlin.types.overloads import KotlinOverloads
from graphls.languages.kotlin.types.scopes import FIELD_KINDS, INHERITED, MEMBER
from graphls.languages.kotlin.types.standard import ANY
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef

CALLABLES: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_NO_RECEIVERS: Final[tuple[tuple[int, Value | None], ...]] = ()


class KotlinReceivers(KotlinOverloads):
    """Receivers and what they have."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        own = self.own
        table = own.expressions
        self.lambda_at: dict[int, int] = {}
        """Scope of a lambda -> its expression."""
        for row, kind in enumerate(table.kind):
            if kind == LAMBDA_EXPRESSION and table.b[row] >= 0:
                self.lambda_at[table.b[row]] = row
        self._proofs: dict[str, list[tuple[int, int, int, int]]] = {}
        """Name, or names with dots -> subject, type, start, end."""
        tests = facts.narrowings
        for subject, test, start, end in zip(tests.subject, tests.test, tests.start, tests.end, strict=True):
            if table.kind[subject] == NAME_EXPRESSION:
                text = own.strings[table.a[subject]]
                self._proofs.setdefault(text, []).append((subject, test, start, end))

    # implicit receivers

    def lambda_receiver(self, scope: int) -> tuple[bool, Value | None]:
        """Whether a lambda surely has no receiver of its own, and which one it has."""
        raise NotImplementedError

    def receivers(self, unit: DeclaredUnit, scope: int) -> tuple[tuple[int, Value | None], ...]:
        """Scopes with a receiver and these, the innermost first; None for one that is not known."""
        key = ("receivers", unit.file, scope)
        return self.guarded(key, lambda: self._receivers(unit, scope), _NO_RECEIVERS)

    def _receivers(self, unit: DeclaredUnit, scope: int) -> tuple[tuple[int, Value | None], ...]:
        found: list[tuple[int, Value | None]] = []
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            if kind == LAMBDA_SCOPE and unit.own:
                none, value = self.lambda_receiver(at)
                if not none:
                    found.append((at, value))
            elif kind == FUNCTION_SCOPE:
                owner = unit.scope_owner[at]
                if owner >= 0 and unit.flags[owner] & EXTENSION:
                    found.append((at, self.denote(unit, unit.value[owner])))
            elif kind in (CLASS_SCOPE, OBJECT_SCOPE):
                found.append((at, self.type_of_scope(unit, at)))
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
            return self.taker_name(scope) == label
        return owner >= 0 and unit.text(owner) == label

    def taker_name(self, scope: int) -> str:
        """The name of the function that takes a lambda."""
        raise NotImplementedError

    # what tests prove

    def proved(self, unit: DeclaredUnit, name: str, offset: int, found: Found | None) -> Value | None:
        """The type that a test proves for a name, or for names with dots, where they stand."""
        if not unit.own or offset < 0:
            return None
        best: tuple[int, int] | None = None
        for subject, test, start, end in self._proofs.get(name, ()):
            nearer = start <= offset < end and (best is None or start >= best[0])
            if nearer and (found is None or self._is_same(subject, name, found)):
                best = (start, test)
        return self.denote(unit, best[1]) if best is not None else None

    def _is_same(self, subject: int, name: str, found: Found) -> bool:
        table = self.own.expressions
        other = self.plain(self.own, table.b[subject], name, table.c[subject])
        return other is not None and other.refs == found.refs

    def plain(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Found | None:
        """What a plain name means, whatever tests prove."""
        raise NotImplementedError

    # members

    def property_of(self, value: Value | None, name: str) -> Found | None:
        """A property or constant of a type, or of one above it."""
        for depth, one in enumerate(self.lineage(value)) if value is not None else ():
            body = self.body_of(one)
            if body is None or body[1] < 0:
                continue
            unit = body[0]
            for row in unit.members(body[1]).get(name, ()):
                if unit.kind[row] in FIELD_KINDS and not unit.flags[row] & EXTENSION:
                    if depth and unit.flags[row] & PRIVATE:
                        continue
                    type_ = substituted(self.value_of(unit, row), self.given_to(one))
                    return Found((DefinitionRef(unit.file, row),), type_, INHERITED if depth else MEMBER)
        return None

    def static_of(self, type_: Value, name: str) -> Found | None:
        """What stands behind the name of a type: constants of an enum, objects and types inside, its companion's."""
        body = self.body_of(type_)
        if body is not None and body[1] >= 0:
            unit = body[0]
            for row in unit.members(body[1]).get(name, ()):
                if unit.kind[row] == ENUM_MEMBER_DEFINITION:
                    return Found((DefinitionRef(unit.file, row),), self.row_value(unit, row), MEMBER)
        inner = self.member_type(type_, name)
        if inner is not None:
            return Found(inner.refs, self.as_object(inner.value), inner.rule)
        for one in self.lineage(type_):
            companion = self.companion(one)
            found = self.property_of(companion, name) if companion is not None else None
            if found is not None:
                return found
            nested = self.member_type(companion, name) if companion is not None else None
            if nested is not None:
                return Found(nested.refs, self.as_object(nested.value), nested.rule)
        return None

    def as_object(self, value: Value | None) -> Value | None:
        """The name of an object as a value is its instance."""
        return value.type if isinstance(value, TypeName) and self.is_single(value.type) else value

    def value_of(self, unit: DeclaredUnit, row: int) -> Value | None:
        """The value of a variable or property."""
        return self.as_value(self.row_value(unit, row))

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind in FIELD_KINDS and unit.flags[row] & EXTENSION:
            if unit.type[row] >= 0:
                return self.denote(unit, unit.type[row])
            returns = unit.returns(row)
            return self.as_value(self.infer(unit, returns[0][0])) if returns else None
        return super()._row_value(unit, row, kind)

    # extensions

    def extensions(self, unit: DeclaredUnit, scope: int, name: str) -> list[tuple[bool, list[MethodCandidate]]]:
        """Extensions of a name that a scope sees, group by group; whether an import names them."""
        key = ("extensions", unit.file, scope, name)
        nothing: list[tuple[bool, list[MethodCandidate]]] = []
        return self.guarded(key, lambda: self._extensions(unit, scope, name), nothing)

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
                groups.append((True, self.member_extensions(value, name)))
                companion = self.companion(value)
                if companion is not None:
                    groups.append((True, self.member_extensions(companion, name)))
        named = [ref for dotted in self.imports(unit, name) for ref in self.callables_at(dotted)]
        groups.append((True, self._extending(named)))
        groups.append((False, self._extending(self.declared(self.clause(unit.file), name))))
        stars = [ref for dotted in self.star_imports(unit) for ref in self.callables_at(f"{dotted}.{name}")]
        groups.append((False, self._extending(stars)))
        return [group for group in groups if group[1]]

    def _extending(self, refs: Sequence[DefinitionRef]) -> list[MethodCandidate]:
        found: list[MethodCandidate] = []
        for ref in refs:
            unit = self.unit(ref.file)
            if unit.flags[ref.row] & EXTENSION and unit.kind[ref.row] in CALLABLES | FIELD_KINDS:
                found.append(MethodCandidate(ref.file, ref.row, {}, False, True))
        return found

    def callables_at(self, dotted: str) -> list[DefinitionRef]:
        """Functions, properties and constants that a dotted name means: of a package, or of an object or enum."""
        holder, _, name = dotted.rpartition(".")
        found = list(self.declared(holder, name))
        for ref in self.type_at(holder) if holder else ():
            for type_ in (Named(ref.file, ref.row), self.companion(Named(ref.file, ref.row))):
                body = self.body_of(type_) if type_ is not None else None
                rows = body[0].members(body[1]).get(name, ()) if body is not None and body[1] >= 0 else ()
                found += [DefinitionRef(body[0].file, row) for row in rows if body is not None]
        return found

    def extension_property(self, unit: DeclaredUnit, scope: int, value: Value | None, name: str) -> Found | None:
        """An extension property that fits a value."""
        for named, group in self.extensions(unit, scope, name):
            properties = [one for one in group if self.unit(one.file).kind[one.row] in FIELD_KINDS]
            chosen = self.best_receiver(self.fitting(properties, value, named), value)
            if chosen:
                given: Bindings = {}
                self.unify_types(self.receiver_type(chosen[0]), value, given)
                type_ = substituted(self.value_of(self.unit(chosen[0].file), chosen[0].row), given)
                return Found(tuple([one.ref for one in self._one_source(chosen)]), type_, INHERITED)
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
        wanted = self.receiver_type(candidate)
        score = self.fit(wanted, value)
        if score >= 0 and (isinstance(wanted, Variable) or (isinstance(wanted, Outside) and wanted.dotted == ANY)):
            return max(score, FAR)
        return score

    def best_receiver(self, group: list[MethodCandidate], value: Value | None) -> list[MethodCandidate]:
        """Those extensions whose receiver is the nearest to a value."""
        scores = [self._receiver_fit(one, value) for one in group]
        return [one for one, score in zip(group, scores, strict=True) if score == max(scores)]
