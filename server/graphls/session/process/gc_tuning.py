"""Gc tuning: when Python looks for garbage that refers to itself, and among what.

Owns: how often that happens in a process that serves a session, what is set aside from it.
Must not know: what the objects are.
Invariant: nothing that was set aside is garbage then; what becomes garbage later is found the next time.

A look at all objects of a large workspace, or of one large file that was just read, holds every thread for a tenth of
a second and more. Almost all of them live as long as the workspace, and facts hold no cycles: so they are set aside, by
a look while nobody asks, without one while somebody does, and what is left is small.
"""

from __future__ import annotations

import gc
import sys
from typing import Final

_MADE: Final = 50_000
"""Objects made, and not freed, before the newest are looked at in the midst of work: some milliseconds."""
_OFTEN: Final = 40
_NEVER: Final = 10_000
"""After so many of these looks all that they left is looked at again; in one that serves only between requests."""
_FEW: Final = 2_000
_SINCE: Final = 400_000
"""Blocks of memory since the last time that are worth a look at everything."""
_MUCH: Final = 150_000
"""New objects that are set aside without a look."""
_TOO_MUCH: Final = 3_000_000
"""Blocks, some 250 MB, that may be set aside so before a look is due all the same; more where all that was looked at
last was more: states of before are garbage among them, and a session that is never left alone would keep them all."""
_TOO_MUCH_ASKED: Final = 8_000_000
"""The same while somebody asks again and again: such a look holds every answer for half a second, and mostly there is a
pause before it must be."""
_GROWN: Final = 40_000
_GROWN_BUSY: Final = 100_000
"""Blocks since the last time that are worth a look at all that was not set aside; and while somebody waits."""


def raise_thresholds(*, serves: bool = False) -> None:
    """Makes the looks at new objects few, for the whole process. `serves`: people wait for it, and a session looks."""
    gc.set_threshold(_MADE, _NEVER if serves else _OFTEN, 10)


def collect_young() -> None:
    """Frees what is garbage among the newest objects. While nobody waits: takes some milliseconds."""
    if gc.get_count()[0] > _FEW:
        gc.collect(1 if _new_objects() < _MUCH else 0)


def _new_objects() -> int:
    """How many were made, at most, since all was looked at or set aside."""
    made, looks, _ = gc.get_count()
    return made + looks * _MADE


class GcTuning:
    """What of one process is spared from looks.

    Objects are never listed for this (`gc.get_objects`): a tuple that another thread is just filling must not be seen.
    """

    def __init__(self) -> None:
        self._blocks = self._looked = sys.getallocatedblocks()

    @property
    def due(self) -> bool:
        """Whether there is enough new for a look at everything, once nobody asks."""
        return abs(sys.getallocatedblocks() - self._blocks) >= _SINCE

    def collect_and_freeze(self) -> bool:
        """Frees what is garbage and spares the rest from further looks; whether there was enough new to do so."""
        if not self.due:
            return False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._blocks = self._looked = sys.getallocatedblocks()
        return True

    def collect_if_grown(self, *, busy: bool = False, asked: bool = False) -> bool:
        """Frees garbage among all that came after what is set aside, for a session that never rests; whether it did.
        `busy`: somebody waits. `asked`: somebody asked lately, or waits.

        A state that was in use at one look and is garbage at the next is not among the newest objects any more. What
        is in use is set aside then. Where much came at once, which are the facts of a large file, it is without a look.
        """
        now = sys.getallocatedblocks()
        self._looked = min(self._looked, now)
        if now - self._looked < (_GROWN_BUSY if busy else _GROWN):
            return False
        if now - self._blocks > max(_TOO_MUCH_ASKED if asked else _TOO_MUCH, self._blocks):
            return self.collect_and_freeze()
        look = _new_objects() <= _MUCH
        if look:
            gc.collect()
        gc.freeze()
        self._looked = sys.getallocatedblocks()
        return look
