"""Link entries: links with what they rest on, and whether that still holds.

Owns: the entry of one file, the test whether it holds in a state, its encoded form.
Must not know: when links are made, who asks for them.
Invariant: an entry that holds for a snapshot is what linking the file anew in that snapshot would give.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Mapping, Sequence, Set
from typing import TypeVar

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import LINKS_VERSION, OWN_FILE, Links
from graphls.facts.paths import FilePath
from graphls.facts.validity import check_links
from graphls.languages.provider import LIBRARY
from graphls.linking.definers import changed_numbers
from graphls.linking.dependencies import ALIAS, DEFINES, PACKAGE, LinkDependencies, SurfaceHashes, unpacked_dependencies
from graphls.linking.module_table import ModuleTable
from graphls.session.link.link_index import LinkIndex, index_of, packed_index, unpacked_index

K = TypeVar("K")
V = TypeVar("V")
ENTRY_VERSION = 1000 * LINKS_VERSION + 13
"""Raised whenever the stored form of an entry changes."""
_FEW = 20
"""Texts that are looked for in bytes."""
_NO_MODULES = ModuleTable({}, {}, {})


@attrs.frozen(eq=False)
class LinkInputs:
    """What a file asked while it was linked."""

    reads: tuple[str, ...]
    lookups: frozenset[str]
    """Module names."""


@attrs.frozen(eq=False)
class ValidationStamp:
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
    dependencies: bytes = attrs.field(repr=False)
    """What the links rest on, as they say it; compressed. Much less than the links, and all that `holds` needs."""
    complete: bool
    """Every file that was read had facts; only then may others rely on the entry in another run."""
    index: LinkIndex = attrs.field(repr=False)
    """What the links lead to."""
    problem: str = ""
    """Why the resolver failed, if it did."""
    _inputs: list[LinkInputs] = attrs.field(factory=list["LinkInputs"], init=False, repr=False)
    _checked: list[bool] = attrs.field(factory=list[bool], init=False, repr=False)
    """True once the bytes gave valid links: they do not change."""

    @property
    def name(self) -> str:
        """Equal names, equal links."""
        return f"{self.path}\0{self.content}\0{self.stamp}"

    @property
    def inputs(self) -> LinkInputs:
        """What the links rest on, unpacked once. Raises CodecError."""
        if not self._inputs:
            dependencies = unpacked_dependencies(self.dependencies)
            self._inputs.append(LinkInputs(tuple(map(sys.intern, dependencies.reads)), dependencies.names))
        return self._inputs[0]

    def rests_on(self, surfaces: Set[FilePath], names: Set[str]) -> bool:
        """Whether one of some surfaces, or what one of some names means, was looked up for the links. Of few it is seen
        in the bytes whether they are mentioned, which takes a tenth of unpacking all inputs. Raises CodecError."""
        if self._inputs or len(surfaces) + len(names) > _FEW:
            return not (surfaces.isdisjoint(self.inputs.reads) and names.isdisjoint(self.inputs.lookups))
        try:
            raw = zlib.decompress(self.dependencies)
        except zlib.error as error:
            raise CodecError("not packed dependencies") from error
        if not any(text.encode(errors="surrogatepass") in raw for text in (*surfaces, *names)):
            return False
        found = decode(LinkDependencies, raw)
        return not surfaces.isdisjoint(found.reads) or (bool(names) and not names.isdisjoint(found.names))

    def links(self) -> Links:
        """The links, decoded anew. Raises CodecError."""
        try:
            links = decode(Links, zlib.decompress(self.encoded))
            if not self._checked:
                check_links(links)
                if links.files[OWN_FILE] != self.path:
                    raise CodecError("links of another file")
                self._checked.append(True)
            return links
        except zlib.error as error:
            raise CodecError("not packed links") from error


@attrs.frozen(eq=False)
class ReusedLinks:
    """Links from before of several files."""

    valid: Mapping[FilePath, LinkEntry]
    stale: Sequence[LinkEntry]
    """Those that held in the state that was proved, and read what shows something else now."""


@attrs.frozen(eq=False)
class _StoredEntry:
    version: int
    content: str
    digest: str
    links: bytes
    dependencies: bytes
    ends: bytes
    open: bytes
    problem: str
    stamp: str


@attrs.frozen(eq=False)
class LinkedFile:
    """The file that is linked."""

    path: FilePath
    content: str
    """Content key."""
    facts: FileFacts


def make_entry(
    own: LinkedFile, links: Links, *, modules: ModuleTable, hashes: SurfaceHashes, problem: str = ""
) -> LinkEntry:
    """The entry for links that were just made in the state that `modules` and `hashes` describe."""
    dependencies = LinkDependencies.of(links)
    digest = dependencies.digest(own.path, modules, hashes)
    return LinkEntry(
        path=own.path,
        content=own.content,
        digest=digest,
        stamp=digest,
        encoded=zlib.compress(encode(links), 1),
        dependencies=dependencies.packed(),
        complete=not problem and all(hashes(FilePath(read)) for read in links.reads),
        index=index_of(links, own.facts),
        problem=problem,
    )


def holds(entry: LinkEntry, modules: ModuleTable, hashes: SurfaceHashes) -> bool:
    """Whether the entry is right in this state."""
    try:
        dependencies = unpacked_dependencies(entry.dependencies)
    except CodecError:
        return False
    return dependencies.hold(entry.digest, entry.path, modules, hashes)


def with_state(entry: LinkEntry, modules: ModuleTable, hashes: SurfaceHashes) -> LinkEntry:
    """The same links in a state in which they would be made again just so. Raises CodecError."""
    return attrs.evolve(entry, digest=unpacked_dependencies(entry.dependencies).digest(entry.path, modules, hashes))


def is_affected(entry: LinkEntry, surfaces: Set[FilePath], names: Set[str]) -> bool:
    """Whether a change of these surfaces, or of what these module names mean, may change the links."""
    try:
        return entry.rests_on(surfaces, names)
    except CodecError:
        return True


def changed_names(old: ModuleTable | None, new: ModuleTable | None) -> tuple[Set[str], Set[FilePath]]:
    """Module names that mean something else now, and files that are called something else now."""
    before, after = old or _NO_MODULES, new or _NO_MODULES
    dotted = _changed_keys(before.files, after.files) | _changed_keys(before.namespaces, after.namespaces)
    if _installed(before) != _installed(after):
        dotted |= {LIBRARY}
    dotted |= {ALIAS + key for key in _changed_keys(before.aliases, after.aliases)}
    dotted |= {PACKAGE + key for key in _changed_keys(before.packages, after.packages)}
    dotted |= {f"{DEFINES}{number}" for number in changed_numbers(before.definers, after.definers)}
    return dotted, _changed_keys(before.names, after.names)


def _installed(modules: ModuleTable) -> str:
    return "" if modules.libraries is None else modules.libraries.stamp


def pack_entry(entry: LinkEntry) -> bytes:
    """The entry as the store keeps it."""
    about = (entry.content, entry.digest, entry.encoded, entry.dependencies)
    return encode(_StoredEntry(ENTRY_VERSION, *about, *packed_index(entry.index), entry.problem, entry.stamp))


def unpack_entry(
    path: FilePath,
    content: str,
    raw: bytes,
    *,
    modules: ModuleTable,
    hashes: SurfaceHashes,
    validation: ValidationStamp | None = None,
) -> tuple[LinkEntry, bool] | None:
    """The entry that `pack_entry` wrote, if it holds in this state or in the proved one, and whether it is this one;
    None for any other bytes.

    The links themselves stay packed: most are not looked at in this run, and who decodes them can do without.
    """
    try:
        stored = decode(_StoredEntry, raw)
        if stored.version != ENTRY_VERSION or stored.content != content:
            return None
        then = validation if validation is not None and validation.digests.get(path) == stored.digest else None
        valid = _is_still_valid(stored, path, then, modules, hashes)
        if not valid and then is None:
            return None
        index = unpacked_index(stored.ends, stored.open)
    except (CodecError, ValueError):
        return None
    entry = LinkEntry(
        path=path,
        content=content,
        digest=stored.digest,
        encoded=stored.links,
        dependencies=stored.dependencies,
        complete=True,
        index=index,
        problem=stored.problem,
        stamp=stored.stamp,
    )
    return entry, valid


def _is_still_valid(
    stored: _StoredEntry,
    path: FilePath,
    validation: ValidationStamp | None,
    modules: ModuleTable,
    hashes: SurfaceHashes,
) -> bool:
    """Whether stored links hold. `proved`: they did then."""
    if validation is not None and not validation.changed:
        return True
    dependencies = unpacked_dependencies(stored.dependencies)
    if validation is not None and validation.changed.keys().isdisjoint(dependencies.reads):
        return True
    return dependencies.hold(stored.digest, path, modules, hashes)


def _changed_keys(old: Mapping[K, V], new: Mapping[K, V]) -> set[K]:
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
