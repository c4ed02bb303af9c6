"""Changed: which symbols a set of edits touches, and what these may reach.

Owns: lines that differ, the innermost symbols around them, names that are gone, their impact put together.
Must not know: version control, disk, records, LSP types.
Invariant: every affected node is reached from a symbol that changed; what could not be looked at is counted.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from typing import Literal

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import Node, key_of, node_order
from graphls.graph.edges import RawEdge, edges_to
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import container, is_lasting, is_node, is_test_file, kind_of, node_row, qualified_name
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.extract.grammars import ParserTooSlow, parse
from graphls.languages.provider import Provider
from graphls.languages.registry import provider_of
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import (
    COMPLETE,
    Cause,
    Completeness,
    CoverageClaim,
    Gap,
    completeness,
    spent_gaps,
    union_of,
    unread_folders,
)
from graphls.queries.hunks import Hunk, hunks, rebase_hunks
from graphls.queries.impact import MAX_LIMIT, AffectedNode, ImpactQuery, impact
from graphls.queries.lost_uses import lost_uses
from graphls.queries.neighborhood import kind_name
from graphls.queries.rows import CALLABLE

Status = Literal["added", "modified", "deleted", "renamed"]
MAX_NODES = 200
MAX_MENTIONS = 20
_PART_OF_NOW = 0.6
"""Of the budget of a request, for what is reached now; the rest is for what is gone."""
_BINDINGS = ("import", "api_member")


@attrs.frozen
class FileDiff:
    """One file that differs. `before` None: it was not there, or is no text. `after` None: as the snapshot has it."""

    path: FilePath
    status: Status
    old_path: FilePath | None = None
    before: bytes | None = None
    after: bytes | None = None


@attrs.frozen
class ChangesQuery:
    """How far to look from what changed."""

    depth: int = 3
    min_confidence: float = 0.0
    tests: bool = True
    limit: int = 500
    edges: int = 0
    """How many of the edges that were walked from each symbol to give, at most; 0: none."""


@attrs.frozen
class ChangedFile:
    """One file. `reason` says why it has no symbols here, "" when it has."""

    edit: FileDiff
    hunks: tuple[Hunk, ...]
    reason: str


@attrs.frozen
class ChangedNode:
    """A symbol with lines that changed: the innermost around each of them."""

    place: SymbolRef
    kind: str
    lines: int
    added: bool
    """The file did not have the name before."""


@attrs.frozen
class RemovedName:
    """A symbol that is gone. `mentioned_in`: files that still spell its name, capped."""

    file: FilePath
    qualified: str
    kind: str
    mentioned_in: tuple[FilePath, ...]
    mentions: int


@attrs.frozen
class ChangedImpact:
    """Nearest first."""

    files: tuple[ChangedFile, ...]
    nodes: tuple[ChangedNode, ...]
    removed: tuple[RemovedName, ...]
    affected: tuple[AffectedNode, ...]
    packages: tuple[str, ...]
    coverage: Coverage
    importers: tuple[SymbolRef, ...] = ()
    """Bindings of imports, and modules, that only bring in what is affected: not among that, nor counted as such."""
    edges: tuple[RawEdge, ...] = ()
    """Between nodes of this answer; all of the graph after the edits."""


def changed_impact(
    snapshot: Snapshot,
    edits: Sequence[FileDiff],
    query: ChangesQuery | None = None,
    before: Callable[[Sequence[FileDiff]], Snapshot] | None = None,
    *,
    removed: tuple[RemovedName, ...] | None = None,
) -> ChangedImpact:
    """What a set of edits touches and reaches. `before`: gives the graph without the edits, for what is gone;
    `removed`: what `removed_names` said of them, where somebody has asked."""
    query = query or ChangesQuery()
    files = tuple(_file(snapshot, edit) for edit in sorted(edits, key=lambda edit: edit.path))
    places = tuple(node for file in files for node in _nodes(snapshot, file))
    reach = _AffectedWalk(snapshot, places, query)
    # First: the graph of before is not made yet, and what is there now can be followed.
    reach.follow()
    past = _FactsBefore(partial(before, edits) if before is not None and edits else None)
    nodes = tuple(_with_added(snapshot, places, files, past))
    removed = tuple(_removed_names(snapshot, edits, past)) if removed is None else removed
    lacking = reach.follow_lost(partial(before, edits), edits) if before is not None and edits else COMPLETE
    affected, claims, cut = reach.ordered(), reach.claims, reach.cut
    if not any(claim.uses_of for claim in claims):
        # What is changed in a folder that cannot be read is not known either.
        lacking = lacking.along(Gap(Cause.UNLISTED, "in", unread_folders(snapshot)))
    places = [node.place for node in nodes] + [one.node for one in affected if isinstance(one.node, SymbolRef)]
    omitted = max(len(affected) - query.limit, 0) + max(len(nodes) - MAX_NODES, 0)
    return ChangedImpact(
        files=files,
        nodes=nodes,
        removed=removed,
        affected=tuple(affected[: query.limit]),
        packages=tuple(sorted({snapshot.package_of(place.file) for place in places})),
        coverage=_merge_coverage(
            coverage_for(
                snapshot, union_of(claims), truncated=cut or omitted > 0, omitted=omitted, empty=not (files or nodes)
            ),
            lacking,
        ),
        importers=reach.importers(),
        edges=reach.edges(affected[: query.limit]),
    )


def _merge_coverage(coverage: Coverage, before: Completeness) -> Coverage:
    """What answers from two graphs lack: a use that is open in both spells another name in each."""
    counts = Counter[tuple[Literal["in", "out"], Cause]]()
    for gap in (*coverage.completeness.gaps, *before.gaps):
        counts[gap.direction, gap.cause] += gap.count
    gaps = tuple(Gap(cause, direction, count) for (direction, cause), count in counts.items())
    return attrs.evolve(coverage, completeness=Completeness(gaps))


def changed_files(snapshot: Snapshot, edits: Sequence[FileDiff]) -> tuple[ChangedFile, ...]:
    """What edits did to each file, by path."""
    return tuple(_file(snapshot, edit) for edit in sorted(edits, key=lambda edit: edit.path))


def removed_names(
    snapshot: Snapshot, edits: Iterable[FileDiff], before: Callable[[], Snapshot] | None = None
) -> tuple[RemovedName, ...]:
    """What edits took away, by file. `before`: gives the graph without the edits, where somebody needs it anyway."""
    return tuple(_removed_names(snapshot, edits, _FactsBefore(before)))


def _removed_names(snapshot: Snapshot, edits: Iterable[FileDiff], past: _FactsBefore) -> Iterator[RemovedName]:
    for edit in sorted(edits, key=lambda edit: edit.path):
        yield from _removed(snapshot, edit, past.of(edit))


def changed_symbols(snapshot: Snapshot, edits: Sequence[FileDiff]) -> tuple[ChangedNode, ...]:
    """The innermost symbols around changed lines."""
    files = tuple(_file(snapshot, edit) for edit in sorted(edits, key=lambda edit: edit.path))
    nodes = (node for file in files for node in _nodes(snapshot, file))
    return tuple(_with_added(snapshot, nodes, files, _FactsBefore(None)))


def nodes_at(snapshot: Snapshot, path: FilePath, found: Sequence[Hunk]) -> dict[int, int]:
    """Rows of the innermost symbols around changed lines (-1: the module), each with the number of its lines."""
    facts = snapshot.facts(path)
    owners = line_owners(facts)
    text = (snapshot.text(path) or b"").split(b"\n")
    counts: dict[int, int] = {}
    for hunk in found:
        lines = range(hunk.start, min(hunk.end, len(owners)))
        nonblank_lines = [line for line in lines if line < len(text) and text[line].strip()]
        rows = [owners[line] for line in nonblank_lines or lines]
        if hunk.start == hunk.end:
            rows = [_around(facts, owners, hunk.start)]
        for row in rows:
            counts[row] = counts.get(row, 0) + 1
    return dict(sorted(counts.items()))


def _file(snapshot: Snapshot, edit: FileDiff) -> ChangedFile:
    shard = snapshot.shards.get(edit.path)
    if edit.status == "deleted":
        return ChangedFile(edit, (), "deleted")
    if shard is None:
        skipped = next((skipped.reason for skipped in snapshot.skipped if skipped.path == edit.path), "")
        return ChangedFile(edit, (), skipped or "not in the graph")
    if edit.before is None and edit.status != "added":
        return ChangedFile(edit, (), "its earlier contents are no text")
    now = snapshot.text(edit.path) or b""
    after = now if edit.after is None else edit.after
    found = rebase_hunks(hunks(edit.before or b"", after), after, now)
    return ChangedFile(edit, found, "" if shard.language else "no code: not compared by symbols")


def _nodes(snapshot: Snapshot, file: ChangedFile) -> Iterator[ChangedNode]:
    """None of them marked as added."""
    if file.reason or not file.hunks:
        return
    path = file.edit.path
    for row, lines in nodes_at(snapshot, path, file.hunks).items():
        yield ChangedNode(SymbolRef(path, row), node_kind(snapshot, SymbolRef(path, row)).kind, lines, added=False)


def _with_added(
    snapshot: Snapshot, nodes: Iterable[ChangedNode], files: Iterable[ChangedFile], past: _FactsBefore
) -> Iterator[ChangedNode]:
    edits, known = {file.edit.path: file.edit for file in files}, dict[FilePath, Set[str]]()
    for node in nodes:
        path, row = node.place.file, node.place.definition
        if path not in known:
            known[path] = _names(past.of(edits[path]))
        added = row != NONE and qualified_name(snapshot.facts(path), row) not in known[path]
        yield attrs.evolve(node, added=added)


def _removed(snapshot: Snapshot, edit: FileDiff, before: FileFacts | None) -> Iterator[RemovedName]:
    if before is None:
        return
    shard = snapshot.shards.get(edit.path)
    left = set[str]()
    if edit.status != "deleted" and shard is not None and shard.language:
        left = _names(snapshot.facts(edit.path))
    provider = _provider_before(edit)
    language = "" if provider is None else provider.capabilities.name
    gone = set[int]()
    for row in range(len(before.definitions)):
        kind = kind_of(before, edit.path, row, language).kind
        if not _is_own(before, row) or kind in _BINDINGS:
            continue
        qualified = qualified_name(before, row)
        if qualified in left:
            continue
        gone.add(row)
        if _is_inside(before, row, gone):
            continue  # nobody but the function, which is gone as well, could name it
        left.add(qualified)
        files = [path for path in snapshot.files_with_name(qualified.rpartition(".")[2]) if path != edit.path]
        yield RemovedName(edit.path, qualified, kind, tuple(files[:MAX_MENTIONS]), len(files))


class _AffectedWalk:
    """Everything the symbols reach, each node by its shortest and surest way."""

    def __init__(self, snapshot: Snapshot, nodes: Sequence[ChangedNode], query: ChangesQuery) -> None:
        self._snapshot = snapshot
        self._nodes = nodes
        self._query = query
        self._own: set[Node] = {node.place for node in nodes}
        self._best: dict[Node, AffectedNode] = {}
        self._importers: dict[SymbolRef, None] = {}
        self._walked: dict[object, RawEdge] = {}
        self.claims: list[CoverageClaim] = []
        self.cut = False

    def follow(self) -> None:
        """From what changed, by the graph of now, as far as a part of the budget goes."""
        self.cut = True
        with contextlib.suppress(BudgetSpentError), PartOfBudget(_PART_OF_NOW):
            self.cut = self._follow()
            if self.cut:
                spend()  # which says why, where it was for time

    def _follow(self) -> bool:
        cut = False
        for node in self._nodes[:MAX_NODES]:
            if node.kind in _BINDINGS:
                continue
            spend()
            if node.place.definition == NONE:
                with contextlib.suppress(BudgetSpentError):
                    self._take(_importers(self._snapshot, node.place, self._query))
                self.claims.append(CoverageClaim(uses_of=(node.place,)))
            else:
                answered = impact(self._snapshot, _change(node.place, self._query))
                self._take(answered.affected)
                self._importers.update(dict.fromkeys(answered.importers))
                for edge in answered.edges:
                    self._walked.setdefault((edge.kind, key_of(edge.source), key_of(edge.target)), edge)
                cut = cut or answered.coverage.truncated
                self.claims.append(answered.coverage.claim)
        return cut

    def follow_lost(self, earlier: Callable[[], Snapshot], edits: Sequence[FileDiff]) -> Completeness:
        """From what is gone, by the graph of before; gives what that lacks."""
        try:
            return self._follow_lost(earlier(), edits)
        except BudgetSpentError:
            self.cut = True
            return Completeness(spent_gaps())

    def _follow_lost(self, before: Snapshot, edits: Sequence[FileDiff]) -> Completeness:
        spend()
        taken = lost_uses(before, self._snapshot, edits, _change(SymbolRef(edits[0].path, NONE), self._query))
        self._take(taken.affected)
        self._importers.update(dict.fromkeys(taken.importers))
        self.cut = self.cut or taken.cut
        return completeness(before, union_of(taken.claims))

    def importers(self) -> tuple[SymbolRef, ...]:
        """Those that are affected by nothing else."""
        return tuple(place for place in self._importers if place not in self._best and place not in self._own)

    def edges(self, affected: Iterable[AffectedNode]) -> tuple[RawEdge, ...]:
        """Those that were walked between what changed and these."""
        keys = {key_of(node) for node in (*self._own, *(one.node for one in affected))}
        found = self._walked.values()
        return tuple(edge for edge in found if key_of(edge.source) in keys and key_of(edge.target) in keys)

    def ordered(self) -> list[AffectedNode]:
        """Nearest first."""
        return sorted(self._best.values(), key=lambda one: (*_nearness(one), *node_order(one.node)))

    def _take(self, found: Iterable[AffectedNode]) -> None:
        for one in found:
            known = self._best.get(one.node)
            if one.node not in self._own and (known is None or _nearness(one) < _nearness(known)):
                self._best[one.node] = one


def _change(place: SymbolRef, query: ChangesQuery) -> ImpactQuery:
    return ImpactQuery(
        target=place,
        depth=query.depth,
        min_confidence=query.min_confidence,
        tests=query.tests,
        limit=min(query.limit, MAX_LIMIT),
        edges=query.edges,
        counted=False,
    )


def _importers(snapshot: Snapshot, place: SymbolRef, query: ChangesQuery) -> Iterator[AffectedNode]:
    """Code of the module itself changed: whoever imports it runs it."""
    for edge in edges_to(snapshot, place):
        if edge.kind == "imports" and edge.confidence >= query.min_confidence:
            test = is_test_file(edge.source.file)
            if query.tests or not test:
                kind = kind_name(snapshot, edge.source)
                yield AffectedNode(edge.source, 1, edge.confidence, kind, test, edge.kind)


def _nearness(one: AffectedNode) -> tuple[int, float]:
    return one.depth, -one.confidence


def _provider_before(edit: FileDiff) -> Provider | None:
    return None if edit.before is None else provider_of(edit.old_path or edit.path, edit.before)


class _FactsBefore:
    """What files said before edits: by the graph of before, which reads many at once and remembers them, else read
    here."""

    def __init__(self, before: Callable[[], Snapshot] | None) -> None:
        self._before = before
        self._known: dict[FilePath, FileFacts | None] = {}

    def of(self, edit: FileDiff) -> FileFacts | None:
        """None where no language reads the file, or it was not there."""
        if edit.before is None:
            return None
        path, past = edit.old_path or edit.path, self._snapshot()
        shard = None if past is None else past.shards.get(path)
        if past is not None and shard is not None and shard.language:
            return past.facts(path)
        if edit.path not in self._known:
            self._known[edit.path] = _read_before(edit)
        return self._known[edit.path]

    def _snapshot(self) -> Snapshot | None:
        try:
            return None if self._before is None else self._before()
        except BudgetSpentError:
            self._before = None
            return None


def _read_before(edit: FileDiff) -> FileFacts | None:
    path, provider = edit.old_path or edit.path, _provider_before(edit)
    if provider is None or edit.before is None or b"\0" in edit.before:
        return None
    try:
        return provider.extract(path, edit.before, parse(provider.parser(path, edit.before), edit.before))
    except ParserTooSlow:
        return None


def _names(facts: FileFacts | None) -> set[str]:
    if facts is None:
        return set()
    return {qualified_name(facts, row) for row in range(len(facts.definitions)) if _is_own(facts, row)}


def _is_inside(facts: FileFacts, row: int, functions: Set[int]) -> bool:
    """Whether one of these is a function around a definition."""
    around = container(facts, row)
    while around != NONE:
        if around in functions and facts.definitions.kind[around] in CALLABLE:
            return True
        around = container(facts, around)
    return False


def _is_own(facts: FileFacts, row: int) -> bool:
    return is_lasting(facts, row) and is_node(facts, row)


def line_owners(facts: FileFacts) -> list[int]:
    """For each line the row of the innermost symbol on it; outer ones are written first and overwritten."""
    owners = [NONE] * len(facts.lines)
    for row, first, last in sorted(_spans(facts), key=lambda span: (span[1], -span[2], span[0])):
        owners[first : last + 1] = [row] * (last + 1 - first)
    return owners


def _spans(facts: FileFacts) -> Iterator[tuple[int, int, int]]:
    table = facts.definitions
    for row in range(len(table)):
        if is_lasting(facts, row):
            first = facts.line_column(table.full_start[row])[0]
            last = facts.line_column(max(table.full_end[row] - 1, table.full_start[row]))[0]
            yield node_row(facts, row), first, last


def _around(facts: FileFacts, owners: Sequence[int], line: int) -> int:
    """The innermost symbol on both sides of a gap."""
    sides = [span for span in _spans(facts) if span[1] < line <= span[2]]
    return max(sides, key=lambda span: (span[1], -span[2]), default=(NONE, 0, 0))[0]
