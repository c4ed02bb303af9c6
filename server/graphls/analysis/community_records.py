"""Community records: files that belong together as nodes of the graph.

Owns: the node `community`, edges `member_of`.
Must not know: how communities are found, encoding.
Invariant: a community is marked as derived and named by its first file; every member has one edge to it.
"""

from __future__ import annotations

from typing import Final

import attrs

from graphls.analysis.communities import Community, FileCommunities
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import node_id
from graphls.graph.records import Node
from graphls.graph.snapshot import Snapshot, SymbolRef

KIND: Final = "community"
_DERIVED: Final = "derived_advisory"


def community_nodes(snapshot: Snapshot, found: FileCommunities, *, history: bool) -> tuple[AttachedNode, ...]:
    """Communities as an export takes them in. `history`: they rest on common commits too."""
    return tuple(_attached(snapshot, one, history=history) for one in found.communities)


def _attached(snapshot: Snapshot, one: Community, *, history: bool) -> AttachedNode:
    id, central = format_id("n", digest_of("", one.name, KIND)), dict(one.central)
    node = Node(
        id=id,
        kind=KIND,
        name=one.name,
        qualified_name=one.name,
        provenance=_DERIVED,
        attributes={
            "inputs": ["imports", "git"] if history else ["imports"],
            "size": len(one.members),
            "cohesion": one.cohesion,
            "central": list(central),
            "ties": [
                {"one": tie.one, "other": tie.other, "imports": tie.imports, "changes": tie.changes,
                 "weight": tie.weight}
                for tie in one.ties
            ],
        },
    )  # fmt: skip
    ties: list[AttachedEdge] = []
    for path in one.members:
        place = SymbolRef(path, -1)
        edge = plain_edge(node_id(snapshot, place), id, "member_of", _DERIVED)
        if path in central:
            edge = attrs.evolve(edge, attributes={"weight": central[path]})
        ties.append(AttachedEdge(edge, KIND, place))
    return AttachedNode(node, ties)
