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
from graphls.graph.derivation import Derived
from graphls.graph.edges import RawEdge
from graphls.graph.leads import Key, Lead, Node, edge_of_lead, is_whole_file, key_of, node_of
from graphls.graph.node_table import is_import
from graphls.graph.nodes import is_lasting, is_test_file, node_row
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.answer import Coverage, covered
from graphls.queries.completeness import Claim
from graphls.queries.dispatch import POSSIBLE, STANDS_IN, Dispatch, is_possible
from graphls.queries.neighborhood import STRUCTURE, Reach, kind_name, leads, passes
from graphls.queries.references import CONSTRUCTORS
from graphls.queries.rows import CALLABLE, TYPES, name_of, row_at
from graphls.queries.type_hierarchy import overridden, overriding

Stream = Literal["upstream", "downstream"]
MAX_DEPTH = 6
MAX_LIMIT = 5_000
MAX_EDGES = 1_000
_BRINGING = frozenset({Role.IMPORT, Role.EXPORT})


@attrs.frozen
class Change:
    """What changes, and how far to look. Upstream: what depends on it; downstream: what it depends on."""

    target: Place
    stream: Stream = "upstream"
    depth: int = 3
    min_confidence: float = 0.0
    tests: bool = True
    limit: int = 500
    edges: int = 0
    """How many of the edges that were walked to give, at most; 0: none."""


@attrs.frozen
class Affected:
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

    seeds: tuple[Place, ...]
    affected: tuple[Affected, ...]
    packages: tuple[str, ...]
    coverage: Coverage
    edges: tuple[RawEdge, ...] = ()
    """Between nodes of this answer, those nearest to the seeds first."""
    edges_omitted: int = 0
    importers: tuple[Place, ...] = ()
    """Bindings of imports, and modules, that only bring in what is affected: not among that, nor counted as such."""

    @property
    def entries(self) -> tuple[Affected, ...]:
        """Routes and tools of the program through which the change can be met."""
        return tuple(one for one in self.affected if isinstance(one.node, Derived) and not one.test)


def impact(snapshot: Snapshot, change: Change) -> Impact:
    """What a change reaches."""
    seeds = _seeds(snapshot, change.target)
    limit = min(max(change.limit, 1), MAX_LIMIT)
    walked: list[Lead] = []
    expanded: list[Key] = []
    importers: dict[Key, None] = {}
    affected, stopped = _walk(snapshot, change, seeds, limit, (walked, expanded, importers))
    places = tuple(node for key in expanded if isinstance(node := node_of(key), Place))
    claim = Claim(uses_of=places) if change.stream == "upstream" else Claim(uses_in=places)
    files = {node.file for node in (*seeds, *(one.node for one in affected)) if not isinstance(node, str)}
    shown = {key_of(node) for node in (*seeds, *(one.node for one in affected))} if change.edges > 0 else set[Key]()
    edges = [lead for lead in walked if lead.source_key in shown and lead.target_key in shown] if shown else []
    kept = [edge_of_lead(snapshot, lead) for lead in edges[:MAX_EDGES][: change.edges]]
    return Impact(
        seeds=seeds,
        affected=tuple(affected),
        packages=tuple(sorted({snapshot.package_of(file) for file in files})),
        coverage=covered(snapshot, claim, truncated=stopped),
        edges=tuple(kept),
        edges_omitted=len(edges) - len(kept),
        importers=tuple(node for key in importers if isinstance(node := node_of(key), Place)),
    )


def _walk(
    snapshot: Snapshot,
    change: Change,
    seeds: tuple[Place, ...],
    limit: int,
    seen: tuple[list[Lead], list[Key], dict[Key, None]],
) -> tuple[list[Affected], bool]:
    """What is reached, and whether more would be. `seen` takes the edges between what is known, the nodes whose edges
    were looked at, and those that only bring in what is reached."""
    steps = _Steps(snapshot, change, seeds)
    known: dict[Key, float] = {key: POSSIBLE if key in steps.kin else 1.0 for key in map(key_of, seeds)}
    possible: set[Key] = set(steps.kin)
    affected: list[Affected] = []
    walked, expanded, importers = seen
    frontier: list[Key] = list(known)
    for depth in range(1, min(max(change.depth, 1), MAX_DEPTH) + 1):
        following: list[Key] = []
        for key in frontier:
            expanded.append(key)
            for lead, other, again in steps.at(key, known):
                if other not in known and steps.only_brings(lead):
                    importers[other] = None
                    continue
                importers.pop(other, None)
                if other not in known and len(affected) >= limit:
                    return affected, True
                walked.append(lead)
                if other in known:
                    if again:
                        following.append(other)
                    continue
                known[other] = round(known[key] * -lead.doubt, 4)
                node = node_of(other)
                if _passes_on(snapshot, change.target, node):
                    following.append(other)
                one = _affected(snapshot, node, depth, known[other], lead.kind)
                if key in possible or other in steps.kin:
                    possible.add(other)
                    one = attrs.evolve(one, possible=True)
                if change.tests or not one.test:
                    affected.append(one)
        frontier = following
    return affected, False


class _Steps:
    """The steps of one walk. `kin`: members in whose stead others of the walk may run, or the reverse."""

    def __init__(self, snapshot: Snapshot, change: Change, seeds: tuple[Place, ...]) -> None:
        self._snapshot = snapshot
        self._direction: Literal["in", "out"] = "in" if change.stream == "upstream" else "out"
        self._reach = Reach(min_confidence=change.min_confidence)
        kin = _kin(snapshot, change.target, seeds)
        self.kin: set[Key] = set(map(key_of, kin))
        # Downstream what may run in the stead of a seed is a seed as well, or was not asked for.
        begin = () if change.stream == "downstream" else map(key_of, seeds)
        passed = self.kin if change.stream == "upstream" else ()
        self._dispatch = Dispatch(snapshot, self._direction, begin, passed)

    def only_brings(self, lead: Lead) -> bool:
        """Whether an edge is that of an import: of a binding to what it names, or of the module around the binding."""
        if self._direction == "out":
            return False
        if lead.kind == "aliases":
            return True
        source, target = node_of(lead.source_key), node_of(lead.target_key)
        if (
            lead.kind not in ("references", "exports")
            or not is_whole_file(lead.source_key)
            or is_whole_file(lead.target_key)
        ):
            return False
        if not isinstance(source, Place) or not isinstance(target, Place):
            return False
        uses = self._snapshot.facts(source.file).occurrences
        rows = (row_at(uses.start, uses.end, start) for _, start, _ in edge_of_lead(self._snapshot, lead).sites)
        return all(row != NONE and uses.role[row] in _BRINGING for row in rows)

    def at(self, key: Key, known: Container[Key]) -> Iterator[tuple[Lead, Key, bool]]:
        """Edges at a node that may be used, the node at their other end, and whether that has to be looked at again if
        it was before."""
        kin = key in self.kin
        for lead, other in leads(self._snapshot, node_of(key), self._direction):
            if lead.kind in STRUCTURE or not passes(lead, self._reach):
                continue
            # Another member that overrides the same one never runs in the changed one's stead.
            if other not in known and kin and lead.kind in STANDS_IN:
                continue
            if not self._dispatch.admits(key, lead):
                continue
            yield lead, other, self._dispatch.reach(lead, other)
        for lead, other in self._dispatch.steps(key):
            if passes(lead, self._reach):
                if other not in known and is_possible(edge_of_lead(self._snapshot, lead)):
                    self.kin.add(other)
                yield lead, other, False


def _passes_on(snapshot: Snapshot, target: Place, reached: Node) -> bool:
    """Who imports a module that uses the changed thing need not use it: only a changed module passes on to importers.

    The uses of an import binding lead to what it names, so they are found without it.
    """
    if not isinstance(reached, Place) or target.definition == NONE:
        return True
    if reached.definition == NONE:
        return False
    return not is_import(snapshot, reached)


def _affected(snapshot: Snapshot, node: Node, depth: int, confidence: float, via: str) -> Affected:
    kind = kind_name(snapshot, node)
    test = kind == "test" or (node.test if isinstance(node, Derived) else node_in_test(node))
    return Affected(node, depth, confidence, kind, test, via)


def node_in_test(node: Place | str) -> bool:
    """Whether a place is in a file of tests."""
    return isinstance(node, Place) and is_test_file(node.file)


def _seeds(snapshot: Snapshot, target: Place) -> tuple[Place, ...]:
    """A member with what it overrides and what overrides it; a class or module with what it holds."""
    if target.definition == NONE:
        return (target, *_members(snapshot, target))
    kind = snapshot.facts(target.file).definitions.kind[target.definition]
    if kind in TYPES:
        return (target, *_members(snapshot, target))
    if kind not in CALLABLE or name_of(snapshot.facts(target.file), target.definition) in CONSTRUCTORS:
        # No constructor runs in the stead of another: one that runs another calls it.
        return (target,)
    return tuple(dict.fromkeys((target, *overridden(snapshot, target), *overriding(snapshot, target))))


def _kin(snapshot: Snapshot, target: Place, seeds: tuple[Place, ...]) -> frozenset[Place]:
    """Seeds that are members of other classes: a call of one of them may run the target, or the reverse."""
    whole = target.definition == NONE or snapshot.facts(target.file).definitions.kind[target.definition] in TYPES
    return frozenset() if whole else frozenset(seeds) - {target}


def _members(snapshot: Snapshot, owner: Place) -> Iterator[Place]:
    """What a class or module itself binds for others."""
    if not snapshot.shards[owner.file].language:
        return
    facts = snapshot.facts(owner.file)
    rows = facts.definitions
    scope = 0 if owner.definition == NONE else rows.body[owner.definition]
    for row, bound in enumerate(rows.scope):
        if bound == scope and is_lasting(facts, row) and rows.surface[row] != NONE and node_row(facts, row) == row:
            yield Place(owner.file, row)
