"""Workbench: the workspace that one server answers about.

Owns: the session, its settings and store, how long an answer waits for the first reading, watching the disk.
Must not know: tools, the protocol.
Invariant: nothing waits for the index longer than `patience`; what an answer lacks is in its snapshot's `pending`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

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

_log = logging.getLogger(__name__)


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


class Workbench:
    """Questions may come from any thread."""

    def __init__(self, opening: Opening) -> None:
        self.workspace = opening.workspace
        self.settings = opening.settings
        self.store = opening.store
        self.problems = opening.problems
        self._patience = opening.patience
        options = Options(libraries=True, checker=opening.checker)
        self.session = Session(opening.workspace, opening.settings, opening.store, options)

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
        """Indexes in the background and watches the disk until the end."""
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
                _log.warning("%s", changes.degraded)
            if changes.rescan:
                self.session.rescan()
            elif changes.changed or changes.deleted:
                self.session.files_changed((*changes.changed, *changes.deleted))
