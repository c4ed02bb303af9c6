"""Client: what this client can do, and what the server asks or tells it on its own account.

Owns: position encoding, dynamic registrations, configuration requests, log messages, throttled change notices.
Must not know: framing, request handling, the session.
Invariant: nothing is sent that the client's capabilities do not allow.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final, Protocol, cast

import attrs
from lsprotocol import types

from graphls.facts.lines import Encoding

NOTICE_SECONDS: Final = 0.25
MESSAGE_SECONDS: Final = 60.0
MAX_NOTICE_FILES: Final = 1000
DID_CHANGE: Final = "graph/didChange"

_PREFERRED: Final[tuple[Encoding, ...]] = ("utf-8", "utf-32", "utf-16")
_LEVELS: Final = (
    (logging.ERROR, types.MessageType.Error),
    (logging.WARNING, types.MessageType.Warning),
    (logging.INFO, types.MessageType.Info),
)

_log = logging.getLogger(__name__)


class Outgoing(Protocol):
    """The two ways to send something unasked. Both may be called from any thread."""

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification."""
        ...

    def send_request(self, method: str, params: Any | None = None) -> Future[Any]:
        """Send a request."""
        ...


@attrs.frozen
class GraphDidChange:
    """Params of graph/didChange: the graph has a new revision."""

    revision: int
    root: str
    files: tuple[str, ...]
    truncated: bool = False


def choose_encoding(capabilities: types.ClientCapabilities) -> Encoding:
    """utf-8 costs nothing here; utf-16 is what every client speaks."""
    general = capabilities.general
    offered = [str(getattr(kind, "value", kind)) for kind in (general and general.position_encodings) or ()]
    for encoding in _PREFERRED:
        if encoding in offered:
            return encoding
    return "utf-16"


def can_create_progress(capabilities: types.ClientCapabilities) -> bool:
    """Whether the server may open progress of its own."""
    return bool(capabilities.window and capabilities.window.work_done_progress)


def can_watch_files(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client watches files when asked to."""
    watched = capabilities.workspace and capabilities.workspace.did_change_watched_files
    return bool(watched and watched.dynamic_registration)


def can_configure(capabilities: types.ClientCapabilities) -> bool:
    """Whether settings can be asked for."""
    return bool(capabilities.workspace and capabilities.workspace.configuration)


def pulls_diagnostics(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client asks for diagnostics."""
    return bool(capabilities.text_document and capabilities.text_document.diagnostic)


def can_pull_again(capabilities: types.ClientCapabilities) -> bool:
    """Whether it can be told to ask again. If not, it would never see what is found later, and is sent it instead."""
    refreshed = capabilities.workspace and capabilities.workspace.diagnostics
    return bool(refreshed and refreshed.refresh_support)


def hears_changes(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client asked for graph/didChange, in the words in which the server announces it: others would warn of
    a notification that they do not know."""
    experimental = capabilities.experimental
    own: object = _field(experimental, "graphls")
    wanted = _field(own, "notifications")
    return isinstance(wanted, list | tuple) and DID_CHANGE in cast("Sequence[object]", wanted)


def _field(value: object, name: str) -> object:
    """Of a value that has any shape."""
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def watch_files(outgoing: Outgoing, capabilities: types.ClientCapabilities, globs: Sequence[str]) -> bool:
    """Ask the client to watch; False when it can not, so that the server must. Of folders it tells the end and the
    beginning only, and often nothing of the files in them."""
    if not can_watch_files(capabilities):
        return False
    watchers = [types.FileSystemWatcher(glob_pattern=glob) for glob in globs]
    watchers.append(types.FileSystemWatcher("**", types.WatchKind.Create | types.WatchKind.Delete))
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = types.Registration(id="graphls-watch", method=method, register_options=options)
    answer = outgoing.send_request(
        types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams(registrations=[registration])
    )
    answer.add_done_callback(lambda done: _note(done, "the client refused to watch files"))
    return True


def pull_configuration(
    outgoing: Outgoing,
    capabilities: types.ClientCapabilities,
    section: str,
    then: Callable[[Sequence[object]], None],
    scopes: Sequence[str] = (),
) -> bool:
    """Ask for a settings section, of all and of each of some URIs; `then` gets them on the loop, as many as the client
    gives. False when the client has no such request."""
    if not can_configure(capabilities):
        return False

    def arrived(answer: Future[Any]) -> None:
        if _note(answer, "the client gave no configuration"):
            values: object = answer.result()
            then(cast("Sequence[object]", values) if isinstance(values, list | tuple) else [])

    items = [types.ConfigurationItem(scope, section) for scope in (None, *scopes)]
    params = types.ConfigurationParams(items=items)
    outgoing.send_request(types.WORKSPACE_CONFIGURATION, params).add_done_callback(arrived)
    return True


def _note(answer: Future[Any], problem: str) -> bool:
    if answer.cancelled() or answer.exception() is not None:
        _log.warning("%s", problem)
        return False
    return True


class ChangeNotices:
    """graph/didChange, at most one in NOTICE_SECONDS; what was held back is merged into the next."""

    def __init__(self, outgoing: Outgoing, loop: asyncio.AbstractEventLoop) -> None:
        self._outgoing = outgoing
        self._loop = loop
        self._lock = threading.Lock()
        self._files: set[str] = set()
        self._newest: tuple[int, str] | None = None
        self._sent = float("-inf")

    def offer(self, revision: int, root: str, files: Iterable[str]) -> None:
        """A new revision; from any thread."""
        with self._lock:
            waiting = self._newest is not None
            self._newest = revision, root
            self._files.update(files)
            delay = max(self._sent + NOTICE_SECONDS - time.monotonic(), 0.0)
        if not waiting and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.call_later, delay, self._send)

    def _send(self) -> None:
        with self._lock:
            if self._newest is None:
                return
            (revision, root), files = self._newest, sorted(self._files)
            self._newest, self._files, self._sent = None, set(), time.monotonic()
        capped = tuple(files[:MAX_NOTICE_FILES])
        self._outgoing.notify(DID_CHANGE, GraphDidChange(revision, root, capped, len(files) > len(capped)))


class UserMessages:
    """window/showMessage, each text once in MESSAGE_SECONDS: an editor asks again while somebody types."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._lock = threading.Lock()
        self._shown: dict[str, float] = {}

    def tell(self, text: str) -> None:
        """Shows a text; from any thread."""
        now = time.monotonic()
        with self._lock:
            self._shown = {one: until for one, until in self._shown.items() if until > now}
            if text in self._shown:
                return
            self._shown[text] = now + MESSAGE_SECONDS
        kind = types.MessageType.Warning
        self._outgoing.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(type=kind, message=text))


class ClientLog(logging.Handler):
    """Log records of graphls as window/logMessage: one line each, never a traceback."""

    def __init__(self, outgoing: Outgoing, level: int = logging.INFO) -> None:
        super().__init__(level)
        self._outgoing = outgoing

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        kind = next((kind for level, kind in _LEVELS if record.levelno >= level), types.MessageType.Debug)
        message = f"[{record.name}] {record.getMessage()}"
        self._outgoing.notify(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(type=kind, message=message))
