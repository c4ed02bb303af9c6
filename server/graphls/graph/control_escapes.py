"""Control escapes: characters of source that hide, turn text around or break lines, spelled out for whoever reads.

Owns: which characters these are, their spelling.
Must not know: packs, formats, protocols.
Invariant: text that was spelled out reads from left to right and breaks only where its lines end; as part of a JSON
    text the spelling means the character itself.
"""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ENDS: Final = {ord("\t"): " ", ord("\n"): "\\n"}


def escape_controls(text: str) -> str:
    """The text with hidden characters spelled as in JSON; tabs and line feeds stay."""
    return _HIDDEN.sub(lambda found: _escaped(found[0]), text)


def escape_line(text: str) -> str:
    """The same on one line, as a label is."""
    return escape_controls(text).translate(_ENDS)


def _escaped(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
