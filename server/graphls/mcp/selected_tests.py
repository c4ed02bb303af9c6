"""Selected tests: tests to run, as rows of an answer.

Owns: what a row says.
Must not know: tools, how tests are found.
Invariant: each id is what the runner takes; what was left out is said with its number.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphls.graph.snapshot import Snapshot
from graphls.mcp.text_form import Row
from graphls.mcp.wording import counted
from graphls.queries.tests_to_run import TestSelection, record_text, way_text

_HEADINGS = {"certain": "tests, certain:", "possible": "tests, possible:", "unresolved": "tests, by unresolved uses:"}


def selected_rows(snapshot: Snapshot, found: TestSelection) -> Iterator[Row]:
    """Ids under how sure they are."""
    if found.record is not None:
        yield Row(record_text(found.record))
    for reason in found.whole:
        yield Row(f"run all tests: any may meet {reason}")
    for test in found.running:
        why = f"  <- {way_text(snapshot, test)}" if test.certainty != "certain" else ""
        yield from (Row(f"{one}{why}", (_HEADINGS[test.certainty],)) for one in test.ids)
    importing = found.count("import")
    if importing:
        yield Row(f"{counted(importing, 'test')} that only import it, not listed")
