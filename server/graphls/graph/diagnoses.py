"""Diagnoses: what is wrong with a text, a module or a line of it, as nodes that are tied to what they are about.

Owns: the node of a diagnostic, its edge `diagnoses`, how many a symbol has, how what other tools say enters a snapshot.
Must not know: who says what is wrong, how logs are read and kept.
Invariant: a diagnostic is of the innermost node that holds its start, with the id and the edge that an export gives it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DIAGNOSTIC, DerivedNode
from graphls.graph.evidence import SYNTAX, RawEdge
from graphls.graph.memo import Memo, MemoTable, share_without_links
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.verification import ReportedProblems

DIAGNOSES: Final = "diagnoses"
_CLEAN: Final = Memo["bool"]("no problems in the text", rests_on_links=False)
_TIES: Final = MemoTable[FilePath, "tuple[RawEdge, ...]"]("diagnoses")
_SEEN: Final = Memo["Snapshot"]("with reports")


def with_reports(snapshot: Snapshot, reports: ReportedProblems | None) -> Snapshot:
    """The same contents, seen with what other tools say of them."""
    if _same(snapshot, reports):
        return snapshot
    known = _SEEN.get(snapshot)
    if known is not None and known.verification_result is snapshot.verification_result and _same(known, reports):
        return known
    seen = attrs.evolve(snapshot, reports=reports)
    share_without_links(snapshot, seen)
    return _SEEN.put(snapshot, seen)


def _same(snapshot: Snapshot, reports: ReportedProblems | None) -> bool:
    before = snapshot.reports
    return reports is before if reports is None or before is None else reports.digest == before.digest


def diagnosis_edges(snapshot: Snapshot, path: FilePath) -> tuple[RawEdge, ...]:
    """From each diagnostic of a file to what it is about, in the order of an export."""
    if _is_clean(snapshot, path):
        return ()
    known = _TIES.of(snapshot)
    if path not in known:
        from graphls.graph.node_records import FileNodes  # a start, where nothing is wrong, does without records

        nodes = FileNodes(snapshot, path)
        known[path] = tuple(_edge(found.node(path), nodes.owner_at(found.start)) for found in nodes.diagnostics())
    return known[path]


def diagnosis_edges_at(snapshot: Snapshot, node: SymbolRef | DerivedNode, *, incoming: bool) -> list[RawEdge]:
    """Those that end, or start, at one node."""
    if isinstance(node, DerivedNode) is incoming or (isinstance(node, DerivedNode) and node.kind != DIAGNOSTIC):
        return []
    found = diagnosis_edges(snapshot, node.file)
    return [edge for edge in found if (edge.target if incoming else edge.source) == node]


def diagnostics_of(snapshot: Snapshot, path: FilePath) -> Sequence[DerivedNode]:
    """The diagnostics of a file, in the order of an export."""
    spend()
    return [edge.source for edge in diagnosis_edges(snapshot, path) if isinstance(edge.source, DerivedNode)]


def diagnostic_counts(
    snapshot: Snapshot, nodes: Iterable[SymbolRef | DerivedNode | str]
) -> Mapping[SymbolRef | DerivedNode | str, int]:
    """How many diagnostics each of these nodes has, without those that have none."""
    wanted = [node for node in dict.fromkeys(nodes) if isinstance(node, SymbolRef)]
    counts: Counter[SymbolRef | DerivedNode | str] = Counter()
    for path in dict.fromkeys(node.file for node in wanted):
        counts.update(edge.target for edge in diagnosis_edges(snapshot, path))
    return {node: counts[node] for node in wanted if counts[node]}


def _is_clean(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether nothing is wrong with a file: most are, and the walks over the graph ask of each node."""
    shard = snapshot.shards[path]
    if snapshot.reports is not None and snapshot.reports.problems(snapshot, path):
        return False
    if not shard.language:
        return True
    if snapshot.verification is not None and snapshot.verification.problems(snapshot, shard):
        return False
    return _CLEAN.once(shard, lambda: not len(snapshot.facts(path).problems))


def _edge(node: DerivedNode, owner: int) -> RawEdge:
    return RawEdge(
        source=node,
        target=SymbolRef(node.file, owner),
        kind=DIAGNOSES,
        provenance=SYNTAX,
        resolution=None,
        confidence=1.0,
        ambiguous=False,
        sites=(),
    )
