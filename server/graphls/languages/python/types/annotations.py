"""Annotations: what a type expression denotes.

Owns: special forms of `typing`, aliases, generic arguments, type variables.
Must not know: how values flow.
Invariant: a form that is not understood denotes nothing known, never its nearest likeness.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    CONSTANT_DEFINITION,
    FIELD_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.python.types.builtin_names import AWAITABLES, TYPING, WRAPPERS
from graphls.languages.python.types.classes import Classes
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.names import PyNameLookup
from graphls.languages.python.types.outside import LibraryLookup
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import (
    NOTHING,
    UNKNOWN,
    PyAwaitable,
    PyCallable,
    PyExternalInstance,
    PyInstance,
    PyTuple,
    PyTypeVariable,
    Value,
    Values,
    classes_of,
)
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, is_generic

_BOUND: Final = "bound"
_DEFINED_TYPES: Final = frozenset({TYPE_ALIAS_DEFINITION, VARIABLE_DEFINITION, CONSTANT_DEFINITION, FIELD_DEFINITION})

_BUILTIN_ALIASES = {
    "typing.List": "builtins.list",
    "typing.Set": "builtins.set",
    "typing.FrozenSet": "builtins.frozenset",
    "typing.Dict": "builtins.dict",
    "typing.Tuple": "builtins.tuple",
    "typing.Type": "builtins.type",
    "typing.Text": "builtins.str",
    "typing.DefaultDict": "collections.defaultdict",
    "typing.Deque": "collections.deque",
}


@final
class Annotations:
    """Type expressions."""

    def __init__(self, *, context: PyContext, names: PyNameLookup, library: LibraryLookup, classes: Classes) -> None:
        self._context = context
        self._names = names
        self._library = library
        self._classes = classes

    def denote(self, unit: PyUnit, expression: int) -> Values:
        """Values an annotation stands for: instances, classes for `type[X]`, variables; () when unknown."""
        if expression < 0:
            return UNKNOWN
        guard = self._context.beyond if unit.library else self._context
        return guard.guarded(("denote", unit.file, expression), lambda: self._denote(unit, expression), UNKNOWN)

    def _denote(self, unit: PyUnit, expression: int) -> Values:
        kind, a, b = self._shape(unit, expression)
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            return self._answers(self.answer_of(unit, expression), unit)
        if kind == SUBSCRIPT_EXPRESSION:
            return self._subscript(unit, a, b)
        if kind in (UNION_EXPRESSION, TUPLE_EXPRESSION):
            return self._any_of(unit, unit.list_at(a))
        if kind == LITERAL_EXPRESSION:
            return (NOTHING,) if unit.strings[a] == "None" else UNKNOWN
        if kind in (TYPE_EXPRESSION, STARRED_EXPRESSION):
            return self.denote(unit, a)
        return UNKNOWN

    def _shape(self, unit: PyUnit, expression: int) -> tuple[int, int, int]:
        table = unit.expressions
        return table.kind[expression], table.a[expression], table.b[expression]

    def _any_of(self, unit: PyUnit, expressions: Iterable[int]) -> Values:
        made: dict[Value, None] = {}
        for item in expressions:
            made.update(dict.fromkeys(self.denote(unit, item)))
        return tuple(made)

    def answer_of(self, unit: PyUnit, expression: int) -> DefinitionRefs:
        """Definitions that a dotted name in a type expression means."""
        kind, a, b = self._shape(unit, expression)
        if kind == NAME_EXPRESSION:
            return self._names.name_answer(unit, b, unit.strings[a], unit.expressions.c[expression])
        if kind == MODULE_EXPRESSION:
            return ()
        if kind != MEMBER_EXPRESSION:
            return ()
        name = unit.strings[b]
        found: dict[DefinitionRef | External, None] = {}
        for value in self._context.queries.infer(unit, a).values:
            member = self._classes.find(value, name)
            if isinstance(member, tuple):
                found.update(dict.fromkeys(member))
            elif member is not None:
                found.update(dict.fromkeys(DefinitionRef(member.holder.file, row) for row in member.rows))
        return tuple(found)

    def _answers(self, answer: DefinitionRefs, unit: PyUnit) -> Values:
        made: dict[Value, None] = {}
        for ref in answer:
            made.update(dict.fromkeys(self._denoted_by(ref)))
        return tuple(made)

    def _denoted_by(self, ref: DefinitionRef | External) -> Values:
        if isinstance(ref, External):
            return self._outside_form(ref.dotted)
        if ref.row < 0:
            return UNKNOWN
        unit = self._context.unit(ref.file)
        kind = unit.kind[ref.row]
        if kind == CLASS_DEFINITION:
            return self._library.outward_values((PyInstance(ref.file, ref.row),))
        if kind == TYPE_PARAMETER_DEFINITION:
            return (self.variable(unit, ref.row, unit.type[ref.row]),)
        if kind in _DEFINED_TYPES and unit.value[ref.row] >= 0:
            return self._alias(unit, ref.row)
        return UNKNOWN

    def _outside_form(self, dotted: str) -> Values:
        """An unsubscripted name from outside: a special form, a class, or what an alias stands for."""
        form = _external_form(dotted)
        if not form or not isinstance(form[0], PyExternalInstance):
            return form
        ref = self._library.located(dotted)
        if ref is None or ref.row < 0:
            return form
        unit = self._context.unit(ref.file)
        aliased = unit.kind[ref.row] in _DEFINED_TYPES and unit.value[ref.row] >= 0
        return self._alias(unit, ref.row) if aliased else form

    def literals(self, unit: PyUnit, expression: int) -> frozenset[str] | None:
        """The only texts that an annotation allows, as `Literal["r", "w"]` does; None where it allows others."""
        if expression < 0:
            return None
        guard = self._context.beyond if unit.library else self._context
        key = ("literals", unit.file, expression)
        return guard.guarded(key, lambda: self._literals(unit, expression), None)

    def _literals(self, unit: PyUnit, expression: int) -> frozenset[str] | None:
        kind, a, b = self._shape(unit, expression)
        if kind in (TYPE_EXPRESSION, STARRED_EXPRESSION):
            return self.literals(unit, a)
        if kind in (UNION_EXPRESSION, TUPLE_EXPRESSION):
            return self._all_of(self.literals(unit, item) for item in unit.list_at(a))
        if kind == LITERAL_EXPRESSION:
            return frozenset() if unit.strings[a] == "None" else None
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            return self._all_of(self._named_literals(ref) for ref in self.answer_of(unit, expression))
        if kind != SUBSCRIPT_EXPRESSION:
            return None
        forms = {_typing_name(ref.dotted) for ref in self.answer_of(unit, a) if isinstance(ref, External)}
        if forms == {"Literal"}:
            return self._all_of(self._text_of(unit, item) for item in unit.list_at(b))
        if forms and forms <= {"Optional", "Union"}:
            return self._all_of(self.literals(unit, item) for item in unit.list_at(b))
        return None

    def _named_literals(self, ref: DefinitionRef | External) -> frozenset[str] | None:
        """Those of what a name is an alias of."""
        found = self._library.located(ref.dotted) if isinstance(ref, External) else ref
        if found is None or found.row < 0:
            return None
        unit = self._context.unit(found.file)
        return self.literals(unit, unit.value[found.row]) if unit.kind[found.row] in _DEFINED_TYPES else None

    def _text_of(self, unit: PyUnit, item: int) -> frozenset[str] | None:
        """That of one part of `Literal["r", None]`."""
        text = unit.literal_text(item)
        if text is not None:
            return frozenset((text,))
        return frozenset() if self.denote(unit, item) == (NOTHING,) else None

    def _all_of(self, parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
        found = list(parts)
        if not found or any(part is None for part in found):
            return None
        return frozenset(text for part in found if part is not None for text in part)

    def _alias(self, unit: PyUnit, row: int) -> Values:
        """A name bound to a type expression, a type variable or a new type."""
        value = unit.value[row]
        kind, a, b = self._shape(unit, value)
        if kind == CALL_EXPRESSION:
            arguments = unit.list_at(b)
            for callee in self._context.queries.infer(unit, a).values:
                form = _form(callee)
                if form in ("TypeVar", "ParamSpec", "TypeVarTuple"):
                    return (self.variable(unit, row, unit.named(value, _BOUND)),)
                if form == "NewType" and len(arguments) > 1:
                    return self.denote(unit, arguments[1])
            return UNKNOWN
        return self.denote(unit, value)

    def variable(self, unit: PyUnit, row: int, upper: int) -> PyTypeVariable:
        """A type variable that a row declares. `upper`: the expression of what it has at least; of a choice of several,
        or one that speaks of the variable, nothing is known."""
        guard = self._context.beyond if unit.library else self._context
        key = ("upper", unit.file, row)
        known = guard.guarded(key, lambda: self.denote(unit, upper), UNKNOWN) if upper >= 0 else UNKNOWN
        return PyTypeVariable(unit.text(row), upper=known if len(known) == 1 and not is_generic((known,)) else UNKNOWN)

    def _subscript(self, unit: PyUnit, base: int, arguments: int) -> Values:
        items = unit.list_at(arguments)
        made: dict[Value, None] = {}
        answers = self.answer_of(unit, base)
        for ref in answers:
            if isinstance(ref, External):
                made.update(dict.fromkeys(self._special(unit, ref.dotted, list(items))))
            elif ref.row >= 0:
                made.update(dict.fromkeys(self._generic(unit, ref, list(items))))
        return tuple(made)

    def _generic(self, unit: PyUnit, ref: DefinitionRef, items: list[int]) -> Values:
        other = self._context.unit(ref.file)
        if other.kind[ref.row] != CLASS_DEFINITION:
            return self._generic_alias(unit, ref, items) or self._denoted_by(ref)
        arguments = tuple(self.denote(unit, item) for item in items)
        return self._library.outward_values((PyInstance(ref.file, ref.row, arguments),))

    def _generic_alias(self, unit: PyUnit, ref: DefinitionRef, items: list[int]) -> Values:
        """`Future = asyncio.Future` and then `Future[X]`: the arguments are those of what the other name is for."""
        other = self._context.unit(ref.file)
        value = other.value[ref.row] if other.kind[ref.row] in _DEFINED_TYPES else -1
        if value < 0 or other.expressions.kind[value] not in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            return UNKNOWN
        made: dict[Value, None] = {}
        for answer in self.answer_of(other, value):
            if isinstance(answer, External):
                made.update(dict.fromkeys(self._special(unit, answer.dotted, items)))
            elif answer.row >= 0 and self._context.unit(answer.file).kind[answer.row] == CLASS_DEFINITION:
                made.update(dict.fromkeys(self._generic(unit, answer, items)))
        return tuple(made)

    def _special(self, unit: PyUnit, dotted: str, items: list[int]) -> Values:
        form = _typing_name(dotted)
        if form in WRAPPERS:
            inner = self.denote(unit, items[0]) if items else UNKNOWN
            return (*inner, NOTHING) if form == "Optional" and inner else inner
        if form == "Union":
            return self._any_of(unit, items)
        if form in ("Literal", "LiteralString"):
            kinds = [self._shape(unit, item) for item in items if item >= 0]
            names = [unit.strings[a] for kind, a, _ in kinds if kind == LITERAL_EXPRESSION]
            return tuple(dict.fromkeys(PyExternalInstance(f"builtins.{name}") for name in names))
        if form == "Type" or dotted == "builtins.type":
            return classes_of(self.denote(unit, items[0])) if items else UNKNOWN
        if form == "Callable" or dotted == "collections.abc.Callable":
            return (PyCallable(self.denote(unit, items[-1])),) if items else UNKNOWN
        if form in AWAITABLES or dotted.rpartition(".")[2] in AWAITABLES:
            return (PyAwaitable(self.denote(unit, items[-1])),) if items else UNKNOWN
        canonical = _BUILTIN_ALIASES.get(dotted, dotted)
        if canonical == "builtins.tuple":
            return self._tuple(unit, items)
        plain = self._outside_form(canonical)
        if plain != (PyExternalInstance(canonical),):
            return plain
        return (PyExternalInstance(canonical, tuple(self.denote(unit, item) for item in items)),)

    def _tuple(self, unit: PyUnit, items: list[int]) -> Values:
        """`tuple[X, Y]`, or `tuple[X, ...]` for any length."""
        if len(items) == 2:
            last = items[1]
            if last < 0 or (
                self._shape(unit, last)[0] == LITERAL_EXPRESSION
                and unit.strings[self._shape(unit, last)[1]] in ("Ellipsis", "ellipsis", "...")
            ):
                return (PyExternalInstance("builtins.tuple", (self.denote(unit, items[0]),)),)
        return (PyTuple(tuple(self.denote(unit, item) for item in items)),)


def _typing_name(dotted: str) -> str:
    """`Optional` for `typing.Optional`; "" for names of other modules."""
    for prefix in TYPING:
        if dotted.startswith(prefix):
            return dotted[len(prefix) :]
    return ""


def _form(value: Value) -> str:
    return _typing_name(value.dotted) if isinstance(value, External) else ""


def _external_form(dotted: str) -> Values:
    """An unsubscripted name from outside."""
    form = _typing_name(dotted)
    if form == "Self":
        return (PyTypeVariable("Self"),)
    if form == "LiteralString":
        return (PyExternalInstance("builtins.str"),)
    if form in (
        "Any",
        "Optional",
        "Union",
        "Callable",
        "ClassVar",
        "Final",
        "TypeAlias",
        "Literal",
        "Never",
        "NoReturn",
    ):
        return UNKNOWN
    return (PyExternalInstance(_BUILTIN_ALIASES.get(dotted, dotted)),)
