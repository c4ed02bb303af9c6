"""Mending: ways to write a script that the grammar cannot read, written as it can.

Owns: what is written otherwise, and whether that helped.
Must not know: what nodes mean, facts.
Invariant: the other text has the same length, and every name of it stands where it stood; a text that is sound is left
    as it is.

    ${host%%]*}                 a bracket in a pattern
    $((0x${byte} + 16#$more))   numbers whose digits are computed
    eval "((count > 0))"        a string that begins as a condition
    ${spin:at++%4:1}            a step inside of an offset
    [[ $x = y* && $z ]]         a pattern behind one sign
    a) one ;& b) two ;;&        branches that go on
    \\$env:x = f('$y')           an escape in a text that comes with a command
    ${text#*{\\"name\\":}         an escape or a brace in a pattern
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from graphls.languages.extract.syntax_errors import mended_tree

_WAYS: Final = (
    (re.compile(rb"(\$\{\w+(?:\[[^\]\n}]{0,80}\])?(?:%%?|##?|//?)[^\[\]{}\n\"']{0,80})\]"), rb"\1_"),
    (re.compile(rb"\b0[xX](?=\$)"), b"1+"),
    (re.compile(rb"\b(\d{1,2})#(?=\$)"), rb"\1+"),
    (re.compile(rb"\"\(\("), b'"__'),
    (re.compile(rb"(\$\{\w+:[ ]?\w+)(?:\+\+|--)"), rb"\1+0"),
    (re.compile(rb"(?<=[\w\"'])\*(?=[ \t]*(?:&&|\|\||\]\]))"), b"_"),
    (re.compile(rb";;&"), b";; "),
    (re.compile(rb"(?<!;);&(?=\s)"), b";;"),
    (re.compile(rb"(?<!\\)\\(?:\$(?=[A-Za-z_{])|\")"), b"__"),
    (re.compile(rb"(\$\{\w+(?:%%?|##?|//?)[^\s{}\"'$]{0,80})\{"), rb"\1_"),
)


def readable_tree(data: bytes, tree: Tree) -> Tree:
    """The tree of a text, or of one that is written otherwise where that is less broken."""
    return mended_tree(data, tree, readable, "bash")


def readable(data: bytes) -> bytes:
    """A text of the same length that the grammar reads."""
    for pattern, written in _WAYS:
        data = pattern.sub(written, data)
    return data
