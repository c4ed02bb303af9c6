"""Similar: symbols that are like some code, by name, signature and body.

Owns: which symbols some code is compared with, what counts as like.
Must not know: who wrote the code, whether it is on disk, records, faces, how bodies are made comparable.
Invariant: what was not compared is said; equal bodies come first.

A function is compared with every function of the workspace, by the runs of tokens of both (`body_sketches`), and with
what has its name. A class is compared with what files declare that spell its rarest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.nodes import is_test_file, node_rows
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.body_sketches import BodySketch, SketchForm, is_compared, sketch_of, sketches
from graphls.queries.body_tokens import LEAST_TOKENS, body_text, body_tokens, words_of
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.rows import name_of
from graphls.settings import SimilaritySettings

_SIZES: Final = 3
"""A body that has more than so many times the runs of another is not compared with it."""
_WORDS, _MOST_FILES_A_WORD, _MOST_FILES, _MOST_SYMBOLS = 12, 200, 40, 20
_COMPARED: Final = frozenset({
    DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS, DefinitionKind.PROPERTY,
})  # fmt: skip


@attrs.frozen
class SimilarSymbol:
    """A symbol that is like a `source`. `similarity`: of the bodies, 0 where they were not compared; `same_body`:
    their streams of tokens are equal."""

    source: SymbolRef
    match: SymbolRef
    similarity: float
    same_body: bool
    same_name: bool


@attrs.frozen
class SimilarSymbols:
    """Equal bodies first, then by likeness, then by path. `whole`: nothing that may be like was left out."""

    found: tuple[SimilarSymbol, ...]
    whole: bool

    @property
    def coverage(self) -> Coverage:
        """What was not looked at is said."""
        gaps = () if self.whole else (Gap(Cause.NOT_SEARCHED, "in", 0),)
        return Coverage(completeness=Completeness(gaps), empty=not self.found)


_USUAL: Final = SimilaritySettings()


def similar(
    snapshot: Snapshot, sources: Sequence[SymbolRef], chosen: SimilaritySettings = _USUAL, *, texts: bool = False
) -> SimilarSymbols:
    """What is like each of these symbols, without themselves and what stands around or inside them. `texts`: a source
    without a row is the text of its file as a whole; else such sources are left out."""
    if not chosen.enabled:
        return SimilarSymbols((), whole=False)
    compared = [place for place in dict.fromkeys(sources) if _is_like(snapshot, place) or (texts and _is_text(place))]
    search = _Search(snapshot, chosen)
    found = [one for place in compared[:_MOST_SYMBOLS] for one in search.like(place)]
    return SimilarSymbols(tuple(found), search.whole and len(compared) <= _MOST_SYMBOLS)


def refuse_where_off(chosen: SimilaritySettings) -> None:
    """For who asks for nothing else. Raises BadRequest."""
    if not chosen.enabled:
        raise BadRequest("Bodies are not compared here: the setting similarity.enabled is false.")


class _Search:
    """Compares, and reads each body once."""

    def __init__(self, snapshot: Snapshot, chosen: SimilaritySettings) -> None:
        self._snapshot = snapshot
        self._chosen = chosen
        self._form = SketchForm.of(chosen)
        self._bodies: dict[SymbolRef, BodySketch | None] = {}
        self._all: list[tuple[SymbolRef, BodySketch]] | None = None
        self.whole = True

    def like(self, source: SymbolRef) -> list[SimilarSymbol]:
        """What is like one symbol."""
        snapshot, name = self._snapshot, _name(self._snapshot, source)
        known, least = self._body(source), self._chosen.candidate_threshold
        exact = self._chosen.exact_normalized
        named = {place for place in self._called(name) if not _overlap(snapshot, source, place)}
        shares: dict[SymbolRef, tuple[float, bool]] = dict.fromkeys(sorted(named, key=_key), (0.0, False))
        if known is not None:
            runs = frozenset(known.runs)
            for place, other in self._others(source, named):
                if not len(runs) / _SIZES <= len(other.runs) <= len(runs) * _SIZES:
                    continue
                share = other.share(runs)
                if share >= least and not (place not in named and _overlap(snapshot, source, place)):
                    shares[place] = share, exact and share == 1.0 and other.print == known.print
        found = [
            SimilarSymbol(source, place, round(share, 2), same, place in named)
            for place, (share, same) in shares.items()
            if place != source and (share >= least or _is_named_alike(snapshot, source, place))
        ]
        found.sort(key=lambda one: (not one.same_body, -one.similarity, not one.same_name, *_key(one.match)))
        self.whole = self.whole and len(found) <= self._chosen.max_matches
        return found[: self._chosen.max_matches]

    def _others(self, source: SymbolRef, named: Iterable[SymbolRef]) -> Iterator[tuple[SymbolRef, BodySketch]]:
        """Bodies to compare with: of functions all in the language, of the rest what is named alike or nearby."""
        snapshot, language = self._snapshot, self._snapshot.shards[source.file].language
        if self._all is None:
            self._all = []
            try:
                self._all.extend(sketches(snapshot, self._form))
            except BudgetSpentError:
                self.whole = False
        seen: set[SymbolRef] = set()
        if source.definition == NONE or not self._is_class(source):
            for place, other in self._all:
                if snapshot.shards[place.file].language == language:
                    seen.add(place)
                    yield place, other
            near: Iterable[SymbolRef] = named
        else:
            near = (*named, *self._in_files(self._files(source)))
        for place in near:
            if place not in seen:
                seen.add(place)
                other = self._body(place)
                if other is not None:
                    yield place, other

    def _is_class(self, place: SymbolRef) -> bool:
        return self._snapshot.facts(place.file).definitions.kind[place.definition] == DefinitionKind.CLASS

    def _body(self, place: SymbolRef) -> BodySketch | None:
        """None where a body is too short to be compared."""
        if place not in self._bodies:
            tokens = body_tokens(self._snapshot, place)
            self._bodies[place] = sketch_of(tokens, self._form) if len(tokens) >= LEAST_TOKENS else None
        return self._bodies[place]

    def _called(self, name: str) -> Iterator[SymbolRef]:
        """What else is declared under the name; not what every class has."""
        if not name or name.startswith("__"):
            return
        for place in self._in_files(self._snapshot.files_with_name(name)[:_MOST_FILES_A_WORD]):
            if _name(self._snapshot, place) == name:
                yield place

    def _files(self, source: SymbolRef) -> list[FilePath]:
        """Files that spell the rarest names of the code, those with most of them first."""
        snapshot = self._snapshot
        counts: list[tuple[int, str, tuple[FilePath, ...]]] = []
        for word in sorted(words_of(body_text(snapshot, source), snapshot.shards[source.file].language)):
            files = snapshot.files_with_name(word)
            if 0 < len(files) <= _MOST_FILES_A_WORD:
                counts.append((len(files), word, files))
        scores: dict[FilePath, float] = {source.file: 1.0}
        for count, _, files in sorted(counts)[:_WORDS]:
            for path in files:
                scores[path] = scores.get(path, 0.0) + 1 / log(count + 2)
        self.whole = self.whole and len(scores) <= _MOST_FILES
        return sorted(scores, key=lambda path: (-scores[path], path))[:_MOST_FILES]

    def _in_files(self, paths: Iterable[FilePath]) -> Iterator[SymbolRef]:
        for path in paths:
            if is_compared(self._snapshot, path):
                for row in node_rows(self._snapshot.facts(path)):
                    place = SymbolRef(path, row)
                    if _is_like(self._snapshot, place):
                        yield place


def _is_like(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether it is something that may be like something else."""
    if place.definition == NONE:
        return False
    table = snapshot.facts(place.file).definitions
    return table.kind[place.definition] in _COMPARED and table.body[place.definition] != NONE


def _is_text(place: SymbolRef) -> bool:
    return place.definition == NONE


def _is_named_alike(snapshot: Snapshot, source: SymbolRef, other: SymbolRef) -> bool:
    """Whether one name may mean that something is written twice: of what modules declare, tests apart."""
    kinds = {snapshot.facts(one.file).definitions.kind[one.definition] for one in (source, other)}
    tests = {is_test_file(one.file) for one in (source, other)}
    return DefinitionKind.METHOD not in kinds and DefinitionKind.PROPERTY not in kinds and len(tests) == 1


def _overlap(snapshot: Snapshot, one: SymbolRef, other: SymbolRef) -> bool:
    if one.file != other.file:
        return False
    if one.definition == NONE or other.definition == NONE:
        return True
    table, first, second = snapshot.facts(one.file).definitions, one.definition, other.definition
    return table.full_start[first] < table.full_end[second] and table.full_start[second] < table.full_end[first]


def _name(snapshot: Snapshot, place: SymbolRef) -> str:
    return "" if place.definition == NONE else name_of(snapshot.facts(place.file), place.definition)


def _key(place: SymbolRef) -> tuple[str, int]:
    return place.file, place.definition
