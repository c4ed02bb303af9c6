"""Worker: what runs in a worker process.

Owns: answering `extract`, `world` and `link` messages, one answer a file.
Must not know: files of the workspace on disk, other workers, protocols of editors. Libraries it reads itself.
Invariant: ends when its input ends, and by itself when one file takes far too long; imports only what files need.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from graphls.facts.paths import FilePath
from graphls.languages.extract.nesting import allow_frames
from graphls.languages.registry import providers
from graphls.session.index.extraction import extract_file
from graphls.session.process.frames import BrokenFrameError, Message, receive, send

if TYPE_CHECKING:
    from graphls.session.link.worker_snapshot import WorkerSnapshot

MEMORY_LIMIT = 3 << 30
PATIENCE = 300
"""Seconds of CPU; the session gives a file less, this is for a worker whose session is gone."""
_NICE = 5
"""Whoever waits for an answer goes before whoever works ahead."""


def main() -> None:
    """Serves messages on standard input and output until input ends."""
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Serves messages in a process that does nothing else."""
    allow_frames()
    limit_memory()
    if sys.platform != "win32":
        os.nice(_NICE)
    with contextlib.suppress(BrokenFrameError, BrokenPipeError, KeyboardInterrupt):
        _warm_up()
        send(sink, ("ready",))
        _serve(source, sink)


def _warm_up() -> None:
    """Loads grammars and compiles queries, so that the first file is not charged for it."""
    for provider in providers().values():
        for ending in provider.capabilities.endings[:1]:
            _extracted(FilePath(f"warm{ending}"), provider.capabilities.name, b"")


def limit_memory() -> None:
    """A file that makes a parser explode gets a MemoryError here, before the machine suffers."""
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


class WorkerServer:
    """Answers messages; what a worker process does, and what the session does itself for a few files."""

    def __init__(self) -> None:
        self._world: WorkerSnapshot | None = None

    def answers(self, message: Message) -> Iterator[Message]:
        """One answer a file, each made when it is asked for."""
        if message[0] == "world":
            from graphls.session.link.worker_snapshot import WorkerSnapshot  # those who only extract do without it

            self._world = WorkerSnapshot(message, self._world)
        elif message[0] == "extract":
            for path, language, data in cast("tuple[tuple[str, str, bytes], ...]", message[1]):
                yield (path, *_extracted(FilePath(path), language, data))
        elif message[0] == "link":
            for path, content, facts in cast("tuple[tuple[str, str, bytes], ...]", message[1]):
                yield (path, *((None,) if self._world is None else self._world.link(FilePath(path), content, facts)))


def _serve(source: BinaryIO, sink: BinaryIO) -> None:
    serving = WorkerServer()
    # Facts hold no cycles: looking for some in the midst of work costs a tenth of it.
    gc.disable()
    while True:
        gc.collect(0)
        answers = serving.answers(receive(source))
        while True:
            _alarm(PATIENCE)
            answer = next(answers, None)
            _alarm(0)
            if answer is None:
                break
            send(sink, answer)


def _extracted(path: FilePath, language: str, data: bytes) -> tuple[object, ...]:
    try:
        made = extract_file(providers()[language], path, data)
    except Exception as error:  # noqa: BLE001 (the answer names the file's problem)
        return (f"{type(error).__name__}: {error}"[:300],)
    return ("", made.facts, made.surface, made.names, made.defined, made.surface_hash)


def _alarm(seconds: int) -> None:
    """The system ends this process when one file takes far too long, should the session be gone by then."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)
