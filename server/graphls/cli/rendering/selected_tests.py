"""Test rows: tests to run, as text.

Owns: the layout.
Must not know: commands, how tests are found.
Invariant: what was left out is said with its number.
"""

from __future__ import annotations

import sys

from graphls.cli.options import Format
from graphls.cli.rendering.answers import FAINT, NAME, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.node_views import Presenter
from graphls.queries.tests_to_run import TestSelection
from graphls.queries.tests_view import TestsView, view_of_tests


def write_tests(snapshot: Snapshot, found: TestSelection, format: Format, *, limit: int = 0, only_ids: bool) -> None:
    """An answer: ids alone for a runner, JSON, or text. `limit`: how many tests, 0 for all."""
    view = view_of_tests(Presenter(snapshot), found, limit)
    envelope = answer(snapshot, found.coverage)
    if only_ids:
        _write_ids(view)
    elif format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view)
        close_page(page, envelope)
        page.write()


def _page(view: TestsView) -> TextPage:
    page = TextPage()
    total = view.certain + view.possible + view.unresolved
    page.line(
        f"{counted(total, 'test')} may run {counted(len(view.changed), 'symbol')}: {view.certain} certain, "
        f"{view.possible} possible, {view.unresolved} by uses that are not resolved"
    )
    for reason in view.whole:
        page.line((f"run all tests: any may meet {reason}", "yellow"))
    if view.importing:
        page.note(f"and {counted(view.importing, 'test')} that only import it, not listed")
    for certainty in ("certain", "possible", "unresolved"):
        rows = [test for test in view.tests if test.certainty == certainty]
        if rows:
            page.heading(certainty)
        page.rows([((one, NAME), (test.why, FAINT)) for test in rows for one in test.ids], indent="  ")
    return page


def _write_ids(view: TestsView) -> None:
    """One id a line, for a runner. Who reads nothing else must not take a part for all."""
    for reason in view.whole:
        sys.stderr.write(f"graphls: warning: run all tests: any may meet {reason}\n")
    ids = dict.fromkeys(one for test in view.tests for one in test.ids)
    sys.stdout.write("".join(f"{one}\n" for one in ids))
