"""Stored: what was derived from the files of one snapshot, as bytes for another run.

Owns: the packed form of derivations and of what they rest on, which of them hold in a later state of the same files.
Must not know: where the bytes are kept, how anything is derived.
Invariant: what is taken from bytes is what deriving it anew would give; any other bytes give nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from typing import Final, TypeAlias, cast

import attrs
import msgpack

from graphls.analysis.frameworks.declared import Derivations, Mount
from graphls.analysis.frameworks.watching import Changes, Grounds
from graphls.facts.paths import FilePath
from graphls.graph.derivation import Derived, Value
from graphls.graph.edges import RawEdge
from graphls.graph.evidence import SiteEvidence
from graphls.graph.snapshot import Place, Shard, Snapshot

_Spot: TypeAlias = tuple[int, int]
"""A file's number and a row: a place."""
_Node: TypeAlias = "tuple[str, str, str, int, int, int, int, int, str, float, tuple[tuple[str, Value], ...]]"
_Mounted: TypeAlias = "tuple[int, int, _Spot | None, str, _Spot | None, int, tuple[int, int], bool, bool]"
_Relation: TypeAlias = "tuple[str, str, str | None, float, bool, bool]"
_Sites: TypeAlias = "tuple[tuple[int, int, int], ...]"
_End: TypeAlias = "_Spot | int | str"
"""An `int` is the number of a node of the same file."""
_Each: TypeAlias = "tuple[tuple[str, str | None, float], ...]"
_Edge: TypeAlias = "tuple[_End, _End, _Relation, _Sites, tuple[tuple[str, str | bool], ...], _Each]"
_Said: TypeAlias = "tuple[tuple[_Node, ...], tuple[_Spot | None, ...], tuple[_Mounted, ...], tuple[_Edge, ...]]"
_Based: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[tuple[int, bytes], ...]]"
_Row: TypeAlias = "tuple[int, _Based, tuple[_Spot, ...], bytes]"
_State: TypeAlias = "tuple[bytes, bytes, dict[int, bytes]]"
_Stored: TypeAlias = "tuple[int, str, _State, tuple[int, ...], tuple[_Row, ...]]"

_VERSION: Final = 3
_DIGEST: Final = 8
_NOBODY: Final = b"\0" * _DIGEST
"""Of what is not the same in any other state."""
_EMPTY: Final = Derivations()


class Files:
    """Numbers for the files of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.paths = tuple(snapshot.shards)
        self.numbers = {path: number for number, path in enumerate(self.paths)}

    def known(self, paths: Iterator[FilePath]) -> list[int]:
        """Those of the snapshot; others are in no snapshot of the same files."""
        return sorted(self.numbers[path] for path in paths if path in self.numbers)


@attrs.frozen(eq=False)
class Packed:
    """Derivations of one file that nobody looked at yet."""

    files: Files
    path: FilePath
    targets: Sequence[tuple[int, int]]
    """Where edges lead."""
    raw: bytes = attrs.field(repr=False)

    def places(self) -> Set[Place]:
        """Where edges lead, without unpacking anything else."""
        return {Place(self.files.paths[file], row) for file, row in self.targets}

    def derivations(self) -> Derivations:
        """What was packed."""
        nodes, owners, mounts, edges = cast("_Said", _read(self.raw))
        declared = tuple(Derived(self.path, *node) for node in nodes)
        return Derivations(
            nodes=declared,
            edges=tuple(self._edge(edge, declared) for edge in edges),
            owners=tuple(map(self._place, owners)),
            mounts=tuple(map(self._mount, mounts)),
        )

    def _edge(self, edge: _Edge, nodes: Sequence[Derived]) -> RawEdge:
        source, target, (kind, provenance, resolution, confidence, ambiguous, implied), sites, about, each = edge
        return RawEdge(
            source=cast("Place | Derived", self._end(source, nodes)),
            target=self._end(target, nodes),
            kind=kind,
            provenance=provenance,
            resolution=resolution,
            confidence=confidence,
            ambiguous=ambiguous,
            sites=tuple((self.files.paths[file], start, end) for file, start, end in sites),
            attributes=dict(about),
            implied=implied,
            each=tuple(SiteEvidence(*how) for how in each),
        )

    def _end(self, end: _End, nodes: Sequence[Derived]) -> Place | Derived | str:
        if isinstance(end, int):
            return nodes[end]
        return end if isinstance(end, str) else Place(self.files.paths[end[0]], end[1])

    def _mount(self, row: _Mounted) -> Mount:
        file, start, by, prefix, what, where, span, made, replaces = row
        paths, place = self.files.paths, self._place
        return Mount(paths[file], start, place(by), prefix, place(what), paths[where], span, made, replaces)

    def _place(self, said: _Spot | None) -> Place | None:
        return None if said is None else Place(self.files.paths[said[0]], said[1])


class Held:
    """What was derived from one file, and what it rests on."""

    def __init__(self, found: Derivations | None, grounds: Grounds, packed: Packed | None = None) -> None:
        self.grounds = grounds
        self.packed = packed
        """As it was read."""
        self._found = found

    @property
    def found(self) -> Derivations:
        """Unpacked when it is first wanted."""
        if self._found is None:
            self._found = _EMPTY if self.packed is None else self.packed.derivations()
        return self._found

    @property
    def targets(self) -> Set[Place]:
        """Where edges lead; nothing is unpacked for this."""
        if self.packed is not None:
            return self.packed.places()
        return {edge.target for edge in self.found.edges if isinstance(edge.target, Place)}

    @property
    def plain(self) -> bool:
        """Nothing, by the file alone."""
        found, grounds = self.found, self.grounds
        alone = len(grounds.files) == 1 and not (grounds.linked or grounds.shown or grounds.held)
        return alone and not (found.nodes or found.edges or found.mounts)


def stored(snapshot: Snapshot, rules: str, derived: Mapping[FilePath, Held]) -> bytes:
    """What was derived from these files, to be read in a state with the same files and module names."""
    files, shards = Files(snapshot), snapshot.shards
    linked = {path for held in derived.values() for path in held.grounds.linked if path in shards}
    rows: list[object] = []
    plain: list[int] = []
    for path, held in derived.items():
        number = files.numbers[path]
        packed = held.packed
        if packed is None and held.plain:
            plain.append(number)
        elif packed is None or packed.files.paths != files.paths:
            packed = Packed(files, path, _numbered(files, held.targets), _packed(files, held.found))
        if packed is not None:
            rows.append((number, _grounds(files, held.grounds), packed.targets, packed.raw))
    state = (
        b"".join(_content(shard) for shard in shards.values()),
        b"".join(_short(shard.surface_hash) for shard in shards.values()),
        {files.numbers[path]: _short(snapshot.links_stamp(path)) for path in sorted(linked)},
    )
    return zlib.compress(_written((_VERSION, rules, state, sorted(plain), rows)), 1)


def recalled(snapshot: Snapshot, rules: str, raw: bytes) -> Mapping[FilePath, Held]:
    """What of it holds in this snapshot."""
    try:
        return dict(_recalled(snapshot, rules, raw))
    except Exception:  # noqa: BLE001 (bytes of any other shape are a miss)
        return {}


def _recalled(snapshot: Snapshot, rules: str, raw: bytes) -> Iterator[tuple[FilePath, Held]]:
    version, then, state, plain, rows = cast("_Stored", _read(zlib.decompress(raw)))
    files, shards = Files(snapshot), snapshot.shards
    contents, surfaces, stamps = state
    size = len(files.paths) * _DIGEST
    if (version, then) != (_VERSION, rules) or {len(contents), len(surfaces)} != {size}:
        return
    changed = _differing(files, contents, {path: _content(shard) for path, shard in shards.items()})
    shown = _differing(files, surfaces, {path: _short(shard.surface_hash) for path, shard in shards.items()})
    changes = Changes(changed, shown)

    def relinked(path: FilePath) -> bool:
        stamp = snapshot.links_stamp(path)
        return not stamp or stamps.get(files.numbers[path]) != _short(stamp)

    for number in plain:
        path = files.paths[number]
        if path not in changed:
            yield path, Held(_EMPTY, Grounds(frozenset((path,))))
    for number, based, targets, packed in rows:
        grounds = _based(files, based)
        if not changes.touch(grounds, snapshot, relinked):
            path = files.paths[number]
            yield path, Held(None, grounds, Packed(files, path, targets, packed))


def _content(shard: Shard) -> bytes:
    # What an editor's buffer said of itself on the way may have been another thing.
    return _NOBODY if shard.dirty else _short(f"{shard.language} {shard.content}")


def _short(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=_DIGEST).digest() if text else _NOBODY


def _differing(files: Files, then: bytes, now: Mapping[FilePath, bytes]) -> frozenset[FilePath]:
    pieces = enumerate(files.paths)
    at = ((path, then[number * _DIGEST : (number + 1) * _DIGEST]) for number, path in pieces)
    return frozenset(path for path, digest in at if digest != now[path] or digest == _NOBODY)


def _grounds(files: Files, grounds: Grounds) -> tuple[object, ...]:
    held = [(files.numbers[path], digest) for path, digest in grounds.held.items() if path in files.numbers]
    known = files.known
    return known(iter(grounds.files)), known(iter(grounds.linked)), known(iter(grounds.shown)), held


def _based(files: Files, packed: _Based) -> Grounds:
    looked, linked, shown = (frozenset(files.paths[number] for number in numbers) for numbers in packed[:3])
    return Grounds(looked, linked, shown, {files.paths[number]: digest for number, digest in packed[3]})


def _numbered(files: Files, places: Set[Place]) -> list[tuple[int, int]]:
    return sorted((files.numbers[place.file], place.definition) for place in places)


def _packed(files: Files, found: Derivations) -> bytes:
    numbers = {node: number for number, node in enumerate(found.nodes)}

    def place(end: Place | None) -> _Spot | None:
        return None if end is None else (files.numbers[end.file], end.definition)

    def at(end: Place | Derived | str) -> _End:
        if isinstance(end, Derived):
            return numbers[end]
        return end if isinstance(end, str) else (files.numbers[end.file], end.definition)

    nodes = [attrs.astuple(node, recurse=False)[1:] for node in found.nodes]
    owners = [place(owner) for owner in found.owners]
    mounts: list[_Mounted] = []
    for one in found.mounts:
        home, where = files.numbers[one.file], files.numbers[one.where]
        ends = place(one.by), one.prefix, place(one.what)
        mounts.append((home, one.start, *ends, where, one.span, one.made, one.replaces))
    edges: list[_Edge] = []
    for edge in found.edges:
        about = (edge.kind, edge.provenance, edge.resolution, edge.confidence, edge.ambiguous, edge.implied)
        sites = tuple((files.numbers[file], start, end) for file, start, end in edge.sites)
        edges.append((at(edge.source), at(edge.target), about, sites, tuple(edge.attributes.items()), edge.each))
    return _written((nodes, owners, mounts, edges))


def _written(value: object) -> bytes:
    return msgpack.packb(value, use_bin_type=True, unicode_errors="surrogatepass")


def _read(raw: bytes) -> object:
    return msgpack.unpackb(raw, raw=False, use_list=False, strict_map_key=False, unicode_errors="surrogatepass")
