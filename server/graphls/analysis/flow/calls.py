"""Calls: the calls by flow of a snapshot, whoever asks for them.

Owns: whether they are searched for one by one or known all at once, how long what was found is at hand.
Must not know: how a search goes, queries.
Invariant: an answer is the same whether all calls are known or none.

To find all calls costs about as much as a few questions about what much of a workspace goes through, which is why work
ahead does it. An edit may change any of them: then questions search again until all are known anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from graphls.analysis.flow.call_search import CallSearch
from graphls.analysis.flow.call_table import CallTable, table_name
from graphls.analysis.flow.injections import InjectedParameters
from graphls.analysis.flow.places import flow_view
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.memo import BoundedMemo
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

    def __init__(self, snapshot: Snapshot, injected: InjectedParameters, rules: str) -> None:
        """`rules`: names those by which frameworks fill parameters."""
        self.injected = injected
        """What frameworks fill: of other rules there are other calls."""
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
        self._table, self._search = table, None

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


def flow_calls(snapshot: Snapshot, injected: InjectedParameters, rules: str) -> FlowCalls:
    """Those of one snapshot."""

    def made() -> FlowCalls:
        return FlowCalls(snapshot, injected, rules)

    known = _MEMO.once(snapshot, made)
    return known if known.injected is injected else _MEMO.put(snapshot, made())
