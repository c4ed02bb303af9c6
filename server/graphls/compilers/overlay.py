"""Overlay: everything checkers said, laid over a snapshot's own links.

Owns: whether answers still hold, replacing guesses by answers, the tier of each.
Must not know: protocols, processes, who asked.
Invariant: never changes after it is made; links with equal own links and equal answers are equal.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b

import attrs

from graphls.compilers.answers import (
    Answer,
    CheckedFile,
    Goal,
    Hashes,
    Outcome,
    ground_of,
    holds,
    own_file_number,
    pack_checked,
)
from graphls.compilers.problems import ModuleCheck
from graphls.facts.columns import column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, EdgeKind, Resolution, Role
from graphls.facts.links import EXTERNAL, WHOLE_MODULE, Links, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import SurfaceHash
from graphls.graph.snapshot import Shard, Snapshot, rows_of
from graphls.graph.verification import Tier

_MERGED = 128
_CALLABLES = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD})
_ROLE_EDGES: Mapping[int, EdgeKind] = {
    Role.INHERIT: EdgeKind.EXTENDS,
    Role.IMPLEMENT: EdgeKind.IMPLEMENTS,
    Role.DECORATE: EdgeKind.DECORATES,
    Role.TYPE: EdgeKind.TYPE_REF,
    Role.EXPORT: EdgeKind.EXPORTS,
    Role.PATTERN: EdgeKind.MATCHES_PATTERN,
    Role.RENDER: EdgeKind.RENDERS,
    Role.IMPORT: EdgeKind.REFERENCES,
    Role.KEYWORD: EdgeKind.REFERENCES,
    Role.TEXT: EdgeKind.REFERENCES,
}

_Row = tuple[int, int, int, int, int, int, int]


class Overlay:
    """One state of verification. `checker`: name and version, part of the digest."""

    def __init__(
        self,
        checker: str = "",
        files: Mapping[FilePath, CheckedFile] | None = None,
        checks: Mapping[FilePath, ModuleCheck] | None = None,
    ) -> None:
        self.checker = checker
        self.files: Mapping[FilePath, CheckedFile] = files or {}
        self.checks: Mapping[FilePath, ModuleCheck] = checks or {}
        self._lock = threading.Lock()
        self._merged: OrderedDict[FilePath, tuple[Links, CheckedFile, Tier, Links]] = OrderedDict()
        self._digest = ""

    @property
    def digest(self) -> str:
        """Names the answers: equal digests, equal answers."""
        if not self._digest:
            digest = blake2b(self.checker.encode(), digest_size=16)
            for path in sorted(self.files):
                digest.update(blake2b(pack_checked(self.files[path]), digest_size=16).digest())
            for path in sorted(self.checks):
                digest.update(f"{path}\n{self.checks[path].content}\n{self.checks[path].clean}\n".encode())
            self._digest = digest.hexdigest()
        return self._digest

    def speaks_of(self, shard: Shard) -> bool:
        """Whether there may be an answer for a file with these contents."""
        checked = self.files.get(shard.path)
        return checked is not None and checked.content == shard.content

    def links(self, snapshot: Snapshot, shard: Shard, own: Links) -> Links:
        """Links of a file with every answer that holds in the place of a guess."""
        checked = self.holding(snapshot, shard, own)
        if checked is None:
            return own
        tier = self.tier(snapshot, shard, own)
        with self._lock:
            known = self._merged.get(shard.path)
            if known is not None and known[0] is own and known[1] is checked and known[2] is tier:
                return known[3]
        made = _Merge(snapshot, shard.path, own, tier).links(checked)
        with self._lock:
            self._merged[shard.path] = (own, checked, tier, made)
            while len(self._merged) > _MERGED:
                self._merged.popitem(last=False)
        return made

    def holding(self, snapshot: Snapshot, shard: Shard, own: Links) -> CheckedFile | None:
        """The answers for a file, if they are about its present contents and surroundings."""
        checked = self.files.get(shard.path)
        if checked is None or checked.content != shard.content:
            return None
        hashes = hashes_of(snapshot)
        return checked if holds(checked, ground_of(own, hashes), hashes) else None

    def tier(self, snapshot: Snapshot, shard: Shard, own: Links) -> Tier:
        """Whether answers about a file come from a module that passed its check."""
        check = self.check(snapshot, shard, own)
        return Tier.COMPILER_CHECKED if check is not None and check.clean else Tier.COMPILER_UNCHECKED

    def check(self, snapshot: Snapshot, shard: Shard, own: Links) -> ModuleCheck | None:
        """The verdict on a module, if it is about its present contents and surroundings."""
        check = self.checks.get(shard.path)
        if check is None or check.content != shard.content:
            return None
        return check if check.ground == ground_of(own, hashes_of(snapshot)) else None


def hashes_of(snapshot: Snapshot) -> Hashes:
    """Surface hashes of a snapshot by path, None where there is none."""
    shards = snapshot.shards

    def of(path: FilePath) -> SurfaceHash | None:
        shard = shards.get(path)
        return None if shard is None else shard.surface_hash

    return of


@attrs.define(eq=False)
class _Merge:
    """One file's own links and answers, made one."""

    snapshot: Snapshot
    path: FilePath
    own: Links
    tier: Tier

    def links(self, checked: CheckedFile) -> Links:
        own, facts = self.own, self.snapshot.facts(self.path)
        files = {file: number for number, file in enumerate(own.files)}
        externals = {name: number for number, name in enumerate(own.externals)}
        found = {row: answer for row, answer in checked.rows.items() if answer.outcome is Outcome.FOUND}
        rows: list[tuple[_Row, int]] = [
            (row, rule) for row, rule in zip(_rows(own.targets), own.rules, strict=True) if row[0] not in found
        ]
        for occurrence, answer in found.items():
            rows.extend((row, self.tier) for row in self._answered(facts, occurrence, answer, (files, externals)))
        rows.sort(key=lambda pair: pair[0][0])
        unresolved = own.unresolved
        left = [pair for pair in zip(unresolved.occurrence, unresolved.reason, strict=True) if pair[0] not in found]
        return attrs.evolve(
            own,
            files=tuple(files),
            externals=tuple(externals),
            targets=Targets.of([row for row, _ in rows]),
            rules=column(rule for _, rule in rows),
            unresolved=Unresolved.of(left),
        )

    def _answered(
        self, facts: FileFacts, occurrence: int, answer: Answer, tables: tuple[dict[str, int], dict[str, int]]
    ) -> list[_Row]:
        files, externals = tables
        guesses = {
            (row[1], row[2]): row
            for row in (_row(self.own.targets, at) for at in rows_of(self.own.targets, occurrence))
        }
        ambiguous = len({self._node(facts, goal) for goal in answer.goals}) > 1
        confidence = max(30, 100 - 10 * len(answer.goals)) if ambiguous else 100
        rows: list[_Row] = []
        for goal in answer.goals:
            if goal.file:
                number, symbol = own_file_number(goal, self.path, files), goal.symbol
            else:
                number, symbol = externals.setdefault(goal.external, len(externals)), EXTERNAL
            guess = guesses.get((number, symbol))
            edge = guess[3] if guess else self._edge(facts, occurrence, goal)
            resolution = guess[4] if guess else Resolution.INFERRED
            rows.append((occurrence, number, symbol, edge, resolution, confidence, int(ambiguous)))
        return rows

    def _node(self, facts: FileFacts, goal: Goal) -> object:
        """What tells nodes apart: several bindings of one name in one scope are one."""
        if not goal.file or goal.symbol == WHOLE_MODULE:
            return goal
        if goal.file == self.path:
            return (goal.file, facts.definitions.scope[goal.symbol], facts.strings[facts.definitions.name[goal.symbol]])
        surface = self.snapshot.surface(FilePath(goal.file))
        return (goal.file, surface.symbols.scope[goal.symbol], surface.strings[surface.symbols.name[goal.symbol]])

    def _edge(self, facts: FileFacts, occurrence: int, goal: Goal) -> EdgeKind:
        role = facts.occurrences.role[occurrence]
        if goal.symbol == WHOLE_MODULE and goal.file:
            return EdgeKind.IMPORTS if role == Role.IMPORT else EdgeKind.REFERENCES
        special = _ROLE_EDGES.get(role)
        if special is not None:
            return special
        kind = self._kind(facts, goal)
        if role == Role.CALL:
            if kind is None or kind in _CALLABLES:
                return EdgeKind.CALLS
            return EdgeKind.INSTANTIATES if kind == DefinitionKind.CLASS else EdgeKind.ACCESSES
        if kind is None or kind in _CALLABLES or kind == DefinitionKind.CLASS:
            return EdgeKind.REFERENCES
        return EdgeKind.ACCESSES

    def _kind(self, facts: FileFacts, goal: Goal) -> int | None:
        if not goal.file:
            return None
        if goal.file == self.path:
            return facts.definitions.kind[goal.symbol]
        return self.snapshot.surface(FilePath(goal.file)).symbols.kind[goal.symbol]


def _row(table: Targets, at: int) -> _Row:
    return (
        table.occurrence[at],
        table.file[at],
        table.symbol[at],
        table.edge[at],
        table.resolution[at],
        table.confidence[at],
        table.ambiguous[at],
    )


def _rows(table: Targets) -> zip[_Row]:
    whats = (table.occurrence, table.file, table.symbol, table.edge)
    return zip(*whats, table.resolution, table.confidence, table.ambiguous, strict=True)
