"""Workbench: the workspace that one server answers about.

Owns: the session or the way to the editor's, how long an answer waits for the first reading, watching the disk.
Must not know: tools, the protocol.
Invariant: nothing waits for the index longer than `patience`; what an answer lacks is in its snapshot's `pending`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Protocol

import attrs

from graphls.analysis.findings import Answer as FoundByRules
from graphls.analysis.findings import findings
from graphls.graph.snapshot import Snapshot
from graphls.session.session import Options, Session
from graphls.settings import Settings
from graphls.sources.limits import Limits
from graphls.sources.watch import watch
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore


@attrs.frozen
class Opening:
    """What a server is started with. `problems`: what is wrong with the settings, in words."""

    workspace: Workspace
    settings: Settings = attrs.field(factory=Settings)
    store: BlobStore | None = None
    problems: tuple[str, ...] = ()
    patience: float = 5.0
    """Seconds that a question may wait until every file was read once."""
    checker: bool = False
    """Have the checker that the settings name settle what answers rest on."""


class Shared(Protocol):
    """An editor's connection: its session is another one once other folders are open."""

    @property
    def session(self) -> Session: ...
    @property
    def problems(self) -> tuple[str, ...]: ...


@attrs.frozen
class _Own:
    """A session for this server alone."""

    session: Session
    problems: tuple[str, ...]


class Workbench:
    """Questions may come from any thread."""

    def __init__(self, opening: Opening, shared: Shared | None = None) -> None:
        """With `shared` the questions are answered from that session, which somebody else starts and closes."""
        self.attached = shared is not None
        self._patience = opening.patience
        if shared is None:
            options = Options(libraries=True, checker=opening.checker)
            session = Session(opening.workspace, opening.settings, opening.store, options)
            shared = _Own(session, opening.problems)
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

    def snapshot(self, *, now: bool = False) -> Snapshot:
        """The newest state; waits for the first reading, as long as patience lasts, unless it is wanted `now`."""
        if not now:
            self.session.wait("ready", self._patience)
        return self.session.verifying.verified(self.session.snapshot())

    def findings(self, snapshot: Snapshot) -> FoundByRules:
        """What the rules say."""
        return findings(snapshot, self.settings)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[Workbench]:
        """Indexes in the background and watches the disk until the end, unless somebody else does."""
        if self.attached:
            yield self
            return
        self.session.start()
        stop = asyncio.Event()
        watching = asyncio.create_task(self._watch(stop))
        try:
            yield self
        finally:
            stop.set()
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            await asyncio.to_thread(self.session.close)

    async def _watch(self, stop: asyncio.Event) -> None:
        async for changes in watch(self.workspace, Limits.of(self.settings.files), stop):
            if changes.degraded:
                self.session.complain("watching", changes.degraded)
            if changes.rescan:
                self.session.rescan()
            elif changes.changed or changes.deleted:
                self.session.files_changed((*changes.changed, *changes.deleted))
