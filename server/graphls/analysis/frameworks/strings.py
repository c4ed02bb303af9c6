"""Strings: dotted names in texts, and what they name.

Owns: from a dotted text to a module or a declaration of the workspace.
Must not know: where the text stands, what it is for.
Invariant: a text names something only when all of it does; a single word names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import import_occurrence, is_lasting, node_row, rows_named
from graphls.graph.snapshot import Snapshot, SymbolRef, rows_of

_NAME = re.compile(r"[^\W\d]\w*\Z")
_CLASSES = (DefinitionKind.CLASS, DefinitionKind.ENUM)


def resolve_dotted(snapshot: Snapshot, text: str, path: FilePath, *, words: bool = False) -> SymbolRef | None:
    """The module or declaration that `package.module.Name` or `package.module:Name` spells, as a file sees it.

    `words`: a single word may name a module.
    """
    module, colon, inner = text.partition(":")
    parts, names = module.split("."), inner.split(".") if inner else []
    if not (words or colon or len(parts) > 1):
        return None
    for table in snapshot.modules.values():
        if parts[0] not in table.files and parts[0] not in table.namespaces:
            continue
        for cut in range(len(parts), 0, -1):
            if colon and cut < len(parts):
                break
            dotted = ".".join(parts[:cut])
            file = table.find(dotted, path) if dotted in table.files else None
            found = resolve_inside(snapshot, file, [*parts[cut:], *names]) if file is not None else None
            if found is not None:
                return found
    return None


def resolve_inside(snapshot: Snapshot, file: FilePath, names: Sequence[str]) -> SymbolRef | None:
    """What names, one inside of the other, mean in a file; the file itself for none."""
    place = SymbolRef(file, -1)
    for name in names:
        found = _member(snapshot, place, name)
        if found is None:
            return None
        place = found
    return place


def _member(snapshot: Snapshot, place: SymbolRef, name: str) -> SymbolRef | None:
    """What a module or class binds under a name; an import that keeps the name is followed."""
    if not _NAME.match(name):
        return None
    facts = snapshot.facts(place.file)
    table = facts.definitions
    if place.definition >= 0 and table.kind[place.definition] not in _CLASSES:
        return None
    scope = 0 if place.definition < 0 else table.body[place.definition]
    if name not in facts.strings:
        return None
    for row in rows_named(facts, facts.strings.index(name)):
        if table.scope[row] != scope:
            continue
        if table.kind[row] == DefinitionKind.IMPORT:
            return follow_import(snapshot, SymbolRef(place.file, row))
        if is_lasting(facts, row):
            return SymbolRef(place.file, node_row(facts, row))
    return None


def follow_import(snapshot: Snapshot, place: SymbolRef) -> SymbolRef:
    """What an import binding names in the workspace, where it keeps the name; else the binding."""
    facts = snapshot.facts(place.file)
    name = facts.strings[facts.definitions.name[place.definition]]
    use = import_occurrence(facts, place.definition)
    if use == NONE or facts.strings[facts.occurrences.name[use]] != name:
        return place
    links = snapshot.own_links_at(place.file, (use,))
    for row in rows_of(links.targets, use):
        target = snapshot.target(place.file, links, row).place
        if target is not None:
            return SymbolRef(target.file, node_row(snapshot.facts(target.file), target.definition))
    return place
