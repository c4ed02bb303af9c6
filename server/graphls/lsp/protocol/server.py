"""Server: the pygls language server that graphls is.

Owns: registration of features, the session's life, the contexts handlers get, starting and stopping.
Must not know: what features do, the session's class, bytes.
Invariant: the session is opened once by initialize and closed once, whatever ends the server.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache, partial
from typing import Any, Generic

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from graphls.facts.lines import Encoding
from graphls.lsp.protocol import client as clients
from graphls.lsp.protocol.conversion import make_converter
from graphls.lsp.protocol.dispatch import GraphlsProtocol
from graphls.lsp.protocol.errors import NOT_INITIALIZED_YET, ErrorWithCode
from graphls.lsp.protocol.features import (
    Command,
    Declaration,
    Feature,
    NotificationContext,
    NotificationHandler,
    RequestContext,
    SessionLike,
    SessionT,
)
from graphls.lsp.protocol.lifecycle import watch_process
from graphls.lsp.protocol.progress import PartialResults, Token, WorkDone
from graphls.lsp.protocol.scheduling import CancelToken, Kind, MustWait

CLOSE_SECONDS = 5.0

_log = logging.getLogger(__name__)


class GraphlsServer(LanguageServer, Generic[SessionT]):
    """One connection, one session.

    `open_session(server, params)` runs on the loop in answer to initialize, before the capabilities are computed:
    it may call `disable` and must be quick.
    """

    protocol: GraphlsProtocol  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(
        self,
        name: str,
        version: str,
        open_session: Callable[[GraphlsServer[SessionT], types.InitializeParams], SessionT],
        notebooks: types.NotebookDocumentSyncOptions | None = None,
    ) -> None:
        """`notebooks`: which are taken cell by cell."""
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            name,
            version,
            notebook_document_sync=notebooks,
            protocol_cls=GraphlsProtocol,
            converter_factory=make_converter,
        )
        self.session: SessionT | None = None
        self.encoding: Encoding = "utf-16"
        self.capabilities = types.ClientCapabilities()
        self.experimental: dict[str, object] = {}
        self._open_session = open_session
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._watch: asyncio.Task[None] | None = None
        self._notices: clients.ChangeNotices | None = None
        self._messages = clients.UserMessages(self.protocol)
        self._tokens: dict[Token, CancelToken] = {}
        self._log_handler: logging.Handler | None = None

    # Registration

    def add(self, *declared: Declaration) -> None:
        """Register features, listeners and commands."""
        for item in declared:
            if isinstance(item, Feature):
                self._add_feature(item)
            elif isinstance(item, NotificationHandler):
                self.feature(item.method)(_placeholder())
                self.protocol.listeners[item.method] = item
            else:
                self._add_command(item)

    def register_custom(self, method: str, params: type | None, result: type | None) -> None:
        """Make the attrs classes of an own method known; `add` does it for features declared with `custom`."""
        self.protocol.conversion.register(method, params, result)

    def disable(self, *methods: str) -> None:
        """Neither advertise nor answer these. Only before the capabilities are sent."""
        for method in methods:
            self.protocol.forget(method)

    def _add_feature(self, item: Feature) -> None:
        self.feature(item.method, item.options)(_placeholder())
        self.protocol.features[item.method] = item
        if item.own:
            self.register_custom(item.method, item.params, item.result)

    def _add_command(self, item: Command) -> None:
        self.command(item.name)(_placeholder())
        self.protocol.commands[item.name] = item

    # What handlers get

    def request_context(
        self, params: Any, cancel: CancelToken, kind: Kind, about: str | None = None, *, whole: bool = False
    ) -> RequestContext[SessionT, Any]:
        """The context of one request. `about`: the document that it names. `whole`: its answer is all or nothing."""
        session = self.required_session()
        token: Token | None = getattr(params, "work_done_token", None)
        if token is None and kind == "long":
            progress = self.start_progress(cancel)
        else:
            if token is not None:
                self._tokens[token] = cancel
            progress = WorkDone(partial(self._send_progress, cancel), token, cancel)
        partial_token: Token | None = getattr(params, "partial_result_token", None)
        parts = PartialResults(partial(self._send_progress, cancel), partial_token, cancel)
        freshness: str | None = getattr(params, "freshness", None)
        take = partial(session.snapshot, about)
        if freshness is not None:
            take = partial(session.looked, freshness, patient=kind != "quick", about=about, whole=whole)
        if getattr(params, "at", ""):
            take = cache(partial(session.at_commit, params.at))
        newest: Callable[[], Any] = session.snapshot
        # From now on: who waits in a lane behind another does not wait twice.
        soon: Callable[[], Any] = partial(session.snapshot_soon, time.monotonic())
        if kind in ("quick", "read"):
            take = partial(_at_once, session, about, take)
            newest, soon = partial(_at_once, session, None, newest), partial(_at_once, session, None, soon)
        client = self.encoding, self.capabilities
        return RequestContext(session, cancel, *client, progress, parts, take, newest, soon, self._messages.tell)

    def recovery(self) -> Callable[[], bool]:
        """What may be done for a request that begins now and fails inside the server; from any thread."""
        session = self.session
        return session.recovery() if session is not None else lambda: False

    def notification_context(self) -> NotificationContext[SessionT]:
        """The context of one notification."""
        return NotificationContext(self.required_session(), self.encoding, self.capabilities)

    def start_progress(self, cancel: CancelToken | None = None) -> WorkDone:
        """Progress of the server's own work; silent when the client can not show it."""
        cancel = cancel or CancelToken()
        if not clients.can_create_progress(self.capabilities):
            return WorkDone(partial(self._send_progress, cancel), None, cancel)
        token = f"graphls-{uuid.uuid4().hex}"
        self._tokens[token] = cancel
        return WorkDone(partial(self._send_progress, cancel), token, cancel, self._create_token)

    def cancel_progress(self, token: Token) -> None:
        """The client's user pressed cancel."""
        cancel = self._tokens.get(token)
        if cancel is not None:
            cancel.cancel()

    def forget_progress(self, cancel: CancelToken) -> None:
        """The work behind these tokens is over."""
        for token in [token for token, owner in tuple(self._tokens.items()) if owner is cancel]:
            self._tokens.pop(token, None)

    def _create_token(self, token: Token) -> Future[Any]:
        params = types.WorkDoneProgressCreateParams(token=token)
        return self.protocol.send_request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params)

    def _send_progress(self, cancel: CancelToken, token: Token, value: Any) -> None:
        if not cancel.cancelled or isinstance(value, types.WorkDoneProgressEnd):
            self.protocol.notify(types.PROGRESS, types.ProgressParams(token=token, value=value))

    def required_session(self) -> SessionT:
        """The session, or a refusal before there is one."""
        if self.session is None:
            raise ErrorWithCode(NOT_INITIALIZED_YET.reason, NOT_INITIALIZED_YET.message)
        return self.session

    # What the server tells or asks on its own account

    def graph_changed(self, revision: int, root: str, files: Iterable[str]) -> None:
        """Tell a client that asked for it of a new revision, throttled; from any thread."""
        if self._notices is not None and clients.hears_changes(self.capabilities):
            self._notices.offer(revision, root, files)

    def watch_files(self, globs: Sequence[str]) -> bool:
        """Have the client watch files; False when it can not. Not before `initialized`."""
        return clients.watch_files(self.protocol, self.capabilities, globs)

    def pull_configuration(
        self, section: str, then: Callable[[Sequence[object]], None], scopes: Sequence[str] = ()
    ) -> bool:
        """Ask for settings, of all and of some URIs; False when the client has no such request. Not before
        `initialized`."""
        return clients.pull_configuration(self.protocol, self.capabilities, section, then, scopes)

    def log_to_client(self, level: int = logging.INFO) -> None:
        """Copy graphls' log to window/logMessage, from initialize on: nothing may be said before."""
        if self._log_handler is not None:
            return
        self._log_handler = clients.ClientLog(self.protocol, level)
        logging.getLogger("graphls").addHandler(self._log_handler)

    def announced(self) -> Mapping[str, object]:
        """capabilities.experimental: the own methods that are answered."""
        methods = [method for method in self.protocol.conversion.own_methods if method in self.protocol.features]
        return {"graphls": {"methods": methods, "notifications": [clients.DID_CHANGE], **self.experimental}}

    # Start and stop

    def welcome(self, params: types.InitializeParams) -> Encoding:
        """Take what initialize says and open the session."""
        self.capabilities = params.capabilities
        self.encoding = clients.choose_encoding(params.capabilities)
        self.session = self._open_session(self, params)
        if params.process_id is not None and self._loop is not None:
            self._watch = self._loop.create_task(watch_process(params.process_id, self.stop))
        return self.encoding

    def call_soon(self, step: Callable[[], None]) -> None:
        """Run a step on the loop; from any thread. Nothing happens when the loop is gone."""
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(step)
            except RuntimeError:
                _log.debug("the loop is closed")

    def run_on_loop(self, step: Callable[[], None]) -> None:
        """Run a step on the loop and wait for its end, a bounded time; from any other thread."""
        over = threading.Event()

        def run() -> None:
            try:
                step()
            finally:
                over.set()

        self.call_soon(run)
        over.wait(CLOSE_SECONDS)

    def stop(self) -> None:
        """End the serving; from any thread."""
        stopped = self._stopped
        if stopped is not None:
            self.call_soon(stopped.set)

    async def until_stopped(self) -> None:
        """Wait for stop()."""
        if self._stopped is not None:
            await self._stopped.wait()

    def begin(self) -> None:
        """Called by a transport, on the loop, before the first message."""
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        self._notices = clients.ChangeNotices(self.protocol, self._loop)

    def end(self) -> int:
        """Called by a transport, on the loop, after the last message. The exit code."""
        if self._watch is not None:
            self._watch.cancel()
        if self._log_handler is not None:
            logging.getLogger("graphls").removeHandler(self._log_handler)
        self.protocol.cancel_all()
        self.protocol.scheduler.close()
        for cancel in tuple(self._tokens.values()):
            cancel.cancel()
        self.close_session()
        return self.protocol.lifecycle.exit_code

    def close_session(self) -> None:
        """Close it, and wait a bounded time."""
        session, self.session = self.session, None
        if session is not None:
            closing = threading.Thread(target=session.close, name="graphls-close", daemon=True)
            closing.start()
            closing.join(CLOSE_SECONDS)


def _at_once(session: SessionLike[Any], about: str | None, take: Callable[[], Any]) -> Any:
    """A snapshot that is there. Edits may have come since the request was scheduled."""
    if session.is_slow(about):
        raise MustWait
    return take()


def _placeholder() -> Callable[..., None]:
    """pygls' registry needs a function of its own for each entry, and computes capabilities from it; none is called."""
    return lambda *_: None
