"""Diff: which records two snapshots do not have in common.

Owns: finding the files that differ, comparing nodes and edges by id, what counts as a change.
Must not know: where the snapshots come from, encoding, layout.
Invariant: equal graphs have no difference; a node that only moved is counted as moved, not as changed. What checkers
    said is no part of it: only one of two states was ever shown to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, Literal, Protocol

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.edge_records import EdgeRecords
from graphls.graph.edges import RawEdge, named_edges_from
from graphls.graph.identity import end_name
from graphls.graph.merkle import file_root, snapshot_id
from graphls.graph.projection import file_nodes, frame_edges, workspace_nodes
from graphls.graph.records import Edge, Node
from graphls.graph.request_budget import is_whole_within, spend
from graphls.graph.resolution_inputs import resolution_inputs
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import with_verification
from graphls.queries.answer import Coverage

Depth = Literal["changed", "all"]
MAX_LIMIT = 10_000
WITHIN: Final = 20.0
_STEP: Final = 32
"""Edges between two looks whether the answer is still wanted, and who else waits."""
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
    nodes = _differences(differing, _Nodes(before), _Nodes(after), _PLACE)
    one, other = _Edges(before, differing), _Edges(after, differing)
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


def _flow(paths: Iterable[FilePath], before: _Edges, after: _Edges, within: float) -> tuple[FilePath, ...]:
    """Finds the calls by flow of files, small ones first; those for which there was no time. They are compared of both
    states or of none: what only one of them has would else be a difference."""
    code = (path for path in paths if before.is_code(path) or after.is_code(path))
    ordered = sorted(code, key=lambda path: (before.size(path) + after.size(path), path))
    steps = [partial(_flow_of, path, before, after) for path in ordered]
    return tuple(sorted(ordered[is_whole_within(within, steps) :]))


def _flow_of(path: FilePath, before: _Edges, after: _Edges) -> None:
    old, new = before.flow(path), after.flow(path)
    before.take_in(path, old)
    after.take_in(path, new)


@attrs.frozen
class _RecordChanges:
    added: tuple[Node | Edge, ...]
    removed: tuple[Node | Edge, ...]
    changed: tuple[ChangedRecord, ...]
    moved: int


class _Side(Protocol):
    """Records of one state."""

    def records(self, path: FilePath) -> Iterator[Node | Edge]:
        """Those of one file, in the order of an export."""
        ...

    def keep(self, idents: Collection[str]) -> None:
        """These of the file that was asked for last differ, and may be shown."""
        ...


def _differences(paths: Iterable[FilePath], before: _Side, after: _Side, aside: frozenset[str]) -> _RecordChanges:
    """Records that only one side has, or both with other fields. A difference in `aside` alone is none.

    Files are compared one by one: of large states most is the same, and goes before the next file is looked at.
    """
    found = _Comparison(aside)
    for path in paths:
        old, new = ({record.id: record for record in side.records(path)} for side in (before, after))
        gone, come = found.add(old, new)
        before.keep(gone)
        after.keep(come)
    return found.result()


class _Comparison:
    """What differs of the files so far. A record may be in another file of the other side: that is known at the end."""

    def __init__(self, aside: frozenset[str]) -> None:
        self._aside = aside
        self._old: dict[str, Node | Edge] = {}
        self._new: dict[str, Node | Edge] = {}
        """Those that only one side has so far, in order."""
        self._both: set[str] = set()
        self._changed: list[ChangedRecord] = []
        self._moved = 0

    def add(self, old: Mapping[str, Node | Edge], new: Mapping[str, Node | Edge]) -> tuple[list[str], list[str]]:
        """Takes in the records of one file in both states. Ids of those of each side that differ so far."""
        come: list[str] = []
        for ident, record in new.items():
            if ident in old:
                if self._pair(old[ident], record):
                    come.append(ident)
            elif ident not in self._both:
                self._new[ident] = record
                come.append(ident)
        gone = [ident for ident in old if ident not in self._both]
        self._old.update((ident, old[ident]) for ident in gone)
        return gone, come

    def _pair(self, one: Node | Edge, other: Node | Edge) -> bool:
        """Whether they differ in more than what is left aside."""
        self._both.add(one.id)
        fields = () if one == other else _fields(one, other)
        if frozenset(fields) <= self._aside:
            self._moved += bool(fields)
            return False
        self._changed.append(ChangedRecord(one, other, fields))
        return True

    def result(self) -> _RecordChanges:
        """All that differs."""
        for ident in [ident for ident in self._new if ident in self._old and ident not in self._both]:
            self._pair(self._old[ident], self._new[ident])
        return _RecordChanges(
            added=tuple(record for ident, record in self._new.items() if ident not in self._both),
            removed=tuple(record for ident, record in self._old.items() if ident not in self._both),
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


class _Nodes:
    """Nodes of files of one state."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def records(self, path: FilePath) -> Iterator[Node]:
        """Those of one file."""
        if path in self._snapshot.shards:
            spend()
            yield from file_nodes(self._snapshot, path)

    def keep(self, idents: Collection[str]) -> None:
        """A node says itself what it is called."""


class _Edges:
    """Edges of files of one state, and the names of their ends. `differing`: files whose nodes may stand there."""

    def __init__(self, snapshot: Snapshot, differing: Iterable[FilePath]) -> None:
        self._snapshot = snapshot
        self._differing = differing
        self._recorded = EdgeRecords(snapshot)
        self._raw: dict[str, RawEdge] = {}
        """Of the file that was asked for last."""
        self._kept: dict[str, RawEdge] = {}
        self._flow: dict[FilePath, Sequence[RawEdge]] = {}

    def size(self, path: FilePath) -> int:
        """Bytes of a file, 0 where there is none."""
        shard = self._snapshot.shards.get(path)
        return 0 if shard is None else shard.size

    def is_code(self, path: FilePath) -> bool:
        """Whether a file has a language."""
        shard = self._snapshot.shards.get(path)
        return shard is not None and bool(shard.language)

    def flow(self, path: FilePath) -> Sequence[RawEdge]:
        """Calls by flow of one file: the dearest edges by far."""
        derived = self._snapshot.derivation
        if derived is None or not self.is_code(path):
            return ()
        return tuple(derived.calls(self._snapshot).from_file(path))

    def take_in(self, path: FilePath, found: Sequence[RawEdge]) -> None:
        """These are among the records of a file."""
        self._flow[path] = found

    def records(self, path: FilePath) -> Iterator[Edge]:
        """Those of one file, in the order of an export."""
        self._raw = {}
        if path not in self._snapshot.shards:
            return
        spend()
        found = [edge for edge, _ in frame_edges(self._snapshot, path)]
        for raw in chain(named_edges_from(self._snapshot, path), self._flow.pop(path, ())):
            if not len(found) % _STEP:
                spend()
            edge = self._recorded.record(raw)
            self._raw[edge.id] = raw
            found.append(edge)
        yield from sorted(found, key=lambda edge: (edge.source, edge.kind, edge.target, edge.id))

    def keep(self, idents: Collection[str]) -> None:
        """Ends of these are named."""
        self._kept.update((ident, self._raw[ident]) for ident in idents if ident in self._raw)

    def names(self, records: Iterable[Node | Edge]) -> dict[str, str]:
        """Names of the ends of those of these records that are edges of this state."""
        names: dict[str, str] = {}
        framed = False
        for record in records:
            if not isinstance(record, Edge):
                continue
            raw = self._kept.get(record.id)
            if raw is not None:
                names[record.source] = end_name(self._snapshot, raw.source)
                names[record.target] = end_name(self._snapshot, raw.target)
            framed = framed or raw is None
        return {**self._frames(), **names} if framed else names

    def _frames(self) -> dict[str, str]:
        """Of packages, files, modules and diagnostics."""
        found = {node.id: node.name for node in workspace_nodes(self._snapshot, self._snapshot.shards)}
        nodes = _Nodes(self._snapshot)
        found.update((node.id, symbol_of(node)) for path in self._differing for node in nodes.records(path))
        return found


def symbol_of(node: Node) -> str:
    """How people write a node."""
    return f"{node.module}:{node.qualified_name}" if node.module and node.kind != "module" else node.qualified_name
