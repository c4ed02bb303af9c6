"""Packs: context packs and searches of one workspace, made in one way for every face.

Owns: what goes into each pack besides its request: stored words of files, earlier commits, feedback, the setting about
    tests, checking.
Must not know: how code is ranked, faces.
Invariant: the same contents, commits, feedback and request give the same pack, whichever face asks.
"""

from __future__ import annotations

import threading

import attrs

from graphls.context.feedback import feedback_of
from graphls.context.pack import Pack, PackRequest, pack
from graphls.context.past_changes import CONSIDERED
from graphls.context.search import SearchHits, SearchQuery, search
from graphls.context.task_search import search_for_task
from graphls.context.term_cache import ready_terms
from graphls.graph.snapshot import Snapshot
from graphls.session.history import past_changes
from graphls.session.verifying import CheckerService
from graphls.settings import Settings
from graphls.sources.git_log import CommitPaths
from graphls.sources.git_state import GitHead, git_head
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore


class Packs:
    """Safe to use from any thread."""

    def __init__(self, workspace: Workspace, store: BlobStore | None, verifying: CheckerService) -> None:
        self._workspace = workspace
        self._store = store
        self._verifying = verifying
        self._words = threading.Lock()
        self._past: tuple[tuple[GitHead | None, ...], tuple[CommitPaths, ...]] = ((), ())
        """What is checked out in each folder, and the commits up to it."""

    def ready(self, snapshot: Snapshot) -> None:
        """Words come from the store where it has them: a first pack is quick then."""
        with self._words:
            ready_terms(snapshot, self._store)

    def made(
        self, snapshot: Snapshot, request: PackRequest, settings: Settings, budget_ms: float | None = None
    ) -> tuple[Snapshot, Pack]:
        """The pack, and the snapshot it was made from: what it holds is settled where a checker is wanted."""
        self.ready(snapshot)
        whole = attrs.evolve(
            request,
            feedback=feedback_of(self._store, self._workspace),
            history=self._history(request),
            tests=request.tests if settings.pack.tests else False,
        )
        if request.at:  # a checker reads files as they are
            return snapshot, pack(snapshot, whole)
        return self._verifying.verified_pack(snapshot, lambda seen: pack(seen, whole), budget_ms)

    def searched(self, snapshot: Snapshot, query: SearchQuery) -> SearchHits:
        """What a question in words is about."""
        self.ready(snapshot)
        if query.method == "task":
            return search_for_task(snapshot, query, self._history(PackRequest(task=query.text)))
        return search(snapshot, query)

    def _history(self, request: PackRequest) -> tuple[CommitPaths, ...]:
        """Earlier commits; read once for what is checked out."""
        if not request.task.strip():
            return ()
        if request.at:
            return past_changes(self._workspace, CONSIDERED, request.at)
        heads = tuple(git_head(folder.root) for folder in self._workspace.folders)
        known, commits = self._past
        if known != heads:
            commits = past_changes(self._workspace, CONSIDERED)
            self._past = heads, commits
        return commits
