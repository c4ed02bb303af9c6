"""Members: the bodies of types, and names that are bound in them.

Owns: scopes of types without a name, parameters of methods.
Must not know: other files, what a member means.
Invariant: the scope of a type without a name says through an OBJECT expression what it extends.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.declared.facts_builder import READ, DeclaredFactsBuilder, Frame
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.java.syntax.types import OBJECT_SCOPE, PARAMETER, modifiers, read_type, with_dimensions

VARIADIC: Final = int(DefinitionFlag.VARIADIC)
_PARAMETERS: Final = frozenset({"formal_parameter", "spread_parameter"})


def anonymous_body(builder: DeclaredFactsBuilder, node: Node, type_: int) -> int:
    """Reads the body of a type without a name; answers its scope. `type_`: what it extends."""
    outer, full, owner, frame = builder.scope, builder.full, builder.owner, builder.frame
    scope = builder.scope = builder.open_scope(OBJECT_SCOPE, node.start_byte, node.end_byte)
    builder.frame = Frame(frame.definition)
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part, 0, READ)
    builder.scope, builder.full, builder.owner, builder.frame = outer, full, owner, frame
    return scope


def parameters(builder: DeclaredFactsBuilder, node: Node | None, kind: int = PARAMETER, flags: int = 0) -> None:
    """Binds the parameters of a method, or the components of a record, in the current scope."""
    for part in node.named_children if node is not None else ():
        if part.type not in _PARAMETERS:
            builder.read(part)
            continue
        name, written = part.child_by_field_name("name"), part.child_by_field_name("type")
        dimensions, variadic = part.child_by_field_name("dimensions"), part.type == "spread_parameter"
        if variadic:
            name, written = _spread(part)
        if name is None:
            builder.read_all(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(name, kind, flags | (VARIADIC if variadic else 0))
        modifiers(builder, part, row)
        type_ = with_dimensions(builder, read_type(builder, written), dimensions)
        if variadic and type_ >= 0:
            type_ = builder.constructed("[]", (type_,))
        builder.definitions[row][D_TYPE] = type_


def _spread(node: Node) -> tuple[Node | None, Node | None]:
    """The name and the type of `T... name`."""
    name: Node | None = None
    written: Node | None = None
    for part in node.named_children:
        if part.type == "variable_declarator":
            name = part.child_by_field_name("name")
        elif written is None and part.type not in ("modifiers", "line_comment", "block_comment", "annotation"):
            written = part
    return name, written
