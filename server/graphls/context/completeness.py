"""Completeness: what a pack can say about being all there is.

Owns: the claim of a pack, and what it lacks.
Must not know: how code is ranked, formats, faces.
Invariant: a pack is complete only where it was asked for symbols alone and holds all that they are linked to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs

from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_at
from graphls.graph.identity import node_id
from graphls.graph.node_table import is_import
from graphls.graph.nodes import container
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import Cause, Completeness, CoverageClaim, Gap
from graphls.queries.neighborhood import STRUCTURE


def pack_coverage(
    snapshot: Snapshot, places: Collection[SymbolRef], items: Collection[str], *, needs_ranking: bool, omitted: int
) -> Coverage:
    """What a pack around some places lacks. `items`: ids of what it shows; `asked`: it was also asked for what only
    ranking can find, a task or files."""
    found = coverage_for(snapshot, CoverageClaim(tuple(places), tuple(places)), truncated=omitted > 0, omitted=omitted)
    item_ids = frozenset(items)
    missing = {
        node for place in places for node in _linked(snapshot, place) if item_ids.isdisjoint(_ids(snapshot, node))
    }
    if not needs_ranking and not missing:
        return found
    # How much a ranking passed over nobody knows.
    gap = Gap(Cause.RANKING, "in", 0 if needs_ranking else len(missing))
    return attrs.evolve(found, completeness=Completeness((*found.completeness.gaps, gap)))


def _linked(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolRef]:
    """What uses a place and what it uses, in the workspace."""
    for incoming in (False, True):
        for ref in edge_refs_at(snapshot, place, incoming=incoming):
            other = node_of(ref.source_key if incoming else ref.target_key)
            if ref.kind not in STRUCTURE and isinstance(other, SymbolRef) and not _is_import_like(snapshot, other):
                yield other


def _is_import_like(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place only brings names in: a module, the binding of an import."""
    return place.definition < 0 or not snapshot.shards[place.file].language or is_import(snapshot, place)


def _ids(snapshot: Snapshot, place: SymbolRef) -> Iterator[str]:
    """Ids of a place and of what holds it: whoever shows one of these shows the place."""
    facts, row = snapshot.facts(place.file), place.definition
    while row >= 0:
        yield node_id(snapshot, SymbolRef(place.file, row))
        row = container(facts, row)
