"""Containers: what values hold: elements, items, context managers, awaited results.

Owns: iteration, subscripts, unpacking, `with`, `await`, `except`.
Must not know: occurrences, edges.
Invariant: an element is known only where the container's type arguments or its own methods say it.
"""

from __future__ import annotations

import attrs

from graphls.languages.python.resolution.builtin_names import CONTEXT_MANAGERS, MAPPINGS, SEQUENCES
from graphls.languages.python.resolution.narrowing import Narrowing
from graphls.languages.python.resolution.units import Unit
from graphls.languages.python.resolution.values import (
    NO_INFERENCE,
    UNKNOWN,
    Awaitable,
    Class,
    External,
    ExternalInstance,
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

_MAX_VALUES = 12


class Containers(Narrowing):
    """Values inside values."""

    def subscript(self, unit: Unit, expression: int) -> Inference:
        """`base[index]`."""
        table = unit.expressions
        before = self.infer(unit, table.a[expression])
        items = unit.list_at(table.b[expression])
        parts: list[Inference] = []
        for value in map(solid, before.values):
            if isinstance(value, Class):
                arguments = tuple(self.denote(unit, item) for item in items)
                parts.append(Inference((attrs.evolve(value, arguments=arguments),), Rule.GLOBAL))
            elif isinstance(value, External):
                parts.append(Inference((value,), Rule.EXTERNAL))
            elif isinstance(value, Instance):
                found = self.class_member(value, "__getitem__")
                other = self.unit(found.holder.file) if found else None
                rows = found.rows if found else ()
                parts.append(join(tuple(self.returned(other, row, value) for row in rows if other)))
            elif isinstance(value, ExternalInstance) and not self._plain(value):
                parts.append(self.special(self.seen(value), "__getitem__"))
            elif isinstance(value, ExternalInstance) and value.arguments:
                chosen = value.arguments[-1] if value.dotted in MAPPINGS else value.arguments[0]
                parts.append(Inference(chosen, Rule.ELEMENT))
            elif isinstance(value, Tuple):
                parts.append(Inference(self.element_of(value), Rule.ELEMENT, False))
        joined = join(tuple(parts))
        return attrs.evolve(joined, sure=joined.sure and before.sure)

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
            if isinstance(value, Tuple) and -len(value.elements) <= position < len(value.elements):
                parts.append(Inference(value.elements[position], Rule.ELEMENT, before.sure))
            else:
                parts.append(Inference(self.element_of(value), Rule.ELEMENT, before.sure))
        return join(tuple(parts))

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
        return self._awaited(self.infer(unit, unit.expressions.a[expression]))

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
