"""Naming: the qualified name of one definition, read from the tree alone.

Owns: which definitions their tree names completely.
Must not know: facts, scopes, why a name is wanted.
Invariant: an answer is the name that facts give the definition; where the tree alone does not say it, there is none.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node, Tree

from graphls.languages.python.syntax import nodes

_NAMED: Final = frozenset({"class_definition", "function_definition"})
_FUNCTION: Final = "function_definition"
_PARAMETERS: Final = frozenset({"parameters", "default_parameter", "typed_parameter", "typed_default_parameter"})
_DECORATED: Final = "decorated_definition"
_HALVES: Final = (b".setter", b".deleter")
_UNTOLD: Final = frozenset({"lambda", "lambda_parameters"})


def name_at(tree: Tree, start: int, end: int) -> str | None:
    """Name of the class, function or attribute whose name is in a stretch, with those around it."""
    node = tree.root_node.descendant_for_byte_range(start, end)
    if node is None or node.kind_id != nodes.IDENTIFIER or node.start_byte != start:
        return None
    parts = [_text(node)]
    holder = node.parent
    if holder is None:
        return None
    attribute = _is_bound(holder, node)
    if _named(holder) != node and not attribute and not _is_parameter(holder, node):
        return None
    above = holder.parent
    while above is not None:
        if above.type == _DECORATED and _is_half(above):
            return None
        name = _named(above)
        if name is not None:
            if attribute and above.type == _FUNCTION:
                return None  # a variable of a function, or one that is bound elsewhere by `global`
            attribute = False
            parts.append(_text(name))
        elif above.type in _UNTOLD:
            return None
        above = above.parent
    return ".".join(reversed(parts)) if all(parts) else None


def _is_half(decorated: Node) -> bool:
    """Whether it is the setter or deleter of a property, if there is one of its name."""
    decorators = (part for part in decorated.named_children if part.type == "decorator")
    return any((part.text or b"").endswith(_HALVES) for part in decorators)


def _named(node: Node) -> Node | None:
    return node.child_by_field_name("name") if node.type in _NAMED else None


def _is_bound(holder: Node, node: Node) -> bool:
    """`name = ...` or `name: type` of a class or module."""
    return holder.type == "assignment" and holder.child_by_field_name("left") == node


def _is_parameter(holder: Node, node: Node) -> bool:
    """`name`, `name: type`, `name=value` among the parameters of a function."""
    if holder.type not in _PARAMETERS:
        return False
    name = holder.child_by_field_name("name")
    return name == node if name is not None else holder.named_children[0] == node or holder.type == "parameters"


def _text(node: Node) -> str:
    """The name; "" for one whose facts spell it in another form."""
    raw = node.text or b""
    return raw.decode() if raw.isascii() else ""
