"""Upstream: one language server for one workspace folder, kept alive as long as it is of use.

Owns: lazy start, the handshake, restarts with growing pauses, the limits of memory, idleness and patience.
Must not know: what is asked, snapshots, who waits.
Invariant: `request` never blocks and always returns a future that ends.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import PurePath
from typing import Protocol

import attrs

from graphls.compilers.broken_code import PublishedErrors
from graphls.compilers.checkers import Checker, is_old
from graphls.compilers.child_process import CannotStart, Launch
from graphls.compilers.connection import CheckerGone, CheckerProblem, CheckerSlow, Connection, Done, finish
from graphls.compilers.locations import to_uri
from graphls.compilers.probe import probe
from graphls.compilers.status import CheckerState, CheckerStatus
from graphls.compilers.wire import Json, mapping, text
from graphls.languages.language_checker import OWN_FOLDER, PROJECT, SourceTree
from graphls.sources.programs import ELSEWHERE, resident_bytes
from graphls.store.own_folders import OwnFolder

_log = logging.getLogger(__name__)
_POLL_SECONDS = 1.0
_MEMORY_POLLS = 3
_HOVER = "textDocument/hover"
_START_POLL = 0.01
_SHUTDOWN_SECONDS = 1.0


@attrs.frozen
class CheckerLimits:
    """How much a checker may take."""

    memory_bytes: int = 2_000_000_000
    idle_seconds: float = 600.0
    silence_seconds: float = 30.0
    """A server that leaves a request open and says nothing for so long hangs."""
    start_seconds: float = 60.0
    first_pause: float = 1.0
    longest_pause: float = 60.0
    most_failures: int = 6
    """After so many failures in a row it is not started again."""


_NUMBER = re.compile(r"\d+(?:\.\d+)+")
CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "window": {"workDoneProgress": False},
    "textDocument": {
        "synchronization": {"dynamicRegistration": False},
        "definition": {"dynamicRegistration": False, "linkSupport": True},
        "diagnostic": {"dynamicRegistration": False},
        "hover": {"dynamicRegistration": False, "contentFormat": ["markdown"]},
    },
}


class ServerListener(Protocol):
    """Who wants to know of new servers, and tells them things of its own."""

    def attach(self, notify: Callable[[str, Json], None]) -> None:
        """A new server; what `notify` sends arrives before the first request."""
        ...

    def detach(self) -> None:
        """The server is gone."""
        ...


@attrs.define(eq=False)
class _Waiting:
    method: str
    params: Callable[[str], Json]
    done: Done


class CheckerServer:
    """Safe to use from any thread."""

    def __init__(
        self, checker: Checker, root: str, limits: CheckerLimits | None = None, listener: ServerListener | None = None
    ) -> None:
        self.checker = checker
        self.root = root
        self.options: Json = checker.configuration.get(checker.name)
        """What a server that starts is told first."""
        self.project = _no_sources(checker, root)
        """The files of a project of its own that a server gets in place of the workspace; none for most."""
        self._seen = root
        """What the server takes for the workspace."""
        self.errors = PublishedErrors()
        """Of servers that guess where there are some."""
        self._limits = limits or CheckerLimits()
        self._listener = listener
        self._lock = threading.RLock()
        self._connection: Connection | None = None
        self._waiting: list[_Waiting] = []
        self._state = CheckerState.IDLE
        self._encoding = "utf-16"
        self._hovers = False
        """Whether the server says that it answers hovers: a question it does not know may never be answered."""
        self._version = ""
        self._problem = ""
        self._restarts = 0
        self._failures = 0
        self._wait_until = 0.0
        self._request_count = 0
        self._answer_count = 0
        self._memory: int | None = None
        self._last_use = time.monotonic()

    def request(self, method: str, params: Callable[[str], Json]) -> Future[Json]:
        """Asks; starts the server if need be. `params` gets the encoding of positions once it is known."""
        future: Future[Json] = Future()
        self.ask(method, params, partial(finish, future))
        return future

    def ask(self, method: str, params: Callable[[str], Json], done: Done) -> None:
        """The same without a future. `done` is called once, perhaps before this returns."""
        with self._lock:
            self._last_use = time.monotonic()
            if self._connection is not None and self._state is CheckerState.READY:
                self._put(self._connection, _Waiting(method, params, done))
            elif self._may_start():
                self._waiting.append(_Waiting(method, params, done))
                self._begin()
            else:
                done(None, CheckerGone(self._problem or "the checker is not running"))

    def wake(self) -> None:
        """Starts the server if it does not run and may; asks nothing."""
        with self._lock:
            self._last_use = time.monotonic()
            if self._connection is None and self._may_start():
                self._begin()

    def await_start(self) -> None:
        """Starts the server if it does not run and may, and waits until it can be asked or failed."""
        self.wake()
        while self._state is CheckerState.STARTING:
            time.sleep(_START_POLL)

    @property
    def usable(self) -> bool:
        """Whether a request has a chance now."""
        with self._lock:
            return self._state in (CheckerState.READY, CheckerState.STARTING) or self._may_start()

    @property
    def ready(self) -> bool:
        return self._state is CheckerState.READY

    @property
    def version(self) -> str:
        """ "" before the server has said so."""
        return self._version

    def status(self) -> CheckerStatus:
        """How it is doing."""
        with self._lock:
            connection = self._connection
            return CheckerStatus(
                name=self.checker.name,
                version=self._version,
                state=self._state,
                restarts=self._restarts,
                problem=self._problem,
                asked=self._request_count + (connection.request_count if connection else 0),
                answered=self._answer_count + (connection.answer_count if connection else 0),
                pending=len(self._waiting) + (connection.pending if connection else 0),
                memory_bytes=self._memory if connection else None,
                milliseconds=round(connection.milliseconds, 2) if connection else 0.0,
                languages=self.checker.description.languages,
            )

    @property
    def pid(self) -> int:
        """Process id of the running server, 0 for none."""
        connection = self._connection
        return connection.child.pid if connection else 0

    def stop(self) -> None:
        """Ends the server; the next request starts it anew."""
        with self._lock:
            connection, self._state = self._connection, CheckerState.IDLE
            self._drop()
        if connection is not None:
            _end(connection)

    # ---- start

    def _begin(self) -> None:
        """Called with the lock held."""
        if self._state is not CheckerState.STARTING:
            self._state = CheckerState.STARTING
            threading.Thread(target=self._start, name="checker start", daemon=True).start()

    def _may_start(self) -> bool:
        if self._state is CheckerState.FAILED:
            return False
        return self._state is not CheckerState.WAITING or time.monotonic() >= self._wait_until

    def _start(self) -> None:
        holder: list[Connection] = []
        place: OwnFolder | None = None
        try:
            place = self._place()
            launch = Launch(_in_folder(self.checker.command, place), ELSEWHERE, self.checker.environment)
            ended, complained = partial(self._ended, holder, place), partial(self._handle_error_message, holder)
            connection = Connection(launch, self._setting, ended, complained, self._receive_diagnostics)
            holder.append(connection)
            with self._lock:
                if self._state is not CheckerState.STARTING:
                    raise CannotStart("it was stopped while it started")
                self._connection = connection
            self._seen = self.root if place is None else f"{place.path}/{PROJECT}"
            answer = connection.request("initialize", self._hello()).result(self._limits.start_seconds)
        except (CannotStart, CheckerProblem, TimeoutError) as error:
            self._failed(str(error) or "it did not start in time", holder)
            if place is not None and not holder:
                place.close()
            return
        try:
            self._welcome(connection, mapping(answer))
        except Exception:  # noqa: BLE001 (whoever waits for it would wait for ever)
            _log.exception("a checker could not be started")
            self._failed("graphls met a fault while it started it", holder)

    def _place(self) -> OwnFolder | None:
        """A new folder for a server that gets one: what another one left there could keep it from starting."""
        if not self.project:
            return None
        try:
            return OwnFolder(self.checker.name, self.project)
        except OSError as error:
            raise CannotStart(f"a folder for it cannot be made: {error}") from error

    def _hello(self) -> Json:
        uri = to_uri(self._seen)
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "graphls"},
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": PurePath(self._seen).name or "root"}],
            "capabilities": CAPABILITIES,
            "initializationOptions": self.options,
        }

    def _welcome(self, connection: Connection, answer: Mapping[str, Json]) -> None:
        capabilities, info = mapping(answer.get("capabilities")), mapping(answer.get("serverInfo"))
        version = _version_in(text(info.get("version")))
        problem = ""
        if is_old(self.checker.description, version):
            wanted = ".".join(map(str, self.checker.description.oldest))
            problem = f"{self.checker.name} {version} is too old; {wanted} or newer is needed"
        elif not capabilities.get("definitionProvider"):
            problem = f"{self.checker.name} {version} does not say where names are defined"
        elif (known := self.checker.description.known) is not None:
            problem = probe(connection, self._seen, known, self._limits.start_seconds)
        with self._lock:
            if self._connection is not connection or self._state is not CheckerState.STARTING:
                return
            if connection.ended:
                # It answered and ended: `_ended` leaves that to who starts it, and tells of later ends itself.
                self._failed(connection.ended, [connection])
                return
            self._version = version
            self._encoding = text(capabilities.get("positionEncoding")) or "utf-16"
            self._hovers = bool(capabilities.get("hoverProvider"))
            if problem:
                self._problem, self._state = problem, CheckerState.FAILED
                self._drop()
            else:
                self._open_for_questions(connection)
        if problem:
            _end(connection)
            return
        threading.Thread(target=self._watch, args=(connection,), name="checker watch", daemon=True).start()

    def _open_for_questions(self, connection: Connection) -> None:
        if self.checker.description.known is None:
            connection.notify("initialized", {})  # the others heard it before the question whose answer is known
        connection.notify("workspace/didChangeConfiguration", {"settings": self.checker.configuration})
        if self._listener is not None:
            self._listener.attach(connection.notify)
        self._state = CheckerState.READY
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self._put(connection, one)

    def _put(self, connection: Connection, one: _Waiting) -> None:
        if one.method == _HOVER and not self._hovers:
            one.done(None, None)
        else:
            connection.ask(one.method, one.params(self._encoding), one.done)

    def _setting(self, section: str) -> Json:
        return self.checker.configuration.get(section)

    def _receive_diagnostics(self, params: Mapping[str, Json]) -> None:
        known = self.checker.description.known
        if known is not None and known.errors is not None:
            self.errors.receive(params)

    # ---- end

    def _ended(self, holder: list[Connection], place: OwnFolder | None, reason: str) -> None:
        if place is not None:
            place.close()
        with self._lock:
            if not holder or self._connection is not holder[0]:
                return
            if self._state is CheckerState.STARTING:
                return  # `_start` sees the failed request and says why
            tail = holder[0].child.stderr_tail
            self._pause(f"{reason}; it said: {tail[-1]}" if tail else reason)

    def _handle_error_message(self, holder: list[Connection], message: str) -> None:
        """Ends a server that goes on without what it was told: its answers would be about other packages."""
        misled = self.checker.description.environment_error
        if not misled or misled not in message or not holder:
            return
        with self._lock:
            if self._connection is holder[0]:
                self._problem = f"it cannot use the environment that the workspace has: {message[:200]}"
                self._state = CheckerState.FAILED
                self._drop()
        holder[0].child.kill(self._problem)

    def _failed(self, reason: str, holder: list[Connection]) -> None:
        tail = holder[0].child.stderr_tail if holder else ()
        with self._lock:
            if self._state is CheckerState.STARTING:
                self._pause(f"{reason}; it said: {tail[-1]}" if tail else reason)
        if holder:
            holder[0].child.kill()

    def _pause(self, problem: str) -> None:
        """Called with the lock held: no start for a while."""
        self._problem = problem
        self._failures += 1
        self._restarts += 1
        pause = min(self._limits.first_pause * 2 ** (self._failures - 1), self._limits.longest_pause)
        self._wait_until = time.monotonic() + pause
        self._state = CheckerState.FAILED if self._failures >= self._limits.most_failures else CheckerState.WAITING
        self._drop()

    def _drop(self) -> None:
        """Called with the lock held: there is no server any more."""
        connection, self._connection = self._connection, None
        if self._listener is not None:
            self._listener.detach()
        if connection is not None:
            self._request_count += connection.request_count
            self._answer_count += connection.answer_count
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.done(None, CheckerGone(self._problem or "the checker was stopped"))

    # ---- watch

    def _watch(self, connection: Connection) -> None:
        polls = 0
        while connection.child.alive and self._connection is connection:
            time.sleep(_POLL_SECONDS)
            polls += 1
            if polls % _MEMORY_POLLS == 1:
                self._memory = resident_bytes(connection.child.pid)
            if connection.answer_count > 20:
                self._failures = 0
            problem = self._trouble(connection)
            if problem:
                with self._lock:
                    if self._connection is connection:
                        self._pause(problem)
                connection.child.kill(problem)
            elif connection.pending == 0 and time.monotonic() - self._last_use > self._limits.idle_seconds:
                self.stop()

    def _trouble(self, connection: Connection) -> str:
        if self._memory is not None and self._memory > self._limits.memory_bytes:
            used, most = self._memory // 1_000_000, self._limits.memory_bytes // 1_000_000
            return f"it used {used} MB of memory, more than the {most} MB of the setting checker.memoryLimitMb"
        patience = self._limits.silence_seconds * self.checker.description.patience
        if connection.oldest() > patience:
            return f"it did not answer for {patience:g} seconds"
        return ""


def _no_sources(checker: Checker, root: str) -> Mapping[str, str]:
    """The project of a server that nobody has told of any source."""
    known = checker.description.known
    return {} if known is None or known.project is None else known.project(SourceTree(root, (), lambda _: ""))


def _in_folder(command: tuple[str, ...], place: OwnFolder | None) -> tuple[str, ...]:
    return command if place is None else tuple(word.replace(OWN_FOLDER, place.path) for word in command)


def _end(connection: Connection) -> None:
    """Asks politely, then insists."""

    def finish() -> None:
        try:
            connection.request("shutdown", None).result(_SHUTDOWN_SECONDS)
            connection.notify("exit", None)
        except (CheckerProblem, CheckerSlow, TimeoutError):
            pass
        connection.child.kill("the checker was stopped")

    threading.Thread(target=finish, name="checker end", daemon=True).start()


def _version_in(said: str) -> str:
    """The number in what a server calls its version: `clangd version 22.1.1`, or how it was built, as JSON."""
    if said.startswith("{"):
        try:
            said = text(mapping(mapping(json.loads(said)).get("Main")).get("Version"))
        except (ValueError, RecursionError):
            return ""
    found = _NUMBER.search(said)
    return said if found is None or said[:1].isdigit() else found[0]
