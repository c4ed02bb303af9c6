"""Spelled words: whether a text that nobody read yet has a name.

Owns: how languages write one name: in other cases, with other marks between its parts.
Must not know: languages, which names are asked for and why.
Invariant: finds every use of the name; what it finds may be none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z_-]+|[A-Z]+")
"""What some languages put `-` or `_` between: `MyList` is `<my-list>` in a template."""


def spells(text: bytes, names: Iterable[str]) -> bool:
    """Whether a text has one of these names, in whatever case, and whatever joins the parts of it."""
    small = text.lower()
    for name in names:
        parts = [part.encode().lower() for part in _PARTS.findall(name)] or [name.encode().lower()]
        if max(parts, key=len) in small:
            joined = rb"[-_]*".join(map(re.escape, parts))
            if re.search(rb"(?<![a-z0-9])" + joined + rb"(?![a-z0-9])", small):
                return True
    return False
