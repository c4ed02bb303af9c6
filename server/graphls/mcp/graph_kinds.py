"""Graph kinds: the words that graph queries take for kinds.

Owns: which words there are, what `unresolved` among them means.
Must not know: queries.
Invariant: an unknown word is refused with the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.graph.errors import BadRequest
from graphls.graph.records import EDGE_KINDS, NODE_KINDS
from graphls.mcp.requests import MOST_UNRESOLVED

UNRESOLVED: Final = "unresolved"


def checked_kinds(words: Sequence[str], *, nodes: bool = False) -> frozenset[str]:
    """The kinds of edges, or of nodes, that a request names."""
    known = NODE_KINDS if nodes else (*EDGE_KINDS, UNRESOLVED)
    for word in words:
        if word not in known:
            raise BadRequest(f"There is no kind {word[:100]!r}. Use some of: {', '.join(known)}.")
    return frozenset(words) - {UNRESOLVED}


def listed_unresolved(words: Sequence[str]) -> int:
    """How many open uses a request wants to be listed."""
    return MOST_UNRESOLVED if UNRESOLVED in words else 0


def only_unresolved(words: Sequence[str]) -> int:
    """The same for a query that takes no other word."""
    for word in words:
        if word != UNRESOLVED:
            raise BadRequest(f"There is no kind {word[:100]!r} here. Use one of: {UNRESOLVED}.")
    return listed_unresolved(words)
