"""Forked workers: worker processes that begin as copies of this one, with all that it has loaded.

Owns: when this process may be copied, the streams to a copy, its end.
Must not know: what a worker does.
Invariant: only a process with a single thread is copied, since whatever another held locked would stay so for ever; a
copy keeps nothing open but its own two streams, and never returns to its caller.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

_THREADS = "/proc/self/task"
_ENDING = (signal.SIGINT, signal.SIGTERM)

Serve = Callable[[BinaryIO, BinaryIO], None]


def can_fork() -> bool:
    """Whether this process may be copied. Elsewhere than on Linux nobody can tell, and libraries forbid it."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return len(os.listdir(_THREADS)) == 1
    except OSError:
        return False


class ForkedWorker:
    """A process of its own, spoken to as `subprocess.Popen` is."""

    def __init__(self, serve: Serve) -> None:
        """Raises OSError."""
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # Until it has its own, a copy has the handlers of its caller, and would go on as if it were that.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            self.pid = os.fork()
            if not self.pid:
                _live(serve, theirs_in, theirs_out)
        except OSError:
            for end in (theirs_in, ours_out, ours_in, theirs_out):
                os.close(end)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(theirs_in)
        os.close(theirs_out)
        self.stdin: BinaryIO = os.fdopen(ours_out, "wb")
        self.stdout: BinaryIO = os.fdopen(ours_in, "rb")
        self._reaped = False
        self.returncode: int | None = None
        """As of `subprocess.Popen`: below 0 the signal that ended it; None while nobody waited for its end."""
        self._lock = threading.Lock()

    def kill(self) -> None:
        """Ends it, whatever it does."""
        with self._lock:
            # Once it was waited for, its number may be another's.
            if not self._reaped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)

    def poll(self) -> int | None:
        """`returncode`, once it has ended."""
        with self._lock:
            if not self._reaped:
                with contextlib.suppress(ChildProcessError):
                    ended, status = os.waitpid(self.pid, os.WNOHANG)
                    if ended:
                        self._reaped, self.returncode = True, os.waitstatus_to_exitcode(status)
            return self.returncode

    def wait(self) -> int:
        """Returns when it has ended."""
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:
            if not self._reaped:
                self._reaped = True
                with contextlib.suppress(ChildProcessError):
                    self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode or 0

    def close(self) -> None:
        """Ends it, for whoever never spoke to it."""
        self.kill()
        for stream in (self.stdin, self.stdout):
            stream.close()
        self.wait()


def _live(serve: Serve, theirs_in: int, theirs_out: int) -> None:
    """What a copy does from its first to its last moment."""
    try:
        import fcntl  # not everywhere

        gc.disable()
        # What is there already is left alone: a look at it would make pages of its own of all that is shared.
        gc.freeze()
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        # An end may itself have the number of a standard stream, where that was closed.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 3) for end in (theirs_in, theirs_out, os.open(os.devnull, os.O_RDWR))]
        for number, end in enumerate(ends):
            os.dup2(end, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        serve(os.fdopen(0, "rb"), os.fdopen(1, "wb"))
    finally:
        os._exit(0)
