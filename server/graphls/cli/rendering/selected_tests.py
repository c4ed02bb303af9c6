"""Test rows: tests to run, as text.

Owns: the layout.
Must not know: commands, how tests are found.
Invariant: what was left out is said with its number.
"""

from __future__ import annotations

import sys

from graphls.cli.rendering.answers import FAINT, NAME
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.tests_view import TestsView


def page_of_tests(view: TestsView) -> TextPage:
    """All of an answer."""
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


def write_ids(view: TestsView) -> None:
    """One id a line, for a runner."""
    ids = dict.fromkeys(one for test in view.tests for one in test.ids)
    sys.stdout.write("".join(f"{one}\n" for one in ids))
