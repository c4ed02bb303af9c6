"""Coverage records: what reports say of files and functions as records of the graph.

Owns: the node `coverage_report`, edges `covered_by`.
Must not know: formats of reports, encoding.
Invariant: a file or function that no report speaks of has no edge, which is not zero.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.graph.addresses import digest_of, format_id
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import node_id
from graphls.graph.records import Node
from graphls.graph.snapshot import Snapshot
from graphls.queries.coverage import CoveredStretch, WorkspaceCoverage

KIND = "coverage_report"
_OBSERVED = "process_observed"


def coverage_nodes(snapshot: Snapshot, coverage: WorkspaceCoverage) -> tuple[AttachedNode, ...]:
    """All reports together, as they add up: one node, and an edge from each file and function that they speak of."""
    name = ", ".join(coverage.reports)
    report = format_id("n", digest_of("", name, KIND))
    lines = sum(one.file.lines for one in coverage.files.values())
    covered = sum(one.file.covered for one in coverage.files.values())
    ways = [one.file for one in coverage.files.values() if one.file.branches is not None]
    branches = {
        "branches": sum(one.branches or 0 for one in ways),
        "branches_covered": sum(one.branches_covered or 0 for one in ways),
    }
    node = Node(
        id=report,
        kind=KIND,
        name=name,
        qualified_name=name,
        provenance=_OBSERVED,
        attributes={
            "input": "coverage",
            "reports": list(coverage.reports),
            "lines": lines,
            "covered": covered,
            "percent": round(100 * covered / lines, 1) if lines else None,
            **(branches if ways else {}),
            "outside": coverage.outside,
            "outdated": list(coverage.outdated),
        },
    )
    return (AttachedNode(node, tuple(_edges(snapshot, report, coverage))),)


def _edges(snapshot: Snapshot, report: str, coverage: WorkspaceCoverage) -> Iterator[AttachedEdge]:
    for path in sorted(coverage.files):
        found = coverage.files[path]
        for stretch in (found.file, *found.functions):
            yield _edge(snapshot, report, stretch)


def _edge(snapshot: Snapshot, report: str, stretch: CoveredStretch) -> AttachedEdge:
    edge = plain_edge(node_id(snapshot, stretch.place), report, "covered_by", _OBSERVED)
    return AttachedEdge(attrs.evolve(edge, attributes={"input": "coverage", **stretch.measures}), KIND, stretch.place)
