"""Ranking: how much the words of a task say about each declaration, and about each file.

Owns: the formula (BM25 over declarations, and over files), rarity of words.
Must not know: links, budgets, how a task was read.
Invariant: scores do not depend on the order of files or words.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence

import attrs

from graphls.context.candidates import UnitKey
from graphls.context.lexical import FileTerms
from graphls.context.terms import term_id
from graphls.context.weights import Weights
from graphls.facts.paths import FilePath

_SATURATION = 1.2
_FILE_LENGTH = 0.4


@attrs.frozen(eq=False)
class Ranking:
    """What words say. All numbers are shares of the best."""

    rarity: Mapping[str, float]
    """Words that the workspace has, with what one of them is worth."""
    scores: Mapping[FilePath, Sequence[float]]
    """By file and unit; files without any of the words are left out."""
    names: Mapping[FilePath, Sequence[float]]
    """Part of each unit's own name that the task says."""
    files: Mapping[FilePath, float]

    def score(self, key: UnitKey) -> float:
        """What the words say about one declaration."""
        found = self.scores.get(key.file)
        return found[key.unit] if found else 0.0

    def best(self, limit: int) -> list[UnitKey]:
        """Declarations by score, best first; ties by file and place."""
        found = [(-score, path, unit) for path, row in self.scores.items() for unit, score in enumerate(row) if score]
        return [UnitKey(path, unit) for _, path, unit in sorted(found)[:limit]]


@attrs.define(eq=False)
class _FileSums:
    """Sums over one file, under construction."""

    gains: list[float]
    share: list[float]
    named: list[int]
    whole: float = 0.0


def rank(files: Mapping[FilePath, FileTerms], words: Mapping[str, float], weights: Weights) -> Ranking:
    """Scores for weighted words."""
    ids = {word: term_id(word) for word in sorted(words)}
    total, spread = sum(len(known.rows) for known in files.values()), _spread(files, ids)
    rarity = {word: words[word] * _rarity(total, units) for word, (units, _) in spread.items()}
    in_files = {word: words[word] * _rarity(len(files), count) for word, (_, count) in spread.items()}
    everything = sum(rarity.values()) or 1.0
    norms = _Norms.of(files, weights)
    found = {path: _FileSums([0.0] * len(known.rows), [0.0] * len(known.rows), [0] * len(known.rows))
             for path, known in files.items()}  # fmt: skip
    for path, known in files.items():
        sums = found[path]
        for word in rarity:
            posting = known.postings(ids[word])
            if posting:
                _add(sums, known, posting, (rarity[word], in_files[word]), norms)
        sums.gains = [
            gain * (share / everything) ** weights.cover if gain else 0.0
            for gain, share in zip(sums.gains, sums.share, strict=True)
        ]
    most = max((max(sums.gains, default=0.0) for sums in found.values()), default=0.0) or 1.0
    widest = max((sums.whole for sums in found.values()), default=0.0) or 1.0
    hit = {path: sums for path, sums in found.items() if sums.whole}
    return Ranking(
        rarity=rarity,
        scores={path: [gain / most for gain in sums.gains] for path, sums in hit.items()},
        names={path: [n / max(size, 1) for n, size in zip(sums.named, files[path].names, strict=True)]
               for path, sums in hit.items()},
        files={path: sums.whole / widest for path, sums in hit.items()},
    )  # fmt: skip


def shared_words(ranking: Ranking, known: FileTerms, unit: int) -> tuple[str, ...]:
    """The words of the task that a declaration holds, the rarest first."""
    matches: list[tuple[float, str]] = []
    for word, worth in ranking.rarity.items():
        posting = known.postings(term_id(word))
        at = bisect_left(known.unit, unit, posting.start, posting.stop)
        if at < posting.stop and known.unit[at] == unit:
            matches.append((-worth, word))
    return tuple(word for _, word in sorted(matches)[:5])


@attrs.frozen
class _Norms:
    """What length costs: `base + by_size * size`, for declarations and for files."""

    base: float
    by_size: float
    file_base: float
    file_by_size: float

    @staticmethod
    def of(files: Mapping[FilePath, FileTerms], weights: Weights) -> _Norms:
        whole = sum(sum(known.sizes) for known in files.values())
        mean = whole / max(sum(len(known.rows) for known in files.values()), 1) or 1.0
        per_file = whole / max(len(files), 1) or 1.0
        k, b = weights.saturation, weights.length
        file_part = _SATURATION * _FILE_LENGTH / per_file
        return _Norms(k * (1 - b), k * b / mean, _SATURATION * (1 - _FILE_LENGTH), file_part)


def _add(sums: _FileSums, known: FileTerms, posting: range, worth: tuple[float, float], norms: _Norms) -> None:
    """Take one word of one file in."""
    gain, of_file = worth
    total = 0
    for at in posting:
        unit, count = known.unit[at], known.count[at]
        total += count
        sums.gains[unit] += gain * count / (count + norms.base + norms.by_size * known.sizes[unit])
        sums.share[unit] += gain
        sums.named[unit] += known.named[at]
    sums.whole += of_file * total / (total + norms.file_base + norms.file_by_size * sum(known.sizes))


def _spread(files: Mapping[FilePath, FileTerms], ids: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Word -> number of declarations and of files that have it; words that nothing has are left out."""
    found: dict[str, tuple[int, int]] = {}
    for word, number in ids.items():
        sizes = [size for known in files.values() if (size := len(known.postings(number)))]
        if sizes:
            found[word] = (sum(sizes), len(sizes))
    return found


def _rarity(total: int, frequency: int) -> float:
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
