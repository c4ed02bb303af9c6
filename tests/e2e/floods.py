"""Floods: bytes from somebody who does not know the token.

Owns: sending until the other side has had enough.
Must not know: which server it is.
Invariant: ends when the other side closes, takes no more, or has taken everything.
"""

from __future__ import annotations

import socket

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
