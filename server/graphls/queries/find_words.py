"""Find words: symbols whose names are made of several words, in any order.

Owns: what the words of a text and of a name are, how well one word fits another, the order of what is found.
Must not know: names that are looked for as a whole, records, LSP types.
Invariant: the order is a function of the snapshot and the words; a symbol that fits no word by its name is not found.

A word fits a part of the name (`before` in `before_request`, `beforeRequest`), else the class or module around it, else
the first line of its documentation; in that order it counts for less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.request_budget import until_spent
from graphls.graph.snapshot import Snapshot
from graphls.queries.find_filter import FindFilter
from graphls.queries.findable import FindableNames, blocks_of, takes_line

MAX_WORDS: Final = 8
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_a-zA-Z]+")
_FILLERS: Final = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "how", "i", "in", "is", "it", "of",
    "on", "or", "that", "the", "to", "what", "when", "where", "which", "with",
})  # fmt: skip
_STEM: Final = 0.7
"""Part of a word that others share with it: `validate` and `validation`."""
_SHORTEST: Final = 3
_DOCUMENTED: Final = 300
"""Symbols whose documentation is looked at, the best by name."""
_LINE: Final = 200
_EXACT, _ALIKE, _INSIDE = 0, 1, 2
_AROUND: Final = 3
_DOC_FIT: Final = 6


class WordRank(NamedTuple):
    """How well a symbol fits; the least comes first."""

    missing: int
    """Words that fit nowhere."""
    misfit: int
    """How far from the name the others fit, and how exactly."""
    scattered: int
    """The words do not stand side by side in the name, in their order."""
    extra_parts: int
    """Parts of the name that no word fits."""
    foreign: bool
    """A tool or somebody else made the file."""
    order: int
    nested: int
    length: int
    name: str
    path: FilePath
    row: int
    """Of the surface's symbols."""


class _WordCandidate(NamedTuple):
    path: FilePath
    names: FindableNames
    line: int
    name: str


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, in lower case; without those that every sentence has, if that leaves several."""
    found = tuple(dict.fromkeys(part.lower() for part in _PART.findall(text)))[:MAX_WORDS]
    telling = tuple(word for word in found if word not in _FILLERS)
    return telling if len(telling) > 1 else found


def by_words(
    snapshot: Snapshot, words: Sequence[str], only: FindFilter, orders: Sequence[int]
) -> tuple[list[WordRank], bool]:
    """Symbols that fit all words, best first, and whether that is all; where none does, those that fit the most, if
    that is half of the words. `orders`: what kinds of symbols come first, by number of the kind."""
    ranks: list[tuple[WordRank, _WordCandidate, tuple[int, ...]]] = []
    fitting = _WordMatcher(snapshot, words, orders)
    for candidate in until_spent(_candidates(snapshot, words, only)):
        parts = _parts(candidate.name)
        fits = tuple(_fit(word, parts, candidate.name.lower()) for word in words)
        if all(fit < 0 for fit in fits):
            continue
        if not takes_line(snapshot, only, (candidate.path, candidate.names, candidate.line)):
            continue
        fits = fitting.fits(candidate, fits)
        ranks.append((fitting.rank(candidate, fits), candidate, fits))
    ranks.sort(key=lambda one: one[0])
    documented = [fitting.rank_with_docs(*one) for one in ranks[:_DOCUMENTED]]
    found = sorted((*documented, *(rank for rank, _, _ in ranks[_DOCUMENTED:])))
    least = found[0].missing if found else 0
    undocumented = any(rank.missing for rank, _, _ in ranks[_DOCUMENTED:])
    if 2 * least > len(words):
        return [], not undocumented
    return [rank for rank in found if rank.missing == least], not (least or undocumented)


def _candidates(snapshot: Snapshot, words: Sequence[str], only: FindFilter) -> Iterator[_WordCandidate]:
    """Symbols with the beginning of some word in their names."""
    stems = "|".join(re.escape(stem) for stem in dict.fromkeys(map(_stem, words)))
    pattern = re.compile(rf"(?:{stems})[^\n]*")
    for block in blocks_of(snapshot, only):
        for file, line, _ in block.matches(pattern, ""):
            names = block.names[file]
            yield _WordCandidate(block.paths[file], names, line, names.name(line))


def _stem(word: str) -> str:
    return word[: max(_SHORTEST, round(len(word) * _STEM))]


@lru_cache(maxsize=4_096)
def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _PART.findall(name))


def _fit(word: str, parts: Sequence[str], low: str) -> int:
    """How well a word fits a name, smaller is better; -1 when it does not."""
    if word in parts:
        return _EXACT
    if any(_alike(word, part) for part in parts):
        return _ALIKE
    return _INSIDE if len(word) >= _SHORTEST and word in low else -1


def _alike(word: str, part: str) -> bool:
    """Whether two words are forms of one: `requests` and `request`, `validate` and `validation`."""
    if part.startswith(word):
        return len(word) >= _SHORTEST or len(part) - len(word) <= 1
    stem = _stem(max(word, part, key=len))
    return min(len(word), len(part)) > _SHORTEST and word.startswith(stem) and part.startswith(stem)


class _WordMatcher:
    """How well words fit symbols, with what stands around these: modules and classes are read once each."""

    def __init__(self, snapshot: Snapshot, words: Sequence[str], orders: Sequence[int]) -> None:
        self._snapshot = snapshot
        self._words = words
        self._orders = orders
        self._modules: dict[FilePath, tuple[int, ...]] = {}
        self._classes: dict[tuple[FilePath, int], tuple[int, ...]] = {}

    def fits(self, candidate: _WordCandidate, fits: tuple[int, ...]) -> tuple[int, ...]:
        """The fits of a name, with those of what is around it where the name has none."""
        if min(fits) >= 0:
            return fits
        nested = candidate.names.nested[candidate.line]
        holders = [self._class(candidate.path, candidate.names.rows[candidate.line])] if nested else []
        for holder in (*holders, self._module(candidate.path)):
            fits = tuple(_AROUND + there if fit < 0 <= there else fit for fit, there in zip(fits, holder, strict=True))
        return fits

    def rank(self, candidate: _WordCandidate, fits: Sequence[int]) -> WordRank:
        """Where a symbol stands among others."""
        names, line, parts = candidate.names, candidate.line, _parts(candidate.name)
        return WordRank(
            missing=sum(fit < 0 for fit in fits),
            misfit=sum(max(fit, 0) for fit in fits),
            scattered=int(" ".join(self._words) not in " ".join(parts)),
            extra_parts=max(len(parts) - sum(0 <= fit < _AROUND for fit in fits), 0),
            foreign=comes_last(self._snapshot, candidate.path),
            order=self._orders[names.kinds[line]],
            nested=names.nested[line],
            length=len(candidate.name),
            name=candidate.name,
            path=candidate.path,
            row=names.rows[line],
        )

    def rank_with_docs(self, rank: WordRank, candidate: _WordCandidate, fits: Sequence[int]) -> WordRank:
        """The rank with what the documentation says."""
        if not rank.missing:
            return rank
        row = self._snapshot.definition_of_symbol(rank.path, rank.row)
        facts = self._snapshot.facts(rank.path)
        doc = facts.definitions.doc[row] if row != NONE else NONE
        if doc == NONE:
            return rank
        doc_fits = self._fits_of(facts.strings[doc][:_LINE].partition("\n")[0])
        return self.rank(
            candidate, [_DOC_FIT if fit < 0 <= doc_fit else fit for fit, doc_fit in zip(fits, doc_fits, strict=True)]
        )

    def _module(self, path: FilePath) -> tuple[int, ...]:
        known = self._modules.get(path)
        if known is None:
            known = self._modules[path] = self._fits_of(self._snapshot.module_name(path).dotted)
        return known

    def _class(self, path: FilePath, row: int) -> tuple[int, ...]:
        surface = self._snapshot.surface(path)
        owner = surface.symbols.owner[row]
        if owner == NONE:
            return self._fits_of("")
        known = self._classes.get((path, owner))
        if known is None:
            known = self._classes[path, owner] = self._fits_of(surface.strings[surface.symbols.name[owner]])
        return known

    def _fits_of(self, name: str) -> tuple[int, ...]:
        parts, low = _parts(name), name.lower()
        return tuple(_fit(word, parts, low) for word in self._words)
