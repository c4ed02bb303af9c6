"""Columns: tables of integers, one compact array a field.

Owns: the table classes that facts are made of, and how rows become columns.
Must not know: what produced the rows.
Invariant: all columns of a table have the same length; a table is never changed after it is made.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias, cast

import attrs

if TYPE_CHECKING:
    Column: TypeAlias = array[int]
else:
    Column = array

_NUMBER = Struct("i")
_LONG_SEARCH, _FEW_ROWS = 64, 16
"""A column of so many rows is searched as bytes, until so many of them were found."""
_MANY_SEARCHES = 64
_LONG_COLUMN = 1_000
"""From so many searches of a column of so many rows on its rows are sorted."""
NONE = -1
"""The value that stands for "nothing" in every column."""


def column(values: Iterable[int] = ()) -> Column:
    """A column of signed 32-bit integers."""
    return array("i", values)


def pack_column(values: Sequence[int]) -> Column:
    """A column of numbers that are all at hand: an array takes them one by one, five times slower than this."""
    made = column()
    for first in range(0, len(values), _PORTION):
        # Packing keeps the interpreter's lock: other threads run between portions.
        portion = values if len(values) <= _PORTION else values[first : first + _PORTION]
        made.frombytes(Struct(f"{len(portion)}i").pack(*portion))
    return made


def split_columns(flat: Sequence[int], width: int) -> list[Column]:
    """The columns of rows that stand one after the other."""
    values = pack_column(flat)
    return [values] if width == 1 else [values[field::width] for field in range(width)]


_WIDTH = column().itemsize
_PORTION = 65_536
"""Numbers that are packed at once."""
_ROWS = 1_024
"""Rows that are turned into columns at once."""


class ColumnPacker:
    """Columns of several tables, packed in one go: what packing one column costs is mostly not its numbers."""

    def __init__(self) -> None:
        self._values: list[int] = []
        self._shapes: list[tuple[int, int]] = []

    def rows(self, rows: Sequence[Sequence[int]]) -> None:
        """The next table, row by row."""
        made: list[list[int]] = [[] for _ in rows[0]] if rows else []
        for first in range(0, len(rows), _ROWS):
            # Likewise: other threads run between portions.
            for values, more in zip(made, zip(*rows[first : first + _ROWS], strict=True), strict=True):
                values += more
        for values in made:
            self._values += values
        self._shapes.append((len(rows), len(made)))

    def flat(self, rows: list[int], width: int) -> None:
        """The next table, whose rows stand one after the other."""
        for field in range(width):
            self._values += rows[field::width]
        self._shapes.append((len(rows) // width, width))

    def packed(self) -> Iterator[list[bytes]]:
        """The columns of each table as bytes; none for a table without rows."""
        values, parts = self._values, list[bytes]()
        for first in range(0, len(values), _PORTION):
            # Packing keeps the interpreter's lock: other threads run between portions.
            portion = values[first : first + _PORTION]
            parts.append(Struct(f"{len(portion)}i").pack(*portion))
        while values:
            del values[-_PORTION:]  # so does what goes
        raw = b"".join(parts)
        at = 0
        for count, width in self._shapes:
            size = count * _WIDTH
            yield [raw[start : start + size] for start in range(at, at + size * width, size)] if size else []
            at += size * width


class Searchable:
    """Columns that are searched: what is known of their rows is kept beside them, and is no part of their value."""

    __slots__ = ("_searches",)

    _searches: dict[str, ColumnSearch]

    def rows_where(self, name: str, value: int) -> list[int]:
        """Rows with this value in a column, ascending: many searches of one column cost no more than its length."""
        try:
            searches = self._searches
        except AttributeError:
            searches = dict[str, ColumnSearch]()
            object.__setattr__(self, "_searches", searches)
        search = searches.get(name)
        if search is None:
            search = searches[name] = ColumnSearch(getattr(self, name))
        return search.rows(value)


class _RawColumns(Searchable):
    """Where a table that nobody has read keeps its columns."""

    __slots__ = ("_raw",)

    _raw: Sequence[bytes]


@attrs.frozen(eq=False)
class Table(_RawColumns):
    """Base of all tables. Equality is by content (`same`), identity is cheap."""

    width: ClassVar[int] = 0

    @classmethod
    def of(cls, rows: Sequence[tuple[int, ...]]) -> Self:
        """The table of these rows; every row has one value for each field."""
        if not rows:
            return cls(*(column() for _ in _names(cls)))
        return cls(*map(pack_column, zip(*rows, strict=True)))

    @classmethod
    def from_columns(cls, columns: Sequence[bytes]) -> Self:
        """The inverse of `to_columns`; columns are made when one is read. Raises ValueError when the shape is wrong."""
        if len(columns) != len(_names(cls)):
            raise ValueError(f"{cls.__name__}: {len(columns)} columns")
        sizes = {len(raw) for raw in columns}
        if len(sizes) > 1 or any(size % _WIDTH for size in sizes):
            raise ValueError(f"{cls.__name__}: columns of different length")
        return cls.from_valid_columns(columns)

    @classmethod
    def from_valid_columns(cls, columns: Sequence[bytes]) -> Self:
        """As `from_columns`, of columns that are known to be right; none stand for a table without rows."""
        if not columns:
            return cast("Self", _empty(cls))
        made = cast("Self", object.__new__(_lazy_class(cls)))
        object.__setattr__(made, "_raw", columns)
        return made

    def to_columns(self) -> list[bytes]:
        """One byte string a field, in field order."""
        return [getattr(self, name).tobytes() for name in _names(type(self))]

    def with_column(self, name: str, values: Column) -> Self:
        """The same table with another column of this name."""
        given = [values if field == name else getattr(self, field) for field in _names(type(self))]
        return type(self)(*given)

    def followed_by(self, other: Self) -> Self:
        """The rows of both."""
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in _names(type(self))))

    def one(self, name: str) -> Column:
        """One column, for whoever reads no other."""
        return getattr(self, name)

    def __len__(self) -> int:
        return len(getattr(self, _names(type(self))[0]))


@cache
def _names(cls: type[Table]) -> tuple[str, ...]:
    return tuple(field.name for field in attrs.fields(cls))


@cache
def _empty(cls: type[Table]) -> Table:
    """Tables never change, so one empty table serves every file."""
    return cls.of(())


@cache
def _lazy_class(cls: type[Table]) -> type[Table]:
    """Tables of this class before one of their columns is read: then they become tables like all others.

    Of the tables of a file a question reads few, and to make their columns is most of the work of decoding.
    """
    names = _names(cls)

    def read(self: Table, name: str) -> object:
        try:
            columns: Sequence[bytes] = object.__getattribute__(self, "_raw")
        except AttributeError:
            # Another thread was quicker, or there is no such attribute.
            return object.__getattribute__(self, name)
        for field, raw in zip(names, columns, strict=True):
            object.__setattr__(self, field, _unpacked(raw))
        object.__setattr__(self, "__class__", cls)
        with suppress(AttributeError):
            object.__delattr__(self, "_raw")
        return object.__getattribute__(self, name)

    def to_columns(self: Table) -> list[bytes]:
        try:
            columns: Sequence[bytes] = object.__getattribute__(self, "_raw")
        except AttributeError:
            return cls.to_columns(self)
        return list(columns)

    def one(self: Table, name: str) -> Column:
        try:
            columns: Sequence[bytes] = object.__getattribute__(self, "_raw")
        except AttributeError:
            return cls.one(self, name)
        return _unpacked(columns[names.index(name)])

    def size(self: Table) -> int:
        try:
            columns: Sequence[bytes] = object.__getattribute__(self, "_raw")
        except AttributeError:
            return cls.__len__(self)
        return len(columns[0]) // _WIDTH if columns else 0

    instead = {"__getattr__": read, "__len__": size, "to_columns": to_columns, "one": one}
    return type(cls.__name__, (cls,), {"__slots__": (), "__doc__": cls.__doc__, **instead})


def _unpacked(raw: bytes) -> Column:
    values = column()
    values.frombytes(raw)
    return values


@attrs.frozen(eq=False)
class Scopes(Table):
    """Row 0 is the module. `owner` is the definition that opened the scope, or -1."""

    kind: Column
    parent: Column
    start: Column
    end: Column
    owner: Column


@attrs.frozen(eq=False)
class Definitions(Table):
    """One row a binding site, in source order of the name.

    `scope`: where the name is bound. `body`: the scope it opens, or -1. `start`, `end`: the name.
    `full_start`, `full_end`: the whole statement with decorators. `type`: annotation expression.
    `value`: bound expression. `doc`, `signature`: strings or -1. `surface`: row in the file's
    surface, or -1 for what no other file can see. `owner`: innermost definition around it, or -1.
    """

    name: Column
    kind: Column
    flags: Column
    scope: Column
    start: Column
    end: Column
    full_start: Column
    full_end: Column
    body: Column
    type: Column
    value: Column
    doc: Column
    signature: Column
    surface: Column
    owner: Column


@attrs.frozen(eq=False)
class Occurrences(Table):
    """One row a use of a name, in source order; binding sites are definitions, not occurrences.

    `base`: expression left of the dot, module of an import, callee of a keyword; -1 for a plain name.
    `owner`: the definition that the use belongs to, -1 for the module: the innermost function or class around it
    (with decorators, defaults and bases), or a nearer variable, field or member outside of functions in whose
    annotation or initialiser it stands; what decorators call in a function belongs to that function.
    """

    start: Column
    end: Column
    name: Column
    role: Column
    flags: Column
    scope: Column
    base: Column
    owner: Column


@attrs.frozen(eq=False)
class Expressions(Table):
    """See `ExpressionKind`. A row refers only to rows before it."""

    kind: Column
    a: Column
    b: Column
    c: Column


@attrs.frozen(eq=False)
class Decorators(Table):
    """In source order. `text`: the arguments as written (a string), or -1 when there are none."""

    definition: Column
    expression: Column
    start: Column
    end: Column
    name: Column
    text: Column


@attrs.frozen(eq=False)
class Bases(Table):
    """Bases of classes, in source order. `keyword`: `metaclass` and the like, or -1."""

    definition: Column
    expression: Column
    keyword: Column


@attrs.frozen(eq=False)
class Returns(Table):
    """Values that leave a function. `kind`: `ReturnKind`."""

    definition: Column
    expression: Column
    kind: Column


@attrs.frozen(eq=False)
class Imports(Table):
    """One row an imported name (or a whole module). `name`: -1 for `import m`.

    `definition`: the binding it makes, -1 for a star. `module`: dotted name without leading dots.
    """

    module: Column
    level: Column
    name: Column
    definition: Column
    flags: Column
    start: Column
    end: Column
    scope: Column


@attrs.frozen(eq=False)
class Regions(Table):
    """See `RegionKind`; properly nested, in order of start. `group`: start of the statement whose arms these are."""

    kind: Column
    start: Column
    end: Column
    group: Column


@attrs.frozen(eq=False)
class Narrowings(Table):
    """A test proved (`positive` 1) or disproved (0) that `subject` is an instance of `test` between `start` and `end`.

    `test` -1 means `None`. Subjects are NAME or MEMBER expressions.
    """

    subject: Column
    test: Column
    start: Column
    end: Column
    positive: Column


@attrs.frozen(eq=False)
class Dispatches(Table):
    """A choice between named cases. `kind`: 0 match, 1 chain of `if`, 2 mapping. `cases`: list of strings (indices)."""

    kind: Column
    subject: Column
    start: Column
    end: Column
    cases: Column
    owner: Column


@attrs.frozen(eq=False)
class Metrics(Table):
    """Body shape of each function: decision points, deepest nesting, statements, lines, calls, shape hash."""

    definition: Column
    branches: Column
    nesting: Column
    statements: Column
    lines: Column
    shape: Column


@attrs.frozen(eq=False)
class Literals(Table):
    """String literals that may spell code, a path or a route. `text` without quotes; `call`: expression, or -1.

    `position`: index of the argument in that call; `keyword`: its name or -1.
    """

    text: Column
    start: Column
    end: Column
    owner: Column
    call: Column
    position: Column
    keyword: Column


@attrs.frozen(eq=False)
class Constructs(Table):
    """Constructs that run a method without naming it: `with`, `for`, `x[i]`, operators.

    `kind`: ConstructKind; `name`: the operator or built-in function, or -1. `operand`: whose method runs;
    `other`: whose method may run instead, or -1. The order is that of reading.
    """

    kind: Column
    name: Column
    start: Column
    end: Column
    operand: Column
    other: Column
    owner: Column


@attrs.frozen(eq=False)
class Problems(Table):
    """Syntax problems. `text`: what to tell the user."""

    kind: Column
    start: Column
    end: Column
    text: Column


@attrs.frozen(eq=False)
class Lists(Table):
    """Variable-length lists, flattened: list i is `items.value[start[i]:end[i]]`."""

    start: Column
    end: Column


@attrs.frozen(eq=False)
class ListItems(Table):
    """The flattened items of `Lists`."""

    value: Column


def rows_with(values: Column, value: int) -> Iterator[int]:
    """Rows whose value is the wanted one, ascending."""
    row = -1
    if len(values) >= _LONG_SEARCH:
        for found, row in enumerate(_found_bytes(values, value)):
            yield row
            if found == _FEW_ROWS:
                break
        else:
            return
    while True:
        try:
            row = values.index(value, row + 1)
        except ValueError:
            return
        yield row


def _found_bytes(values: Column, value: int) -> Iterator[int]:
    """The same by a search for bytes, which is ten times faster than one that makes a number of each value, as long as
    few rows have the wanted one."""
    raw, wanted = values.tobytes(), _NUMBER.pack(value)
    at = raw.find(wanted)
    while at >= 0:
        beside = at % _WIDTH
        if not beside:
            yield at // _WIDTH
        at = raw.find(wanted, at + _WIDTH - beside)


class ColumnSearch:
    """Rows of a column by value: the column is searched, or its rows in order once many values were asked for."""

    def __init__(self, values: Column) -> None:
        self._values = values
        self._asked = 0
        self._order: Column | None = None

    def rows(self, value: int) -> list[int]:
        """Rows whose value is the wanted one, ascending."""
        values, order = self._values, self._order
        if order is None:
            self._asked += 1
            if self._asked < _MANY_SEARCHES or len(values) < _LONG_COLUMN:
                return list(rows_with(values, value))
            order = self._order = column(sorted(range(len(values)), key=values.__getitem__))
        first = bisect_left(order, value, key=values.__getitem__)
        return order[first : bisect_right(order, value, first, key=values.__getitem__)].tolist()
