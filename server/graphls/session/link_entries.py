"""Link entries: links with what they rest on, and whether that still holds.

Owns: the digest of dependencies, the test of validity, the encoded form of an entry.
Must not know: when links are made, who asks for them.
Invariant: an entry that holds for a snapshot is what linking the file anew in that snapshot would give.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Mapping, Sequence, Set
from hashlib import blake2b
from typing import TypeVar

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import LINKS_VERSION, Links
from graphls.facts.paths import FilePath
from graphls.languages.provider import LIBRARY
from graphls.resolve.modules import ModuleTable
from graphls.resolve.world import ALIAS, NEXT, lookups_hold
from graphls.session.link_index import LinkIndex, index_of, packed_index, unpacked_index

K = TypeVar("K")
V = TypeVar("V")
ENTRY_VERSION = 1000 * LINKS_VERSION + 7
"""Raised whenever the stored form of an entry changes."""
_NO_MODULES = ModuleTable({}, {}, {})

SurfaceHashes = Callable[[FilePath], str]
"""Surface hash of a file of the snapshot, "" for a file that is not in it."""


@attrs.frozen(eq=False)
class Asked:
    """What a file asked while it was linked."""

    reads: tuple[str, ...]
    lookups: frozenset[str]
    """Module names."""


@attrs.frozen(eq=False)
class Proved:
    """Links that were right in another state of the same files, which are named as they were then."""

    digests: Mapping[FilePath, str]
    changed: Mapping[FilePath, str]
    """Files whose surface was another one, with its hash."""


@attrs.frozen(eq=False)
class LinkEntry:
    """Links of one file with one content, in one state of the files that they read."""

    path: FilePath
    content: str
    """Content key of the file itself."""
    digest: str
    """Of the latest state in which the links hold."""
    stamp: str
    """The digest of the state in which they were made."""
    encoded: bytes = attrs.field(repr=False)
    """Compressed."""
    grounds: bytes = attrs.field(repr=False)
    """What the links rest on, as they say it; compressed. Much less than the links, and all that `holds` needs."""
    complete: bool
    """Every file that was read had facts; only then may others rely on the entry in another run."""
    index: LinkIndex = attrs.field(repr=False)
    """What the links lead to."""
    problem: str = ""
    """Why the resolver failed, if it did."""
    _asked: list[Asked] = attrs.field(factory=list["Asked"], init=False, repr=False)

    @property
    def name(self) -> str:
        """Equal names, equal links."""
        return f"{self.path}\0{self.content}\0{self.stamp}"

    @property
    def asked(self) -> Asked:
        """What the links rest on, unpacked once. Raises CodecError."""
        if not self._asked:
            grounds = _grounds(self.grounds)
            self._asked.append(Asked(tuple(map(sys.intern, grounds.reads)), _asked_names(grounds)))
        return self._asked[0]

    def links(self) -> Links:
        """The links, decoded anew. Raises CodecError."""
        try:
            return decode(Links, zlib.decompress(self.encoded))
        except zlib.error as error:
            raise CodecError("not packed links") from error


@attrs.frozen(eq=False)
class Recalled:
    """Links from before of several files."""

    holding: Mapping[FilePath, LinkEntry]
    stale: Sequence[LinkEntry]
    """Those that held in the state that was proved, and read what shows something else now."""


@attrs.frozen(eq=False)
class _Grounds:
    """Files that were read and questions about modules with their answers, as in links."""

    reads: tuple[str, ...]
    lookups: tuple[str, ...]


@attrs.frozen(eq=False)
class _Stored:
    version: int
    content: str
    digest: str
    links: bytes
    grounds: bytes
    ends: bytes
    open: bytes
    problem: str
    stamp: str


@attrs.frozen(eq=False)
class Own:
    """The file that is linked."""

    path: FilePath
    content: str
    """Content key."""
    facts: FileFacts


def make_entry(own: Own, links: Links, *, modules: ModuleTable, hashes: SurfaceHashes, problem: str = "") -> LinkEntry:
    """The entry for links that were just made in the state that `modules` and `hashes` describe."""
    grounds = _Grounds(links.reads, links.lookups)
    digest = _digest(grounds, own.path, modules, hashes)
    return LinkEntry(
        path=own.path,
        content=own.content,
        digest=digest,
        stamp=digest,
        encoded=zlib.compress(encode(links), 1),
        grounds=zlib.compress(encode(grounds), 1),
        complete=not problem and all(hashes(FilePath(read)) for read in links.reads),
        index=index_of(links, own.facts),
        problem=problem,
    )


def _asked_names(grounds: _Grounds) -> frozenset[str]:
    """Dotted names whose meaning was asked for."""
    return frozenset(sys.intern(lookup.partition("\t")[0].rstrip("/").partition(NEXT)[0]) for lookup in grounds.lookups)


def _digest(grounds: _Grounds, path: FilePath, modules: ModuleTable, hashes: SurfaceHashes) -> str:
    """Digest of all that links rest on: the names and surfaces of what was read, and the answers to the lookups."""
    digest = blake2b(f"{LINKS_VERSION}\n{_named(modules, path)}\n".encode(errors="surrogatepass"), digest_size=16)
    for read in grounds.reads:
        file = FilePath(read)
        digest.update(f"{read}\n{hashes(file)}\n{_named(modules, file)}\n".encode(errors="surrogatepass"))
    for lookup in grounds.lookups:
        digest.update(f"{lookup}\n".encode(errors="surrogatepass"))
    return digest.hexdigest()


def holds(entry: LinkEntry, modules: ModuleTable, hashes: SurfaceHashes) -> bool:
    """Whether the entry is right in this state."""
    try:
        grounds = _grounds(entry.grounds)
    except CodecError:
        return False
    return _holds(grounds, entry.digest, entry.path, modules, hashes)


def _holds(grounds: _Grounds, digest: str, path: FilePath, modules: ModuleTable, hashes: SurfaceHashes) -> bool:
    return _digest(grounds, path, modules, hashes) == digest and lookups_hold(grounds.lookups, modules, path)


def _grounds(raw: bytes) -> _Grounds:
    try:
        return decode(_Grounds, zlib.decompress(raw))
    except zlib.error as error:
        raise CodecError("not packed grounds") from error


def moved(entry: LinkEntry, modules: ModuleTable, hashes: SurfaceHashes) -> LinkEntry:
    """The same links in a state in which they would be made again just so. Raises CodecError."""
    return attrs.evolve(entry, digest=_digest(_grounds(entry.grounds), entry.path, modules, hashes))


def touched(entry: LinkEntry, surfaces: Set[FilePath], names: Set[str]) -> bool:
    """Whether a change of these surfaces, or of what these module names mean, may change the links."""
    try:
        asked = entry.asked
    except CodecError:
        return True
    return not (surfaces.isdisjoint(asked.reads) and names.isdisjoint(asked.lookups))


def changed_names(old: ModuleTable | None, new: ModuleTable | None) -> tuple[Set[str], Set[FilePath]]:
    """Module names that mean something else now, and files that are called something else now."""
    before, after = old or _NO_MODULES, new or _NO_MODULES
    dotted = _differing(before.files, after.files) | _differing(before.namespaces, after.namespaces)
    if _installed(before) != _installed(after):
        dotted |= {LIBRARY}
    dotted |= {ALIAS + key for key in _differing(before.aliases, after.aliases)}
    return dotted, _differing(before.names, after.names)


def _installed(modules: ModuleTable) -> str:
    return "" if modules.libraries is None else modules.libraries.stamp


def pack_entry(entry: LinkEntry) -> bytes:
    """The entry as the store keeps it."""
    about = (entry.content, entry.digest, entry.encoded, entry.grounds)
    return encode(_Stored(ENTRY_VERSION, *about, *packed_index(entry.index), entry.problem, entry.stamp))


def unpack_entry(
    path: FilePath,
    content: str,
    raw: bytes,
    *,
    modules: ModuleTable,
    hashes: SurfaceHashes,
    proved: Proved | None = None,
) -> tuple[LinkEntry, bool] | None:
    """The entry that `pack_entry` wrote, if it holds in this state or in the proved one, and whether it is this one;
    None for any other bytes.

    The links themselves stay packed: most are not looked at in this run, and who decodes them can do without.
    """
    try:
        stored = decode(_Stored, raw)
        if stored.version != ENTRY_VERSION or stored.content != content:
            return None
        then = proved if proved is not None and proved.digests.get(path) == stored.digest else None
        held = _still(stored, path, then, modules, hashes)
        if not held and then is None:
            return None
        index = unpacked_index(stored.ends, stored.open)
    except (CodecError, ValueError):
        return None
    entry = LinkEntry(
        path=path,
        content=content,
        digest=stored.digest,
        encoded=stored.links,
        grounds=stored.grounds,
        complete=True,
        index=index,
        problem=stored.problem,
        stamp=stored.stamp,
    )
    return entry, held


def _still(stored: _Stored, path: FilePath, proved: Proved | None, modules: ModuleTable, hashes: SurfaceHashes) -> bool:
    """Whether stored links hold. `proved`: they did then."""
    if proved is not None and not proved.changed:
        return True
    grounds = _grounds(stored.grounds)
    if proved is not None and proved.changed.keys().isdisjoint(grounds.reads):
        return True
    return _holds(grounds, stored.digest, path, modules, hashes)


def _named(modules: ModuleTable, path: FilePath) -> str:
    name = modules.names.get(path)
    return f"{name.dotted} {name.package:d} {name.root}" if name else ""


def _differing(old: Mapping[K, V], new: Mapping[K, V]) -> set[K]:
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
