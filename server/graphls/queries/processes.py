"""Processes: chains of calls from an entry of a program to where they end, as a heuristic.

Owns: where chains begin, which calls they follow, which chains stand for an entry, their bounds.
Must not know: frameworks, layout, what a community is.
Invariant: every step of a chain is an edge of the graph; a chain is possible, never certain to run as a whole.

Entries are those of rules (routes, tools, commands, jobs), then functions that call and that no function of the
workspace calls, those called `main` first; what serves those who develop the program comes after all of that. Each
declaration is visited once an entry, so a chain is the first way to its end, nearest first. Where chains through a
place are asked for, an entry is left by the shortest ways there, and only what follows the place is searched as usual.
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
from graphls.graph.file_roles import serves_development
from graphls.graph.identity import end_name
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.request_budget import PartOfBudget, spend, spent_reason, until_spent
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.dispatch import dispatch_steps, is_possible
from graphls.queries.entry_list import declared_entries
from graphls.queries.process_roots import (
    CALLING,
    HANDING,
    LEAST_CONFIDENCE,
    Place,
    is_shown,
    leading_to,
    named_callers,
)
from graphls.queries.scope import paths_in

MAX_DEPTH: Final = 10
MOST_BRANCHES: Final = 4
LEAST_STEPS: Final = 3
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
    toward: Mapping[Place, int] = {} if through is None else _toward(snapshot, through)
    near = _entries_toward(snapshot, toward, declared, among)
    # Where nobody comes to a place by names, it may be by flow, which takes a walk from every entry.
    forest, begun = _Forest(snapshot, through, toward if near else {}), near or [*declared]
    forest.walk(begun)
    found = forest.of(begun)
    having = sum(bool(tree.chains) for tree in found)
    if not near and (through is not None or having < limit):
        handled = {step.place for tree in found for chain in tree.chains for step in chain[:2]}
        own = [place for place, steps in toward.items() if not steps and is_shown(snapshot, place)]
        roots = [place for place in dict.fromkeys((*_roots(snapshot, among), *own)) if place not in handled]
        begun = [*begun, *roots]
        forest.walk(roots, 0 if through is not None else limit - having)
        found += forest.of(roots)
    left = len(begun) - len(found)
    chosen = list(_in_turn(found))
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
        declared=sum(isinstance(entry, DerivedNode) for entry in begun),
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

    def __init__(self, snapshot: Snapshot, through: SymbolRef | None, toward: Mapping[Place, int]) -> None:
        self._snapshot, self._toward = snapshot, toward
        self._everywhere = through is not None and comes_last(snapshot, through.file)
        self._trees: dict[Place, _Tree] = {}

    def walk(self, entries: Iterable[Place], most: int = 0) -> None:
        """Walks from each that was not walked from. `most`: until so many of them have chains; 0: all."""
        having = 0
        missing = (entry for entry in entries if entry not in self._trees)
        for entry, tree in until_spent(
            (one, _Tree(self._snapshot, one, self._toward, everywhere=self._everywhere)) for one in missing
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


def _toward(snapshot: Snapshot, through: SymbolRef) -> Mapping[Place, int]:
    """The places from which names lead to one, or to what it holds, with the number of steps there."""
    callers = named_callers(snapshot).callers
    held = [place for place in callers if _is_within(snapshot, place, through)]
    return leading_to(callers, list(dict.fromkeys((through, *held))), MAX_DEPTH)


def _entries_toward(
    snapshot: Snapshot, toward: Mapping[Place, int], declared: Iterable[Place], among: Collection[FilePath]
) -> list[Place]:
    """The entries from which names lead to a place, the nearest first: most of the chains that pass it begin there, so
    a request that ends early has them."""
    if not toward:
        return []
    callers = named_callers(snapshot).callers
    firsts = [place for place in toward if not callers.get(place) and is_shown(snapshot, place)]
    found = [place for place in dict.fromkeys((*declared, *firsts)) if toward.get(place) and place.file in among]
    return sorted(found, key=lambda place: (not isinstance(place, DerivedNode), toward[place], place.file))


def _in_turn(trees: Sequence[_Tree]) -> Iterator[Process]:
    """The longest chain of each entry, then the second longest; entries of the program that are declared before others
    of it, and these before those of its development. As long as that can be chosen, chains have ends of their own:
    what all of them come to in the end says nothing about any."""
    ends: set[Place] = set()
    for group in _groups(trees):
        left = [list(tree.chains) for tree in group]
        while any(left):
            for tree, chains in zip(group, left, strict=True):
                if not chains:
                    continue
                new = (rank for rank, steps in enumerate(chains) if steps[-1].place not in ends)
                steps = chains.pop(next(new, 0) if len(ends) < MOST else 0)
                ends.add(steps[-1].place)
                sure = 1.0
                for step in steps:
                    sure *= step.confidence
                yield Process(steps, round(sure, 4), isinstance(tree.entry, DerivedNode))


def _groups(trees: Sequence[_Tree]) -> list[list[_Tree]]:
    groups: list[list[_Tree]] = [[], [], [], []]
    for tree in trees:
        entry = tree.entry
        groups[2 * serves_development(entry.file) + (not isinstance(entry, DerivedNode))].append(tree)
    return groups


_LEADS: Final = MemoTable["tuple[Place, bool]", "Sequence[_Lead]"]("leads of processes")
"""By place, and whether what others wrote is followed."""


class _Tree:
    """What one entry leads to, each declaration by its first way; `chains`: ways to the ends, longest first."""

    def __init__(self, snapshot: Snapshot, entry: Place, toward: Mapping[Place, int], *, everywhere: bool) -> None:
        self._snapshot, self._everywhere, self._toward = snapshot, everywhere, toward
        self.entry, self.cut = entry, False
        leaving = {entry} if toward.get(entry) else set[Place]()
        """Places from which nothing is followed but the ways to what is asked for."""
        parents: dict[Place, tuple[Place, _Lead] | None] = {entry: None}
        inner: set[Place] = set()
        level: list[Place] = [entry]
        for _ in range(MAX_DEPTH):
            following: list[Place] = []
            for place in level:
                if self.cut:
                    break
                for lead in self._leads_toward(place) if place in leaving else self._leads(place):
                    if lead.target in parents:
                        continue
                    if len(parents) >= _VISITED:
                        self.cut = True  # nothing that is found from here on has room
                        break
                    parents[lead.target] = (place, lead)
                    inner.add(place)
                    following.append(lead.target)
                    if place in leaving and toward[lead.target]:
                        leaving.add(lead.target)
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

    def _leads_toward(self, place: Place) -> Sequence[_Lead]:
        """The calls by name that come nearer to what is asked for."""
        spend()
        snapshot, far = self._snapshot, self._toward[place]
        wanted = (HANDING,) if isinstance(place, DerivedNode) else CALLING
        named = (edge for edge in named_edges_of(snapshot, place) if edge.kind in wanted)
        found = self._followed(edge for edge in named if self._steps_from(edge.target, far) < far)
        # What overrides a member that is named runs in its stead, not after it.
        for target in list(found):
            for ref in dispatch_steps(snapshot, key_of(target), "out"):
                edge = edge_of_ref(snapshot, ref)
                if self._steps_from(edge.source, far) < far and self._is_followed(edge.source):
                    found.setdefault(edge.source, _Lead(edge.source, "dispatch", edge.confidence, is_possible(edge)))
        return sorted(found.values(), key=lambda lead: self._toward[lead.target])[:MOST_BRANCHES]

    def _steps_from(self, place: Place | str, otherwise: int) -> int:
        return otherwise if isinstance(place, str) else self._toward.get(place, otherwise)

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
