"""Expressions: values of PHP as expressions.

Owns: the rules of variables, members, calls, creations, closures, tests, literals and operators.
Must not know: statements, other files.
Invariant: a variable that was assigned is the value that was assigned; what a test proves holds where it was passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import OccurrenceFlag
from graphls.languages.declared.expressions import NARROWED, left_deep, literal
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ELEMENT,
    FUNCTION_SCOPE,
    NAME,
    OPERATION,
    READ,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.php.syntax.facts_builder import (
    IMPORTED,
    KEYWORD,
    LAMBDA_SCOPE,
    NO_PROOFS,
    OF_FILE,
    UNION,
    Proofs,
    path_of,
    php,
)
from graphls.languages.php.syntax.types import NAMES, class_name
from graphls.languages.php.syntax.words import RELATIVE

ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
_AND: Final = frozenset((b"&&", b"and"))
_OR: Final = frozenset((b"||", b"or"))
_COMPARED: Final = frozenset((
    b"==", b"!=", b"===", b"!==", b"<>", b"<", b"<=", b">", b">=", b"&&", b"||", b"and", b"or", b"xor", b"<=>",
))  # fmt: skip
_FUNCTIONS: Final = frozenset({"anonymous_function", "arrow_function", "anonymous_function_creation_expression"})
_KEEPING: Final = frozenset(("array_filter", "array_values", "array_reverse", "array_slice", "array_unique",
                             "array_merge", "iterator_to_array"))  # fmt: skip
_TAKING: Final = frozenset(("current", "reset", "end", "next", "prev", "array_pop", "array_shift"))
_FIRST_OF: Final = frozenset(("usort", "uasort", "array_filter", "array_walk", "array_find", "array_any", "array_all"))
MOST_ELEMENTS: Final = 12
"""Of an array that is filled bit by bit so many values are told apart."""
_ROOTS: Final = frozenset(("__DIR__", "ABSPATH"))


def name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain name as a value: a constant."""
    text = builder.source(node.start_byte, node.end_byte)
    if text.lower() in ("true", "false", "null") or text.startswith("__"):
        return builder.builtin("null" if text.lower() == "null" else "bool") if want else -1
    own = php(builder)
    whole = own.spelled_name(node.start_byte, node.end_byte, -1)
    last = text.rpartition("\\")[2].encode()
    base = builder.expression(OPERATION, whole, -1, builder.text("const"))
    builder.use(node.end_byte - len(last), node.end_byte, READ, base)
    return base if want else -1


def variable(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$name`."""
    own, inside = php(builder), node.named_children
    if not inside or inside[0].type != "name":
        builder.read_all(node)
        return -1
    part = inside[0]
    text = builder.source(part.start_byte, part.end_byte)
    if text == "this":
        return own.values.get("this", _this(builder, node)) if want else -1
    if role == WRITE:
        flags, before = builder.use_flags, own.values.get(text, -1)
        if flags & ALSO_WRITE and own.is_seen(text):
            builder.use(part.start_byte, part.end_byte, WRITE)
        else:
            own.bind(part, -1)
        own.values.pop(text, None)
        return before
    builder.use(part.start_byte, part.end_byte, role if role == CALLED else READ)
    known = own.values.get(text, -1)
    if text in own.lost:
        return own.unknown() if want else -1
    if known >= 0 or not want:
        return known
    return builder.expression(NAME, builder.text(text), builder.scope, part.start_byte)


def _this(builder: DeclaredFactsBuilder, node: Node) -> int:
    return builder.expression(NAME, builder.text("this"), builder.scope, node.start_byte)


def holder_of(builder: DeclaredFactsBuilder, node: Node) -> int:
    """What stands before `::`: a class, or a value."""
    if node.type in NAMES or node.type == "relative_scope":
        return class_name(builder, node, READ)
    return builder.read(node, 1)


def member_access(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$object->name`."""
    holder, part = node.child_by_field_name("object"), node.child_by_field_name("name")
    if holder is None or part is None:
        builder.read_all(node)
        return -1
    own, base = php(builder), builder.read(holder, 1)
    builder.shape.append(node.kind_id)
    if part.type != "name":
        builder.read(part)
        return -1
    row = builder.member_expression(base, part, want, role if role == WRITE else READ)
    path = path_of(node)
    if path and role == WRITE and not builder.use_flags & ALSO_WRITE:
        own.values.pop(path, None)
        return row
    return own.values.get(path, row) if path and want else row


def static_property(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name::$property`."""
    holder, part = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if holder is None or part is None:
        builder.read_all(node)
        return -1
    base = holder_of(builder, holder)
    inside = part.named_children
    if part.type != "variable_name" or not inside or inside[0].type != "name":
        builder.read(part)
        return -1
    return builder.member_expression(base, inside[0], want, role if role == WRITE else READ)


def class_constant(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name::CONSTANT`, `Name::class`."""
    parts = [part for part in node.named_children if part.type != "comment"]
    if len(parts) != 2:
        builder.read_all(node)
        return -1
    base = holder_of(builder, parts[0])
    if parts[1].type != "name":
        builder.read(parts[1])
        return -1
    if (parts[1].text or b"").lower() == b"class":
        return builder.expression(OPERATION, base, -1, builder.text("class")) if want and base >= 0 else -1
    wrapped = builder.expression(OPERATION, base, -1, builder.text("::")) if base >= 0 else -1
    return builder.member_expression(wrapped, parts[1], want, READ)


def passed(builder: DeclaredFactsBuilder, node: Node | None, callee: int) -> list[int]:
    """What a call passes, by position; names of arguments are uses of parameters."""
    rows: list[int] = []
    call = -1
    for part in node.named_children if node is not None else ():
        if part.type != "argument":
            if part.type != "comment":
                builder.read(part)
            continue
        label = part.child_by_field_name("name")
        if label is not None and callee >= 0:
            call = call if call >= 0 else builder.expression(CALL, callee, builder.sequence(()))
            builder.use(label.start_byte, label.end_byte, KEYWORD, call)
        inside = [one for one in part.named_children if one.type not in ("comment", "reference_modifier")]
        value = inside[-1] if inside else None
        if value is None or (label is not None and value.id == label.id):
            continue
        made = -1 if _is_filled(builder, value) else builder.read(value, 1)
        if label is None:
            rows.append(made)
    return rows


def _is_filled(builder: DeclaredFactsBuilder, node: Node) -> bool:
    """Whether a call is given a variable that nothing assigned yet: it is bound here, as the call fills it."""
    own, inside = php(builder), node.named_children
    if node.type != "variable_name" or not inside or inside[0].type != "name" or inside[0].text == b"this":
        return False
    local = builder.scopes[builder.scope][0] in (FUNCTION_SCOPE, LAMBDA_SCOPE)
    if not local or own.is_seen(path_of(node)):
        return False
    own.bind(inside[0], -1)
    return True


def method_call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$object->name(arguments)`, `$object?->name(arguments)`."""
    holder, part = node.child_by_field_name("object"), node.child_by_field_name("name")
    if holder is None or part is None:
        builder.read_all(node)
        return -1
    return _member_call(builder, node, builder.read(holder, 1), part)


def static_call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name::method(arguments)`."""
    holder, part = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if holder is None or part is None:
        builder.read_all(node)
        return -1
    return _member_call(builder, node, holder_of(builder, holder), part)


def _member_call(builder: DeclaredFactsBuilder, node: Node, base: int, part: Node) -> int:
    builder.shape.append(node.kind_id)
    given = node.child_by_field_name("arguments")
    if part.type != "name":
        builder.read(part)
        passed(builder, given, -1)
        return -1
    callee = builder.member_expression(base, part, 1, CALLED)
    rows = passed(builder, given, callee)
    return builder.expression(CALL, callee, builder.sequence(rows)) if callee >= 0 else -1


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function(arguments)`."""
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        builder.read_all(node)
        return -1
    builder.shape.append(node.kind_id)
    if function.type not in NAMES:
        value = builder.read(function, 1)
        passed(builder, given, -1)
        return builder.expression(OPERATION, value, -1, builder.text("()")) if want and value >= 0 else -1
    own = php(builder)
    callee = own.spelled_name(function.start_byte, function.end_byte, CALLED)
    word = (function.text or b"").decode("utf-8", "replace").lower().lstrip("\\")
    if word in _FIRST_OF or word == "array_map":
        return _over_elements(builder, given, word)
    rows = passed(builder, given, callee)
    if word == "define":
        _defined(builder, given)
    if word == "assert" and given is not None:
        for part in given.named_children:
            own.values.update(_proved(builder, part.named_children[-1])[0] if part.named_children else {})
    if rows and rows[0] >= 0 and word in _KEEPING:
        return rows[0]
    if rows and rows[0] >= 0 and word in _TAKING:
        return builder.expression(ELEMENT, rows[0])
    return builder.expression(CALL, callee, builder.sequence(rows))


def _over_elements(builder: DeclaredFactsBuilder, node: Node | None, word: str) -> int:
    """A function that gives elements of an array to a closure: the array is read first."""
    own, parts = php(builder), [part for part in node.named_children if part.type == "argument"] if node else []
    values = [part.named_children[-1] if part.named_children else None for part in parts]
    closures = [at for at, value in enumerate(values) if value is not None and value.type in _FUNCTIONS]
    rows = [-1] * len(parts)
    for at, value in enumerate(values):
        if at not in closures and value is not None:
            rows[at] = builder.read(value, 1)
    others = [row for at, row in enumerate(rows) if at not in closures]
    held = [builder.expression(ELEMENT, row) if row >= 0 else -1 for row in others]
    outer = own.handed
    for at in closures:
        value = values[at]
        own.handed = tuple(held) if word == "array_map" else tuple(held[:1] * 2)
        rows[at] = builder.read(value, 1) if value is not None else -1
    own.handed = outer
    if word == "array_filter":
        return others[0] if others else -1
    if word == "array_map" and closures and rows[closures[0]] >= 0:
        made = builder.expression(OPERATION, rows[closures[0]], -1, builder.text("()"))
        return _array_of(builder, (made,))
    return -1


def _array_of(builder: DeclaredFactsBuilder, rows: Sequence[int]) -> int:
    """An array of some values."""
    return builder.expression(OPERATION, builder.expression(UNION, builder.sequence(rows)), -1, builder.text("[]"))


def _defined(builder: DeclaredFactsBuilder, node: Node | None) -> None:
    """`define('NAME', value)`."""
    parts = node.named_children if node is not None else []
    if node is None:
        return
    inside = parts[0].named_children if parts else []
    text = inside[0].named_children if inside and inside[0].type in ("string", "encapsed_string") else []
    if len(text) != 1 or text[0].type != "string_content" or b"\\" in (text[0].text or b""):
        return
    own = php(builder)
    outer, owner = builder.scope, builder.owner
    builder.scope, builder.owner = 0, -1
    if not builder.is_bound(text[0]):
        own.define_constant(text[0], node)
    builder.scope, builder.owner = outer, owner


def creation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new Name(arguments)`, `new class { }`."""
    parts = [part for part in node.named_children if part.type != "comment"]
    builder.shape.append(node.kind_id)
    if not parts:
        return -1
    first, given = parts[0], next((part for part in parts if part.type == "arguments"), None)
    if first.type == "anonymous_class":
        return builder.read(first, 1)
    if first.type not in NAMES:
        value = builder.read(first, 1)
        passed(builder, given, -1)
        return builder.expression(OPERATION, value, -1, builder.text("new")) if value >= 0 else -1
    relative = (first.text or b"").lower().decode("utf-8", "replace") in RELATIVE
    whole = class_name(builder, first, -1)
    made = builder.instance(whole)
    if not relative:
        last = (first.text or b"").rpartition(b"\\")[2]
        builder.use(first.end_byte - len(last), first.end_byte, CALLED, made)
    rows = passed(builder, given, made)
    return builder.expression(CALL, made, builder.sequence(rows))


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`left = right`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    made = builder.read(right, 1) if right is not None else -1
    if left is not None:
        assign(builder, left, made)
    return made


def assign(builder: DeclaredFactsBuilder, left: Node, value: int, doc: int = -1) -> None:
    """What stands at the left gets a value. `doc`: the type that a comment says it has."""
    own = php(builder)
    inside = left.named_children
    if left.type == "variable_name" and inside and inside[0].type == "name" and inside[0].text != b"this":
        stated = builder.instance(doc) if doc >= 0 else value
        row = own.bind(inside[0], stated)
        if row >= 0:
            own.describe_variable(row, doc, value)
    elif left.type in ("list_literal", "array_creation_expression"):
        _taken_apart(builder, left, value)
    elif left.type in ("member_access_expression", "nullsafe_member_access_expression"):
        path = path_of(left)
        row = builder.read(left, 1, WRITE)
        own.note_field(left, value)
        if path and value >= 0 and row >= 0:
            own.values[path] = builder.expression(NARROWED, value, row, 0)
    elif left.type == "subscript_expression" and inside:
        for part in inside[1:]:
            builder.read(part)
        if inside[0].type == "variable_name" and not own.is_seen(path_of(inside[0])):
            assign(builder, inside[0], _with_element(builder, -1, value))
        else:
            builder.read(inside[0])
            path = path_of(inside[0]) if inside[0].type == "variable_name" else ""
            if path in own.values:
                own.values[path] = _with_element(builder, own.values[path], value)
    elif left.type in ("reference_modifier", "by_ref"):
        for part in inside:
            assign(builder, part, value)
    else:
        builder.read(left, 0, WRITE)


def _with_element(builder: DeclaredFactsBuilder, array: int, value: int) -> int:
    """An array that is given an element: one of which all elements are seen holds this one as well."""
    filled, empty = php(builder).filled, builder.builtin("array")
    before = filled.get(array) if array >= 0 and array != empty else ()
    if value < 0 or before is None or value in before or len(before) >= MOST_ELEMENTS:
        return array if array >= 0 else empty
    made = _array_of(builder, [*before, value])
    filled[made] = (*before, value)
    return made


def _taken_apart(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    item = builder.expression(ELEMENT, value) if value >= 0 else -1
    for part in node.named_children:
        if part.type == "array_element_initializer":
            inside = part.named_children
            for one in inside[:-1]:
                builder.read(one)
            if inside:
                assign(builder, inside[-1], item)
        elif part.type in ("string", "integer", "comment", "encapsed_string"):
            builder.read(part)
        else:
            assign(builder, part, item)


def augmented(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`left .= right`, `left ??= right`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator, own = node.child_by_field_name("operator"), php(builder)
    if operator is not None and operator.text == b"??=" and left is not None and right is not None:
        before = builder.read(left, 1) if left.type != "variable_name" or own.is_seen(path_of(left)) else -1
        value = builder.read(right, 1)
        both = [row for row in (before, value) if row >= 0]
        made = builder.expression(UNION, builder.sequence(both)) if len(both) > 1 else value
        if left.type == "variable_name" and left.named_children:
            own.bind(left.named_children[0], made) if before < 0 else own.values.update({path_of(left): made})
        elif path_of(left):
            own.values[path_of(left)] = made
        return made
    flags = builder.use_flags
    builder.use_flags |= ALSO_WRITE
    if left is not None:
        builder.read(left, 0, WRITE)
    builder.use_flags = flags
    made = builder.read(right, 1) if right is not None else -1
    return made if want else -1


def update(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$i++`."""
    flags = builder.use_flags
    builder.use_flags |= ALSO_WRITE
    for part in node.named_children:
        builder.read(part, 0, WRITE)
    builder.use_flags = flags
    return builder.builtin("int") if want else -1


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Two operands; the right one of `&&` knows what the left one proves."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    sign = b"" if operator is None else (operator.text or b"").lower()
    own = php(builder)
    builder.shape.append(node.kind_id)
    if sign == b"instanceof":
        return _instance_test(builder, node, left, right)
    one = builder.read(left, 1) if left is not None else -1
    proofs = _proved(builder, left) if left is not None else NO_PROOFS
    known = dict(proofs[0] if sign in _AND else proofs[1] if sign in _OR else NO_PROOFS[0])
    before = {key: own.values.get(key, -1) for key in known}
    own.values.update(known)
    other = builder.read(right, 1) if right is not None else -1
    if right is not None and (sign in _AND or sign in _OR):
        _note_proofs(builder, node, sign, proofs, _proved(builder, right))
    for key, row in before.items():
        if own.values.get(key) == known[key]:
            if row >= 0:
                own.values[key] = row
            else:
                own.values.pop(key, None)
    if not want:
        return -1
    if sign == b"??":
        both = [row for row in (one, other) if row >= 0]
        return builder.expression(UNION, builder.sequence(both)) if len(both) == 2 else -1
    if sign in _COMPARED:
        return builder.builtin("bool")
    return builder.builtin("string" if sign == b"." else "int")


def _instance_test(builder: DeclaredFactsBuilder, node: Node, left: Node | None, right: Node | None) -> int:
    if left is not None:
        builder.read(left, 1)
    if right is None:
        return builder.builtin("bool")
    if right.type not in NAMES:
        builder.read(right)
        return builder.builtin("bool")
    type_ = class_name(builder, right)
    path = path_of(left) if left is not None else ""
    if path:
        php(builder).proofs[node.id] = ({path: builder.instance(type_)}, {})
    return builder.builtin("bool")


def _proved(builder: DeclaredFactsBuilder, node: Node) -> Proofs:
    """What a test that was read proves."""
    if node.type == "parenthesized_expression" and node.named_child_count:
        return _proved(builder, node.named_children[0])
    if node.type == "unary_op_expression" and (node.text or b"").startswith(b"!"):
        inside = node.child_by_field_name("argument") or (node.named_children[-1] if node.named_children else None)
        holds, fails = _proved(builder, inside) if inside is not None else NO_PROOFS
        return fails, holds
    if node.type == "binary_expression":
        own = php(builder).proofs.get(node.id)
        return NO_PROOFS if own is None else own
    return NO_PROOFS


def _note_proofs(builder: DeclaredFactsBuilder, node: Node, sign: bytes, one: Proofs, other: Proofs) -> None:
    """What `a && b` or `a || b` proves, for the tests around it: they ask no operand again."""
    both: Proofs = ({**one[0], **other[0]}, {}) if sign in _AND else ({}, {**one[1], **other[1]})
    if both[0] or both[1]:
        php(builder).proofs[node.id] = both


proved: Final = _proved


def conditional(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a ? b : c`, `a ?: c`."""
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    other, own = node.child_by_field_name("alternative"), php(builder)
    first = builder.read(test, 1) if test is not None else -1
    proofs = _proved(builder, test) if test is not None else NO_PROOFS
    before = own.values
    own.values = {**before, **proofs[0]}
    rows = [builder.read(body, 1) if body is not None else first]
    own.values = {**before, **proofs[1]}
    rows.append(builder.read(other, 1) if other is not None else -1)
    own.values = {**before, **{key: row for key, row in own.values.items() if key not in before and "." not in key}}
    if not want or min(rows) < 0:
        return -1
    return builder.expression(UNION, builder.sequence(rows))


def match(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`match (value) { a, b => c }`."""
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if test is not None:
        builder.read(test)
    own, rows = php(builder), list[int]()
    before = own.values
    for arm in body.named_children if body is not None else ():
        shown, given = arm.child_by_field_name("conditional_expressions"), arm.child_by_field_name("return_expression")
        own.values = dict(before)
        for part in shown.named_children if shown is not None else ():
            builder.read(part)
            own.values.update(_proved(builder, part)[0])
        if given is not None:
            rows.append(builder.read(given, 1) if given.type != "throw_expression" else builder.read(given))
            if given.type == "throw_expression":
                rows.pop()
    own.values = before
    return builder.expression(UNION, builder.sequence(rows)) if want and rows and min(rows) >= 0 else -1


def array(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a, 'key' => b]`."""
    rows: list[int] = []
    for part in node.named_children:
        if part.type != "array_element_initializer":
            builder.read(part)
            continue
        inside = [one for one in part.named_children if one.type not in ("comment", "by_ref")]
        for one in inside[:-1]:
            builder.read(one)
        if inside:
            rows.append(builder.read(inside[-1], 1) if inside[-1].type != "variadic_unpacking" else -1)
            if inside[-1].type == "variadic_unpacking":
                builder.read(inside[-1])
        for one in part.named_children:
            if one.type == "by_ref":
                builder.read(one)
    if not want or not rows or len(rows) > 40 or min(rows) < 0:
        return builder.builtin("array") if want else -1
    return _array_of(builder, rows)


def subscript(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$values[key]`."""
    parts = [part for part in node.named_children if part.type != "comment"]
    base = builder.read(parts[0], 1) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return builder.expression(ELEMENT, base) if want and base >= 0 else -1


def same(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `clone x`, `@x`, `&x`."""
    row = -1
    for part in node.named_children:
        if part.type != "comment":
            row = builder.read(part, want, role if role != CALLED else READ)
    return row


def cast(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(string) x`."""
    value, type_ = node.child_by_field_name("value"), node.child_by_field_name("type")
    made = builder.read(value, 1) if value is not None else -1
    kind = b"" if type_ is None else type_.text or b""
    return made if want and kind in (b"array", b"object") else builder.builtin("string") if want else -1


def include(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`require __DIR__ . '/other.php'`: the file that a text names."""
    builder.read_all(node)
    found = _file_named(node)
    if found is None:
        return -1
    text, part = found
    if text.lower().endswith((".php", ".inc")):
        module = builder.text(text)
        builder.use(part.start_byte, part.end_byte, IMPORTED, builder.module(module, OF_FILE))
        builder.imports.append([module, 0, -1, -1, 0, part.start_byte, part.end_byte, 0])
    return -1


def _file_named(node: Node) -> tuple[str, Node] | None:
    """`./other.php` where the folder of the file is named, else the text alone, and where it stands."""
    text, part, here, pending = "", None, "", list(reversed(node.named_children))
    while pending:
        one = pending.pop()
        if one.type in ("parenthesized_expression", "binary_expression"):
            pending.extend(reversed(one.named_children))
        elif one.type == "string" and one.named_child_count == 1:
            part = one.named_children[0]
            text += (part.text or b"").decode("utf-8", "replace")
        elif (one.type == "name" and (one.text or b"") == b"__DIR__") or (
            one.type == "function_call_expression" and (one.text or b"").replace(b" ", b"") == b"dirname(__FILE__)"
        ):
            here = "."
        elif one.type == "name" and (one.text or b"") in (b"ABSPATH", b"WPINC"):
            text += "wp-includes" if one.text == b"WPINC" else ""
            here = here or "/"
        else:
            return None
    return (here + "/" + text.lstrip("/") if here == "." else text, part) if part is not None and text else None


def text(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A text, with values in it."""
    builder.read_all(node)
    return builder.builtin("string") if want else -1


def reference(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`throw x`, `print x`, `yield x`, `exit(x)`: the parts are read; nothing is known of what it is itself."""
    builder.read_all(node)
    return -1


def label(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`goto label`, `label:`: a label is no name of a value."""
    return -1


def attribute(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#[Name(arguments)]`."""
    made = -1
    for part in node.named_children:
        if part.type in NAMES:
            whole = class_name(builder, part, -1)
            made = builder.instance(whole)
            last = (part.text or b"").rpartition(b"\\")[2]
            builder.use(part.end_byte - len(last), part.end_byte, CALLED, made)
        elif part.type == "arguments":
            passed(builder, part, made)
    return -1


RULES: dict[str, Rule] = {
    **dict.fromkeys(NAMES, name),
    "variable_name": variable,
    "relative_scope": lambda builder, node, want, role: class_name(builder, node, READ),
    "member_access_expression": member_access,
    "nullsafe_member_access_expression": member_access,
    "scoped_property_access_expression": static_property,
    "class_constant_access_expression": class_constant,
    "member_call_expression": method_call,
    "nullsafe_member_call_expression": method_call,
    "scoped_call_expression": static_call,
    "function_call_expression": call,
    "object_creation_expression": creation,
    "assignment_expression": assignment,
    "reference_assignment_expression": assignment,
    "augmented_assignment_expression": augmented,
    "update_expression": update,
    "binary_expression": left_deep(binary),
    "conditional_expression": conditional,
    "match_expression": match,
    "array_creation_expression": array,
    "subscript_expression": subscript,
    "parenthesized_expression": same,
    "clone_expression": same,
    "error_suppression_expression": same,
    "by_ref": same,
    "cast_expression": cast,
    **dict.fromkeys(
        ("include_expression", "include_once_expression", "require_expression", "require_once_expression"), include
    ),
    "encapsed_string": text,
    "heredoc": text,
    "nowdoc": literal("string"),
    "string": literal("string"),
    "integer": literal("int"),
    "float": literal("float"),
    "boolean": literal("bool"),
    "null": literal("null"),
    "throw_expression": reference,
    "print_intrinsic": reference,
    "yield_expression": reference,
    "goto_statement": label,
    "named_label_statement": label,
    "attribute": attribute,
    "comment": nothing,
    "text": nothing,
    "php_tag": nothing,
    "php_end_tag": nothing,
}
