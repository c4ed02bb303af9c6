"""Derivation cache: what was derived from the files of one snapshot, as bytes for another run.

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

from graphls.analysis.frameworks.declared_nodes import ContractUse, FileDerivation, Mount
from graphls.analysis.frameworks.dependency_recorder import ContentChanges, Dependencies
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode, Value
from graphls.graph.edges import RawEdge
from graphls.graph.evidence import SiteEvidence
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef

_PackedPlace: TypeAlias = tuple[int, int]
"""A file's number and a row: a place."""
_Node: TypeAlias = "tuple[str, str, str, int, int, int, int, str, str, float, tuple[tuple[str, Value], ...]]"
_Ends: TypeAlias = "tuple[_PackedPlace | None, str, _PackedPlace | None]"
_Marks: TypeAlias = "tuple[bool, bool, bool, str, tuple[str, ...]]"
_Mounted: TypeAlias = "tuple[int, int, _Ends, int, tuple[int, int], _Marks]"
_Relation: TypeAlias = "tuple[str, str, str | None, float, bool, bool]"
_Sites: TypeAlias = "tuple[tuple[int, int, int], ...]"
_ForeignNode: TypeAlias = "tuple[int, _Node]"
_End: TypeAlias = "_PackedPlace | _ForeignNode | int | str"
"""An `int` is the number of a node of the same file."""
_Each: TypeAlias = "tuple[tuple[str, str | None, float], ...]"
_Edge: TypeAlias = "tuple[_End, _End, _Relation, _Sites, tuple[tuple[str, str | bool], ...], _Each]"
_Asked: TypeAlias = "tuple[str, str, int, int, int, float, bool, str]"
_Places: TypeAlias = "tuple[_PackedPlace | None, ...]"
_PackedRow: TypeAlias = "tuple[tuple[_Node, ...], _Places, tuple[_Mounted, ...], tuple[_Edge, ...], tuple[_Asked, ...]]"
_Words: TypeAlias = "tuple[str, ...]"
_Digests: TypeAlias = "tuple[tuple[int, bytes], ...]"
_PackedDependencies: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], _Digests, _Words, _Words]"
_Row: TypeAlias = "tuple[int, _PackedDependencies, tuple[_PackedPlace, ...], bytes]"
_State: TypeAlias = "tuple[bytes, bytes, dict[int, bytes]]"
_Stored: TypeAlias = "tuple[int, str, _State, tuple[int, ...], tuple[_Row, ...]]"

_VERSION: Final = 16
_DIGEST: Final = 8
_NOBODY: Final = b"\0" * _DIGEST
"""Of what is not the same in any other state."""
_EMPTY: Final = FileDerivation()


class FileNumbers:
    """Numbers for the files of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.paths = tuple(snapshot.shards)
        self.numbers = {path: number for number, path in enumerate(self.paths)}

    def known(self, paths: Iterator[FilePath]) -> list[int]:
        """Those of the snapshot; others are in no snapshot of the same files."""
        return sorted(self.numbers[path] for path in paths if path in self.numbers)


@attrs.frozen(eq=False)
class PackedDerivation:
    """Derivations of one file that nobody looked at yet."""

    files: FileNumbers
    path: FilePath
    targets: Sequence[tuple[int, int]]
    """Where edges lead."""
    raw: bytes = attrs.field(repr=False)

    def places(self) -> Set[SymbolRef]:
        """Where edges lead, without unpacking anything else."""
        return {SymbolRef(self.files.paths[file], row) for file, row in self.targets}

    def derivations(self) -> FileDerivation:
        """What was packed."""
        nodes, owners, mounts, edges, uses = cast("_PackedRow", _decode(self.raw))
        declared = tuple(DerivedNode(self.path, *node) for node in nodes)
        return FileDerivation(
            nodes=declared,
            edges=tuple(self._edge(edge, declared) for edge in edges),
            owners=tuple(map(self._place, owners)),
            mounts=tuple(map(self._mount, mounts)),
            uses=tuple(map(self._use, uses)),
        )

    def _use(self, row: _Asked) -> ContractUse:
        kind, name, definition, start, end, confidence, serves, rule = row
        return ContractUse(kind, name, SymbolRef(self.path, definition), start, end, confidence, serves, rule)

    def _edge(self, edge: _Edge, nodes: Sequence[DerivedNode]) -> RawEdge:
        source, target, (kind, provenance, resolution, confidence, ambiguous, implied), sites, about, each = edge
        return RawEdge(
            source=cast("SymbolRef | DerivedNode", self._end(source, nodes)),
            target=self._end(target, nodes),
            kind=kind,
            provenance=provenance,
            resolution=resolution,
            confidence=confidence,
            ambiguous=ambiguous,
            sites=tuple((self.files.paths[file], start, end) for file, start, end in sites),
            attributes=dict(about),
            implied=implied,
            site_evidence=tuple(SiteEvidence(*how) for how in each),
        )

    def _end(self, end: _End, nodes: Sequence[DerivedNode]) -> SymbolRef | DerivedNode | str:
        if isinstance(end, int):
            return nodes[end]
        if isinstance(end, str):
            return end
        file, inside = self.files.paths[end[0]], end[1]
        return SymbolRef(file, inside) if isinstance(inside, int) else DerivedNode(file, *inside)

    def _mount(self, row: _Mounted) -> Mount:
        file, start, (by, prefix, what), where, span, marks = row
        paths, place = self.files.paths, self._place
        return Mount(paths[file], start, place(by), prefix, place(what), paths[where], span, *marks)

    def _place(self, position: _PackedPlace | None) -> SymbolRef | None:
        return None if position is None else SymbolRef(self.files.paths[position[0]], position[1])


class DerivationResult:
    """What was derived from one file, and what it rests on."""

    def __init__(
        self, found: FileDerivation | None, dependencies: Dependencies, packed: PackedDerivation | None = None
    ) -> None:
        self.dependencies = dependencies
        self.packed = packed
        """As it was read."""
        self._found = found

    @property
    def found(self) -> FileDerivation:
        """Unpacked when it is first wanted."""
        if self._found is None:
            self._found = _EMPTY if self.packed is None else self.packed.derivations()
        return self._found

    @property
    def targets(self) -> Set[SymbolRef]:
        """Where edges lead; nothing is unpacked for this."""
        if self.packed is not None:
            return self.packed.places()
        found = {edge.target for edge in self.found.edges if isinstance(edge.target, SymbolRef)}
        # Who asks for the uses of an entry of a document asks by its file.
        return found | {
            SymbolRef(edge.target.file, -1) for edge in self.found.edges if isinstance(edge.target, DerivedNode)
        }

    @property
    def plain(self) -> bool:
        """Nothing, by the file alone."""
        found, dependencies = self.found, self.dependencies
        alone = len(dependencies.files) == 1 and not (
            dependencies.linked
            or dependencies.surfaces
            or dependencies.node_digests
            or dependencies.formats
            or dependencies.names
        )
        return alone and not (found.nodes or found.edges or found.mounts or found.uses)


def stored(snapshot: Snapshot, rules: str, derived: Mapping[FilePath, DerivationResult]) -> bytes:
    """What was derived from these files, to be read in a state with the same files and module names."""
    files, shards = FileNumbers(snapshot), snapshot.shards
    linked = {path for result in derived.values() for path in result.dependencies.linked if path in shards}
    rows: list[object] = []
    plain: list[int] = []
    for path, result in derived.items():
        number = files.numbers[path]
        packed = result.packed
        if packed is None and result.plain:
            plain.append(number)
        elif packed is None or packed.files.paths != files.paths:
            packed = PackedDerivation(files, path, _number_places(files, result.targets), _pack(files, result.found))
        if packed is not None:
            rows.append((number, _pack_dependencies(files, result.dependencies), packed.targets, packed.raw))
    state = (
        b"".join(_content(shard) for shard in shards.values()),
        b"".join(_short(shard.surface_hash) for shard in shards.values()),
        {files.numbers[path]: _short(snapshot.links_stamp(path)) for path in sorted(linked)},
    )
    return zlib.compress(_encode((_VERSION, rules, state, sorted(plain), rows)), 1)


def restore(snapshot: Snapshot, rules: str, raw: bytes) -> Mapping[FilePath, DerivationResult]:
    """What of it holds in this snapshot."""
    try:
        return dict(_restored(snapshot, rules, raw))
    except Exception:  # noqa: BLE001 (bytes of any other shape are a miss)
        return {}


def _restored(snapshot: Snapshot, rules: str, raw: bytes) -> Iterator[tuple[FilePath, DerivationResult]]:
    version, then, state, plain, rows = cast("_Stored", _decode(zlib.decompress(raw)))
    files, shards = FileNumbers(snapshot), snapshot.shards
    contents, surfaces, stamps = state
    size = len(files.paths) * _DIGEST
    if (version, then) != (_VERSION, rules) or {len(contents), len(surfaces)} != {size}:
        return
    changed = _changed_paths(files, contents, {path: _content(shard) for path, shard in shards.items()})
    changed_surfaces = _changed_paths(
        files, surfaces, {path: _short(shard.surface_hash) for path, shard in shards.items()}
    )
    changes = ContentChanges(changed, changed_surfaces)

    def relinked(path: FilePath) -> bool:
        stamp = snapshot.links_stamp(path)
        return not stamp or stamps.get(files.numbers[path]) != _short(stamp)

    for number in plain:
        path = files.paths[number]
        if path not in changed:
            yield path, DerivationResult(_EMPTY, Dependencies(frozenset((path,))))
    for number, based, targets, packed in rows:
        dependencies = _unpack_dependencies(files, based)
        if not changes.touch(dependencies, snapshot, relinked):
            path = files.paths[number]
            yield path, DerivationResult(None, dependencies, PackedDerivation(files, path, targets, packed))


def _content(shard: Shard) -> bytes:
    # What an editor's buffer said of itself on the way may have been another thing.
    return _NOBODY if shard.dirty else _short(f"{shard.language} {shard.content}")


def _short(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=_DIGEST).digest() if text else _NOBODY


def _changed_paths(files: FileNumbers, then: bytes, now: Mapping[FilePath, bytes]) -> frozenset[FilePath]:
    pieces = enumerate(files.paths)
    at = ((path, then[number * _DIGEST : (number + 1) * _DIGEST]) for number, path in pieces)
    return frozenset(path for path, digest in at if digest != now[path] or digest == _NOBODY)


def _pack_dependencies(files: FileNumbers, dependencies: Dependencies) -> tuple[object, ...]:
    digests = [
        (files.numbers[path], digest) for path, digest in dependencies.node_digests.items() if path in files.numbers
    ]
    known = files.known
    return (
        known(iter(dependencies.files)),
        known(iter(dependencies.linked)),
        known(iter(dependencies.surfaces)),
        digests,
        sorted(dependencies.formats),
        sorted(dependencies.names),
    )


def _unpack_dependencies(files: FileNumbers, packed: _PackedDependencies) -> Dependencies:
    looked, linked, surfaces = (frozenset(files.paths[number] for number in numbers) for numbers in packed[:3])
    digests = {files.paths[number]: digest for number, digest in packed[3]}
    return Dependencies(looked, linked, surfaces, digests, frozenset(packed[4]), frozenset(packed[5]))


def _number_places(files: FileNumbers, places: Set[SymbolRef]) -> list[tuple[int, int]]:
    return sorted((files.numbers[place.file], place.definition) for place in places)


def _pack(files: FileNumbers, found: FileDerivation) -> bytes:
    numbers = {node: number for number, node in enumerate(found.nodes)}

    def place(end: SymbolRef | None) -> _PackedPlace | None:
        return None if end is None else (files.numbers[end.file], end.definition)

    def at(end: SymbolRef | DerivedNode | str) -> _End:
        if isinstance(end, DerivedNode):
            own = numbers.get(end)
            return (files.numbers[end.file], attrs.astuple(end, recurse=False)[1:]) if own is None else own
        return end if isinstance(end, str) else (files.numbers[end.file], end.definition)

    nodes = [attrs.astuple(node, recurse=False)[1:] for node in found.nodes]
    owners = [place(owner) for owner in found.owners]
    mounts: list[_Mounted] = []
    for one in found.mounts:
        home, where = files.numbers[one.file], files.numbers[one.where]
        ends = place(one.by), one.prefix, place(one.what)
        mounts.append(
            (home, one.start, ends, where, one.span, (one.made, one.replaces, one.verbatim, one.framework, one.but))
        )
    edges: list[_Edge] = []
    for edge in found.edges:
        about = (edge.kind, edge.provenance, edge.resolution, edge.confidence, edge.ambiguous, edge.implied)
        sites = tuple((files.numbers[file], start, end) for file, start, end in edge.sites)
        edges.append(
            (at(edge.source), at(edge.target), about, sites, tuple(edge.attributes.items()), edge.site_evidence)
        )
    uses = [
        (one.kind, one.name, one.source.definition, one.start, one.end, one.confidence, one.serves, one.rule)
        for one in found.uses
    ]
    return _encode((nodes, owners, mounts, edges, uses))


def _encode(value: object) -> bytes:
    return msgpack.packb(value, use_bin_type=True, unicode_errors="surrogatepass")


def _decode(raw: bytes) -> object:
    return msgpack.unpackb(raw, raw=False, use_list=False, strict_map_key=False, unicode_errors="surrogatepass")
