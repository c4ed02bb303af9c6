"""Shared caches: what all snapshots of one session share.

Owns: decoded facts, links and texts within bounds, newest link entries, what waits to be stored, counts of work.
Must not know: which snapshot asks.
Invariant: what is dropped is read or made again; nothing is stored that rests on unsaved text.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import attrs

from graphls.facts.links import Links
from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.registry import providers
from graphls.session.cache.contents import ContentStore
from graphls.session.cache.sized_cache import SizedCache
from graphls.session.index.extraction import content_key
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.link.link_entries import LinkEntry, ValidationStamp, pack_entry
from graphls.session.link.own_linking import OwnLinking
from graphls.session.link.reverse_index import ReverseIndex
from graphls.store.blobs import BlobStore

_DECODED_LINKS = 48_000_000
_DECODED_BEFORE = 3_000_000
_LIGHT = 8_000_000
_TEXTS = 6_000_000
STRIPES = 32
_KEY = Memo[str]("content key")


@attrs.define(eq=False)
class WorkCounters:
    """What was done, for those who count."""

    extracted: deque[FilePath] = attrs.field(factory=lambda: deque(maxlen=20_000))
    """The last of them, in order; so with `linked`."""
    linked: deque[FilePath] = attrs.field(factory=lambda: deque(maxlen=20_000))
    extracted_files: set[FilePath] = attrs.field(factory=set[FilePath])
    """All of them, each once; so with `linked_files`."""
    linked_files: set[FilePath] = attrs.field(factory=set[FilePath])

    def note_extracted(self, path: FilePath) -> None:
        """A file was read."""
        self.extracted.append(path)
        self.extracted_files.add(path)

    def note_linked(self, path: FilePath) -> None:
        """A file was linked."""
        self.linked.append(path)
        self.linked_files.add(path)


class SharedCaches:
    """What all snapshots of one session share."""

    def __init__(
        self,
        store: BlobStore | None,
        on_disk: Callable[[FilePath], bytes | None],
        own_linking: OwnLinking | None = None,
    ) -> None:
        self.store = store
        self.own_linking = own_linking or OwnLinking()
        self.facts_cache = ContentStore(store)
        self.libraries: InstalledLibraries | None = None
        self.work = WorkCounters()
        self.texts: SizedCache[ContentHash, bytes] = SizedCache(_TEXTS)
        self._decoded: SizedCache[str, Links] = SizedCache(_DECODED_LINKS)
        """Those of the newest entries; `_decoded_before`: of others, which nobody asks for much longer."""
        self._decoded_before: SizedCache[str, Links] = SizedCache(_DECODED_BEFORE)
        self.reverse = ReverseIndex()
        self.latest: dict[FilePath, LinkEntry] = {}
        """The entry made last for each file, whichever snapshot it was made for."""
        self.stripes = tuple(threading.Lock() for _ in range(STRIPES))
        self.on_disk = on_disk
        self.load_validation: Callable[[Snapshot], ValidationStamp | None] = lambda _: None
        """What an earlier run said of all links of the state that a snapshot shows."""
        self._unwritten: dict[str, bytes] = {}
        self._unwritten_bytes = 0

    def store_entry(self, entry: LinkEntry) -> None:
        """Lets an entry live on after this run; written by `flush`."""
        if self.store is not None and entry.complete:
            name, raw = stored_name(entry.path, entry.content), pack_entry(entry)
            self._unwritten_bytes += len(raw) - len(self._unwritten.get(name, b""))
            self._unwritten[name] = raw

    @property
    def unwritten_bytes(self) -> int:
        """Bytes that wait for `flush`."""
        return self.facts_cache.unwritten_bytes + self._unwritten_bytes

    def decoded(self, entry: LinkEntry) -> Links | None:
        """Links of an entry that are at hand."""
        return self._decoded.get(entry.name) or self._decoded_before.get(entry.name)

    def put_decoded(self, entry: LinkEntry, links: Links) -> None:
        """Keeps links at hand that were just made."""
        newest = self.latest.get(entry.path)
        lasts = newest is not None and newest.name == entry.name
        (self._decoded if lasts else self._decoded_before).put(entry.name, links, _links_size(links))

    def supersede(self, entry: LinkEntry) -> None:
        """From now on this is the newest entry of its file; decoded links of the one before make room."""
        before = self.latest.get(entry.path)
        if before is not None and before.name != entry.name:
            self._decoded.drop(before.name)
        self.latest[entry.path] = entry

    def forget_links(self, path: FilePath) -> None:
        """What was linked for the file's present contents is worthless."""
        entry = self.latest.pop(path, None)
        if entry is not None:
            self._decoded.drop(entry.name)
            self._decoded_before.drop(entry.name)
            self._unwritten_bytes -= len(self._unwritten.pop(stored_name(path, entry.content), b""))

    def lighten(self) -> None:
        """Lets go of most decoded values."""
        self.facts_cache.lighten()
        self._decoded.shrink(_LIGHT)

    def drop_values(self) -> None:
        """Lets go of all that is decoded, and of what the store has as well."""
        self.flush()
        self.facts_cache.drop_values()
        for cache in (self._decoded, self._decoded_before, self.texts):
            cache.shrink(0)

    def flush(self) -> None:
        """Writes to the store what is not there yet."""
        self.facts_cache.flush()
        batch = dict(self._unwritten)
        if self.store is not None and batch:
            self.store.put_many("links", batch)
            for name, raw in batch.items():
                if self._unwritten.get(name) is raw:
                    self._unwritten_bytes -= len(self._unwritten.pop(name, b""))


def key_of(shard: Shard) -> str:
    """Content key of a shard that has a language."""
    return _KEY.once(shard, lambda: content_key(providers()[shard.language], shard.path, shard.content))


def stored_name(path: FilePath, key: str) -> str:
    """The key of links in the store."""
    return f"{key}:{path}"


def _links_size(links: Links) -> int:
    strings = len(links.files) + len(links.externals) + len(links.reads) + len(links.lookups)
    return 32 * len(links.targets) + 8 * len(links.unresolved) + 80 * strings
