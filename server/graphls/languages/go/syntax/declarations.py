"""Declarations: packages, imports, constants, variables, types and functions of Go.

Owns: the rules of what stands at the top of a file, and of the same words inside of functions.
Must not know: other files.
Invariant: a method is bound where its file begins, and its `type` says whose it is: its type may be in another file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag, Role
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    SUBSCRIPT,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    comments_above,
)
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_TYPE, D_VALUE
from graphls.languages.go.syntax.statements import SHARED, body, read_values
from graphls.languages.go.syntax.types import (
    CLASS_SCOPE,
    METHOD,
    PARAMETER,
    TYPE_PARAMETER,
    TYPE_PARAMETERS,
    VARIABLE,
    open_members,
    signature,
    type_parameters,
)
from graphls.languages.go.syntax.words import package_word

CLASS: Final = int(DefinitionKind.CLASS)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
IMPORT: Final = int(DefinitionKind.IMPORT)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
GUESSED: Final = int(DefinitionFlag.DEFAULTED)
"""The name of a binding is what its path suggests: the package itself may say otherwise."""
RECEIVER: Final = int(DefinitionFlag.RECEIVER)
STAR: Final = int(DefinitionFlag.STAR)
IMPORTED: Final = int(Role.IMPORT)
EXPORTED: Final = int(Role.EXPORT)
STAR_IMPORT: Final = int(ImportFlag.STAR)


def package_clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`package name`: what others call this package, where they give it no other name."""
    for part in node.named_children:
        if part.type == "package_identifier":
            builder.use(part.start_byte, part.end_byte, EXPORTED)
    return -1


def import_spec(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import name "path"`."""
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None or path.end_byte - path.start_byte < 3:
        return -1
    start, end = path.start_byte + 1, path.end_byte - 1
    module = builder.name(start, end)
    builder.full = (node.start_byte, node.end_byte)
    flags, definition = 0, -1
    if name is not None and name.type == "dot":
        flags = STAR_IMPORT
    elif name is not None and name.type == "package_identifier":
        definition = builder.define(name, IMPORT)
    elif name is None:
        definition = _define_unnamed(builder, builder.strings[module], start, end)
    if definition >= 0:
        builder.definitions[definition][D_VALUE] = builder.module(module, 0)
    builder.use(start, end, IMPORTED, builder.module(module, 0))
    builder.imports.append([module, 0, -1, definition, flags, node.start_byte, node.end_byte, builder.scope])
    return -1


def _define_unnamed(builder: DeclaredFactsBuilder, path: str, start: int, end: int) -> int:
    """The binding of an import that has the name of its package, which its path mostly ends in."""
    name, at = package_word(path)
    begin = start + len(path[:at].encode())
    full_start, full_end = builder.full
    row = [builder.text(name), IMPORT, GUESSED, 0, begin, begin + len(name.encode()), full_start, full_end]
    builder.definitions.append([*row, -1, -1, -1, -1, -1, -1, builder.owner])
    return len(builder.definitions) - 1


def constants(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`const (...)`: what says neither type nor value repeats those above."""
    before = (-1, -1)
    for part in node.named_children:
        if part.type == "const_spec":
            before = _binding(builder, part, CONSTANT, before)
        else:
            builder.read(part)
    return -1


def variables(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`var name type = value`."""
    for part in node.named_children:
        if part.type == "var_spec":
            _binding(builder, part, VARIABLE, (-1, -1))
        elif part.type == "var_spec_list":
            variables(builder, part, want, role)
        else:
            builder.read(part)
    return -1


def _binding(builder: DeclaredFactsBuilder, node: Node, kind: int, before: tuple[int, int]) -> tuple[int, int]:
    """One line of names; answers its type and its first value, which the next line may repeat."""
    names = [part for part in node.children_by_field_name("name") if part.type == "identifier"]
    written, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    builder.full = (node.start_byte, node.end_byte)
    top = builder.scope == 0
    if top:  # visible everywhere, also in its own initialiser
        rows = _define_names(builder, names, kind)
        owner, builder.owner = builder.owner, rows[0] if rows else builder.owner
        type_, values = _typed_values(builder, written, value, len(names))
        builder.owner = owner
    else:
        type_, values = _typed_values(builder, written, value, len(names))
        builder.full = (node.start_byte, node.end_byte)
        rows = _define_names(builder, names, kind)
    if written is None and value is None:
        type_, values = before[0], [before[1]] * len(names)
    given = iter(values)
    for name, row in zip((part for part in names if part.text != b"_"), rows, strict=True):
        definition = builder.definitions[row]
        definition[D_TYPE] = type_
        definition[D_VALUE] = values[names.index(name)] if names.index(name) < len(values) else -1
        if top:
            builder.describe(row, node.start_byte, node.end_byte, _doc(builder, node))
    return type_, next(given, -1)


def _define_names(builder: DeclaredFactsBuilder, names: Sequence[Node], kind: int) -> list[int]:
    wanted = [part for part in names if part.text != b"_"]
    return [builder.define(part, kind, SHARED if at else 0) for at, part in enumerate(wanted)]


def _typed_values(
    builder: DeclaredFactsBuilder, written: Node | None, value: Node | None, count: int
) -> tuple[int, Sequence[int]]:
    type_ = builder.read(written, 1, TYPED) if written is not None else -1
    return type_, read_values(builder, value, count)


def type_spec(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`type Name[T any] ...` and `type Name = ...`."""
    name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None or written is None:
        builder.read_all(node)
        return -1
    struct, interface = written.type == "struct_type", written.type == "interface_type"
    alias = node.type == "type_alias"
    kind = TYPE_ALIAS if alias else INTERFACE if interface else CLASS
    around = builder.ancestry.parent(node)
    whole = around if around is not None and around.named_child_count == 1 else node
    builder.full = (whole.start_byte, whole.end_byte)
    row = builder.define(name, kind)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    parameters = node.child_by_field_name("type_parameters")
    if parameters is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, parameters)
    if (struct or interface) and not alias:
        builder.definitions[row][D_BODY] = open_members(builder, written, CLASS_SCOPE, row)
    else:
        builder.definitions[row][D_VALUE] = builder.read(written, 1, TYPED)
    builder.scope, builder.owner, builder.full = outer, owner, full
    end = name.end_byte if struct or interface else node.end_byte
    builder.describe(row, node.start_byte, end, _doc(builder, node))
    return -1


def _doc(builder: DeclaredFactsBuilder, node: Node) -> str:
    """The comment above a line, or above the word that begins a declaration of one line."""
    around = builder.ancestry.parent(node)
    if around is not None and around.start_point.row == node.start_point.row:
        return comments_above(builder.data, around.start_byte, b"//")
    return comments_above(builder.data, node.start_byte, b"//")


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`func name(...)` and `func (receiver) name(...)`."""
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, FUNCTION if receiver is None else METHOD)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    parameters, code = node.child_by_field_name("type_parameters"), node.child_by_field_name("body")
    if parameters is not None or receiver is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
    if parameters is not None:
        type_parameters(builder, parameters)
    holder = _receiver_type(builder, receiver, row) if receiver is not None else None
    begin = code.start_byte if code is not None else node.end_byte
    builder.scope = builder.open_scope(FUNCTION_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    if receiver is not None:
        _bind_receiver(builder, receiver, holder)
    signature(builder, node, row)
    if code is not None:
        builder.read_body(row, code, body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.describe(row, node.start_byte, begin, comments_above(builder.data, node.start_byte, b"//"))
    return -1


def _receiver_type(builder: DeclaredFactsBuilder, receiver: Node, row: int) -> int:
    """Whose method it is; the names in brackets are type parameters of the method. Answers the type of the receiver."""
    for part in receiver.named_children:
        written = part.child_by_field_name("type")
        while written is not None and written.type in ("pointer_type", "parenthesized_type"):
            written = written.named_children[0] if written.named_child_count else None
        if written is None:
            continue
        if written.type != "generic_type":
            builder.definitions[row][D_TYPE] = holder = builder.read(written, 1, TYPED)
            return holder
        base, arguments = written.child_by_field_name("type"), written.child_by_field_name("type_arguments")
        holder = builder.read(base, 1, TYPED) if base is not None else -1
        builder.definitions[row][D_TYPE] = holder
        given: list[int] = []
        for argument in arguments.named_children if arguments is not None else ():
            inside = argument.named_children[0] if argument.named_child_count else argument
            builder.full = (inside.start_byte, inside.end_byte)
            if inside.type == "type_identifier":
                builder.define(inside, TYPE_PARAMETER)
                start = inside.start_byte
                given.append(builder.expression(0, builder.name(start, inside.end_byte), builder.scope, start))
            else:
                builder.read(inside)
        return builder.expression(SUBSCRIPT, holder, builder.sequence(given)) if holder >= 0 else -1
    return -1


def _bind_receiver(builder: DeclaredFactsBuilder, receiver: Node, type_: int | None) -> None:
    for part in receiver.named_children:
        for name in part.children_by_field_name("name"):
            if name.text != b"_":
                builder.full = (part.start_byte, part.end_byte)
                definition = builder.definitions[builder.define(name, PARAMETER)]
                definition[D_FLAGS] |= RECEIVER
                definition[D_TYPE] = -1 if type_ is None else type_


RULES: dict[str, Rule] = {
    "package_clause": package_clause,
    "import_spec": import_spec,
    "const_declaration": constants,
    "var_declaration": variables,
    "type_spec": type_spec,
    "type_alias": type_spec,
    "function_declaration": function,
    "method_declaration": function,
}
