"""Git index: which files of a repository git tracks: these it leaves out by no rule.

Owns: the format of the index, versions 2 to 4.
Must not know: rules, who asks, anything else of a repository.
Invariant: an index that cannot be read tracks nothing; it is read once, when somebody asks first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final, final

from graphls.sources.read import read_start

MOST_BYTES: Final = 64_000_000
"""Of an index; what stands further back is not known to be tracked."""
_HEAD: Final = 12
_FIXED: Final = 62
"""Bytes before the name of an entry: times, numbers, the 20 bytes of an object, flags."""
_EXTENDED: Final = 0x4000
_LENGTH: Final = 0xFFF


@final
class TrackedFiles:
    """Of the repository with one index; paths are as a walk has them."""

    def __init__(self, index: str, strip: int, prepend: str) -> None:
        """`strip`, `prepend`: how a path from the walked root becomes one from the repository's."""
        self._index = index
        self._strip = strip
        self._prepend = prepend
        self._names: frozenset[bytes] | None = None
        self._folders: frozenset[bytes] | None = None

    def has(self, path: str) -> bool:
        """Whether git tracks a file."""
        return self._own(path) in self._read()

    def has_below(self, folder: str) -> bool:
        """Whether git tracks a file in a folder, or below it."""
        if self._folders is None:
            self._folders = frozenset(_folders(self._read()))
        return self._own(folder) in self._folders

    def _own(self, path: str) -> bytes:
        return (self._prepend + path[self._strip :]).encode("utf-8", "surrogateescape")

    def _read(self) -> frozenset[bytes]:
        if self._names is None:
            self._names = frozenset(_names(read_start(self._index, MOST_BYTES) or b""))
        return self._names


def _folders(names: Iterable[bytes]) -> set[bytes]:
    """All folders that hold these files."""
    found = set[bytes]()
    for name in names:
        folder = name.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def _names(data: bytes) -> Iterator[bytes]:
    if len(data) < _HEAD or data[:4] != b"DIRC":
        return
    version, count = struct.unpack_from(">II", data, 4)
    at, name = _HEAD, b""
    for _ in range(count if version in (2, 3, 4) else 0):
        start = at
        if at + _FIXED > len(data):
            return
        flags = int.from_bytes(data[at + _FIXED - 2 : at + _FIXED], "big")
        at += _FIXED + (2 if version > 2 and flags & _EXTENDED else 0)
        if version == 4:
            removed, at = _number(data, at)
            name = name[: len(name) - removed] if removed else name
        end = data.find(b"\0", at)
        if end < 0:
            return
        name = (name if version == 4 else b"") + data[at:end]
        if flags & _LENGTH != min(len(name), _LENGTH):
            return  # another format of objects
        yield name
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of varying length, and where it ends."""
    value = -1
    while at < len(data):
        byte = data[at]
        value, at = ((value + 1) << 7) | (byte & 0x7F), at + 1
        if not byte & 0x80:
            break
    return max(value, 0), at
