"""Agent session: the workspace that one server answers about.

Owns: the session or the way to the editor's, how long an answer waits for the first reading, watching the disk.
Must not know: tools, the protocol.
Invariant: nothing waits for the index longer than `patience`; what an answer lacks is in its snapshot's `pending`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Protocol

import attrs

from graphls.analysis.findings import FindingSet as FoundByRules
from graphls.analysis.findings import findings
from graphls.graph.snapshot import Snapshot, without_disk_check
from graphls.session.disk_watch import watch_disk
from graphls.session.looking import FreshnessMode
from graphls.session.reports import sarif_reports
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

Reread = Callable[[], tuple[Settings, tuple[str, ...]]]
"""The settings as their files say them now, and what is wrong with them."""


@attrs.frozen
class SessionStart:
    """What a server is started with. `problems`: what is wrong with the settings, in words."""

    workspace: Workspace
    settings: Settings = attrs.field(factory=Settings)
    store: BlobStore | None = None
    problems: tuple[str, ...] = ()
    patience: float = 5.0
    """Seconds that a question may wait until every file was read once."""
    checker: bool = False
    """Have the checker that the settings name settle what answers rest on."""
    reread: Reread | None = None


class Shared(Protocol):
    """An editor's connection: its session is another one once other folders are open."""

    @property
    def session(self) -> Session: ...
    @property
    def problems(self) -> tuple[str, ...]: ...


class _Own:
    """A session for this server alone."""

    session: Session

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems


def _reread(reread: Reread, own: _Own) -> Settings:
    settings, own.problems = reread()
    return settings


class AgentSession:
    """Questions may come from any thread."""

    def __init__(self, opening: SessionStart, shared: Shared | None = None) -> None:
        """With `shared` the questions are answered from that session, which somebody else starts and closes."""
        self.attached = shared is not None
        self._patience = opening.patience
        if shared is None:
            shared = own = _Own(opening.problems)
            renew = None if opening.reread is None else partial(_reread, opening.reread, own)
            options = SessionOptions(libraries=True, checker=opening.checker, look=True, settings=renew)
            own.session = Session(opening.workspace, opening.settings, opening.store, options)
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

    def snapshot(self, freshness: FreshnessMode = "prefer-fresh", *, now: bool = False) -> Snapshot:
        """The newest state; waits for what is to be read, as long as patience lasts, unless it is wanted `now`."""
        looked, newest = self.session.looked(freshness, 0.0 if now else self._patience)
        snapshot = self.session.checker_service.verified(newest)
        return snapshot if looked else without_disk_check(snapshot)

    def findings(self, snapshot: Snapshot, scope: str = "") -> FoundByRules:
        """What the rules say, of a file or folder at least."""
        reports = sarif_reports(self.workspace, self.settings)
        return findings(snapshot, self.settings, scope=scope, reports=reports)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[AgentSession]:
        """Indexes in the background and watches the disk until the end, unless somebody else does."""
        if self.attached:
            yield self
            return
        self.session.start()
        stop = asyncio.Event()
        watching = asyncio.create_task(watch_disk(self.session, stop))
        try:
            yield self
        finally:
            stop.set()
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            await asyncio.to_thread(self.session.close)
