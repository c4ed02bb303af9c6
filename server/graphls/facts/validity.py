"""Validity: whether decoded facts, surfaces and links refer to what they have.

Owns: the range of every column, by what it refers to.
Must not know: where values come from, what becomes of those that are not valid.
Invariant: no reader of a valid value looks up a row that is not there, or goes round in a circle; `CodecError` says
    what is wrong with any other.

A cache can be written by anybody who may write files, with digests that fit. The checks of ranges see a column as one
number: a column of thousands costs microseconds.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import lt
from sys import byteorder
from typing import Final, TypeAlias, get_type_hints

import attrs

from graphls.facts.codec import CodecError
from graphls.facts.columns import Expressions
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    ConstructKind,
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

_Part: TypeAlias = tuple[bytes, int, int]
"""A column of numbers of 32 bits, the least that they may be, 0 or -1, and what they are below."""
_LANE, _SIGN, _TOP = 4, 1 << 31, 128
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
    "constructs": ("name",),
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
    "constructs": {"operand": "expressions", "other": "expressions", "owner": "definitions"},
    "lists": {"start": "items", "end": "items"},
}  # fmt: skip
"""Columns that name rows of another table. `definitions` of a surface are its symbols."""

_KINDS: Final[Mapping[str, tuple[str, int]]] = {
    "definitions": ("kind", max(DefinitionKind) + 1),
    "symbols": ("kind", max(DefinitionKind) + 1),
    "scopes": ("kind", max(ScopeKind) + 1),
    "occurrences": ("role", max(Role) + 1),
    "regions": ("kind", max(RegionKind) + 1),
    "returns": ("kind", max(ReturnKind) + 1),
    "constructs": ("kind", max(ConstructKind) + 1),
}
"""A column of kinds, and what they are below."""
_EDGES, _RESOLUTIONS, _REASONS = max(EdgeKind) + 1, max(Resolution) + 1, max(UnresolvedReason) + 1

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

_CALLEE, _EXPRESSIONS, _DEFINITIONS = 1, 2, 4
"""Bits of a kind at a place: is a parameter, of which what is given to a function has its callee there as a call does;
refers to expressions; to definitions."""
_BITS: Final[Mapping[str, int]] = {
    "expressions": _EXPRESSIONS, "definitions": _DEFINITIONS, "strings": 8, "scopes": 16, "lists": 32,
}  # fmt: skip


def _bits(kind: int, place: int) -> int:
    targets = _OPERANDS.get(ExpressionKind(kind)) if kind < len(ExpressionKind) else None
    callee = _CALLEE if kind == ExpressionKind.PARAMETER and not place else 0
    return callee | (_BITS.get(targets[place], 0) if targets else 0)


_OPERAND_BITS: Final = tuple(bytes(_bits(kind, place) for kind in range(256)) for place in range(3))
"""By place and kind: what the operand refers to."""
_REFERS: Final = tuple(bytes(int(bits & _EXPRESSIONS > 0) for bits in table) for table in _OPERAND_BITS)
"""By place and kind: whether the operand is an expression, which stands before."""


def check_facts(facts: FileFacts) -> None:
    """Raises CodecError."""
    _check(facts, "definitions", _lengths(facts))


def check_surface(surface: Surface) -> None:
    """Raises CodecError."""
    _check(surface, "symbols", {**_lengths(surface), "definitions": len(surface.symbols)})


def check_links(links: Links) -> None:
    """Raises CodecError. What of other files is meant is looked up by who knows these."""
    parts: list[_Part] = []
    for table in (links.targets, links.module_targets, links.implicit):
        limits = {True: len(links.externals), False: len(links.files)}
        outside = map(EXTERNAL.__eq__, table.symbol)
        if not all(map(lt, table.file, map(limits.__getitem__, outside))):
            raise CodecError("links lead to no file")
        parts += [(column, 0, _NO_LIMIT) for column in table.to_columns()[:2]]
        for name, high in (("edge", _EDGES), ("resolution", _RESOLUTIONS), ("confidence", 101)):
            parts.append((table.one(name).tobytes(), 0, high))
    parts += [(column, 0, len(links.files)) for column in links.overrides.to_columns()[1:2]]
    parts.append((links.overrides.one("edge").tobytes(), 0, 2))
    parts.append((links.unresolved.one("reason").tobytes(), 0, _REASONS))
    parts += [(rules.tobytes(), 0, _NO_LIMIT) for rules in (links.rules, links.implicit_rules)]
    check_range("links", parts)
    whole = len(links.implicit_rules) == len(links.implicit)
    if not links.files or len(links.rules) not in (0, len(links.targets)) or not whole:
        raise CodecError("links of another shape")


def _lengths(value: FileFacts | Surface) -> dict[str, int]:
    names = {"scopes", "definitions", "occurrences", "expressions", "lists", "items"}
    found = {name: len(getattr(value, name)) for name in names if hasattr(value, name)}
    return {**found, "strings": len(value.strings)}


def _check(value: FileFacts | Surface, own: str, lengths: Mapping[str, int]) -> None:
    parts: list[_Part] = []
    for table, named in _places(type(value)):
        columns = getattr(value, table).to_columns()
        if columns:
            parts += [(columns[at], -1, lengths[target] + more) for at, target, more in named]
    for table, (name, high) in _KINDS.items():
        if hasattr(value, table):
            parts.append((getattr(value, table).one(name).tobytes(), 0, high))
    if own == "symbols":  # a name that is none would be the last one
        parts += [(column, 0, _NO_LIMIT) for column in value.symbols.to_columns()[:1]]  # type: ignore[union-attr]
    check_range("a table", parts)
    _expressions(value.expressions, lengths)
    parents = value.scopes.one("parent").tobytes()
    lanes = len(parents) // _LANE
    column, negative = _signs_apart(int.from_bytes(parents, byteorder), _ones(lanes))
    if next(_rows_ahead(column, negative, _ones(lanes), lanes), None) is not None:
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
    written, *operands = table.to_columns()
    check_range("an expression", [(written, 0, len(ExpressionKind))])
    lanes, ahead = len(table), set[int]()
    each, given = _ones(lanes), int.from_bytes(operands[1], byteorder)
    for place, raw in enumerate(operands):
        referring = _referring(written, place, given, each)
        column = given if place == 1 else int.from_bytes(raw, byteorder)
        column, negative = _signs_apart(column, each)
        if _beyond(column, referring, lengths, each) & ~negative:
            raise CodecError("an expression refers to nothing")
        if place < 2:
            ahead.update(_rows_ahead(column, negative, referring.get(_EXPRESSIONS, 0), lanes))
    if ahead:
        kinds = written[_LOWEST::_LANE]
        _without_circles(ahead, _with_callees(kinds, table.b), (table.a, table.b))


def _signs_apart(column: int, each: int) -> tuple[int, int]:
    """A column with 0 where it is below 0, for which nothing is looked up, and the signs of these."""
    negative = column & each << 31
    return (column ^ column & (negative << 1) - (negative >> 31) if negative else column), negative


def _referring(written: bytes, place: int, given: int, each: int) -> dict[int, int]:
    """By bit: 1 in the lane of each expression whose operand at a place refers to that. `given`: the second operands,
    as which argument a function is given."""
    bits = int.from_bytes(written.translate(_OPERAND_BITS[place]), byteorder)
    found = {bit: (bits >> bit.bit_length() - 1) & each for bit in _BITS.values()}
    callees = 0 if place else bits & each & ~(given >> 31)
    if callees:
        found[_DEFINITIONS] ^= callees
        found[_EXPRESSIONS] |= callees
    return found


def _beyond(column: int, referring: Mapping[int, int], lengths: Mapping[str, int], each: int) -> int:
    """The sign of each lane whose operand is none of the rows that it may be."""
    limits = each * _NO_LIMIT
    for name, bit in _BITS.items():
        if referring[bit] and name in lengths:
            limits -= referring[bit] * (_NO_LIMIT - min(lengths[name], _NO_LIMIT))
    # No sum leaves its lane.
    return (column + (each << 31) - limits) & each << 31


def _rows_ahead(column: int, negative: int, chosen: int, lanes: int) -> Iterator[int]:
    """Rows whose operand, an expression, does not stand before them."""
    found = (column + (_ones(lanes) << 31) - _numbers(lanes)) & chosen << 31 & ~negative
    if found:
        raw = found.to_bytes(lanes * _LANE, byteorder)[_LANE - 1 - _LOWEST :: _LANE]
        at = raw.find(_TOP)
        while at >= 0:
            yield at
            at = raw.find(_TOP, at + 1)


def _without_circles(ahead: Iterable[int], kinds: bytes, operands: tuple[Sequence[int], Sequence[int]]) -> None:
    """Raises CodecError where an expression has itself as an operand. Nearly all operands stand before; what does not,
    `ahead`, is a type that the code around it gives."""
    ended: set[int] = set()
    for first in sorted(ahead):
        way, following = [first], {first: 0}
        while way:
            row = way[-1]
            place = following[row]
            if place > 1 or row in ended:
                ended.add(way.pop())
                continue
            following[row] = place + 1
            operand = operands[place][row] if _REFERS[place][kinds[row]] else -1
            if operand in following and operand not in ended:
                raise CodecError("an expression is a part of itself")
            if operand >= 0 and operand not in ended:
                following[operand] = 0
                way.append(operand)


def _with_callees(kinds: bytes, function: Sequence[int]) -> bytes:
    """Kinds by what stands first in them: what is given to a function has its callee there, as a call does, and not a
    parameter. `function`: as which argument that function is given, -1 where there is none."""
    found = bytearray(kinds)
    at = kinds.find(ExpressionKind.PARAMETER)
    while at >= 0:
        if function[at] >= 0:
            found[at] = ExpressionKind.CALL
        at = kinds.find(ExpressionKind.PARAMETER, at + 1)
    return bytes(found)


def check_range(what: str, parts: Iterable[_Part]) -> None:
    """All values are within their parts' bounds: those with the same bounds are one number, in which a value costs a
    nanosecond."""
    groups: dict[tuple[int, int], list[bytes]] = {}
    for column, low, high in parts:
        groups.setdefault((low, high), []).append(column)
    for (low, high), columns in groups.items():
        raw = b"".join(columns)
        if raw and not _are_within(int.from_bytes(raw, byteorder), len(raw) // _LANE, low, max(high, low + 1)):
            raise CodecError(f"{what} refers to nothing")


def _are_within(whole: int, lanes: int, low: int, high: int) -> bool:
    each = _ones(lanes)
    signs = each << 31
    negative = whole & signs
    if negative:
        # All bits of the lanes that are below 0: these hold -1, or something is wrong.
        full = (negative << 1) - (negative >> 31)
        if low >= 0 or whole & full != full:
            return False
        if high <= 0:
            return whole == full and negative == signs
        whole ^= full
    # No sum leaves its lane.
    return high > 0 and not (whole + each * (_SIGN - high)) & signs


def _ones(lanes: int) -> int:
    """1 in each lane."""
    power = (lanes - 1).bit_length()
    return _power_of_ones(power) >> _LANE * 8 * ((1 << power) - lanes)


@cache
def _power_of_ones(power: int) -> int:
    half = _power_of_ones(power - 1) if power else 1
    return half | half << (_LANE * 8 << power - 1) if power else half


def _numbers(lanes: int) -> int:
    """Its number in each lane."""
    power = (lanes - 1).bit_length()
    whole, more = _power_of_numbers(power), _LANE * 8 * ((1 << power) - lanes)
    return whole >> more if _LOWEST else whole & (1 << _LANE * 8 * lanes) - 1


@cache
def _power_of_numbers(power: int) -> int:
    return int.from_bytes(array("i", range(1 << power)).tobytes(), byteorder)
