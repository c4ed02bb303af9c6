"""Lazy services: the parts of a session that nobody needs while a workspace is read for the first time.

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
    from graphls.compilers.background import CheckerProgress
    from graphls.session.imported_files import ImportedFiles
    from graphls.session.packs import Packs
    from graphls.session.verifying import CheckerService


class LazyServices:
    """Safe to use from any thread."""

    def __init__(
        self, workspace: Workspace, store: BlobStore | None, on_progress: Callable[[CheckerProgress], None] | None
    ) -> None:
        self._workspace = workspace
        self._store = store
        self._on_progress = on_progress
        # Not the session's lock: loading takes a while, and readers of the newest state must not wait for it.
        self._lock = threading.RLock()
        self._checker_service: CheckerService | None = None
        self._packs: Packs | None = None
        self._imported_files: ImportedFiles | None = None
        self._closed = False

    @property
    def checker_service(self) -> CheckerService:
        """What asks the checker."""
        with self._lock:
            if self._checker_service is None:
                from graphls.session.verifying import CheckerService

                self._checker_service = CheckerService(self._workspace, self._store, self._on_progress)
                if self._closed:
                    self._checker_service.close()
            return self._checker_service

    @property
    def imported_files(self) -> ImportedFiles:
        """What indexes say of files that graphls does not read."""
        with self._lock:
            if self._imported_files is None:
                from graphls.compilers.verifier import home_of
                from graphls.session.imported_files import ImportedFiles

                self._imported_files = ImportedFiles(self._store, home_of(self._workspace))
            return self._imported_files

    @property
    def packs(self) -> Packs:
        """What makes context packs."""
        with self._lock:
            if self._packs is None:
                from graphls.session.packs import Packs

                self._packs = Packs(self._workspace, self._store, self.checker_service)
            return self._packs

    def drop_values(self) -> None:
        """Lets go of what can be made again."""
        with self._lock:
            service = self._checker_service
        if service is not None:
            service.drop_values()

    def close(self) -> None:
        """Ends what was loaded."""
        with self._lock:
            self._closed, verifying = True, self._checker_service
        if verifying is not None:
            verifying.close()
