"""Statements: what the bodies of PHP functions bind and use.

Owns: the rules of blocks, branches, loops, handlers, closures; which ways lead on.
Must not know: declarations of types and members, other files.
Invariant: a variable is bound in its function, wherever it is assigned first.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import (
    CALLED,
    ELEMENT,
    READ,
    DeclaredFactsBuilder,
    Rule,
    generic,
    nothing,
)
from graphls.languages.declared.statements import BRANCH, LOOP
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.php.syntax.expressions import assign, proved
from graphls.languages.php.syntax.facts_builder import NO_PROOFS, Values, path_of, php
from graphls.languages.php.syntax.phpdoc import doc_above, tags_in, variable_in, written_type
from graphls.languages.php.syntax.types import NAMES, class_name

_ENDING: Final = frozenset({"return_statement", "break_statement", "continue_statement", "exit_statement",
                            "goto_statement"})  # fmt: skip
_BLOCKS: Final = frozenset({"compound_statement", "colon_block"})


def read_statements(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Statements, one after the other."""
    for part in node.named_children:
        read_statement(builder, part)


def read_statement(builder: DeclaredFactsBuilder, node: Node) -> None:
    """One statement, or a comment that says what a variable holds."""
    kind: int = node.kind_id
    if node.type == "comment":
        if b"@var" in (node.text or b""):
            _stated(builder, node)
        return
    builder.frame.statements += 1
    builder.shape.append(kind)
    builder.full = (node.start_byte, node.end_byte)
    builder.rules[kind](builder, node, 0, READ)


def _stated(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`/** @var Type $name */`: what a variable holds from here on."""
    own = php(builder)
    for tag in tags_in(builder.data, node.start_byte, node.end_byte):
        if tag.name != "var":
            continue
        row, at = written_type(own, tag.start, tag.end)
        found = variable_in(own, at, tag.end)
        if found is None or row < 0:
            continue
        name, start, end = found
        if name == "this":
            own.values["this"] = builder.instance(row)
        elif own.is_seen(name):
            own.forget(name)
            own.values[name] = builder.instance(row)
            builder.use(start, end, READ)
        else:
            own.stated[name] = (builder.instance(row), row)
            own.values[name] = builder.instance(row)


def block(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A block has no scope of its own."""
    read_statements(builder, node)
    return -1


def ends(node: Node | None) -> bool:
    """Whether nothing goes on behind a statement."""
    if node is None:
        return False
    if node.type in _ENDING:
        return True
    if node.type in _BLOCKS or node.type == "else_clause":
        parts = [part for part in node.named_children if part.type not in ("comment", "text_interpolation")]
        return bool(parts) and ends(parts[-1])
    if node.type == "expression_statement" and node.named_child_count:
        inside = node.named_children[0]
        return inside.type == "throw_expression" or (inside.text or b"")[:4].lower() in (b"exit", b"die(")
    if node.type == "throw_statement":
        return True
    if node.type == "if_statement":
        others = node.children_by_field_name("alternative")
        closed = any(other.type == "else_clause" for other in others)
        bodies = [node.child_by_field_name("body"), *[other.child_by_field_name("body") for other in others]]
        return closed and all(ends(body) for body in bodies)
    return False


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if`, `elseif`, `else`."""
    own, ways = php(builder), list[Values]()
    own.limit_values()
    builder.enter_branch()
    closed = False
    for arm in (node, *node.children_by_field_name("alternative")):
        builder.region(BRANCH, arm, node.start_byte)
        test, body = arm.child_by_field_name("condition"), arm.child_by_field_name("body")
        if test is not None:
            builder.read(test, 1)
        proofs = proved(builder, test) if test is not None else NO_PROOFS
        before = own.values
        own.values = own.proven(before, proofs[0])
        if body is not None:
            _body(builder, body)
        if not ends(body):
            own.add_way(ways, own.values)
        own.values = own.proven(before, proofs[1])
        closed = arm.type == "else_clause"
    if not closed or not ways:
        own.add_way(ways, own.values)
    own.values = own.joined(ways)
    builder.leave_branch()
    return -1


def _body(builder: DeclaredFactsBuilder, node: Node) -> None:
    if node.type in _BLOCKS:
        read_statements(builder, node)
    else:
        builder.full = (node.start_byte, node.end_byte)
        builder.read(node)


def loop(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while`, `do`, `for`."""
    own = php(builder)
    own.limit_values()
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    bodies = node.children_by_field_name("body")
    first = {one.id for one in bodies}
    before, proofs = dict(own.values), NO_PROOFS
    if node.type == "do_statement":
        if body is not None:
            _body(builder, body)
        if test is not None:
            builder.read(test, 1)
    else:
        for part in node.named_children:
            if part.id not in first:
                builder.read(part, 1)
        proofs = proved(builder, test) if test is not None else NO_PROOFS
        before = dict(own.values)
        own.values = own.proven(before, proofs[0])
        for part in bodies:
            _body(builder, part)
    own.values = own.joined([before, own.values]) if node.type != "do_statement" else own.values
    own.values = own.proven(own.values, proofs[1]) if proofs[1] else own.values
    builder.leave_branch()
    return -1


def each(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`foreach (values as key => value)`."""
    own, body = php(builder), node.child_by_field_name("body")
    parts = [part for part in node.named_children if part.type != "comment" and part.type not in _BLOCKS]
    if body is not None:
        parts = [part for part in parts if part.id != body.id]
    own.limit_values()
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    held = builder.read(parts[0], 1) if parts else -1
    before = dict(own.values)
    builder.full = (node.start_byte, parts[-1].end_byte if parts else node.end_byte)
    for part in parts[1:]:
        item = builder.expression(ELEMENT, held) if held >= 0 else -1
        if part.type == "pair":
            inside = part.named_children
            for one in inside[:-1]:
                assign(builder, one, -1)
            assign(builder, inside[-1], item)
        else:
            assign(builder, part, item)
    if body is not None:
        _body(builder, body)
    own.values = own.joined([before, own.values])
    builder.leave_branch()
    return -1


def attempt(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`try`, `catch`, `finally`."""
    own, ways = php(builder), list[Values]()
    own.limit_values()
    before, body = dict(own.values), node.child_by_field_name("body")
    if body is not None:
        read_statements(builder, body)
    if not ends(body):
        own.add_way(ways, own.values)
    broken = own.joined([before, own.values])
    for part in node.named_children:
        if part.type == "catch_clause":
            own.values = dict(broken)
            builder.enter_branch()
            builder.region(BRANCH, part, part.start_byte)
            type_, name = part.child_by_field_name("type"), part.child_by_field_name("name")
            row = builder.read(type_, 1) if type_ is not None else -1
            if name is not None and name.named_child_count:
                builder.full = (part.start_byte, name.end_byte)
                assign(builder, name, builder.instance(row))
            inside = part.child_by_field_name("body")
            if inside is not None:
                read_statements(builder, inside)
            if not ends(inside):
                own.add_way(ways, own.values)
            builder.leave_branch()
        elif part.type == "finally_clause":
            own.values = own.joined(ways) if ways else dict(broken)
            ways = [own.values]
            inside = part.child_by_field_name("body")
            if inside is not None:
                read_statements(builder, inside)
    own.values = own.joined(ways) if ways else broken
    return -1


def switch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`switch`."""
    own, test, body = php(builder), node.child_by_field_name("condition"), node.child_by_field_name("body")
    if test is not None:
        builder.read(test)
    own.limit_values()
    before, ways = own.values, list[Values]()
    builder.enter_branch()
    passed: Values | None = None
    for section in body.named_children if body is not None else ():
        if section.type not in ("case_statement", "default_statement"):
            builder.read(section)
            continue
        builder.region(BRANCH, section, section.start_byte)
        own.values = dict(before) if passed is None else own.joined([before, passed])
        value = section.child_by_field_name("value")
        if value is not None:
            builder.read(value)
            own.values = own.proven(own.values, proved(builder, value)[0])
        inside = [part for part in section.named_children if value is None or part.id != value.id]
        for part in inside:
            builder.full = (part.start_byte, part.end_byte)
            if part.type == "comment":
                if b"@var" in (part.text or b""):
                    _stated(builder, part)
                continue
            builder.frame.statements += 1
            builder.read(part)
        passed = None if inside and ends(inside[-1]) else own.values
        if passed is None and inside and inside[-1].type == "break_statement":
            own.add_way(ways, own.values)
    ways.append(passed if passed is not None else before)
    own.values = own.joined(ways)
    builder.leave_branch()
    return -1


def give(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return x;`."""
    for part in node.named_children:
        if part.type == "comment":
            continue
        builder.frame.values.append(builder.read(part, 1))
    return -1


def shared(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`global $name;`: a variable of the whole program; a comment of the function may say its type."""
    own = php(builder)
    for part in node.named_children:
        if part.type != "variable_name" or not part.named_child_count:
            continue
        name = builder.source(part.named_children[0].start_byte, part.named_children[0].end_byte)
        type_ = own.globals.get(name, -1)
        row = own.bind(part.named_children[0], builder.instance(type_))
        if row >= 0:
            builder.definitions[row][D_TYPE] = type_
    return -1


def static_variable(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`static $name = value;`: what a later call finds is not known."""
    value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
    if value is not None:
        builder.read(value)
    if name is not None:
        assign(builder, name, -1)
    return -1


def unset(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`unset($name)`."""
    builder.read_all(node)
    own = php(builder)
    for part in node.named_children:
        own.values.pop(path_of(part), None)
    return -1


def statement(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """An expression for what it does. `/** @var Type */` before an assignment says what is assigned."""
    parts = [part for part in node.named_children if part.type != "comment"]
    if len(parts) == 1 and parts[0].type == "assignment_expression":
        start, end = doc_above(builder.data, node.start_byte)
        left, right = parts[0].child_by_field_name("left"), parts[0].child_by_field_name("right")
        tags = tags_in(builder.data, start, end) if end > start else []
        written = next((tag for tag in tags if tag.name == "var"), None)
        if written is not None and left is not None and left.type == "variable_name":
            own = php(builder)
            row, at = written_type(own, written.start, written.end)
            found = variable_in(own, at, written.end)
            path = path_of(left)
            if row >= 0 and (found is None or found[0] == path):
                value = builder.read(right, 1) if right is not None else -1
                own.stated.pop(path, None)
                assign(builder, left, value, row)
                return -1
    builder.read_all(node)
    return -1


def trait_list(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ A::one insteadof B; A::two as three; }`."""
    for part in node.named_children:
        for one in part.named_children:
            if one.type == "class_constant_access_expression":
                inside = one.named_children
                if len(inside) == 2 and inside[0].type in NAMES:
                    base = class_name(builder, inside[0])
                    builder.use(inside[1].start_byte, inside[1].end_byte, CALLED, base)
            elif one.type in NAMES and part.type == "use_instead_of_clause":
                class_name(builder, one)
    return -1


RULES: dict[str, Rule] = {
    "compound_statement": block,
    "colon_block": block,
    "if_statement": condition,
    "while_statement": loop,
    "do_statement": loop,
    "for_statement": loop,
    "foreach_statement": each,
    "try_statement": attempt,
    "switch_statement": switch,
    "return_statement": give,
    "global_declaration": shared,
    "static_variable_declaration": static_variable,
    "unset_statement": unset,
    "expression_statement": statement,
    "use_list": trait_list,
    "declare_statement": generic,
    "text_interpolation": nothing,
    "empty_statement": nothing,
}
