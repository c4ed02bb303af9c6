"""Gc tuning: when Python looks for garbage that refers to itself, and among what.

Owns: how often that happens in a process that serves a session, what is set aside from it.
Must not know: what the objects are.
Invariant: nothing that was set aside is garbage then; what becomes garbage later is found the next time.

A look at all objects of a large workspace holds every thread for a tenth of a second. Almost all of them live as
long as the workspace, and facts hold no cycles: so they are set aside while nobody asks, and what is left is small.
"""

from __future__ import annotations

import gc
import sys
from typing import Final

_MADE: Final = 200_000
"""Objects made, and not freed, before the newest are looked at in the midst of work: more than a large file takes."""
_FEW: Final = 2_000
_SINCE: Final = 400_000
"""Blocks of memory since the last time that are worth a look at everything."""
_GROWN: Final = 40_000
_GROWN_BUSY: Final = 100_000
"""Blocks since the last time that are worth a look at all that was not set aside; and while somebody waits."""


def raise_thresholds() -> None:
    """Makes the looks at new objects few, for the whole process."""
    gc.set_threshold(_MADE, 10, 10)


def collect_young() -> None:
    """Frees what is garbage among the newest objects. While nobody waits: takes some milliseconds."""
    if gc.get_count()[0] > _FEW:
        gc.collect(1)


class GcTuning:
    """What of one process is spared from looks.

    Objects are never listed for this (`gc.get_objects`): a tuple that another thread is just filling must not be seen.
    """

    def __init__(self) -> None:
        self._blocks = self._looked = 0

    def collect_and_freeze(self) -> bool:
        """Frees what is garbage and spares the rest from further looks; whether there was enough new to do so."""
        if abs(sys.getallocatedblocks() - self._blocks) < _SINCE:
            return False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._blocks = self._looked = sys.getallocatedblocks()
        return True

    def collect_if_grown(self, *, busy: bool = False) -> bool:
        """Frees garbage among all that came after what is set aside, for a session that never rests; whether it did.

        A state that was in use at one look and is garbage at the next is not among the newest objects any more.
        """
        now = sys.getallocatedblocks()
        self._looked = min(self._looked, now)
        if not self._blocks or now - self._looked < (_GROWN_BUSY if busy else _GROWN):
            return False
        gc.collect()
        self._looked = sys.getallocatedblocks()
        return True
