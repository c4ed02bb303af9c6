"""Records: findings as nodes of the graph, and edges from what they rest on.

Owns: the attributes of an `architecture_finding`, the `evidences` edges.
Must not know: encoding, who reads the records.
Invariant: every finding has an edge from each place it cites, and one from what it is about; all is marked as derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from graphls.analysis.finding import Evidence, Finding
from graphls.facts.lines import LineIndex
from graphls.graph.edge_records import MAX_SITES, AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import edge_id, node_id
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import lasting_row
from graphls.graph.records import Edge, Json, Node, Range, Site
from graphls.graph.snapshot import Snapshot, SymbolRef

DERIVED = "derived_advisory"
_CONFIDENCE: Mapping[str, float] = {"high": 0.9, "medium": 0.6, "low": 0.3}


def attached_nodes(snapshot: Snapshot, findings: Iterable[Finding]) -> tuple[AttachedNode, ...]:
    """Findings as an export takes them in."""
    made: list[AttachedNode] = []
    for finding in findings:
        node = finding_node(snapshot, finding)
        owner = _place(snapshot, finding.at)
        edge = plain_edge(node_id(snapshot, owner), node.id, "contains", DERIVED)
        ties = [AttachedEdge(edge, node.kind, owner)]
        ties += (AttachedEdge(edge, node.kind, place) for edge, place in evidence_edges(snapshot, finding))
        made.append(AttachedNode(node, ties))
    return tuple(made)


def finding_node(snapshot: Snapshot, finding: Finding) -> Node:
    """The record of one finding; its range is where it is shown."""
    where = range_of(snapshot, finding.at)
    return Node(
        id=finding.id,
        kind="architecture_finding",
        name=finding.rule,
        qualified_name=finding.title,
        module=snapshot.module_name(finding.at.file).dotted,
        file=finding.at.file,
        range=where,
        full_range=where,
        provenance=DERIVED,
        confidence=_CONFIDENCE[finding.confidence],
        attributes=_attributes(finding),
    )


def evidence_edges(snapshot: Snapshot, finding: Finding) -> Iterator[tuple[Edge, SymbolRef]]:
    """One edge from each cited node to the finding, with all its sites."""
    sites: dict[SymbolRef, list[Evidence]] = {}
    for evidence in finding.evidence:
        sites.setdefault(_place(snapshot, evidence), []).append(evidence)
    sure = _CONFIDENCE[finding.confidence]
    for place, cited in sites.items():
        source = node_id(snapshot, place)
        yield (
            Edge(
                id=edge_id(source, finding.id, "evidences", DERIVED),
                kind="evidences",
                source=source,
                target=finding.id,
                provenance=DERIVED,
                confidence=sure,
                sites=tuple(Site(one.file, range_of(snapshot, one), DERIVED, None, sure) for one in cited[:MAX_SITES]),
                site_count=len(cited),
                attributes={"notes": [one.note for one in cited[:MAX_SITES]]},
            ),
            place,
        )


def range_of(snapshot: Snapshot, evidence: Evidence) -> Range:
    """Lines and byte columns of a piece of evidence."""
    if not snapshot.shards[evidence.file].language:
        lines = LineIndex(snapshot.text(evidence.file) or b"")
        return lines.stretch(evidence.start, evidence.end, "utf-8")
    facts = snapshot.facts(evidence.file)
    return (*facts.line_column(evidence.start), *facts.line_column(evidence.end))


def owner_of(snapshot: Snapshot, evidence: Evidence) -> SymbolRef:
    """The innermost symbol that evidence is in; the module or file, where there is none."""
    if not snapshot.shards[evidence.file].language:
        return SymbolRef(evidence.file, -1)
    place = evidence.place
    if place is None or place.file != evidence.file:
        place = SymbolRef(evidence.file, FileNodes(snapshot, evidence.file).owner_at(evidence.start))
    return SymbolRef(place.file, lasting_row(snapshot.facts(place.file), place.definition))


def _place(snapshot: Snapshot, evidence: Evidence) -> SymbolRef:
    """The node that evidence is about; the module, where it names none."""
    place = evidence.place or SymbolRef(evidence.file, -1)
    if not snapshot.shards[place.file].language:
        return SymbolRef(place.file, -1)
    return SymbolRef(place.file, lasting_row(snapshot.facts(place.file), place.definition))


def _review(finding: Finding) -> dict[str, Json]:
    mark = finding.review
    return {} if mark is None else {"review": {"verdict": mark.verdict, "author": mark.author, "reason": mark.reason,
                                               "outdated": mark.outdated}}  # fmt: skip


def _attributes(finding: Finding) -> dict[str, Json]:
    return {
        "rule": finding.rule,
        "tool": finding.tool,
        "category": finding.category,
        "priority": finding.priority,
        "confidence": finding.confidence,
        "title": finding.title,
        "pressure": finding.pressure,
        "suggestions": list(finding.suggestions),
        "risks": list(finding.risks),
        "measures": {
            name: list(value) if isinstance(value, tuple) else value for name, value in finding.measures.items()
        },
        "caveats": list(finding.caveats),
        "status": finding.status,
        "reason": finding.reason,
        **_review(finding),
        "evidence_tier": finding.evidence_tier,
    }
