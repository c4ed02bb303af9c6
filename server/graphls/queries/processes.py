"""Processes: chains of calls from an entry of a program to where they end, as a heuristic.

Owns: where chains begin, which calls they follow, which chains stand for an entry, their bounds.
Must not know: frameworks, layout, what a community is.
Invariant: every step of a chain is an edge of the graph; a chain is possible, never certain to run as a whole.

Entries are those of rules (routes, tools, commands, jobs), then functions that call and that no function of the
workspace calls, those called `main` first. Each declaration is visited once an entry, so a chain is the first way to
its end, nearest first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import SUREST_CALL, DerivedNode
from graphls.graph.derived_edges import derived_calls_of
from graphls.graph.edge_refs import edge_of_ref, key_of
from graphls.graph.edges import named_edges_of
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import end_name
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.request_budget import PartOfBudget, spend, spent_reason, until_spent
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.dispatch import dispatch_steps, is_possible
from graphls.queries.entry_list import declared_entries
from graphls.queries.process_roots import CALLING, HANDING, Place, is_shown, leading_to, named_callers
from graphls.queries.scope import paths_in

MAX_DEPTH: Final = 10
MOST_BRANCHES: Final = 4
LEAST_STEPS: Final = 3
LEAST_CONFIDENCE: Final = 0.5
MOST: Final = 75
"""Chains of a workspace."""
_VISITED: Final = 300
"""Declarations that are visited from one entry."""
_PART: Final = 0.8
"""Of the budget of a request, for calls that no name says; the rest is for chains of those that one does."""
_SMALL: Final = 80_000
"""Bytes of code whose chains are found in a moment, along with another answer."""
_KNOWN: Final = Memo[tuple["Process", ...]]("processes of the workspace")


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
    forest = _Forest(snapshot, through)
    if through is not None:
        forest.walk(_nearest(snapshot, through, (*declared, *_roots(snapshot, among))))
    forest.walk(declared)
    found = forest.of(declared)
    known, begun, left = len(found), declared, 0
    if through is not None or sum(bool(tree.chains) for tree in found) < limit:
        handled = {step.place for tree in found for chain in tree.chains for step in chain[:2]}
        roots = [place for place in _roots(snapshot, among) if place not in handled]
        begun = [*declared, *roots]
        forest.walk(roots, 0 if through is not None else limit - sum(bool(tree.chains) for tree in found))
        found += forest.of(roots)
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


class _Forest:
    """What entries lead to, each walked once: of the first ones, where a request may do no more. The answer says so."""

    def __init__(self, snapshot: Snapshot, through: SymbolRef | None) -> None:
        self._snapshot = snapshot
        self._everywhere = through is not None and comes_last(snapshot, through.file)
        self._trees: dict[Place, _Tree] = {}

    def walk(self, entries: Iterable[Place], most: int = 0) -> None:
        """Walks from each that was not walked from. `most`: until so many of them have chains; 0: all."""
        having = 0
        missing = (entry for entry in entries if entry not in self._trees)
        for entry, tree in until_spent(
            (one, _Tree(self._snapshot, one, everywhere=self._everywhere)) for one in missing
        ):
            self._trees[entry] = tree
            having += bool(tree.chains)
            if most and having >= most:
                return

    def of(self, entries: Iterable[Place]) -> list[_Tree]:
        """Those of some entries, as far as they were walked from."""
        return [self._trees[entry] for entry in entries if entry in self._trees]


def _roots(snapshot: Snapshot, among: Collection[FilePath]) -> list[SymbolRef]:
    return [place for place in named_callers(snapshot).roots if place.file in among]


def _nearest(snapshot: Snapshot, through: SymbolRef, entries: Iterable[Place]) -> list[Place]:
    """The entries from which names lead to a place, the nearest first: most of the chains that pass it begin there, so
    a request that ends early has them."""
    callers = named_callers(snapshot).callers
    steps = leading_to(
        callers, [through, *(place for place in callers if _is_within(snapshot, place, through))], MAX_DEPTH
    )
    return sorted((entry for entry in entries if entry in steps), key=lambda entry: steps[entry])


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


_LEADS: Final = MemoTable["tuple[Place, bool]", "Sequence[_Lead]"]("leads of processes")
"""By place, and whether what others wrote is followed."""


class _Tree:
    """What one entry leads to, each declaration by its first way; `chains`: ways to the ends, longest first."""

    def __init__(self, snapshot: Snapshot, entry: Place, *, everywhere: bool) -> None:
        self._snapshot, self._everywhere = snapshot, everywhere
        self.entry, self.cut = entry, False
        parents: dict[Place, tuple[Place, _Lead] | None] = {entry: None}
        inner: set[Place] = set()
        level: list[Place] = [entry]
        for _ in range(MAX_DEPTH):
            following: list[Place] = []
            for place in level:
                if self.cut:
                    break
                for lead in self._leads(place):
                    if lead.target in parents:
                        continue
                    if len(parents) >= _VISITED:
                        self.cut = True  # nothing that is found from here on has room
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

    def _leads(self, place: Place) -> Sequence[_Lead]:
        """The surest calls, in order of the text."""
        spend()
        known = _LEADS.of(self._snapshot)
        key = place, self._everywhere
        leads = known.get(key)
        if leads is None:
            leads, is_whole = self._find_leads(place)
            if is_whole:
                known[key] = leads
        return leads

    def _find_leads(self, place: Place) -> tuple[Sequence[_Lead], bool]:
        """The leads, and whether the budget left out none."""
        snapshot = self._snapshot
        wanted = (HANDING,) if isinstance(place, DerivedNode) else CALLING
        called = [edge for edge in named_edges_of(snapshot, place) if edge.kind in wanted]
        found = self._followed(edge for edge in called if edge.confidence > SUREST_CALL)
        if len(found) >= MOST_BRANCHES:  # what may be called by flow comes too late to be followed
            return tuple(found.values())[:MOST_BRANCHES], True
        part = PartOfBudget(_PART)
        with part:
            by_flow = [edge for edge in derived_calls_of(snapshot, place) if edge.kind in wanted]
            found = self._followed((*called, *by_flow))
            for target in list(found) if len(found) < MOST_BRANCHES else ():
                for ref in dispatch_steps(snapshot, key_of(target), "out"):
                    edge = edge_of_ref(snapshot, ref)
                    if self._is_followed(edge.source) and edge.confidence >= LEAST_CONFIDENCE:
                        lead = _Lead(edge.source, "dispatch", edge.confidence, is_possible(edge))
                        found.setdefault(edge.source, lead)
        if part.is_spent:  # what is called by name is there at once
            found = {**self._followed(called), **found}
        return tuple(found.values())[:MOST_BRANCHES], not spent_reason()

    def _followed(self, called: Iterable[RawEdge]) -> dict[Place, _Lead]:
        """What some calls lead to, the surest first, then in order of the text."""
        found: dict[Place, _Lead] = {}
        for edge in sorted(called, key=lambda edge: (-edge.confidence, edge.sites[:1])):
            target = edge.target
            if isinstance(target, str) or edge.confidence < LEAST_CONFIDENCE or not self._is_followed(target):
                continue
            sure = not edge.ambiguous and not is_possible(edge)
            found.setdefault(target, _Lead(target, edge.kind, edge.confidence, not sure))
        return found

    def _is_followed(self, place: Place) -> bool:
        """Chains end where they come to what others wrote or a tool made, unless one in such code is asked for."""
        snapshot = self._snapshot
        return is_shown(snapshot, place) and (self._everywhere or not comes_last(snapshot, place.file))


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
