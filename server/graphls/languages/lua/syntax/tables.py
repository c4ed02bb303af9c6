"""Tables: which table an expression means, what is put into it, and what its metatable leads to.

Owns: constructors, members that are assigned, `setmetatable`, calls that make classes.
Must not know: statements, other files.
Invariant: of a table that is not known nothing is declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.declared.facts_builder import (
    CALLED,
    ELEMENT,
    MEMBER,
    READ,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
)
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_KIND, D_NAME, D_SCOPE
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.lua.syntax.classes import declare, give_type
from graphls.languages.lua.syntax.comments import Doc, doc_of
from graphls.languages.lua.syntax.facts_builder import (
    CLASS,
    CLASS_SCOPE,
    FIELD,
    FUNCTION,
    FUNCTION_SCOPE,
    FUNCTIONS,
    INHERITED,
    INSTANCE,
    LAMBDA_SCOPE,
    LAYERS,
    LIST,
    METHOD,
    OBJECT,
    OBJECT_SCOPE,
    VARIABLE,
    LuaFactsBuilder,
    lua,
    string_span,
)
from graphls.languages.lua.syntax.functions import read_function, takes_self

ASSIGNED: Final = int(DefinitionFlag.POSITIONAL_ONLY)
"""A function that is the value of an assignment: its name means it behind that only."""
_MAKERS: Final = frozenset((b"class", b"Class", b"extend", b"extends", b"subclass", b"inherit", b"derive"))
MOST_DOTS: Final = 32
"""Names in a row that lead to a table."""
_TABLE_FRAMES: Final = 2
"""Of the depth that a table in a table takes: it is read in as many frames as two other nodes."""
_MOST_ELEMENTS: Final = 3
"""Elements of a list that say what it holds."""


def member_name(node: Node) -> Node | tuple[int, int] | None:
    """Where the name of a member stands: `t.name`, `t["name"]`, `t:name`; None where it is computed."""
    if node.type == "dot_index_expression":
        return node.child_by_field_name("field")
    if node.type == "method_index_expression":
        return node.child_by_field_name("method")
    field = node.child_by_field_name("field") if node.type == "bracket_index_expression" else None
    return string_span(field) if field is not None else None


def span_of(name: Node | tuple[int, int]) -> tuple[int, int]:
    """From where to where a name stands."""
    return name if isinstance(name, tuple) else (name.start_byte, name.end_byte)


def table_at(builder: LuaFactsBuilder, node: Node) -> int:
    """The members of the table that an expression means; -1 where this file cannot add to it."""
    at: Node | None = node
    for _ in range(MOST_DOTS):
        at = at.child_by_field_name("table") if at is not None else None
    return -1 if at is not None else _table_along(builder, node)


def _table_along(builder: LuaFactsBuilder, node: Node) -> int:
    if node.type == "identifier":
        return _table_of_name(builder, node)
    inside, named = node.child_by_field_name("table"), member_name(node)
    if inside is None or named is None or node.type == "method_index_expression":
        return -1
    held = _table_along(builder, inside)
    if held < 0:
        return -1
    start, end = span_of(named)
    name = builder.name(start, end)
    row = builder.member_row(held, name)
    if row >= 0:
        return builder.table_of(row)
    base = quiet(builder, inside)
    if base < 0 or inside.text is None or inside.text.startswith(b"self"):
        return -1
    dotted = f"{inside.text.decode('utf-8', 'replace')}.{builder.strings[name]}"
    return builder.outside_table(f"{held} {dotted}", builder.expression(MEMBER, base, name, -1))


def _table_of_name(builder: LuaFactsBuilder, node: Node) -> int:
    name = builder.name(node.start_byte, node.end_byte)
    row = builder.local_row(name)
    if row < 0 and node.text == b"self":
        return builder.self_table
    row = row if row >= 0 else builder.globals.get(name, -1)
    if row >= 0:
        return builder.table_of(row)
    text = builder.strings[name]
    return -1 if text == "_G" else builder.outside_table(text, builder.plain(name, 0, -1))


def quiet(builder: LuaFactsBuilder, node: Node) -> int:
    """What an expression of names and dots means, without uses; -1 for any other."""
    if node.type == "identifier":
        name = builder.name(node.start_byte, node.end_byte)
        if node.text == b"self" and builder.local_row(name) < 0:
            return builder.self_expression()
        return builder.plain(name, builder.scope, node.start_byte)
    inside, named = node.child_by_field_name("table"), member_name(node)
    if inside is None or named is None:
        return -1
    base = quiet(builder, inside)
    start, end = span_of(named)
    return builder.expression(MEMBER, base, builder.name(start, end), -1) if base >= 0 else -1


def is_outside_functions(builder: LuaFactsBuilder) -> bool:
    """Whether what stands here runs once, when the file is loaded."""
    at = builder.scope
    while at >= 0:
        if builder.scopes[at][0] in (FUNCTION_SCOPE, LAMBDA_SCOPE):
            return False
        at = builder.scopes[at][1]
    return True


def is_class(builder: LuaFactsBuilder, table: int) -> bool:
    """Whether tables that have it as their metatable are its instances."""
    if table < 0:
        return False
    owner = builder.scopes[table][4]
    return (
        builder.scopes[table][0] == CLASS_SCOPE
        or table == builder.self_table
        or (owner >= 0 and builder.definitions[owner][D_KIND] == CLASS)
        or (table, builder.text("__index")) in builder.members
    )


def mark_class(builder: LuaFactsBuilder, row: int) -> None:
    """What a definition holds is a class."""
    definition = builder.definitions[row]
    if (definition[D_KIND] == VARIABLE and definition[D_SCOPE] == 0) or (
        definition[D_KIND] == FIELD and builder.scopes[definition[D_SCOPE]][0] == OBJECT_SCOPE
    ):
        definition[D_KIND] = CLASS


def kind_of_value(builder: LuaFactsBuilder, value: Node | None, plain: int) -> int:
    """The kind of what gets a value."""
    if value is None or value.type != "function_definition":
        return plain
    return METHOD if plain == FIELD and takes_self(value) else FUNCTION


def read_value(builder: LuaFactsBuilder, node: Node, row: int, table: int = -1) -> int:
    """The value that a definition gets: a table becomes its members, a function its body. `table`: where it is one."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    if node.type == "function_definition" and builder.definitions[row][D_BODY] < 0:
        read_function(builder, node, row, table)
        return -1
    if node.type == "table_constructor":
        return _table_value(builder, node, builder.table_of(row))
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and right.type == "table_constructor" and is_or(builder, left, right):
            first = builder.read(left, 1)
            return builder.choice((first, read_value(builder, right, row, table)))
    if node.type == "function_call":
        return call_value(builder, node, row)
    return builder.read(node, 1)


def _table_value(builder: LuaFactsBuilder, node: Node, table: int) -> int:
    """A constructor whose fields are members of a table, with what its list holds."""
    if table < 0 or builder.depth >= DEPTH:
        return builder.read(node, 1)
    builder.depth += _TABLE_FRAMES
    held = read_constructor(builder, node, table)
    builder.depth -= _TABLE_FRAMES
    return builder.choice((builder.expression(OBJECT, table), held))


def is_or(builder: LuaFactsBuilder, left: Node, right: Node) -> bool:
    """Whether the sign between two operands is `or`."""
    return builder.between(left.end_byte, right.start_byte).strip() == b"or"


def call_value(builder: LuaFactsBuilder, node: Node, row: int) -> int:
    """What a call gives a definition; `row`: -1 for none."""
    name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    parts = [part for part in given.named_children if part.type != "comment"] if given is not None else []
    if name is not None and name.type == "identifier" and name.text == b"setmetatable" and len(parts) == 2:
        builder.use(name.start_byte, name.end_byte, CALLED)
        return with_metatable(builder, parts[0], parts[1], row)
    if row >= 0 and name is not None and _makes_class(builder, name, row):
        return _made_class(builder, node, name, parts, row)
    return builder.read(node, 1)


def _makes_class(builder: LuaFactsBuilder, name: Node, row: int) -> bool:
    last = name if name.type == "identifier" else member_name(name)
    kind, scope = builder.definitions[row][D_KIND], builder.definitions[row][D_SCOPE]
    return (
        isinstance(last, Node)
        and last.text in _MAKERS
        and (kind == FIELD or (kind == VARIABLE and scope == 0))
        and is_outside_functions(builder)
    )


def _made_class(builder: LuaFactsBuilder, node: Node, name: Node, parts: Sequence[Node], row: int) -> int:
    """`class(Base)`, `class("Name", Base)`, `Base:extend()`."""
    mark_class(builder, row)
    held, above = builder.table_of(row), list[int]()
    inside = name.child_by_field_name("table") if name.type == "method_index_expression" else None
    if inside is not None:
        above.append(builder.read(inside, 1, INHERITED))
        method = name.child_by_field_name("method")
        if method is not None:
            builder.use(method.start_byte, method.end_byte, CALLED, above[0] if above[0] >= 0 else builder.unknown())
    else:
        builder.read(name, 0, CALLED)
    for part in parts:
        plain = part.type in ("identifier", "dot_index_expression")
        found = builder.read(part, int(plain), INHERITED if plain and inside is None else READ)
        if plain and inside is None:
            above.append(found)
    own = builder.expression(OBJECT, held) if held >= 0 else -1
    rows = [one for one in (own, *above) if one >= 0]
    return builder.collected(rows, LAYERS) if len(rows) > 1 else -1


def with_metatable(builder: LuaFactsBuilder, first: Node, meta: Node, row: int) -> int:
    """`setmetatable(first, meta)`."""
    held = _instance_of(builder, meta)
    if held >= 0 and not is_outside_functions(builder):
        builder.read(meta)
        _become_instance(builder, first, held, row)
        return builder.table_expression(held)
    if meta.type == "table_constructor":
        own = _into(builder, first, row)
        above = _read_metatable(builder, meta, row)
        return builder.collected((own, above), LAYERS) if own >= 0 and above >= 0 else own
    held = table_at(builder, meta)
    if is_class(builder, held) and not is_outside_functions(builder):
        value = builder.read(meta, 1)
        _become_instance(builder, first, held, row)
        return value
    own = _into(builder, first, row)
    value = builder.read(meta, 1)
    above = builder.member_of(value, "__index") if value >= 0 else -1
    return builder.collected((own, above), LAYERS) if own >= 0 and above >= 0 else own


def _become_instance(builder: LuaFactsBuilder, first: Node, held: int, row: int) -> None:
    """A table becomes an instance of a class: its fields are the class's."""
    if first.type == "table_constructor":
        read_constructor(builder, first, held, INSTANCE)
    else:
        builder.read(first)
    if row >= 0 and builder.definitions[row][D_BODY] < 0:
        builder.stands_for[row] = held


def _instance_of(builder: LuaFactsBuilder, meta: Node) -> int:
    """The class that `{ __index = Class }` makes instances of, -1 for none that this file makes."""
    if meta.type != "table_constructor":
        return -1
    for part in meta.named_children:
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if name is None or name.text != b"__index" or value is None:
            continue
        called = value.child_by_field_name("name") if value.type == "function_call" else None
        if called is not None and called.text == b"setmetatable":
            given = value.child_by_field_name("arguments")
            value = given.named_children[0] if given is not None and given.named_child_count else value
        if value.type not in ("identifier", "dot_index_expression"):
            return -1
        held = table_at(builder, value)
        return held if is_class(builder, held) or held in builder.made else -1
    return -1


def _into(builder: LuaFactsBuilder, node: Node, row: int) -> int:
    """The table that gets a metatable, as an expression."""
    if node.type != "table_constructor":
        return builder.read(node, 1)
    table = builder.table_of(row) if row >= 0 else anonymous(builder, node)
    if table < 0:
        return builder.read(node, 1)
    read_constructor(builder, node, table)
    return builder.expression(OBJECT, table)


def anonymous(builder: LuaFactsBuilder, node: Node, owner: int = -1) -> int:
    """The members of a table without a name."""
    return builder.open_scope(OBJECT_SCOPE, node.start_byte, node.end_byte, owner)


def _read_metatable(builder: LuaFactsBuilder, node: Node, row: int) -> int:
    """`{ __index = Base, ... }`: what the table that gets it goes on to."""
    above = -1
    outside = row >= 0 and is_outside_functions(builder)
    table = anonymous(builder, node, row if outside else -1)
    full = builder.full
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        plain = name is not None and value is not None and value.type in ("identifier", "dot_index_expression")
        if plain and name is not None and name.text == b"__index" and value is not None:
            member = builder.define_member(name, table, FIELD)
            above = builder.read(value, 1, INHERITED if outside else READ)
            builder.give(member, above)
            if outside:
                mark_class(builder, row)
        elif name is not None and name.text == b"__index" and value is not None and value.type == "function_call":
            above = builder.read(value, 1)
        elif part.type == "field":
            _read_field(builder, part, table, None, 0)
    builder.full = full
    return above


def read_constructor(builder: LuaFactsBuilder, node: Node, table: int, flags: int = 0) -> int:
    """The fields of a constructor become members of a table; answers what its list holds, -1 for none."""
    if table not in builder.table_types:
        builder.made.add(table)
    elements: list[int] = []
    comments: list[tuple[int, int]] = []
    last = -1
    full = builder.full
    for part in node.named_children:
        if part.type == "comment":
            comments = (
                [*comments, (part.start_byte, part.end_byte)]
                if part.start_point[0] == last + 1
                else [(part.start_byte, part.end_byte)]
            )
            last = part.end_point[0]
            continue
        if part.type != "field":
            builder.read(part)
            continue
        doc = None
        if comments and last + 1 >= part.start_point[0] and builder.data.startswith(b"---", comments[0][0]):
            doc = doc_of(builder.data, comments)
            declare(builder, doc)
        comments = []
        builder.full = (part.start_byte, part.end_byte)
        row = _read_field(builder, part, table, doc, flags, wanted=len(elements) < _MOST_ELEMENTS)
        if row >= 0:
            elements.append(row)
    builder.full = full
    return builder.collected(elements, LIST) if elements else -1


def _read_field(
    builder: LuaFactsBuilder, node: Node, table: int, doc: Doc | None, flags: int, *, wanted: bool = False
) -> int:
    """One field; answers the value of one without a name, where it says something."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    span: tuple[int, int] | None = None
    if name is not None and not builder.data.startswith(b"[", node.start_byte):
        span = (name.start_byte, name.end_byte)
    elif name is not None:
        span = string_span(name)
        if span is None:
            builder.read(name)
    if value is None:
        return -1
    if span is None:
        return builder.read(value, int(wanted and name is None))
    assign_member(builder, span, value, table, doc=doc, flags=flags)
    return -1


def assign_member(
    builder: LuaFactsBuilder,
    span: tuple[int, int],
    value: Node | None,
    table: int,
    *,
    base: int = -1,
    doc: Doc | None = None,
    flags: int = 0,
) -> None:
    """A member gets a value: declared by the first assignment, written by later ones. `base`: the table as it is
    named."""
    row = builder.member_row(table, builder.name(*span))
    if row >= 0:
        base = base if base >= 0 else builder.expression(OBJECT, table)
        builder.use(span[0], span[1], WRITE, base)
        kind = builder.definitions[row][D_KIND]
        if value is None:
            return
        if kind in FUNCTIONS:
            builder.read(value)
        else:
            _give(builder, row, value, table)
        return
    base = base if base >= 0 else builder.table_types.get(table, -1)
    if base >= 0 and (flags & INSTANCE or table not in builder.made):
        builder.use(span[0], span[1], WRITE, base)  # it may be declared elsewhere
    row = builder.member_at(*span, table, kind_of_value(builder, value, FIELD), flags)
    if base >= 0 and table in builder.table_types and value is not None and value.type == "table_constructor":
        inside = builder.table_of(row)
        builder.table_types[inside] = builder.expression(MEMBER, base, builder.definitions[row][D_NAME], -1)
    if value is not None and value.type == "function_definition":
        builder.definitions[row][D_FLAGS] |= ASSIGNED
    give_type(builder, row, doc)
    if builder.strings[builder.definitions[row][0]] == "__index":
        owner = builder.scopes[table][4]
        if owner >= 0:
            mark_class(builder, owner)
    if value is not None:
        builder.doc = doc
        _give(builder, row, value, table)
        builder.doc = None


def _give(builder: LuaFactsBuilder, row: int, value: Node, table: int) -> None:
    owner = builder.owner
    if is_outside_functions(builder):
        builder.owner = row
    made = read_value(builder, value, row, table)
    builder.owner = owner
    builder.give(row, made)


def _read_unnamed(own: LuaFactsBuilder, node: Node) -> None:
    """The values of a table that nothing is the name of; comments speak of functions in it."""
    comments: list[tuple[int, int]] = []
    for part in node.named_children:
        if part.type == "comment":
            comments.append((part.start_byte, part.end_byte))
            continue
        if part.type != "field":
            own.read(part)
            continue
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if name is not None and own.data.startswith(b"[", part.start_byte):
            own.read(name)
        if value is not None:
            if comments and value.type == "function_definition":
                own.doc = doc_of(own.data, comments)
            own.read(value)
            own.doc = None
        comments = []


def constructor(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ ... }` that nothing is the name of."""
    own = lua(builder)
    if not want:
        _read_unnamed(own, node)
        return -1
    table = anonymous(own, node)
    held = read_constructor(own, node, table)
    row = own.expression(OBJECT, table)
    return own.choice((row, held)) if held >= 0 else row


def member(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`t.name`, `t["name"]`, `t:name`, `t[key]`."""
    own = lua(builder)
    inside, name = node.child_by_field_name("table"), member_name(node)
    base = builder.read(inside, 1) if inside is not None else -1
    if name is None:
        field = node.child_by_field_name("field")
        if field is not None and (field.type != "string" or string_span(field) is None):
            builder.read(field)
        return own.expression(ELEMENT, base) if want and base >= 0 else -1
    start, end = span_of(name)
    if end <= start:
        return -1
    text = builder.use(start, end, role, base if base >= 0 else builder.unknown())
    return builder.expression(MEMBER, base, text, start) if want and base >= 0 else -1


RULES: dict[str, Rule] = {
    "table_constructor": constructor,
    **dict.fromkeys(("dot_index_expression", "bracket_index_expression", "method_index_expression"), member),
}
