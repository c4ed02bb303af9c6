"""Reached: what of a function's inside others can see, because the function takes it or gives it back.

Owns: the object literals, functions and classes that returned values lead to; object types written in signatures.
Must not know: any particular language, other files.
Invariant: bounded work for any file; what no signature and no returned value leads to is not reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    FUNCTION_DEFINITION,
    FUNCTION_EXPRESSION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_SCOPE,
    NAME_EXPRESSION,
    NAMESPACE_SCOPE,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    PARAMETER_DEFINITION,
    RETURN_RETURN,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    UNION_EXPRESSION,
)

MAX_STEPS: Final = 20_000
_CALLABLE: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION, CLASS_DEFINITION})
_ONE: Final = frozenset({AWAIT_EXPRESSION, STARRED_EXPRESSION})
_LISTED: Final = frozenset({UNION_EXPRESSION, TUPLE_EXPRESSION})
OPEN_SCOPES: Final = frozenset({MODULE_SCOPE, CLASS_SCOPE, NAMESPACE_SCOPE, OBJECT_SCOPE})
"""Kinds whose names others see."""
_PARAMETERS: Final = frozenset({PARAMETER_DEFINITION, TYPE_PARAMETER_DEFINITION})

Bindings = Mapping[int, Mapping[str, Sequence[int]]]


@attrs.frozen(eq=False)
class EscapingRows:
    """Rows of scopes and definitions."""

    objects: frozenset[int] = frozenset()
    definitions: frozenset[int] = frozenset()
    outer_names: frozenset[str] = frozenset()
    """Names that led out of the scopes around a piece of a file; of a piece alone only."""
    truncated: bool = False
    """There was too much to look at all."""


def escaping_rows(facts: FileFacts, bound: Bindings, visible: Callable[[int], bool]) -> EscapingRows:
    """What the results of visible functions lead to; `visible` says whether a scope is."""
    if OBJECT_SCOPE not in facts.scopes.kind:
        return EscapingRows()
    return _EscapeWalk(facts, bound, visible).run()


def fragment_escapes(facts: FileFacts, bound: Bindings, visible: Callable[[int], bool], outer: int) -> EscapingRows:
    """What the results of a piece of a file lead to, and the values that it gives names around it: whatever a file that
    holds the piece can reach in it. `outer`: how many scopes are around the piece."""
    walk = _EscapeWalk(facts, bound, visible, outer)
    table = facts.definitions
    walk.pending += [value for value, scope in zip(table.value, table.scope, strict=True) if scope < outer]
    return walk.run()


class _EscapeWalk:
    def __init__(self, facts: FileFacts, bound: Bindings, visible: Callable[[int], bool], outer: int = 0) -> None:
        self.facts = facts
        self.bound = bound
        self.visible = visible
        self.outer = outer
        self.outer_names: set[str] = set()
        self.truncated = False
        self.objects: set[int] = set()
        self.definitions: set[int] = set()
        self.seen: set[int] = set()
        self.pending: list[int] = []
        self.results: dict[int, list[int]] = {}
        for row, definition in enumerate(facts.returns.definition):
            if facts.returns.kind[row] == RETURN_RETURN:
                self.results.setdefault(definition, []).append(facts.returns.expression[row])

    def run(self) -> EscapingRows:
        """All that is reached."""
        self._types()
        body = self.facts.definitions.body
        for definition, results in self.results.items():
            if definition >= 0 and body[definition] >= 0 and self.visible(body[definition]):
                self.pending.extend(results)
        steps = 0
        while self.pending and steps < MAX_STEPS:
            steps += 1
            row = self.pending.pop()
            if row >= 0 and row not in self.seen:
                self.seen.add(row)
                self._step(row)
        short = self.truncated or steps >= MAX_STEPS
        return EscapingRows(frozenset(self.objects), frozenset(self.definitions), frozenset(self.outer_names), short)

    def _types(self) -> None:
        """Object types written in the signatures of visible functions, and in function types that visible members have;
        what they name is visible by itself or not."""
        table, expressions, scopes = self.facts.definitions, self.facts.expressions, self.facts.scopes.kind
        kinds, body = expressions.kind, table.body
        pending = [
            type_
            for type_, kind, scope in zip(table.type, table.kind, table.scope, strict=True)
            if type_ >= 0 and kinds[type_] != NAME_EXPRESSION
            if (kind in _PARAMETERS or scopes[scope] in OPEN_SCOPES) and self.visible(scope)
        ]
        for definition, results in self.results.items():
            if definition >= 0 and body[definition] >= 0 and self.visible(body[definition]):
                pending.extend([expressions.a[row] for row in results if row >= 0 and kinds[row] == TYPE_EXPRESSION])
        seen: set[int] = set()
        while pending:
            if len(seen) >= MAX_STEPS:
                self.truncated = True
                break
            row = pending.pop()
            if row < 0 or row in seen:
                continue
            seen.add(row)
            if kinds[row] == OBJECT_EXPRESSION:
                if not self.visible(expressions.a[row]):
                    self.objects.add(expressions.a[row])
            elif kinds[row] in _LISTED:
                pending.extend(self.facts.list_at(expressions.a[row]))
            elif kinds[row] == SUBSCRIPT_EXPRESSION:
                pending.extend(self.facts.list_at(expressions.b[row]))

    def _step(self, row: int) -> None:
        table = self.facts.expressions
        kind = table.kind[row]
        if kind == NAME_EXPRESSION:
            self._name(table.a[row], table.b[row])
        elif kind == OBJECT_EXPRESSION:
            self._object(table.a[row])
        elif kind in _ONE:
            self.pending.append(table.a[row])
        elif kind in _LISTED:
            self.pending.extend(self.facts.list_at(table.a[row]))
        elif kind == SUBSCRIPT_EXPRESSION and table.kind[table.a[row]] == LITERAL_EXPRESSION:
            self.pending.extend(self.facts.list_at(table.b[row]))
        elif kind == FUNCTION_EXPRESSION:
            self._definition(table.a[row])

    def _name(self, name: int, scope: int) -> None:
        text, parents = self.facts.strings[name], self.facts.scopes.parent
        while scope >= 0:
            rows = self.bound.get(scope, {}).get(text, ())
            if scope < self.outer:
                self.outer_names.add(text)
            if rows:
                for row in rows[:4]:
                    self._definition(row)
                return
            scope = parents[scope]

    def _definition(self, row: int) -> None:
        if row < 0:
            return
        table = self.facts.definitions
        if table.kind[row] in _CALLABLE:
            self.definitions.add(row)
            self.pending.extend(self.results.get(row, ()))
        elif table.value[row] >= 0:
            self.pending.append(table.value[row])

    def _object(self, scope: int) -> None:
        if scope in self.objects:
            return
        self.objects.add(scope)
        table = self.facts.definitions
        for rows in self.bound.get(scope, {}).values():
            for row in rows:
                self.pending.append(table.value[row])
                self.pending.extend(self.results.get(row, ()))
