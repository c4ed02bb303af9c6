"""Linked uses: the uses that mean one place, and the bases of classes, read from links alone.

Owns: which uses of linked files lead to a place, by the kinds of edges that they make; what classes of a file extend.
Must not know: edges, evidence, what is derived.
Invariant: the uses are the sites of the edges of these kinds that links give, those of constructs left out; a class
    extends another one exactly where an edge says so.

Who follows values asks this of thousands of places. Edges say more, and cost ten times as much to make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeAlias

from graphls.facts.columns import rows_with
from graphls.facts.kinds import EdgeKind
from graphls.facts.links import OWN_FILE, Links, Targets
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.file_edges import ends_of, rows_meaning
from graphls.graph.nodes import sources
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


Bases: TypeAlias = "Mapping[int, Sequence[SymbolRef]]"
"""Node of a class in a file -> the classes of the workspace that it extends, in the order of their names there."""
NO_BASES: Final[Bases] = {}


def linked_bases(snapshot: Snapshot, path: FilePath, links: Links) -> Bases:
    """Those that these links of a file say."""
    table = links.targets
    rows = tuple(rows_with(table.edge, EdgeKind.EXTENDS))
    if not rows:
        return NO_BASES
    owners = snapshot.facts(path).occurrences.owner
    nodes = sources(snapshot.facts(path), {owners[table.occurrence[row]] for row in rows})
    found: dict[int, dict[SymbolRef, None]] = {}
    for row in rows:
        base = linked_end(snapshot, path, links, table, row)
        if base is not None and addresses(snapshot, base.file).slots[base.definition] >= 0:
            for node in nodes[owners[table.occurrence[row]]]:
                found.setdefault(node, {})[base] = None
    return {node: tuple(bases) for node, bases in found.items()}


def extends(snapshot: Snapshot, path: FilePath, links: Links, cls: SymbolRef) -> bool:
    """Whether a class of a file extends one: what the facts of the file are not needed for."""
    table = links.targets
    if cls.file not in (path, *links.files):
        return False
    return any(linked_end(snapshot, path, links, table, row) == cls for row in rows_with(table.edge, EdgeKind.EXTENDS))


def linked_heirs(
    snapshot: Snapshot, cls: SymbolRef, bases_of: Callable[[FilePath, SymbolRef], Bases]
) -> Sequence[SymbolRef] | None:
    """The classes that extend one, by file; None while a file that may have one is not linked. `bases_of` gives
    `linked_bases` of a file that has such a class."""
    reaching = snapshot.reaching(ends_of(snapshot, cls))
    if reaching.unsure:
        return None
    found: list[SymbolRef] = []
    for path in sorted({cls.file, *reaching.files}):
        spend()
        found.extend(SymbolRef(path, heir) for heir, bases in sorted(bases_of(path, cls).items()) if cls in bases)
    return found


def linked_end(snapshot: Snapshot, path: FilePath, links: Links, table: Targets, row: int) -> SymbolRef | None:
    """The place in the workspace that a row of targets leads to; None for what is outside, and for modules."""
    symbol = table.symbol[row]
    if symbol < 0:
        return None
    if table.file[row] == OWN_FILE:
        return SymbolRef(path, addresses(snapshot, path).rows[symbol])
    file = FilePath(links.files[table.file[row]])
    symbols = addresses(snapshot, file).symbols
    return SymbolRef(file, symbols[symbol]) if symbol < len(symbols) and symbols[symbol] >= 0 else None
