"""Views: nodes, edges and envelopes as own messages.

Owns: one function a message class.
Must not know: how answers were found, requests.
Invariant: ids are those of the records; ranges are in the client's encoding.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphls.facts.columns import NONE
from graphls.graph.derivation import Derived
from graphls.graph.edges import RawEdge, edges_of, edges_to
from graphls.graph.errors import UnknownSymbol
from graphls.graph.identity import edge_id, end_id, end_name, external_id, node_id, symbol_name
from graphls.graph.leads import Node
from graphls.graph.nodes import kind_of
from graphls.graph.snapshot import Place, Snapshot
from graphls.graph.verification import Settlement
from graphls.lsp.messages import AffectedView, EdgeView, NextStep, NodeView, VerificationView
from graphls.lsp.to_proto import ToProto
from graphls.queries.answer import Answer, Coverage, Next, answer
from graphls.queries.definition import location
from graphls.queries.impact import Affected
from graphls.queries.named import one_symbol

MAX_SITES = 20
_WHOLE = Coverage()
_USE = Next()


def envelope(snapshot: Snapshot, coverage: Coverage = _WHOLE, following: Next = _USE) -> dict[str, Any]:
    """The fields of `Answered`."""
    return answered(answer(snapshot, coverage, following))


def answered(found: Answer) -> dict[str, Any]:
    """The fields of `Answered`."""
    return {
        "snapshot": found.snapshot,
        "revision": found.revision,
        "fresh": found.fresh,
        "pending": tuple(found.pending),
        "pending_count": found.pending_count,
        "complete": found.complete,
        "unresolved_sites": found.unresolved_sites,
        "truncated": found.truncated,
        "omitted": found.omitted,
        "cursor": found.cursor or None,
        "next": NextStep(
            kind=found.next.kind,
            request=found.next.request or None,
            symbol=found.next.symbol or None,
            candidates=found.next.candidates,
        ),
        "verification": _verification(found.verification),
    }


def _verification(said: Settlement | None) -> VerificationView | None:
    if said is None:
        return None
    return VerificationView(checked=said.checked, left_out=said.left_out, reason=said.reason or None)


def id_of(snapshot: Snapshot, node: Node) -> str:
    """Id of a place or of something outside."""
    return end_id(snapshot, node)


def node_view(proto: ToProto, node: Node, depth: int | None = None) -> NodeView:
    """A node."""
    if isinstance(node, str):
        name = node.rpartition(".")[2]
        return NodeView(id=external_id(node), kind="external", name=name, symbol=node, depth=depth)
    snapshot = proto.snapshot
    if isinstance(node, Derived):
        return _derived_view(proto, node, depth)
    if not snapshot.shards[node.file].language:
        name = node.file.rpartition("/")[2]
        return NodeView(id=node_id(snapshot, node), kind="file", name=name, symbol=node.file, depth=depth)
    facts = snapshot.facts(node.file)
    rows, row = facts.definitions, node.definition
    kind, where = kind_of(facts, node.file, row), location(snapshot, node)
    signature = rows.signature[row] if row != NONE else NONE
    doc = facts.doc if row == NONE else facts.strings[rows.doc[row]] if rows.doc[row] != NONE else ""
    module = snapshot.module_name(node.file).dotted
    return NodeView(
        id=proto.id_of(node),
        kind=kind.kind,
        subkind=kind.subkind or None,
        name=module.rpartition(".")[2] if row == NONE else facts.strings[rows.name[row]],
        symbol=symbol_name(snapshot, node),
        module=module,
        package=snapshot.package_of(node.file),
        language=snapshot.shards[node.file].language,
        file=node.file,
        uri=proto.uris.uri(node.file),
        range=proto.positions.range(node.file, where.start, where.end),
        full_range=proto.positions.range(node.file, where.full_start, where.full_end),
        signature=facts.strings[signature] if signature != NONE else None,
        doc=doc or None,
        depth=depth,
    )


def _derived_view(proto: ToProto, node: Derived, depth: int | None) -> NodeView:
    snapshot, path = proto.snapshot, node.file
    return NodeView(
        id=end_id(snapshot, node),
        kind=node.kind,
        subkind=node.subkind or None,
        name=node.name,
        symbol=end_name(snapshot, node),
        module=snapshot.module_name(path).dotted if snapshot.shards[path].language else None,
        package=snapshot.package_of(path),
        language=snapshot.shards[path].language or None,
        file=path,
        uri=proto.uris.uri(path),
        range=proto.positions.range(path, node.start, node.end),
        full_range=proto.positions.range(path, node.full_start, node.full_end),
        depth=depth,
    )


def affected_view(proto: ToProto, reached: Affected) -> AffectedView:
    """A node that a change may reach."""
    names = ("depth", "confidence", "via", "test", "possible")
    return AffectedView(node=node_view(proto, reached.node), **{name: getattr(reached, name) for name in names})


def edge_view(proto: ToProto, edge: RawEdge, *, sites: bool) -> EdgeView:
    """An edge."""
    source, target = proto.id_of(edge.source), proto.id_of(edge.target)
    return EdgeView(
        id=edge_id(source, target, edge.kind, edge.provenance),
        kind=edge.kind,
        source=source,
        target=target,
        provenance=edge.provenance,
        resolution=edge.resolution,
        confidence=edge.confidence,
        ambiguous=edge.ambiguous,
        site_count=len(edge.sites),
        sites=[proto.location(*site) for site in edge.sites[:MAX_SITES]] if sites else None,
        attributes=dict(edge.attributes),
    )


def ends(edges: Iterable[RawEdge], besides: Place) -> list[Node]:
    """Nodes at the ends of edges, each once, without one."""
    found: dict[Node, None] = {}
    for edge in edges:
        found.update({edge.source: None, edge.target: None})
    found.pop(besides, None)
    return list(found)


def found_edge(snapshot: Snapshot, node: str, edge: str) -> RawEdge:
    """The edge of an id, among those that touch a node. Raises UnknownSymbol."""
    place = one_symbol(snapshot, node)
    for known in (*edges_of(snapshot, place), *edges_to(snapshot, place)):
        ends_of = id_of(snapshot, known.source), id_of(snapshot, known.target)
        if edge_id(*ends_of, known.kind, known.provenance) == edge:
            return known
    raise UnknownSymbol(edge)
