"""Lazy services: the parts of a session that nobody needs while a workspace is read for the first time.

Owns: loading what settles uncertain sites and what makes packs, once, when one of them is first wanted.
Must not know: what either does.
Invariant: nothing is made after `close` that would not be closed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphls.facts.file_facts import FACTS_VERSION
from graphls.facts.links import LINKS_VERSION
from graphls.graph.snapshot import Snapshot
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.compilers.background import CheckerProgress
    from graphls.session.annotations import AnnotationSource
    from graphls.session.comparison import Comparisons
    from graphls.session.imported_files import ImportedFiles
    from graphls.session.packs import Packs
    from graphls.session.verifying import CheckerService


def imported_name(home: str, path: str = "", content: str = "") -> str:
    """The key of what an index says of one file of a workspace; without a path, of the list of these files."""
    return f"imported 1.{FACTS_VERSION}.{LINKS_VERSION}\0{home}\0{content}\0{path}"


class LazyServices:
    """Safe to use from any thread."""

    def __init__(
        self,
        workspace: Workspace,
        store: BlobStore | None,
        on_progress: Callable[[CheckerProgress], None] | None,
        is_answering: Callable[[], bool] = lambda: False,
    ) -> None:
        self._workspace = workspace
        self._store = store
        self._on_progress = on_progress
        self._is_answering = is_answering
        # Not the session's lock: loading takes a while, and readers of the newest state must not wait for it.
        self._lock = threading.RLock()
        self._checker_service: CheckerService | None = None
        self._packs: Packs | None = None
        self._annotations: AnnotationSource | None = None
        self._imported_files: ImportedFiles | None = None
        self._comparisons: Comparisons | None = None
        self._nothing_imported: bool | None = None
        self._home = "\n".join(folder.root for folder in workspace.folders)
        self._closed = False

    @property
    def checker_service(self) -> CheckerService:
        """What asks the checker."""
        with self._lock:
            if self._checker_service is None:
                from graphls.session.verifying import CheckerService

                self._checker_service = CheckerService(
                    self._workspace, self._store, self._on_progress, self._is_answering
                )
                if self._closed:
                    self._checker_service.close()
            return self._checker_service

    @property
    def imported_files(self) -> ImportedFiles:
        """What indexes say of files that graphls does not read."""
        with self._lock:
            if self._imported_files is None:
                from graphls.session.imported_files import ImportedFiles

                self._imported_files = ImportedFiles(self._store, self._home)
            return self._imported_files

    def with_imports(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot with these files; where nothing was ever imported, nothing is loaded for that."""
        if self._imported_files is None:
            with self._lock:
                if self._nothing_imported is None:
                    listed = None if self._store is None else self._store.get("values", imported_name(self._home))
                    self._nothing_imported = listed is None
            if self._nothing_imported:
                return snapshot
        return self.imported_files.over(snapshot)

    @property
    def packs(self) -> Packs:
        """What makes context packs."""
        with self._lock:
            if self._packs is None:
                from graphls.session.packs import Packs

                self._packs = Packs(self._workspace, self._store, self.checker_service)
            return self._packs

    @property
    def annotations(self) -> AnnotationSource:
        """What decisions and history say of code."""
        with self._lock:
            if self._annotations is None:
                from graphls.session.annotations import AnnotationSource

                self._annotations = AnnotationSource(self._workspace, self._store)
            return self._annotations

    @property
    def comparisons(self) -> Comparisons:
        """What compares states in another process."""
        with self._lock:
            if self._comparisons is None:
                from graphls.session.comparison import Comparisons

                self._comparisons = Comparisons()
            return self._comparisons

    def drop_values(self) -> None:
        """Lets go of what can be made again."""
        with self._lock:
            service = self._checker_service
        if service is not None:
            service.drop_values()

    def close(self) -> None:
        """Ends what was loaded."""
        with self._lock:
            self._closed, verifying, comparisons = True, self._checker_service, self._comparisons
        if verifying is not None:
            verifying.close()
        if comparisons is not None:
            comparisons.close()
