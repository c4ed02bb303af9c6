"""Options: how one session works, and how far it is.

Owns: the values that a face gives a session at its start, the stages of its work.
Must not know: what is done in a stage.
Invariant: what a user chooses is in the settings, not here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import attrs

from graphls.graph.snapshot import Snapshot
from graphls.session.process.workers import CpuLimit
from graphls.settings import Settings

if TYPE_CHECKING:
    from graphls.compilers.background import CheckerProgress as CheckProgress

Stage = Literal["scanning", "indexing", "ready", "linking", "complete"]


@attrs.frozen
class IndexProgress:
    """How far the session is. `total` 0: not known yet."""

    stage: Stage
    done: int = 0
    total: int = 0


@attrs.frozen
class SessionOptions:
    """How a session works, apart from what the user chooses."""

    link_all: bool = True
    """Link every file in the background; otherwise links are made when someone asks."""
    limit: CpuLimit = attrs.field(factory=CpuLimit)
    libraries: bool = False
    """Read the standard library's stubs and the packages of the environment, where names lead there."""
    checker: bool = False
    """Have the checker that the settings name settle what graphls is not sure of."""
    upgrade: bool = True
    """Settle everything in the background once every file is linked."""
    look: bool = False
    """Remember which folders are open to changes, so that a look at the disk costs little: for servers."""
    settings: Callable[[], Settings] | None = None
    """What the settings are now, by their files too; asked at each walk."""
    on_checked: Callable[[CheckProgress], None] | None = None
    """Called in a thread of its own as the background work on uncertain sites goes on."""
    on_progress: Callable[[IndexProgress], None] | None = None
    busy: Callable[[], bool] = lambda: False
    """Whether somebody waits for an answer: work ahead gives way then."""
    give_way: Callable[[], Callable[[], None]] = lambda: lambda: None
    """Makes what long work calls between its steps where it holds no lock: it waits while an answer about one place is
    made, for a bounded time."""
    on_failure: Callable[[], None] | None = None
    """Called in the session's own thread where its work failed, as it never should."""
    on_snapshot: Callable[[Snapshot], None] | None = None
    """Called in the session's own thread for snapshots that nobody asked for."""
