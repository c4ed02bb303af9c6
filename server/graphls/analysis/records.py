"""Records: findings as nodes of the graph, and edges from what they rest on.

Owns: the attributes of an `architecture_finding`, the `evidences` edges.
Must not know: encoding, who reads the records.
Invariant: every finding has an edge from each place it cites; all of it is marked as derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphls.analysis.finding import Evidence, Finding
from graphls.facts.paths import FilePath
from graphls.graph.identity import edge_id, node_id
from graphls.graph.node_records import file_id
from graphls.graph.records import Edge, Json, Node, Range, Site
from graphls.graph.snapshot import Snapshot

DERIVED = "derived_advisory"
_CONFIDENCE: Mapping[str, float] = {"high": 0.9, "medium": 0.6, "low": 0.3}


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


def evidence_edges(snapshot: Snapshot, finding: Finding) -> Iterator[Edge]:
    """One edge from each cited node to the finding, with all its sites."""
    sites: dict[str, list[Evidence]] = {}
    for evidence in finding.evidence:
        sites.setdefault(_source(snapshot, evidence), []).append(evidence)
    for source, cited in sorted(sites.items()):
        yield Edge(
            id=edge_id(source, finding.id, "evidences", DERIVED),
            kind="evidences",
            source=source,
            target=finding.id,
            provenance=DERIVED,
            confidence=_CONFIDENCE[finding.confidence],
            sites=tuple(Site(evidence.file, range_of(snapshot, evidence)) for evidence in cited[:20]),
            site_count=len(cited),
            attributes={"notes": [evidence.note for evidence in cited[:20]]},
        )


def range_of(snapshot: Snapshot, evidence: Evidence) -> Range:
    """Lines and byte columns of a piece of evidence."""
    facts = snapshot.facts(evidence.file)
    return (*facts.line_column(evidence.start), *facts.line_column(evidence.end))


def _source(snapshot: Snapshot, evidence: Evidence) -> str:
    if evidence.place is None:
        return file_id(snapshot, FilePath(evidence.file))
    return node_id(snapshot, evidence.place)


def _attributes(finding: Finding) -> dict[str, Json]:
    return {
        "rule": finding.rule,
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
        "evidence_tier": finding.evidence_tier,
    }
