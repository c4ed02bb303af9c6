"""Parent watchdog: a program that ends when the process that asked for it ends.

Owns: the request to the Linux kernel to kill this process with its parent, made just before it becomes the program.
Must not know: which program; imports nothing of the package, because it runs as a script.
Invariant: becomes the program, or exits without starting it.

    python parent_watchdog.py PARENT_PID PROGRAM ARGUMENT...
"""

from __future__ import annotations

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Never returns when the program can be started."""
    parent, *command = arguments
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass
    if os.getppid() != int(parent):
        return 1
    try:
        os.execv(command[0], command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        return 127
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
