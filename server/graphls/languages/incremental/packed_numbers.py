"""Packed numbers: columns as bytes, read and moved as a whole.

Owns: numbers of a column, a column whose numbers grow.
Must not know: what the numbers say.
Invariant: other threads have a turn before each column.
"""

from __future__ import annotations

import sys
from array import array

from graphls.facts.columns import Column
from graphls.languages.extract.yielding import yield_now


def numbers(raw: bytes) -> list[int]:
    """The numbers of a column."""
    made: Column = array("i")
    made.frombytes(raw)
    return made.tolist()


def add_where(raw: bytes, which: bytes, growth: int) -> bytes:
    """A column whose numbers grow where another column has a 1: one addition of two long numbers. No sum leaves its
    place, as offsets stay what offsets can be."""
    yield_now()
    if not raw or growth == 0:
        return raw
    whole = int.from_bytes(raw, sys.byteorder) + growth * int.from_bytes(which, sys.byteorder)
    return whole.to_bytes(len(raw), sys.byteorder)
