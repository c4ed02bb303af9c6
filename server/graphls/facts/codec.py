"""Codec: facts, surfaces and links to bytes and back.

Owns: the encoded form of every cached value.
Must not know: where the bytes are kept.
Invariant: decode(encode(x)) equals x column by column; bytes of any other shape raise CodecError and nothing else.
"""

from __future__ import annotations

from array import array
from functools import cache
from typing import TypeVar, cast, get_type_hints

import attrs
import msgpack

from graphls.facts.columns import Column, Table, column

T = TypeVar("T")


class CodecError(ValueError):
    """The bytes are not a value of the expected type and version."""


def encode(value: object) -> bytes:
    """Bytes of a frozen record made of tables, columns, strings, numbers and tuples of these."""
    row = [_pack(getattr(value, name)) for name in _names(type(value))]
    return msgpack.packb(row, use_bin_type=True, unicode_errors="surrogatepass")


def decode(cls: type[T], data: bytes) -> T:
    """The record of class `cls` that `encode` wrote. Raises CodecError."""
    try:
        unpacked = msgpack.unpackb(data, raw=False, use_list=True, strict_map_key=True, unicode_errors="surrogatepass")
        names = _names(cls)
        if not isinstance(unpacked, list):
            raise CodecError(f"not a {cls.__name__}")
        row = cast("list[object]", unpacked)
        if len(row) != len(names):
            raise CodecError(f"not a {cls.__name__}")
        hints = _hints(cls)
        return cls(*(_unpack(hints[name], item) for name, item in zip(names, row, strict=True)))
    except CodecError:
        raise
    except Exception as error:
        raise CodecError(f"not a {cls.__name__}: {type(error).__name__}") from error


def encode_plain(value: object) -> bytes:
    """Bytes of strings, bytes, numbers, None, and tuples and mappings of these."""
    return msgpack.packb(value, use_bin_type=True, unicode_errors="surrogatepass")


def decode_plain(data: bytes) -> object:
    """What `encode_plain` wrote. Raises CodecError."""
    try:
        return msgpack.unpackb(data, raw=False, use_list=False, unicode_errors="surrogatepass")
    except Exception as error:
        raise CodecError(f"not a plain value: {type(error).__name__}") from error


def _pack(value: object) -> object:
    if isinstance(value, Table):
        return value.to_columns()
    if isinstance(value, tuple):
        texts = cast("tuple[str, ...]", value)
        return "\0".join(texts) if texts else 0
    if isinstance(value, array):
        return cast("Column", value).tobytes()
    return value


@cache
def _names(cls: type) -> tuple[str, ...]:
    """The fields that are written, in order."""
    return tuple(field.name for field in attrs.fields(cls) if field.init)


@cache
def _hints(cls: type) -> dict[str, object]:
    return get_type_hints(cls)


def _unpack(hint: object, item: object) -> object:
    if hint is Column:
        values = column()
        values.frombytes(cast("bytes", item))
        return values
    if isinstance(hint, type):
        if issubclass(hint, Table):
            return hint.from_columns(cast("list[bytes]", item))
        if not isinstance(item, hint):
            raise CodecError(f"expected {hint.__name__}")
        return item
    if hint == tuple[str, ...] | None and item is None:
        return None
    return () if item == 0 else tuple(cast("str", item).split("\0"))
