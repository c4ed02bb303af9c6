"""Test rows: tests to run, as text.

Owns: the layout.
Must not know: commands, how tests are found.
Invariant: what was left out is said with its number.
"""

from __future__ import annotations

import sys
from typing import Final

from graphls.cli.options import Format
from graphls.cli.rendering.answers import FAINT, NAME, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.node_views import Presenter
from graphls.queries.tests_to_run import TestSelection, record_text
from graphls.queries.tests_view import TestsView, view_of_tests

MOST_SHOWN: Final = 60
"""Tests that a text lists: a hub is run by thousands."""


def write_tests(snapshot: Snapshot, found: TestSelection, format: Format, *, limit: int | None, only_ids: bool) -> None:
    """An answer: ids alone for a runner, JSON, or text. `limit`: how many tests, 0 for all; None for all but in text,
    which people read."""
    few = MOST_SHOWN if format is Format.TEXT and not only_ids else 0
    view = view_of_tests(Presenter(snapshot), found, few if limit is None else limit)
    envelope = answer(snapshot, found.coverage)
    if only_ids:
        _write_ids(view)
    elif format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view)
        close_page(page, envelope, lists_open=False)
        page.write()


def _page(view: TestsView) -> TextPage:
    page = TextPage()
    total = view.certain + view.possible + view.unresolved
    page.line(
        f"{counted(total, 'test')} may run {counted(len(view.changed), 'symbol')}: {view.certain} certain, "
        f"{view.possible} possible, {view.unresolved} by uses that are not resolved"
    )
    if view.record is not None:
        page.note(record_text(view.record))
    for reason in view.whole:
        page.line((f"run all tests: any may meet {reason}", "yellow"))
    if view.importing:
        page.note(f"and {counted(view.importing, 'test')} that only import it, not listed")
    for certainty in ("certain", "possible", "unresolved"):
        rows = [test for test in view.tests if test.certainty == certainty]
        if rows:
            page.heading(certainty)
        page.rows([((one, NAME), (test.why, FAINT)) for test in rows for one in test.ids], indent="  ")
    if view.omitted:
        page.line()
        page.note(f"and {counted(view.omitted, 'more test')}: --ids lists all of them")
    return page


def _write_ids(view: TestsView) -> None:
    """One id a line, for a runner. Who reads nothing else must not take a part for all."""
    for reason in view.whole:
        sys.stderr.write(f"graphls: warning: run all tests: any may meet {reason}\n")
    ids = dict.fromkeys(one for test in view.tests for one in test.ids)
    sys.stdout.write("".join(f"{one}\n" for one in ids))
