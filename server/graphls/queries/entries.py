"""Entries: the routes and tools through which a framework comes to a place.

Owns: what handles what, for one place.
Must not know: frameworks, rules, records, LSP types.
Invariant: routes and tools that tests declare are told as such by the nodes themselves; nothing is left out silently.
"""

from __future__ import annotations

from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot, SymbolRef


def entries(snapshot: Snapshot, place: SymbolRef) -> tuple[DerivedNode, ...]:
    """Routes and tools that a place handles, by file and position."""
    if snapshot.derivation is None:
        return ()
    edges = snapshot.derivation.handlers_at(snapshot, place)
    found = {edge.source for edge in edges if isinstance(edge.source, DerivedNode)}
    return tuple(sorted(found, key=lambda node: (node.file, node.start, node.name)))
