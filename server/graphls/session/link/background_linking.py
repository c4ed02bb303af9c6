"""Background linking: the links of every file of one snapshot.

Owns: which files lack links, batches, what workers are told about the workspace.
Must not know: edits, later snapshots, how names are resolved.
Invariant: gives the links that the snapshot's reader would make on demand.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import attrs

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import BudgetSpentError, RequestBudget, SpentReason, limited
from graphls.graph.snapshot import Shard, Snapshot
from graphls.linking.module_table import ModuleTable
from graphls.session.index.indexing import NO_MEMORY
from graphls.session.link.libraries import encode_libraries
from graphls.session.link.link_entries import LinkEntry, ValidationStamp
from graphls.session.link.link_index import unpacked_index
from graphls.session.process.frames import Message
from graphls.session.process.pool import LARGE, batch_size
from graphls.session.shared_caches import key_of
from graphls.session.snapshot_contents import LostContentsError, SnapshotContents

_Answer: TypeAlias = tuple[str, str, str, tuple[bytes, bytes], bool, tuple[bytes, bytes], str]
BATCH_BYTES = 512_000
FEW_FILES = 30


@attrs.frozen(eq=False)
class UnlinkedFile:
    """A file that has no links yet."""

    shard: Shard
    key: str

    @property
    def size(self) -> int:
        return self.shard.size


def without_links(snapshot: Snapshot, reader: SnapshotContents, stop: Callable[[], bool]) -> Sequence[UnlinkedFile]:
    """Files that need linking, after what is known from before was taken in."""
    return load_links(snapshot, reader, stop)[0]


def load_links(
    snapshot: Snapshot, reader: SnapshotContents, stop: Callable[[], bool], validation: ValidationStamp | None = None
) -> tuple[Sequence[UnlinkedFile], Sequence[LinkEntry]]:
    """The same, and links of some of them that held in the proved state."""
    found: list[UnlinkedFile] = []
    stale: list[LinkEntry] = []
    for shards, known in reader.take_in_known(snapshot, stop, validation):
        stale += known.stale
        found += [UnlinkedFile(shard, key_of(shard)) for shard in shards if shard.path not in known.valid]
    return found, stale


def link_here(
    snapshot: Snapshot,
    missing: Sequence[UnlinkedFile],
    stop: Callable[[], bool],
    is_stale: Callable[[UnlinkedFile], bool],
) -> None:
    """Links a few files in this thread. One that changes meanwhile is left as it is; what others wait for is ended."""
    for item in missing:
        if stop():
            return

        def over(_: float, item: UnlinkedFile = item) -> SpentReason:
            return "time" if is_stale(item) else ""

        with limited(RequestBudget(over)), contextlib.suppress(BudgetSpentError):
            snapshot.links(item.shard.path)


class LinkJob:
    """Linking of files in worker processes."""

    def __init__(
        self, snapshot: Snapshot, reader: SnapshotContents, missing: Sequence[UnlinkedFile], *, stop: Callable[[], bool]
    ) -> None:
        self._snapshot = snapshot
        self._reader = reader
        self._missing = sorted(missing, key=lambda item: item.size < LARGE)[::-1]
        """The next ones last."""
        self._stop = stop
        self._lock = threading.Lock()
        self._first: Message | None = None
        self.done, self.total = 0, len(missing)
        self.failed: dict[FilePath, LinkEntry] = {}
        """Files that cannot be linked in this or any later snapshot, as long as they are what they are."""

    def first(self) -> Message | None:
        """Module tables and surfaces of the whole workspace."""
        with self._lock:
            if self._first is None:
                self._first = snapshot_message(self._snapshot, self._reader)
            return self._first

    def take(self) -> Sequence[UnlinkedFile]:
        """The next files."""
        taken: list[UnlinkedFile] = []
        with self._lock:
            size = batch_size(self._missing, BATCH_BYTES)
            while self._missing and size > 0 and not self._stop():
                taken.append(self._missing.pop())
                size -= taken[-1].size + 200
        return taken

    def put_back(self, items: Sequence[UnlinkedFile]) -> None:
        """They are linked by another worker, or where all that is left is."""
        with self._lock:
            self._missing.extend(reversed(items))

    def message(self, items: Sequence[UnlinkedFile]) -> Message:
        """Facts that the cache lost meanwhile are sent empty, and the file is then linked here."""
        facts = self._reader.caches.facts_cache.encoded_facts([item.key for item in items])
        return ("link", tuple((item.shard.path, item.key, facts.get(item.key, b"")) for item in items))

    def accept(self, item: UnlinkedFile, answer: Message) -> None:
        """Links, or nothing: then they are made here on demand."""
        self.done += 1
        entry = _entry(answer)
        if entry is None:
            return
        self._reader.adopt(entry)
        self._reader.caches.store_entry(entry)
        if self.doubtful(answer):
            self.failed[item.shard.path] = entry

    def doubtful(self, answer: Message) -> bool:
        """Memory that other files took is no fault of this one."""
        return str(answer[-1]).startswith(NO_MEMORY)

    def fail(self, item: UnlinkedFile, reason: str) -> None:
        """The file ended a worker while it was linked: it has no links, by name."""
        self.done += 1
        self.failed[item.shard.path] = self._reader.give_up(self._snapshot, item.shard, reason)


def snapshot_message(snapshot: Snapshot, reader: SnapshotContents) -> Message:
    """What a worker must know to link any file of a snapshot."""
    paths = tuple(snapshot.files())
    keys = {path: key_of(snapshot.shards[path]) for path in paths}
    stored = reader.caches.facts_cache.content_surfaces(sorted(set(keys.values())))
    surfaces = {key: entry.surface for key, entry in stored.items()}
    for path, key in keys.items():
        if key not in surfaces:
            try:
                surfaces[key] = encode(reader.surface(snapshot.shards[path]))
            except LostContentsError:
                continue  # who needs it is linked here
    return (
        "world",
        {path: snapshot.shards[path].language for path in paths},
        {name: table_message(table) for name, table in snapshot.modules.items()},
        surfaces,
        {path: snapshot.shards[path].surface_hash for path in paths},
        keys,
        encode_libraries(reader.caches.libraries),
    )


def table_message(table: ModuleTable) -> Message:
    """All of a table but its libraries, which every worker reads itself."""
    names = {path: attrs.astuple(name, recurse=False) for path, name in table.names.items()}
    parts = table.files, table.namespaces, table.aliases, table.packages, table.links
    columns = None if table.definers is None else dict(table.definers.columns)
    return (names, *(dict(part) for part in parts), columns)


def _entry(answer: Message) -> LinkEntry | None:
    if len(answer) != 7:
        return None
    path, content, digest, packed, complete, index, problem = cast("_Answer", answer)
    return LinkEntry(
        path=FilePath(path),
        content=content,
        digest=digest,
        stamp=digest,
        encoded=packed[0],
        dependencies=packed[1],
        complete=complete,
        index=unpacked_index(*index),
        problem=problem,
    )
