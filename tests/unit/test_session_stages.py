"""What a session does when: the table from its state to the stage that is due."""

from __future__ import annotations

import pytest

from graphls.session.stages import SessionSituation, StageName, due_stage

_BUSY = SessionSituation(stale=True, rescan=True, queued=True, altered=True, unlinked=True, saved=False, quiet=9.0)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (SessionSituation(), None),
        (_BUSY, "show"),
        (SessionSituation(stale=True, rescan=True, quiet=0.1), "scan"),
        (SessionSituation(rescan=True, walk_due=False, queued=True), "index"),
        (SessionSituation(queued=True, altered=True, quiet=9.0), "index"),
        (SessionSituation(altered=True, quiet=0.2), "show"),
        (SessionSituation(altered=True, quiet=0.1, unlinked=True), None),
        (SessionSituation(unlinked=True, saved=False, quiet=0.2), "link"),
        # While somebody edits, links wait longer; and a walk that is to follow would undo them.
        (SessionSituation(unlinked=True, editing=True, quiet=0.2), None),
        (SessionSituation(unlinked=True, editing=True, quiet=0.7), "link"),
        (SessionSituation(unlinked=True, rescan=True, walk_due=False, quiet=9.0), None),
        # Rest waits for links, first questions for rest.
        (SessionSituation(saved=False, unprefetched=True, quiet=0.4), None),
        (SessionSituation(saved=False, unprefetched=True, quiet=0.6), "rest"),
        (SessionSituation(unprefetched=True), "prefetch"),
        # Without memory nothing is done ahead; what is seen is still shown.
        (SessionSituation(short=True, queued=True, unlinked=True, saved=False, quiet=9.0), "rest"),
        (SessionSituation(short=True, queued=True, unlinked=True, unprefetched=True, quiet=9.0), None),
        (SessionSituation(short=True, altered=True, quiet=9.0), "show"),
    ],
)
def test_the_stage_that_is_due(now: SessionSituation, due: StageName | None) -> None:
    assert due_stage(now) == due
