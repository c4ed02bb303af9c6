"""Contents: facts, surfaces and names of file contents, by content key.

Owns: which of them are decoded, which encoded in memory, which in the store only; writing behind.
Must not know: paths of the workspace, snapshots, who extracts.
Invariant: a key always gives the same value, or None when the store lost it; a value that cannot be decoded is lost.
"""

from __future__ import annotations

import threading
import zlib
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from hashlib import blake2b
from typing import TypeVar

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.name_numbers import name_number
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, SurfaceHash, surface_hash
from graphls.facts.validity import check_facts, check_surface
from graphls.session.cache.name_index import MOST_NAMES, NameIndex
from graphls.session.cache.sized_cache import SizedCache
from graphls.session.index.extraction import EncodedFile, defined_in, names_of
from graphls.store.blobs import BlobStore

T = TypeVar("T")

_DECODED_BYTES = 96_000_000
_SURFACE_BYTES = 48_000_000
_LIGHT_BYTES = 12_000_000
_PER_STRING = 60
_REPLACED = 64
"""Contents that no file has any more, kept for requests that still look at an older snapshot."""
_FORGOTTEN = 4_000
"""Keys of forgotten contents that are known as such."""


@attrs.frozen(eq=False)
class ContentSurface:
    """What others see of one content."""

    surface_hash: str
    surface: bytes = attrs.field(repr=False)
    names: bytes = attrs.field(repr=False)
    defined: bytes = attrs.field(repr=False)
    stored: bool = attrs.field(default=False, init=False)
    """Read from the store, which anybody may have written."""


class ContentStore:
    """Safe for readers in any thread; one writer."""

    def __init__(self, blobs: BlobStore | None) -> None:
        self._blobs = blobs
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._unwritten: dict[str, bytes] = {}
        self._unwritten_bytes = 0
        self._compressed: dict[str, bytes] = {}
        """Compressed."""
        self._raw: dict[str, bytes] = {}
        """What `squeeze` will compress: whoever types waits for nothing that can be done later."""
        self._unpacked: dict[str, FileFacts] = {}
        """Passing states that nobody has wanted as bytes yet; the names in `_shown` are not theirs so far."""
        self._content_surfaces: dict[str, ContentSurface] = {}
        self._sound: dict[str, bytes] = {}
        """Digests of facts in the store that were made here or checked: whoever reads the same again need not check."""
        self._facts: SizedCache[str, FileFacts] = SizedCache(_DECODED_BYTES)
        self._surfaces: SizedCache[str, Surface] = SizedCache(_SURFACE_BYTES)
        self._names: dict[str, array[int]] = {}
        self._replaced: deque[str] = deque()
        self._outlived: set[str] = set()
        """Forgotten, but for what `flush` still has to write."""
        self._forgotten: dict[str, None] = {}
        """The last of them. Who still asks for one gets it from the store: it must be forgotten once more."""

    def put(self, key: str, extracted: EncodedFile, *, passing: bool = False) -> None:
        """Takes in what extraction gave; `flush` writes it to the store, passing states of a buffer apart."""
        with self._lock:
            self._content_surfaces[key] = ContentSurface(
                extracted.surface_hash, extracted.surface, extracted.names, extracted.defined
            )
            self._names.pop(key, None)
            self._unpacked.pop(key, None)
            if passing:
                self._raw[key] = extracted.facts
                return
            if self._blobs is None:
                self._compressed[key] = zlib.compress(extracted.facts, 1)
                return
            self._unwritten_bytes += len(extracted.facts) - len(self._unwritten.get(key, b""))
            self._unwritten[key] = extracted.facts

    def put_transient(self, key: str, facts: FileFacts, surface: bytes) -> SurfaceHash:
        """Takes in a passing state of a buffer, whose facts are encoded when there is time."""
        digest = surface_hash(surface)
        with self._lock:
            self._content_surfaces[key] = ContentSurface(digest, surface, b"", b"")
            self._names.pop(key, None)
            self._unpacked[key] = facts
        return digest

    def _pack(self, keys: Collection[str]) -> None:
        """Encodes what waits for it."""
        for key in keys:
            facts = self._unpacked.get(key)
            if facts is None:
                continue
            raw, names, defined = encode(facts), names_of(facts), defined_in(facts)
            with self._lock:
                if self._unpacked.pop(key, None) is not None:
                    self._raw[key] = raw
                    self._content_surfaces[key] = attrs.evolve(
                        self._content_surfaces[key], names=names, defined=defined
                    )

    def put_decoded(self, key: str, facts: FileFacts, surface: Surface) -> None:
        """Keeps values at hand that were just made."""
        self._facts.put(key, facts, _size_of(facts.strings, facts.size * 8))
        self._surfaces.put(key, surface, _size_of(surface.strings, 4_000))

    def known(self, keys: Collection[str]) -> Mapping[str, SurfaceHash]:
        """Surface hashes of the keys that need no extraction. These are on disk: what was passing is kept now."""
        self._pack(keys)
        with self._lock:
            found = {key: self._content_surfaces[key] for key in keys if key in self._content_surfaces}
            if self._blobs is not None:
                for key in [key for key in found if key in self._compressed or key in self._raw]:
                    packed, raw = self._compressed.pop(key, b""), self._raw.pop(key, b"")
                    self._unwritten[key] = raw or zlib.decompress(packed)
                    self._unwritten_bytes += len(self._unwritten[key])
        return {key: SurfaceHash(entry.surface_hash) for key, entry in self._all_surfaces(tuple(keys)).items()}

    def facts(self, key: str) -> FileFacts | None:
        """Decoded facts."""
        known = self._facts.get(key)
        if known is None:
            # Of what was made here nobody had a chance to change anything.
            made = any(key in place for place in (self._unwritten, self._raw, self._compressed, self._unpacked))
            raw = self.encoded_facts([key]).get(key)
            digest = b"" if made or raw is None else _digest(raw)
            sound = made or self._sound.get(key) == digest
            known = None if raw is None else _decoded(FileFacts, raw, _trusted if sound else check_facts)
            if raw is not None and known is not None:
                if not sound:
                    self._sound[key] = digest
                self._facts.put(key, known, _size_of(known.strings, len(raw)))
                self._forget_again((key,))
        return known

    def surface(self, key: str) -> Surface | None:
        """Decoded surface."""
        known = self._surfaces.get(key)
        if known is None:
            entry = self.content_surfaces([key]).get(key)
            check = check_surface if entry is not None and entry.stored else _trusted
            known = None if entry is None else _decoded(Surface, entry.surface, check)
            if known is not None:
                self._surfaces.put(key, known, _size_of(known.strings, 3 * len(entry.surface if entry else b"")))
                self._forget_again((key,))
        return known

    def mentions(self, keys: Sequence[str], name: str) -> Sequence[bool]:
        """For each content, whether its facts mention a name."""
        missing = [key for key in keys if key not in self._names]
        if missing:
            self._load_names(missing)
        number, found = name_number(name), list[bool]()
        for key in keys:
            numbers = self._names.get(key)
            # Without names nothing is known: the file is looked at rather than left out.
            at = bisect_left(numbers, number) if numbers is not None else 0
            found.append(numbers is None or (at < len(numbers) and numbers[at] == number))
        return found

    def name_index(self, keys: Mapping[FilePath, str]) -> NameIndex | None:
        """The names of many files at once; None where those of one are not known, or there are too many."""
        self._load_names([key for key in keys.values() if key not in self._names])
        names = {path: numbers for path, key in keys.items() if (numbers := self._names.get(key)) is not None}
        whole = len(names) == len(keys) and sum(map(len, names.values())) <= MOST_NAMES
        return NameIndex(names) if whole else None

    def defined(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """For each content, sorted numbers of the names that it defines for others; those that the store lost lack."""
        # Of a passing state this alone is wanted at each edit: the rest of it is packed when there is time.
        passing = {key: defined_in(facts) for key in keys if (facts := self._unpacked.get(key)) is not None}
        stored = self.content_surfaces([key for key in keys if key not in passing])
        return {**passing, **{key: entry.defined for key, entry in stored.items()}}

    def encoded_facts(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Facts as bytes, for whoever decodes elsewhere."""
        self._pack(keys)
        found: dict[str, bytes] = {}
        with self._lock:
            for key in keys:
                if key in self._unwritten:
                    found[key] = self._unwritten[key]
                elif key in self._raw:
                    found[key] = self._raw[key]
                elif key in self._compressed:
                    found[key] = zlib.decompress(self._compressed[key])
        missing = [key for key in keys if key not in found]
        if missing and self._blobs is not None:
            found.update(self._blobs.get_many("facts", missing))
        return found

    def content_surfaces(self, keys: Sequence[str]) -> Mapping[str, ContentSurface]:
        """Surfaces and names as bytes."""
        self._pack(keys)
        return self._all_surfaces(keys)

    def squeeze(self) -> None:
        """Compresses passing states of buffers."""
        self._pack(tuple(self._unpacked))
        with self._lock:
            waiting = dict(self._raw)
        for key, raw in waiting.items():
            packed = zlib.compress(raw, 1)
            with self._lock:
                if self._raw.pop(key, None) is not None:
                    self._compressed[key] = packed

    def lighten(self) -> None:
        """Lets go of most decoded values; they are decoded again where someone asks."""
        self._facts.shrink(_LIGHT_BYTES)
        self._surfaces.shrink(_LIGHT_BYTES)

    def drop_values(self) -> None:
        """Lets go of all decoded values, and of what the store has as well; it is read again where someone asks."""
        self._facts.shrink(0)
        self._surfaces.shrink(0)
        with self._lock:
            here = (self._unwritten, self._raw, self._compressed, self._unpacked)
            for key in tuple(self._content_surfaces) if self._blobs is not None else ():
                if not any(key in place for place in here):
                    del self._content_surfaces[key]
                    self._sound.pop(key, None)
            self._names.clear()

    @property
    def cached_keys(self) -> Set[str]:
        """Of what something is in memory, for those who count."""
        with self._lock:
            return {
                *self._content_surfaces,
                *self._compressed,
                *self._raw,
                *self._unpacked,
                *self._facts.keys,
                *self._surfaces.keys,
            }

    @property
    def unwritten_bytes(self) -> int:
        """Bytes that wait for `flush`."""
        return self._unwritten_bytes

    def flush(self) -> None:
        """Writes to the store what is not there yet."""
        if self._blobs is None:
            return
        with self._flushing:
            with self._lock:
                batch = dict(self._unwritten)
                surfaces = {key: encode(self._content_surfaces[key]) for key in batch if key in self._content_surfaces}
            if not batch:
                return
            stored = self._blobs.put_many("facts", batch) and self._blobs.put_many("surface", surfaces)
            # A store that takes nothing is like none: what it refused stays in memory.
            sound = {key: _digest(facts) for key, facts in batch.items()} if stored else {}
            packed = {} if stored else {key: zlib.compress(facts, 1) for key, facts in batch.items()}
            with self._lock:
                self._sound.update(sound)
                for key, facts in batch.items():
                    if self._unwritten.pop(key, None) is not None:
                        self._unwritten_bytes -= len(facts)
                        if key in packed and key not in self._outlived:
                            self._compressed[key] = packed[key]
                    if key in self._outlived:
                        self._content_surfaces.pop(key, None)
                        self._sound.pop(key, None)
                self._outlived.clear()

    def mark_replaced(self, key: str) -> None:
        """No file of the newest snapshot has this content; forgotten once enough others followed."""
        with self._lock:
            self._replaced.append(key)
            while len(self._replaced) > _REPLACED:
                old = self._replaced.popleft()
                if old not in self._replaced:
                    self._forget(old)

    def mark_wanted(self, key: str) -> None:
        """A file of the newest snapshot has this content (again)."""
        with self._lock:
            self._outlived.discard(key)
            self._forgotten.pop(key, None)
            while key in self._replaced:
                self._replaced.remove(key)

    def _forget_again(self, keys: Collection[str]) -> None:
        for key in keys:
            if key in self._forgotten:
                self._forgotten.pop(key, None)
                self.mark_replaced(key)

    def _forget(self, key: str) -> None:
        self._forgotten[key] = None
        if len(self._forgotten) > _FORGOTTEN:
            del self._forgotten[next(iter(self._forgotten))]
        self._compressed.pop(key, None)
        self._raw.pop(key, None)
        self._unpacked.pop(key, None)
        self._names.pop(key, None)
        self._sound.pop(key, None)
        self._facts.drop(key)
        self._surfaces.drop(key)
        if key in self._unwritten:
            self._outlived.add(key)
        else:
            self._content_surfaces.pop(key, None)

    def _all_surfaces(self, keys: Sequence[str]) -> Mapping[str, ContentSurface]:
        """What is in memory and in the store. Of what is forgotten again, all is answered first: it may be many."""
        missing = [key for key in keys if key not in self._content_surfaces]
        stored: Mapping[str, bytes] = {}
        if missing and self._blobs is not None:
            stored = self._blobs.get_many("surface", missing)
        loaded = {key: _decoded(ContentSurface, raw, _mark_stored) for key, raw in stored.items()}
        with self._lock:
            for key, entry in loaded.items():
                if entry is not None:
                    self._content_surfaces.setdefault(key, entry)
            found = {key: self._content_surfaces[key] for key in keys if key in self._content_surfaces}
        self._forget_again(loaded)
        return found

    def _load_names(self, keys: Sequence[str]) -> None:
        passing = {key: names_of(facts) for key in keys if (facts := self._unpacked.get(key)) is not None}
        stored = self.content_surfaces([key for key in keys if key not in passing])
        for key, names in (*passing.items(), *((key, entry.names) for key, entry in stored.items())):
            numbers = array("Q")
            if len(names) % numbers.itemsize == 0:
                numbers.frombytes(names)
                self._names[key] = numbers


def _decoded(cls: type[T], raw: bytes, check: Callable[[T], None]) -> T | None:
    try:
        value = decode(cls, raw)
        check(value)
    except CodecError:
        return None
    return value


def _digest(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()


def _trusted(_: object) -> None:
    return


def _mark_stored(value: ContentSurface) -> None:
    if surface_hash(value.surface) != value.surface_hash:
        raise CodecError("a surface with the digest of another one")
    object.__setattr__(value, "stored", True)


def _size_of(strings: tuple[str, ...], columns: int) -> int:
    return columns + _PER_STRING * len(strings)
