"""Class names: what is spelled like a class and changes with its name.

Owns: constructors and destructors that are called like their class, uses of constructors that spell the class
    (`new A()` of a `__construct`), labels (`this@A`), the parts of a class that is declared in several places.
Must not know: LSP types, what is done with the places.
Invariant: a site stands on the name of the class, behind the `~` of a destructor.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.capabilities import Capabilities
from graphls.queries.redeclarations import redeclarations
from graphls.queries.references import Reference, bindings_of, references
from graphls.queries.rows import class_around, name_of, rows_with, string_index
from graphls.queries.type_hierarchy import is_class

DESTROYS: Final = "~"
"""What stands before the name of a destructor."""


@attrs.frozen
class ClassNameSite:
    """A place that spells a class where something else is declared or meant."""

    use: Reference
    start: int
    certain: bool


def constructed_class(snapshot: Snapshot, place: SymbolRef) -> SymbolRef | None:
    """The class whose constructor or destructor a place is."""
    known = snapshot.capabilities(place.file)
    if place.definition == NONE or known is None:
        return None
    facts = snapshot.facts(place.file)
    if facts.definitions.kind[place.definition] != DefinitionKind.METHOD:
        return None
    name = name_of(facts, place.definition)
    for one in (place, *redeclarations(snapshot, place)):
        own = snapshot.facts(one.file)
        owner = class_around(own, one.definition)
        if owner != NONE and _makes(known, name, name_of(own, owner)):
            return SymbolRef(one.file, owner)
    return None


def names_constructors(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a method that is called like a class constructs it, in the language of a place."""
    known = snapshot.capabilities(place.file)
    return known is not None and _by_class(known)


def _by_class(known: Capabilities) -> bool:
    return known.constructors_named_by_class or bool(known.constructor_words)


def _makes(known: Capabilities, name: str, cls: str) -> bool:
    return name in known.constructors or (_by_class(known) and name in (cls, DESTROYS + cls))


def class_name_sites(snapshot: Snapshot, cls: SymbolRef) -> Iterator[ClassNameSite]:
    """Where the name of a class is that of its constructors and its destructor: declarations and uses."""
    known = snapshot.capabilities(cls.file)
    if known is None or known.calls_constructors_by_name or not is_class(snapshot, cls):
        return
    name = name_of(snapshot.facts(cls.file), cls.definition)
    parts = tuple(dict.fromkeys((*redeclarations(snapshot, cls), *parts_of(snapshot, cls))))
    made = [place for part in parts for place in _constructors(snapshot, part, known)]
    every = tuple(dict.fromkeys(one for place in made for one in redeclarations(snapshot, place)))
    group = {*parts, *every}
    for place in every:
        for use in (*bindings_of(snapshot, place), *references(snapshot, place).uses):
            spelled = _spelled(snapshot, use)
            if spelled in (name, DESTROYS + name):
                certain = not use.ambiguous or _all_in(snapshot, use, group)
                yield ClassNameSite(use, use.start + len(spelled) - len(name), certain)


def class_labels(snapshot: Snapshot, cls: SymbolRef) -> Iterator[int]:
    """Where code inside of a class names it behind a word of the language that means an object of it."""
    known = snapshot.capabilities(cls.file)
    if known is None or not known.labels_of_class or not is_class(snapshot, cls):
        return
    table, text = snapshot.facts(cls.file).definitions, snapshot.text(cls.file) or b""
    name = name_of(snapshot.facts(cls.file), cls.definition)
    words = b"|".join(re.escape(word.encode()) for word in known.labels_of_class)
    pattern = re.compile(rb"(?:%s)(%s)\b" % (words, re.escape(name.encode())))
    inside = pattern.finditer(text, table.full_start[cls.definition], table.full_end[cls.definition])
    yield from (match.start(1) for match in inside)


def _all_in(snapshot: Snapshot, use: Reference, group: Collection[SymbolRef]) -> bool:
    return all(target.place in group for target in snapshot.targets(use.file, use.row))


def _spelled(snapshot: Snapshot, use: Reference) -> str:
    facts = snapshot.facts(use.file)
    numbers = facts.definitions.name if use.binding else facts.occurrences.name
    return facts.strings[numbers[use.row]]


def _constructors(snapshot: Snapshot, cls: SymbolRef, known: Capabilities) -> Iterator[SymbolRef]:
    facts = snapshot.facts(cls.file)
    table, name = facts.definitions, name_of(facts, cls.definition)
    for row in rows_with(table.scope, table.body[cls.definition]) if table.body[cls.definition] != NONE else ():
        if table.kind[row] == DefinitionKind.METHOD and _makes(known, name_of(facts, row), name):
            yield SymbolRef(cls.file, row)


def parts_of(snapshot: Snapshot, cls: SymbolRef) -> tuple[SymbolRef, ...]:
    """Other places that declare the same class, in languages where one may be declared in parts."""
    known = snapshot.capabilities(cls.file)
    if known is None or known.part_word is None or not is_class(snapshot, cls):
        return ()
    own = snapshot.facts(cls.file)
    if not _is_part(snapshot, cls.file, own, cls.definition, known.part_word):
        return ()
    name, dotted = name_of(own, cls.definition), qualified_name(own, cls.definition)
    found: list[SymbolRef] = []
    for path in sorted(snapshot.files_with_name(name)):
        if snapshot.shards[path].language != known.name:
            continue
        facts = snapshot.facts(path)
        for row in rows_with(facts.definitions.name, string_index(facts, name)):
            place = SymbolRef(path, row)
            alike = place != cls and is_class(snapshot, place) and qualified_name(facts, row) == dotted
            if alike and _is_part(snapshot, path, facts, row, known.part_word):
                found.append(place)
    return tuple(found)


def _is_part(snapshot: Snapshot, path: FilePath, facts: FileFacts, row: int, word: str) -> bool:
    table = facts.definitions
    # What belongs to the statement may stand before the declaration: `template<> struct`.
    text = snapshot.text(path) or b""
    start = max(text.rfind(stop, 0, table.full_start[row]) for stop in (b";", b"}", b"{", b"/"))
    return word.encode() in text[start + 1 : table.start[row]]
