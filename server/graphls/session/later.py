"""Later: the parts of a session that nobody needs while a workspace is read for the first time.

Owns: loading what settles uncertain sites and what makes packs, once, when one of them is first wanted.
Must not know: what either does.
Invariant: nothing is made after `close` that would not be closed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.compilers.background import Progress
    from graphls.session.packs import Packs
    from graphls.session.verifying import Verifying


class Later:
    """Safe to use from any thread."""

    def __init__(self, workspace: Workspace, store: BlobStore | None, told: Callable[[Progress], None] | None) -> None:
        self._workspace = workspace
        self._store = store
        self._told = told
        # Not the session's lock: loading takes a while, and readers of the newest state must not wait for it.
        self._lock = threading.RLock()
        self._verifying: Verifying | None = None
        self._packs: Packs | None = None
        self._closed = False

    @property
    def verifying(self) -> Verifying:
        """What asks the checker."""
        with self._lock:
            if self._verifying is None:
                from graphls.session.verifying import Verifying

                self._verifying = Verifying(self._workspace, self._store, self._told)
                if self._closed:
                    self._verifying.close()
            return self._verifying

    @property
    def packs(self) -> Packs:
        """What makes context packs."""
        with self._lock:
            if self._packs is None:
                from graphls.session.packs import Packs

                self._packs = Packs(self._workspace, self._store, self.verifying)
            return self._packs

    def close(self) -> None:
        """Ends what was loaded."""
        with self._lock:
            self._closed, verifying = True, self._verifying
        if verifying is not None:
            verifying.close()
