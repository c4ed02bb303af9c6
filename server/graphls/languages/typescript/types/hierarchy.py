"""Hierarchy: members of values, through base classes and interfaces.

Owns: which declarations a member of a value may be, in order of the classes that have it.
Must not know: how occurrences are written down.
Invariant: a base that is unknown is never passed over without saying so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, cast, final

from graphls.languages.bounds import MAX_BINDINGS, MAX_CANDIDATES
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    FUNCTION_DEFINITION,
    INTERFACE_DEFINITION,
    PARAMETER_DEFINITION,
    SETTER_FLAG,
    STATIC_FLAG,
    SUBSCRIPT_EXPRESSION,
    TYPE_PARAMETERS_SCOPE,
)
from graphls.languages.resolve.cycle_guard import NOT_CACHED
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, Module
from graphls.languages.typescript.types import react
from graphls.languages.typescript.types.ambient import added_to_window, augmentations
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.jsx import INTRINSIC, jsx_origin
from graphls.languages.typescript.types.names import ASSIGNED, SymbolMeaning, TsNameLookup, suited
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    Bindings,
    TsBuiltin,
    TsClass,
    TsFunction,
    TsInstance,
    TsIntersection,
    TsNamespace,
    TsObject,
    TsSignature,
    TsSuper,
    TsTuple,
    TsTypeParameter,
    Value,
    Values,
    substitute,
)

MAX_BASES = 48
_NOTHING_DECLARED: Mapping[str, Sequence[int]] = {}
_ANYTHING = frozenset(("object", "any", "unknown", "never", "this", "Record"))
MAPPED: Final = "{ [K in keyof T]: V }"
"""A type with the members of one type that all have another."""
_WINDOW = frozenset(("window", "self", "Window"))
_GLOBAL_OBJECTS = frozenset(("globalThis", "global", "window", "self"))
_TYPES = frozenset((CLASS_DEFINITION, INTERFACE_DEFINITION, FUNCTION_DEFINITION))


@final
class TsMember:
    """Declarations of a member. `holder`: what they are members of, with its type arguments."""

    def __init__(self, answer: DefinitionRefs, holder: Value, outside: bool = False) -> None:
        """`outside`: a base class that is unknown comes before."""
        self.answer = answer
        self.holder = holder
        self.outside = outside


@final
class Hierarchy:
    """Members of values."""

    def __init__(self, context: TsContext, names: TsNameLookup) -> None:
        self._context = context
        self._names = names

    # type parameters

    def parameters_of(self, unit: TsUnit, row: int) -> tuple[int, ...]:
        """Type parameters of a class, interface, alias or function."""
        body = unit.body[row]
        if body < 0:
            return ()
        kind = unit.scope_kind[body]
        if kind == CLASS_SCOPE:
            outer = unit.scope_parent[body]
            return tuple(unit.type_parameters(outer)) if outer >= 0 and self._owned(unit, outer, row) else ()
        return tuple(unit.type_parameters(body))

    def _owned(self, unit: TsUnit, scope: int, row: int) -> bool:
        return unit.scope_kind[scope] == TYPE_PARAMETERS_SCOPE and unit.scope_owner[scope] == row

    def bindings(self, value: Value) -> Bindings:
        """What type parameters stand for in this use of a class or object."""
        if isinstance(value, (TsObject, TsSignature, TsFunction)):
            return value.bindings
        if not isinstance(value, (TsInstance, TsClass)):
            return ()
        unit = self._context.unit(value.file)
        bound: list[tuple[tuple[str, int], Values]] = []
        for row in self._generic(unit, value.row):
            parameters = self.parameters_of(unit, row)
            for position, parameter in enumerate(parameters):
                if position < len(value.arguments):
                    bound.append(((value.file, parameter), value.arguments[position]))
                elif value.arguments or unit.value[parameter] >= 0:
                    default = (
                        self._context.queries.denote(unit, unit.value[parameter]) if unit.value[parameter] >= 0 else ()
                    )
                    bound.append(((value.file, parameter), substitute(default, tuple(bound))))
        return tuple(bound)

    def _declarations(self, unit: TsUnit, row: int) -> tuple[int, ...]:
        """A class or interface with all that is merged with it."""
        if len(self._names.merged(unit, row)) <= MAX_BINDINGS:
            return self._all_declarations(unit, row)
        key = ("declarations", unit.file, row)
        return self._context.guarded(key, partial(self._all_declarations, unit, row), (row,))

    def _generic(self, unit: TsUnit, row: int) -> tuple[int, ...]:
        """Declarations of a class or interface; of very many the first that have type parameters."""
        rows = self._declarations(unit, row)
        if len(rows) <= MAX_BINDINGS:
            return rows
        return self._context.guarded(("generic", unit.file, row), partial(self._first_generic, unit, rows), ())

    def _first_generic(self, unit: TsUnit, rows: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(row for row in rows if self.parameters_of(unit, row))[:MAX_BINDINGS]

    def _heirs(self, unit: TsUnit, row: int) -> tuple[int, ...]:
        """Declarations of a class or interface; of very many those that name bases."""
        rows = self._declarations(unit, row)
        if len(rows) <= MAX_BINDINGS:
            return rows
        key = ("heirs", unit.file, row)
        return self._context.guarded(key, lambda: tuple(other for other in rows if unit.bases(other)), ())

    def _declaring(self, unit: TsUnit, row: int, name: str) -> Sequence[int]:
        """Declarations that may have a member, the last first; of very many those that have it."""
        rows = self._declarations(unit, row)
        if len(rows) <= MAX_BINDINGS:
            return sorted(rows, reverse=True) if len(rows) > 1 else rows
        index = self._context.guarded(
            ("declaring", unit.file, row), partial(self._by_member, unit, rows), _NOTHING_DECLARED
        )
        return index.get(name, ())

    def _by_member(self, unit: TsUnit, rows: tuple[int, ...]) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for row in sorted(rows, reverse=True):
            for scope in unit.scopes_of(row, CLASS_SCOPE):
                for name in unit.members(scope):
                    found.setdefault(name, []).append(row)
        return found

    def _all_declarations(self, unit: TsUnit, row: int) -> tuple[int, ...]:
        rows = [other for other in self._names.merged(unit, row) if unit.kind[other] in _TYPES]
        if row in rows and len(rows) > 1 and unit.kind[row] != FUNCTION_DEFINITION:
            return (row, *(other for other in rows if other != row and unit.kind[other] != FUNCTION_DEFINITION))
        return (row,)

    # bases

    def bases(self, unit: TsUnit, row: int, static: bool) -> tuple[Values, ...]:
        """Values of the direct bases, in order; an empty one is unknown."""
        key = ("bases", unit.file, row, static)
        return self._context.guarded(key, partial(self._bases, unit, row, static), ())

    def _bases(self, unit: TsUnit, row: int, static: bool) -> tuple[Values, ...]:
        found: list[Values] = []
        interface = unit.kind[row] == INTERFACE_DEFINITION
        named = unit.bases(row)
        for expression, keyword in named[:MAX_BASES]:
            if keyword >= 0:
                if not static:
                    found.append(self._context.queries.denote(unit, expression))
            elif interface:
                found.append(self._context.queries.denote(unit, expression))
            else:
                found.append(self._base_class(unit, expression, static))
        if len(named) > MAX_BASES:
            found.append(())
        return tuple(found)

    def _base_class(self, unit: TsUnit, expression: int, static: bool) -> Values:
        if expression < 0:
            return ()
        arguments: tuple[Values, ...] = ()
        if unit.expressions.kind[expression] == SUBSCRIPT_EXPRESSION and not unit.operator(expression):
            arguments = tuple(self._context.queries.denote(unit, item) for item in unit.operands(expression))
            expression = unit.expressions.a[expression]
        made: list[Value] = []
        for value in self._context.queries.infer(unit, expression).values:
            if isinstance(value, (TsClass, TsFunction)):
                kind = TsClass if static else TsInstance
                made.append(kind(value.file, value.row, arguments))
            elif static:
                made.append(value)
            else:
                known = react.applied(value.dotted, arguments) if isinstance(value, External) else None
                made.extend((known,) if known is not None else self._context.queries.constructed(value))
        return tuple(made)

    # members

    def find(self, value: Value, name: str) -> tuple[TsMember, ...]:
        """Declarations of a member of a value."""
        key = ("find", value, name)
        known = self._context.cached(key)
        if known is not NOT_CACHED:
            return cast("tuple[TsMember, ...]", known)
        return self._context.guarded(key, partial(self._find, value, name), ())

    def _find(self, value: Value, name: str) -> tuple[TsMember, ...]:
        if isinstance(value, Module):
            answer = self._names.module_member(value.file, name, SymbolMeaning.VALUE)
            return (TsMember(answer, value),) if answer else ()
        if isinstance(value, TsNamespace):
            return self._of_holder(value, name)
        if isinstance(value, TsInstance):
            return self._of_instance(value, name)
        if isinstance(value, (TsClass, TsFunction)):
            return self._of_class(value, name)
        if isinstance(value, TsObject):
            rows = self._context.unit(value.file).members(value.scope).get(name)
            return (self._found(rows, value),) if rows else self._of_module_exports(value, name)
        if isinstance(value, TsIntersection):
            named = tuple(found for part in value.parts_with(name) for found in self.find(part, name))
            return _declared(named)[: MAX_CANDIDATES + 1]
        if isinstance(value, TsTypeParameter):
            bound = self.constraint(value)
            return tuple(found for part in bound for found in self.find(part, name))
        if isinstance(value, TsSuper):
            return self._of_bases(value.of, name)
        if isinstance(value, External):
            return self._of_external(value, name)
        if isinstance(value, TsBuiltin):
            return self._of_builtin(value, name)
        if isinstance(value, TsTuple):
            return (TsMember((External(f"Array.{name}"),), value),)
        return ()

    def _of_builtin(self, value: TsBuiltin, name: str) -> tuple[TsMember, ...]:
        if value.name == MAPPED:
            return tuple(
                TsMember(found.answer, value) for part in value.arguments[0] for found in self.find(part, name)
            )
        if value.name == INTRINSIC:
            return tuple(found for table in self.intrinsic_elements() for found in self.find(table, name))
        if value.name in _ANYTHING:
            return ()
        added = self._of_window(name) if value.name in _WINDOW else ()
        return added or (TsMember((External(f"{value.name}.{name}"),), value),)

    def intrinsic_elements(self) -> Values:
        """The types that declare the elements of the own file that are built in."""
        tables = jsx_origin(self._names).tables
        return tuple(TsInstance(ref.file, ref.row) for ref in tables if isinstance(ref, DefinitionRef))

    def _of_window(self, name: str) -> tuple[TsMember, ...]:
        """What the workspace adds to the interface of the global object of browsers."""
        for unit, row in added_to_window(self._context):
            rows = self._own_members(unit, row, name, static=False)
            if rows:
                return (
                    TsMember(tuple(DefinitionRef(unit.file, member) for member in rows), TsInstance(unit.file, row)),
                )
        return ()

    def _of_external(self, value: External, name: str) -> tuple[TsMember, ...]:
        """What the workspace declares for all files is a member of the global object."""
        added = self._of_window(name) if value.dotted in _WINDOW else ()
        if not added and value.dotted in _GLOBAL_OBJECTS:
            answer = self._names.global_answer(self._context.own, name, SymbolMeaning.VALUE)
            added = (TsMember(answer, value),) if answer else ()
        return added or (TsMember((External(f"{value.dotted}.{name}"),), value),)

    def constraint(self, value: TsTypeParameter) -> Values:
        """What a type parameter extends."""
        unit = self._context.unit(value.file)
        bound = self._context.queries.denote(unit, unit.type[value.row])
        return tuple(item for item in bound if item != value)

    def _found(self, rows: tuple[int, ...], holder: TsObject | TsInstance | TsClass | TsFunction) -> TsMember:
        unit = self._context.unit(holder.file)
        chosen = tuple(row for row in rows if not self._hidden(unit, rows, row))
        return TsMember(tuple(DefinitionRef(holder.file, row) for row in chosen or rows), holder)

    def _hidden(self, unit: TsUnit, rows: tuple[int, ...], row: int) -> bool:
        """A setter beside its getter."""
        return len(rows) > 1 and bool(unit.flags[row] & SETTER_FLAG)

    def _of_holder(self, value: TsNamespace, name: str) -> tuple[TsMember, ...]:
        unit = self._context.unit(value.file)
        rows = self._names.merged_member(unit, value.row, name)
        chosen = suited(unit, rows[: MAX_BINDINGS + 1], SymbolMeaning.VALUE)
        if not chosen:
            return ()
        return (TsMember(self._names.followed(unit, chosen, SymbolMeaning.VALUE), value),)

    def _of_instance(self, value: TsInstance, name: str) -> tuple[TsMember, ...]:
        unit = self._context.unit(value.file)
        # Of what is merged, the signatures of the declaration that comes last are tried first.
        for row in self._declaring(unit, value.row, name):
            rows = self._own_members(unit, row, name, static=False)
            if rows:
                return (self._found(rows, value),)
        return self._of_bases(value, name) or self._of_additions(value, name)

    def _of_additions(self, value: TsInstance, name: str) -> tuple[TsMember, ...]:
        """Members that `declare module` blocks add to an interface or class."""
        unit = self._context.unit(value.file)
        if unit.scope[value.row] != 0:
            return ()
        for other, row in augmentations(self._context, value.file, unit.text(value.row)):
            rows = self._own_members(other, row, name, static=False)
            if rows:
                return (TsMember(tuple(DefinitionRef(other.file, member) for member in rows), value),)
        return ()

    def _own_members(self, unit: TsUnit, row: int, name: str, static: bool) -> tuple[int, ...]:
        scopes = list(unit.scopes_of(row, CLASS_SCOPE))
        found: list[int] = []
        for scope in scopes:
            for member in unit.members(scope).get(name, ()):
                if unit.kind[member] != PARAMETER_DEFINITION:
                    is_static = bool(unit.flags[member] & STATIC_FLAG)
                    if is_static == static:
                        found.append(member)
        if static:
            found += suited(unit, self._names.merged_member(unit, row, name), SymbolMeaning.VALUE)
        # Declarations of one member are one thing: the first of very many speak for all.
        return tuple(found[: MAX_BINDINGS + 1])

    def _of_bases(self, value: TsInstance | TsClass, name: str) -> tuple[TsMember, ...]:
        unit = self._context.unit(value.file)
        static = isinstance(value, TsClass)
        outer = self.bindings(value)
        outside = False
        for row in self._heirs(unit, value.row):
            for base in self.bases(unit, row, static):
                if not base:
                    outside = True
                for item in substitute(base, outer):
                    if isinstance(item, (External, TsBuiltin)):
                        outside = True
                        if not isinstance(item, TsBuiltin) or not react.has(item, name):
                            continue
                    found = self.find(item, name)
                    if found:
                        return tuple(TsMember(entry.answer, entry.holder, entry.outside or outside) for entry in found)
        return ()

    def _of_class(self, value: TsClass | TsFunction, name: str) -> tuple[TsMember, ...]:
        unit = self._context.unit(value.file)
        rows = self._own_members(unit, value.row, name, static=True)
        if rows:
            return (self._found(rows, value),)
        found = self._of_bases(value, name) if isinstance(value, TsClass) else self._of_copied(unit, value.row, name)
        return found or self._of_module_exports(value, name)

    def _of_copied(self, unit: TsUnit, row: int, name: str) -> tuple[TsMember, ...]:
        """Members of others that a script copies into a function."""
        if unit.operator(unit.value[row]) != "&":
            return ()
        values = self._context.queries.infer(unit, unit.value[row]).values
        return tuple(found for value in values for found in self.find(value, name))

    def _of_module_exports(self, value: TsClass | TsFunction | TsObject, name: str) -> tuple[TsMember, ...]:
        """`module.exports = value; module.exports.name = ...`: a member of what the module gives."""
        unit = self._context.unit(value.file)
        exports = unit.members(unit.export_scope)
        rows, assigned = exports.get(name), exports.get(ASSIGNED)
        if not rows or not assigned:
            return ()
        own = value.scope if isinstance(value, TsObject) else value.row
        for given in self._context.queries.value_of(unit, assigned[-1]).values:
            if not isinstance(given, type(value)) or given.file != value.file:
                continue
            if own == (given.scope if isinstance(given, TsObject) else given.row):
                return (TsMember(self._names.followed(unit, rows, SymbolMeaning.VALUE), value),)
        return ()

    def derives(self, value: Value, of: Value) -> bool:
        """Whether a value is of a class or interface that is, or is derived from, that of another."""
        if not isinstance(value, TsInstance) or not isinstance(of, TsInstance):
            return value == of
        seen: set[tuple[str, int]] = set()
        pending: list[Value] = [value]
        while pending and len(seen) < MAX_BASES:
            item = pending.pop()
            if not isinstance(item, TsInstance) or (item.file, item.row) in seen:
                continue
            if (item.file, item.row) == (of.file, of.row):
                return True
            seen.add((item.file, item.row))
            unit = self._context.unit(item.file)
            pending.extend(base for values in self.bases(unit, item.row, False) for base in values)
        return False

    def opaque(self, value: TsInstance | TsClass) -> bool:
        """Whether some base is unknown or outside, so that members may exist which no file shows."""
        key = ("opaque", value.file, value.row, isinstance(value, TsClass))
        return self._context.guarded(key, partial(self._opaque, value), False)

    def _opaque(self, value: TsInstance | TsClass) -> bool:
        unit = self._context.unit(value.file)
        for row in self._declarations(unit, value.row):
            for base in self.bases(unit, row, isinstance(value, TsClass)):
                if not base or any(isinstance(item, (External, TsBuiltin)) for item in base):
                    return True
                if any(isinstance(item, (TsInstance, TsClass)) and self.opaque(item) for item in base):
                    return True
        return False

    def has_unknown_base(self, value: TsInstance) -> bool:
        """Whether some base is in a file that was not found; one that is known to be outside is none."""
        key = ("unknown base", value.file, value.row)
        return self._context.guarded(key, partial(self._has_unknown_base, value), False)

    def _has_unknown_base(self, value: TsInstance) -> bool:
        unit = self._context.unit(value.file)
        for row in self._declarations(unit, value.row):
            for base in self.bases(unit, row, False):
                if not base or any(isinstance(item, TsInstance) and self.has_unknown_base(item) for item in base):
                    return True
        return False


def _declared(found: tuple[TsMember, ...]) -> tuple[TsMember, ...]:
    """Of what is all of several things: what declares the name, before what is read by nobody and may have it."""
    own: list[TsMember] = []
    for one in found:
        for ref in one.answer:
            if isinstance(ref, DefinitionRef):
                own.append(one)
                break
    return tuple(own) or found
