"""Lifecycle: which messages may be handled now, and when the process ends.

Owns: the phases from start to exit, the exit code, watching the client's process.
Must not know: what handlers do, transports, the session.
Invariant: the exit code is 0 only after a shutdown request.
"""

from __future__ import annotations

import asyncio
import enum
import os
import sys
from collections.abc import Callable
from pathlib import Path

from graphls.lsp.protocol.errors import NOT_INITIALIZED_YET, Failure, invalid_request

POLL_SECONDS = 1.0


class Phase(enum.Enum):
    """How far the client has come."""

    FRESH = "fresh"
    RUNNING = "running"
    SHUT_DOWN = "shut down"


class Lifecycle:
    """The phase, and what it refuses. Used on the loop only."""

    def __init__(self) -> None:
        self.phase = Phase.FRESH
        self._greeted = False

    @property
    def exit_code(self) -> int:
        """What the process should end with if it ended now."""
        return 0 if self.phase is Phase.SHUT_DOWN else 1

    def refusal(self, method: str) -> Failure | None:
        """Why a request may not be handled now, whatever its method is."""
        if self.phase is Phase.SHUT_DOWN:
            return invalid_request("The server was shut down; only exit may follow.")
        if self.phase is Phase.FRESH and method != "initialize":
            return NOT_INITIALIZED_YET
        if self.phase is Phase.RUNNING and method == "initialize":
            return invalid_request("The server is initialized already.")
        return None

    def takes(self, method: str) -> bool:
        """Whether a notification other than exit is handled now: `initialized` begins things, so only once."""
        if self.phase is not Phase.RUNNING:
            return False
        again = self._greeted and method == "initialized"
        self._greeted = self._greeted or method == "initialized"
        return not again


async def watch_process(pid: int, gone: Callable[[], None]) -> None:
    """Call `gone` when a process that runs now ends. One that can not be seen (a container's client) is not watched."""
    if pid <= 0 or not is_alive(pid):
        return
    while is_alive(pid):
        await asyncio.sleep(POLL_SECONDS)
    gone()


def is_alive(pid: int) -> bool:
    """Whether a process runs. A zombie does not."""
    if sys.platform == "win32":
        return _is_alive_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True
    return stat.rpartition(b")")[2].split()[:1] != [b"Z"]


def _is_alive_windows(pid: int) -> bool:
    """os.kill(pid, 0) would send Ctrl-C here."""
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009
    handle = kernel.OpenProcess(0x0010_0000, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == 0x102)
    finally:
        kernel.CloseHandle(handle)
