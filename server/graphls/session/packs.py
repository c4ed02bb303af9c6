"""Packs: context packs and searches of one workspace, made in one way for every face.

Owns: what goes into each pack besides its request: stored words of files, earlier commits, feedback, the setting about
    tests, checking.
Must not know: how code is ranked, faces.
Invariant: the same contents, commits, feedback and request give the same pack, whichever face asks.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TypeAlias

import attrs

from graphls.context.feedback import feedback_of
from graphls.context.pack import Pack, PackRequest, pack
from graphls.context.past_changes import CONSIDERED
from graphls.context.search import SearchHits, SearchQuery, search
from graphls.context.task_search import search_for_task
from graphls.context.term_cache import ready_document_terms, ready_terms
from graphls.graph.memo import Memo
from graphls.graph.request_budget import PartOfBudget
from graphls.graph.snapshot import Snapshot
from graphls.session.history import PastChanges, past_changes, uncommitted_changes
from graphls.session.process.pending_work import PendingWork
from graphls.session.verifying import CheckerService
from graphls.settings import Settings
from graphls.sources.git_patches import RecentPatch
from graphls.sources.git_state import GitHead, git_head
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_Heads: TypeAlias = tuple[GitHead | None, ...]
_PART_OF_PAST = 0.3
"""Of the budget of a request, for git."""
_UNCOMMITTED = Memo[tuple[_Heads, tuple[RecentPatch, ...]]]("uncommitted changes")


class Packs:
    """Safe to use from any thread."""

    def __init__(self, workspace: Workspace, store: BlobStore | None, verifying: CheckerService) -> None:
        self._workspace = workspace
        self._store = store
        self._verifying = verifying
        self._words = threading.Lock()
        self._past: tuple[_Heads, PastChanges] = ((), PastChanges())
        """What is checked out in each folder, and the commits up to it."""
        self._reading = PendingWork[PastChanges]()
        self._reading_patches = PendingWork[tuple[RecentPatch, ...]]()

    def ready(self, snapshot: Snapshot) -> None:
        """Words come from the store where it has them: a first pack is quick then."""
        with self._words:
            ready_terms(snapshot, self._store)

    def made(
        self, snapshot: Snapshot, request: PackRequest, settings: Settings, budget_ms: float | None = None
    ) -> tuple[Snapshot, Pack]:
        """The pack, and the snapshot it was made from: what it holds is settled where a checker is wanted."""
        self.ready(snapshot)
        past = self._past_changes(snapshot, request)
        whole = attrs.evolve(
            request,
            feedback=feedback_of(self._store, self._workspace),
            history=past.commits,
            patches=past.patches,
            tests=request.tests if settings.pack.tests else False,
        )
        if request.at:  # a checker reads files as they are
            return snapshot, pack(snapshot, whole)
        return self._verifying.verified_pack(snapshot, lambda seen: pack(seen, whole), budget_ms)

    def searched(self, snapshot: Snapshot, query: SearchQuery) -> SearchHits:
        """What a question in words is about."""
        self.ready(snapshot)
        if query.only.sections and query.method in ("words", "both"):
            with self._words:
                ready_document_terms(snapshot, self._store)
        if query.method == "task":
            past = self._past_changes(snapshot, PackRequest(task=query.text))
            return search_for_task(snapshot, query, past.commits, past.patches)
        return search(snapshot, query)

    def _past_changes(self, snapshot: Snapshot, request: PackRequest) -> PastChanges:
        """Earlier commits, read once for what is checked out, and what was changed since, once a snapshot; nothing
        where git is not through in time, which the answer says."""
        past = PastChanges()
        if request.task.strip():
            with PartOfBudget(_PART_OF_PAST):
                past = self._read_past(snapshot, request.at)
        return past

    def _read_past(self, snapshot: Snapshot, at: str) -> PastChanges:
        reading, heads = self._reading, tuple(git_head(folder.root) for folder in self._workspace.folders)
        if at:
            return reading.result((heads, at), partial(past_changes, self._workspace, CONSIDERED, at))
        known, past = self._past
        if known != heads:
            past = reading.result((heads, at), partial(past_changes, self._workspace, CONSIDERED))
            self._past = heads, past
        if not any(heads):
            return past
        since = _UNCOMMITTED.get(snapshot)
        if since is None or since[0] != heads:
            patches = self._reading_patches.result(
                (heads, snapshot.revision), partial(uncommitted_changes, self._workspace)
            )
            since = _UNCOMMITTED.put(snapshot, (heads, patches))
        return attrs.evolve(past, patches=(*since[1], *past.patches))
