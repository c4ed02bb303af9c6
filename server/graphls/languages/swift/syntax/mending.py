"""Mending: ways to write Swift that its grammar cannot read, written as it can.

Owns: what is written otherwise, and whether that helped.
Must not know: what nodes mean, facts.
Invariant: the other text has the same length, and every name of it stands where it stood; a text that is sound is left
    as it is.

    promise.succeed(())         nothing, as an argument
    #warning("later")           a note to the compiler among the members of a type
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from graphls.languages.extract.syntax_errors import mended_tree

_NOTHING: Final = re.compile(rb"(?<=[(,:])(?P<space>[ \t]*)\(\)(?=[ \t]*[,)])")
_NOTE: Final = re.compile(rb"^[ \t]*#(?:warning|error)\([^\n]*\)(?=[ \t]*$)", re.MULTILINE)


def readable_tree(data: bytes, tree: Tree) -> Tree:
    """The tree of a text, or of one that is written otherwise where that is less broken."""
    return mended_tree(data, tree, readable, "swift")


def readable(data: bytes) -> bytes:
    """A text of the same length that the grammar reads."""
    text = _NOTE.sub(lambda found: b" " * len(found[0]), data)
    return _NOTHING.sub(lambda found: found["space"] + b" 0", text)
