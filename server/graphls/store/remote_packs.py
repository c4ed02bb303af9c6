"""Remote packs: entries of the cache that machines share, as one object in an object store.

Owns: the form of packs and of the names that lead to them, signatures, limits, everything that makes one suspicious.
Must not know: what entries mean, which of them are wanted, where the store is.
Invariant: an entry comes from whoever has the key, or, where the user asked for none, from whoever may write to the
    store; what is cut, changed, foreign or too large is a miss with a line in the log, and nothing of it is kept.

A pack is named by its digest, so it is never written twice and never changes. A name is a small object with the digest
of the newest pack and a signature over both.
"""

from __future__ import annotations

import hmac
import logging
import os
import platform
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, Protocol, cast
from urllib.parse import quote

import attrs
import msgpack

from graphls.store.blobs import KINDS, BlobStore, Kind

LARGEST_PACK: Final = 2_000_000_000
_LARGEST_UNPACKED: Final = 8_000_000_000
_LARGEST_NAME: Final = 4_096
_FORM: Final = "graphls pack 1"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
KEY_VARIABLE: Final = "GRAPHLS_CACHE_KEY"
_SHORTEST_KEY: Final = 16
_BATCH: Final = 2_000
_log = logging.getLogger(__name__)

Entries = Mapping[Kind, Sequence[str]]
"""Keys by kind."""


class RemoteObjects(Protocol):
    """An object store."""

    def read(self, name: str, most: int) -> bytes | None:
        """An object, None where there is none. Raises RemoteError: it cannot be read, or is larger than that."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Makes an object, or replaces it. Raises RemoteError."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is an object. Raises RemoteError."""
        ...


class RemoteError(Exception):
    """The store cannot be used. The text is fit for users."""


@attrs.frozen
class PackTransfer:
    """What went over the line. `problem`: why nothing did."""

    entries: int = 0
    size: int = 0
    digest: str = ""
    problem: str = ""


def signing_key() -> bytes:
    """The secret of this machine's environment that signs packs. Raises RemoteError."""
    key = os.environ.get(KEY_VARIABLE, "")
    if len(key) < _SHORTEST_KEY:
        raise RemoteError(
            f"{KEY_VARIABLE} is not set on {platform.node()}, to a secret of {_SHORTEST_KEY} characters or more that "
            "all machines share, and --unsigned was not given"
        )
    return key.encode()


def push_pack(store: BlobStore, remote: RemoteObjects, name: str, key: bytes, entries: Entries) -> PackTransfer:
    """Writes those of these entries that the cache has. Raises RemoteError."""
    rows = list(_rows(store, entries))
    packed = zlib.compress(msgpack.packb([_FORM, rows]), 1)
    if len(packed) > LARGEST_PACK:
        raise RemoteError(f"the entries take {len(packed) // 1_000_000:,} MB, more than a pack may hold")
    digest = _digest(packed)
    if not remote.exists(_pack_path(digest)):
        remote.write(_pack_path(digest), packed)
    remote.write(_name_path(name), f"{digest}\n{_signature(name, digest, key)}\n".encode())
    return PackTransfer(len(rows), len(packed), digest)


def object_name(name: str) -> str:
    """A name that an object can have anywhere, and that leads out of no folder."""
    return quote(name, safe="").replace(".", "%2E")


def pull_pack(store: BlobStore, remote: RemoteObjects, name: str, key: bytes, known: str = "") -> PackTransfer:
    """Takes in the newest pack of a name, unless it is the one whose digest is `known`. Raises RemoteError where the
    store cannot be reached; whatever is wrong with what it holds is a `problem`."""
    problem, packed, digest = _fetched(remote, name, key, known)
    if digest and digest == known:
        return PackTransfer(digest=digest)
    rows = None if problem else _unpacked(packed)
    if rows is None:
        problem = problem or "the pack is damaged"
        _log.warning("nothing of the remote cache %r is used: %s", name, problem)
        return PackTransfer(problem=problem)
    for first in range(0, len(rows), _BATCH):
        batch: dict[Kind, dict[str, bytes]] = {}
        for kind, entry, value in rows[first : first + _BATCH]:
            batch.setdefault(kind, {})[entry] = value
        if not all(store.put_many(kind, values) for kind, values in batch.items()):
            return PackTransfer(problem=store.problem or "the cache takes nothing")
    return PackTransfer(len(rows), len(packed), digest)


def _fetched(remote: RemoteObjects, name: str, key: bytes, known: str) -> tuple[str, bytes, str]:
    """A problem or "", the pack, its digest."""
    said = remote.read(_name_path(name), _LARGEST_NAME)
    if said is None:
        return f"there is none of the name {name!r}", b"", ""
    digest, _, signature = said.decode("ascii", "replace").strip().partition("\n")
    if not _DIGEST.fullmatch(digest):
        return "its name leads to no pack", b"", ""
    if not hmac.compare_digest(signature.encode(), _signature(name, digest, key).encode()):
        return "it was signed with another key, or changed since", b"", ""
    if digest == known:
        return "", b"", digest
    packed = remote.read(_pack_path(digest), LARGEST_PACK)
    if packed is None:
        return "the pack is gone", b"", ""
    return ("" if _digest(packed) == digest else "the pack is cut off, or changed since"), packed, digest


def _rows(store: BlobStore, entries: Entries) -> Iterator[tuple[Kind, str, bytes]]:
    for kind in KINDS:
        ordered = sorted(set(entries.get(kind, ())))
        for first in range(0, len(ordered), _BATCH):
            found = store.get_many(kind, ordered[first : first + _BATCH])
            for entry in sorted(found):
                yield kind, entry, found[entry]


def _unpacked(packed: bytes) -> Sequence[tuple[Kind, str, bytes]] | None:
    """The rows of a pack, None where it is none: even the right signature may be on nonsense."""
    try:
        inflating = zlib.decompressobj()
        raw = inflating.decompress(packed, _LARGEST_UNPACKED)
        if not inflating.eof:
            return None
        made: object = msgpack.unpackb(raw, use_list=False, max_bin_len=LARGEST_PACK)
    except (zlib.error, ValueError, TypeError, RecursionError, msgpack.UnpackException):
        return None
    if not isinstance(made, tuple) or len(cast("tuple[object, ...]", made)) != 2 or made[0] != _FORM:
        return None
    rows = cast("object", made[1])
    if not isinstance(rows, tuple):
        return None
    whole = all(map(_is_row, cast("tuple[object, ...]", rows)))
    return cast("tuple[tuple[Kind, str, bytes], ...]", rows) if whole else None


def _is_row(row: object) -> bool:
    if not isinstance(row, tuple):
        return False
    parts = cast("tuple[object, ...]", row)
    return len(parts) == 3 and parts[0] in KINDS and isinstance(parts[1], str) and isinstance(parts[2], bytes)


def _digest(packed: bytes) -> str:
    return blake2b(packed, digest_size=32).hexdigest()


def _signature(name: str, digest: str, key: bytes) -> str:
    return hmac.digest(key, f"{_FORM}\n{name}\n{digest}".encode(), "sha256").hex() if key else "unsigned"


def _pack_path(digest: str) -> str:
    return f"packs/{digest[:2]}/{digest}"


def _name_path(name: str) -> str:
    return f"names/{name}"
