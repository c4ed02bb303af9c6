"""Diff: which records two snapshots do not have in common.

Owns: finding the files that differ, comparing nodes and edges by id, what counts as a change.
Must not know: where the snapshots come from, encoding, layout.
Invariant: equal graphs have no difference; a node that only moved is counted as moved, not as changed. What checkers
    said is no part of it: only one of two states was ever shown to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final, Generic, Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.merkle import file_root, snapshot_id
from graphls.graph.records import Edge, Node
from graphls.graph.request_budget import is_whole_within
from graphls.graph.resolution_inputs import resolution_inputs
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import with_verification
from graphls.queries.answer import Coverage
from graphls.queries.diff_sides import EdgeSide, Item, Key, NodeSide, Side
from graphls.queries.diff_sides import symbol_of as symbol_of

Depth = Literal["changed", "all"]
MAX_LIMIT = 10_000
WITHIN: Final = 20.0
_PLACE = frozenset({"range", "full_range", "file"})
_SITES = frozenset({"sites"})
_TEXT = frozenset({"full_range", "content_hash", "attributes"})
_TEXT_ATTRIBUTES = frozenset({"size", "lines"})
_WHOLE = ("file", "module")


@attrs.frozen
class DiffQuery:
    """`edges`: of files that differ (quick), or of all, which links every file of both snapshots. `within`: seconds of
    work for calls by flow, which are compared of the files for which that is enough; 0: of all."""

    edges: Depth = "changed"
    limit: int = 1_000
    within: float = WITHIN


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
    names: Mapping[str, str]
    """How people write what stands at the ends of edges, by id."""
    without_flow: tuple[FilePath, ...]
    """Files whose calls by flow were not compared, as that took more work than it may."""
    counts: tuple[int, int, int]
    """Added, removed, changed, before the limit."""
    coverage: Coverage


def diff(before: Snapshot, after: Snapshot, compare: DiffQuery | None = None) -> Difference:
    """What it takes to make one graph into the other."""
    compare = compare or DiffQuery()
    before, after = with_verification(before, None), with_verification(after, None)
    old, new = _roots(before), _roots(after)
    differing = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    wide = compare.edges == "all"
    nodes = _differences(differing, NodeSide(before), NodeSide(after), _PLACE)
    one, other = EdgeSide(before), EdgeSide(after)
    paths = sorted({*before.files(), *after.files(), *differing}) if wide else differing
    without_flow = _flow(paths, one, other, compare.within)
    edges = _differences(paths, one, other, _SITES)
    limit = min(max(compare.limit, 1), MAX_LIMIT)
    added, removed = (*nodes.added, *edges.added), (*nodes.removed, *edges.removed)
    changed = (*nodes.changed, *edges.changed)
    omitted = sum(max(len(found) - limit, 0) for found in (added, removed, changed))
    listed = added[:limit], removed[:limit], changed[:limit]
    names = one.names(listed[1]) | other.names((*listed[0], *(pair.after for pair in listed[2])))
    cut = omitted > 0 or bool(without_flow) or not (wide or _only_inside(before, after, differing))
    return Difference(
        before=snapshot_id(before),
        after=snapshot_id(after),
        files_added=tuple(path for path in differing if path not in old),
        files_removed=tuple(path for path in differing if path not in new),
        files_changed=tuple(path for path in differing if path in old and path in new),
        added=listed[0],
        removed=listed[1],
        changed=listed[2],
        moved=nodes.moved,
        names=dict(sorted(names.items())),
        without_flow=without_flow,
        counts=(len(added), len(removed), len(changed)),
        coverage=Coverage(truncated=cut, omitted=omitted, empty=not (added or removed or changed)),
    )


def _only_inside(before: Snapshot, after: Snapshot, differing: Iterable[FilePath]) -> bool:
    """Whether edges of other files than these cannot differ."""
    if resolution_inputs(before) != resolution_inputs(after):
        return False
    both = ((before.shards.get(path), after.shards.get(path)) for path in differing)
    return all(one and other and one.surface_hash == other.surface_hash for one, other in both)


def _flow(paths: Iterable[FilePath], before: EdgeSide, after: EdgeSide, within: float) -> tuple[FilePath, ...]:
    """Finds the calls by flow of files, small ones first; those for which there was no time. They are compared of both
    states or of none: what only one of them has would else be a difference."""
    code = (path for path in paths if before.is_code(path) or after.is_code(path))
    ordered = sorted(code, key=lambda path: (before.size(path) + after.size(path), path))
    steps = [partial(_flow_of, path, before, after) for path in ordered]
    return tuple(sorted(ordered[is_whole_within(within, steps) :]))


def _flow_of(path: FilePath, before: EdgeSide, after: EdgeSide) -> None:
    old, new = before.flow(path), after.flow(path)
    before.take_in(path, old)
    after.take_in(path, new)


@attrs.frozen
class _RecordChanges:
    added: tuple[Node | Edge, ...]
    removed: tuple[Node | Edge, ...]
    changed: tuple[ChangedRecord, ...]
    moved: int


def _differences(
    paths: Iterable[FilePath], before: Side[Key, Item], after: Side[Key, Item], aside: frozenset[str]
) -> _RecordChanges:
    """Records that only one side has, or both with other fields. A difference in `aside` alone is none.

    Files are compared one by one: of large states most is the same, and goes before the next file is looked at.
    """
    found = _Comparison[Key, Item](before, after, aside)
    for path in paths:
        found.add(path)
    return found.result()


class _Comparison(Generic[Key, Item]):
    """What differs of the files so far. A record may be in another file of the other side: that is known at the end."""

    def __init__(self, before: Side[Key, Item], after: Side[Key, Item], aside: frozenset[str]) -> None:
        self._before, self._after = before, after
        self._aside = aside
        self._old: dict[Key, Node | Edge] = {}
        self._new: dict[Key, Node | Edge] = {}
        """Those that only one side has so far, in order."""
        self._both: set[Key] = set()
        self._changed: list[ChangedRecord] = []
        self._moved = 0

    def add(self, path: FilePath) -> None:
        """Takes in the records of one file in both states; of those that are equal none is made."""
        before, after, both = self._before, self._after, self._both
        old, new = before.held(path), after.held(path)
        common = old.keys() & new.keys()
        differing = [key for key in new if key in common and not after.is_same(old[key], new[key])]
        come = [key for key in new if key not in common and key not in both]
        both |= common
        gone = [key for key in old if key not in both]
        for key in after.ordered(differing):
            self._pair(key, before.record(key), after.record(key))
        self._new.update((key, after.record(key)) for key in after.ordered(come))
        self._old.update((key, before.record(key)) for key in before.ordered(gone))

    def _pair(self, key: Key, one: Node | Edge, other: Node | Edge) -> None:
        self._both.add(key)
        fields = () if one == other else _fields(one, other)
        if frozenset(fields) <= self._aside:
            self._moved += bool(fields)
        else:
            self._changed.append(ChangedRecord(one, other, fields))

    def result(self) -> _RecordChanges:
        """All that differs."""
        for key in [key for key in self._new if key in self._old and key not in self._both]:
            self._pair(key, self._old[key], self._new[key])
        return _RecordChanges(
            added=tuple(record for key, record in self._new.items() if key not in self._both),
            removed=tuple(record for key, record in self._old.items() if key not in self._both),
            changed=tuple(pair for pair in self._changed if not _only_text(pair)),
            moved=self._moved,
        )


def _only_text(pair: ChangedRecord) -> bool:
    """Whether a file or module has another text and is otherwise the same: what that means, other records say."""
    one, other = pair.before, pair.after
    if not isinstance(one, Node) or not isinstance(other, Node) or one.kind not in _WHOLE:
        return False
    keys = one.attributes.keys() | other.attributes.keys()
    different = {key for key in keys if one.attributes.get(key) != other.attributes.get(key)}
    return set(pair.fields) <= _TEXT and different <= _TEXT_ATTRIBUTES


def _fields(one: Node | Edge, other: Node | Edge) -> tuple[str, ...]:
    names = (field.name for field in attrs.fields(type(one)))
    return tuple(name for name in names if getattr(one, name) != getattr(other, name))


def _roots(snapshot: Snapshot) -> dict[FilePath, str]:
    return {path: file_root(snapshot, path) for path in snapshot.shards}
