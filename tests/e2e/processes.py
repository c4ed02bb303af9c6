"""Processes: what runs below a process, and what it holds of the memory, as the system tells.

Owns: reading the process table.
Must not know: what the processes do.
Invariant: a process that ends meanwhile is left out; where there is no such table nothing is found.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path


def descendants(process: int) -> list[int]:
    """The process and all below it."""
    found, left = [process], [process]
    while left:
        try:
            tasks = list(Path(f"/proc/{left.pop()}/task").iterdir())
            below = [int(word) for task in tasks for word in (task / "children").read_text().split()]
        except OSError:
            continue
        found += below
        left += below
    return found


def resident(process: int) -> int:
    """Bytes: the proportional share."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def resident_at_rest(process: int) -> int:
    """The same once it does not grow any more: a server reads its workspace after it has said where it listens."""
    before, end = resident(process), time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(1)
        now = resident(process)
        if abs(now - before) < 200_000:
            break
        before = now
    return before


def cpu_seconds(process: int) -> float:
    """Of the process alone, so far."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alive(process: int) -> bool:
    """Whether it runs; one that ended and was not asked about is not alive."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def survivors(processes: Collection[int], seconds: float) -> list[int]:
    """Those that still run after a time."""
    end = time.monotonic() + seconds
    while (left := [one for one in processes if alive(one)]) and time.monotonic() < end:
        time.sleep(0.05)
    return left
