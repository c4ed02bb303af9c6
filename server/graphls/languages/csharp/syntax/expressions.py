"""Expressions: values of C# as expressions.

Owns: the rules of names behind dots, calls, creations, lambdas, patterns, literals and operators.
Must not know: statements, other files.
Invariant: each call is an expression: which of several methods it means rests on its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.csharp.syntax.facts_builder import (
    KEYWORD,
    LAMBDA_SCOPE,
    LOOPED,
    PARAMETER,
    TRIVIA,
    VARIABLE,
    csharp,
    modifiers,
)
from graphls.languages.csharp.syntax.types import member, read_type
from graphls.languages.declared.expressions import (
    ALSO_WRITE,
    NARROWED,
    UNION,
    choice,
    is_comparison,
    left_deep,
    literal,
    operands,
    word,
)
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ELEMENT,
    ITEM,
    MEMBER,
    OPERATION,
    READ,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE, EXPRESSION
from graphls.languages.extract.kinds import LAMBDA_EXPRESSION, PARAMETER_EXPRESSION

LAMBDA: Final = LAMBDA_EXPRESSION
TAKEN: Final = PARAMETER_EXPRESSION
"""What a call takes at a place: its row, which the call fills in, and the position."""
ADD: Final = "Add"
"""The method that the elements of a value in braces are given to."""


def parts_of(node: Node | None) -> list[Node]:
    """The parts of a node that say something."""
    return [] if node is None else [part for part in node.named_children if part.type not in TRIVIA]


def member_access(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value.Name`, `Type.Name`."""
    holder, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
    if holder is None or name is None:
        builder.read_all(node)
        return -1
    base = builder.read(holder, 1)
    builder.shape.append(node.kind_id)
    return member(builder, base, name, want, role)


def conditional_access(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value?.Name`, `value?[index]`."""
    own, row = csharp(builder), -1
    outer = own.before
    for at, part in enumerate(parts_of(node)):
        if at == 0:
            own.before = builder.read(part, 1)
        else:
            row = builder.read(part, 1, role)
    own.before = outer
    return row


def member_binding(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`.Name` behind `?`."""
    name = node.child_by_field_name("name")
    return member(builder, csharp(builder).before, name, want, role) if name is not None else -1


def element_binding(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[index]` behind `?`."""
    base = csharp(builder).before
    builder.read_all(node)
    return builder.expression(ELEMENT, base) if base >= 0 else -1


def element_access(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value[index]`."""
    holder, index = node.child_by_field_name("expression"), node.child_by_field_name("subscript")
    base = builder.read(holder, 1) if holder is not None else -1
    if index is not None:
        builder.read_all(index)
    return builder.expression(ELEMENT, base) if want and base >= 0 else -1


def passed(builder: DeclaredFactsBuilder, node: Node | None, callee: int) -> int:
    """The call of a callee with the arguments of a node."""
    rows: list[int] = []
    names: list[int] = []
    keys: list[Node] = []
    own, made = csharp(builder), list[int]()
    outer, own.expected = own.expected, -1
    for part in parts_of(node):
        if part.type != "argument":
            builder.read(part)
            continue
        key = part.child_by_field_name("name")
        named = key is not None and any(one.type == ":" for one in part.children)
        names.append(builder.name(key.start_byte, key.end_byte) if named and key is not None else -1)
        keys += [key] if named and key is not None else []
        row = -1
        for one in parts_of(part):
            if not (named and key is not None and one.id == key.id):
                row = _argument(builder, one, len(rows), made)
        rows.append(row)
    own.expected = outer
    given = builder.sequence(names) if max(names, default=-1) >= 0 else -1
    call = builder.expression(CALL, callee, builder.sequence(rows), given) if callee >= 0 else -1
    for key in keys:
        builder.use(key.start_byte, key.end_byte, KEYWORD, call if call >= 0 else builder.unknown())
    for row in made:
        builder.expressions[row * EXPRESSION + 1] = call
    return call


def _argument(builder: DeclaredFactsBuilder, node: Node, at: int, made: list[int]) -> int:
    """An argument; of `new()` and `out var name` the parameter says the type, which the call alone knows."""
    if node.type == "declaration_expression":
        written = read_type(builder, node.child_by_field_name("type"))
        taken = builder.expression(TAKEN, -1, at) if written < 0 else -1
        made += [taken] if taken >= 0 else []
        _name(builder, node, written, taken)
        return builder.instance(written)
    if node.type != "implicit_object_creation_expression":
        return builder.read(node, 1)
    own = csharp(builder)
    outer, own.expected_value = own.expected_value, builder.expression(TAKEN, -1, at)
    made.append(own.expected_value)
    builder.read(node, 1)
    own.expected_value = outer
    return -1


def argument(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """An argument where no call is known: of an index, of a tuple."""
    key, row = node.child_by_field_name("name"), -1
    for part in parts_of(node):
        if key is None or part.id != key.id:
            row = builder.read(part, want, role)
    return row


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name(arguments)`, `value.Name(arguments)`."""
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        builder.read_all(node)
        return -1
    if function.type == "identifier" and function.text == b"nameof":
        if given is not None:
            builder.read_all(given)
        return builder.builtin("string") if want else -1
    callee = builder.read(function, 1, CALLED)
    builder.shape.append(node.kind_id)
    return passed(builder, given, callee)


def creation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new Type(arguments) { Property = value }`."""
    written = node.child_by_field_name("type")
    if written is None:
        builder.read_all(node)
        return -1
    type_ = builder.read(written, 1, TYPED if written.type == "array_type" else CALLED)
    builder.shape.append(node.kind_id)
    whole = builder.instance(type_)
    made = whole
    if written.type != "array_type":
        made = passed(builder, node.child_by_field_name("arguments"), whole)
    for part in node.named_children:
        if part.type == "initializer_expression":
            setters(builder, part, whole)
    return made


def implicit_creation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new(arguments)`: of the type that is written where it stands."""
    own, word = csharp(builder), node.children[0]
    whole = own.expected_value if own.expected_value >= 0 else builder.instance(own.expected)
    own.expected_value = -1
    given = next((part for part in node.named_children if part.type == "argument_list"), None)
    callee = builder.member_expression(whole, word, 1, CALLED) if whole >= 0 and word.type == "new" else -1
    made = passed(builder, given, callee)
    for part in node.named_children:
        if part.type == "initializer_expression":
            setters(builder, part, whole)
    return made if made >= 0 else whole


def passed_on(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`: base(arguments)`, `: this(arguments)` of a constructor: a call of another one."""
    word = next((part for part in node.children if part.type in ("base", "this")), None)
    given = next((part for part in node.named_children if part.type == "argument_list"), None)
    callee = builder.name_expression(word, 1, CALLED) if word is not None else -1
    return passed(builder, given, callee)


def setters(builder: DeclaredFactsBuilder, node: Node | None, whole: int) -> None:
    """`{ Property = value, Other = { ... } }` of a value, or its elements."""
    parts = parts_of(node)
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        left, right = part.child_by_field_name("left"), part.child_by_field_name("right")
        if part.type == "with_initializer":
            setters(builder, part, whole)
        elif part.type == "initializer_expression":
            _element(builder, parts_of(part), whole)
        elif part.type == "assignment_expression" and left is not None and left.type == "identifier":
            _setter(builder, left, right, whole)
        else:
            _element(builder, (part,), whole)


def _element(builder: DeclaredFactsBuilder, parts: Sequence[Node], whole: int) -> None:
    """`element` and `{ key, value }` between the braces of a value: what its method `Add` is given."""
    rows = [builder.read(part, 1) for part in parts]
    if whole >= 0 and any(builder.kind_of(row) == LAMBDA for row in rows):
        added = builder.expression(MEMBER, whole, builder.text(ADD), parts[0].start_byte)
        builder.expression(CALL, added, builder.sequence(rows), -1)


def _setter(builder: DeclaredFactsBuilder, name: Node, value: Node | None, whole: int) -> None:
    builder.use(name.start_byte, name.end_byte, KEYWORD, whole if whole >= 0 else builder.unknown())
    inner = -1
    if whole >= 0:
        text = builder.name(name.start_byte, name.end_byte)
        inner = builder.expression(MEMBER, whole, text, name.start_byte)
    if value is None:
        return
    if value.type == "initializer_expression":
        setters(builder, value, inner)
        return
    if value.type == "implicit_object_creation_expression":
        csharp(builder).expected_value = inner
    made = builder.read(value, 1)
    if builder.kind_of(made) == LAMBDA and inner >= 0:
        builder.expression(NARROWED, made, inner, 0)


def with_expression(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value with { Property = value }`."""
    parts = parts_of(node)
    whole = builder.read(parts[0], 1) if parts else -1
    for part in parts[1:]:
        inside = parts_of(part)
        if part.type == "with_initializer" and inside and inside[0].type == "identifier":
            _setter(builder, inside[0], inside[1] if len(inside) > 1 else None, whole)
        else:
            builder.read(part)
    return whole


def cast(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(T) x`, `x as T`; with a lambda it says what the lambda is."""
    written = node.child_by_field_name("type") or node.child_by_field_name("right")
    value, outer = node.child_by_field_name("value") or node.child_by_field_name("left"), csharp(builder).expected
    first = written is not None and value is not None and written.start_byte < value.start_byte
    type_ = read_type(builder, written) if first else -1
    csharp(builder).expected = type_
    made = builder.read(value, 1) if value is not None else -1
    csharp(builder).expected = outer
    type_ = type_ if first else read_type(builder, written)
    if builder.kind_of(made) == LAMBDA and type_ >= 0:
        return builder.expression(NARROWED, made, type_, 1)
    return builder.instance(type_) if want else -1


def typed_word(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typeof(T)`, `default(T)`, `sizeof(T)`."""
    written = node.child_by_field_name("type")
    type_ = read_type(builder, written)
    if not want:
        return -1
    if node.type == "default_expression":
        return builder.instance(type_ if type_ >= 0 else csharp(builder).expected)
    return builder.builtin("System.Type" if node.type == "typeof_expression" else "int")


def inner(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `checked(x)`, `ref x`, `x!`."""
    row = -1
    for part in parts_of(node):
        row = builder.read(part, want, role)
    return row


def awaited(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`await x`."""
    row = inner(builder, node, 1, role)
    return builder.expression(OPERATION, row, -1, builder.text("await")) if want and row >= 0 else -1


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a = b`, `a += b`: the value is that of the left side."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and left.type == "tuple_expression":
        return _deconstruction(builder, left, right)
    flags = builder.use_flags
    if not any(part.type == "=" for part in node.children):
        builder.use_flags |= ALSO_WRITE
    target = builder.read(left, 1, WRITE) if left is not None else -1
    builder.use_flags = flags
    if right is not None and right.type == "implicit_object_creation_expression":
        csharp(builder).expected_value = target
    value = builder.read(right, 1) if right is not None else -1
    if target >= 0 and builder.kind_of(value) == LAMBDA:
        return builder.expression(NARROWED, value, target, 0)
    return target


def _deconstruction(builder: DeclaredFactsBuilder, left: Node, right: Node | None) -> int:
    value = builder.read(right, 1) if right is not None else -1
    for at, part in enumerate(parts_of(left)):
        item = builder.expression(ITEM, value, at) if value >= 0 else -1
        for one in parts_of(part):
            if one.type == "declaration_expression":
                bind(builder, one, item)
            else:
                builder.read(one, 0, WRITE)
    return value


def update(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a++`, `-a`, `!a`, `a!`."""
    written = any(part.type in ("++", "--") for part in node.children)
    flags, row = builder.use_flags, -1
    if written:
        builder.use_flags |= ALSO_WRITE
    for part in parts_of(node):
        row = builder.read(part, want, WRITE if written else role if role != CALLED else READ)
    builder.use_flags = flags
    return builder.builtin("bool") if want and builder.data.startswith(b"!", node.start_byte) else row


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Two operands."""
    rows, operator = operands(builder, node, want)
    if not want:
        return -1
    if is_comparison(operator):
        return builder.builtin("bool")
    if operator == b"??":
        return builder.expression(UNION, builder.sequence(rows)) if max(rows) >= 0 else -1
    return builder.expression(OPERATION, rows[0], rows[1], builder.text("+")) if min(rows) >= 0 else max(rows)


def type_test(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x is T`, `x is pattern`."""
    value = node.child_by_field_name("expression") or node.child_by_field_name("left")
    shown = node.child_by_field_name("pattern")
    tested = builder.read(value, 1) if value is not None else -1
    if shown is not None:
        pattern(builder, shown, tested)
    else:
        read_type(builder, node.child_by_field_name("right"))
    return builder.builtin("bool") if want else -1


def pattern(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """What a pattern names and binds. `value`: what is looked at."""
    kind = node.type
    if kind in ("declaration_pattern", "var_pattern", "recursive_pattern"):
        _typed_pattern(builder, node, value)
    elif kind == "constant_pattern":
        for part in parts_of(node):
            if part.type == "tuple_expression":
                _deconstructed(builder, part, value)
            else:
                builder.read(part, 1)
    elif kind == "type_pattern":
        read_type(builder, node.child_by_field_name("type"))
    elif kind == "declaration_expression":
        bind(builder, node, value)
    elif kind.endswith("_pattern") and kind != "relational_pattern":
        held = builder.expression(ELEMENT, value, LOOPED) if kind == "list_pattern" and value >= 0 else value
        for part in parts_of(node):
            pattern(builder, part, held)
    else:
        builder.read(node)


def _typed_pattern(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """`T name`, `var name`, `T(a, b) { Property: c } name`."""
    written = read_type(builder, node.child_by_field_name("type"))
    whole = builder.instance(written) if written >= 0 else value
    for part in parts_of(node):
        if part.type == "property_pattern_clause":
            _properties(builder, part, whole)
        elif part.type == "positional_pattern_clause":
            for at, one in enumerate(parts_of(part)):
                item = builder.expression(ITEM, whole, at) if whole >= 0 else -1
                for inside in parts_of(one):
                    pattern(builder, inside, item)
    _name(builder, node, written, value)


def _deconstructed(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    for at, part in enumerate(parts_of(node)):
        for one in parts_of(part):
            pattern(builder, one, builder.expression(ITEM, value, at) if value >= 0 else -1)


def _properties(builder: DeclaredFactsBuilder, node: Node, whole: int) -> None:
    for part in parts_of(node):
        inside = parts_of(part)
        if part.type != "subpattern" or len(inside) < 2:
            builder.read(part)
            continue
        held = _path(builder, inside[0], whole)
        pattern(builder, inside[-1], held)


def _path(builder: DeclaredFactsBuilder, node: Node, whole: int) -> int:
    """`Property.Other` of a pattern."""
    if node.type == "member_access_expression":
        holder, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
        base = _path(builder, holder, whole) if holder is not None else -1
        return builder.member_expression(base, name, 1, KEYWORD) if name is not None else -1
    base = whole if whole >= 0 else builder.unknown()
    word = builder.use(node.start_byte, node.end_byte, KEYWORD, base)
    return builder.expression(MEMBER, whole, word, node.start_byte) if whole >= 0 else -1


def _name(builder: DeclaredFactsBuilder, node: Node, written: int, value: int) -> None:
    name = node.child_by_field_name("name")
    if name is None or name.type not in ("identifier", "tuple_pattern", "parenthesized_variable_designation"):
        return
    names(builder, name, node, written, value)


def names(builder: DeclaredFactsBuilder, name: Node, whole: Node, written: int, value: int) -> None:
    """Binds a name, or the names that a value is taken apart to."""
    if name.type != "identifier":
        for at, part in enumerate(parts_of(name)):
            names(builder, part, whole, -1, builder.expression(ITEM, value, at) if value >= 0 else -1)
        return
    if name.text == b"_":
        return
    full, builder.full = builder.full, (whole.start_byte, name.end_byte)
    row = builder.define(name, VARIABLE)
    builder.definitions[row][D_TYPE] = written
    if written < 0:
        builder.definitions[row][D_VALUE] = value
    builder.full = full


def bind(builder: DeclaredFactsBuilder, node: Node, value: int) -> int:
    """`out T name`, `var (a, b)`."""
    written = read_type(builder, node.child_by_field_name("type"))
    _name(builder, node, written, value)
    return builder.instance(written)


def declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`out var name` as an argument: what it is, who takes it says."""
    return bind(builder, node, -1)


def switch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value switch { pattern => result }`."""
    parts = parts_of(node)
    value = builder.read(parts[0], 1) if parts else -1
    builder.enter_branch()
    rows: list[int] = []
    for arm in parts[1:]:
        outer = builder.scope
        builder.scope = builder.open_scope(LAMBDA_SCOPE, arm.start_byte, arm.end_byte)
        inside = parts_of(arm)
        for at, part in enumerate(inside):
            if at == 0:
                pattern(builder, part, value)
            elif at == len(inside) - 1:
                rows.append(builder.read(part, want))
            else:
                builder.read(part)
        builder.scope = outer
    builder.leave_branch()
    return builder.expression(UNION, builder.sequence(rows)) if want and max(rows, default=-1) >= 0 else -1


def lambda_expression(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x => ...`, `delegate (T x) { ... }`: what its parameters are is decided by who takes it."""
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    outer, full, frame = builder.scope, builder.full, builder.frame
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    untyped: list[tuple[int, int]] = []
    single = given is not None and given.type in ("identifier", "implicit_parameter")
    listed = [given] if single and given is not None else parts_of(given)
    for at, part in enumerate(listed):
        builder.full = (part.start_byte, part.end_byte)
        name = part if single else part.child_by_field_name("name")
        if name is None:
            continue
        type_ = read_type(builder, None if single else part.child_by_field_name("type"))
        row = builder.define(name, PARAMETER)
        builder.definitions[row][D_TYPE] = type_
        if not single:
            modifiers(builder, part, row)
        if type_ < 0:
            untyped.append((row, at))
    values, expected = frame.values, csharp(builder).expected
    frame.values, csharp(builder).expected = [], -1
    value = -1
    code = body or next((part for part in node.named_children if part.type == "block"), None)
    if code is not None and code.type == "block":
        builder.read_all(code)
        value = frame.values[0] if frame.values else -1
    elif code is not None:
        value = builder.read(code, 1)
    frame.values, csharp(builder).expected = values, expected
    builder.scope, builder.full = outer, full
    count = -1 if given is None else len(listed)
    row = builder.expression(LAMBDA, value if value >= 0 else builder.unknown(), 0, count)
    for definition, at in untyped:
        builder.definitions[definition][D_VALUE] = builder.expression(ITEM, row, at)
    return row


def interpolated(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$"text {value}"`."""
    builder.read_all(node)
    return builder.builtin("string") if want else -1


def _integer(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    return builder.builtin("long" if builder.data[node.end_byte - 1] in b"lL" else "int") if want else -1


def _real(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    last = builder.data[node.end_byte - 1]
    kind = "float" if last in b"fF" else "decimal" if last in b"mM" else "double"
    return builder.builtin(kind) if want else -1


def first_of(rows: Sequence[int]) -> int:
    """The first row that is one."""
    return next((row for row in rows if row >= 0), -1)


RULES: dict[str, Rule] = {
    "this": word,
    "base": word,
    "member_access_expression": member_access,
    "conditional_access_expression": conditional_access,
    "member_binding_expression": member_binding,
    "element_binding_expression": element_binding,
    "element_access_expression": element_access,
    "argument": argument,
    "invocation_expression": call,
    "object_creation_expression": creation,
    "array_creation_expression": creation,
    "implicit_object_creation_expression": implicit_creation,
    "constructor_initializer": passed_on,
    "with_expression": with_expression,
    "cast_expression": cast,
    "as_expression": cast,
    "typeof_expression": typed_word,
    "default_expression": typed_word,
    "sizeof_expression": typed_word,
    "parenthesized_expression": inner,
    "checked_expression": inner,
    "ref_expression": inner,
    "await_expression": awaited,
    "conditional_expression": choice,
    "assignment_expression": assignment,
    "prefix_unary_expression": update,
    "postfix_unary_expression": update,
    "binary_expression": left_deep(binary),
    "is_expression": type_test,
    "is_pattern_expression": type_test,
    "declaration_expression": declaration,
    "switch_expression": switch,
    "lambda_expression": lambda_expression,
    "anonymous_method_expression": lambda_expression,
    "interpolated_string_expression": interpolated,
    "string_literal": literal("string"),
    "verbatim_string_literal": literal("string"),
    "raw_string_literal": literal("string"),
    "character_literal": literal("char"),
    "boolean_literal": literal("bool"),
    "null_literal": literal("null"),
    "integer_literal": _integer,
    "real_literal": _real,
    "discard": nothing,
}
