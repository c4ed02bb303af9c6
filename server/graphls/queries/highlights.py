"""Highlights: the occurrences of the symbol at a position, in the same file.

Owns: reading and writing apart.
Must not know: other files' uses, LSP types.
Invariant: a subset of what references says about the file.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.redeclarations import redeclarations
from graphls.queries.references import has_known_places, references_in
from graphls.queries.symbol import meaning


@attrs.frozen
class Highlight:
    """One stretch of the file."""

    start: int
    end: int
    writes: bool


def highlights(snapshot: Snapshot, path: FilePath, offset: int) -> tuple[Highlight, ...]:
    """Every occurrence in the file of what the name at an offset means, in source order."""
    found = meaning(snapshot, path, offset)
    if found is None:
        return ()
    marks = {Highlight(found.at.start, found.at.end, found.own is not None)}
    for place in dict.fromkeys(one for named in found.places for one in _same(snapshot, named)):
        here = references_in(snapshot, place, path)
        marks |= {Highlight(use.start, use.end, use.writes) for use in (*here.bindings, *here.uses)}
    if found.own is None and found.places:
        marks |= set(_import_bindings(snapshot.facts(path), found.at.definition))
    best = {(mark.start, mark.end): mark for mark in sorted(marks, key=lambda mark: mark.writes)}
    return tuple(best[span] for span in sorted(best))


def _same(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The places of one symbol, as far as they are known at once."""
    return redeclarations(snapshot, place) if has_known_places(snapshot, place) else (place,)


def _import_bindings(facts: FileFacts, row: int) -> list[Highlight]:
    """The `y` of `import x as y`."""
    if row == NONE:
        return []
    rows = facts.definitions
    same = [other for other in rows_with(rows.name, rows.name[row]) if rows.scope[other] == rows.scope[row]]
    return [Highlight(rows.start[other], rows.end[other], writes=True) for other in same]
