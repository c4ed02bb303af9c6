"""Expansion: what the links of the seeds lead to.

Owns: personalised PageRank by local push over the links between declarations.
Must not know: words, budgets, how links were resolved.
Invariant: walks from a bounded number of declarations, so the cost does not grow with the workspace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import attrs

from graphls.context.candidates import Key
from graphls.context.lexical import terms_in
from graphls.context.units import owners
from graphls.context.weights import Weights
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from
from graphls.graph.snapshot import Place, Snapshot

_TINY = 1e-4


@attrs.frozen
class Step:
    """One link between declarations of the workspace."""

    target: Key
    weight: float
    kind: str


@attrs.frozen
class Reached:
    """A declaration that the walk came to: how much of it ended there, and along which link most."""

    mass: float
    via: Key
    kind: str


class LinkedUnits:
    """Links between declarations of some files, read as the walk asks for them."""

    def __init__(self, snapshot: Snapshot, files: frozenset[FilePath], weights: Weights) -> None:
        self._snapshot = snapshot
        self._files = files
        self._weights = weights
        self._owners: dict[FilePath, dict[int, int]] = {}
        self._out: dict[FilePath, Mapping[int, tuple[tuple[Place, str], ...]]] = {}
        self._back: dict[Key, list[Step]] = defaultdict(list)
        self._read: set[FilePath] = set()

    def read(self, files: frozenset[FilePath]) -> None:
        """Take the links of these files in: only links out of read files are walked, in either direction."""
        for path in sorted(files & self._files - self._read):
            self._read.add(path)
            for unit, links in self._links(path).items():
                for target, kind in links:
                    key, share = self._key(target), self._weights.edges.get(kind, 0.0)
                    if key is not None and share and key != Key(path, unit):
                        self._back[key].append(Step(Key(path, unit), share * self._weights.backward, kind))

    def steps(self, key: Key) -> list[Step]:
        """Where one declaration leads, forward and backward."""
        return [*self._back.get(key, ()), *self.forward(key)]

    def forward(self, key: Key) -> list[Step]:
        """What one declaration of a file that was read uses."""
        found: list[Step] = []
        if key.file in self._read:
            for target, kind in self._links(key.file).get(key.unit, ()):
                inner, share = self._key(target), self._weights.edges.get(kind, 0.0)
                if inner is not None and share and inner != key:
                    found.append(Step(inner, share, kind))
        return found

    def _key(self, place: Place) -> Key | None:
        if place.file not in self._files:
            return None
        known = self._owners.get(place.file)
        if known is None:
            facts = self._snapshot.facts(place.file)
            known = self._owners[place.file] = owners(facts, terms_in(self._snapshot, place.file).units)
        unit = known.get(place.definition)
        return Key(place.file, unit) if unit is not None else None

    def _links(self, path: FilePath) -> Mapping[int, tuple[tuple[Place, str], ...]]:
        known = self._out.get(path)
        if known is None:
            known = self._out[path] = self._read_links(path)
        return known

    def _read_links(self, path: FilePath) -> Mapping[int, tuple[tuple[Place, str], ...]]:
        found: dict[int, list[tuple[Place, str]]] = defaultdict(list)
        for edge in edges_from(self._snapshot, path):
            if not isinstance(edge.target, Place) or edge.kind not in self._weights.edges:
                continue
            source = self._key(edge.source)
            if source is not None:
                found[source.unit].append((edge.target, edge.kind))
        return {unit: tuple(links) for unit, links in found.items()}


def walk(links: LinkedUnits, seeds: Mapping[Key, float], weights: Weights) -> dict[Key, Reached]:
    """Where a walk from the seeds ends: push what is left at a node on, until little is left anywhere."""
    total = sum(seeds.values()) or 1.0
    left = {key: share / total for key, share in seeds.items()}
    mass: dict[Key, float] = defaultdict(float)
    via: dict[Key, tuple[float, Key, str]] = {}
    for _ in range(weights.reach):
        key = max(left, key=lambda known: (left[known], known.file, known.unit), default=None)
        if key is None or left[key] < _TINY:
            break
        amount = left.pop(key)
        mass[key] += weights.hold * amount
        for target, share, kind in _shares(links.steps(key)):
            moved = (1 - weights.hold) * amount * share
            left[target] = left.get(target, 0.0) + moved
            if moved > via.get(target, (0.0,))[0]:
                via[target] = (moved, key, kind)
    for key, amount in left.items():
        mass[key] += weights.hold * amount
    return {key: Reached(mass[key], *via[key][1:]) for key in sorted(via, key=lambda known: (known.file, known.unit))}


def _shares(steps: list[Step]) -> Iterator[tuple[Key, float, str]]:
    """Each target once, with its share of the walk and its strongest kind of link."""
    weight: dict[Key, float] = defaultdict(float)
    kinds: dict[Key, tuple[float, str]] = {}
    for step in steps:
        weight[step.target] += step.weight
        kinds[step.target] = max(kinds.get(step.target, (0.0, "")), (step.weight, step.kind))
    total = sum(weight.values())
    yield from ((target, share / total, kinds[target][1]) for target, share in weight.items())
