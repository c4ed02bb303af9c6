"""Safe disk: how a value of the cache becomes a row and back, without running or reading anything planted.

Owns: the only contact with diskcache, which has no types and unpickles by default.
Must not know: kinds, keys, what the values mean.
Invariant: a row that this module would not have written reads as absent; no file name in a row is ever followed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, cast

import diskcache
from diskcache.core import DEFAULT_SETTINGS, MODE_RAW  # pyright: ignore[reportMissingTypeStubs]

_EXPECTED_SCHEMA = frozenset(
    {
        "Settings",
        "sqlite_autoindex_Settings_1",
        "Cache",
        "Cache_key_raw",
        "Cache_expire_time",
        "Cache_store_time",
        "Settings_count_insert",
        "Settings_count_delete",
        "Settings_size_insert",
        "Settings_size_update",
        "Settings_size_delete",
    }
)
DATABASE = "cache.db"
_AT_ONCE = (1, 8, 40, 200)
"""How many keys a statement asks for. Few sizes: sqlite keeps each statement ready, and one of 200 keys takes 50 KB."""


class RefusedError(OSError):
    """A key, value or row that is not plain. diskcache answers a miss when reading raises an OSError."""


class CacheRows(Protocol):
    """What the store uses of a diskcache.Cache."""

    def found(self, keys: Sequence[str]) -> Iterator[tuple[str, bytes, object]]: ...
    def present(self, keys: Sequence[str]) -> Iterator[tuple[str, object]]: ...
    def counts(self) -> Iterator[tuple[object, object]]: ...
    def beginning(self, start: str) -> Iterator[str]: ...
    def set(self, key: str, value: bytes, expire: float | None = None) -> bool: ...
    def touch(self, key: str, expire: float | None = None) -> bool: ...
    def delete(self, key: str) -> bool: ...
    def clear(self) -> int: ...
    def close(self) -> None: ...
    def expire(self, now: float | None = None) -> int: ...
    def volume(self) -> int: ...
    def __len__(self) -> int: ...
    def transact(self) -> AbstractContextManager[None]: ...


class SafeDisk(diskcache.Disk):
    """Values are str, bytes, int or float and live in the row itself: no pickle, no file beside the database."""

    def put(self, key: object) -> tuple[object, bool]:
        _plain(key)
        return super().put(key)

    def get(self, key: object, raw: object) -> object:
        if not raw:
            raise RefusedError("a key that is not plain")
        return super().get(key, True)

    def store(self, value: object, read: object, key: object = None) -> tuple[int, int, None, object]:
        _plain(value)
        if read:
            raise RefusedError("values are not read from files")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: object, filename: object, value: object, read: object) -> object:
        if mode != MODE_RAW or filename is not None or read:
            raise RefusedError("a row that graphls did not write")
        _plain(value)
        return value

    def filename(self, key: object = None, value: object = None) -> tuple[str, str]:
        raise RefusedError("values are not kept in files")

    def remove(self, file_path: object) -> None:
        """No row of ours has a file, and a planted name must not delete one."""


class SafeCache(diskcache.Cache):
    """Reads many rows by few statements: one for each takes most of the time of a start over a full cache.

    Used by one thread at a time, so all share one connection. diskcache would open one for each thread, of 4 MB and two
    files, which outlives its thread: a connection is garbage that refers to itself, and Python seldom looks for such.
    """

    _sql: Callable[[str, Sequence[object]], sqlite3.Cursor]
    _timeout: float
    reset: Callable[..., object]
    _shared: sqlite3.Connection | None = None
    _process = 0
    _foreign: sqlite3.Connection | None = None
    """What a copy of the process has of the one that it was copied from: neither to be used there nor to be closed."""

    @property
    def _con(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            self._process, self._foreign, self._shared = os.getpid(), self._shared, None
        known = self._shared
        if known is None:
            path = f"{self.directory}/{DATABASE}"
            known = sqlite3.connect(path, timeout=self._timeout, isolation_level=None, check_same_thread=False)
            self._shared = known
            self._renew_pragmas(known)
        return known

    def _renew_pragmas(self, connection: sqlite3.Connection) -> None:
        """Some of what was chosen for the database holds for one connection only."""
        with contextlib.suppress(sqlite3.OperationalError):  # no table yet
            for key, value in connection.execute("SELECT key, value FROM Settings").fetchall():
                if key.startswith("sqlite_"):
                    self.reset(key, value, update=False)

    def close(self) -> None:
        """Whichever thread says so."""
        if self._shared is not None and self._process == os.getpid():
            self._shared.close()
            self._shared = None

    def found(self, keys: Sequence[str]) -> Iterator[tuple[str, bytes, object]]:
        """Key, value and the time when it expires, of those that are there and that we may have written."""
        for key, expires, value, mode, filename in self._rows("key, expire_time, value, mode, filename", keys):
            if mode == MODE_RAW and filename is None and isinstance(key, str) and isinstance(value, bytes):
                yield key, value, expires

    def present(self, keys: Sequence[str]) -> Iterator[tuple[str, object]]:
        """Key and the time when it expires, of those that are there."""
        for key, expires in self._rows("key, expire_time", keys):
            yield str(key), expires

    def _rows(self, columns: str, keys: Sequence[str]) -> Iterator[tuple[object, ...]]:
        for first in range(0, len(keys), _AT_ONCE[-1]):
            some = keys[first : first + _AT_ONCE[-1]]
            size = next(size for size in _AT_ONCE if size >= len(some))
            marks = ",".join("?" * size)
            live = f"raw = 1 AND (expire_time IS NULL OR expire_time > ?) AND key IN ({marks})"
            again = [some[-1]] * (size - len(some))  # a key that is asked for twice is found once
            yield from self._sql(f"SELECT {columns} FROM Cache WHERE {live}", (time.time(), *some, *again)).fetchall()

    def beginning(self, start: str) -> Iterator[str]:
        """Keys that begin so, by the index: others are not looked at."""
        behind = start[:-1] + chr(ord(start[-1]) + 1)
        rows = self._sql("SELECT key FROM Cache WHERE raw = 1 AND key >= ? AND key < ?", (start, behind)).fetchall()
        yield from (str(key) for (key,) in rows)

    def counts(self) -> Iterator[tuple[object, object]]:
        """How many rows there are by what stands before the colon of their key."""
        yield from self._sql("SELECT substr(key, 1, instr(key, ':') - 1), COUNT(*) FROM Cache GROUP BY 1", ())


def open_rows(folder: str, timeout: float) -> CacheRows:
    """Opens the database in an existing folder. Raises sqlite3.Error, OSError or diskcache.Timeout."""
    check_foreign(folder, timeout)
    cache: object = SafeCache(
        folder,
        timeout=timeout,
        disk=SafeDisk,
        eviction_policy="least-recently-stored",
        cull_limit=0,  # the store evicts by itself, in batches
        statistics=0,
        tag_index=0,
        sqlite_auto_vacuum=1,
        sqlite_cache_size=2**9,
        sqlite_journal_mode="wal",
        sqlite_mmap_size=0,  # no faster with it, and pages of the file would count as memory of each process
        sqlite_synchronous=1,
    )
    return cast(CacheRows, cache)


def check_foreign(folder: str, timeout: float) -> None:
    """Looks at a database before diskcache does, which would wait a minute for a lock and obey planted settings."""
    connection = sqlite3.connect(f"{folder}/{DATABASE}", timeout=timeout, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        names = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        settings: list[tuple[object, object]] = []
        if "Settings" in names:
            settings = connection.execute("SELECT key, value FROM Settings").fetchall()
        connection.execute("ROLLBACK")
    finally:
        connection.close()
    known = set(cast("dict[str, object]", DEFAULT_SETTINGS)) | {"count", "size", "hits", "misses"}
    if not names <= _EXPECTED_SCHEMA or not all(key in known and _tame(value) for key, value in settings):
        raise sqlite3.DatabaseError("the cache was not written by graphls")


def _tame(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and value.replace("-", "").isalnum())


def _plain(value: object) -> None:
    if type(value) not in (str, bytes, int, float):
        raise RefusedError("not a plain value")
