"""Server session: what one connection works with.

Owns: the session of the open folders, open documents by URI, settings, known findings.
Must not know: requests, the wire, what a snapshot holds.
Invariant: the session always shows the documents that are open; a replaced session is closed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from graphls.analysis.findings import KnownFindings
from graphls.compilers.background import CheckerProgress as CheckProgress
from graphls.facts.lines import Encoding
from graphls.graph.request_budget import RequestBudget
from graphls.graph.snapshot import Snapshot, without_disk_check
from graphls.lsp.annotations import AnnotationsCache
from graphls.lsp.findings import FindingsCache
from graphls.lsp.notebooks import OpenNotebooks
from graphls.lsp.uris import Uris, folder_of, one_spelling
from graphls.session.disk_observer import FreshnessMode
from graphls.session.documents.document import Document, OutOfSync, TextChange, apply, open_document
from graphls.session.documents.notebook import NotebookFile, OpenNotebook
from graphls.session.index.empty_workspace import why_empty
from graphls.session.known_findings import known_findings
from graphls.session.revisions import CommitSnapshots
from graphls.session.session import IndexProgress, Session, SessionOptions
from graphls.settings import Settings, in_first, merge, needs_restart, of_folders, overlaid, without_own
from graphls.sources.settings_files import read_settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from graphls.store.remote_tier import tiered_store

_RECOVERY_SECONDS = 120.0
_READING_SECONDS = 20.0
"""How long a list of uses is waited for right after the start."""
_POLL_SECONDS = 0.1
_COUNTED_FOR = 5.0
"""Seconds for which the number of rows in the cache is taken to be the same."""

_log = logging.getLogger(__name__)


class ServerSession:
    """Documents are changed on the loop only; snapshots may be taken in any thread."""

    def __init__(
        self,
        folders: Sequence[str],
        client: Mapping[str, object],
        busy: Callable[[], bool] = lambda: False,
        *,
        programs: bool = True,
        trusted: bool = False,
    ) -> None:
        """`folders`: URIs. `client`: the settings that the client sent, which may name programs if `programs` says so.
        `trusted`: the user trusts the folders. `busy`: whether requests wait for answers."""
        self._busy = busy
        self._programs = programs
        self._trusted = trusted
        self._client = self._initial = client
        self._client_folders: Mapping[str, Mapping[str, object]] = {}
        """By URI: what the client says of single folders."""
        self.run_on_loop: Callable[[Callable[[], None]], None] = lambda step: step()
        """Runs a step where documents are changed, and waits for it."""
        self.give_way: Callable[[], Callable[[], None]] = lambda: lambda: None
        """Makes what long work calls between its steps, so that short requests go first."""
        self._recovering = threading.Lock()
        self._recovered = self._rereading = False
        self.pull_settings: Callable[[], None] = lambda: None
        """Asks the client for its settings, where it can be asked."""
        self._watchers: list[Callable[[], None]] = []
        self._progress: list[Callable[[IndexProgress], None]] = []
        self._checking: list[Callable[[CheckProgress], None]] = []
        self._closing: list[Callable[[], None]] = []
        self.documents: dict[str, Document] = {}
        """By `one_spelling` of their URIs; the key of a document is its URI as the client opened it."""
        self.notebooks = OpenNotebooks()
        self._commits = CommitSnapshots()
        self.findings = FindingsCache()
        self.annotations = AnnotationsCache()
        self.folders = tuple(folders)
        self.problems: tuple[str, ...] = ()
        self._counted: tuple[float, dict[str, Any]] = (0.0, {})
        """When the cache was counted last, and what it held."""
        self._open_folders()

    # Life

    def _open_folders(self) -> None:
        roots = {folder: uri for uri in self.folders if (folder := folder_of(uri)) is not None}
        workspace = Workspace.of(roots)
        spelled = {Workspace.of([root]).folders[0].root: uri for root, uri in roots.items()}
        self.uris = Uris(workspace, spelled, self.notebooks.owner)
        self._counted = (0.0, {})
        self.settings = self._opened_with = self._merged(workspace)
        cache = self.settings.cache
        tiers = (StoreOptions(cache.directory), cache.remote, cache.remote_name)
        store = tiered_store(*tiers) if cache.enabled and workspace.folders else None
        options = SessionOptions(
            libraries=True,
            checker=True,
            look=True,
            settings=lambda: self._settings_now(workspace),
            busy=self._busy,
            give_way=lambda: self.give_way(),
            on_progress=self._forward_progress,
            on_checked=self._checked,
            on_snapshot=lambda _: self.disturbed(),
            on_failure=self._recover_soon,
        )
        self.session = Session(workspace, self.settings, store, options)
        for document in self.documents.values():
            self._show(document)
        self.notebooks.forget_texts()
        for notebook in self.notebooks:
            self._show_cells(notebook, reread=True)
        self.session.start()

    def known_findings(self) -> KnownFindings:
        """The baseline, review marks and the logs of other tools as they are on disk."""
        return known_findings(self.session.workspace, self.settings, self.session.store)

    def _merged(self, workspace: Workspace) -> Settings:
        table: Mapping[str, object] = {}
        problems: list[str] = []
        for folder in workspace.folders[:1]:
            found = read_settings(folder.root)
            table, problems = found.table, list(found.problems)
        client = self._client
        if len(workspace.folders) > 1:
            first = workspace.folders[0].name
            own = {folder.name: read_settings(folder.root).table for folder in workspace.folders}
            table, left = of_folders(without_own(table), own)
            for name, keys in left.items():
                problems.append(f"{name}: {', '.join(keys)}: not read: one server has what {first} says of that")
            names = self.uris.opened()
            scoped = {names[uri]: own for uri, own in self._client_folders.items() if uri in names}
            if scoped:
                shown = {name: overlaid(said, scoped.get(name, {}), client) for name, said in own.items()}
                client, _ = of_folders(client, shown)
        settings, merge_problems = merge(table, client, trusted=self._trusted, programs=self._programs)
        settings = in_first(settings, [folder.name for folder in workspace.folders])
        problems += [f"{problem.key} {problem.message}" for problem in merge_problems]
        for problem in problems:
            if problem not in self.problems:
                _log.warning("settings: %s", problem)
        self.problems = tuple(problems)
        return settings

    def _settings_now(self, workspace: Workspace) -> Settings:
        """As the files of the workspace say them now; called in the session's thread at each walk."""
        settings = self._merged(workspace)
        restart = needs_restart(self._opened_with, settings)
        if restart:
            self.problems = (*self.problems, f"{', '.join(restart)}: changed; restart the server for it to take effect")
        if self.session.workspace is workspace:
            self.settings = settings
        return settings

    def configure(self, client: Mapping[str, object]) -> None:
        """The client's settings changed."""
        self._client = client
        settings = self._merged(self.session.workspace)
        if settings != self.settings:
            self.settings = settings
            self.session.configure(settings)
            self.disturbed()

    def pulled(self, client: Mapping[str, object], folders: Mapping[str, Mapping[str, object]]) -> None:
        """The client's answer when it was asked for settings, for all and, by URI, for single folders: they stand
        before those that it started with."""
        if client or folders:
            self._client_folders = folders
            self.configure({**self._initial, **client})

    def change_folders(self, added: Sequence[str], removed: Sequence[str]) -> None:
        """Other folders are open: another session takes over the open documents."""
        remaining = [uri for uri in self.folders if uri not in removed]
        folders = tuple(dict.fromkeys((*remaining, *added)))
        if folders == self.folders:
            return
        old, self.folders = self.session, folders
        self._open_folders()
        threading.Thread(target=old.close, name="graphls-close", daemon=True).start()
        self.disturbed()

    def recovery(self) -> Callable[[], bool]:
        """For a request that begins now: what is kept between runs may be why it fails. Opens everything anew without
        that, once in the life of a server, and answers whether the session is another one now."""
        return partial(self._recover, self.session)

    def _recover(self, failed: Session) -> bool:
        with self._recovering:  # who comes second waits for the first
            if self.session is failed and not self._recovered and failed.store is not None:
                self._recovered = True
                failed.close()
                failed.store.clear()
                _log.warning(
                    "something failed inside the server; the cache may be to blame: it is cleared and made again"
                )
                self._rereading = True
                self.run_on_loop(self._open_folders)
                self.session.wait("ready", _RECOVERY_SECONDS)
                self._rereading = False
                self.disturbed()
            return self.session is not failed

    def _wait_for_recovery(self) -> None:
        """A session that has read nothing yet would say that there is nothing."""
        if self._rereading:
            self.session.wait("ready", _RECOVERY_SECONDS)

    def _recover_soon(self) -> None:
        """Called in the session's own thread, which has to end for that."""
        threading.Thread(target=self._recover, args=(self.session,), name="graphls-recovery", daemon=True).start()

    def close(self) -> None:
        """Stop everything."""
        for closing in self._closing:
            closing()
        self._watchers.clear()
        self._progress.clear()
        self._checking.clear()
        self.session.close()

    # What readers ask

    def snapshot(self, about: str | None = None) -> Snapshot:
        """The newest state, with every change of an open document and every answer of a checker. Who asks `about` one
        document alone does not wait for edits of others that are slow to read."""
        self._wait_for_recovery()
        path = self.uris.path(about) if about is not None else None
        return self.session.checker_service.verified(self.session.snapshot(path))

    def snapshot_at_once(self) -> Snapshot:
        """The newest state that is there: edits of documents that are slow to read are pending."""
        self._wait_for_recovery()
        return self.session.checker_service.verified(self.session.snapshot_at_once())

    def snapshot_soon(self, since: float) -> Snapshot:
        """The newest state with the edits that are read in the time that an answer waits; the others are pending."""
        self._wait_for_recovery()
        return self.session.checker_service.verified(self.session.snapshot_soon(since))

    def is_slow(self, about: str | None = None) -> bool:
        """Whether such a snapshot waits for an open file to be read."""
        return self.session.is_slow(self.uris.path(about) if about is not None else None)

    def is_unread(self) -> bool:
        """Whether files of the workspace are still to be read."""
        return not self.session.wait("ready", 0.0)

    def wait_until_read(self, check: Callable[[], None]) -> None:
        """Waits for these, seconds at most; `check` raises where nobody wants the answer any more."""
        end = time.monotonic() + _READING_SECONDS
        while time.monotonic() < end and not self.session.wait("ready", _POLL_SECONDS):
            check()

    def looked(
        self, freshness: FreshnessMode, *, patient: bool, about: str | None = None, whole: bool = False
    ) -> Snapshot:
        """The same after a look at the disk; who is `patient` waits a little for what changed there. Edits that are
        slow to read are pending after a while, unless they are of the document that is asked `about`, or the answer
        has to be `whole`."""
        self._wait_for_recovery()
        path = self.uris.path(about) if about is not None else None
        looked, newest = self.session.looked(freshness, None if patient else 0.0, path, whole=whole)
        snapshot = self.session.checker_service.verified(newest)
        return snapshot if looked else without_disk_check(snapshot)

    def at_commit(self, reference: str) -> Snapshot:
        """The folders as a commit has them. Raises NoHistory, BadRequest."""
        self._wait_for_recovery()
        _, live = self.session.looked("prefer-fresh", None)
        return self._commits.at(self.session.workspace, live, self.settings, reference)

    def budget(self) -> RequestBudget:
        """How much work a request that begins now may do."""
        return self.session.server_limits.request_budget()

    def condition(self, snapshot: Snapshot) -> dict[str, Any]:
        """What the session itself can say about its state, and about checkers in this one."""
        progress, store, limits = self.session.progress, self.session.store, self.session.server_limits
        checked = self.session.checker_service.last
        return {
            "stage": progress.stage,
            "done": progress.done,
            "total": progress.total,
            "cache": self._cache_stats(store) if store is not None else None,
            "checkers": [
                {**attrs.asdict(status), "state": status.state.value}
                for status in self.session.checker_service.status(snapshot)
            ],
            "verification": attrs.asdict(checked) if checked is not None else None,
            "memory": limits.condition(),
            "workers": len(self.session.worker_processes()),
            "problems": [
                *self.problems,
                *(f"{name}: {text}" for name, text in sorted(limits.problems(self.session.problems).items())),
                *filter(None, [self._why_empty(progress, snapshot)]),
            ],
        }

    def _cache_stats(self, store: BlobStore) -> dict[str, Any]:
        """What the cache holds. Counting its rows takes a tenth of a second where there are 100,000 of them."""
        counted, known = self._counted
        if not known or time.monotonic() - counted > _COUNTED_FOR:
            known = {name: value for name, value in attrs.asdict(store.stats()).items() if name != "folder"}
            self._counted = time.monotonic(), known
        return known

    def _why_empty(self, progress: IndexProgress, snapshot: Snapshot) -> str:
        """Why nothing is found, once all was looked at; "" where there is something."""
        if progress.stage in ("scanning", "indexing") or not self.session.workspace.folders:
            return ""
        return why_empty(snapshot, self.session.workspace, self.settings)

    # Documents

    def open(self, uri: str, version: int, text: str, language: str) -> None:
        """The client shows a document."""
        document = open_document(uri, version, text, language)
        self.documents[one_spelling(uri)] = document
        self._show(document)
        self.disturbed()

    def change(self, uri: str, version: int, changes: Sequence[TextChange], encoding: Encoding) -> None:
        """The client changed a document."""
        spelled = one_spelling(uri)
        outcome = apply(self.documents.get(spelled), version, changes, encoding)
        if isinstance(outcome, OutOfSync):
            _log.warning("a change of a document was dropped: %s", outcome.advice)
            if outcome.document is not None:
                self.documents[spelled] = outcome.document
            return
        self.documents[spelled] = outcome.document
        path = self.uris.path(uri)
        if path is not None and not self.notebooks.is_shown(path):
            self.session.foreground.note()
            self.session.change(path, outcome.document.data, outcome.edits)
        self.disturbed()

    def lose(self, uri: str) -> None:
        """A change of a document could not be read: its text is unknown until the client sends all of it."""
        document = self.documents.get(one_spelling(uri))
        if document is not None:
            self.documents[one_spelling(uri)] = attrs.evolve(document, synced=False)
            _log.warning("a change of a document could not be read; send the full text or reopen it")

    def forget(self, uri: str) -> None:
        """The client closed a document."""
        self.documents.pop(one_spelling(uri), None)
        path = self.uris.path(uri)
        if path is not None and not self.notebooks.is_shown(path):
            self.session.close_document(path)
        self.disturbed()

    def files_changed(self, uris: Sequence[str]) -> None:
        """Files changed on disk."""
        paths = [path for uri in uris for path in self.uris.entries(uri)]
        if paths:
            self.session.files_changed(paths)
            for notebook in self.notebooks:
                if self.uris.path(notebook.key) in paths:
                    self._show_cells(notebook, reread=True)
            self.disturbed()

    def _show(self, document: Document) -> None:
        path = self.uris.path(document.key)
        if path is not None and not self.notebooks.is_shown(path):
            self.session.open(path, document.data)

    def text_documents(self) -> Sequence[Document]:
        """Open documents, cells among them, without files that are shown as cells."""
        cells = self.notebooks.cells()
        known = {cell.key for cell in cells}
        files = (one for one in dict(self.documents).values() if one.key not in known)
        return [*cells, *(one for one in files if not self._is_notebook(one.key))]

    def _is_notebook(self, uri: str) -> bool:
        path = self.uris.path(uri)
        return path is not None and self.notebooks.is_shown(path)

    # Notebooks

    def open_notebook(self, notebook: OpenNotebook) -> None:
        """The client shows a file as cells."""
        self.notebooks.add(notebook)
        self._show_cells(notebook, reread=True)
        self.disturbed()

    def show_notebook(self, notebook: OpenNotebook) -> None:
        """Cells of a notebook changed."""
        self.session.foreground.note()
        self._show_cells(notebook)
        self.disturbed()

    def close_notebook(self, uri: str) -> None:
        """The client shows a file as cells no more."""
        path = self.uris.path(uri)
        if self.notebooks.remove(uri) is None or path is None:
            return
        self.notebooks.forget(path)
        document = self.documents.get(one_spelling(uri))
        if document is not None:
            self._show(document)
        else:
            self.session.close_document(path)
        self.disturbed()

    def _show_cells(self, notebook: OpenNotebook, *, reread: bool = False) -> None:
        path = self.uris.path(notebook.key)
        if path is None:
            return
        if reread:
            data = self.session.text_on_disk(path)
            notebook.file = NotebookFile.of(data) if data is not None else None
        text = notebook.text()
        self.notebooks.note(path, text)
        self.session.change(path, text.data)

    # Who wants to know

    def on_change(self, watcher: Callable[[], None]) -> None:
        """Call something whenever a newer snapshot may be had; from any thread."""
        self._watchers.append(watcher)

    def on_progress(self, watcher: Callable[[IndexProgress], None]) -> None:
        """Call something when the background work moves on; from any thread."""
        self._progress.append(watcher)

    def on_checked(self, watcher: Callable[[CheckProgress], None]) -> None:
        """Call something when the checker's background work moves on; from any thread."""
        self._checking.append(watcher)

    def on_close(self, closing: Callable[[], None]) -> None:
        """Call something when everything stops, before the session does."""
        self._closing.append(closing)

    def disturbed(self) -> None:
        """A newer snapshot may be had."""
        for watcher in tuple(self._watchers):
            watcher()

    def _checked(self, progress: CheckProgress) -> None:
        for watcher in tuple(self._checking):
            watcher(progress)

    def _forward_progress(self, progress: IndexProgress) -> None:
        if progress.stage == "complete" and (reason := self._why_empty(progress, self.session.snapshot_at_once())):
            _log.warning("%s", reason)
        for watcher in tuple(self._progress):
            watcher(progress)
