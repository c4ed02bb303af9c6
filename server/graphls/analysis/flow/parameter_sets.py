"""Parameter sets: the values that a decorator gives to the parameters of the function below it.

Owns: which decorators give values, which value is for which parameter.
Must not know: what names mean, other files.
Invariant: a function of the facts of one file.

    @pytest.mark.parametrize("encode, size", [(to_text, 3), pytest.param(to_bytes, 4)])
    def test_sizes(encode, size): ...

gives `to_text` and `to_bytes` to `encode`. A decorator of a class gives to the parameters of its methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind

_GIVING: Final = frozenset(("parametrize",))
_SETS: Final = frozenset(("param",))
"""Calls that make one set of values."""
_DISPLAYS: Final = frozenset((ExpressionKind.COLLECTION, ExpressionKind.TUPLE))
_FUNCTIONS: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))


class GivenValue(NamedTuple):
    """One expression whose value, or whose elements, a parameter (row of definitions) may hold."""

    parameter: int
    expression: int
    elements: bool


def given_values(facts: FileFacts) -> Iterator[GivenValue]:
    """Those of a file, in the order of its decorators."""
    table, expressions = facts.decorators, facts.expressions
    for definition, expression, name in zip(table.definition, table.expression, table.name, strict=True):
        if name < 0 or facts.strings[name] not in _GIVING or expression < 0:
            continue
        if expressions.kind[expression] != ExpressionKind.CALL:
            continue
        arguments = facts.list_at(expressions.b[expression])
        if len(arguments) < 2:
            continue
        names = [part.strip() for text in _texts(facts, arguments[0]) for part in text.split(",")]
        for position, parameter in enumerate(names):
            for row in _parameters(facts, definition, parameter):
                yield from _of_one(facts, row, arguments[1], position if len(names) > 1 else -1)


def _of_one(facts: FileFacts, parameter: int, values: int, position: int) -> Iterator[GivenValue]:
    """`position`: that among several names, whose values are given together; -1 for a name alone."""
    expressions = facts.expressions
    if values < 0:
        return
    if expressions.kind[values] not in _DISPLAYS:
        yield GivenValue(parameter, values, True)
        return
    for item in facts.list_at(expressions.a[values]):
        together = _set_of(facts, item)
        if together is None:
            together = (item,) if position < 0 else _items(facts, item)
        at = max(position, 0)
        if at < len(together) and together[at] >= 0:
            yield GivenValue(parameter, together[at], False)


def _set_of(facts: FileFacts, item: int) -> Sequence[int] | None:
    """`pytest.param(x, y, id="...")`."""
    expressions = facts.expressions
    if item < 0 or expressions.kind[item] != ExpressionKind.CALL:
        return None
    callee = expressions.a[item]
    if expressions.kind[callee] != ExpressionKind.MEMBER or facts.strings[expressions.b[callee]] not in _SETS:
        return None
    return facts.list_at(expressions.b[item])


def _items(facts: FileFacts, item: int) -> Sequence[int]:
    expressions = facts.expressions
    return facts.list_at(expressions.a[item]) if item >= 0 and expressions.kind[item] in _DISPLAYS else ()


def _texts(facts: FileFacts, expression: int) -> Iterator[str]:
    expressions = facts.expressions
    if expression < 0:
        return
    if expressions.kind[expression] == ExpressionKind.LITERAL:
        if expressions.b[expression] >= 0:
            yield facts.strings[expressions.b[expression]]
        return
    for item in _items(facts, expression):
        yield from _texts(facts, item)


def _parameters(facts: FileFacts, definition: int, name: str) -> Iterator[int]:
    """Parameters of a name of a function, or of the methods of a class."""
    table = facts.definitions
    if table.body[definition] < 0:
        return
    inside = rows_with(table.scope, table.body[definition])
    if table.kind[definition] == DefinitionKind.CLASS:
        for row in inside:
            if table.kind[row] in _FUNCTIONS:
                yield from _parameters(facts, row, name)
        return
    yield from (
        row for row in inside if table.kind[row] == DefinitionKind.PARAMETER and facts.strings[table.name[row]] == name
    )
