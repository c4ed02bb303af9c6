"""Mending: ways to write C# that its grammar cannot read, written as it can.

Owns: what is written otherwise.
Must not know: what nodes mean, facts, whether another text helps.
Invariant: the other text has the same length, and every name of it stands where it stood.

    order?.Total = 3                    an assignment where there is something, since C# 14
    where T : allows ref struct         what an argument may be, since C# 13
"""

from __future__ import annotations

import re
from typing import Final

_WHERE_THERE: Final = re.compile(rb"\?\.(?=\w+[ \t]*(?:[-+*/%&|^]|\?\?|<<|>>)?=(?![=>]))")
_ALLOWED: Final = re.compile(rb"(?:,\s*)?\ballows[ \t]+ref[ \t]+struct\b")
_ALONE: Final = re.compile(rb":[ \t]*allows[ \t]+ref[ \t]+struct\b(?![ \t]*,)")
_CONSTRAINT: Final = b"class"


def readable(data: bytes) -> bytes:
    """A text of the same length that the grammar reads."""
    text = _WHERE_THERE.sub(b" .", data)
    text = _ALONE.sub(lambda found: (b": " + _CONSTRAINT).ljust(len(found[0])), text)
    return _ALLOWED.sub(lambda found: b" " * len(found[0]), text)
