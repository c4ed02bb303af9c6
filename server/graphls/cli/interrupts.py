"""Interrupts: what Ctrl-C does at each moment of a command.

Owns: the handler of SIGINT, apart from those of servers.
Must not know: any particular command.
Invariant: while nobody would catch it (imports, the end of the interpreter) Ctrl-C ends the process silently; a process
that was told to ignore it goes on doing so.
"""

from __future__ import annotations

import signal
import threading


def exit_on_interrupt() -> None:
    """Ctrl-C ends the process at once."""
    _replace(signal.default_int_handler, signal.SIG_DFL)


def raise_on_interrupt() -> None:
    """Ctrl-C is a KeyboardInterrupt."""
    _replace(signal.SIG_DFL, signal.default_int_handler)


def _replace(one: object, other: signal._HANDLER) -> None:  # pyright: ignore[reportPrivateUsage]
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is one:
        signal.signal(signal.SIGINT, other)
