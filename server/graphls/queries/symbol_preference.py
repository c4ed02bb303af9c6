"""Symbol preference: which of several things with one name are meant, and which function of several.

Owns: what is meant before what, functions that differ by their parameters alone.
Must not know: how the things were found.
Invariant: what is left over was among what was given; equal candidates all stay.

Somebody who writes `Gson` means the class and not its constructor, `select` the function of the module and not the nine
methods that end in it, `Session` what the program declares and not what its examples do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from graphls.facts.kinds import DefinitionKind
from graphls.graph.file_roles import is_aside
from graphls.graph.identity import symbol_name
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_test_file, node_rows, qualified_name, rows_named
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.redeclarations import redeclarations
from graphls.queries.symbol_notation import SymbolNotation, bracketed, split_parameters

_RUNNING: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
_WORD: Final = re.compile(r"\w+")


def by_preference(snapshot: Snapshot, name: str, places: Sequence[SymbolRef]) -> Sequence[Sequence[SymbolRef]]:
    """The places in groups, those that are meant first in the first. `name`: dotted, as it was asked for."""
    groups: dict[int, list[SymbolRef]] = {}
    for place in places:
        less = 2 * (not is_main(snapshot, place)) + (not _is_whole(snapshot, name, place))
        groups.setdefault(less, []).append(place)
    return [groups[number] for number in sorted(groups)]


def is_main(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether it is of the program itself."""
    return not (is_aside(place.file) or is_test_file(place.file) or comes_last(snapshot, place.file))


def _is_whole(snapshot: Snapshot, name: str, place: SymbolRef) -> bool:
    """Whether a name spells all that a thing is called in its module."""
    if place.definition < 0:
        return True
    return f".{name}".endswith(f".{qualified_name(snapshot.facts(place.file), place.definition)}")


def overloads(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The functions of a file that are called like one and differ by their parameters, in source order; of a language
    that has none, and of what is no function, the thing alone."""
    known = snapshot.capabilities(place.file)
    if place.definition < 0 or known is None or not known.overloads:
        return (place,)
    facts = snapshot.facts(place.file)
    table = facts.definitions
    if table.kind[place.definition] not in _RUNNING:
        return (place,)
    text, canonical = qualified_name(facts, place.definition), node_rows(facts)
    same = [
        SymbolRef(place.file, row)
        for row in rows_named(facts, table.name[place.definition])
        if table.kind[row] in _RUNNING and canonical[row] == row and qualified_name(facts, row) == text
    ]
    one = {_parameters(snapshot, again): again for again in (*redeclarations(snapshot, place), place)}
    # A prototype and its function are one, and so are the two of `#if` and `#else`.
    others = {_parameters(snapshot, other): other for other in reversed(same)} | one
    found = (place, *(other for other in others.values() if other not in one.values()))
    return tuple(sorted(found, key=lambda other: other.definition))


def with_parameters(snapshot: Snapshot, places: Sequence[SymbolRef], notation: SymbolNotation) -> Sequence[SymbolRef]:
    """Those whose parameters are as many as were written and have these words; all of them where none has."""
    written = notation.parameters
    if written is None:
        return places
    same = [place for place in places if _fits(_parameters(snapshot, place), written)]
    return same or places


def overload_names(snapshot: Snapshot, places: Sequence[SymbolRef]) -> Iterator[str]:
    """How to ask for each, with its parameters."""
    for place in places:
        yield f"{symbol_name(snapshot, place)}({', '.join(_parameters(snapshot, place))})"


def _fits(own: Sequence[str], written: Sequence[str]) -> bool:
    if len(own) != len(written):
        return False
    return all(set(_WORD.findall(asked)) <= set(_WORD.findall(one)) for one, asked in zip(own, written, strict=True))


def _parameters(snapshot: Snapshot, place: SymbolRef) -> tuple[str, ...]:
    """The parameters of a function as its head writes them."""
    facts = snapshot.facts(place.file)
    at = facts.definitions.signature[place.definition]
    inside = bracketed(facts.strings[at]) if at >= 0 else None
    return split_parameters(inside) if inside is not None else ()
