"""Mentions: the files that can hold an edge to a place.

Owns: which names a place is known by, across renaming imports and assignments.
Must not know: what the mentions mean.
Invariant: a file that is not listed has no occurrence that is linked to the place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import container, last_name
from graphls.graph.snapshot import End, Place, Snapshot

_CONSTRUCTORS = ("__init__", "__new__")
_FEW = 20
MAX_NAMES = 50
"""Names followed for one place; a thing with more aliases is not worth the search."""


@attrs.frozen(eq=False)
class Mentions:
    """Where edges to a place may be."""

    files: tuple[FilePath, ...]
    """Sorted; the place's own file is always one of them."""
    names: tuple[str, ...]
    """What the place is called, by itself and in files that rename it; complete only as far as `unsure` needs it."""
    unsure: Set[FilePath]
    """Those of `files` that are not linked yet: only their occurrences of `names` have to be looked at."""


def files_mentioning(snapshot: Snapshot, place: Place, ends: Collection[End]) -> Mentions:
    """Files to look at for edges to a place that links know as any of `ends`."""
    reaching = snapshot.reaching(ends)
    found: set[FilePath] = {place.file, *reaching.files}
    if not reaching.unsure:
        return Mentions(tuple(sorted(found)), (), frozenset())
    names = list(dict.fromkeys(_names_of(snapshot, place)))
    for path in reaching.files:
        for name in tuple(names):
            _extend(names, _renamings(snapshot.facts(path), name))
    for name in names:
        for path in unsure_with_name(snapshot, reaching.unsure, name):
            found.add(path)
            _extend(names, _renamings(snapshot.facts(path), name))
    if place.definition < 0:
        found.update(path for path in _beneath(snapshot, place.file) if path in reaching.unsure)
    return Mentions(tuple(sorted(found)), tuple(names), frozenset(found & reaching.unsure))


def unsure_with_name(snapshot: Snapshot, unsure: Set[FilePath], name: str) -> Iterator[FilePath]:
    """Those of some files that mention a name; a few are quicker looked at than found among all."""
    if len(unsure) <= _FEW:
        return (path for path in sorted(unsure) if name in snapshot.facts(path).strings)
    return (path for path in snapshot.files_with_name(name) if path in unsure)


def _extend(names: list[str], more: Iterable[str]) -> None:
    names.extend(name for name in more if name not in names and len(names) < MAX_NAMES)


def _names_of(snapshot: Snapshot, place: Place) -> Iterator[str]:
    facts = snapshot.facts(place.file)
    if place.definition < 0:
        yield snapshot.module_name(place.file).dotted.rpartition(".")[2]
        return
    name = facts.strings[facts.definitions.name[place.definition]]
    yield name
    owner = container(facts, place.definition)
    if name in _CONSTRUCTORS and owner >= 0:
        yield facts.strings[facts.definitions.name[owner]]


def _renamings(facts: FileFacts, name: str) -> Iterator[str]:
    """Names that a file gives to what it knows as `name`: `import name as other`, `other = name`."""
    table, strings = facts.definitions, facts.strings
    try:
        index = strings.index(name)
    except ValueError:
        return
    imports = facts.imports
    for row, definition in enumerate(imports.definition):
        if definition < 0:
            continue
        imported = imports.name[row] == index or (
            imports.name[row] < 0 and strings[imports.module[row]].rpartition(".")[2] == name
        )
        if imported and table.name[definition] != index:
            yield strings[table.name[definition]]
    for row, value in enumerate(table.value):
        if (
            value >= 0
            and table.kind[row] != DefinitionKind.IMPORT
            and table.surface[row] >= 0
            and table.name[row] != index
            and last_name(facts, value) == name
        ):
            yield strings[table.name[row]]


def _beneath(snapshot: Snapshot, package: FilePath) -> Iterator[FilePath]:
    """Files inside a package: `from . import x` means the package without naming it."""
    name = snapshot.module_name(package)
    table = snapshot.modules.get(snapshot.shards[package].language)
    if name.package and table:
        prefix = f"{name.dotted}."
        yield from (path for path, other in table.names.items() if other.dotted.startswith(prefix))
