"""Shared pool: the worker processes of one session, started when they are first needed.

Owns: making, replacing and ending the pool.
Must not know: what workers do.
Invariant: no process outlives `close`; after it a pool is made only to be closed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from graphls.session.process.pool import Pool, worker_count
from graphls.session.process.workers import CpuLimit


class SharedPool:
    """Safe to use from any thread. `wanted`: how many workers the settings ask for."""

    def __init__(self, lock: threading.RLock, wanted: Callable[[], int], limit: CpuLimit) -> None:
        self._lock = lock
        self._wanted = wanted
        self._limit = limit
        self._pool: Pool | None = None
        self._closed = False

    def pool(self) -> Pool:
        """The workers."""
        with self._lock:
            if self._pool is None:
                self._pool = Pool(worker_count(self._wanted()), self._limit)
                if self._closed:
                    self._pool.close()
            return self._pool

    def processes(self) -> tuple[int, ...]:
        """Ids of processes that run now."""
        pool = self._pool
        return pool.processes() if pool else ()

    def release(self) -> None:
        """Ends the processes; others are started when they are needed."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def close(self) -> None:
        """Ends the processes for good."""
        with self._lock:
            self._closed, pool = True, self._pool
        if pool is not None:
            pool.close()
