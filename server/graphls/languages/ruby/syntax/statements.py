"""Statements: bodies, branches, loops and handlers, and what they give as values.

Owns: the rules of whatever holds statements.
Must not know: declarations, calls, other files.
Invariant: what has branches gives the value of one of them, and is known only where each of them is.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, nothing
from graphls.languages.declared.statements import BRANCH, LOOP
from graphls.languages.ruby.syntax.facts_builder import LAMBDA_SCOPE, ruby
from graphls.languages.ruby.syntax.targets import assign

_HANDLERS: Final = frozenset({"rescue", "else", "ensure"})
_SILENT: Final = frozenset({"comment", "heredoc_body", "empty_statement"})


def read_body_parts(builder: DeclaredFactsBuilder, node: Node, want: int) -> int:
    """Statements, one after the other; the value of the last one, or of a handler."""
    parts = [part for part in node.named_children if part.type != "comment"]
    plain = [part for part in parts if part.type not in _HANDLERS and part.type not in _SILENT]
    last = plain[-1].id if plain else -1
    rows: list[int] = []
    frame, shape = builder.frame, builder.shape
    for part in parts:
        frame.statements += 1
        shape.append(part.kind_id)
        builder.full = (part.start_byte, part.end_byte)
        wanted = int(want and (part.id == last or part.type in ("rescue", "else")))
        row = builder.read(part, wanted)
        if wanted and not _leaves(part):
            rows.append(row)
    if not want:
        return -1
    return ruby(builder).choice(rows) if rows else -1


def _leaves(node: Node) -> bool:
    """Whether a statement never gives its value to what holds it."""
    if node.type in ("return", "next", "break", "redo", "retry"):
        return True
    if node.type == "call" and node.child_by_field_name("receiver") is None:
        method = node.child_by_field_name("method")
        return method is not None and method.text in (b"raise", b"fail", b"exit", b"abort")
    if node.type in ("then", "else", "rescue") and node.named_child_count:
        body = node.child_by_field_name("body") if node.type == "rescue" else node
        return body is not None and bool(body.named_child_count) and _leaves(body.named_children[-1])
    return False


def body(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Statements in a row."""
    return read_body_parts(builder, node, want)


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if`, `unless`, `elsif`."""
    builder.enter_branch()
    test = node.child_by_field_name("condition")
    if test is not None:
        builder.read(test)
    rows: list[int] = []
    for name in ("consequence", "alternative"):
        part = node.child_by_field_name(name)
        if part is None:
            rows.append(builder.builtin("NilClass") if want else -1)
            continue
        builder.region(BRANCH, part, node.start_byte)
        row = builder.read(part, want)
        if not _leaves(part):
            rows.append(row)
    builder.leave_branch()
    return ruby(builder).choice(rows) if want else -1


def modified(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x if y`: the condition is read first, as it runs first; names that the body binds are bound all the same."""
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    inside, test = node.child_by_field_name("body"), node.child_by_field_name("condition")
    row = builder.read(inside, want) if inside is not None else -1
    if test is not None:
        builder.read(test)
    builder.leave_branch()
    return ruby(builder).choice([row, builder.builtin("NilClass")]) if want and row >= 0 else -1


def repeated(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while`, `until`, and these behind a statement."""
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    builder.read_all(node)
    builder.leave_branch()
    return -1


def counted(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for x in values`."""
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    inside = node.child_by_field_name("body")
    if value is not None:
        builder.read(value)
    if pattern is not None:
        assign(builder, pattern, -1)
    if inside is not None:
        read_body_parts(builder, inside, 0)
    builder.leave_branch()
    return -1


def selection(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`case`."""
    builder.enter_branch()
    rows: list[int] = []
    closed = False
    for part in node.named_children:
        if part.type not in ("when", "else", "in_clause"):
            builder.read(part)
            continue
        closed = closed or part.type == "else"
        builder.region(BRANCH, part, node.start_byte)
        inside = part.child_by_field_name("body") if part.type != "else" else part
        for one in part.named_children if part.type != "else" else ():
            if inside is None or one.id != inside.id:
                builder.read(one)
        row = builder.read(inside, want) if inside is not None else builder.builtin("NilClass")
        if inside is None or not _leaves(inside):
            rows.append(row)
    builder.leave_branch()
    if not closed:
        rows.append(builder.builtin("NilClass"))
    return ruby(builder).choice(rows) if want and rows else -1


def handler(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`rescue Error => error`."""
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    classes, variable = node.child_by_field_name("exceptions"), node.child_by_field_name("variable")
    inside = node.child_by_field_name("body")
    rows = [builder.read(part, 1) for part in classes.named_children] if classes is not None else []
    if variable is not None and variable.named_child_count:
        made = builder.instance(rows[0]) if len(rows) == 1 else -1
        assign(builder, variable.named_children[0], made)
    row = read_body_parts(builder, inside, want) if inside is not None else -1
    builder.leave_branch()
    return row


def rescued(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x rescue y`."""
    rows = [builder.read(part, want) for part in node.named_children]
    return ruby(builder).choice(rows) if want and rows else -1


def leave(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return x`: what a method gives back. `next`, `break`: what a block does."""
    given = node.named_children[0] if node.named_child_count else None
    parts = [part for part in given.named_children if part.type != "comment"] if given is not None else []
    in_block = builder.scopes[builder.scope][0] == LAMBDA_SCOPE and node.type != "return"
    row = -1
    for part in parts:
        row = builder.read(part, 1)
    if node.type == "return" and not in_block:
        if not parts:
            row = builder.builtin("NilClass")
        builder.frame.values.append(row if len(parts) <= 1 else -1)
    return -1


def ternary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a ? b : c`."""
    builder.enter_branch()
    test = node.child_by_field_name("condition")
    if test is not None:
        builder.read(test)
    parts = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
    rows = [builder.read(part, want) if part is not None else -1 for part in parts]
    builder.leave_branch()
    return ruby(builder).choice(rows) if want else -1


def match(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value => pattern`, `value in pattern`."""
    builder.read_all(node)
    return -1


def pattern_name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{name: pattern}`, and `{name:}`, which binds it."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if value is not None:
        pattern(builder, value)
    elif key is not None and key.type == "hash_key_symbol":
        ruby(builder).bind(key, -1)
    return -1


def pattern(builder: DeclaredFactsBuilder, node: Node) -> None:
    """A pattern: plain names in it are bound."""
    if node.type == "identifier":
        ruby(builder).bind(node, -1)
    elif node.type == "as_pattern":
        value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
        row = -1
        if value is not None and value.type in ("constant", "scope_resolution"):
            row = builder.instance(builder.read(value, 1))
        elif value is not None:
            pattern(builder, value)
        if name is not None:
            ruby(builder).bind(name, row)
    elif node.type in ("array_pattern", "find_pattern", "hash_pattern", "alternative_pattern", "parenthesized_pattern"):
        for part in node.named_children:
            pattern(builder, part)
    elif node.type in ("splat_parameter", "hash_splat_parameter"):
        for part in node.named_children:
            ruby(builder).bind(part, -1)
    else:
        builder.read(node)


def clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A pattern as a part of `in`."""
    pattern(builder, node)
    return -1


RULES: dict[str, Rule] = {
    **dict.fromkeys(("program", "body_statement", "then", "else", "begin", "ensure", "do", "block_body"), body),
    **dict.fromkeys(("parenthesized_statements", "begin_block", "end_block"), body),
    **dict.fromkeys(("if", "unless", "elsif"), condition),
    **dict.fromkeys(("if_modifier", "unless_modifier"), modified),
    **dict.fromkeys(("while", "until", "while_modifier", "until_modifier"), repeated),
    "for": counted,
    **dict.fromkeys(("case", "case_match"), selection),
    "rescue": handler,
    "rescue_modifier": rescued,
    **dict.fromkeys(("return", "next", "break"), leave),
    "conditional": ternary,
    **dict.fromkeys(("match_pattern", "test_pattern"), match),
    "keyword_pattern": pattern_name,
    **dict.fromkeys(("array_pattern", "find_pattern", "hash_pattern", "as_pattern", "alternative_pattern"), clause),
    "parenthesized_pattern": clause,
    "comment": nothing,
    "uninterpreted": nothing,
    "empty_statement": nothing,
}
