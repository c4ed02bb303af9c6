"""Facts builder: what the rules of Ruby need to know while one file is being read.

Owns: what `self` is where the reader stands, which names are local, the values that variables are given.
Must not know: what any node means.
Invariant: a plain word is a variable only where an assignment to it stands before, as Ruby itself reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ReturnKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import CALL, MEMBER, NAME, READ, WRITE, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_FLAGS, D_FULL_END, D_FULL_START, D_KIND, D_NAME, D_VALUE

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
CLASS: Final = int(DefinitionKind.CLASS)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
FIELD: Final = int(DefinitionKind.FIELD)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
STATIC: Final = int(DefinitionFlag.STATIC)
BOTH: Final = int(DefinitionFlag.STATIC | DefinitionFlag.INSTANCE)
"""A method of a module and of whoever includes it: `module_function`."""
HANDED: Final = int(DefinitionFlag.STATIC | DefinitionFlag.CLASSMETHOD)
"""A method of the classes that include a module: `class_methods do`."""
INSTANCE: Final = int(DefinitionFlag.INSTANCE)
READ_ONLY: Final = int(DefinitionFlag.FINAL)
WRITE_ONLY: Final = int(DefinitionFlag.SETTER)
MODULE: Final = int(DefinitionFlag.TYPE_ONLY)
"""On a class: a module."""
GLOBAL: Final = int(DefinitionFlag.GLOBAL)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
KEYWORDS: Final = int(DefinitionFlag.KEYWORDS)
KEYWORD_ONLY: Final = int(DefinitionFlag.KEYWORD_ONLY)
UNION: Final = int(ExpressionKind.UNION)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
ITEM: Final = int(ExpressionKind.ITEM)
OPERATION: Final = int(ExpressionKind.OPERATION)
TUPLE: Final = int(ExpressionKind.TUPLE)
YIELD: Final = int(ReturnKind.YIELD)
BLOCK: Final = "block"
"""The operation of a call with a block: the call, and what the block gives."""
TEXT: Final = int(Role.TEXT)
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
ROOT: Final = "::"
OPEN_SELF: Final = "self?"
"""The name of what `::A` looks in."""
MOST_VALUES: Final = 8
BODIES: Final = frozenset({CLASS_SCOPE, NAMESPACE_SCOPE})


class RubyFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of Ruby."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.known_self = True
        """Whether `self` is what the method or class around says: blocks may be run as something else."""
        self.open_self = False
        """Whether `self` may be the class around or an instance of it: in blocks that a class hands to a message."""
        self.member_flags = 0
        """What a method that is defined here is besides: of the class itself, or of both."""
        self.class_row = -1
        self.method = ""
        """The name of the method around, for `super`."""
        self.values: dict[int, list[int]] = {}
        """Variables, and what they are given."""
        self.locals: dict[tuple[int, int], int] = {}
        """Variables and parameters by scope and name: methods are bound there too."""
        self.fields: dict[tuple[int, int, int], int] = {}
        self.taker = -1
        """The call whose arguments are read: a block among them is its own."""
        self._selves: dict[int, int] = {}

    def self_expression(self) -> int:
        """`self` where the reader stands."""
        if not self.known_self:
            return self.unknown()
        row = self._selves.get(self.scope)
        if row is None:
            word = OPEN_SELF if self.open_self else "self"
            row = self._selves[self.scope] = self.expression(NAME, self.text(word), self.scope, -1)
        return row

    def class_scope(self) -> int:
        """The scope of the class or module around, 0 for the file."""
        at = self.scope
        while at > 0 and self.scopes[at][0] not in BODIES:
            at = self.scopes[at][1]
        return at

    def local_row(self, name: int) -> int:
        """The definition of a local variable, -1 where the name is none."""
        at = self.scope
        while at >= 0:
            row = self.locals.get((at, name))
            if row is not None:
                return row
            if self.scopes[at][0] != LAMBDA_SCOPE:
                return -1
            at = self.scopes[at][1]
        return -1

    def bind(self, node: Node, value: int, kind: int = VARIABLE, flags: int = 0) -> int:
        """The local variable at a name gets a value; answers its definition."""
        name = self.name(node.start_byte, node.end_byte)
        row = self.local_row(name)
        if row >= 0:
            self.use(node.start_byte, node.end_byte, WRITE)
        else:
            row = self.define_local(node, kind, flags)
        self.values.setdefault(row, []).append(value)
        return row

    def define_local(self, node: Node, kind: int, flags: int = 0) -> int:
        """A new variable or parameter of the current scope."""
        row = self.define(node, kind, flags)
        self.locals.setdefault((self.scope, self.definitions[row][D_NAME]), row)
        return row

    def is_of_class(self) -> bool:
        """Whether `self` is the class here, not one of its instances."""
        at = self.scope
        while at >= 0:
            kind, owner = self.scopes[at][0], self.scopes[at][4]
            if kind == FUNCTION_SCOPE or (kind == LAMBDA_SCOPE and owner >= 0):
                return owner >= 0 and self.definitions[owner][D_FLAGS] & BOTH == STATIC
            if kind != LAMBDA_SCOPE:
                return True
            at = self.scopes[at][1]
        return True

    def bind_field(self, node: Node, value: int) -> None:
        """`@name = value`, `@@name = value`, `$name = value`."""
        shared = node.type != "instance_variable"
        home = 0 if node.type == "global_variable" else self.class_scope()
        name = self.name(node.start_byte, node.end_byte)
        flags = STATIC if shared or self.is_of_class() else INSTANCE
        row = self.fields.get((home, name, flags))
        if row is not None:
            self.use(node.start_byte, node.end_byte, WRITE)
        else:
            scope, owner, self.scope = self.scope, self.owner, home
            self.owner = self.class_row if home else -1
            kind = FIELD if home else VARIABLE
            row = self.fields[home, name, flags] = self.define(node, kind, flags if home else GLOBAL)
            self.scope, self.owner = scope, owner
        self.values.setdefault(row, []).append(value)

    def send(self, base: int, node: Node, want: int, arguments: Sequence[int] = (), role: int = -1) -> int:
        """A message to what an expression gives, by the name at a node."""
        start = node.start_byte
        name = self.use(start, node.end_byte, role if role >= 0 else 2, base if base >= 0 else self.unknown())
        if not want or base < 0:
            return -1
        member = self.expression(MEMBER, base, name, start)
        return self.expression(CALL, member, self.sequence(arguments) if arguments else -1)

    def instance_of_class(self) -> int:
        """An instance of the class around, or the class itself where what is declared belongs to that."""
        if self.class_row < 0 or not self.known_self:
            return self.unknown()
        if self.member_flags == STATIC:
            return self.self_expression()
        return self.instance(self.self_expression())

    def choice(self, rows: Sequence[int]) -> int:
        """One of several values; -1 where one of them is not known."""
        kept = list(dict.fromkeys(rows))
        if not kept or min(kept) < 0 or len(kept) > MOST_VALUES:
            return -1
        return kept[0] if len(kept) == 1 else self.expression(UNION, self.sequence(kept))

    def fill(self, node: Node | None, held: int) -> None:
        """`values << held`: a variable that stands for an array so far holds this as well."""
        if node is None or held < 0:
            return
        name, row = self.name(node.start_byte, node.end_byte), -1
        if node.type == "identifier":
            row = self.local_row(name)
        elif node.type == "instance_variable":
            row = self.fields.get((self.class_scope(), name, STATIC if self.is_of_class() else INSTANCE), -1)
        known = self.values.get(row, [])
        if known and len(known) < MOST_VALUES and all(self.is_array(one) for one in known):
            known.append(self.expression(COLLECTION, self.sequence([held]), self.text("Array")))

    def is_array(self, row: int) -> bool:
        """Whether an expression is an array that is written out."""
        return row >= 0 and (self.kind_of(row) == COLLECTION or row == self.builtin("Array"))

    def settle_values(self) -> None:
        """Variables stand for what they were given, all of it; fields for what of it is known."""
        for row, values in self.values.items():
            known = [value for value in values if value >= 0] if self.definitions[row][D_KIND] == FIELD else values
            self.definitions[row][D_VALUE] = self.choice(known)

    def define_symbol(self, node: Node, kind: int, flags: int, suffix: str = "") -> int:
        """A definition by a symbol or a text: `:name`, `"name"`; -1 where the name is computed."""
        found = literal_name(node)
        if found is None:
            return -1
        start, end = found
        name = self.text(self.source(start, end) + suffix) if suffix else self.name(start, end)
        home = self.class_scope()
        full = (node.start_byte, node.end_byte)
        rows = self.definitions
        rows.append([name, kind, flags, home, start, end, *full, *([-1] * 6), self.class_row if home else self.owner])
        self.bound.setdefault((home, name), len(rows) - 1)
        return len(rows) - 1

    def widen(self, row: int, node: Node) -> None:
        """The range of a definition is that of a node."""
        self.definitions[row][D_FULL_START] = node.start_byte
        self.definitions[row][D_FULL_END] = node.end_byte


def ruby(builder: DeclaredFactsBuilder) -> RubyFactsBuilder:
    """The builder that the rules of Ruby are run with."""
    return cast("RubyFactsBuilder", builder)


def literal_name(node: Node) -> tuple[int, int] | None:
    """Where the name in a symbol or a text stands; None where it is computed."""
    if node.type == "simple_symbol":
        return (node.start_byte + 1, node.end_byte) if node.end_byte - node.start_byte > 1 else None
    if node.type in ("string", "delimited_symbol", "bare_symbol", "bare_string"):
        parts = node.named_children
        if len(parts) == 1 and parts[0].type == "string_content":
            return parts[0].start_byte, parts[0].end_byte
    return None


def read_use(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`@name`, `@@name`, `$name`."""
    start = node.start_byte
    name = builder.use(start, node.end_byte, READ)
    known = node.type != "instance_variable" or ruby(builder).known_self
    return builder.expression(NAME, name, builder.scope, start) if want and known else -1
