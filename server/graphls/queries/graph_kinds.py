"""Graph kinds: the words for kinds of nodes and edges that a request may name.

Owns: what a request's words mean, which kinds a walk over effects follows.
Must not know: faces, how edges are found.
Invariant: an unknown word is refused with the list, so that a slip never looks like an answer of nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphls.graph.edge_refs import STRUCTURE
from graphls.graph.errors import BadRequest
from graphls.graph.records import EDGE_KINDS, NODE_KINDS


def edge_kinds(words: Iterable[str] | None, *more: str) -> frozenset[str]:
    """The kinds of edges that a request names. `more`: other words that it may take."""
    return _checked(words, (*EDGE_KINDS, *more))


def node_kinds(words: Iterable[str] | None) -> frozenset[str]:
    """The kinds of nodes that a request names."""
    return _checked(words, NODE_KINDS)


def effect_kinds(words: Iterable[str] | None, *more: str) -> frozenset[str]:
    """The kinds of edges by which a change reaches on; where something stands is none of them."""
    return _checked(words, (*(kind for kind in EDGE_KINDS if kind not in STRUCTURE), *more))


def _checked(words: Iterable[str] | None, known: Sequence[str]) -> frozenset[str]:
    named = frozenset(words or ())
    for word in sorted(named.difference(known)):
        raise BadRequest(f"There is no kind {word[:100]!r} here. Use some of: {', '.join(known)}.")
    return named
