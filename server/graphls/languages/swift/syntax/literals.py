"""Literals: strings, collections, tuples, key paths.

Owns: the rules of values that are written as they are.
Must not know: statements, declarations with names, other files.
Invariant: a literal has its type of the library unless its place demands another.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.expressions import literal
from graphls.languages.declared.facts_builder import READ, TUPLE, DeclaredFactsBuilder, Rule, nothing
from graphls.languages.swift.syntax.facts_builder import COLLECTION, COMMENTS, OPERATION, parts_of
from graphls.languages.swift.syntax.types import ARRAY, DICTIONARY, TYPES

KEY_PATH: Final = "\\"
"""Operator of the expression that stands for the root of a key path whose type its place demands."""
BOOL: Final = "Swift.Bool"
INT: Final = "Swift.Int"
STRING: Final = "Swift.String"


def text(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A string with names in it."""
    for part in node.named_children:
        if part.type in ("interpolated_expression", "raw_str_interpolation"):
            _interpolated(builder, part)
    return builder.builtin(STRING) if want else -1


def _interpolated(builder: DeclaredFactsBuilder, node: Node) -> None:
    parts = node.children
    for at, part in enumerate(parts):
        labelled = at + 1 < len(parts) and parts[at + 1].type == ":"
        if part.is_named and part.type != "value_argument_label" and not labelled:
            if part.type == "interpolated_expression":
                _interpolated(builder, part)
            else:
                builder.read(part)


def array(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a, b]`."""
    rows = [builder.read(part, 1) for part in parts_of(node)]
    return builder.expression(COLLECTION, builder.sequence(rows), builder.text(ARRAY)) if want else -1


def dictionary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a: b]`."""
    rows = [builder.read(part, 1) for part in parts_of(node)]
    if not want:
        return -1
    return builder.expression(
        COLLECTION, builder.sequence(rows[1::2]), builder.text(DICTIONARY), builder.sequence(rows[::2])
    )


def parenthesised(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `(a: x, y)`."""
    rows: list[int] = []
    parts = node.children
    for at, part in enumerate(parts):
        labelled = at + 1 < len(parts) and parts[at + 1].type == ":"
        if part.is_named and part.type not in COMMENTS and not labelled:
            rows.append(builder.read(part, 1, role))
    if len(rows) == 1:
        return rows[0]
    return builder.expression(TUPLE, builder.sequence(rows)) if want and rows else -1


def key_path(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    r"""`\Root` of a key path; its root's type is demanded by its place where it is not written."""
    row = -1
    for part in node.children:
        if part.type in ("type_identifier", "simple_identifier"):
            row = builder.instance(builder.name_expression(part, 1, READ))
        elif part.type in TYPES:
            row = builder.instance(builder.read(part, 1))
        elif part.is_named and part.type not in COMMENTS:
            builder.read(part)
    return row if row >= 0 else builder.expression(OPERATION, -1, -1, builder.text(KEY_PATH))


def selector(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#selector(name(_:))`."""
    builder.read_all(node)
    return builder.builtin("ObjectiveC.Selector") if want else -1


RULES: dict[str, Rule] = {
    "line_string_literal": text,
    "multi_line_string_literal": text,
    "raw_string_literal": text,
    "array_literal": array,
    "dictionary_literal": dictionary,
    "tuple_expression": parenthesised,
    "key_path_expression": key_path,
    "selector_expression": selector,
    "boolean_literal": literal(BOOL),
    "nil_literal": literal("nil"),
    "integer_literal": literal(INT),
    "hex_literal": literal(INT),
    "oct_literal": literal(INT),
    "bin_literal": literal(INT),
    "real_literal": literal("Swift.Double"),
    "regex_literal": nothing,
    "special_literal": nothing,
    "key_path_string_expression": selector,
}
