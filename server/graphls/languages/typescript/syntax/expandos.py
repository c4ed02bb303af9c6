"""Expandos: members that assignments declare.

Owns: which `F.x = ...`, `F.prototype.x = ...` and `this.x = ...` are declarations, and the scopes they are bound in.
Must not know: the tree.
Invariant: a scope of kind NAMESPACE that a function or class owns holds what is set on it; of kind CLASS and owned
by a function: what its instances have. What functions a script sets on a variable the object has that it begins with,
and all that it sets on what `Object.create` gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_SCOPE,
    D_TYPE,
    D_VALUE,
    EXPRESSION,
    STEPS,
)
from graphls.languages.extract.yielding import yield_now
from graphls.languages.incremental.fragments import OUTER_DEFINITIONS
from graphls.languages.typescript.syntax.facts_builder import (
    BLOCK,
    CALL,
    CLASS,
    CLASS_SCOPE,
    CONSTANT,
    FUNCTION,
    FUNCTION_SCOPE,
    LAMBDA_SCOPE,
    LITERAL,
    MEMBER,
    METHOD,
    NAME,
    NAMESPACE_SCOPE,
    OBJECT,
    OBJECT_SCOPE,
    PARAMETER,
    PROPERTY,
    STATIC,
    VARIABLE,
    Expando,
    TsFactsBuilder,
)

_Bound = dict[tuple[int, int], int]
_Made = dict[tuple[int, int], int]
_Valued = dict[int, list[int]]
"""Definitions by the expression that is their value."""
_VARIABLES = (VARIABLE, CONSTANT)
_CREATE: Final = "create"
_CREATED: Final = -2
"""In the place of a kind of scope: the row begins with what `Object.create` gives."""
_ANY_HOLDERS = (FUNCTION, CLASS, VARIABLE, CONSTANT)
_COPYING = (FUNCTION, VARIABLE, CONSTANT)
_HOLDERS = (FUNCTION, CLASS)
"""What members can be set on, so that these are declared."""


def place_expandos(builder: TsFactsBuilder) -> set[int]:
    """Gives waiting definitions their scope; answers the rows that are no definitions."""
    if not builder.expandos and not builder.heirs and not builder.copies:
        return set()
    bound: _Bound = {}
    valued: _Valued = {}
    for number, row in enumerate(builder.definitions):
        bound.setdefault((row[D_SCOPE], row[D_NAME]), number)
        if row[D_VALUE] >= 0:
            valued.setdefault(row[D_VALUE], []).append(number)
    made: _Made = {}
    dropped: set[int] = set()
    for step, expando in enumerate(builder.expandos):
        if step & STEPS == 0:
            yield_now()
        definition = builder.definitions[expando.definition]
        scope = _holder(builder, expando, bound, (made, valued))
        key = (scope, definition[D_NAME])
        if scope >= 0 and key not in bound:
            bound[key] = expando.definition
            definition[D_SCOPE] = scope
            continue
        builder.occurrences.extend(expando.use)
        if not expando.called:
            dropped.add(expando.definition)
            continue
        builder.scopes.append([OBJECT_SCOPE, expando.scope, definition[4], definition[5], -1])
        definition[D_SCOPE] = len(builder.scopes) - 1
    for name, scope, base in builder.heirs:
        heir = _bound(builder, bound, scope, name)
        if heir >= 0 and builder.definitions[heir][D_KIND] == FUNCTION and _scope_of(builder, heir, True, made) >= 0:
            builder.bases.append((heir, base, -1))
    for name, scope, rows in builder.copies:
        _copy(builder, _bound(builder, bound, scope, name), rows, valued)
    return dropped


def _copy(builder: TsFactsBuilder, row: int, rows: list[int], valued: _Valued) -> None:
    """A variable or function gets the members of others, beside its own."""
    if row < 0 or builder.definitions[row][D_KIND] not in _COPYING:
        return
    value = builder.definitions[row][D_VALUE]
    if builder.definitions[row][D_KIND] != FUNCTION and value < 0:
        return
    builder.is_object_set = True
    parts = [value, *rows] if value >= 0 else rows
    _revalue(builder, row, builder.operator("&", *parts), valued)


def sets_only(part: TsFactsBuilder, facts: FileFacts, texts: Mapping[str, int]) -> bool:
    """Whether a stretch of a file with these facts declares no member by setting it: no function or class has the name
    of what it sets members on. `texts`: the number of each string of the facts."""
    names = {part.strings[expando.base] for expando in part.expandos if expando.base >= 0}
    if any(expando.called or expando.prototype or expando.base < 0 for expando in part.expandos):
        return False
    holders = _ANY_HOLDERS if _CREATE in texts or _CREATE in part.texts else _HOLDERS
    if any(
        row[D_KIND] in holders and part.strings[row[D_NAME]] in names for row in part.definitions[OUTER_DEFINITIONS:]
    ):
        return False
    numbers = {texts[name] for name in names if name in texts}
    table = facts.definitions
    return not any(name in numbers and kind in holders for name, kind in zip(table.name, table.kind, strict=True))


def _holder(builder: TsFactsBuilder, expando: Expando, bound: _Bound, placed: tuple[_Made, _Valued]) -> int:
    """The scope that the member is bound in, or -1."""
    made = placed[0]
    if expando.base < 0:
        return _receiver(builder, expando.scope, made, expando.called)
    row = _bound(builder, bound, expando.scope, expando.base)
    if row >= 0 and builder.script and builder.definitions[row][D_KIND] in _VARIABLES:
        return _of_variable(builder, row, expando, bound, placed)
    if row >= 0 and builder.script and builder.definitions[row][D_KIND] == PARAMETER:
        return _of_parameter(builder, row, expando, made)
    if row >= 0 and builder.definitions[row][D_KIND] == CLASS:
        body = builder.definitions[row][D_BODY]
        known = bound.get((body, builder.definitions[expando.definition][D_NAME]), -1)
        if known >= 0 and builder.definitions[known][D_FLAGS] & STATIC:
            return body
    return _scope_of(builder, row, expando.prototype, made) if row >= 0 else -1


def _of_variable(
    builder: TsFactsBuilder, row: int, expando: Expando, bound: _Bound, placed: tuple[_Made, _Valued]
) -> int:
    """The scope of the object that a variable begins with: a literal, what a call gives, a prototype; or -1."""
    made, valued = placed
    value, rows = builder.definitions[row][D_VALUE], builder.expressions
    if value < 0 or expando.prototype or (builder.definitions[row][D_TYPE] >= 0 and not builder.notes):
        return -1
    created = made.get((row, _CREATED), -1)
    if not expando.called and created < 0 and not _is_created(builder, value):
        return -1
    kind, inner, name = rows[value * EXPRESSION : value * EXPRESSION + 3]
    if kind == OBJECT and inner >= 0:
        builder.is_object_set = True
        return inner
    if kind == MEMBER and rows[inner * EXPRESSION] == NAME and builder.strings[name] == "prototype":
        at = inner * EXPRESSION
        holder = _bound(builder, bound, rows[at + 2], rows[at + 1])
        return _scope_of(builder, holder, True, made) if holder >= 0 else -1
    scope = made.get((row, OBJECT_SCOPE), -1)
    if scope < 0 and kind == CALL:
        if _is_created(builder, value):
            made[row, _CREATED] = row
        at = len(builder.data)
        builder.scopes.append([OBJECT_SCOPE, builder.definitions[row][D_SCOPE], at, at, row])
        scope = made[row, OBJECT_SCOPE] = len(builder.scopes) - 1
        _revalue(builder, row, builder.operator("&", builder.expression(OBJECT, scope), value), valued)
    return scope


def _of_parameter(builder: TsFactsBuilder, row: int, expando: Expando, made: _Made) -> int:
    """The scope of what a function sets on an argument, or -1. Only functions: other values are options more often."""
    if not expando.called or expando.prototype:
        return -1
    scope = made.get((row, OBJECT_SCOPE), -1)
    if scope < 0:
        at = len(builder.data)
        builder.scopes.append([OBJECT_SCOPE, builder.definitions[row][D_SCOPE], at, at, -1])
        scope = made[row, OBJECT_SCOPE] = builder.definitions[row][D_BODY] = len(builder.scopes) - 1
        builder.is_object_set = True
    return scope


def _revalue(builder: TsFactsBuilder, row: int, value: int, valued: _Valued) -> None:
    """Another value for a definition and all that are given the same: `var x = module.exports = f()`."""
    before = builder.definitions[row][D_VALUE]
    same = valued.pop(before, []) if before >= 0 else [row]
    for number in same:
        builder.definitions[number][D_VALUE] = value
    valued[value] = same


def _is_created(builder: TsFactsBuilder, value: int) -> bool:
    """Whether an expression is `Object.create(x)`."""
    rows, at = builder.expressions, value * EXPRESSION
    if rows[at] != CALL:
        return False
    callee = rows[at + 1] * EXPRESSION
    if callee < 0 or rows[callee] != MEMBER or builder.strings[rows[callee + 2]] != _CREATE:
        return False
    base = rows[callee + 1] * EXPRESSION
    return rows[base] in (NAME, LITERAL) and builder.strings[rows[base + 1]] == "Object"


def _bound(builder: TsFactsBuilder, bound: _Bound, scope: int, name: int) -> int:
    """The definition that a name means in a scope, or -1."""
    while scope >= 0:
        row = bound.get((scope, name), -1)
        if row >= 0 and builder.scopes[scope][0] not in (CLASS_SCOPE, OBJECT_SCOPE):
            return row
        scope = builder.scopes[scope][1]
    return -1


def _receiver(builder: TsFactsBuilder, scope: int, made: _Made, called: bool) -> int:
    """Where `this.x = ...` declares: in the class, for the instances of a function, of functions in an object too."""
    while scope > 0 and builder.scopes[scope][0] in (BLOCK, LAMBDA_SCOPE):
        scope = builder.scopes[scope][1]
    kind, _, _, _, owner = builder.scopes[scope]
    if kind == CLASS_SCOPE:
        return scope
    if kind != FUNCTION_SCOPE or owner < 0:
        return -1
    row = builder.definitions[owner]
    if row[D_KIND] in (METHOD, PROPERTY) and row[D_SCOPE] >= 0:
        around = builder.scopes[row[D_SCOPE]][0]
        if around == CLASS_SCOPE or (around == OBJECT_SCOPE and called and builder.script):
            builder.is_object_set = builder.is_object_set or around == OBJECT_SCOPE
            return row[D_SCOPE]
    return _scope_of(builder, owner, True, made) if row[D_KIND] == FUNCTION else -1


def _scope_of(builder: TsFactsBuilder, row: int, prototype: bool, made: _Made) -> int:
    definition = builder.definitions[row]
    kind = definition[D_KIND]
    if kind == CLASS and prototype:
        return definition[D_BODY]
    if kind not in _HOLDERS or (prototype and not builder.script) or definition[D_SCOPE] < 0:
        return -1
    wanted = CLASS_SCOPE if prototype else NAMESPACE_SCOPE
    scope = made.get((row, wanted), -1)
    if scope < 0:
        at = len(builder.data)
        builder.scopes.append([wanted, definition[D_SCOPE], at, at, row])
        scope = made[row, wanted] = len(builder.scopes) - 1
    return scope
