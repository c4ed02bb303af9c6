"""Impact: what a change of one thing may reach.

Owns: seeds (members, override families), distance, tests, packages touched.
Must not know: records, LSP types, version control.
Invariant: every affected node is reached by edges; edges join nodes of the answer; sites that may hide more count.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Literal

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import Role
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import (
    EdgeRef,
    Key,
    Node,
    derived_among,
    edge_of_ref,
    is_structure,
    is_whole_file,
    key_of,
    node_of,
)
from graphls.graph.edges import RawEdge
from graphls.graph.file_edges import OVERRIDE_KINDS
from graphls.graph.made_by_tool import is_made_by_tool, recall_made_by_tool
from graphls.graph.node_table import is_import
from graphls.graph.nodes import is_lasting, is_test_file, node_row
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import CoverageClaim, sites_of
from graphls.queries.dispatch import NAMING, POSSIBLE, DispatchWalk, is_possible
from graphls.queries.document_uses import entries_inside
from graphls.queries.neighborhood import NeighborhoodQuery, kind_name, passes, refs_at
from graphls.queries.redeclarations import redeclarations
from graphls.queries.rows import CALLABLE, TYPES, name_of, row_at
from graphls.queries.type_hierarchy import linked_kin, overridden_members, overriding_members

Stream = Literal["upstream", "downstream"]
MAX_DEPTH = 6
MAX_LIMIT = 5_000
MAX_EDGES = 1_000
_PART_OF_SEEDS = 0.4
"""Of the budget of a request, for members that stand in for what changes."""
_BRINGING = frozenset({Role.IMPORT, Role.EXPORT})


@attrs.frozen
class ImpactQuery:
    """What changes, and how far to look. Upstream: what depends on it; downstream: what it depends on."""

    target: SymbolRef | DerivedNode
    stream: Stream = "upstream"
    depth: int = 3
    kinds: frozenset[str] = frozenset()
    """Kinds of edges that are followed, all but those of structure where none is named. Whoever follows names follows
    what may run in the stead of what they mean."""
    min_confidence: float = 0.0
    tests: bool = True
    limit: int = 500
    edges: int = 0
    """How many of the edges that were walked to give, at most; 0: none."""
    counted: bool = True
    """Whether to count what the answer may lack. Who puts answers together counts once for all of them."""


@attrs.frozen
class AffectedNode:
    """One node reached. `confidence`: the product along the surest way found first."""

    node: Node
    depth: int
    confidence: float
    kind: str
    test: bool
    via: str
    """Kind of the last edge on the way."""
    possible: bool = False
    """Reached only through a member of another class that the changed one may stand in for, or the reverse."""


@attrs.frozen
class Impact:
    """Nearest first."""

    seeds: tuple[SymbolRef | DerivedNode, ...]
    affected: tuple[AffectedNode, ...]
    packages: tuple[str, ...]
    coverage: Coverage
    edges: tuple[RawEdge, ...] = ()
    """Between nodes of this answer, those nearest to the seeds first."""
    edges_omitted: int = 0
    importers: tuple[SymbolRef, ...] = ()
    """Bindings of imports, and modules, that only bring in what is affected: not among that, nor counted as such."""

    @property
    def entries(self) -> tuple[AffectedNode, ...]:
        """Routes and tools of the program through which the change can be met."""
        met = (one for one in self.affected if isinstance(one.node, DerivedNode) and not one.node.in_document)
        return tuple(one for one in met if not one.test)


def impact(snapshot: Snapshot, query: ImpactQuery) -> Impact:
    """What a change reaches."""
    try:
        seeds = _seeds(snapshot, query.target)
    except BudgetSpentError:
        seeds = (query.target,)
    limit = min(max(query.limit, 1), MAX_LIMIT)
    walked: list[EdgeRef] = []
    expanded: list[Key] = []
    importers: dict[Key, None] = {}
    affected: list[AffectedNode] = []
    try:
        stopped = _walk(snapshot, query, seeds, limit, (affected, walked, expanded, importers))
    except BudgetSpentError:
        stopped = True
    recall_made_by_tool(snapshot, {one.node.file for one in affected if not isinstance(one.node, str)})
    affected.sort(key=lambda one: (one.depth, _is_foreign(snapshot, one.node)))
    places = tuple(node for key in expanded if isinstance(node := node_of(key), SymbolRef))
    entries = (query.target,) if isinstance(query.target, DerivedNode) and query.target.in_document else ()
    upstream = query.stream == "upstream"
    reached = {key_of(node) for node in (*seeds, *(one.node for one in affected))}
    shown = sites_of(derived_among(ref for ref in walked if ref.source_key in reached))
    claim = CoverageClaim(places, entries=entries, shown=shown) if upstream else CoverageClaim(uses_in=places)
    files = {node.file for node in (*seeds, *(one.node for one in affected)) if not isinstance(node, str)}
    visible = reached if query.edges > 0 else set[Key]()
    edges = [ref for ref in walked if ref.source_key in visible and ref.target_key in visible] if visible else []
    visible_edges = [edge_of_ref(snapshot, ref) for ref in edges[:MAX_EDGES][: query.edges]]
    return Impact(
        seeds=seeds,
        affected=tuple(affected),
        packages=tuple(sorted({snapshot.package_of(file) for file in files})),
        coverage=coverage_for(snapshot, claim, truncated=stopped, empty=not affected)
        if query.counted
        else Coverage(truncated=stopped, claim=claim, empty=not affected),
        edges=tuple(visible_edges),
        edges_omitted=len(edges) - len(visible_edges),
        importers=tuple(node for key in importers if isinstance(node := node_of(key), SymbolRef)),
    )


def _walk(
    snapshot: Snapshot,
    query: ImpactQuery,
    seeds: tuple[SymbolRef | DerivedNode, ...],
    limit: int,
    seen: tuple[list[AffectedNode], list[EdgeRef], list[Key], dict[Key, None]],
) -> bool:
    """Whether more would be reached. `seen` takes what is, the edges between what is known, the nodes whose edges
    were looked at, and those that only bring in what is reached."""
    steps = _Steps(snapshot, query, seeds)
    known: dict[Key, float] = {key: POSSIBLE if key in steps.kin else 1.0 for key in map(key_of, seeds)}
    possible: set[Key] = set(steps.kin)
    affected, walked, expanded, importers = seen
    frontier: list[Key] = list(known)
    for depth in range(1, min(max(query.depth, 1), MAX_DEPTH) + 1):
        following: list[Key] = []
        for key in frontier:
            spend()
            expanded.append(key)
            for ref, other, again in steps.at(key, known):
                if other not in known and steps.only_brings(ref):
                    importers[other] = None
                    continue
                importers.pop(other, None)
                if other not in known and len(affected) >= limit:
                    return True
                walked.append(ref)
                if other in known:
                    if again:
                        following.append(other)
                    continue
                known[other] = round(known[key] * -ref.negative_confidence, 4)
                node = node_of(other)
                if _passes_on(snapshot, query.target, node):
                    following.append(other)
                following += steps.other_declarations(node, known, known[other])
                one = _affected(snapshot, node, depth, known[other], ref.kind)
                if key in possible or other in steps.kin:
                    possible.add(other)
                    one = attrs.evolve(one, possible=True)
                if query.tests or not one.test:
                    affected.append(one)
        frontier = following
    return False


class _Steps:
    """The steps of one walk. `kin`: members in whose stead others of the walk may run, or the reverse."""

    def __init__(self, snapshot: Snapshot, change: ImpactQuery, seeds: tuple[SymbolRef | DerivedNode, ...]) -> None:
        self._snapshot = snapshot
        self._direction: Literal["in", "out"] = "in" if change.stream == "upstream" else "out"
        self._reach = NeighborhoodQuery(edge_kinds=change.kinds, min_confidence=change.min_confidence)
        self._sure = NeighborhoodQuery(min_confidence=change.min_confidence)
        self._dispatches = not change.kinds or bool(change.kinds & NAMING)
        kin = _stand_ins(snapshot, change.target, seeds)
        self.kin: set[Key] = set(map(key_of, kin))
        # Downstream what may run in the stead of a seed is a seed as well, or was not asked for.
        begin = () if change.stream == "downstream" else map(key_of, seeds)
        passed = self.kin if change.stream == "upstream" else ()
        self._dispatch = DispatchWalk(snapshot, self._direction, begin, passed)

    def other_declarations(self, node: Node, known: dict[Key, float], confidence: float) -> Iterator[Key]:
        """Further declarations of what was reached, which are known from now on: no step leads to them, and no answer
        lists them."""
        for place in redeclarations(self._snapshot, node)[1:] if isinstance(node, SymbolRef) else ():
            key = key_of(place)
            self._dispatch.add(key)
            if key not in known:
                known[key] = confidence
                yield key

    def only_brings(self, lead: EdgeRef) -> bool:
        """Whether who depends on a node by this edge only brings it in."""
        return self._direction == "in" and only_brings(self._snapshot, lead)

    def at(self, key: Key, known: Container[Key]) -> Iterator[tuple[EdgeRef, Key, bool]]:
        """Edges at a node that may be used, the node at their other end, and whether that has to be looked at again if
        it was before."""
        kin = key in self.kin
        for lead, other in refs_at(self._snapshot, node_of(key), self._direction):
            if is_structure(lead) or not passes(lead, self._reach):
                continue
            # Another member that overrides the same one never runs in the changed one's stead.
            if other not in known and kin and lead.kind in OVERRIDE_KINDS:
                continue
            if not self._dispatch.admits(key, lead):
                continue
            yield lead, other, self._dispatch.reach(lead, other)
        for lead, other in self._dispatch.steps(key) if self._dispatches else ():
            if passes(lead, self._sure):
                if other not in known and is_possible(edge_of_ref(self._snapshot, lead)):
                    self.kin.add(other)
                yield lead, other, False


def _is_foreign(snapshot: Snapshot, node: Node) -> bool:
    """What tools made or others wrote comes last of what is as near."""
    return not isinstance(node, str) and node.file in snapshot.shards and is_made_by_tool(snapshot, node.file)


def only_brings(snapshot: Snapshot, lead: EdgeRef) -> bool:
    """Whether an edge is that of an import: of a binding to what it names, or of the module around the binding."""
    if lead.kind == "aliases":
        return True
    source, target = node_of(lead.source_key), node_of(lead.target_key)
    if (
        lead.kind not in ("references", "exports")
        or not is_whole_file(lead.source_key)
        or is_whole_file(lead.target_key)
    ):
        return False
    if not isinstance(source, SymbolRef) or not isinstance(target, SymbolRef):
        return False
    if not snapshot.shards[source.file].language:
        return False
    uses = snapshot.facts(source.file).occurrences
    rows = (row_at(uses.start, uses.end, start) for _, start, _ in edge_of_ref(snapshot, lead).sites)
    return all(row != NONE and uses.role[row] in _BRINGING for row in rows)


def _passes_on(snapshot: Snapshot, target: SymbolRef | DerivedNode, reached: Node) -> bool:
    """Who imports a module that uses the changed thing need not use it: only a changed module passes on to importers.

    The uses of an import binding lead to what it names, so they are found without it.
    """
    if not isinstance(reached, SymbolRef) or isinstance(target, DerivedNode) or target.definition == NONE:
        return True
    if reached.definition == NONE:
        return False
    return not is_import(snapshot, reached)


def _affected(snapshot: Snapshot, node: Node, depth: int, confidence: float, via: str) -> AffectedNode:
    kind = kind_name(snapshot, node)
    test = kind == "test" or (node.test if isinstance(node, DerivedNode) else node_in_test(node))
    return AffectedNode(node, depth, confidence, kind, test, via)


def node_in_test(node: SymbolRef | str) -> bool:
    """Whether a place is in a file of tests."""
    return isinstance(node, SymbolRef) and is_test_file(node.file)


def _seeds(snapshot: Snapshot, target: SymbolRef | DerivedNode) -> tuple[SymbolRef | DerivedNode, ...]:
    """The same, or an entry of a document with what that holds."""
    if isinstance(target, DerivedNode):
        return (target, *entries_inside(snapshot, target))
    return seeds_of(snapshot, target)


def seeds_of(snapshot: Snapshot, target: SymbolRef) -> tuple[SymbolRef, ...]:
    """A member with what it overrides and what overrides it; a class or module with what it holds; of all their other
    declarations."""
    if target.definition == NONE:
        return (target, *_members(snapshot, target))
    kind = snapshot.facts(target.file).definitions.kind[target.definition]
    same = redeclarations(snapshot, target)
    if kind in TYPES:
        return (*same, *_members(snapshot, target))
    if kind not in CALLABLE or name_of(snapshot.facts(target.file), target.definition) in constructors():
        # No constructor runs in the stead of another: one that runs another calls it.
        return same
    related: tuple[SymbolRef, ...] | None = None
    with PartOfBudget(_PART_OF_SEEDS):
        related = (*overridden_members(snapshot, target), *overriding_members(snapshot, target))
    return tuple(dict.fromkeys((*same, *(linked_kin(snapshot, target) if related is None else related))))


def _stand_ins(
    snapshot: Snapshot, target: SymbolRef | DerivedNode, seeds: tuple[SymbolRef | DerivedNode, ...]
) -> frozenset[SymbolRef | DerivedNode]:
    """Seeds that are members of other classes: a call of one of them may run the target, or the reverse."""
    if isinstance(target, DerivedNode):
        return frozenset()
    whole = target.definition == NONE or snapshot.facts(target.file).definitions.kind[target.definition] in TYPES
    return frozenset() if whole else frozenset(seeds) - {*redeclarations(snapshot, target)}


def _members(snapshot: Snapshot, owner: SymbolRef) -> Iterator[SymbolRef]:
    """What a class or module itself binds for others."""
    if not snapshot.shards[owner.file].language:
        return
    facts = snapshot.facts(owner.file)
    rows = facts.definitions
    scope = 0 if owner.definition == NONE else rows.body[owner.definition]
    for row, bound in enumerate(rows.scope):
        if bound == scope and is_lasting(facts, row) and rows.surface[row] != NONE and node_row(facts, row) == row:
            yield SymbolRef(owner.file, row)
