"""Declaring macros: calls of macros that stand where a declaration may, over several lines and without a semicolon.

Owns: how such calls look, and the text of the same length without them.
Must not know: what they declare, trees.
Invariant: only what ends where the next thing surely begins is left out.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from graphls.languages.c.syntax.directive_lines import blank, in_code

_GIVEN: Final = rb"\((?:[^(){};#]++|\((?:[^(){};#]++|\([^(){};#]*+\))*+\))*+\)"
_ANEW: Final = rb"[#}]|/[*/]|[A-Z_][A-Z0-9_]{2,}[ \t]*\(|(?:enum|extern|static|struct|typedef|union)\b"
_DECLARING: Final = re.compile(
    rb"^[A-Z_][A-Z0-9_]{2,}[ \t]*" + _GIVEN + rb"(?=[ \t]*\r?(?:\Z|\n\s*(?:\Z|" + _ANEW + rb")))", re.MULTILINE
)
"""`MAKE_FUNC(int, name, (const char *a, int b))` at the beginning of a line, with something behind that begins anew."""


def without_declaring(data: bytes, tree: Tree) -> bytes:
    """Blanks such macros where one goes over several lines: to the grammar they are calls that nothing ends, and of a
    hundred the whole file is one broken place, which costs as much as it is long with each further text. Those of one
    line are left to the rule for statements."""
    if not any(b"\n" in found[0] for found in _DECLARING.finditer(data)):
        return data
    return in_code(data, lambda text: _DECLARING.sub(blank, text))
