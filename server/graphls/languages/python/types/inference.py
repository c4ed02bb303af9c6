"""Inference: the values an expression evidently has.

Owns: how assignments, calls, members, iteration and tests give values.
Must not know: occurrences, edges.
Invariant: bounded work for any input; an answer never depends on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias, cast, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_BINDINGS
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    COLLECTION_EXPRESSION,
    CONSTANT_DEFINITION,
    ELEMENT_EXPRESSION,
    ENTER_EXPRESSION,
    ENUM_MEMBER_DEFINITION,
    EXCEPTION_EXPRESSION,
    FIELD_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_EXPRESSION,
    IMPORT_DEFINITION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    PARAMETER_DEFINITION,
    PROPERTY_DEFINITION,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.extract.yielding import release_entries
from graphls.languages.provider import World
from graphls.languages.python.types import flags
from graphls.languages.python.types.annotations import Annotations
from graphls.languages.python.types.builtin_names import MAPPINGS
from graphls.languages.python.types.calls import PyCallResolution, self_bindings
from graphls.languages.python.types.classes import Classes, PyMember, declared, substitute
from graphls.languages.python.types.containers import Containers
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.fixtures import PyFixtureInference
from graphls.languages.python.types.names import PyNameLookup
from graphls.languages.python.types.narrowing import Narrowing
from graphls.languages.python.types.outside import LibraryLookup
from graphls.languages.python.types.queries import PyQueries
from graphls.languages.python.types.units import GivenArguments, PyUnit
from graphls.languages.python.types.values import (
    CROWD,
    NO_INFERENCE,
    NOTHING,
    PyCallable,
    PyClass,
    PyExternalInstance,
    PyFunction,
    PyInference,
    PyInstance,
    PyNamespace,
    PyRule,
    PySuper,
    PyTuple,
    PyTypeVariable,
    Receiver,
    Value,
    Values,
    after,
    class_self_of,
    holding,
    join,
    self_of,
    solid,
)
from graphls.languages.resolve.cycle_guard import NOT_CACHED
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, Module

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION, PROPERTY_DEFINITION})
_HOLDERS: Final = frozenset({VARIABLE_DEFINITION, CONSTANT_DEFINITION, FIELD_DEFINITION})
_CLASS_RECEIVERS: Final = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_TRANSPARENT: Final = frozenset(
    {"contextmanager", "asynccontextmanager", "staticmethod", "classmethod", "abstractmethod", "overload", "wraps"}
    | {"override", "final", "cache", "lru_cache", "setter", "getter", "deleter", "no_type_check", "deprecated"}
)
"""Decorators that give back the same callable, as far as its calls are concerned."""


_Rule: TypeAlias = Callable[[PyUnit, int], PyInference]


@final
class PyTypeInference(PyQueries):
    """Values of expressions, and the parts that find them."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self.context = context = PyContext(path, facts, world)
        context.queries = self
        self.own = context.own
        self.names = names = PyNameLookup(context)
        self.library = library = LibraryLookup(context, names)
        self.classes = classes = Classes(context, names, library)
        self.annotations = annotations = Annotations(context=context, names=names, library=library, classes=classes)
        self.narrowing = Narrowing(context, library, classes)
        self.containers = containers = Containers(
            context=context, library=library, classes=classes, annotations=annotations
        )
        self.calls = PyCallResolution(
            context=context, library=library, classes=classes, annotations=annotations, containers=containers
        )
        self.fixtures = PyFixtureInference(
            context=context, names=names, classes=classes, annotations=annotations, containers=containers
        )
        self._rules: Mapping[int, _Rule] = self._rules_of_kinds()
        self._single: dict[tuple[str, int], PyInference] = {}

    def release(self) -> None:
        """Ends the questions: parts and context no longer lead back here, so all of it is freed at once."""
        self._rules = {}
        del self.context.queries
        self.context.release_memo()
        release_entries(self._single)

    def _rules_of_kinds(self) -> Mapping[int, _Rule]:
        return {
            MEMBER_EXPRESSION: self.member,
            CALL_EXPRESSION: self.calls.call,
            SUBSCRIPT_EXPRESSION: self.containers.subscript,
            UNION_EXPRESSION: self.union,
            TUPLE_EXPRESSION: self.displayed_tuple,
            COLLECTION_EXPRESSION: self.collection,
            LITERAL_EXPRESSION: self.literal,
            AWAIT_EXPRESSION: self.containers.awaited,
            ELEMENT_EXPRESSION: self.containers.element,
            ITEM_EXPRESSION: self.containers.item,
            ENTER_EXPRESSION: self.containers.entered,
            MODULE_EXPRESSION: self.module,
            EXCEPTION_EXPRESSION: self.containers.caught,
            LAMBDA_EXPRESSION: self.lambda_of,
            STARRED_EXPRESSION: self.operand,
            FUNCTION_EXPRESSION: self.function_of,
            TYPE_EXPRESSION: self.typed,
            NARROWED_EXPRESSION: self.narrowed_value,
        }

    def denote(self, unit: PyUnit, expression: int) -> Values:
        """Values of what an annotation denotes."""
        return self.annotations.denote(unit, expression)

    def member_spot(self, cls: PyClass, name: str) -> DefinitionRef | None:
        """Where a class or one of its bases defines a member."""
        return self.classes.member_spot(cls, name)

    def opaque(self, cls: PyClass | PyInstance) -> bool:
        """Whether some base is unknown or outside, so that members may exist which no file shows."""
        return self.classes.opaque(cls)

    def returned(self, unit: PyUnit, row: int, receiver: Receiver | None) -> PyInference:
        """What a function gives back, bound to a receiver."""
        return self.calls.returned(unit, row, receiver)

    def any_overload(self, functions: Sequence[PyFunction], unit: PyUnit, given: GivenArguments) -> PyInference:
        """Any of several signatures that the arguments fit."""
        return self.calls.any_overload(functions, unit, given)

    def infer(self, unit: PyUnit, expression: int) -> PyInference:
        """Values an expression may have; empty when code does not decide."""
        if expression < 0:
            return NO_INFERENCE
        kind = unit.expressions.kind[expression]
        if kind == NAME_EXPRESSION:
            return self.name(unit, expression)
        rule = self._rules.get(kind)
        if rule is None:
            return NO_INFERENCE
        guard = self.context.beyond if unit.library else self.context
        key = (unit.file, expression)
        known = guard.cached(key)
        if known is not NOT_CACHED:
            return cast("PyInference", known)
        return guard.guarded(key, partial(rule, unit, expression), NO_INFERENCE)

    def name(self, unit: PyUnit, expression: int) -> PyInference:
        """A plain name: what its reaching bindings hold, tests on the way considered."""
        table = unit.expressions
        text, scope, use = unit.strings[table.a[expression]], table.b[expression], table.c[expression]
        rows = self.names.lookup(unit, scope, text, use)
        if not rows:
            key = ("free", unit.file, scope, text)
            guard = self.context.beyond if unit.library else self.context
            return guard.guarded(
                key, lambda: self._answer_values(self.names.name_answer(unit, scope, text)), NO_INFERENCE
            )
        if unit.own and use >= 0 and 1 < len(rows) <= MAX_BINDINGS and unit.scope[rows[0]] == scope:
            rows = self.context.flow.reaching(rows, use) or rows
        if len(rows) == 1:
            inference = self._single.get((unit.file, rows[0])) or self._single_value(unit, rows[0])
        else:
            inference = self.rows_value(unit, rows)
        if unit.own and use >= 0 and text in self.narrowing.narrowed_names:
            return self.narrowing.narrowed(inference, text, use, rows)
        return inference

    def _single_value(self, unit: PyUnit, row: int) -> PyInference:
        """`value_of`, with a shorter way to what is settled: receivers and parameters stand behind most members."""
        inference = self.value_of(unit, row)
        if self.context.is_cached(("value", unit.file, row)):
            self._single[unit.file, row] = inference
        return inference

    def rows_value(self, unit: PyUnit, rows: Sequence[int]) -> PyInference:
        """Any of several bindings."""
        if len(rows) > MAX_BINDINGS:
            key = ("crowded value", unit.file, unit.scope[rows[0]], unit.name[rows[0]], len(rows))
            return self.context.guard(unit.file).guarded(key, partial(self._crowd_value, unit, rows), NO_INFERENCE)
        return join(tuple(self.value_of(unit, row) for row in declared(unit, rows)))

    def _crowd_value(self, unit: PyUnit, rows: Sequence[int]) -> PyInference:
        declaring = declared(unit, rows)
        return CROWD if len(declaring) > MAX_BINDINGS else join(tuple(self.value_of(unit, row) for row in declaring))

    def _answer_values(self, answer: DefinitionRefs) -> PyInference:
        parts: list[PyInference] = []
        for ref in answer:
            if isinstance(ref, External):
                parts.append(self._outside_value(ref))
            elif ref.row < 0:
                parts.append(PyInference((Module(ref.file),), PyRule.IMPORT))
            else:
                parts.append(self.value_of(self.context.unit(ref.file), ref.row))
        return join(tuple(parts))

    def _outside_value(self, named: External) -> PyInference:
        """What a dotted name outside holds: a variable's declared value, else the thing itself."""
        ref = self.library.located(named.dotted)
        if ref is not None and ref.row >= 0:
            unit = self.context.unit(ref.file)
            if unit.kind[ref.row] in _HOLDERS and (unit.type[ref.row] >= 0 or unit.value[ref.row] >= 0):
                inference = self.value_of(unit, ref.row)
                if inference.values and not any(map(_is_form, inference.values)):
                    return inference
        return PyInference((named,), PyRule.EXTERNAL)

    def value_of(self, unit: PyUnit, row: int) -> PyInference:
        """What a binding holds."""
        kind = unit.kind[row]
        if kind == CLASS_DEFINITION:
            return PyInference((self.classes.class_value(unit, row),), PyRule.GLOBAL)
        if kind in _FUNCTIONS and not unit.decorators(row):
            return PyInference((PyFunction(unit.file, row),), PyRule.GLOBAL)
        guard = self.context.beyond if unit.library else self.context
        key = ("value", unit.file, row)
        known = guard.cached(key)
        if known is not NOT_CACHED:
            return cast("PyInference", known)
        return guard.guarded(key, partial(self._value_of, unit, row), NO_INFERENCE)

    def _value_of(self, unit: PyUnit, row: int) -> PyInference:
        kind = unit.kind[row]
        if kind in _FUNCTIONS:
            return self._decorated(unit, row)
        if kind == IMPORT_DEFINITION:
            answer = self.names.imported(unit, row)
            return self._answer_values(answer) if answer else self._folder_imported(unit, unit.value[row])
        if kind == PARAMETER_DEFINITION:
            return self._parameter(unit, row)
        if kind == TYPE_PARAMETER_DEFINITION:
            return PyInference((self.annotations.variable(unit, row, unit.type[row]),), PyRule.ANNOTATED)
        if kind == ENUM_MEMBER_DEFINITION:
            owner = self.classes.class_of_method(unit, row)
            return PyInference((PyInstance(owner.file, owner.row),), PyRule.CLASS_MEMBER) if owner else NO_INFERENCE
        if unit.type[row] >= 0:
            declared_values = self.annotations.denote(unit, unit.type[row])
            if declared_values:
                return self._assigned(unit, row, PyInference(declared_values, PyRule.ANNOTATED))
        if unit.value[row] < 0:
            return NO_INFERENCE
        return self.infer(unit, unit.value[row])

    def _folder_imported(self, unit: PyUnit, value: int) -> PyInference:
        """An import of a folder of modules without a file of its own: no place to lead to, but modules are in it."""
        if value < 0:
            return NO_INFERENCE
        kind, a, b = unit.expressions.kind[value], unit.expressions.a[value], unit.expressions.b[value]
        if kind == MODULE_EXPRESSION:
            found = self.names.module_at(unit, unit.strings[a], b)
            return PyInference((found,), PyRule.IMPORT) if isinstance(found, PyNamespace) else NO_INFERENCE
        if kind == MEMBER_EXPRESSION and unit.expressions.kind[a] == MODULE_EXPRESSION:
            around = self.names.module_at(unit, unit.strings[unit.expressions.a[a]], unit.expressions.b[a])
            return self._folder(around, unit.strings[b]) if isinstance(around, PyNamespace) else NO_INFERENCE
        return NO_INFERENCE

    def _folder(self, around: PyNamespace, name: str) -> PyInference:
        """A folder of modules in another."""
        found = self.names.module_named(f"{around.dotted}.{name}", self.context.path, relative=True)
        return PyInference((found,), PyRule.IMPORT) if isinstance(found, PyNamespace) else NO_INFERENCE

    def _decorated(self, unit: PyUnit, row: int) -> PyInference:
        """A function behind its decorators: itself, unless one evidently gives back an object of another kind."""
        plain: Value = PyFunction(unit.file, row)
        inference = PyInference((plain,), PyRule.GLOBAL)
        if unit.kind[row] == PROPERTY_DEFINITION:
            return inference
        for expression, name in reversed(unit.decorators(row)):
            if name in _TRANSPARENT:
                continue
            made: dict[Value, None] = {}
            for decorator in self.infer(unit, expression).values:
                made.update(dict.fromkeys(self._applied(decorator, inference.values)))
            objects = tuple(value for value in made if isinstance(value, (PyInstance, PyClass, PyExternalInstance)))
            if objects:
                inference = PyInference(objects, PyRule.DECORATED, False)
        return inference

    def _applied(self, decorator: Value, given: Values) -> Values:
        """What calling a decorator with a function gives, as far as annotations say."""
        if isinstance(decorator, PyClass):
            return (PyInstance(decorator.file, decorator.row),)
        if isinstance(decorator, PyCallable):
            return decorator.returns
        if isinstance(decorator, PyFunction):
            unit = self.context.unit(decorator.file)
            rows = unit.returns(decorator.row)
            annotated = rows and rows[0][0] >= 0 and unit.expressions.kind[rows[0][0]] == TYPE_EXPRESSION
            return self.calls.returned(unit, decorator.row, decorator.receiver).values if annotated else given
        return given

    def _assigned(self, unit: PyUnit, row: int, declaration: PyInference) -> PyInference:
        """A local `x: Base = Derived()` holds a Derived."""
        owner_scope = unit.scope[row]
        if unit.value[row] < 0 or not unit.own or owner_scope == 0 or unit.kind[row] != VARIABLE_DEFINITION:
            return declaration
        value = self.infer(unit, unit.value[row])
        if value.sure and value.values and all(isinstance(item, PyInstance) for item in value.values):
            return value
        return declaration

    def _parameter(self, unit: PyUnit, row: int) -> PyInference:
        bits = unit.flags[row]
        function = unit.scope_owner[unit.scope[row]]
        if unit.type[row] >= 0:
            values = self.annotations.denote(unit, unit.type[row])
            if bits & flags.RECEIVER and function >= 0 and any(isinstance(value, PyTypeVariable) for value in values):
                return self._receiver(unit, function)
            if bits & flags.VARIADIC:
                values = (PyExternalInstance("builtins.tuple", (values,)),)
            elif bits & flags.KEYWORDS:
                values = (PyExternalInstance("builtins.dict", ((PyExternalInstance("builtins.str"),), values)),)
            return PyInference(values, PyRule.ANNOTATED, partial=not values)
        if bits & flags.RECEIVER and function >= 0:
            return self._receiver(unit, function)
        if bits & (flags.VARIADIC | flags.KEYWORDS):
            return NO_INFERENCE
        inherited = self._inherited_parameter(unit, row, function)
        if inherited.values:
            return inherited
        given = self.fixtures.fixture(unit, row, function) if unit.value[row] < 0 else NO_INFERENCE
        if given.values:
            return given
        if unit.value[row] >= 0:
            default = self.infer(unit, unit.value[row])
            if not bits & flags.DEFAULTED:  # what a built-in function gives a lambda
                return default
            values = tuple(value for value in default.values if value != NOTHING)
            return PyInference(values, PyRule.DEFAULT, False, True)
        return NO_INFERENCE

    def _receiver(self, unit: PyUnit, function: int) -> PyInference:
        owner = self.classes.class_of_method(unit, function)
        if owner is None:
            return NO_INFERENCE
        if unit.flags[function] & flags.CLASSMETHOD or unit.text(function) in _CLASS_RECEIVERS:
            return PyInference((class_self_of(owner),), PyRule.RECEIVER)
        meta = any(self.classes.entry_name(entry) == "builtins.type" for entry in self.classes.order(owner))
        return PyInference((self_of(owner),), PyRule.RECEIVER, sure=not meta)

    def _inherited_parameter(self, unit: PyUnit, row: int, function: int) -> PyInference:
        """An override's bare parameter takes the annotation that the overridden method gives it."""
        owner = self.classes.class_of_method(unit, function) if function >= 0 else None
        if owner is None:
            return NO_INFERENCE
        found = self.classes.class_member(owner, unit.text(function), after=owner)
        if found is None:
            return NO_INFERENCE
        other = self.context.unit(found.holder.file)
        for method in found.rows:
            for parameter in other.parameters(method):
                if other.text(parameter) == unit.text(row) and other.type[parameter] >= 0:
                    return PyInference(self.annotations.denote(other, other.type[parameter]), PyRule.ANNOTATED)
        return NO_INFERENCE

    def member(self, unit: PyUnit, expression: int) -> PyInference:
        """`base.name`."""
        table = unit.expressions
        base, name = table.a[expression], unit.strings[table.b[expression]]
        if table.kind[base] == MODULE_EXPRESSION:
            module = self.names.module_at(unit, unit.strings[table.a[base]], table.b[base])
            return self._answer_values(self.names.module_member(module, name)) if module else NO_INFERENCE
        before = self.infer(unit, base)
        inference = self.members_of(before, name)
        if unit.own and table.c[expression] >= 0 and name in self.narrowing.narrowed_names:
            key = self.narrowing.dotted(unit, expression)
            if key:
                return self.narrowing.narrowed(inference, key, table.c[expression], ())
        return inference

    def members_of(self, before: PyInference, name: str) -> PyInference:
        values = [value for value in before.values if value != NOTHING]
        if not values:
            return NO_INFERENCE
        joined = join(tuple(self.member_value(value, name) for value in values))
        return after(joined, before)

    def member_value(self, value: Value, name: str) -> PyInference:
        """What reading a member of a value gives."""
        if name == "__class__":
            return PyInference(self.calls.class_of(value), PyRule.CLASS_MEMBER)
        found = self.classes.find(value, name)
        if found is None:
            inner = solid(value)
            if isinstance(inner, PyInstance):
                return self._dynamic_member(value, inner)
            return self._folder(inner, name) if isinstance(inner, PyNamespace) else self._external_member(inner, name)
        if isinstance(found, tuple):
            member = self._answer_values(found)
            return PyInference(member.values, PyRule.MODULE_MEMBER, member.sure, member.partial)
        return self._bound_member(value, found)

    def _dynamic_member(self, value: Value, inner: PyInstance) -> PyInference:
        """A member that no class defines, where a `__getattr__` says in its annotation what it gives."""
        found = self.classes.class_member(inner, "__getattr__")
        if found is None or not isinstance(value, (PyInstance, PyTypeVariable)):
            return NO_INFERENCE
        unit = self.context.unit(found.holder.file)
        annotated_rows = [row for row in found.rows if unit.returns(row) and self._is_annotated(unit, row)]
        return join(tuple(self.calls.returned(unit, row, value) for row in annotated_rows))

    def _is_annotated(self, unit: PyUnit, row: int) -> bool:
        first = unit.returns(row)[0][0]
        return first >= 0 and unit.expressions.kind[first] == TYPE_EXPRESSION

    def _bound_member(self, value: Value, found: PyMember) -> PyInference:
        """A class member read through a value: methods are bound, properties computed, variables replaced."""
        if found.crowded:
            return CROWD
        unit = self.context.unit(found.holder.file)
        receiver: Value = value.of if isinstance(value, PySuper) else value
        if isinstance(receiver, (PyExternalInstance, External, PyTuple)):
            receiver = self.library.with_readable_class(receiver)
        bound = receiver if isinstance(receiver, (PyInstance, PyClass, PyTypeVariable)) else None
        bindings = {**self.classes.bindings(found.holder), **self_bindings(bound)}
        parts: list[PyInference] = []
        for row in found.rows:
            if unit.kind[row] == PROPERTY_DEFINITION and bound and isinstance(solid(bound), PyInstance):
                parts.append(self.calls.returned(unit, row, bound))
            elif unit.kind[row] in _FUNCTIONS:
                parts.append(PyInference((PyFunction(unit.file, row, bound),), PyRule.CLASS_MEMBER))
            else:
                inference = self.value_of(unit, row)
                if not unit.flags[row] & flags.INSTANCE:
                    inference = self._apply_descriptor(inference, isinstance(solid(receiver), PyInstance))
                parts.append(self._attribute(unit, row, found, inference))
        joined = join(tuple(parts))
        values = substitute(joined.values, bindings)
        if unit.library:
            values = self.library.outward_values(values)
        return PyInference(values, joined.rule, joined.sure and not found.outside, joined.partial)

    def _apply_descriptor(self, inference: PyInference, on_instance: bool) -> PyInference:
        """What reading an attribute of a class gives: of a descriptor what its `__get__` gives."""
        parts: list[PyInference] = []
        for value in inference.values:
            getter = self.classes.class_member(value, "__get__") if isinstance(value, PyInstance) else None
            if getter is None or not isinstance(value, PyInstance):
                parts.append(holding(inference, (value,)))
                continue
            unit = self.context.unit(getter.holder.file)
            fitting = [row for row in getter.rows if self._is_read_from(unit, row, on_instance)]
            parts.append(join(tuple(self.calls.returned(unit, row, value) for row in fitting or getter.rows)))
        return join(tuple(parts)) if parts else inference

    def _is_read_from(self, unit: PyUnit, row: int, on_instance: bool) -> bool:
        """Whether a `__get__` is for reading through an instance: its signatures tell by a parameter that is None."""
        parameters = unit.parameters(row)
        if len(parameters) < 2 or unit.type[parameters[1]] < 0:
            return True
        return (self.annotations.denote(unit, unit.type[parameters[1]]) != (NOTHING,)) == on_instance

    def _attribute(self, unit: PyUnit, row: int, found: PyMember, inference: PyInference) -> PyInference:
        """An attribute without annotation: evident from its assignments; a base may declare its type."""
        if unit.type[row] >= 0 or unit.kind[row] not in (FIELD_DEFINITION, VARIABLE_DEFINITION):
            return inference
        base = self.classes.class_member(
            found.holder, unit.text(row), after=PyClass(found.holder.file, found.holder.row)
        )
        if base:
            other = self.context.unit(base.holder.file)
            for declared_row in base.rows:
                if other.type[declared_row] >= 0:
                    return self.value_of(other, declared_row)
        if inference.rule == PyRule.CONSTRUCTED:
            return inference
        return PyInference(inference.values, PyRule.ATTRIBUTE, inference.sure, inference.partial)

    def _external_member(self, value: Value, name: str) -> PyInference:
        if isinstance(value, PyExternalInstance) and value.dotted in MAPPINGS and len(value.arguments) == 2:
            key, item = value.arguments
            made: dict[str, Values] = {
                "values": (PyExternalInstance("builtins.list", (item,)),),
                "keys": (PyExternalInstance("builtins.list", (key,)),),
                "items": (PyExternalInstance("builtins.list", ((PyTuple((key, item)),),)),),
                "get": item,
                "pop": item,
                "setdefault": item,
                "copy": (value,),
            }
            if name in made:
                return PyInference((PyCallable(made[name]),), PyRule.ELEMENT, sure=False)
        if isinstance(value, PyExternalInstance) and len(value.arguments) == 1:
            if name in ("pop", "popleft"):
                return PyInference((PyCallable(value.arguments[0]),), PyRule.ELEMENT, sure=False)
            if name == "copy":
                return PyInference((PyCallable((value,)),), PyRule.ELEMENT, sure=False)
        return NO_INFERENCE

    def union(self, unit: PyUnit, expression: int) -> PyInference:
        """Any of several expressions."""
        parts = tuple(self.infer(unit, item) for item in unit.list_at(unit.expressions.a[expression]))
        return join(parts)

    def displayed_tuple(self, unit: PyUnit, expression: int) -> PyInference:
        """`(a, b)`."""
        items = unit.list_at(unit.expressions.a[expression])
        return PyInference((PyTuple(tuple(self.infer(unit, item).values for item in items)),), PyRule.CONSTRUCTED)

    def collection(self, unit: PyUnit, expression: int) -> PyInference:
        """`[a, b]`, `{k: v}`, comprehensions."""
        table = unit.expressions
        name = f"builtins.{unit.strings[table.b[expression]]}"
        values = join(tuple(self.infer(unit, item) for item in unit.list_at(table.a[expression]))).values
        if table.c[expression] >= 0:
            keys = join(tuple(self.infer(unit, item) for item in unit.list_at(table.c[expression]))).values
            return PyInference((PyExternalInstance(name, (keys, values)),), PyRule.CONSTRUCTED, False)
        return PyInference((PyExternalInstance(name, (values,)),), PyRule.CONSTRUCTED, False)

    def literal(self, unit: PyUnit, expression: int) -> PyInference:
        """A constant."""
        name = unit.strings[unit.expressions.a[expression]]
        value: Value = NOTHING if name == "None" else PyExternalInstance(f"builtins.{name}")
        return PyInference((value,), PyRule.CONSTRUCTED)

    def function_of(self, unit: PyUnit, expression: int) -> PyInference:
        """A definition used as a value."""
        return self.value_of(unit, unit.expressions.a[expression])

    def lambda_of(self, unit: PyUnit, expression: int) -> PyInference:
        """A lambda: known by its body."""
        return PyInference((PyCallable(self.infer(unit, unit.expressions.a[expression]).values),), PyRule.CONSTRUCTED)

    def module(self, unit: PyUnit, expression: int) -> PyInference:
        """A module by name."""
        found = self.names.module_at(unit, unit.strings[unit.expressions.a[expression]], unit.expressions.b[expression])
        return PyInference((found,), PyRule.IMPORT) if found else NO_INFERENCE

    def typed(self, unit: PyUnit, expression: int) -> PyInference:
        """An instance of what an annotation denotes."""
        return PyInference(self.annotations.denote(unit, unit.expressions.a[expression]), PyRule.ANNOTATED)

    def operand(self, unit: PyUnit, expression: int) -> PyInference:
        """Kinds whose value is their operand's."""
        return self.infer(unit, unit.expressions.a[expression])

    def narrowed_value(self, unit: PyUnit, expression: int) -> PyInference:
        """A value that a test proved to be of a class."""
        table = unit.expressions
        if table.c[expression] == 1 and table.b[expression] >= 0:
            proved = self.narrowing.tested(unit, table.b[expression])
            if proved:
                return PyInference(proved, PyRule.NARROWED)
        return self.infer(unit, table.a[expression])


def _is_form(value: Value) -> bool:
    """`TypedDict`, `Optional` and the like: nothing but a name with a meaning of its own."""
    return isinstance(value, PyExternalInstance) and value.dotted == "typing._SpecialForm"
