"""Problems: what of a text of Python is said to be broken.

Owns: what the grammar takes for broken that Python reads.
Must not know: facts, what the text says.
Invariant: nothing that Python itself refuses is left out.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.extract import syntax_errors
from graphls.languages.extract.syntax_errors import Problem

_DECLARING: Final = frozenset(("class_definition", "function_definition"))


def syntax_problems(data: bytes, root: Node) -> list[Problem]:
    """Broken nodes, outermost first."""
    return syntax_errors.syntax_problems(data, root, lambda node: _is_default(data, node))


def _is_default(data: bytes, node: Node) -> bool:
    """A part of `class A[T = int]` (3.13): the grammar takes `T =` or `= int` for broken."""
    around = node.parent
    if around is not None and around.type == "constrained_type" and around.parent is not None:
        around = around.parent.parent
    if around is None or around.type != "type_parameter" or around.parent is None:
        return False
    if around.parent.type not in _DECLARING and not _is_alias(around.parent):
        return False
    text = data[node.start_byte : node.end_byte].rstrip(b" *")
    if text.endswith(b"="):
        return data[node.end_byte : around.end_byte].lstrip()[:1] not in (b"", b"]", b",")
    return text.startswith(b"=") and len(text) > 1


def _is_alias(generic: Node) -> bool:
    """Whether `L[T]` stands at the left of `type L[T] = ...`."""
    outer = generic.parent.parent if generic.parent is not None else None
    left = outer.child_by_field_name("left") if outer is not None and outer.type == "type_alias_statement" else None
    return left is not None and left.end_byte == generic.end_byte
