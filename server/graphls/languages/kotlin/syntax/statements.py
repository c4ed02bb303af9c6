"""Statements: what the bodies of Kotlin functions bind and use.

Owns: the rules of blocks, local variables, assignments, branches, loops, handlers; what tests prove where.
Must not know: declarations of types and members, other files.
Invariant: a local name is visible behind what binds it, in its block.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.expressions import ALSO_WRITE
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    NAME,
    READ,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    generic,
)
from graphls.languages.declared.statements import BRANCH, LOOP
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.kotlin.syntax.expressions import (
    components,
    implied_call,
    last_value,
    proofs,
    union,
    variable,
)
from graphls.languages.kotlin.syntax.facts_builder import (
    LAMBDA,
    NARROWED,
    VARIABLE,
    Proof,
    annotation,
    child,
    kotlin,
    parts_of,
)
from graphls.languages.kotlin.syntax.types import written_type

_LEAVES: Final = frozenset({"jump_expression"})


def block_value(builder: DeclaredFactsBuilder, node: Node, want: int) -> int:
    """Reads a body with braces, or one expression, in a scope of its own; answers the value of its last statement."""
    state = kotlin(builder)
    outer, end, full = builder.scope, state.block_end, builder.full
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    state.block_end = node.end_byte
    row = -1
    for part in parts_of(node):
        builder.full = (part.start_byte, part.end_byte)
        row = last_value(builder, part) if part.type == "statements" else builder.read(part, want)
    builder.scope, state.block_end, builder.full = outer, end, full
    return row


def body(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """The body of a branch or a loop."""
    return block_value(builder, node, want)


def statements(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Statements, one after the other."""
    return last_value(builder, node)


def local_variable(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`val a: T = x`, `val (a, b) = x`, `val a by x`."""
    for part in node.named_children:
        if part.type == "modifiers":
            for word in part.named_children:
                if word.type == "annotation":
                    annotation(builder, word, -1)
    shown = child(node, "variable_declaration", "multi_variable_declaration")
    made = initial(builder, node)
    builder.full = (node.start_byte, node.end_byte)
    if shown is None:
        return
    if shown.type == "multi_variable_declaration":
        components(builder, shown, made, VARIABLE)
        return
    row = variable(builder, shown, VARIABLE)
    if row < 0:
        return
    definition = builder.definitions[row]
    definition[D_VALUE] = made
    if builder.kind_of(made) == LAMBDA and definition[D_TYPE] >= 0:
        builder.expression(NARROWED, made, definition[D_TYPE], 1)
    for part in node.named_children:
        if part.type in ("getter", "setter"):
            builder.read(part)


_BEFORE_VALUE: Final = frozenset({
    "modifiers", "binding_pattern_kind", "variable_declaration", "multi_variable_declaration", "getter", "setter",
    "type_parameters", "receiver_type", "type_constraints", "property_delegate", "line_comment", "multiline_comment",
})  # fmt: skip


def initial(builder: DeclaredFactsBuilder, node: Node) -> int:
    """The value that a property begins with, or that its delegate gives."""
    for part in node.named_children:
        if part.type == "property_delegate":
            return delegated(builder, part)
        if part.type not in _BEFORE_VALUE:
            return builder.read(part, 1)
    return -1


def delegated(builder: DeclaredFactsBuilder, node: Node) -> int:
    """`by lazy { x }` holds `x`; what another delegate gives is what its `getValue` says."""
    for part in parts_of(node):
        row = builder.read(part, 1)
        callee = parts_of(part)[0] if part.type == "call_expression" and part.named_child_count else None
        if callee is not None and callee.type == "simple_identifier" and callee.text == b"lazy":
            given = builder.items[slice(*builder.lists[builder.expressions[row * 4 + 2]])] if row >= 0 else []
            if given and builder.kind_of(given[-1]) == LAMBDA:
                return builder.expressions[given[-1] * 4 + 1]
        return implied_call(builder, row, "getValue", (-1, -1))
    return -1


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a.b = c`, `a[i] += c`."""
    parts, flags = parts_of(node), builder.use_flags
    plain = any(part.type == "=" for part in node.children)
    target = -1
    for at, part in enumerate(parts):
        if part.type == "directly_assignable_expression":
            target = _target(builder, part, 0 if plain else ALSO_WRITE)
            builder.use_flags = flags
            continue
        made = builder.read(part, 1)
        if at and target >= 0 and builder.kind_of(made) == LAMBDA:
            builder.expression(NARROWED, made, target, 0)
    return -1


def _target(builder: DeclaredFactsBuilder, node: Node, flag: int) -> int:
    parts, row = parts_of(node), -1
    for at, part in enumerate(parts):
        is_last = at == len(parts) - 1
        if part.type == "navigation_suffix":
            builder.use_flags |= flag if is_last else 0
            name = next((one for one in part.named_children if one.type == "simple_identifier"), None)
            if name is None:
                builder.read_all(part)
                continue
            row = builder.member_expression(row, name, 1, WRITE if is_last else READ)
        elif part.type == "indexing_suffix":
            row = implied_call(builder, row, "get", [builder.read(one, 1) for one in parts_of(part)])
        else:
            builder.use_flags |= flag if is_last else 0
            row = builder.read(part, 1, WRITE if is_last else READ)
    return row


# branches


def _leaves(node: Node | None) -> bool:
    """Whether a branch always leaves the block around it."""
    while node is not None:
        parts = parts_of(node)
        if node.type in _LEAVES:
            return True
        if not parts or node.type not in ("control_structure_body", "statements"):
            return False
        node = parts[-1]
    return False


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if (test) a else b`."""
    test = node.child_by_field_name("condition")
    yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    state = kotlin(builder)
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    if test is not None:
        builder.read(test, 1)
    rows: list[int] = []
    for part, truth in ((yes, True), (no, False)):
        if part is None:
            continue
        if test is not None:
            state.prove(proofs(builder, test, truth), part.start_byte, part.end_byte)
        rows.append(builder.read(part, want))
    if test is not None:
        if _leaves(yes):
            state.prove(proofs(builder, test, False), node.end_byte, state.block_end)
        elif _leaves(no):
            state.prove(proofs(builder, test, True), node.end_byte, state.block_end)
    builder.leave_branch()
    return union(builder, rows) if want else -1


def when(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`when (x) { is A -> a; else -> b }`."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.enter_branch()
    subject, rows = -1, list[int]()
    for part in node.named_children:
        if part.type == "when_subject":
            subject = _when_subject(builder, part)
        elif part.type == "when_entry":
            builder.region(BRANCH, part, node.start_byte)
            rows.append(_when_entry(builder, part, subject, want))
    builder.leave_branch()
    builder.scope = outer
    return union(builder, rows) if want else -1


def _when_subject(builder: DeclaredFactsBuilder, node: Node) -> int:
    """Reads what is looked at; answers the expression of its name."""
    state = kotlin(builder)
    named = child(node, "variable_declaration")
    values = [part for part in parts_of(node) if part.type not in ("variable_declaration", "annotation")]
    made = builder.read(values[-1], 1) if values else -1
    if named is None:
        return state.subject(values[-1]) if values else -1
    builder.full = (node.start_byte, node.end_byte)
    row = variable(builder, named, VARIABLE)
    if row >= 0:
        builder.definitions[row][D_VALUE] = made
    declared = child(named, "simple_identifier")
    if declared is None:
        return -1
    text = builder.name(declared.start_byte, declared.end_byte)
    return builder.expression(NAME, text, builder.scope, node.end_byte)  # it is seen behind its declaration


def _when_entry(builder: DeclaredFactsBuilder, node: Node, subject: int, want: int) -> int:
    state, found, row = kotlin(builder), list[Proof](), -1
    tests = [part for part in node.named_children if part.type == "when_condition"]
    for part in parts_of(node):
        if part.type == "when_condition":
            for one in parts_of(part):
                if one.type == "type_test":
                    type_ = written_type(builder, one)
                    if type_ >= 0 and subject >= 0 and len(tests) == 1 and any(it.type == "is" for it in one.children):
                        found.append((subject, type_))
                else:
                    builder.read(one, 1)
                    if len(tests) == 1:
                        found += proofs(builder, one, True)
        else:
            state.prove(found, part.start_byte, part.end_byte)
            row = builder.read(part, want)
    return row


def loop(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while`, `do`: what a test proves holds inside."""
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    parts = parts_of(node)
    for at, part in enumerate(parts):
        if at and node.type == "while_statement":
            kotlin(builder).prove(proofs(builder, parts[0], True), part.start_byte, part.end_byte)
        builder.read(part)
    builder.leave_branch()
    return -1


def each(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for ((a, b) in values) ...`."""
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    parts = [part for part in parts_of(node) if part.type != "annotation"]
    shown = next((part for part in parts if part.type.endswith("variable_declaration")), None)
    code = next((part for part in parts if part.type == "control_structure_body"), None)
    held = -1
    for part in parts:
        if part is not shown and part is not code and (shown is None or part.start_byte > shown.start_byte):
            held = builder.read(part, 1)
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    if shown is not None:
        builder.full = (shown.start_byte, shown.end_byte)
        one = builder.expression(ELEMENT, held) if held >= 0 else -1
        if shown.type == "multi_variable_declaration":
            components(builder, shown, one, VARIABLE)
        else:
            row = variable(builder, shown, VARIABLE)
            if row >= 0 and builder.definitions[row][D_TYPE] < 0:
                builder.definitions[row][D_VALUE] = one
    if code is not None:
        builder.read(code)
    builder.scope = outer
    builder.leave_branch()
    return -1


def attempt(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`try { ... } catch (e: E) { ... } finally { ... }`."""
    rows: list[int] = []
    builder.enter_branch()
    for part in parts_of(node):
        if part.type in ("catch_block", "finally_block"):
            builder.region(BRANCH, part, part.start_byte)
            row = _handler(builder, part)
            if part.type == "catch_block":
                rows.append(row)
        elif part.type == "statements":
            rows.append(block_value_of(builder, part))
    builder.leave_branch()
    return union(builder, rows) if want else -1


def block_value_of(builder: DeclaredFactsBuilder, node: Node) -> int:
    """Statements in braces that belong to another node."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    row = last_value(builder, node)
    builder.scope = outer
    return row


def _handler(builder: DeclaredFactsBuilder, node: Node) -> int:
    outer, row = builder.scope, -1
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    named = child(node, "simple_identifier")
    type_ = written_type(builder, node)
    if named is not None and type_ >= 0 and named.text != b"_":
        builder.full = (named.start_byte, named.end_byte)
        builder.definitions[builder.define(named, VARIABLE)][D_TYPE] = type_
    for part in node.named_children:
        if part.type == "statements":
            row = last_value(builder, part)
    builder.scope = outer
    return row


def jump(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return x`, `throw x`, `break@label`."""
    for part in parts_of(node):
        if part.type == "label":
            continue
        row = builder.read(part, 1)
        if row >= 0 and node.children[0].type == "return":
            builder.frame.values.append(row)
            if builder.kind_of(row) == LAMBDA and builder.frame.result >= 0:
                builder.expression(NARROWED, row, builder.frame.result, 1)
    return -1


RULES: dict[str, Rule] = {
    "statements": statements,
    "control_structure_body": body,
    "assignment": assignment,
    "if_expression": condition,
    "when_expression": when,
    "while_statement": loop,
    "do_while_statement": loop,
    "for_statement": each,
    "try_expression": attempt,
    "jump_expression": jump,
    "directly_assignable_expression": generic,
}
