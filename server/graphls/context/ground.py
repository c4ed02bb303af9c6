"""Ground: what a pack can say about being all there is.

Owns: the claim of a pack, and what it lacks.
Must not know: how code is ranked, formats, faces.
Invariant: a pack is complete only where it was asked for symbols alone and holds all that they are linked to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs

from graphls.graph.edges import leads_at
from graphls.graph.identity import node_id
from graphls.graph.leads import node_of
from graphls.graph.node_table import is_import
from graphls.graph.nodes import container
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.answer import Coverage, covered
from graphls.queries.completeness import Cause, Claim, Completeness, Gap
from graphls.queries.neighborhood import STRUCTURE


def ground(
    snapshot: Snapshot, places: Collection[Place], items: Collection[str], *, asked: bool, omitted: int
) -> Coverage:
    """What a pack around some places lacks. `items`: ids of what it shows; `asked`: it was also asked for what only
    ranking can find, a task or files."""
    found = covered(snapshot, Claim(tuple(places), tuple(places)), truncated=omitted > 0, omitted=omitted)
    shown = frozenset(items)
    missing = {node for place in places for node in _linked(snapshot, place) if shown.isdisjoint(_ids(snapshot, node))}
    if not asked and not missing:
        return found
    # How much a ranking passed over nobody knows.
    gap = Gap(Cause.RANKING, "in", 0 if asked else len(missing))
    return attrs.evolve(found, completeness=Completeness((*found.completeness.gaps, gap)))


def _linked(snapshot: Snapshot, place: Place) -> Iterator[Place]:
    """What uses a place and what it uses, in the workspace."""
    for incoming in (False, True):
        for lead in leads_at(snapshot, place, incoming=incoming):
            other = node_of(lead.source_key if incoming else lead.target_key)
            if lead.kind not in STRUCTURE and isinstance(other, Place) and not _brings(snapshot, other):
                yield other


def _brings(snapshot: Snapshot, place: Place) -> bool:
    """Whether a place only brings names in: a module, the binding of an import."""
    return place.definition < 0 or not snapshot.shards[place.file].language or is_import(snapshot, place)


def _ids(snapshot: Snapshot, place: Place) -> Iterator[str]:
    """Ids of a place and of what holds it: whoever shows one of these shows the place."""
    facts, row = snapshot.facts(place.file), place.definition
    while row >= 0:
        yield node_id(snapshot, Place(place.file, row))
        row = container(facts, row)
