"""Progress: telling the client how far work is, and handing out results in parts.

Owns: the life of one work-done token, the rate of reports, chunks of partial results.
Must not know: what the work is, JSON, transports.
Invariant: nothing is sent for a token that the client neither gave nor accepted, nor after its end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from lsprotocol import types

from graphls.lsp.protocol.scheduling import CancelToken

Token = int | str
SendProgress = Callable[[Token, Any], None]
CreateToken = Callable[[Token], "Future[Any]"]
T = TypeVar("T")

REPORT_SECONDS = 0.1
CHUNK = 500


class WorkDone:
    """One piece of work. Silent when `token` is None. With `create`, the client is asked before anything is sent."""

    def __init__(
        self, send: SendProgress, token: Token | None, cancel: CancelToken, create: CreateToken | None = None
    ) -> None:
        self.cancel = cancel
        self._send = send
        self._token = token
        self._create = create
        self._lock = threading.Lock()
        self._begin: types.WorkDoneProgressBegin | None = None
        self._open = False
        self._ended = token is None
        self._last = 0.0

    def begin(self, title: str, message: str | None = None, percentage: int | None = None) -> WorkDone:
        """Start; a second call is ignored. Usable as `with progress.begin(...):`."""
        with self._lock:
            if self._ended or self._begin is not None or self._token is None:
                return self
            self._begin = types.WorkDoneProgressBegin(
                title=title, cancellable=True, message=message, percentage=percentage
            )
            if self._create is None:
                self._start()
                return self
            token, create = self._token, self._create
        create(token).add_done_callback(self._created)
        return self

    def report(self, message: str | None = None, percentage: int | None = None) -> None:
        """Say how far it is. Too frequent reports are left out."""
        now = time.monotonic()
        with self._lock:
            if self._open and now - self._last >= REPORT_SECONDS and self._token is not None:
                self._last = now
                self._send(self._token, types.WorkDoneProgressReport(message=message, percentage=percentage))

    def end(self, message: str | None = None) -> None:
        """Finish; later calls of any kind do nothing."""
        with self._lock:
            if self._open and self._token is not None:
                self._send(self._token, types.WorkDoneProgressEnd(message=message))
            self._open, self._ended = False, True

    def __enter__(self) -> WorkDone:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def _created(self, answer: Future[Any]) -> None:
        with self._lock:
            if not self._ended and not answer.cancelled() and answer.exception() is None:
                self._start()

    def _start(self) -> None:
        self._open = True
        if self._token is not None:
            self._send(self._token, self._begin)


class PartialResults:
    """Lists in chunks, for a client that gave a token for it."""

    def __init__(self, send: SendProgress, token: Token | None, cancel: CancelToken) -> None:
        self._send = send
        self._token = token
        self._cancel = cancel

    @property
    def wanted(self) -> bool:
        """Whether the client takes parts."""
        return self._token is not None

    def deliver(self, items: Sequence[T], chunk: int = CHUNK) -> list[T]:
        """What the handler should return: the items, or nothing after they went out in parts."""
        if self._token is None or len(items) <= chunk:
            return list(items)
        for start in range(0, len(items), chunk):
            self._cancel.check()
            self._send(self._token, list(items[start : start + chunk]))
        return []
