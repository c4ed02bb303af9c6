"""Idle share: how much of a core work has for which nobody waits.

Owns: the seconds that such work has at once, the share that more of it has, how long it rests.
Must not know: what the work is, who would wait for it.
Invariant: over a long time the work has its share, however many steps it is made of; its answers do not depend on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, final

AT_ONCE: Final = 10.0
"""Seconds of work without a rest: most workspaces need no more."""
SHARE: Final = 0.2
_REST: Final = 0.5
"""Seconds of the longest rest; who works goes on then, whatever is owed."""


@final
class IdleShare:
    """Credit of one thread: work spends it, time brings it back."""

    def __init__(self, at_once: float = AT_ONCE, worked: Callable[[], float] = time.thread_time) -> None:
        """`worked`: seconds of work so far; `time.monotonic` where others do it, as a server that is asked."""
        self._at_once = self._credit = at_once
        self._worked = worked
        self._then, self._done = time.monotonic(), worked()

    def pause(self) -> float:
        """Seconds to rest now, 0 while there is credit. What was done since the last question is spent."""
        now, done = time.monotonic(), self._worked()
        earned = SHARE * (now - self._then) - (done - self._done)
        self._credit = max(min(self._credit + earned, self._at_once), -SHARE * _REST)
        self._then, self._done = now, done
        return -self._credit / SHARE if self._credit < 0 else 0.0

    def resume(self) -> None:
        """There was a rest, whatever `worked` says: it was no work."""
        self._done = self._worked()
        self.pause()
