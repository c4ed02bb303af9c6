"""Code lens: the definitions of a file that deserve a line above them, and what it says.

Owns: which definitions, callers and tests of each.
Must not know: LSP types, commands, wording.
Invariant: listing reads one file; the counts of a lens are computed only when it is shown.
"""

from __future__ import annotations

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.evidence import Site
from graphls.graph.nodes import is_lasting, symbol_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.hover import UseCounts, is_handed_on, use_of
from graphls.queries.implicit_calls import implicit_calls_to
from graphls.queries.references import call_references
from graphls.queries.rows import CALLABLE, TYPES, is_local


@attrs.frozen
class Lens:
    """One definition, by the range of its name."""

    place: SymbolRef
    start: int
    end: int


@attrs.frozen
class LensCounts:
    """What one lens says."""

    use: UseCounts
    sites: tuple[Site, ...]
    """Where it is called, by name and then implicitly."""


def lenses(snapshot: Snapshot, path: FilePath) -> tuple[Lens, ...]:
    """Callables and classes that other code can see, in source order."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return ()
    facts = snapshot.facts(path)
    rows = facts.definitions
    visible = [
        row
        for row, kind in enumerate(rows.kind)
        if (kind in CALLABLE or kind in TYPES) and not is_local(facts, row) and is_lasting(facts, row)
    ]
    return tuple(
        Lens(SymbolRef(path, row), rows.start[row], rows.end[row]) for row in visible if symbol_row(facts, row) == row
    )


def lens_counts(snapshot: Snapshot, place: SymbolRef, *, implicit: bool = True) -> LensCounts:
    """Callers and tests of one definition; `implicit`: those that run it without naming it too."""
    found = call_references(snapshot, place)
    named = [(use.file, use.start, use.end) for use in found.uses]
    unnamed = implicit_calls_to(snapshot, place, held=is_handed_on(found)) if implicit else ()
    sites = (site for edge in unnamed for site in edge.sites)
    return LensCounts(use_of(snapshot, found, unnamed), (*named, *sites))
