"""Assignments: values given to names and members, and the declarations that JavaScript makes of them.

Owns: `=`, `+=`, `module.exports`, `exports.x`, `this.x`, `F.x`, `F.prototype.x`.
Must not know: what the names on the left mean; that takes the whole file.
Invariant: an assignment to a member is a use, or the definition of that member, never nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from tree_sitter import Node

from graphls.languages.draft import (
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
from graphls.languages.typescript import nodes, prototypes
from graphls.languages.typescript.classes import class_declaration
from graphls.languages.typescript.documented import declared_type
from graphls.languages.typescript.draft import (
    ALSO_WRITE,
    CLASS,
    DEFAULT_EXPORT,
    EXPORT,
    EXPORTED,
    FIELD,
    FUNCTION,
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
    Draft,
    Expando,
    Rule,
)
from graphls.languages.typescript.functions import function
from graphls.languages.typescript.imports import ASSIGNED, required
from graphls.languages.typescript.nesting import children, field, generic, guarded
from graphls.languages.typescript.texts import first_line


@final
class _Member:
    """What stands left of the sign."""

    def __init__(self, base: int, prototype: bool, name: Node) -> None:
        self.base = base
        self.prototype = prototype
        self.name = name


def assignment(draft: Draft, node: Node, want: int, role: int) -> int:
    """`left = right`."""
    draft.expected = draft.object_owner = -1
    left, right = field(draft, node, nodes.F_LEFT), field(draft, node, nodes.F_RIGHT)
    if left is None or right is None:
        return generic(draft, node, 0, READ)
    if draft.kinds.of(left) == nodes.MEMBER_EXPRESSION:
        return _to_member(draft, node, left, right)
    if draft.kinds.marks(left) & nodes.PATTERNS:
        _pattern(draft, left)
        return draft.read(right, want)
    named = draft.kinds.of(left) == nodes.IDENTIFIER
    subject = draft.read(
        left, 1 if named or draft.kinds.marks(right) & nodes.CONTEXTUAL else 0, WRITE if named else READ
    )
    draft.expected = subject if draft.kinds.marks(right) & nodes.CONTEXTUAL else -1
    row = draft.read(right, want or named)
    draft.expected = -1
    if named and row >= 0:
        draft.expression(OPERATION, subject, row, draft.text("="))
    return row


def _pattern(draft: Draft, node: Node) -> None:
    """Names that a pattern assigns to."""
    if draft.depth > 100:
        return
    draft.depth += 1
    for part in children(node):
        if draft.kinds.of(part) in (nodes.IDENTIFIER, nodes.SHORTHAND_PROPERTY_IDENTIFIER_PATTERN):
            draft.use(part.start_byte, part.end_byte, WRITE)
        elif draft.kinds.marks(part) & nodes.PARTS:
            key = field(draft, part, nodes.F_KEY)
            _pattern(draft, part) if key is None else _assigned_pair(draft, part, key)
        elif draft.kinds.of(part) != nodes.PROPERTY_IDENTIFIER:
            draft.read(part)
    draft.depth -= 1


def _assigned_pair(draft: Draft, node: Node, key: Node) -> None:
    value = field(draft, node, nodes.F_VALUE)
    if draft.kinds.of(key) == nodes.COMPUTED_PROPERTY_NAME:
        draft.read(key)
    if value is None:
        return
    if draft.kinds.of(value) == nodes.IDENTIFIER:
        draft.use(value.start_byte, value.end_byte, WRITE)
    elif draft.kinds.marks(value) & nodes.PATTERNS:
        _pattern(draft, value)
    else:
        draft.read(value)


def augmented(draft: Draft, node: Node, want: int, role: int) -> int:
    """`left += right`: read and written."""
    flags, draft.use_flags = draft.use_flags, draft.use_flags | ALSO_WRITE
    left, right = field(draft, node, nodes.F_LEFT), field(draft, node, nodes.F_RIGHT)
    if left is not None:
        draft.read(left)
    draft.use_flags = flags
    return draft.read(right, want) if right is not None else -1


# ---------------------------------------------------------------- members


def _to_member(draft: Draft, node: Node, left: Node, right: Node) -> int:
    full = draft.full
    draft.full = (node.start_byte, node.end_byte)
    spelled = draft.data[left.start_byte : min(left.end_byte, left.start_byte + 40)]
    if draft.script and spelled == b"module.exports":
        row = _module_exports(draft, left, right)
    elif draft.script and _is_exports(left, draft):
        row = _named_export(draft, left, right)
    else:
        if prototypes.assigned(draft, left, right):
            draft.full = full
            return -1
        member = _member(draft, left)
        row = _plain(draft, left, right) if member is None else _expando(draft, left, right, member)
    draft.full = full
    return row


def _is_exports(left: Node, draft: Draft) -> bool:
    base = field(draft, left, nodes.F_OBJECT)
    return base is not None and draft.data[base.start_byte : base.end_byte] in (b"exports", b"module.exports")


def _member(draft: Draft, left: Node) -> _Member | None:
    """A member that the assignment may declare: of a name, its prototype, or `this`."""
    base, name = field(draft, left, nodes.F_OBJECT), field(draft, left, nodes.F_PROPERTY)
    if (
        base is None
        or name is None
        or draft.kinds.of(name) not in (nodes.PROPERTY_IDENTIFIER, nodes.PRIVATE_PROPERTY_IDENTIFIER)
    ):
        return None
    if draft.kinds.of(base) == nodes.THIS:
        return _Member(-1, False, name) if draft.script else None
    if draft.kinds.of(base) == nodes.IDENTIFIER:
        return _Member(draft.name(base.start_byte, base.end_byte), False, name)
    if draft.kinds.of(base) == nodes.MEMBER_EXPRESSION and draft.script:
        outer, word = field(draft, base, nodes.F_OBJECT), field(draft, base, nodes.F_PROPERTY)
        spelled = draft.data[word.start_byte : word.end_byte] if word is not None else b""
        if outer is not None and draft.kinds.of(outer) == nodes.IDENTIFIER and spelled == b"prototype":
            return _Member(draft.name(outer.start_byte, outer.end_byte), True, name)
    return None


def _plain(draft: Draft, left: Node, right: Node) -> int:
    subject = draft.read(left, 1 if draft.kinds.marks(right) & nodes.CONTEXTUAL else 0, WRITE)
    draft.expected = subject if draft.kinds.marks(right) & nodes.CONTEXTUAL else -1
    row = draft.read(right, KEPT)
    draft.expected = -1
    return row


def _expando(draft: Draft, left: Node, right: Node, member: _Member) -> int:
    """A member that may be declared here: decided when the file has been read."""
    called = draft.kinds.marks(right) & nodes.FUNCTIONS != 0
    subject = draft.read(left, 1, WRITE)
    use = tuple(draft.occurrences[-USE:])
    del draft.occurrences[-USE:]
    start, end = member.name.start_byte, member.name.end_byte
    row = draft.define(draft.name(start, end), METHOD if called else FIELD, start, end, WAITING)
    definition = draft.definitions[row]
    definition[D_FLAGS] |= INSTANCE if member.base < 0 or member.prototype else STATIC
    definition[D_SIGNATURE] = first_line(draft, left)
    draft.expandos.append(Expando(member.base, draft.scope, member.prototype, definition=row, use=use, called=called))
    declared = definition[D_TYPE] = declared_type(draft, left)
    _fill(draft, row, right, draft.expression(TYPE, declared) if declared >= 0 else subject)
    return draft.definitions[row][D_VALUE]


def _fill(draft: Draft, row: int, right: Node, expected: int = -1) -> None:
    """The value of a definition that an assignment makes."""
    definition = draft.definitions[row]
    if draft.kinds.marks(right) & nodes.FUNCTIONS:
        function(draft, right, row, expected)
    elif draft.kinds.of(right) == nodes.CLASS:
        draft.object_owner = row
        class_declaration(draft, right, 0, READ)
    else:
        draft.expected = expected if draft.kinds.marks(right) & nodes.CONTEXTUAL else -1
        draft.object_owner = row if draft.kinds.of(right) == nodes.OBJECT else -1
        owner = draft.owner
        if draft.owns(row) and not _passes_on(draft, row, right):
            draft.owner = row
        definition[D_VALUE] = draft.read(right, KEPT)
        draft.expected = draft.object_owner = -1
        draft.owner = owner


# ---------------------------------------------------------------- CommonJS


def _module_exports(draft: Draft, left: Node, right: Node) -> int:
    """`module.exports = value`."""
    draft.read(left)
    del draft.occurrences[-USE:]
    start, end = left.start_byte, left.end_byte
    row = draft.define(draft.text(ASSIGNED), VARIABLE, start, end, draft.export_scope())
    draft.definitions[row][D_FLAGS] |= EXPORTED | DEFAULT_EXPORT
    _exported(draft, row, right)
    return draft.definitions[row][D_VALUE]


def _named_export(draft: Draft, left: Node, right: Node) -> int:
    """`exports.name = value`."""
    name = field(draft, left, nodes.F_PROPERTY)
    draft.read(left)
    if name is None:
        return draft.read(right, KEPT)
    del draft.occurrences[-USE:]
    start, end = name.start_byte, name.end_byte
    row = draft.define(draft.name(start, end), VARIABLE, start, end, draft.export_scope())
    draft.definitions[row][D_FLAGS] |= EXPORTED
    _exported(draft, row, right)
    return draft.definitions[row][D_VALUE]


def _exported(draft: Draft, row: int, right: Node) -> None:
    """A name or another module is passed on; functions and classes are defined here."""
    definition = draft.definitions[row]
    if draft.kinds.marks(right) & nodes.FUNCTIONS:
        definition[D_KIND] = FUNCTION
    elif draft.kinds.of(right) == nodes.CLASS:
        definition[D_KIND] = CLASS
    declared = declared_type(draft, right)
    _fill(draft, row, right, draft.expression(TYPE, declared) if declared >= 0 else -1)
    if _passes_on(draft, row, right):
        definition = draft.definitions[row]
        definition[D_KIND] = IMPORT
        if draft.strings[definition[D_NAME]] != ASSIGNED:
            draft.use(definition[D_START], definition[D_END], EXPORT)  # it means what it passes on


def _passes_on(draft: Draft, row: int, right: Node) -> bool:
    """Whether an export is another name of something, not a thing of its own."""
    exported = draft.definitions[row][D_FLAGS] & EXPORTED
    return bool(exported) and (draft.kinds.of(right) == nodes.IDENTIFIER or required(draft, right))


RULES: Mapping[str, Rule] = {
    "assignment_expression": guarded(assignment),
    "augmented_assignment_expression": guarded(augmented),
}
