"""Reading from the client while the server ends."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from graphls.lsp.protocol.transports import read_all


def test_reading_ends_without_a_word_when_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    problems: list[str] = []

    def noted(hook: threading.ExceptHookArgs) -> None:
        problems.append(repr(hook.exc_value))

    monkeypatch.setattr(threading, "excepthook", noted)
    source, sink = os.pipe()
    os.write(sink, b"a message")

    async def served() -> threading.Thread:
        taken = asyncio.Event()

        async def take(_: bytes) -> None:
            taken.set()
            await asyncio.Event().wait()

        thread = threading.Thread(target=read_all, args=(source, asyncio.get_running_loop(), take), daemon=True)
        thread.start()
        await taken.wait()
        return thread

    thread = asyncio.run(served())
    thread.join(120)
    os.close(sink)
    os.close(source)
    assert not thread.is_alive()
    assert problems == []
