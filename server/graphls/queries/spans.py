"""Spans: where a thing is used, as stretches of text and nothing else.

Owns: the choice between packed edges, which are at hand, and facts and links, which have to be read for each file.
Must not know: LSP types, URIs, how edges are packed.
Invariant: the same stretches as those of `references`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edge_table import known_table, rows_to, sites_of, symbol_of
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.references import ends, references, uses_in
from graphls.queries.symbol import Symbol, symbol

Span: TypeAlias = tuple[FilePath, int, int]
_DERIVED: Final = "tests"
"""The kind of edges that stand beside one of another kind at the same site."""


def spans(snapshot: Snapshot, place: Place) -> list[Span]:
    """All uses of a symbol, by file and position."""
    thing = symbol(snapshot, place)
    if _is_packed(snapshot, thing):
        reaching = snapshot.reaching(ends(snapshot, thing))
        if not reaching.unsure:
            files = dict.fromkeys((thing.place.file, *reaching.files))
            return sorted({span for path in files for span in _in_file(snapshot, thing, path)})
    return [(use.file, use.start, use.end) for use in references(snapshot, place).uses]


def _is_packed(snapshot: Snapshot, thing: Symbol) -> bool:
    """Whether edges that end at one node, and these alone, are uses of the thing.

    Edges to a constructor are also made by uses of its class.
    """
    if thing.local or not thing.rows:
        return not thing.local
    home = addresses(snapshot, thing.place.file)
    standing = {home.rows[row] for row in thing.rows}
    if len(standing) != 1:
        return False
    node = standing.pop()
    return home.slots[node] >= 0 and home.rows.count(node) == len(thing.rows) and node not in home.constructors.values()


def _in_file(snapshot: Snapshot, thing: Symbol, path: FilePath) -> Iterator[Span]:
    home = thing.place.file
    table = known_table(snapshot, path) if path != home else None
    if table is None:
        yield from ((path, use.start, use.end) for use in uses_in(snapshot, thing, path))
        return
    node = Place(home, addresses(snapshot, home).rows[thing.rows[0]] if thing.rows else -1)
    for kind, start, end in sites_of(table, rows_to(table, node, symbol_of(snapshot, node))):
        if kind != _DERIVED:
            yield path, start, end
