"""Assignments: statements that bind, rebind, declare or delete names, and `return`.

Owns: `=`, annotated names, `+=`, `type`, `global`, `nonlocal`, `del`, `return`.
Must not know: compound statements.
Invariant: the targets of one statement share its full range and its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, OccurrenceFlag, ReturnKind, ScopeKind
from graphls.languages.extract.facts_builder import (
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_SCOPE,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
    U_OWNER,
    U_START,
    USE,
)
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.annotations import annotation
from graphls.languages.python.syntax.constructs import SET_ITEM, operator, stored
from graphls.languages.python.syntax.declarations import type_parameters
from graphls.languages.python.syntax.facts_builder import (
    DELETED,
    LITERAL,
    MEMBER,
    NAME,
    READ,
    PyFactsBuilder,
    Rule,
    StatementLevel,
)
from graphls.languages.python.syntax.nesting import children, generic, guarded
from graphls.languages.python.syntax.strings import exported
from graphls.languages.python.syntax.targets import Target, assign_values, bind_name, bind_target, read_target

TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
AUGMENTED: Final = int(DefinitionFlag.AUGMENTED)
FINAL: Final = int(DefinitionFlag.FINAL)
INSTANCE: Final = int(DefinitionFlag.INSTANCE)
SHARED: Final = int(DefinitionFlag.SHARED)
ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
RETURN: Final = int(ReturnKind.RETURN)
FUNCTION: Final = int(ReturnKind.FUNCTION)
CALL: Final = int(ExpressionKind.CALL)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
SIGNATURE_CAP: Final = 120
_VALUES: Final = (VARIABLE, CONSTANT, FIELD)
_GIVING_BACK: Final = frozenset(
    {"cast", "update_wrapper", "wraps", "partial", "staticmethod", "contextmanager", "asynccontextmanager"}
    | {"lru_cache", "cache", "coroutine"}
)
"""Calls that give back the function that they are given."""
_GENERIC: Final = frozenset(
    b"Union Optional Annotated Callable List Dict Tuple Set FrozenSet Type Deque DefaultDict Iterable Iterator "
    b"Generator AsyncIterable AsyncIterator AsyncGenerator Awaitable Coroutine Collection Sequence MutableSequence "
    b"Mapping MutableMapping ClassVar list dict tuple set frozenset type".split()
)
"""Names whose subscripts are types."""
_MOST_NESTED: Final = 8
MOST_WRAPPED: Final = 4
"""Such calls around each other."""


def assignment(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a = b = value`, `name: annotation = value`. Answers the value, for the targets further left."""
    parts = node.named_children
    if len(parts) > 2:
        parts = children(node)
    full, owner = builder.full, builder.owner
    builder.full = (node.start_byte, node.end_byte)
    left = parts[0]
    pending: list[Target] = []
    lasting = builder.frame.level != StatementLevel.FUNCTION and builder.scope == builder.frame.scope
    if lasting:
        builder.owner = builder.frame.definition
    if left.kind_id == nodes.IDENTIFIER:
        pending.append((bind_name(builder, left), ()))
    else:
        bind_target(builder, left, pending)
    if lasting and pending:
        _own(builder, pending, owner)
    annotated = value = -1
    right: Node | None = None
    for part in parts[1:]:
        if part.kind_id == nodes.TYPE:
            annotated = annotation(builder, part)
            _annotate(builder, pending, part, annotated)
        else:
            right = part
    if right is not None:
        value = _value(builder, left, right, pending, want)
        assign_values(builder, pending, value)
    if pending:
        _sign(builder, pending, node)
    builder.full, builder.owner = full, owner
    return value


def _own(builder: PyFactsBuilder, pending: list[Target], outer: int) -> None:
    """What follows is used by the first name that the statement binds, of `a = b = value` by the leftmost."""
    first = pending[0][0]
    builder.owner = outer if outer != builder.frame.definition else first
    for row, _ in pending:
        if row != builder.owner:
            builder.definitions[row][D_FLAGS] |= SHARED


def _value(builder: PyFactsBuilder, left: Node, right: Node, pending: list[Target], want: int) -> int:
    if builder.frame.level == StatementLevel.MODULE and builder.data[left.start_byte : left.end_byte] == b"__all__":
        exported(builder, right)
    if len(pending) == 1 and builder.definitions[pending[0][0]][D_KIND] == TYPE_ALIAS:
        return annotation(builder, right)
    if len(pending) == 1 and _is_alias(builder, right):
        return annotation(builder, right)
    mark = len(builder.occurrences)
    value = builder.read(right, 1 if pending or want else 0)
    if len(pending) > 1 and right.kind_id in nodes.SEQUENCE_TARGETS and builder.owner == pending[0][0]:
        _own_each(builder, children(right), pending, mark)
    return value


def _is_alias(builder: PyFactsBuilder, value: Node, depth: int = 0) -> bool:
    """`Union[str, "Text"]`: a type that names others in strings. One without strings reads the same as a value."""
    if value.kind_id != nodes.SUBSCRIPT or depth > _MOST_NESTED:
        return False
    parts = children(value)
    head = builder.data[parts[0].start_byte : parts[0].end_byte].rpartition(b".")[2]
    return head in _GENERIC and any(
        part.kind_id == nodes.STRING or _is_alias(builder, part, depth + 1) for part in parts[1:]
    )


def _own_each(builder: PyFactsBuilder, parts: list[Node], pending: list[Target], mark: int) -> None:
    """`a, b = f(), g()`: each name uses its own part of the value."""
    if [path for _, path in pending] != [(position,) for position in range(len(parts))]:
        return
    if any(part.kind_id == nodes.LIST_SPLAT for part in parts):
        return
    uses = builder.occurrences
    for (row, _), part in zip(pending, parts, strict=True):
        builder.definitions[row][D_FLAGS] &= ~SHARED
        for at in range(mark, len(uses), USE):
            if part.start_byte <= uses[at + U_START] < part.end_byte and uses[at + U_OWNER] == builder.owner:
                uses[at + U_OWNER] = row


def _annotate(builder: PyFactsBuilder, pending: list[Target], node: Node, row: int) -> None:
    """What an annotation says beyond the type: an alias, a constant, not an enum member."""
    text = builder.data[node.start_byte : node.end_byte].strip(b"\"' ")
    head = text.partition(b"[")[0].rpartition(b".")[2]
    for target, _ in pending:
        definition = builder.definitions[target]
        definition[D_TYPE] = row
        if head == b"TypeAlias":
            definition[D_KIND] = TYPE_ALIAS
        elif definition[D_KIND] == ENUM_MEMBER:
            definition[D_KIND] = FIELD
        if head == b"Final" or text.startswith((b"ClassVar[Final", b"typing.ClassVar[typing.Final")):
            definition[D_FLAGS] |= FINAL


def _sign(builder: PyFactsBuilder, pending: list[Target], node: Node) -> None:
    """The statement as written, for what other files can see."""
    seen_outside = builder.frame.level != StatementLevel.FUNCTION
    text = -1
    for row, _ in pending:
        definition = builder.definitions[row]
        if seen_outside or definition[D_FLAGS] & INSTANCE:
            text = _first_line(builder, node) if text < 0 else text
            definition[D_SIGNATURE] = text


def _first_line(builder: PyFactsBuilder, node: Node) -> int:
    data, start = builder.data, node.start_byte
    end = min(node.end_byte, start + 4 * SIGNATURE_CAP)
    stop = data.find(b"\n", start, end)
    line = data[start : end if stop < 0 else stop].decode("utf-8", "replace")
    return builder.text(" ".join(line.split())[:SIGNATURE_CAP])


def augmented(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x += value`: a read that also writes; a binding only where nothing else binds the name."""
    parts = children(node)
    left = parts[0]
    if builder.frame.level == StatementLevel.MODULE and builder.data[left.start_byte : left.end_byte] == b"__all__":
        exported(builder, parts[-1])
    flags, owner = builder.use_flags, builder.owner
    if left.kind_id == nodes.IDENTIFIER:
        _candidate(builder, left, node)
        row = -2
        builder.owner = _bound_before(builder, left)
        builder.use_flags |= ALSO_WRITE
        builder.use(left.start_byte, left.end_byte, READ)
    elif left.kind_id == nodes.ATTRIBUTE and len(children(left)) == 2:
        target, name = children(left)
        base = builder.read(target, 1)
        builder.use_flags |= ALSO_WRITE
        builder.use(name.start_byte, name.end_byte, READ, base if base >= 0 else builder.unknown())
        text = builder.name(name.start_byte, name.end_byte)
        row = builder.expression(MEMBER, base, text, name.start_byte) if base >= 0 else -1
    else:
        mark = len(builder.constructs)
        row = builder.read(left, 1)
        stored(builder, mark, left, SET_ITEM, also_read=True)
    builder.use_flags = flags
    other = -1
    for part in parts[1:]:
        other = builder.read(part, 1)
    _run_operator(builder, node, left, row, other)
    builder.owner = owner
    return -1


def _bound_before(builder: PyFactsBuilder, name: Node) -> int:
    """The variable of a module or class that `name += value` adds to: its value is part of the initialiser."""
    frame = builder.frame
    if frame.level == StatementLevel.FUNCTION or builder.scope != frame.scope:
        return builder.owner
    wanted = builder.name(name.start_byte, name.end_byte)
    for row in range(len(builder.definitions) - 1, -1, -1):
        definition = builder.definitions[row]
        if definition[D_NAME] == wanted and definition[D_SCOPE] == builder.scope:
            return row if definition[D_KIND] in _VALUES else builder.owner
    return builder.owner


def _candidate(builder: PyFactsBuilder, name: Node, node: Node) -> None:
    full, builder.full = builder.full, (node.start_byte, node.end_byte)
    row = bind_name(builder, name)
    definition = builder.definitions.pop()
    definition[D_FLAGS] |= AUGMENTED
    if builder.nonlocals and builder.nonlocals[-1][0] == row:
        builder.nonlocals.pop()
    else:
        builder.augmented.append(definition)
    builder.full = full


def _run_operator(builder: PyFactsBuilder, node: Node, left: Node, row: int, other: int) -> None:
    """`+=` on what is not known to be a number or text. `row` -2: the left side is a name without a row yet."""
    sign = next((part.type for part in node.children if not part.is_named), "")
    if builder.kind_of(other) == LITERAL or not sign:
        return
    if row == -2:
        start = left.start_byte
        row = builder.expression(NAME, builder.name(start, left.end_byte), builder.scope, start)
    operator(builder, sign, (node.start_byte, node.end_byte), row, other=other)


def type_alias(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`type X[T] = value`."""
    parts = children(node)
    left = children(parts[0])[0] if parts and parts[0].named_child_count else None
    if left is None or len(parts) != 2:
        return generic(builder, node, 0, READ)
    parameters: Node | None = None
    if left.kind_id == nodes.GENERIC_TYPE and len(children(left)) == 2:
        left, parameters = children(left)
    if left.kind_id != nodes.IDENTIFIER:
        return generic(builder, node, 0, READ)
    full, builder.full = builder.full, (node.start_byte, node.end_byte)
    row = bind_name(builder, left, TYPE_ALIAS)
    scope, owner = builder.scope, builder.owner
    if builder.frame.level != StatementLevel.FUNCTION:
        builder.owner = row
    if parameters is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, parameters)
    builder.definitions[row][D_VALUE] = annotation(builder, parts[1])
    builder.scope, builder.owner = scope, owner
    _sign(builder, [(row, ())], node)
    builder.full = full
    return -1


def declared(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`global x`, `nonlocal x`."""
    is_global = builder.data.startswith(b"global", node.start_byte)
    for part in children(node):
        name = builder.use(part.start_byte, part.end_byte, READ)
        builder.frame.declared[name] = is_global
    return -1


def deleted(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`del x, y.z, a[0]`."""
    for part in children(node):
        read_target(builder, part, DELETED)
    return -1


def returned(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return value`."""
    row = -1
    parts = children(node)
    for part in parts:
        row = builder.rules[part.kind_id](builder, part, 1, READ)
    if parts and builder.frame.level == StatementLevel.FUNCTION:
        builder.returns.append((builder.frame.definition, row, RETURN))
        if builder.frame.functions:
            _inner_function(builder, parts[-1])
        elif builder.kind_of(row) == CALL and builder.frame.promises_function:
            builder.returns.append((builder.frame.definition, row, FUNCTION))
    return -1


def _inner_function(builder: PyFactsBuilder, value: Node) -> None:
    """`return inner`, `return wraps(f)(inner)`, `return decorate(f)`: the function declared inside that is given back,
    or that gives what is given back; the annotation may say no more than that it is some function."""
    frame, node = builder.frame, _given_back(builder, value)
    called = node.kind_id == nodes.CALL
    name = node.children[0] if called else node
    if name.kind_id != nodes.IDENTIFIER:
        return
    spelled = builder.name(name.start_byte, name.end_byte)
    if spelled in frame.functions:
        made = builder.expression(NAME, spelled, frame.scope, -1)
        made = builder.expression(CALL, made, builder.sequence(())) if called else made
        builder.returns.append((frame.definition, made, FUNCTION))


def _given_back(builder: PyFactsBuilder, node: Node) -> Node:
    """What is left of a value without the calls around it that give back a function that they are given."""
    for _ in range(MOST_WRAPPED):
        if node.kind_id != nodes.CALL or len(node.children) != 2:
            break
        function, arguments = node.children
        outer = function.children[0] if function.kind_id == nodes.CALL else function
        name = builder.source(outer.start_byte, outer.end_byte).rpartition(".")[2]
        if name not in _GIVING_BACK:
            break
        given = [part for part in arguments.named_children if part.kind_id in (nodes.IDENTIFIER, nodes.CALL)]
        inner = [part for part in given if part.kind_id == nodes.CALL or _is_inner(builder, part)]
        if not inner:
            break
        node = inner[0]
    return node


def _is_inner(builder: PyFactsBuilder, node: Node) -> bool:
    return builder.name(node.start_byte, node.end_byte) in builder.frame.functions


RULES: Mapping[str, Rule] = {
    "assignment": guarded(assignment),
    "augmented_assignment": augmented,
    "type_alias_statement": guarded(type_alias),
    "global_statement": guarded(declared),
    "nonlocal_statement": guarded(declared),
    "delete_statement": guarded(deleted),
    "return_statement": returned,
}
