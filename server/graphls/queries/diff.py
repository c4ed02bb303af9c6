"""Diff: which records two snapshots do not have in common.

Owns: finding the files that differ, comparing nodes and edges by id, what counts as a change.
Must not know: where the snapshots come from, encoding, layout.
Invariant: equal snapshots have no difference; a node that only moved is counted as moved, not as changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.merkle import file_root, snapshot_id
from graphls.graph.projection import file_edges, file_nodes
from graphls.graph.records import Edge, Node
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import Coverage

Depth = Literal["changed", "all"]
MAX_LIMIT = 10_000
_PLACE = frozenset({"range", "full_range", "file"})
_SITES = frozenset({"sites"})


@attrs.frozen
class Compare:
    """`edges`: of files that differ (quick), or of all, which links every file of both snapshots."""

    edges: Depth = "changed"
    limit: int = 1_000


@attrs.frozen
class ChangedRecord:
    """A record that both have, with other fields."""

    before: Node | Edge
    after: Node | Edge
    fields: tuple[str, ...]


@attrs.frozen
class Difference:
    """Records by kind of difference; nodes before edges, each in the order of an export."""

    before: str
    after: str
    files_added: tuple[FilePath, ...]
    files_removed: tuple[FilePath, ...]
    files_changed: tuple[FilePath, ...]
    added: tuple[Node | Edge, ...]
    removed: tuple[Node | Edge, ...]
    changed: tuple[ChangedRecord, ...]
    moved: int
    """Nodes that are the same at another place."""
    counts: tuple[int, int, int]
    """Added, removed, changed, before the limit."""
    coverage: Coverage


def diff(before: Snapshot, after: Snapshot, compare: Compare | None = None) -> Difference:
    """What it takes to make one graph into the other."""
    compare = compare or Compare()
    old, new = _roots(before), _roots(after)
    differing = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    wide = compare.edges == "all"
    nodes = _sides(_nodes(before, differing), _nodes(after, differing), _PLACE)
    edges = _sides(
        _edges(before, before.files() if wide else differing),
        _edges(after, after.files() if wide else differing),
        _SITES,
    )
    limit = min(max(compare.limit, 1), MAX_LIMIT)
    added, removed = (*nodes.added, *edges.added), (*nodes.removed, *edges.removed)
    changed = (*nodes.changed, *edges.changed)
    omitted = sum(max(len(found) - limit, 0) for found in (added, removed, changed))
    return Difference(
        before=snapshot_id(before),
        after=snapshot_id(after),
        files_added=tuple(path for path in differing if path not in old),
        files_removed=tuple(path for path in differing if path not in new),
        files_changed=tuple(path for path in differing if path in old and path in new),
        added=added[:limit],
        removed=removed[:limit],
        changed=changed[:limit],
        moved=nodes.moved,
        counts=(len(added), len(removed), len(changed)),
        coverage=Coverage(truncated=omitted > 0, omitted=omitted),
    )


@attrs.frozen
class _Sides:
    added: tuple[Node | Edge, ...]
    removed: tuple[Node | Edge, ...]
    changed: tuple[ChangedRecord, ...]
    moved: int


def _sides(before: Iterable[Node | Edge], after: Iterable[Node | Edge], aside: frozenset[str]) -> _Sides:
    """Records that only one side has, or both with other fields. A difference in `aside` alone is none."""
    old = {record.id: record for record in before}
    new = {record.id: record for record in after}
    both = ((old[ident], record) for ident, record in new.items() if ident in old and old[ident] != record)
    pairs = [ChangedRecord(one, other, _fields(one, other)) for one, other in both]
    changed = tuple(pair for pair in pairs if not set(pair.fields) <= aside)
    return _Sides(
        added=tuple(record for ident, record in new.items() if ident not in old),
        removed=tuple(record for ident, record in old.items() if ident not in new),
        changed=changed,
        moved=len(pairs) - len(changed),
    )


def _fields(one: Node | Edge, other: Node | Edge) -> tuple[str, ...]:
    names = (field.name for field in attrs.fields(type(one)))
    return tuple(name for name in names if getattr(one, name) != getattr(other, name))


def _roots(snapshot: Snapshot) -> dict[FilePath, str]:
    return {path: file_root(snapshot, path) for path in snapshot.shards}


def _nodes(snapshot: Snapshot, paths: Iterable[FilePath]) -> Iterator[Node]:
    for path in paths:
        if path in snapshot.shards:
            yield from file_nodes(snapshot, path)


def _edges(snapshot: Snapshot, paths: Iterable[FilePath]) -> Iterator[Edge]:
    for path in paths:
        if path in snapshot.shards:
            found = list(file_edges(snapshot, path))
            yield from sorted(found, key=lambda edge: (edge.source, edge.kind, edge.target, edge.id))
