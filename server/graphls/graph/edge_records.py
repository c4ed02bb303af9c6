"""Edge records: relations between places, written with ids.

Owns: the record of an edge, the cap on its sites.
Must not know: where edges come from, encoding.
Invariant: the id of an edge depends on source, target, kind and provenance alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.addresses import Addresses, NodeId, addresses, format_id
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import RawEdge
from graphls.graph.identity import edge_id, end_id, node_id, range_of
from graphls.graph.records import Edge, Range, Site
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.wire import evidence_text, packed_row, site_text

MAX_SITES = 20


def edge_record(snapshot: Snapshot, edge: RawEdge) -> Edge:
    """The record of one edge."""
    return EdgeRecords(snapshot).record(edge)


def plain_edge(source: str, target: str, kind: str, provenance: str = "syntax_inferred") -> Edge:
    """An edge that no text shows and no rule resolved: what stands inside what."""
    return Edge(id=edge_id(source, target, kind, provenance), kind=kind, source=source, target=target,
                provenance=provenance)  # fmt: skip


@attrs.frozen
class AttachedEdge:
    """An edge between a node of the graph and one that no place stands for: a site, a finding."""

    edge: Edge
    kind: str
    """Of the node that no place stands for."""
    end: SymbolRef | DerivedNode | str | None
    """The node of the graph, or a name outside; None where no place stands for either end."""
    other: str = ""
    """Kind of the other node that no place stands for, where there are two."""


class EdgeRecords:
    """Records of edges of one snapshot; remembers what the edges of one file have in common."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._ids: dict[SymbolRef | DerivedNode | str, NodeId] = {}
        self._addresses: dict[FilePath, Addresses] = {}
        self._path: FilePath | None = None
        self._lines: Sequence[int] | None = None
        """Where the lines of that file begin; None for a plain file."""

    def record(self, edge: RawEdge) -> Edge:
        """The record of one edge. Edges of one file are best asked for in a row."""
        source, target = self.ends(edge)
        return Edge(
            id=edge_id(source, target, edge.kind, edge.provenance),
            kind=edge.kind,
            source=source,
            target=target,
            provenance=edge.provenance,
            resolution=edge.resolution,
            confidence=edge.confidence,
            ambiguous=edge.ambiguous,
            sites=tuple(
                Site(path, self._range(path, start, end), *how)
                for (path, start, end), how in islice(edge.sites_with_evidence(), MAX_SITES)
            ),
            site_count=len(edge.sites),
            attributes=edge.attributes,
        )

    def row(self, edge: RawEdge) -> str:
        """`wire.packed_edge` of the record, for less: an export has hundreds of thousands of them."""
        source, target = self.ends(edge)
        key = source, edge.kind, target, edge_id(source, target, edge.kind, edge.provenance)
        return packed_row(key, edge, self._site_texts(edge), len(edge.sites))

    def _site_texts(self, edge: RawEdge) -> Iterator[str]:
        if edge.site_evidence:
            for (path, start, end), how in islice(edge.sites_with_evidence(), MAX_SITES):
                yield site_text(path, self._range(path, start, end), evidence_text(*how))
        elif edge.sites:
            how = evidence_text(edge.provenance, edge.resolution, edge.confidence)
            sites = edge.sites if len(edge.sites) == 1 else sorted(edge.sites)[:MAX_SITES]
            for path, start, end in sites:
                yield site_text(path, self._range(path, start, end), how)

    def ends(self, edge: RawEdge) -> tuple[NodeId, NodeId]:
        """Ids of the nodes that it is between."""
        if edge.source.file != self._path:
            self._ids.clear()
            self._addresses.clear()
            self._path = edge.source.file
            language = self._snapshot.shards[self._path].language
            self._lines = self._snapshot.facts(self._path).lines if language else None
        ids = self._ids
        return ids.get(edge.source) or self._id(edge.source), ids.get(edge.target) or self._id(edge.target)

    def _range(self, path: FilePath, start: int, end: int) -> Range:
        """`range_of`; nearly all sites are in the file of the source, and on one line of it."""
        lines = self._lines
        if lines is None or path != self._path:
            return range_of(self._snapshot, path, start, end)
        first = bisect_right(lines, start) - 1
        last = first
        if first + 1 < len(lines) and end >= lines[first + 1]:
            last = bisect_right(lines, end) - 1
        return first, start - lines[first], last, end - lines[last]

    def _id(self, end: SymbolRef | DerivedNode | str) -> NodeId:
        made = self._ids[end] = self._place_id(end) if isinstance(end, SymbolRef) else end_id(self._snapshot, end)
        return made

    def _place_id(self, place: SymbolRef) -> NodeId:
        if not self._snapshot.shards[place.file].language:
            return node_id(self._snapshot, place)
        known = self._addresses.get(place.file)
        if known is None:
            known = self._addresses[place.file] = addresses(self._snapshot, place.file)
        digest = known.digest(place.definition)
        return NodeId(format_id("n", digest)) if digest else node_id(self._snapshot, place)
