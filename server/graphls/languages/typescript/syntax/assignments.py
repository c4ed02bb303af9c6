"""Assignments: values given to names and members, and the declarations that JavaScript makes of them.

Owns: `=`, `+=`, `module.exports`, `exports.x`, `this.x`, `F.x`, `F.prototype.x`.
Must not know: what the names on the left mean; that takes the whole file.
Invariant: an assignment to a member is a use, or the definition of that member, never nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from tree_sitter import Node

from graphls.languages.extract.facts_builder import (
    D_END,
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_SIGNATURE,
    D_START,
    D_TYPE,
    D_VALUE,
    USE,
)
from graphls.languages.typescript.syntax import nodes, prototypes
from graphls.languages.typescript.syntax.classes import class_declaration
from graphls.languages.typescript.syntax.commonjs import is_exports
from graphls.languages.typescript.syntax.documented import declared_type
from graphls.languages.typescript.syntax.facts_builder import (
    ALSO_WRITE,
    CLASS,
    DEFAULT_EXPORT,
    EXPORT,
    EXPORTED,
    FIELD,
    FUNCTION,
    FUNCTION_VALUE,
    IMPORT,
    INSTANCE,
    KEPT,
    METHOD,
    OPERATION,
    READ,
    STATIC,
    TYPE,
    VARIABLE,
    WAITING,
    WRITE,
    Expando,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import function
from graphls.languages.typescript.syntax.imports import ASSIGNED, required
from graphls.languages.typescript.syntax.nesting import children, field, generic, guarded
from graphls.languages.typescript.syntax.texts import first_line, symbol_key

_MOST_NAMES: Final = 8
"""Of one function in one statement."""


@final
class _Member:
    """What stands left of the sign."""

    def __init__(self, base: int, prototype: bool, start: int, end: int) -> None:
        """`start`, `end`: of its name."""
        self.base = base
        self.prototype = prototype
        self.start = start
        self.end = end


def assignment(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`left = right`."""
    builder.expected = builder.object_owner = -1
    left, right = field(builder, node, nodes.F_LEFT), field(builder, node, nodes.F_RIGHT)
    if left is None or right is None:
        return generic(builder, node, 0, READ)
    if builder.kinds.of(left) == nodes.MEMBER_EXPRESSION or _symbol_start(builder, left) >= 0:
        return _to_member(builder, node, left, right)
    if builder.kinds.marks(left) & nodes.PATTERNS:
        _pattern(builder, left)
        return builder.read(right, want)
    named = builder.kinds.of(left) == nodes.IDENTIFIER
    subject = builder.read(
        left, 1 if named or builder.kinds.marks(right) & nodes.CONTEXTUAL else 0, WRITE if named else READ
    )
    builder.expected = subject if builder.kinds.marks(right) & nodes.CONTEXTUAL else -1
    row = builder.read(right, want or named)
    builder.expected = -1
    if named and row >= 0:
        builder.expression(OPERATION, subject, row, builder.text("="))
    return row


def _pattern(builder: TsFactsBuilder, node: Node) -> None:
    """Names that a pattern assigns to."""
    if builder.depth > 100:
        return
    builder.depth += 1
    for part in children(node):
        if builder.kinds.of(part) in (nodes.IDENTIFIER, nodes.SHORTHAND_PROPERTY_IDENTIFIER_PATTERN):
            builder.use(part.start_byte, part.end_byte, WRITE)
        elif builder.kinds.marks(part) & nodes.PARTS:
            key = field(builder, part, nodes.F_KEY)
            _pattern(builder, part) if key is None else _assigned_pair(builder, part, key)
        elif builder.kinds.of(part) != nodes.PROPERTY_IDENTIFIER:
            builder.read(part)
    builder.depth -= 1


def _assigned_pair(builder: TsFactsBuilder, node: Node, key: Node) -> None:
    value = field(builder, node, nodes.F_VALUE)
    if builder.kinds.of(key) == nodes.COMPUTED_PROPERTY_NAME:
        builder.read(key)
    if value is None:
        return
    if builder.kinds.of(value) == nodes.IDENTIFIER:
        builder.use(value.start_byte, value.end_byte, WRITE)
    elif builder.kinds.marks(value) & nodes.PATTERNS:
        _pattern(builder, value)
    else:
        builder.read(value)


def augmented(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`left += right`: read and written."""
    flags, builder.use_flags = builder.use_flags, builder.use_flags | ALSO_WRITE
    left, right = field(builder, node, nodes.F_LEFT), field(builder, node, nodes.F_RIGHT)
    if left is not None:
        builder.read(left)
    builder.use_flags = flags
    return builder.read(right, want) if right is not None else -1


# ---------------------------------------------------------------- members


def _to_member(builder: TsFactsBuilder, node: Node, left: Node, right: Node) -> int:
    full = builder.full
    builder.full = (node.start_byte, node.end_byte)
    spelled = builder.data[left.start_byte : min(left.end_byte, left.start_byte + 40)]
    if builder.script and spelled == b"module.exports":
        row = _module_exports(builder, left, right)
    elif builder.script and _is_of_exports(builder, left):
        row = _named_export(builder, left, right)
    else:
        if prototypes.assigned(builder, left, right):
            builder.full = full
            return -1
        member = _member(builder, left)
        row = _plain(builder, left, right) if member is None else _expando(builder, left, right, member)
    builder.full = full
    return row


def _is_of_exports(builder: TsFactsBuilder, left: Node) -> bool:
    base = field(builder, left, nodes.F_OBJECT)
    return base is not None and is_exports(builder, base)


def _member(builder: TsFactsBuilder, left: Node) -> _Member | None:
    """A member that the assignment may declare: of a name, its prototype, or `this`."""
    base, name = field(builder, left, nodes.F_OBJECT), field(builder, left, nodes.F_PROPERTY)
    start, end = _symbol_start(builder, left), left.end_byte
    if name is not None and builder.kinds.of(name) in (nodes.PROPERTY_IDENTIFIER, nodes.PRIVATE_PROPERTY_IDENTIFIER):
        start, end = name.start_byte, name.end_byte
    if base is None or start < 0:
        return None
    if builder.kinds.of(base) == nodes.THIS:
        return _Member(-1, False, start, end) if builder.script else None
    if builder.kinds.of(base) == nodes.IDENTIFIER:
        return _Member(builder.name(base.start_byte, base.end_byte), False, start, end)
    if builder.kinds.of(base) == nodes.MEMBER_EXPRESSION and builder.script:
        outer, word = field(builder, base, nodes.F_OBJECT), field(builder, base, nodes.F_PROPERTY)
        spelled = builder.data[word.start_byte : word.end_byte] if word is not None else b""
        if outer is not None and builder.kinds.of(outer) == nodes.IDENTIFIER and spelled == b"prototype":
            return _Member(builder.name(outer.start_byte, outer.end_byte), True, start, end)
    return None


def _symbol_start(builder: TsFactsBuilder, left: Node) -> int:
    """Where the bracket of `x[kState]` begins; -1 where no symbol is between the brackets."""
    index = field(builder, left, nodes.F_INDEX)
    if index is None or builder.kinds.of(index) != nodes.IDENTIFIER:
        return -1
    start = index.start_byte - 1
    return start if symbol_key(builder, start, left.end_byte) >= 0 else -1


def _plain(builder: TsFactsBuilder, left: Node, right: Node) -> int:
    subject = builder.read(left, 1 if builder.kinds.marks(right) & nodes.CONTEXTUAL else 0, WRITE)
    builder.expected = subject if builder.kinds.marks(right) & nodes.CONTEXTUAL else -1
    row = builder.read(right, KEPT)
    builder.expected = -1
    return row


def _expando(builder: TsFactsBuilder, left: Node, right: Node, member: _Member) -> int:
    """A member that may be declared here: decided when the file has been read."""
    called = builder.kinds.marks(right) & nodes.FUNCTIONS != 0
    passed = not called and builder.script and _is_named_function(builder, right)
    mark = len(builder.occurrences)
    subject = builder.read(left, 1, WRITE)
    start, end = member.start, member.end
    at = next(at for at in range(mark, len(builder.occurrences), USE) if builder.occurrences[at] == start)
    use = tuple(builder.occurrences[at : at + USE])
    del builder.occurrences[at : at + USE]
    row = builder.define(builder.name(start, end), METHOD if called else FIELD, start, end, WAITING)
    definition = builder.definitions[row]
    definition[D_FLAGS] |= INSTANCE if member.base < 0 or member.prototype else STATIC
    definition[D_SIGNATURE] = first_line(builder, left)
    builder.expandos.append(
        Expando(member.base, builder.scope, member.prototype, definition=row, use=use, called=called or passed)
    )
    declared = definition[D_TYPE] = declared_type(builder, left)
    _fill(builder, row, right, builder.expression(TYPE, declared) if declared >= 0 else subject)
    return builder.expression(FUNCTION_VALUE, row) if called else builder.definitions[row][D_VALUE]


def _is_named_function(builder: TsFactsBuilder, right: Node) -> bool:
    """`b.y = function` in `a.x = b.y = function`: both are names of it."""
    for _ in range(_MOST_NAMES):
        left, value = field(builder, right, nodes.F_LEFT), field(builder, right, nodes.F_RIGHT)
        if left is None or value is None or right.type != "assignment_expression":
            return False
        if builder.kinds.of(left) != nodes.MEMBER_EXPRESSION:
            return False
        if builder.kinds.marks(value) & nodes.FUNCTIONS:
            return True
        right = value
    return False


def _fill(builder: TsFactsBuilder, row: int, right: Node, expected: int = -1) -> None:
    """The value of a definition that an assignment makes."""
    definition = builder.definitions[row]
    if builder.kinds.marks(right) & nodes.FUNCTIONS:
        function(builder, right, row, expected)
    elif builder.kinds.of(right) == nodes.CLASS:
        builder.object_owner = row
        class_declaration(builder, right, 0, READ)
    else:
        builder.expected = expected if builder.kinds.marks(right) & nodes.CONTEXTUAL else -1
        builder.object_owner = row if builder.kinds.of(right) == nodes.OBJECT else -1
        owner = builder.owner
        if builder.owns(row) and not _passes_on(builder, row, right):
            builder.owner = row
        definition[D_VALUE] = builder.read(right, KEPT)
        builder.expected = builder.object_owner = -1
        builder.owner = owner


# ---------------------------------------------------------------- CommonJS


def _module_exports(builder: TsFactsBuilder, left: Node, right: Node) -> int:
    """`module.exports = value`."""
    builder.read(left)
    del builder.occurrences[-USE:]
    start, end = left.start_byte, left.end_byte
    row = builder.define(builder.text(ASSIGNED), VARIABLE, start, end, builder.export_scope())
    builder.definitions[row][D_FLAGS] |= EXPORTED | DEFAULT_EXPORT
    _exported(builder, row, right)
    return builder.definitions[row][D_VALUE]


def _named_export(builder: TsFactsBuilder, left: Node, right: Node) -> int:
    """`exports.name = value`."""
    name = field(builder, left, nodes.F_PROPERTY)
    builder.read(left)
    if name is None:
        return builder.read(right, KEPT)
    del builder.occurrences[-USE:]
    start, end = name.start_byte, name.end_byte
    row = builder.define(builder.name(start, end), VARIABLE, start, end, builder.export_scope())
    builder.definitions[row][D_FLAGS] |= EXPORTED
    _exported(builder, row, right)
    return builder.definitions[row][D_VALUE]


def _exported(builder: TsFactsBuilder, row: int, right: Node) -> None:
    """A name or another module is passed on; functions and classes are defined here."""
    definition = builder.definitions[row]
    if builder.kinds.marks(right) & nodes.FUNCTIONS:
        definition[D_KIND] = FUNCTION
    elif builder.kinds.of(right) == nodes.CLASS:
        definition[D_KIND] = CLASS
    declared = declared_type(builder, right)
    _fill(builder, row, right, builder.expression(TYPE, declared) if declared >= 0 else -1)
    if _passes_on(builder, row, right):
        definition = builder.definitions[row]
        definition[D_KIND] = IMPORT
        if builder.strings[definition[D_NAME]] != ASSIGNED:
            builder.use(definition[D_START], definition[D_END], EXPORT)  # it means what it passes on


def _passes_on(builder: TsFactsBuilder, row: int, right: Node) -> bool:
    """Whether an export is another name of something, not a thing of its own."""
    exported = builder.definitions[row][D_FLAGS] & EXPORTED
    return bool(exported) and (builder.kinds.of(right) == nodes.IDENTIFIER or required(builder, right))


RULES: Mapping[str, Rule] = {
    "assignment_expression": guarded(assignment),
    "augmented_assignment_expression": guarded(augmented),
}
