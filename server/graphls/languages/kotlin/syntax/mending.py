"""Mending: newer ways to write Kotlin that its grammar cannot read, written as it can.

Owns: what is written otherwise, and whether that helped.
Must not know: what nodes mean, facts.
Invariant: the other text has the same length, and every name of it stands where it stood; a text that is sound, and
    has no constructor on a line of its own, is left as it is.

    class Store                 class Store
      @Inject               ->    @Inject   constructor(...)      a line may end before these words
      constructor(...)
    enum class E { A, B, ; }    a comma and a new line may stand before it
    0..<n                       ranges without their end
    is Int if x > 1 -> ...      conditions behind a pattern
    $$\"\"\"{ "a": $$b }\"\"\"       strings with a sign of their own
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.extract.syntax_errors import broken_bytes

_BEFORE_CONSTRUCTOR: Final = re.compile(
    rb"(?P<head>\bclass\s+\w++(?:\s*<[^(){}]*>)?)"
    rb"(?P<gap>(?:\s++|/\*(?:(?!\*/).)*+\*/|//[^\n]*+|@[\w.:]++(?:\([^()\n]*\))?"
    rb"|\b(?:internal|private|protected|public)\b)++)(?=constructor\b)",
    re.DOTALL,
)
_COMMENT: Final = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BREAK: Final = re.compile(rb"[\r\n]")
_WORD_ON_NEXT_LINE: Final = re.compile(rb"^(?P<line>[^\n]*)\n(?=[ \t]*(?:where[ \t]+\w+[ \t]*:|by\b))", re.MULTILINE)
_BEFORE_SEMICOLON: Final = re.compile(rb",?\s*+;")
_RANGE: Final = re.compile(rb"\.\.<")
_GUARD: Final = re.compile(
    rb"^(?P<pattern>[ \t]*(?:!?(?:is|in)[ \t]+)?[\w.<>?*]+)(?P<word>[ \t]if)\b(?=[^\n{}]*->)", re.MULTILINE
)
_SIGNS: Final = re.compile(rb"\$\$+(?=\")")


def readable_tree(data: bytes, tree: Tree) -> Tree:
    """The tree of a text, or of one that is written otherwise where that is less broken. A constructor on a line of its
    own may be read as a call behind the class: that is no error, and as wrong."""
    own_line = any(_BREAK.search(found["gap"]) for found in _BEFORE_CONSTRUCTOR.finditer(data))
    if not own_line and not tree.root_node.has_error:
        return tree
    text = readable(data)
    if text == data:
        return tree
    other = parse(parser("kotlin"), text)
    return other if broken_bytes(other) < broken_bytes(tree) + own_line else tree


def readable(data: bytes) -> bytes:
    """A text of the same length that older grammars read."""
    text = _BEFORE_CONSTRUCTOR.sub(lambda found: found["head"] + _on_one_line(found["gap"]), data)
    text = _WORD_ON_NEXT_LINE.sub(_joined, text)
    text = _RANGE.sub(b".. ", _BEFORE_SEMICOLON.sub(lambda found: b" " * (len(found[0]) - 1) + b";", text))
    text = _GUARD.sub(_as_pattern, text)
    return _SIGNS.sub(lambda found: b" " * len(found[0]), text)


def _on_one_line(gap: bytes) -> bytes:
    return _BREAK.sub(b" ", _COMMENT.sub(lambda found: b" " * len(found[0]), gap))


def _joined(found: re.Match[bytes]) -> bytes:
    """A comment that a line ends with would take in what is joined to it."""
    return found[0] if b"//" in found["line"] else found["line"] + b" "


def _as_pattern(found: re.Match[bytes]) -> bytes:
    """The condition as another pattern; behind `else` as the only one."""
    pattern = found["pattern"]
    if pattern.strip() == b"else":
        return b" " * len(found[0])
    return pattern + b",  "
