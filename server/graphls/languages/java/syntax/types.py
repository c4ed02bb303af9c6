"""Types: written types of Java as expressions.

Owns: the rules of type nodes, type parameters, annotations.
Must not know: statements, other files.
Invariant: a wildcard is what bounds it.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import (
    MEMBER,
    NAME,
    SUBSCRIPT,
    TUPLE,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
STATIC: Final = int(DefinitionFlag.STATIC)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
FINAL: Final = int(DefinitionFlag.FINAL)
KEYWORD: Final = int(Role.KEYWORD)
DECORATES: Final = int(Role.DECORATE)
PRIVATE: Final = int(DefinitionFlag.POSITIONAL_ONLY)
"""On a member: no other file sees it. Of parameters alone the flag means what it is called."""
PACKAGE_PRIVATE: Final = int(DefinitionFlag.KEYWORD_ONLY)
"""On a member: no word says who sees it. In a class other packages do not."""
_FLAGS: Final = {"static": STATIC, "abstract": ABSTRACT, "final": FINAL, "private": PRIVATE}
_ACCESS: Final = frozenset(("public", "protected", "private"))
_NO_PARTS: Final = frozenset({"marker_annotation", "annotation", "line_comment", "block_comment"})
_ARRAY: Final = "[]"
INFERRED: Final = b"var"


def named(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name` as a type."""
    return builder.name_expression(node, want, role or TYPED)


def scoped(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Outer.Inner`, `some.pkg.Name` as a type."""
    parts = _parts(node)
    if len(parts) != 2:
        builder.read_all(node)
        return -1
    return builder.member_expression(qualifier(builder, parts[0]), parts[1], want, role or TYPED)


def qualifier(builder: DeclaredFactsBuilder, node: Node) -> int:
    """What stands before the last dot of a written type. What begins with a small letter is a package by convention: it
    is looked at as such, and is no use."""
    if node.type in ("scoped_type_identifier", "scoped_identifier"):
        parts = _parts(node)
        if len(parts) != 2:
            return -1
        base, last = qualifier(builder, parts[0]), parts[1]
        if not _is_small(builder, last):
            return builder.member_expression(base, last, 1, TYPED)
        start = last.start_byte
        return builder.expression(MEMBER, base, builder.name(start, last.end_byte), start) if base >= 0 else -1
    if node.type not in ("identifier", "type_identifier"):
        return builder.read(node, 1, TYPED)
    if _is_small(builder, node):
        start = node.start_byte
        return builder.expression(NAME, builder.name(start, node.end_byte), builder.scope, start)
    return builder.name_expression(node, 1, TYPED)


def _parts(node: Node) -> list[Node]:
    return [part for part in node.named_children if part.type not in _NO_PARTS]


def _is_small(builder: DeclaredFactsBuilder, node: Node) -> bool:
    return 0x61 <= builder.data[node.start_byte] <= 0x7A


def generic_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name<Arguments>`."""
    row, given = -1, []
    for part in node.named_children:
        if part.type == "type_arguments":
            given = [builder.read(one, 1, TYPED) for one in part.named_children]
        else:
            row = builder.read(part, 1, role or TYPED)
    if not want or row < 0 or not given:
        return row if want else -1
    return builder.expression(SUBSCRIPT, row, builder.sequence(given))


def wildcard(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`? extends T`, `? super T`, `?`."""
    rows = [builder.read(part, 1, TYPED) for part in node.named_children if part.type != "super"]
    return next((row for row in rows if row >= 0), -1)


def array_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T[][]`."""
    element, dimensions = node.child_by_field_name("element"), node.child_by_field_name("dimensions")
    row = builder.read(element, 1, TYPED) if element is not None else -1
    return with_dimensions(builder, row, dimensions)


def with_dimensions(builder: DeclaredFactsBuilder, row: int, node: Node | None) -> int:
    """A type with brackets behind it."""
    if node is None or row < 0:
        return row
    for part in node.children:
        if part.type == "[":
            row = builder.constructed(_ARRAY, (row,))
    return row


def annotated(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`@A Type`."""
    row = -1
    for part in node.named_children:
        got = builder.read(part, 1, role)
        row = got if got >= 0 else row
    return row


def primitive(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`int`, `void`."""
    return builder.builtin(builder.source(node.start_byte, node.end_byte)) if want else -1


def joined(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A & B` of a bound, `A | B` of a handler: the first decides, the others are read."""
    rows = [builder.read(part, 1, TYPED) for part in node.named_children if part.type != "comment"]
    if node.type == "catch_type" and len(rows) > 1:
        return builder.builtin("java.lang.Exception")
    if len(rows) > 1:
        return builder.expression(TUPLE, builder.sequence(rows))
    return rows[0] if rows else -1


def type_parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`<T extends Bound, U>`, bound in the current scope."""
    full = builder.full
    for part in node.named_children:
        names = [one for one in part.named_children if one.type in ("type_identifier", "identifier")]
        if part.type != "type_parameter" or not names:
            builder.read(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(names[0], TYPE_PARAMETER)
        for one in part.named_children:
            if one.type == "type_bound":
                builder.definitions[row][D_TYPE] = builder.read(one, 1, TYPED)
            elif one is not names[0] and one.type in ("annotation", "marker_annotation"):
                builder.read(one)
    builder.full = full


def modifiers(builder: DeclaredFactsBuilder, node: Node, row: int) -> int:
    """Reads the annotations before a declaration; answers the flags that the words before it set."""
    flags, access = 0, PACKAGE_PRIVATE
    for part in node.children:
        if part.type != "modifiers":
            if part.type not in ("comment", "line_comment", "block_comment"):
                break
            continue
        for word in part.children:
            if word.is_named:
                before = len(builder.expressions)
                made = builder.read(word, 1)
                if row >= 0 and made >= 0 and len(builder.expressions) > before:
                    name = word.child_by_field_name("name")
                    last = builder.text(builder.source(name.start_byte, name.end_byte)) if name is not None else -1
                    builder.decorators.append((row, made, word.start_byte, word.end_byte, last, -1))
            else:
                flags |= _FLAGS.get(word.type, 0)
                if word.type in _ACCESS:
                    access = 0
    return flags | access


def annotation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`@Name(element = value)`."""
    name, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if name is None:
        return -1
    if name.type == "identifier":
        type_ = builder.name_expression(name, 1, DECORATES)
    else:
        parts = _parts(name)
        type_ = builder.member_expression(qualifier(builder, parts[0]), parts[-1], 1, DECORATES) if parts else -1
    base = builder.instance(type_)
    for part in arguments.named_children if arguments is not None else ():
        key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
        if part.type == "element_value_pair" and key is not None:
            builder.use(key.start_byte, key.end_byte, KEYWORD, base if base >= 0 else builder.unknown())
            if value is not None:
                builder.read(value)
        else:
            builder.read(part)
    return type_


def read_type(builder: DeclaredFactsBuilder, node: Node | None) -> int:
    """The written type of a variable; -1 for `var`."""
    if node is None or (node.type == "type_identifier" and node.text == INFERRED):
        return -1
    return builder.read(node, 1, TYPED)


RULES: dict[str, Rule] = {
    "type_identifier": named,
    "scoped_type_identifier": scoped,
    "generic_type": generic_type,
    "wildcard": wildcard,
    "array_type": array_type,
    "annotated_type": annotated,
    "integral_type": primitive,
    "floating_point_type": primitive,
    "boolean_type": primitive,
    "void_type": primitive,
    "type_bound": joined,
    "catch_type": joined,
    "annotation": annotation,
    "marker_annotation": annotation,
    "dimensions": nothing,
}
