"""Tests view: the tests that may execute a change, as faces for people and agents show them.

Owns: the records of an answer.
Must not know: layout, JSON, how tests are found.
Invariant: the same answer gives the same records on every face.
"""

from __future__ import annotations

import attrs

from graphls.queries.node_views import NodeView, Presenter
from graphls.queries.tests_to_run import RunRecord, SelectedTest, TestSelection, way_text


@attrs.frozen(kw_only=True)
class TestRow:
    """One test. `ids`: what its runner calls it, once for each class that has it; `why`: the way from the test to what
    changes."""

    __test__ = False

    ids: tuple[str, ...]
    runner: str
    certainty: str
    steps: int
    why: str
    node: NodeView


@attrs.frozen(kw_only=True)
class TestsView:
    """Surest and nearest first. `importing`: tests that only import modules whose own code runs what changes, not
    listed; `whole`: changes that any test may meet, so that all have to run; `record`: the record of runs that was
    used."""

    __test__ = False

    changed: tuple[NodeView, ...]
    certain: int
    possible: int
    unresolved: int
    importing: int
    whole: tuple[str, ...]
    tests: tuple[TestRow, ...]
    omitted: int
    record: RunRecord | None = None


def view_of_tests(presenter: Presenter, found: TestSelection, limit: int = 0) -> TestsView:
    """The records of an answer; 0: of all tests."""
    running = found.running
    shown = running[:limit] if limit else running
    return TestsView(
        changed=tuple(presenter.node(seed) for seed in found.seeds),
        certain=found.count("certain"),
        possible=found.count("possible"),
        unresolved=found.count("unresolved"),
        importing=found.count("import"),
        whole=found.whole,
        tests=tuple(_row(presenter, test) for test in shown),
        omitted=len(running) - len(shown),
        record=found.record,
    )


def _row(presenter: Presenter, test: SelectedTest) -> TestRow:
    return TestRow(
        ids=test.ids,
        runner=test.runner,
        certainty=test.certainty,
        steps=test.steps,
        why=way_text(presenter.snapshot, test),
        node=presenter.node(test.node),
    )
