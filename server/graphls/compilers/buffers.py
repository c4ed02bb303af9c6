"""Buffers: the checker sees the files that the snapshot shows.

Owns: which documents are open at a server, telling it of changed files.
Must not know: requests, answers.
Invariant: after `show`, a running server reads every file as the snapshot has it: unsaved text from its open document,
    all else from disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from graphls.compilers.locations import to_uri
from graphls.compilers.wire import Json
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.registry import capabilities_of
from graphls.sources.workspace import Workspace

Notify = Callable[[str, Json], None]

_CREATED, _CHANGED, _DELETED = 1, 2, 3
_OPEN_AT_ONCE = 16


class Buffers:
    """The documents of one server. `holds` says which files it reads as source, `watches` which others it wants to
    know of."""

    def __init__(
        self, workspace: Workspace, holds: Callable[[FilePath], bool], watches: Callable[[FilePath], bool]
    ) -> None:
        self._workspace = workspace
        self._holds = holds
        self._watches = watches
        self._lock = threading.Lock()
        self._notify: Notify | None = None
        self._open: dict[FilePath, ContentHash] = {}
        self._lent: set[FilePath] = set()
        self._question_documents: dict[FilePath, None] = {}
        self._version = 0
        self._snapshot: Snapshot | None = None

    def attach(self, notify: Notify) -> None:
        """A new server: it knows the disk and nothing else."""
        with self._lock:
            self._notify, self._open, self._lent = notify, {}, set()
            if self._snapshot is not None:
                self._show_unsaved(self._snapshot)

    def detach(self) -> None:
        """The server is gone."""
        with self._lock:
            self._notify, self._open, self._lent = None, {}, set()

    def show(self, snapshot: Snapshot) -> None:
        """Brings the server up to a snapshot. An older one than was shown before changes nothing."""
        with self._lock:
            before, self._snapshot = self._snapshot, snapshot
            if before is snapshot or (before is not None and before.shards is snapshot.shards):
                return
            if before is not None and before.revision > snapshot.revision:
                self._snapshot = before
                return
            self._show_unsaved(snapshot)
            if before is not None and self._notify is not None:
                self._notify_changes(before.shards, snapshot.shards)

    def lend(self, snapshot: Snapshot, path: FilePath) -> bool:
        """Opens a document for a while, if it is not open; whether it is open now."""
        with self._lock:
            raw = snapshot.text(path)
            if path in self._open or path in self._lent:
                return True
            if self._notify is None or raw is None:
                return False
            self._version += 1
            item = document_item(self._uri(path), snapshot.shards[path], self._version, raw.decode("utf-8", "replace"))
            self._notify("textDocument/didOpen", {"textDocument": item})
            self._lent.add(path)
            return True

    def lend_for_questions(self, snapshot: Snapshot, path: FilePath) -> bool:
        """Like `lend`; closes by itself the documents whose questions were put longest ago."""
        with self._lock:
            self._question_documents.pop(path, None)
            self._question_documents[path] = None
            old = list(self._question_documents)[:-_OPEN_AT_ONCE]
            for other in old:
                del self._question_documents[other]
        for other in old:
            self.give_back(other)
        return self.lend(snapshot, path)

    def give_back(self, path: FilePath) -> None:
        """Closes a document that was lent."""
        with self._lock:
            if path in self._lent:
                self._lent.discard(path)
                if self._notify is not None:
                    self._notify("textDocument/didClose", {"textDocument": {"uri": self._uri(path)}})

    def touch(self, path: FilePath) -> None:
        """Tells the server that a file may have changed: what it worked out goes, what it read stays. Of a file that
        is open it would not believe it."""
        self.give_back(path)
        with self._lock:
            if self._notify is not None:
                changes: Json = [{"uri": self._uri(path), "type": _CHANGED}]
                self._notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def _show_unsaved(self, snapshot: Snapshot) -> None:
        notify = self._notify
        if notify is None:
            return
        unsaved = {path: shard for path, shard in snapshot.shards.items() if shard.dirty and self._holds(path)}
        for path in [path for path in self._open if path not in unsaved]:
            del self._open[path]
            notify("textDocument/didClose", {"textDocument": {"uri": self._uri(path)}})
        for path, shard in unsaved.items():
            if self._open.get(path) != shard.content:
                self._open_or_change(notify, snapshot, shard)

    def _open_or_change(self, notify: Notify, snapshot: Snapshot, shard: Shard) -> None:
        raw = snapshot.text(shard.path)
        if raw is None:
            return
        self._version += 1
        text, uri = raw.decode("utf-8", "replace"), self._uri(shard.path)
        if shard.path in self._open or shard.path in self._lent:
            self._lent.discard(shard.path)
            document: Json = {"uri": uri, "version": self._version}
            notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        else:
            notify("textDocument/didOpen", {"textDocument": document_item(uri, shard, self._version, text)})
        self._open[shard.path] = shard.content

    def _notify_changes(self, before: Mapping[FilePath, Shard], after: Mapping[FilePath, Shard]) -> None:
        changes: list[Json] = []
        for path, shard in after.items():
            old = before.get(path)
            if old is not shard and self._concerns(path) and (old is None or _differs(old, shard)):
                changes.append({"uri": self._uri(path), "type": _CREATED if old is None else _CHANGED})
        gone = (path for path in before if path not in after and self._concerns(path))
        changes.extend({"uri": self._uri(path), "type": _DELETED} for path in gone)
        if changes and self._notify is not None:
            self._notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def _concerns(self, path: FilePath) -> bool:
        return self._holds(path) or self._watches(path)

    def _uri(self, path: FilePath) -> str:
        return to_uri(self._workspace.absolute(path))


def document_item(uri: str, shard: Shard, version: int, text: str) -> Json:
    """A document as servers get it."""
    known = capabilities_of(shard.language)
    return {
        "uri": uri,
        "languageId": shard.language if known is None else known.file_type(shard.path).editor_id,
        "version": version,
        "text": text,
    }


def _differs(old: Shard, new: Shard) -> bool:
    """Whether the disk may have changed between two states of a file."""
    return old.content != new.content or old.dirty != new.dirty
