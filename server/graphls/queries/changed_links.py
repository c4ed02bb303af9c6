"""Changed links: what edits did to the links of the files that they touch, and along which links that reaches further.

Owns: which links of edited files only one of two states has, nodes at their ends that nothing else of the answer names.
Must not know: version control, records, layout, LSP types.
Invariant: a link that both states have is neither added nor removed, wherever in the file it stands; every end of a
    link is a node of the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import Node, edge_order, is_structure, key_of
from graphls.graph.edges import RawEdge, edges_from, edges_to
from graphls.graph.identity import edge_id, end_id
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.verification import with_verification
from graphls.queries.changed import ChangedImpact, FileDiff

LinkChange = Literal["added", "removed"]
MAX_LINKS = 1_000


@attrs.frozen
class ChangedLink:
    """A link of the state after the edits, or of the one before where it was removed. `change` None: both have it."""

    edge: RawEdge
    change: LinkChange | None


@attrs.frozen
class ChangedLinks:
    """Added and removed links first. `before`: the state that removed links and gone nodes are of."""

    links: tuple[ChangedLink, ...]
    ends: tuple[Node, ...]
    """Nodes at the ends of links that neither changed nor are affected."""
    gone: tuple[Node, ...]
    """Likewise, where only the state before has them."""
    before: Snapshot
    omitted: int


def changed_links(
    after: Snapshot, before: Snapshot, edits: Sequence[FileDiff], found: ChangedImpact, limit: int = MAX_LINKS
) -> ChangedLinks:
    """The links of a set of edits whose impact is known."""
    before, plain = with_verification(before, None), with_verification(after, None)
    paths = [edit.path for edit in edits if edit.status != "deleted" and edit.path in after.shards]
    was = [path for edit in edits if (path := edit.old_path or edit.path) in before.shards and edit.status != "added"]
    now, then = _declared(after, paths), _declared(before, was)
    old = _links(before, was) | _uses(before, [place for ident, place in then.items() if ident not in now], was)
    new = _links(plain, paths) | _uses(plain, [place for ident, place in now.items() if ident not in then], paths)
    added = [ChangedLink(edge, "added") for ident, edge in new.items() if ident not in old]
    removed = [ChangedLink(edge, "removed") for ident, edge in old.items() if ident not in new]
    keys = {key_of(node) for node in _nodes(found)}
    kept = [edge for ident, edge in new.items() if ident in old and {key_of(edge.source), key_of(edge.target)} <= keys]
    walked = [edge for edge in found.edges if _ident(after, edge) not in new]
    links = (*added, *removed, *(ChangedLink(edge, None) for edge in (*kept, *walked)))
    shown = links[: min(max(limit, 1), MAX_LINKS)]
    ends, gone = _ends(after, before, shown, {end_id(after, node) for node in _nodes(found)}, now)
    return ChangedLinks(shown, ends, gone, before, len(links) - len(shown))


def _ends(
    after: Snapshot, before: Snapshot, shown: Iterable[ChangedLink], named: Set[str], now: Mapping[str, SymbolRef]
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Ends that are not named otherwise: those that are there now, and those that are gone. `now`: of edited files."""
    ends, gone = dict[str, Node](), dict[str, Node]()
    edited = {place.file for place in now.values()}
    for link in shown:
        was = link.change == "removed"
        for node in (link.edge.source, link.edge.target):
            ident = end_id(before if was else after, node)
            if ident in named:
                continue
            if not was or ident in now:
                ends.setdefault(ident, now.get(ident, node))
            elif isinstance(node, SymbolRef) and node.file in after.shards and node.file not in edited:
                ends.setdefault(ident, node)
            else:
                gone.setdefault(ident, node)
    return tuple(ends.values()), tuple(gone.values())


def _declared(snapshot: Snapshot, paths: Iterable[FilePath]) -> dict[str, SymbolRef]:
    """What files declare, by id, the files themselves among it."""
    places = (
        SymbolRef(path, row)
        for path in paths
        if snapshot.shards[path].language
        for row in range(-1, len(snapshot.facts(path).definitions))
    )
    return {end_id(snapshot, place): place for place in places}


def _links(snapshot: Snapshot, paths: Iterable[FilePath]) -> dict[str, RawEdge]:
    found = (edge for path in sorted(set(paths)) if path in snapshot.shards for edge in edges_from(snapshot, path))
    links = sorted((edge for edge in found if not is_structure(edge)), key=edge_order)
    return {_ident(snapshot, edge): edge for edge in links}


def _uses(snapshot: Snapshot, places: Iterable[SymbolRef], files: Collection[FilePath]) -> dict[str, RawEdge]:
    """Links from other files to what only one state has: these files were not edited, and yet their links differ."""
    found = (edge for place in places if place.definition >= 0 for edge in edges_to(snapshot, place))
    links = [edge for edge in found if not is_structure(edge) and edge.source.file not in files]
    return {_ident(snapshot, edge): edge for edge in sorted(links, key=edge_order)}


def _ident(snapshot: Snapshot, edge: RawEdge) -> str:
    return edge_id(end_id(snapshot, edge.source), end_id(snapshot, edge.target), edge.kind, edge.provenance)


def _nodes(found: ChangedImpact) -> Iterator[Node]:
    yield from (node.place for node in found.nodes)
    yield from (one.node for one in found.affected)
