"""Process roots: where programs begin that no rule declares, and who calls a place by name.

Owns: which functions are roots and their order, the places from which names lead to another, nearest first.
Must not know: which chains are followed from a root, calls by flow.
Invariant: who may call something by flow is not sought: of a large code base that takes minutes, and says little of
    where programs begin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import named_edges_from
from graphls.graph.file_edges import OVERRIDE_KINDS
from graphls.graph.file_roles import serves_development
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import BoundedMemo, Memo
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import is_test_file, qualified_name
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, spend
from graphls.graph.snapshot import Snapshot, SymbolRef

Place = SymbolRef | DerivedNode
CALLING: Final = ("calls", "instantiates")
HANDING: Final = "handles"
LEAST_CONFIDENCE: Final = 0.5
_RUNS: Final = ("callable", "method", "class")
_PART: Final = 0.5
"""Of the budget of a request, for the search of roots."""
_MOST_ROOTS: Final = 150
_EDGE_BYTES, _MOST_BYTES = 120, 64_000_000


@attrs.frozen
class NamedCallers:
    """`roots`: functions that call others and that none calls by name, in which programs begin first, then what is
    offered to others before what is not, those that call most first; what serves development last. `callers`: who
    calls each place by its name, surely enough to be followed, or what it overrides, or hands it what came in."""

    roots: tuple[SymbolRef, ...]
    callers: Mapping[Place, Sequence[Place]]


_MEMO: Final = BoundedMemo["NamedCallers"](
    "callers by name", lambda found: _EDGE_BYTES * sum(map(len, found.callers.values())), _MOST_BYTES
)


_BEGUN: Final = Memo["_CallerSearch"]("search of callers by name")


def named_callers(snapshot: Snapshot) -> NamedCallers:
    """Those of the workspace, tests and what tools made apart. Where the budget ends: those of the files seen so far,
    and the answer says that it is less; who asks again goes on from there."""
    known = _MEMO.get(snapshot)
    if known is not None:
        return known
    search, part = _BEGUN.once(snapshot, lambda: _CallerSearch(snapshot)), PartOfBudget(_PART)
    if not search.lock.acquire(blocking=False):
        search = _CallerSearch(snapshot)  # somebody else is at it
        search.lock.acquire()
    try:
        with suppress(BudgetSpentError), part:
            search.go_on()
        return search.found() if part.is_spent else _MEMO.once(snapshot, search.found)
    finally:
        search.lock.release()


def leading_to(callers: Mapping[Place, Sequence[Place]], ends: Sequence[Place], most_steps: int) -> Mapping[Place, int]:
    """The places from which calls by name lead to one of some ends, with the steps there."""
    steps: dict[Place, int] = dict.fromkeys(ends, 0)
    level = list(ends)
    for far in range(1, most_steps + 1):
        before = [source for place in level for source in callers.get(place, ()) if source not in steps]
        level = list(dict.fromkeys(before))
        steps.update(dict.fromkeys(level, far))
    return steps


def is_shown(snapshot: Snapshot, place: Place) -> bool:
    """Whether chains pass it."""
    if isinstance(place, DerivedNode) or place.definition < 0 or is_test_file(place.file):
        return False
    return node_kind(snapshot, place).kind in _RUNS


class _CallerSearch:
    """Looks at one file after the other."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._calling: Counter[SymbolRef] = Counter()
        self._called: set[SymbolRef] = set()
        self._callers: dict[Place, list[Place]] = {}
        self._left = sorted(snapshot.files(), reverse=True)
        self.lock = Lock()
        """Held by whoever goes on."""

    def go_on(self) -> None:
        """Looks at the files that nobody has looked at. Raises BudgetSpentError."""
        while self._left:
            spend()
            self._look_at(self._left[-1])
            self._left.pop()

    def _look_at(self, path: FilePath) -> None:
        """Counts the calls of one file, once all of them are known."""
        if is_test_file(path) or comes_last(self._snapshot, path):
            return
        for edge in list(named_edges_from(self._snapshot, path)):
            source, target = edge.source, edge.target
            if edge.kind in OVERRIDE_KINDS and isinstance(source, SymbolRef):
                self._called.add(source)  # by whoever calls what it overrides
                self._note(target, source)
            if edge.kind == HANDING:
                self._note(source, target)
            if edge.kind not in CALLING or not isinstance(target, SymbolRef):
                continue
            if isinstance(source, SymbolRef) and source.definition >= 0:
                self._calling[source] += 1
                if edge.confidence >= LEAST_CONFIDENCE:
                    self._note(source, target)
            elif target.file == path or _is_main(self._snapshot, target):
                continue  # a script calls `main` from its outermost level, its own or that of a module
            self._called.add(target)

    def found(self) -> NamedCallers:
        """What was seen so far."""
        snapshot, calling = self._snapshot, self._calling
        roots = [place for place in calling if place not in self._called and is_shown(snapshot, place)]
        roots.sort(key=lambda place: (-calling[place], place.file, place.definition))
        roots.sort(key=lambda place: (serves_development(place.file), *_rank(snapshot, place)))
        callers = {place: tuple(sources) for place, sources in self._callers.items()}
        return NamedCallers(tuple(roots[:_MOST_ROOTS]), callers)

    def _note(self, source: Place | str, target: Place | str) -> None:
        if not isinstance(source, str) and not isinstance(target, str):
            self._callers.setdefault(target, []).append(source)


def _rank(snapshot: Snapshot, place: SymbolRef) -> tuple[bool, bool]:
    """What programs begin in, then what others may call, by how it is written."""
    names = qualified_name(snapshot.facts(place.file), place.definition).split(".")
    hidden = any(name.startswith("_") and not name.endswith("__") for name in names)
    return not _is_main(snapshot, place), hidden


def _is_main(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a program begins there by the name that most languages give to that."""
    return qualified_name(snapshot.facts(place.file), place.definition).rpartition(".")[2] == "main"
