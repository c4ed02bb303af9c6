"""Decision records: decisions as nodes of the graph, and edges with what they govern.

Owns: the attributes of a `decision_record`, the edges `governed_by` and `rationale_for`.
Must not know: how decisions are found, encoding.
Invariant: every place that a decision governs has one edge each way.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphls.analysis.decisions import Decision
from graphls.analysis.finding import Evidence
from graphls.analysis.records import range_of
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import node_id
from graphls.graph.records import Node
from graphls.graph.snapshot import Snapshot, SymbolRef

KIND = "decision_record"
_PROVENANCE = "manifest_declared"


def decision_nodes(snapshot: Snapshot, found: Iterable[Decision]) -> tuple[AttachedNode, ...]:
    """Decisions as an export takes them in."""
    return tuple(_attached(snapshot, one) for one in found)


def _attached(snapshot: Snapshot, one: Decision) -> AttachedNode:
    where = range_of(snapshot, Evidence(one.file, one.start, one.start, ""))
    node = Node(
        id=one.id,
        kind=KIND,
        subkind=one.source,
        name=one.title,
        qualified_name=one.title,
        module=snapshot.module_name(one.file).dotted,
        file=one.file,
        range=where,
        full_range=where,
        provenance=_PROVENANCE,
        attributes={"status": one.status, "rationale": one.rationale, "lost": list(one.lost)},
    )
    owner = SymbolRef(one.file, -1)
    ties = [AttachedEdge(plain_edge(node_id(snapshot, owner), one.id, "contains", _PROVENANCE), KIND, owner)]
    for place in one.governs:
        code = node_id(snapshot, place)
        ties.append(AttachedEdge(plain_edge(code, one.id, "governed_by", _PROVENANCE), KIND, place))
        ties.append(AttachedEdge(plain_edge(one.id, code, "rationale_for", _PROVENANCE), KIND, place))
    return AttachedNode(node, ties)
