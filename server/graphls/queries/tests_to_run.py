"""Tests to run: the tests that may execute what changes, the surest first.

Owns: the question, its answer, what may be missing from it.
Must not know: how the way back is found, version control, layout.
Invariant: a test is left out only where no way leads back to it; what no way covers is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import Key, key_of, node_of
from graphls.graph.identity import end_name
from graphls.graph.request_budget import BudgetSpentError, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import provider_of
from graphls.queries.answer import Coverage
from graphls.queries.changed import ChangedFile, FileDiff, changed_files, changed_symbols
from graphls.queries.changed_code import running_differently
from graphls.queries.completeness import Cause, Completeness, CoverageClaim, completeness
from graphls.queries.impact import ImpactQuery, seeds_of
from graphls.queries.lost_uses import lost_uses
from graphls.queries.matched_runs import TestRunMatch
from graphls.queries.runner_ids import is_test, runner_ids, runner_of
from graphls.queries.runs_of_tests import TestRuns
from graphls.queries.way_to_tests import CERTAINTIES, Certainty, TestReach, TooManyRunningError, Way

_FOLLOWED = frozenset({
    Cause.UNKNOWN_RECEIVER, Cause.UNBOUND_NAME, Cause.STRING, Cause.UNRESOLVED_IMPORT, Cause.STEP_LIMIT,
    Cause.CANDIDATES, Cause.FAILED_LINKS, Cause.VALUE, Cause.IMPLICIT,
})  # fmt: skip
"""Causes whose uses are steps of the way back: what they may lead to is in the answer."""
UNFINISHED: Final = "what the search had no time to find"
_LONGEST = 8
_PROSE: Final = (".md", ".rst", ".adoc", ".gitignore", ".gitattributes")
_OWN_FOLDER: Final = ".graphls/"
_PROSE_FOLDERS: Final = ("docs/", "doc/", ".github/", ".vscode/")


@attrs.frozen(kw_only=True)
class SelectedTest:
    """A test that may run what changes."""

    node: SymbolRef | DerivedNode
    ids: tuple[str, ...]
    runner: str
    certainty: Certainty
    steps: int
    way: tuple[tuple[str, Key], ...]
    """From the test on: the kind of each step, and what it leads to."""


@attrs.frozen
class RunRecord:
    """What a record of test runs decided. `made`: when, as ISO 8601; `decided`: tests of which it says what they run;
    `undecided`: the others, which the graph judges, since they are new or ran code that changed."""

    made: str
    decided: int
    undecided: int


@attrs.frozen
class TestSelection:
    """Surest and nearest first."""

    __test__ = False

    seeds: tuple[SymbolRef, ...]
    tests: tuple[SelectedTest, ...]
    coverage: Coverage
    ways: Mapping[Key, Way] = attrs.field(factory=dict[Key, Way], repr=False)
    """Everything that may run what changes."""
    whole: tuple[str, ...] = ()
    """Changes that any test may meet, in words: with one of them, all tests are to be run."""
    record: RunRecord | None = None
    """The record of test runs that was used."""

    @property
    def running(self) -> tuple[SelectedTest, ...]:
        """Without the tests that only import what changes."""
        return tuple(test for test in self.tests if test.certainty != "import")

    def count(self, certainty: Certainty) -> int:
        """How many tests are as sure as that."""
        return sum(test.certainty == certainty for test in self.tests)


def select_tests(
    snapshot: Snapshot,
    changed: Sequence[SymbolRef],
    also: Iterable[Key] = (),
    *,
    reach: TestReach | None = None,
    runs: TestRunMatch | None = None,
) -> TestSelection:
    """Tests that may execute one of these; `also`: what used something that is gone; `runs`: what a record says of the
    tests that are as they were."""
    seeds, whole = tuple(changed), tuple[str, ...]()
    levels, ways = dict[Key, int](), dict[Key, Way]()
    try:
        seeds = tuple(dict.fromkeys(seed for place in changed for seed in seeds_of(snapshot, place)))
        own = {key_of(place) for place in changed}
        levels = {key_of(seed): 0 if key_of(seed) in own else 1 for seed in seeds}
        for key in also:
            levels.setdefault(key, 0)
        if runs is None:
            whole = _all_ways(reach or TestReach(snapshot), levels, ways)
        else:
            whole = _ways_by_record(snapshot, runs, levels, ways)
    except BudgetSpentError:
        whole = (UNFINISHED,)
    tests = sorted(_selected(snapshot, ways), key=_order)
    if runs is None and not whole and spent_reason():
        whole = (UNFINISHED,)
    claim = CoverageClaim(uses_of=tuple(changed))
    gaps = tuple(gap for gap in completeness(snapshot, claim).gaps if gap.cause not in _FOLLOWED)
    coverage = Coverage(truncated=bool(whole), completeness=Completeness(gaps), claim=claim, empty=not tests)
    record = None if runs is None else RunRecord(runs.runs.made, len(runs.decided), len(runs.undecided))
    return TestSelection(seeds, tuple(tests), coverage, ways, whole, record)


def _all_ways(back: TestReach, levels: Mapping[Key, int], ways: dict[Key, Way]) -> tuple[str, ...]:
    """Adds all ways; where these are too many, or the request ends, those that names lead to. Why all tests are to be
    run then."""
    named = dict[Key, Way]()
    try:
        for key, way in back.named_ways_from(levels):
            named[key] = way
        back.back_from(levels, ways)
    except BudgetSpentError:
        ways.update(named)
        return (UNFINISHED,)
    except TooManyRunningError as error:
        ways.update(named)
        return (f"what more than {error.most:,} symbols may run",)
    return ()


def _ways_by_record(
    snapshot: Snapshot, runs: TestRunMatch, levels: Mapping[Key, int], ways: dict[Key, Way]
) -> tuple[str, ...]:
    """Adds the ways that end at what tests ran, and to tests that are not decided all ways. Where the latter are too
    many, or the request ends, each of these tests may meet the change."""
    recorded = dict[Key, Way]()
    whole = _all_ways(TestReach(snapshot, runs), levels, recorded)
    if runs.undecided and not whole:
        unfinished = _all_ways(TestReach(snapshot), levels, ways)
        for key in tuple(ways):
            if key in runs.decided:
                del ways[key]
        for key in runs.undecided if unfinished else ():
            if key not in ways or CERTAINTIES[ways[key].level] == "import":
                ways[key] = Way(CERTAINTIES.index("unresolved"), 0, "", None)
    # No way leads through a test, so each may have the surer one; all others have those of the record, which are whole.
    ways.update(
        {key: way for key, way in recorded.items() if key not in runs.undecided or _is_surer(way, ways.get(key))}
    )
    return whole


def _is_surer(way: Way, other: Way | None) -> bool:
    return other is None or (way.level, way.length) < (other.level, other.length)


def select_tests_of_edits(
    snapshot: Snapshot,
    edits: Sequence[FileDiff],
    before: Callable[[Sequence[FileDiff]], Snapshot],
    runs: TestRuns | None = None,
) -> TestSelection:
    """Tests that may execute what edits touch. `before`: gives the graph without the edits, for what is gone; `runs`: a
    record of what ran when."""
    if not edits:
        return TestSelection((), (), Coverage(empty=True))
    past = before(edits)
    lost = lost_uses(past, snapshot, edits, ImpactQuery(SymbolRef(edits[0].path, NONE), depth=1))
    also = [key_of(one.node) for one in lost.affected if not isinstance(one.node, str)]
    changed = list(_places(past, snapshot, edits))
    unread = (file for file in changed_files(snapshot, edits) if file.reason and _may_be_read(file))
    whole = [f"{file.edit.path}: {file.reason}" for file in unread]
    match = (
        TestRunMatch(runs, snapshot, (past, {edit.old_path or edit.path for edit in edits}))
        if runs is not None
        else None
    )
    found = select_tests(snapshot, changed, also, runs=match)
    return attrs.evolve(found, whole=(*found.whole, *whole))


def _places(past: Snapshot, snapshot: Snapshot, edits: Sequence[FileDiff]) -> Iterator[SymbolRef]:
    """What changed and runs differently."""
    places: dict[FilePath, list[SymbolRef]] = {}
    for node in changed_symbols(snapshot, edits):
        places.setdefault(node.place.file, []).append(node.place)
    moved = {edit.path: edit.old_path or edit.path for edit in edits}
    for path, found in places.items():
        old = past.shards.get(moved[path])
        yield from running_differently(past, old, snapshot, found) if old is not None and old.language else found


def _may_be_read(file: ChangedFile) -> bool:
    """Whether a program may read a file that no language reads: anything but prose."""
    path = file.edit.path
    before = file.edit.before
    if path.startswith(_OWN_FOLDER):
        return False
    if file.reason == "deleted" and before is not None and provider_of(path, before) is not None:
        return False
    return not path.endswith(_PROSE) and not path.startswith(_PROSE_FOLDERS)


def _order(test: SelectedTest) -> tuple[int, int, tuple[str, ...]]:
    return CERTAINTIES.index(test.certainty), test.steps, test.ids


def _selected(snapshot: Snapshot, ways: Mapping[Key, Way]) -> Iterable[SelectedTest]:
    for key, way in ways.items():
        node = node_of(key)
        if isinstance(node, str):
            continue
        if node.kind == "test" if isinstance(node, DerivedNode) else is_test(snapshot, node):
            yield SelectedTest(
                node=node,
                ids=runner_ids(snapshot, node),
                runner=runner_of(snapshot, node),
                certainty=CERTAINTIES[way.level],
                steps=way.length,
                way=_way(ways, key),
            )


def _way(ways: Mapping[Key, Way], key: Key) -> tuple[tuple[str, Key], ...]:
    parts: list[tuple[str, Key]] = []
    before: Key | None = key
    while before is not None:
        way = ways[before]
        if way.before is not None:
            parts.append((way.why, way.before))
        before = way.before
    return tuple(parts)


def record_text(record: RunRecord) -> str:
    """What a record decided, in words."""
    judged = f"; {record.undecided:,} are new, or ran code that changed since: the graph judges these"
    every = record.decided + record.undecided
    said = f"what {record.decided:,} of {every:,} tests run was recorded {record.made}"
    return said + (judged if record.undecided else "")


def way_text(snapshot: Snapshot, test: SelectedTest) -> str:
    """The way from a test to what changes, its ends where it is long."""
    parts = [f"{why} {end_name(snapshot, node_of(key))}" for why, key in test.way]
    if len(parts) > _LONGEST:
        parts[_LONGEST // 2 : -_LONGEST // 2] = ["..."]
    return ", ".join(parts)
