"""Lexical: which declarations share words with a task (BM25).

Owns: the index of one file, its ranking formula.
Must not know: links, budgets, how a task was read.
Invariant: the index of a file is a function of its facts, text and path; scores do not depend on the order of files.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

import attrs

from graphls.context.terms import IDENTIFIER, term_id, terms, terms_of
from graphls.context.units import Units, units_of
from graphls.context.weights import Weights
from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot

LEXICAL_VERSION = 1
"""Raised whenever the terms of a file change meaning; part of every cache key."""
_NAME = 3
_KEPT = "context terms"


@attrs.frozen(eq=False)
class FileTerms:
    """Words of one file's declarations. `facts.codec` encodes it, so it can be stored by content like facts.

    `terms`: sorted term ids; the postings of term i are `unit` and `count` from `first[i]` to `first[i + 1]`.
    """

    rows: Column
    starts: Column
    ends: Column
    sizes: Column
    terms: Column
    first: Column
    unit: Column
    count: Column
    generated: bool
    """A tool wrote the file."""

    @property
    def units(self) -> Units:
        """The declarations that are counted."""
        return Units(self.rows, self.starts, self.ends)

    def postings(self, term: int) -> range:
        """Where the postings of a term are; empty when the file lacks it."""
        at = bisect_left(self.terms, term)
        if at == len(self.terms) or self.terms[at] != term:
            return range(0)
        return range(self.first[at], self.first[at + 1])


@attrs.frozen
class Hit:
    """A declaration (number of a unit of its file) that shares words with the task."""

    file: FilePath
    unit: int
    score: float
    words: tuple[str, ...]


def index_file(path: FilePath, facts: FileFacts, text: bytes) -> FileTerms:
    """The terms of a file: each declaration's source, path and names, its own name counted thrice."""
    units = units_of(facts)
    shared = Counter(terms(path))
    postings: dict[int, list[tuple[int, int]]] = {}
    sizes = column()
    for number, (row, start, end) in enumerate(zip(units.row, units.start, units.end, strict=True)):
        counts = shared + _source_terms(text[start:end])
        counts.update(terms(qualified_name(facts, row)))
        for term in terms(facts.strings[facts.definitions.name[row]]):
            counts[term] += _NAME
        sizes.append(counts.total())
        for term, count in counts.items():
            postings.setdefault(term_id(term), []).append((number, count))
    return _packed(units, sizes, postings, facts.generated)


def terms_in(snapshot: Snapshot, path: FilePath) -> FileTerms:
    """The terms of one file, kept with its contents."""
    kept = snapshot.shards[path].kept
    known = kept.get(_KEPT)
    if isinstance(known, FileTerms):
        return known
    text = snapshot.text(path)
    made = index_file(path, snapshot.facts(path), text or b"")
    if text is not None:
        kept[_KEPT] = made
    return made


def has_terms(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether the terms of a file are at hand."""
    return _KEPT in snapshot.shards[path].kept


def offer_terms(snapshot: Snapshot, path: FilePath, known: FileTerms) -> None:
    """Give a file the terms that were stored for its contents, so that they are not made again."""
    snapshot.shards[path].kept.setdefault(_KEPT, known)


def rank(files: Mapping[FilePath, FileTerms], words: Mapping[str, float], weights: Weights, limit: int) -> list[Hit]:
    """The best declarations for weighted words, best first; ties by file and place."""
    total = sum(len(known.rows) for known in files.values())
    mean = sum(sum(known.sizes) for known in files.values()) / max(total, 1) or 1.0
    scores: dict[tuple[FilePath, int], float] = {}
    shared: dict[tuple[FilePath, int], list[tuple[float, str]]] = {}
    for word, weight in sorted(words.items()):
        found = [(path, known, posting) for path, known in files.items() if (posting := known.postings(term_id(word)))]
        frequency = sum(len(posting) for _, _, posting in found)
        rarity = weight * math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        for path, known, posting in found:
            for at in posting:
                unit, count = known.unit[at], known.count[at]
                norm = weights.saturation * (1 - weights.length + weights.length * known.sizes[unit] / mean)
                gain = rarity * count * (weights.saturation + 1) / (count + norm)
                scores[path, unit] = scores.get((path, unit), 0.0) + gain
                shared.setdefault((path, unit), []).append((gain, word))
    best = sorted(scores, key=lambda key: (-scores[key], key[0], files[key[0]].starts[key[1]]))[:limit]
    return [Hit(*key, scores[key], _strongest(shared[key])) for key in best]


def _strongest(shared: list[tuple[float, str]]) -> tuple[str, ...]:
    return tuple(word for _, word in sorted(shared, key=lambda pair: (-pair[0], pair[1]))[:5])


def _source_terms(source: bytes) -> Counter[str]:
    counts: Counter[str] = Counter()
    for identifier, count in Counter(IDENTIFIER.findall(source)).items():
        for term in terms_of(identifier.decode("ascii")):
            counts[term] += count
    return counts


def _packed(
    units: Units, sizes: Column, postings: Mapping[int, Iterable[tuple[int, int]]], generated: bool
) -> FileTerms:
    ordered = sorted(postings)
    first, unit, count = column([0]), column(), column()
    for term in ordered:
        for number, times in postings[term]:
            unit.append(number)
            count.append(times)
        first.append(len(unit))
    return FileTerms(units.row, units.start, units.end, sizes, column(ordered), first, unit, count, generated)
