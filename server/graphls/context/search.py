"""Search: the declarations and sections of documents that a question in words is about.

Owns: the request and the answer, how scores of words, names and vectors are put together, what is said of each.
Must not know: links, budgets, faces, how vectors are made.
Invariant: a function of the snapshot, the request and the name of the provider; words alone are an answer.

Words are scored by BM25 (Robertson, Walker 1994) over parts of names, signatures, bodies, comments and paths, with what
is called so first. The numbers were chosen on flask, werkzeug, jinja, requests and httpx by `bench/search.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal

import attrs

from graphls.context.candidates import UnitKey
from graphls.context.document_terms import SECTIONS, document_corpus
from graphls.context.files import corpus
from graphls.context.lexical import FileTerms
from graphls.context.ranking import Ranking, rank, shared_words
from graphls.context.seeds import words_of
from graphls.context.synonyms import synonyms_of_missing, whole_word
from graphls.context.terms import Task, asked_words, read_task, wants_change
from graphls.context.vectors import UnitVectors, VectorProvider, built_in_provider
from graphls.context.weights import Weights
from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import MemoTable
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, Next
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.find_filter import NO_FILTER, FindFilter

SearchMethod = Literal["words", "vectors", "both", "task"]
"""`task`: as a pack ranks (`context/task_search.py`)."""
_WEIGHTS: Final = Weights(length=0.75, cover=0, quoted=1, title=1)
_CALLED, _PLACE, _NEAR, _EXACT = 0.2, 0.1, 0.35, 1.0
"""What counts beside the words, which count 1 together with the vectors: a name of these words, their file, the vectors
as part of the first, a name that is spelled as code."""
_FOREIGN: Final = 0.5
"""What is left of the score of what a tool or somebody else made."""
_POOL: Final = 400
"""Declarations that take part, by words and by vectors each."""
_FEW: Final = 5
"""Declarations that a name which is spelled as code may mean."""
_VECTORS: Final = MemoTable[str, UnitVectors]("search vectors", rests_on_links=False)


@attrs.frozen(kw_only=True)
class SearchQuery:
    """A question in words. Filters are hard: what they leave out is not ranked."""

    text: str
    method: SearchMethod = "words"
    only: FindFilter = NO_FILTER
    asides: bool | None = None
    """Whether tests and examples take part; None: where the question or the folder is about them."""
    limit: int = 20


@attrs.frozen(kw_only=True)
class SearchHit:
    """One answer, with what speaks for it. Ranks count from 1; 0: not among the first."""

    key: UnitKey
    place: SymbolRef | DerivedNode
    score: float
    words: tuple[str, ...]
    """Words of the question that it has, the rarest first."""
    word_rank: int
    vector_rank: int


@attrs.frozen(kw_only=True)
class SearchHits:
    """Best first, sections of documents behind declarations."""

    hits: tuple[SearchHit, ...]
    sections: tuple[SearchHit, ...]
    total: int
    """Declarations that share a word with the question, or are near to it, at most as many as take part."""
    vectors: str
    """What the vectors are, "" where none took part."""
    method: SearchMethod

    @property
    def ranked_by(self) -> str:
        """What the order rests on, in words."""
        if self.method == "task":
            return "what a change of these words is about: words, links, earlier commits"
        if not self.vectors:
            return "words"
        return f"vectors ({self.vectors})" if self.method == "vectors" else f"words and vectors ({self.vectors})"

    @property
    def coverage(self) -> Coverage:
        """A ranking is never all there is: what has other words is not in it."""
        return Coverage(
            truncated=self.total > len(self.hits),
            omitted=self.total - len(self.hits),
            completeness=Completeness((Gap(Cause.RANKING, "in", 0),)),
        )

    @property
    def next_step(self) -> Next:
        """What to do with the answer."""
        if not self.hits and not self.sections:
            return Next("clarify", reason="nothing that was searched has any of these words: use others")
        return Next("inspect", reason="ranked by words: no name has all of them")


def method_for(text: str) -> SearchMethod:
    """How a text is searched for where nobody chose. Vectors beside the words did not find more on repositories that
    nobody tuned for; texts that want a change are better ranked like packs (docs/accuracy.md)."""
    return "task" if wants_change(text) else "words"


def search(snapshot: Snapshot, query: SearchQuery, provider: VectorProvider | None = None) -> SearchHits:
    """What a question is about. `provider`: of vectors; the built-in one where nothing is given and it can work."""
    task = read_task(query.text)
    about_tests = takes_asides(query, task)
    files = corpus(snapshot, asides=about_tests, named=())
    words = asked_words(query.text, words_of(task, _WEIGHTS))
    seen = chosen_files(snapshot, query, files)
    ranking = rank(seen, words, _WEIGHTS)
    if beside := synonyms_of_missing(words, ranking.rarity):
        words = {**words, **beside}
        ranking = rank(seen, words, _WEIGHTS)
    fits = DeclarationFilter(snapshot, seen, query.only)
    # What the filters leave out takes no place among those that take part.
    most = _POOL if not query.only.kinds else sum(len(known.rows) for known in seen.values())
    by_words: Sequence[UnitKey] = ()
    if query.method != "vectors":
        by_words = tuple(islice(filter(fits.wanted, ranking.best(most)), _POOL))
    near: Mapping[UnitKey, float] = {}
    chosen = None if query.method == "words" else provider or built_in_provider()
    if chosen is not None:
        vectors = _vectors(snapshot, chosen, files, about_tests=about_tests)
        found = vectors.nearest(words, most if seen is files else sum(len(known.rows) for known in files.values()))
        taken = ((key, score) for score, key in found if key.file in seen and fits.wanted(key))
        near = dict(islice(taken, _POOL))
    scores = _scores(ranking, by_words, near)
    for key in _spelled(snapshot, task, seen):
        if fits.wanted(key):
            scores[key] = scores.get(key, 0.0) + _EXACT
    foreign = {path for path in {key.file for key in scores} if comes_last(snapshot, path)}
    scores = {key: score * (_FOREIGN if key.file in foreign else 1.0) for key, score in scores.items()}
    ordered = sorted(scores.items(), key=lambda one: (-round(one[1], 6), one[0].file, one[0].unit))
    places = (dict(_numbered(by_words)), dict(_numbered(near)))
    hits = tuple(_hit(task, (ranking, seen[key.file]), key, score, places) for key, score in ordered[: query.limit])
    return SearchHits(
        hits=hits,
        sections=_sections(snapshot, query, task, words) if query.method != "vectors" else (),
        total=len(scores),
        vectors=chosen.name if chosen is not None else "",
        method=query.method,
    )


def takes_asides(query: SearchQuery, task: Task) -> bool:
    """Whether tests and examples take part."""
    meant = task.about_tests or bool(query.only.folder) or "test" in query.only.kinds
    return meant if query.asides is None else query.asides


def _scores(ranking: Ranking, by_words: Sequence[UnitKey], near: Mapping[UnitKey, float]) -> dict[UnitKey, float]:
    """Parts of the best by words and by vectors each, and what the name and the file add."""
    share = _NEAR if near and by_words else 1.0 if near else 0.0
    nearest = max(near.values(), default=1.0)
    lexical = frozenset(by_words)
    return {
        key: (1 - share) * (ranking.score(key) if key in lexical else 0.0)
        + share * near.get(key, 0.0) / nearest
        + _CALLED * (ranking.names[key.file][key.unit] if key.file in ranking.names else 0.0)
        + _PLACE * ranking.files.get(key.file, 0.0)
        for key in (*by_words, *(key for key in near if key not in lexical))
    }


def chosen_files(
    snapshot: Snapshot, query: SearchQuery, files: Mapping[FilePath, FileTerms]
) -> Mapping[FilePath, FileTerms]:
    """The files that the filters leave; all of them as they are where there is none."""
    if query.only.whole:
        return files
    return {path: known for path, known in files.items() if query.only.takes_file(snapshot, path)}


@attrs.frozen
class DeclarationFilter:
    """Declarations of the kinds that are asked for, all where none is."""

    snapshot: Snapshot
    files: Mapping[FilePath, FileTerms]
    only: FindFilter

    def wanted(self, key: UnitKey) -> bool:
        """Whether a declaration of one of the files is of such a kind."""
        if not self.only.kinds:
            return True
        row = self.files[key.file].rows[key.unit]
        return row != NONE and self.only.takes(self.snapshot, key.file, row)


def _vectors(
    snapshot: Snapshot, provider: VectorProvider, files: Mapping[FilePath, FileTerms], *, about_tests: bool
) -> UnitVectors:
    """The vectors of a snapshot, made once. Filters do not change what is learned."""
    table, name = _VECTORS.of(snapshot), f"{provider.name} {about_tests}"
    known = table.get(name)
    if known is None:
        known = table[name] = provider.vectors(files)
    return known


def _spelled(snapshot: Snapshot, task: Task, files: Mapping[FilePath, FileTerms]) -> Iterator[UnitKey]:
    """Declarations whose name the question spells as code, where few have it."""
    for name in task.identifiers:
        keys: list[UnitKey] = []
        for path in snapshot.files_with_name(name):
            if path in files:
                facts = snapshot.facts(path)
                for unit, row in enumerate(files[path].rows):
                    if row != NONE and facts.strings[facts.definitions.name[row]] == name:
                        keys.append(UnitKey(path, unit))
        if len(keys) <= _FEW:
            yield from keys


def _numbered(keys: Sequence[UnitKey] | Mapping[UnitKey, float]) -> Iterator[tuple[UnitKey, int]]:
    return ((key, number) for number, key in enumerate(keys, 1))


def _hit(
    task: Task,
    found: tuple[Ranking, FileTerms],
    key: UnitKey,
    score: float,
    places: tuple[Mapping[UnitKey, int], Mapping[UnitKey, int]],
) -> SearchHit:
    ranking, known = found
    by_words, by_vectors = places
    row = known.rows[key.unit]
    return SearchHit(
        key=key,
        place=SymbolRef(key.file, row),
        score=round(score, 4),
        words=words_as_written(task, ranking, known, key.unit),
        word_rank=by_words.get(key, 0),
        vector_rank=by_vectors.get(key, 0),
    )


def words_as_written(task: Task, ranking: Ranking, known: FileTerms, unit: int) -> tuple[str, ...]:
    """The words of a task that a declaration has, the rarest first."""
    found = shared_words(ranking, known, unit)
    return tuple(dict.fromkeys(task.spelled.get(term) or whole_word(term) for term in found))


def _sections(snapshot: Snapshot, query: SearchQuery, task: Task, words: Mapping[str, float]) -> tuple[SearchHit, ...]:
    """Sections of documents that have the words, a few."""
    if not query.only.sections:
        return ()
    files = {path: known for path, known in document_corpus(snapshot).items() if query.only.is_under(path)}
    ranking = rank(files, words, _WEIGHTS)
    found: list[SearchHit] = []
    most = min(SECTIONS, query.limit) if query.only.symbols else query.limit
    for number, key in enumerate(ranking.best(most), 1):
        assert snapshot.derivation is not None
        node = snapshot.derivation.nodes(snapshot, key.file)[files[key.file].rows[key.unit]]
        said = words_as_written(task, ranking, files[key.file], key.unit)
        found.append(SearchHit(key=key, place=node, score=round(ranking.score(key), 4), words=said,
                               word_rank=number, vector_rank=0))  # fmt: skip
    return tuple(found)
