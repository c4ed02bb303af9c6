"""Seeds: the declarations that the words of a task and a request point at.

Owns: which kinds of pointing there are, and what each adds.
Must not know: links between declarations, budgets.
Invariant: a name that fits many declarations adds little to each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice

import attrs

from graphls.context.candidates import Candidates, Reason, UnitKey
from graphls.context.files import files_named
from graphls.context.lexical import FileTerms
from graphls.context.ranking import Ranking, shared_words
from graphls.context.terms import Task
from graphls.context.units import owners
from graphls.context.weights import Weights
from graphls.facts.paths import FilePath
from graphls.graph.node_table import declaring_files
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import find_symbol

_LEXICAL = 600
_MANY = 60
_PART = 0.5
"""Of a request, up to which files are looked through for what a task names."""


@attrs.frozen
class SeedContext:
    """What seeds are looked for in."""

    snapshot: Snapshot
    corpus: Mapping[FilePath, FileTerms]
    weights: Weights


def words_of(task: Task, weights: Weights) -> dict[str, float]:
    """The words to search for, each with its weight."""
    words = dict.fromkeys(task.body, 1.0)
    words.update(dict.fromkeys(task.title, weights.title))
    return {word: weight * (weights.quoted if word in task.quoted else 1.0) for word, weight in words.items()}


def add_lexical(context: SeedContext, task: Task, ranking: Ranking, found: Candidates) -> None:
    """Declarations that share words with the task; the best of them scores 1."""
    for key in ranking.best(_LEXICAL):
        shared = shared_words(ranking, context.corpus[key.file], key.unit)
        words = ", ".join(dict.fromkeys(task.as_written(term) for term in shared))
        _add(context, found, key, Reason("words", math.sqrt(ranking.score(key)), words))


def add_explicit(context: SeedContext, task: Task, found: Candidates) -> None:
    """Declarations, files and lines that the task spells."""
    weights = context.weights
    for name in task.identifiers:
        keys = list(islice(_called(context, name), _MANY + 1))
        for key in keys if len(keys) <= _MANY else ():
            _add(context, found, key, Reason("name", weights.exact / math.sqrt(len(keys)), name))
    for dotted in task.dotted:
        for key in _symbols(context, dotted):
            _add(context, found, key, Reason("symbol", weights.path, dotted))
    for name, line in task.positions:
        for path in files_named(context.snapshot, name):
            _add_line(context, found, path, line)
    for name in task.files:
        for path in files_named(context.snapshot, name):
            _add_file(context, found, path, weights.file)


def add_given(
    context: SeedContext, places: tuple[SymbolRef, ...], files: tuple[FilePath, ...], found: Candidates
) -> None:
    """What the request itself names."""
    weights = context.weights
    for place in places:
        if place.definition < 0:
            _add_file(context, found, place.file, weights.given)
        key = unit_of(context, place)
        if key is not None:
            _add(context, found, key, Reason("given", weights.given, "named by the request"))
    for path in files:
        _add_file(context, found, path, weights.given)


def _called(context: SeedContext, name: str) -> Iterator[UnitKey]:
    """Units whose own name this is, in files that take part."""
    snapshot = context.snapshot
    files = [path for path in snapshot.files_with_name(name) if path in context.corpus]
    for path in declaring_files(snapshot, files, name):
        if is_spent_to(_PART):
            return
        facts, known = snapshot.facts(path), context.corpus[path]
        for unit, row in enumerate(known.rows):
            if facts.strings[facts.definitions.name[row]] == name:
                yield UnitKey(path, unit)


def _symbols(context: SeedContext, dotted: str) -> list[UnitKey]:
    """Units that a dotted name means; `Class.method` may stand without its module."""
    places = find_symbol(context.snapshot, dotted)
    keys = (unit_of(context, place) for place in places[:_MANY])
    found = list(dict.fromkeys(key for key in keys if key is not None))
    return found if len(found) <= 5 else []


def unit_of(context: SeedContext, place: SymbolRef) -> UnitKey | None:
    """The unit of a declaration, where its file takes part."""
    known = context.corpus.get(place.file)
    if known is None or place.definition < 0:
        return None
    unit = owners(context.snapshot.facts(place.file), known.units).get(place.definition)
    return UnitKey(place.file, unit) if unit is not None else None


def _add(context: SeedContext, found: Candidates, key: UnitKey, reason: Reason) -> None:
    found.add(key, context.corpus[key.file].starts[key.unit], reason)


def _add_file(context: SeedContext, found: Candidates, path: FilePath, score: float) -> None:
    known = context.corpus.get(path)
    for unit in range(len(known.rows) if known else 0):
        _add(context, found, UnitKey(path, unit), Reason("file", score, path))


def _add_line(context: SeedContext, found: Candidates, path: FilePath, line: int) -> None:
    known, lines = context.corpus.get(path), context.snapshot.facts(path).lines
    if known is None or not 0 < line <= len(lines):
        return
    end = lines[line] - 1 if line < len(lines) else lines[line - 1]
    unit = known.units.at(max(end - 1, lines[line - 1]))
    if unit >= 0:
        _add(context, found, UnitKey(path, unit), Reason("line", context.weights.path, f"{path}:{line}"))
