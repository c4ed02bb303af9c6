"""Facts builder: what the rules of Lua need to know while one file is being read.

Owns: which local variable or global a name means where the reader stands; the members of each table.
Must not know: what any node means, how comments are written.
Invariant: the first assignment to a member of a table declares it, each later one is a use that writes it.

A table is a scope of its members. One that has a name is the body of its definition; one that only an outer name leads
to (`vim.lsp`) is an OBJECT expression over that name, which holds for this file alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import MEMBER, NAME, WRITE, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_BODY, D_KIND, D_TYPE, D_VALUE

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
CLASS: Final = int(DefinitionKind.CLASS)
ENUM: Final = int(DefinitionKind.ENUM)
FIELD: Final = int(DefinitionKind.FIELD)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
FINAL: Final = int(DefinitionFlag.FINAL)
GLOBAL: Final = int(DefinitionFlag.GLOBAL)
INSTANCE: Final = int(DefinitionFlag.INSTANCE)
SHARED: Final = int(DefinitionFlag.SHARED)
TYPE_ONLY: Final = int(DefinitionFlag.TYPE_ONLY)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
OBJECT: Final = int(ExpressionKind.OBJECT)
UNION: Final = int(ExpressionKind.UNION)
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
TEXT: Final = int(Role.TEXT)
SELF: Final = ":self"
"""What `self` is called in expressions: no variable has the name."""
RESULT: Final = "return"
"""The hidden parameter of a file that stands for what it gives to those who require it."""
LAYERS: Final = "layers"
"""Collections of tables that one looks through in order: a table and what its metatable leads to."""
RESULTS: Final = "results"
"""Collections of what a function gives back."""
LIST: Final = "list"
MOST_VALUES: Final = 8
FUNCTIONS: Final = frozenset({FUNCTION, METHOD})
_TABLES: Final = frozenset({CLASS_SCOPE, OBJECT_SCOPE})


class LuaFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of Lua."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.locals: dict[tuple[int, int], int] = {}
        """The last variable or parameter of a name that a scope has so far."""
        self.globals: dict[int, int] = {}
        self.members: dict[tuple[int, int], int] = {}
        """The definition of a member, by table and name."""
        self.values: dict[int, list[int]] = {}
        """Variables and members, and what they are given."""
        self.stands_for: dict[int, int] = {}
        """Variables that hold a table which something else is the name of."""
        self.second_names: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        """Variables that hold what another name leads to: its definition, or the table of `self`, and the way on."""
        self.modules_held: set[int] = set()
        """Local variables that hold a module, or a member of one."""
        self.made: set[int] = set()
        """Tables that a constructor in this file makes: what is assigned to another's may be declared elsewhere."""
        self.table_types: dict[int, int] = {}
        """Of tables whose type is written: an expression of that type."""
        self.self_table = -1
        """The table of the method that is read."""
        self.classes: dict[str, int] = {}
        """Tables of the classes that comments declare, by their whole names."""
        self.metatables: list[dict[int, Node]] = []
        """Of each block around: local tables that get a metatable in it, by name."""
        self.said = False
        """Comments say what the function gives back that is read."""
        self.doc: object = None
        """What the comments above the statement say that is being read."""
        self._outside: dict[str, int] = {}

    # names

    def local_row(self, name: int) -> int:
        """The local variable or parameter that a name means here, -1 for none."""
        at = self.scope
        while at >= 0:
            row = self.locals.get((at, name), -1)
            if row >= 0:
                return row
            at = self.scopes[at][1]
        return -1

    def row_of(self, name: int) -> int:
        """The definition that a plain name means here, -1 where this file has none so far."""
        row = self.local_row(name)
        return row if row >= 0 else self.globals.get(name, -1)

    def define_at(self, start: int, end: int, scope: int, kind: int, flags: int = 0) -> int:
        """A new definition by where its name stands."""
        rows, owner = self.definitions, self.owner
        if self.scopes[scope][0] in _TABLES:
            owner = self.scopes[scope][4]
        full_start, full_end = self.full
        name = self.name(start, end)
        rows.append([name, kind, flags | self.bind_flags, scope, start, end, full_start, full_end, *([-1] * 6), owner])
        return len(rows) - 1

    def define_local(self, node: Node, kind: int, flags: int = 0) -> int:
        """A new local variable, which `show` makes known."""
        return self.define_at(node.start_byte, node.end_byte, self.scope, kind, flags)

    def show(self, row: int) -> None:
        """From here on the name of a local variable means it."""
        definition = self.definitions[row]
        self.locals[definition[3], definition[0]] = row

    def give(self, row: int, value: int) -> None:
        """A variable or member is given a value."""
        if value >= 0:
            self.values.setdefault(row, []).append(value)

    def plain(self, name: int, scope: int, start: int) -> int:
        """A name as an expression that is no use."""
        return self.expression(NAME, name, scope, start)

    def self_expression(self) -> int:
        """`self` where the reader stands."""
        return self.expression(NAME, self.text(SELF), self.scope, -1)

    # tables

    def table_of(self, row: int) -> int:
        """The members of what a definition holds; made where it has none yet. -1 for a parameter or function."""
        second = self.second_names.pop(row, None)
        if second is not None:
            self._share(row, second)
        held = self.stands_for.get(row, -1)
        if held >= 0:
            return held
        definition = self.definitions[row]
        if definition[D_BODY] >= 0:
            return definition[D_BODY] if definition[D_KIND] not in FUNCTIONS else -1
        if definition[D_KIND] in FUNCTIONS or definition[D_KIND] == PARAMETER:
            return -1
        made = self.open_table(row)
        if definition[D_TYPE] >= 0:
            self.table_types[made] = self.instance(definition[D_TYPE])
        return made

    def _share(self, row: int, second: tuple[int, int, tuple[int, ...]]) -> None:
        """A second name of a table means the same one."""
        first, table, path = second
        held = self.table_of(first) if first >= 0 else table
        for at, name in enumerate(path):
            part = self.member_row(held, name) if held >= 0 else -1
            if part >= 0:
                held = self.table_of(part)
            elif held >= 0 and at == len(path) - 1 and self.values.get(row):
                held = self.outside_table(f"{held} {self.strings[name]}", self.values[row][-1])
                self.definitions[row][D_BODY] = held
            else:
                return
        if held >= 0:
            self.stands_for[row] = held

    def open_table(self, row: int) -> int:
        """A new table that a definition holds."""
        definition = self.definitions[row]
        scope = self.scope
        self.scope = definition[3]
        made = self.open_scope(OBJECT_SCOPE, definition[4], definition[7], row)
        self.scope = scope
        definition[D_BODY] = made
        return made

    def table_expression(self, table: int) -> int:
        """A table by the scope of its members, or by the name of the class that a comment calls it."""
        owner = self.scopes[table][4]
        if self.scopes[table][0] != CLASS_SCOPE or owner < 0:
            return self.expression(OBJECT, table)
        definition = self.definitions[owner]
        before = self.expressions[definition[D_VALUE] * 4 + 1] if definition[D_VALUE] >= 0 else -1
        whole = self.strings[definition[0]]
        return self.instance(
            self.expression(NAME, self.text(f"{self.strings[before]}.{whole}" if before >= 0 else whole), 0, -1)
        )

    def outside_table(self, dotted: str, base: int) -> int:
        """The members that this file adds to a table which it does not make."""
        known = self._outside.get(dotted, -1)
        if known < 0:
            scope, self.scope = self.scope, 0
            known = self._outside[dotted] = self.open_scope(OBJECT_SCOPE, 0, 0)
            self.scope = scope
            self.expression(OBJECT, known, base)
        return known

    def member_row(self, table: int, name: int) -> int:
        """The member of a table, -1 where it has none so far."""
        return self.members.get((table, name), -1)

    def define_member(self, node: Node, table: int, kind: int, flags: int = 0) -> int:
        """A new member of a table."""
        return self.member_at(node.start_byte, node.end_byte, table, kind, flags)

    def member_at(self, start: int, end: int, table: int, kind: int, flags: int = 0) -> int:
        """A new member by where its name stands."""
        row = self.define_at(start, end, table, kind, flags)
        self.members.setdefault((table, self.definitions[row][0]), row)
        return row

    def write_member(self, node: Node, base: int) -> None:
        """A later assignment to a member, or one to a table that is not known."""
        self.use(node.start_byte, node.end_byte, WRITE, base if base >= 0 else self.unknown())

    def collected(self, rows: Sequence[int], kind: str) -> int:
        """Several expressions as one."""
        return self.expression(COLLECTION, self.sequence(rows), self.text(kind))

    def choice(self, rows: Sequence[int]) -> int:
        """One of several values; what is not known of them is left out."""
        kept = [row for row in dict.fromkeys(rows) if row >= 0][:MOST_VALUES]
        if len(kept) <= 1:
            return kept[0] if kept else -1
        return self.expression(UNION, self.sequence(kept))

    def settle_values(self) -> None:
        """Variables and members stand for what they were given."""
        for row, values in self.values.items():
            if self.definitions[row][D_KIND] not in FUNCTIONS:
                self.definitions[row][D_VALUE] = self.choice(values)

    def member_of(self, base: int, text: str) -> int:
        """A member that no text names as an expression."""
        return self.expression(MEMBER, base, self.text(text), -1)


def lua(builder: DeclaredFactsBuilder) -> LuaFactsBuilder:
    """The builder that the rules of Lua are run with."""
    return cast("LuaFactsBuilder", builder)


def string_span(node: Node) -> tuple[int, int] | None:
    """Where the text of a literal string stands; None for one with escapes, or for no string."""
    if node.type != "string":
        return None
    content = node.child_by_field_name("content")
    if content is None or content.named_child_count:
        return None
    return content.start_byte, content.end_byte


def only_argument(node: Node) -> Node | None:
    """The one argument of a call."""
    given = node.child_by_field_name("arguments")
    parts = [part for part in given.named_children if part.type != "comment"] if given is not None else []
    return parts[0] if len(parts) == 1 else None


def read_name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain name. `self` of a method stands for its table, and is no use of that."""
    own = lua(builder)
    start, end = node.start_byte, node.end_byte
    if end - start == 4 and builder.data.startswith(b"self", start) and own.local_row(builder.name(start, end)) < 0:
        return own.self_expression() if want else -1
    name = builder.use(start, end, role)
    return builder.expression(NAME, name, builder.scope, start) if want else -1
