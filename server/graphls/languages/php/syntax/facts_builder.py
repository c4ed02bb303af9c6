"""Facts builder: what the rules of PHP need to know while one file is being read.

Owns: the value that each local variable has where the reader stands, what tests prove, which names a closure sees.
Must not know: what any node means.
Invariant: a variable stands for what was last assigned to it on every way to where it is read; where ways differ, for
    one of several values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import NAME, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_KIND, D_NAME, D_SCOPE, D_TYPE, D_VALUE

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
CLASS: Final = int(DefinitionKind.CLASS)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
FIELD: Final = int(DefinitionKind.FIELD)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
IMPORT: Final = int(DefinitionKind.IMPORT)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
STATIC: Final = int(DefinitionFlag.STATIC)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
FINAL: Final = int(DefinitionFlag.FINAL)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
COMPONENT: Final = int(DefinitionFlag.INSTANCE)
"""On a field: a parameter of the constructor, which declares it."""
TRAIT: Final = int(DefinitionFlag.TYPE_ONLY)
"""On a class: a trait."""
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
IMPLEMENTED: Final = int(Role.IMPLEMENT)
DECORATES: Final = int(Role.DECORATE)
KEYWORD: Final = int(Role.KEYWORD)
LAMBDA: Final = int(ExpressionKind.LAMBDA)
OBJECT: Final = int(ExpressionKind.OBJECT)
UNION: Final = int(ExpressionKind.UNION)
MARK: Final = ":"
"""Before the text of a name that is no variable: one of a class, function or constant."""
OF_CLASS, OF_FUNCTION, OF_CONSTANT, OF_FILE = 0, 1, 2, 3
"""What an import names."""

MAX_FOLLOWED: Final = 1_000
"""Variables of one function whose values are followed through branches."""
MAX_WAYS: Final = 64
"""Ways through a statement that are kept apart until it ends."""
Values: TypeAlias = "dict[str, int]"
"""Variables, and members of variables (`this.name`), with the expression of their value."""
Proofs: TypeAlias = "tuple[Mapping[str, int], Mapping[str, int]]"
"""What a test proves where it holds, and where it does not."""
NO_PROOFS: Final[Proofs] = ({}, {})


class PhpFactsBuilder(DeclaredFactsBuilder):
    """What was read so far of a file of PHP."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.values: Values = {}
        self.lost: set[str] = set()
        """Variables that are not followed: branches would copy too many."""
        self.holders: set[str] = set()
        """Variables of whose members something was known."""
        self.filled: dict[int, tuple[int, ...]] = {}
        """Array that is filled bit by bit -> its elements."""
        self.proofs: dict[int, Proofs] = {}
        """By number of the node of a test."""
        self.unseen: frozenset[str] | None = None
        """In a closure: the names of the function around that it sees. None: all, or there is no such function."""
        self.handed: tuple[int, ...] = ()
        """What the closure that is read next is given."""
        self.class_row = -1
        self.fields: list[tuple[str, int]] = []
        """Names of fields of the class that are assigned, with values; of those that others than its constructor
        assign, -1."""
        self.stated: dict[str, tuple[int, int]] = {}
        """Variables that a comment gives a type before they are bound: the value and the type."""
        self.globals: dict[str, int] = {}
        """Types of variables of the whole program, as the comment of the function says."""

    def is_seen(self, name: str) -> bool:
        """Whether a variable is bound in the current function, or in one around that lends it."""
        text, at = self.text(name), self.scope
        while at >= 0:
            if (at, text) in self.bound:
                return True
            if self.scopes[at][0] != LAMBDA_SCOPE or (self.unseen is not None and name not in self.unseen):
                return False
            at = self.scopes[at][1]
        return False

    def bind(self, node: Node, value: int, kind: int = VARIABLE) -> int:
        """The variable at a name gets a value; answers its definition where this is the first one, else -1."""
        name, row = self.source(node.start_byte, node.end_byte), -1
        if self.is_seen(name):
            self.use(node.start_byte, node.end_byte, int(Role.WRITE))
        else:
            row = self.define(node, kind)
        self.forget(name)
        if name not in self.lost:
            self.values[name] = value if value >= 0 else self.unknown()
        return row

    def enter_flow(self) -> tuple[Values, set[str], set[str]]:
        """Nothing is known of variables any longer; what was is for `leave_flow`."""
        outer = self.values, self.lost, self.holders
        self.values, self.lost, self.holders = {}, set(), set()
        return outer

    def leave_flow(self, outer: tuple[Values, set[str], set[str]]) -> None:
        """Back to the function around."""
        self.values, self.lost, self.holders = outer

    def limit_values(self) -> None:
        """Before a branch, which copies them: of too many variables none is followed any longer."""
        if len(self.values) > MAX_FOLLOWED:
            self.values = self.unfollowed(self.values)

    def unfollowed(self, values: Values) -> Values:
        """What is left of values where their variables are not followed any longer."""
        self.lost.update(name for name in values if "." not in name and name != "this")
        return {name: row for name, row in values.items() if name == "this"}

    def proven(self, values: Values, proofs: Mapping[str, int]) -> Values:
        """A copy of values with what a test proves."""
        self.holders.update(name.partition(".")[0] for name in proofs if "." in name)
        return {**values, **proofs}

    def declare(self, start: int, end: int, kind: int, type_: int) -> int:
        """A new definition of the name between two offsets, in the current scope."""
        name = self.name(start, end)
        row = [name, kind, 0, self.scope, start, end, *self.full, -1, type_, -1, -1, -1, -1, self.owner]
        self.definitions.append(row)
        self.bound.setdefault((self.scope, row[0]), len(self.definitions) - 1)
        return len(self.definitions) - 1

    def define_constant(self, name: Node, statement: Node) -> None:
        """A constant that a call defines."""
        self.full = (statement.start_byte, statement.end_byte)
        self.define(name, CONSTANT, FINAL | STATIC)

    def describe_variable(self, row: int, type_: int, value: int) -> None:
        """The written type, or else the first value, of a variable that was just bound."""
        definition = self.definitions[row]
        stated = self.stated.pop(self.strings[definition[D_NAME]], None)
        if type_ < 0 and stated is not None:
            type_ = stated[1]
            self.values[self.strings[definition[D_NAME]]] = stated[0]
        definition[D_TYPE] = type_
        if type_ < 0:
            definition[D_VALUE] = value

    def note_field(self, node: Node, value: int) -> None:
        """`$this->name = value`: what a field holds that says no type, where constructors alone assign it."""
        whose, _, name = path_of(node).partition(".")
        if whose == "this" and name and "." not in name:
            made = self.owner >= 0 and self.strings[self.definitions[self.owner][D_NAME]] == "__construct"
            self.fields.append((name, value if made else -1))

    def empty(self) -> DeclaredFactsBuilder:
        """A builder of the same language."""
        return PhpFactsBuilder(b"", self.rules)

    def reader(self) -> DeclaredFactsBuilder:
        """A builder that stands where this one does, with nothing read."""
        made = super().reader()
        if isinstance(made, PhpFactsBuilder):
            made.class_row, made.unseen = 0 if self.class_row >= 0 else -1, self.unseen
        return made

    def rests_on_more(self) -> bool:
        """A field without a type holds what other members assign to it; a variable, what statements before did."""
        return bool(self.values or self.stated) or self._has_untyped_field(1)

    def _has_untyped_field(self, scope: int) -> bool:
        rows = self.definitions
        return any(row[D_SCOPE] == scope and row[D_KIND] == FIELD and row[D_TYPE] < 0 for row in rows)

    def settle_fields(self, scope: int) -> None:
        """Fields of a class that say no type hold what was assigned to them."""
        if self.fields and self._has_untyped_field(scope):
            self.forget_rows()
        held: dict[str, list[int]] = {}
        for name, value in self.fields:
            held.setdefault(name, []).append(value)
        for definition in self.definitions if held else ():
            if definition[D_SCOPE] == scope and definition[D_KIND] == FIELD and definition[D_TYPE] < 0:
                rows = list(dict.fromkeys(held.get(self.strings[definition[D_NAME]], ())))
                if rows and min(rows) >= 0 and len(rows) <= 8:
                    one = rows[0] if len(rows) == 1 else self.expression(UNION, self.sequence(rows))
                    definition[D_VALUE] = one

    def forget(self, name: str) -> None:
        """What is known of members of a variable holds no longer."""
        if name not in self.holders:
            return
        self.limit_values()
        begin = f"{name}."
        for other in [other for other in self.values if other.startswith(begin)]:
            del self.values[other]

    def joined(self, ways: Sequence[Values]) -> Values:
        """What holds behind several ways."""
        if len(ways) == 1:
            return ways[0]
        found: Values = {}
        if len(ways) == 2:
            other, lost = ways[1], self.lost
            found = {name: row for name, row in ways[0].items() if other.get(name) == row and name not in lost}
        for name in dict.fromkeys(name for way in ways for name in way if name not in found):
            if name in self.lost:
                continue
            rows = [way[name] for way in ways if name in way]
            if "." in name and len(rows) < len(ways):
                continue
            kept = list(dict.fromkeys(rows))
            if len(kept) > 8:
                found[name] = self.unknown()
            else:
                found[name] = kept[0] if len(kept) == 1 else self.expression(UNION, self.sequence(kept))
        return found if len(found) <= MAX_FOLLOWED else self.unfollowed(found)

    def add_way(self, ways: list[Values], values: Values) -> None:
        """One more way through a statement; many are joined before the last is known."""
        if len(ways) >= MAX_WAYS:
            ways[:] = [self.joined(ways)]
        ways.append(values)

    def spelled_name(self, start: int, end: int, role: int) -> int:
        """A name of a class or function as a use of its last part; answers the expression of the whole name."""
        text = self.source(start, end)
        begin = end - len(text.rpartition("\\")[2].encode())
        row = self.expression(NAME, self.text(MARK + "".join(text.split())), self.scope, begin)
        if role >= 0:
            self.use(begin, end, role, row)
        return row


def php(builder: DeclaredFactsBuilder) -> PhpFactsBuilder:
    """The builder that the rules of PHP are run with."""
    return cast("PhpFactsBuilder", builder)


def path_of(node: Node) -> str:
    """The key of `$name` or `$name->member`, "" for anything else."""
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return path_of(node.named_children[0])
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        return path_of(left) if left is not None else ""
    if node.type == "variable_name":
        return (node.text or b"")[1:].decode("utf-8", "replace")
    if node.type in ("member_access_expression", "nullsafe_member_access_expression"):
        holder, name = node.child_by_field_name("object"), node.child_by_field_name("name")
        if holder is not None and name is not None and name.type == "name":
            before = path_of(holder)
            return f"{before}.{(name.text or b'').decode('utf-8', 'replace')}" if before else ""
    return ""
