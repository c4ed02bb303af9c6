"""Stages: what the one thread of a session does when.

Owns: the table from the state of a session to the stage that is due.
Must not know: what a stage does, threads.
Invariant: the first row whose state holds decides, and no later one is looked at: its stage is due, or nothing is yet.

Events come from any thread and only change the state; the thread then looks into the table again:

| event | state after it |
|---|---|
| a document is opened, changed; an open file was read from disk | `stale` |
| a document is closed; a file was made, changed, deleted | `queued`, or the file is gone: `altered` |
| a folder, a manifest, an ignore file changed; settings; a client asks | `rescan` |
| what is installed changed | `rescan`, `walk_due` after a pause |
| a walk ended | `queued`, `altered` |
| a file was read | `altered` |
| somebody takes a snapshot | neither `stale` nor `altered`: both were taken in |
| memory is at its limit, or no more | `short` |
| any of these | `quiet` begins anew where contents changed; not `saved` |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import attrs

from graphls.session import pauses

StageName = Literal["show", "scan", "index", "link", "rest", "prefetch"]


@attrs.frozen(kw_only=True)
class SessionSituation:
    """The state of a session, as far as it decides what is due."""

    stale: bool = False
    """An open file has edits that were not read."""
    rescan: bool = False
    """The workspace is to be walked."""
    walk_due: bool = True
    """It may be walked now: installations change thousands of files, and are waited for."""
    queued: bool = False
    """Files wait to be read."""
    altered: bool = False
    """Files are other than in the newest snapshot."""
    short: bool = False
    """Memory is at its limit."""
    unlinked: bool = False
    """Links are missing that are to be made ahead."""
    editing: bool = False
    """Files are open, and everything was linked once: what is asked meanwhile is linked on demand, and linking ahead
    between two keystrokes only delays the answers."""
    saved: bool = True
    """Nothing came since the last rest."""
    unprefetched: bool = False
    """All is linked, and what first questions would need is not there."""
    quiet: float = 0.0
    """Seconds since contents changed."""


@attrs.frozen
class StageRow:
    """One row of the table."""

    stage: StageName
    holds: Callable[[SessionSituation], bool]
    """The state for which the row is."""
    once: Callable[[SessionSituation], bool] = lambda _: True
    """What is waited for in this state."""


TABLE: Final = (
    StageRow("show", lambda now: now.stale and now.quiet > pauses.DEBOUNCE),
    StageRow("scan", lambda now: now.rescan and now.walk_due),
    StageRow("index", lambda now: now.queued and not now.short),
    StageRow("show", lambda now: now.altered and now.quiet > pauses.DEBOUNCE),
    StageRow("rest", lambda now: now.short, lambda now: not now.saved and now.quiet > pauses.QUIET),
    # Before rest, which events alone end.
    StageRow(
        "link",
        lambda now: now.unlinked,
        lambda now: not now.rescan and now.quiet > (pauses.PAUSE if now.editing else pauses.DEBOUNCE),
    ),
    StageRow("rest", lambda now: not now.saved, lambda now: now.quiet > pauses.QUIET),
    StageRow("prefetch", lambda now: now.unprefetched),
)


def due_stage(now: SessionSituation) -> StageName | None:
    """The most urgent thing to do; None where nothing is due yet."""
    row = next((row for row in TABLE if row.holds(now)), None)
    return row.stage if row is not None and row.once(now) else None
