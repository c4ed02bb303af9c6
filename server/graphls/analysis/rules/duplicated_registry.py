"""Duplicated registry: one set of keys in several tables of modules.

Owns: which tables count as registries, which sets of keys are too ordinary to mention.
Must not know: how tables are spelled in a language.
Invariant: a table is in at most one finding; tables are tied by equal sets of keys, never by likeness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Views, flags_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef

LEAST_KEYS: Final = 4
_MOST_KEYS: Final = 500
_PLAIN: Final = re.compile(r"^(-?[\d.]+|.|[A-Z]{2}|[a-z]{2})$")
"""Numbers, single letters, codes of countries and languages: everybody has these."""
_ORDINARY: Final = frozenset(("__all__", "__slots__", "__match_args__", "__author__"))
_BOUND: Final = frozenset((DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))
_Row = tuple[int, tuple[str, ...]]


def check(views: Views) -> Iterator[Claim]:
    """One claim for each set of keys that several tables have."""
    tables: dict[tuple[str, ...], list[SymbolRef]] = {}
    for path in views.sources(programs=False):
        for row, keys in views.per_file("registries", path, lambda facts: tuple(_registries(facts))):
            tables.setdefault(tuple(keys), []).append(SymbolRef(path, row))
    for keys, places in sorted(tables.items()):
        apart = _apart(views, places)
        if len(apart) > 1 and any(views.in_scope(place.file) for place in apart):
            yield _claim(views, keys, apart)


def _registries(facts: FileFacts) -> Iterator[_Row]:
    """Tables that a module binds once to a name, with what they hold keys for."""
    table = facts.definitions
    for row, kind in enumerate(table.kind):
        name = facts.strings[table.name[row]]
        if kind not in _BOUND or table.owner[row] >= 0 or table.value[row] < 0 or name in _ORDINARY:
            continue
        if flags_of(facts, row) & (DefinitionFlag.CONDITIONAL | DefinitionFlag.TYPE_CHECKING):
            continue
        keys = sorted(set(_keys(facts, table.value[row])))
        if LEAST_KEYS <= len(keys) <= _MOST_KEYS and sum(not _PLAIN.match(key) for key in keys) >= LEAST_KEYS:
            yield row, tuple(keys)


def _keys(facts: FileFacts, value: int) -> Iterator[str]:
    """Names of what a table has entries for; nothing where one of them is not written out."""
    table = facts.expressions
    if table.kind[value] == ExpressionKind.OBJECT:
        scope = table.a[value]
        names = (row for row, owner in enumerate(facts.definitions.scope) if owner == scope)
        yield from (facts.strings[facts.definitions.name[row]] for row in names)
    elif table.kind[value] == ExpressionKind.COLLECTION and table.c[value] >= 0:
        found = [_key(facts, key) for key in facts.list_at(table.c[value])]
        if all(found):
            yield from found


def _key(facts: FileFacts, value: int) -> str:
    table = facts.expressions
    kind = table.kind[value]
    if kind == ExpressionKind.LITERAL and table.b[value] >= 0:
        return facts.strings[table.b[value]]
    if kind == ExpressionKind.NAME:
        return facts.strings[table.a[value]]
    if kind == ExpressionKind.MEMBER:
        base = _key(facts, table.a[value])
        return f"{base}.{facts.strings[table.b[value]]}" if base else ""
    return ""


def _apart(views: Views, places: Sequence[SymbolRef]) -> list[SymbolRef]:
    """One table for each name in a file: what is bound again there is one table."""
    named: dict[tuple[FilePath, str], SymbolRef] = {}
    for place in places:
        named.setdefault((place.file, views.name(place)), place)
    return list(named.values())


def _claim(views: Views, keys: tuple[str, ...], places: Sequence[SymbolRef]) -> Claim:
    listing = ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
    return Claim(
        key=(*keys,),
        title=f"{len(places)} tables have entries for the same {len(keys)} keys: {listing}",
        pressure="A new key has to be added in every one of these tables, and nothing says so when one is forgotten.",
        confidence="medium",
        evidence=tuple(_evidence(views, place, len(keys)) for place in places[:20]),
        suggestions=("Keep what belongs to a key in one table, and make the others from it.",),
        measures={"tables": len(places), "keys": keys[:50], "files": len({place.file for place in places})},
        caveats=("Equal spelling is taken for equal meaning.",),
    )


def _evidence(views: Views, place: SymbolRef, keys: int) -> Evidence:
    table = views.snapshot.facts(place.file).definitions
    start, end = table.start[place.definition], table.end[place.definition]
    return Evidence(place.file, start, end, f"{views.symbol(place)} has the {keys} keys", place)


RULE = Rule(
    code="arch.duplicated_registry",
    category="architecture",
    priority="P3",
    title="Duplicated registry",
    doc="""Two or more tables of modules have entries for the same set of at least four keys. Numbers, single letters
    and codes of two letters do not count, nor do tests, examples and settings files.""",
    check=check,
    enabled=False,
)
