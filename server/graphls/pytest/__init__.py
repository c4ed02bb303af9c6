"""Pytest: a plugin that runs the tests which may execute a change, and records what tests run.

    pytest -p graphls.pytest --graphls-changed [REF]
    pytest -p graphls.pytest --graphls-record

Owns: the options, which collected items stay, what is said about the rest, where a record is written.
Must not know: how tests are found from changes, how calls are watched.
Invariant: an item stays unless the graph knows it and no way leads from it to what changed; what was left out is said
    with its reason.
"""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, cast

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import key_of
from graphls.graph.errors import GraphError
from graphls.graph.nodes import node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.pytest.recording import Place, RecordedRun, RunRecorder, fixtures_of
from graphls.queries.rows import CALLABLE, name_of
from graphls.queries.runner_ids import is_test
from graphls.queries.runs_of_tests import text_of_runs
from graphls.queries.tests_to_run import TestSelection, record_text
from graphls.queries.way_to_tests import CERTAINTIES, IMPORT_ONLY
from graphls.session.comparing import edits
from graphls.session.selected_tests import recorded_runs, selection_of_edits
from graphls.session.session import Session, SessionOptions
from graphls.settings import merge
from graphls.sources.limits import SourceLimits
from graphls.sources.settings_files import read_settings
from graphls.sources.workspace import OutsideWorkspaceError, Workspace
from graphls.sources.write import InTheWay, write_inside
from graphls.store.blobs import StoreOptions
from graphls.store.remote_tier import tiered_store

_LAST_COMMIT: Final = "HEAD"
_UNKNOWN: Final = "not known to the graph"
_FIXTURE: Final = "through a fixture"
_REPORT: Final = pytest.StashKey["tuple[str, ...]"]()
_CACHE: Final = ".graphls/cache/"
"""Where nothing is for others: what is in it, git leaves out."""
_FOUND: Final = pytest.StashKey["RecordedRun"]()
_RUNS: Final = "graphls_runs"
"""What workers hand on under."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option."""
    parser.getgroup("graphls").addoption(
        "--graphls-changed",
        nargs="?",
        const=_LAST_COMMIT,
        metavar="REF",
        help="Run only tests that may execute what changed since a commit (default: the last one).",
    )
    parser.getgroup("graphls").addoption(
        "--graphls-record",
        action="store_true",
        help="Record which functions run while each test runs: by that, tests to run are chosen from then on.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Records, where it is wanted: a worker of pytest-xdist hands on what it found to the process that started it."""
    if not config.getoption("--graphls-record"):
        return
    found = RecordedRun()
    output = getattr(config, "workeroutput", None)

    def write(ran: Mapping[str, set[Place]], every: set[str]) -> None:
        if output is not None:
            output[_RUNS] = [{test: sorted(places) for test, places in ran.items()}, sorted(every)]
            return
        found.add(ran, every)
        if found.every:
            config.stash[_REPORT] = (*config.stash.get(_REPORT, ()), _recorded(str(config.rootpath), found))

    config.stash[_FOUND] = found
    config.pluginmanager.register(RunRecorder(Workspace.of([str(config.rootpath)]).relative, write), "graphls_record")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """What a worker of pytest-xdist found."""
    config, output = getattr(node, "config", None), getattr(node, "workeroutput", None)
    if isinstance(config, pytest.Config) and isinstance(output, dict) and _RUNS in output:
        ran, every = cast("tuple[dict[str, list[list[object]]], list[str]]", output[_RUNS])
        places = {test: {(str(path), int(str(line))) for path, line in rows} for test, rows in ran.items()}
        config.stash[_FOUND].add(places, set(every))


def _recorded(root: str, found: RecordedRun) -> str:
    """Writes a record, and says so."""
    try:
        with _snapshot(root) as (session, snapshot):
            before = recorded_runs(session.workspace, session.settings, again=True)
            runs = found.runs(snapshot, before)
            where = session.settings.tests.runs
            if where.startswith(_CACHE):
                with suppress(InTheWay):  # as other tools do in theirs
                    write_inside(session.workspace, f"{_CACHE}.gitignore", [b"*\n"], lambda head: False, folders=True)
            write_inside(session.workspace, where, [text_of_runs(runs).encode()], folders=True)
    except (GraphError, OSError, OutsideWorkspaceError, KeyError) as error:
        return f"no record was written: {error}"
    return f"what {len(runs.tests):,} tests run is recorded in {where}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes out the tests that nothing leads to."""
    ref = config.getoption("--graphls-changed")
    if not ref or not items:
        return
    try:
        with _snapshot(str(config.rootpath)) as (session, snapshot):
            selection = _selection(session, snapshot, str(ref))
            choice = _Choice(snapshot, selection, str(config.rootpath))
            reasons = {item: choice.reason(item) for item in items}
    except GraphError as error:
        raise pytest.UsageError(f"--graphls-changed: {error}") from None
    left = [item for item in items if not reasons[item]]
    items[:] = [item for item in items if reasons[item]]
    config.hook.pytest_deselected(items=left)
    config.stash[_REPORT] = tuple(_report(str(ref), selection, reasons, len(left)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What was left out, and why."""
    lines = config.stash.get(_REPORT, ())
    if lines:
        terminalreporter.section("graphls")
        for line in lines:
            terminalreporter.write_line(line)


@attrs.frozen
class _Choice:
    """Which items stay."""

    _snapshot: Snapshot
    _selection: TestSelection
    _root: str

    def reason(self, item: pytest.Item) -> str:
        """Why an item stays; "" where it does not."""
        place = self._place(getattr(item, "function", None))
        if self._selection.whole:
            return "any test may meet a change"
        if place is None or not is_test(self._snapshot, place):
            return _UNKNOWN
        way = self._selection.ways.get(key_of(place))
        if way is not None and way.level < IMPORT_ONLY:
            return CERTAINTIES[way.level]
        return _FIXTURE if self._has_fixture(item) else ""

    def _has_fixture(self, item: pytest.Item) -> bool:
        """Whether a fixture that the runner gives to an item may run what changed."""
        for definition in fixtures_of(item):
            place = self._place(getattr(definition, "func", None))
            way = self._selection.ways.get(key_of(place)) if place is not None else None
            if way is not None and way.level < IMPORT_ONLY:
                return True
        return False

    def _place(self, function: object) -> SymbolRef | None:
        """The definition of a function of the workspace."""
        code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
        if code is None:
            return None
        path = FilePath(os.path.relpath(code.co_filename, self._root))
        path = FilePath(path.replace(os.sep, "/"))
        if path not in self._snapshot.shards or not self._snapshot.shards[path].language:
            return None
        facts = self._snapshot.facts(path)
        table, line = facts.definitions, code.co_firstlineno - 1
        for row, start in enumerate(table.full_start):
            if table.kind[row] not in CALLABLE or name_of(facts, row) != code.co_name:
                continue
            first, last = facts.line_column(start)[0], facts.line_column(table.full_end[row])[0]
            if first <= line <= last or facts.line_column(table.start[row])[0] == line:
                return SymbolRef(path, node_row(facts, row))
        return None


def _selection(session: Session, snapshot: Snapshot, ref: str) -> TestSelection:
    workspace, settings = session.workspace, session.settings
    since = ("all", "") if ref == _LAST_COMMIT else ("compare", ref)
    found = edits(workspace, snapshot, SourceLimits.of(settings.files), since[0], since[1])
    return selection_of_edits(workspace, settings, snapshot, found)


def _report(ref: str, selection: TestSelection, reasons: dict[pytest.Item, str], left: int) -> Generator[str]:
    counts = Counter(reason for reason in reasons.values() if reason)
    kept = ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
    symbols = len(selection.seeds)
    chosen = f"{counts.total()} of {len(reasons)} tests selected"
    yield f"{chosen} for {symbols} changed symbols since {ref}: {kept or 'none'}"
    if selection.record is not None:
        yield record_text(selection.record)
    for reason in selection.whole:
        yield f"nothing left out, as any test may meet {reason}"
    importing = selection.count("import")
    if left:
        yield f"{left} left out: no use, resolved or not, leads from them to what changed"
    if importing:
        only = f"{importing} of these only import modules whose own code runs what changed"
        yield f"{only}: an error at import shows in any test that imports them"
    for gap in selection.coverage.completeness.gaps:
        yield f"not looked at: {str(gap.cause).replace('_', ' ')} ({gap.count}); what these run is not known"


@contextmanager
def _snapshot(root: str) -> Generator[tuple[Session, Snapshot]]:
    settings, _ = merge(read_settings(root).table, {}, False)
    cache = settings.cache
    tiers = (StoreOptions(folder=cache.directory), cache.remote, cache.remote_name)
    store = tiered_store(*tiers) if cache.enabled else None
    options = SessionOptions(link_all=False, libraries=True, checker=False, upgrade=False)
    session = Session(Workspace.of([root]), settings, store, options)
    try:
        session.start()
        while not session.wait("ready", 1.0):
            if trouble := session.problems.get("session"):
                raise pytest.UsageError(f"--graphls-changed: {trouble}")
        yield session, session.snapshot()
    finally:
        session.close()
        if store is not None:
            store.close()
