"""Types: written types of PHP as expressions.

Owns: the rules of type nodes and of names of classes, templates of doc comments.
Must not know: statements, other files.
Invariant: `null` in a type says nothing: what is asked of a value is asked of what it is otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import NAME, TYPED, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.extract.kinds import LITERAL_EXPRESSION
from graphls.languages.php.syntax.facts_builder import MARK, TYPE_PARAMETER, UNION, PhpFactsBuilder, php
from graphls.languages.php.syntax.phpdoc import DocTag, written_type
from graphls.languages.php.syntax.words import RELATIVE

NAMES: Final = frozenset({"name", "qualified_name", "relative_name"})


def class_name(builder: DeclaredFactsBuilder, node: Node, role: int = TYPED) -> int:
    """The name of a class: `Name`, `Some\\Name`, `\\Some\\Name`, `self`."""
    text = (node.text or b"").lower()
    if text.decode("utf-8", "replace") in RELATIVE:
        return builder.expression(NAME, builder.text(MARK + text.decode()), builder.scope, node.start_byte)
    return php(builder).spelled_name(node.start_byte, node.end_byte, role)


def named_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A class as a type."""
    for part in node.named_children:
        if part.type in NAMES:
            if part.text in (b"static", b"STATIC"):
                return builder.builtin("static")
            return class_name(builder, part, role or TYPED)
    return -1


def primitive(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`int`, `array`, `static`."""
    return builder.builtin(builder.source(node.start_byte, node.end_byte).lower())


def united(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A|B`, `A&B`, `?A`."""
    rows = [builder.read(part, 1, role or TYPED) for part in node.named_children if part.type != "comment"]
    kept = [row for row in rows if row >= 0]
    if len(kept) <= 1:
        return kept[0] if kept else -1
    return builder.expression(UNION, builder.sequence(kept))


def says_class(builder: DeclaredFactsBuilder, row: int) -> bool:
    """Whether a written type is more than a built-in word."""
    return row >= 0 and builder.kind_of(row) != LITERAL_EXPRESSION


def better(builder: DeclaredFactsBuilder, native: int, doc: int) -> int:
    """The type that says more: a comment mostly, but for `mixed` and the like."""
    return doc if doc >= 0 and (native < 0 or says_class(builder, doc)) else native


def templates(builder: PhpFactsBuilder, tags: Iterable[DocTag]) -> None:
    """`@template T of Bound`, bound in the current scope."""
    full = builder.full
    for tag in tags:
        if not tag.name.startswith("template"):
            continue
        at = tag.start
        while at < tag.end and (builder.data[at : at + 1].isalnum() or builder.data[at] in b"_"):
            at += 1
        if at == tag.start:
            continue
        builder.full = (tag.start, at)
        start, name = tag.start, builder.name(tag.start, at)
        rows = builder.definitions
        rows.append([name, TYPE_PARAMETER, 0, builder.scope, start, at, start, at, *([-1] * 6), builder.owner])
        rest = builder.data[at : tag.end].lstrip(b" \t")
        if rest.startswith((b"of ", b"as ")):
            begin = tag.end - len(builder.data[at : tag.end]) + (len(builder.data[at : tag.end]) - len(rest)) + 3
            rows[-1][D_TYPE] = written_type(builder, begin, tag.end)[0]
    builder.full = full


RULES: dict[str, Rule] = {
    "named_type": named_type,
    "primitive_type": primitive,
    "bottom_type": primitive,
    "optional_type": united,
    "union_type": united,
    "intersection_type": united,
    "disjunctive_normal_form_type": united,
    "type_list": united,
}
