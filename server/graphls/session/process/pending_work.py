"""Pending work: work that goes on when whoever asked for it may wait no longer.

Owns: one thread for each piece of work, its result until somebody takes it.
Must not know: what is done, who asks.
Invariant: the same question is worked on once, however often it is asked meanwhile; what it ended with, a result or an
    error, is given once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from graphls.graph.request_budget import note_wait, spend

T = TypeVar("T")
_LOOK: Final = 0.02
"""Seconds between two looks whether the answer may still be waited for."""


class _Piece(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, name="graphls-pending", daemon=True)

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 (raised where the result is wanted)
            self._error = error

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]


class PendingWork(Generic[T]):
    """Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: dict[object, _Piece[T]] = {}

    def result(self, question: object, work: Callable[[], T]) -> T:
        """What `work` gives, waited for while the budget of the request lasts. Raises BudgetSpentError: then it goes
        on, and who asks the same again has its result."""
        with self._lock:
            piece = self._pieces.get(question)
            if piece is None:
                piece = self._pieces[question] = _Piece(work)
                piece.thread.start()
        while piece.thread.is_alive():
            begun = time.monotonic()
            piece.thread.join(_LOOK)
            note_wait(time.monotonic() - begun)
            if piece.thread.is_alive():
                spend()
        with self._lock:
            if self._pieces.get(question) is piece:
                del self._pieces[question]
        return piece.result()
