"""Columns: the tables that hold records, from the classes that define these.

Owns: tables, columns and their types, the rows of a record, the text that makes the tables.
Must not know: any database, files.
Invariant: a field more of a record is a column more, without a change here; a row holds all that its record says.

How a field becomes columns: a range is four of them; text, numbers and flags are one; a list of plain values and an
object are one of JSON; a list of parts (`sites`, `decorators`) is a table of its own, whose rows name their owner and
their place in the list. What only a later version knows is JSON in `extra`, and records of unknown kinds are rows of
`others`.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

import attrs

from graphls.graph.records import Edge, Header, Node, Opaque, Range, Record, wire_fields
from graphls.graph.wire import plain_part

ColumnType = Literal["TEXT", "BIGINT", "DOUBLE", "BOOLEAN"]
Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = tuple[Cell, ...]

_TYPES: Mapping[object, ColumnType] = {str: "TEXT", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
_RANGE = ("start_line", "start_column", "end_line", "end_column")
_RECORDS: Mapping[str, type[attrs.AttrsInstance]] = {"nodes": Node, "edges": Edge, "header": Header}
"""Tables of records, by the class of their rows."""
_OWNERS: Mapping[str, str] = {"nodes": "node", "edges": "edge"}
"""What rows of a list call the id of their owner."""
INDEXES: Mapping[str, Sequence[tuple[str, ...]]] = {
    "nodes": (("qualified_name",), ("name",), ("file",), ("kind",)),
    "edges": (("source", "kind"), ("target", "kind")),
    "sites": (("edge",), ("file",)),
    "decorators": (("node",),),
}


@attrs.frozen
class Column:
    """One column: its type is that of SQL."""

    name: str
    type: ColumnType
    doc: str
    optional: bool
    json: bool = False


@attrs.frozen
class SqlTable:
    """A relation. `key`: the column that tells its rows apart, if one does."""

    name: str
    columns: tuple[Column, ...]
    key: str = ""


@cache
def tables() -> Mapping[str, SqlTable]:
    """All tables, by name, in the order in which they are made."""
    made: dict[str, SqlTable] = {}
    for name, kind in _RECORDS.items():
        made[name] = SqlTable(name, (*_columns(kind), _EXTRA), "id" if name in _OWNERS else "")
        for field, part in _lists(kind) if name in _OWNERS else ():
            owner = _OWNERS[name]
            made[field] = SqlTable(
                field,
                (
                    Column(owner, "TEXT", f"Id of the {owner}.", optional=False),
                    Column("place", "BIGINT", "Place in the list, from 0.", optional=False),
                    *_columns(part),
                    _EXTRA,
                ),
            )
    made["others"] = SqlTable("others", (Column("record", "TEXT", "A record of a later version.", False, json=True),))
    return made


def ddl(dialect_types: Mapping[ColumnType, str] | None = None) -> str:
    """Statements that make all tables. `dialect_types`: other names of types."""
    return "".join(_create(table, dialect_types or {}) for table in tables().values())


def indexes() -> str:
    """Statements that make the indexes, for when the rows are in."""
    return "".join(
        f"CREATE INDEX {table}_by_{'_'.join(columns)} ON {table} ({', '.join(columns)});\n"
        for table, rows in INDEXES.items()
        for columns in rows
    )


def rows_of(records: Iterable[Record]) -> Iterator[tuple[str, Row]]:
    """The rows of records, each with the name of its table."""
    for record in records:
        match record:
            case Opaque():
                yield "others", (_json(record.fields),)
            case Header():
                yield "header", _row("header", record)
            case Node():
                yield "nodes", _row("nodes", record)
                yield from _parts("decorators", record.id, record.decorators)
            case Edge():
                yield "edges", _row("edges", record)
                yield from _parts("sites", record.id, record.sites)


def tables_page() -> str:
    """The tables as a page, without its heading."""
    parts: list[str] = []
    for table in tables().values():
        parts.append(f"## {table.name}\n\n| column | type | meaning |\n|---|---|---|")
        parts += [f"| `{column.name}` | {_spelled(column)} | {column.doc} |" for column in table.columns]
        parts.append("")
    return "\n".join(parts)


# ---------------------------------------------------------------- columns


_EXTRA = Column("extra", "TEXT", "Fields that this version does not know.", optional=True, json=True)


def _columns(kind: type[attrs.AttrsInstance]) -> Iterator[Column]:
    hints = get_type_hints(kind)
    in_tables = {name for name, _ in _lists(kind)} if kind in (Node, Edge) else set[str]()
    for field in wire_fields(kind):
        if field.name in in_tables:
            continue
        doc, (plain, optional) = str(field.metadata["doc"]), _bare(hints[field.name])
        if plain == Range:
            for name in _RANGE:
                yield Column(f"{field.name.removesuffix('range')}{name}", "BIGINT", doc, optional)
        elif plain in _TYPES:
            yield Column(field.name, _TYPES[plain], doc, optional)
        else:
            yield Column(field.name, "TEXT", doc, optional, json=True)


def _lists(kind: type[attrs.AttrsInstance]) -> Iterator[tuple[str, type[attrs.AttrsInstance]]]:
    """Fields that are lists of parts, with the class of the parts."""
    for name, hint in get_type_hints(kind).items():
        inner = get_args(hint)[0] if get_origin(hint) is tuple and hint != Range else None
        if isinstance(inner, type) and attrs.has(inner):
            yield name, inner


def _bare(hint: object) -> tuple[object, bool]:
    """A type without `None`, and whether it was there."""
    if get_origin(hint) in (Union, types.UnionType):
        inner = [item for item in get_args(hint) if item is not type(None)]
        return inner[0] if len(inner) == 1 else object, True
    return hint, False


# ---------------------------------------------------------------- rows


_Getter: TypeAlias = Callable[[object], Sequence[Cell]]


def _row(table: str, record: attrs.AttrsInstance) -> Row:
    cells: list[Cell] = []
    for getter in _getters(type(record)):
        cells += getter(record)
    assert len(cells) == len(tables()[table].columns)
    return tuple(cells)


def _parts(table: str, owner: str, parts: Sequence[attrs.AttrsInstance]) -> Iterator[tuple[str, Row]]:
    for place, part in enumerate(parts):
        cells: list[Cell] = [owner, place]
        for getter in _getters(type(part)):
            cells += getter(part)
        yield table, tuple(cells)


@cache
def _getters(kind: type[attrs.AttrsInstance]) -> Sequence[_Getter]:
    """What reads the cells of a record, field by field, as `_columns` names them."""
    hints = get_type_hints(kind)
    in_tables = {name for name, _ in _lists(kind)} if kind in (Node, Edge) else set[str]()
    made = [
        _getter(field.name, _bare(hints[field.name])[0]) for field in wire_fields(kind) if field.name not in in_tables
    ]
    return (*made, _extra)


def _getter(name: str, plain: object) -> _Getter:
    if plain == Range:
        return lambda record: getattr(record, name) or (None,) * len(_RANGE)
    if plain is str:
        return lambda record: (_text(getattr(record, name)),)
    if plain in _TYPES:
        return lambda record: (getattr(record, name),)
    return lambda record: (_json(plain_part(getattr(record, name))),)


def _extra(record: object) -> Sequence[Cell]:
    fields = cast("Mapping[str, object]", getattr(record, "extra"))  # noqa: B009 (every part has it)
    return (_json(fields) if fields else None,)


def _text(value: str | None) -> str | None:
    """Half characters, which no database takes, as an escape."""
    if value is None or value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=True, separators=(",", ":"))


# ---------------------------------------------------------------- texts


def _create(table: SqlTable, names: Mapping[ColumnType, str]) -> str:
    lines = [
        f'  "{column.name}" {names.get(column.type, column.type)}'
        f"{'' if column.optional else ' NOT NULL'}{' PRIMARY KEY' if column.name == table.key else ''}"
        for column in table.columns
    ]
    return f"CREATE TABLE {table.name} (\n" + ",\n".join(lines) + "\n);\n"


def _spelled(column: Column) -> str:
    return f"{column.type}{', JSON' if column.json else ''}{', may be NULL' if column.optional else ''}"
