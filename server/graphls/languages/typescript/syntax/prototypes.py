"""Prototypes: what functions that make objects get from object literals and from other functions.

Owns: `F.prototype = { ... }`, `Object.assign(F.prototype, { ... })`, `Object.create(Base.prototype)`,
`inherits(F, Base)`; exports that `Object.defineProperty` makes.
Must not know: which definition a name means; that takes the whole file.
Invariant: each name in these forms is recorded once, as a use or as a definition.
"""

from __future__ import annotations

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_FLAGS, D_SIGNATURE, D_VALUE, EXPRESSION
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import (
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
    Expando,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import function
from graphls.languages.typescript.syntax.nesting import children, field
from graphls.languages.typescript.syntax.texts import first_line

_INHERITS = (b"inherits", b"setPrototypeOf")


def of_prototype(builder: TsFactsBuilder, node: Node) -> Node | None:
    """`F` in `F.prototype`; None for anything else."""
    base, name = field(builder, node, nodes.F_OBJECT), field(builder, node, nodes.F_PROPERTY)
    if (
        builder.kinds.of(node) != nodes.MEMBER_EXPRESSION
        or base is None
        or name is None
        or builder.kinds.of(base) != nodes.IDENTIFIER
    ):
        return None
    return base if builder.data[name.start_byte : name.end_byte] == b"prototype" else None


def assigned(builder: TsFactsBuilder, left: Node, right: Node) -> bool:
    """`F.prototype = ...`: whether it is one of the forms that are read here."""
    heir = of_prototype(builder, left) if builder.script else None
    if heir is None:
        return False
    if builder.kinds.of(right) == nodes.OBJECT:
        builder.read(heir)
        members(builder, right, builder.name(heir.start_byte, heir.end_byte))
        return True
    base = _base(builder, right)
    if base is None:
        return False
    builder.read(heir)
    callee = field(builder, right, nodes.F_FUNCTION) or field(builder, right, nodes.F_CONSTRUCTOR)
    arguments = field(builder, right, nodes.F_ARGUMENTS)
    inner = base
    row = -1
    for part in (callee, *(children(arguments) if arguments is not None else ())):
        holder = of_prototype(builder, part) if part is not None else None
        if part is None:
            continue
        called = CALLED if part == callee else READ
        if part == inner or holder == inner:
            row = builder.read(inner, WANTED, called)
        else:
            builder.read(part, 0, called)
    if row >= 0:
        builder.heirs.append((builder.name(heir.start_byte, heir.end_byte), builder.scope, row))
    return True


def _base(builder: TsFactsBuilder, node: Node) -> Node | None:
    """`Base` in `Object.create(Base.prototype)` and `new Base()`."""
    if builder.kinds.of(node) == nodes.NEW_EXPRESSION:
        made = field(builder, node, nodes.F_CONSTRUCTOR)
        return made if made is not None and builder.kinds.of(made) == nodes.IDENTIFIER else None
    callee, arguments = field(builder, node, nodes.F_FUNCTION), field(builder, node, nodes.F_ARGUMENTS)
    if builder.kinds.of(node) != nodes.CALL_EXPRESSION or callee is None or arguments is None:
        return None
    given = children(arguments)
    if builder.data[callee.start_byte : callee.end_byte] != b"Object.create" or not given:
        return None
    return of_prototype(builder, given[0])


def read_prototype_call(builder: TsFactsBuilder, function_node: Node, given: list[Node]) -> bool:
    """`inherits(F, Base)` and `Object.assign(F.prototype, { ... })`: whether the arguments were read."""
    if not builder.script or len(given) < 2:
        return False
    spelled = builder.data[max(function_node.start_byte, function_node.end_byte - 24) : function_node.end_byte]
    if spelled == b"Object.assign":
        return _mixed_in(builder, given)
    if spelled == b"Object.defineProperty":
        return _given(builder, given)
    if spelled.rpartition(b".")[2] not in _INHERITS:
        return False
    heir, base = (of_prototype(builder, part) or part for part in given[:2])
    if builder.kinds.of(heir) != nodes.IDENTIFIER:
        return False
    builder.read(heir)
    row = builder.read(base, WANTED)
    for part in given[2:]:
        builder.read(part)
    if row >= 0:
        builder.heirs.append((builder.name(heir.start_byte, heir.end_byte), builder.scope, row))
    return True


def _given(builder: TsFactsBuilder, given: list[Node]) -> bool:
    """`Object.defineProperty(exports, "name", { value: ... })`, or a `get` that returns the value."""
    holder, name = given[0], given[1]
    written = builder.between(name.start_byte + 1, name.end_byte - 1)
    exported = builder.data[holder.start_byte : holder.end_byte] in (b"exports", b"module.exports")
    if not exported or builder.kinds.of(name) != nodes.STRING or not written.decode("utf-8", "replace").isidentifier():
        return False
    if written == b"__esModule" or len(given) != 3 or builder.kinds.of(given[2]) != nodes.OBJECT:
        return False
    builder.read(holder)
    full, builder.full = builder.full, (holder.start_byte, given[2].end_byte)
    start, end = name.start_byte + 1, name.end_byte - 1
    row = builder.define(builder.name(start, end), VARIABLE, start, end, builder.export_scope())
    builder.definitions[row][D_FLAGS] |= EXPORTED
    owner = builder.owner
    if builder.owns(row):
        builder.owner = row
    for part in children(given[2]):
        key, value = field(builder, part, nodes.F_KEY), field(builder, part, nodes.F_VALUE)
        word = builder.data[key.start_byte : key.end_byte] if key is not None else b""
        if value is None or word not in (b"value", b"get"):
            builder.read(part)
            continue
        given_value = builder.read(value, KEPT)
        if word == b"get" and builder.kind_of(given_value) == LAMBDA:
            given_value = builder.expressions[given_value * EXPRESSION + 1]
        builder.definitions[row][D_VALUE] = given_value
    builder.full, builder.owner = full, owner
    return True


def _mixed_in(builder: TsFactsBuilder, given: list[Node]) -> bool:
    heir = of_prototype(builder, given[0])
    if heir is None:
        return False
    builder.read(heir)
    for part in given[1:]:
        if builder.kinds.of(part) == nodes.OBJECT:
            members(builder, part, builder.name(heir.start_byte, heir.end_byte))
        else:
            builder.read(part)
    return True


def members(builder: TsFactsBuilder, node: Node, holder: int) -> None:
    """Members of a literal, as those that instances of a function have."""
    full = builder.full
    for part in children(node):
        builder.full = (part.start_byte, part.end_byte)
        name = field(builder, part, nodes.F_NAME) or field(builder, part, nodes.F_KEY)
        if name is None or builder.kinds.of(name) != nodes.PROPERTY_IDENTIFIER:
            builder.read(part)
            continue
        value = part if builder.kinds.of(part) == nodes.METHOD_DEFINITION else field(builder, part, nodes.F_VALUE)
        called = value is not None and (value == part or builder.kinds.marks(value) & nodes.FUNCTIONS != 0)
        start, end = name.start_byte, name.end_byte
        row = builder.define(builder.name(start, end), METHOD if called else FIELD, start, end, WAITING)
        builder.definitions[row][D_FLAGS] |= INSTANCE
        builder.definitions[row][D_SIGNATURE] = first_line(builder, part)
        builder.expandos.append(Expando(holder, builder.scope, True, definition=row, use=(), called=called))
        if value is not None and called:
            function(builder, value, row)
        elif value is not None:
            owner = builder.owner
            if builder.owns(row):
                builder.owner = row
            builder.definitions[row][D_VALUE] = builder.read(value, KEPT, READ)
            builder.owner = owner
    builder.full = full
