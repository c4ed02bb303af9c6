"""Graph kinds: the words that graph queries take for kinds.

Owns: what `unresolved` among them means.
Must not know: queries.
Invariant: an unknown word is refused with the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.graph.errors import BadRequest
from graphls.mcp.requests import MOST_UNRESOLVED
from graphls.queries.graph_kinds import edge_kinds, effect_kinds, node_kinds

UNRESOLVED: Final = "unresolved"


def checked_kinds(words: Sequence[str], *, nodes: bool = False) -> frozenset[str]:
    """The kinds of edges, or of nodes, that a request names."""
    return node_kinds(words) if nodes else edge_kinds(words, UNRESOLVED) - {UNRESOLVED}


def effects_by(words: Sequence[str]) -> frozenset[str]:
    """The kinds of edges by which a change is to reach on."""
    return effect_kinds(words, UNRESOLVED) - {UNRESOLVED}


def listed_unresolved(words: Sequence[str]) -> int:
    """How many open uses a request wants to be listed."""
    return MOST_UNRESOLVED if UNRESOLVED in words else 0


def only_unresolved(words: Sequence[str]) -> int:
    """The same for a query that takes no other word."""
    for word in words:
        if word != UNRESOLVED:
            raise BadRequest(f"There is no kind {word[:100]!r} here. Use one of: {UNRESOLVED}.")
    return listed_unresolved(words)
