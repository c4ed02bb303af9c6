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
from graphls.graph.identity import edge_id, end_id, end_name, external_id, node_id
from graphls.graph.leads import Node
from graphls.graph.node_table import shown
from graphls.graph.snapshot import Place, Snapshot
from graphls.graph.verification import Settlement
from graphls.lsp.messages import AffectedView, EdgeView, NextStep, NodeView, VerificationView
from graphls.lsp.to_proto import Home, ToProto
from graphls.queries.answer import Answer, Coverage, Next, answer
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
    made = _node_view(proto, node)
    if depth is not None:
        made["depth"] = depth
    return made


def _node_view(proto: ToProto, node: Node) -> NodeView:
    if isinstance(node, str):
        name = node.rpartition(".")[2]
        return {"id": external_id(node), "kind": "external", "name": name, "symbol": node}
    home = proto.home(node.file)
    if isinstance(node, Derived):
        return _derived_view(proto, node, home)
    if not home.language:
        name = node.file.rpartition("/")[2]
        return {"id": node_id(proto.snapshot, node), "kind": "file", "name": name, "symbol": node.file}
    said, path, whole = shown(proto.snapshot, node), node.file, node.definition == NONE
    last = proto.snapshot.shards[path].size if whole else said.full_end
    made: NodeView = {
        "id": proto.id_of(node),
        "kind": said.kind,
        "name": home.module.rpartition(".")[2] if whole else said.name,
        "symbol": home.prefix if whole else f"{home.prefix}:{said.qualified}",
        "module": home.module,
        "package": home.package,
        "language": home.language,
        "file": path,
        "uri": home.uri,
        "range": proto.stretch(path, said.start, said.end),
        "fullRange": proto.stretch(path, said.full_start, last),
    }
    if said.subkind:
        made["subkind"] = said.subkind
    if said.signature is not None:
        made["signature"] = said.signature
    if said.doc:
        made["doc"] = said.doc
    return made


def _derived_view(proto: ToProto, node: Derived, home: Home) -> NodeView:
    path = node.file
    made: NodeView = {
        "id": proto.id_of(node),
        "kind": node.kind,
        "name": node.name,
        "symbol": end_name(proto.snapshot, node),
        "package": home.package,
        "file": path,
        "uri": home.uri,
        "range": proto.stretch(path, node.start, node.end),
        "fullRange": proto.stretch(path, node.full_start, node.full_end),
    }
    if node.subkind:
        made["subkind"] = node.subkind
    if home.language:
        made["module"], made["language"] = home.module, home.language
    return made


def affected_view(proto: ToProto, reached: Affected) -> AffectedView:
    """A node that a change may reach."""
    names = ("depth", "confidence", "via", "test", "possible")
    return AffectedView(node=node_view(proto, reached.node), **{name: getattr(reached, name) for name in names})


def edge_view(proto: ToProto, edge: RawEdge, *, sites: bool) -> EdgeView:
    """An edge."""
    source, target = proto.id_of(edge.source), proto.id_of(edge.target)
    made: EdgeView = {
        "id": edge_id(source, target, edge.kind, edge.provenance),
        "kind": edge.kind,
        "source": source,
        "target": target,
        "provenance": edge.provenance,
        "resolution": edge.resolution,
        "confidence": edge.confidence,
        "ambiguous": edge.ambiguous,
        "siteCount": len(edge.sites),
        "attributes": edge.attributes,
    }
    if sites:
        made["sites"] = [proto.spelled(*site) for site in edge.sites[:MAX_SITES]]
    return made


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
