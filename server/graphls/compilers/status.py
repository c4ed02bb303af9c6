"""Status: how a checker is doing, for people and for answers.

Owns: the words for the states of a checker.
Must not know: processes, protocols.
Invariant: a checker that cannot answer is in a state that says so, with the reason.
"""

from __future__ import annotations

from enum import Enum

import attrs


class CheckerState(Enum):
    """What a checker is doing."""

    OFF = "off"
    """Switched off by a setting."""
    MISSING = "missing"
    """Not installed, or not to be started."""
    IDLE = "idle"
    """Not running; starts with the next question."""
    STARTING = "starting"
    READY = "ready"
    WAITING = "waiting"
    """It failed; the next start waits."""
    FAILED = "failed"
    """It failed too often and is not started again."""


@attrs.frozen
class CheckerStatus:
    """One checker of one workspace folder."""

    name: str
    version: str
    """"" until it has said so."""
    state: CheckerState
    restarts: int
    problem: str
    """What went wrong last, "" when nothing did."""
    asked: int
    answered: int
    pending: int
    memory_bytes: int | None
    milliseconds: float
    """Average time of the last answers, from question to answer."""
    languages: tuple[str, ...] = ()
    """Names of the languages it checks."""
