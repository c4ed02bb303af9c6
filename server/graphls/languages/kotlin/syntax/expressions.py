"""Expressions: values of Kotlin as expressions.

Owns: the rules of names, calls, lambdas, operators, literals, object literals.
Must not know: statements, declarations with names, other files.
Invariant: an operator is the call of the function that it stands for, without a use of the name of that function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.declared.expressions import ALSO_WRITE, REFERRED, identifier, left_deep, literal
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ITEM,
    MEMBER,
    NAME,
    READ,
    SUBSCRIPT,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.kotlin.syntax.facts_builder import (
    COMMENTS,
    KEYWORD,
    LAMBDA,
    LAMBDA_SCOPE,
    NARROWED,
    OBJECT,
    OBJECT_SCOPE,
    PARAMETER,
    UNION,
    Proof,
    annotation,
    child,
    kotlin,
    parts_of,
)
from graphls.languages.kotlin.syntax.types import TYPES, written_type

REFERENCE: Final = -2
"""In place of the scope of a LAMBDA: a reference to a function, `::name`."""
BOOLEAN: Final = "kotlin.Boolean"
_ASSERTIONS: Final = frozenset((b"require", b"check", b"assert", b"assertTrue"))
_OPERATORS: Final = {
    "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "..": "rangeTo", "..<": "rangeUntil",
}  # fmt: skip


def name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name; `it` of a lambda without parameters, and `field` of an accessor, are no uses."""
    text = node.text or b""
    state = kotlin(builder)
    if text == b"it" and state.lambdas and state.lambdas[-1] and not _binds_it(builder):
        return _word(builder, node, want)
    return identifier(builder, node, want, role)


def _binds_it(builder: DeclaredFactsBuilder) -> bool:
    """Whether a declaration between a name and the lambda around it is called `it`."""
    at, it = builder.scope, builder.texts.get("it", -1)
    while at >= 0 and builder.scopes[at][0] != LAMBDA_SCOPE:
        if (at, it) in builder.bound:
            return True
        at = builder.scopes[at][1]
    return at >= 0 and (at, it) in builder.bound


def _word(builder: DeclaredFactsBuilder, node: Node, want: int) -> int:
    if not want:
        return -1
    start = node.start_byte
    return builder.expression(NAME, builder.name(start, node.end_byte), builder.scope, start)


def itself(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`this`, `this@Outer`, `super`, `super<Base>`."""
    written = next((part for part in node.named_children if part.type in TYPES), None)
    if written is not None:
        return builder.instance(builder.read(written, 1, TYPED))
    if not want:
        return -1
    text = "".join(builder.source(node.start_byte, node.end_byte).split())
    return builder.expression(NAME, builder.text(text), builder.scope, node.start_byte)


def member(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`object.name`, `object?.name`, `object::name`."""
    parts = [part for part in node.children if part.type not in COMMENTS]
    suffix = next((part for part in parts if part.type == "navigation_suffix"), None)
    if suffix is None:
        builder.read_all(node)
        return -1
    if any(part.type == "::" for part in suffix.children):
        return _referred(builder, parts[0], suffix, want)
    base = builder.read(parts[0], 1)
    builder.shape.append(node.kind_id)
    return _behind(builder, base, suffix, want, role)


def _behind(builder: DeclaredFactsBuilder, base: int, suffix: Node, want: int, role: int) -> int:
    """What stands behind a dot."""
    for part in suffix.named_children:
        if part.type == "simple_identifier":
            return builder.member_expression(base, part, want, role)
        builder.read(part)
    return -1


def _referred(builder: DeclaredFactsBuilder, holder: Node | None, node: Node, want: int) -> int:
    """`holder::name`, `::name`, `Type::class`."""
    base = builder.read(holder, 1) if holder is not None else -1
    last = next((part for part in node.named_children if part.type == "simple_identifier"), None)
    if last is None:
        return builder.builtin("kotlin.reflect.KClass") if want else -1
    row = _behind_colons(builder, last, base)
    return builder.expression(LAMBDA, row, REFERENCE, -1) if row >= 0 else -1


def reference(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Type::name`, `::name`, `Type::class`."""
    names = [part for part in node.named_children if part.type in ("simple_identifier", "type_identifier")]
    is_class = any(part.type == "class" for part in node.children)
    holder = names[0] if names and (is_class or len(names) > 1) else None
    base = builder.name_expression(holder, 1, READ) if holder is not None else -1
    if is_class or not names:
        return builder.builtin("kotlin.reflect.KClass") if want else -1
    row = _behind_colons(builder, names[-1], base)
    return builder.expression(LAMBDA, row, REFERENCE, -1) if row >= 0 else -1


def _behind_colons(builder: DeclaredFactsBuilder, name: Node, base: int) -> int:
    """The name behind `::`. `base`: what stands before it, -1 for nothing."""
    flags = builder.use_flags
    builder.use_flags |= REFERRED
    row = builder.name_expression(name, 1, READ) if base < 0 else builder.member_expression(base, name, 1, READ)
    builder.use_flags = flags
    return row


# calls


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name(arguments) { ... }`, `value.name<T>(arguments)`."""
    parts = parts_of(node)
    suffix = next((part for part in parts if part.type == "call_suffix"), None)
    if suffix is None or not parts:
        builder.read_all(node)
        return -1
    if _is_on_next_line(builder, parts[0], suffix):
        builder.read(parts[0])
        row = -1
        for part in suffix.named_children:
            for one in parts_of(part) if part.type == "value_arguments" else []:
                row = next((builder.read(value, 1) for value in parts_of(one)), -1)
        return row
    callee = builder.read(parts[0], 1, CALLED)
    builder.shape.append(node.kind_id)
    made = passed(builder, suffix, callee)
    if parts[0].type == "simple_identifier" and parts[0].text in _ASSERTIONS:
        values = child(suffix, "value_arguments")
        first = parts_of(values)[:1] if values is not None else []
        state = kotlin(builder)
        for one in first:
            state.prove(proofs(builder, one, True), node.end_byte, state.block_end)
    return made


def _is_on_next_line(builder: DeclaredFactsBuilder, callee: Node, suffix: Node) -> bool:
    """Whether a bracket that the grammar takes for arguments begins another statement."""
    begins = builder.data.startswith(b"(", suffix.start_byte)
    return begins and b"\n" in builder.between(callee.end_byte, suffix.start_byte)


def passed(builder: DeclaredFactsBuilder, suffix: Node, callee: int) -> int:
    """The call of something with what a suffix passes; the last lambda is the last argument."""
    rows: list[int] = []
    names: list[int] = []
    patch: list[int] = []
    given: list[int] = []
    for part in suffix.named_children:
        if part.type == "type_arguments":
            given = [builder.read(one, 1, TYPED) for one in parts_of(part)]
        elif part.type == "value_arguments":
            for one in parts_of(part):
                _argument(builder, one, rows, names, patch)
        elif part.type in ("annotated_lambda", "lambda_literal"):
            rows.append(builder.read(part, 1))
            names.append(-1)
    if callee < 0:
        return -1
    if given:
        callee = builder.expression(SUBSCRIPT, callee, builder.sequence(given))
    listed = builder.sequence(names) if max(names, default=-1) >= 0 else -1
    row = builder.expression(CALL, callee, builder.sequence(rows), listed)
    for at in patch:
        builder.occurrences[at + 6] = row
    return row


def _argument(
    builder: DeclaredFactsBuilder, node: Node, rows: list[int], names: list[int], patch: list[int]
) -> None:  # fmt: skip
    parts = parts_of(node)
    named = any(part.type == "=" for part in node.children) and len(parts) > 1
    key = parts[0] if named else None
    if key is not None:
        patch.append(len(builder.occurrences))
        names.append(builder.use(key.start_byte, key.end_byte, KEYWORD, builder.unknown()))
        if len(builder.occurrences) == patch[-1]:
            patch.pop()
    else:
        names.append(-1)
    row = -1
    for part in parts[1:] if named else parts:
        if part.type == "annotation":
            annotation(builder, part, -1)
        else:
            row = builder.read(part, 1)
    rows.append(row)


def constructed(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Base(arguments)` above a type, `Name(arguments)` of an annotation: the call of a constructor."""
    written, values = child(node, "user_type"), child(node, "value_arguments")
    if written is None:
        builder.read_all(node)
        return -1
    type_ = builder.read(written, 1, role)
    if values is not None:
        passed(builder, node, builder.instance(type_))
    return type_


def element(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`array[index]`."""
    parts = parts_of(node)
    base = builder.read(parts[0], 1) if parts else -1
    rows: list[int] = []
    for part in parts[1:]:
        rows += [builder.read(one, 1) for one in parts_of(part)]
    return implied_call(builder, base, "get", rows) if want else -1


def implied_call(builder: DeclaredFactsBuilder, base: int, text: str, rows: Sequence[int]) -> int:
    """A call of a member that no text names."""
    if base < 0:
        return -1
    callee = builder.expression(MEMBER, base, builder.text(text), -1)
    return builder.expression(CALL, callee, builder.sequence(rows))


# operators


def inner(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `x!!`, `*x`: the thing itself."""
    row, flags = -1, builder.use_flags
    changes = any(part.type in ("++", "--") for part in node.children)
    if changes:
        builder.use_flags |= ALSO_WRITE
    for part in node.named_children:
        if part.type == "annotation":
            annotation(builder, part, -1)
        elif part.type != "label":
            row = builder.read(
                part, want, WRITE if changes else role if node.type == "parenthesized_expression" else READ
            )
    builder.use_flags = flags
    if want and node.type == "prefix_expression" and any(part.type == "!" for part in node.children):
        return builder.builtin(BOOLEAN)
    return row


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a + b`, `a..b`."""
    parts = parts_of(node)
    rows = [builder.read(part, 1 if want else 0) for part in parts]
    operator = next((part.type for part in node.children if part.type in _OPERATORS), "")
    builder.shape.append(node.kind_id)
    if not want or len(rows) != 2 or not operator:
        return -1
    return implied_call(builder, rows[0], _OPERATORS[operator], rows[1:])


def comparison(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a < b`, `a == b`."""
    builder.read_all(node)
    builder.shape.append(node.kind_id)
    return builder.builtin(BOOLEAN) if want else -1


def both(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a && b`, `a || b`: the right side knows what the left one proves."""
    parts = parts_of(node)
    state, truth = kotlin(builder), node.type == "conjunction_expression"
    proven: list[Proof] = []
    for at, part in enumerate(parts):
        builder.read(part)
        found = proofs(builder, part, truth)
        if at == 0 and len(parts) > 1:
            state.prove(found, parts[1].start_byte, node.end_byte)
        proven += found
    if proven:
        state.proven[node.id] = proven
    builder.shape.append(node.kind_id)
    return builder.builtin(BOOLEAN) if want else -1


def proofs(builder: DeclaredFactsBuilder, node: Node, truth: bool) -> list[Proof]:
    """What a condition proves that is true, or that is not."""
    state, kind = kotlin(builder), node.type
    if kind == "check_expression":
        test = state.tests.get((node.start_byte, node.end_byte))
        return [test[0]] if test is not None and test[1] == truth else []
    parts = parts_of(node)
    if kind in ("parenthesized_expression", "value_argument") and len(parts) == 1:
        return proofs(builder, parts[0], truth)
    if kind == "prefix_expression" and parts and any(part.type == "!" for part in node.children):
        return proofs(builder, parts[-1], not truth)
    if (kind == "conjunction_expression" and truth) or (kind == "disjunction_expression" and not truth):
        return state.proven.get(node.id, [])
    return []


def check(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x is T`, `x !is T`, `x in y`."""
    parts = parts_of(node)
    written = next((part for part in parts if part.type in TYPES), None)
    for part in parts:
        if written is None or part.id != written.id:
            builder.read(part)
    if written is not None:
        type_ = builder.read(written, 1, TYPED)
        subject = kotlin(builder).subject(parts[0])
        if subject >= 0 and type_ >= 0:
            positive = any(part.type == "is" for part in node.children)
            kotlin(builder).tests[node.start_byte, node.end_byte] = ((subject, type_), positive)
    return builder.builtin(BOOLEAN) if want else -1


def cast(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x as T`, `x as? T`."""
    parts = parts_of(node)
    value = builder.read(parts[0], 1) if parts else -1
    type_ = written_type(builder, node)
    state = kotlin(builder)
    if type_ >= 0 and any(part.type == "as" for part in node.children):
        subject = state.subject(parts[0])
        if subject >= 0:
            state.prove([(subject, type_)], node.end_byte, state.block_end)
    if value >= 0 and type_ >= 0 and builder.kind_of(value) == LAMBDA:
        return builder.expression(NARROWED, value, type_, 1)
    return builder.instance(type_) if want else -1


def infix(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a name b`."""
    parts = parts_of(node)
    if len(parts) != 3:
        builder.read_all(node)
        return -1
    base = builder.read(parts[0], 1)
    callee = builder.member_expression(base, parts[1], 1, CALLED)
    argument = builder.read(parts[2], 1)
    return builder.expression(CALL, callee, builder.sequence([argument])) if callee >= 0 else -1


def elvis(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a ?: b`."""
    rows = [builder.read(part, want) for part in parts_of(node)]
    return union(builder, rows) if want else -1


def union(builder: DeclaredFactsBuilder, rows: Sequence[int]) -> int:
    """One of several values."""
    known = [row for row in rows if row >= 0]
    if len(known) < 2:
        return known[0] if known else -1
    return builder.expression(UNION, builder.sequence(known))


# lambdas and objects


def lambda_literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ a, b -> ... }`: what its parameters are is decided by who takes it. Its value is its last statement."""
    state = kotlin(builder)
    outer, full, end = builder.scope, builder.full, state.block_end
    scope = builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    state.block_end = node.end_byte
    given, body = child(node, "lambda_parameters"), child(node, "statements")
    arrow = any(part.type == "->" for part in node.children)
    state.lambdas.append(given is None and not arrow)
    untyped: list[tuple[int, int]] = []
    parts = parts_of(given) if given is not None else []
    taken: list[tuple[int, int, int]] = []
    for at, part in enumerate(parts):
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "variable_declaration":
            row = variable(builder, part, PARAMETER)
            if row >= 0 and builder.definitions[row][D_TYPE] < 0:
                untyped.append((row, at))
        elif part.type == "multi_variable_declaration":
            taken += [(definition, at, place) for definition, place in bound_parts(builder, part, PARAMETER)]
    value = last_value(builder, body) if body is not None else -1
    state.lambdas.pop()
    builder.scope, builder.full, state.block_end = outer, full, end
    row = builder.expression(LAMBDA, value if value >= 0 else builder.unknown(), scope, len(parts))
    for definition, at in untyped:
        builder.definitions[definition][D_VALUE] = builder.expression(ITEM, row, at)
    for definition, at, place in taken:
        whole = builder.expression(ITEM, row, at)
        builder.definitions[definition][D_VALUE] = implied_call(builder, whole, f"component{place}", ())
    return row


def last_value(builder: DeclaredFactsBuilder, node: Node) -> int:
    """Reads statements; answers the value of the last one."""
    parts, row = parts_of(node), -1
    frame = builder.frame
    for at, part in enumerate(parts):
        frame.statements += 1
        builder.shape.append(part.kind_id)
        builder.full = (part.start_byte, part.end_byte)
        row = builder.read(part, 1 if at == len(parts) - 1 else 0)
    return row


def variable(builder: DeclaredFactsBuilder, node: Node, kind: int) -> int:
    """`name: T` that is bound; answers its row."""
    named = child(node, "simple_identifier")
    type_ = written_type(builder, node)
    if named is None or named.text == b"_":
        return -1
    row = builder.define(named, kind)
    builder.definitions[row][D_TYPE] = type_
    return row


def bound_parts(builder: DeclaredFactsBuilder, node: Node, kind: int) -> list[tuple[int, int]]:
    """`(a, b)`: binds the parts of a value; answers rows without a written type, with their positions from 1."""
    found: list[tuple[int, int]] = []
    for at, part in enumerate([one for one in node.named_children if one.type == "variable_declaration"]):
        row = variable(builder, part, kind)
        if row >= 0 and builder.definitions[row][D_TYPE] < 0:
            found.append((row, at + 1))
    return found


def components(builder: DeclaredFactsBuilder, node: Node, value: int, kind: int) -> None:
    """`val (a, b) = value`."""
    for row, at in bound_parts(builder, node, kind):
        builder.definitions[row][D_VALUE] = implied_call(builder, value, f"component{at}", ())


def annotated_lambda(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`label@ { ... }` behind a call."""
    row = -1
    for part in node.named_children:
        if part.type == "annotation":
            annotation(builder, part, -1)
        elif part.type != "label":
            row = builder.read(part, 1)
    return row


def object_literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`object : Base(arguments), Other { ... }`."""
    above = [builder.read(part, 1) for part in node.named_children if part.type == "delegation_specifier"]
    body = child(node, "class_body")
    begin = body.start_byte if body is not None else node.end_byte
    scope = anonymous_body(builder, body, begin, node.end_byte)
    row = builder.expression(OBJECT, scope, builder.expression(UNION, builder.sequence(above)))
    return builder.instance(row) if want else -1


def anonymous_body(builder: DeclaredFactsBuilder, body: Node | None, start: int, end: int) -> int:
    """Reads the body of a type without a name; answers its scope."""
    state = kotlin(builder)
    outer, full, owner, frame, lambdas = builder.scope, builder.full, builder.owner, builder.frame, state.lambdas
    scope = builder.scope = builder.open_scope(OBJECT_SCOPE, start, end)
    builder.frame, state.lambdas = Frame(frame.definition), []
    for part in body.named_children if body is not None else ():
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
    builder.scope, builder.full, builder.owner, builder.frame = outer, full, owner, frame
    state.lambdas = lambdas
    return scope


# literals


def text(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A string with names in it."""
    for part in node.named_children:
        if part.type == "interpolated_identifier":
            name(builder, part, 0, READ)
        elif part.type == "interpolated_expression":
            builder.read_all(part)
    return builder.builtin("kotlin.String") if want else -1


def _real(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    if not want:
        return -1
    return builder.builtin("kotlin.Float" if builder.data[node.end_byte - 1] in b"fF" else "kotlin.Double")


def _integer(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    return builder.builtin("kotlin.Int") if want else -1


RULES: dict[str, Rule] = {
    "simple_identifier": name,
    "interpolated_identifier": name,
    "this_expression": itself,
    "super_expression": itself,
    "navigation_expression": member,
    "callable_reference": reference,
    "call_expression": call,
    "constructor_invocation": constructed,
    "indexing_expression": element,
    "parenthesized_expression": inner,
    "postfix_expression": inner,
    "prefix_expression": inner,
    "spread_expression": inner,
    "additive_expression": left_deep(binary),
    "multiplicative_expression": left_deep(binary),
    "range_expression": binary,
    "comparison_expression": comparison,
    "equality_expression": comparison,
    "conjunction_expression": left_deep(both),
    "disjunction_expression": left_deep(both),
    "check_expression": check,
    "as_expression": cast,
    "infix_expression": left_deep(infix),
    "elvis_expression": elvis,
    "lambda_literal": lambda_literal,
    "annotated_lambda": annotated_lambda,
    "object_literal": object_literal,
    "string_literal": text,
    "character_literal": literal("kotlin.Char"),
    "boolean_literal": literal(BOOLEAN),
    "null_literal": literal("null"),
    "integer_literal": _integer,
    "hex_literal": _integer,
    "bin_literal": _integer,
    "long_literal": literal("kotlin.Long"),
    "unsigned_literal": literal("kotlin.UInt"),
    "real_literal": _real,
    "label": nothing,
    "line_comment": nothing,
    "multiline_comment": nothing,
    "shebang_line": nothing,
}
