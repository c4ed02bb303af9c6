"""Prefetch: what is done for a linked snapshot while nobody asks, so that no first question has to.

Owns: the order of that work, packed edges and ids in the store.
Must not know: when there is time, how questions are answered.
Invariant: changes no answer, only when the work for it is done; stops soon after it is told to.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress

import attrs

from graphls.analysis.flow.passing import store_passing
from graphls.analysis.health import measure
from graphls.analysis.views import Views
from graphls.context.term_cache import store_terms
from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.paths import FilePath
from graphls.graph import edges
from graphls.graph.addresses import Addresses, PackedAddresses, addresses, restore_addresses
from graphls.graph.derivation import Derivation
from graphls.graph.edge_table import EdgeTable, cache_table, cached_table, stamp_of
from graphls.graph.line_starts import LineStarts, cache_lines
from graphls.graph.made_by_tool import MADE_BY_TOOL, packed_verdict
from graphls.graph.merkle import snapshot_id
from graphls.graph.node_ids import NODE_IDS, packed_ids
from graphls.graph.node_table import NODE_NAMES, NodeTable, cache_nodes, pack_nodes, packed_names
from graphls.graph.request_budget import BudgetSpentError, RequestBudget, SpentReason, limited
from graphls.graph.snapshot import Snapshot
from graphls.languages.extract.yielding import giving_way
from graphls.queries import find
from graphls.queries.clone_families import SHAPES, is_measured, packed_shapes
from graphls.session.shared_caches import SharedCaches, key_of, stored_name
from graphls.session.snapshot_contents import SnapshotContents

_BATCH = 100
"""Files whose tables are read from the store at once."""
_PORTION = 8
"""Files whose text is gone through at once."""
_BEHIND = 400
"""Tables that are written to the store at once."""
_LOOK = 0.004
"""Seconds of work between two looks at who waits."""
_HEAVY = 300
_STEPS = 50
"""While so many files are looked at once each, decoded values are let go of every few steps: few are wanted again."""


class Prefetch:
    """The work for one snapshot whose files are all linked. `stop` is asked often, and may wait for a moment itself."""

    def __init__(
        self,
        snapshot: Snapshot,
        caches: SharedCaches,
        stop: Callable[[], bool],
        calm: Callable[[], bool] | None = None,
        turn: Callable[[], None] = lambda: None,
    ) -> None:
        """`calm`: waits until there is time for the work that the next edit makes worthless; whether it goes on. None:
        that is left out. `turn`: called in the middle of one long step, where a short request goes first."""
        self._snapshot = snapshot
        self._caches = caches
        self._should_stop = stop
        self._calm = calm
        self._turn = turn
        self._light = False
        self._steps = 0
        self._behind: dict[str, bytes] = {}
        self._values_behind: dict[str, dict[FilePath, bytes]] = {
            subject: {} for subject in (NODE_NAMES, NODE_IDS, MADE_BY_TOOL, SHAPES)
        }

    def run(self, verified: Snapshot | None = None) -> None:
        """All of it, the most wanted first. `seen`: the snapshot with what a checker said, if one did."""
        snapshot = self._snapshot
        if isinstance(snapshot.reader, SnapshotContents):
            with giving_way(self._pause()):
                snapshot.reader.prepare(snapshot, self._stop)
        missing = [path for path in snapshot.files() if cached_table(snapshot, path) is None]
        self._light = len(missing) >= _HEAVY
        self._load_stored(missing)
        # Every answer names the graph that it was read from.
        snapshot_id(snapshot)
        find.prepare(snapshot, self._stop)
        if self._caches.store is not None:
            with giving_way(self._turn):
                store_terms(snapshot, self._caches.store, self._stop)
        if snapshot.derivation is not None:
            snapshot.derivation.prepare(snapshot, self._stop)
        self._pack()
        self._store_passing()
        if self._calm is not None and snapshot.derivation is not None:
            self._complete_calls(snapshot.derivation, self._calm)
        if verified is not None and verified.verification is not None:
            # Tables of what a checker said are not stored: they hold while its answers are these very objects.
            for _ in edges.prepare(verified, self._stop):
                pass

    def _complete_calls(self, derivation: Derivation, calm: Callable[[], bool]) -> None:
        """Finds all calls by flow: what calls a method that much of a workspace goes through takes as long as a fifth
        of them."""
        looked = float("-inf")  # the first step waits too: a small workspace is done before a second look

        def over(part: float) -> SpentReason:
            nonlocal looked
            if time.monotonic() - looked < _LOOK:
                return ""
            goes_on = calm()
            looked = time.monotonic()
            return "" if goes_on else "time"

        with limited(RequestBudget(over)), suppress(BudgetSpentError):
            derivation.calls(self._snapshot).complete()

    def _store_passing(self) -> None:
        """Has later runs know what files pass on: questions about calls by flow read thousands of them."""
        if self._caches.store is None:
            return
        shards = self._snapshot.shards
        files = [path for path in self._snapshot.files() if shards[path].language]
        for first in range(0, len(files), _PORTION):
            if self._stop():
                return
            store_passing(self._snapshot, files[first : first + _PORTION])

    def _stop(self) -> bool:
        self._steps += 1
        if self._light and not self._steps % _STEPS:
            self._caches.lighten()
        return self._should_stop()

    def _pause(self) -> Callable[[], None]:
        """What a step without a lock calls at each turn: it waits where somebody else does."""
        looked = time.monotonic()

        def step() -> None:
            nonlocal looked
            if time.monotonic() - looked >= _LOOK:
                self._should_stop()
                looked = time.monotonic()

        return step

    def _load_stored(self, missing: Sequence[FilePath]) -> None:
        """Takes in what an earlier run packed."""
        store, snapshot = self._caches.store, self._snapshot
        if store is None:
            return
        for first in range(0, len(missing), _BATCH):
            if self._stop():
                return
            names = {self._name(path): path for path in missing[first : first + _BATCH]}
            for name, raw in store.get_many("edges", names).items():
                known = _unpacked(raw)
                if known is None:
                    continue
                table, ids, lines, nodes = known
                cache_lines(snapshot, names[name], lines)
                cache_nodes(snapshot, names[name], nodes)
                if ids is not None:
                    restore_addresses(snapshot, names[name], ids)
                if table.stamp == stamp_of(snapshot, names[name]):
                    cache_table(snapshot, names[name], table)

    def _pack(self) -> None:
        views = Views(self._snapshot)
        for path, table in edges.prepare(self._snapshot, self._stop):
            facts, ids = self._snapshot.facts(path), addresses(self._snapshot, path)
            lines, nodes = LineStarts.of(facts), pack_nodes(facts, path, self._snapshot.shards[path].language, ids)
            cache_lines(self._snapshot, path, lines)
            cache_nodes(self._snapshot, path, nodes)
            if self._caches.store is not None and not self._snapshot.shards[path].dirty:
                self._behind[self._name(path)] = _packed(table, ids, lines, nodes)
                self._values_behind[NODE_NAMES][path] = packed_names(nodes)
                self._values_behind[NODE_IDS][path] = packed_ids(ids)
                self._values_behind[MADE_BY_TOOL][path] = packed_verdict(facts)
                # A first question about the health of all would read all facts for these.
                self._values_behind[SHAPES][path] = packed_shapes(facts)
                measure(views, path)
            if len(self._behind) >= _BEHIND:
                self._write(views)
        self._write(views)

    def _write(self, views: Views) -> None:
        if self._caches.store is not None:
            views.store()
        if self._caches.store is not None and self._behind:
            self._caches.store.put_many("edges", self._behind)
            shapes, shards = self._values_behind[SHAPES], self._snapshot.shards
            for path in [path for path in shapes if is_measured(shards[path])]:
                del shapes[path]  # a request had them meanwhile, and stores more
            for subject, values in self._values_behind.items():
                self._snapshot.reader.store_file_values(self._snapshot, subject, values)
                values.clear()
        self._behind = {}

    def _name(self, path: FilePath) -> str:
        return stored_name(path, key_of(self._snapshot.shards[path]))


@attrs.frozen(eq=False)
class _StoredFile:
    """What the store keeps of one file: its edges, the ids of its nodes and what answers show of them, its lines."""

    edges: bytes
    addresses: bytes
    lines: bytes
    nodes: bytes


def _packed(table: EdgeTable, ids: Addresses, lines: LineStarts, nodes: NodeTable) -> bytes:
    parts = encode(table), encode(PackedAddresses.of(ids)), encode(lines), encode(nodes)
    return zlib.compress(encode(_StoredFile(*parts)), 1)


def _unpacked(raw: bytes) -> tuple[EdgeTable, Addresses | None, LineStarts, NodeTable] | None:
    try:
        stored = decode(_StoredFile, zlib.decompress(raw))
        ids = decode(PackedAddresses, stored.addresses).unpacked()
        return decode(EdgeTable, stored.edges), ids, decode(LineStarts, stored.lines), decode(NodeTable, stored.nodes)
    except (CodecError, zlib.error):
        return None
