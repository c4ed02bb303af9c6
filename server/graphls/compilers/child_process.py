"""Child process: one running server process that is never left behind.

Owns: start, streams, the tail of standard error, the end of the process and all that it started.
Must not know: requests, answers, restarts.
Invariant: the process ends with this one, however this one ends; no call waits for the child to read or write.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import IO

import attrs

from graphls.compilers.wire import Message, WireError, frame, read_message

_STDERR_LINES = 40
_STDERR_WIDTH = 400
_START_SECONDS = 20.0
_WATCHDOG = str(PurePath(__file__).with_name("parent_watchdog.py"))


class CannotStart(Exception):
    """The program could not be started. The text is fit for users."""


@attrs.frozen
class Launch:
    """What to run. `command[0]` is an absolute path."""

    command: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]


class Child:
    """A started process. `receive` gets every message, `gone` is called once when the stream ends; both on a thread
    of the child."""

    def __init__(self, launch: Launch, receive: Callable[[Message], None], gone: Callable[[str], None]) -> None:
        self._launch = launch
        self._receive = receive
        self._gone = gone
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._process: subprocess.Popen[bytes] | None = None
        self._failure = ""
        self._reason = ""
        self._started = threading.Event()
        # The kernel ties the child to the thread that started it: that thread stays until the child is gone.
        threading.Thread(target=self._keep, name="checker", daemon=True).start()
        if not self._started.wait(_START_SECONDS) or self._process is None:
            raise CannotStart(self._failure or "the program did not start")
        atexit.register(self.kill)

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines of standard error."""
        return tuple(self._stderr)

    def send(self, message: Message) -> None:
        """Queues one message; never waits."""
        self._outbox.put(frame(message))

    def kill(self, reason: str = "") -> None:
        """Ends the process and its group now; `reason` is what `gone` will say."""
        self._reason = self._reason or reason
        self._outbox.put(None)
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()

    def _keep(self) -> None:
        try:
            process = self._start()
        except (OSError, ValueError) as error:
            self._failure = f"cannot start {PurePath(self._launch.command[0]).name}: {error}"
            self._started.set()
            return
        self._process = process
        assert process.stdin
        assert process.stdout
        assert process.stderr
        for target, stream in ((self._write, process.stdin), (self._drain, process.stderr)):
            threading.Thread(target=target, args=(stream,), name="checker stream", daemon=True).start()
        self._started.set()
        reason = self._read(process.stdout)
        self.kill()
        process.wait()
        atexit.unregister(self.kill)
        for stream in (process.stdout, process.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        self._gone(self._reason or reason or f"it ended with status {process.returncode}")

    def _start(self) -> subprocess.Popen[bytes]:
        command = list(self._launch.command)
        if sys.platform == "linux" and sys.executable:
            command = [sys.executable, "-I", "-S", _WATCHDOG, str(os.getpid()), *command]
        return subprocess.Popen(
            command,
            cwd=self._launch.folder,
            env=dict(self._launch.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )

    def _read(self, stream: IO[bytes]) -> str:
        """Reads to the end; says what was wrong, if anything."""
        try:
            while (message := read_message(stream)) is not None:
                self._receive(message)
        except WireError as error:
            return str(error)
        except (OSError, ValueError):
            return ""
        return ""

    def _write(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (data := self._outbox.get()) is not None:
                stream.write(data)
                if self._outbox.empty():
                    stream.flush()
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def _drain(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_STDERR_WIDTH):
                self._stderr.append(line.decode("utf-8", "replace").rstrip())
