"""Agent session: the workspace that one server answers about.

Owns: the session or the way to the editor's, how long an answer waits for the first reading, watching the disk.
Must not know: tools, the protocol.
Invariant: nothing waits for the index longer than `patience`; what an answer lacks is in its snapshot's `pending`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from typing import Protocol

import attrs

from graphls.analysis.finding import Finding
from graphls.analysis.findings import FindingSet as FoundByRules
from graphls.analysis.findings import findings
from graphls.graph.snapshot import Snapshot, without_disk_check
from graphls.session.disk_observer import FreshnessMode
from graphls.session.disk_watch import watch_disk
from graphls.session.known_findings import known_findings
from graphls.session.outcomes import Outcomes
from graphls.session.revisions import CommitSnapshots
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_RECOVERY_SECONDS = 120.0

_log = logging.getLogger(__name__)

Reread = Callable[[], tuple[Settings, tuple[str, ...]]]
"""The settings as their files say them now, and what is wrong with them."""


@attrs.frozen
class SessionStart:
    """What a server is started with. `problems`: what is wrong with the settings, in words."""

    workspace: Workspace
    settings: Settings = attrs.field(factory=Settings)
    store: BlobStore | None = None
    problems: tuple[str, ...] = ()
    patience: float = 10.0
    """Seconds that a question may wait until every file was read once, and until those that it needs were linked."""
    checker: bool = False
    """Have the checker that the settings name settle what answers rest on."""
    reread: Reread | None = None


class Shared(Protocol):
    """An editor's connection: its session is another one once other folders are open."""

    @property
    def session(self) -> Session: ...
    @property
    def problems(self) -> tuple[str, ...]: ...
    def recovery(self) -> Callable[[], bool]:
        """For a question that begins now, should it fail inside: puts right what may be to blame; whether another try
        is worth it."""
        ...


class _Own:
    """A session for this server alone."""

    def __init__(self, opening: SessionStart) -> None:
        self._opening = opening
        self._recovering = threading.Lock()
        self._recovered = False
        self.replaced: Callable[[], None] = lambda: None
        """Called when the session is another one; from any thread."""
        self.problems = opening.problems
        self.session = self._opened()

    def _opened(self) -> Session:
        opening = self._opening
        options = SessionOptions(
            libraries=True,
            checker=opening.checker,
            look=True,
            settings=None if opening.reread is None else partial(self._reread, opening.reread),
        )
        return Session(opening.workspace, opening.settings, opening.store, options)

    def _reread(self, reread: Reread) -> Settings:
        settings, self.problems = reread()
        return settings

    def recovery(self) -> Callable[[], bool]:
        """What is kept between runs may be to blame: everything is read anew without it, once."""
        return partial(self._recover, self.session)

    def _recover(self, failed: Session) -> bool:
        with self._recovering:  # who comes second waits for the first
            if self.session is failed and not self._recovered and failed.store is not None:
                self._recovered = True
                failed.close()
                failed.store.clear()
                _log.warning("something failed inside; the cache may be to blame: it is cleared and made again")
                self.session = self._opened()
                self.session.start()
                self.replaced()
            session = self.session
        return session is not failed and session.wait("ready", _RECOVERY_SECONDS)


class AgentSession:
    """Questions may come from any thread."""

    def __init__(self, opening: SessionStart, shared: Shared | None = None) -> None:
        """With `shared` the questions are answered from that session, which somebody else starts and closes."""
        self.attached = shared is not None
        self.patience = opening.patience
        self._commits = CommitSnapshots()
        self._own: _Own | None = None
        if shared is None:
            shared = self._own = _Own(opening)
        self._shared = shared

    @property
    def session(self) -> Session:
        return self._shared.session

    @property
    def problems(self) -> tuple[str, ...]:
        return self._shared.problems

    @property
    def workspace(self) -> Workspace:
        return self.session.workspace

    @property
    def settings(self) -> Settings:
        return self.session.settings

    @property
    def store(self) -> BlobStore | None:
        return self.session.store

    def recovery(self) -> Callable[[], bool]:
        """What may be done for a question that begins now and fails inside."""
        return self._shared.recovery()

    def snapshot(self, freshness: FreshnessMode = "prefer-fresh", *, now: bool = False) -> Snapshot:
        """The newest state; waits for what is to be read, as long as patience lasts, unless it is wanted `now`."""
        looked, newest = self.session.looked(freshness, 0.0 if now else self.patience)
        snapshot = self.session.checker_service.verified(newest)
        return snapshot if looked else without_disk_check(snapshot)

    def snapshot_at(self, reference: str) -> Snapshot:
        """The workspace as a commit has it. Raises NoHistory, BadRequest."""
        _, live = self.session.looked("prefer-fresh", self.patience)
        return self._commits.at(self.workspace, live, self.settings, reference)

    def findings(self, snapshot: Snapshot, scope: str = "") -> FoundByRules:
        """What the rules say, of a file or folder at least."""
        return findings(snapshot, self.settings, known_findings(self.workspace, self.settings, self.store), scope)

    def shown(self, snapshot: Snapshot, answered: FoundByRules, chosen: Iterable[Finding]) -> None:
        """An agent is shown findings: what becomes of them is worth knowing, unless the settings say no."""
        if self.settings.agents.journal:
            Outcomes(self.store, self.workspace).note(snapshot, answered, chosen)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[AgentSession]:
        """Indexes in the background and watches the disk until the end, unless somebody else does."""
        if self._own is None:
            yield self
            return
        self.session.start()
        watching = asyncio.create_task(self._watch(self._own))
        try:
            yield self
        finally:
            self._own.replaced()
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            await asyncio.to_thread(self.session.close)

    async def _watch(self, own: _Own) -> None:
        """The disk of whichever session there is."""
        loop, replaced = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(replaced.set)

        own.replaced = tell
        while True:
            watched = own.session
            replaced.clear()
            await watch_disk(watched, replaced)
            if own.session is watched:
                await replaced.wait()
