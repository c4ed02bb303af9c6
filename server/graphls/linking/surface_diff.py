"""Surface diff: which names of one file mean something else after an edit.

Owns: the comparison of two surfaces of the same file, name by name.
Must not know: any language's rules, who reads the file.
Invariant: whoever mentions none of these names, and reads no file that does, gets the same answers from both surfaces,
    but for the numbers of rows; None wherever that cannot be said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Final, TypeAlias, cast

import attrs

from graphls.facts.kinds import DefinitionKind, ExpressionKind, ScopeKind
from graphls.facts.surface import Surface
from graphls.languages.incremental.fragments import DEFINED, EXPRESSIONS, LIST, ROW, SCOPE, STRING

_Key: TypeAlias = "tuple[object, ...]"
_WORDS: Final = "words"
_WORD: Final = re.compile(r"\w+")
_NAMED: Final = frozenset(
    (
        ExpressionKind.NAME,
        ExpressionKind.MEMBER,
        ExpressionKind.CALL,
        ExpressionKind.SUBSCRIPT,
        ExpressionKind.UNION,
        ExpressionKind.TUPLE,
        ExpressionKind.COLLECTION,
        ExpressionKind.LITERAL,
        ExpressionKind.AWAIT,
        ExpressionKind.ELEMENT,
        ExpressionKind.ITEM,
        ExpressionKind.ENTER,
        ExpressionKind.MODULE,
        ExpressionKind.EXCEPTION,
        ExpressionKind.STARRED,
        ExpressionKind.TYPE,
        ExpressionKind.FUNCTION,
        ExpressionKind.NARROWED,
    )
)
"""Expressions that lead nowhere but by names; any other kind is no matter of names until it is added here."""
_HOLDING: Final = (ScopeKind.MODULE, ScopeKind.CLASS)
_NO_SCOPE: Final = ("none",)


@attrs.frozen(eq=False)
class SurfaceDiff:
    """How two surfaces of one file differ."""

    names: frozenset[str]
    """These mean something else."""
    rows: Mapping[int, int]
    """Old row -> new row of all that is the same, in ascending order of both; empty where none is another one."""
    types: frozenset[int] = frozenset()
    """Kinds of the types whose members are among what differs."""


def diff_surfaces(
    old: Surface, new: Surface, is_reached_by_type: Callable[[int, int], bool] | None = None
) -> SurfaceDiff | None:
    """How two surfaces of a file differ; None when that is not a matter of names, or what is the same has moved
    past each other. `is_reached_by_type`: as in `Capabilities`."""
    if (old.exports, old.dynamic) != (new.exports, new.dynamic):
        return None
    before, after = _KeyedSurface(old, is_reached_by_type), _KeyedSurface(new, is_reached_by_type)
    try:
        was, now = before.described_symbols(), after.described_symbols()
    except _UnnamedError:
        return None
    common = was.keys() & now.keys()
    same = {key for key in common if was[key] == now[key]}
    rows = dict(sorted((before.rows[key], after.rows[key]) for key in same))
    if any(one >= other for one, other in pairwise(rows.values())):
        return None
    found: set[str] = set()
    types: set[int] = set()
    for side, all_of in ((before, was), (after, now)):
        for key in all_of.keys() - same:
            found |= side.names(key, common)
            types.update(side.types(key))
    # What rests on such a name in the file itself means something else too.
    size = -1
    while size != len(found):
        size = len(found)
        for key in same:
            if not found.isdisjoint(after.words[key]):
                found |= after.names(key, common)
    moved = {} if all(old == new for old, new in rows.items()) else rows
    return SurfaceDiff(frozenset(found), moved, frozenset(types))


def words_of(surface: Surface) -> Set[str]:
    """All words that a surface spells."""
    cached = surface.memo.get(_WORDS)
    if isinstance(cached, frozenset):
        return cast("frozenset[str]", cached)
    texts = (*surface.strings, *(surface.exports or ()))
    words = frozenset((*texts, *(word for text in texts for word in _WORD.findall(text))))
    surface.memo[_WORDS] = words
    return words


class _UnnamedError(ValueError):
    """Something that is reached in another way than by its name."""


def _is_spelled(kind: int, flags: int) -> bool:
    """Members are reached by their names."""
    return False


class _KeyedSurface:
    """One surface, each symbol under a key that does not move with its row."""

    def __init__(self, surface: Surface, is_reached_by_type: Callable[[int, int], bool] | None) -> None:
        self._surface = surface
        self._is_reached_by = is_reached_by_type or _is_spelled
        self.rows: dict[_Key, int] = {}
        self.words: dict[_Key, frozenset[str]] = {}
        self._keys: list[_Key | None] = [None] * len(surface.symbols)
        self._expression_memo: dict[int, object] = {}
        self._words_memo: dict[int, frozenset[str]] = {}

    def described_symbols(self) -> Mapping[_Key, object]:
        """What the surface says of each symbol."""
        surface, symbols = self._surface, self._surface.symbols
        if min(surface.scopes.owner[1:], default=0) < 0:
            raise _UnnamedError
        more: dict[int, list[object]] = {}
        words: dict[int, set[str]] = {}

        def add(row: int, what: str, *parts: object, expressions: Iterable[int] = ()) -> None:
            described = [self._expression(expression) for expression in expressions]
            more.setdefault(row, []).append((what, *parts, *described))
            words.setdefault(row, set()).update(*(self._words(expression) for expression in expressions))

        for row in range(len(symbols)):
            body = symbols.body[row]
            owner = self._key(symbols.owner[row]) if symbols.owner[row] >= 0 else None
            about = (symbols.flags[row], owner, body >= 0 and surface.scopes.kind[body])
            add(row, "symbol", *about, expressions=(symbols.type[row], symbols.value[row]))
        table = surface.decorators
        for row, expression, name in zip(table.definition, table.expression, table.name, strict=True):
            add(row, "decorator", name >= 0 and surface.strings[name], expressions=(expression,))
        for row, expression, word in zip(
            surface.bases.definition, surface.bases.expression, surface.bases.keyword, strict=True
        ):
            add(row, "base", word >= 0 and surface.strings[word], expressions=(expression,))
        for row, expression, kind in zip(
            surface.returns.definition, surface.returns.expression, surface.returns.kind, strict=True
        ):
            add(row, "returns", kind, expressions=(expression,))
        found: dict[_Key, object] = {}
        for row, entries in more.items():
            key = self._key(row)
            found[key] = tuple(entries)
            self.rows[key] = row
            self.words[key] = frozenset(words[row])
        return found

    def names(self, key: _Key, common: Set[_Key]) -> set[str]:
        """By which names somebody may come to a symbol. `kept`: what both surfaces have."""
        symbols, row = self._surface.symbols, self.rows[key]
        found = set[str]() if self._is_internal_parameter(row, common) else {self._text(row)}
        scope = symbols.scope[row]
        while scope > 0:
            owner = self._surface.scopes.owner[scope]
            inside = self._surface.scopes.kind[scope] not in _HOLDING
            # Parameters are reached by way of their function; members of some classes by way of the class.
            by_type = inside or owner in self._surface.bases.definition or owner in self._surface.decorators.definition
            if by_type or self._is_reached_by(symbols.kind[owner], symbols.flags[row]):
                found.add(self._text(owner))
            if not inside:
                break
            scope = symbols.scope[owner]
        return found

    def types(self, key: _Key) -> Iterator[int]:
        """Kinds of the types that a symbol is a member of, at any depth."""
        symbols, scopes = self._surface.symbols, self._surface.scopes
        scope = symbols.scope[self.rows[key]]
        while scope > 0:
            owner = scopes.owner[scope]
            if scopes.kind[scope] == ScopeKind.CLASS:
                yield symbols.kind[owner]
            scope = symbols.scope[owner]

    def _is_internal_parameter(self, row: int, common: Set[_Key]) -> bool:
        """Whether a symbol is a parameter of a function that only one of the surfaces has.

        What is in both does not lead into that function but by its name.
        """
        symbols, scopes = self._surface.symbols, self._surface.scopes
        scope = symbols.scope[row]
        bound = scope > 0 and scopes.kind[scope] == ScopeKind.FUNCTION and symbols.kind[row] == DefinitionKind.PARAMETER
        return bound and self._key(scopes.owner[scope]) not in common

    def _text(self, row: int) -> str:
        return self._surface.strings[self._surface.symbols.name[row]]

    def _key(self, row: int) -> _Key:
        known = self._keys[row]
        if known is None:
            symbols = self._surface.symbols
            around = self._scope(symbols.scope[row])
            known = self._keys[row] = (around, self._text(row), symbols.kind[row], symbols.ordinal[row])
        return known

    def _scope(self, scope: int) -> _Key:
        if scope < 0:
            return _NO_SCOPE
        owner = self._surface.scopes.owner[scope]
        return (self._key(owner), self._surface.scopes.kind[scope]) if owner >= 0 else ()

    def _expression(self, row: int) -> object:
        if row < 0:
            return None
        known = self._expression_memo.get(row)
        if known is None:
            table = self._surface.expressions
            if table.kind[row] not in _NAMED:
                raise _UnnamedError
            third = self._third(row)
            parts = zip(EXPRESSIONS[table.kind[row]], (table.a[row], table.b[row], third), strict=True)
            found = (self._part(kind, value) for kind, value in parts)
            known = self._expression_memo[row] = (table.kind[row], *found, *self._argument_names(row))
        return known

    def _third(self, row: int) -> int:
        """The last number of an expression, where it is no list of names."""
        table = self._surface.expressions
        return table.c[row] if table.kind[row] != ExpressionKind.CALL else -1

    def _argument_names(self, row: int) -> tuple[str, ...]:
        """Names of the arguments of a call, "" for one that stands at its position."""
        table, strings = self._surface.expressions, self._surface.strings
        names = self._surface.list_at(table.c[row]) if table.kind[row] == ExpressionKind.CALL else ()
        return tuple(strings[name] if name >= 0 else "" for name in names)

    def _part(self, kind: int, value: int) -> object:
        if kind == STRING:
            return value >= 0 and self._surface.strings[value]
        if kind == ROW:
            return self._expression(value)
        if kind == LIST:
            return tuple(self._expression(item) for item in self._surface.list_at(value)) if value >= 0 else None
        if kind == SCOPE:
            return self._scope(value)
        return self._key(value) if kind == DEFINED and value >= 0 else value

    def _words(self, row: int) -> frozenset[str]:
        """Names in an expression."""
        if row < 0:
            return frozenset()
        known = self._words_memo.get(row)
        if known is None:
            known = self._words_memo[row] = frozenset(self._spelled(row))
        return known

    def _spelled(self, row: int) -> Iterator[str]:
        table = self._surface.expressions
        yield from (name for name in self._argument_names(row) if name)
        values: Sequence[int] = (table.a[row], table.b[row], self._third(row))
        for kind, value in zip(EXPRESSIONS[table.kind[row]], values, strict=True):
            if value < 0:
                continue
            if kind == STRING:
                yield from _WORD.findall(self._surface.strings[value])
            elif kind == ROW:
                yield from self._words(value)
            elif kind == LIST:
                for item in self._surface.list_at(value):
                    yield from self._words(item)
            elif kind == DEFINED:
                yield self._text(value)
