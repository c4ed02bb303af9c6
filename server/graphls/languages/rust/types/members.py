"""Members: fields, methods and associated items of Rust types.

Owns: implementations, traits and their bounds, pointers that stand for what they hold.
Must not know: calls, how occurrences become links.
Invariant: a member belongs to the type of its implementation, wherever that stands; a member of a trait to whoever is
    known to implement the trait.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import (
    Bindings,
    Composite,
    Denotation,
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
    CONSTANT_DEFINITION,
    FIELD_DEFINITION,
    INTERFACE_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.rust.types.paths import (
    EXTERNAL_RULE,
    INHERITED_RULE,
    MEMBER_RULE,
    TYPES,
    VALUES,
    RustPaths,
)
from graphls.languages.rust.types.standard import POINTERS, TRAIT_METHODS

PROJECTED: Final = "::"
"""Begins the constructor of an associated type of what is not known yet."""
_DEREFS: Final = 8
_MAX_BOUNDS: Final = 64
"""Traits of one type parameter that are searched; a member of those behind them is not known."""
_MAX_TRAITS: Final = 200


@final
class RustMembers:
    """Members of types in one file, and in those that it can see."""

    def __init__(self, types: DeclaredInference, paths: RustPaths) -> None:
        self._types = types
        self._paths = paths
        self._implementations: dict[FilePath, dict[str, list[int]]] = {}
        self._methods: dict[tuple[FilePath, str], list[DefinitionRef]] = {}
        self._above: dict[tuple[FilePath, int], list[NamedType]] = {}
        """The traits that a trait is bound by."""

    # implementations

    def implementations_named(self, file: FilePath, name: str) -> Sequence[int]:
        """Implementations in a file for types of a name."""
        known = self._implementations.get(file)
        if known is None:
            known = self._implementations[file] = {}
            unit = self._types.unit(file)
            for row in self._paths.implementations(file):
                known.setdefault(last_word(unit, unit.type[row]), []).append(row)
        return known.get(name, ())

    def where_implemented(self, file: FilePath) -> Iterator[FilePath]:
        """Files in which implementations for the types of a file may be, the likeliest first."""
        yield file
        if file != self._types.path:
            yield self._types.path
        seen = {file, self._types.path}
        for start in (file, self._types.path):
            for other in self._paths.crate_files(start):
                if other not in seen:
                    seen.add(other)
                    yield other

    def traits_of(self, value: NamedType) -> Sequence[tuple[DeclaredUnit, int, Bindings]]:
        """The implementations of traits for a type: file, row, what type parameters there stand for."""
        nothing: Sequence[tuple[DeclaredUnit, int, Bindings]] = ()
        return self._types.guarded(("traits", value), lambda: self._traits_of(value), nothing)

    def _traits_of(self, value: NamedType) -> Sequence[tuple[DeclaredUnit, int, Bindings]]:
        found: list[tuple[DeclaredUnit, int, Bindings]] = []
        name = self._types.unit(value.file).text(value.row)
        for file in self.where_implemented(value.file):
            unit = self._types.unit(file)
            for row in self.implementations_named(file, name):
                if unit.value[row] < 0 and unit.body[row] < 0:
                    continue
                given = self._given(unit, unit.type[row], value)
                if given is not None:
                    found.append((unit, row, given))
        return found[:_MAX_TRAITS]

    def _given(self, unit: DeclaredUnit, row: int, value: Value) -> Bindings | None:
        """What type parameters stand for where a written type is that of a value; None where it is another."""
        type_ = self._types.denote(unit, row)
        if not _same_head(type_, value):
            return None
        given: Bindings = {}
        unify(type_, value, given)
        return given

    def methods_named(self, file: FilePath, name: str) -> Sequence[DefinitionRef]:
        """Methods of one name that a file has in implementations."""
        key = (file, name)
        known = self._methods.get(key)
        if known is None:
            unit = self._types.unit(file)
            rows = unit.members(0).get(name, ())
            known = self._methods[key] = [
                DefinitionRef(file, row) for row in rows if unit.kind[row] == METHOD_DEFINITION and unit.type[row] >= 0
            ]
        return known

    # members by type

    def pointed(self, value: Value | None) -> Iterator[Value]:
        """A value, and what it stands for, step by step."""
        steps = 0
        while value is not None and steps < _DEREFS:
            steps += 1
            value = self.reduced(value)
            if value is None:
                return
            yield value
            value = self._target(value)

    def _target(self, value: Value) -> Value | None:
        """What a pointer leads to."""
        if isinstance(value, Outside):
            if value.arguments and value.dotted.rpartition(".")[2] in POINTERS:
                return value.arguments[-1]
            return None
        if isinstance(value, NamedType):
            return self._types.guarded(("target", value), lambda: self._deref(value), None)
        return None

    def _deref(self, value: NamedType) -> Value | None:
        for unit, row, given in self.traits_of(value):
            if unit.body[row] >= 0 and last_word(unit, unit.value[row]) == "Deref":
                return substituted(self.associated_type(unit, row, "Target"), given)
        return None

    def associated_type(self, unit: DeclaredUnit, row: int, name: str) -> Value | None:
        """What an implementation says that an associated type is."""
        for one in unit.members(unit.body[row]).get(name, ()) if unit.body[row] >= 0 else ():
            if unit.kind[one] == TYPE_ALIAS_DEFINITION:
                return self._types.denote(unit, unit.value[one])
        return None

    def reduced(self, value: Value | None) -> Value | None:
        """A type with associated types of it replaced, as far as they are known."""
        if isinstance(value, Composite) and value.constructor.startswith(PROJECTED) and value.parts:
            base = self.reduced(value.parts[0])
            name = value.constructor[len(PROJECTED) :]
            if isinstance(base, NamedType) and self._types.unit(base.file).kind[base.row] != INTERFACE_DEFINITION:
                return self._types.guarded(("projected", base, name), lambda: self._projected(base, name), None)
            if isinstance(base, Outside):
                return base.arguments[-1] if base.arguments and name in ("Item", "Target", "Output") else None
            if isinstance(base, (Composite, Several)) and not (
                isinstance(base, Composite) and base.constructor.startswith((PROJECTED, "+"))
            ):
                return self._types.element(base) if name == "Item" else None
        return value

    def _projected(self, base: NamedType, name: str) -> Value | None:
        for unit, row, given in self.traits_of(base):
            found = self.associated_type(unit, row, name)
            if found is not None:
                return self.reduced(substituted(found, given))
        return None

    def method(self, value: Value | None, name: str) -> Denotation | None:
        """What a call of a method means."""
        if value is None:
            return None
        return self._types.guarded(("method", value, name), lambda: self._method(value, name), None)

    def _method(self, value: Value, name: str) -> Denotation | None:
        outside: Denotation | None = None
        if isinstance(value, TypeName):
            value = value.type  # a struct without fields is its only instance
        for one in self.pointed(value):
            found = self.own_method(one, name)
            if found is None:
                continue
            if found.rule != EXTERNAL_RULE:
                return found
            outside = outside or found
        return outside

    def own_method(self, value: Value, name: str) -> Denotation | None:
        """A method that a type has itself or by its traits."""
        if isinstance(value, NamedType):
            return self._method_of_named(value, name)
        if isinstance(value, Variable):
            return self._method_of_variable(value, name)
        if isinstance(value, Composite) and value.constructor == "+":
            return self._method_of_bounds([part for part in value.parts if part is not None], name)
        if isinstance(value, Composite) and value.constructor.startswith(PROJECTED):
            bound = self._bound_of_projected(value)
            return None if bound is None else self.own_method(bound, name)
        return self._method_of_outside(value, name)

    def _method_of_outside(self, value: Value, name: str) -> Denotation | None:
        word = _head_word(value)
        if not word:
            return None
        for file in self.where_implemented(self._types.path):
            if not self.implementations_named(file, word):
                continue
            unit = self._types.unit(file)
            for ref in self.methods_named(file, name):
                if last_word(unit, unit.type[ref.row]) != word:
                    continue
                given = self._given(unit, unit.type[ref.row], value)
                if given is not None:
                    return self.function_found((ref,), given, value, MEMBER_RULE)
        if isinstance(value, Outside):
            dotted = f"{value.dotted}.{name}"
            return Denotation((External(dotted),), Outside(dotted, value.arguments), EXTERNAL_RULE)
        dotted = f"std.slice.{name}" if isinstance(value, Composite) else f"std.tuple.{name}"
        return Denotation((External(dotted),), None, EXTERNAL_RULE)

    def _method_of_named(self, value: NamedType, name: str) -> Denotation | None:
        unit = self._types.unit(value.file)
        if unit.kind[value.row] == INTERFACE_DEFINITION:
            return self.trait_member(value, name, value)
        word = unit.text(value.row)
        found: list[DefinitionRef] = []
        bindings: Bindings = {}
        for file in self.where_implemented(value.file):
            other = self._types.unit(file)
            for ref in self.methods_named(file, name):
                if last_word(other, other.type[ref.row]) != word:
                    continue
                given = self._given(other, other.type[ref.row], value)
                if given is not None:
                    found.append(ref)
                    bindings.update(given)
            if found:
                return self.function_found(self._preferred(found), bindings, value, MEMBER_RULE)
        for other, row, given in self.traits_of(value):
            trait = self._types.denote(other, other.value[row])
            if isinstance(trait, NamedType):
                member = self.trait_member(substituted_named(trait, given), name, value)
                if member is not None and member.rule != EXTERNAL_RULE:
                    return member
        blanket = self._blanket(value, name)
        if blanket is not None:
            return blanket
        return self._method_from_outside(value, name)

    def _preferred(self, refs: Sequence[DefinitionRef]) -> tuple[DefinitionRef, ...]:
        """Of several methods of one name those that the type has itself, before those of traits."""
        if len(refs) < 2:
            return tuple(refs)
        own = [ref for ref in refs if not self.trait_of_method(ref)]
        return tuple(own or refs)

    def trait_of_method(self, ref: DefinitionRef) -> bool:
        """Whether a method stands in the implementation of a trait."""
        row = self.implementation_around(self._types.unit(ref.file), ref.row)
        return row >= 0 and self._types.unit(ref.file).value[row] >= 0

    def implementation_around(self, unit: DeclaredUnit, method: int) -> int:
        """The implementation that a method stands in, -1 for none."""
        scope = unit.body[method]
        while scope > 0:
            owner = unit.scope_owner[scope]
            if owner >= 0 and owner != method and unit.text(owner).startswith("impl "):
                return owner
            scope = unit.scope_parent[scope]
        return -1

    def _blanket(self, value: NamedType, name: str) -> Denotation | None:
        """A method of `impl<T: Bound> Trait for T`, where the type is known to have the bound."""
        for file in self.where_implemented(value.file):
            unit = self._types.unit(file)
            for ref in self.methods_named(file, name):
                type_ = self._types.denote(unit, unit.type[ref.row])
                if isinstance(type_, Variable) and self._has_bounds(value, type_):
                    given: Bindings = {(type_.file, type_.row): value}
                    return self.function_found((ref,), given, value, INHERITED_RULE)
        return None

    def _has_bounds(self, value: NamedType, variable: Variable) -> bool:
        bounds = self.bounds(variable)
        wanted = [bound for bound in bounds if isinstance(bound, NamedType)]
        if not wanted:
            return False
        having = [self._types.denote(unit, unit.value[row]) for unit, row, _ in self.traits_of(value)]
        names = {(one.file, one.row) for one in having if isinstance(one, NamedType)}
        return all((bound.file, bound.row) in names for bound in wanted)

    def _method_from_outside(self, value: NamedType, name: str) -> Denotation | None:
        """A method of a trait that the workspace does not declare."""
        dotted = TRAIT_METHODS.get(name)
        if dotted is None:
            for unit, row, _ in self.traits_of(value):
                trait = self._types.denote(unit, unit.value[row])
                if isinstance(trait, Outside):
                    dotted = dotted or trait.dotted
        if dotted is None:
            return None
        return Denotation((External(f"{dotted}.{name}"),), None, EXTERNAL_RULE)

    def bounds(self, variable: Variable) -> list[Value]:
        """What a type parameter is bound by: one more than are looked at, of more."""
        unit = self._types.unit(variable.file)
        if unit.kind[variable.row] == INTERFACE_DEFINITION:
            return [self._paths.type_itself(unit, variable.row)]
        bound = self._types.denote(unit, unit.type[variable.row])
        if isinstance(bound, Composite) and bound.constructor == "+":
            return [part for part in bound.parts[: _MAX_BOUNDS + 1] if part is not None]
        return [] if bound is None else [bound]

    def _method_of_variable(self, variable: Variable, name: str) -> Denotation | None:
        bounds = self.bounds(variable)
        found = self._method_of_bounds(bounds[:_MAX_BOUNDS], name, variable)
        if found is not None or len(bounds) > _MAX_BOUNDS:
            return found
        for file in self.where_implemented(self._types.path):
            unit = self._types.unit(file)
            for ref in self.methods_named(file, name):
                type_ = self._types.denote(unit, unit.type[ref.row])
                if isinstance(type_, Variable) and self._same_bounds(type_, variable):
                    return self.function_found((ref,), {(type_.file, type_.row): variable}, variable, INHERITED_RULE)
        dotted = TRAIT_METHODS.get(name)
        return None if dotted is None else Denotation((External(f"{dotted}.{name}"),), None, EXTERNAL_RULE)

    def _same_bounds(self, general: Variable, variable: Variable) -> bool:
        wanted = [bound for bound in self.bounds(general) if isinstance(bound, NamedType)]
        having = {(one.file, one.row) for one in self.bounds(variable) if isinstance(one, NamedType)}
        return bool(wanted) and all((bound.file, bound.row) in having for bound in wanted)

    def _method_of_bounds(self, bounds: Sequence[Value], name: str, holder: Value | None = None) -> Denotation | None:
        outside: Denotation | None = None
        for bound in bounds:
            if isinstance(bound, NamedType):
                found = self.trait_member(bound, name, holder or bound)
            elif isinstance(bound, Outside):
                dotted = f"{bound.dotted}.{name}"
                found = Denotation((External(dotted),), Outside(dotted, bound.arguments), EXTERNAL_RULE)
            else:
                found = None
            if found is not None and found.rule != EXTERNAL_RULE:
                return found
            outside = outside or found
        if outside is not None and len(bounds) > 1:
            return Denotation(outside.refs, None, EXTERNAL_RULE)
        return outside

    def _bound_of_projected(self, value: Composite) -> Value | None:
        """What an associated type of something unknown is bound by."""
        base = value.parts[0]
        name = value.constructor[len(PROJECTED) :]
        bounds = self.bounds(base) if isinstance(base, Variable) else [base]
        for bound in bounds:
            if isinstance(bound, NamedType):
                row = self.trait_row(bound, name)
                if row is not None and row[0].type[row[1]] >= 0:
                    return self._types.denote(row[0], row[0].type[row[1]])
            if isinstance(bound, Outside) and bound.arguments and name == "Item":
                return bound.arguments[-1]
        return None

    def trait_row(self, trait: NamedType, name: str) -> tuple[DeclaredUnit, int] | None:
        """A member of a trait, or of one above it, by name."""
        seen: set[tuple[FilePath, int]] = set()
        pending = [trait]
        while pending:
            one = pending.pop(0)
            if (one.file, one.row) in seen or len(seen) > _MAX_TRAITS:
                continue
            seen.add((one.file, one.row))
            unit = self._types.unit(one.file)
            if unit.body[one.row] < 0:
                continue
            for row in unit.members(unit.body[one.row]).get(name, ()):
                return unit, row
            known = self._above.get((one.file, one.row))
            if known is None:
                values = [self._types.denote(unit, base) for base, _ in unit.bases(one.row)]
                known = [above for above in values if isinstance(above, NamedType)]
                if len(known) == len(values):  # else some may be known later
                    self._above[one.file, one.row] = known
            pending += known
        return None

    def trait_member(self, trait: NamedType, name: str, holder: Value) -> Denotation | None:
        """A method or constant of a trait, for something that implements it."""
        row = self.trait_row(trait, name)
        if row is None:
            return self._from_traits_above(trait, name)
        unit, member = row
        ref = DefinitionRef(unit.file, member)
        owner = unit.scope_owner[unit.scope[member]]
        if unit.kind[member] == METHOD_DEFINITION:
            given = self._types.arguments_of(trait)
            if owner >= 0 and holder != Variable(unit.file, owner):
                given[unit.file, owner] = holder
            rule = MEMBER_RULE if (trait.file, trait.row) == (unit.file, owner) else INHERITED_RULE
            return self.function_found((ref,), given, holder, rule)
        if unit.kind[member] == TYPE_ALIAS_DEFINITION:
            return Denotation((ref,), TypeName(Composite(PROJECTED + name, (holder,))), MEMBER_RULE)
        return Denotation((ref,), self._types.row_value(unit, member), MEMBER_RULE)

    def _from_traits_above(self, trait: NamedType, name: str) -> Denotation | None:
        """A member of a trait outside that the trait rests on."""
        unit = self._types.unit(trait.file)
        for base, _ in unit.bases(trait.row):
            above = self._types.denote(unit, base)
            if isinstance(above, Outside) and not above.dotted.startswith("std.marker."):
                return Denotation((External(f"{above.dotted}.{name}"),), None, EXTERNAL_RULE)
        dotted = TRAIT_METHODS.get(name)
        return None if dotted is None else Denotation((External(f"{dotted}.{name}"),), None, EXTERNAL_RULE)

    def function_found(self, refs: Sequence[DefinitionRef], given: Bindings, holder: Value, rule: int) -> Denotation:
        """Methods as what they are for a receiver."""
        first = refs[0]
        bound = tuple([(file, row, type_) for (file, row), type_ in given.items()])
        return Denotation(tuple(refs), Functions(first.file, (first.row,), bound), rule)

    def field(self, value: Value | None, name: str) -> Denotation | None:
        """What a field means."""
        if value is None:
            return None
        return self._types.guarded(("field", value, name), lambda: self._field(value, name), None)

    def _field(self, value: Value, name: str) -> Denotation | None:
        outside: Outside | None = None
        for one in self.pointed(value):
            if isinstance(one, NamedType):
                unit = self._types.unit(one.file)
                found = self.field_in(unit, unit.body[one.row], name)
                if found is not None:
                    given = self._types.arguments_of(one) if one.arguments else {}
                    return Denotation(found.refs, substituted(found.value, given), MEMBER_RULE)
            elif isinstance(one, Outside) and outside is None:
                outside = one
        if outside is None:
            return None
        return Denotation((External(f"{outside.dotted}.{name}"),), None, EXTERNAL_RULE)

    def field_in(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """A field by the scope of the fields."""
        rows = unit.members(scope).get(name, ()) if scope >= 0 else ()
        rows = tuple([row for row in rows if unit.kind[row] == FIELD_DEFINITION])
        if not rows:
            return None
        refs = tuple([DefinitionRef(unit.file, row) for row in rows])
        return Denotation(refs, self._types.denote(unit, unit.type[rows[0]]), MEMBER_RULE)

    def numbered(self, value: Value | None, position: int) -> Value | None:
        """A part of a tuple or tuple struct."""
        for one in self.pointed(value):
            if isinstance(one, Several):
                return one.parts[position] if -len(one.parts) <= position < len(one.parts) else None
            if isinstance(one, NamedType):
                unit = self._types.unit(one.file)
                part = self.part_of(unit, one.row, position)
                if part is not None:
                    return substituted(part, self._types.arguments_of(one)) if one.arguments else part
            if isinstance(one, Outside) and one.dotted.endswith("Reverse") and one.arguments:
                return one.arguments[0]
        return None

    def part_of(self, unit: DeclaredUnit, row: int, position: int) -> Value | None:
        """The type of a part of a tuple struct or variant."""
        type_, table = unit.type[row], unit.expressions
        if type_ < 0 or table.kind[type_] != TUPLE_EXPRESSION:
            return None
        items = unit.list_at(table.a[type_])
        return self._types.denote(unit, items[position]) if -len(items) <= position < len(items) else None

    # items of types

    def of_type(self, type_: Value, name: str, space: int) -> Denotation | None:
        """What a name behind a type and `::` means."""
        return self._types.guarded(("of", type_, name, space), lambda: self._of_type(type_, name, space), None)

    def _of_type(self, type_: Value, name: str, space: int) -> Denotation | None:
        reduced = self.reduced(type_)
        if reduced is None:
            return None
        if isinstance(reduced, NamedType):
            unit = self._types.unit(reduced.file)
            variant = self._paths.variant(reduced, name)
            if variant is not None:
                return variant
            if unit.kind[reduced.row] == INTERFACE_DEFINITION:
                return self.trait_member(reduced, name, reduced)
            return self._item_of_named(reduced, name, space)
        if isinstance(reduced, Variable):
            return self._item_of_bounds(self.bounds(reduced), name, reduced)
        if isinstance(reduced, Composite) and reduced.constructor == "+":
            return self._item_of_bounds([part for part in reduced.parts if part is not None], name, reduced)
        if isinstance(reduced, Composite) and reduced.constructor.startswith(PROJECTED):
            bound = self._bound_of_projected(reduced)
            bounds = bound.parts if isinstance(bound, Composite) and bound.constructor == "+" else (bound,)
            return self._item_of_bounds([part for part in bounds if part is not None], name, reduced)
        if isinstance(reduced, Outside):
            found = self._method_of_outside(reduced, name)
            if found is not None and found.rule == EXTERNAL_RULE:
                found = self._item_for_outside(reduced, name)
            if found is not None:
                return found
            dotted = f"{reduced.dotted}.{name}"
            return Denotation((External(dotted),), Outside(dotted, reduced.arguments), EXTERNAL_RULE)
        return self._method_of_outside(reduced, name)

    def _item_for_outside(self, value: Outside, name: str) -> Denotation | None:
        """A type or constant that the workspace declares for a type from outside."""
        word = _head_word(value)
        for file in self.where_implemented(self._types.path):
            unit = self._types.unit(file)
            for row in self.implementations_named(file, word):
                for member in unit.members(unit.body[row]).get(name, ()) if unit.body[row] >= 0 else ():
                    given = self._given(unit, unit.type[row], value)
                    if given is not None:
                        inner = substituted(self._types.row_value(unit, member), given)
                        return Denotation((DefinitionRef(file, member),), inner, MEMBER_RULE)
        return None

    def _item_of_bounds(self, bounds: Sequence[Value], name: str, holder: Value) -> Denotation | None:
        outside: Denotation | None = None
        for bound in bounds:
            if isinstance(bound, NamedType):
                found = self.trait_member(bound, name, holder)
                if found is not None and found.rule != EXTERNAL_RULE:
                    return found
                outside = outside or found
            elif isinstance(bound, Outside):
                given = bound.arguments[-1] if bound.arguments and name in ("Item", "Output", "Target") else None
                value = TypeName(given) if given is not None else Outside(f"{bound.dotted}.{name}")
                outside = outside or Denotation((External(f"{bound.dotted}.{name}"),), value, EXTERNAL_RULE)
        return outside

    def _item_of_named(self, value: NamedType, name: str, space: int) -> Denotation | None:
        """A function, constant or type of an implementation."""
        if space & VALUES:
            found = self._method_of_named(value, name)
            if found is not None and found.rule != EXTERNAL_RULE:
                return found
        else:
            found = None
        wanted = TYPE_ALIAS_DEFINITION if space & TYPES and not space & VALUES else CONSTANT_DEFINITION
        for unit, row, given in self.traits_of(value):
            if unit.body[row] < 0:
                continue
            for one in unit.members(unit.body[row]).get(name, ()):
                if unit.kind[one] == wanted or space == TYPES | VALUES:
                    inner = substituted(self._types.row_value(unit, one), given)
                    return Denotation((DefinitionRef(unit.file, one),), inner, MEMBER_RULE)
        for unit, row, given in self.traits_of(value):
            trait = self._types.denote(unit, unit.value[row])
            if isinstance(trait, NamedType):
                member = self.trait_member(substituted_named(trait, given), name, value)
                if member is not None and member.rule != EXTERNAL_RULE:
                    return member
        return found


def substituted_named(trait: NamedType, given: Bindings) -> NamedType:
    """A trait with what type parameters in its arguments stand for."""
    made = substituted(trait, given)
    return made if isinstance(made, NamedType) else trait


def last_word(unit: DeclaredUnit, row: int) -> str:
    """The last name of a written type; `[]` of a slice, "" of others."""
    table = unit.expressions
    while row >= 0:
        kind = table.kind[row]
        if kind == NAME_EXPRESSION:
            return unit.strings[table.a[row]]
        if kind == MEMBER_EXPRESSION:
            return unit.strings[table.b[row]]
        if kind == LITERAL_EXPRESSION:
            return unit.strings[table.a[row]]
        if kind != SUBSCRIPT_EXPRESSION:
            return ""
        row = table.a[row]
    return ""


def _head_word(value: Value) -> str:
    if isinstance(value, Outside):
        return value.dotted.rpartition(".")[2]
    return value.constructor if isinstance(value, Composite) else ""


def _same_head(one: Value | None, other: Value) -> bool:
    """Whether two types are the same but for their arguments."""
    if isinstance(one, NamedType):
        return isinstance(other, NamedType) and (one.file, one.row) == (other.file, other.row)
    if isinstance(one, Outside):
        return isinstance(other, Outside) and one.dotted.removeprefix(BUILTIN) == other.dotted.removeprefix(BUILTIN)
    return isinstance(one, Composite) and isinstance(other, Composite) and one.constructor == other.constructor
