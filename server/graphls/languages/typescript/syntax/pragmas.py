"""Pragmas: what the comments above a file's code say about its JSX.

Owns: `@jsxImportSource` and `@jsx`, and the expressions that stand for them.
Must not know: what the names lead to.
Invariant: the expressions are the first of the file, so that who looks for them looks at few.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from graphls.languages.typescript.syntax.facts_builder import NAME, TsFactsBuilder
from graphls.languages.typescript.syntax.nodes import COMMENT

JSX_SOURCE: Final = "jsx:source"
"""Operator over the module whose namespace `JSX` types the elements of the file."""
JSX_FACTORY: Final = "jsx:factory"
"""Operator over the name whose namespace `JSX` does."""
RUNTIME: Final = "/jsx-runtime"
"""Behind the source that is given: the module that is imported."""
_PRAGMA: Final = re.compile(rb"@(jsxImportSource|jsx)[ \t]+([^\s*]+)")
_MOST: Final = 20
"""Comments that are looked at."""


def read_pragma(builder: TsFactsBuilder, root: Node) -> None:
    """The last pragma of each kind in the comments before the first statement."""
    if b"@jsx" not in builder.data:
        return
    found: dict[bytes, bytes] = {}
    for node in root.children[:_MOST]:
        if builder.kinds.of(node) != COMMENT:
            break
        if builder.data[node.start_byte : node.start_byte + 2] == b"/*":
            for match in _PRAGMA.finditer(builder.data, node.start_byte, node.end_byte):
                found[match.group(1)] = match.group(2)
    if b"jsxImportSource" in found:
        spec = builder.spelled(found[b"jsxImportSource"]).rstrip("/")
        builder.operator(JSX_SOURCE, builder.module(builder.text(spec + RUNTIME), 0))
    elif b"jsx" in found:
        first = builder.spelled(found[b"jsx"]).partition(".")[0]
        builder.operator(JSX_FACTORY, builder.expression(NAME, builder.text(first), 0, -1))
