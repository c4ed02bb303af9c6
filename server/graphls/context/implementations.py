"""Implementations: what may run where a pack shows the call of a member.

Owns: the steps from a member of an interface or base class to those that stand in for it, for the best declarations.
Must not know: words, budgets, how dispatch is decided.
Invariant: looks at a bounded number of members; what it adds is marked as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from graphls.context.candidates import Candidates, Reason
from graphls.context.seeds import SeedContext, unit_of
from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.graph.edge_refs import key_of, node_of
from graphls.graph.edges import edge_refs_at
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.queries.dispatch import POSSIBLE, dispatch_steps, leaves_choice, members_of_objects
from graphls.queries.rows import class_around, name_of
from graphls.queries.type_hierarchy import member as own_member
from graphls.queries.type_hierarchy import subtypes

_BEST: Final = 3
"""Declarations that a task is most about, besides those that were named."""
_MOST_USES: Final = 60
_MOST_MEMBERS: Final = 12
_MOST_BELOW: Final = 8
"""Implementations of one member."""
_MOST_FILES: Final = 12
"""Files that name a class whose member only a ranking came upon: what is below a class of more is too much to look
for."""
_FEW_MEMBERS: Final = 4


def add_implementations(context: SeedContext, places: Collection[SymbolRef], found: Candidates) -> None:
    """Adds what may run where named or best declarations call a member, and where one of them is called."""
    best = [SymbolRef(one.key.file, context.corpus[one.key.file].rows[one.key.unit]) for one in found.ranked()[:_BEST]]
    worth = context.weights.graph * POSSIBLE
    for place in dict.fromkeys((*places, *best)):
        named = place in places
        for member in islice(_members(context, place), _MOST_MEMBERS if named else _FEW_MEMBERS):
            name = symbol_name(context.snapshot, member)
            steps = _all_below(context, member) if named else _next_below(context, member)
            for kind, other in islice(steps, _MOST_BELOW):
                key = unit_of(context, other)
                if key is not None:
                    reason = Reason("links", worth, f"possible, {kind} {name}")
                    found.add(key, context.corpus[key.file].starts[key.unit], reason)


def _all_below(context: SeedContext, member: SymbolRef) -> Iterator[tuple[str, SymbolRef]]:
    for ref in dispatch_steps(context.snapshot, key_of(member), "out"):
        source = node_of(ref.source_key)
        if isinstance(source, SymbolRef):
            yield ref.kind, source


def _next_below(context: SeedContext, member: SymbolRef) -> Iterator[tuple[str, SymbolRef]]:
    """Of a member that a ranking came upon: those of classes next to it, and of objects. It looks at few files, the
    same whatever is linked, so that packs are the same."""
    snapshot, facts = context.snapshot, context.snapshot.facts(member.file)
    owner = class_around(facts, member.definition)
    interface = owner == NONE or facts.definitions.kind[owner] == DefinitionKind.INTERFACE
    if interface and _is_rare(context, member):
        yield from (("implements", other) for other in members_of_objects(snapshot, member))
    if owner != NONE and _is_rare(context, SymbolRef(member.file, owner)):
        name = name_of(facts, member.definition)
        for below in subtypes(snapshot, SymbolRef(member.file, owner)):
            other = own_member(snapshot, below, name)
            if other is not None:
                yield "implements" if interface else "overrides", other


def _members(context: SeedContext, place: SymbolRef) -> Iterator[SymbolRef]:
    """The place itself, and members that it uses in a way that leaves open what runs."""
    if place.definition < 0:
        return
    seen = {place}
    yield place
    for ref in islice(edge_refs_at(context.snapshot, place, incoming=False), _MOST_USES):
        target = node_of(ref.target_key)
        if isinstance(target, SymbolRef) and target not in seen and leaves_choice(context.snapshot, ref):
            seen.add(target)
            yield target


def _is_rare(context: SeedContext, place: SymbolRef) -> bool:
    name = name_of(context.snapshot.facts(place.file), place.definition)
    return len(context.snapshot.files_with_name(name)) <= _MOST_FILES
