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
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FLAGS,
    D_SCOPE,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
    shortened,
)
from graphls.languages.incremental.fragments import table_sizes
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.documented import begin, declared_type, parameter_type, result_type
from graphls.languages.typescript.syntax.facts_builder import (
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
    TsFactsBuilder,
    TsFrame,
)
from graphls.languages.typescript.syntax.fragment_cache import read_cached
from graphls.languages.typescript.syntax.minified import skips_body
from graphls.languages.typescript.syntax.nesting import children, field, has
from graphls.languages.typescript.syntax.patterns import PatternBinding, PatternName, assign_values, bind
from graphls.languages.typescript.syntax.texts import behind_decorators

RETURN: Final = int(ReturnKind.RETURN)
SIGNATURE_CAP: Final = 500


def function(builder: TsFactsBuilder, node: Node, row: int, expected: int = -1, passing: bool = False) -> int:
    """Reads a function, method or signature; `row`: its definition, or -1; `passing`: its `this` is that of the scope
    around it. Answers its scope."""
    body = field(builder, node, nodes.F_BODY)
    arrow = builder.kinds.of(node) == nodes.ARROW_FUNCTION
    start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
    kind = LAMBDA_SCOPE if arrow or passing else FUNCTION_SCOPE
    outer = builder.scope, builder.owner, builder.full, builder.frame, builder.bind_flags, builder.doc
    scope = builder.open_scope(kind, start, end, row)
    frame = TsFrame(row, True)
    builder.frame, builder.scope = frame, scope
    builder.go_inside()
    if row >= 0:
        builder.owner = row
        definition = builder.definitions[row]
        definition[D_BODY] = scope
        definition[D_FLAGS] |= _flags(builder, node)
        definition[D_SIGNATURE] = signature(builder, node, body)
    _header(builder, node, row, expected)
    if body is not None:
        _body(builder, body, frame, row)
    builder.scope, builder.owner, builder.full, builder.frame, builder.bind_flags, builder.doc = outer
    return scope


def _receiver(builder: TsFactsBuilder, node: Node, expected: int) -> None:
    """`this` is what the type says that a function is expected to have: a variable without a name holds it."""
    start = node.start_byte
    if builder.scopes[builder.scope][0] != FUNCTION_SCOPE or builder.data.find(b"this", start, node.end_byte) < 0:
        return
    row = builder.define(0, VARIABLE, start, start, builder.scope)
    builder.definitions[row][D_VALUE] = builder.operator("parameter:this", expected)


def _flags(builder: TsFactsBuilder, node: Node) -> int:
    flags = 0
    kinds = builder.kinds
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


def signature(builder: TsFactsBuilder, node: Node, body: Node | None) -> int:
    """What stands before the body, behind decorators."""
    end = body.start_byte if body is not None else node.end_byte
    start = (
        builder.full[0] if builder.full[0] <= node.start_byte and builder.full[1] >= node.end_byte else node.start_byte
    )
    own = behind_decorators(builder, node)
    if own > node.start_byte:
        start = own
    elif builder.between(start, start + 1) == b"@":
        before = (builder.ancestry.before(node), *builder.decorators_before)
        ends = (part.end_byte for part in before if part is not None and builder.kinds.of(part) == nodes.DECORATOR)
        start = max((start, *(end for end in ends if end <= node.start_byte)))
    text = builder.source(start, min(end, start + 4 * SIGNATURE_CAP))
    return builder.text(shortened(_unopened(" ".join(text.split())), SIGNATURE_CAP))


def _unopened(text: str) -> str:
    """A header without what opens the body."""
    while True:
        shorter = text.rstrip("{; ").removesuffix("=>")
        if shorter == text:
            return text
        text = shorter


def _header(builder: TsFactsBuilder, node: Node, row: int, expected: int) -> None:
    """Type parameters, parameters and the declared result."""
    own = builder.kinds.of(node)
    single = field(builder, node, nodes.F_PARAMETER) if own == nodes.ARROW_FUNCTION else None
    builder.frame.context = expected
    builder.frame.start = node.start_byte
    if builder.notes is not None:
        begin(builder, node)
    for part in node.named_children:
        kind = builder.kinds.of(part)
        if kind == nodes.TYPE_PARAMETERS:
            type_parameters(builder, part)
        elif kind == nodes.FORMAL_PARAMETERS:
            parameters(builder, part, row, expected)
    if single is not None:
        _parameter(builder, single, 0, row, expected)
    if expected >= 0:
        _receiver(builder, node, expected)
    result = field(builder, node, nodes.F_RETURN_TYPE) or (
        field(builder, node, nodes.F_TYPE) if own in (nodes.CONSTRUCT_SIGNATURE, nodes.CONSTRUCTOR_TYPE) else None
    )
    returned = builder.read(result, WANTED) if result is not None else result_type(builder)
    if result is not None or returned >= 0:
        declared = builder.expression(TYPE, returned if returned >= 0 else builder.unknown())
        builder.frame.returns.append(declared)
        if row >= 0:
            builder.returns.append((row, declared, RETURN))


def type_parameters(builder: TsFactsBuilder, node: Node) -> None:
    """`<T extends Bound = Default>`, bound in the current scope; the bound is the type, the default the value."""
    full = builder.full
    parts = children(node)
    for position, part in enumerate(parts):
        name = field(builder, part, nodes.F_NAME)
        if builder.kinds.of(part) != nodes.TYPE_PARAMETER or name is None:
            if builder.kinds.of(part) != nodes.ERROR:
                builder.read(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        if builder.source(name.start_byte, name.end_byte) in ("in", "out"):
            name = _behind_variance(builder, [*children(part), *parts[position + 1 : position + 2]], name)
        start, end = name.start_byte, name.end_byte
        row = builder.define(builder.name(start, end), TYPE_PARAMETER, start, end, builder.scope)
        bound, default = field(builder, part, nodes.F_CONSTRAINT), field(builder, part, nodes.F_VALUE)
        if bound is not None:
            builder.definitions[row][D_TYPE] = builder.read(bound, WANTED)
        if default is not None:
            builder.definitions[row][D_VALUE] = builder.read(default, WANTED)
    builder.full = full


def _behind_variance(builder: TsFactsBuilder, parts: Sequence[Node], name: Node) -> Node:
    """`in T`, `out T`: the grammar takes the word for the name and the name for an error."""
    for part in parts:
        if builder.kinds.of(part) == nodes.ERROR and part.named_child_count:
            return part.named_children[-1]
    return name


def parameters(builder: TsFactsBuilder, node: Node, row: int, expected: int) -> None:
    """All parameters, in order."""
    for position, part in enumerate(children(node)):
        _parameter(builder, part, position, row, expected)


def _parameter(builder: TsFactsBuilder, node: Node, position: int, function_row: int, expected: int) -> None:
    """One parameter. A destructured one has a definition without a name, which its names are parts of."""
    builder.full = (node.start_byte, node.end_byte)
    flags, pattern, annotation, default = 0, node, None, None
    modified, kinds = False, builder.kinds
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
            found = field(builder, node, nodes.F_PATTERN)
            annotation, default = field(builder, node, nodes.F_TYPE), field(builder, node, nodes.F_VALUE)
            for child in parts:
                word = kinds.of(child)
                if word == nodes.DECORATOR:
                    builder.read(child)
                modified = modified or word in (
                    nodes.ACCESSIBILITY_MODIFIER,
                    nodes.OVERRIDE_MODIFIER,
                    nodes.READONLY,
                )
        if found is None:
            builder.read(node)
            return
        pattern = found
        flags |= DEFAULTED if kind == nodes.OPTIONAL_PARAMETER else 0
    elif kind == nodes.ASSIGNMENT_PATTERN:
        left = field(builder, node, nodes.F_LEFT)
        pattern, default = left or node, field(builder, node, nodes.F_RIGHT)
    if builder.kinds.of(pattern) == nodes.REST_PATTERN:
        flags |= VARIADIC
        inner = children(pattern)
        pattern = inner[0] if inner else pattern
    row, pending = _named_parameter(builder, pattern, flags)
    definition = builder.definitions[row]
    definition[D_TYPE] = (
        builder.read(annotation, WANTED) if annotation is not None else _documented(builder, node, pattern, position)
    )
    if default is not None:
        definition[D_FLAGS] |= DEFAULTED
        declared = definition[D_TYPE]
        builder.expected = builder.expression(TYPE, declared) if declared >= 0 else -1
        definition[D_VALUE] = builder.read(default, KEPT if annotation is None else WANTED)
        builder.expected = -1
    elif annotation is None and expected >= 0:
        definition[D_VALUE] = builder.operator(f"parameter:{position}", expected)
    if pending:
        assign_values(builder, pending, builder.expression(PARAMETER_VALUE, row))
    if modified and builder.kinds.of(pattern) == nodes.IDENTIFIER:
        _property(builder, row, function_row)


def _documented(builder: TsFactsBuilder, node: Node, pattern: Node, position: int) -> int:
    """The type that a comment gives a parameter: one of its own, or that of the function."""
    if builder.notes is None:
        return -1
    own = declared_type(builder, node)
    if own >= 0 or builder.kinds.of(node) in (nodes.REQUIRED_PARAMETER, nodes.OPTIONAL_PARAMETER):
        return own
    named = builder.kinds.of(pattern) == nodes.IDENTIFIER
    return parameter_type(builder, builder.source(pattern.start_byte, pattern.end_byte) if named else "", position)


def _named_parameter(builder: TsFactsBuilder, pattern: Node, flags: int) -> tuple[int, list[PatternName]]:
    """The definition of a parameter, and the names it is taken apart into."""
    start, end = pattern.start_byte, pattern.end_byte
    if builder.kinds.of(pattern) in (nodes.IDENTIFIER, nodes.THIS):
        row = builder.define(builder.name(start, end), PARAMETER, start, end, builder.scope)
        builder.definitions[row][D_FLAGS] |= flags
        return row, []
    row = builder.define(0, PARAMETER, start, start, builder.scope)
    builder.definitions[row][D_FLAGS] |= flags
    pending: list[PatternName] = []
    bind(builder, pattern, pending, PatternBinding(VARIABLE, builder.scope))
    return row, pending


def _property(builder: TsFactsBuilder, row: int, function_row: int) -> None:
    """`constructor(private x: T)` declares a field too."""
    parameter = builder.definitions[row]
    home = builder.definitions[function_row][D_SCOPE] if function_row >= 0 else -1
    if home < 0:
        return
    field = builder.define(parameter[0], FIELD, parameter[4], parameter[5], home)
    builder.definitions[field][D_TYPE] = parameter[D_TYPE]
    builder.definitions[field][D_VALUE] = parameter[D_VALUE]


def _body(builder: TsFactsBuilder, body: Node, frame: TsFrame, row: int) -> None:
    builder.region(BODY, body, body.start_byte)
    if builder.long_lines and skips_body(builder, body):
        frame.returns.append(builder.unknown())
        if row >= 0:
            builder.returns.append((row, builder.unknown(), RETURN))
            builder.metrics.append((row, 0, 0, 0, 0, 0))
        return
    mark = len(builder.shape)
    if builder.kinds.of(body) == nodes.STATEMENT_BLOCK:
        statements: Sequence[Node] = body.named_children
        read_statements(builder, statements)
    else:
        builder.expected = expected_result(builder, body)
        value = builder.read(body, KEPT)
        builder.expected = -1
        frame.returns.append(value)
        if row >= 0:
            builder.returns.append((row, value, RETURN))
    if row >= 0:
        shape = crc32(array("i", builder.shape[mark:]).tobytes()) & 0x7FFFFFFF
        builder.metrics.append((row, frame.branches, frame.deepest, frame.statements, 0, shape))


def expected_result(builder: TsFactsBuilder, value: Node) -> int:
    """What the function that is being read should give back here: its declared result, or that of what its place
    takes."""
    frame = builder.frame
    row = -1
    if frame.returns and builder.kind_of(frame.returns[0]) == TYPE:
        row = frame.returns[0]
    elif frame.context >= 0 and builder.kinds.marks(value) & nodes.RESULTS:
        row = builder.operator("result", frame.context)
    return builder.expression(AWAIT, row) if row >= 0 and _waits(builder, frame.start) else row


def _waits(builder: TsFactsBuilder, start: int) -> bool:
    """Whether `async` stands before the parameters of the function that begins there."""
    before = builder.data[start : start + 80].split(b"(", 1)[0].split(b"=", 1)[0]
    return any(word == b"async" or word.startswith(b"async<") for word in before.split())


def read_statements(builder: TsFactsBuilder, nodes: Sequence[Node], sizes: list[list[int]] | None = None) -> None:
    """Statements in a row, each with the documentation comment before it. `sizes`: takes the sizes of the tables before
    each and at the end."""
    rules, shape = builder.rules, builder.shape
    comment: Node | None = None
    kinds, frame = builder.kinds, builder.frame
    comment_kind, caches = kinds.comment, builder.cache is not None and builder.scope == 0
    for statement in nodes:
        kind = statement.kind_id
        if sizes is not None:
            sizes.append(table_sizes(builder))
        if kind == comment_kind:
            comment = statement
            continue
        builder.doc = documentation(builder, comment) if comment is not None else -1
        comment = None
        frame.statements += 1
        shape.append(kind)
        cacheable = caches and (kind in kinds.cacheable or (kind == kinds.export and _declares(builder, statement)))
        if cacheable and read_cached(builder, statement, rules[kind]):
            continue
        rules[kind](builder, statement, 0, 0)
    builder.doc = -1
    if sizes is not None:
        sizes.append(table_sizes(builder))


def _declares(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether an `export` stands before functions or variables."""
    declared = field(builder, node, nodes.F_DECLARATION)
    return declared is not None and declared.type in KEPT_STATEMENTS and not has(builder, node, nodes.DEFAULT)


def documentation(builder: TsFactsBuilder, node: Node) -> int:
    """The first paragraph of a `/** ... */` comment, or -1."""
    if not builder.data.startswith(b"/**", node.start_byte):
        return -1
    text = builder.source(node.start_byte + 3, min(node.end_byte - 2, node.start_byte + 2000))
    lines: list[str] = []
    for line in text.splitlines():
        line = line.strip().lstrip("*").strip()
        if line.startswith("@") or (not line and lines):
            break
        if line:
            lines.append(line)
    return builder.text(" ".join(lines)[:1000]) if lines else -1


def function_value(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function without a definition of its own: what it returns is all that is known of it."""
    expected = builder.take_expected()
    builder.object_owner = -1
    name = field(builder, node, nodes.F_NAME)
    if name is not None:
        return _named_value(builder, node, name, expected)
    frame, full = builder.frame, builder.full
    builder.full = (node.start_byte, node.end_byte)
    returned = _anonymous(builder, node, expected)
    builder.frame, builder.full = frame, full
    if not want:
        return -1
    flags = _flags(builder, node)
    if flags & GENERATOR or not returned:
        return builder.expression(LAMBDA, -1)
    value = returned[0] if len(returned) == 1 else builder.expression(UNION, builder.sequence(returned))
    if flags & ASYNC and value >= 0 and builder.kind_of(value) != TYPE:
        value = builder.operator("Promise", value)
    return builder.expression(LAMBDA, value)


def _anonymous(builder: TsFactsBuilder, node: Node, expected: int) -> list[int]:
    """Reads the function; answers the expressions of its results."""
    body = field(builder, node, nodes.F_BODY)
    start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
    kind = LAMBDA_SCOPE if builder.kinds.of(node) == nodes.ARROW_FUNCTION else FUNCTION_SCOPE
    outer = builder.scope, builder.full, builder.bind_flags, builder.doc
    builder.scope = builder.open_scope(kind, start, end)
    builder.go_inside()
    builder.frame = frame = TsFrame(-1, True)
    _header(builder, node, -1, expected)
    declared = frame.returns[:]
    if body is not None:
        _body(builder, body, frame, -1)
    builder.scope, builder.full, builder.bind_flags, builder.doc = outer
    return declared or frame.returns


def _named_value(builder: TsFactsBuilder, node: Node, name: Node, expected: int) -> int:
    """`function name() {}` as a value: the name is known inside of it only."""
    start, end = name.start_byte, name.end_byte
    full, scope = builder.full, builder.scope
    builder.full = (node.start_byte, node.end_byte)
    builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    row = builder.define(builder.name(start, end), FUNCTION, start, end, builder.scope)
    function(builder, node, row, expected)
    builder.full, builder.scope = full, scope
    return builder.expression(FUNCTION_VALUE, row)
