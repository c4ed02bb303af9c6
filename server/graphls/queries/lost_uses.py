"""Lost uses: what used something before an edit and no longer can, by the graph before the edit.

Owns: what edits took away (names, modules, ways by which a name was given on), who used it, who lost it.
Must not know: version control, how the graph before the edits was made.
Invariant: who is named exists now, and used by the graph of before what the graph of now does not lead to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import Node, is_structure, node_of
from graphls.graph.node_table import is_import
from graphls.graph.nodes import container, is_lasting, qualified_name
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.completeness import CoverageClaim
from graphls.queries.impact import AffectedNode, ImpactQuery, impact, node_in_test
from graphls.queries.neighborhood import kind_name, refs_at
from graphls.queries.rows import CALLABLE, TYPES

MAX_ASKED = 200
_EXPORTED = int(DefinitionFlag.EXPORTED)


class EditedFile(Protocol):
    """A file that differs; what it was called before, where that was another name."""

    @property
    def path(self) -> FilePath: ...
    @property
    def old_path(self) -> FilePath | None: ...


@attrs.frozen
class LostUses:
    """Who used what is gone; `claims`: what is said to be all, of the graph before the edits."""

    affected: tuple[AffectedNode, ...]
    importers: tuple[SymbolRef, ...]
    """Bindings that bring in what is gone."""
    claims: tuple[CoverageClaim, ...]
    cut: bool


def lost_uses(before: Snapshot, now: Snapshot, edits: Iterable[EditedFile], query: ImpactQuery) -> LostUses:
    """What the edits took from others. `change`: how far to look; its target is not looked at."""
    walk = _LostUseWalk(before, _NodeMatch(before, now, edits), attrs.evolve(query, counted=False))
    with contextlib.suppress(BudgetSpentError):
        walk.follow()
    return walk.result()


class _LostUseWalk:
    """First who used what is gone, then whom these reach in turn: each user once, whatever it used."""

    def __init__(self, before: Snapshot, match: _NodeMatch, query: ImpactQuery) -> None:
        self._before, self._match, self._query = before, match, query
        self._found: list[AffectedNode] = []
        self._importers: dict[SymbolRef, None] = {}
        self._claims: list[CoverageClaim] = []
        self._users: dict[SymbolRef, tuple[float, set[SymbolRef]]] = {}
        """How surely each uses the surest of the places that it used and that are still there, and all of these."""
        self._whole = False

    def follow(self) -> None:
        """Raises BudgetSpentError."""
        cut = False
        for count, place in enumerate(self._match.taken()):
            if count == MAX_ASKED:
                cut = True
                break
            if self._match.of(place) is None and place.definition != NONE:
                cut = self._from_gone(place) or cut
            else:
                self._from_former(place)
        for user in self._users if self._query.depth > 1 else ():
            cut = self._further(user) or cut
        self._whole = not cut

    def result(self) -> LostUses:
        """What was found so far."""
        return LostUses(tuple(self._found), tuple(self._importers), tuple(self._claims), not self._whole)

    def _take(self, reached: Iterable[AffectedNode]) -> None:
        found = ((one, self._match.of(one.node)) for one in reached)
        self._found += (attrs.evolve(one, node=node) for one, node in found if node is not None)

    def _from_gone(self, place: SymbolRef) -> bool:
        answered = impact(self._before, attrs.evolve(self._query, target=place))
        broken, bindings = _importing(self._before, answered.importers, self._query)
        self._take((*broken, *answered.affected))
        here = (self._match.of(one) for one in bindings)
        self._importers.update((node, None) for node in here if isinstance(node, SymbolRef))
        self._claims.append(answered.coverage.claim)
        return answered.coverage.truncated

    def _from_former(self, place: SymbolRef) -> None:
        """Who used what is still there and does not lead to it any more."""
        self._claims.append(CoverageClaim(uses_of=(place,)))
        here = self._match.of(place)
        users_now = _users(self._match.now, here).keys() if isinstance(here, SymbolRef) else frozenset[Node]()
        for user, (via, sure) in _users(self._before, place).items():
            if sure < self._query.min_confidence or self._match.of(user) in users_now:
                continue
            test = node_in_test(user) if isinstance(user, SymbolRef) else isinstance(user, DerivedNode) and user.test
            if self._query.tests or not test:
                self._take((AffectedNode(user, 1, sure, kind_name(self._before, user), test, via),))
            if isinstance(user, SymbolRef) and user.definition != NONE:
                surest, places = self._users.get(user, (0.0, set[SymbolRef]()))
                self._users[user] = max(surest, sure), places | {place}

    def _further(self, user: SymbolRef) -> bool:
        """Whom a user reaches in turn, but for the only thing that it used itself."""
        sure, places = self._users[user]
        below = impact(self._before, attrs.evolve(self._query, target=user, depth=self._query.depth - 1))
        self._take(
            attrs.evolve(one, depth=one.depth + 1, confidence=round(one.confidence * sure, 4))
            for one in below.affected
            if places != {one.node}
        )
        return below.coverage.truncated


def _importing(
    before: Snapshot, importers: Iterable[SymbolRef], query: ImpactQuery
) -> tuple[Sequence[AffectedNode], Sequence[SymbolRef]]:
    """Modules that bring in what is gone fail as a whole; the rest are their bindings."""
    modules = [place for place in importers if place.definition == NONE]
    affected = [
        AffectedNode(place, 1, 1.0, kind_name(before, place), node_in_test(place), "imports")
        for place in modules
        if query.tests or not node_in_test(place)
    ]
    return affected, [place for place in importers if place.definition != NONE]


def _users(snapshot: Snapshot, place: SymbolRef) -> Mapping[Node, tuple[str, float]]:
    """Who uses a place directly, by which kind of edge and how surely; not who only imports it."""
    found: dict[Node, tuple[str, float]] = {}
    for ref, key in refs_at(snapshot, place, "in"):
        node = node_of(key)
        brings = isinstance(node, SymbolRef) and (
            (node.definition == NONE and place.definition != NONE) or is_import(snapshot, node)
        )
        if not is_structure(ref) and not brings:
            found.setdefault(node, (ref.kind, -ref.negative_confidence))
    return found


class _NodeMatch:
    """Which node of now a node of before is."""

    def __init__(self, before: Snapshot, now: Snapshot, edits: Iterable[EditedFile]) -> None:
        self._before = before
        self.now = now
        self._edited: dict[FilePath, FilePath] = {edit.old_path or edit.path: edit.path for edit in edits}
        self._rows: dict[FilePath, Mapping[tuple[str, bool], int]] = {}

    def taken(self) -> Iterator[SymbolRef]:
        """What the edits took away, moved, or stopped giving to others: the outermost of what is gone."""
        for path, there in sorted(self._edited.items()):
            shard = self._before.shards.get(path)
            if shard is None or not shard.language:
                continue
            left, moved = self.now.shards.get(there), path != there
            if left is not None and left.surface_hash == shard.surface_hash and not moved:
                continue
            if left is None or moved:
                yield SymbolRef(path, NONE)
            yield from self._taken_in(path, moved=moved)

    def _taken_in(self, path: FilePath, *, moved: bool) -> Iterator[SymbolRef]:
        facts, rows = self._before.facts(path), addresses(self._before, path).rows
        table, gone = facts.definitions, set[int]()
        for row, standing in enumerate(rows):
            if row != standing or not is_lasting(facts, row) or table.surface[row] == NONE:
                continue
            place, around = SymbolRef(path, row), container(facts, row)
            here = self.of(place)
            if is_import(self._before, place):
                if here is None or moved:
                    yield from self._named_by(place)
            elif here is None:
                gone.add(row)
                if around not in gone:
                    yield place
            elif moved or (isinstance(here, SymbolRef) and self._hidden(place, here)):
                yield place

    def _named_by(self, binding: SymbolRef) -> Iterator[SymbolRef]:
        """What a binding brings in and gives on."""
        for ref, key in refs_at(self._before, binding, "out"):
            target = node_of(key)
            if ref.kind == "aliases" and isinstance(target, SymbolRef):
                yield target

    def _hidden(self, place: SymbolRef, here: SymbolRef) -> bool:
        """Whether it was for others and is not any more."""
        was = self._before.facts(place.file).definitions.flags[place.definition]
        return bool(was & _EXPORTED) and not self.now.facts(here.file).definitions.flags[here.definition] & _EXPORTED

    def of(self, node: Node) -> Node | None:
        """None where it is gone."""
        if isinstance(node, str):
            return node
        if isinstance(node, DerivedNode):
            derivation = self.now.derivation
            known = derivation.nodes(self.now, node.file) if derivation and node.file in self.now.shards else ()
            alike = (node.kind, node.name, node.anchor)
            return next((one for one in known if (one.kind, one.name, one.anchor) == alike), None)
        path = self._edited.get(node.file)
        if path is None:
            return node if node.file in self.now.shards else None
        shard = self.now.shards.get(path)
        if shard is None or not shard.language:
            return None
        if node.definition == NONE:
            return SymbolRef(path, NONE)
        row = self._named(path).get(_key(self._before, node.file, node.definition))
        return None if row is None else SymbolRef(path, row)

    def _named(self, path: FilePath) -> Mapping[tuple[str, bool], int]:
        known = self._rows.get(path)
        if known is None:
            rows = addresses(self.now, path).rows
            named = {_key(self.now, path, row): row for row in range(len(rows) - 1, -1, -1) if rows[row] == row}
            known = self._rows[path] = named
        return known


def _key(snapshot: Snapshot, path: FilePath, row: int) -> tuple[str, bool]:
    """What tells declarations of one file apart across edits: the name, and whether it is of something that runs."""
    facts = snapshot.facts(path)
    return qualified_name(facts, row), facts.definitions.kind[row] in CALLABLE | TYPES
