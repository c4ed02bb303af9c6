"""Processes: chains of calls from an entry of a program to where they end, as a heuristic.

Owns: where chains begin, which calls they follow, which chains stand for an entry, their bounds.
Must not know: frameworks, layout, what a community is.
Invariant: every step of a chain is an edge of the graph; a chain is possible, never certain to run as a whole.

Entries are those of rules (routes, tools, commands, jobs), then functions that call and that no function of the
workspace calls, those called `main` first. Each declaration is visited once an entry, so a chain is the first way to
its end, nearest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import edge_of_ref, key_of
from graphls.graph.edges import edges_of, named_edges_from
from graphls.graph.file_edges import OVERRIDE_KINDS
from graphls.graph.file_roles import is_aside
from graphls.graph.identity import end_name
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import Memo
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import is_test_file, qualified_name
from graphls.graph.request_budget import BudgetSpentError, spend, spent_reason, until_spent
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.dispatch import dispatch_steps, is_possible
from graphls.queries.entry_list import declared_entries
from graphls.queries.scope import paths_in

Place = SymbolRef | DerivedNode
MAX_DEPTH: Final = 10
MOST_BRANCHES: Final = 4
LEAST_STEPS: Final = 3
LEAST_CONFIDENCE: Final = 0.5
MOST: Final = 75
"""Chains of a workspace."""
_VISITED: Final = 300
"""Declarations that are visited from one entry."""
_SMALL: Final = 80_000
"""Bytes of code whose chains are found in a moment, along with another answer."""
_KNOWN: Final = Memo[tuple["Process", ...]]("processes of the workspace")
_CALLING: Final = ("calls", "instantiates")
_RUNS: Final = ("callable", "method", "class")


@attrs.frozen
class ProcessStep:
    """One step of a chain. `kind`: of the edge that leads here, "" at the entry; `possible`: by dispatch to what may
    run in the stead of what is named, or by a call of what something may hold."""

    place: Place
    kind: str
    confidence: float
    possible: bool


@attrs.frozen
class Process:
    """A chain. `confidence`: the product of its steps; `declared`: a rule says that a program is entered there."""

    steps: tuple[ProcessStep, ...]
    confidence: float
    declared: bool

    @property
    def entry(self) -> Place:
        """Where it begins."""
        return self.steps[0].place

    @property
    def end(self) -> Place:
        """Where it ends."""
        return self.steps[-1].place


@attrs.frozen
class ProcessesAnswer:
    """Chains: those of declared entries first, the longest of each entry before the second of any. `entries`: how many
    entries there are; `cut`: entries from which not everything was visited, or nothing, as enough was found by then."""

    processes: tuple[Process, ...]
    entries: int
    declared: int
    cut: int
    coverage: Coverage


@attrs.frozen
class _Lead:
    target: Place
    kind: str
    confidence: float
    possible: bool


def processes(
    snapshot: Snapshot, through: SymbolRef | None = None, limit: int = MOST, scope: str = ""
) -> ProcessesAnswer:
    """The chains of a workspace. `through`: those only that pass a place, or what it holds; `scope`: those only that
    begin in these files."""
    declared, among = list(until_spent(declared_entries(snapshot, scope))), paths_in(snapshot, scope)
    found = list(_trees(snapshot, declared, through))
    known, begun, left = len(found), declared, 0
    if through is not None or sum(bool(tree.chains) for tree in found) < limit:
        handled = {step.place for tree in found for chain in tree.chains for step in chain[:2]}
        roots = [place for place in _roots(snapshot) if place not in handled and place.file in among]
        begun = [*declared, *roots]
        for tree in _trees(snapshot, roots, through):
            found.append(tree)
            if through is None and sum(bool(tree.chains) for tree in found) >= limit:
                break
        left = len(begun) - len(found)
    chosen = list(_in_turn(found, known))
    if through is not None:
        chosen = [one for one in chosen if any(_is_within(snapshot, step.place, through) for step in one.steps)]
    elif not scope and not spent_reason() and len(chosen) > len(_KNOWN.get(snapshot) or ()):
        _KNOWN.put(snapshot, tuple(chosen[:MOST]))
    omitted, cut = max(len(chosen) - limit, 0), left + sum(tree.cut for tree in found)
    # Which calls a chain follows is a choice: no list of chains is all of them.
    chosen_from = Completeness((Gap(Cause.RANKING, "out", 0),))
    return ProcessesAnswer(
        processes=tuple(chosen[:limit]),
        entries=len(begun),
        declared=len(declared),
        cut=cut,
        coverage=Coverage(
            truncated=omitted > 0 or left > 0,
            omitted=omitted,
            completeness=chosen_from,
            empty=not chosen,
            exhausted=not cut,
        ),
    )


def known_processes(snapshot: Snapshot, places: Iterable[Place]) -> tuple[Process, ...] | None:
    """Those of the workspace that pass one of some places, or what it holds, of as many as somebody has asked for; None
    where nobody has and they take more than a moment."""
    if _KNOWN.get(snapshot) is None and sum(one.size for one in snapshot.shards.values() if one.language) <= _SMALL:
        processes(snapshot)
        if _KNOWN.get(snapshot) is None and not spent_reason():
            _KNOWN.put(snapshot, ())
    known, places = _KNOWN.get(snapshot), tuple(places)
    if known is None:
        return None
    return tuple(
        one
        for one in known
        if any(
            step.place == place or (isinstance(place, SymbolRef) and _is_within(snapshot, step.place, place))
            for step in one.steps
            for place in places
        )
    )


def _trees(snapshot: Snapshot, entries: Iterable[Place], through: SymbolRef | None) -> Iterator[_Tree]:
    """What entries lead to; of the first ones, where a request may do no more: the answer says so."""
    everywhere = through is not None and comes_last(snapshot, through.file)
    return until_spent(_Tree(snapshot, entry, everywhere=everywhere) for entry in entries)


def _in_turn(trees: Sequence[_Tree], declared: int) -> Iterator[Process]:
    """The longest chain of each entry, then the second longest; entries that are declared before all others."""
    for group, known in ((trees[:declared], True), (trees[declared:], False)):
        for rank in range(max((len(tree.chains) for tree in group), default=0)):
            for tree in group:
                if rank < len(tree.chains):
                    steps = tree.chains[rank]
                    sure = 1.0
                    for step in steps:
                        sure *= step.confidence
                    yield Process(steps, round(sure, 4), known)


class _Tree:
    """What one entry leads to, each declaration by its first way; `chains`: ways to the ends, longest first."""

    def __init__(self, snapshot: Snapshot, entry: Place, *, everywhere: bool) -> None:
        self._snapshot, self._everywhere = snapshot, everywhere
        self.cut = False
        parents: dict[Place, tuple[Place, _Lead] | None] = {entry: None}
        inner: set[Place] = set()
        level: list[Place] = [entry]
        for _ in range(MAX_DEPTH):
            following: list[Place] = []
            for place in level:
                for lead in self._leads(place):
                    if lead.target in parents:
                        continue
                    if len(parents) >= _VISITED:
                        self.cut = True
                        break
                    parents[lead.target] = (place, lead)
                    inner.add(place)
                    following.append(lead.target)
            level = following
        self.cut = self.cut or bool(level)
        chains = [self._way(parents, place) for place in parents if place not in inner]
        # More than one way to an end is one chain: the first. Parts of others are no ends.
        self.chains = sorted((way for way in chains if len(way) >= LEAST_STEPS), key=lambda way: -len(way))

    def _way(self, parents: Mapping[Place, tuple[Place, _Lead] | None], end: Place) -> tuple[ProcessStep, ...]:
        steps: list[ProcessStep] = []
        place = end
        while (before := parents[place]) is not None:
            lead = before[1]
            steps.append(ProcessStep(place, lead.kind, lead.confidence, lead.possible))
            place = before[0]
        return (ProcessStep(place, "", 1.0, False), *reversed(steps))

    def _leads(self, place: Place) -> list[_Lead]:
        """The surest calls, in order of the text."""
        spend()
        snapshot, found = self._snapshot, dict[Place, _Lead]()
        wanted = ("handles",) if isinstance(place, DerivedNode) else _CALLING
        called = [edge for edge in edges_of(snapshot, place) if edge.kind in wanted]
        for edge in sorted(called, key=lambda edge: (-edge.confidence, edge.sites[:1])):
            target = edge.target
            if isinstance(target, str) or edge.confidence < LEAST_CONFIDENCE or not self._is_followed(target):
                continue
            sure = not edge.ambiguous and not is_possible(edge)
            found.setdefault(target, _Lead(target, edge.kind, edge.confidence, not sure))
        for target in list(found) if len(found) < MOST_BRANCHES else ():
            for ref in dispatch_steps(snapshot, key_of(target), "out"):
                edge = edge_of_ref(snapshot, ref)
                if self._is_followed(edge.source) and edge.confidence >= LEAST_CONFIDENCE:
                    found.setdefault(edge.source, _Lead(edge.source, "dispatch", edge.confidence, is_possible(edge)))
        return list(found.values())[:MOST_BRANCHES]

    def _is_followed(self, place: Place) -> bool:
        """Chains end where they come to what others wrote or a tool made, unless one in such code is asked for."""
        snapshot = self._snapshot
        return _is_shown(snapshot, place) and (self._everywhere or not comes_last(snapshot, place.file))


def _roots(snapshot: Snapshot) -> list[SymbolRef]:
    """Functions that call others and that none calls by name: those in which programs begin, then those that call most;
    examples, scripts and documents last.

    Who may call them by flow is not sought: of a large code base that takes minutes, and says little of where programs
    begin."""
    calling: Counter[SymbolRef] = Counter()
    called: set[SymbolRef] = set()
    try:
        for path in snapshot.files():
            spend()
            if is_test_file(path) or comes_last(snapshot, path):
                continue
            for edge in named_edges_from(snapshot, path):
                if edge.kind in OVERRIDE_KINDS and isinstance(edge.source, SymbolRef):
                    called.add(edge.source)  # by whoever calls what it overrides
                if edge.kind not in _CALLING or not isinstance(edge.target, SymbolRef):
                    continue
                if isinstance(edge.source, SymbolRef) and edge.source.definition >= 0:
                    calling[edge.source] += 1
                elif edge.target.file == path:
                    continue  # a script calls its own `main` from its outermost level
                called.add(edge.target)
    except BudgetSpentError:
        pass  # what was seen so far is walked; the answer says that it is less
    roots = [place for place in calling if place not in called and _is_shown(snapshot, place)]
    roots.sort(key=lambda place: (-calling[place], place.file, place.definition))
    return sorted(roots, key=lambda place: (is_aside(place.file), not _is_main(snapshot, place)))[: 2 * MOST]


def _is_main(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a program begins there by the name that most languages give to that."""
    return qualified_name(snapshot.facts(place.file), place.definition).rpartition(".")[2] == "main"


def _is_shown(snapshot: Snapshot, place: Place) -> bool:
    if isinstance(place, DerivedNode) or place.definition < 0 or is_test_file(place.file):
        return False
    return node_kind(snapshot, place).kind in _RUNS


def _is_within(snapshot: Snapshot, place: Place, around: SymbolRef) -> bool:
    if isinstance(place, DerivedNode) or place.file != around.file:
        return False
    rows = snapshot.facts(place.file).definitions
    row = place.definition
    while row >= 0:
        if row == around.definition:
            return True
        row = rows.owner[row]
    return around.definition < 0


def process_name(snapshot: Snapshot, process: Process) -> str:
    """How people write a chain: `entry -> end`."""
    return f"{end_name(snapshot, process.entry)} -> {end_name(snapshot, process.end)}"


def files_of(process: Process) -> tuple[FilePath, ...]:
    """Files that a chain passes, in order."""
    return tuple(dict.fromkeys(step.place.file for step in process.steps))
