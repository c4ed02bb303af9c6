"""Inference: what expressions and lambdas denote in Kotlin.

Owns: values of expressions, elements, what a lambda is given and called on, references to functions.
Must not know: how occurrences become links, other languages.
Invariant: a lambda whose taker is not known may have any receiver; what it then uses stays unresolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.declared.accessors import is_java
from graphls.languages.declared.call_sites import (
    WRITTEN,
    CallSites,
    arguments_of_call,
    callee_of,
)
from graphls.languages.declared.inference import (
    UNKNOWN_LAST,
    DeclaredInference,
    DeclaredUnit,
    named_literal,
)
from graphls.languages.declared.methods import Invocation, MethodCandidate, external, refs
from graphls.languages.declared.values import (
    Bindings,
    Composite,
    Denotation,
    NamedType,
    Outside,
    TypeName,
    Value,
    Variable,
    substituted,
)
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_SCOPE,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    OBJECT_SCOPE,
    SUBSCRIPT_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    UNION_EXPRESSION,
)
from graphls.languages.kotlin.syntax.expressions import REFERENCE
from graphls.languages.kotlin.syntax.facts_builder import EXTENSION
from graphls.languages.kotlin.types.calls import KotlinCalls
from graphls.languages.kotlin.types.names import KotlinNames
from graphls.languages.kotlin.types.overloads import (
    Arguments,
    KotlinOverloads,
)
from graphls.languages.kotlin.types.receivers import (
    CALLABLES,
    KotlinReceivers,
)
from graphls.languages.kotlin.types.scopes import (
    CLASSES,
    FIELD_KINDS,
    IMPORT,
    LOCAL,
    MEMBER,
    KotlinScopes,
)
from graphls.languages.kotlin.types.standard import (
    JAVA_TYPES,
    TO_ARGUMENT,
    TO_RECEIVER,
    TOP_FUNCTIONS,
    block_receiver,
    element_of_array,
    function_parts,
    handed_out,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

Expected = tuple[bool, Value | None, tuple[Value | None, ...] | None]
"""Of a lambda: whether it surely has no receiver, its receiver, what it is given (None: not known)."""
_NOT_KNOWN: Final[Expected] = (False, None, None)


@final
class KotlinInference(DeclaredInference):
    """What one file of Kotlin and those that it can see denote, and the parts that find types, names and functions."""

    __deletable__ = ("invocations", "names", "overloads", "receivers", "scopes")

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.scopes = KotlinScopes(self)
        self.overloads = KotlinOverloads(self, self.scopes)
        self.receivers = KotlinReceivers(self, self, self.scopes, self.overloads)
        self.names = KotlinNames(self, self, self.scopes, self.receivers)
        self.invocations = KotlinCalls(
            self,
            self,
            scopes=self.scopes,
            overloads=self.overloads,
            receivers=self.receivers,
            names=self.names,
        )
        self._sites = CallSites(self.own)
        self.calls = self._sites.calls
        """Where the name of a callee stands -> the call."""

    def release(self) -> None:
        """Ends the questions: the parts, which lead back here, are let go."""
        del self.invocations, self.names, self.overloads, self.receivers, self.scopes

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """A variable, property, object or type by a plain name; with the type that a test proves."""
        return self.names.name(unit, scope, name, offset)

    def member(self, value: Value | None, name: str) -> Denotation | None:
        """A member of a value, a type or a package."""
        return self.names.member(value, name)

    # values

    def _row_value(self, unit: DeclaredUnit, row: int, kind: int) -> Value | None:
        if kind in FIELD_KINDS and unit.flags[row] & EXTENSION:
            if unit.type[row] >= 0:
                return self.denote(unit, unit.type[row])
            returns = unit.returns(row)
            return self.overloads.as_value(self.infer(unit, returns[0][0])) if returns else None
        return super()._row_value(unit, row, kind)

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        if table.kind[row] == SUBSCRIPT_EXPRESSION and table.kind[table.a[row]] in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            found = self.scopes.written(unit, table.a[row])
            first = found.refs[0] if found is not None and found.refs else None
            if isinstance(first, DefinitionRef) and self.unit(first.file).kind[first.row] == TYPE_ALIAS_DEFINITION:
                parts = [self.denote(unit, part) for part in unit.list_at(table.b[row])]
                rows = self.unit(first.file).type_parameters(first.row)
                given = {(first.file, one): part for one, part in zip(rows, parts, strict=False)}
                value = found.value if found is not None else None
                return substituted(value.type, given) if isinstance(value, TypeName) else None
        kind = table.kind[row]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            found = self.scopes.written(unit, row)
            value = None if found is None else found.value
            return value.type if isinstance(value, TypeName) else None
        if kind == LITERAL_EXPRESSION:
            text = unit.strings[table.a[row]]
            return Outside(JAVA_TYPES[text]) if text in JAVA_TYPES and is_java(unit.file) else named_literal(text)
        return super()._denote(unit, row)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        kind, a = table.kind[row], table.a[row]
        if kind == CALL_EXPRESSION:
            return self.overloads.as_value(self.invocations.given_by(unit, row))
        if kind == NAME_EXPRESSION:
            if unit.strings[a] == "it":
                given = self._it(unit, table.b[row], table.c[row])
                if given is not None:
                    return given[0]
            found = self.names.name(unit, table.b[row], unit.strings[a], table.c[row])
            return None if found is None else found.value
        if kind == MEMBER_EXPRESSION:
            return self._member_value(unit, row)
        if kind == LITERAL_EXPRESSION:
            return named_literal(unit.strings[a])
        if kind == UNION_EXPRESSION:
            values = [self.overloads.as_value(self.infer(unit, part)) for part in unit.list_at(a)] if a >= 0 else []
            known = [value for value in values if value is not None and value != Outside("builtin.null")]
            return self._common(
                known, len(known) == len([value for value in values if value != Outside("builtin.null")])
            )
        if kind == NARROWED_EXPRESSION:
            return self.denote(unit, table.b[row]) if table.c[row] else self.infer(unit, table.b[row])
        if kind == LAMBDA_EXPRESSION:
            return None
        if kind == ITEM_EXPRESSION and table.kind[a] == LAMBDA_EXPRESSION:
            return self._lambda_parameter(unit, a, table.b[row])
        return super()._infer(unit, row)

    def _common(self, values: Sequence[Value], whole: bool) -> Value | None:
        """The type that several values have."""
        if not values:
            return None
        first = values[0]
        if not whole and len(values) > 1:
            return None
        for candidate in self.scopes.lineage(first):
            if all(
                any(self.overloads.same_type(candidate, one) for one in self.scopes.lineage(other))
                for other in values[1:]
            ):
                return candidate if len(values) > 1 else first
        return None

    def _member_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        table = unit.expressions
        base, name = table.a[row], unit.strings[table.b[row]]
        found = self.names.member_at(self.infer(unit, base), name, unit, self.names.scope_of(unit, base, table.c[row]))
        if found is None:
            return None
        dotted = unit.dotted(row) if unit.own else ""
        proved = self.names.proved(unit, dotted, table.c[row], None) if dotted else None
        return proved or found.value

    def element(self, value: Value | None) -> Value | None:
        """What a loop over something gives."""
        if isinstance(value, Outside):
            if len(value.arguments) == 2 and value.dotted.endswith("Map"):
                return Outside("kotlin.collections.Map.Entry", value.arguments)
            if value.dotted == "kotlin.ranges.IntRange":
                return Outside("kotlin.Int")
            of_array = element_of_array(value)
            if of_array is not None:
                return of_array
            if len(value.arguments) == 1:
                return value.arguments[0]
            return None if value.arguments else Outside(UNKNOWN_LAST)
        if isinstance(value, Composite):
            return value.parts[0] if value.parts and value.constructor == "[]" else None
        if value is None or isinstance(value, TypeName):
            return None
        iterator = self.overloads.methods(value, "iterator").found
        if iterator:
            return self.element(self.overloads.result_type(iterator[0])) if len(iterator) == 1 else None
        for one in self.scopes.lineage(value):
            if isinstance(one, Outside) and len(one.arguments) == 1:
                return one.arguments[0]
        return None

    # lambdas

    def lambda_result(self, unit: DeclaredUnit, row: int) -> Value | None:
        """What a lambda, or a reference to a function or property, gives."""
        table = unit.expressions
        if row < 0 or table.kind[row] != LAMBDA_EXPRESSION:
            return None
        if table.b[row] != REFERENCE:
            return self.overloads.as_value(self.infer(unit, table.a[row]))
        found = self.referred(unit, row)
        first = found.refs[0] if found is not None and len(found.refs) == 1 else None
        if not isinstance(first, DefinitionRef):
            return None
        other = self.unit(first.file)
        if other.kind[first.row] in CLASSES:
            return NamedType(first.file, first.row)
        if other.kind[first.row] in CALLABLES:
            return self.overloads.result_type(MethodCandidate(first.file, first.row, {}, False))
        return self.receivers.value_of(other, first.row) if other.kind[first.row] in FIELD_KINDS else None

    def referred(self, unit: DeclaredUnit, row: int) -> Denotation | None:
        """What `::name` means: a function, a constructor or a property."""
        table = unit.expressions
        inner = table.a[row]
        if table.kind[inner] == NAME_EXPRESSION:
            return self._referred_plain(unit, table.b[inner], unit.strings[table.a[inner]], table.c[inner])
        if table.kind[inner] != MEMBER_EXPRESSION:
            return None
        value, name = self.infer(unit, table.a[inner]), unit.strings[table.b[inner]]
        type_ = value.type if isinstance(value, TypeName) else value
        if type_ is None:
            return None
        methods = self.overloads.methods(type_, name).found
        if methods:
            return Denotation(refs(methods), None, MEMBER)
        nested = self.scopes.member_type(type_, name)
        found = self.receivers.property_of(type_, name) or nested
        if found is not None:
            return found
        scope = self.names.scope_of(unit, table.a[inner], table.c[inner])
        for named, group in self.receivers.extensions(unit, scope, name):
            chosen = self.receivers.fitting(group, type_, named)
            if chosen:
                return Denotation(refs(self.overloads.one_source(chosen)), None, IMPORT)
        companion = self.scopes.companion(type_)
        methods = self.overloads.methods(companion, name).found if companion is not None else []
        if methods:
            return Denotation(refs(methods), None, MEMBER)
        away = self.names.away(type_)
        return external(f"{away.dotted}.{name}", None) if away is not None else None

    def _referred_plain(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        at = scope
        while at > 0:
            rows = [row for row in unit.members(at).get(name, ()) if unit.kind[row] in CALLABLES]
            if rows and unit.scope_kind[at] not in (CLASS_SCOPE, OBJECT_SCOPE):
                return Denotation(tuple([DefinitionRef(unit.file, row) for row in rows]), None, LOCAL)
            value, _ = self.names.receiver_at(unit, at)
            methods = self.overloads.methods(value, name).found if value is not None else []
            companion = self.scopes.companion(value) if value is not None else None
            methods = methods or (self.overloads.methods(companion, name).found if companion is not None else [])
            if methods:
                return Denotation(refs(methods), None, MEMBER)
            at = unit.scope_parent[at]
        named = [ref for dotted in self.scopes.imports(unit, name) for ref in self.receivers.callables_at(dotted)]
        for group in (named, self.scopes.declared(self.clause(unit.file), name)):
            kept = [ref for ref in group if self.unit(ref.file).kind[ref.row] in CALLABLES]
            if kept:
                chosen = self.overloads.one_source([MethodCandidate(ref.file, ref.row, {}, False) for ref in kept])
                return Denotation(refs(chosen), None, IMPORT)
        return self.names.plain(unit, scope, name, offset)

    def lambda_receiver(self, scope: int) -> tuple[bool, Value | None]:
        """Whether a lambda surely has no receiver of its own, and which one it has."""
        row = self.receivers.lambda_at.get(scope, -1)
        if row < 0:
            return True, None
        none, receiver, _ = self.expected(row)
        return none, receiver

    def taker_name(self, scope: int) -> str:
        """The name of the function that takes a lambda."""
        row = self.receivers.lambda_at.get(scope, -1)
        taker, at = self._sites.takers.get(row, (-1, 0))
        if taker < 0 or at < 0:
            return ""
        table = self.own.expressions
        callee = callee_of(self.own, taker)
        if table.kind[callee] == NAME_EXPRESSION:
            return self.own.strings[table.a[callee]]
        return self.own.strings[table.b[callee]] if table.kind[callee] == MEMBER_EXPRESSION else ""

    def _it(self, unit: DeclaredUnit, scope: int, offset: int) -> tuple[Value | None] | None:
        """The value of `it` where it is the one parameter of a lambda without written ones; None where it is not."""
        at = scope
        while at > 0 and unit.own:
            if unit.members(at).get("it"):
                return None
            if unit.scope_kind[at] == LAMBDA_SCOPE:
                row = self.receivers.lambda_at.get(at, -1)
                if row < 0 or unit.expressions.c[row]:
                    return None
                proved = self.names.proved(unit, "it", offset, None)
                return (proved if proved is not None else self._lambda_parameter(unit, row, 0),)
            at = unit.scope_parent[at]
        return None

    def _lambda_parameter(self, unit: DeclaredUnit, row: int, at: int) -> Value | None:
        """What a lambda is given, by who takes it."""
        taken = self.expected(row)[2] if unit.own else None
        return taken[at] if taken is not None and at < len(taken) else None

    def expected(self, row: int) -> Expected:
        """What who takes a lambda says of it."""
        return self.guarded(("taken", row), lambda: self._expected(row), _NOT_KNOWN)

    def _expected(self, row: int) -> Expected:
        unit = self.own
        taker, at = self._sites.takers.get(row, (-1, 0))
        if taker < 0:
            return True, None, None
        if at < 0:
            type_ = self.denote(unit, taker) if at == WRITTEN else self.infer(unit, taker)
            return self._of_function(type_, {})
        made, given = self.invocations.invocation(unit, taker), arguments_of_call(self, unit, taker)
        if not made.chosen:
            return self._of_library(taker, row, made, given)
        candidate = made.chosen[0]
        types, positions = self.overloads.parameter_types(candidate), self.overloads.positions(candidate, unit, given)
        position = positions[at] if at < len(positions) else -1
        wanted = types[position] if 0 <= position < len(types) else None
        if isinstance(wanted, Composite) and wanted.constructor == "[]" and wanted.parts:
            wanted = wanted.parts[0]
        found: Bindings = {}
        own = self.unit(candidate.file).type_parameters(candidate.row)
        found.update({(candidate.file, one): value for one, value in zip(own, given.types, strict=False)})
        self.invocations.bind(candidate, made.receiver, unit, given, found, lambdas=False)
        for one in own:
            found.setdefault((candidate.file, one), None)
        return self._of_function(wanted, found)

    def _of_function(self, type_: Value | None, given: Bindings) -> Expected:
        shape = self.overloads.function_of(type_)
        if shape is None:
            return (type_ is not None and not isinstance(type_, Variable)), None, None
        taken = tuple([substituted(one, given) for one in shape[1]])
        return not shape[3], substituted(shape[0], given) if shape[3] else None, taken

    def _of_library(self, taker: int, row: int, made: Invocation, given: Arguments) -> Expected:
        """A lambda that a function of the library takes, or a value that is called."""
        unit = self.own
        parts = function_parts(made.receiver)
        if parts is not None:
            at = list(given.rows).index(row)
            return self._of_function(parts[1][at] if at < len(parts[1]) else None, {})
        first = made.found.refs[0] if made.found is not None and made.found.refs else None
        if first is None or not isinstance(first, External):
            # A lambda for an interface of ours: `Filter { ... }`.
            value = made.found.value if made.found is not None else None
            return self._of_function(value, {}) if isinstance(value, NamedType) else _NOT_KNOWN
        table = unit.expressions
        callee = callee_of(unit, taker)
        if table.kind[callee] == NAME_EXPRESSION:
            name = unit.strings[table.a[callee]]
            plain = name in TOP_FUNCTIONS or name in TO_RECEIVER
            for _, value in () if plain else self.receivers.receivers(unit, table.b[callee]):
                away = self.names.away(value)
                if away is not None and first.dotted == f"{away.dotted}.{name}":
                    return self._of_member_library(value, name, table.c[row])
            known = first.dotted.startswith("kotlin.")
            return self._of_plain_library(callee, given, known=known)
        if table.kind[callee] != MEMBER_EXPRESSION:
            return _NOT_KNOWN
        name, holder = unit.strings[table.b[callee]], self.overloads.as_value(self.infer(unit, table.a[callee]))
        return self._of_member_library(holder, name, table.c[row])

    def _of_plain_library(self, callee: int, given: Arguments, *, known: bool) -> Expected:
        """A lambda of a function of the library without a receiver."""
        unit, table = self.own, self.own.expressions
        name = unit.strings[table.a[callee]]
        if name == "with" and len(given.rows) == 2:
            return False, self.overloads.as_value(self.infer(unit, given.rows[0])), ()
        if name not in TO_RECEIVER:
            return known and name in TOP_FUNCTIONS, None, None
        if name == "apply":
            return False, next((value for _, value in self.receivers.receivers(unit, table.b[callee])), None), ()
        if name == "run":
            return True, None, ()
        return False, block_receiver(name, given.types), ()

    def _of_member_library(self, holder: Value | None, name: str, count: int) -> Expected:
        """A lambda of a function of the library behind a dot."""
        if name in TO_ARGUMENT:
            return True, None, (holder,)
        if name in ("apply", "run"):
            return False, holder, ()
        if not isinstance(holder, Outside):
            holder = self.names.away(holder) if holder is not None else None
        if holder is None or not (holder.dotted.startswith("kotlin.") or holder.arguments):
            return _NOT_KNOWN
        handed = handed_out(holder, name, count)
        if handed is None and not holder.arguments:
            handed = (Outside(UNKNOWN_LAST),) * max(count, 1)
        return True, None, handed

    def parameter_named(self, row: int, name: str) -> DefinitionRef | None:
        """The parameter that `name =` in a call means."""
        made = self.invocations.invocation(self.own, row)
        for candidate in made.chosen:
            other = self.unit(candidate.file)
            for one in self.overloads.parameter_rows(candidate):
                if other.text(one) == name:
                    return DefinitionRef(candidate.file, one)
        value = made.found.value if made.found is not None and not made.found.refs else None
        if isinstance(value, NamedType):  # `copy(name = ...)`
            unit = self.unit(value.file)
            for one in self.overloads.class_parameters(unit, value.row):
                if unit.text(one) == name:
                    return DefinitionRef(value.file, one)
        return None
