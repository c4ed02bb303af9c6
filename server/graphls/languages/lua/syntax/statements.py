"""Statements: declarations, assignments, branches and loops.

Owns: the rules of whatever stands in a block; which comments belong to which statement.
Must not know: what expressions are, other files.
Invariant: a local variable is known from behind its statement on, a local function in its own body too.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    ITEM,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.declared.statements import BRANCH, LOOP
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_KIND, D_TYPE
from graphls.languages.lua.syntax.blocks import read_block, take_doc
from graphls.languages.lua.syntax.calls import bring_in, required
from graphls.languages.lua.syntax.classes import give_type
from graphls.languages.lua.syntax.comments import Doc
from graphls.languages.lua.syntax.facts_builder import (
    FIELD,
    FINAL,
    FUNCTION,
    FUNCTIONS,
    GLOBAL,
    INSTANCE,
    METHOD,
    PARAMETER,
    SHARED,
    VARIABLE,
    LuaFactsBuilder,
    lua,
)
from graphls.languages.lua.syntax.functions import give_back, read_function, takes_self
from graphls.languages.lua.syntax.tables import (
    ASSIGNED,
    MOST_DOTS,
    anonymous,
    assign_member,
    is_class,
    is_outside_functions,
    kind_of_value,
    member_name,
    quiet,
    read_constructor,
    read_value,
    span_of,
    table_at,
)


def _listed(node: Node | None) -> list[Node]:
    return [part for part in node.named_children if part.type != "comment"] if node is not None else []


def local(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`local a <const>, b = value, ...`."""
    own = lua(builder)
    doc, full = take_doc(own), builder.full
    inside = node.named_children[0] if node.named_child_count else None
    if inside is None:
        return -1
    names, values = inside, list[Node]()
    if inside.type == "assignment_statement":
        names, values = inside.named_children[0], _listed(inside.named_children[-1])
        if inside.named_children[-1].type != "expression_list":
            values = []
    targets, rows = [part for part in names.named_children if part.type == "identifier"], list[int]()
    for at, target in enumerate(targets):
        value = values[at] if at < len(values) else None
        flags = SHARED if at and value is None and values else 0
        if _is_constant(target):
            flags |= FINAL
        rows.append(own.define_local(target, kind_of_value(own, value, VARIABLE), flags))
        give_type(own, rows[-1], doc, at)
        _hold_instance(own, rows[-1], value)
    for at, value in enumerate(values):
        if at < len(rows):
            own.doc = doc if value.type == "function_definition" else None
            _initialise(own, rows[at], value)
        else:
            builder.read(value)
        builder.full = full
    _spread(own, rows, values)
    for row in rows:
        own.show(row)
    return -1


def _is_constant(node: Node) -> bool:
    behind = node.next_named_sibling
    return behind is not None and behind.type == "attribute" and b"const" in (behind.text or b"")


def _hold_instance(own: LuaFactsBuilder, row: int, value: Node | None) -> None:
    """`local o = {}` that becomes an instance further down."""
    meta = own.metatables[-1].get(own.definitions[row][0]) if own.metatables else None
    if meta is None or is_outside_functions(own) or own.definitions[row][D_BODY] >= 0:
        return
    if value is not None and value.type in ("table_constructor", "binary_expression"):
        held = table_at(own, meta)
        if is_class(own, held):
            own.stands_for[row] = held
            own.give(row, quiet(own, meta))


def _initialise(own: LuaFactsBuilder, row: int, value: Node) -> None:
    """A local variable gets its first value."""
    owner = own.owner
    if own.scope == 0:
        own.owner = row
    span = required(own, value) if value.type == "function_call" else None
    inside = value.child_by_field_name("table") if value.type == "dot_index_expression" else None
    part = required(own, inside) if inside is not None and inside.type == "function_call" else None
    name = value.child_by_field_name("name")
    if span is not None and name is not None and name.text == b"require":
        own.modules_held.add(row)
        own.give(row, bring_in(own, value, span))
    elif part is not None and inside is not None:
        field = value.child_by_field_name("field")
        own.modules_held.add(row)
        base = bring_in(own, inside, part)
        if field is not None:
            own.give(row, own.member_expression(base, field, 1, 0))
    else:
        if value.type == "function_definition":
            own.definitions[row][D_FLAGS] |= ASSIGNED
        own.give(row, read_value(own, value, row))
        if value.type in ("identifier", "dot_index_expression") and own.definitions[row][D_BODY] < 0:
            _note_second_name(own, row, value)
    own.owner = owner


def _note_second_name(own: LuaFactsBuilder, row: int, value: Node) -> None:
    """`local s = self`, `local o = M.part`: a second name of a table."""
    path: list[int] = []
    at: Node | None = value
    while at is not None and at.type == "dot_index_expression":
        field = at.child_by_field_name("field")
        if field is None or len(path) >= MOST_DOTS:
            return
        path.insert(0, own.name(field.start_byte, field.end_byte))
        at = at.child_by_field_name("table")
    if at is None or at.type != "identifier":
        return
    first = own.row_of(own.name(at.start_byte, at.end_byte))
    if first < 0 and (at.text != b"self" or own.self_table < 0):
        return
    if first in own.modules_held or (
        first >= 0 and own.definitions[first][D_KIND] == PARAMETER and first not in own.stands_for
    ):
        return
    own.second_names[row] = (first, own.self_table, tuple(path))


def _spread(own: LuaFactsBuilder, rows: Sequence[int], values: Sequence[Node]) -> None:
    """`local a, b = call()`: the last value gives what is left."""
    if not values or len(rows) <= len(values) or values[-1].type != "function_call":
        return
    first = len(values) - 1
    given = own.values.get(rows[first])
    if not given:
        return
    base = given[-1]
    given[-1] = own.expression(ITEM, base, 0)
    for at, row in enumerate(rows[first + 1 :], 1):
        own.give(row, own.expression(ITEM, base, at))


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a, t.b = value, ...`."""
    own = lua(builder)
    doc, full = take_doc(own), builder.full
    parts = [part for part in node.named_children if part.type != "comment"]
    targets = _listed(parts[0]) if parts else []
    values = _listed(parts[1]) if len(parts) > 1 else []
    rows: list[int] = []
    for at, target in enumerate(targets):
        builder.full = full
        value = values[at] if at < len(values) else None
        rows.append(_assign(own, target, value, doc if at == 0 else None))
    for value in values[len(targets) :]:
        builder.read(value)
    return -1


def _assign(own: LuaFactsBuilder, target: Node, value: Node | None, doc: Doc | None) -> int:
    if target.type == "identifier":
        return _assign_name(own, target, value, doc)
    inside, name = target.child_by_field_name("table"), member_name(target)
    if inside is None or name is None:
        own.read(target)
        if value is not None:
            own.read(value)
        return -1
    if inside.type == "identifier" and inside.text == b"_G" and not isinstance(name, tuple):
        own.use(inside.start_byte, inside.end_byte, 0)
        return _assign_name(own, name, value, doc, at_top=True)
    base, table, span = own.read(inside, 1), table_at(own, inside), span_of(name)
    if table < 0:
        own.use(span[0], span[1], WRITE, base if base >= 0 else own.unknown())
        if value is not None:
            own.doc = doc
            own.read(value)
        return -1
    flags = INSTANCE if inside.type == "identifier" and _is_instance(own, inside) else 0
    assign_member(own, span, value, table, base=base, doc=doc, flags=flags)
    return -1


def _is_instance(own: LuaFactsBuilder, node: Node) -> bool:
    row = own.local_row(own.name(node.start_byte, node.end_byte))
    return node.text == b"self" if row < 0 else row in own.stands_for


def _assign_name(own: LuaFactsBuilder, target: Node, value: Node | None, doc: Doc | None, at_top: bool = False) -> int:
    """A local variable that is there is written, else a global is, or is made."""
    name = own.name(target.start_byte, target.end_byte)
    row = -1 if at_top else own.local_row(name)
    row = row if row >= 0 else own.globals.get(name, -1)
    if row < 0:
        row = own.define_at(target.start_byte, target.end_byte, 0, kind_of_value(own, value, VARIABLE), GLOBAL)
        own.globals[name] = row
        give_type(own, row, doc)
    else:
        own.use(target.start_byte, target.end_byte, WRITE)
    if value is None:
        return row
    own.doc = doc
    _become(own, row, value)
    own.doc = None
    return row


def _become(own: LuaFactsBuilder, row: int, value: Node) -> None:
    """A variable gets a value: one that was declared without any may become a function."""
    definition, owner = own.definitions[row], own.owner
    if value.type == "function_definition":
        if definition[D_KIND] == VARIABLE and definition[D_BODY] < 0 and row not in own.values:
            definition[D_KIND] = FUNCTION
        if definition[D_KIND] == FUNCTION and definition[D_BODY] < 0:
            read_function(own, value, row, -1)
        else:
            own.read(value)
        return
    if definition[D_KIND] in FUNCTIONS:
        own.read(value)
        return
    if is_outside_functions(own):
        own.owner = row
    own.give(row, read_value(own, value, row))
    own.owner = owner


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function name()`, `local function name()`, `function t.name()`, `function t:name()`."""
    own = lua(builder)
    name = node.child_by_field_name("name")
    doc = own.doc if isinstance(own.doc, Doc) else None
    if name is None:
        builder.read_all(node)
        return -1
    if name.type == "identifier":
        _function_of_name(own, node, name)
        return -1
    inside, last = name.child_by_field_name("table"), member_name(name)
    if inside is None or not isinstance(last, Node):
        builder.read_all(node)
        return -1
    own.doc = None
    base, table = builder.read(inside, 1), table_at(own, inside)
    implicit = name.type == "method_index_expression"
    explicit = takes_self(node)
    if table < 0:
        builder.use(last.start_byte, last.end_byte, WRITE, base if base >= 0 else builder.unknown())
        read_function(own, node, -1, -1)
        return -1
    held = own.member_row(table, own.name(last.start_byte, last.end_byte))
    kind = METHOD if implicit or explicit else FUNCTION
    if held >= 0 and own.definitions[held][D_KIND] == FIELD and own.definitions[held][D_BODY] < 0:
        declared = own.definitions[held]
        if declared[D_TYPE] < 0 and held not in own.values:
            declared[D_KIND] = kind
            own.use(last.start_byte, last.end_byte, WRITE, base)
            own.doc = doc
            read_function(own, node, held, table, implicit)
            return -1
    row = own.define_member(last, table, kind)
    own.doc = doc
    read_function(own, node, row, table, implicit)
    return -1


def _function_of_name(own: LuaFactsBuilder, node: Node, name: Node) -> None:
    text = own.name(name.start_byte, name.end_byte)
    if own.data.startswith(b"local", node.start_byte):
        row = own.define_local(name, FUNCTION)
        own.show(row)
        read_function(own, node, row, -1)
        return
    row = own.row_of(text)
    if row < 0:
        row = own.globals[text] = own.define_at(name.start_byte, name.end_byte, 0, FUNCTION, GLOBAL)
        read_function(own, node, row, -1)
        return
    own.use(name.start_byte, name.end_byte, WRITE)
    definition = own.definitions[row]
    if definition[D_KIND] == VARIABLE and definition[D_BODY] < 0 and row not in own.values:
        definition[D_KIND] = FUNCTION
        read_function(own, node, row, -1)
    else:
        read_function(own, node, -1, -1)


def leave(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return value, ...`: of a function, or what the file gives to those who require it."""
    own = lua(builder)
    doc = take_doc(own)
    values = _listed(node.named_children[0]) if node.named_child_count else []
    if values and values[0].type == "function_definition":
        own.doc = doc
    if builder.frame.definition != -1:
        give_back(own, [builder.read(value, 1) for value in values])
        return -1
    if not values:
        return -1
    row = own.define_at(node.start_byte, node.start_byte + 6, 0, PARAMETER)
    first = values[0]
    if first.type == "table_constructor":
        table = doc.table if doc is not None and doc.table >= 0 else anonymous(own, first)
        own.definitions[row][D_BODY] = table
        own.give(row, read_constructor(own, first, table))
    else:
        own.give(row, builder.read(first, 1))
    for value in values[1:]:
        builder.read(value)
    return -1


def block(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Statements with a scope of their own."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    read_block(lua(builder), node)
    builder.scope = outer
    return -1


def branch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if`, `elseif`, `else`."""
    lua(builder).doc = None
    builder.enter_branch()
    for part in node.named_children:
        if part.type == "block":
            builder.region(BRANCH, part, node.start_byte)
        builder.read(part)
    builder.leave_branch()
    return -1


def loop(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while`, `repeat`: the condition of `repeat` sees what its body declares."""
    lua(builder).doc = None
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    body, condition = node.child_by_field_name("body"), node.child_by_field_name("condition")
    if node.type == "while_statement" and condition is not None:
        builder.read(condition)
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    if body is not None:
        read_block(lua(builder), body)
    if node.type == "repeat_statement" and condition is not None:
        builder.read(condition)
    builder.scope = outer
    builder.leave_branch()
    return -1


def counted(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for i = 1, 10 do`, `for k, v in pairs(t) do`."""
    own = lua(builder)
    doc = take_doc(own)
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    clause, body = node.child_by_field_name("clause"), node.child_by_field_name("body")
    outer = builder.scope
    scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    rows: list[int] = []
    if clause is not None and clause.type == "for_generic_clause":
        rows = _generic(own, clause, scope)
    elif clause is not None:
        for part in ("start", "end", "step"):
            value = clause.child_by_field_name(part)
            if value is not None:
                builder.read(value)
        name = clause.child_by_field_name("name")
        if name is not None:
            builder.full, builder.scope = (clause.start_byte, clause.end_byte), scope
            rows = [own.define_local(name, VARIABLE)]
    builder.scope = scope
    for at, row in enumerate(rows):
        give_type(own, row, doc, at)
        own.show(row)
    if body is not None:
        read_block(own, body)
    builder.scope = outer
    builder.leave_branch()
    return -1


def _generic(own: LuaFactsBuilder, clause: Node, scope: int) -> list[int]:
    names = next((part for part in clause.named_children if part.type == "variable_list"), None)
    values = next((part for part in clause.named_children if part.type == "expression_list"), None)
    held = -1
    for at, value in enumerate(_listed(values)):
        row = own.read(value, int(at == 0))
        name = value.child_by_field_name("name")
        if at == 0 and name is not None and name.text in (b"ipairs", b"pairs"):
            held = row
    own.full, own.scope = (clause.start_byte, clause.end_byte), scope
    rows = [own.define_local(part, VARIABLE) for part in _listed(names) if part.type == "identifier"]
    if held >= 0 and len(rows) > 1:
        given = own.expressions[held * 4 + 2]
        taken = own.items[own.lists[given][0]] if given >= 0 and own.lists[given][1] > own.lists[given][0] else -1
        if taken >= 0:
            own.give(rows[1], own.expression(ELEMENT, taken))
    return rows


RULES: dict[str, Rule] = {
    "variable_declaration": local,
    "assignment_statement": assignment,
    "function_declaration": function,
    "return_statement": leave,
    "block": block,
    "do_statement": branch,
    **dict.fromkeys(("if_statement", "elseif_statement", "else_statement"), branch),
    **dict.fromkeys(("while_statement", "repeat_statement"), loop),
    "for_statement": counted,
    **dict.fromkeys(("comment", "label_statement", "goto_statement", "break_statement", "hash_bang_line"), nothing),
}
