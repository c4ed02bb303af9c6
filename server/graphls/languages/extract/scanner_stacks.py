"""Scanner stacks: whether a text would have a grammar's scanner keep too much at once.

Owns: the stacks of grammars that are copied at each token, or that end the process when they are full; their bounds.
Must not know: trees, what a node means.
Invariant: a function of the bytes that grows with them; code that people write is far below each bound.
"""

from __future__ import annotations

import re
from typing import Final

MOST_TAGS: Final = 200
"""Open tags. A scanner copies all of them at each token; what is below 120 of them is not read."""
MOST_STRINGS: Final = 200
"""Strings that are open in expressions of each other. The scanner of Kotlin has room for 1,024, then it calls abort."""
_FEW_EXPRESSIONS: Final = 900
"""With fewer of them in strings no such stack is full, whatever the text says."""

_CODE: Final = re.compile(rb"<!--|<(?:script|style)\b(?:[^<>\"]|\"[^\"]*+\")*+>|\A\s*+---\s")
_ENDS: Final = {b"<!--": b"-->", b"<scr": b"</script", b"<sty": b"</style"}
"""By how comments, code and styles begin; else it is the code in front of a template of Astro."""
_TAG: Final = re.compile(
    rb"<(/?)([A-Za-z][^\s/<>]*+)((?:[^\"'{}<>]|\"[^\"<]*+\"|'[^'<]*+'|\{[^{}<]*+\}|[\"'{}])*+)(>?)|\{([#/])"
)
_VOID: Final = frozenset(
    b"area base basefont bgsound br col command embed frame hr image img input isindex keygen link".split()
    + b"menuitem meta nextid param source track wbr".split()
)
_CLOSED_BY_NEXT: Final = frozenset(
    b"p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rb rt rtc rp".split()
)
_BLOCK: Final = b"{"

_IN_CODE: Final = re.compile(rb"\"\"\"|[\"{}]|//[^\n]*+|/\*(?:.*?\*/|.*)|'(?:\\.|[^\\'\n])'", re.DOTALL)
_IN_LINE: Final = re.compile(rb"\\.|\"|\$\{", re.DOTALL)
_IN_LINES: Final = re.compile(rb"\"\"\"|\$\{")


def has_many_open_tags(data: bytes) -> bool:
    """Whether more tags, or blocks between braces, are open at one place of a template than a scanner can keep."""
    if data.count(b"<") + data.count(b"{#") <= MOST_TAGS:
        return False
    opened = _OpenTags()
    for tag in _TAG.finditer(_without_code(data.lower())):
        name = _BLOCK if tag[5] is not None else tag[2]
        if tag[1] or tag[5] == b"/":
            opened.close(name)
        elif name not in _VOID and not (tag[3] or b"").endswith(b"/"):
            opened.open(name)
        if len(opened.names) > MOST_TAGS:
            return True
    return False


def _without_code(data: bytes) -> bytes:
    """A template without comments, code and styles. What nothing closes stays, and its end is looked for once."""
    parts: list[bytes] = []
    begun, missing = 0, set[bytes]()
    for found in _CODE.finditer(data):
        ending = _ENDS.get(found[0][:4], b"\n---")
        if found.start() < begun or ending in missing:
            continue
        end = data.find(ending, found.end() - 1)
        if end < 0:
            missing.add(ending)
            continue
        parts.append(data[begun : found.start()])
        begun = end + len(ending)
    return b"".join((*parts, data[begun:]))


class _OpenTags:
    """Names of the tags that are open, the innermost one last."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._counts: dict[bytes, int] = {}

    def open(self, name: bytes) -> None:
        """One begins; some end where the next one of their name begins."""
        if name in _CLOSED_BY_NEXT and self.names and self.names[-1] == name:
            return
        self.names.append(name)
        self._counts[name] = self._counts.get(name, 0) + 1

    def close(self, name: bytes) -> None:
        """The last one of this name ends, with all inside of it; an end without a beginning ends nothing."""
        if not self._counts.get(name):
            return
        while True:
            last = self.names.pop()
            self._counts[last] -= 1
            if last == name:
                return


def has_many_open_strings(data: bytes) -> bool:
    """Whether more strings are open at one place of a text than a scanner can keep, or some at its end: of those it may
    take what is between two strings for one."""
    if data.count(b"${") < _FEW_EXPRESSIONS:
        return False
    opened: list[re.Pattern[bytes]] = [_IN_CODE]
    at = 0
    while found := opened[-1].search(data, at):
        at, token = found.end(), found[0]
        if token in (b"${", b"{"):
            opened.append(_IN_CODE)
        elif token == b"}":
            if len(opened) > 1:
                opened.pop()
        elif token in (b'"', b'"""'):
            if opened[-1] is _IN_CODE:
                opened.append(_IN_LINE if token == b'"' else _IN_LINES)
            else:
                opened.pop()
        if len(opened) > MOST_STRINGS:
            return True
    return opened[-1] is not _IN_CODE
