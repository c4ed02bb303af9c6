"""Phrases: how much of a task one declaration says at once, and which names put its words together.

Owns: shares of the first line, names glued from neighbouring words.
Must not know: links, budgets, weights.
Invariant: every number is from 0 to 1 and does not depend on the order of files or words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import attrs

from graphls.context.candidates import Key
from graphls.context.lexical import FileTerms
from graphls.context.ranking import Ranking, rarities
from graphls.context.terms import Task, term_id
from graphls.facts.paths import FilePath


@attrs.frozen(eq=False)
class Phrases:
    """What declarations hold of one task."""

    corpus: Mapping[FilePath, FileTerms]
    title: Mapping[int, float]
    """Term id of each word of the first line -> its part of what they are worth together."""
    glued: Mapping[FilePath, Sequence[float]]
    """By file and unit: what its glued names are worth, 1 at most; files without any are left out."""

    @staticmethod
    def of(corpus: Mapping[FilePath, FileTerms], task: Task, ranking: Ranking) -> Phrases:
        """What there is to hold."""
        title = {term_id(word): ranking.rarity[word] for word in sorted(set(task.title) & ranking.rarity.keys())}
        whole = sum(title.values()) or 1.0
        return Phrases(corpus, {word: worth / whole for word, worth in title.items()}, _glued(corpus, task.glued))

    def said(self, key: Key) -> float:
        """The part of the first line that a declaration holds."""
        known, found = self.corpus[key.file], 0.0
        for word, worth in self.title.items():
            posting = known.postings(word)
            at = bisect_left(known.unit, key.unit, posting.start, posting.stop)
            if at < posting.stop and known.unit[at] == key.unit:
                found += worth
        return found

    def spelled(self, key: Key) -> float:
        """What the glued names in a declaration are worth."""
        found = self.glued.get(key.file)
        return found[key.unit] if found else 0.0


def _glued(corpus: Mapping[FilePath, FileTerms], names: Sequence[str]) -> dict[FilePath, list[float]]:
    worth = {term_id(name): rarity for name, rarity in rarities(corpus, names).items()}
    found: dict[FilePath, list[float]] = {}
    for path, known in corpus.items() if worth else ():
        for name, rarity in worth.items():
            for at in known.postings(name):
                found.setdefault(path, [0.0] * len(known.rows))[known.unit[at]] += rarity
    most = max((max(sums) for sums in found.values()), default=1.0)
    return {path: [value / most for value in sums] for path, sums in found.items()}
