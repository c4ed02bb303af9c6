"""Calls: the calls that follow from what places may hold.

Owns: which calls of a file are of what a place holds, the edges to the functions that may be called there.
Must not know: how functions get there, queries.
Invariant: an edge to a place is among the edges from its source, and the reverse; each is marked possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final, TypeAlias

from graphls.analysis.flow.holders import HeldPlace, Holders
from graphls.analysis.flow.passing import Takes, passing_of
from graphls.analysis.flow.places import HOLDING, RUNNING, Places
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ConstructKind, DefinitionKind, EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.derivation import DERIVED
from graphls.graph.edges import RawEdge, edges_of
from graphls.graph.memo import Memo
from graphls.graph.nodes import lasting_row, node_row, own_uses
from graphls.graph.snapshot import Snapshot, SymbolRef

_Site: TypeAlias = "tuple[int, int, tuple[HeldPlace, ...]]"
"""Where something is called, and what holds it."""
_MEMO: Final = Memo["FlowCalls"]("calls by flow", rests_on_links=False)
_CALL: Final = ConstructKind.CALL.name.lower()
_SURE: Final = 0.6
"""Of a call that can be of one function only; several share it."""
_LEAST: Final = 0.05


def flow_calls(snapshot: Snapshot) -> FlowCalls:
    """Those of one snapshot."""
    return _MEMO.once(snapshot, lambda: FlowCalls(snapshot))


class FlowCalls:
    """Calls by flow; nothing is looked at before somebody asks."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._places = Places(snapshot)
        self._holders = Holders(self._places)
        self._from: dict[SymbolRef, tuple[RawEdge, ...]] = {}

    def from_file(self, path: FilePath) -> Iterator[RawEdge]:
        """Calls whose source is in a file."""
        sites: dict[int, list[_Site]] = {}
        facts = self._places.snapshot.facts(path)
        table = facts.occurrences
        self._add(path, (use for use, role in enumerate(table.role) if role == Role.CALL), sites)
        self._add_constructs(path, range(len(facts.constructs)), sites)
        for source, found in sorted(sites.items()):
            place = SymbolRef(path, source)
            if place not in self._from:
                self._from[place] = tuple(self._edges(place, found))
            yield from self._from[place]

    def from_place(self, place: SymbolRef) -> Sequence[RawEdge]:
        """Calls whose source is one place."""
        known = self._from.get(place)
        if known is None:
            facts = self._places.snapshot.facts(place.file)
            sites: dict[int, list[_Site]] = {}
            uses = own_uses(facts, place.definition)
            self._add(place.file, (use for use in uses if facts.occurrences.role[use] == Role.CALL), sites)
            self._add_constructs(place.file, range(len(facts.constructs)), sites)
            known = self._from[place] = tuple(self._edges(place, sites.get(place.definition, ())))
        return known

    def to_place(self, place: SymbolRef) -> Iterator[RawEdge]:
        """Calls that may run one place."""
        places = self._places
        if places.kind(place) not in RUNNING:
            return
        maker = places.maker(place)
        held = [one for one in (place, maker) if one is not None and places.is_handed_on(one)]
        sources: dict[SymbolRef, None] = {}
        for one in held:
            for caller in self._holders.callers(one):
                file, row = caller[0], caller[1]
                facts = places.snapshot.facts(file)
                owner = facts.constructs.owner[row] if len(caller) > 2 else facts.occurrences.owner[row]
                sources[self._source(file, owner)] = None
        for source in sorted(sources, key=lambda one: (one.file, one.definition)):
            yield from (edge for edge in self.from_place(source) if edge.target == place)

    # ---- sites

    def _source(self, path: FilePath, owner: int) -> SymbolRef:
        facts = self._places.snapshot.facts(path)
        return SymbolRef(path, lasting_row(facts, node_row(facts, owner)) if owner >= 0 else -1)

    def _add(self, path: FilePath, uses: Iterable[int], sites: dict[int, list[_Site]]) -> None:
        """Calls by the name of what holds a function."""
        places = self._places
        facts = places.snapshot.facts(path)
        table = facts.occurrences
        holders = _holders(facts)
        wanted = [use for use in uses if table.base[use] >= 0 or table.name[use] in holders]
        places.prepare(path, wanted)
        for use in wanted:
            meant = places.meant(path, use)
            if not meant or any(places.kind(one) not in HOLDING for one in meant):
                continue
            held = tuple(HeldPlace(one, Takes.VALUE) for one in meant)
            source = self._source(path, table.owner[use])
            sites.setdefault(source.definition, []).append((table.start[use], table.end[use], held))

    def _add_constructs(self, path: FilePath, rows: Iterable[int], sites: dict[int, list[_Site]]) -> None:
        """Calls of what an expression gives."""
        places = self._places
        constructs = places.snapshot.facts(path).constructs
        called = passing_of(places.snapshot, path).called
        for row in called.keys() & set(rows):
            held = tuple(self._holders.held(path, called[row]))
            if held:
                source = self._source(path, constructs.owner[row])
                sites.setdefault(source.definition, []).append((constructs.start[row], constructs.end[row], held))

    def _edges(self, source: SymbolRef, sites: Sequence[_Site]) -> Iterator[RawEdge]:
        found: dict[SymbolRef, list[tuple[int, int, float]]] = {}
        for start, end, held in sorted(sites, key=lambda site: site[:2]):
            functions = self._holders.functions(held)
            for function in functions:
                sure = max(_LEAST, round(_SURE / len(functions), 2))
                found.setdefault(function, []).append((start, end, sure))
        named = self._named(source) if found else frozenset[tuple[str, object]]()
        for function, spans in found.items():
            for kind, target in self._run(function):
                left = [span for span in spans if (kind, target) not in named]
                if left:
                    yield RawEdge(
                        source=source,
                        target=target,
                        kind=kind,
                        provenance=DERIVED,
                        resolution="inferred",
                        confidence=min(sure for _, _, sure in left),
                        ambiguous=True,
                        sites=tuple((source.file, start, end) for start, end, _ in left),
                        attributes={"implicit": _CALL, "via": "flow"},
                    )

    def _run(self, function: SymbolRef) -> Iterator[tuple[str, SymbolRef]]:
        if self._places.kind(function) != DefinitionKind.CLASS:
            yield EdgeKind.CALLS.name.lower(), function
            return
        yield EdgeKind.INSTANTIATES.name.lower(), function
        maker = addresses(self._places.snapshot, function.file).constructors.get(function.definition)
        if maker is not None:
            yield EdgeKind.CALLS.name.lower(), SymbolRef(function.file, maker)

    def _named(self, source: SymbolRef) -> Set[tuple[str, object]]:
        """What links say already."""
        return {(edge.kind, edge.target) for edge in edges_of(self._places.snapshot, source)}


def _holders(facts: FileFacts) -> Set[int]:
    """Names that a file binds to what may hold a function."""
    table = facts.definitions
    holding = HOLDING | {DefinitionKind.IMPORT}
    return {name for name, kind in zip(table.name, table.kind, strict=True) if kind in holding}
