"""Calls: which function a call means, and what it gives.

Owns: calls of plain names, of members, of extensions, of types and of values; what outside calls hand on.
Must not know: how occurrences become links, who takes a lambda.
Invariant: what an unknown receiver may have is not looked for elsewhere, unless an import names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.languages.declared.accessors import is_java
from graphls.languages.declared.call_sites import (
    arguments_of_call,
    callee_of,
)
from graphls.languages.declared.inference import (
    DeclaredInference,
    DeclaredUnit,
)
from graphls.languages.declared.methods import FAR, Invocation, MethodCandidate, external, refs
from graphls.languages.declared.values import (
    Anonymous,
    Bindings,
    Composite,
    Denotation,
    NamedType,
    Outside,
    Package,
    Several,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CLASS_SCOPE,
    ENUM_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_SCOPE,
    INTERFACE_DEFINITION,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_SCOPE,
    PARAMETER_DEFINITION,
    STATIC_FLAG,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
)
from graphls.languages.kotlin.syntax.facts_builder import EXTENSION
from graphls.languages.kotlin.types.names import KotlinNames, unknown
from graphls.languages.kotlin.types.outside_calls import KotlinOutsideCalls
from graphls.languages.kotlin.types.overloads import (
    Arguments,
    KotlinOverloads,
)
from graphls.languages.kotlin.types.receivers import (
    CALLABLES,
    KotlinReceivers,
    LambdaTypes,
)
from graphls.languages.kotlin.types.scopes import (
    CLASSES,
    EXTERNAL,
    IMPORT,
    INHERITED,
    LOCAL,
    MEMBER,
    PACKAGE,
    KotlinScopes,
)
from graphls.languages.kotlin.types.standard import (
    NUMBER_METHODS,
    NUMBERS,
    SELF,
    TOP_FUNCTIONS,
    function_parts,
    has_member,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External

_NOWHERE: Final = Invocation(None)


@final
class KotlinCalls:
    """Calls and their results."""

    def __init__(
        self,
        types: DeclaredInference,
        lambdas: LambdaTypes,
        *,
        scopes: KotlinScopes,
        overloads: KotlinOverloads,
        receivers: KotlinReceivers,
        names: KotlinNames,
    ) -> None:
        self._types = types
        self._lambdas = lambdas
        self._scopes = scopes
        self._overloads = overloads
        self._receivers = receivers
        self._names = names
        self._outside = KotlinOutsideCalls(types, lambdas, overloads, names)

    # calls

    def invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        """What a call means."""
        return self._types.guarded(("call", unit.file, row), lambda: self._invocation(unit, row), _NOWHERE)

    def _invocation(self, unit: DeclaredUnit, row: int) -> Invocation:
        table = unit.expressions
        callee, given = callee_of(unit, row), arguments_of_call(self._types, unit, row)
        if table.kind[callee] == TYPE_EXPRESSION:
            return self._constructed(self._types.denote(unit, table.a[callee]), unit, given, IMPORT)
        if table.kind[callee] == NAME_EXPRESSION:
            return self._plain_call(unit, table.b[callee], unit.strings[table.a[callee]], table.c[callee], given)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return self._invoked(self._types.infer(unit, callee), unit, given, None)
        base = table.a[callee]
        value, scope = self._types.infer(unit, base), self._names.scope_of(unit, base, table.c[callee])
        return self.member_call(value, unit.strings[table.b[callee]], unit, scope, given)

    def _constructed(self, type_: Value | None, unit: DeclaredUnit, given: Arguments, rule: int) -> Invocation:
        """A call of the name of a type: one of its constructors."""
        if isinstance(type_, Outside):
            typed = Outside(type_.dotted, tuple(given.types)) if given.types and not type_.arguments else type_
            return Invocation(external(type_.dotted, typed))
        if not isinstance(type_, NamedType):
            return _NOWHERE
        if self._types.unit(type_.file).kind[type_.row] == INTERFACE_DEFINITION:
            return Invocation(Denotation((DefinitionRef(type_.file, type_.row),), type_, rule))
        candidates = self._overloads.constructors(type_)
        chosen = self._overloads.pick(candidates, unit, given)
        if not chosen:
            if len(candidates) != 1:
                return Invocation(None)
            chosen = candidates
        return Invocation(Denotation(refs(chosen), None, rule), chosen)

    def _plain_call(self, unit: DeclaredUnit, scope: int, name: str, offset: int, given: Arguments) -> Invocation:
        """A call without a receiver: of what scopes and receivers around have, else of what packages declare."""
        if name in ("this", "super"):
            return self._delegated(unit, scope, name, given)
        held = self._call_of_bound(unit, scope, name, offset, given)
        if held is not None and self._is_apt(held, unit, given):
            return held
        unfit = held
        outside: Outside | None = None
        unclear = False
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            made = self._call_in_class(unit, at, name, given) if kind in (CLASS_SCOPE, OBJECT_SCOPE) else None
            if made is not None:
                return made
            if kind in (CLASS_SCOPE, OBJECT_SCOPE, LAMBDA_SCOPE, FUNCTION_SCOPE):
                value, none = self._names.receiver_at(unit, at)
                tested = self._names.tested_receiver(unit, at, offset)
                made = self._own_call(tested, name, unit, given) if tested is not None else None
                if made is None and value is not None:
                    made = self._call_on_receiver(value, name, unit, given)
                if made is not None and (not made.chosen or self._is_apt(made, unit, given)):
                    return made
                unfit = unfit or made
                unclear = unclear or (value is None and not none)
                outside = outside or self._names.away(value)
            at = unit.scope_parent[at]
        clear = outside is None
        if unfit is None:
            return self._call_beyond(unit, scope, name, given, None if unclear else outside, clear=clear)
        made = self._call_beyond(unit, scope, name, given, None, clear=False)
        return made if made.chosen and self._is_apt(made, unit, given) else unfit

    def _is_apt(self, made: Invocation, unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether something is called that takes arguments of these types."""
        if made.chosen:
            return not self._overloads.misfits(made.chosen, unit, given)
        return made.receiver is not None

    def _call_on_receiver(self, value: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation | None:
        made = self._own_call(value, name, unit, given)
        if made is None and isinstance(value, Outside) and has_member(value, name):
            return self._outside.of_receiver(value, name)
        return made

    def _call_beyond(
        self, unit: DeclaredUnit, scope: int, name: str, given: Arguments, outside: Outside | None, *, clear: bool
    ) -> Invocation:  # fmt: skip
        """A call of what no scope has: extensions of receivers, packages, the library."""
        receivers = [value for _, value in self._receivers.receivers(unit, scope) if value is not None]
        for value in receivers:
            made = self._extension_call(value, name, unit, scope, given)
            if made is not None:
                return made
        made = self._package_call(unit, scope, name, given)
        if made is None and receivers and (name in SELF or self._outside.is_block(name, unit, given)):
            made = self._outside.everywhere(receivers[0], name, unit, given)
        if made is not None:
            return made
        if name in TOP_FUNCTIONS and (clear or name in ("require", "check", "listOf", "println")):
            return Invocation(external(f"kotlin.{name}", None))
        return self._outside.of_receiver(outside, name) if outside is not None else _NOWHERE

    def _call_of_bound(
        self, unit: DeclaredUnit, scope: int, name: str, offset: int, given: Arguments
    ) -> Invocation | None:  # fmt: skip
        """A call of a function, class or value that functions around bind. One that cannot take the arguments, or
        whose type nobody knows, comes without a choice."""
        held: Invocation | None = None
        crossed = False
        at = scope
        while at > 0:
            kind = unit.scope_kind[at]
            if kind in (CLASS_SCOPE, OBJECT_SCOPE):
                made = self._call_of_parameter(unit, at, name, given) if not crossed else None
            else:
                made = self._call_in_scope(unit, at, name, offset, given)
            crossed = crossed or kind in (CLASS_SCOPE, OBJECT_SCOPE, FUNCTION_SCOPE)
            if made is not None and self._is_apt(made, unit, given):
                return made
            held = held or made
            at = unit.scope_parent[at]
        return held

    def _call_in_scope(
        self, unit: DeclaredUnit, scope: int, name: str, offset: int, given: Arguments
    ) -> Invocation | None:  # fmt: skip
        """Local functions, classes and values."""
        kind = unit.scope_kind[scope]
        rows = unit.members(scope).get(name, ())
        local = [row for row in rows if unit.kind[row] == FUNCTION_DEFINITION and not unit.flags[row] & EXTENSION]
        if local:
            chosen = self._overloads.pick([MethodCandidate(unit.file, row, {}, False) for row in local], unit, given)
            if chosen:
                return Invocation(Denotation(refs(chosen), None, LOCAL), chosen)
        classes = [row for row in rows if unit.kind[row] in CLASSES]
        if classes:
            return self._constructed(NamedType(unit.file, classes[-1]), unit, given, LOCAL)
        held = self._names.local(unit, scope, name, kind, offset) if rows else None
        return self._invoked(held.value, unit, given, held) if held is not None else None

    def _call_of_parameter(
        self, unit: DeclaredUnit, scope: int, name: str, given: Arguments
    ) -> Invocation | None:  # fmt: skip
        """A call of what a constructor is given."""
        held = self._names.constructor_parameter(unit, scope, name)
        return self._invoked(held.value, unit, given, held) if held is not None else None

    def _call_in_class(self, unit: DeclaredUnit, scope: int, name: str, given: Arguments) -> Invocation | None:
        type_ = unit.type_of_scope(scope)
        if type_ is None or self._overloads.methods(type_, name).found:
            return None
        inner = self._scopes.member_type(type_, name)
        if inner is not None and isinstance(inner.value, TypeName):
            return self._constructed(inner.value.type, unit, given, LOCAL)
        for one in self._scopes.lineage(type_):
            companion = self._scopes.companion(one)
            of_companion = self._own_call(companion, name, unit, given) if companion is not None else None
            if of_companion is not None:
                return of_companion
        return self._call_of_enum(type_, name)

    def _call_of_enum(self, type_: Value, name: str) -> Invocation | None:
        """`values()` and `valueOf()` of an enum."""
        if not isinstance(type_, NamedType) or self._types.unit(type_.file).kind[type_.row] != ENUM_DEFINITION:
            return None
        if name == "valueOf":
            return Invocation(external("kotlin.Enum.valueOf", type_))
        return (
            Invocation(external("kotlin.Enum.values", Outside("kotlin.Array", (type_,)))) if name == "values" else None
        )

    def _delegated(self, unit: DeclaredUnit, scope: int, name: str, given: Arguments) -> Invocation:
        """`this(...)` and `super(...)` of a constructor."""
        value = next(
            (one for at, one in self._receivers.receivers(unit, scope) if unit.scope_kind[at] == CLASS_SCOPE), None
        )
        if name == "super" and value is not None:
            above = [one for one in self._scopes.supers(value) if isinstance(one, (NamedType, Outside))]
            kept = [one for one in above if not self._is_interface(one)]
            value = kept[0] if kept else None
        return self._constructed(value, unit, given, MEMBER)

    def _is_interface(self, value: Value) -> bool:
        return isinstance(value, NamedType) and self._types.unit(value.file).kind[value.row] == INTERFACE_DEFINITION

    def _package_call(self, unit: DeclaredUnit, scope: int, name: str, given: Arguments) -> Invocation | None:
        """Functions and types that imports and the package bring."""
        named = self._scopes.imports(unit, name)
        groups = [([ref for dotted in named for ref in self._receivers.callables_at(dotted)], IMPORT)]
        groups.append((list(self._scopes.declared(self._types.clause(unit.file), name)), PACKAGE))
        groups.append(
            (
                [
                    ref
                    for dotted in self._scopes.star_imports(unit)
                    for ref in self._receivers.callables_at(f"{dotted}.{name}")
                ],
                IMPORT,
            )
        )
        type_ = self._scopes.type_named(unit, scope, name)
        for at, (found, rule) in enumerate(groups):
            rule = LOCAL if found and found[0].file == self._types.path else rule
            made = self._called_of(found, unit, given, rule, sure=at == 0)
            if made is not None:
                return made
            if (
                type_ is not None
                and isinstance(type_.value, TypeName)
                and (type_.rule != EXTERNAL or (at == 0 and named))
            ):
                return self._of_type(type_, unit, given)
        if named:
            return Invocation(external(named[0], self._outside.built_by(name, unit, given)))
        if type_ is not None and isinstance(type_.value, TypeName):
            return self._of_type(type_, unit, given)
        return None

    def _of_type(self, type_: Denotation, unit: DeclaredUnit, given: Arguments) -> Invocation | None:
        value = type_.value.type if isinstance(type_.value, TypeName) else None
        if isinstance(value, NamedType):
            companion = value if self._scopes.is_single(value) else self._scopes.companion(value)
            held = self._overloads.methods(companion, "invoke").found if companion is not None else []
            chosen = self._overloads.pick(held, unit, given)
            constructed = self._constructed(value, unit, given, type_.rule)
            if chosen and (self._scopes.is_single(value) or constructed.found is None):
                return Invocation(type_, chosen)
            if self._scopes.is_single(value):
                return Invocation(type_)
            first = type_.refs[0] if type_.refs else None
            if (
                isinstance(first, DefinitionRef)
                and self._types.unit(first.file).kind[first.row] == TYPE_ALIAS_DEFINITION
            ):
                return Invocation(type_, constructed.chosen)
            return constructed
        return self._constructed(value, unit, given, type_.rule)

    def _fits_surely(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether it is known of each argument that it fits."""
        types, kinds = self._overloads.parameter_types(candidate), unit.expressions.kind
        for row, at in zip(given.rows, self._overloads.positions(candidate, unit, given), strict=False):
            wanted = types[at] if 0 <= at < len(types) else None
            if row < 0 or (
                kinds[row] != LAMBDA_EXPRESSION and self._overloads.fit(wanted, self._types.infer(unit, row)) < FAR
            ):
                return False
        return True

    def _called_of(
        self, found: Sequence[DefinitionRef], unit: DeclaredUnit, given: Arguments, rule: int, *, sure: bool = False
    ) -> Invocation | None:
        functions: list[MethodCandidate] = []
        for ref in found:
            other = self._types.unit(ref.file)
            if other.kind[ref.row] in CALLABLES and not other.flags[ref.row] & EXTENSION:
                functions.append(MethodCandidate(ref.file, ref.row, {}, False))
        chosen = self._overloads.pick(functions, unit, given)
        if chosen and self._types.unit(chosen[0].file).text(chosen[0].row) in TOP_FUNCTIONS and not sure:
            # The library has functions of this name too, which may fit better.
            chosen = [one for one in chosen if self._fits_surely(one, unit, given)]
        if chosen:
            chosen = self._overloads.one_source(chosen)
            return Invocation(Denotation(refs(chosen), None, rule), chosen)
        held = self._names.value_at(found, rule)
        return self._invoked(held.value, unit, given, held) if held is not None else None

    def member_call(
        self, value: Value | None, name: str, unit: DeclaredUnit, scope: int, given: Arguments
    ) -> Invocation:
        """A call of a function of a value, a type or a package."""
        if isinstance(value, Package):
            dotted = f"{value.dotted}.{name}"
            made = self._called_of(self._receivers.callables_at(dotted), unit, given, IMPORT)
            types = self._scopes.type_at(dotted)
            if made is None and types:
                made = self._of_type(self._scopes.type_found(types, IMPORT), unit, given)
            return made or Invocation(external(dotted, Outside(dotted) if name[:1].isupper() else unknown(dotted)))
        if isinstance(value, TypeName):
            return self._type_call(value.type, name, unit, scope, given)
        if value is None:
            return (
                self._extension_call(None, name, unit, scope, given)
                or self._outside.everywhere(None, name, unit, given)
                or _NOWHERE
            )
        made = self._fitting_call(value, name, unit, scope, given)
        if made is not None:
            return made
        if self._scopes.is_single(value):
            inner = self._scopes.member_type(value, name)
            if inner is not None and isinstance(inner.value, TypeName):
                return self._constructed(inner.value.type, unit, given, MEMBER)
        if name == "invoke":
            parts = function_parts(value)
            if parts is not None:
                return Invocation(external("kotlin.Function.invoke", parts[2]))
        if (
            isinstance(value, Outside)
            and name in NUMBER_METHODS
            and value.dotted in NUMBERS
            and self._same_numbers(value, unit, given)
        ):
            return self._outside.outside_call(value, name, unit, given)
        made = self._extension_call(value, name, unit, scope, given)
        if made is not None:
            return made
        return self._outside.outside_call(value, name, unit, given)

    def _fitting_call(
        self, value: Value, name: str, unit: DeclaredUnit, scope: int, given: Arguments
    ) -> Invocation | None:
        """A function that a type has, or one of several; an extension where types of arguments rule that out."""
        if isinstance(value, Several):
            declared = (self._own_call(one, name, unit, given) for one in value.parts if one is not None)
            found = next((one for one in declared if one is not None), None)
            return found or self.member_call(value.parts[0] if value.parts else None, name, unit, scope, given)
        made = self._own_call(value, name, unit, given)
        if made is None or not made.chosen or not self._overloads.misfits(made.chosen, unit, given):
            return made
        beyond = self._extension_call(value, name, unit, scope, given)
        return beyond or self._outside.everywhere(value, name, unit, given) or made

    def _same_numbers(self, value: Outside, unit: DeclaredUnit, given: Arguments) -> bool:
        """Whether a number is combined with one of its type, which its own functions take."""
        shifts = [self._types.infer(unit, row) for row in given.rows]
        return all(one is None or one == value or one == Outside("kotlin.Int") for one in shifts)

    def _type_call(
        self, type_: Value, name: str, unit: DeclaredUnit, scope: int, given: Arguments
    ) -> Invocation:  # fmt: skip
        if isinstance(type_, Outside):
            dotted = f"{type_.dotted}.{name}"
            return Invocation(external(dotted, Outside(dotted) if name[:1].isupper() else unknown(type_.dotted)))
        inner = self._scopes.member_type(type_, name)
        if inner is not None and isinstance(inner.value, TypeName):
            return self._of_type(inner, unit, given) or _NOWHERE
        for one in self._scopes.lineage(type_):
            companion = self._scopes.companion(one)
            made = self._own_call(companion, name, unit, given) if companion is not None else None
            made = made or self._static_call(one, name, unit, given)
            if made is not None:
                return made
        companion = self._scopes.companion(type_)
        made = self._extension_call(companion, name, unit, scope, given) if companion is not None else None
        if made is not None:
            return made
        made = self._call_of_enum(type_, name)
        if made is not None:
            return made
        held = self._receivers.static_of(type_, name)
        if held is not None:
            return self._invoked(held.value, unit, given, held) or _NOWHERE
        away = self._names.away(companion) if companion is not None else None
        return Invocation(external(f"{away.dotted}.{name}", None)) if away is not None else _NOWHERE

    def _static_call(self, type_: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation | None:
        """A static method of a type in Java."""
        if not isinstance(type_, NamedType) or not is_java(type_.file):
            return None
        flags = self._types.unit(type_.file).flags
        found = [one for one in self._overloads.methods(type_, name).found if one.file == type_.file]
        chosen = self._overloads.pick([one for one in found if flags[one.row] & STATIC_FLAG], unit, given)
        return Invocation(Denotation(refs(chosen), None, MEMBER), chosen, type_) if chosen else None

    def _own_call(self, value: Value, name: str, unit: DeclaredUnit, given: Arguments) -> Invocation | None:
        """A function that a type has and that can take the arguments, or a function that a property of it holds."""
        if not isinstance(value, (NamedType, Variable, Anonymous)):
            return None
        known = self._overloads.methods(value, name)
        chosen = self._overloads.pick(known.found, unit, given)
        if chosen:
            rule = INHERITED if chosen[0].inherited else MEMBER
            return Invocation(Denotation(refs(chosen), None, rule), chosen, value)
        held = self._receivers.property_of(value, name)
        if held is not None:
            made = self._invoked(held.value, unit, given, held)
            if made.receiver is not None or made.chosen:
                return made
            if not known.found and function_parts(held.value) is None:
                return made if not self._receivers.extensions(unit, 0, name) else None
        if (
            isinstance(value, NamedType)
            and name == "copy"
            and self._overloads.class_parameters(self._types.unit(value.file), value.row)
        ):
            return Invocation(Denotation((), value, MEMBER))
        position = name[9:] if name.startswith("component") else ""
        if position.isdigit() and isinstance(value, NamedType):
            return self._component(value, int(position))
        return None

    def _component(self, value: NamedType, position: int) -> Invocation | None:
        """What a value is taken apart to: the properties of its constructor."""
        unit = self._types.unit(value.file)
        rows = self._overloads.class_parameters(unit, value.row)
        if not 0 < position <= len(rows) or unit.kind[rows[position - 1]] == PARAMETER_DEFINITION:
            return None
        row = rows[position - 1]
        type_ = substituted(self._receivers.value_of(unit, row), self._types.given_to(value))
        return Invocation(Denotation((DefinitionRef(unit.file, row),), type_, MEMBER))

    def _invoked(
        self, value: Value | None, unit: DeclaredUnit, given: Arguments, held: Denotation | None
    ) -> Invocation:
        """A call of a value: of a function, or of what has `invoke`. `held`: what its name means."""
        value = self._overloads.as_value(value)
        parts = function_parts(value)
        if parts is not None:
            count = len(given.rows) - len(parts[1])
            fits = not given.names and (count == 0 or (count == 1 and parts[3]))
            return Invocation(held, (), value if fits else None)
        if isinstance(value, (NamedType, Anonymous, Variable)):
            chosen = self._overloads.pick(self._overloads.methods(value, "invoke").found, unit, given)
            if chosen:
                return Invocation(held, chosen, value)
        return Invocation(held)

    def _extension_call(
        self, value: Value | None, name: str, unit: DeclaredUnit, scope: int, given: Arguments
    ) -> Invocation | None:
        """An extension that fits the receiver and the arguments."""
        for named, group in self._receivers.extensions(unit, scope, name):
            functions = [one for one in group if self._types.unit(one.file).kind[one.row] in CALLABLES]
            by_name = named and name not in NUMBER_METHODS
            chosen = self._receivers.fitting(self.pick_all(functions, unit, given), value, by_name)
            chosen = self._overloads.pick(chosen, unit, given) if len(chosen) > 1 else chosen
            if chosen:
                chosen = self._overloads.one_source(self._receivers.best_receiver(chosen, value))
                return Invocation(Denotation(refs(chosen), None, IMPORT), chosen, value)
        return None

    def pick_all(self, found: Sequence[MethodCandidate], unit: DeclaredUnit, given: Arguments) -> list[MethodCandidate]:
        """Those that can take the arguments."""
        return [one for one in found if self._overloads.takes(one, unit, given)]

    def given_by(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a call gives."""
        made = self.invocation(unit, row)
        given = arguments_of_call(self._types, unit, row)
        if not made.chosen:
            parts = function_parts(made.receiver)
            if parts is not None:
                return parts[2]
            if made.outside is not None:
                return self._outside.given_by(made.outside, unit, given)
            if made.found is None:
                return None
            first = made.found.refs[0] if made.found.refs else None
            if isinstance(first, External) and first.dotted.startswith("kotlin.") and made.found.value is None:
                return self._outside.built_by(first.dotted.rpartition(".")[2], unit, given)
            return made.found.value
        if len(made.chosen) > 1:
            results = [self._result(one, made, unit, given) for one in made.chosen]
            return results[0] if all(one == results[0] for one in results) else None
        return self._result(made.chosen[0], made, unit, given)

    def _result(
        self, candidate: MethodCandidate, made: Invocation, unit: DeclaredUnit, given: Arguments
    ) -> Value | None:
        other = self._types.unit(candidate.file)
        found: Bindings = {}
        if other.kind[candidate.row] in CLASSES or self._overloads.is_constructor(other, candidate.row):
            return self._instance(candidate, unit, given)
        type_ = self._overloads.result_type(candidate)
        own = other.type_parameters(candidate.row)
        if type_ is None or not own:
            return type_
        found = {(candidate.file, one): value for one, value in zip(own, given.types, strict=False)}
        self.bind(candidate, made.receiver, unit, given, found)
        for one in own:
            found.setdefault((candidate.file, one), None)
        result = substituted(type_, found)
        if result is None and isinstance(type_, Variable):
            supers = self._scopes.supers(type_)
            return supers[0] if supers and isinstance(supers[0], NamedType) else None
        return result

    def _instance(self, candidate: MethodCandidate, unit: DeclaredUnit, given: Arguments) -> Value | None:
        """A new instance; arguments decide type arguments that are not written."""
        other, row = self._types.unit(candidate.file), candidate.row
        if other.kind[row] not in CLASSES:
            row = other.scope_owner[other.scope[row]]
        own = other.type_parameters(row) if row >= 0 else ()
        if not own:
            return NamedType(candidate.file, row) if row >= 0 else None
        if given.types:
            return NamedType(candidate.file, row, tuple(given.types))
        found: Bindings = {}
        self.bind(candidate, None, unit, given, found)
        return NamedType(candidate.file, row, tuple([found.get((candidate.file, one)) for one in own]))

    def bind(
        self, candidate: MethodCandidate, receiver: Value | None, unit: DeclaredUnit,
        given: Arguments, found: Bindings,
        *, lambdas: bool = True,
    ) -> None:  # fmt: skip
        """What receiver and arguments say of the type parameters of a function."""
        if candidate.extends and receiver is not None:
            self._overloads.unify_types(self._overloads.receiver_type(candidate), receiver, found)
        types, kinds = self._overloads.parameter_types(candidate), unit.expressions.kind
        late: list[tuple[Value, int]] = []
        for argument, at in zip(given.rows, self._overloads.positions(candidate, unit, given), strict=False):
            wanted = types[at] if 0 <= at < len(types) else None
            if wanted is None or argument < 0:
                continue
            if kinds[argument] == LAMBDA_EXPRESSION:
                late.append((wanted, argument))
                continue
            if isinstance(wanted, Composite) and wanted.constructor == "[]" and wanted.parts:
                self._overloads.unify_types(wanted.parts[0], self._types.infer(unit, argument), found)
            else:
                self._overloads.unify_types(wanted, self._types.infer(unit, argument), found)
        for wanted, argument in late if lambdas else ():
            shape = self._overloads.function_of(wanted)
            if shape is not None:
                self._overloads.unify_types(shape[2], self._lambdas.lambda_result(unit, argument), found)
