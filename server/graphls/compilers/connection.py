"""Connection: pipelined requests to one language server.

Owns: request numbers, matching of answers, answers to what the server asks of its client.
Must not know: which server, restarts, what requests mean.
Invariant: every request ends: with its result, with the server's refusal, or with the end of the server.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from functools import partial

import attrs

from graphls.compilers.child_process import Child, Launch
from graphls.compilers.wire import Json, Message, items, mapping, number, text

_METHOD_NOT_FOUND = -32601
_OVERTAKEN = (-32800, -32801, -32802)
_RECENT = 200
_ERROR = 1


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


Done = Callable[[Json, CheckerProblem | None], object]
"""Gets a result, or why there is none. Called on the thread that reads answers; must not wait."""


@attrs.define(eq=False)
class _Open:
    done: Done
    sent: float


class Connection:
    """One running server."""

    def __init__(
        self,
        launch: Launch,
        configuration: Callable[[str], Json],
        gone: Callable[[str], None],
        report_error: Callable[[str], None] = lambda text: None,
        report_diagnostics: Callable[[Mapping[str, Json]], None] = lambda params: None,
    ) -> None:
        """`configuration`: what a section of settings holds. `gone`: told once why the server ended. `complained`: told
        what the server would show to its user as an error, before any later answer. `report_diagnostics`: what it
        publishes about documents, as early."""
        self._configuration = configuration
        self._report_error = report_error
        self._report_gone = gone
        self._report_diagnostics = report_diagnostics
        self._lock = threading.Lock()
        self._next = 0
        self._open: dict[int, _Open] = {}
        self._ended = ""
        self._times: deque[float] = deque(maxlen=_RECENT)
        self.request_count = 0
        self.answer_count = 0
        self.last_heard = time.monotonic()
        self.child = Child(launch, self._receive, self._gone)

    def request(self, method: str, params: Json) -> Future[Json]:
        """Sends one request. Its future ends with the result or a CheckerProblem."""
        future: Future[Json] = Future()
        self.ask(method, params, partial(finish, future))
        return future

    def ask(self, method: str, params: Json, done: Done) -> None:
        """The same for questions by the thousand: what comes of it is told once, without a future."""
        with self._lock:
            ended = self._ended
            if not ended:
                self._next += 1
                self._open[self._next] = _Open(done, time.monotonic())
                self.request_count += 1
                self.child.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        if ended:
            done(None, CheckerGone(ended))

    def notify(self, method: str, params: Json) -> None:
        """Sends one notification."""
        self.child.send({"jsonrpc": "2.0", "method": method, "params": params})

    @property
    def ended(self) -> str:
        """Why the server is gone, "" while it runs."""
        return self._ended

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
            elif message.get("method") == "window/showMessage":
                params = mapping(message.get("params"))
                if number(params.get("type")) == _ERROR:
                    self._report_error(text(params.get("message")))
            elif message.get("method") == "textDocument/publishDiagnostics":
                self._report_diagnostics(mapping(message.get("params")))
            return
        with self._lock:
            known = self._open.pop(number(message.get("id"), -1), None)
        if known is None:
            return
        self._times.append(self.last_heard - known.sent)
        self.answer_count += 1
        error = message.get("error")
        if error is None:
            known.done(message.get("result"), None)
        else:
            reason = text(mapping(error).get("message")) or "an error without a message"
            known.done(None, CheckerRefused(reason, number(mapping(error).get("code")) in _OVERTAKEN))

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
            one.done(None, CheckerGone(reason))
        self._report_gone(reason)


def finish(future: Future[Json], result: Json, problem: CheckerProblem | None) -> None:
    """Ends a future that its owner may have given up meanwhile."""
    try:
        if problem is not None:
            future.set_exception(problem)
        else:
            future.set_result(result)
    except InvalidStateError:
        pass
