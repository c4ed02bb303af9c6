"""Mending: ways to write Go that its grammar cannot read, written as it can.

Owns: what is written otherwise, and whether that helped.
Must not know: what nodes mean, facts.
Invariant: the other text has the same length, and every name of it stands where it stood; a text that is sound is left
    as it is.

    new("name"), new(int64(3))      `new` of a value, since Go 1.26: the grammar wants a type there
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from graphls.languages.extract.syntax_errors import mended_tree

_OF_VALUE: Final = re.compile(
    rb"\bnew\((?=\s*(?:[\"'`\d&!+(-]|[\w.]+\s*[({*/%<>=|&+-]|\[[^\]\n]{0,40}\][\w.*]*[({]|map\[[^\]\n]{0,80}\][^\n(){]{0,80}\{|func\b))"
)


def readable_tree(data: bytes, tree: Tree) -> Tree:
    """The tree of a text, or of one that is written otherwise where that is less broken."""
    return mended_tree(data, tree, readable, "go")


def readable(data: bytes) -> bytes:
    """A text of the same length in which `new` of a value is a call of any function."""
    return _OF_VALUE.sub(b"neW(", data)
