"""Expansion: what the links of the seeds lead to.

Owns: links between declarations, personalised PageRank by local push over them.
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
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

_KEPT = "context links"
_TINY = 1e-4
_KINDS = [kind.name.lower() for kind in EdgeKind]
_End = tuple[FilePath, int, bool]
"""File, and a row: of its definitions when the last is true, of its surface's symbols otherwise."""
_Ends = Mapping[int, tuple[tuple[_End, str], ...]]
"""Unit of a file -> what it uses, each with the kind of link."""


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


@attrs.frozen(eq=False)
class _File:
    """Which unit each row of a file belongs to."""

    of_row: Mapping[int, int]
    of_symbol: Mapping[int, int]
    ends: Mapping[int, tuple[_End, ...]]


@attrs.frozen(eq=False)
class _Kept:
    links: Links
    ends: _Ends


class LinkedUnits:
    """Links between declarations of some files, looked up as the walk asks for them."""

    def __init__(self, snapshot: Snapshot, files: frozenset[FilePath], weights: Weights) -> None:
        self._snapshot = snapshot
        self._files = files
        self._weights = weights
        self._known: dict[FilePath, _File] = {}
        self._out: dict[FilePath, _Ends] = {}
        self._back: dict[_End, list[tuple[Key, str]]] = defaultdict(list)

    def read(self, files: frozenset[FilePath]) -> None:
        """Take the links of these files in: only links out of read files are walked, in either direction."""
        for path in sorted((files & self._files) - self._out.keys()):
            self._out[path] = self._ends_in(path)
            for unit, ends in self._out[path].items():
                for end, kind in ends:
                    self._back[end].append((Key(path, unit), kind))

    def steps(self, key: Key) -> list[Step]:
        """Where one declaration leads, backward and forward."""
        found: list[Step] = []
        for end in self._file(key.file).ends.get(key.unit, ()):
            for source, kind in self._back.get(end, ()):
                share = self._weights.edges.get(kind, 0.0) * self._weights.backward
                if share and source != key:
                    found.append(Step(source, share, kind))
        return found + self.forward(key)

    def forward(self, key: Key) -> list[Step]:
        """What one declaration of a file that was read uses."""
        found: list[Step] = []
        for (path, row, own), kind in self._out.get(key.file, {}).get(key.unit, ()):
            share = self._weights.edges.get(kind, 0.0)
            if not share or path not in self._files:
                continue
            file = self._file(path)
            unit = (file.of_row if own else file.of_symbol).get(row)
            if unit is not None and Key(path, unit) != key:
                found.append(Step(Key(path, unit), share, kind))
        return found

    def _file(self, path: FilePath) -> _File:
        known = self._known.get(path)
        if known is None:
            facts = self._snapshot.facts(path)
            known = self._known[path] = _numbered(path, facts, owners(facts, terms_in(self._snapshot, path).units))
        return known

    def _ends_in(self, path: FilePath) -> _Ends:
        links, kept = self._snapshot.links(path), self._snapshot.shards[path].kept
        known = kept.get(_KEPT)
        if not isinstance(known, _Kept) or known.links is not links:
            facts, units = self._snapshot.facts(path), self._file(path).of_row
            known = _Kept(links, {unit: tuple(ends) for unit, ends in _read_ends(path, facts, links, units).items()})
            kept[_KEPT] = known
        return known.ends


def _numbered(path: FilePath, facts: FileFacts, units: Mapping[int, int]) -> _File:
    symbols: dict[int, int] = {}
    ends: dict[int, list[_End]] = defaultdict(list)
    for row, unit in units.items():
        ends[unit].append((path, row, True))
        symbol = facts.definitions.surface[row]
        if symbol >= 0 and symbol not in symbols:
            symbols[symbol] = unit
            ends[unit].append((path, symbol, False))
    return _File(units, symbols, {unit: tuple(rows) for unit, rows in ends.items()})


def _read_ends(
    path: FilePath, facts: FileFacts, links: Links, units: Mapping[int, int]
) -> dict[int, dict[tuple[_End, str], None]]:
    """Every (end, kind) of each unit once, in order of the text."""
    found: dict[int, dict[tuple[_End, str], None]] = defaultdict(dict)
    files = [FilePath(file) for file in links.files]
    table, owner = links.targets, facts.occurrences.owner
    for occurrence, file, symbol, edge in zip(table.occurrence, table.file, table.symbol, table.edge, strict=True):
        unit = units.get(owner[occurrence])
        if unit is not None and symbol not in (EXTERNAL, WHOLE_MODULE):
            found[unit][(files[file], symbol, file == OWN_FILE), _KINDS[edge]] = None
    over = links.overrides
    for definition, file, symbol in zip(over.definition, over.file, over.symbol, strict=True):
        unit = units.get(definition)
        if unit is not None and symbol not in (EXTERNAL, WHOLE_MODULE):
            found[unit][(files[file], symbol, file == OWN_FILE), "overrides"] = None
    for row, unit in units.items():
        around = units.get(facts.definitions.owner[row])
        if around is not None and around != unit:
            found[around][(path, row, True), "contains"] = None
    return found


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
