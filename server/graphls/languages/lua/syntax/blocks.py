"""Blocks: statements one after the other, and which comments belong to which of them.

Owns: comments above a statement and behind it; tables that get a metatable in a block.
Must not know: what any statement means, other files.
Invariant: a comment belongs to the statement in the next line, or in its own; else it stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graphls.languages.lua.syntax.classes import declare
from graphls.languages.lua.syntax.comments import DECLARING, Doc, doc_of
from graphls.languages.lua.syntax.facts_builder import LuaFactsBuilder


def read_block(builder: LuaFactsBuilder, node: Node) -> None:
    """Statements, one after the other, each with the comments above it."""
    frame, shape = builder.frame, builder.shape
    builder.metatables.append(_metatables(builder, node))
    comments: list[Node] = []
    parts = node.named_children
    for at, part in enumerate(parts):
        if part.type == "comment":
            if comments and part.start_point[0] != comments[-1].end_point[0] + 1:
                _read_alone(builder, comments)
                comments = []
            comments.append(part)
            continue
        attached = bool(comments) and comments[-1].end_point[0] + 1 >= part.start_point[0]
        if comments and not attached:
            _read_alone(builder, comments)
            comments = []
        behind = parts[at + 1] if at + 1 < len(parts) else None
        if behind is not None and behind.type == "comment" and behind.start_point[0] == part.end_point[0]:
            comments.append(behind)
        builder.doc = _doc(builder, comments)
        comments = []
        frame.statements += 1
        shape.append(part.kind_id)
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
        builder.doc = None
    if comments:
        _read_alone(builder, comments)
    builder.metatables.pop()


def _doc(builder: LuaFactsBuilder, comments: Sequence[Node]) -> Doc | None:
    if not comments:
        return None
    doc = doc_of(builder.data, [(one.start_byte, one.end_byte) for one in comments])
    if doc.tags:
        declare(builder, doc)
    return doc


def _read_alone(builder: LuaFactsBuilder, comments: Sequence[Node]) -> None:
    """Comments that no statement follows may declare types."""
    if any(b"@" in (one.text or b"") for one in comments):
        doc = doc_of(builder.data, [(one.start_byte, one.end_byte) for one in comments])
        if any(tag.name in DECLARING for tag in doc.tags):
            declare(builder, doc)


def _metatables(builder: LuaFactsBuilder, node: Node) -> dict[int, Node]:
    """`setmetatable(name, table)` as statements of a block."""
    found: dict[int, Node] = {}
    for part in node.named_children:
        if part.type != "function_call":
            continue
        name, given = part.child_by_field_name("name"), part.child_by_field_name("arguments")
        if name is None or name.text != b"setmetatable" or given is None:
            continue
        parts = given.named_children
        if len(parts) == 2 and parts[0].type == "identifier" and parts[1].type != "table_constructor":
            found[builder.name(parts[0].start_byte, parts[0].end_byte)] = parts[1]
    return found


def take_doc(builder: LuaFactsBuilder) -> Doc | None:
    """What the comments above the statement say, once."""
    doc, builder.doc = builder.doc, None
    return doc if isinstance(doc, Doc) else None
