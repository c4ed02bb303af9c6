"""Classes: order of bases and lookup of members.

Owns: C3 linearisation, members of classes, instances, modules and `super()`.
Must not know: how occurrences are written down.
Invariant: a member is found in the first class of the order that has it; a base that is unknown is never
skipped without saying so.
Source: M. Simionato, "The Python 2.3 Method Resolution Order" (C3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, cast, final

from graphls.languages.bounds import MAX_BINDINGS
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CONSTANT_DEFINITION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    PROPERTY_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    VARIABLE_DEFINITION,
)
from graphls.languages.python.types import flags
from graphls.languages.python.types.builtin_names import CLASSES_OF_FORMS, HARMLESS_BASES
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.names import PyNameLookup
from graphls.languages.python.types.outside import LibraryLookup
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import (
    PyAwaitable,
    PyCallable,
    PyClass,
    PyExternalInstance,
    PyInstance,
    PyNamespace,
    PySuper,
    PyTuple,
    PyTypeVariable,
    Value,
    Values,
    classes_of,
    solid,
    taken,
    variables_in,
)
from graphls.languages.resolve.cycle_guard import NOT_CACHED
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, Module, is_generic
from graphls.languages.resolve.units import is_library

OPAQUE = External("")
"""Stands for a base class that nothing is known about."""

MAX_BASES: Final = 64
MAX_ORDER: Final = 4 * MAX_BASES
"""Classes in one order; what lies behind them is not looked at."""

_OF_OBJECT: Final = frozenset(("__new__", "__init__"))
_BARE: Final = frozenset(HARMLESS_BASES - {"abc.ABC"})
"""Bases that bring nothing with them which is looked up by name."""
_GENERIC: Final = frozenset({"Generic", "Protocol"})
_PROTOCOLS: Final = frozenset({"Protocol", "_Protocol"})

Bindings = Mapping[str, Values]


@final
class PyMember:
    """A member of a class. `rows` are of the unit of `holder.file`."""

    def __init__(
        self, holder: PyClass, rows: tuple[int, ...], outside: tuple[External, ...], crowded: bool = False
    ) -> None:
        """`outside`: unknown or external bases that come before the holder. `crowded`: there are more rows."""
        self.holder = holder
        self.rows = rows[:MAX_BINDINGS]
        self.outside = outside
        self.crowded = crowded or len(rows) > MAX_BINDINGS


@final
class Classes:
    """Members through the class hierarchy."""

    def __init__(self, context: PyContext, names: PyNameLookup, library: LibraryLookup) -> None:
        self._context = context
        self._names = names
        self._library = library

    def order(self, cls: PyClass) -> tuple[PyClass | External, ...]:
        """Method resolution order, the class itself first; arguments in terms of its own type variables."""
        guard = self._context.guard(cls.file)
        key = ("order", cls.file, cls.row)
        known = guard.cached(key)
        if known is not NOT_CACHED:
            return cast("tuple[PyClass | External, ...]", known)
        own = PyClass(cls.file, cls.row)
        return guard.guarded(key, partial(self._order, own), (own, OPAQUE))

    def _order(self, cls: PyClass) -> tuple[PyClass | External, ...]:
        bases = self.bases(cls)
        if len(bases) == 1 and isinstance(bases[0], PyClass):
            bindings = self.bindings(bases[0])
            above = self.order(bases[0])[1:]
            bound = (_bound(item, bindings) if isinstance(item, PyClass) else item for item in above)
            line = (cls, bases[0], *bound)
            return line if len(line) <= MAX_ORDER else (*line[: MAX_ORDER - 1], OPAQUE)
        sequences: list[list[PyClass | External]] = []
        for base in bases:
            if isinstance(base, PyClass):
                bindings = self.bindings(base)
                above = self.order(base)[1:]
                sequences.append(
                    [base, *(_bound(item, bindings) if isinstance(item, PyClass) else item for item in above)]
                )
            else:
                sequences.append([base])
        sequences.append(list(bases))
        return (cls, *_merge(sequences))

    def bases(self, cls: PyClass) -> tuple[PyClass | External, ...]:
        """Direct bases, in order, as written."""
        key = ("bases", cls.file, cls.row)
        return self._context.guard(cls.file).guarded(key, lambda: self._bases(cls), (OPAQUE,))

    def _bases(self, cls: PyClass) -> tuple[PyClass | External, ...]:
        unit = self._context.unit(cls.file)
        found: list[PyClass | External] = []
        named = unit.bases(cls.row)
        for expression, keyword in named[:MAX_BASES]:
            if keyword < 0:
                found.append(self._base(unit, expression))
        if len(named) > MAX_BASES:
            found.append(OPAQUE)
        return tuple(dict.fromkeys(found))

    def _base(self, unit: PyUnit, expression: int) -> PyClass | External:
        if expression < 0:
            return OPAQUE
        if unit.expressions.kind[expression] == SUBSCRIPT_EXPRESSION:
            base = self._base(unit, unit.expressions.a[expression])
            if isinstance(base, PyClass):
                arguments = tuple(
                    self._context.queries.denote(unit, item) for item in unit.list_at(unit.expressions.b[expression])
                )
                return PyClass(base.file, base.row, arguments)
            return base
        for value in self._context.queries.infer(unit, expression).values:
            if isinstance(value, External):
                dotted = CLASSES_OF_FORMS.get(value.dotted, value.dotted)
                return value if dotted in _BARE else self._library.library_class(dotted) or value
            if isinstance(value, PyClass):
                return value
        return OPAQUE

    def parameters_of(self, cls: PyClass) -> tuple[str, ...]:
        """Names of a class's type variables, in order."""
        key = ("typevars", cls.file, cls.row)
        return self._context.guard(cls.file).guarded(key, lambda: self._parameters_of(cls), ())

    def _parameters_of(self, cls: PyClass) -> tuple[str, ...]:
        unit = self._context.unit(cls.file)
        body = unit.body[cls.row]
        outer = unit.scope_parent[body] if body >= 0 else -1
        if outer >= 0:
            names = [
                name
                for name, rows in unit.members(outer).items()
                if any(unit.kind[row] == TYPE_PARAMETER_DEFINITION for row in rows)
            ]
            if names:
                return tuple(names)
        found: dict[str, None] = {}
        bases = [expression for expression, _ in unit.bases(cls.row) if expression >= 0]
        listed = [expression for expression in bases if self._lists_variables(unit, expression)]
        for expression in listed or bases:
            if unit.expressions.kind[expression] == SUBSCRIPT_EXPRESSION:
                for item in unit.list_at(unit.expressions.b[expression]):
                    for value in self._context.queries.denote(unit, item):
                        found.update((one.of_objects or one.name, None) for one in variables_in(value))
        return tuple(found)

    def _lists_variables(self, unit: PyUnit, expression: int) -> bool:
        """`Generic[...]` and `Protocol[...]` name all type variables, in order."""
        table = unit.expressions
        return table.kind[expression] == SUBSCRIPT_EXPRESSION and _last_name(unit, table.a[expression]) in _GENERIC

    def is_protocol(self, cls: PyClass | PyInstance) -> bool:
        """Whether a class only says what objects have: it names `Protocol` among its own bases."""
        unit = self._context.unit(cls.file)
        kinds, bases = unit.expressions.kind, [expression for expression, _ in unit.bases(cls.row) if expression >= 0]
        plain = [unit.expressions.a[one] if kinds[one] == SUBSCRIPT_EXPRESSION else one for one in bases]
        return any(_last_name(unit, one) in _PROTOCOLS for one in plain)

    def bindings(self, cls: PyClass | PyInstance) -> Bindings:
        """What the type variables of a class stand for in this use of it."""
        if not cls.arguments:
            return {}
        return dict(zip(self.parameters_of(PyClass(cls.file, cls.row)), cls.arguments, strict=False))

    def class_member(self, cls: PyClass | PyInstance, name: str, after: PyClass | None = None) -> PyMember | None:
        """The first class of the order with this member; `after`: start behind that class (`super`)."""
        key = ("find", cls.file, cls.row, name, after and (after.file, after.row))
        guard = self._context.guard(cls.file)
        known = guard.cached(key)
        if known is not NOT_CACHED:
            found = cast("PyMember | None", known)
        else:
            found = guard.guarded(key, partial(self._class_member, PyClass(cls.file, cls.row), name, after), None)
        if found is None or not cls.arguments:
            return found
        own = (found.holder.file, found.holder.row) == (cls.file, cls.row)
        holder = PyClass(cls.file, cls.row, cls.arguments) if own else _bound(found.holder, self.bindings(cls))
        return PyMember(holder, found.rows, found.outside, found.crowded)

    def _class_member(self, cls: PyClass, name: str, after: PyClass | None) -> PyMember | None:
        outside: list[External] = []
        waiting = after is not None
        assigned: PyMember | None = None
        for entry in self.order(cls):
            if waiting:
                passed = isinstance(entry, PyClass) and after and (entry.file, entry.row) == (after.file, after.row)
                waiting = not passed
                continue
            if isinstance(entry, External):
                if entry.dotted not in HARMLESS_BASES:
                    outside.append(entry)
                continue
            unit = self._context.unit(entry.file)
            body = unit.body[entry.row]
            rows = unit.members(body).get(name) if body >= 0 else None
            if rows:
                found = PyMember(entry, declared(unit, rows), tuple(outside))
                if not _only_assigned(unit, found.rows):
                    return found
                assigned = assigned or found
        return assigned or self._only_in_stub(cls, name, after, tuple(outside))

    def _only_in_stub(
        self, cls: PyClass, name: str, after: PyClass | None, outside: tuple[External, ...]
    ) -> PyMember | None:
        """A member that the stubs of the classes have and their sources do not."""
        if after is not None:
            return None
        for entry in self.order(cls):
            stub = self._names.sibling_stub(entry.file) if isinstance(entry, PyClass) else None
            if stub is None or not isinstance(entry, PyClass):
                continue
            unit, source = self._context.unit(stub), self._context.unit(entry.file)
            classes = unit.members(0).get(source.text(entry.row), ()) if source.scope[entry.row] == 0 else ()
            for row in classes:
                rows = unit.members(unit.body[row]).get(name) if unit.kind[row] == CLASS_DEFINITION else None
                if rows:
                    return PyMember(PyClass(stub, row), declared(unit, rows), outside)
        return None

    def member_spot(self, cls: PyClass, name: str) -> DefinitionRef | None:
        """Where a class or one of its bases defines a member."""
        found = self.class_member(cls, name)
        return None if found is None else DefinitionRef(found.holder.file, found.rows[0])

    def class_value(self, unit: PyUnit, row: int) -> PyClass | External:
        """A class object."""
        return External(self._library.dotted_of(unit.file, row)) if unit.library else PyClass(unit.file, row)

    def entry_name(self, entry: PyClass | External) -> str:
        """The dotted name of an entry of an order that is outside the workspace, "" for any other."""
        if isinstance(entry, External):
            return entry.dotted
        return self._library.dotted_of(entry.file, entry.row) if is_library(entry.file) else ""

    def opaque(self, cls: PyClass | PyInstance) -> bool:
        """Whether some base is unknown or outside, so that members may exist which no file shows."""
        return any(
            isinstance(entry, External) and entry.dotted not in HARMLESS_BASES
            for entry in self.order(PyClass(cls.file, cls.row))
        )

    def metaclass(self, cls: PyClass) -> PyClass | None:
        """The metaclass that a class or one of its bases names, when it is in a known file."""
        for entry in self.order(cls):
            if not isinstance(entry, PyClass):
                continue
            unit = self._context.unit(entry.file)
            for expression, keyword in unit.bases(entry.row):
                if keyword >= 0 and unit.strings[keyword] == "metaclass":
                    for value in map(
                        self._library.with_readable_class, self._context.queries.infer(unit, expression).values
                    ):
                        if isinstance(value, PyClass):
                            return value
        return None

    def find(self, value: Value, name: str) -> PyMember | DefinitionRefs | None:
        """A member of a value: in a class, or what a module means by the name; None when there is none."""
        value = solid(value)
        if isinstance(value, (PyExternalInstance, PyTuple)):
            value = self._library.with_readable_class(value)
        if isinstance(value, External) and value.dotted:
            return self._found_outside(value, name)
        if isinstance(value, (PyInstance, PyClass)):
            return self._found_in_class(value, name)
        if isinstance(value, PySuper):
            of = solid(value.of)
            return self.class_member(of, name, value.start) if isinstance(of, (PyInstance, PyClass)) else None
        if isinstance(value, (Module, PyNamespace)):
            return self._names.module_member(value, name) or None
        return None

    def _found_in_class(self, value: PyInstance | PyClass, name: str) -> PyMember | None:
        found = self.class_member(value, name)
        if found is None and isinstance(value, PyClass) and name in _OF_OBJECT:
            # Before the metaclass, whose own makes classes. An unknown base has an `__init__` of its own mostly.
            if name == "__init__" and self.opaque(value):
                return None
            root = self._library.library_class("builtins.object")
            found = self.class_member(root, name) if root else None
        if found is None and isinstance(value, PyClass):
            meta = self.metaclass(value) or self._library.library_class("builtins.type")
            found = self.class_member(meta, name) if meta else None
        if found is None and not self.opaque(value):
            root = self._library.library_class("builtins.object")
            found = self.class_member(root, name) if root else None
        return found

    def _found_outside(self, value: External, name: str) -> PyMember | DefinitionRefs | None:
        """A member of a class or module that is known by name; where no file shows it, its name is all there is."""
        cls = self._library.library_class(value.dotted)
        if cls is not None:
            found = self._found_in_class(cls, name)
            if found is not None or not self.opaque(cls):
                return found
        return (External(f"{value.dotted}.{name}"),)

    def enclosing_class(self, unit: PyUnit, scope: int) -> PyClass | None:
        """The class whose method's code stands in a scope."""
        while scope >= 0:
            owner = unit.scope_owner[scope]
            if owner >= 0 and unit.kind[owner] == CLASS_DEFINITION:
                return PyClass(unit.file, owner)
            scope = unit.scope_parent[scope]
        return None

    def class_of_method(self, unit: PyUnit, row: int) -> PyClass | None:
        """The class in whose body a method is defined."""
        scope = unit.scope[row]
        owner = unit.scope_owner[scope] if scope >= 0 else -1
        return PyClass(unit.file, owner) if owner >= 0 and unit.kind[owner] == CLASS_DEFINITION else None


def declared(unit: PyUnit, rows: Sequence[int]) -> tuple[int, ...]:
    """An annotated declaration stands for all assignments of a name; `x += 1` and setters declare nothing."""
    if len(rows) == 1:
        return tuple(rows)
    skipped = flags.AUGMENTED | flags.SETTER
    declaring = [row for row in rows if not unit.flags[row] & skipped] or list(rows)
    functions = (FUNCTION_DEFINITION, METHOD_DEFINITION, CLASS_DEFINITION, PROPERTY_DEFINITION)
    typed = {row for row in declaring if unit.type[row] >= 0 or unit.kind[row] in functions}
    return tuple(row for row in declaring if row in typed or _is_other_arm(unit, row)) if typed else tuple(declaring)


def _is_other_arm(unit: PyUnit, row: int) -> bool:
    """An import in one arm, as of `try: from fast import A` before `except ImportError: class A: ...`."""
    return unit.kind[row] == IMPORT_DEFINITION and bool(unit.flags[row] & flags.CONDITIONAL)


def _only_assigned(unit: PyUnit, rows: Sequence[int]) -> bool:
    """Bare assignments: a base class that declares the attribute is what they assign to."""
    fields = (FIELD_DEFINITION, CONSTANT_DEFINITION, VARIABLE_DEFINITION)
    return all((unit.type[row] < 0 or _says_final(unit, unit.type[row])) and unit.kind[row] in fields for row in rows)


def _says_final(unit: PyUnit, annotation: int) -> bool:
    """`Final` alone names no type."""
    table = unit.expressions
    kind = table.kind[annotation]
    name = table.a[annotation] if kind == NAME_EXPRESSION else table.b[annotation]
    return kind in (NAME_EXPRESSION, MEMBER_EXPRESSION) and unit.strings[name] == "Final"


def definition_refs(found: PyMember) -> tuple[DefinitionRef, ...]:
    """A found member as answers."""
    return tuple(DefinitionRef(found.holder.file, row) for row in found.rows)


def substitute(values: Values, bindings: Bindings, depth: int = 0) -> Values:
    """Values with type variables replaced; a variable without a binding keeps its name."""
    if not bindings or depth > 6 or not is_generic((values,)):
        return values
    made: dict[Value, None] = {}
    for value in values:
        if not value.generic:
            made[value] = None
        elif isinstance(value, PyTypeVariable):
            made.update(dict.fromkeys(_replaced(value, bindings)))
        elif isinstance(value, (PyClass, PyInstance, PyExternalInstance)) and value.arguments:
            arguments = tuple(substitute(item, bindings, depth + 1) for item in value.arguments)
            made[taken(value, arguments)] = None
        elif isinstance(value, PyTuple):
            made[PyTuple(tuple(substitute(item, bindings, depth + 1) for item in value.elements))] = None
        elif isinstance(value, PyAwaitable):
            made[PyAwaitable(substitute(value.result, bindings, depth + 1))] = None
        elif isinstance(value, PyCallable):
            made[PyCallable(substitute(value.returns, bindings, depth + 1))] = None
        else:
            made[value] = None
    return tuple(made)


def _replaced(variable: PyTypeVariable, bindings: Bindings) -> Values:
    """What a type variable stands for; itself where that is not known."""
    known = bindings.get(variable.name)
    if known is None and variable.of_objects in bindings:
        return classes_of(bindings[variable.of_objects])
    return (variable,) if known is None else known


def _bound(entry: PyClass, bindings: Bindings) -> PyClass:
    """An entry of an order with the type variables of the class below it replaced."""
    if not entry.arguments or not bindings:
        return entry
    return PyClass(entry.file, entry.row, tuple(substitute(item, bindings) for item in entry.arguments))


def _last_name(unit: PyUnit, expression: int) -> str:
    """`b` of the expressions `b` and `a.b`; nothing for others."""
    table = unit.expressions
    if table.kind[expression] == MEMBER_EXPRESSION:
        return unit.strings[table.b[expression]]
    return unit.strings[table.a[expression]] if table.kind[expression] == NAME_EXPRESSION else ""


def _identity(entry: PyClass | External) -> tuple[str, int]:
    return (entry.file, entry.row) if isinstance(entry, PyClass) else (entry.dotted, -1)


def _merge(sequences: list[list[PyClass | External]]) -> list[PyClass | External]:
    """C3 merge. Where no order exists (Python would refuse the class), the first head is taken."""
    merged: list[PyClass | External] = []
    pending = [[(_identity(entry), entry) for entry in reversed(sequence)] for sequence in sequences]
    behind = Counter(key for sequence in pending for key, _ in sequence[:-1])
    taken: set[tuple[str, int]] = set()
    while len(merged) < MAX_ORDER:
        for sequence in pending:
            while sequence and sequence[-1][0] in taken:
                sequence.pop()
                if sequence:
                    behind[sequence[-1][0]] -= 1
        pending = [sequence for sequence in pending if sequence]
        if not pending:
            break
        chosen, head = next((s[-1] for s in pending if not behind[s[-1][0]]), pending[0][-1])
        merged.append(head)
        taken.add(chosen)
    else:
        merged.append(OPAQUE)
    return merged
