"""Fixtures: what pytest gives to parameters of tests and of other fixtures.

Owns: which function fills a parameter by its name, what that function gives, the fixtures that pytest brings.
Must not know: occurrences, edges, how tests are run.
Invariant: the nearest fixture wins: that of the class, of the module, of the `conftest` modules from near to far.
What a decorator fills is no fixture, and a fixture that takes its own name means the one further out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from graphls.languages.capabilities import TEST_CLASSES
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    COLLECTION_EXPRESSION,
    FUNCTION_DEFINITION,
    IMPORT_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    RETURN_RETURN,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    YIELD_RETURN,
)
from graphls.languages.python.types import flags
from graphls.languages.python.types.annotations import Annotations
from graphls.languages.python.types.classes import Classes
from graphls.languages.python.types.containers import Containers
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.names import PyNameLookup
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import (
    NO_INFERENCE,
    PyExternalInstance,
    PyInference,
    PyRule,
    PyTuple,
    Value,
    join,
)
from graphls.languages.resolve.structural_value import DefinitionRef
from graphls.languages.resolve.units import is_library

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_DISPLAYS: Final = frozenset({TUPLE_EXPRESSION, COLLECTION_EXPRESSION})
_CONFTEST: Final = "conftest"
_NO_NAMES: Final[Mapping[str, Sequence[int]]] = {}
_BROUGHT: Final = {
    "cache": "_pytest.cacheprovider.Cache",
    "caplog": "_pytest.logging.LogCaptureFixture",
    "capfd": "_pytest.capture.CaptureFixture",
    "capsys": "_pytest.capture.CaptureFixture",
    "mocker": "pytest_mock.plugin.MockerFixture",
    "monkeypatch": "_pytest.monkeypatch.MonkeyPatch",
    "pytestconfig": "_pytest.config.Config",
    "pytester": "_pytest.pytester.Pytester",
    "recwarn": "_pytest.recwarn.WarningsRecorder",
    "request": "_pytest.fixtures.FixtureRequest",
    "tmp_path": "pathlib.Path",
    "tmp_path_factory": "_pytest.tmpdir.TempPathFactory",
    "tmpdir": "_pytest._py.path.LocalPath",
}
"""Fixtures of pytest and pytest-mock, and their classes."""


@final
class PyFixtureInference:
    """Values of parameters that pytest fills."""

    def __init__(
        self,
        *,
        context: PyContext,
        names: PyNameLookup,
        classes: Classes,
        annotations: Annotations,
        containers: Containers,
    ) -> None:
        self._context = context
        self._names = names
        self._classes = classes
        self._annotations = annotations
        self._containers = containers

    def fixture(self, unit: PyUnit, parameter: int, function: int) -> PyInference:
        """What fills a parameter of a test or a fixture; nothing for one of any other function."""
        if function < 0 or unit.library or not self._is_filled(unit, function):
            return NO_INFERENCE
        name = unit.text(parameter)
        filled = self._filled_by_decorator(unit, function, name)
        if filled is not None:
            return filled
        for other, row in self._fixtures(unit, function, name):
            if (other.file, row) != (unit.file, function):
                return self._given(other, row)
        dotted = _BROUGHT.get(name)
        return PyInference((PyExternalInstance(dotted),), PyRule.FIXTURE, False) if dotted else NO_INFERENCE

    def _is_filled(self, unit: PyUnit, function: int) -> bool:
        """Whether pytest calls a function: a test by its name and place, or a fixture."""
        if unit.kind[function] not in _FUNCTIONS:
            return False
        if unit.text(function).startswith("test"):
            stem = unit.file.rpartition("/")[2].partition(".")[0]
            owner = self._classes.class_of_method(unit, function)
            in_test = unit.scope[function] == 0 or (owner is not None and unit.text(owner.row).startswith(TEST_CLASSES))
            return in_test and (stem.startswith("test") or stem.endswith("test"))
        return self._is_fixture(unit, function)

    def _is_fixture(self, unit: PyUnit, row: int) -> bool:
        return unit.kind[row] in _FUNCTIONS and any(name.endswith("fixture") for _, name in unit.decorators(row))

    def _filled_by_decorator(self, unit: PyUnit, function: int, name: str) -> PyInference | None:
        """What `@pytest.mark.parametrize("a, b", [(x, y), ...])` fills a parameter with; None where none does."""
        owner = self._classes.class_of_method(unit, function)
        table = unit.expressions
        for row in (function,) if owner is None else (function, owner.row):
            for expression, decorator in unit.decorators(row):
                if decorator != "parametrize" or expression < 0 or table.kind[expression] != CALL_EXPRESSION:
                    continue
                arguments = unit.positional(expression)
                texts = self._texts(unit, arguments[0]) if arguments else ()
                names = [part.strip() for text in texts for part in text.split(",")]
                if name in names:
                    values = arguments[1] if len(arguments) > 1 else -1
                    return self._one_of(unit, values, names.index(name) if len(names) > 1 else -1)
        return None

    def _one_of(self, unit: PyUnit, values: int, place: int) -> PyInference:
        """Any of the values of a display; `place`: of tuples the item there."""
        table, parts = unit.expressions, list[PyInference]()
        if values < 0:
            return NO_INFERENCE
        if table.kind[values] not in _DISPLAYS:
            return self._one_of_named(unit, values, place)
        for item in unit.list_at(table.a[values]):
            if item >= 0 and table.kind[item] == CALL_EXPRESSION and self._is_parameter_set(unit, item):
                given = unit.list_at(table.b[item])
            elif place >= 0:
                given = unit.list_at(table.a[item]) if item >= 0 and table.kind[item] in _DISPLAYS else ()
            else:
                given = (item,)
            at = max(place, 0)
            parts.append(self._context.queries.infer(unit, given[at]) if at < len(given) else NO_INFERENCE)
        joined = join(tuple(parts))
        return PyInference(joined.values, PyRule.FIXTURE, False, joined.partial)

    def _one_of_named(self, unit: PyUnit, values: int, place: int) -> PyInference:
        """The same of what a name stands for."""
        elements = self._containers.elements(self._context.queries.infer(unit, values))
        if place >= 0:
            tuples = [value.elements for value in elements.values if isinstance(value, PyTuple)]
            parts = [PyInference(one[place]) for one in tuples if place < len(one)]
            elements = join(tuple(parts))
        return PyInference(elements.values, PyRule.FIXTURE, False, elements.partial)

    def _is_parameter_set(self, unit: PyUnit, call: int) -> bool:
        """`pytest.param(x, id="...")`."""
        table, callee = unit.expressions, unit.expressions.a[call]
        return table.kind[callee] == MEMBER_EXPRESSION and unit.strings[table.b[callee]] == "param"

    def _texts(self, unit: PyUnit, expression: int) -> Iterator[str]:
        if expression < 0:
            return
        table = unit.expressions
        if table.kind[expression] == LITERAL_EXPRESSION:
            if table.b[expression] >= 0:
                yield unit.strings[table.b[expression]]
        elif table.kind[expression] in _DISPLAYS:
            for item in unit.list_at(table.a[expression]):
                yield from self._texts(unit, item)

    def _fixtures(self, unit: PyUnit, function: int, name: str) -> Iterator[tuple[PyUnit, int]]:
        """Fixtures of a name that a function sees, from near to far."""
        owner = self._classes.class_of_method(unit, function)
        found = self._classes.class_member(owner, name) if owner is not None else None
        if found is not None and not is_library(found.holder.file):
            other = self._context.unit(found.holder.file)
            yield from ((other, row) for row in found.rows if self._is_fixture(other, row))
        if owner is not None:
            renamed = self._renamed(unit).get(name, ())
            yield from ((unit, row) for row in renamed if self._classes.class_of_method(unit, row) == owner)
        yield from self._fixtures_of_module(unit, name)
        own = self._context.world.name_of(unit.file)
        seen = {unit.file}
        for dotted in (own.dotted, *own.also):
            around = dotted.split(".")[:-1]
            while True:
                file = self._context.world.module(".".join((*around, _CONFTEST)), unit.file)
                if file is not None and file not in seen:
                    seen.add(file)
                    yield from self._fixtures_of_module(self._context.unit(file), name)
                if not around:
                    break
                around.pop()

    def _fixtures_of_module(self, unit: PyUnit, name: str) -> Iterator[tuple[PyUnit, int]]:
        yield from ((unit, row) for row in self._renamed(unit).get(name, ()) if unit.scope[row] == 0)
        for row in unit.members(0).get(name, ()):
            refs = (
                self._names.imported(unit, row)
                if unit.kind[row] == IMPORT_DEFINITION
                else (DefinitionRef(unit.file, row),)
            )
            for ref in refs:
                if isinstance(ref, DefinitionRef) and ref.row >= 0 and not is_library(ref.file):
                    other = self._context.unit(ref.file)
                    if self._is_fixture(other, ref.row):
                        yield other, ref.row

    def _renamed(self, unit: PyUnit) -> Mapping[str, Sequence[int]]:
        """Fixtures by the names that `@fixture(name=...)` gives them."""
        key = ("renamed fixtures", unit.file)
        return self._context.guard(unit.file).guarded(key, lambda: self._find_renamed(unit), _NO_NAMES)

    def _find_renamed(self, unit: PyUnit) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for row, kind in enumerate(unit.kind):
            for decorator, name in unit.decorators(row) if kind in _FUNCTIONS else ():
                if name.endswith("fixture") and decorator >= 0 and unit.expressions.kind[decorator] == CALL_EXPRESSION:
                    for text in self._texts(unit, unit.named(decorator, "name")):
                        found.setdefault(text, []).append(row)
        return found

    def _given(self, unit: PyUnit, row: int) -> PyInference:
        """What a fixture gives: what it returns, or the first thing that it yields."""
        key = ("fixture", unit.file, row)
        return self._context.guarded(key, lambda: self._find_given(unit, row), NO_INFERENCE)

    def _find_given(self, unit: PyUnit, row: int) -> PyInference:
        returns = unit.returns(row)
        yields = bool(unit.flags[row] & flags.GENERATOR)
        first, kind = returns[0] if returns else (-1, RETURN_RETURN)
        if first >= 0 and kind == RETURN_RETURN and unit.expressions.kind[first] == TYPE_EXPRESSION:
            values = self._annotations.denote(unit, unit.expressions.a[first])
            if yields:
                made: dict[Value, None] = {}
                for value in values:
                    made.update(dict.fromkeys(self._containers.element_of(value)))
                values = tuple(made)
            if values:
                return PyInference(values, PyRule.FIXTURE, False)
        wanted = YIELD_RETURN if yields else RETURN_RETURN
        parts = [self._value_given(unit, row, expression) for expression, how in returns if how == wanted]
        joined = join(tuple(parts))
        return PyInference(joined.values, PyRule.FIXTURE, False, joined.partial)

    def _value_given(self, unit: PyUnit, row: int, expression: int) -> PyInference:
        """What a fixture gives back there: of `request.param` one of what `@fixture(params=...)` lists."""
        table = unit.expressions
        if table.kind[expression] != MEMBER_EXPRESSION or unit.strings[table.b[expression]] != "param":
            return self._context.queries.infer(unit, expression)
        for decorator, name in unit.decorators(row):
            if name.endswith("fixture") and decorator >= 0 and table.kind[decorator] == CALL_EXPRESSION:
                return self._one_of(unit, unit.named(decorator, "params"), -1)
        return NO_INFERENCE
