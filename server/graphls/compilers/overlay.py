"""Overlay: everything checkers said, laid over a snapshot's own links.

Owns: whether answers still hold, replacing guesses by answers, the tier of each.
Must not know: protocols, processes, who asked.
Invariant: never changes after it is made; links with equal own links and equal answers are equal.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import cast
from weakref import ref

import attrs

from graphls.compilers.answers import (
    LOCATION_SYMBOL,
    AnswerTarget,
    CheckedFile,
    Hashes,
    SiteAnswer,
    SiteOutcome,
    holds,
    own_file_number,
    pack_checked,
)
from graphls.compilers.configuration import configuration_in, packages_read
from graphls.compilers.problems import CheckerProblemRecord, ModuleCheck
from graphls.compilers.uncertain import uncertain_rows
from graphls.facts.columns import column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, EdgeKind, Resolution, Role
from graphls.facts.links import EXTERNAL, WHOLE_MODULE, Links, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import SurfaceHash
from graphls.graph.snapshot import End, Shard, Snapshot, SnapshotReader, rows_of
from graphls.graph.verification import GROUNDS, Extent, Tier
from graphls.languages.registry import language_of
from graphls.linking.dependencies import LinkDependencies
from graphls.linking.module_table import ModuleTable

_NO_MODULES = ModuleTable({}, {}, {})
_MERGED = 128
_POSSIBLE = 60
"""How sure an edge is at most of which a checker says that it does not know all that may be meant."""
_FEW = 64
"""For more occurrences than these the links of the whole file are laid together, which is then kept."""
_NONE: Mapping[int, SiteAnswer] = {}
_NOBODY: Mapping[str, str] = {}
_IN_ARMS = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS})
_ARM = DefinitionFlag.CONDITIONAL | DefinitionFlag.OVERLOAD
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


@attrs.frozen(eq=False)
class UnlinkedAnswers:
    """Answers about files that are not linked yet: nobody can say what they rest on, so they hold for one state."""

    state: ref[SnapshotReader] | None = None
    """The one that they hold for. It must not stay for them: nobody may ask about files that are not linked again."""
    rows: Mapping[FilePath, Mapping[int, SiteAnswer]] = attrs.field(factory=dict[FilePath, Mapping[int, SiteAnswer]])

    def are_about(self, snapshot: Snapshot) -> bool:
        """Whether they hold for a snapshot."""
        return self.state is not None and self.state() is snapshot.reader


@attrs.define(eq=False)
class AnswerIndex:
    """What successive overlays of one ledger share; none of it changes what an overlay says."""

    ends: dict[End, set[FilePath]] = attrs.field(factory=dict[End, "set[FilePath]"])
    """What answers lead to -> files that they are about; answers that no longer hold may be among them."""
    lock: threading.Lock = attrs.field(factory=threading.Lock)
    merged: OrderedDict[FilePath, tuple[object, ...]] = attrs.field(factory=OrderedDict[FilePath, "tuple[object, ...]"])

    def note(self, path: FilePath, answers: Iterable[SiteAnswer]) -> None:
        """Remembers what answers about a file lead to."""
        for answer in answers:
            for target in answer.targets:
                if target.file and target.file != path:
                    self.ends.setdefault((FilePath(target.file), target.symbol), set()).add(path)


class Overlay:
    """One state of verification. `checkers`: language -> name and version; those that answered are part of the
    digest."""

    def __init__(
        self,
        checkers: Mapping[str, str] = _NOBODY,
        files: Mapping[FilePath, CheckedFile] | None = None,
        checks: Mapping[FilePath, ModuleCheck] | None = None,
        unlinked: UnlinkedAnswers | None = None,
        index: AnswerIndex | None = None,
    ) -> None:
        self.checkers = checkers
        self.files: Mapping[FilePath, CheckedFile] = files or {}
        self.checks: Mapping[FilePath, ModuleCheck] = checks or {}
        self.unlinked = unlinked or UnlinkedAnswers()
        self._index = index or _index_of(self.files)
        self._digest = ""

    @property
    def digest(self) -> str:
        """Names the answers: equal digests, equal answers."""
        if not self._digest:
            digest = blake2b(digest_size=16)
            for language in sorted({language_of(path) for path in (*self.files, *self.checks)}):
                digest.update(f"{language} {self.checkers.get(language, '')}\n".encode(errors="surrogatepass"))
            for path in sorted(self.files):
                digest.update(pack_checked(self.files[path]))
            for path in sorted(self.checks):
                digest.update(f"{path} {self.checks[path].content} {self.checks[path].clean}\n".encode())
            self._digest = digest.hexdigest()
        return self._digest

    def may_answer(self, shard: Shard) -> bool:
        """Whether there may be an answer for a file with these contents."""
        checked = self.files.get(shard.path)
        return shard.path in self.unlinked.rows or (checked is not None and checked.content == shard.content)

    def verified_inputs(self, snapshot: Snapshot, shard: Shard) -> Sequence[object] | None:
        """What its verified links come from besides own links and all that these rest on: equal parts, equal links."""
        if self._unlinked_rows(snapshot, shard):
            return None
        checked, check = self.files.get(shard.path), self.checks.get(shard.path)
        if checked is None or checked.content != shard.content:
            return ()
        hashes = hashes_of(snapshot)
        judged = None if check is None or check.content != shard.content else (check.dependency_key, check.clean)
        # The answers themselves are compared by identity: whoever adds one makes another `CheckedFile`.
        rests = tuple(hashes(FilePath(file)) for file in checked.files)
        return checked, judged, configuration_in(snapshot, shard.path), rests

    def reaching(self, ends: Collection[End]) -> Collection[FilePath]:
        """Files about which some answer may lead to one of these ends."""
        found: set[FilePath] = set()
        for end in ends:
            found |= self._index.ends.get(end, set())
        return found

    def links(self, snapshot: Snapshot, shard: Shard, own: Links) -> Links:
        """Links of a file with every answer that holds in the place of a guess."""
        checked = self.current_answers(snapshot, shard, own)
        unlinked = self._unlinked_rows(snapshot, shard)
        if checked is None and not unlinked:
            return own
        tier = self.tier(snapshot, shard, own)
        index, parts = self._index, (own, checked, unlinked, tier)
        with index.lock:
            known = index.merged.get(shard.path)
            if known is not None and all(mine is its for mine, its in zip(parts, known, strict=False)):
                index.merged.move_to_end(shard.path)
                return cast("Links", known[4])
        made = _LinkMerge(snapshot, shard.path, own, tier).links({**(checked.rows if checked else {}), **unlinked})
        with index.lock:
            index.merged[shard.path] = (*parts, made)
            while len(index.merged) > _MERGED:
                index.merged.popitem(last=False)
        return made

    def links_at(self, snapshot: Snapshot, shard: Shard, own: Links, occurrences: Collection[int]) -> Links:
        """The same for the rows of some occurrences; `own` has these, and need not have others."""
        checked, unlinked = self.files.get(shard.path), self._unlinked_rows(snapshot, shard)
        answers: dict[int, SiteAnswer] = {}
        if checked is not None and checked.content == shard.content:
            rows = checked.rows
            # What passes was asked later, and counts also where it leads nowhere.
            answers = {
                row: rows[row] for row in occurrences if row in rows and row not in unlinked and rows[row].targets
            }
        if answers and self.current_answers(snapshot, shard, snapshot.own_links(shard.path)) is None:
            answers = {}
        answers.update((row, unlinked[row]) for row in occurrences if row in unlinked and unlinked[row].targets)
        if not answers:
            return own
        if len(occurrences) > _FEW and snapshot.known_links(shard.path) is own:
            return self.links(snapshot, shard, own)
        known = snapshot.known_links(shard.path)
        tier = Tier.COMPILER_UNCHECKED if known is None else self.tier(snapshot, shard, known)
        return _LinkMerge(snapshot, shard.path, own, tier).links(answers, sorted(set(occurrences)))

    def locations(self, snapshot: Snapshot, shard: Shard, occurrence: int) -> Sequence[tuple[FilePath, int, int]]:
        """Where the name at an occurrence leads, as far as that is no definition of the graph: stretches of files."""
        unlinked = self._unlinked_rows(snapshot, shard)
        checked = self.files.get(shard.path)
        answer = unlinked.get(occurrence)
        if answer is None and checked is not None and occurrence in checked.rows:
            current = self.current_answers(snapshot, shard, snapshot.own_links(shard.path))
            answer = None if current is None else current.rows.get(occurrence)
        found: list[tuple[FilePath, int, int]] = []
        for answer_target in () if answer is None else answer.targets:
            target = snapshot.shards.get(FilePath(answer_target.file))
            if (
                answer_target.symbol == LOCATION_SYMBOL
                and target is not None
                and target.content == answer_target.external
            ):
                found.append((target.path, answer_target.start, answer_target.end))
        return found

    def current_answers(self, snapshot: Snapshot, shard: Shard, own: Links) -> CheckedFile | None:
        """The answers for a file, if they are about its present contents and surroundings."""
        checked = self.files.get(shard.path)
        if checked is None or checked.content != shard.content:
            return None
        return checked if holds(checked, dependency_key_in(snapshot, shard.path, own), hashes_of(snapshot)) else None

    def tier(self, snapshot: Snapshot, shard: Shard, own: Links) -> Tier:
        """Whether answers about a file come from a module that passed its check."""
        check = self.check(snapshot, shard, own)
        return Tier.COMPILER_CHECKED if check is not None and check.clean else Tier.COMPILER_UNCHECKED

    def check(self, snapshot: Snapshot, shard: Shard, own: Links) -> ModuleCheck | None:
        """The verdict on a module, if it is about its present contents and surroundings."""
        check = self.checks.get(shard.path)
        if check is None or check.content != shard.content:
            return None
        return check if check.dependency_key == dependency_key_in(snapshot, shard.path, own) else None

    def problems(self, snapshot: Snapshot, shard: Shard) -> Sequence[CheckerProblemRecord]:
        """What is wrong with a module, as far as it was judged."""
        if shard.path not in self.checks or not shard.language:
            return ()
        check = self.check(snapshot, shard, snapshot.own_links(shard.path))
        return check.problems if check is not None else ()

    def extent(self, snapshot: Snapshot) -> Extent:
        """How much of a snapshot is verified."""
        uncertain = left_out = modules = clean = 0
        for path in snapshot.files():
            shard, own = snapshot.shards[path], snapshot.own_links(path)
            checked, check = self.current_answers(snapshot, shard, own), self.check(snapshot, shard, own)
            rows = uncertain_rows(snapshot.facts(path), own, packages_read(path))
            uncertain, left_out = (
                uncertain + len(rows),
                left_out + len(set(rows) - (checked.rows if checked else {}).keys()),
            )
            modules, clean = modules + (check is not None), clean + (check is not None and check.clean)
        return Extent(uncertain, left_out, modules, clean)

    def _unlinked_rows(self, snapshot: Snapshot, shard: Shard) -> Mapping[int, SiteAnswer]:
        return self.unlinked.rows.get(shard.path, _NONE) if self.unlinked.are_about(snapshot) else _NONE


def _index_of(files: Mapping[FilePath, CheckedFile]) -> AnswerIndex:
    index = AnswerIndex()
    for path, checked in files.items():
        index.note(path, checked.rows.values())
    return index


def dependency_key_in(snapshot: Snapshot, path: FilePath, own: Links) -> str:
    """Digest of all that own links rest on outside their file, and of what configures the checker; made once for a
    snapshot."""
    # Weak: the links of a whole workspace are more than memory should hold.
    known = GROUNDS.of(snapshot)
    found = known.get(path)
    if found is None or found[0]() is not own:
        modules = snapshot.modules.get(snapshot.shards[path].language, _NO_MODULES)
        surfaces = hashes_of(snapshot)
        rests = LinkDependencies.of(own).digest(path, modules, lambda file: surfaces(file) or "")
        found = known[path] = (ref(own), rests + configuration_in(snapshot, path))
    return found[1]


def hashes_of(snapshot: Snapshot) -> Hashes:
    """Surface hashes of a snapshot by path, None where there is none."""
    shards = snapshot.shards

    def of(path: FilePath) -> SurfaceHash | None:
        shard = shards.get(path)
        return None if shard is None else shard.surface_hash

    return of


@attrs.define(eq=False)
class _LinkMerge:
    """One file's own links and answers, made one."""

    snapshot: Snapshot
    path: FilePath
    own: Links
    tier: Tier

    def links(self, answers: Mapping[int, SiteAnswer], only: Sequence[int] | None = None) -> Links:
        """`only`: rows of these occurrences and no others, ascending."""
        own, facts = self.own, self.snapshot.facts(self.path)
        files = {file: number for number, file in enumerate(own.files)}
        externals = {name: number for number, name in enumerate(own.externals)}
        found = {row: answer for row, answer in answers.items() if answer.outcome is not SiteOutcome.SILENT}
        parts = {row: answer for row, answer in found.items() if answer.outcome is SiteOutcome.PARTIAL}
        rows = [(row, rule) for row, rule in self._own_rows(only) if row[0] not in found]
        rows.extend(self._possible(facts, parts, (files, externals)))
        for occurrence, answer in found.items():
            if occurrence in parts:
                continue
            tier = Tier.SCIP_IMPORTED if answer.outcome is SiteOutcome.IMPORTED else self.tier
            rows.extend((row, tier) for row in self._answer_rows(facts, occurrence, answer, (files, externals)))
        rows.sort(key=lambda pair: pair[0][0])
        unresolved, wanted = own.unresolved, None if only is None else set(only)
        pairs = zip(unresolved.occurrence, unresolved.reason, strict=True)
        settled = found.keys() - parts.keys()
        left = {row: reason for row, reason in pairs if row not in settled and (wanted is None or row in wanted)}
        return attrs.evolve(
            own,
            files=tuple(files),
            externals=tuple(externals),
            targets=Targets.of([row for row, _ in rows]),
            rules=column(rule for _, rule in rows),
            unresolved=Unresolved.of(sorted(left.items())),
        )

    def _own_rows(self, only: Sequence[int] | None) -> Iterable[tuple[_Row, int]]:
        table, rules = self.own.targets, self.own.rules
        if only is None:
            return zip(_rows(table), rules, strict=True)
        return ((_row(table, at), rules[at]) for occurrence in only for at in rows_of(table, occurrence))

    def _possible(
        self, facts: FileFacts, parts: Mapping[int, SiteAnswer], tables: tuple[dict[str, int], dict[str, int]]
    ) -> Iterable[tuple[_Row, int]]:
        """Own guesses beside what a checker knows of the values there are: any of them may be meant."""
        for occurrence, answer in parts.items():
            guesses = list(self._own_rows((occurrence,)))
            known = {(row[1], row[2]) for row, _ in guesses}
            said = [
                row for row in self._answer_rows(facts, occurrence, answer, tables) if (row[1], row[2]) not in known
            ]
            pairs = [*guesses, *((row, self.tier) for row in said)]
            yield from (((*row[:5], min(row[5], _POSSIBLE), 1), rule) for row, rule in pairs)

    def _answer_rows(
        self, facts: FileFacts, occurrence: int, answer: SiteAnswer, tables: tuple[dict[str, int], dict[str, int]]
    ) -> list[_Row]:
        files, externals = tables
        guesses = {
            (row[1], row[2]): row
            for row in (_row(self.own.targets, at) for at in rows_of(self.own.targets, occurrence))
        }
        places = [target for target in answer.targets if target.symbol != LOCATION_SYMBOL]
        nodes = {self._node(facts, target) for target in places} if len(places) > 1 else places
        ambiguous = len(nodes) > 1
        confidence = max(30, 100 - 10 * len(answer.targets)) if ambiguous else 100
        rows: list[_Row] = []
        for target in answer.targets:
            if target.symbol == LOCATION_SYMBOL:
                continue
            if target.file:
                number, symbol = own_file_number(target, self.path, files), target.symbol
            else:
                number, symbol = externals.setdefault(target.external, len(externals)), EXTERNAL
            guess = guesses.get((number, symbol))
            edge = guess[3] if guess else self._edge(facts, occurrence, target)
            resolution = guess[4] if guess else Resolution.INFERRED
            rows.append((occurrence, number, symbol, edge, resolution, confidence, int(ambiguous)))
        return rows

    def _node(self, facts: FileFacts, target: AnswerTarget) -> object:
        """What tells nodes apart: several bindings of one name in one scope are one, but for functions and classes in
        the arms of a condition (`if windows: def f() ... else: def f() ...`), of which one is there."""
        if not target.file or target.symbol == WHOLE_MODULE:
            return target
        own = target.file == self.path
        named = facts if own else self.snapshot.surface(FilePath(target.file))
        table = facts.definitions if own else self.snapshot.surface(FilePath(target.file)).symbols
        at = target.symbol
        if table.kind[at] in _IN_ARMS and table.flags[at] & _ARM == DefinitionFlag.CONDITIONAL:
            return target
        return (target.file, table.scope[at], named.strings[table.name[at]])

    def _edge(self, facts: FileFacts, occurrence: int, target: AnswerTarget) -> EdgeKind:
        role = facts.occurrences.role[occurrence]
        if target.symbol == WHOLE_MODULE and target.file:
            return EdgeKind.IMPORTS if role == Role.IMPORT else EdgeKind.REFERENCES
        special = _ROLE_EDGES.get(role)
        if special is not None:
            return special
        kind = self._kind(facts, target)
        if role == Role.CALL:
            if kind is None or kind in _CALLABLES:
                return EdgeKind.CALLS
            return EdgeKind.INSTANTIATES if kind == DefinitionKind.CLASS else EdgeKind.ACCESSES
        if kind is None or kind in _CALLABLES or kind == DefinitionKind.CLASS:
            return EdgeKind.REFERENCES
        return EdgeKind.ACCESSES

    def _kind(self, facts: FileFacts, target: AnswerTarget) -> int | None:
        if not target.file:
            return None
        if target.file == self.path:
            return facts.definitions.kind[target.symbol]
        return self.snapshot.surface(FilePath(target.file)).symbols.kind[target.symbol]


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
