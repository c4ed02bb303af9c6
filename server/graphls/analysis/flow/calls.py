"""Calls: the calls by flow of a snapshot, whoever asks for them.

Owns: whether they are searched for one by one or known all at once, how long what was found is at hand.
Must not know: how a search goes, queries.
Invariant: an answer is the same whether all calls are known or none.

To find all calls costs about as much as a few questions about what much of a workspace goes through, which is why work
ahead does it. An edit may change any of them: then questions search again until all are known anew. Those that may not
take so long have what was known before the edit, which says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from graphls.analysis.flow.call_search import CallSearch
from graphls.analysis.flow.call_table import CallTable, table_name
from graphls.analysis.flow.earlier_calls import EarlierCalls
from graphls.analysis.flow.injections import InjectedParameters
from graphls.analysis.flow.places import flow_view
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.memo import BoundedMemo, Memo
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef

_ROW_BYTES: Final = 450
"""About what a row of the tables of a search takes, measured."""
_EDGE_BYTES: Final = 900
"""About what one call takes."""
MOST_FLOW_BYTES: Final = 256_000_000
"""Of what is known of calls by flow between two questions: that of some 24 MB of Python of which all was asked. A
question that met its time limit goes on from it."""


class FlowCalls:
    """Calls by flow of one snapshot; nothing is looked at before somebody asks."""

    def __init__(
        self, snapshot: Snapshot, injected: InjectedParameters, rules: str, earlier: EarlierCalls | None = None
    ) -> None:
        """`rules`: names those by which frameworks fill parameters. `earlier`: what there is until all are known."""
        self.injected = injected
        """What frameworks fill: of other rules there are other calls."""
        self.earlier = earlier
        self._rules = rules
        self._snapshot = flow_view(snapshot)
        self._search: CallSearch | None = None
        self._table: CallTable | None = None
        self._looked = False
        """Whether the table of an earlier run was looked for."""

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        rows = 0 if self._search is None else self._search.rows
        edges = 0 if self._table is None else self._table.size
        edges += 0 if self.earlier is None else self.earlier.size
        return rows * _ROW_BYTES + edges * _EDGE_BYTES

    @property
    def is_complete(self) -> bool:
        """Whether all are known."""
        return self._known() is not None

    def from_file(self, path: FilePath) -> Iterable[RawEdge]:
        """Calls whose source is in a file."""
        table = self._known()
        return self._searching().from_file(path) if table is None else table.of_file(path)

    def from_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Calls whose source is one place."""
        table = self._known()
        return self._searching().from_place(place) if table is None else table.of_place(place)

    def to_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Calls that may run one place, by file of the source."""
        table = self._known()
        return self._searching().to_place(place) if table is None else table.to_place(place)

    @property
    def has_earlier(self) -> bool:
        """Whether all those of an earlier state are known, while not all of this one are."""
        return self.earlier is not None and self.earlier.is_whole and self._known() is None

    def earlier_from_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Calls of an earlier state whose source is one place."""
        return () if self.earlier is None else self.earlier.from_place(self._snapshot, place)

    def earlier_to_place(self, place: SymbolRef) -> Iterable[RawEdge]:
        """Calls of an earlier state that ran one place."""
        return () if self.earlier is None else self.earlier.to_place(self._snapshot, place)

    def followed(self, snapshot: Snapshot) -> EarlierCalls | None:
        """What of these the next state may show before it knows its own."""
        earlier, found = self.earlier, None if self._search is None else self._search.found
        if self._table is not None:
            earlier = EarlierCalls(self._table)
        elif found and (earlier is None or (not earlier.is_whole and len(found) > earlier.size)):
            earlier = EarlierCalls(found)  # of two states that questions saw a part of, that of which they saw more
        return None if earlier is None else earlier.followed(self._snapshot, snapshot)

    def complete(self) -> None:
        """Finds all of them, so that no question has to. Raises BudgetSpentError; what was found by then is lost."""
        snapshot = self._snapshot
        if self._known() is not None or snapshot.not_linked():
            return
        # A search of its own: what questions come by meanwhile is theirs.
        search, found = CallSearch(snapshot, self.injected), list[RawEdge]()
        for path in sorted(snapshot.files()):
            if snapshot.shards[path].language:
                spend()
                found.extend(search.from_file(path))
            if search.rows * _ROW_BYTES > MOST_FLOW_BYTES // 2:
                search = CallSearch(snapshot, self.injected)
        table = CallTable(found)
        if (home := self._home()) is not None:
            stored = {home: table.packed()}
            snapshot.reader.store_file_values(snapshot, table_name(snapshot, self._rules), stored)
        self._table, self._search, self.earlier = table, None, None

    def _searching(self) -> CallSearch:
        search = self._search
        if search is None:
            search = self._search = CallSearch(self._snapshot, self.injected)
        return search

    def _known(self) -> CallTable | None:
        if self._table is None and not self._looked and not self._snapshot.not_linked():
            self._table = self._stored()
            self._looked = True
        return self._table

    def _stored(self) -> CallTable | None:
        """What an earlier run found of the same contents."""
        home, snapshot = self._home(), self._snapshot
        if home is None:
            return None
        raw = snapshot.reader.file_values(snapshot, table_name(snapshot, self._rules), (home,)).get(home)
        return None if raw is None else CallTable.unpacked(raw, snapshot)

    def _home(self) -> FilePath | None:
        """The file with whose contents the table is stored; None while contents are not saved."""
        shards = self._snapshot.shards
        if any(shard.dirty for shard in shards.values()):
            return None
        return min(shards, default=None)


_MEMO: Final = BoundedMemo["FlowCalls"](
    "calls by flow", lambda one: one.size, MOST_FLOW_BYTES, rests_on_links=False, grows=True
)


_EARLIER: Final = Memo["EarlierCalls"]("calls by flow of an earlier state", rests_on_links=False)
"""Until somebody asks for calls by flow."""


def follow_calls(before: Snapshot, snapshot: Snapshot) -> None:
    """What was known of the calls of the snapshot before serves questions about the next one."""
    known = _MEMO.get(before)
    earlier = _EARLIER.get(before)
    if known is not None:
        earlier = known.followed(snapshot)
    elif earlier is not None:
        earlier = earlier.followed(before, snapshot)
    if earlier is not None:
        _EARLIER.put(snapshot, earlier)


def flow_calls(snapshot: Snapshot, injected: InjectedParameters, rules: str) -> FlowCalls:
    """Those of one snapshot."""

    def made() -> FlowCalls:
        earlier = _EARLIER.get(snapshot)
        _EARLIER.drop(snapshot)
        return FlowCalls(snapshot, injected, rules, earlier)

    known = _MEMO.once(snapshot, made)
    if known.injected is not injected:
        known = _MEMO.put(snapshot, FlowCalls(snapshot, injected, rules, known.earlier))
    return known
