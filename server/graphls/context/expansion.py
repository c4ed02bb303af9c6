"""Expansion: which declarations have links with those that the words point at.

Owns: links between declarations, in both directions, out of a few files.
Must not know: words, budgets, how links were resolved.
Invariant: reads the links of a bounded number of files, so the cost does not grow with the workspace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping

import attrs

from graphls.context.candidates import UnitKey
from graphls.context.lexical import FileTerms
from graphls.context.units import Units, owners
from graphls.context.weights import Weights
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.nodes import running_owner
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot

_MEMO = Memo["_LinkMemo"]("context links")
_PART = 0.6
"""Of a request, up to which links are read."""
_KINDS = [kind.name.lower() for kind in EdgeKind]
_End = tuple[FilePath, int, bool]
"""File, and a row: of its definitions when the last is true, of its surface's symbols otherwise."""
_Ends = Mapping[int, tuple[tuple[_End, str], ...]]
"""Unit of a file -> what it uses, each with the kind of link."""


@attrs.frozen
class UnitLink:
    """One link between declarations of the workspace."""

    target: UnitKey
    weight: float
    kind: str


@attrs.frozen
class LinkScore:
    """A declaration with the sum of what its links lead to, and the link that leads to most."""

    mass: float
    via: UnitKey
    kind: str


@attrs.frozen(eq=False)
class _LinkMemo:
    links: Links
    ends: _Ends


class LinkedUnits:
    """Links between declarations, out of files that were read."""

    def __init__(self, snapshot: Snapshot, files: Mapping[FilePath, FileTerms], weights: Weights) -> None:
        self._snapshot = snapshot
        self._files = files
        self._weights = weights
        self._rows: dict[FilePath, Mapping[int, int]] = {}
        self._out: dict[FilePath, _Ends] = {}

    def read(self, files: Collection[FilePath]) -> None:
        """Take the links of these files in."""
        for path in sorted(set(files) & self._files.keys() - self._out.keys()):
            if is_spent_to(_PART):
                break
            self._out[path] = self._ends_in(path)

    def sources(self) -> Iterator[UnitKey]:
        """The declarations that use something, in files that were read."""
        return (UnitKey(path, unit) for path, ends in self._out.items() for unit in ends)

    def forward(self, key: UnitKey) -> list[UnitLink]:
        """What one declaration uses, each thing once for each kind of use."""
        found: dict[tuple[UnitKey, str], UnitLink] = {}
        for end, kind in self._out.get(key.file, {}).get(key.unit, ()):
            share = self._weights.edges.get(kind, 0.0)
            target = self._target(end) if share else None
            if target is not None and target != key:
                found[target, kind] = UnitLink(target, share, kind)
        return list(found.values())

    def _target(self, end: _End) -> UnitKey | None:
        path, row, own = end
        known = self._files.get(path)
        if known is None:
            return None
        unit = self._units(path).get(row, -1) if own else known.of_symbol(row)
        return UnitKey(path, unit) if unit >= 0 else None

    def _units(self, path: FilePath) -> Mapping[int, int]:
        known = self._rows.get(path)
        if known is None:
            known = self._rows[path] = owners(self._snapshot.facts(path), self._files[path].units)
        return known

    def _ends_in(self, path: FilePath) -> _Ends:
        links, shard = self._snapshot.links(path), self._snapshot.shards[path]
        known = _MEMO.get(shard)
        if known is None or known.links is not links:
            read = _read_ends(path, self._snapshot.facts(path), links, self._units(path), self._files[path].units)
            known = _MEMO.put(shard, _LinkMemo(links, {unit: tuple(ends) for unit, ends in read.items()}))
        return known.ends


def _read_ends(
    path: FilePath, facts: FileFacts, links: Links, units: Mapping[int, int], places: Units
) -> dict[int, dict[tuple[_End, str], None]]:
    """Every (end, kind) of each unit once, in order of the text."""
    found: dict[int, dict[tuple[_End, str], None]] = defaultdict(dict)
    files = [FilePath(file) for file in links.files]
    table, owner = links.targets, facts.occurrences.owner
    for occurrence, file, symbol, edge in zip(table.occurrence, table.file, table.symbol, table.edge, strict=True):
        unit = units.get(owner[occurrence], -1)
        if unit < 0 and running_owner(facts, owner[occurrence]) < 0:
            unit = places.at(facts.occurrences.start[occurrence])
        if unit >= 0 and symbol not in (EXTERNAL, WHOLE_MODULE):
            found[unit][(files[file], symbol, file == OWN_FILE), _KINDS[edge]] = None
    over = links.overrides
    for definition, file, symbol in zip(over.definition, over.file, over.symbol, strict=True):
        unit = units.get(definition)
        if unit is not None and symbol not in (EXTERNAL, WHOLE_MODULE):
            found[unit][(files[file], symbol, file == OWN_FILE), "overrides"] = None
    return found


def link_scores(links: LinkedUnits, score: Callable[[UnitKey], float]) -> dict[UnitKey, LinkScore]:
    """For every declaration with a link to one that has a score, in either direction: the sum of these scores."""
    mass: dict[UnitKey, float] = defaultdict(float)
    via: dict[UnitKey, tuple[float, str, UnitKey]] = {}
    for source in links.sources():
        for step in links.forward(source):
            for key, other in ((source, step.target), (step.target, source)):
                worth = step.weight * score(other)
                if not worth:
                    continue
                mass[key] += worth
                best = via.get(key)
                if best is None or worth > best[0]:
                    via[key] = (worth, step.kind, other)
    return {key: LinkScore(mass[key], other, kind) for key, (_, kind, other) in via.items()}
