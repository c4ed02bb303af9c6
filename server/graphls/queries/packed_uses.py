"""Packed uses: what packed edges alone say about the uses of a thing.

Owns: whether edges that end at one node are all uses of a thing, and which files have none of a kind.
Must not know: how uses are shown, how edges are packed.
Invariant: a file that is passed over has no use of the kinds that are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edge_table import EdgeTable, cached_table, edge_properties, rows_to, sites_of, symbol_of
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol import Symbol


def packed_node(snapshot: Snapshot, thing: Symbol) -> SymbolRef | None:
    """The node at which edges end that, and that alone, are uses of the thing; None where there is none such.

    Edges to a constructor are also made by uses of its class.
    """
    path = thing.place.file
    if thing.local or not thing.rows:
        return None if thing.local else SymbolRef(path, -1)
    home = addresses(snapshot, path)
    standing = {home.rows[row] for row in thing.rows}
    if len(standing) != 1:
        return None
    node = standing.pop()
    alone = home.slots[node] >= 0 and home.rows.count(node) == len(thing.rows)
    return SymbolRef(path, node) if alone and node not in home.constructors.values() else None


class KindFilter:
    """Which files may use a node in one of some ways."""

    def __init__(self, snapshot: Snapshot, node: SymbolRef, kinds: Collection[str]) -> None:
        self._snapshot = snapshot
        self._node = node
        self._kinds = kinds
        self._symbol = symbol_of(snapshot, node)

    def may_be_in(self, path: FilePath) -> bool:
        """Whether the file has to be looked at."""
        table = self._table(path)
        return table is None or bool(self._rows(table))

    def sites_in(self, path: FilePath) -> Sequence[int] | None:
        """Where such uses begin, ascending; None where the file has to be looked at."""
        table = self._table(path)
        if table is None:
            return None
        return sorted({start for _, start, _ in sites_of(table, self._rows(table))})

    def _table(self, path: FilePath) -> EdgeTable | None:
        return cached_table(self._snapshot, path) if path != self._node.file else None

    def _rows(self, table: EdgeTable) -> Sequence[int]:
        properties, sayings = edge_properties(table), table.rows.saying
        return [row for row in rows_to(table, self._node, self._symbol) if properties[sayings[row]][0] in self._kinds]
