"""Derived edges: those at one node that no link gives.

Owns: which of them are asked for.
Must not know: links, the rules that they follow from.
Invariant: a node has the same ones from both ends, unless the budget of the request ends their search. Then the answer
    says that it is not whole, and those that an earlier state had say that they are of that one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

from graphls.graph.derivation import NO_CALLS, DerivedCalls, DerivedNode
from graphls.graph.diagnoses import DIAGNOSES, diagnosis_edges_at
from graphls.graph.evidence import RawEdge
from graphls.graph.request_budget import PartOfBudget, note_stand_ins
from graphls.graph.snapshot import Snapshot, SymbolRef

_PART: Final = 0.5
"""Of the budget of a request, for calls of what places may hold. A search for them may have no end in sight, and what
links give around a node is worth more."""
_PART_BESIDE_EARLIER: Final = 0.1
"""The same where calls of the state before the last edits can take the place of those that are not found by then."""


def derived_edges_of(snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str] = ()) -> list[RawEdge]:
    """Those that start at a node. `kinds`: others may be left out."""
    found = diagnosis_edges_at(snapshot, node, incoming=False) if _are_diagnoses(kinds) else []
    if snapshot.derivation is None:
        return found
    return [*found, *rule_edges_of(snapshot, node), *(derived_calls_of(snapshot, node) if _are_calls(kinds) else ())]


def rule_edges_of(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> list[RawEdge]:
    """Those of them that rules give."""
    if snapshot.derivation is None:
        return []
    return [edge for edge in snapshot.derivation.edges_from(snapshot, node.file) if edge.source == node]


def derived_calls_of(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> list[RawEdge]:
    """Those of them that are calls of what a place may hold, which cost most of all."""
    if snapshot.derivation is None or not isinstance(node, SymbolRef) or not snapshot.shards[node.file].language:
        return []
    calls = snapshot.derivation.calls(snapshot)
    return _calls(calls, calls.from_place, calls.earlier_from_place, node)


def derived_edges_to(snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str] = ()) -> list[RawEdge]:
    """Those that end there; likewise."""
    found = diagnosis_edges_at(snapshot, node, incoming=True) if _are_diagnoses(kinds) else []
    if snapshot.derivation is None:
        return found
    found += snapshot.derivation.edges_to(snapshot, node)
    if isinstance(node, SymbolRef) and snapshot.shards[node.file].language and _are_calls(kinds):
        calls = snapshot.derivation.calls(snapshot)
        found += _calls(calls, calls.to_place, calls.earlier_to_place, node)
    return found


_Search = Callable[[SymbolRef], Iterable[RawEdge]]


def _calls(calls: DerivedCalls, search: _Search, earlier: _Search, place: SymbolRef) -> list[RawEdge]:
    """Those at one end that a part of the budget finds, with those of an earlier state where it does not find all."""
    found = list[RawEdge]()
    replaces = calls.has_earlier or any(True for _ in earlier(place))
    part = PartOfBudget(_PART_BESIDE_EARLIER if replaces else _PART)
    with part:
        found += search(place)
    if part.is_spent and replaces:
        note_stand_ins()
        known = {(edge.source, edge.target, edge.kind) for edge in found}
        found += (edge for edge in earlier(place) if (edge.source, edge.target, edge.kind) not in known)
    return found


def edges_by_rules_to(snapshot: Snapshot, node: SymbolRef) -> list[RawEdge]:
    """Those that end at a node and are written somewhere: not calls of what a place may hold, which is called by any
    name."""
    return [] if snapshot.derivation is None else list(snapshot.derivation.edges_to(snapshot, node))


def _are_diagnoses(kinds: Collection[str]) -> bool:
    return not kinds or DIAGNOSES in kinds


def _are_calls(kinds: Collection[str]) -> bool:
    """Whether one of some kinds, or of all, may be derived as a call."""
    return not kinds or not NO_CALLS.issuperset(kinds)
