"""Near clones: pairs of functions most of whose bodies are the same.

Owns: which pairs are compared, from which likeness on they count, edges between functions that are alike.
Must not know: who asks, layout, encoding.
Invariant: a pair is in the answer only if its likeness was counted on the runs of both; what one place says of a family
    of equal bodies holds for all of its members.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.edge_records import AttachedEdge, plain_edge
from graphls.graph.identity import node_id
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import lasting_row
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.body_sketches import BodySketch, SketchForm, sketches
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.settings import SimilaritySettings

_LEAST_RUNS: Final = 40
"""Shorter bodies are alike without one being a copy of the other, unless they are equal."""
BANDS_MISS: Final = Completeness((Gap(Cause.NOT_SEARCHED, "in", 0),))
"""Pairs that share no band are not compared: a list of near clones is never called complete."""
_DERIVED: Final = "derived_advisory"
_USUAL: Final = SimilaritySettings()


@attrs.frozen
class NearClone:
    """Two functions, in order of place. `similarity`: 1 where their streams of tokens are equal."""

    one: SymbolRef
    other: SymbolRef
    similarity: float
    same_body: bool


def near_clones(snapshot: Snapshot, chosen: SimilaritySettings = _USUAL) -> tuple[NearClone, ...]:
    """Pairs of functions with other bodies that are alike from .8 on (or as settings say), the longest first; of equal
    bodies the first speaks for all."""
    if not chosen.enabled:
        return ()
    bodies = _by_body(snapshot, chosen)
    found = [
        NearClone(places[one][0], places[other][0], share, same_body=False)
        for places, _, pairs in _compared(bodies, chosen.structural_threshold)
        for one, other, share in pairs
        if not _overlap(snapshot, places[one][0], places[other][0])
    ]
    length = {places[0]: len(sketch.runs) for body in bodies for places, sketch in body.values()}
    return tuple(
        sorted(found, key=lambda pair: (-length[pair.one] * pair.similarity, _key(pair.one), _key(pair.other)))
    )


def clones_of_all(snapshot: Snapshot, chosen: SimilaritySettings = _USUAL) -> tuple[NearClone, ...]:
    """Equal bodies, each tied to the first that has it, and near clones."""
    exact = chosen.enabled and chosen.exact_normalized
    equal = [
        NearClone(places[0], other, 1.0, same_body=True)
        for body in (_by_body(snapshot, chosen) if exact else ())
        for places, _ in body.values()
        for other in places[1:]
    ]
    return tuple(sorted((*equal, *near_clones(snapshot, chosen)), key=lambda pair: (_key(pair.one), _key(pair.other))))


def similar_edges(snapshot: Snapshot, chosen: SimilaritySettings = _USUAL) -> Iterator[tuple[FilePath, AttachedEdge]]:
    """Edges `similar_to`, by the file of their source."""
    seen: set[tuple[str, str]] = set()
    for pair in clones_of_all(snapshot, chosen):
        one, other = (
            SymbolRef(end.file, lasting_row(snapshot.facts(end.file), end.definition)) for end in (pair.one, pair.other)
        )
        ends = node_id(snapshot, one), node_id(snapshot, other)
        if one == other or ends in seen:
            continue
        seen.add(ends)
        edge = attrs.evolve(
            plain_edge(*ends, "similar_to", _DERIVED),
            confidence=round(pair.similarity, 2),
            attributes={"similarity": round(pair.similarity, 2), "same_body": pair.same_body},
        )
        yield one.file, AttachedEdge(edge, node_kind(snapshot, one).kind, other)


_Bodies = dict[bytes, tuple[list[SymbolRef], BodySketch]]


def _by_body(snapshot: Snapshot, chosen: SimilaritySettings) -> list[_Bodies]:
    """Places by body, apart for each language."""
    found: dict[str, _Bodies] = {}
    for place, sketch in sketches(snapshot, SketchForm.of(chosen)):
        bodies = found.setdefault(snapshot.shards[place.file].language, {})
        bodies.setdefault(sketch.print, ([], sketch))[0].append(place)
    return [found[language] for language in sorted(found)]


def _compared(
    languages: Sequence[_Bodies], least: float
) -> Iterator[tuple[list[list[SymbolRef]], list[BodySketch], Iterator[tuple[int, int, float]]]]:
    for bodies in languages:
        chosen = [one for one in bodies.values() if len(one[1].runs) >= _LEAST_RUNS]
        places, sketched = [one[0] for one in chosen], [one[1] for one in chosen]
        yield places, sketched, _pairs(places, sketched, least)


def _pairs(
    places: Sequence[Sequence[SymbolRef]], sketched: Sequence[BodySketch], least: float
) -> Iterator[tuple[int, int, float]]:
    """Pairs that share a band and are alike, each once."""
    meet: dict[tuple[int, int], list[int]] = {}
    for at, sketch in enumerate(sketched):
        for band in enumerate(sketch.bands):
            meet.setdefault(band, []).append(at)
    candidates: dict[int, set[int]] = {}
    for group in meet.values():
        if len(group) > 1:
            for end, at in enumerate(group):
                candidates.setdefault(at, set()).update(group[:end])
    for at in sorted(candidates):
        spend()
        runs = frozenset(sketched[at].runs)
        for other in sorted(candidates[at]):
            few, many = sorted((len(runs), len(sketched[other].runs)))
            if few >= least * many:
                share = sketched[other].share(runs)
                if share >= least:
                    yield other, at, share


def _overlap(snapshot: Snapshot, one: SymbolRef, other: SymbolRef) -> bool:
    """Whether one stands inside the other."""
    if one.file != other.file:
        return False
    table = snapshot.facts(one.file).definitions
    first, second = one.definition, other.definition
    return table.full_start[first] < table.full_end[second] and table.full_start[second] < table.full_end[first]


def _key(place: SymbolRef) -> tuple[str, int]:
    return place.file, place.definition
