"""Pauses: how long a session waits for what, and how much may wait for it.

Owns: these numbers.
Must not know: what is done behind them.
Invariant: seconds, unless a name says bytes or files.
"""

from __future__ import annotations

DEBOUNCE = 0.15
QUIET = 0.5
MOST_BEHIND = 96_000_000
BEHIND_WHEN_LINKED = 8_000_000
"""Bytes that may wait for the store while work goes on, and once all is linked: writing then delays nobody."""
PAUSE = 0.6
"""Seconds without an edit after which files are linked ahead."""
PROGRESS_PAUSE = 0.1
CALM = 20.0
"""Seconds without an edit after which that is done which the next edit makes worthless."""
SHORT_REST = 0.05
"""Seconds after which work that rests looks whether it is still wanted."""
AT_ONCE, LITTLE = 0.3, 20
"""Seconds that an answer waits for what changed on disk, where that is so few files."""
MANY = 2_000
"""Files that wait to be read, from which on who asks how far this is has the state that was shown last."""
WHILE_READING = 1.0
"""Seconds that an answer which can name what it lacks waits for edits of open files that are slow to read."""
AT_MOST = 30.0
"""The same where the answer has to be fresh."""
