"""Announcements: what the server tells the client unasked.

Owns: change notices, pushed diagnostics, refresh requests, progress of indexing, when the rules run.
Must not know: how anything of it is computed.
Invariant: work is done in the server's lanes, never on the loop or in the session's thread; bursts become one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from lsprotocol import types

from graphls.compilers.background import CheckerProgress as CheckProgress
from graphls.facts.paths import FilePath
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Snapshot
from graphls.lsp.diagnostics import diagnostics, result_id
from graphls.lsp.positions import ClientPositions
from graphls.lsp.protocol import GraphlsServer, WorkDone
from graphls.lsp.protocol.client import can_pull_again, pulls_diagnostics
from graphls.lsp.server_session import ServerSession
from graphls.lsp.to_proto import ToProto
from graphls.session.session import IndexProgress

SOON: Final = 0.2
LATER: Final = 1.0
WORTH_SHOWING: Final = 2.0
"""Seconds after which background work is shown."""


class Announcer:
    """One connection's announcements; begins with `start`."""

    def __init__(self, server: GraphlsServer[ServerSession], state: ServerSession) -> None:
        self._server = server
        self._state = state
        self._soon = _Once(SOON, lambda: server.protocol.scheduler.submit("slow", self._announce))
        self._later = _Once(LATER, lambda: server.protocol.scheduler.submit_background(self._run_rules))
        self._announced: Snapshot | None = None
        self._sent: dict[str, str] = {}
        self._pushing = threading.Lock()
        self._telling = threading.Lock()
        self._work: WorkDone | None = None
        self._checking: WorkDone | None = None
        self._checking_since: float | None = None

    def start(self) -> None:
        """The client is ready to listen."""
        self._state.on_change(self._soon.call)
        self._state.on_progress(self._progress)
        self._state.on_checked(self._checked)
        self._progress()
        self._soon.call()

    def stop(self) -> None:
        """Say nothing more."""
        self._soon.stop()
        self._later.stop()

    def _announce(self) -> None:
        self._push()
        snapshot = self._state.snapshot_at_once()
        if snapshot.pending:
            self._soon.call()  # said once they are read, which requests wait for and this does not
        if self._is_news(snapshot):
            # The root of a changed file takes all its links: whoever asks about a place must not wait for them.
            self._server.protocol.scheduler.submit("long", lambda: self._notify(snapshot))
        if self._state.settings.findings.enabled and not self._state.findings.is_current(snapshot):
            self._later.call()

    def _is_news(self, snapshot: Snapshot) -> bool:
        announced = self._announced
        return announced is None or announced.revision != snapshot.revision or announced.reader is not snapshot.reader

    def _notify(self, snapshot: Snapshot) -> None:
        """Unless another snapshot has followed, which is told of in its turn."""
        if self._is_news(snapshot) and self._state.snapshot_at_once().reader is snapshot.reader:
            files = _differing(self._announced, snapshot)
            self._announced = snapshot
            self._server.graph_changed(snapshot.revision, snapshot_id(snapshot), files)

    def _run_rules(self) -> None:
        """Once all links are there: the rules look at every file, and must not be what links them."""
        if self._state.session.progress.stage != "complete":
            return
        snapshot = self._state.snapshot_at_once()
        bench = self._state
        # Nobody waits for this, and over a large workspace it takes seconds.
        bench.findings.compute(snapshot, bench.settings, bench.known_findings(), bench.session.foreground.pacer())
        bench.annotations.compute(snapshot, bench.session.annotations)
        self._push()
        self._refresh()

    def _push(self) -> None:
        """Diagnostics of open documents, for clients that do not pull them, or would not pull late ones."""
        client = self._server.capabilities
        pulled = pulls_diagnostics(client) and can_pull_again(client)
        if pulled or "diagnostics" in self._state.settings.disabled_services:
            return
        # Several lanes push. Reading and sending stay together: an earlier list must not arrive after a later one.
        with self._pushing:
            self._push_newest()

    def _push_newest(self) -> None:
        snapshot = self._state.snapshot_at_once()
        positions = ClientPositions(snapshot, self._server.encoding, self._state.notebooks)
        proto = ToProto(snapshot, self._state.uris, positions)
        documents = {document.key: document for document in self._state.text_documents()}
        for uri in [uri for uri in self._sent if uri not in documents]:
            del self._sent[uri]
            self._publish(types.PublishDiagnosticsParams(uri, []))
        for uri, document in documents.items():
            path = self._state.uris.path(uri)
            if path is None or path not in snapshot.shards or path in snapshot.pending:
                continue
            now = result_id(proto, self._state.findings, path)
            if self._sent.get(uri) != now:
                self._sent[uri] = now
                found = diagnostics(proto, self._state.findings, uri, path, self._state.settings.disabled_services)
                self._publish(types.PublishDiagnosticsParams(uri, found, version=document.version))

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self._server.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _refresh(self) -> None:
        """Ask the client to pull again what rests on the whole workspace."""
        workspace: Any = self._server.capabilities.workspace
        for group, method in (
            ("diagnostics", types.WORKSPACE_DIAGNOSTIC_REFRESH),
            ("code_lens", types.WORKSPACE_CODE_LENS_REFRESH),
        ):
            if getattr(getattr(workspace, group, None), "refresh_support", False):
                self._server.protocol.send_request(method, None)

    def _progress(self, progress: IndexProgress | None = None) -> None:
        """What was told may be overtaken: the state as it is now counts, so that no work stays open for ever."""
        with self._telling:
            self._show(self._state.session.progress)

    def _show(self, progress: IndexProgress) -> None:
        if progress.stage == "complete":
            self._later.call()
        if progress.stage in ("ready", "complete"):
            work, self._work = self._work, None
            if work is not None:
                work.end()
            self._soon.call()
            return
        if self._work is None:
            self._work = self._server.start_progress().begin("graphls", "reading the workspace", 0)
        share = 100 * progress.done // progress.total if progress.total else 0
        self._work.report(f"{progress.stage} {progress.done}/{progress.total}" if progress.total else None, share)

    def _checked(self, progress: CheckProgress) -> None:
        """The checker works on what graphls is not sure of. Comes from one thread, often."""
        if progress.phase in ("done", "stopped"):
            work, self._checking, self._checking_since = self._checking, None, None
            if work is not None:
                work.end(progress.problem or None)
                self._refresh()
            return
        now = time.monotonic()
        if self._checking_since is None:
            self._checking_since = now
        if self._checking is None and now - self._checking_since > WORTH_SHOWING:
            self._checking = self._server.start_progress().begin("graphls", "settling uncertain names", 0)
        if self._checking is not None:
            share = 100 * progress.files // progress.total if progress.total else 0
            self._checking.report(f"checking {progress.phase} {progress.files}/{progress.total}", share)


class _Once:
    """A call after a time without further wishes for it."""

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        self._seconds = seconds
        self._then = then
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._stopped = False

    def call(self) -> None:
        """Wish for it; from any thread."""
        with self._lock:
            if self._stopped:
                return
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._seconds, self._then)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Do not call it any more."""
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()


def _differing(before: Snapshot | None, after: Snapshot) -> list[FilePath]:
    """Files that are new, gone or other than before; all files the first time are not news."""
    if before is None:
        return []
    old, new = before.shards, after.shards
    changed = [
        path for path, shard in new.items() if (known := old.get(path)) is None or known.content != shard.content
    ]
    return [*changed, *(path for path in old if path not in new)]
