"""Functions: their scopes, parameters, results and body shape, whatever introduces them.

Owns: frames, parameters, returned values, metrics, signatures.
Must not know: what statements in the body do, which definition a function is bound to.
Invariant: parameters, type parameters and types of a signature are read in the function's own scope.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final
from zlib import crc32

from tree_sitter import Node

from graphls.facts.kinds import ReturnKind
from graphls.languages.draft import (
    D_BODY,
    D_FLAGS,
    D_SCOPE,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
)
from graphls.languages.typescript.documented import begin, declared_type, parameter_type, result_type
from graphls.languages.typescript.draft import (
    ABSTRACT,
    ASYNC,
    AWAIT,
    BLOCK,
    BODY,
    DEFAULTED,
    FIELD,
    FUNCTION,
    FUNCTION_SCOPE,
    FUNCTION_VALUE,
    GENERATOR,
    KEPT,
    KEPT_STATEMENTS,
    LAMBDA,
    LAMBDA_SCOPE,
    PARAMETER,
    PARAMETER_VALUE,
    TYPE,
    TYPE_PARAMETER,
    UNION,
    VARIABLE,
    VARIADIC,
    WANTED,
    Draft,
    Frame,
)
from graphls.languages.typescript.nesting import children, has
from graphls.languages.typescript.patterns import Binding, Bound, bind, settle
from graphls.languages.typescript.recall import recalled

RETURN: Final = int(ReturnKind.RETURN)
SIGNATURE_CAP: Final = 500
RESULTS = frozenset(("object", "array", "parenthesized_expression", "ternary_expression", "arrow_function"))
"""What takes a type from the place that a function returns it to."""
MODIFIERS = ("accessibility_modifier", "override_modifier", "readonly")


def function(draft: Draft, node: Node, row: int, expected: int = -1) -> int:
    """Reads a function, method or signature; `row`: its definition, or -1. Answers its scope."""
    body = node.child_by_field_name("body")
    arrow = node.type == "arrow_function"
    start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
    kind = LAMBDA_SCOPE if arrow else FUNCTION_SCOPE
    outer = draft.scope, draft.owner, draft.full, draft.frame, draft.bind_flags, draft.doc
    scope = draft.open_scope(kind, start, end, row)
    frame = Frame(row, True)
    draft.frame, draft.scope = frame, scope
    draft.go_inside()
    if row >= 0:
        draft.owner = row
        definition = draft.definitions[row]
        definition[D_BODY] = scope
        definition[D_FLAGS] |= _flags(node)
        definition[D_SIGNATURE] = signature(draft, node, body)
    _header(draft, node, row, expected)
    if body is not None:
        _body(draft, body, frame, row)
    draft.scope, draft.owner, draft.full, draft.frame, draft.bind_flags, draft.doc = outer
    return scope


def _flags(node: Node) -> int:
    flags = 0
    for child in node.children:
        kind = child.type
        if kind == "async":
            flags |= ASYNC
        elif kind == "*":
            flags |= GENERATOR
        elif kind == "abstract":
            flags |= ABSTRACT
        elif kind == "formal_parameters":
            break
    return flags | (GENERATOR if node.type.startswith("generator") else 0)


def signature(draft: Draft, node: Node, body: Node | None) -> int:
    """What stands before the body."""
    end = body.start_byte if body is not None else node.end_byte
    start = draft.full[0] if draft.full[0] <= node.start_byte and draft.full[1] >= node.end_byte else node.start_byte
    text = draft.data[start : min(end, start + 4 * SIGNATURE_CAP)].decode("utf-8", "replace")
    return draft.text(" ".join(text.split()).rstrip("{=> ;")[:SIGNATURE_CAP])


def _header(draft: Draft, node: Node, row: int, expected: int) -> None:
    """Type parameters, parameters and the declared result."""
    single = node.child_by_field_name("parameter")
    draft.frame.context = expected
    draft.frame.start = node.start_byte
    if draft.notes is not None:
        begin(draft, node)
    for part in node.named_children:
        kind = part.type
        if kind == "type_parameters":
            type_parameters(draft, part)
        elif kind == "formal_parameters":
            parameters(draft, part, row, expected)
    if single is not None:
        _parameter(draft, single, 0, row, expected)
    result = node.child_by_field_name("return_type") or (
        node.child_by_field_name("type") if node.type in ("construct_signature", "constructor_type") else None
    )
    returned = draft.read(result, WANTED) if result is not None else result_type(draft)
    if result is not None or returned >= 0:
        declared = draft.expression(TYPE, returned if returned >= 0 else draft.unknown())
        draft.frame.returns.append(declared)
        if row >= 0:
            draft.returns.append((row, declared, RETURN))


def type_parameters(draft: Draft, node: Node) -> None:
    """`<T extends Bound = Default>`, bound in the current scope; the bound is the type, the default the value."""
    full = draft.full
    parts = children(node)
    for position, part in enumerate(parts):
        name = part.child_by_field_name("name")
        if part.type != "type_parameter" or name is None:
            if part.type != "ERROR":
                draft.read(part)
            continue
        draft.full = (part.start_byte, part.end_byte)
        if draft.source(name.start_byte, name.end_byte) in ("in", "out"):
            name = _behind_variance([*children(part), *parts[position + 1 : position + 2]], name)
        start, end = name.start_byte, name.end_byte
        row = draft.define(draft.name(start, end), TYPE_PARAMETER, start, end, draft.scope)
        bound, default = part.child_by_field_name("constraint"), part.child_by_field_name("value")
        if bound is not None:
            draft.definitions[row][D_TYPE] = draft.read(bound, WANTED)
        if default is not None:
            draft.definitions[row][D_VALUE] = draft.read(default, WANTED)
    draft.full = full


def _behind_variance(parts: Sequence[Node], name: Node) -> Node:
    """`in T`, `out T`: the grammar takes the word for the name and the name for an error."""
    for part in parts:
        if part.type == "ERROR" and part.named_child_count:
            return part.named_children[-1]
    return name


def parameters(draft: Draft, node: Node, row: int, expected: int) -> None:
    """All parameters, in order."""
    for position, part in enumerate(children(node)):
        _parameter(draft, part, position, row, expected)


def _parameter(draft: Draft, node: Node, position: int, function_row: int, expected: int) -> None:
    """One parameter. A destructured one has a definition without a name, which its names are parts of."""
    draft.full = (node.start_byte, node.end_byte)
    flags, pattern, annotation, default = 0, node, None, None
    modified = False
    if node.type in ("required_parameter", "optional_parameter"):
        found = node.child_by_field_name("pattern")
        annotation, default = node.child_by_field_name("type"), node.child_by_field_name("value")
        for child in node.named_children:
            if child.type == "decorator":
                draft.read(child)
        modified = has(node, *MODIFIERS)
        if found is None:
            draft.read(node)
            return
        pattern = found
        flags |= DEFAULTED if node.type == "optional_parameter" else 0
    elif node.type == "assignment_pattern":
        left = node.child_by_field_name("left")
        pattern, default = left or node, node.child_by_field_name("right")
    if pattern.type == "rest_pattern":
        flags |= VARIADIC
        inner = children(pattern)
        pattern = inner[0] if inner else pattern
    row, pending = _named_parameter(draft, pattern, flags)
    definition = draft.definitions[row]
    definition[D_TYPE] = (
        draft.read(annotation, WANTED) if annotation is not None else _documented(draft, node, pattern, position)
    )
    if default is not None:
        definition[D_FLAGS] |= DEFAULTED
        definition[D_VALUE] = draft.read(default, KEPT if annotation is None else WANTED)
    elif annotation is None and expected >= 0:
        definition[D_VALUE] = draft.operator(f"parameter:{position}", expected)
    if pending:
        settle(draft, pending, draft.expression(PARAMETER_VALUE, row))
    if modified and pattern.type == "identifier":
        _property(draft, row, function_row)


def _documented(draft: Draft, node: Node, pattern: Node, position: int) -> int:
    """The type that a comment gives a parameter: one of its own, or that of the function."""
    if draft.notes is None:
        return -1
    own = declared_type(draft, node)
    if own >= 0 or node.type in ("required_parameter", "optional_parameter"):
        return own
    named = pattern.type == "identifier"
    return parameter_type(draft, draft.source(pattern.start_byte, pattern.end_byte) if named else "", position)


def _named_parameter(draft: Draft, pattern: Node, flags: int) -> tuple[int, list[Bound]]:
    """The definition of a parameter, and the names it is taken apart into."""
    start, end = pattern.start_byte, pattern.end_byte
    if pattern.type in ("identifier", "this"):
        row = draft.define(draft.name(start, end), PARAMETER, start, end, draft.scope)
        draft.definitions[row][D_FLAGS] |= flags
        return row, []
    row = draft.define(0, PARAMETER, start, start, draft.scope)
    draft.definitions[row][D_FLAGS] |= flags
    pending: list[Bound] = []
    bind(draft, pattern, pending, Binding(VARIABLE, draft.scope))
    return row, pending


def _property(draft: Draft, row: int, function_row: int) -> None:
    """`constructor(private x: T)` declares a field too."""
    parameter = draft.definitions[row]
    home = draft.definitions[function_row][D_SCOPE] if function_row >= 0 else -1
    if home < 0:
        return
    field = draft.define(parameter[0], FIELD, parameter[4], parameter[5], home)
    draft.definitions[field][D_TYPE] = parameter[D_TYPE]
    draft.definitions[field][D_VALUE] = parameter[D_VALUE]


def _body(draft: Draft, body: Node, frame: Frame, row: int) -> None:
    draft.region(BODY, body, body.start_byte)
    mark = len(draft.shape)
    if body.type == "statement_block":
        statements: Sequence[Node] = body.named_children
        read_statements(draft, statements)
    else:
        draft.expected = expected_result(draft, body)
        value = draft.read(body, KEPT)
        draft.expected = -1
        frame.returns.append(value)
        if row >= 0:
            draft.returns.append((row, value, RETURN))
    if row >= 0:
        shape = crc32(array("i", draft.shape[mark:]).tobytes()) & 0x7FFFFFFF
        draft.metrics.append((row, frame.branches, frame.deepest, frame.statements, 0, shape))


def expected_result(draft: Draft, value: Node) -> int:
    """What the function that is being read should give back here: its declared result, or that of what its place
    takes."""
    frame = draft.frame
    row = -1
    if frame.returns and draft.kind_of(frame.returns[0]) == TYPE:
        row = frame.returns[0]
    elif frame.context >= 0 and value.type in RESULTS:
        row = draft.operator("result", frame.context)
    return draft.expression(AWAIT, row) if row >= 0 and _waits(draft, frame.start) else row


def _waits(draft: Draft, start: int) -> bool:
    """Whether `async` stands before the parameters of the function that begins there."""
    before = draft.data[start : start + 80].split(b"(", 1)[0].split(b"=", 1)[0]
    return any(word == b"async" or word.startswith(b"async<") for word in before.split())


def read_statements(draft: Draft, nodes: Sequence[Node]) -> None:
    """Statements in a row, each with the documentation comment before it."""
    rules, shape = draft.rules, draft.shape
    comment: Node | None = None
    kinds, frame = draft.kinds, draft.frame
    comment_kind, remembers = kinds.comment, draft.memory is not None and draft.scope == 0
    for statement in nodes:
        kind = statement.kind_id
        if kind == comment_kind:
            comment = statement
            continue
        draft.doc = documentation(draft, comment) if comment is not None else -1
        comment = None
        frame.statements += 1
        shape.append(kind)
        kept = remembers and (kind in kinds.kept or (kind == kinds.export and _declares(statement)))
        if kept and recalled(draft, statement, rules[kind]):
            continue
        rules[kind](draft, statement, 0, 0)
    draft.doc = -1


def _declares(node: Node) -> bool:
    """Whether an `export` stands before functions or variables."""
    declared = node.child_by_field_name("declaration")
    return declared is not None and declared.type in KEPT_STATEMENTS and not has(node, "default")


def documentation(draft: Draft, node: Node) -> int:
    """The first paragraph of a `/** ... */` comment, or -1."""
    if not draft.data.startswith(b"/**", node.start_byte):
        return -1
    text = draft.data[node.start_byte + 3 : min(node.end_byte - 2, node.start_byte + 2000)].decode("utf-8", "replace")
    lines: list[str] = []
    for line in text.splitlines():
        line = line.strip().lstrip("*").strip()
        if line.startswith("@") or (not line and lines):
            break
        if line:
            lines.append(line)
    return draft.text(" ".join(lines)[:1000]) if lines else -1


def function_value(draft: Draft, node: Node, want: int, role: int) -> int:
    """A function without a definition of its own: what it returns is all that is known of it."""
    expected = draft.take_expected()
    draft.object_owner = -1
    name = node.child_by_field_name("name")
    if name is not None:
        return _named_value(draft, node, name, expected)
    frame, full = draft.frame, draft.full
    draft.full = (node.start_byte, node.end_byte)
    kept = _anonymous(draft, node, expected)
    draft.frame, draft.full = frame, full
    if not want:
        return -1
    flags = _flags(node)
    if flags & GENERATOR or not kept:
        return draft.expression(LAMBDA, -1)
    value = kept[0] if len(kept) == 1 else draft.expression(UNION, draft.sequence(kept))
    if flags & ASYNC and value >= 0 and draft.kind_of(value) != TYPE:
        value = draft.operator("Promise", value)
    return draft.expression(LAMBDA, value)


def _anonymous(draft: Draft, node: Node, expected: int) -> list[int]:
    """Reads the function; answers the expressions of its results."""
    body = node.child_by_field_name("body")
    start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
    kind = LAMBDA_SCOPE if node.type == "arrow_function" else FUNCTION_SCOPE
    outer = draft.scope, draft.full, draft.bind_flags, draft.doc
    draft.scope = draft.open_scope(kind, start, end)
    draft.go_inside()
    draft.frame = frame = Frame(-1, True)
    _header(draft, node, -1, expected)
    declared = frame.returns[:]
    if body is not None:
        _body(draft, body, frame, -1)
    draft.scope, draft.full, draft.bind_flags, draft.doc = outer
    return declared or frame.returns


def _named_value(draft: Draft, node: Node, name: Node, expected: int) -> int:
    """`function name() {}` as a value: the name is known inside of it only."""
    start, end = name.start_byte, name.end_byte
    full, scope = draft.full, draft.scope
    draft.full = (node.start_byte, node.end_byte)
    draft.scope = draft.open_scope(BLOCK, node.start_byte, node.end_byte)
    row = draft.define(draft.name(start, end), FUNCTION, start, end, draft.scope)
    function(draft, node, row, expected)
    draft.full, draft.scope = full, scope
    return draft.expression(FUNCTION_VALUE, row)
