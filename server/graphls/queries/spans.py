"""Spans: where a thing is used, as stretches of text and nothing else.

Owns: the choice between packed edges, which are at hand, and facts and links, which have to be read for each file.
Must not know: LSP types, URIs, how edges are packed.
Invariant: the same stretches as those of `references`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from graphls.facts.paths import FilePath
from graphls.graph.edge_table import cached_table, rows_to, sites_of, symbol_of
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.packed_uses import packed_node
from graphls.queries.references import ends, references, uses_in
from graphls.queries.symbol import Symbol, symbol

Span: TypeAlias = tuple[FilePath, int, int]
_DERIVED: Final = "tests"
"""The kind of edges that stand beside one of another kind at the same site."""


def spans(snapshot: Snapshot, place: SymbolRef) -> list[Span]:
    """All uses of a symbol, by file and position."""
    thing = symbol(snapshot, place)
    node = packed_node(snapshot, thing)
    if node is not None:
        reaching = snapshot.reaching(ends(snapshot, thing))
        if not reaching.unsure:
            files = dict.fromkeys((thing.place.file, *reaching.files))
            return sorted({span for path in files for span in _in_file(snapshot, thing, node, path)})
    return [(use.file, use.start, use.end) for use in references(snapshot, place).uses]


def _in_file(snapshot: Snapshot, thing: Symbol, node: SymbolRef, path: FilePath) -> Iterator[Span]:
    table = cached_table(snapshot, path) if path != node.file else None
    if table is None:
        yield from ((path, use.start, use.end) for use in uses_in(snapshot, thing, path))
        return
    for kind, start, end in sites_of(table, rows_to(table, node, symbol_of(snapshot, node))):
        if kind != _DERIVED:
            yield path, start, end
