"""Diff sides: the records of one state of a comparison, made where they differ from those of the other.

Owns: what of a record is compared before there is one, the names of the ends of edges.
Must not know: the other state, how differences are counted and listed.
Invariant: what is held as the same gives records that differ in their sites at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, Protocol, TypeAlias, TypeVar

from graphls.facts.paths import FilePath
from graphls.graph.edge_records import EdgeRecords
from graphls.graph.edges import RawEdge, named_edges_from
from graphls.graph.identity import edge_id, end_name
from graphls.graph.projection import file_nodes, frame_edges, workspace_nodes
from graphls.graph.records import Edge, Node
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot

_STEP: Final = 32
"""Edges between two looks whether the answer is still wanted, and who else waits."""

Key = TypeVar("Key")
"""What two states call the same record by."""
Item = TypeVar("Item")
"""What is known of a record before it is made."""

EdgeKey: TypeAlias = tuple[str, str, str, str]
"""Source, kind, target and provenance, of which the id is a digest."""


class Side(Protocol[Key, Item]):
    """Records of one state."""

    def held(self, path: FilePath) -> Mapping[Key, Item]:
        """Those of one file; none where there is no such file."""
        ...

    def is_same(self, one: Item, other: Item) -> bool:
        """Whether nothing is to be told of two that have one key."""
        ...

    def ordered(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Keys in the order of `held` in the order of an export."""
        ...

    def record(self, key: Key) -> Node | Edge:
        """One of those that were held last."""
        ...


class NodeSide:
    """Nodes of files of one state."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._held: dict[str, Node] = {}

    def records(self, path: FilePath) -> Iterator[Node]:
        """Those of one file."""
        if path in self._snapshot.shards:
            spend()
            yield from file_nodes(self._snapshot, path)

    def held(self, path: FilePath) -> Mapping[str, Node]:
        """Those of one file by id, in source order: nearly all have moved."""
        self._held = {node.id: node for node in self.records(path)}
        return self._held

    def is_same(self, one: Node, other: Node) -> bool:
        """Whether they are equal."""
        return one == other

    def ordered(self, keys: Sequence[str]) -> Sequence[str]:
        """They are in order."""
        return keys

    def record(self, key: str) -> Node:
        """One of those of the last file."""
        return self._held[key]


class EdgeSide:
    """Edges of files of one state, and the names of their ends."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._recorded = EdgeRecords(snapshot)
        self._path = FilePath("")
        self._held: dict[EdgeKey, RawEdge | Edge] = {}
        """Of the file that was asked for last; records of those that are not between places."""
        self._ends: dict[str, RawEdge] = {}
        self._framed: dict[str, FilePath] = {}
        """Of the records that were made: what stands at their ends, or the file they are about."""
        self._flow: dict[FilePath, Sequence[RawEdge]] = {}

    def size(self, path: FilePath) -> int:
        """Bytes of a file, 0 where there is none."""
        shard = self._snapshot.shards.get(path)
        return 0 if shard is None else shard.size

    def is_code(self, path: FilePath) -> bool:
        """Whether a file has a language."""
        shard = self._snapshot.shards.get(path)
        return shard is not None and bool(shard.language)

    def flow(self, path: FilePath) -> Sequence[RawEdge]:
        """Calls by flow of one file: the dearest edges by far."""
        derived = self._snapshot.derivation
        if derived is None or not self.is_code(path):
            return ()
        return tuple(derived.calls(self._snapshot).from_file(path))

    def take_in(self, path: FilePath, found: Sequence[RawEdge]) -> None:
        """These are among the edges of a file."""
        self._flow[path] = found

    def held(self, path: FilePath) -> Mapping[EdgeKey, RawEdge | Edge]:
        """Those of one file. No order: of a hundred thousand a few are told."""
        self._path, self._held = path, {}
        if path not in self._snapshot.shards:
            return self._held
        spend()
        found = self._held = {_key_of(edge): edge for edge, _ in frame_edges(self._snapshot, path)}
        for number, raw in enumerate(chain(named_edges_from(self._snapshot, path), self._flow.pop(path, ()))):
            if not number % _STEP:
                spend()
            source, target = self._recorded.ends(raw)
            found[source, raw.kind, target, raw.provenance] = raw
        return found

    def is_same(self, one: RawEdge | Edge, other: RawEdge | Edge) -> bool:
        """Whether they differ in their sites at most, of which there are as many."""
        return (
            one.confidence == other.confidence
            and one.resolution == other.resolution
            and one.ambiguous == other.ambiguous
            and _site_count(one) == _site_count(other)
            and one.attributes == other.attributes
        )

    def ordered(self, keys: Sequence[EdgeKey]) -> Sequence[EdgeKey]:
        """By source, kind, target and id."""
        return sorted(keys, key=_place_of)

    def record(self, key: EdgeKey) -> Edge:
        """One of those of the last file; what it is between can be named from now on."""
        held = self._held[key]
        if isinstance(held, Edge):
            self._framed[held.id] = self._path
            return held
        made = self._recorded.record(held)
        self._ends[made.id] = held
        return made

    def names(self, records: Iterable[Node | Edge]) -> dict[str, str]:
        """Names of the ends of those of these records that are edges of this state."""
        names: dict[str, str] = {}
        framed: dict[FilePath, set[str]] = {}
        for record in records:
            if not isinstance(record, Edge):
                continue
            raw = self._ends.get(record.id)
            if raw is not None:
                names[record.source] = end_name(self._snapshot, raw.source)
                names[record.target] = end_name(self._snapshot, raw.target)
            elif record.id in self._framed:
                framed.setdefault(self._framed[record.id], set()).update((record.source, record.target))
        return {**self._frame_names(framed), **names} if framed else names

    def _frame_names(self, framed: Mapping[FilePath, set[str]]) -> dict[str, str]:
        """Of packages, files, modules and what has a diagnostic."""
        wanted = {ident for idents in framed.values() for ident in idents}
        packages = workspace_nodes(self._snapshot, self._snapshot.shards)
        found = {node.id: node.name for node in packages if node.id in wanted}
        nodes = NodeSide(self._snapshot)
        found.update((node.id, symbol_of(node)) for path in framed for node in nodes.records(path) if node.id in wanted)
        return found


def symbol_of(node: Node) -> str:
    """How people write a node."""
    return f"{node.module}:{node.qualified_name}" if node.module and node.kind != "module" else node.qualified_name


def _key_of(edge: Edge) -> EdgeKey:
    return edge.source, edge.kind, edge.target, edge.provenance


def _place_of(key: EdgeKey) -> tuple[str, str, str, str]:
    source, kind, target, provenance = key
    return source, kind, target, edge_id(source, target, kind, provenance)


def _site_count(edge: RawEdge | Edge) -> int:
    return edge.site_count if isinstance(edge, Edge) else len(edge.sites)
