"""Connection: pipelined requests to one language server.

Owns: request numbers, matching of answers, answers to what the server asks of its client.
Must not know: which server, restarts, what requests mean.
Invariant: every request ends: with its result, with the server's refusal, or with the end of the server.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError

import attrs

from graphls.compilers.child import Child, Launch
from graphls.compilers.wire import Json, Message, items, mapping, number, text

_METHOD_NOT_FOUND = -32601
_OVERTAKEN = (-32800, -32801, -32802)
_RECENT = 200


class CheckerProblem(Exception):
    """A question got no answer. The text is fit for users."""


class CheckerGone(CheckerProblem):
    """The server ended, could not be started, or is not wanted."""


class CheckerSlow(CheckerProblem):
    """The server did not answer in time."""


class CheckerRefused(CheckerProblem):
    """The server answered with an error. `again`: documents changed meanwhile, so the question may be put once more."""

    def __init__(self, reason: str, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


@attrs.define(eq=False)
class _Open:
    future: Future[Json]
    sent: float


class Connection:
    """One running server."""

    def __init__(self, launch: Launch, configuration: Callable[[str], Json], gone: Callable[[str], None]) -> None:
        self._configuration = configuration
        self._tell_gone = gone
        self._lock = threading.Lock()
        self._next = 0
        self._open: dict[int, _Open] = {}
        self._ended = ""
        self._times: deque[float] = deque(maxlen=_RECENT)
        self.asked = 0
        self.answered = 0
        self.last_heard = time.monotonic()
        self.child = Child(launch, self._receive, self._gone)

    def request(self, method: str, params: Json) -> Future[Json]:
        """Sends one request. Its future ends with the result or a CheckerProblem."""
        future: Future[Json] = Future()
        with self._lock:
            if self._ended:
                future.set_exception(CheckerGone(self._ended))
                return future
            self._next += 1
            identity = self._next
            self._open[identity] = _Open(future, time.monotonic())
            self.asked += 1
            self.child.send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        return future

    def notify(self, method: str, params: Json) -> None:
        """Sends one notification."""
        self.child.send({"jsonrpc": "2.0", "method": method, "params": params})

    @property
    def pending(self) -> int:
        return len(self._open)

    @property
    def milliseconds(self) -> float:
        """Average time of recent answers."""
        times = tuple(self._times)
        return 1000 * sum(times) / len(times) if times else 0.0

    def oldest(self) -> float:
        """Seconds since the first open request was sent, or since the last answer if that is less; 0 with none open."""
        with self._lock:
            sent = min((one.sent for one in self._open.values()), default=None)
        return 0.0 if sent is None else time.monotonic() - max(sent, self.last_heard)

    def _receive(self, message: Message) -> None:
        self.last_heard = time.monotonic()
        if "method" in message:
            if "id" in message:
                self._serve(message)
            return
        with self._lock:
            known = self._open.pop(number(message.get("id"), -1), None)
        if known is None:
            return
        self._times.append(self.last_heard - known.sent)
        self.answered += 1
        error = message.get("error")
        if error is None:
            _finish(known.future, message.get("result"))
        else:
            reason = text(mapping(error).get("message")) or "an error without a message"
            _finish(known.future, CheckerRefused(reason, number(mapping(error).get("code")) in _OVERTAKEN))

    def _serve(self, message: Message) -> None:
        method, params = text(message.get("method")), mapping(message.get("params"))
        reply: dict[str, Json] = {"jsonrpc": "2.0", "id": message.get("id")}
        if method == "workspace/configuration":
            wanted = [text(mapping(item).get("section")) for item in items(params.get("items"))]
            reply["result"] = [self._configuration(section) for section in wanted]
        elif method == "workspace/applyEdit":
            reply["result"] = {"applied": False}
        elif method.startswith(("client/", "window/")) or method.endswith("/refresh"):
            reply["result"] = None
        else:
            reply["error"] = {"code": _METHOD_NOT_FOUND, "message": f"{method} is not offered"}
        self.child.send(reply)

    def _gone(self, reason: str) -> None:
        with self._lock:
            self._ended = reason
            left, self._open = list(self._open.values()), {}
        for one in left:
            _finish(one.future, CheckerGone(reason))
        self._tell_gone(reason)


def _finish(future: Future[Json], outcome: Json | CheckerProblem) -> None:
    """Ends a future that its owner may have given up meanwhile."""
    try:
        if isinstance(outcome, CheckerProblem):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    except InvalidStateError:
        pass
