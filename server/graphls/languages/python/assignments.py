"""Assignments: statements that bind, rebind, declare or delete names, and `return`.

Owns: `=`, annotated names, `+=`, `type`, `global`, `nonlocal`, `del`, `return`.
Must not know: compound statements.
Invariant: the targets of one statement share its full range and its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, OccurrenceFlag, ReturnKind, ScopeKind
from graphls.languages.draft import (
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
from graphls.languages.python import nodes
from graphls.languages.python.annotations import annotation
from graphls.languages.python.declarations import type_parameters
from graphls.languages.python.draft import (
    DELETED,
    READ,
    Draft,
    Level,
    Rule,
)
from graphls.languages.python.nesting import children, generic, guarded
from graphls.languages.python.strings import exported
from graphls.languages.python.targets import Target, bind_name, bind_target, read_target, settle

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
VARIABLE: Final = int(DefinitionKind.VARIABLE)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
SIGNATURE_CAP: Final = 120
_VALUES: Final = (VARIABLE, CONSTANT, FIELD)


def assignment(draft: Draft, node: Node, want: int, role: int) -> int:
    """`a = b = value`, `name: annotation = value`. Answers the value, for the targets further left."""
    parts = node.named_children
    if len(parts) > 2:
        parts = children(node)
    full, owner = draft.full, draft.owner
    draft.full = (node.start_byte, node.end_byte)
    left = parts[0]
    pending: list[Target] = []
    lasting = draft.frame.level != Level.FUNCTION and draft.scope == draft.frame.scope
    if lasting:
        draft.owner = draft.frame.definition
    if left.kind_id == nodes.IDENTIFIER:
        pending.append((bind_name(draft, left), ()))
    else:
        bind_target(draft, left, pending)
    if lasting and pending:
        _own(draft, pending, owner)
    annotated = value = -1
    right: Node | None = None
    for part in parts[1:]:
        if part.kind_id == nodes.TYPE:
            annotated = annotation(draft, part)
            _annotate(draft, pending, part, annotated)
        else:
            right = part
    if right is not None:
        value = _value(draft, left, right, pending, want)
        settle(draft, pending, value)
    if pending:
        _sign(draft, pending, node)
    draft.full, draft.owner = full, owner
    return value


def _own(draft: Draft, pending: list[Target], outer: int) -> None:
    """What follows is used by the first name that the statement binds, of `a = b = value` by the leftmost."""
    first = pending[0][0]
    draft.owner = outer if outer != draft.frame.definition else first
    for row, _ in pending:
        if row != draft.owner:
            draft.definitions[row][D_FLAGS] |= SHARED


def _value(draft: Draft, left: Node, right: Node, pending: list[Target], want: int) -> int:
    if draft.frame.level == Level.MODULE and draft.data[left.start_byte : left.end_byte] == b"__all__":
        exported(draft, right)
    if len(pending) == 1 and draft.definitions[pending[0][0]][D_KIND] == TYPE_ALIAS:
        return annotation(draft, right)
    mark = len(draft.occurrences)
    value = draft.read(right, 1 if pending or want else 0)
    if len(pending) > 1 and right.kind_id in nodes.SEQUENCE_TARGETS and draft.owner == pending[0][0]:
        _own_each(draft, children(right), pending, mark)
    return value


def _own_each(draft: Draft, parts: list[Node], pending: list[Target], mark: int) -> None:
    """`a, b = f(), g()`: each name uses its own part of the value."""
    if [path for _, path in pending] != [(position,) for position in range(len(parts))]:
        return
    if any(part.kind_id == nodes.LIST_SPLAT for part in parts):
        return
    uses = draft.occurrences
    for (row, _), part in zip(pending, parts, strict=True):
        draft.definitions[row][D_FLAGS] &= ~SHARED
        for at in range(mark, len(uses), USE):
            if part.start_byte <= uses[at + U_START] < part.end_byte and uses[at + U_OWNER] == draft.owner:
                uses[at + U_OWNER] = row


def _annotate(draft: Draft, pending: list[Target], node: Node, row: int) -> None:
    """What an annotation says beyond the type: an alias, a constant, not an enum member."""
    text = draft.data[node.start_byte : node.end_byte].strip(b"\"' ")
    head = text.partition(b"[")[0].rpartition(b".")[2]
    for target, _ in pending:
        definition = draft.definitions[target]
        definition[D_TYPE] = row
        if head == b"TypeAlias":
            definition[D_KIND] = TYPE_ALIAS
        elif definition[D_KIND] == ENUM_MEMBER:
            definition[D_KIND] = FIELD
        if head == b"Final" or text.startswith((b"ClassVar[Final", b"typing.ClassVar[typing.Final")):
            definition[D_FLAGS] |= FINAL


def _sign(draft: Draft, pending: list[Target], node: Node) -> None:
    """The statement as written, for what other files can see."""
    seen_outside = draft.frame.level != Level.FUNCTION
    text = -1
    for row, _ in pending:
        definition = draft.definitions[row]
        if seen_outside or definition[D_FLAGS] & INSTANCE:
            text = _first_line(draft, node) if text < 0 else text
            definition[D_SIGNATURE] = text


def _first_line(draft: Draft, node: Node) -> int:
    data, start = draft.data, node.start_byte
    end = min(node.end_byte, start + 4 * SIGNATURE_CAP)
    stop = data.find(b"\n", start, end)
    line = data[start : end if stop < 0 else stop].decode("utf-8", "replace")
    return draft.text(" ".join(line.split())[:SIGNATURE_CAP])


def augmented(draft: Draft, node: Node, want: int, role: int) -> int:
    """`x += value`: a read that also writes; a binding only where nothing else binds the name."""
    parts = children(node)
    left = parts[0]
    if draft.frame.level == Level.MODULE and draft.data[left.start_byte : left.end_byte] == b"__all__":
        exported(draft, parts[-1])
    flags, owner = draft.use_flags, draft.owner
    if left.kind_id == nodes.IDENTIFIER:
        _candidate(draft, left, node)
        draft.owner = _bound_before(draft, left)
        draft.use_flags |= ALSO_WRITE
        draft.use(left.start_byte, left.end_byte, READ)
    elif left.kind_id == nodes.ATTRIBUTE and len(children(left)) == 2:
        target, name = children(left)
        base = draft.read(target, 1)
        draft.use_flags |= ALSO_WRITE
        draft.use(name.start_byte, name.end_byte, READ, base if base >= 0 else draft.unknown())
    else:
        draft.read(left)
    draft.use_flags = flags
    for part in parts[1:]:
        draft.read(part)
    draft.owner = owner
    return -1


def _bound_before(draft: Draft, name: Node) -> int:
    """The variable of a module or class that `name += value` adds to: its value is part of the initialiser."""
    frame = draft.frame
    if frame.level == Level.FUNCTION or draft.scope != frame.scope:
        return draft.owner
    wanted = draft.name(name.start_byte, name.end_byte)
    for row in range(len(draft.definitions) - 1, -1, -1):
        definition = draft.definitions[row]
        if definition[D_NAME] == wanted and definition[D_SCOPE] == draft.scope:
            return row if definition[D_KIND] in _VALUES else draft.owner
    return draft.owner


def _candidate(draft: Draft, name: Node, node: Node) -> None:
    full, draft.full = draft.full, (node.start_byte, node.end_byte)
    row = bind_name(draft, name)
    definition = draft.definitions.pop()
    definition[D_FLAGS] |= AUGMENTED
    if draft.nonlocals and draft.nonlocals[-1][0] == row:
        draft.nonlocals.pop()
    else:
        draft.augmented.append(definition)
    draft.full = full


def type_alias(draft: Draft, node: Node, want: int, role: int) -> int:
    """`type X[T] = value`."""
    parts = children(node)
    left = children(parts[0])[0] if parts and parts[0].named_child_count else None
    if left is None or len(parts) != 2:
        return generic(draft, node, 0, READ)
    parameters: Node | None = None
    if left.kind_id == nodes.GENERIC_TYPE and len(children(left)) == 2:
        left, parameters = children(left)
    if left.kind_id != nodes.IDENTIFIER:
        return generic(draft, node, 0, READ)
    full, draft.full = draft.full, (node.start_byte, node.end_byte)
    row = bind_name(draft, left, TYPE_ALIAS)
    scope, owner = draft.scope, draft.owner
    if draft.frame.level != Level.FUNCTION:
        draft.owner = row
    if parameters is not None:
        draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(draft, parameters)
    draft.definitions[row][D_VALUE] = annotation(draft, parts[1])
    draft.scope, draft.owner = scope, owner
    _sign(draft, [(row, ())], node)
    draft.full = full
    return -1


def declared(draft: Draft, node: Node, want: int, role: int) -> int:
    """`global x`, `nonlocal x`."""
    is_global = draft.data.startswith(b"global", node.start_byte)
    for part in children(node):
        name = draft.use(part.start_byte, part.end_byte, READ)
        draft.frame.declared[name] = is_global
    return -1


def deleted(draft: Draft, node: Node, want: int, role: int) -> int:
    """`del x, y.z, a[0]`."""
    for part in children(node):
        read_target(draft, part, DELETED)
    return -1


def returned(draft: Draft, node: Node, want: int, role: int) -> int:
    """`return value`."""
    row = -1
    parts = children(node)
    for part in parts:
        row = draft.rules[part.kind_id](draft, part, 1, READ)
    if parts and draft.frame.level == Level.FUNCTION:
        draft.returns.append((draft.frame.definition, row, RETURN))
    return -1


RULES: Mapping[str, Rule] = {
    "assignment": guarded(assignment),
    "augmented_assignment": augmented,
    "type_alias_statement": guarded(type_alias),
    "global_statement": guarded(declared),
    "nonlocal_statement": guarded(declared),
    "delete_statement": guarded(deleted),
    "return_statement": returned,
}
