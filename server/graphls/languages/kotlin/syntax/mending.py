"""Mending: ways to write Kotlin that its grammar cannot read, written as it can.

Owns: what is written otherwise, and whether that helped.
Must not know: what nodes mean, facts.
Invariant: the other text has the same length, and a word stands where one stood: what it is called says the text
    itself. A text that is sound, and has no constructor on a line of its own, is left as it is.

    class Store                 class Store
      @Inject               ->    @Inject   constructor(...)      a line may end before these words
      constructor(...)
    enum class E { A, B, ; }    a comma and a new line may stand before it
    0..<n                       ranges without their end
    is Int if x > 1 -> ...      conditions behind a pattern
    $$\"\"\"{ "a": $$b }\"\"\"       strings with a sign of their own
    in 1..2 -> "a"              a pattern behind a line that could go on with `in`
    0b0001_1111                 binary numbers; open = true, in1.read(): words that begin like others
    class A : B by c {          a body is no argument of what stands before it
    List<*>::size               arguments of a type before a reference
    class A { val x = 1 }       a body on one line
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node, Tree

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.extract.syntax_errors import least_broken

_BEFORE_CONSTRUCTOR: Final = re.compile(
    rb"(?P<head>\bclass\s+\w++(?:\s*<[^(){}]*>)?)"
    rb"(?P<gap>(?:\s++|/\*(?:(?!\*/).)*+\*/|//[^\n]*+|@[\w.:]++(?:\([^()\n]*\))?"
    rb"|\b(?:internal|private|protected|public)\b)++)(?=constructor\b)",
    re.DOTALL,
)
_COMMENT: Final = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BREAK: Final = re.compile(rb"[\r\n]")
_WORD_ON_NEXT_LINE: Final = re.compile(
    rb"^(?P<line>[^\n]*)\n(?=[ \t]*(?:where[ \t]+\w+[ \t]*:|by\b|as\??[ \t]))", re.MULTILINE
)
_BEFORE_ARROW: Final = re.compile(rb"[,)][ \t]*\n\s*(?=->)")
_CONTEXT: Final = re.compile(
    rb"^[ \t]*context\([^()\n]*:[^()\n]*\)(?=[ \t]*(?:$|(?:@\w+[ \t]+|(?:public|private|internal|protected|inline"
    rb"|suspend|operator|override|infix|tailrec|open|abstract|final)[ \t]+)*(?:fun|va[lr])\b))"
    rb"|(?<=:)[ \t]*context\([^()\n]*\)(?=[ \t]*\()",
    re.MULTILINE,
)
_BEFORE_SEMICOLON: Final = re.compile(rb",?\s*+;")
_RANGE: Final = re.compile(rb"\.\.<")
_GUARD: Final = re.compile(
    rb"^(?P<pattern>[ \t]*(?:!?(?:is|in)[ \t]+)?[\w.<>?*]+)(?P<word>[ \t]if)\b(?=[^\n{}]*->)", re.MULTILINE
)
_SIGNS: Final = re.compile(rb"\$\$+(?=\")")
_NEXT_PATTERN: Final = re.compile(
    rb"^(?P<line>[^\n]*[^\s{,(\n][ \t]*)\n(?=[ \t]*!?(?:in|is)[ \t(][^\n]*->)", re.MULTILINE
)
_BINARY: Final = re.compile(rb"\b0[bB](?P<digits>[01_]+)")
_SOFT: Final = re.compile(
    rb"(?P<before>(?:^|[{;]|->)[ \t]*)(?P<word>annotation|enum|external|final|infix|inline|internal|open"
    rb"|operator|override|sealed|suspend|vararg)(?=[ \t]*(?:[-+*/%]?=[^=]|\(|\.|\[|->|\?[.:]|!!|,))",
    re.MULTILINE,
)
_BEGINS_LIKE_IN: Final = re.compile(rb"\bin(?=\d)")
_DELEGATION: Final = re.compile(rb"\bby[ \t]+[\w.]++(?:\([^()\n]*\))?(?=[ \t]*\{)")
_DELEGATE: Final = re.compile(rb"\s*\bby[ \t]+(?P<value>[\w.]++(?:\([^()\n]*\))?)(?=[ \t]*\{)")
_REFERENCE: Final = re.compile(rb"(?<=\w)<[^<>()=;\n]*>(?=\s?::)")
_ON_ONE_LINE: Final = re.compile(rb"(?P<body>\b(?:class|interface|object)\b[^\n{}\"]*\{[^\n{}\"]*[^\s{};,])[ \t](?=\})")
_PROPERTY: Final = re.compile(rb"\bva[lr]\b")


def readable_tree(data: bytes, tree: Tree) -> Tree:
    """The tree of a text, or of one that is written otherwise where that is less broken. A constructor on a line of its
    own may be read as a call behind the class, and a body behind `by` as its argument: no errors, and as wrong."""
    is_misread = any(_BREAK.search(found["gap"]) for found in _BEFORE_CONSTRUCTOR.finditer(data)) or any(
        _is_delegation(found) for found in _DELEGATION.finditer(data)
    )
    if not is_misread and not tree.root_node.has_error:
        return tree
    text = readable(data)
    return tree if text == data else least_broken(tree, text, "kotlin", margin=int(is_misread))


def readable(data: bytes) -> bytes:
    """A text of the same length that older grammars read."""
    text = _BEFORE_CONSTRUCTOR.sub(lambda found: found["head"] + _on_one_line(found["gap"]), data)
    text = _WORD_ON_NEXT_LINE.sub(_joined, text)
    text = _RANGE.sub(b".. ", _BEFORE_SEMICOLON.sub(lambda found: b" " * (len(found[0]) - 1) + b";", text))
    text = _NEXT_PATTERN.sub(_ended, _GUARD.sub(_as_pattern, text))
    text = _CONTEXT.sub(_blank, _BEFORE_ARROW.sub(_before_arrow, text))
    text = _BINARY.sub(lambda found: b"11" + b"1" * len(found["digits"]), text)
    text = _SOFT.sub(lambda found: found["before"] + b"x" * len(found["word"]), _BEGINS_LIKE_IN.sub(b"xn", text))
    text = _REFERENCE.sub(_blank, _DELEGATION.sub(_without_delegate, text))
    text = _ON_ONE_LINE.sub(lambda found: found["body"] + b";", text)
    return _SIGNS.sub(_blank, text)


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def _before_arrow(found: re.Match[bytes]) -> bytes:
    """A list of patterns may end with a comma, and what a function takes stand on lines before what it gives."""
    return (b")" if found[0][:1] == b")" else b" ") + b" " * (len(found[0]) - 1)


def _on_one_line(gap: bytes) -> bytes:
    return _BREAK.sub(b" ", _COMMENT.sub(_blank, gap))


def _joined(found: re.Match[bytes]) -> bytes:
    """A comment that a line ends with would take in what is joined to it."""
    return found[0] if b"//" in found["line"] else found["line"] + b" "


def _ended(found: re.Match[bytes]) -> bytes:
    return found[0] if b"//" in found["line"] else found["line"] + b";"


def _without_delegate(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0]) if _is_delegation(found) else found[0]


def _is_delegation(found: re.Match[bytes]) -> bool:
    """Only heads of classes and objects: a property `by lazy {` has an argument. The line above may have the colon."""
    text = found.string
    start = text.rfind(b"\n", 0, found.start()) + 1
    head = text[start : found.start()].rpartition(b")")[2]
    above = text[text.rfind(b"\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)].rstrip(b" \t")
    return (b":" in head or above.endswith((b":", b","))) and _PROPERTY.search(head) is None


def delegate(data: bytes, end: int) -> Node | None:
    """The value behind `by` that the other text of a head lacks: a type ends where it begins. Read by itself, at its
    place behind blanks."""
    found = _DELEGATE.match(data, end)
    if found is None:
        return None
    return parse(parser("kotlin"), b" " * found.start("value") + found["value"]).root_node.named_child(0)


def _as_pattern(found: re.Match[bytes]) -> bytes:
    """The condition as another pattern; behind `else` as the only one."""
    pattern = found["pattern"]
    if pattern.strip() == b"else":
        return b" " * len(found[0])
    return pattern + b",  "
