"""Redeclarations: the places of one symbol in languages where declaring and defining are two things.

Owns: from a definition to what declares it, in a header or in the body of its class, and the way back.
Must not know: LSP types, URIs, how a language tells that two places are one.
Invariant: two definitions that one declaration may stand for are never places of each other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from graphls.facts.columns import NONE
from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_of_kinds
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef

REDECLARING: Final = "implements"
"""The kind of the edges from definitions to what declares them."""


def redeclarations(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The place, what declares it or what it declares, and other declarations of that: all are one symbol. Where the
    budget of the request ends the search the place alone, which the answer says as its own limit."""
    if not may_be_redeclared(snapshot, place):
        return (place,)
    try:
        return _redeclarations(snapshot, place)
    except BudgetSpentError:
        return (place,)


def _redeclarations(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    declared = tuple(linked_places(snapshot, place, incoming=False))
    if declared:
        return tuple(dict.fromkeys((place, *declared)))
    defined = tuple(linked_places(snapshot, place, incoming=True))
    others = (other for one in defined for other in linked_places(snapshot, one, incoming=False))
    return tuple(dict.fromkeys((place, *defined, *others)))


def definitions_of(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """What a declaration declares; nothing for a definition, nor where the budget of the request ends the search."""
    found: list[SymbolRef] = []
    with contextlib.suppress(BudgetSpentError):
        found.extend(linked_places(snapshot, place, incoming=True) if may_be_redeclared(snapshot, place) else ())
    return tuple(found)


def declarations_of(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """What declares the symbol of a place without defining it."""
    return tuple(one for one in redeclarations(snapshot, place) if definitions_of(snapshot, one))


def may_be_redeclared(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether the language of a place has declarations apart from definitions."""
    if place.definition == NONE or place.file not in snapshot.shards or not snapshot.shards[place.file].language:
        return False
    known = snapshot.capabilities(place.file)
    return known is not None and known.prototypes


def linked_places(snapshot: Snapshot, place: SymbolRef, *, incoming: bool) -> Iterator[SymbolRef]:
    """Definitions that implement a place, or what a place implements."""
    for ref in edge_refs_of_kinds(snapshot, place, (REDECLARING,), incoming=incoming):
        node = node_of(ref.source_key if incoming else ref.target_key)
        if isinstance(node, SymbolRef):
            yield node
