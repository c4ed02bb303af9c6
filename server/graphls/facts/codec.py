"""Codec: facts, surfaces and links to bytes and back.

Owns: the encoded form of every cached value.
Must not know: where the bytes are kept.
Invariant: decode(encode(x)) equals x column by column; bytes of any other shape raise CodecError and nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, get_type_hints

import attrs
import msgpack

from graphls.facts.columns import Column, Table, column

T = TypeVar("T")


class CodecError(ValueError):
    """The bytes are not a value of the expected type and version."""


def encode(value: object) -> bytes:
    """Bytes of a frozen record made of tables, columns, strings, numbers and tuples of these."""
    row: list[object] = []
    for field in attrs.fields(type(value)):  # pyright: ignore[reportArgumentType]
        if field.init:
            row.append(_pack(getattr(value, field.name)))
    return msgpack.packb(row, use_bin_type=True, unicode_errors="surrogatepass")


def decode(cls: type[T], data: bytes) -> T:
    """The record of class `cls` that `encode` wrote. Raises CodecError."""
    try:
        row = msgpack.unpackb(data, raw=False, use_list=True, strict_map_key=True, unicode_errors="surrogatepass")
        fields = [field for field in attrs.fields(cls) if field.init]  # pyright: ignore[reportArgumentType]
        if not isinstance(row, list) or len(row) != len(fields):
            raise CodecError(f"not a {cls.__name__}")
        hints = _hints(cls)
        return cls(*(_unpack(hints[field.name], item) for field, item in zip(fields, row, strict=True)))
    except CodecError:
        raise
    except Exception as error:
        raise CodecError(f"not a {cls.__name__}: {type(error).__name__}") from error


def _pack(value: object) -> object:
    if isinstance(value, Table):
        return value.to_columns()
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        return "\0".join(value)
    if isinstance(value, (str, int, float, bytes, bool)) or value is None:
        return value
    if isinstance(value, tuple):
        return 0
    return value.tobytes()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _unpack(hint: Any, item: Any) -> Any:
    if hint is Column:
        values = column()
        values.frombytes(item)
        return values
    if isinstance(hint, type):
        if issubclass(hint, Table):
            return hint.from_columns(item)
        if not isinstance(item, hint):
            raise CodecError(f"expected {hint.__name__}")
        return item
    if hint == tuple[str, ...]:
        return () if item == 0 else tuple(item.split("\0"))
    if hint == tuple[str, ...] | None:
        return None if item is None else () if item == 0 else tuple(item.split("\0"))
    raise CodecError(f"no rule for {hint}")
