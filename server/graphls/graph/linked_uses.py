"""Linked uses: the uses that mean one place, read from links alone.

Owns: which uses of linked files lead to a place, by the kinds of edges that they make.
Must not know: edges, evidence, what is derived.
Invariant: the uses are the sites of the edges of these kinds that links give, those of constructs left out.

Who follows values asks this of thousands of places. Edges say more, and cost ten times as much to make.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TypeAlias

from graphls.facts.paths import FilePath
from graphls.graph.file_edges import ends_of, rows_meaning
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef

Use: TypeAlias = "tuple[FilePath, int]"
"""Row of occurrences in a file."""


def linked_uses(snapshot: Snapshot, place: SymbolRef, kinds: Set[int]) -> Iterator[Use] | None:
    """Those of some kinds (EdgeKind), by file; None while a file that may have one is not linked."""
    reaching = snapshot.reaching(ends_of(snapshot, place))
    if reaching.unsure:
        return None
    return _uses(snapshot, place, kinds, sorted({place.file, *reaching.files}))


def _uses(snapshot: Snapshot, place: SymbolRef, kinds: Set[int], files: list[FilePath]) -> Iterator[Use]:
    for path in files:
        spend()
        links = snapshot.links(path)
        if path != place.file and place.file not in links.files:
            continue
        table = links.targets
        for row in rows_meaning(snapshot, path, place, links, table):
            if table.edge[row] in kinds:
                yield path, table.occurrence[row]
