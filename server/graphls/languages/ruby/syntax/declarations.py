"""Declarations: classes, modules, methods, and what messages in the body of a class declare.

Owns: their rules; `attr_*`, `include`, `define_method`, `alias`, `delegate`, `Struct.new` with literal names.
Must not know: other files.
Invariant: a name that is computed declares nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import (
    CALL,
    MEMBER,
    NAME,
    READ,
    RETURN,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    comments_above,
)
from graphls.languages.extract.facts_builder import D_BODY, D_KIND, D_TYPE
from graphls.languages.ruby.syntax import calls, expressions, records
from graphls.languages.ruby.syntax.facts_builder import (
    BOTH,
    CLASS,
    CLASS_SCOPE,
    FUNCTION,
    FUNCTION_SCOPE,
    HANDED,
    INHERITED,
    LAMBDA_SCOPE,
    METHOD,
    MODULE,
    NAMESPACE,
    NAMESPACE_SCOPE,
    PROPERTY,
    READ_ONLY,
    ROOT,
    STATIC,
    TEXT,
    WRITE_ONLY,
    RubyFactsBuilder,
    literal_name,
    ruby,
)
from graphls.languages.ruby.syntax.statements import read_body_parts

_MADE: Final = {(b"Struct", b"new"), (b"Class", b"new"), (b"Module", b"new"), (b"Data", b"define")}
_NESTED: Final = frozenset({"class", "module"})
_EMPTY: Final = frozenset({"comment", "empty_statement"})


def doc_above(builder: DeclaredFactsBuilder, node: Node) -> str:
    """The comment above a declaration."""
    return comments_above(builder.data, node.start_byte, b"#")


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class Name < Base`, `module Name`: each is a part of what has that name."""
    own, name = ruby(builder), node.child_by_field_name("name")
    body, above = node.child_by_field_name("body"), node.child_by_field_name("superclass")
    if name is None:
        builder.read_all(node)
        return -1
    prefix = -1
    last: Node | None = name
    if name.type == "scope_resolution":
        before, last = name.child_by_field_name("scope"), name.child_by_field_name("name")
        prefix = builder.read(before, 1) if before is not None else builder.expression(NAME, builder.text(ROOT), 0, -1)
    if last is None:
        return -1
    full = (node.start_byte, node.end_byte)
    kind = NAMESPACE if above is None and _is_namespace(body) else CLASS
    row = _open_class(own, last, full, kind, MODULE if node.type == "module" else 0)
    builder.definitions[row][D_TYPE] = prefix
    inside = _Place(own)
    if above is not None:
        _superclass(own, row, above)
    start = body.start_byte if body is not None else last.end_byte
    inside.enter(row, NAMESPACE_SCOPE if kind == NAMESPACE else CLASS_SCOPE, start, node.end_byte)
    if body is not None:
        read_body_parts(builder, body, 0)
    inside.leave()
    head = above.end_byte if above is not None else name.end_byte
    builder.describe(row, node.start_byte, head, doc_above(builder, node))
    return -1


class _Place:
    """Where the reader stood before a class."""

    def __init__(self, own: RubyFactsBuilder) -> None:
        self._own = own
        self._saved = (own.scope, own.owner, own.full, own.frame, own.class_row, own.member_flags, own.known_self)
        self._method, self._open = own.method, own.open_self

    def enter(self, row: int, kind: int, start: int, end: int) -> None:
        """Into the body of a class."""
        own = self._own
        own.owner, own.class_row, own.frame = row, row, Frame(row)
        own.member_flags, own.known_self, own.method, own.open_self = 0, True, "", False
        own.scope = own.open_scope(kind, start, end, row)
        own.definitions[row][D_BODY] = own.scope

    def leave(self) -> None:
        """Back."""
        own = self._own
        own.scope, own.owner, own.full, own.frame, own.class_row, own.member_flags, own.known_self = self._saved
        own.method, own.open_self = self._method, self._open


def _open_class(own: RubyFactsBuilder, name: Node, full: tuple[int, int], kind: int, flags: int) -> int:
    """The definition of a class, in the class around."""
    scope, owner, own.scope = own.scope, own.owner, own.class_scope()
    own.full, own.owner = full, own.class_row if own.scope else -1
    row = own.define(name, kind, flags)
    own.scope, own.owner = scope, owner
    return row


def _is_namespace(body: Node | None) -> bool:
    """Whether a body holds nothing but classes and modules."""
    parts = [part for part in body.named_children if part.type not in _EMPTY] if body is not None else []
    return bool(parts) and all(part.type in _NESTED for part in parts)


def _superclass(own: RubyFactsBuilder, row: int, node: Node) -> None:
    outer = own.owner
    own.owner = row
    for part in node.named_children:
        made = own.read(part, 1, INHERITED)
        own.bases.append((row, made if made >= 0 else own.unknown(), -1))
    own.owner = outer


def _is_maker(node: Node) -> bool:
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    return receiver is not None and method is not None and (receiver.text, method.text) in _MADE


def made_class(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name = Struct.new(:a) do ... end` declares a class; any other assignment is one."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "constant" or right.type != "call" or not _is_maker(right):
        return expressions.assignment(builder, node, want, role)
    own = ruby(builder)
    receiver, method = right.child_by_field_name("receiver"), right.child_by_field_name("method")
    arguments, block = right.child_by_field_name("arguments"), right.child_by_field_name("block")
    if receiver is None or method is None:
        return -1
    maker = receiver.text or b""
    full = (node.start_byte, node.end_byte)
    row = _open_class(own, left, full, CLASS, MODULE if maker == b"Module" else 0)
    place = _Place(own)
    own.owner = row
    base = builder.read(receiver, 1)
    own.send(base, method, 0)
    given = [part for part in arguments.named_children if part.type != "comment"] if arguments is not None else []
    if maker == b"Class" and given:
        made = builder.read(given[0], 1, INHERITED)
        own.bases.append((row, made if made >= 0 else own.unknown(), -1))
        given = given[1:]
    elif maker in (b"Struct", b"Data"):
        own.bases.append((row, base, -1))
    place.enter(row, CLASS_SCOPE, right.start_byte, node.end_byte)
    for part in given:
        if maker in (b"Struct", b"Data") and part.type == "simple_symbol":
            _property(own, part, READ_ONLY if maker == b"Data" else 0)
        else:
            builder.read(part)
    parameters = block.child_by_field_name("parameters") if block is not None else None
    if parameters is not None:
        calls.read_parameters(builder, parameters)
    body = block.child_by_field_name("body") if block is not None else None
    if body is not None:
        read_body_parts(builder, body, 0)
    place.leave()
    builder.describe(row, node.start_byte, min(right.end_byte, node.start_byte + 120), doc_above(builder, node))
    return -1


def _property(own: RubyFactsBuilder, node: Node, flags: int) -> int:
    return own.define_symbol(node, PROPERTY, flags | own.member_flags)


def singleton_class(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class << self`: what it declares belongs to the class itself."""
    own, value, body = ruby(builder), node.child_by_field_name("value"), node.child_by_field_name("body")
    flags, known = own.member_flags, own.known_self
    if value is not None and value.type != "self":
        builder.read(value)
        own.known_self = False
    own.member_flags = STATIC
    if body is not None:
        read_body_parts(builder, body, 0)
    own.member_flags, own.known_self = flags, known
    return -1


def method(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`def name`, `def self.name`."""
    own, name = ruby(builder), node.child_by_field_name("name")
    holder, parameters = node.child_by_field_name("object"), node.child_by_field_name("parameters")
    body = node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    home = own.class_scope()
    in_class = home > 0 and _is_direct(own)
    flags = own.member_flags if in_class else 0
    written = name.child_by_field_name("name") if name.type == "setter" else None
    if holder is not None:
        flags = STATIC
        if holder.type != "self":
            builder.read(holder)
            in_class = in_class and _names_class(own, holder)
    outer, owner, full, frame, known, around, unsure = (
        builder.scope, builder.owner, builder.full, builder.frame, own.known_self, own.method, own.open_self,
    )  # fmt: skip
    if written is not None:
        flags |= WRITE_ONLY
    builder.full = (node.start_byte, node.end_byte)
    if in_class:
        builder.scope, builder.owner = home, own.class_row
    row = builder.define(written or name, METHOD if in_class else FUNCTION, flags)
    builder.owner, builder.scope = row, outer
    own.open_self = False
    own.known_self = (in_class or (home == 0 and known)) and (holder is None or in_class or holder.type == "self")
    own.method = builder.source((written or name).start_byte, (written or name).end_byte)
    end = parameters.end_byte if parameters is not None else name.end_byte
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    if parameters is not None:
        calls.read_parameters(builder, parameters)
    if body is not None:
        builder.read_body(row, body, _body(row, flags))
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    own.known_self, own.method, own.open_self = known, around, unsure
    builder.describe(row, node.start_byte, end, doc_above(builder, node))
    if role == TEXT:
        return row
    return builder.builtin("Symbol") if want else -1


def _is_direct(own: RubyFactsBuilder) -> bool:
    """Whether a method that is defined here is one of the class around."""
    at = own.scope
    while at > 0 and own.scopes[at][0] == FUNCTION_SCOPE:
        at = own.scopes[at][1]
    return own.known_self and not own.open_self


def _names_class(own: RubyFactsBuilder, node: Node) -> bool:
    return own.class_row >= 0 and node.text == own.strings[own.definitions[own.class_row][0]].encode()


def _body(row: int, flags: int) -> Callable[[DeclaredFactsBuilder, Node], None]:
    """Reads the body of a method, and notes what it gives back, where that is known on every way."""

    def read(builder: DeclaredFactsBuilder, node: Node) -> None:
        gives = not flags & WRITE_ONLY and ruby(builder).method != "initialize"
        if node.type == "body_statement":
            last = read_body_parts(builder, node, int(gives))
        else:
            last = builder.read(node, int(gives))
        values = [*builder.frame.values, last]
        if gives and min(values) >= 0:
            builder.returns.extend((row, value, RETURN) for value in dict.fromkeys(values))

    return read


# messages that declare


def message(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A call; one without a receiver in the body of a class may declare something."""
    own = ruby(builder)
    word = node.child_by_field_name("method")
    receiver = node.child_by_field_name("receiver")
    if word is None or word.type != "identifier" or (receiver is not None and receiver.type != "self"):
        return calls.call(builder, node, want, role)
    rule = _MESSAGES.get(word.text or b"")
    if rule is None or own.open_self or not own.is_of_class() or not (own.class_scope() or word.text in _ANYWHERE):
        return calls.call(builder, node, want, role)
    given = node.child_by_field_name("arguments")
    parts = [part for part in given.named_children if part.type != "comment"] if given is not None else []
    own.send(own.self_expression(), word, 0)
    rule(own, node, word.text or b"", parts)
    return builder.builtin("Symbol") if want else -1


def _mixed_in(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`include A`, `extend A`, `prepend A`."""
    how = "extend" if own.member_flags == STATIC and word == b"include" else word.decode()
    for part in parts:
        if part.type == "self":
            made = own.self_expression()
        else:
            made = own.read(part, 1, INHERITED if own.class_row >= 0 else READ)
        if own.class_row >= 0:
            own.bases.append((own.class_row, made if made >= 0 else own.unknown(), own.text(how)))


def _attributes(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`attr_reader :name`."""
    flags = READ_ONLY if word.endswith(b"reader") else WRITE_ONLY if word.endswith(b"writer") else 0
    shared = STATIC if word.startswith((b"c", b"m")) else own.member_flags
    for part in parts:
        row = own.define_symbol(part, PROPERTY, flags | shared)
        if row < 0:
            own.read(part)
        else:
            own.definitions[row][12] = own.text(f"{word.decode()} :{own.strings[own.definitions[row][0]]}")


def _aliases(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`alias_method :new, :old`."""
    if len(parts) == 2:
        _alias(own, parts[0], parts[1], literal_name(parts[1]))
    else:
        for part in parts:
            own.read(part)


def _alias(own: RubyFactsBuilder, new: Node, old: Node, named: tuple[int, int] | None) -> None:
    home = own.class_scope()
    if named is not None:
        own.use(named[0], named[1], TEXT, own.instance_of_class())
    if literal_name(new) is not None:
        row = own.define_symbol(new, METHOD if home else FUNCTION, own.member_flags)
    elif new.type in ("identifier", "constant", "operator", "setter"):
        scope, owner = own.scope, own.owner
        own.scope, own.owner = home, own.class_row if home else -1
        row = own.define(new, METHOD if home else FUNCTION, own.member_flags)
        own.scope, own.owner = scope, owner
    else:
        own.read(new)
        return
    if named is not None:
        own.returns.append((row, _sent(own, named), RETURN))


def _sent(own: RubyFactsBuilder, named: tuple[int, int]) -> int:
    member = own.expression(MEMBER, own.instance_of_class(), own.name(named[0], named[1]), named[0])
    return own.expression(CALL, member, -1)


def alias(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`alias new old`."""
    own = ruby(builder)
    new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if new is not None and old is not None and new.type != "global_variable":
        named = literal_name(old) or (
            (old.start_byte, old.end_byte) if old.type in ("identifier", "constant") else None
        )
        builder.full = (node.start_byte, node.end_byte)
        _alias(own, new, old, named)
    return -1


def _defined(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`define_method(:name) { ... }`: the block runs as the instance."""
    block = node.child_by_field_name("block")
    flags = STATIC if word == b"define_singleton_method" else own.member_flags
    row = own.define_symbol(parts[0], METHOD if own.class_scope() else FUNCTION, flags) if parts else -1
    for part in parts[1:] if row >= 0 else parts:
        own.read(part)
    if row >= 0:
        own.widen(row, node)
        own.describe(row, node.start_byte, parts[0].end_byte, doc_above(own, node))
    if block is None:
        return
    outer, owner, known, around, full, unsure = (
        own.scope, own.owner, own.known_self, own.method, own.full, own.open_self,
    )  # fmt: skip
    if row < 0:
        calls.read_block(own, block, calls.UNKNOWN_SELF)
        return
    own.open_self = False
    own.owner, own.method = row, own.strings[own.definitions[row][0]]
    own.scope = own.open_scope(LAMBDA_SCOPE, block.start_byte, block.end_byte, row)
    own.definitions[row][D_BODY] = own.scope
    parameters, body = block.child_by_field_name("parameters"), block.child_by_field_name("body")
    if parameters is not None:
        calls.read_parameters(own, parameters)
    if body is not None:
        own.read_body(row, body, _body(row, flags))
    own.scope, own.owner, own.known_self, own.method, own.full = outer, owner, known, around, full
    own.open_self = unsure


def _delegated(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`delegate :a, :b, to: :other`; `def_delegators :other, :a, :b`; `def_delegator :other, :a, :b`."""
    names, target = list(parts), None
    if word == b"delegate":
        pairs = [part for part in parts if part.type == "pair"]
        names = [part for part in parts if part.type != "pair"]
        for one in pairs:
            key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
            if key is not None and value is not None and key.text == b"to":
                target = value
            elif key is not None and key.text == b"prefix":
                names = []
    elif parts:
        target, names = parts[0], list(parts[1:])
    named = literal_name(target) if target is not None else None
    if (
        named is not None
        and own.data[named[0] : named[0] + 1].isalpha()
        and not own.data[named[0] : named[0] + 1].isupper()
    ):
        own.use(named[0], named[1], TEXT, own.instance_of_class())
    elif target is not None and named is None:
        own.read(target)
    if word == b"def_delegator":
        names = names[1:2] if len(names) > 1 else names
    for one in names:
        row = own.define_symbol(one, METHOD if own.class_scope() else FUNCTION, own.member_flags)
        if row < 0:
            own.read(one)


def _visible(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`private`, `private def name`, `private :name`, `module_function`."""
    flags = own.member_flags
    if word == b"module_function":
        if not parts:
            own.member_flags = BOTH
            return
        own.member_flags = BOTH
    elif word == b"private_class_method":
        own.member_flags = flags or 0
    for part in parts:
        found = literal_name(part)
        if found is not None and own.class_row >= 0:
            if word == b"module_function":
                _mark_both(own, own.name(found[0], found[1]))
            base = own.self_expression() if word == b"private_class_method" else own.instance_of_class()
            if word == b"private_constant":
                own.use(found[0], found[1], READ)
            else:
                own.use(found[0], found[1], TEXT, base)
        else:
            own.read(part)
    own.member_flags = flags


def _mark_both(own: RubyFactsBuilder, name: int) -> None:
    home = own.class_scope()
    for row in own.definitions:
        if row[3] == home and row[0] == name and row[D_KIND] == METHOD:
            row[2] |= BOTH


def _class_methods(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`class_methods do ... end`, `included do ... end`: run as the class that includes the module."""
    block, flags, known = node.child_by_field_name("block"), own.member_flags, own.known_self
    for part in parts:
        own.read(part)
    body = block.child_by_field_name("body") if block is not None else None
    if body is None:
        return
    outer, full = own.scope, own.full
    if word == b"class_methods":
        own.member_flags = HANDED
    read_body_parts(own, body, 0)
    own.scope, own.full, own.member_flags, own.known_self = outer, full, flags, known


_MESSAGES: Final[dict[bytes, Callable[[RubyFactsBuilder, Node, bytes, Sequence[Node]], None]]] = {
    **dict.fromkeys((b"include", b"extend", b"prepend"), _mixed_in),
    **dict.fromkeys((b"attr_reader", b"attr_writer", b"attr_accessor", b"attr"), _attributes),
    **dict.fromkeys((b"cattr_reader", b"cattr_writer", b"cattr_accessor"), _attributes),
    **dict.fromkeys((b"mattr_reader", b"mattr_writer", b"mattr_accessor", b"class_attribute"), _attributes),
    b"alias_method": _aliases,
    **dict.fromkeys((b"define_method", b"define_singleton_method"), _defined),
    **dict.fromkeys((b"delegate", b"def_delegators", b"def_delegator", b"def_instance_delegators"), _delegated),
    **dict.fromkeys((b"private", b"protected", b"public", b"module_function", b"private_class_method"), _visible),
    **dict.fromkeys((b"public_class_method", b"private_constant"), _visible),
    **dict.fromkeys((b"class_methods", b"included"), _class_methods),
    **dict.fromkeys((b"has_many", b"has_one", b"belongs_to", b"has_and_belongs_to_many"), records.association),
    b"scope": records.scope,
}
_ANYWHERE: Final = frozenset((b"include", b"private", b"public"))


def plain_word(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain word; `module_function` and the like change what follows."""
    own = ruby(builder)
    if node.text == b"module_function" and own.class_scope() == own.scope and own.scope:
        own.send(own.self_expression(), node, 0)
        own.member_flags = BOTH
        return -1
    return expressions.identifier(builder, node, want, role)


RULES: dict[str, Rule] = {
    **dict.fromkeys(("class", "module"), type_declaration),
    "singleton_class": singleton_class,
    **dict.fromkeys(("method", "singleton_method"), method),
    "call": message,
    "assignment": made_class,
    "alias": alias,
    "identifier": plain_word,
}
