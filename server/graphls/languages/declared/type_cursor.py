"""Type cursor: how far a written type in a comment was read.

Owns: the place in the text, signs that are taken there, whether the text was no type.
Must not know: what types are written like, facts.
Invariant: it never leaves its stretch of the text.
"""

from __future__ import annotations

import re

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class TypeCursor:
    """One stretch, from left to right. `blank`: what may stand between signs."""

    def __init__(self, data: bytes, start: int, end: int, blank: re.Pattern[bytes]) -> None:
        self.data = data
        self.at = start
        self.end = end
        self.failed = False
        self._blank = blank

    def space(self) -> None:
        """Goes over what may stand between signs."""
        found = self._blank.match(self.data, self.at, self.end)
        if found is not None:
            self.at = found.end()

    def peek(self, text: bytes) -> bool:
        """Whether these signs come next."""
        return self.data.startswith(text, self.at) and self.at + len(text) <= self.end

    def take(self, text: bytes) -> bool:
        """The same, and goes over them."""
        if self.peek(text):
            self.at += len(text)
            return True
        return False
