"""Process records: chains of calls from entries as nodes of the graph.

Owns: the node `process`, edges `step_of`, ids of chains.
Must not know: how chains are found, encoding.
Invariant: a chain is marked as derived, with its confidence and rule; the order of its steps stands on their edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from graphls.graph.addresses import digest_of, format_id
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.export import AttachedNode
from graphls.graph.identity import end_id, range_of
from graphls.graph.records import Json, Node
from graphls.graph.snapshot import Snapshot
from graphls.queries.processes import (
    MAX_DEPTH,
    MOST_BRANCHES,
    Place,
    Process,
    ProcessesAnswer,
    files_of,
    process_name,
)

KIND: Final = "process"
PROCESS_RULE: Final = f"calls of at least half confidence, {MOST_BRANCHES} branches, {MAX_DEPTH} steps"
_DERIVED: Final = "derived_advisory"


def process_id(snapshot: Snapshot, process: Process) -> str:
    """Made of the steps."""
    return format_id("n", digest_of(KIND, *(end_id(snapshot, step.place) for step in process.steps)))


def passed_communities(process: Process, communities: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the communities whose files a chain passes, in order. `communities`: by path."""
    return tuple(dict.fromkeys(communities[path] for path in files_of(process) if path in communities))


def process_nodes(
    snapshot: Snapshot, found: ProcessesAnswer, communities: Mapping[str, str] | None
) -> tuple[AttachedNode, ...]:
    """Chains as an export takes them in."""
    truncated = found.coverage.truncated or found.cut > 0
    return tuple(_attached(snapshot, one, communities, truncated=truncated) for one in found.processes)


def _attached(
    snapshot: Snapshot, one: Process, communities: Mapping[str, str] | None, *, truncated: bool
) -> AttachedNode:
    id, entry = process_id(snapshot, one), one.entry
    steps = [end_id(snapshot, step.place) for step in one.steps]
    attributes: dict[str, Json] = {
        "declared": one.declared,
        "entry": steps[0],
        "end": steps[-1],
        "steps": steps,
        "confidence": "product",
        "derivation": {"rule": PROCESS_RULE, "truncated": truncated},
    }
    if communities is not None:
        passed = passed_communities(one, communities)
        attributes |= {"communities": list(passed), "type": "cross_community" if len(passed) > 1 else "intra_community"}
    where = range_of(snapshot, entry.file, *_span(snapshot, entry))
    node = Node(
        id=id,
        kind=KIND,
        name=process_name(snapshot, one),
        qualified_name=process_name(snapshot, one),
        file=entry.file,
        range=where,
        full_range=where,
        provenance=_DERIVED,
        confidence=one.confidence,
        attributes=attributes,
    )
    ties = [
        AttachedEdge(
            attrs.evolve(
                plain_edge(step, id, "step_of", _DERIVED),
                confidence=made.confidence,
                attributes={"order": order, "by": made.kind, "possible": made.possible},
            ),
            KIND,
            made.place,
        )
        for order, (step, made) in enumerate(zip(steps, one.steps, strict=True))
    ]
    return AttachedNode(node, ties)


def _span(snapshot: Snapshot, place: Place) -> tuple[int, int]:
    if isinstance(place, DerivedNode):
        return place.start, place.end
    table = snapshot.facts(place.file).definitions
    return table.start[place.definition], table.end[place.definition]
