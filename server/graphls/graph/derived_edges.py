"""Derived edges: those at one node that no link gives.

Owns: which of them are asked for.
Must not know: links, the rules that they follow from.
Invariant: a node has the same ones from both ends, unless the budget of the request ends their search.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from graphls.graph.derivation import NO_CALLS, DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.request_budget import PartOfBudget
from graphls.graph.snapshot import Snapshot, SymbolRef

_PART: Final = 0.5
"""Of the budget of a request, for calls of what places may hold. A search for them may have no end in sight, and what
links give around a node is worth more."""


def derived_edges_of(snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str] = ()) -> list[RawEdge]:
    """Those that start at a node. `kinds`: others may be left out."""
    if snapshot.derivation is None:
        return []
    rules = snapshot.derivation.edges_from(snapshot, node.file)
    found = [edge for edge in rules if edge.source == node]
    if isinstance(node, SymbolRef) and snapshot.shards[node.file].language and _are_calls(kinds):
        with PartOfBudget(_PART):
            found += snapshot.derivation.calls(snapshot).from_place(node)
    return found


def derived_edges_to(snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str] = ()) -> list[RawEdge]:
    """Those that end there; likewise."""
    if snapshot.derivation is None:
        return []
    found = list(snapshot.derivation.edges_to(snapshot, node))
    if isinstance(node, SymbolRef) and snapshot.shards[node.file].language and _are_calls(kinds):
        with PartOfBudget(_PART):
            found += snapshot.derivation.calls(snapshot).to_place(node)
    return found


def edges_by_rules_to(snapshot: Snapshot, node: SymbolRef) -> list[RawEdge]:
    """Those that end at a node and are written somewhere: not calls of what a place may hold, which is called by any
    name."""
    return [] if snapshot.derivation is None else list(snapshot.derivation.edges_to(snapshot, node))


def _are_calls(kinds: Collection[str]) -> bool:
    """Whether one of some kinds, or of all, may be derived as a call."""
    return not kinds or not NO_CALLS.issuperset(kinds)
