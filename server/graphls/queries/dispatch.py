"""Dispatch: which members may run where another one is called by name.

Owns: steps from a member to those that override or implement it, and back; which calls leave open what runs.
Must not know: records, LSP types, method resolution order of any language.
Invariant: a step to what may run is an edge of the graph, less sure than that edge and marked as possible; one to a
    constructor that surely runs is marked as implied.

An edge `calls` leads to the member that the code names. Which member runs depends on the object: the one that is
named, or any below it in the hierarchy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import ConstructKind, DefinitionKind, ExpressionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edge_refs import EdgeRef, Key, edge_of_ref, key_of, node_of, refs_of_edges
from graphls.graph.edges import RawEdge, edge_refs_at, edge_refs_of_kinds
from graphls.graph.evidence import SYNTAX, Site
from graphls.graph.file_edges import OVERRIDE_KINDS
from graphls.graph.memo import MemoTable
from graphls.graph.node_table import NodeSummaries
from graphls.graph.nodes import last_name
from graphls.graph.request_budget import spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors
from graphls.queries.redeclarations import REDECLARING, definitions_of, may_be_redeclared
from graphls.queries.rows import class_around, is_read_as_value, row_at
from graphls.queries.type_hierarchy import all_subtypes, is_class, iter_supertypes, member

POSSIBLE: Final = 0.6
"""How sure it is that a call of a member runs one that overrides it."""
NAMING: Final = frozenset({"calls", "accesses", "references", "tests", "renders", "decorates"})
"""Edges of uses that name a member, and may run another one."""
_MEMBERS: Final = frozenset({"method", "field"})
_MARK: Final = "possible"
_CALLED: Final = ConstructKind.CALL.name.lower()
_MEMO: Final = MemoTable[SymbolRef, "Sequence[SymbolRef]"]("classes below")
_VALUE_USES: Final = MemoTable[SymbolRef, "_ValueUses"]("uses of classes as values")


@attrs.frozen
class _ValueUses:
    """Edges to one class from code that calls it as a value, and from code that hands it on."""

    called: tuple[EdgeRef, ...]
    handed_on: tuple[EdgeRef, ...]


def is_possible(edge: RawEdge) -> bool:
    """Whether an edge is a step of this kind."""
    return _MARK in edge.attributes


class DispatchWalk:
    """What one walk knows: the members that it reached by uses which leave open what runs."""

    def __init__(
        self,
        snapshot: Snapshot,
        direction: Literal["in", "out", "both"],
        begin: Iterable[Key],
        transit: Iterable[Key] = (),
    ) -> None:
        self._snapshot = snapshot
        self._direction = direction
        self._visited: set[Key] = set(begin)
        self._transit: set[Key] = set(transit)
        """Members that a walk backwards only passes through: those who call them may run one that it reached."""
        self._made: set[Key] = set()
        """Classes that a walk backwards passes through, from the constructor that they inherit to who makes them."""
        self._held: set[Key] = set()
        """Classes that were reached as values: what is made may be of a class below."""

    def admits(self, key: Key, ref: EdgeRef) -> bool:
        """Whether an edge at a node belongs to the walk: not the use of a member that it passes through where that use
        says which class it means, nor any use but the making of instances of a class of which a constructor is all that
        it reached."""
        if key in self._made:
            return ref.kind == "instantiates" or hands_on(self._snapshot, ref)
        return key not in self._transit or ref.kind not in NAMING or leaves_choice(self._snapshot, ref)

    def reach(self, ref: EdgeRef, other: Key) -> bool:
        """Notes a step of the walk; True where `other` has to be looked at, again if it was before."""
        for passed in (self._transit, self._made):
            if other in passed:
                passed.remove(other)
                return True
        held = self._direction != "in" and other not in self._held and _is_held(self._snapshot, ref)
        if held:
            self._held.add(other)
        if other in self._visited:
            return held
        # Backwards each member counts, whatever led to it: who calls what it overrides may run it.
        if self._direction == "out" and not self._goes_on(ref):
            return False
        self._visited.add(other)
        return True

    def add(self, key: Key) -> None:
        """Makes a node one of the walk, as another declaration of one that was reached is."""
        self._visited.add(key)

    def steps(self, key: Key) -> Iterator[tuple[EdgeRef, Key]]:
        """Steps from a member of the walk, each with the node at its other end."""
        if key in self._visited and self._direction != "in":
            yield from self._forward(key)
        if key in self._visited and self._direction != "out":
            yield from self._backward(key)

    def _goes_on(self, ref: EdgeRef) -> bool:
        """Whether more may run at the end of an edge than what it names."""
        if ref.kind == "instantiates" or leaves_choice(self._snapshot, ref):
            return True
        target = node_of(ref.target_key) if ref.kind == "calls" else ""
        return isinstance(target, SymbolRef) and constructed(self._snapshot, target) is not None

    def _forward(self, key: Key) -> Iterator[tuple[EdgeRef, Key]]:
        below = constructors_below(self._snapshot, key) if key in self._held else ()
        for ref in (*run_constructor(self._snapshot, key), *below):
            self._visited.add(ref.target_key)
            yield ref, ref.target_key
        for ref in dispatch_steps(self._snapshot, key, "out"):
            self._visited.add(ref.source_key)
            yield ref, ref.source_key

    def _backward(self, key: Key) -> Iterator[tuple[EdgeRef, Key]]:
        for ref in running_constructor(self._snapshot, key):
            source = node_of(ref.source_key)
            if ref.source_key not in self._visited and isinstance(source, SymbolRef):
                self._visited.add(ref.source_key)
                if is_class(self._snapshot, source):
                    self._made.add(ref.source_key)
            yield ref, ref.source_key
        for ref in runs_of_held_classes(self._snapshot, key):
            yield ref, ref.source_key
        for ref in dispatch_steps(self._snapshot, key, "in"):
            if ref.target_key not in self._visited:
                self._visited.add(ref.target_key)
                if is_possible(edge_of_ref(self._snapshot, ref)):
                    self._transit.add(ref.target_key)
            yield ref, ref.target_key


def dispatch_steps(snapshot: Snapshot, key: Key, direction: Literal["in", "out"]) -> Sequence[EdgeRef]:
    """Steps from a member. `out`: to those that may run where it is called; `in`: to those whose callers may run it.
    The member that overrides is the source of the edge in both."""
    place = node_of(key)
    if not isinstance(place, SymbolRef):
        return ()
    same: Sequence[EdgeRef] = ()
    if may_be_redeclared(snapshot, place):  # one symbol with several places: nothing else runs
        same = edge_refs_of_kinds(snapshot, place, (REDECLARING,), incoming=direction == "out")
    if not _is_member(snapshot, place):
        return sorted(same)
    if direction == "in":
        found = edge_refs_of_kinds(snapshot, place, OVERRIDE_KINDS, incoming=False)
    else:
        found = list(_below(snapshot, place))
    possible = refs_of_edges((_as_possible(edge_of_ref(snapshot, ref)) for ref in found if ref not in same), 0)
    return sorted((*same, *possible))


def running_constructor(snapshot: Snapshot, key: Key) -> Iterator[EdgeRef]:
    """Steps back from a constructor to the classes that inherit it, for whoever makes one of these runs it, and to the
    constructors below it that cannot but call it."""
    place = node_of(key)
    owner = constructed(snapshot, place) if isinstance(place, SymbolRef) else None
    if owner is None or not isinstance(place, SymbolRef):
        return
    found: list[RawEdge] = []
    for below in _subtypes(snapshot, owner):
        own = _own_constructor(snapshot, below)
        if own is None and _constructor(snapshot, below) == place:
            found.append(_runs(below, place))
        elif own is not None and _calls_above(snapshot, below) and _constructor_above(snapshot, below) == place:
            found.append(_runs(own, place))
    yield from refs_of_edges(found, 0)


def run_constructor(snapshot: Snapshot, key: Key) -> Iterator[EdgeRef]:
    """The step from a class to the constructor that it inherits, or from a constructor to the one that it must call."""
    place = node_of(key)
    if not isinstance(place, SymbolRef) or not snapshot.shards[place.file].language:
        return
    owner = constructed(snapshot, place)
    if owner is None:
        inherits = is_class(snapshot, place) and _own_constructor(snapshot, place) is None
        run = _constructor(snapshot, place) if inherits else None
    else:
        run = _constructor_above(snapshot, owner) if _calls_above(snapshot, owner) else None
    if run is not None:
        yield from refs_of_edges((_runs(place, run),), 0)


def constructors_below(snapshot: Snapshot, key: Key) -> Iterator[EdgeRef]:
    """Steps from a class that is called as a value to the constructors of classes below it, which may be meant."""
    place = node_of(key)
    if isinstance(place, SymbolRef) and is_class(snapshot, place):
        own = (_own_constructor(snapshot, below) for below in _subtypes(snapshot, place))
        yield from refs_of_edges((_as_possible(_runs(place, one)) for one in own if one is not None), 0)


def runs_of_held_classes(snapshot: Snapshot, key: Key) -> Iterator[EdgeRef]:
    """Steps back from a constructor to the code that calls a class above as a value, as `cls()`, and to the code that
    hands its class on."""
    place = node_of(key)
    owner = constructed(snapshot, place) if isinstance(place, SymbolRef) else None
    if owner is None or not isinstance(place, SymbolRef):
        return
    found: dict[Key, RawEdge] = {}
    for ref in _uses_as_value(snapshot, owner).handed_on:
        found[ref.source_key] = _as_possible(attrs.evolve(edge_of_ref(snapshot, ref), target=place))
    for above in iter_supertypes(snapshot, owner):
        for ref in _uses_as_value(snapshot, above).called:
            edge = attrs.evolve(edge_of_ref(snapshot, ref), target=place, kind="calls")
            found[ref.source_key] = _as_possible(edge)
    yield from refs_of_edges(found.values(), 0)


def _uses_as_value(snapshot: Snapshot, owner: SymbolRef) -> _ValueUses:
    memo = _VALUE_USES.of(snapshot)
    known = memo.get(owner)
    if known is None:
        refs = edge_refs_at(snapshot, owner, incoming=True)
        called = tuple(ref for ref in refs if _is_held(snapshot, ref))
        handed_on = tuple(ref for ref in refs if hands_on(snapshot, ref))
        known = _ValueUses(called, handed_on)
        if not spent_reason():
            memo[owner] = known
    return known


def _is_held(snapshot: Snapshot, ref: EdgeRef) -> bool:
    """Whether an edge is the call of a class that is held as a value."""
    return ref.kind == "instantiates" and calls_value(edge_of_ref(snapshot, ref))


def calls_value(edge: RawEdge) -> bool:
    """Whether a value is called at a site, as in `cls()`; `raise A` makes no other than an `A`."""
    return _CALLED in str(edge.attributes.get("implicit", "")).split(",")


def hands_on(snapshot: Snapshot, ref: EdgeRef) -> bool:
    """Whether an edge is to a class that is used as a value, so that whoever has it may make an instance: not where all
    uses only reach for its members."""
    target = node_of(ref.target_key)
    if ref.kind != "references" or not isinstance(target, SymbolRef) or not is_class(snapshot, target):
        return False
    sites = edge_of_ref(snapshot, ref).sites
    return any(is_read_as_value(snapshot.facts(path), row) for path, row in _rows_at(snapshot, sites))


def _rows_at(snapshot: Snapshot, sites: Iterable[Site]) -> Iterator[tuple[FilePath, int]]:
    for path, start, _ in sites:
        uses = snapshot.facts(path).occurrences
        row = row_at(uses.start, uses.end, start)
        if row != NONE and uses.start[row] == start:
            yield path, row


def _calls_above(snapshot: Snapshot, owner: SymbolRef) -> bool:
    """Whether the language has each constructor of a subclass call that of the class above; no link says so there."""
    known = snapshot.capabilities(owner.file)
    return known is not None and known.calls_inherited_constructor


def _constructor_above(snapshot: Snapshot, owner: SymbolRef) -> SymbolRef | None:
    classes = iter_supertypes(snapshot, owner)
    return next((found for cls in classes if (found := _own_constructor(snapshot, cls)) is not None), None)


def constructed(snapshot: Snapshot, place: SymbolRef) -> SymbolRef | None:
    """The class whose constructor a place is."""
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return None
    rows = addresses(snapshot, place.file).constructors
    return next((SymbolRef(place.file, cls) for cls, maker in rows.items() if maker == place.definition), None)


def _constructor(snapshot: Snapshot, owner: SymbolRef) -> SymbolRef | None:
    """The nearest constructor: its own, or the first above it."""
    return _own_constructor(snapshot, owner) or _constructor_above(snapshot, owner)


def _own_constructor(snapshot: Snapshot, owner: SymbolRef) -> SymbolRef | None:
    row = addresses(snapshot, owner.file).constructors.get(owner.definition)
    return None if row is None else SymbolRef(owner.file, row)


def _runs(owner: SymbolRef, constructor: SymbolRef) -> RawEdge:
    """Whoever makes an instance runs the constructor that the class inherits, and that one the one above: no place in
    the code spells either."""
    return RawEdge(
        source=owner,
        target=constructor,
        kind="calls",
        provenance=SYNTAX,
        resolution="member",
        confidence=1.0,
        ambiguous=False,
        sites=(),
        attributes={"inherited": True},
        implied=True,
    )


def leaves_choice(snapshot: Snapshot, ref: EdgeRef) -> bool:
    """Whether the uses that make an edge may run another member than they name: not where each names the class as well,
    as `super().run()` and `Base.run(self)` do."""
    target = node_of(ref.target_key)
    if ref.kind not in NAMING or not isinstance(target, SymbolRef):
        return False
    if definitions_of(snapshot, target):
        return True
    if not _is_member(snapshot, target):
        return False
    edge = edge_of_ref(snapshot, ref)
    if edge.attributes.get("implicit"):  # a construct names neither the member nor a class
        return True
    sites = edge.sites
    return not sites or not all(_names_class(snapshot, path, start) for path, start, _ in sites)


def names_class(snapshot: Snapshot, path: FilePath, use: int) -> bool:
    """Whether a use of a member (a row of Occurrences) says which class it is that of."""
    facts = snapshot.facts(path)
    table, base = facts.expressions, facts.occurrences.base[use]
    if base == NONE:
        return True
    if table.kind[base] == ExpressionKind.CALL:
        return last_name(facts, base) == "super"
    if table.kind[base] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
        return False
    if last_name(facts, base) == "super":
        return True
    receiver = row_at(facts.occurrences.start, facts.occurrences.end, table.c[base])
    targets = snapshot.targets(path, receiver) if receiver != NONE else ()
    return any(target.place is not None and is_class(snapshot, target.place) for target in targets)


def _names_class(snapshot: Snapshot, path: FilePath, start: int) -> bool:
    uses = snapshot.facts(path).occurrences
    row = row_at(uses.start, uses.end, start)
    return row != NONE and uses.start[row] == start and names_class(snapshot, path, row)


def _is_member(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is what a class or an interface declares, and instances look up by name."""
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return False
    summary = NodeSummaries(snapshot, place.file).summary(place.definition)
    return (summary.kind in _MEMBERS or summary.subkind == "property") and summary.name not in constructors()


def _below(snapshot: Snapshot, place: SymbolRef) -> Iterator[EdgeRef]:
    """Edges of members of subclasses, and of objects of an interface, that lead to a member."""
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    if owner == NONE or facts.definitions.kind[owner] == DefinitionKind.INTERFACE:
        yield from _of_objects(snapshot, place)
    if owner == NONE:
        return
    name, here = facts.strings[facts.definitions.name[place.definition]], key_of(place)
    for below in _subtypes(snapshot, SymbolRef(place.file, owner)):
        other = member(snapshot, below, name)
        if other is not None:
            refs = edge_refs_of_kinds(snapshot, other, OVERRIDE_KINDS, incoming=False)
            yield from (ref for ref in refs if ref.target_key == here)


def members_of_objects(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """Members of object literals whose declared type says that they stand for a member."""
    if not _is_member(snapshot, place):
        return ()
    sources = (node_of(ref.source_key) for ref in _of_objects(snapshot, place))
    return tuple(source for source in sources if isinstance(source, SymbolRef))


def declared_members(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The members of types that a member of an object literal stands for."""
    if not _is_member(snapshot, place) or not _is_in_object(snapshot, place):
        return ()
    refs = edge_refs_of_kinds(snapshot, place, OVERRIDE_KINDS, incoming=False)
    targets = (node_of(ref.target_key) for ref in refs)
    return tuple(dict.fromkeys(target for target in targets if isinstance(target, SymbolRef)))


def _is_in_object(snapshot: Snapshot, place: SymbolRef) -> bool:
    facts = snapshot.facts(place.file)
    return facts.scopes.kind[facts.definitions.scope[place.definition]] == ScopeKind.OBJECT


def _of_objects(snapshot: Snapshot, place: SymbolRef) -> Iterator[EdgeRef]:
    """Edges of members of literals: no class is around these."""
    for ref in edge_refs_of_kinds(snapshot, place, OVERRIDE_KINDS, incoming=True):
        source = node_of(ref.source_key)
        if isinstance(source, SymbolRef) and _is_in_object(snapshot, source):
            yield ref


def _subtypes(snapshot: Snapshot, owner: SymbolRef) -> Sequence[SymbolRef]:
    """A walk comes by many members of one class."""
    memo = _MEMO.of(snapshot)
    known = memo.get(owner)
    if known is None:
        known = memo[owner] = all_subtypes(snapshot, owner)
    return known


def _as_possible(edge: RawEdge) -> RawEdge:
    attributes: Mapping[str, str | bool] = {**edge.attributes, _MARK: True}
    sure = round(edge.confidence * POSSIBLE, 4)
    return attrs.evolve(edge, confidence=sure, ambiguous=True, attributes=attributes)
