"""Node views: nodes and edges of a snapshot as faces for people and agents show them.

Owns: `NodeView`, `EdgeView` and `SourcePosition`; lines and columns counted from 1, columns in characters.
Must not know: layout, JSON, particular commands or tools.
Invariant: every position that is shown can be given back as an argument and means the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import RawEdge
from graphls.graph.identity import end_id, end_name, symbol_name
from graphls.graph.node_records import FileNodes, derived_record, external_record
from graphls.graph.records import Node
from graphls.graph.snapshot import Snapshot, SymbolRef

MOST_SITES = 20


@attrs.frozen
class SourcePosition:
    """A position in a file."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@attrs.frozen
class NodeView:
    """One node."""

    id: str
    symbol: str
    kind: str
    subkind: str | None
    name: str
    file: str | None
    line: int | None
    column: int | None
    end_line: int | None
    signature: str | None
    doc: str | None
    visibility: str | None
    provenance: str

    @property
    def what(self) -> str:
        """The finest kind there is."""
        return self.subkind or self.kind

    @property
    def word(self) -> str:
        """The same, "" where the symbol begins with it: `route GET /users`."""
        return "" if self.symbol.startswith(f"{self.what} ") else self.what

    @property
    def at(self) -> str:
        """Where it is, "" for what is outside the workspace."""
        return f"{self.file}:{self.line}" if self.line else self.file or ""


@attrs.frozen
class SiteProvenance:
    """How the name at one site was resolved."""

    provenance: str
    resolution: str | None
    confidence: float


@attrs.frozen
class EdgeView:
    """One edge; `source` and `target` are symbols."""

    kind: str
    source: str
    target: str
    source_id: str
    target_id: str
    provenance: str
    resolution: str | None
    confidence: float
    ambiguous: bool
    sites: tuple[SourcePosition, ...]
    """At most 20."""
    site_count: int
    attributes: Mapping[str, str | bool]
    evidence: tuple[SiteProvenance, ...] = ()
    """Of each of `sites`; empty where all are like the edge, which is like the weakest of them."""


class Presenter:
    """Makes records of one snapshot; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._nodes: dict[FilePath, FileNodes] = {}
        self._lines: dict[FilePath, FileFacts | LineIndex] = {}

    @property
    def snapshot(self) -> Snapshot:
        """What records are made of."""
        return self._snapshot

    def node(self, node: SymbolRef | DerivedNode | str) -> NodeView:
        """The record of a place, or of a dotted name outside the workspace."""
        if isinstance(node, str):
            record = external_record(self._snapshot, node)
            return _node_view(record, record.qualified_name, None, None)
        path = node.file
        if isinstance(node, DerivedNode):
            last = self.position(path, max(node.full_end - 1, 0)).line
            record = derived_record(self._snapshot, node)
            return _node_view(record, self.symbol(node), self.position(path, node.start), last)
        nodes = self._nodes.get(path)
        if nodes is None:
            nodes = self._nodes[path] = FileNodes(self._snapshot, path)
        if not self._snapshot.shards[path].language:
            return _node_view(nodes.file_node(), path, None, None)
        record, symbol = nodes.node(node.definition), symbol_name(self._snapshot, node)
        if node.definition < 0:
            return _node_view(record, symbol, SourcePosition(path, 1, 1), None)
        table = self._snapshot.facts(path).definitions
        last = self.position(path, max(table.full_end[node.definition] - 1, 0)).line
        return _node_view(record, symbol, self.position(path, table.start[node.definition]), last)

    def edge(self, edge: RawEdge) -> EdgeView:
        """The record of an edge."""
        sited = list(islice(edge.sites_with_evidence(), MOST_SITES))
        return EdgeView(
            kind=edge.kind,
            source=self.symbol(edge.source),
            target=self.symbol(edge.target),
            source_id=self._id(edge.source),
            target_id=self._id(edge.target),
            provenance=edge.provenance,
            resolution=edge.resolution,
            confidence=edge.confidence,
            ambiguous=edge.ambiguous,
            sites=tuple(self.position(path, start) for (path, start, _), _ in sited),
            site_count=len(edge.sites),
            attributes=edge.attributes,
            evidence=tuple(SiteProvenance(*how) for _, how in sited) if edge.site_evidence else (),
        )

    def edges(self, edges: Iterable[RawEdge]) -> tuple[EdgeView, ...]:
        """Records of edges, in the same order."""
        return tuple(self.edge(edge) for edge in edges)

    def symbol(self, node: SymbolRef | DerivedNode | str) -> str:
        """How people write a node."""
        if isinstance(node, DerivedNode) and node.in_document:
            return f"{node.file}:{node.name}"
        return end_name(self._snapshot, node)

    def position(self, path: FilePath, offset: int) -> SourcePosition:
        """Line and column of a byte offset."""
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = line_index(self._snapshot, path)
        if isinstance(lines, LineIndex):
            line, column = lines.position(offset, "utf-32")
        else:
            line, column = lines.line_column(min(max(offset, 0), lines.size))
        return SourcePosition(path, line + 1, column + 1)

    def _id(self, node: SymbolRef | DerivedNode | str) -> str:
        return end_id(self._snapshot, node)


def line_index(snapshot: Snapshot, path: FilePath) -> FileFacts | LineIndex:
    """Lines of a file: its facts where every character is one byte, else an index over the text."""
    facts = snapshot.facts(path) if snapshot.shards[path].language else None
    if facts is not None and facts.ascii:
        return facts
    text = snapshot.text(path)
    if text is None:
        return facts if facts is not None else LineIndex(b"")
    return LineIndex(text)


def _node_view(record: Node, symbol: str, position: SourcePosition | None, last: int | None) -> NodeView:
    return NodeView(
        id=record.id,
        symbol=symbol,
        kind=record.kind,
        subkind=record.subkind,
        name=record.name,
        file=record.file,
        line=position.line if position else None,
        column=position.column if position else None,
        end_line=last,
        signature=record.signature,
        doc=record.doc,
        visibility=record.visibility,
        provenance=record.provenance,
    )
