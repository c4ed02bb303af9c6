"""Views: nodes, edges and envelopes as own messages.

Owns: one function a message class.
Must not know: how answers were found, requests.
Invariant: ids are those of the records; ranges are in the client's encoding.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, TypeAlias

from graphls.facts.columns import NONE
from graphls.graph.derivation import Derived
from graphls.graph.edge_table import said_in, site_count
from graphls.graph.edges import RawEdge, Site, edges_of, edges_to
from graphls.graph.errors import UnknownSymbol
from graphls.graph.evidence import SiteEvidence
from graphls.graph.identity import edge_id, end_id, end_name, external_id, node_id
from graphls.graph.leads import Lead, Node, edge_of_lead, key_of
from graphls.graph.node_records import external_kind
from graphls.graph.snapshot import Place, Snapshot
from graphls.graph.spelling import external_name, module_title
from graphls.graph.verification import Settlement
from graphls.lsp.messages import (
    AffectedView,
    CauseView,
    EdgeView,
    NextStep,
    NodeView,
    OpenUseView,
    VerificationView,
)
from graphls.lsp.to_proto import Home, ToProto
from graphls.queries.answer import Answer, Coverage, Next, answer
from graphls.queries.completeness import Completeness, OpenSite, open_sites
from graphls.queries.impact import Affected
from graphls.queries.named import one_symbol
from graphls.queries.open_uses import OpenUse, open_uses

MAX_SITES = 20
MAX_UNRESOLVED = 2_000
_TRUTH = {False: "false", True: "true"}
_dumped = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_Said: TypeAlias = "tuple[str, str, str | None, float, bool, Mapping[str, object]]"
"""Kind, provenance, resolution, confidence, whether it is ambiguous, attributes."""
_WHOLE = Coverage()
_USE = Next()


def envelope(snapshot: Snapshot, coverage: Coverage = _WHOLE, following: Next = _USE) -> dict[str, Any]:
    """The fields of `Answered`."""
    return answered(answer(snapshot, coverage, following))


def completeness_data(snapshot: Snapshot, lacking: Completeness) -> dict[str, Any]:
    """What an item of a hierarchy carries: the protocol has no other place for it."""
    said = answer(snapshot, Coverage(completeness=lacking))
    causes = [{"cause": str(gap.cause), "direction": gap.direction, "count": gap.count} for gap in said.causes]
    return {"complete": said.complete, "causes": causes, "unresolvedSites": said.unresolved_sites}


def listing(proto: ToProto, coverage: Coverage, most: int) -> dict[str, Any]:
    """The same, with at most so many of the uses that may belong to the answer."""
    made = envelope(proto.snapshot, coverage)
    most = min(max(most, 0), MAX_UNRESOLVED)
    if most and coverage.unresolved_sites:
        uses = open_uses(proto.snapshot, coverage.claim, most)
        sites = open_sites(proto.snapshot, coverage.claim)
        made["unresolved"] = tuple(_open_use(proto, use, site) for use, site in zip(uses, sites, strict=False))
    return made


def _open_use(proto: ToProto, use: OpenUse, site: OpenSite) -> OpenUseView:
    return OpenUseView(
        cause=use.cause,
        direction=use.direction,
        name=use.name,
        file=use.file,
        location=proto.location(site.file, site.start, site.end),
        text=use.text,
        owner=use.owner,
        candidates=use.candidates,
        candidate_count=use.candidate_count,
    )


def answered(found: Answer) -> dict[str, Any]:
    """The fields of `Answered`."""
    return {
        "snapshot": found.snapshot,
        "revision": found.revision,
        "fresh": found.fresh,
        "pending": tuple(found.pending),
        "pending_count": found.pending_count,
        "complete": found.complete,
        "causes": tuple(
            CauseView(cause=str(one.cause), direction=one.direction, count=one.count) for one in found.causes
        ),
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
    members = _node(proto, node)
    return NodeView(f"{{{members}}}" if depth is None else f'{{{members},"depth":{depth}}}')


def _node(proto: ToProto, node: Node) -> str:
    if isinstance(node, str):
        kind, name = external_kind(proto.snapshot, node), external_name(node)
        return _members({"id": external_id(node), "kind": kind, "name": name, "symbol": node})
    home = proto.home(node.file)
    if isinstance(node, Derived):
        return _derived(proto, node, home)
    if not home.language:
        name = node.file.rpartition("/")[2]
        return _members({"id": node_id(proto.snapshot, node), "kind": "file", "name": name, "symbol": node.file})
    nodes, lines = proto.nodes(node.file)
    said, whole = nodes.shown(node.definition), node.definition == NONE
    last = proto.snapshot.shards[node.file].size if whole else said.full_end
    name = module_title(home.module, node.file) if whole else said.name
    symbol = home.prefix if whole else f"{home.prefix}:{said.qualified}"
    made = (
        f'"id":"{proto.id_in(nodes, node)}","kind":"{said.kind}","name":{quoted(name)},"symbol":{quoted(symbol)},'
        f'{home.written},"range":{proto.written(lines, said.start, said.end)},'
        f'"fullRange":{proto.written(lines, said.full_start, last)}'
    )
    if said.subkind:
        made += f',"subkind":"{said.subkind}"'
    if said.signature is not None:
        made += f',"signature":{quoted(said.signature)}'
    return f'{made},"doc":{quoted(said.doc)}' if said.doc else made


def _derived(proto: ToProto, node: Derived, home: Home) -> str:
    path = node.file
    made: dict[str, object] = {
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
    return _members(made)


def affected_view(proto: ToProto, reached: Affected) -> AffectedView:
    """A node that a change may reach."""
    return AffectedView(
        f'{{"node":{{{_node(proto, reached.node)}}},"depth":{reached.depth},"confidence":{reached.confidence!r},'
        f'"via":"{reached.via}","test":{_TRUTH[reached.test]},"possible":{_TRUTH[reached.possible]}}}'
    )


def edge_view(proto: ToProto, edge: RawEdge, *, sites: bool) -> EdgeView:
    """An edge."""
    said = (edge.kind, edge.provenance, edge.resolution, edge.confidence, edge.ambiguous, edge.attributes)
    ends = proto.id_of(key_of(edge.source)), proto.id_of(key_of(edge.target))
    shown = [_site(proto, *pair, apart=bool(edge.each)) for pair in islice(edge.sited(), MAX_SITES)] if sites else None
    return _edge(proto, ends, said, len(edge.sites), shown)


def _site(proto: ToProto, site: Site, how: SiteEvidence, *, apart: bool) -> Mapping[str, object]:
    """`apart`: the sites of the edge are not all alike."""
    spelled = proto.spelled(*site)
    return {**spelled, **how._asdict()} if apart else spelled


def lead_view(proto: ToProto, lead: Lead, *, sites: bool) -> EdgeView:
    """The edge that a lead leads to; one that nobody made is not made for this."""
    table = lead.held
    if sites or isinstance(table, RawEdge):
        return edge_view(proto, edge_of_lead(proto.snapshot, lead), sites=sites)
    said = said_in(table)[table.rows.saying[lead.row]]
    ends = proto.id_of(lead.source_key), proto.id_of(lead.target_key)
    return _edge(proto, ends, said[:6], site_count(table, lead.row), None)


def _edge(
    proto: ToProto, ends: tuple[str, str], said: _Said, count: int, sites: Sequence[Mapping[str, object]] | None
) -> EdgeView:
    source, target = ends
    kind, provenance, resolution, confidence, ambiguous, attributes = said
    how = f'"{resolution}"' if resolution else "null"
    made = (
        f'{{"id":"{edge_id(source, target, kind, provenance)}","kind":"{kind}","source":"{source}",'
        f'"target":"{target}","provenance":"{provenance}","resolution":{how},'
        f'"confidence":{confidence!r},"ambiguous":{_TRUTH[ambiguous]},"siteCount":{count},'
        f'"attributes":{_dumped(attributes) if attributes else "{}"}'
    )
    if sites is None:
        return EdgeView(made + "}")
    return EdgeView(f'{made},"sites":{_dumped(sites)}}}')


def _members(value: Mapping[str, object]) -> str:
    return _dumped(value)[1:-1]


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
