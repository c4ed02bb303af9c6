"""Earlier calls: calls by flow of a state before the last edits, for questions that may not search for those of now.

Owns: what was known of that state, ids of what stood in files that changed since.
Must not know: how a search goes, budgets.
Invariant: each is written in a file that is as it was, ends at something that is still there, and says that nobody
    looked whether it still holds.

What an edit does to calls elsewhere, that go through the edited file, only a search knows: who shows these has to say
that its answer is not whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Final

import attrs

from graphls.analysis.flow.call_table import CallTable
from graphls.facts.paths import FilePath
from graphls.graph.addresses import Addresses, addresses
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef

_MOST_CHANGED: Final = 50
"""Files. After a checkout little of the table holds, and ids of many files are much work for an edit."""
EARLIER: Final = MappingProxyType({"state": "earlier"})
"""What such an edge says beside its own attributes."""


@attrs.define(eq=False)
class EarlierCalls:
    """Calls by flow of one earlier state: the last one of which all were known, else those that questions found."""

    found: CallTable | Mapping[SymbolRef, Sequence[RawEdge]]
    """All of them, or those from some places."""
    changed: Mapping[FilePath, Addresses | None] = attrs.field(factory=dict[FilePath, "Addresses | None"])
    """Files whose contents are others now, or that are gone, with what stood where; None for a plain file."""
    _made: CallTable | None = attrs.field(default=None, init=False)

    @property
    def is_whole(self) -> bool:
        """Whether all calls of that state are known."""
        return isinstance(self.found, CallTable)

    @property
    def size(self) -> int:
        """How many there are, about."""
        return self.found.size if isinstance(self.found, CallTable) else len(self.found)

    def _table(self) -> CallTable:
        """Made for the first question: not each edit is followed by one."""
        found = self.found
        if isinstance(found, CallTable):
            return found
        made = self._made = self._made or CallTable(chain.from_iterable(tuple(found.values())))
        return made

    def followed(self, before: Snapshot, snapshot: Snapshot) -> EarlierCalls | None:
        """The same, `before` being the state up to which it was followed; None where too much changed."""
        shards = snapshot.shards
        paths = [
            path
            for path, shard in before.shards.items()
            if (now := shards.get(path)) is not shard
            and path not in self.changed
            and (now is None or now.content != shard.content)
        ]
        if len(paths) + len(self.changed) > _MOST_CHANGED:
            return None
        found = {path: addresses(before, path) if before.shards[path].language else None for path in paths}
        return EarlierCalls(self.found, {**self.changed, **found})

    def from_place(self, snapshot: Snapshot, place: SymbolRef) -> Iterator[RawEdge]:
        """Those whose source is one place of the present state."""
        if place.file not in self.changed:
            for edge in self._table().of_place(place):
                assert isinstance(edge.target, SymbolRef), "calls by flow end at definitions"
                target = self._now(snapshot, edge.target)
                if target is not None:
                    yield _marked(edge, target)

    def to_place(self, snapshot: Snapshot, place: SymbolRef) -> Iterator[RawEdge]:
        """Those that ran it."""
        before = self._before(snapshot, place)
        for edge in self._table().to_place(before) if before is not None else ():
            assert isinstance(edge.source, SymbolRef), "calls by flow start at definitions"
            if edge.source.file not in self.changed:
                yield _marked(edge, place)

    def _now(self, snapshot: Snapshot, place: SymbolRef) -> SymbolRef | None:
        if place.file not in self.changed:
            return place
        stood = self.changed[place.file]
        shard = snapshot.shards.get(place.file)
        if stood is None or shard is None or not shard.language:
            return None
        return _same(place, stood, addresses(snapshot, place.file))

    def _before(self, snapshot: Snapshot, place: SymbolRef) -> SymbolRef | None:
        if place.file not in self.changed:
            return place
        stood = self.changed[place.file]
        return None if stood is None else _same(place, addresses(snapshot, place.file), stood)


def _marked(edge: RawEdge, target: SymbolRef) -> RawEdge:
    return attrs.evolve(edge, target=target, attributes={**edge.attributes, **EARLIER})


def _same(place: SymbolRef, here: Addresses, there: Addresses) -> SymbolRef | None:
    """What has the id of a place in another state of its file."""
    digest = here.digest(place.definition)
    row = None if digest is None else there.row_of(digest)
    return None if row is None else SymbolRef(place.file, row)
