"""Containers: what values hold: elements, items, context managers, awaited results.

Owns: iteration, subscripts, unpacking, `with`, `await`, `except`.
Must not know: occurrences, edges.
Invariant: an element is known only where the container's type arguments or its own methods say it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from graphls.languages.extract.kinds import (
    FUNCTION_DEFINITION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    PROPERTY_DEFINITION,
)
from graphls.languages.python.types.annotations import Annotations
from graphls.languages.python.types.builtin_names import CONTEXT_MANAGERS, MAPPINGS, SEQUENCES, TYPED_DICTS
from graphls.languages.python.types.classes import Classes
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.outside import LibraryLookup
from graphls.languages.python.types.units import GivenArguments, PyUnit
from graphls.languages.python.types.values import (
    NO_INFERENCE,
    UNKNOWN,
    PyAwaitable,
    PyClass,
    PyExternalInstance,
    PyFunction,
    PyInference,
    PyInstance,
    PyRule,
    PyTuple,
    PyTypeVariable,
    Value,
    Values,
    holding,
    join,
    solid,
)
from graphls.languages.resolve.structural_value import External

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION, PROPERTY_DEFINITION})
_NAMED: Final = "typing.NamedTuple"
_GENERATORS: Final = frozenset({"typing.Generator", "collections.abc.Generator"})


@final
class Containers:
    """Values inside values."""

    def __init__(
        self, *, context: PyContext, library: LibraryLookup, classes: Classes, annotations: Annotations
    ) -> None:
        self._context = context
        self._library = library
        self._classes = classes
        self._annotations = annotations

    def subscript(self, unit: PyUnit, expression: int) -> PyInference:
        """`base[index]`."""
        table = unit.expressions
        before = self._context.queries.infer(unit, table.a[expression])
        items = unit.list_at(table.b[expression])
        sliced = len(items) == 1 and _is_slice(unit, items[0])
        parts: list[PyInference] = []
        for value in map(solid, before.values):
            if isinstance(value, PyClass):
                arguments = tuple(self._annotations.denote(unit, item) for item in items)
                parts.append(PyInference((PyClass(value.file, value.row, arguments),), PyRule.GLOBAL))
            elif isinstance(value, External):
                parts.append(PyInference((value,), PyRule.EXTERNAL))
            elif isinstance(value, PyInstance):
                parts.append(self._item_of(value, unit, items))
            elif sliced and (
                isinstance(value, PyTuple) or (isinstance(value, PyExternalInstance) and _is_sequence(value))
            ):
                parts.append(PyInference((_sliced(value),), PyRule.ELEMENT))
            elif isinstance(value, PyExternalInstance) and not self._plain(value):
                parts.append(self.special(self._library.with_readable_class(value), "__getitem__"))
            elif isinstance(value, PyExternalInstance) and value.arguments:
                chosen = value.arguments[-1] if value.dotted in MAPPINGS else value.arguments[0]
                parts.append(PyInference(chosen, PyRule.ELEMENT))
            elif isinstance(value, PyTuple):
                parts.append(PyInference(self.element_of(value), PyRule.ELEMENT, False))
        joined = join(tuple(parts))
        return PyInference(joined.values, joined.rule, joined.sure and before.sure, joined.partial)

    def _item_of(self, value: PyInstance, unit: PyUnit, items: Sequence[int]) -> PyInference:
        """What the `__getitem__` of a class of the workspace gives for this index; a key of a `TypedDict` its type."""
        if len(items) == 1 and self._is_typed_dict(value):
            return self._keyed(value, unit, items[0])
        found = self._classes.class_member(value, "__getitem__")
        if found is None:
            return NO_INFERENCE
        other = self._context.unit(found.holder.file)
        functions = [row for row in found.rows if other.kind[row] in _FUNCTIONS]
        return self._context.queries.any_overload(
            [PyFunction(other.file, row, value) for row in functions], unit, GivenArguments(items)
        )

    def _is_typed_dict(self, value: PyInstance) -> bool:
        return any(
            self._classes.entry_name(entry) in TYPED_DICTS
            for entry in self._classes.order(PyClass(value.file, value.row))
        )

    def _keyed(self, value: PyInstance, unit: PyUnit, key: int) -> PyInference:
        table = unit.expressions
        if key < 0 or table.kind[key] != LITERAL_EXPRESSION or table.b[key] < 0:
            return NO_INFERENCE
        found = self._classes.class_member(value, unit.strings[table.b[key]])
        if found is None:
            return NO_INFERENCE
        other = self._context.unit(found.holder.file)
        return join(
            tuple(PyInference(self._annotations.denote(other, other.type[row]), PyRule.ELEMENT) for row in found.rows)
        )

    def _plain(self, value: PyExternalInstance) -> bool:
        """Whether the type arguments alone say what is inside."""
        if value.arguments and (value.dotted in MAPPINGS or value.dotted in SEQUENCES):
            return True
        return self._library.library_class(value.dotted) is None

    def special(self, value: Value, name: str) -> PyInference:
        """What a special method of an object gives."""
        if not isinstance(value, (PyInstance, PyClass)):
            return NO_INFERENCE
        found = self._classes.class_member(value, name)
        if found is None:
            return NO_INFERENCE
        unit = self._context.unit(found.holder.file)
        return join(tuple(self._context.queries.returned(unit, row, value) for row in found.rows))

    def elements(self, before: PyInference) -> PyInference:
        made: dict[Value, None] = {}
        for value in before.values:
            made.update(dict.fromkeys(self.element_of(value)))
        return PyInference(tuple(made), PyRule.ELEMENT, before.sure, before.partial or not made)

    def element_of(self, value: Value, depth: int = 0) -> Values:
        """What iterating a value gives."""
        value = solid(value)
        if isinstance(value, PyExternalInstance):
            seen = value if self._plain(value) else self._library.with_readable_class(value)
            if isinstance(seen, PyInstance):
                return self._iterated(seen, depth) if depth < 3 else UNKNOWN
            return value.arguments[0] if value.arguments else UNKNOWN
        if isinstance(value, PyTuple):
            made: dict[Value, None] = {}
            for element in value.elements:
                made.update(dict.fromkeys(element))
            return tuple(made)
        if isinstance(value, PyClass):
            enum = any(self._classes.entry_name(entry).startswith("enum.") for entry in self._classes.order(value))
            return (PyInstance(value.file, value.row),) if enum else UNKNOWN
        if isinstance(value, PyInstance) and depth < 3:
            return self._iterated(value, depth)
        return UNKNOWN

    def _iterated(self, value: PyInstance, depth: int) -> Values:
        for name in ("__iter__", "__aiter__"):
            found = self._classes.class_member(value, name)
            if not found:
                continue
            unit = self._context.unit(found.holder.file)
            result = join(tuple(self._context.queries.returned(unit, row, value) for row in found.rows))
            for item in result.values:
                item = (
                    item
                    if isinstance(item, PyExternalInstance) and self._plain(item)
                    else self._library.with_readable_class(item)
                )
                if isinstance(item, PyInstance):
                    step = self._classes.class_member(item, "__next__") or self._classes.class_member(item, "__anext__")
                    if step:
                        other = self._context.unit(step.holder.file)
                        return join(tuple(self._context.queries.returned(other, row, item) for row in step.rows)).values
                element = self.element_of(item, depth + 1)
                if element:
                    return element
        return UNKNOWN

    def element(self, unit: PyUnit, expression: int) -> PyInference:
        """`for x in value`."""
        return self.elements(self._context.queries.infer(unit, unit.expressions.a[expression]))

    def item(self, unit: PyUnit, expression: int) -> PyInference:
        """One target of an unpacking."""
        before = self._context.queries.infer(unit, unit.expressions.a[expression])
        position = unit.expressions.b[expression]
        parts: list[PyInference] = []
        for value in before.values:
            elements = value.elements if isinstance(value, PyTuple) else self._fields(value)
            if -len(elements) <= position < len(elements):
                parts.append(PyInference(elements[position], PyRule.ELEMENT, before.sure))
            else:
                parts.append(PyInference(self.element_of(value), PyRule.ELEMENT, before.sure))
        return join(tuple(parts))

    def _fields(self, value: Value) -> tuple[Values, ...]:
        """What the fields of a `NamedTuple` hold, by position; empty for anything else."""
        value = solid(value)
        if not isinstance(value, PyInstance):
            return ()
        for entry in self._classes.order(PyClass(value.file, value.row)):
            if isinstance(entry, PyClass) and any(
                self._classes.entry_name(base) == _NAMED for base in self._classes.bases(entry)
            ):
                unit = self._context.unit(entry.file)
                rows = [row for found in unit.members(unit.body[entry.row]).values() for row in found[:1]]
                return tuple(
                    self._annotations.denote(unit, unit.type[row]) for row in sorted(rows) if self._is_field(unit, row)
                )
        return ()

    def _is_field(self, unit: PyUnit, row: int) -> bool:
        return unit.type[row] >= 0 and unit.kind[row] not in _FUNCTIONS

    def entered(self, unit: PyUnit, expression: int) -> PyInference:
        """`with value as x`."""
        before = self._context.queries.infer(unit, unit.expressions.a[expression])
        name = "__aenter__" if unit.expressions.b[expression] == 1 else "__enter__"
        parts: list[PyInference] = []
        for value in before.values:
            inner = solid(value)
            if isinstance(inner, PyExternalInstance) and inner.arguments and inner.dotted in CONTEXT_MANAGERS:
                parts.append(PyInference(inner.arguments[0], before.rule, before.sure))
            elif isinstance(inner, PyExternalInstance):
                parts.append(self._awaited(self.special(self._library.with_readable_class(inner), name)))
            elif isinstance(inner, PyInstance) and isinstance(value, (PyInstance, PyTypeVariable)):
                found = self._classes.class_member(inner, name)
                other = self._context.unit(found.holder.file) if found else None
                rows = found.rows if found else ()
                parts.append(
                    self._awaited(
                        join(tuple(self._context.queries.returned(other, row, value) for row in rows if other))
                    )
                )
        return join(tuple(parts))

    def _awaited(self, before: PyInference) -> PyInference:
        made: dict[Value, None] = {}
        for value in before.values:
            made.update(dict.fromkeys(value.result if isinstance(value, PyAwaitable) else (value,)))
        return holding(before, tuple(made))

    def awaited(self, unit: PyUnit, expression: int) -> PyInference:
        """`await value`."""
        return self.waited(self._context.queries.infer(unit, unit.expressions.a[expression]))

    def waited(self, before: PyInference) -> PyInference:
        """What waiting for values gives."""
        made: dict[Value, None] = {}
        for value in before.values:
            made.update(dict.fromkeys(self._result_of_waiting(value)))
        return holding(before, tuple(made))

    def _result_of_waiting(self, value: Value) -> Values:
        """What an awaitable gives: its result, or what the generator of its `__await__` returns."""
        if isinstance(value, PyAwaitable):
            return value.result
        made: dict[Value, None] = {}
        for step in self.special(self._library.with_readable_class(solid(value)), "__await__").values:
            if isinstance(step, PyExternalInstance) and step.dotted in _GENERATORS and len(step.arguments) == 3:
                made.update(dict.fromkeys(step.arguments[2]))
        return tuple(made)

    def caught(self, unit: PyUnit, expression: int) -> PyInference:
        """`except C as x`: an instance of the class, or of any class of the tuple."""
        made: dict[Value, None] = {}
        for value in self._context.queries.infer(unit, unit.expressions.a[expression]).values:
            items = [item for element in value.elements for item in element] if isinstance(value, PyTuple) else [value]
            for item in items:
                if isinstance(item, PyClass):
                    made[PyInstance(item.file, item.row)] = None
                elif isinstance(item, External):
                    made[PyExternalInstance(item.dotted)] = None
        return PyInference(tuple(made), PyRule.CONSTRUCTED)


def _is_slice(unit: PyUnit, expression: int) -> bool:
    table = unit.expressions
    if expression < 0 or table.kind[expression] != LITERAL_EXPRESSION:
        return False
    return unit.strings[table.a[expression]] == "slice"


def _is_sequence(value: PyExternalInstance) -> bool:
    return bool(value.arguments) and value.dotted in SEQUENCES


def _sliced(value: PyTuple | PyExternalInstance) -> Value:
    """A part of a sequence is such a sequence; of a tuple, one of unknown length."""
    if isinstance(value, PyExternalInstance):
        return value
    return PyExternalInstance("builtins.tuple", (tuple(dict.fromkeys(v for one in value.elements for v in one)),))
