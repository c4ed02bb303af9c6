"""Dispatch: every message gets the answer the protocol asks for, once.

Owns: the pygls protocol class as graphls uses it, the table of requests in flight, cancellation.
Must not know: transports, what handlers compute.
Invariant: the table is touched on the loop only, and a response is sent only by the one who removes its entry.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import attrs
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.protocol import LanguageServerProtocol

from graphls.graph.request_budget import RequestBudget, SpentReason, limited
from graphls.lsp.protocol import errors
from graphls.lsp.protocol.client import can_pull_again, pulls_diagnostics
from graphls.lsp.protocol.conversion import BadParams, Conversion
from graphls.lsp.protocol.errors import Failure
from graphls.lsp.protocol.features import Command, Feature, NotificationHandler, RequestContext
from graphls.lsp.protocol.framing import Body, Broken, Framing, frame
from graphls.lsp.protocol.lifecycle import Lifecycle, Phase
from graphls.lsp.protocol.messages import IncomingRequest, Invalid, MessageId, Notification, Response, read_message
from graphls.lsp.protocol.scheduling import CancelToken, Kind, MustWait, Scheduler

if TYPE_CHECKING:
    from graphls.lsp.protocol.server import GraphlsServer

MAX_WAITING: Final = 10_000
# pygls keeps documents of its own for these, with costs and line ends that are not wanted here.
_NOT_OF_PYGLS: Final = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_EXECUTE_COMMAND,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
)

_log = logging.getLogger(__name__)


@attrs.define(eq=False)
class Pending:
    """A request that has not been answered."""

    id: MessageId
    method: str
    cancel: CancelToken
    short: bool = False
    """Its answer is made in a lane of short ones."""


class GraphlsProtocol(LanguageServerProtocol):
    """pygls' protocol with its own way in: bytes are framed, decoded, checked, scheduled and answered here."""

    _server: GraphlsServer[Any]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, server: GraphlsServer[Any], converter: Converter) -> None:
        super().__init__(server, converter)
        # pygls' registry of its own handlers, by method.
        self._builtin = cast("dict[str, Callable[[Any], Any]]", self.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType]
        for method in _NOT_OF_PYGLS:
            self._builtin.pop(method, None)
        self.conversion = Conversion(converter)
        self.lifecycle = Lifecycle()
        self.features: dict[str, Feature] = {}
        self.listeners: dict[str, NotificationHandler] = {}
        self.commands: dict[str, Command] = {}
        self.scheduler = Scheduler()
        self._pending: dict[MessageId, Pending] = {}

    def is_busy(self) -> bool:
        """Whether a request has not been answered; from any thread."""
        return bool(self._pending)

    def give_way(self) -> Callable[[], None]:
        """What long work for which nobody waits alone calls between its steps, so that short requests go first."""
        return self.scheduler.give_way(CancelToken(), self._has_short)

    def _has_short(self) -> bool:
        """Whether a short request has not been answered; from any thread."""
        return any(pending.short for pending in tuple(self._pending.values()))

    # What comes in

    def feed(self, framing: Framing, chunk: bytes) -> bool:
        """Handle every message a chunk completes; False when the other side should be left."""
        hopeless = False
        for found in framing.feed(chunk):
            if isinstance(found, Broken):
                self._reply(None, errors.parse_error(found.problem))
                hopeless = hopeless or found.hopeless
            elif not hopeless:
                self.take(found)
        return not hopeless

    def give_up(self, framing: Framing) -> None:
        """Answer a message whose end does not come."""
        for broken in framing.give_up():
            self._reply(None, errors.parse_error(broken.problem))

    def take(self, body: Body) -> None:
        """Handle one message. One message that nobody foresaw must not keep those after it from being read."""
        try:
            self.receive(body)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the fault of this message alone
            _log.error("a message could not be handled: %s", type(error).__name__, exc_info=error)

    def receive(self, body: Body) -> None:
        """Handle one message."""
        message = read_message(body.content)
        if isinstance(message, IncomingRequest):
            self._request(message)
        elif isinstance(message, Notification):
            self._notification(message)
        elif isinstance(message, Response):
            self._response(message)
        else:
            self._invalid(message)

    def forget(self, method: str) -> None:
        """Switch a request off: neither answered nor advertised."""
        self.features.pop(method, None)
        cast("dict[str, Any]", self.fm.features).pop(method, None)  # pyright: ignore[reportUnknownMemberType]

    def cancel_all(self) -> None:
        """Answer everything that waits or runs as cancelled."""
        for message_id in tuple(self._pending):
            self._cancel(message_id)

    def _invalid(self, message: Invalid) -> None:
        refusal = None if message.id is None else self.lifecycle.refusal("")
        self._reply(message.id, refusal or message.failure)

    # Requests

    def _request(self, request: IncomingRequest) -> None:
        if request.id in self._pending:
            self._reply(request.id, errors.invalid_request("A request with this id is still being answered."))
            return
        failure = self.lifecycle.refusal(request.method)
        if failure is None and len(self._pending) >= MAX_WAITING:
            failure = errors.BUSY
        if failure is not None:
            self._reply(request.id, failure)
            return
        pending = Pending(request.id, request.method, CancelToken())
        self._pending[request.id] = pending
        try:
            kind, work = self._prepare(request, pending)
        except Exception as error:  # noqa: BLE001 - every request is answered
            self._finish(pending, self._failed(pending, error))
            return
        if kind == "loop":
            self._finish(pending, self._answer(pending, work))
        else:
            pending.short = kind in ("quick", "read")
            self.scheduler.submit(kind, partial(self._work, request, pending, work))

    def _prepare(
        self, request: IncomingRequest, pending: Pending, *, waits: bool = False
    ) -> tuple[Kind, Callable[[], Any]]:
        """The work of a request with its params checked. `waits`: in the lane where it may wait for an open file."""
        method = request.method
        if method == types.WORKSPACE_EXECUTE_COMMAND and self.commands:
            params = self.conversion.params(method, request.params)
            command = self.commands.get(params.command)
            if command is None:
                raise BadParams(f"No such command: {params.command[:200]}.")
            kind = self._lane(command.kind, None, waits=waits)
            context = self._server.request_context(params, pending.cancel, kind)
            return kind, partial(_called, command.handler, context, params.arguments or [])
        if method == types.INITIALIZE:
            return "loop", partial(self._initialize, self.conversion.params(method, request.params))
        if method == types.SHUTDOWN:
            return "loop", partial(self._shut_down, pending)
        feature = self.features.get(method)
        if feature is None:
            raise _NoSuchMethod
        params = self.conversion.params(method, request.params)
        # What may wait long must not hold up an editor.
        about = _document_of(params) if feature.one_document or feature.own else None
        kind = "long" if getattr(params, "freshness", "") == "require-fresh" else feature.kind
        unread = feature.workspace and self._server.required_session().is_unread()
        kind = "slow" if unread else self._lane(kind, about if feature.one_document else None, waits=waits)
        context = self._server.request_context(params, pending.cancel, kind, about, whole=feature.whole)
        work = partial(_called, feature.handler, context, params)
        budget = context.session.budget
        if feature.whole:
            budget = partial(_while_wanted, pending.cancel, self.scheduler.give_way(pending.cancel))
        if unread:
            work = partial(_once_read, context, work)
        return kind, work if kind == "loop" else partial(_within_budget, budget, work)

    def _lane(self, kind: Kind, about: str | None, *, waits: bool) -> Kind:
        """Where a request runs for which an open file may have to be read."""
        if kind not in ("quick", "read"):
            return kind
        return "slow" if waits or self._server.required_session().is_slow(about) else kind

    def _work(self, request: IncomingRequest, pending: Pending, work: Callable[[], Any]) -> None:
        """In a worker thread. What was cancelled by its progress while it waited has not been answered yet."""
        if pending.cancel.cancelled:
            body = self._error_body(pending.id, errors.CANCELLED)
        else:
            recovery = self._server.recovery()
            try:
                body = self._answer(pending, work, lambda: recovery() and not pending.cancel.cancelled)
            except MustWait:
                self._server.call_soon(partial(self._begin_anew, request, pending))
                return
        self._server.call_soon(partial(self._finish, pending, body))

    def _begin_anew(self, request: IncomingRequest, pending: Pending) -> None:
        """On the loop: in the lane of what waits."""
        if self._pending.get(pending.id) is pending:
            _, work = self._prepare(request, pending, waits=True)
            pending.short = False
            self.scheduler.submit("slow", partial(self._work, request, pending, work))

    def _answer(
        self, pending: Pending, work: Callable[[], Any], recovered: Callable[[], bool] = lambda: False
    ) -> bytes:
        """The body of the response. Encoding is part of the work: it may be long, and may fail. `recovered`: whether
        work that failed inside the server is worth another try."""
        try:
            return self.conversion.encode({"jsonrpc": "2.0", "id": pending.id, "result": work()})
        except MustWait:
            raise
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything, SystemExit too
            if errors.failure_of(error, "").code == errors.INTERNAL_ERROR and recovered():
                return self._answer(pending, work)
            return self._failed(pending, error)

    def _failed(self, pending: Pending, error: BaseException) -> bytes:
        if isinstance(error, _NoSuchMethod):
            failure = errors.method_not_found(pending.method)
        else:
            failure = errors.failure_of(error, pending.method[:200])
        if failure.code == errors.INTERNAL_ERROR:
            _log.error("%s failed: %s", pending.method, type(error).__name__, exc_info=error)
        try:
            return self._error_body(pending.id, failure)
        except (TypeError, ValueError):
            return self._error_body(pending.id, attrs.evolve(failure, data={}))

    def _finish(self, pending: Pending, body: bytes) -> None:
        """On the loop: whoever removes the entry answers."""
        if self._pending.get(pending.id) is pending:
            del self._pending[pending.id]
            self.send(body)
        self._server.forget_progress(pending.cancel)

    def _cancel(self, message_id: MessageId) -> None:
        pending = self._pending.pop(message_id, None)
        if pending is not None:
            pending.cancel.cancel()
            self._reply(message_id, errors.CANCELLED)
            self._server.forget_progress(pending.cancel)

    def _initialize(self, params: types.InitializeParams) -> types.InitializeResult:
        encoding = self._server.welcome(params)
        try:
            result = _drained(self.lsp_initialize(params))
        except Exception:
            self._server.close_session()
            raise
        result.capabilities.position_encoding = encoding
        result.capabilities.experimental = self._server.announced()
        if pulls_diagnostics(params.capabilities) and not can_pull_again(params.capabilities):
            result.capabilities.diagnostic_provider = None
        self.lifecycle.phase = Phase.RUNNING
        return result

    def _shut_down(self, pending: Pending) -> None:
        self._pending.pop(pending.id)
        self.cancel_all()
        self._pending[pending.id] = pending
        self.lifecycle.phase = Phase.SHUT_DOWN

    # Notifications and responses

    def _notification(self, message: Notification) -> None:
        if message.method == types.EXIT:
            self._server.stop()
            return
        if not self.lifecycle.takes(message.method):
            _log.debug("%s came at the wrong time and was dropped", message.method)
            return
        try:
            try:
                self._listen(message)
            except BadParams as error:
                _log.warning("%s was dropped: %s", message.method[:200], error.message)
                listener = self.listeners.get(message.method)
                if listener is not None and listener.broken is not None:
                    listener.broken(self._server.notification_context(), message.params)
        except Exception as error:  # noqa: BLE001 - one failing listener leaves the rest standing
            _log.error("%s failed: %s", message.method[:200], type(error).__name__, exc_info=error)

    def _listen(self, message: Notification) -> None:
        method = message.method
        listener = self.listeners.get(method)
        builtin = self._builtin.get(method)
        if method == types.CANCEL_REQUEST:
            self._cancel(self.conversion.params(method, message.params).id)
        elif method == types.WINDOW_WORK_DONE_PROGRESS_CANCEL:
            self._server.cancel_progress(self.conversion.params(method, message.params).token)
        elif listener is None and builtin is None:
            level = logging.DEBUG if method.startswith("$/") else logging.INFO
            _log.log(level, "%s is not handled and was ignored", method[:200])
        else:
            params = self.conversion.params(method, message.params)
            if builtin is not None:
                _drained(builtin(params))
            if listener is not None:
                listener.handler(self._server.notification_context(), params)

    def _response(self, response: Response) -> None:
        future: Future[Any] | None = self._request_futures.pop(response.id, None)
        wanted = self._result_types.pop(response.id, None)
        if future is None or not future.set_running_or_notify_cancel():
            _log.debug("an answer to no request was ignored")
            return
        try:
            future.set_result(self._result_of(response.message, wanted))
        except JsonRpcException as error:
            future.set_exception(error)
        except Exception:  # noqa: BLE001 - converters raise anything
            future.set_exception(JsonRpcInternalError("The client's answer has the wrong type."))

    def _result_of(self, message: dict[str, Any], wanted: Any) -> Any:
        if message.get("error") is not None:
            raise JsonRpcException.from_error(self.conversion.structure(message["error"], types.ResponseError))
        if wanted is None:
            return message.get("result")
        return self.conversion.structure(message, wanted).result

    # What goes out

    def send(self, body: bytes) -> None:
        """Send one body; from any thread. Without a transport it is dropped."""
        if self.writer is not None:
            self.writer.write(frame(body) if self._include_headers else body)

    def _send_data(self, data: Any) -> None:
        try:
            self.send(self.conversion.encode(data))
        except (TypeError, ValueError) as error:
            _log.error("a message could not be encoded", exc_info=error)

    def _reply(self, message_id: MessageId | None, failure: Failure) -> None:
        self.send(self._error_body(message_id, failure))

    def _error_body(self, message_id: MessageId | None, failure: Failure) -> bytes:
        return self.conversion.encode({"jsonrpc": "2.0", "id": message_id, "error": failure.wire()})


def _document_of(params: Any) -> str | None:
    """The URI of the document that params name, where they name one."""
    document = getattr(params, "text_document", None)
    return None if document is None else document.uri


def _called(handler: Callable[[Any, Any], Any], context: RequestContext[Any, Any], params: Any) -> Any:
    """Each try has a snapshot of its own."""
    return handler(attrs.evolve(context), params)


class _NoSuchMethod(Exception):
    """The method has no handler, or is switched off."""


def _drained(steps: Any) -> Any:
    """The result of one of pygls' built-in handlers. It pauses for handlers of its own kind; there are none."""
    if not isinstance(steps, Generator):
        return steps
    running = cast("Generator[Any, Any, Any]", steps)
    try:
        while True:
            next(running)
    except StopIteration as end:
        return end.value


def _once_read(context: RequestContext[Any, Any], work: Callable[[], Any]) -> Any:
    context.session.wait_until_read(context.cancel.check)
    return work()


def _while_wanted(cancel: CancelToken, give_way: Callable[[], None]) -> RequestBudget:
    """As much work as it takes, but none for an answer that nobody waits for, and little while others wait."""

    def over(_: float) -> SpentReason:
        give_way()
        return "time" if cancel.cancelled else ""

    return RequestBudget(over)


def _within_budget(begin: Callable[[], RequestBudget | None], work: Callable[[], Any]) -> Any:
    with limited(begin()):
        return work()
