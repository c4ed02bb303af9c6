"""Validity: whether decoded facts, surfaces and links refer to what they have.

Owns: the range of every column, by what it refers to.
Must not know: where values come from, what becomes of those that are not valid.
Invariant: no reader of a valid value looks up a row that is not there, or goes round in a circle; `CodecError` says
    what is wrong with any other.

A cache can be written by anybody who may write files, with digests that fit. The checks of ranges see a column as one
number: a column of thousands costs microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache
from itertools import compress, count
from operator import lt
from sys import byteorder
from typing import Final, get_type_hints

import attrs

from graphls.facts.codec import CodecError
from graphls.facts.columns import Expressions
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    DefinitionKind,
    EdgeKind,
    ExpressionKind,
    RegionKind,
    Resolution,
    ReturnKind,
    Role,
    ScopeKind,
    UnresolvedReason,
)
from graphls.facts.links import EXTERNAL, Links
from graphls.facts.surface import Surface

_LANE, _SIGN = 8, 1 << 31
_LOWEST = 0 if byteorder == "little" else 3
_NO_LIMIT: Final = 1 << 30

_STRINGS: Final[Mapping[str, Sequence[str]]] = {
    "definitions": ("name", "doc", "signature"),
    "symbols": ("name",),
    "occurrences": ("name",),
    "decorators": ("name", "text"),
    "bases": ("keyword",),
    "imports": ("module", "name"),
    "dispatches": ("subject",),
    "literals": ("text", "keyword"),
    "problems": ("text",),
}
_ROWS: Final[Mapping[str, Mapping[str, str]]] = {
    "scopes": {"parent": "scopes", "owner": "definitions"},
    "definitions": {
        "scope": "scopes", "body": "scopes", "type": "expressions", "value": "expressions", "owner": "definitions",
    },
    "symbols": {
        "scope": "scopes", "body": "scopes", "type": "expressions", "value": "expressions", "owner": "definitions",
    },
    "occurrences": {"scope": "scopes", "base": "expressions", "owner": "definitions"},
    "decorators": {"definition": "definitions", "expression": "expressions"},
    "bases": {"definition": "definitions", "expression": "expressions"},
    "returns": {"definition": "definitions", "expression": "expressions"},
    "imports": {"definition": "definitions", "scope": "scopes"},
    "narrowings": {"subject": "expressions", "test": "expressions"},
    "dispatches": {"cases": "lists", "owner": "definitions"},
    "metrics": {"definition": "definitions"},
    "literals": {"owner": "definitions", "call": "expressions"},
    "lists": {"start": "items", "end": "items"},
}  # fmt: skip
"""Columns that name rows of another table. `definitions` of a surface are its symbols."""

_KINDS: Final[Mapping[str, tuple[str, type[IntEnum]]]] = {
    "definitions": ("kind", DefinitionKind),
    "symbols": ("kind", DefinitionKind),
    "scopes": ("kind", ScopeKind),
    "occurrences": ("role", Role),
    "regions": ("kind", RegionKind),
    "returns": ("kind", ReturnKind),
}

_OPERANDS: Final[Mapping[ExpressionKind, tuple[str, str, str]]] = {
    ExpressionKind.NAME: ("strings", "scopes", ""),
    ExpressionKind.MEMBER: ("expressions", "strings", ""),
    ExpressionKind.CALL: ("expressions", "lists", ""),
    ExpressionKind.SUBSCRIPT: ("expressions", "lists", ""),
    ExpressionKind.UNION: ("lists", "", ""),
    ExpressionKind.TUPLE: ("lists", "", ""),
    ExpressionKind.COLLECTION: ("lists", "strings", "lists"),
    ExpressionKind.LITERAL: ("strings", "strings", ""),
    ExpressionKind.AWAIT: ("expressions", "", ""),
    ExpressionKind.ELEMENT: ("expressions", "", ""),
    ExpressionKind.ITEM: ("expressions", "", ""),
    ExpressionKind.ENTER: ("expressions", "", ""),
    ExpressionKind.MODULE: ("strings", "", ""),
    ExpressionKind.EXCEPTION: ("expressions", "", ""),
    ExpressionKind.LAMBDA: ("expressions", "", ""),
    ExpressionKind.PARAMETER: ("definitions", "", ""),
    ExpressionKind.STARRED: ("expressions", "", ""),
    ExpressionKind.OBJECT: ("scopes", "", ""),
    ExpressionKind.FUNCTION: ("definitions", "", ""),
    ExpressionKind.TYPE: ("expressions", "", ""),
    ExpressionKind.OPERATION: ("expressions", "expressions", "strings"),
    ExpressionKind.NARROWED: ("expressions", "expressions", ""),
}

_REFERS: Final = tuple(
    bytes(kind in _OPERANDS and _OPERANDS[ExpressionKind(kind)][place] == "expressions" for kind in range(256))
    for place in range(3)
)
"""By place and kind: whether the operand is an expression, which stands before."""


def check_facts(facts: FileFacts) -> None:
    """Raises CodecError."""
    _check(facts, "definitions", _lengths(facts))


def check_surface(surface: Surface) -> None:
    """Raises CodecError."""
    _check(surface, "symbols", {**_lengths(surface), "definitions": len(surface.symbols)})


def check_links(links: Links) -> None:
    """Raises CodecError. What of other files is meant is looked up by who knows these."""
    for table in (links.targets, links.module_targets):
        limits = {True: len(links.externals), False: len(links.files)}
        outside = map(EXTERNAL.__eq__, table.symbol)
        if not all(map(lt, table.file, map(limits.__getitem__, outside))):
            raise CodecError("links lead to no file")
        check_range("links", table.to_columns()[:2], 0, _NO_LIMIT)
        check_range("links", [table.one("edge").tobytes()], 0, max(EdgeKind) + 1)
        check_range("links", [table.one("resolution").tobytes()], 0, max(Resolution) + 1)
        check_range("links", [table.one("confidence").tobytes()], 0, 101)
    check_range("links", links.overrides.to_columns()[1:2], 0, len(links.files))
    check_range("links", [links.overrides.one("edge").tobytes()], 0, 2)
    check_range("links", [links.unresolved.one("reason").tobytes()], 0, max(UnresolvedReason) + 1)
    check_range("links", [links.rules.tobytes()], 0, _NO_LIMIT)
    if not links.files or len(links.rules) not in (0, len(links.targets)):
        raise CodecError("links of another shape")


def _lengths(value: FileFacts | Surface) -> dict[str, int]:
    names = {"scopes", "definitions", "occurrences", "expressions", "lists", "items"}
    found = {name: len(getattr(value, name)) for name in names if hasattr(value, name)}
    return {**found, "strings": len(value.strings)}


def _check(value: FileFacts | Surface, own: str, lengths: Mapping[str, int]) -> None:
    groups: dict[int, list[bytes]] = {}
    for table, named in _places(type(value)):
        columns = getattr(value, table).to_columns()
        if columns:
            for at, target, more in named:
                groups.setdefault(lengths[target] + more, []).append(columns[at])
    for limit, raw in groups.items():
        check_range("a table", raw, -1, limit)
    for table, (name, kinds) in _KINDS.items():
        if hasattr(value, table):
            check_range("a kind", [getattr(value, table).one(name).tobytes()], 0, max(kinds) + 1)
    if own == "symbols":  # a name that is none would be the last one
        check_range("a name", value.symbols.to_columns()[:1], 0, _NO_LIMIT)  # type: ignore[union-attr]
    _expressions(value.expressions, lengths)
    if not all(map(lt, value.scopes.one("parent"), count())):
        raise CodecError("a scope is inside of itself")


@cache
def _places(cls: type) -> Sequence[tuple[str, Sequence[tuple[int, str, int]]]]:
    """Tables, and the places of the columns in them that refer to rows of others; lists may end behind the last."""
    hints = get_type_hints(cls)
    found: dict[str, list[tuple[int, str, int]]] = {}
    for table, names in _STRINGS.items():
        found.setdefault(table, []).extend((_at(hints, table, name), "strings", 0) for name in names)
    for table, rows in _ROWS.items():
        more = int(table == "lists")
        found.setdefault(table, []).extend((_at(hints, table, name), target, more) for name, target in rows.items())
    return [(table, places) for table, places in found.items() if table in hints]


def _at(hints: Mapping[str, type], table: str, name: str) -> int:
    return [field.name for field in attrs.fields(hints[table])].index(name) if table in hints else -1


def _expressions(table: Expressions, lengths: Mapping[str, int]) -> None:
    if not len(table):
        return
    check_range("an expression", table.to_columns()[:1], 0, len(ExpressionKind))
    kinds = table.to_columns()[0][_LOWEST::4]
    for place, column in enumerate((table.a, table.b, table.c)):
        limits = [lengths.get(_OPERANDS[kind][place], _NO_LIMIT) for kind in ExpressionKind]
        if not all(map(lt, column, map(limits.__getitem__, kinds))):
            raise CodecError("an expression refers to nothing")
        chosen = kinds.translate(_REFERS[place])
        if place < 2 and not all(map(lt, compress(column, chosen), compress(count(), chosen))):
            raise CodecError("an expression is a part of itself")


def check_range(what: str, columns: Iterable[bytes], low: int, high: int) -> None:
    """All values are at least `low` and below `high`: all of them are one number, of which every second lane counts."""
    raw = b"".join(columns)
    raw += (b"\xff" if low < 0 else b"\0") * (-len(raw) % _LANE)
    lanes = len(raw) // _LANE
    if not lanes:
        return
    whole = int.from_bytes(raw, byteorder) ^ _repeated(_SIGN | _SIGN << 32, lanes)
    mask = _repeated((1 << 32) - 1, lanes)
    top = _repeated(1 << 63, lanes)
    for half in (whole & mask, whole >> 32 & mask):
        # Bit 63 of a lane: the value is too large, and in the other sum: it is large enough.
        above = half + _repeated((1 << 63) - _SIGN - max(high, low + 1), lanes)
        below = half + _repeated((1 << 63) - _SIGN - low, lanes)
        if above & top or below & top != top:
            raise CodecError(f"{what} refers to nothing")


def _repeated(lane: int, lanes: int) -> int:
    return int.from_bytes(lane.to_bytes(_LANE, byteorder) * lanes, byteorder)
