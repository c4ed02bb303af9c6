"""Edge records: relations between places, written with ids.

Owns: the record of an edge, the cap on its sites.
Must not know: where edges come from, encoding.
Invariant: the id of an edge depends on source, target, kind and provenance alone.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.addresses import NodeId, addresses, spelled
from graphls.graph.edges import RawEdge
from graphls.graph.identity import edge_id, external_id, node_id
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
    """Records of edges of one snapshot; remembers the ids of one run of edges."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._ids: dict[Place | str, NodeId] = {}
        self._path: FilePath | None = None
        self._facts: FileFacts | None = None

    def record(self, edge: RawEdge) -> Edge:
        """The record of one edge. Edges of one file are best asked for in a row."""
        if edge.source.file != self._path:
            self._ids.clear()
            self._path = edge.source.file
            self._facts = None
        source, target = self._id(edge.source), self._id(edge.target)
        return Edge(
            id=edge_id(source, target, edge.kind, edge.provenance),
            kind=edge.kind,
            source=source,
            target=target,
            provenance=edge.provenance,
            resolution=edge.resolution,
            confidence=edge.confidence,
            ambiguous=edge.ambiguous,
            sites=tuple(self._site(*site) for site in sorted(edge.sites)[:MAX_SITES]),
            site_count=len(edge.sites),
            attributes=edge.attributes,
        )

    def _id(self, end: Place | str) -> NodeId:
        known = self._ids.get(end)
        if known is None:
            known = self._ids[end] = external_id(end) if isinstance(end, str) else self._place_id(end)
        return known

    def _place_id(self, place: Place) -> NodeId:
        digest = addresses(self._snapshot, place.file).digest(place.definition)
        return NodeId(spelled("n", digest)) if digest else node_id(self._snapshot, place)

    def _site(self, path: FilePath, start: int, end: int) -> Site:
        if self._facts is None:
            self._facts = self._snapshot.facts(path)
        facts = self._facts if path == self._path else self._snapshot.facts(path)
        return Site(path, (*facts.line_column(start), *facts.line_column(end)))
