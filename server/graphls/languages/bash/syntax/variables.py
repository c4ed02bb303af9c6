"""Variables: where a script gives a variable a value, and where it uses one.

Owns: in which scope a name is bound, the rules of assignments and expansions.
Must not know: commands, other files.
Invariant: the first assignment in a scope is the definition, later ones are writes; without `local` a function writes
    what the whole script has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, Role
from graphls.languages.declared.facts_builder import FUNCTION_SCOPE, READ, WRITE, DeclaredFactsBuilder, Rule, nothing
from graphls.languages.extract.facts_builder import D_FLAGS

VARIABLE: Final = int(DefinitionKind.VARIABLE)
GLOBAL: Final = int(DefinitionFlag.GLOBAL)
FUNCTION_NAME: Final = int(Role.TEXT)
"""The role of a word that names a function and does not run it."""
NAME: Final = re.compile(rb"[A-Za-z_]\w*\Z")
_NAMES: Final = re.compile(rb"(?<![\w$.'\"])[A-Za-z_]\w*")
_WORKED_OUT: Final = frozenset((
    "binary_expression", "unary_expression", "postfix_expression", "parenthesized_expression", "ternary_expression",
))  # fmt: skip
_LOCAL: Final = frozenset((b"local", b"declare", b"typeset"))
_ANYWHERE: Final = frozenset((b"-g", b"-gA", b"-Ag", b"-ga", b"-ag", b"-gx", b"-xg", b"-gr", b"-rg", b"-gi"))


class BashFactsBuilder(DeclaredFactsBuilder):
    """Knows which arrays have keys."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data, rules)
        self.keyed: set[int] = set()
        """Names of arrays with keys for indexes, so far."""


def bind(builder: DeclaredFactsBuilder, node: Node, *, local: bool = False) -> None:
    """The name at a node is given a value."""
    if not NAME.match(node.text or b""):
        return
    number, scope = builder.name(node.start_byte, node.end_byte), builder.scope
    function = _function(builder)
    home = function if function and (local or (function, number) in builder.bound) else 0
    if (home, number) in builder.bound:
        builder.use(node.start_byte, node.end_byte, WRITE)
        return
    builder.scope = home
    row = builder.define(node, VARIABLE)
    builder.scope = scope
    if home == 0 and function:
        builder.definitions[row][D_FLAGS] |= GLOBAL


def _function(builder: DeclaredFactsBuilder) -> int:
    """The scope of the function around, 0 at the top."""
    scope = builder.scope
    while scope and builder.scopes[scope][0] != FUNCTION_SCOPE:
        scope = builder.scopes[scope][1]
    return scope


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name=value`, `name[index]=value`."""
    _assign(builder, node, local=False)
    return -1


def _assign(builder: DeclaredFactsBuilder, node: Node, *, local: bool) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if value is not None:
        builder.read(value)
    if name is None:
        return
    if name.type == "subscript":
        inner = name.child_by_field_name("name")
        if inner is not None:
            bind(builder, inner, local=local)
        _rest_of_subscript(builder, name)
    else:
        bind(builder, name, local=local)


def declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`local a b=1`, `declare -A map`, `export NAME`, `export -f function`."""
    word = (node.child(0).text or b"") if node.child_count else b""
    options = {part.text or b"" for part in node.named_children if part.type == "word"}
    local = word in _LOCAL and not options & _ANYWHERE
    functions = any(option.startswith(b"-") and b"f" in option.lower() for option in options)
    keyed = any(option.startswith(b"-") and b"A" in option for option in options)
    for part in node.named_children:
        if keyed and isinstance(builder, BashFactsBuilder):
            name = part.child_by_field_name("name") or part
            builder.keyed.add(builder.name(name.start_byte, name.end_byte))
        if part.type == "variable_assignment":
            _assign(builder, part, local=local)
        elif part.type != "variable_name":
            builder.read(part)
        elif functions:
            builder.use(part.start_byte, part.end_byte, FUNCTION_NAME)
        elif word in (b"export", b"readonly"):
            use(builder, part, 0, READ)
        else:
            bind(builder, part, local=local)
    return -1


def use(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`$name`: numbers of arguments are no names."""
    if NAME.match(node.text or b""):
        builder.use(node.start_byte, node.end_byte, READ if role != WRITE else WRITE)
    return -1


def subscript(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name[index]`."""
    name = node.child_by_field_name("name")
    if name is not None:
        use(builder, name, 0, READ)
    _rest_of_subscript(builder, node)
    return -1


def _rest_of_subscript(builder: DeclaredFactsBuilder, node: Node) -> None:
    """The index: a plain word is a variable, but in an array that has keys."""
    name = node.child_by_field_name("name")
    number = builder.name(name.start_byte, name.end_byte) if name is not None else -1
    keyed = isinstance(builder, BashFactsBuilder) and number in builder.keyed
    for index in node.children_by_field_name("index"):
        if index.type != "word":
            builder.read(index)
        elif not keyed:
            use(builder, index, 0, READ)


def loop_variable(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`for name in ...`."""
    variable = node.child_by_field_name("variable")
    if variable is not None:
        bind(builder, variable)


def unset(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`unset name`, `unset -f function`."""
    functions = any(part.text == b"-f" for part in node.named_children)
    for part in node.named_children:
        if part.type == "variable_name":
            builder.use(part.start_byte, part.end_byte, FUNCTION_NAME if functions else WRITE)
        else:
            builder.read(part)
    return -1


def test(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[[ ... ]]`, and `(( ... ))`, where a plain word is a variable."""
    if builder.data[node.start_byte : node.start_byte + 2] != b"((":
        builder.read_all(node)
        return -1
    for part in node.named_children:
        arithmetic(builder, part)
    return -1


def arithmetic(builder: DeclaredFactsBuilder, node: Node) -> None:
    """A number that is worked out, where a plain word is a variable."""
    if node.type == "word":
        for found in _NAMES.finditer(node.text or b""):
            builder.use(node.start_byte + found.start(), node.start_byte + found.end(), READ)
    elif node.type in _WORKED_OUT:
        for part in node.named_children:
            arithmetic(builder, part)
    else:
        builder.read(node)
        value = node.child_by_field_name("value") if node.type == "variable_assignment" else None
        if value is not None and value.type == "word":
            arithmetic(builder, value)


RULES: dict[str, Rule] = {
    "variable_assignment": assignment,
    "declaration_command": declaration,
    "variable_name": use,
    "subscript": subscript,
    "unset_command": unset,
    "test_command": test,
    "special_variable_name": nothing,
    "raw_string": nothing,
    "ansi_c_string": nothing,
    "comment": nothing,
    "regex": nothing,
}
