"""Similar: symbols that are like some code, by name, signature and body.

Owns: how a body is made comparable, which symbols it is compared with, what counts as like.
Must not know: who wrote the code, whether it is on disk, records, faces.
Invariant: what is compared is bounded, and an answer that left something out says so; equal bodies come first.

Bodies are compared as streams of tokens in which a name is a name, a string a string and a number a number; keywords
and operators stay, comments and layout go. Only symbols of files that spell the rarest names of the code, or the name
of the symbol itself, are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import log
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_test_file, node_rows
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import is_stub, providers
from graphls.queries.answer import Coverage
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.rows import name_of

LIKE: Final = 0.7
"""Part of the runs of tokens of two bodies that both have, from which they are alike."""
_RUN: Final = 5
LEAST_TOKENS: Final = 25
"""Shorter bodies are alike by chance."""
_SIZES: Final = 3
"""A body that has more than so many times the bytes of another is not compared with it."""
_WORDS, _MOST_FILES_A_WORD, _MOST_FILES, _MOST_MATCHES, _MOST_SYMBOLS = 12, 200, 40, 10, 20
_COMPARED: Final = frozenset({
    DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS, DefinitionKind.PROPERTY,
})  # fmt: skip
_SYNTAX: Final = (
    r"""(?P<string>[rbfuRBFU]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`)"""
    r"""|(?P<number>\d[\w.]*)|(?P<name>[^\W\d][\w$]*)|(?P<sign>=>|[-+*/%&|^<>=!]=|&&|\|\||\?\?|\*\*|//|[^\s\w])"""
)
_KEYWORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        abstract and as assert async await break case catch class const continue def default del delete do elif else
        enum except export extends finally for from func function go if implements import in instanceof interface is
        lambda let match new not of or package pass raise range return self static struct super switch this throw try
        type typeof var while with yield None True False null true false undefined void nil
        """,
    )
)


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


@attrs.frozen
class _Body:
    tokens: tuple[str, ...]
    runs: frozenset[tuple[str, ...]]
    size: int


def similar(snapshot: Snapshot, sources: Sequence[SymbolRef]) -> SimilarSymbols:
    """What is like each of these symbols, without themselves and what stands around or inside them."""
    chosen = [place for place in dict.fromkeys(sources) if _is_compared(snapshot, place)]
    search = _Search(snapshot)
    found = [one for place in chosen[:_MOST_SYMBOLS] for one in search.like(place)]
    return SimilarSymbols(tuple(found), search.whole and len(chosen) <= _MOST_SYMBOLS)


def body_tokens(snapshot: Snapshot, place: SymbolRef) -> tuple[str, ...]:
    """The tokens of a symbol, without what it is called and what its names, strings and numbers are."""
    return tuple(_tokens(_text(snapshot, place), snapshot.shards[place.file].language))


class _Search:
    """Compares, and reads each body once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._bodies: dict[SymbolRef, _Body] = {}
        self.whole = True

    def like(self, source: SymbolRef) -> list[SimilarSymbol]:
        """What is like one symbol."""
        snapshot, name = self._snapshot, _name(self._snapshot, source)
        known = self._body(source)
        compared = len(known.tokens) >= LEAST_TOKENS
        named = {place for place in self._called(name) if not _overlap(snapshot, source, place)}
        others = self._in_files(self._files(source)) if compared else ()
        found: list[SimilarSymbol] = []
        for place in dict.fromkeys((*sorted(named, key=_key), *others)):
            if place == source or (place not in named and _overlap(snapshot, source, place)):
                continue
            share = self._share(known, place) if compared else 0.0
            same = share == 1.0 and self._body(place).tokens == known.tokens
            if share >= LIKE or (place in named and _is_named_alike(snapshot, source, place)):
                found.append(SimilarSymbol(source, place, round(share, 2), same, place in named))
        found.sort(key=lambda one: (not one.same_body, -one.similarity, not one.same_name, *_key(one.match)))
        self.whole = self.whole and len(found) <= _MOST_MATCHES
        return found[:_MOST_MATCHES]

    def _share(self, known: _Body, place: SymbolRef) -> float:
        if not known.size / _SIZES <= _size(self._snapshot, place) <= known.size * _SIZES:
            return 0.0
        other = self._body(place)
        few, many = sorted((len(known.runs), len(other.runs)))
        if not few:
            return 0.0
        both = len(known.runs & other.runs)
        return both / (few + many - both)

    def _body(self, place: SymbolRef) -> _Body:
        known = self._bodies.get(place)
        if known is None:
            tokens = body_tokens(self._snapshot, place)
            runs = frozenset(tokens[at : at + _RUN] for at in range(len(tokens) - _RUN + 1))
            known = self._bodies[place] = _Body(tokens, runs, _size(self._snapshot, place))
        return known

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
        for word in sorted(_words(_text(snapshot, source), snapshot.shards[source.file].language)):
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
            if self._snapshot.shards[path].language and not comes_last(self._snapshot, path) and not is_stub(path):
                for row in node_rows(self._snapshot.facts(path)):
                    place = SymbolRef(path, row)
                    if _is_compared(self._snapshot, place):
                        yield place


def _is_compared(snapshot: Snapshot, place: SymbolRef) -> bool:
    if place.definition == NONE:
        return False
    table = snapshot.facts(place.file).definitions
    return table.kind[place.definition] in _COMPARED and table.body[place.definition] != NONE


def _is_named_alike(snapshot: Snapshot, source: SymbolRef, other: SymbolRef) -> bool:
    """Whether one name may mean that something is written twice: of what modules declare, tests apart."""
    kinds = {snapshot.facts(one.file).definitions.kind[one.definition] for one in (source, other)}
    tests = {is_test_file(one.file) for one in (source, other)}
    return DefinitionKind.METHOD not in kinds and DefinitionKind.PROPERTY not in kinds and len(tests) == 1


def _overlap(snapshot: Snapshot, one: SymbolRef, other: SymbolRef) -> bool:
    if one.file != other.file:
        return False
    table, first, second = snapshot.facts(one.file).definitions, one.definition, other.definition
    return table.full_start[first] < table.full_end[second] and table.full_start[second] < table.full_end[first]


def _name(snapshot: Snapshot, place: SymbolRef) -> str:
    return name_of(snapshot.facts(place.file), place.definition)


def _key(place: SymbolRef) -> tuple[str, int]:
    return place.file, place.definition


def _size(snapshot: Snapshot, place: SymbolRef) -> int:
    table = snapshot.facts(place.file).definitions
    return table.full_end[place.definition] - table.full_start[place.definition]


def _text(snapshot: Snapshot, place: SymbolRef) -> str:
    table = snapshot.facts(place.file).definitions
    text = (snapshot.text(place.file) or b"")[table.full_start[place.definition] : table.full_end[place.definition]]
    return text.decode("utf-8", "replace")


def _matches(text: str, language: str) -> Iterator[re.Match[str]]:
    """Tokens of a text, without comments."""
    return (match for match in _pattern(language).finditer(text) if match.lastgroup != "comment")


@lru_cache
def _pattern(language: str) -> re.Pattern[str]:
    provider = providers().get(language)
    marker = "//" if provider is None else provider.capabilities.line_comment
    return re.compile(rf"(?P<comment>{re.escape(marker)}[^\n]*|/\*.*?\*/)|{_SYNTAX}", re.DOTALL)


def _tokens(text: str, language: str) -> Iterator[str]:
    for match in _matches(text, language):
        if match.lastgroup == "name":
            yield match[0] if match[0] in _KEYWORDS else "$ID"
        else:
            yield {"string": "$STR", "number": "$NUM"}.get(match.lastgroup or "", match[0])


def _words(text: str, language: str) -> set[str]:
    names = (match[0] for match in _matches(text, language) if match.lastgroup == "name")
    return {name for name in names if len(name) > 2 and name not in _KEYWORDS}
