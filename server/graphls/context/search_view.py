"""Search view: answers of a search as faces show them.

Owns: `RankedNode`, when several words are a question rather than names.
Must not know: layout, JSON, how anything is ranked.
Invariant: a node says what speaks for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import attrs

from graphls.context.search import SearchHit
from graphls.context.terms import is_asked
from graphls.graph.nodes import is_test_file
from graphls.queries.find import QUALITIES, FindQuery, SymbolMatches
from graphls.queries.node_views import NodeView, Presenter

_WORDS = 2
_ONE_WORD: Final = re.compile(r"[A-Za-z][a-z]{4,}")
_SCATTERED: Final = QUALITIES.index("scattered")
_FEW = 5
"""So many symbols outside of tests that have all words are an answer, whatever the documentation of others says."""


@attrs.frozen(kw_only=True)
class RankedNode:
    """One answer. Ranks count from 1; 0: not among the first. `words`: those of the question that it has."""

    node: NodeView
    score: float
    words: tuple[str, ...]
    word_rank: int
    vector_rank: int


def ranked_nodes(things: Presenter, hits: Sequence[SearchHit]) -> tuple[RankedNode, ...]:
    """Hits with the nodes they are about, in their order."""
    return tuple(
        RankedNode(node=things.node(hit.place), score=hit.score, words=hit.words,
                   word_rank=hit.word_rank, vector_rank=hit.vector_rank)
        for hit in hits
    )  # fmt: skip


def is_question(query: FindQuery, found: SymbolMatches) -> bool:
    """Whether a text of several words is to be searched for, as no name is made of all of them: or few are, and the
    documentation of others was not looked at; or it asks something, which a name does not. One word is, where names
    have no more of it than its letters."""
    words = len(query.text.split())
    if _ONE_WORD.fullmatch(query.text.strip()):
        like = any(match.quality < _SCATTERED for match in found.matches[:1])
        return query.only.symbols and query.mode == "fuzzy" and not found.derived and not like
    # What frameworks declare has a name and no words: only code and documents can be ranked.
    ranked = query.only.symbols or query.only.sections
    outside_tests = sum(not is_test_file(match.place.file) for match in found.matches)
    few = not found.matches or found.partial or (not found.whole and outside_tests < min(_FEW, query.limit))
    asked = words > _WORDS and is_asked(query.text)
    return words >= _WORDS and ranked and query.mode == "fuzzy" and not found.derived and (few or asked)
