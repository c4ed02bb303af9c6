"""Structural features: what name, size, file and class of a declaration add to what its own words say.

Owns: merits that rest on where a declaration stands, each with its weight.
Must not know: links, budgets, how words are scored.
Invariant: a merit is found for every candidate alike, however it became one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from graphls.context.candidates import Candidates, Reason, UnitKey
from graphls.context.lexical import FileTerms
from graphls.context.ranking import Ranking
from graphls.context.weights import Weights
from graphls.facts.paths import FilePath

_SCALE = 5


class StructuralFeatures:
    """Merits of declarations by where they stand."""

    def __init__(self, corpus: Mapping[FilePath, FileTerms], ranking: Ranking, weights: Weights) -> None:
        self._corpus = corpus
        self._ranking = ranking
        self._weights = weights

    def add(self, found: Candidates) -> None:
        """Give every candidate its merits."""
        for candidate in list(found):
            for kind, score in self._merits(candidate.key):
                if score:
                    found.add(candidate.key, candidate.start, Reason(kind, score, candidate.key.file))

    def _merits(self, key: UnitKey) -> tuple[tuple[str, float], ...]:
        weights, known, ranking = self._weights, self._corpus[key.file], self._ranking
        parent = known.parents[key.unit]
        names = ranking.names.get(key.file)
        in_class = ranking.score(UnitKey(key.file, parent)) if parent >= 0 else 0.0
        own = names[key.unit] if names and ranking.score(key) else 0.0
        size = math.log1p(known.ends[key.unit] - known.starts[key.unit]) / _SCALE
        return (
            ("called", weights.called * own),
            ("place", weights.place * ranking.files.get(key.file, 0.0)),
            ("inside", weights.inside * in_class),
            ("size", weights.size * size),
        )
