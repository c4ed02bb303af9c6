"""Floods: bytes from somebody who does not know the token.

Owns: sending until the other side has had enough.
Must not know: which server it is.
Invariant: ends when the other side closes, takes no more, or has taken everything.
"""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

_CHUNK = 1 << 16


def flooded(address: tuple[str, int], beginning: bytes, most: int, patience: float = 30.0) -> int:
    """How many bytes of `beginning` and many spaces the other side took before it closed the connection; `most` when
    it took all."""
    with socket.create_connection(address, patience) as connection:
        sent = 0
        try:
            connection.sendall(beginning)
            while sent < most:
                sent += connection.send(b" " * _CHUNK)
        except OSError:
            return sent
        return most


def crowd(pid: int, address: tuple[str, int]) -> list[socket.socket]:
    """Connections that say nothing, and that a process finds all at once."""
    stop, go = getattr(signal, "SIGSTOP", None), getattr(signal, "SIGCONT", None)
    if stop is not None:
        os.kill(pid, stop)
    made = [socket.create_connection(address, 300) for _ in range(80)]
    if go is not None:
        os.kill(pid, go)
    return made


def open_files(pid: int) -> int:
    """How many files and connections a process holds; 0 where the system does not tell."""
    folder = Path(f"/proc/{pid}/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0
