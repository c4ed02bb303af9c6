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
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.diagnoses import diagnostic_counts
from graphls.graph.edge_refs import EdgeRef, Node, edge_of_ref, key_of
from graphls.graph.edge_table import edge_properties, site_count
from graphls.graph.edges import RawEdge, Site, edges_of, edges_to
from graphls.graph.errors import UnknownSymbol
from graphls.graph.evidence import SiteEvidence
from graphls.graph.identity import edge_id, end_id, end_name, external_id, node_id
from graphls.graph.node_records import external_kind
from graphls.graph.records import Edge as EdgeRecord
from graphls.graph.records import Node as NodeRecord
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import external_name, module_title
from graphls.graph.verification import VerificationResult
from graphls.lsp.messages import AffectedJson, CauseView, EdgeJson, NextStep, NodeJson, OpenUseView, VerificationView
from graphls.lsp.to_proto import FileHome, ToProto
from graphls.queries.answer import Answer, Coverage, Next, answer
from graphls.queries.completeness import Completeness, OpenSite, OpenUse, open_sites
from graphls.queries.impact import AffectedNode
from graphls.queries.open_uses import open_uses
from graphls.queries.symbol_lookup import one_symbol

MAX_SITES = 20
MAX_UNRESOLVED = 2_000
_TRUTH = {False: "false", True: "true"}
_dumped = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_EdgeFields: TypeAlias = "tuple[str, str, str | None, float, bool, Mapping[str, object]]"
"""Kind, provenance, resolution, confidence, whether it is ambiguous, attributes."""
_WHOLE = Coverage()
_USE = Next()


def envelope(snapshot: Snapshot, coverage: Coverage = _WHOLE, following: Next = _USE) -> dict[str, Any]:
    """The fields of `AnswerEnvelope`."""
    return answered(answer(snapshot, coverage, following))


def completeness_data(snapshot: Snapshot, lacking: Completeness) -> dict[str, Any]:
    """What an item of a hierarchy carries: the protocol has no other place for it."""
    envelope = answer(snapshot, Coverage(completeness=lacking))
    causes = [{"cause": str(gap.cause), "direction": gap.direction, "count": gap.count} for gap in envelope.causes]
    return {"complete": envelope.complete, "causes": causes, "unresolvedSites": envelope.unresolved_sites}


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
    """The fields of `AnswerEnvelope`."""
    return {
        "snapshot": found.snapshot,
        "revision": found.revision,
        "fresh": found.fresh,
        "pending": tuple(found.pending),
        "pending_count": found.pending_count,
        "complete": found.complete,
        "causes": tuple(
            CauseView(cause=str(one.cause), direction=one.direction, count=one.count, shown=one.shown)
            for one in found.causes
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
            reason=found.next.reason or None,
        ),
        "verification": _verification(found.verification),
    }


def _verification(verification: VerificationResult | None) -> VerificationView | None:
    if verification is None:
        return None
    return VerificationView(
        checked=verification.checked, left_out=verification.left_out, reason=verification.reason or None
    )


def id_of(snapshot: Snapshot, node: Node) -> str:
    """Id of a place or of something outside."""
    return end_id(snapshot, node)


def node_view(proto: ToProto, node: Node, depth: int | None = None) -> NodeJson:
    """A node."""
    members = _node(proto, node)
    return NodeJson(f"{{{members}}}" if depth is None else f'{{{members},"depth":{depth}}}')


def _node(proto: ToProto, node: Node) -> str:
    if isinstance(node, str):
        kind, name = external_kind(proto.snapshot, node), external_name(node)
        return _members({"id": external_id(node), "kind": kind, "name": name, "symbol": node})
    home = proto.home(node.file)
    if isinstance(node, DerivedNode):
        return _derived(proto, node, home)
    if not home.language:
        name = node.file.rpartition("/")[2]
        return _members({"id": node_id(proto.snapshot, node), "kind": "file", "name": name, "symbol": node.file})
    nodes, lines = proto.nodes(node.file)
    row, whole = nodes.summary(node.definition), node.definition == NONE
    last = proto.snapshot.shards[node.file].size if whole else row.full_end
    name = module_title(home.module, node.file) if whole else row.name
    symbol = home.prefix if whole else f"{home.prefix}:{row.qualified}"
    uri = "" if home.uri else f',"uri":{quoted(proto.uri(node.file, row.start))}'
    made = (
        f'"id":"{proto.id_in(nodes, node)}","kind":"{row.kind}","name":{quoted(name)},"symbol":{quoted(symbol)},'
        f'{home.written}{uri},"range":{proto.written(lines, row.start, row.end)},'
        f'"fullRange":{proto.written(lines, row.full_start, last)}'
    )
    if row.subkind:
        made += f',"subkind":"{row.subkind}"'
    if row.signature is not None:
        made += f',"signature":{quoted(row.signature)}'
    return f'{made},"doc":{quoted(row.doc)}' if row.doc else made


def _derived(proto: ToProto, node: DerivedNode, home: FileHome) -> str:
    path = node.file
    made: dict[str, object] = {
        "id": proto.id_of(node),
        "kind": node.kind,
        "name": node.name,
        "symbol": end_name(proto.snapshot, node),
        "package": home.package,
        "file": path,
        "uri": proto.uri(path, node.start),
        "range": proto.stretch(path, node.start, node.end),
        "fullRange": proto.stretch(path, node.full_start, node.full_end),
    }
    if node.subkind:
        made["subkind"] = node.subkind
    if home.language:
        made["module"], made["language"] = home.module, home.language
    return _members(made)


def affected_views(proto: ToProto, affected: Sequence[AffectedNode]) -> list[AffectedJson]:
    """Nodes that a change may reach, each with how much is wrong with it."""
    wrong = diagnostic_counts(proto.snapshot, (one.node for one in affected))
    return [_affected(proto, one, wrong.get(one.node, 0)) for one in affected]


def _affected(proto: ToProto, reached: AffectedNode, wrong: int) -> AffectedJson:
    more = f',"diagnostics":{wrong}' if wrong else ""
    return AffectedJson(
        f'{{"node":{{{_node(proto, reached.node)}}},"depth":{reached.depth},"confidence":{reached.confidence!r},'
        f'"via":"{reached.via}","test":{_TRUTH[reached.test]},"possible":{_TRUTH[reached.possible]}{more}}}'
    )


def edge_view(proto: ToProto, edge: RawEdge, *, sites: bool) -> EdgeJson:
    """An edge."""
    fields = (edge.kind, edge.provenance, edge.resolution, edge.confidence, edge.ambiguous, edge.attributes)
    ends = proto.id_of(key_of(edge.source)), proto.id_of(key_of(edge.target))
    site_json = (
        [_site(proto, *pair, apart=bool(edge.site_evidence)) for pair in islice(edge.sites_with_evidence(), MAX_SITES)]
        if sites
        else None
    )
    return _edge(proto, ends, fields, len(edge.sites), site_json)


def _site(proto: ToProto, site: Site, how: SiteEvidence, *, apart: bool) -> Mapping[str, object]:
    """`apart`: the sites of the edge are not all alike."""
    spelled = proto.spelled(*site)
    return {**spelled, **how._asdict()} if apart else spelled


def record_view(proto: ToProto, node: NodeRecord, depth: int) -> NodeJson:
    """A node that no place stands for, as its record says."""
    value: dict[str, object] = {
        "id": node.id, "kind": node.kind, "name": node.name, "symbol": node.qualified_name or node.name,
        **({"subkind": node.subkind} if node.subkind else {}), **({"doc": node.doc} if node.doc else {}),
        "attributes": node.attributes, "depth": depth,
    }  # fmt: skip
    if node.file is not None:
        value |= {"file": node.file, "uri": proto.uris.uri(FilePath(node.file))}
    return NodeJson(f"{{{_members(value)}}}")


def edge_record_view(proto: ToProto, edge: EdgeRecord) -> EdgeJson:
    """An edge, as its record says."""
    fields = (edge.kind, edge.provenance, edge.resolution, edge.confidence, edge.ambiguous, edge.attributes)
    return _edge(proto, (edge.source, edge.target), fields, edge.site_count, None)


def edge_ref_view(proto: ToProto, lead: EdgeRef, *, sites: bool) -> EdgeJson:
    """The edge that a lead leads to; one that nobody made is not made for this."""
    table = lead.origin
    if sites or isinstance(table, RawEdge):
        return edge_view(proto, edge_of_ref(proto.snapshot, lead), sites=sites)
    fields = edge_properties(table)[table.rows.saying[lead.row]]
    ends = proto.id_of(lead.source_key), proto.id_of(lead.target_key)
    return _edge(proto, ends, fields[:6], site_count(table, lead.row), None)


def _edge(
    proto: ToProto, ends: tuple[str, str], fields: _EdgeFields, count: int, sites: Sequence[Mapping[str, object]] | None
) -> EdgeJson:
    source, target = ends
    kind, provenance, resolution, confidence, ambiguous, attributes = fields
    how = f'"{resolution}"' if resolution else "null"
    made = (
        f'{{"id":"{edge_id(source, target, kind, provenance)}","kind":"{kind}","source":"{source}",'
        f'"target":"{target}","provenance":"{provenance}","resolution":{how},'
        f'"confidence":{confidence!r},"ambiguous":{_TRUTH[ambiguous]},"siteCount":{count},'
        f'"attributes":{_dumped(attributes) if attributes else "{}"}'
    )
    if sites is None:
        return EdgeJson(made + "}")
    return EdgeJson(f'{made},"sites":{_dumped(sites)}}}')


def _members(value: Mapping[str, object]) -> str:
    return _dumped(value)[1:-1]


def ends(edges: Iterable[RawEdge], besides: SymbolRef) -> list[Node]:
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
