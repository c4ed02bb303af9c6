"""Memory that is freed goes back to the system, where the C library can do that."""

from __future__ import annotations

import sys

import pytest

from graphls.session import freed_memory
from graphls.session.freed_memory import give_back, hold_few_arenas


def resident() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator only")
def test_what_is_freed_goes_back() -> None:
    hold_few_arenas()
    # Blocks too small for a mapping of their own, the last of which stays: without a request all would stay.
    blocks = [bytearray(60_000) for _ in range(2_000)]
    full = resident()
    last = blocks.pop()
    del blocks
    give_back()
    assert full - resident() > 60_000_000
    assert len(last) == 60_000


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freed_memory.sys, "platform", "win32")
    hold_few_arenas()
    assert not give_back()
