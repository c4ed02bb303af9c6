"""Pytest recording: which functions run while each test runs.

    pytest -p graphls.pytest --graphls-record

Owns: what counts for which test, workers of pytest-xdist, the file.
Must not know: how tests are chosen, the format of a record.
Invariant: of a test that did not pass, or that set a profiler of its own, nothing is recorded; what a fixture of a
    class, module or session ran counts for each test that has it.

On Python 3.12 and later `sys.monitoring` says it, once for each function and test; before, `sys.setprofile` of all
threads. Code that runs in other processes is not seen.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import CodeType, FrameType
from typing import Final, cast

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.matched_runs import outdated_tests
from graphls.queries.runs_of_tests import FileRuns, TestRuns, callable_rows, joined_runs, sketch_of

Place = tuple[str, int]
"""Path in the root, and the first line of a function, from 1."""
EARLY: Final = ""
"""Stands for all that runs outside of tests."""
_MODULE: Final = "<module>"


class CallWatch:
    """The code objects that began to run since somebody asked last."""

    def __init__(self) -> None:
        self._seen: set[CodeType] = set()

    def start(self) -> None:
        """Begins to watch."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def stop(self) -> None:
        """Ends it."""
        threading.setprofile(None)
        sys.setprofile(None)

    def take(self) -> set[CodeType]:
        """What began to run, and nothing of it again."""
        seen, self._seen = self._seen, set()
        return seen

    def was_lost(self) -> bool:
        """Whether somebody else took the place of this one; then it begins anew."""
        if sys.getprofile() == self._profile:
            return False
        self.start()
        return True

    def _profile(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            self._seen.add(frame.f_code)


if sys.version_info >= (3, 12):

    class MonitoringWatch(CallWatch):
        """The same by `sys.monitoring`, which tells of each code object once."""

        _tool = sys.monitoring.PROFILER_ID

        def start(self) -> None:
            """Begins to watch. Raises UsageError."""
            events = sys.monitoring.events
            try:
                sys.monitoring.use_tool_id(self._tool, "graphls")
            except ValueError:
                raise pytest.UsageError("--graphls-record: another profiler runs. Leave one of them out.") from None
            sys.monitoring.register_callback(self._tool, events.PY_START, self._started)
            sys.monitoring.set_events(self._tool, events.PY_START)

        def stop(self) -> None:
            """Ends it."""
            if not self._is_lost():
                sys.monitoring.set_events(self._tool, 0)
                sys.monitoring.free_tool_id(self._tool)

        def take(self) -> set[CodeType]:
            """What began to run, and nothing of it again."""
            seen = super().take()
            sys.monitoring.restart_events()
            return seen

        def was_lost(self) -> bool:
            """Whether somebody else took the place of this one; then it begins anew, where it can."""
            if not self._is_lost():
                return False
            if sys.monitoring.get_tool(self._tool) is None:
                self.start()
            return True

        def _is_lost(self) -> bool:
            return sys.monitoring.get_tool(self._tool) != "graphls"

        def _started(self, code: CodeType, _offset: int) -> object:
            self._seen.add(code)
            return sys.monitoring.DISABLE


def call_watch() -> CallWatch:
    """The cheapest one that this Python has."""
    if sys.version_info >= (3, 12):
        return MonitoringWatch()
    return CallWatch()


class RunRecorder:
    """A plugin of one session of pytest. `relative`: the path in the workspace of an absolute one, None where that is
    outside; `write`: takes what was found, at its end."""

    def __init__(
        self,
        relative: Callable[[str], str | None],
        write: Callable[[Mapping[str, set[Place]], set[str]], None],
    ) -> None:
        self._relative = relative
        self._write = write
        self._watch = call_watch()
        self._paths: dict[str, str] = {}
        self._ran: dict[str, set[Place]] = {}
        self._failed: set[str] = set()
        self._every: set[str] = set()
        self._fixtures: dict[int, set[CodeType]] = {}
        self._open: list[set[CodeType]] = []

    def pytest_sessionstart(self) -> None:
        """Watches from the start: modules run before tests do."""
        self._watch.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: object, request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """What a fixture of more than one test runs is remembered for all of them."""
        if request.scope == "function" or not self._open:
            return (yield)
        self._flush()
        ran = set[CodeType]()
        self._open.append(ran)
        try:
            return (yield)
        finally:
            self._flush()
            self._open.pop()
            self._open[0] |= ran
            self._fixtures[id(fixturedef)] = ran

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Around one test."""
        self._add(EARLY, self._watch.take())
        ran, test = set[CodeType](), item.nodeid.partition("[")[0]
        self._every.add(test)
        self._open = [ran]
        try:
            return (yield)
        finally:
            self._flush()
            self._open = []
            if self._watch.was_lost():
                self._failed.add(test)
            for definition in fixtures_of(item):
                ran |= self._fixtures.get(id(definition), set())
            self._add(test, ran)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails, or is left out, ends before it ran all that it would."""
        if report.outcome != "passed":
            self._failed.add(report.nodeid.partition("[")[0])

    def pytest_sessionfinish(self) -> None:
        """Writes the record."""
        self._watch.stop()
        for test in self._failed:
            self._ran.pop(test, None)
        self._write(self._ran, self._every)

    def _flush(self) -> None:
        self._open[-1].update(self._watch.take())

    def _add(self, test: str, codes: set[CodeType]) -> None:
        places = self._ran.setdefault(test, set())
        for code in codes:
            if code.co_name != _MODULE and (path := self._path(code.co_filename)):
                places.add((path, code.co_firstlineno))

    def _path(self, file: str) -> str:
        known = self._paths.get(file)
        if known is None:
            path = None if file.startswith("<") else self._relative(file)
            known = self._paths[file] = path or ""
        return known


def fixtures_of(item: pytest.Item) -> Iterator[object]:
    """The fixtures that pytest gives to a test."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    for definitions in cast("Mapping[str, Iterable[object]]", known).values():
        yield from definitions


@attrs.frozen
class RecordedRun:
    """What one session, or several workers of one, found. `every`: all tests that were run."""

    ran: dict[str, set[Place]] = attrs.field(factory=dict[str, "set[Place]"])
    every: set[str] = attrs.field(factory=set[str])

    def add(self, ran: Mapping[str, set[Place]], every: set[str]) -> None:
        """Of a worker, or of the session itself."""
        for test, places in ran.items():
            self.ran.setdefault(test, set()).update(places)
        self.every.update(every)

    def runs(self, snapshot: Snapshot, before: TestRuns | None) -> TestRuns:
        """The record, with what an earlier one says of tests that were not run."""
        tests = tuple(sorted(test for test in self.ran if test != EARLY))
        numbers = {test: number for number, test in enumerate(tests)}
        found: dict[str, dict[int, int]] = {}
        early: dict[str, set[int]] = {}
        for test, places in self.ran.items():
            for path, line in places:
                if test == EARLY:
                    early.setdefault(path, set()).add(line)
                else:
                    lines = found.setdefault(path, {})
                    lines[line] = lines.get(line, 0) | 1 << numbers[test]
        files = {
            FilePath(path): _file_runs(snapshot, FilePath(path), lines, early.get(path, set()))
            for path, lines in sorted(found.items())
            if path in snapshot.shards and snapshot.shards[FilePath(path)].language
        }
        made = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        runs = TestRuns(made, tests, files)
        if before is None:
            return runs
        return joined_runs(before, runs, outdated_tests(before, snapshot), self.every)


def _file_runs(snapshot: Snapshot, path: FilePath, lines: Mapping[int, int], early: set[int]) -> FileRuns:
    """Of each function of a file its digest and the tests: code belongs to the innermost function around its first
    line, lambdas and comprehensions too."""
    sketch = sketch_of(snapshot, path)
    names = _names_by_line(snapshot, path)
    functions: dict[str, tuple[str, int]] = {}
    for line, bits in lines.items():
        name = names[line - 1] if line <= len(names) else ""
        if name:
            functions[name] = sketch.functions[name], functions.get(name, ("", 0))[1] | bits
    outside = {names[line - 1] for line in early if line <= len(names)} & functions.keys()
    return FileRuns(str(snapshot.shards[path].content), sketch.rest, functions, frozenset(outside))


def _names_by_line(snapshot: Snapshot, path: FilePath) -> Sequence[str]:
    facts = snapshot.facts(path)
    names = [""] * len(facts.lines)
    for row in callable_rows(facts):
        first = facts.line_column(facts.definitions.full_start[row])[0]
        last = facts.line_column(max(facts.definitions.full_end[row] - 1, 0))[0]
        names[first : last + 1] = [qualified_name(facts, row)] * (last + 1 - first)
    return names
