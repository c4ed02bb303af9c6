"""Selected tests: tests to run, with the record of test runs of the workspace.

Owns: where that record is, what is said of one that cannot be used.
Must not know: how tests are found, the format of a record, layout.
Invariant: without a record the graph alone answers; a record that cannot be used is refused, never left out in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import FileDiff
from graphls.queries.matched_runs import TestRunMatch
from graphls.queries.runs_of_tests import TestRuns, TestRunsRefused, runs_of_text
from graphls.queries.tests_to_run import TestSelection, select_tests, select_tests_of_edits
from graphls.session.before import before_edits
from graphls.session.reports import file_text
from graphls.settings import Settings
from graphls.sources.workspace import Workspace

_LARGEST = 200_000_000
ANEW = "Record it anew with `pytest -p graphls.pytest --graphls-record`, or delete it."


def recorded_runs(workspace: Workspace, settings: Settings, *, again: bool = False) -> TestRuns | None:
    """The record of test runs; None where there is none, and, where it is made `again`, for one that cannot be used.
    Raises BadRequest."""
    name = settings.tests.runs
    text = file_text(workspace, name, _LARGEST)
    if not text:
        return None
    try:
        return runs_of_text(text)
    except TestRunsRefused as error:
        if again:
            return None
        raise BadRequest(f"{name} cannot be used: {error}. {ANEW}") from error


def selection_of(workspace: Workspace, settings: Settings, snapshot: Snapshot, place: SymbolRef) -> TestSelection:
    """The tests that may execute a symbol. Raises BadRequest."""
    runs = recorded_runs(workspace, settings)
    return select_tests(snapshot, (place,), runs=None if runs is None else TestRunMatch(runs, snapshot))


def selection_of_edits(
    workspace: Workspace,
    settings: Settings,
    snapshot: Snapshot,
    edits: Sequence[FileDiff],
    before: Callable[[Sequence[FileDiff]], Snapshot] | None = None,
) -> TestSelection:
    """The tests that may execute what edits touch. `before`: the graph without the edits, for who has it. Raises
    BadRequest."""

    def past(changes: Sequence[FileDiff]) -> Snapshot:
        return before_edits(snapshot, settings, changes, workspace.prefixes)

    return select_tests_of_edits(snapshot, edits, before or past, recorded_runs(workspace, settings))
