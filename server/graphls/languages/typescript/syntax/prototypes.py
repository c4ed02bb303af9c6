"""Prototypes: what functions that make objects get from object literals and from other functions.

Owns: `F.prototype = { ... }`, `Object.assign(F.prototype, { ... })`, `Object.create(Base.prototype)`,
`inherits(F, Base)`; exports that `Object.defineProperty` makes.
Must not know: which definition a name means; that takes the whole file.
Invariant: each name in these forms is recorded once, as a use or as a definition.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_FLAGS, D_SIGNATURE, D_VALUE, EXPRESSION
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.commonjs import is_exports
from graphls.languages.typescript.syntax.facts_builder import (
    CALLED,
    EXPORTED,
    FIELD,
    INSTANCE,
    KEPT,
    LAMBDA,
    METHOD,
    PROPERTY,
    READ,
    STATIC,
    VARIABLE,
    WAITING,
    WANTED,
    Expando,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import function
from graphls.languages.typescript.syntax.nesting import children, field
from graphls.languages.typescript.syntax.texts import first_line

_COPIER = re.compile(
    rb"\b(?:const|let|var|import)\s+([A-Za-z_$][\w$]*)\s*(?:=\s*require\s*\(|from)\s*['\"]"
    rb"(?:merge-descriptors|object-assign|utils-merge|xtend/mutable|extend|extend-shallow|lodash[./](?:assign|extend|merge))"
    rb"['\"]"
)
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
    """`inherits(F, Base)`, `Object.assign(F.prototype, {})`, `Object.defineProperty(F, "name", {})`: whether the
    arguments were read."""
    spelled = builder.data[max(function_node.start_byte, function_node.end_byte - 24) : function_node.end_byte]
    if spelled == b"Object.defineProperty":
        return (builder.script and _given(builder, given)) or _described(builder, given)
    if spelled == b"Object.defineProperties":
        return _all_described(builder, given)
    if not builder.script or len(given) < 2:
        return False
    if spelled == b"Object.assign":
        return _mixed_in(builder, given) or _copied(builder, given)
    if spelled in _copiers(builder):
        return _copied(builder, given)
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
    is_name = builder.kinds.of(name) == nodes.STRING and written.decode("utf-8", "replace").isidentifier()
    if not is_name or not is_exports(builder, holder):
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


class _Described(NamedTuple):
    """A member that a description of a property makes."""

    name: tuple[int, int]
    whole: tuple[int, int]
    """From its name to its end."""
    descriptor: Node
    member: Node
    """The part of the description that is the member."""
    holder: tuple[int, bool]


def _described(builder: TsFactsBuilder, given: list[Node]) -> bool:
    """`Object.defineProperty(x, "name", { get() {} })`, `{ value: ... }`: a member of `x`, as if it were set there."""
    if len(given) != 3 or builder.kinds.of(given[1]) != nodes.STRING or builder.kinds.of(given[2]) != nodes.OBJECT:
        return False
    start, end = given[1].start_byte + 1, given[1].end_byte - 1
    member, holder = _runs(builder, given[2]), _holder(builder, given[0])
    if member is None or holder is None or not builder.between(start, end).decode("utf-8", "replace").isidentifier():
        return False
    builder.read(given[0])
    whole = (given[1].start_byte, given[2].end_byte)
    _described_member(builder, _Described((start, end), whole, given[2], member, holder))
    return True


def _all_described(builder: TsFactsBuilder, given: list[Node]) -> bool:
    """`Object.defineProperties(x, { name: { get() {} } })`."""
    holder = _holder(builder, given[0]) if len(given) == 2 and builder.kinds.of(given[1]) == nodes.OBJECT else None
    if holder is None:
        return False
    builder.read(given[0])
    for part in children(given[1]):
        key, value = field(builder, part, nodes.F_KEY), field(builder, part, nodes.F_VALUE)
        is_described = value is not None and builder.kinds.of(value) == nodes.OBJECT
        member = _runs(builder, value) if value is not None and is_described else None
        if key is None or value is None or member is None or builder.kinds.of(key) != nodes.PROPERTY_IDENTIFIER:
            builder.read(part)
            continue
        name, whole = (key.start_byte, key.end_byte), (part.start_byte, part.end_byte)
        _described_member(builder, _Described(name, whole, value, member, holder))
    return True


def _holder(builder: TsFactsBuilder, node: Node) -> tuple[int, bool] | None:
    """Number of the name of what gets a member, -1 for `this`, and whether that is for its prototype."""
    heir = of_prototype(builder, node)
    if builder.kinds.of(node) == nodes.THIS:
        return -1, False
    named = heir or node
    if builder.kinds.of(named) != nodes.IDENTIFIER:
        return None
    return builder.name(named.start_byte, named.end_byte), heir is not None


def _runs(builder: TsFactsBuilder, descriptor: Node) -> Node | None:
    """The part of a description that is the member: its `get`, or a `value` that is a function or the name of one."""
    for part in children(descriptor):
        name = field(builder, part, nodes.F_NAME) or field(builder, part, nodes.F_KEY)
        value = part if builder.kinds.of(part) == nodes.METHOD_DEFINITION else field(builder, part, nodes.F_VALUE)
        word = builder.data[name.start_byte : name.end_byte] if name is not None else b""
        called = value is not None and (value == part or builder.kinds.marks(value) & nodes.FUNCTIONS != 0)
        if (word == b"get" and called) or (word == b"value" and (called or _is_name(builder, value))):
            return part
    return None


def _is_name(builder: TsFactsBuilder, node: Node | None) -> bool:
    return node is not None and builder.kinds.of(node) == nodes.IDENTIFIER


def _described_member(builder: TsFactsBuilder, given: _Described) -> None:
    full, builder.full = builder.full, given.whole
    member, (base, prototype) = given.member, given.holder
    value = member if builder.kinds.of(member) == nodes.METHOD_DEFINITION else field(builder, member, nodes.F_VALUE)
    key = field(builder, member, nodes.F_NAME) or field(builder, member, nodes.F_KEY)
    is_getter = key is not None and builder.data[key.start_byte : key.end_byte] == b"get"
    is_name = _is_name(builder, value)
    kind = FIELD if is_name else PROPERTY if is_getter else METHOD
    row = builder.define(builder.name(*given.name), kind, *given.name, WAITING)
    builder.definitions[row][D_FLAGS] |= INSTANCE if base < 0 or prototype else STATIC
    builder.definitions[row][D_SIGNATURE] = first_line(builder, member)
    builder.expandos.append(Expando(base, builder.scope, prototype, definition=row, use=(), called=not is_name))
    for part in children(given.descriptor):
        if part != member:
            builder.read(part)
        elif value is not None and is_name:
            builder.definitions[row][D_VALUE] = builder.read(value, KEPT)
        elif value is not None:
            function(builder, value, row)
    builder.full = full


def _copiers(builder: TsFactsBuilder) -> frozenset[bytes]:
    """Names that a script gives to functions of libraries which copy members, as `Object.assign` does."""
    if builder.copiers is None:
        builder.copiers = frozenset(found[1] for found in _COPIER.finditer(builder.data))
    return builder.copiers


def _copied(builder: TsFactsBuilder, given: list[Node]) -> bool:
    """`Object.assign(x, y)`: a variable or function gets the members of others."""
    if builder.kinds.of(given[0]) != nodes.IDENTIFIER:
        return False
    builder.read(given[0])
    rows = [row for part in given[1:] if (row := builder.read(part, KEPT)) >= 0]
    if rows:
        builder.copies.append((builder.name(given[0].start_byte, given[0].end_byte), builder.scope, rows))
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
