"""Functions: functions, methods, constructors and operators of C++, with or without a body.

Owns: parameters, how many arguments a function takes, what it gives back, initialisers of constructors.
Must not know: other files.
Invariant: a function says how many arguments it takes in place of a type, as `least,most`.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from graphls.languages.c.cpp.syntax.facts_builder import (
    ABSTRACT,
    FUNCTION,
    METHOD,
    PARAMETER,
    PROTOTYPE,
    SPECIAL,
    STATIC,
    VARIADIC_MOST,
    VIRTUAL,
    cpp,
    in_class,
    in_function,
    open_template,
)
from graphls.languages.c.cpp.syntax.qualifiers import enter_qualified, read_arguments
from graphls.languages.c.cpp.syntax.types import (
    NAMES,
    QUALIFIED,
    TEMPLATED,
    Declared,
    arguments,
    conversion,
    declared,
    read_around,
)
from graphls.languages.c.syntax.declarations import storage
from graphls.languages.declared.facts_builder import (
    CALLED,
    CLASS_SCOPE,
    FUNCTION_SCOPE,
    NAME,
    READ,
    RETURN,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    documentation_above,
)
from graphls.languages.declared.statements import read_statements
from graphls.languages.extract.facts_builder import D_BODY, D_TYPE, D_VALUE

_NAMING: Final = NAMES | {QUALIFIED} | frozenset(TEMPLATED)
_BODIES: Final = frozenset({"compound_statement", "try_statement"})


_CAPITALS: Final = re.compile(rb"[A-Z][A-Z0-9_]+")
_SUITES: Final = frozenset((b"TEST_F", b"TEST_P", b"TYPED_TEST", b"TYPED_TEST_P"))
"""Macros of GoogleTest that make a method of a class derived from their first argument."""
_TESTS: Final = _SUITES | {b"TEST"}


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function with its body, or a macro that makes one."""
    if not _macro(builder, node):
        read_function(builder, node)
    return -1


def _macro(builder: DeclaredFactsBuilder, node: Node) -> bool:
    """`TEST_F(Fixture, name) { ... }`: a body behind a macro, where no type stands before it."""
    declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
    if node.child_by_field_name("type") is not None or declarator is None or body is None:
        return False
    name, given = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters")
    if name is None or given is None or name.type != "identifier" or not _CAPITALS.fullmatch(name.text or b""):
        return False
    if (
        in_class(builder)
        and builder.owner >= 0
        and builder.definitions[builder.owner][0] == builder.name(name.start_byte, name.end_byte)
    ):
        return False  # a constructor
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.use(name.start_byte, name.end_byte, CALLED)
    parts = given.named_children
    row, last = -1, parts[1].child_by_field_name("type") if len(parts) == 2 else None
    if name.text in _TESTS and last is not None and last.type == "type_identifier":
        fixture = parts[0].child_by_field_name("type")
        in_suite = name.text in _SUITES
        holder = builder.read(fixture, 1, TYPED) if fixture is not None and in_suite else -1
        if fixture is not None and not in_suite:
            # The suite is a name and no class, whatever is called so.
            holder = builder.builtin(builder.source(fixture.start_byte, fixture.end_byte))
        builder.scope = builder.open_scope(CLASS_SCOPE, node.start_byte, node.end_byte, -1)
        builder.full = (node.start_byte, node.end_byte)
        row = builder.owner = builder.define(last, METHOD)
        builder.definitions[row][D_VALUE] = holder
        builder.decorators.append(
            (row, -1, name.start_byte, given.end_byte, builder.text((name.text or b"").decode()), -1)
        )
        builder.describe(row, node.start_byte, body.start_byte, documentation_above(builder.data, node.start_byte))
    else:
        builder.read_all(given)
    builder.scope = builder.open_scope(FUNCTION_SCOPE, body.start_byte, node.end_byte, row)
    if row >= 0:
        builder.definitions[row][D_BODY] = builder.scope
        builder.read_body(row, body, _body)
    else:
        _body(builder, body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    return True


def vexing(builder: DeclaredFactsBuilder, found: Declared) -> bool:
    """Whether `Type name(a, b);` in a function makes a variable: its parameters would have no names."""
    if not in_function(builder) or found.function is None or found.function.type != "function_declarator":
        return False
    given = found.function.child_by_field_name("parameters")
    parts = given.named_children if given is not None else []
    return bool(parts) and all(
        part.type == "parameter_declaration"
        and part.child_by_field_name("declarator") is None
        and (type_ := part.child_by_field_name("type")) is not None
        and type_.type in ("type_identifier", QUALIFIED)
        for part in parts
    )


def read_function(builder: DeclaredFactsBuilder, node: Node, *, friend: bool = False) -> None:
    """A declaration of one function, with or without a body."""
    type_, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    declarator = node.child_by_field_name("declarator")
    found = declared(declarator) if declarator is not None else None
    if declarator is None or found is None or found.name is None or found.function is None:
        cpp(builder).template = None
        builder.read_all(node)
        return
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.full = (node.start_byte, node.end_byte)
    words, name, qualifier = _words(node), found.name, -1
    if friend:
        builder.scope = _around_classes(builder)
    member = in_class(builder)
    if name.type == QUALIFIED:
        qualifier, name = enter_qualified(builder, name, node)
        member = True
    special = name.type in TEMPLATED
    if special:
        name = name.child_by_field_name("name") or name
    flags = (PROTOTYPE if _is_prototype(node, body) else 0) | (STATIC if b"static" in words else 0)
    flags |= (VIRTUAL if words & _OVERRIDING else 0) | (SPECIAL if special else 0)
    if member and body is None and _default(node) == b"0":
        flags |= ABSTRACT | VIRTUAL
    row = _define(builder, name, METHOD if member else FUNCTION, flags)
    builder.definitions[row][D_VALUE] = qualifier
    if friend:
        builder.scope = outer
    builder.owner = row
    open_template(builder, row, node)
    read_arguments(builder, found.name)
    returned = builder.read(type_, 1, TYPED) if type_ is not None else -1
    converted = conversion(found.name)
    if converted is not None:
        written = converted.child_by_field_name("type")
        returned = builder.read(written, 1, TYPED) if written is not None else -1
    _signature(builder, node, declarator, found, row, returned=returned)
    stop = body.start_byte if body is not None else node.end_byte
    builder.describe(row, node.start_byte, stop, documentation_above(builder.data, node.start_byte))
    if body is not None:
        builder.read_body(row, body, _body)
    builder.scope, builder.owner, builder.full = outer, owner, full


_OVERRIDING: Final = frozenset((b"virtual", b"override", b"final"))


def _words(node: Node) -> frozenset[bytes]:
    words = set(storage(node))
    pending = [node]
    while pending:
        one = pending.pop()
        for part in one.children:
            if part.type in ("virtual", "virtual_specifier", "virtual_function_specifier"):
                words.add((part.text or b"").strip())
            elif part.type.endswith("declarator"):
                pending.append(part)
    return frozenset(words)


def _is_prototype(node: Node, body: Node | None) -> bool:
    if body is not None:
        return False
    return not any(part.type in ("default_method_clause", "delete_method_clause") for part in node.named_children)


def _default(node: Node) -> bytes:
    value = node.child_by_field_name("default_value")
    if value is not None:
        return value.text or b""
    return b"0" if any(part.type == "pure_virtual_clause" for part in node.named_children) else b""


def _around_classes(builder: DeclaredFactsBuilder) -> int:
    scope = builder.scope
    while scope > 0 and builder.scopes[scope][0] in (CLASS_SCOPE, 5, 8):
        scope = builder.scopes[scope][1]
    return scope


def _define(builder: DeclaredFactsBuilder, name: Node, kind: int, flags: int) -> int:
    if name.type == "operator_cast":
        type_ = name.child_by_field_name("type")
        row = builder.define(name, kind, flags)
        end = type_.end_byte if type_ is not None else name.end_byte
        builder.definitions[row][0] = builder.name(name.start_byte, end)
        builder.definitions[row][5] = end
        return row
    return builder.define(name, kind, flags)


def _signature(
    builder: DeclaredFactsBuilder, node: Node, declarator: Node, found: Declared, row: int, *, returned: int
) -> None:  # fmt: skip
    """Opens the scope of a function, and reads all between its name and its body."""
    inner = found.function if found.function is not None else declarator
    if inner.type == "operator_cast":
        abstract = inner.child_by_field_name("declarator")
        inner = abstract if abstract is not None else inner
    given = inner.child_by_field_name("parameters")
    start = given.start_byte if given is not None else inner.start_byte
    builder.scope = builder.open_scope(FUNCTION_SCOPE, start, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    least, most = parameters(builder, given) if given is not None else (0, 0)
    builder.definitions[row][D_TYPE] = builder.builtin(f"{least},{most}")
    for part in inner.named_children:
        if part.type == "trailing_return_type":
            written = part.named_children[0] if part.named_children else None
            returned = builder.read(written, 1, TYPED) if written is not None else -1
        elif part != given and part.type not in _NAMING:
            builder.read(part)
    read_around(builder, declarator, inner)
    if returned >= 0:
        builder.returns.append((row, builder.instance(returned), RETURN))
    for part in node.named_children:
        if part.type == "field_initializer_list":
            _initializers(builder, part)
        elif part.type in ("attribute_declaration", "requires_clause", "explicit_function_specifier"):
            builder.read(part)


def parameters(builder: DeclaredFactsBuilder, node: Node) -> tuple[int, int]:
    """Defines parameters in the current scope; the least and most arguments."""
    least = most = 0
    variadic = any(part.type == "..." for part in node.children)
    for part in node.named_children:
        type_, declarator = part.child_by_field_name("type"), part.child_by_field_name("declarator")
        if type_ is None:
            variadic = variadic or part.type in ("variadic_parameter", "variadic_parameter_declaration")
            if part.type != "comment":
                builder.read(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        written = builder.read(type_, 1, TYPED)
        default = part.child_by_field_name("default_value")
        if declarator is None and type_.text == b"void":
            continue
        most += 1
        variadic = variadic or part.type == "variadic_parameter_declaration"
        least += int(default is None and part.type == "parameter_declaration")
        found = declared(declarator) if declarator is not None else None
        if found is not None and found.name is not None and found.name.type in ("identifier", "field_identifier"):
            builder.full = (part.start_byte, part.end_byte)
            row = builder.define(found.name, PARAMETER)
            builder.definitions[row][D_TYPE] = written if found.function is None else -1
        if declarator is not None:
            read_around(builder, declarator)
        if default is not None:
            builder.read(default)
    return least, VARIADIC_MOST if variadic else most


def _initializers(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`: field(value), Base(value)`: fields and bases by their names, whatever parameters are called."""
    this = builder.expression(NAME, builder.text("this"), builder.scope, node.start_byte)
    for part in node.named_children:
        if part.type != "field_initializer":
            continue
        name = part.named_children[0] if part.named_children else None
        if name is None:
            continue
        if name.type in TEMPLATED:
            plain = name.child_by_field_name("name")
            if plain is not None:
                builder.member_expression(this, plain, 0, READ)
            arguments(builder, name.child_by_field_name("arguments"))
        elif name.type == QUALIFIED:
            builder.read(name)
        else:
            builder.member_expression(this, name, 0, WRITE)
        for rest in part.named_children[1:]:
            builder.read_all(rest) if rest.type == "argument_list" else builder.read(rest)


def _body(builder: DeclaredFactsBuilder, node: Node) -> None:
    if node.type == "compound_statement":
        read_statements(builder, node)
    else:
        builder.read_all(node)
