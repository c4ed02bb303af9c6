"""Edge records: relations between places, written with ids.

Owns: the record of an edge, the cap on its sites.
Must not know: where edges come from, encoding.
Invariant: the id of an edge depends on source, target, kind and provenance alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphls.facts.paths import FilePath
from graphls.graph.addresses import Addresses, NodeId, addresses, spelled
from graphls.graph.derivation import Derived
from graphls.graph.edges import RawEdge
from graphls.graph.edges import Site as RawSite
from graphls.graph.identity import edge_id, end_id, node_id, range_of
from graphls.graph.records import Edge, Site
from graphls.graph.snapshot import Place, Snapshot

MAX_SITES = 20


def edge_record(snapshot: Snapshot, edge: RawEdge) -> Edge:
    """The record of one edge."""
    return EdgeRecords(snapshot).record(edge)


def plain_edge(source: str, target: str, kind: str, provenance: str = "syntax_inferred") -> Edge:
    """An edge that no text shows and no rule resolved: what stands inside what."""
    return Edge(id=edge_id(source, target, kind, provenance), kind=kind, source=source, target=target,
                provenance=provenance)  # fmt: skip


class EdgeRecords:
    """Records of edges of one snapshot; remembers what the edges of one file have in common."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._ids: dict[Place | Derived | str, NodeId] = {}
        self._addresses: dict[FilePath, Addresses] = {}
        self._path: FilePath | None = None

    def record(self, edge: RawEdge) -> Edge:
        """The record of one edge. Edges of one file are best asked for in a row."""
        if edge.source.file != self._path:
            self._ids.clear()
            self._addresses.clear()
            self._path = edge.source.file
        ids = self._ids
        source = ids.get(edge.source) or self._id(edge.source)
        target = ids.get(edge.target) or self._id(edge.target)
        sites = edge.sites
        count = len(sites)
        return Edge(
            id=edge_id(source, target, edge.kind, edge.provenance),
            kind=edge.kind,
            source=source,
            target=target,
            provenance=edge.provenance,
            resolution=edge.resolution,
            confidence=edge.confidence,
            ambiguous=edge.ambiguous,
            sites=self._sites(sorted(sites)[:MAX_SITES] if count > 1 else sites) if count else (),
            site_count=count,
            attributes=edge.attributes,
        )

    def _id(self, end: Place | Derived | str) -> NodeId:
        made = self._ids[end] = self._place_id(end) if isinstance(end, Place) else end_id(self._snapshot, end)
        return made

    def _place_id(self, place: Place) -> NodeId:
        if not self._snapshot.shards[place.file].language:
            return node_id(self._snapshot, place)
        known = self._addresses.get(place.file)
        if known is None:
            known = self._addresses[place.file] = addresses(self._snapshot, place.file)
        digest = known.digest(place.definition)
        return NodeId(spelled("n", digest)) if digest else node_id(self._snapshot, place)

    def _sites(self, sites: Iterable[RawSite]) -> tuple[Site, ...]:
        found: list[Site] = []
        for path, start, end in sites:
            found.append(Site(path, range_of(self._snapshot, path, start, end)))
        return tuple(found)
