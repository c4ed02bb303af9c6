"""Uncertain sites: the uses whose meaning decides an answer.

Owns: which occurrences matter for a position, for what leads to a place, for what stands inside one.
Must not know: which of them are certain, who settles the others, time.
Invariant: candidates come in the order of their worth: the file of the place first, then by path.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from graphls.facts.columns import NONE, rows_with
from graphls.facts.paths import FilePath
from graphls.graph.nodes import import_occurrence, own_uses
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.position import NameAtOffset, name_at
from graphls.queries.rows import is_local, name_of, rows_between, string_index

Candidates = tuple[FilePath, Callable[[], Collection[int]]]
"""A file and, looked up when they are wanted, rows of its occurrences."""


def uncertain_sites_at(snapshot: Snapshot, path: FilePath, offset: int) -> list[Candidates]:
    """The use at an offset, or the one that an import binding there rests on."""
    found = name_at(snapshot, path, offset)
    row = NONE if found is None else _use(snapshot, found)
    return [] if row == NONE else [(path, lambda: (row,))]


def uncertain_sites_of(snapshot: Snapshot, places: Iterable[SymbolRef]) -> Iterator[Candidates]:
    """Uses that spell the name of a place, wherever it may be seen."""
    for place in dict.fromkeys(places):
        if place.definition == NONE or not snapshot.shards[place.file].language:
            continue
        facts = snapshot.facts(place.file)
        name = name_of(facts, place.definition)
        yield place.file, partial(_named, snapshot, place.file, name)
        if not is_local(facts, place.definition):
            others = (path for path in snapshot.files_with_name(name) if path != place.file)
            yield from ((path, partial(_named, snapshot, path, name)) for path in others)


def uncertain_sites_inside(snapshot: Snapshot, places: Iterable[SymbolRef]) -> Iterator[Candidates]:
    """Uses in the text of places; for a module those outside of what it defines."""
    for place in dict.fromkeys(places):
        if snapshot.shards[place.file].language:
            yield place.file, partial(_within, snapshot, place)


def _use(snapshot: Snapshot, found: NameAtOffset) -> int:
    if found.occurrence != NONE:
        return found.occurrence
    return import_occurrence(snapshot.facts(found.file), found.definition)


def _named(snapshot: Snapshot, path: FilePath, name: str) -> Sequence[int]:
    facts = snapshot.facts(path)
    number = string_index(facts, name)
    return [] if number == NONE else list(rows_with(facts.occurrences.name, number))


def _within(snapshot: Snapshot, place: SymbolRef) -> Sequence[int]:
    facts = snapshot.facts(place.file)
    uses, table = facts.occurrences, facts.definitions
    if place.definition == NONE:
        return own_uses(facts, NONE)
    return rows_between(uses.start, table.full_start[place.definition], table.full_end[place.definition])
