"""Blobs: bytes kept between runs, by kind and key.

Owns: opening, integrity of each value, rebuilding, eviction, working without a cache.
Must not know: what the bytes mean.
Invariant: nothing raises because of the cache: whatever is absent, cut, foreign, locked or full is a miss, and
    `problem` says so in words.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Literal, TypeVar

import attrs
import diskcache

from graphls.store.location import cache_folder, prepare_folder
from graphls.store.safe_disk import CacheRows, open_rows

Kind = Literal["facts", "links", "surface", "manifest", "checked", "edges", "feedback", "terms", "words", "values"]
KINDS: tuple[Kind, ...] = (
    "facts", "links", "surface", "manifest", "checked", "edges", "feedback", "terms", "words", "values",
)  # fmt: skip

SHARED: Sequence[Kind] = ("facts", "surface", "links", "edges")
"""Those that are functions of contents alone, which another machine may have made."""
_AT_ONCE = 50
"""Entries that are read under the lock."""
_MUCH = 8
"""So many entries that are missed at once are worth a look behind this store; an edit misses one or two."""

T = TypeVar("T")

_log = logging.getLogger(__name__)
_DIGEST = 8
_DAY = 86_400.0
_LIFETIME = 90 * _DAY
"""An entry that was not read or written for so long is dropped. Reading renews it at most once a day."""
_AGES = tuple(_DAY * days for days in (30, 14, 7, 3, 1, 0.5, 0.1, 0.01))
_PAUSE = 30.0
_FAILURES = (OSError, sqlite3.Error, diskcache.Timeout)
_CORRUPT = ("malformed", "not a database", "not written by graphls", "no such table", "no such column", "corrupt")


@attrs.frozen
class StoreOptions:
    folder: str = ""
    """Empty: GRAPHLS_CACHE_DIR, else the user's cache folder."""
    max_bytes: int = 2_000_000_000
    timeout: float = 2.0
    """How long one operation waits for another process, in seconds."""


@attrs.frozen
class StoreStats:
    folder: str
    entries: int
    size: int
    by_kind: Mapping[str, int]
    hits: int
    misses: int
    problem: str | None


class BlobStore:
    """Safe to use from several threads and several processes at once."""

    def __init__(
        self,
        options: StoreOptions | None = None,
        opener: Callable[[str, float], CacheRows] = open_rows,
        beyond: Callable[[BlobStore], bool] | None = None,
    ) -> None:
        """`beyond` takes in entries from a store behind this one, and says whether there were any. It is asked once,
        when much is missed."""
        self._options = options or StoreOptions()
        self._open_rows = opener
        self.folder = cache_folder(self._options.folder)
        self.home = os.path.dirname(self.folder)
        """What `StoreOptions` names, in whatever process, to open the same store."""
        self.problem: str | None = None
        self._lock = threading.RLock()
        self._worn: set[str] = set()
        self._hits = self._misses = 0
        self._writes_resume = 0.0
        self._rows: CacheRows | None = None
        self._beyond = beyond
        self.beyond_problem = ""
        """Why nothing came from the store behind this one."""
        self._open()

    def get(self, kind: Kind, key: str) -> bytes | None:
        return self.get_many(kind, (key,)).get(key)

    def get_many(self, kind: Kind, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Those that are there and whole."""
        wanted = tuple(dict.fromkeys(keys))
        found = self._read(kind, wanted)
        if kind in SHARED and len(wanted) - len(found) >= _MUCH and self._filled():
            found |= self._read(kind, [key for key in wanted if key not in found])
        return found

    def _filled(self) -> bool:
        """Others go on meanwhile, with what is here."""
        with self._lock:
            beyond, self._beyond = self._beyond, None
        return beyond is not None and beyond(self)

    def _read(self, kind: Kind, wanted: Sequence[str]) -> dict[str, bytes]:
        """In pieces, whose contents are looked at outside of the lock: others read a little meanwhile."""
        found: dict[str, bytes] = {}
        for first in range(0, len(wanted), _AT_ONCE):
            names = {_row_key(kind, key): key for key in wanted[first : first + _AT_ONCE]}
            with self._lock:
                rows = self._attempt(partial(self._rows_of, names), ())
            for name, sealed in rows:
                value = _opened(name, sealed)
                if value is not None:
                    found[names[name]] = value
        with self._lock:
            self._hits += len(found)
            self._misses += len(wanted) - len(found)
        return found

    def _rows_of(self, names: Iterable[str], rows: CacheRows) -> Sequence[tuple[str, bytes]]:
        """Under the lock."""
        renewal, found = time.time() + _LIFETIME - _DAY, list[tuple[str, bytes]]()
        for name, sealed, expires in rows.found(list(names)):
            if isinstance(expires, float) and expires < renewal:
                self._worn.add(name)
            found.append((name, sealed))
        return found

    def present(self, kind: Kind, keys: Iterable[str]) -> Set[str]:
        """Those that are there; whether they are whole shows when they are read."""
        names = {_row_key(kind, key): key for key in keys}
        found: set[str] = set()

        def look(rows: CacheRows) -> None:
            renewal = time.time() + _LIFETIME - _DAY
            for name, expires in rows.present(list(names)):
                if isinstance(expires, float) and expires < renewal:
                    self._worn.add(name)
                found.add(names[name])

        with self._lock:
            self._attempt(look, None)
        return found

    def names(self, kind: Kind) -> Sequence[str]:
        """Keys of all entries of a kind, sorted."""
        start = _row_key(kind, "")

        def listed(rows: CacheRows) -> Sequence[str]:
            return sorted(row[len(start) :] for row in rows.beginning(start))

        with self._lock:
            return self._attempt(listed, ())

    def put(self, kind: Kind, key: str, value: bytes) -> bool:
        return self.put_many(kind, {key: value})

    def put_many(self, kind: Kind, values: Mapping[str, bytes]) -> bool:
        """All or none, in one transaction. False when they could not be kept."""
        names = {_row_key(kind, key): value for key, value in values.items()}
        sealed = {name: _sealed(name, value) for name, value in names.items()}

        def write(rows: CacheRows) -> bool:
            with rows.transact():
                for name, value in sealed.items():
                    rows.set(name, value, expire=_LIFETIME)
                self._renew(rows)
            self._evict(rows)
            return True

        return self._write(write)

    def delete(self, kind: Kind, keys: Iterable[str]) -> bool:
        wanted = tuple(keys)

        def remove(rows: CacheRows) -> bool:
            with rows.transact():
                for key in wanted:
                    rows.delete(_row_key(kind, key))
            return True

        return self._write(remove)

    def clear(self) -> bool:
        """Forgets everything."""

        def forget(rows: CacheRows) -> bool:
            rows.clear()
            return True

        with self._lock:
            self._worn.clear()
            return self._write(forget)

    def stats(self) -> StoreStats:
        def count(rows: CacheRows) -> tuple[int, int, Mapping[str, int]]:
            by_kind: dict[str, int] = dict.fromkeys(KINDS, 0)
            for kind, number in rows.counts():
                if kind in by_kind and isinstance(number, int):
                    by_kind[str(kind)] = number
            return len(rows), rows.volume(), by_kind

        with self._lock:
            entries, size, by_kind = self._attempt(count, (0, 0, {}))
            return StoreStats(self.folder, entries, size, by_kind, self._hits, self._misses, self.problem)

    def close(self) -> None:
        def renew(rows: CacheRows) -> None:
            if self._worn:
                with rows.transact():
                    self._renew(rows)

        with self._lock:
            self._attempt(renew, None)
            self._shut()

    # ---------------------------------------------------------------- age

    def _renew(self, rows: CacheRows) -> None:
        for name in sorted(self._worn):
            rows.touch(name, expire=_LIFETIME)
        self._worn.clear()

    def _evict(self, rows: CacheRows) -> None:
        """Least recently used first, to the grain of `_AGES`, until there is a fifth of room again."""
        if rows.volume() <= self._options.max_bytes:
            return
        now = time.time()
        for age in (_LIFETIME, *_AGES, 0.0):
            rows.expire(now + _LIFETIME - age)
            if rows.volume() <= self._options.max_bytes * 0.8:
                return

    # ---------------------------------------------------------------- failures

    def _write(self, action: Callable[[CacheRows], bool]) -> bool:
        with self._lock:
            if time.monotonic() < self._writes_resume:
                return False
            done = self._attempt(action, False)
            if done:
                self.problem = None
            else:
                self._writes_resume = time.monotonic() + _PAUSE
            return done

    def _attempt(self, action: Callable[[CacheRows], T], otherwise: T) -> T:
        if self._rows is None:
            return otherwise
        try:
            return action(self._rows)
        except _FAILURES as error:
            self._failed(error)
        return otherwise

    def _failed(self, error: Exception) -> None:
        error = _first_of(error)
        self._complain(f"the cache in {self.folder} is not used: {_words(error)}")
        if _is_corrupt(error):
            self._shut()
            self._rebuild()

    def _open(self) -> None:
        try:
            prepare_folder(self.folder)
            self._rows = self._open_rows(self.folder, self._options.timeout)
        except _FAILURES as error:
            self._complain(f"the cache in {self.folder} is not used: {_words(error)}")
            if _is_corrupt(error):
                self._rebuild()

    def _rebuild(self) -> None:
        """Moves the broken folder away first: that is one step, whatever other processes do meanwhile."""
        aside = f"{self.folder}.broken-{os.getpid()}-{time.monotonic_ns()}"
        try:
            os.rename(self.folder, aside)
            prepare_folder(self.folder)
            self._rows = self._open_rows(self.folder, self._options.timeout)
            self.problem = None
            _log.warning("the cache in %s was damaged and has been made anew", self.folder)
        except _FAILURES as error:
            self._rows = None
            self._complain(f"the cache in {self.folder} is broken and could not be rebuilt: {_words(error)}")
        shutil.rmtree(aside, ignore_errors=True)

    def _complain(self, problem: str) -> None:
        """Said once to the log, and for as long as it lasts to whoever asks."""
        if problem != self.problem:
            _log.warning("%s; everything works, and is read again at the next start", problem)
        self.problem = problem

    def _shut(self) -> None:
        if self._rows is not None:
            with contextlib.suppress(*_FAILURES):
                self._rows.close()
        self._rows = None


@contextlib.contextmanager
def opened_store(options: StoreOptions | None = None) -> Generator[BlobStore, None, None]:
    store = BlobStore(options)
    try:
        yield store
    finally:
        store.close()


def _row_key(kind: Kind, key: str) -> str:
    return f"{kind}:{key}"


def _digest(name: str, value: bytes) -> bytes:
    """Bound to the name, so that a row moved under another key is a miss."""
    keyed = hashlib.blake2b(name.encode("utf-8", "surrogatepass")[:4096] + b"\0", digest_size=_DIGEST)
    keyed.update(value)
    return keyed.digest()


def _sealed(name: str, value: bytes) -> bytes:
    return _digest(name, value) + value


def _opened(name: str, sealed: bytes) -> bytes | None:
    value = sealed[_DIGEST:]
    return value if len(sealed) >= _DIGEST and _digest(name, value) == sealed[:_DIGEST] else None


def _first_of(error: Exception) -> Exception:
    """What went wrong before a transaction could not be undone: a disk that is full undoes it by itself."""
    before = error.__context__
    undone = str(error).startswith("cannot rollback") and isinstance(before, sqlite3.Error)
    return before if undone and isinstance(before, sqlite3.Error) else error


def _words(error: Exception) -> str:
    if isinstance(error, diskcache.Timeout):
        return "another process holds it"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _is_corrupt(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and any(word in str(error) for word in _CORRUPT)
