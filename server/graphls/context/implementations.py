"""Implementations: what may run where a pack shows the call of a member.

Owns: the steps from a member of an interface or base class to those that stand in for it, for the best declarations.
Must not know: words, budgets, how dispatch is decided.
Invariant: looks at a bounded number of members; what it adds is marked as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from graphls.context.candidates import Candidates, Reason, UnitKey
from graphls.context.seeds import SeedContext, unit_of
from graphls.facts.columns import NONE
from graphls.graph.edge_refs import Key, key_of, node_of
from graphls.graph.edges import edge_refs_at
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.queries.dispatch import POSSIBLE, dispatch_steps, leaves_choice
from graphls.queries.rows import class_around, name_of

_BEST: Final = 3
"""Declarations that a task is most about, besides those that were named."""
_MOST_USES: Final = 60
_MOST_MEMBERS: Final = 12
_MOST_BELOW: Final = 8
"""Implementations of one member."""
_MOST_FILES: Final = 12
"""Files that name the class of a member which only a ranking came upon: what is below a class of more is too much to
look for."""


def add_implementations(context: SeedContext, places: Collection[SymbolRef], found: Candidates) -> None:
    """Adds what may run where named or best declarations call a member, and where one of them is called."""
    best = [SymbolRef(one.key.file, context.corpus[one.key.file].rows[one.key.unit]) for one in found.ranked()[:_BEST]]
    worth = context.weights.graph * POSSIBLE
    for place in dict.fromkeys((*places, *best)):
        for member in islice(_members(context, place), _MOST_MEMBERS):
            if place not in places and not _is_rare(context, member):
                continue
            name = symbol_name(context.snapshot, member)
            for ref in islice(dispatch_steps(context.snapshot, key_of(member), "out"), _MOST_BELOW):
                key = _unit(context, ref.source_key)
                if key is not None:
                    reason = Reason("links", worth, f"possible, {ref.kind} {name}")
                    found.add(key, context.corpus[key.file].starts[key.unit], reason)


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


def _is_rare(context: SeedContext, member: SymbolRef) -> bool:
    """Whether few files name the class around a member. The same whatever is linked, so that packs are the same."""
    facts = context.snapshot.facts(member.file)
    owner = class_around(facts, member.definition)
    name = name_of(facts, member.definition if owner == NONE else owner)
    return len(context.snapshot.files_with_name(name)) <= _MOST_FILES


def _unit(context: SeedContext, key: Key) -> UnitKey | None:
    place = node_of(key)
    return unit_of(context, place) if isinstance(place, SymbolRef) else None
