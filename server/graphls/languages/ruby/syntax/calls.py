"""Calls: messages, their arguments, and the blocks that are handed along.

Owns: the rules of calls, `super`, blocks and lambdas; what `self` is in a block.
Must not know: what declares something, other files.
Invariant: in a block that something unknown may run as anything, `self` is not known.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import OccurrenceFlag
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    MEMBER,
    READ,
    DeclaredFactsBuilder,
    Rule,
    generic,
)
from graphls.languages.ruby.syntax.facts_builder import (
    BLOCK,
    BODIES,
    DEFAULTED,
    FUNCTION_SCOPE,
    IMPORTED,
    ITEM,
    KEYWORD_ONLY,
    KEYWORDS,
    LAMBDA_SCOPE,
    OPERATION,
    PARAMETER,
    TEXT,
    TUPLE,
    VARIADIC,
    YIELD,
    RubyFactsBuilder,
    literal_name,
    ruby,
)
from graphls.languages.ruby.syntax.statements import read_body_parts

ALIAS: Final = int(OccurrenceFlag.ALIAS)
UNKNOWN_SELF, SAME_SELF, OPEN_BLOCK = 0, 1, 2
"""What `self` is in a block: something else, the same, or the class around or one of its instances."""
_LOADED: Final = frozenset((b"require", b"require_relative", b"load"))
_SENT: Final = frozenset((b"send", b"public_send", b"__send__", b"method", b"public_method", b"instance_method",
                          b"respond_to?", b"try"))  # fmt: skip
_OTHER_SELF: Final = frozenset((b"instance_eval", b"instance_exec", b"class_eval", b"class_exec", b"module_eval",
                                b"module_exec", b"define_method", b"define_singleton_method"))  # fmt: skip
_SAME_SELF: Final = frozenset((b"each", b"map", b"each_with_index", b"each_pair", b"each_key", b"each_value", b"select",
                               b"reject", b"times", b"tap", b"then", b"each_with_object", b"flat_map", b"inject",
                               b"reduce", b"to_h", b"any?", b"all?", b"find", b"sort_by", b"group_by", b"upto",
                               b"each_slice", b"filter_map", b"lambda", b"proc", b"loop", b"fetch"))  # fmt: skip
_FILLED: Final = frozenset((b"push", b"append", b"add", b"unshift", b"prepend"))
"""Messages that put something into an array."""
_PARAMETERS: Final = {
    "optional_parameter": DEFAULTED,
    "splat_parameter": VARIADIC,
    "hash_splat_parameter": KEYWORDS,
    "block_parameter": 0,
    "keyword_parameter": KEYWORD_ONLY,
}


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`receiver.name(arguments) { block }`."""
    own = ruby(builder)
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    block = node.child_by_field_name("block")
    builder.shape.append(node.kind_id)
    word = b"" if method is None else method.text or b""
    if receiver is None and method is not None and method.type == "super":
        row = above(builder, method, want, READ)
    elif receiver is None and method is not None:
        if word in _LOADED and load(builder, node, word):
            return -1
        row = own.send(own.self_expression(), method, 1) if method.type in ("identifier", "constant") else -1
    else:
        base = builder.read(receiver, 1) if receiver is not None else -1
        row = own.send(base, method, 1) if method is not None else -1
        if method is None:
            row = -1
    outer, own.taker = own.taker, row
    given = arguments(builder, node, word, receiver)
    if word in _FILLED and len(given) == 1:
        own.fill(receiver, given[0])
    if block is not None:
        row = taken(builder, row, read_block(builder, block, self_in_block(builder, receiver, word), row))
    elif own.taker != row:
        row = own.taker  # a name that is handed on as a block
    own.taker = outer
    return row if want else -1


def taken(builder: DeclaredFactsBuilder, call: int, held: int) -> int:
    """A call with a block, which may give what nobody knows."""
    held = held if held >= 0 else builder.unknown()
    return builder.expression(OPERATION, call, held, builder.text(BLOCK)) if call >= 0 else call


def self_in_block(builder: DeclaredFactsBuilder, receiver: Node | None, word: bytes) -> int:
    """What `self` is in a block that a message takes. Bodies of methods hand blocks to what calls them; what a class
    hands to a message of its own may be run as an instance of it as well."""
    if word in _OTHER_SELF:
        return UNKNOWN_SELF
    if word in _SAME_SELF or _in_method(builder):
        return SAME_SELF
    return OPEN_BLOCK if receiver is None and ruby(builder).class_scope() else UNKNOWN_SELF


def _in_method(builder: DeclaredFactsBuilder) -> bool:
    at = builder.scope
    while at >= 0 and builder.scopes[at][0] == LAMBDA_SCOPE and builder.scopes[at][4] < 0:
        at = builder.scopes[at][1]
    return (
        at >= 0
        and (builder.scopes[at][0] == FUNCTION_SCOPE or builder.scopes[at][4] >= 0)
        and (builder.scopes[at][0] not in BODIES)
    )


def arguments(builder: DeclaredFactsBuilder, node: Node, word: bytes, receiver: Node | None) -> list[int]:
    """The arguments of a call; a symbol that names a method for `send` and the like is a use of it. Answers their
    values where these may matter."""
    given = node.child_by_field_name("arguments")
    parts = given.named_children if given is not None else ()
    if word in _SENT and parts:
        found = literal_name(parts[0])
        own = ruby(builder)
        if found is not None and (receiver is None or receiver.type == "self"):
            builder.use(found[0], found[1], TEXT, own.self_expression())
            parts = parts[1:]
    named = receiver is None and builder.scopes[builder.scope][0] in BODIES
    wanted, rows = int(word in _FILLED), list[int]()
    for part in parts:
        found = literal_name(part) if named and part.type == "simple_symbol" else None
        if found is None:
            rows.append(builder.read(part, wanted))
        else:  # `before_action :name` and the like
            builder.use(found[0], found[1], TEXT, ruby(builder).instance_of_class())
    return rows


def load(builder: DeclaredFactsBuilder, node: Node, word: bytes) -> bool:
    """`require "path"`: whether the path is written out."""
    given = node.child_by_field_name("arguments")
    parts = given.named_children if given is not None else ()
    found = literal_name(parts[0]) if len(parts) == 1 and parts[0].type == "string" else None
    if found is None:
        return False
    start, end = found
    module = builder.text(("./" if word == b"require_relative" else "") + builder.source(start, end))
    builder.use(start, end, IMPORTED, builder.module(module, 0))
    builder.imports.append([module, 0, -1, -1, 0, start, end, builder.scope])
    return True


def read_block(builder: DeclaredFactsBuilder, node: Node, how: int, call: int = -1) -> int:
    """`{ |x| ... }`, `do |x| ... end`; answers what it gives. `call`: who takes it, and hands it its parameters."""
    own = ruby(builder)
    outer, known, full, unsure = builder.scope, own.known_self, builder.full, own.open_self
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    own.known_self = known and how != UNKNOWN_SELF
    own.open_self = unsure or how == OPEN_BLOCK
    builder.enter_branch()
    parameters = node.child_by_field_name("parameters")
    first = len(builder.definitions)
    if parameters is not None:
        read_parameters(builder, parameters)
    handed_to(own, parameters, first, call)
    inside, outer_taker = node.child_by_field_name("body"), own.taker
    own.taker = -1
    held = read_body_parts(builder, inside, int(call >= 0)) if inside is not None else -1
    own.taker = outer_taker
    builder.leave_branch()
    builder.scope, own.known_self, builder.full, own.open_self = outer, known, full, unsure
    return held


def handed_to(own: RubyFactsBuilder, node: Node | None, first: int, call: int) -> None:
    """Parameters of a block stand for what the call hands out, by position."""
    plain = [part for part in node.named_children if part.type != "comment"] if node is not None else []
    if call < 0 or any(part.type != "identifier" for part in plain):
        return
    for at in range(len(plain)):
        own.values.setdefault(first + at, []).append(own.expression(ITEM, call, at))


def yielded(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`yield a, b`: what a block is handed."""
    given = next((part for part in node.named_children if part.type == "argument_list"), node)
    rows = [builder.read(part, 1) for part in given.named_children]
    owner = builder.owner
    if rows and owner >= 0:
        held = [row if row >= 0 else builder.unknown() for row in rows]
        row = held[0] if len(held) == 1 else builder.expression(TUPLE, builder.sequence(held))
        builder.returns.append((owner, row, YIELD))
    return -1


def block_rule(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A block that stands alone, in broken code."""
    read_block(builder, node, UNKNOWN_SELF)
    return -1


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`->(x) { ... }`."""
    own = ruby(builder)
    outer, full = builder.scope, builder.full
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    parameters, inside = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if parameters is not None:
        read_parameters(builder, parameters)
    known, unsure = own.known_self, own.open_self
    own.open_self = unsure or not _in_method(builder)
    own.known_self = known and (not own.open_self or own.class_scope() > 0)
    body = inside.child_by_field_name("body") if inside is not None else None
    if body is not None:
        read_body_parts(builder, body, 0)
    builder.scope, builder.full, own.known_self, own.open_self = outer, full, known, unsure
    return builder.builtin("Proc") if want else -1


def read_parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Parameters of a method, a block or a lambda, bound in the current scope."""
    for part in node.named_children:
        _parameter(builder, part)


def _parameter(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    if node.type == "identifier":
        ruby(builder).define_local(node, PARAMETER)
    elif node.type == "destructured_parameter":
        for part in node.named_children:
            _parameter(builder, part)
    elif node.type in _PARAMETERS:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        flags = _PARAMETERS[node.type]
        if value is not None:
            flags |= DEFAULTED
            builder.read(value)
            builder.full = (node.start_byte, node.end_byte)
        if name is not None:
            ruby(builder).define_local(name, PARAMETER, flags)
    elif node.type != "comment":
        builder.read(node)


def above(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`super`: the method of this name above."""
    own = ruby(builder)
    base = own.self_expression() if own.method else builder.unknown()
    name = builder.text(own.method or "super")
    row = (name, CALLED, builder.use_flags | ALIAS, builder.scope, base, builder.owner)
    builder.occurrences += (node.start_byte, node.end_byte, *row)
    return -1


def handed_block(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`&block`, `&:name`: the method of that name of whatever the block is given."""
    for part in node.named_children:
        found = literal_name(part)
        own = ruby(builder)
        if found is None:
            builder.read(part)
            own.taker = taken(builder, own.taker, -1)
        elif own.taker < 0:
            builder.use(found[0], found[1], TEXT, builder.unknown())
        else:
            first = builder.expression(ITEM, own.taker, 0)
            name = builder.use(found[0], found[1], TEXT, first)
            sent = builder.expression(CALL, builder.expression(MEMBER, first, name, found[0]), -1)
            own.taker = taken(builder, own.taker, sent)
    return -1


def handed(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`&block`, `&:name`, `*values`, `**values`."""
    builder.read_all(node)
    return -1


RULES: dict[str, Rule] = {
    "call": call,
    "super": above,
    "block": block_rule,
    "do_block": block_rule,
    "lambda": function,
    "block_argument": handed_block,
    **dict.fromkeys(("splat_argument", "hash_splat_argument"), handed),
    "argument_list": generic,
    "yield": yielded,
}
