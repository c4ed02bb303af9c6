"""Workers: processes that extract and link, each of which may be killed.

Owns: starting or copying, the time limit of each file, killing, replacing after much work.
Must not know: what is extracted or linked, who wants it.
Invariant: no worker outlives its session or a file's time limit; a worker that cannot start is no file's fault, and
neither is a busy machine: time is CPU time where the system tells it, and wall time of ten times as much.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, cast

import attrs

import graphls
from graphls.session.process.forked_workers import ForkedWorker, can_fork
from graphls.session.process.frames import BrokenFrameError, Message, receive, send
from graphls.session.process.worker import serve

if TYPE_CHECKING:
    import subprocess

_START = (
    "import sys; sys.path[:0] = [] if sys.argv[1] in sys.path else [sys.argv[1]]; "
    "from importlib import import_module; import_module(sys.argv[2]).main()"
)
_FILES = "graphls.session.process.worker"
_BASE_SECONDS = 20.0
_SECONDS_A_MEGABYTE = 20.0
_START_SECONDS = 30.0
_LOOK = 0.2
_WAITING = 10
"""How many times its CPU time a file may take in wall time: what does not even run is given up too."""
_RECYCLE_BYTES = 96_000_000
_MOMENT = 0.01
_LAST_SECONDS = 5.0
"""How long a process that closed its streams may take to end."""
_OUTSIDE = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)
"""Signals that a process does not send itself, whatever it reads."""


class WorkerError(RuntimeError):
    """A worker process cannot be started or does not answer at all."""


class StalledError(RuntimeError):
    """The worker took too long at a file, or ended at it."""

    def __init__(self, reason: str, *, outside: bool = False) -> None:
        """`outside`: somebody else ended it, such as the memory killer of the system; the file may be innocent."""
        super().__init__(reason)
        self.outside = outside


@attrs.frozen
class CpuLimit:
    """How much CPU time one file may take."""

    base: float = _BASE_SECONDS
    megabyte: float = _SECONDS_A_MEGABYTE

    def seconds(self, size: int) -> float:
        """For a file of `size` bytes."""
        return self.base + self.megabyte * size / 1_000_000


class Worker:
    """One process. Used by one thread; `kill` may come from any."""

    def __init__(self, copy: ForkedWorker | None = None, *, module: str = _FILES) -> None:
        """`copy`: a process that serves already, and that nobody spoke to yet. `module`: what another one runs."""
        self._process = copy or _fresh(module)
        self._overdue = False
        self.served = 0
        self.expect(_START_SECONDS)
        self._await_start()

    def _await_start(self) -> None:
        watch = _DeadlineWatch(self)
        try:
            self.receive()
        except BrokenFrameError as error:
            self.close()
            raise WorkerError("a worker process ended as soon as it was started") from error
        finally:
            watch.end()

    def send(self, message: Message) -> None:
        """Hands over work. A worker that is gone is noticed when its answer is awaited."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            send(cast("BinaryIO", self._process.stdin), message)

    def receive(self) -> Message:
        """The next answer. Raises BrokenFrameError when the worker is gone."""
        assert self._process.stdout is not None
        try:
            return receive(cast("BinaryIO", self._process.stdout))
        except (OSError, ValueError) as error:
            raise BrokenFrameError("the worker is gone") from error

    def exchange(self, message: Message, sizes: Sequence[int], limit: CpuLimit) -> Iterator[Message]:
        """One answer for each file. Raises StalledError at the file that stalls or kills the process."""
        watch = _DeadlineWatch(self)
        try:
            # Handing over a large batch waits until the worker reads, so the first file's clock runs already.
            self.expect(limit.seconds(sizes[0]) if sizes else limit.base)
            self.send(message)
            for size in sizes:
                self.expect(limit.seconds(size))
                answer = self._answer(limit.seconds(size))
                self._deadline = math.inf
                self.served += size
                yield answer
        finally:
            watch.end()

    def _answer(self, seconds: float) -> Message:
        try:
            return self.receive()
        except BrokenFrameError:
            if self._overdue:
                self.close()
                raise StalledError(f"took longer than {seconds:.0f} seconds") from None
            ended_by = self._ended_by()
            self.close()
            raise StalledError(_ended_words(ended_by), outside=ended_by in _OUTSIDE) from None

    def _ended_by(self) -> int:
        """The signal that ended the process; 0 for an end of its own, or while it has not ended yet."""
        end = time.monotonic() + _LAST_SECONDS
        while (code := self._process.poll()) is None and time.monotonic() < end:
            time.sleep(_MOMENT)
        return max(-(code or 0), 0)

    def expect(self, seconds: float) -> None:
        """Sets the time of the next answer."""
        now, used = time.monotonic(), _cpu_seconds(self._process.pid)
        self._used_up = math.inf if used is None else used + seconds
        self._latest = now + (seconds if used is None else seconds * _WAITING)
        self._deadline = now + seconds

    def kill_if_overdue(self) -> None:
        """Ends the process when its time is over."""
        now = time.monotonic()
        if now <= self._deadline:
            return
        used = _cpu_seconds(self._process.pid)
        if used is not None and used < self._used_up and now < self._latest:
            # The machine gave it less than it was promised: it cannot be over before it had the rest.
            self._deadline = min(now + self._used_up - used, self._latest)
            return
        self._overdue = True
        self._process.kill()

    @property
    def worn(self) -> bool:
        """Whether it has done so much that a fresh process is better."""
        return self.served > _RECYCLE_BYTES

    @property
    def process_id(self) -> int:
        """For measuring."""
        return self._process.pid

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._process.wait()


def fork_workers(count: int) -> Sequence[ForkedWorker]:
    """So many processes that serve, as copies of this one; fewer, or none, where that cannot be."""
    made: list[ForkedWorker] = []
    if can_fork():
        with contextlib.suppress(OSError):
            while len(made) < count:
                made.append(ForkedWorker(serve))
    return made


def _fresh(module: str) -> subprocess.Popen[bytes]:
    """Such a process, from its beginning."""
    import subprocess  # a start that copies itself does without it

    above = os.path.dirname(os.path.dirname(graphls.__file__))
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _START, above, module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise WorkerError(f"no worker process: {error.strerror or error}") from error


def _ended_words(number: int) -> str:
    """Why a worker ended, by the signal that ended it."""
    if number in _OUTSIDE:
        return f"its worker process was ended from outside ({signal.Signals(number).name}), perhaps for want of memory"
    try:
        return f"ended the worker process ({signal.Signals(number).name})" if number else "ended the worker process"
    except ValueError:
        return f"ended the worker process (signal {number})"


class _DeadlineWatch:
    """Looks at a worker's deadline while someone waits for an answer."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._ended = threading.Event()
        threading.Thread(target=self._run, name="graphls-deadline", daemon=True).start()

    def _run(self) -> None:
        while not self._ended.wait(_LOOK):
            self._worker.kill_if_overdue()

    def end(self) -> None:
        self._ended.set()


def _cpu_seconds(process: int) -> float | None:
    """What a running process of this user has used; None where the system has no such clock.

    The number is the one that Linux's clock_getcpuclockid(3) makes of a process id; elsewhere it is no clock at all.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        return time.clock_gettime(~process << 3 | 2)
    except OSError:
        return None
