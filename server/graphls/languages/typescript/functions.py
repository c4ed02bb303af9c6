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
    shortened,
)
from graphls.languages.typescript import nodes
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
from graphls.languages.typescript.nesting import children, field, has
from graphls.languages.typescript.patterns import Binding, Bound, bind, settle
from graphls.languages.typescript.recall import recalled

RETURN: Final = int(ReturnKind.RETURN)
SIGNATURE_CAP: Final = 500


def function(draft: Draft, node: Node, row: int, expected: int = -1, passing: bool = False) -> int:
    """Reads a function, method or signature; `row`: its definition, or -1; `passing`: its `this` is that of the scope
    around it. Answers its scope."""
    body = field(draft, node, nodes.F_BODY)
    arrow = draft.kinds.of(node) == nodes.ARROW_FUNCTION
    start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
    kind = LAMBDA_SCOPE if arrow or passing else FUNCTION_SCOPE
    outer = draft.scope, draft.owner, draft.full, draft.frame, draft.bind_flags, draft.doc
    scope = draft.open_scope(kind, start, end, row)
    frame = Frame(row, True)
    draft.frame, draft.scope = frame, scope
    draft.go_inside()
    if row >= 0:
        draft.owner = row
        definition = draft.definitions[row]
        definition[D_BODY] = scope
        definition[D_FLAGS] |= _flags(draft, node)
        definition[D_SIGNATURE] = signature(draft, node, body)
    _header(draft, node, row, expected)
    if body is not None:
        _body(draft, body, frame, row)
    draft.scope, draft.owner, draft.full, draft.frame, draft.bind_flags, draft.doc = outer
    return scope


def _flags(draft: Draft, node: Node) -> int:
    flags = 0
    kinds = draft.kinds
    for child in node.children:
        kind = kinds.of(child)
        if kind == nodes.ASYNC:
            flags |= ASYNC
        elif kind == nodes.STAR:
            flags |= GENERATOR
        elif kind == nodes.ABSTRACT:
            flags |= ABSTRACT
        elif kind == nodes.FORMAL_PARAMETERS:
            break
    kind = kinds.of(node)
    return flags | (GENERATOR if kind in (nodes.GENERATOR_FUNCTION, nodes.GENERATOR_FUNCTION_DECLARATION) else 0)


def signature(draft: Draft, node: Node, body: Node | None) -> int:
    """What stands before the body."""
    end = body.start_byte if body is not None else node.end_byte
    start = draft.full[0] if draft.full[0] <= node.start_byte and draft.full[1] >= node.end_byte else node.start_byte
    text = draft.source(start, min(end, start + 4 * SIGNATURE_CAP))
    return draft.text(shortened(_unopened(" ".join(text.split())), SIGNATURE_CAP))


def _unopened(text: str) -> str:
    """A header without what opens the body."""
    while True:
        shorter = text.rstrip("{; ").removesuffix("=>")
        if shorter == text:
            return text
        text = shorter


def _header(draft: Draft, node: Node, row: int, expected: int) -> None:
    """Type parameters, parameters and the declared result."""
    own = draft.kinds.of(node)
    single = field(draft, node, nodes.F_PARAMETER) if own == nodes.ARROW_FUNCTION else None
    draft.frame.context = expected
    draft.frame.start = node.start_byte
    if draft.notes is not None:
        begin(draft, node)
    for part in node.named_children:
        kind = draft.kinds.of(part)
        if kind == nodes.TYPE_PARAMETERS:
            type_parameters(draft, part)
        elif kind == nodes.FORMAL_PARAMETERS:
            parameters(draft, part, row, expected)
    if single is not None:
        _parameter(draft, single, 0, row, expected)
    result = field(draft, node, nodes.F_RETURN_TYPE) or (
        field(draft, node, nodes.F_TYPE) if own in (nodes.CONSTRUCT_SIGNATURE, nodes.CONSTRUCTOR_TYPE) else None
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
        name = field(draft, part, nodes.F_NAME)
        if draft.kinds.of(part) != nodes.TYPE_PARAMETER or name is None:
            if draft.kinds.of(part) != nodes.ERROR:
                draft.read(part)
            continue
        draft.full = (part.start_byte, part.end_byte)
        if draft.source(name.start_byte, name.end_byte) in ("in", "out"):
            name = _behind_variance(draft, [*children(part), *parts[position + 1 : position + 2]], name)
        start, end = name.start_byte, name.end_byte
        row = draft.define(draft.name(start, end), TYPE_PARAMETER, start, end, draft.scope)
        bound, default = field(draft, part, nodes.F_CONSTRAINT), field(draft, part, nodes.F_VALUE)
        if bound is not None:
            draft.definitions[row][D_TYPE] = draft.read(bound, WANTED)
        if default is not None:
            draft.definitions[row][D_VALUE] = draft.read(default, WANTED)
    draft.full = full


def _behind_variance(draft: Draft, parts: Sequence[Node], name: Node) -> Node:
    """`in T`, `out T`: the grammar takes the word for the name and the name for an error."""
    for part in parts:
        if draft.kinds.of(part) == nodes.ERROR and part.named_child_count:
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
    modified, kinds = False, draft.kinds
    kind = kinds.of(node)
    if kind in (nodes.REQUIRED_PARAMETER, nodes.OPTIONAL_PARAMETER):
        parts = node.children
        found: Node | None
        if (
            0 < len(parts) < 3
            and kinds.of(parts[0]) == nodes.IDENTIFIER
            and (len(parts) == 1 or kinds.of(parts[1]) == nodes.TYPE_ANNOTATION)
        ):
            found, annotation = parts[0], parts[1] if len(parts) > 1 else None
        else:
            found = field(draft, node, nodes.F_PATTERN)
            annotation, default = field(draft, node, nodes.F_TYPE), field(draft, node, nodes.F_VALUE)
            for child in parts:
                word = kinds.of(child)
                if word == nodes.DECORATOR:
                    draft.read(child)
                modified = modified or word in (
                    nodes.ACCESSIBILITY_MODIFIER,
                    nodes.OVERRIDE_MODIFIER,
                    nodes.READONLY,
                )
        if found is None:
            draft.read(node)
            return
        pattern = found
        flags |= DEFAULTED if kind == nodes.OPTIONAL_PARAMETER else 0
    elif kind == nodes.ASSIGNMENT_PATTERN:
        left = field(draft, node, nodes.F_LEFT)
        pattern, default = left or node, field(draft, node, nodes.F_RIGHT)
    if draft.kinds.of(pattern) == nodes.REST_PATTERN:
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
        declared = definition[D_TYPE]
        draft.expected = draft.expression(TYPE, declared) if declared >= 0 else -1
        definition[D_VALUE] = draft.read(default, KEPT if annotation is None else WANTED)
        draft.expected = -1
    elif annotation is None and expected >= 0:
        definition[D_VALUE] = draft.operator(f"parameter:{position}", expected)
    if pending:
        settle(draft, pending, draft.expression(PARAMETER_VALUE, row))
    if modified and draft.kinds.of(pattern) == nodes.IDENTIFIER:
        _property(draft, row, function_row)


def _documented(draft: Draft, node: Node, pattern: Node, position: int) -> int:
    """The type that a comment gives a parameter: one of its own, or that of the function."""
    if draft.notes is None:
        return -1
    own = declared_type(draft, node)
    if own >= 0 or draft.kinds.of(node) in (nodes.REQUIRED_PARAMETER, nodes.OPTIONAL_PARAMETER):
        return own
    named = draft.kinds.of(pattern) == nodes.IDENTIFIER
    return parameter_type(draft, draft.source(pattern.start_byte, pattern.end_byte) if named else "", position)


def _named_parameter(draft: Draft, pattern: Node, flags: int) -> tuple[int, list[Bound]]:
    """The definition of a parameter, and the names it is taken apart into."""
    start, end = pattern.start_byte, pattern.end_byte
    if draft.kinds.of(pattern) in (nodes.IDENTIFIER, nodes.THIS):
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
    if draft.kinds.of(body) == nodes.STATEMENT_BLOCK:
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
    elif frame.context >= 0 and draft.kinds.marks(value) & nodes.RESULTS:
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
        kept = remembers and (kind in kinds.kept or (kind == kinds.export and _declares(draft, statement)))
        if kept and recalled(draft, statement, rules[kind]):
            continue
        rules[kind](draft, statement, 0, 0)
    draft.doc = -1


def _declares(draft: Draft, node: Node) -> bool:
    """Whether an `export` stands before functions or variables."""
    declared = field(draft, node, nodes.F_DECLARATION)
    return declared is not None and declared.type in KEPT_STATEMENTS and not has(draft, node, nodes.DEFAULT)


def documentation(draft: Draft, node: Node) -> int:
    """The first paragraph of a `/** ... */` comment, or -1."""
    if not draft.data.startswith(b"/**", node.start_byte):
        return -1
    text = draft.source(node.start_byte + 3, min(node.end_byte - 2, node.start_byte + 2000))
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
    name = field(draft, node, nodes.F_NAME)
    if name is not None:
        return _named_value(draft, node, name, expected)
    frame, full = draft.frame, draft.full
    draft.full = (node.start_byte, node.end_byte)
    kept = _anonymous(draft, node, expected)
    draft.frame, draft.full = frame, full
    if not want:
        return -1
    flags = _flags(draft, node)
    if flags & GENERATOR or not kept:
        return draft.expression(LAMBDA, -1)
    value = kept[0] if len(kept) == 1 else draft.expression(UNION, draft.sequence(kept))
    if flags & ASYNC and value >= 0 and draft.kind_of(value) != TYPE:
        value = draft.operator("Promise", value)
    return draft.expression(LAMBDA, value)


def _anonymous(draft: Draft, node: Node, expected: int) -> list[int]:
    """Reads the function; answers the expressions of its results."""
    body = field(draft, node, nodes.F_BODY)
    start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
    kind = LAMBDA_SCOPE if draft.kinds.of(node) == nodes.ARROW_FUNCTION else FUNCTION_SCOPE
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
