"""Memory that is freed goes back to the system, where the C library can do that."""

from __future__ import annotations

import sys

import pytest

from graphls.session.process import malloc_trimming
from graphls.session.process.malloc_trimming import MallocTrimmer, limit_arenas, trim_heap


def resident() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator only")
def test_what_is_freed_goes_back() -> None:
    limit_arenas()
    # Blocks too small for a mapping of their own, the last of which stays: without a request all would stay.
    blocks = [bytearray(60_000) for _ in range(2_000)]
    full = resident()
    last = blocks.pop()
    del blocks
    trim_heap()
    assert full - resident() > 60_000_000
    assert len(last) == 60_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator only")
def test_large_blocks_go_back_at_once() -> None:
    limit_arenas()
    for size in (1_000_000, 20_000_000):  # from these glibc learns that large blocks come and go
        bytearray(size)
    blocks = [bytearray(300_000) for _ in range(400)]
    full = resident()
    last = blocks.pop()
    del blocks
    assert full - resident() > 60_000_000
    assert len(last) == 300_000


def test_who_never_rests_gives_back_now_and_then() -> None:
    now, given = [0.0], list[float]()

    def give() -> bool:
        given.append(now[0])
        return True

    trimming = MallocTrimmer(give, lambda: now[0])
    for now[0] in range(61):
        assert trimming.trim_if_due() == (now[0] > 0 and now[0] % 20 == 0)
    assert given == [20, 40, 60]


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc_trimming.sys, "platform", "win32")
    limit_arenas()
    assert not trim_heap()
