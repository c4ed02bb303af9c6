"""Containers: what values hold: elements, items, context managers, awaited results.

Owns: iteration, subscripts, unpacking, `with`, `await`, `except`.
Must not know: occurrences, edges.
Invariant: an element is known only where the container's type arguments or its own methods say it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.languages.kinds import (
    FUNCTION_DEFINITION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    PROPERTY_DEFINITION,
)
from graphls.languages.known import External
from graphls.languages.python.resolution.builtin_names import CONTEXT_MANAGERS, MAPPINGS, SEQUENCES, TYPED_DICTS
from graphls.languages.python.resolution.narrowing import Narrowing
from graphls.languages.python.resolution.units import Unit
from graphls.languages.python.resolution.values import (
    NO_INFERENCE,
    UNKNOWN,
    Awaitable,
    Class,
    ExternalInstance,
    Function,
    Inference,
    Instance,
    Rule,
    Tuple,
    Value,
    Values,
    Variable,
    holding,
    join,
    solid,
)

_MAX_VALUES: Final = 12
_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION, PROPERTY_DEFINITION})
_NAMED: Final = "typing.NamedTuple"
_GENERATORS: Final = frozenset({"typing.Generator", "collections.abc.Generator"})


class Containers(Narrowing):
    """Values inside values."""

    def subscript(self, unit: Unit, expression: int) -> Inference:
        """`base[index]`."""
        table = unit.expressions
        before = self.infer(unit, table.a[expression])
        items = unit.list_at(table.b[expression])
        sliced = len(items) == 1 and _is_slice(unit, items[0])
        parts: list[Inference] = []
        for value in map(solid, before.values):
            if isinstance(value, Class):
                arguments = tuple(self.denote(unit, item) for item in items)
                parts.append(Inference((Class(value.file, value.row, arguments),), Rule.GLOBAL))
            elif isinstance(value, External):
                parts.append(Inference((value,), Rule.EXTERNAL))
            elif isinstance(value, Instance):
                parts.append(self._item_of(value, unit, items))
            elif sliced and (isinstance(value, Tuple) or (isinstance(value, ExternalInstance) and _is_sequence(value))):
                parts.append(Inference((_sliced(value),), Rule.ELEMENT))
            elif isinstance(value, ExternalInstance) and not self._plain(value):
                parts.append(self.special(self.seen(value), "__getitem__"))
            elif isinstance(value, ExternalInstance) and value.arguments:
                chosen = value.arguments[-1] if value.dotted in MAPPINGS else value.arguments[0]
                parts.append(Inference(chosen, Rule.ELEMENT))
            elif isinstance(value, Tuple):
                parts.append(Inference(self.element_of(value), Rule.ELEMENT, False))
        joined = join(tuple(parts))
        return Inference(joined.values, joined.rule, joined.sure and before.sure, joined.partial)

    def _item_of(self, value: Instance, unit: Unit, items: Sequence[int]) -> Inference:
        """What the `__getitem__` of a class of the workspace gives for this index; a key of a `TypedDict` its type."""
        if len(items) == 1 and self._is_typed_dict(value):
            return self._keyed(value, unit, items[0])
        found = self.class_member(value, "__getitem__")
        if found is None:
            return NO_INFERENCE
        other = self.unit(found.holder.file)
        functions = [row for row in found.rows if other.kind[row] in _FUNCTIONS]
        return self.any_overload([Function(other.file, row, value) for row in functions], unit, items)

    def _is_typed_dict(self, value: Instance) -> bool:
        return any(self.entry_name(entry) in TYPED_DICTS for entry in self.order(Class(value.file, value.row)))

    def _keyed(self, value: Instance, unit: Unit, key: int) -> Inference:
        table = unit.expressions
        if key < 0 or table.kind[key] != LITERAL_EXPRESSION or table.b[key] < 0:
            return NO_INFERENCE
        found = self.class_member(value, unit.strings[table.b[key]])
        if found is None:
            return NO_INFERENCE
        other = self.unit(found.holder.file)
        return join(tuple(Inference(self.denote(other, other.type[row]), Rule.ELEMENT) for row in found.rows))

    def any_overload(self, functions: Sequence[Function], unit: Unit, arguments: Sequence[int]) -> Inference:
        """Any of several signatures that the arguments fit."""
        raise NotImplementedError

    def _plain(self, value: ExternalInstance) -> bool:
        """Whether the type arguments alone say what is inside."""
        if value.arguments and (value.dotted in MAPPINGS or value.dotted in SEQUENCES):
            return True
        return self.library_class(value.dotted) is None

    def special(self, value: Value, name: str) -> Inference:
        """What a special method of an object gives."""
        if not isinstance(value, (Instance, Class)):
            return NO_INFERENCE
        found = self.class_member(value, name)
        if found is None:
            return NO_INFERENCE
        unit = self.unit(found.holder.file)
        return join(tuple(self.returned(unit, row, value) for row in found.rows))

    def _elements(self, before: Inference) -> Inference:
        made: dict[Value, None] = {}
        for value in before.values[:_MAX_VALUES]:
            made.update(dict.fromkeys(self.element_of(value)))
        return Inference(tuple(made), Rule.ELEMENT, before.sure, before.partial or not made)

    def element_of(self, value: Value, depth: int = 0) -> Values:
        """What iterating a value gives."""
        value = solid(value)
        if isinstance(value, ExternalInstance):
            seen = value if self._plain(value) else self.seen(value)
            if isinstance(seen, Instance):
                return self._iterated(seen, depth) if depth < 3 else UNKNOWN
            return value.arguments[0] if value.arguments else UNKNOWN
        if isinstance(value, Tuple):
            made: dict[Value, None] = {}
            for element in value.elements:
                made.update(dict.fromkeys(element))
            return tuple(made)
        if isinstance(value, Class):
            enum = any(self.entry_name(entry).startswith("enum.") for entry in self.order(value))
            return (Instance(value.file, value.row),) if enum else UNKNOWN
        if isinstance(value, Instance) and depth < 3:
            return self._iterated(value, depth)
        return UNKNOWN

    def _iterated(self, value: Instance, depth: int) -> Values:
        for name in ("__iter__", "__aiter__"):
            found = self.class_member(value, name)
            if not found:
                continue
            unit = self.unit(found.holder.file)
            result = join(tuple(self.returned(unit, row, value) for row in found.rows))
            for item in result.values:
                item = item if isinstance(item, ExternalInstance) and self._plain(item) else self.seen(item)
                if isinstance(item, Instance):
                    step = self.class_member(item, "__next__") or self.class_member(item, "__anext__")
                    if step:
                        other = self.unit(step.holder.file)
                        return join(tuple(self.returned(other, row, item) for row in step.rows)).values
                element = self.element_of(item, depth + 1)
                if element:
                    return element
        return UNKNOWN

    def element(self, unit: Unit, expression: int) -> Inference:
        """`for x in value`."""
        return self._elements(self.infer(unit, unit.expressions.a[expression]))

    def item(self, unit: Unit, expression: int) -> Inference:
        """One target of an unpacking."""
        before = self.infer(unit, unit.expressions.a[expression])
        position = unit.expressions.b[expression]
        parts: list[Inference] = []
        for value in before.values:
            elements = value.elements if isinstance(value, Tuple) else self._fields(value)
            if -len(elements) <= position < len(elements):
                parts.append(Inference(elements[position], Rule.ELEMENT, before.sure))
            else:
                parts.append(Inference(self.element_of(value), Rule.ELEMENT, before.sure))
        return join(tuple(parts))

    def _fields(self, value: Value) -> tuple[Values, ...]:
        """What the fields of a `NamedTuple` hold, by position; empty for anything else."""
        value = solid(value)
        if not isinstance(value, Instance):
            return ()
        for entry in self.order(Class(value.file, value.row)):
            if isinstance(entry, Class) and any(self.entry_name(base) == _NAMED for base in self.bases(entry)):
                unit = self.unit(entry.file)
                rows = [row for found in unit.members(unit.body[entry.row]).values() for row in found[:1]]
                return tuple(self.denote(unit, unit.type[row]) for row in sorted(rows) if self._is_field(unit, row))
        return ()

    def _is_field(self, unit: Unit, row: int) -> bool:
        return unit.type[row] >= 0 and unit.kind[row] not in _FUNCTIONS

    def entered(self, unit: Unit, expression: int) -> Inference:
        """`with value as x`."""
        before = self.infer(unit, unit.expressions.a[expression])
        name = "__aenter__" if unit.expressions.b[expression] == 1 else "__enter__"
        parts: list[Inference] = []
        for value in before.values:
            inner = solid(value)
            if isinstance(inner, ExternalInstance) and inner.arguments and inner.dotted in CONTEXT_MANAGERS:
                parts.append(Inference(inner.arguments[0], before.rule, before.sure))
            elif isinstance(inner, ExternalInstance):
                parts.append(self._awaited(self.special(self.seen(inner), name)))
            elif isinstance(inner, Instance) and isinstance(value, (Instance, Variable)):
                found = self.class_member(inner, name)
                other = self.unit(found.holder.file) if found else None
                rows = found.rows if found else ()
                parts.append(self._awaited(join(tuple(self.returned(other, row, value) for row in rows if other))))
        return join(tuple(parts))

    def _awaited(self, before: Inference) -> Inference:
        made: dict[Value, None] = {}
        for value in before.values:
            made.update(dict.fromkeys(value.result if isinstance(value, Awaitable) else (value,)))
        return holding(before, tuple(made))

    def awaited(self, unit: Unit, expression: int) -> Inference:
        """`await value`."""
        before = self.infer(unit, unit.expressions.a[expression])
        made: dict[Value, None] = {}
        for value in before.values:
            made.update(dict.fromkeys(self._result_of_waiting(value)))
        return holding(before, tuple(made))

    def _result_of_waiting(self, value: Value) -> Values:
        """What an awaitable gives: its result, or what the generator of its `__await__` returns."""
        if isinstance(value, Awaitable):
            return value.result
        made: dict[Value, None] = {}
        for step in self.special(self.seen(solid(value)), "__await__").values:
            if isinstance(step, ExternalInstance) and step.dotted in _GENERATORS and len(step.arguments) == 3:
                made.update(dict.fromkeys(step.arguments[2]))
        return tuple(made)

    def caught(self, unit: Unit, expression: int) -> Inference:
        """`except C as x`: an instance of the class, or of any class of the tuple."""
        made: dict[Value, None] = {}
        for value in self.infer(unit, unit.expressions.a[expression]).values:
            items = [item for element in value.elements for item in element] if isinstance(value, Tuple) else [value]
            for item in items:
                if isinstance(item, Class):
                    made[Instance(item.file, item.row)] = None
                elif isinstance(item, External):
                    made[ExternalInstance(item.dotted)] = None
        return Inference(tuple(made), Rule.CONSTRUCTED)


def _is_slice(unit: Unit, expression: int) -> bool:
    table = unit.expressions
    if expression < 0 or table.kind[expression] != LITERAL_EXPRESSION:
        return False
    return unit.strings[table.a[expression]] == "slice"


def _is_sequence(value: ExternalInstance) -> bool:
    return bool(value.arguments) and value.dotted in SEQUENCES


def _sliced(value: Tuple | ExternalInstance) -> Value:
    """A part of a sequence is such a sequence; of a tuple, one of unknown length."""
    if isinstance(value, ExternalInstance):
        return value
    return ExternalInstance("builtins.tuple", (tuple(dict.fromkeys(v for one in value.elements for v in one)),))
