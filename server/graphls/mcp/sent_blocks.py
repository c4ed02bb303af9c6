"""Sent blocks: the source that an agent of this connection was given before.

Owns: which blocks those are, by their contents, and in which answer each was sent.
Must not know: tools, what a block is part of.
Invariant: a block whose lines or text changed is another block; more than `MOST` are not remembered.
"""

from __future__ import annotations

import threading
from hashlib import blake2b
from typing import Final

MOST: Final = 20_000


class SentBlocks:
    """Of one connection; questions may come from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers = 0
        self._known: dict[bytes, int] = {}
        self.spared = 0
        """Bytes of blocks that were left out, since they were sent before."""

    def next_answer(self) -> int:
        """The number of an answer that begins."""
        with self._lock:
            self._answers += 1
            return self._answers

    def spare(self, text: str) -> None:
        """A block was left out."""
        with self._lock:
            self.spared += len(text.encode("utf-8", "surrogatepass"))

    def sent_in(self, answer: int, file: str, start_line: int, text: str) -> int:
        """The earlier answer that a block was sent in; 0 where this one is the first. Counts as sent from now on."""
        key = blake2b(f"{file}\0{start_line}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._known.get(key, 0)
            if not known:
                if len(self._known) >= MOST:
                    del self._known[next(iter(self._known))]
                self._known[key] = answer
            return known if known != answer else 0
