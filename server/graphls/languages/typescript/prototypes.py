"""Prototypes: what functions that make objects get from object literals and from other functions.

Owns: `F.prototype = { ... }`, `Object.assign(F.prototype, { ... })`, `Object.create(Base.prototype)`,
`inherits(F, Base)`; exports that `Object.defineProperty` makes.
Must not know: which definition a name means; that takes the whole file.
Invariant: each name in these forms is recorded once, as a use or as a definition.
"""

from __future__ import annotations

from tree_sitter import Node

from graphls.languages.draft import D_FLAGS, D_SIGNATURE, D_VALUE, EXPRESSION
from graphls.languages.typescript import nodes
from graphls.languages.typescript.draft import (
    CALLED,
    EXPORTED,
    FIELD,
    INSTANCE,
    KEPT,
    LAMBDA,
    METHOD,
    READ,
    VARIABLE,
    WAITING,
    WANTED,
    Draft,
    Expando,
)
from graphls.languages.typescript.functions import function
from graphls.languages.typescript.nesting import children, field
from graphls.languages.typescript.texts import first_line

_INHERITS = (b"inherits", b"setPrototypeOf")


def of_prototype(draft: Draft, node: Node) -> Node | None:
    """`F` in `F.prototype`; None for anything else."""
    base, name = field(draft, node, nodes.F_OBJECT), field(draft, node, nodes.F_PROPERTY)
    if (
        draft.kinds.of(node) != nodes.MEMBER_EXPRESSION
        or base is None
        or name is None
        or draft.kinds.of(base) != nodes.IDENTIFIER
    ):
        return None
    return base if draft.data[name.start_byte : name.end_byte] == b"prototype" else None


def assigned(draft: Draft, left: Node, right: Node) -> bool:
    """`F.prototype = ...`: whether it is one of the forms that are read here."""
    heir = of_prototype(draft, left) if draft.script else None
    if heir is None:
        return False
    if draft.kinds.of(right) == nodes.OBJECT:
        draft.read(heir)
        members(draft, right, draft.name(heir.start_byte, heir.end_byte))
        return True
    base = _base(draft, right)
    if base is None:
        return False
    draft.read(heir)
    callee = field(draft, right, nodes.F_FUNCTION) or field(draft, right, nodes.F_CONSTRUCTOR)
    arguments = field(draft, right, nodes.F_ARGUMENTS)
    inner = base
    row = -1
    for part in (callee, *(children(arguments) if arguments is not None else ())):
        holder = of_prototype(draft, part) if part is not None else None
        if part is None:
            continue
        called = CALLED if part == callee else READ
        if part == inner or holder == inner:
            row = draft.read(inner, WANTED, called)
        else:
            draft.read(part, 0, called)
    if row >= 0:
        draft.heirs.append((draft.name(heir.start_byte, heir.end_byte), draft.scope, row))
    return True


def _base(draft: Draft, node: Node) -> Node | None:
    """`Base` in `Object.create(Base.prototype)` and `new Base()`."""
    if draft.kinds.of(node) == nodes.NEW_EXPRESSION:
        made = field(draft, node, nodes.F_CONSTRUCTOR)
        return made if made is not None and draft.kinds.of(made) == nodes.IDENTIFIER else None
    callee, arguments = field(draft, node, nodes.F_FUNCTION), field(draft, node, nodes.F_ARGUMENTS)
    if draft.kinds.of(node) != nodes.CALL_EXPRESSION or callee is None or arguments is None:
        return None
    given = children(arguments)
    if draft.data[callee.start_byte : callee.end_byte] != b"Object.create" or not given:
        return None
    return of_prototype(draft, given[0])


def handed(draft: Draft, function_node: Node, given: list[Node]) -> bool:
    """`inherits(F, Base)` and `Object.assign(F.prototype, { ... })`: whether the arguments were read."""
    if not draft.script or len(given) < 2:
        return False
    spelled = draft.data[max(function_node.start_byte, function_node.end_byte - 24) : function_node.end_byte]
    if spelled == b"Object.assign":
        return _mixed_in(draft, given)
    if spelled == b"Object.defineProperty":
        return _given(draft, given)
    if spelled.rpartition(b".")[2] not in _INHERITS:
        return False
    heir, base = (of_prototype(draft, part) or part for part in given[:2])
    if draft.kinds.of(heir) != nodes.IDENTIFIER:
        return False
    draft.read(heir)
    row = draft.read(base, WANTED)
    for part in given[2:]:
        draft.read(part)
    if row >= 0:
        draft.heirs.append((draft.name(heir.start_byte, heir.end_byte), draft.scope, row))
    return True


def _given(draft: Draft, given: list[Node]) -> bool:
    """`Object.defineProperty(exports, "name", { value: ... })`, or a `get` that returns the value."""
    holder, name = given[0], given[1]
    written = draft.between(name.start_byte + 1, name.end_byte - 1)
    exported = draft.data[holder.start_byte : holder.end_byte] in (b"exports", b"module.exports")
    if not exported or draft.kinds.of(name) != nodes.STRING or not written.decode("utf-8", "replace").isidentifier():
        return False
    if written == b"__esModule" or len(given) != 3 or draft.kinds.of(given[2]) != nodes.OBJECT:
        return False
    draft.read(holder)
    full, draft.full = draft.full, (holder.start_byte, given[2].end_byte)
    start, end = name.start_byte + 1, name.end_byte - 1
    row = draft.define(draft.name(start, end), VARIABLE, start, end, draft.export_scope())
    draft.definitions[row][D_FLAGS] |= EXPORTED
    owner = draft.owner
    if draft.owns(row):
        draft.owner = row
    for part in children(given[2]):
        key, value = field(draft, part, nodes.F_KEY), field(draft, part, nodes.F_VALUE)
        word = draft.data[key.start_byte : key.end_byte] if key is not None else b""
        if value is None or word not in (b"value", b"get"):
            draft.read(part)
            continue
        given_value = draft.read(value, KEPT)
        if word == b"get" and draft.kind_of(given_value) == LAMBDA:
            given_value = draft.expressions[given_value * EXPRESSION + 1]
        draft.definitions[row][D_VALUE] = given_value
    draft.full, draft.owner = full, owner
    return True


def _mixed_in(draft: Draft, given: list[Node]) -> bool:
    heir = of_prototype(draft, given[0])
    if heir is None:
        return False
    draft.read(heir)
    for part in given[1:]:
        if draft.kinds.of(part) == nodes.OBJECT:
            members(draft, part, draft.name(heir.start_byte, heir.end_byte))
        else:
            draft.read(part)
    return True


def members(draft: Draft, node: Node, holder: int) -> None:
    """Members of a literal, as those that instances of a function have."""
    full = draft.full
    for part in children(node):
        draft.full = (part.start_byte, part.end_byte)
        name = field(draft, part, nodes.F_NAME) or field(draft, part, nodes.F_KEY)
        if name is None or draft.kinds.of(name) != nodes.PROPERTY_IDENTIFIER:
            draft.read(part)
            continue
        value = part if draft.kinds.of(part) == nodes.METHOD_DEFINITION else field(draft, part, nodes.F_VALUE)
        called = value is not None and (value == part or draft.kinds.marks(value) & nodes.FUNCTIONS != 0)
        start, end = name.start_byte, name.end_byte
        row = draft.define(draft.name(start, end), METHOD if called else FIELD, start, end, WAITING)
        draft.definitions[row][D_FLAGS] |= INSTANCE
        draft.definitions[row][D_SIGNATURE] = first_line(draft, part)
        draft.expandos.append(Expando(holder, draft.scope, True, definition=row, use=(), called=called))
        if value is not None and called:
            function(draft, value, row)
        elif value is not None:
            owner = draft.owner
            if draft.owns(row):
                draft.owner = row
            draft.definitions[row][D_VALUE] = draft.read(value, KEPT, READ)
            draft.owner = owner
    draft.full = full
