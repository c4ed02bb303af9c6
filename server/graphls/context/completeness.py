"""Completeness: what a pack can say about being all there is.

Owns: the claim of a pack, and what it lacks.
Must not know: how code is ranked, formats, faces.
Invariant: a pack is complete only where it was asked for symbols alone and holds all that they are linked to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.graph.edge_refs import EdgeRef, is_structure, node_of
from graphls.graph.edges import edge_refs_at
from graphls.graph.identity import node_id
from graphls.graph.node_table import is_import
from graphls.graph.nodes import container
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import Cause, Completeness, CoverageClaim, Gap
from graphls.queries.impact import only_brings

Lines: TypeAlias = "tuple[int, int]"
"""First and last, counted from 1."""


def pack_coverage(
    snapshot: Snapshot, places: Collection[SymbolRef], items: Mapping[str, Lines], *, needs_ranking: bool, omitted: int
) -> Coverage:
    """What a pack around some places lacks. `items`: ids of what it shows, with the lines; `needs_ranking`: it was also
    asked for what only ranking can find, a task or files."""
    found = coverage_for(snapshot, CoverageClaim(tuple(places), tuple(places)), truncated=omitted > 0, omitted=omitted)
    # A place that both uses and is used is missing once.
    missing: dict[SymbolRef, bool] = {}
    with contextlib.suppress(BudgetSpentError):  # the answer says that it is not all there is
        missing = {
            node: incoming
            for place in places
            for node, incoming in _linked(snapshot, place)
            if not _is_shown(snapshot, node, items)
        }
    # How much a ranking passed over nobody knows.
    gaps = [Gap(Cause.RANKING, "in", 0)] if needs_ranking else []
    if missing and not needs_ranking:
        using = sum(missing.values())
        ways = (Gap(Cause.RANKING, "in", using), Gap(Cause.RANKING, "out", len(missing) - using))
        gaps += [gap for gap in ways if gap.count]
    return attrs.evolve(found, completeness=Completeness((*found.completeness.gaps, *gaps))) if gaps else found


def _linked(snapshot: Snapshot, place: SymbolRef) -> Iterator[tuple[SymbolRef, bool]]:
    """What a place uses, then what uses it, in the workspace, with whether it does; a module where its own statements
    do."""
    for incoming in (False, True):
        for ref in edge_refs_at(snapshot, place, incoming=incoming):
            other = node_of(ref.source_key if incoming else ref.target_key)
            if is_structure(ref) or not isinstance(other, SymbolRef) or not snapshot.shards[other.file].language:
                continue
            if _counts(snapshot, ref, other, incoming=incoming):
                yield other, incoming


def _counts(snapshot: Snapshot, ref: EdgeRef, other: SymbolRef, *, incoming: bool) -> bool:
    """Whether the other end does more than bring names in, as bindings of imports do and modules that import."""
    if other.definition < 0:
        return incoming and ref.kind != "imports" and not only_brings(snapshot, ref)
    return not is_import(snapshot, other)


def _is_shown(snapshot: Snapshot, place: SymbolRef, items: Mapping[str, Lines]) -> bool:
    """Whether an item is of a place, or of what holds it (short of its module) and has its lines: of a long class a
    pack shows the head."""
    if node_id(snapshot, place) in items or place.definition < 0:
        return node_id(snapshot, place) in items
    facts = snapshot.facts(place.file)
    first, last = (facts.line_column(offset)[0] + 1 for offset in _span(facts, place.definition))
    row = container(facts, place.definition)
    while row >= 0:
        start, end = items.get(node_id(snapshot, SymbolRef(place.file, row)), (0, -1))
        if start <= first and last <= end:
            return True
        row = container(facts, row)
    return False


def _span(facts: FileFacts, row: int) -> tuple[int, int]:
    table = facts.definitions
    return table.full_start[row], max(table.full_end[row] - 1, table.full_start[row])
