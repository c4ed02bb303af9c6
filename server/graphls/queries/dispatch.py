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
from typing import Final, Literal, cast

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edges import RawEdge, leads_at
from graphls.graph.evidence import SYNTAX
from graphls.graph.leads import Key, Lead, edge_of_lead, key_of, led, node_of
from graphls.graph.node_table import ShownNodes
from graphls.graph.nodes import last_name
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.references import CONSTRUCTORS
from graphls.queries.rows import class_around, row_at
from graphls.queries.type_hierarchy import all_subtypes, all_supertypes, is_class, member

POSSIBLE: Final = 0.6
"""How sure it is that a call of a member runs one that overrides it."""
STANDS_IN: Final = frozenset({"overrides", "implements"})
NAMING: Final = frozenset({"calls", "accesses", "references", "tests", "renders", "decorates"})
"""Edges of uses that name a member, and may run another one."""
_MEMBERS: Final = frozenset({"method", "field"})
_MARK: Final = "possible"
_KEPT: Final = "classes below"


def is_possible(edge: RawEdge) -> bool:
    """Whether an edge is a step of this kind."""
    return _MARK in edge.attributes


class Dispatch:
    """What one walk knows: the members that it reached by uses which leave open what runs."""

    def __init__(
        self,
        snapshot: Snapshot,
        direction: Literal["in", "out", "both"],
        begin: Iterable[Key],
        passed: Iterable[Key] = (),
    ) -> None:
        self._snapshot = snapshot
        self._direction = direction
        self._reached: set[Key] = set(begin)
        self._passed: set[Key] = set(passed)
        """Members that a walk backwards only passes through: those who call them may run one that it reached."""
        self._made: set[Key] = set()
        """Classes that a walk backwards passes through, from the constructor that they inherit to who makes them."""

    def admits(self, key: Key, lead: Lead) -> bool:
        """Whether an edge at a node belongs to the walk: not the use of a member that it passes through where that use
        says which class it means, nor any use but the making of instances of a class of which a constructor is all that
        it reached."""
        if key in self._made:
            return lead.kind == "instantiates"
        return key not in self._passed or lead.kind not in NAMING or leaves_choice(self._snapshot, lead)

    def reach(self, lead: Lead, other: Key) -> bool:
        """Notes a step of the walk; True where `other` has to be looked at, again if it was before."""
        for passed in (self._passed, self._made):
            if other in passed:
                passed.remove(other)
                return True
        if other in self._reached:
            return False
        # Backwards each member counts, whatever led to it: who calls what it overrides may run it.
        if self._direction == "out" and not self._goes_on(lead):
            return False
        self._reached.add(other)
        return True

    def steps(self, key: Key) -> Iterator[tuple[Lead, Key]]:
        """Steps from a member of the walk, each with the node at its other end."""
        if key in self._reached and self._direction != "in":
            yield from self._forward(key)
        if key in self._reached and self._direction != "out":
            yield from self._backward(key)

    def _goes_on(self, lead: Lead) -> bool:
        """Whether more may run at the end of an edge than what it names."""
        if lead.kind == "instantiates" or leaves_choice(self._snapshot, lead):
            return True
        target = node_of(lead.target_key) if lead.kind == "calls" else ""
        return isinstance(target, Place) and _constructed(self._snapshot, target) is not None

    def _forward(self, key: Key) -> Iterator[tuple[Lead, Key]]:
        for lead in run_constructor(self._snapshot, key):
            self._reached.add(lead.target_key)
            yield lead, lead.target_key
        for lead in dispatched(self._snapshot, key, "out"):
            self._reached.add(lead.source_key)
            yield lead, lead.source_key

    def _backward(self, key: Key) -> Iterator[tuple[Lead, Key]]:
        for lead in running_constructor(self._snapshot, key):
            source = node_of(lead.source_key)
            if lead.source_key not in self._reached and isinstance(source, Place):
                self._reached.add(lead.source_key)
                if is_class(self._snapshot, source):
                    self._made.add(lead.source_key)
            yield lead, lead.source_key
        for lead in dispatched(self._snapshot, key, "in"):
            if lead.target_key not in self._reached:
                self._reached.add(lead.target_key)
                self._passed.add(lead.target_key)
            yield lead, lead.target_key


def dispatched(snapshot: Snapshot, key: Key, direction: Literal["in", "out"]) -> Sequence[Lead]:
    """Steps from a member. `out`: to those that may run where it is called; `in`: to those whose callers may run it.
    The member that overrides is the source of the edge in both."""
    place = node_of(key)
    if not isinstance(place, Place) or not _is_member(snapshot, place):
        return ()
    if direction == "in":
        found = [lead for lead in leads_at(snapshot, place, incoming=False) if lead.kind in STANDS_IN]
    else:
        found = list(_below(snapshot, place))
    return sorted(led((_marked(edge_of_lead(snapshot, lead)) for lead in found), 0))


def running_constructor(snapshot: Snapshot, key: Key) -> Iterator[Lead]:
    """Steps back from a constructor to the classes that inherit it, for whoever makes one of these runs it, and to the
    constructors below it that cannot but call it."""
    place = node_of(key)
    owner = _constructed(snapshot, place) if isinstance(place, Place) else None
    if owner is None or not isinstance(place, Place):
        return
    found: list[RawEdge] = []
    for below in _subtypes(snapshot, owner):
        own = _own_constructor(snapshot, below)
        if own is None and _constructor(snapshot, below) == place:
            found.append(_runs(below, place))
        elif own is not None and _calls_above(snapshot, below) and _constructor_above(snapshot, below) == place:
            found.append(_runs(own, place))
    yield from led(found, 0)


def run_constructor(snapshot: Snapshot, key: Key) -> Iterator[Lead]:
    """The step from a class to the constructor that it inherits, or from a constructor to the one that it must call."""
    place = node_of(key)
    if not isinstance(place, Place) or not snapshot.shards[place.file].language:
        return
    owner = _constructed(snapshot, place)
    if owner is None:
        inherits = is_class(snapshot, place) and _own_constructor(snapshot, place) is None
        run = _constructor(snapshot, place) if inherits else None
    else:
        run = _constructor_above(snapshot, owner) if _calls_above(snapshot, owner) else None
    if run is not None:
        yield from led((_runs(place, run),), 0)


def _calls_above(snapshot: Snapshot, owner: Place) -> bool:
    """Whether the language has each constructor of a subclass call that of the class above; no link says so there."""
    return snapshot.shards[owner.file].language == "typescript"


def _constructor_above(snapshot: Snapshot, owner: Place) -> Place | None:
    above = all_supertypes(snapshot, owner)
    return next((found for cls in above if (found := _own_constructor(snapshot, cls)) is not None), None)


def _constructed(snapshot: Snapshot, place: Place) -> Place | None:
    """The class whose constructor a place is."""
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return None
    rows = addresses(snapshot, place.file).constructors
    return next((Place(place.file, cls) for cls, maker in rows.items() if maker == place.definition), None)


def _constructor(snapshot: Snapshot, owner: Place) -> Place | None:
    """The nearest constructor: its own, or the first above it."""
    return _own_constructor(snapshot, owner) or _constructor_above(snapshot, owner)


def _own_constructor(snapshot: Snapshot, owner: Place) -> Place | None:
    row = addresses(snapshot, owner.file).constructors.get(owner.definition)
    return None if row is None else Place(owner.file, row)


def _runs(owner: Place, constructor: Place) -> RawEdge:
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


def leaves_choice(snapshot: Snapshot, lead: Lead) -> bool:
    """Whether the uses that make an edge may run another member than they name: not where each names the class as well,
    as `super().run()` and `Base.run(self)` do."""
    target = node_of(lead.target_key)
    if lead.kind not in NAMING or not isinstance(target, Place) or not _is_member(snapshot, target):
        return False
    sites = edge_of_lead(snapshot, lead).sites
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


def _is_member(snapshot: Snapshot, place: Place) -> bool:
    """Whether a place is what a class or an interface declares, and instances look up by name."""
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return False
    shown = ShownNodes(snapshot, place.file).shown(place.definition)
    return (shown.kind in _MEMBERS or shown.subkind == "property") and shown.name not in CONSTRUCTORS


def _below(snapshot: Snapshot, place: Place) -> Iterator[Lead]:
    """Edges of members of subclasses that lead to a member."""
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    if owner == NONE:
        return
    name, here = facts.strings[facts.definitions.name[place.definition]], key_of(place)
    for below in _subtypes(snapshot, Place(place.file, owner)):
        other = member(snapshot, below, name)
        if other is not None:
            leads = leads_at(snapshot, other, incoming=False)
            yield from (lead for lead in leads if lead.kind in STANDS_IN and lead.target_key == here)


def _subtypes(snapshot: Snapshot, owner: Place) -> Sequence[Place]:
    """A walk comes by many members of one class."""
    kept = cast("dict[Place, Sequence[Place]]", snapshot.kept.setdefault(_KEPT, {}))
    known = kept.get(owner)
    if known is None:
        known = kept[owner] = all_subtypes(snapshot, owner)
    return known


def _marked(edge: RawEdge) -> RawEdge:
    attributes: Mapping[str, str | bool] = {**edge.attributes, _MARK: True}
    sure = round(edge.confidence * POSSIBLE, 4)
    return attrs.evolve(edge, confidence=sure, ambiguous=True, attributes=attributes)
