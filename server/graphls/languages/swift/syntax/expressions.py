"""Expressions: values of Swift as expressions.

Owns: the rules of names, calls, closures, operators, literals.
Must not know: statements, declarations with names, other files.
Invariant: `.name` has a base that stands for the type that its place demands; labels of arguments are no uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.declared.expressions import ALSO_WRITE, left_deep
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ITEM,
    MEMBER,
    NAME,
    READ,
    SUBSCRIPT,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.swift.syntax.facts_builder import (
    COLLECTION,
    COMMENTS,
    KEYWORD,
    OPERATION,
    UNION,
    WRAPPED,
    child,
    has,
    parts_of,
    swift,
)
from graphls.languages.swift.syntax.literals import BOOL
from graphls.languages.swift.syntax.types import ARRAY, DICTIONARY, TYPES

IMPLICIT: Final = "."
"""Operator of the expression that stands for the type which a place demands."""
_POSTFIX: Final = frozenset({"call_expression", "navigation_expression", "postfix_expression"})
_LAST: Final = {
    **dict.fromkeys(("additive_expression", "multiplicative_expression", "infix_expression", "bitwise_operation",
                     "comparison_expression", "equality_expression", "conjunction_expression",
                     "disjunction_expression"), "rhs"),
    "prefix_expression": "target", "try_expression": "expr", "await_expression": "expr", "unsafe_expression": "expr",
    "nil_coalescing_expression": "if_nil", "ternary_expression": "if_false", "range_expression": "end",
}  # fmt: skip
"""Operations -> the field of their last operand."""
U_BASE: Final = 6
"""Column of a row of `occurrences`: what stands before the name."""
RANGE: Final = "Swift.Range"
SUBSCRIPT_NAME: Final = "subscript"


def name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name; what accessors and handlers bind unnamed, `$0` and `Self` are no uses."""
    text = node.text or b""
    state = swift(builder)
    if text[:1] == b"$" and text[1:].isdigit():
        if state.lambdas:
            state.lambdas[-1] = max(state.lambdas[-1], int(text[1:]) + 1 if len(text) < 4 else 1)
        return _word(builder, node, want)
    if text in state.words:
        return state.words[text]
    if text == b"_":
        return -1
    if text == b"Self":
        return _word(builder, node, want)
    return builder.name_expression(node, want, role)


def _word(builder: DeclaredFactsBuilder, node: Node, want: int) -> int:
    if not want:
        return -1
    start = node.start_byte
    return builder.expression(NAME, builder.name(start, node.end_byte), builder.scope, start)


def itself(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`self`, `super`."""
    return _word(builder, node, want)


def _carries(builder: DeclaredFactsBuilder, node: Node) -> bool:
    """Whether brackets and dots behind an operation belong to its last operand, `a + b.c(d)`: they are kept for it."""
    state = swift(builder)
    if node.id in state.plain:
        return False
    chain: list[Node] = []
    at: Node | None = node
    while at is not None and at.type in _POSTFIX:
        chain.append(at)
        at = next((part for part in at.children if part.type not in COMMENTS), None)
    last = _last_operand(at)
    if at is None or last is None or last.id == at.id:
        state.plain.update(one.id for one in chain)
        return False
    state.carried[last.start_byte, last.end_byte] = chain[::-1]
    return True


def _last_operand(node: Node | None) -> Node | None:
    """The operand at the end of an operation, of operations inside of it too."""
    while node is not None and node.type in _LAST:
        operation = node.child_by_field_name("operation")
        if operation is not None and operation.type == ".":
            break
        inner = node.child_by_field_name(_LAST[node.type])
        if inner is None or inner.end_byte != node.end_byte:
            break
        node = inner
    return node


def _operation(node: Node) -> Node:
    """What stands in front of brackets and dots."""
    at: Node = node
    while at.type in _POSTFIX:
        at = next((part for part in at.children if part.type not in COMMENTS), at.children[0])
    return at


def operand(builder: DeclaredFactsBuilder, node: Node, want: int, role: int = READ) -> int:
    """An operand, with the brackets and dots that belong to it."""
    carried = swift(builder).carried
    place = (node.start_byte, node.end_byte)
    if not carried or place not in carried:
        return builder.read(node, want, role)
    chain = carried.pop(place)
    row = builder.read(node, 1, CALLED if chain[0].type == "call_expression" else READ)
    return _followed(builder, row, chain)


def _followed(builder: DeclaredFactsBuilder, row: int, chain: Sequence[Node]) -> int:
    """A value with brackets and dots behind it."""
    for at, link in enumerate(chain):
        if any(part.type == "?" for part in link.children[1:]) or link.type == "postfix_expression":
            row = swift(builder).unwrapped(row)
        suffixes = [part for part in link.children if part.type == "call_suffix"]
        suffix = child(link, "navigation_suffix")
        if suffixes:
            values = child(suffixes[0], "value_arguments")
            if values is not None and values.children and values.children[0].type == "[" and row >= 0:
                row = builder.expression(MEMBER, row, builder.text(SUBSCRIPT_NAME), -1)
            row = passed(builder, suffixes, row)
        elif suffix is not None:
            called = at + 1 < len(chain) and chain[at + 1].type == "call_expression"
            row = _behind(builder, row, suffix, 1, CALLED if called else READ)
    return row


def member(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`object.name`, `object?.name`, `tuple.0`."""
    if _carries(builder, node):
        return builder.read(_operation(node), want, READ)
    suffix = child(node, "navigation_suffix")
    parts = [part for part in node.children if part.type not in COMMENTS]
    if suffix is None or not parts:
        builder.read_all(node)
        return -1
    target = parts[0]
    if target.type in TYPES:
        base = _bracketed(builder, target) or builder.read(target, 1)
    elif target.type == "array_literal" or target.type == "dictionary_literal":
        base = _type_literal(builder, target) or builder.read(target, 1)
    else:
        base = builder.read(target, 1)
    builder.shape.append(node.kind_id)
    if base >= 0 and any(part.type == "?" for part in parts[1:]):
        base = swift(builder).unwrapped(base)
    return _behind(builder, base, suffix, want, role)


def _bracketed(builder: DeclaredFactsBuilder, node: Node) -> int:
    """`[E.a]` in front of a dot, which the grammar takes for a type: an array where its names are those of values;
    0 for types."""
    parts = parts_of(node)
    if node.type != "array_type" or len(parts) != 1 or parts[0].type != "user_type":
        return 0
    names = [part for part in parts[0].named_children if part.type == "type_identifier"]
    if len(names) != parts[0].named_child_count or (names[-1].text or b"A")[:1].isupper():
        return 0
    row = builder.name_expression(names[0], 1, READ)
    for part in names[1:]:
        row = builder.member_expression(row, part, 1, READ)
    return builder.expression(COLLECTION, builder.sequence([row]), builder.text(ARRAY))


def _behind(builder: DeclaredFactsBuilder, base: int, suffix: Node, want: int, role: int) -> int:
    for part in suffix.children:
        text = part.text or b""
        if part.type == "simple_identifier" or text == b"init":
            if text == b"self":
                return base
            if text in (b"Type", b"Protocol"):
                return builder.expression(MEMBER, base, builder.text("Type"), part.start_byte) if base >= 0 else -1
            return builder.member_expression(base, part, want, role)
        if part.type == "integer_literal" and text.isdigit() and len(text) < 4:
            return builder.expression(ITEM, base, int(text)) if base >= 0 else -1
        if part.type == "navigation_suffix":
            return _behind(builder, base, part, want, role)
        if part.is_named:
            builder.read(part)
    return -1


def implicit(builder: DeclaredFactsBuilder, place: int = -1) -> int:
    """The type that a place demands. `place`: the value whose type it is, where that is known here."""
    row = builder.expression(OPERATION, -1, -1, builder.text(IMPLICIT))
    if place >= 0:
        swift(builder).expect(row, place, written=False)
    return row


def prefix(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`.name`, `-x`, `!x`, `&x`."""
    operation, target = node.child_by_field_name("operation"), node.child_by_field_name("target")
    if target is None:
        builder.read_all(node)
        return -1
    sign = operation.type if operation is not None else ""
    if sign == "." and (target.type == "simple_identifier" or target.text == b"init"):
        return builder.member_expression(implicit(builder), target, 1, role)
    flags = builder.use_flags
    if sign in ("&", "++", "--"):
        builder.use_flags |= ALSO_WRITE
    row = operand(builder, target, want, WRITE if sign == "&" else READ)
    builder.use_flags = flags
    return builder.builtin(BOOL) if sign == "bang" or sign == "!" else row


def postfix(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x!`, `x?`."""
    if _carries(builder, node):
        return builder.read(_operation(node), want, READ)
    target = node.child_by_field_name("target")
    if target is None:
        builder.read_all(node)
        return -1
    row = builder.read(target, want, role)
    return swift(builder).unwrapped(row) if has(node, "bang") or has(node, "?") or has(node, "!") else row


# calls


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name(arguments) { ... }`, `value[index]`, `[T]()`."""
    if _carries(builder, node):
        return builder.read(_operation(node), want, READ)
    parts = [part for part in node.children if part.type not in COMMENTS]
    suffixes = [part for part in parts if part.type == "call_suffix"]
    if not suffixes or not parts:
        builder.read_all(node)
        return -1
    callee_node = parts[0]
    while (
        callee_node.type == "call_expression"
        and child(suffixes[0], "value_arguments") is None
        and _is_plain_call(callee_node)
    ):
        inner = [part for part in callee_node.children if part.type not in COMMENTS]
        suffixes = [part for part in inner if part.type == "call_suffix"] + suffixes
        callee_node, parts = inner[0], inner
    values = child(suffixes[0], "value_arguments")
    if values is not None and values.children and values.children[0].type == "[":
        return _indexed(builder, node, callee_node, suffixes, role)
    if callee_node.type in ("array_literal", "dictionary_literal"):
        callee = _type_literal(builder, callee_node) or builder.read(callee_node, 1)
    elif callee_node.type in TYPES:
        callee = builder.read(callee_node, 1, CALLED)
    else:
        callee = builder.read(callee_node, 1, CALLED)
    if any(part.type == "?" for part in parts[1:]):
        callee = swift(builder).unwrapped(callee)
    builder.shape.append(node.kind_id)
    return passed(builder, suffixes, callee)


def _is_plain_call(node: Node) -> bool:
    """Whether a call has arguments in round brackets, to which a closure behind it belongs."""
    suffix = child(node, "call_suffix")
    values = child(suffix, "value_arguments") if suffix is not None else None
    return suffix is not None and (values is None or (bool(values.children) and values.children[0].type == "("))


def _type_literal(builder: DeclaredFactsBuilder, node: Node) -> int:
    """`[Name]` in front of brackets or a dot: a type; 0 for other literals."""
    parts = parts_of(node)
    wanted = 1 if node.type == "array_literal" else 2
    if len(parts) != wanted or any(_type_name(part) is None for part in parts):
        return 0
    rows = [builder.read(part, 1) for part in parts]
    return builder.constructed(ARRAY if wanted == 1 else DICTIONARY, rows)


def _type_name(node: Node) -> bytes | None:
    """The last name of what is spelled like a type."""
    if node.type in ("array_literal", "dictionary_literal"):
        return b"" if node.named_child_count and all(_type_name(part) is not None for part in parts_of(node)) else None
    if node.type == "navigation_expression":
        suffix = child(node, "navigation_suffix")
        node = next((part for part in suffix.named_children), node) if suffix is not None else node
    text = node.text or b""
    return text if node.type == "simple_identifier" and text[:1].isupper() else None


def _indexed(
    builder: DeclaredFactsBuilder, node: Node, target: Node, suffixes: Sequence[Node], role: int
) -> int:  # fmt: skip
    """`value[index]`: the call of a subscript, which no text names."""
    base = builder.read(target, 1, role if role == WRITE else READ)
    if any(part.type == "?" for part in node.children):
        base = swift(builder).unwrapped(base)
    callee = -1
    if base >= 0:
        callee = builder.expression(MEMBER, base, builder.text(SUBSCRIPT_NAME), -1)
    builder.shape.append(node.kind_id)
    return passed(builder, suffixes, callee)


def passed(builder: DeclaredFactsBuilder, suffixes: Sequence[Node], callee: int) -> int:
    """The call of something with what stands behind it."""
    rows: list[int] = []
    names: list[int] = []
    keys: list[int] = []
    for suffix in suffixes:
        parts = suffix.children
        label = ""
        for at, part in enumerate(parts):
            if part.type == "value_arguments":
                for one in part.named_children:
                    if one.type == "value_argument":
                        _argument(builder, one, rows, names, keys)
                    elif one.type not in COMMENTS:
                        builder.read(one)
            elif part.type == "simple_identifier" and at + 1 < len(parts) and parts[at + 1].type == ":":
                label = builder.spelled(part.text or b"")
            elif part.type == "lambda_literal":
                rows.append(builder.read(part, 1))
                names.append(builder.text(label) if label else builder.text("{"))
                label = ""
    if callee < 0:
        return -1
    listed = builder.sequence(names) if names else -1
    row = builder.expression(CALL, callee, builder.sequence(rows), listed)
    for at in keys:
        builder.occurrences[at + U_BASE] = row
    return row


def _argument(
    builder: DeclaredFactsBuilder, node: Node, rows: list[int], names: list[int], keys: list[int]
) -> None:  # fmt: skip
    label = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    referred = [part for part in node.named_children if part.type == "value_argument_label"]
    if value is None and label is None and referred:
        for part in referred:  # `name(a:b:)`: a function by its labels
            rows.append(-1)
            names.append(builder.text("::" + builder.spelled(part.text or b"")))
        return
    spelled = builder.spelled(label.text or b"").strip() if label is not None else ""
    names.append(builder.text(spelled) if spelled and spelled != "_" else -1)
    word = child(label, "simple_identifier") if label is not None else None
    if word is not None and spelled != "_":
        at = len(builder.occurrences)
        builder.use(word.start_byte, word.end_byte, KEYWORD, builder.unknown())
        keys += (at,) if len(builder.occurrences) > at else ()
    rows.append(builder.read(value, 1) if value is not None and value.is_named else -1)


def constructor(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name<T>(arguments)`, `[T](arguments)`."""
    written, suffix = node.child_by_field_name("constructed_type"), child(node, "constructor_suffix")
    if written is None or suffix is None:
        builder.read_all(node)
        return -1
    type_ = builder.read(written, 1, CALLED)
    builder.shape.append(node.kind_id)
    return passed(builder, (suffix,), type_)


def macro(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#name(arguments)`."""
    word, suffix = child(node, "simple_identifier"), child(node, "call_suffix")
    callee = builder.name_expression(word, 1, CALLED) if word is not None else -1
    for part in node.named_children:
        if part.type == "type_parameters":
            builder.read_all(part)
    return passed(builder, (suffix,), callee) if suffix is not None else -1


# operators


def inner(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`try x`, `await x`, `consume x`: the thing itself; `try? x` may be nothing."""
    row = -1
    for part in parts_of(node):
        if part.type not in ("try_operator", "ownership_modifier"):
            row = operand(builder, part, want, role)
    word = child(node, "try_operator")
    if row >= 0 and want and word is not None and has(word, "?"):
        return builder.expression(WRAPPED, row)
    return row


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a + b`."""
    left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
    if left is None or right is None:
        builder.read_all(node)
        return -1
    rows = [builder.read(left, 1), operand(builder, right, 1)]
    builder.shape.append(node.kind_id)
    _share_type(builder, rows)
    sign = node.child_by_field_name("op")
    if sign is not None and sign.type == "custom_operator":
        callee = builder.name_expression(sign, 1, CALLED)
        return builder.expression(CALL, callee, builder.sequence(rows))
    text = sign.text.decode("utf-8", "replace") if sign is not None and sign.text else "+"
    return builder.expression(OPERATION, rows[0], rows[1], builder.text(text)) if want and min(rows) >= 0 else -1


def _share_type(builder: DeclaredFactsBuilder, rows: Sequence[int]) -> None:
    """What stands at one side of an operator has the type of what stands at the other."""
    if min(rows) >= 0:
        swift(builder).expect(rows[0], rows[1], written=False)
        swift(builder).expect(rows[1], rows[0], written=False)


def comparison(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a < b`, `a == b`, `a && b`; `Name<T>.member`, which the grammar takes for a comparison."""
    left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
    if left is None or right is None:
        builder.read_all(node)
        return builder.builtin(BOOL)
    if node.type == "comparison_expression" and right.type == "comparison_expression":
        made = _generic(builder, left, right)
        if made is not None:
            return made
    rows = [builder.read(left, 1), operand(builder, right, 1)]
    builder.shape.append(node.kind_id)
    if node.type in ("comparison_expression", "equality_expression"):
        _share_type(builder, rows)
    return builder.builtin(BOOL)


def _generic(builder: DeclaredFactsBuilder, left: Node, right: Node) -> int | None:
    """`Name<T>.make(x)`, `name<T>(x)` as two comparisons in a row."""
    given, rest = right.child_by_field_name("lhs"), right.child_by_field_name("rhs")
    if given is None or rest is None or _type_name(left) is None or _type_name(given) is None:
        return None
    between = builder.between(given.end_byte, rest.start_byte).strip()
    if between != b">" or builder.data[rest.start_byte - 1 : rest.start_byte] != b">":
        return None
    chain: list[Node] = []
    at: Node | None = rest
    while at is not None and at.type in ("call_expression", "navigation_expression", "postfix_expression"):
        chain.append(at)
        at = next((part for part in at.children if part.type not in COMMENTS), None)
    first = at.child_by_field_name("operation") if at is not None and at.type == "prefix_expression" else None
    if first is None or first.type != "." or at is None:
        return None
    base = builder.read(left, 1)
    argument = builder.read(given, 1)
    base = builder.expression(SUBSCRIPT, base, builder.sequence([argument])) if base >= 0 else -1
    target = at.child_by_field_name("target")
    if target is None or target.type != "simple_identifier":
        builder.read(rest)
        return -1
    is_called = bool(chain) and chain[-1].type == "call_expression"
    row = builder.member_expression(base, target, 1, CALLED if is_called else READ)
    for at in reversed(chain):
        suffixes = [part for part in at.children if part.type == "call_suffix"]
        if suffixes:
            row = passed(builder, suffixes, row)
            continue
        suffix = child(at, "navigation_suffix")
        if suffix is not None:
            above = chain[chain.index(at) - 1] if chain.index(at) else None
            row = _behind(builder, row, suffix, 1, CALLED if above and above.type == "call_expression" else READ)
    return row


def coalescing(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a ?? b`."""
    value, other = node.child_by_field_name("value"), node.child_by_field_name("if_nil")
    if value is None or other is None:
        builder.read_all(node)
        return -1
    rows = [swift(builder).unwrapped(builder.read(value, 1)), operand(builder, other, 1)]
    if min(rows) >= 0:
        swift(builder).expect(rows[1], rows[0], written=False)
    return union(builder, rows)


def ternary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`test ? a : b`."""
    test = node.child_by_field_name("condition")
    if test is not None:
        builder.read(test)
    fields = [node.child_by_field_name(one) for one in ("if_true", "if_false")]
    return union(builder, [operand(builder, one, want) for one in fields if one is not None])


def union(builder: DeclaredFactsBuilder, rows: Sequence[int]) -> int:
    """One of several values."""
    known = [row for row in rows if row >= 0]
    if len(known) < 2:
        return known[0] if known else -1
    return builder.expression(UNION, builder.sequence(known))


def span(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a...b`, `a...`, `...b`."""
    rows = [operand(builder, part, 1) for part in parts_of(node)]
    known = [row for row in rows if row >= 0]
    return builder.constructed(RANGE, known[:1]) if want and known else builder.builtin(RANGE)


def check(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x is T`."""
    builder.read_all(node)
    return builder.builtin(BOOL)


def cast(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x as T`, `x as? T`, `x as! T`."""
    value = node.child_by_field_name("expr")
    made = builder.read(value, 1) if value is not None else -1
    type_ = -1
    for part in node.named_children:
        if part.type in TYPES:
            type_ = builder.read(part, 1)
    swift(builder).expect(made, type_)
    row = builder.instance(type_)
    sign = child(node, "as_operator")
    if row >= 0 and sign is not None and sign.text == b"as?":
        return builder.expression(WRAPPED, row)
    return row


RULES: dict[str, Rule] = {
    "simple_identifier": name,
    "self_expression": itself,
    "super_expression": itself,
    "navigation_expression": member,
    "prefix_expression": prefix,
    "postfix_expression": postfix,
    "call_expression": call,
    "constructor_expression": constructor,
    "macro_invocation": macro,
    "try_expression": inner,
    "await_expression": inner,
    "consume_expression": inner,
    "unsafe_expression": inner,
    "value_pack_expansion": inner,
    "value_parameter_pack": inner,
    "additive_expression": left_deep(binary),
    "multiplicative_expression": left_deep(binary),
    "infix_expression": left_deep(binary),
    "bitwise_operation": left_deep(binary),
    "comparison_expression": comparison,
    "equality_expression": comparison,
    "conjunction_expression": left_deep(comparison),
    "disjunction_expression": left_deep(comparison),
    "nil_coalescing_expression": coalescing,
    "ternary_expression": ternary,
    "range_expression": span,
    "open_start_range_expression": span,
    "open_end_range_expression": span,
    "check_expression": check,
    "as_expression": cast,
    "try_operator": nothing,
    "as_operator": nothing,
    "bang": nothing,
    "custom_operator": nothing,
    "value_argument_label": nothing,
    "comment": nothing,
    "multiline_comment": nothing,
    "shebang_line": nothing,
    "directive": nothing,
    "diagnostic": nothing,
    "availability_condition": nothing,
    "statement_label": nothing,
}
