"""Overlays: the contents of open buffers, which stand before the disk.

Owns: the mapping from path to open buffer and its updates.
Must not know: the protocol, edits, when buffers open or close.
Invariant: a value never changes; each update returns a new one that shares the buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import attrs

from graphls.facts.paths import FilePath


@attrs.frozen
class Buffer:
    data: bytes
    version: int


def _frozen(buffers: Mapping[FilePath, Buffer]) -> Mapping[FilePath, Buffer]:
    return MappingProxyType(dict(buffers))


def _no_buffers() -> Mapping[FilePath, Buffer]:
    return {}


@attrs.frozen
class Overlays:
    buffers: Mapping[FilePath, Buffer] = attrs.field(factory=_no_buffers, converter=_frozen, hash=False)

    def get(self, path: FilePath) -> Buffer | None:
        return self.buffers.get(path)

    def with_buffer(self, path: FilePath, data: bytes, version: int) -> Overlays:
        return Overlays({**self.buffers, path: Buffer(data, version)})

    def without(self, path: FilePath) -> Overlays:
        return Overlays({key: buffer for key, buffer in self.buffers.items() if key != path})

    def __contains__(self, path: object) -> bool:
        return path in self.buffers

    def __iter__(self) -> Iterator[FilePath]:
        return iter(sorted(self.buffers))

    def __len__(self) -> int:
        return len(self.buffers)
