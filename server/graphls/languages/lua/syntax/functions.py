"""Functions: their parameters, bodies and results.

Owns: the scope of a function, what `self` is in it, what it gives back.
Must not know: what holds a function, other files.
Invariant: `self` is the table that a method is declared in, or the parameter of that name; nothing else.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import RETURN, DeclaredFactsBuilder, Frame, Rule
from graphls.languages.extract.facts_builder import D_BODY, D_KIND
from graphls.languages.lua.syntax.blocks import read_block, take_doc
from graphls.languages.lua.syntax.classes import read_signature
from graphls.languages.lua.syntax.facts_builder import (
    FUNCTION_SCOPE,
    LAMBDA_SCOPE,
    METHOD,
    PARAMETER,
    RESULTS,
    LuaFactsBuilder,
    lua,
)

_FRAMES: Final = 2
"""Of the depth that a body takes besides its node: it is read in twice as many frames as a statement."""
NAMELESS: Final = -2
"""The frame of a function without a name: what it gives back nobody asks for."""


def takes_self(node: Node) -> bool:
    """Whether the first parameter of a function is called `self`."""
    given = node.child_by_field_name("parameters")
    first = given.child_by_field_name("name") if given is not None else None
    return first is not None and first.text == b"self"


def read_function(builder: LuaFactsBuilder, node: Node, row: int, table: int, implicit: bool = False) -> None:
    """A function, the body of a definition or -1. `table`: whose member it is; `implicit`: `self` is no parameter."""
    doc = take_doc(builder)
    outer, owner, full, self_table = builder.scope, builder.owner, builder.full, builder.self_table
    frame = builder.frame
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    start = parameters.start_byte if parameters is not None else node.start_byte
    builder.scope = builder.open_scope(LAMBDA_SCOPE if row < 0 else FUNCTION_SCOPE, start, node.end_byte, row)
    if row >= 0:
        builder.owner = row
        builder.definitions[row][D_BODY] = builder.scope
        if implicit:
            builder.self_table = table
    if parameters is not None:
        for part in parameters.children_by_field_name("name"):
            builder.full = (part.start_byte, part.end_byte)
            parameter = builder.define_local(part, PARAMETER)
            builder.show(parameter)
            if part.text == b"self" and row >= 0 and table >= 0 and builder.definitions[row][D_KIND] == METHOD:
                builder.stands_for[parameter] = table
                builder.give(parameter, builder.self_expression())
    before = len(builder.returns)
    read_signature(builder, row, doc)
    if row >= 0:
        end = body.start_byte if body is not None else node.end_byte
        builder.describe(row, full[0], min(end, max(full[0], _head(node))), doc.text if doc is not None else "")
    _read_body(builder, row, body, said=len(builder.returns) > before)
    builder.scope, builder.owner, builder.full, builder.self_table = outer, owner, full, self_table
    builder.frame = frame


def _head(node: Node) -> int:
    parameters = node.child_by_field_name("parameters")
    return parameters.end_byte if parameters is not None else node.end_byte


def _read_body(builder: LuaFactsBuilder, row: int, body: Node | None, said: bool) -> None:
    outer = builder.said
    builder.said = said
    builder.depth += _FRAMES
    if row >= 0 and body is not None:
        builder.read_body(row, body, _read_statements)
    elif body is not None:
        builder.frame = Frame(NAMELESS)
        read_block(builder, body)
    builder.depth -= _FRAMES
    builder.said = outer


def _read_statements(builder: DeclaredFactsBuilder, node: Node) -> None:
    read_block(lua(builder), node)


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function() ... end` that nothing is the name of."""
    read_function(lua(builder), node, -1, -1)
    return -1


def give_back(builder: LuaFactsBuilder, rows: list[int]) -> None:
    """What a statement gives back of the function around."""
    frame = builder.frame
    if frame.definition < 0 or builder.said:
        return
    row = rows[0] if len(rows) == 1 else builder.collected(rows, RESULTS) if rows else -1
    if max(rows, default=-1) >= 0:
        builder.returns.append((frame.definition, row, RETURN))


RULES: dict[str, Rule] = {"function_definition": function}
