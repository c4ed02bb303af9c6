"""Declarations: namespaces, classes, enums, functions and variables of C++.

Owns: the rules of what stands in files, namespaces and classes, and of the same words inside of functions.
Must not know: other files.
Invariant: what is declared with a qualified name stands in a class scope without an owner, and its `value` is what
    stands before the name.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.c.cpp.syntax.facts_builder import (
    CLASS,
    CLASS_SCOPE,
    ENUM,
    ENUM_MEMBER,
    FIELD,
    IMPORT,
    INHERITED,
    INLINE,
    MACRO,
    NAMESPACE,
    OBJECT,
    OBJECT_SCOPE,
    PROTOTYPE,
    SPECIAL,
    STAR,
    STATIC,
    TYPE_ALIAS,
    VARIABLE,
    cpp,
    in_class,
    in_function,
    open_template,
)
from graphls.languages.c.cpp.syntax.functions import function, read_function, vexing
from graphls.languages.c.cpp.syntax.qualifiers import enter_qualified
from graphls.languages.c.cpp.syntax.types import QUALIFIED, TEMPLATED, Declared, arguments, declared, read_around
from graphls.languages.c.syntax.declarations import storage
from graphls.languages.c.syntax.expressions import initializer
from graphls.languages.c.syntax.types import name_of_type
from graphls.languages.declared.facts_builder import (
    CALLED,
    ITEM,
    NAMESPACE_SCOPE,
    READ,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    documentation_above,
)
from graphls.languages.extract.facts_builder import D_BODY, D_END, D_NAME, D_TYPE, D_VALUE

_SPECIFIERS: Final = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_ENUM: Final = "enum_specifier"
_BINDINGS: Final = "structured_binding_declarator"


# ---------------------------------------------------------------- namespaces


def namespace(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`namespace a::b { ... }`, `inline namespace a { ... }`, `namespace { ... }`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        builder.read_all(node)
        return -1
    outer, owner = builder.scope, builder.owner
    parts = [] if name is None else name.named_children if name.type == "nested_namespace_specifier" else [name]
    inline = any(part.type == "inline" for part in node.children)
    for part in parts:
        if part.type == "nested_namespace_specifier":
            parts += part.named_children
            continue
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(part, NAMESPACE, INLINE if inline and part == parts[-1] else 0)
        builder.describe(row, node.start_byte, part.end_byte, documentation_above(builder.data, node.start_byte))
        builder.scope = builder.open_scope(NAMESPACE_SCOPE, body.start_byte, node.end_byte, row)
        builder.definitions[row][D_BODY] = builder.scope
        builder.owner = row
    if not parts:
        builder.scope = builder.open_scope(NAMESPACE_SCOPE, body.start_byte, node.end_byte, -1)
        end = cpp(builder).macros.get(node.start_byte, -1)
        if end >= 0:
            made = builder.define(node, IMPORT, MACRO)
            builder.definitions[made][D_NAME] = builder.name(node.start_byte, end)
            builder.definitions[made][D_END] = end
    read_statements(builder, body)
    builder.scope, builder.owner = outer, owner
    return -1


def read_statements(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Declarations, one after the other."""
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)


def linkage(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`extern "C" { ... }`."""
    body = node.child_by_field_name("body")
    if body is None:
        return -1
    if body.type == "declaration_list":
        read_statements(builder, body)
    else:
        builder.full = (node.start_byte, node.end_byte)
        builder.read(body)
    return -1


def alias_of_namespace(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`namespace x = a::b;`."""
    name = node.child_by_field_name("name")
    target = next((part for part in node.named_children if part != name), None)
    if name is None or target is None:
        builder.read_all(node)
        return -1
    row = builder.define(name, IMPORT)
    builder.definitions[row][D_VALUE] = _specified(builder, target)
    return -1


def _specified(builder: DeclaredFactsBuilder, node: Node) -> int:
    """`a::b` where only namespaces may stand."""
    if node.type != "nested_namespace_specifier":
        return builder.read(node, 1)
    row = -1
    for part in node.named_children:
        if row < 0:
            row = _specified(builder, part)
        elif part.type == "nested_namespace_specifier":
            for inner in part.named_children:
                row = builder.member_expression(row, inner, 1, READ)
        else:
            row = builder.member_expression(row, part, 1, READ)
    return row


def using(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`using namespace a;`, `using a::name;`."""
    target = node.named_children[0] if node.named_children else None
    if target is None:
        return -1
    row = builder.read(target, 1)
    if row < 0:
        return -1
    if any(part.type == "namespace" for part in node.children):
        made = builder.define(target, IMPORT, STAR)
        builder.definitions[made][D_NAME] = builder.text("*")
    else:
        last: Node | None = target
        while last is not None and last.type == QUALIFIED:
            last = last.child_by_field_name("name")
        if last is None or last.type in TEMPLATED:
            return -1
        made = builder.define(last, IMPORT)
    builder.definitions[made][D_VALUE] = row
    return -1


def alias(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`using Name = type;`."""
    name, type_, outer = node.child_by_field_name("name"), node.child_by_field_name("type"), builder.scope
    if name is None or type_ is None:
        builder.read_all(node)
        return -1
    row = builder.define(name, TYPE_ALIAS)
    builder.describe(row, node.start_byte, node.end_byte, documentation_above(builder.data, node.start_byte))
    open_template(builder, row, node)
    builder.definitions[row][D_VALUE] = builder.read(type_, 1, TYPED)
    builder.scope = outer
    return -1


def type_definition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typedef type name, *other;`: a class without a name has the first one."""
    type_, declarators = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    if type_ is None:
        builder.read_all(node)
        return -1
    full = builder.full = (node.start_byte, node.end_byte)
    doc = documentation_above(builder.data, node.start_byte)
    found = [declared(part) for part in declarators]
    names = [one.name for one in found if one.name is not None and one.name.type != QUALIFIED]
    body = type_.child_by_field_name("body")
    if body is not None and type_.child_by_field_name("name") is None and names and type_.type != _ENUM:
        row = builder.define(names[0], CLASS)
        builder.describe(row, type_.start_byte, body.start_byte, doc)
        _members(builder, body, row)
        written, names = name_of_type(builder, names[0]), names[1:]
    else:
        written = builder.read(type_, 1, TYPED)
    builder.full = full
    functions = {one.name.id for one in found if one.function is not None and one.name is not None}
    for name in names:
        row = builder.define(name, TYPE_ALIAS)
        builder.definitions[row][D_VALUE] = -1 if name.id in functions else written
        builder.describe(row, node.start_byte, node.end_byte, doc)
    for part in declarators:
        read_around(builder, part)
    return -1


# ---------------------------------------------------------------- classes and enums


def class_(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class Name : Base { ... }`, `class Name;`, `class Name` as a type."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return _unnamed(builder, node, body, want)
    if body is None and not _is_forward(builder, node):
        return builder.read(name, want, TYPED)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.full = (node.start_byte, node.end_byte)
    given = None
    last = name
    qualifier = -1
    if last.type == QUALIFIED:
        qualifier, last = enter_qualified(builder, name, node)
    if last.type in TEMPLATED:
        given, inner = last.child_by_field_name("arguments"), last.child_by_field_name("name")
        last = inner if inner is not None else last
    row = builder.define(last, CLASS, (SPECIAL if given is not None else 0) | (PROTOTYPE if body is None else 0))
    builder.definitions[row][D_VALUE] = qualifier
    stop = body.start_byte if body is not None else node.end_byte
    builder.describe(row, node.start_byte, stop, documentation_above(builder.data, node.start_byte))
    builder.owner = row
    open_template(builder, row, node)
    if given is not None:
        arguments(builder, given)
    for part in node.named_children:
        if part.type == "base_class_clause":
            _bases(builder, part, row)
    if body is not None:
        _members(builder, body, row)
    builder.scope, builder.owner, builder.full = outer, owner, full
    if not want or given is not None or qualifier >= 0:
        return -1
    return name_of_type(builder, last)


def _is_forward(builder: DeclaredFactsBuilder, node: Node) -> bool:
    """Whether a class without a body is declared, not used."""
    around = builder.ancestry.parent(node)
    if around is None or around.type in ("friend_declaration", "template_instantiation"):
        return False
    if around.type in ("declaration", "field_declaration"):
        return around.child_by_field_name("declarator") is None
    return around.type in (
        "translation_unit", "declaration_list", "template_declaration", "compound_statement", "linkage_specification",
    ) or around.type.startswith("preproc_")  # fmt: skip


def _bases(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    for part in node.named_children:
        if part.type in ("access_specifier", "comment", "virtual"):
            continue
        base = builder.read(part, 1, INHERITED)
        builder.bases.append((row, base if base >= 0 else builder.unknown(), -1))


def _members(builder: DeclaredFactsBuilder, body: Node, row: int) -> None:
    outer, owner = builder.scope, builder.owner
    builder.owner = row
    builder.scope = builder.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    read_statements(builder, body)
    builder.scope, builder.owner = outer, owner


def _unnamed(builder: DeclaredFactsBuilder, node: Node, body: Node | None, want: int) -> int:
    """A class without a name: its members are those of the scope around it, where nothing is declared with it."""
    if body is None:
        return -1
    if not want:
        read_statements(builder, body)
        return -1
    outer = builder.scope
    scope = builder.scope = builder.open_scope(OBJECT_SCOPE, body.start_byte, body.end_byte, -1)
    read_statements(builder, body)
    builder.scope = outer
    return builder.expression(OBJECT, scope)


def enum(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`enum class Name : base { A }` has names in a scope of its own; those of `enum Name { A }` are around it."""
    name, body, base = (node.child_by_field_name(field) for field in ("name", "body", "base"))
    if base is not None:
        builder.read(base, 0, TYPED)
    if body is None and (name is None or not (_is_forward(builder, node) and base is not None)):
        return builder.read(name, want, TYPED) if name is not None else -1
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.full = (node.start_byte, node.end_byte)
    row, last, qualifier = -1, name, -1
    if name is not None:
        if name.type == QUALIFIED:
            qualifier, last = enter_qualified(builder, name, node)
        row = builder.define(last or name, ENUM, PROTOTYPE if body is None else 0)
        builder.definitions[row][D_VALUE] = qualifier
        stop = body.start_byte if body is not None else node.end_byte
        builder.describe(row, node.start_byte, stop, documentation_above(builder.data, node.start_byte))
        builder.owner = row
    if body is not None:
        if any(part.type in ("class", "struct") for part in node.children) and row >= 0:
            builder.scope = builder.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
            builder.definitions[row][D_BODY] = builder.scope
        builder.read_all(body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    if not want:
        return -1
    return name_of_type(builder, last) if last is not None and qualifier < 0 else builder.builtin("int")


def enumerator(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`NAME = value`."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, ENUM_MEMBER)
    if builder.owner >= 0 and builder.definitions[builder.owner][1] == ENUM:
        enum_row = builder.definitions[builder.owner]
        if enum_row[D_VALUE] < 0 and builder.scopes[builder.scope][4] != builder.owner:
            builder.definitions[row][D_TYPE] = builder.expression(0, enum_row[D_NAME], builder.scope, name.start_byte)
        elif builder.scopes[builder.scope][4] == builder.owner:
            around = builder.scopes[builder.scope][1]
            builder.definitions[row][D_TYPE] = builder.expression(0, enum_row[D_NAME], around, name.start_byte)
    builder.describe(row, node.start_byte, node.end_byte, documentation_above(builder.data, node.start_byte))
    if value is not None:
        builder.read(value)
    return -1


def friend(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`friend class A;`, `friend int f(A);`: such a function is one of the namespace around the class."""
    for part in node.named_children:
        if part.type in ("declaration", "function_definition"):
            builder.full = (part.start_byte, part.end_byte)
            if part.type == "function_definition":
                read_function(builder, part, friend=True)
            else:
                declaration(builder, part, -1, READ)
        else:
            builder.read(part, 0, TYPED)
    return -1


# ---------------------------------------------------------------- variables


def declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Prototypes, variables and fields. `want` below 0: those of a friend."""
    type_, declarators = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    full = builder.full = (node.start_byte, node.end_byte)
    found = [declared(part) for part in declarators]
    if not declarators:
        if type_ is not None:
            builder.read(type_, 0, TYPED)
        for part in node.named_children:
            if part != type_ and part.type not in ("storage_class_specifier", "type_qualifier"):
                builder.read(part)
        cpp(builder).template = None
        return -1
    first = found[0]
    if len(found) == 1 and first.function is not None and first.name is not None and not vexing(builder, first):
        read_function(builder, node, friend=want < 0)
        return -1
    outer = builder.scope
    if cpp(builder).template is not None:
        return _templated_variable(builder, node, first, type_)
    role = CALLED if any(map(_makes_one, declarators, found)) or vexing(builder, first) else TYPED
    written = builder.read(type_, 1, role) if type_ is not None else -1
    defaults = node.children_by_field_name("default_value") + node.children_by_field_name("value")
    for part, one in zip(declarators, found, strict=True):
        builder.full = full if builder.frame.definition < 0 or in_class(builder) else (full[0], part.end_byte)
        _variable(builder, node, part, one, written=written)
        builder.scope = outer
    for part in defaults:
        builder.read(part)
    for part in node.named_children:
        if part.type == "bitfield_clause":
            builder.read(part)
    return -1


def _makes_one(part: Node, found: Declared) -> bool:
    """`name(a)` or `name{a}`, which is no pointer or reference: the type is made of what is given."""
    inner = part.child_by_field_name("declarator")
    plain = inner is not None and inner.type in ("identifier", "field_identifier", QUALIFIED)
    return plain and found.value is not None and found.value.type in ("argument_list", "initializer_list")


def _templated_variable(builder: DeclaredFactsBuilder, node: Node, found: Declared, type_: Node | None) -> int:
    """`template <class T> constexpr bool name = ...;`."""
    outer = builder.scope
    name = found.name
    if name is not None and name.type in TEMPLATED:
        name = name.child_by_field_name("name")
    if name is None or name.type == QUALIFIED:
        cpp(builder).template = None
        builder.read_all(node)
        return -1
    row = builder.define(name, FIELD if in_class(builder) else VARIABLE)
    builder.describe(row, node.start_byte, node.end_byte, documentation_above(builder.data, node.start_byte))
    owner, builder.owner = builder.owner, row
    open_template(builder, row, node)
    if type_ is not None:
        builder.definitions[row][D_TYPE] = builder.read(type_, 1, TYPED)
    if found.name is not None and found.name.type in TEMPLATED:
        arguments(builder, found.name.child_by_field_name("arguments"))
    for part in [found.value, *node.children_by_field_name("default_value")]:
        if part is not None:
            builder.read(part)
    builder.scope, builder.owner = outer, owner
    return -1


def _variable(
    builder: DeclaredFactsBuilder, node: Node, part: Node, found: Declared, *, written: int
) -> None:  # fmt: skip
    """One of the names of a declaration."""
    name, value, words = found.name, found.value, storage(node)
    if name is None:
        builder.read(part)
        return
    if name.type == _BINDINGS:
        bind_parts(builder, name, builder.read(value, 1) if value is not None else -1)
        return
    qualifier, member = -1, in_class(builder)
    if name.type == QUALIFIED:
        qualifier, name = enter_qualified(builder, name, node)
        member = True
    if name.type in TEMPLATED:
        name = name.child_by_field_name("name") or name
    declares = b"extern" in words or (member and qualifier < 0 and b"static" in words)
    initialised = value is not None or node.child_by_field_name("default_value") is not None
    flags = (STATIC if b"static" in words else 0) | (PROTOTYPE if declares and not initialised else 0)
    row = builder.define(name, FIELD if member else VARIABLE, flags)
    builder.definitions[row][D_TYPE] = written if found.function is None or in_function(builder) else -1
    if qualifier >= 0:
        builder.definitions[row][D_VALUE] = qualifier
    owner = builder.owner
    if not in_function(builder):
        builder.owner = row
        builder.describe(row, node.start_byte, part.end_byte, documentation_above(builder.data, node.start_byte))
    if found.function is not None and vexing(builder, found):
        _given(builder, found.function)
    else:
        read_around(builder, part)
    if value is not None:
        made = _initial(builder, value, written)
        if written < 0 and qualifier < 0:
            builder.definitions[row][D_VALUE] = made
    builder.owner = owner


def _given(builder: DeclaredFactsBuilder, function: Node) -> None:
    """`(a, b)` behind the name of a variable, which look like types."""
    given = function.child_by_field_name("parameters")
    for one in given.named_children if given is not None else ():
        type_ = one.child_by_field_name("type")
        if type_ is not None:
            builder.read(type_, 0, READ)


def _initial(builder: DeclaredFactsBuilder, value: Node, written: int) -> int:
    """What a variable begins with; its expression where no type is written."""
    if value.type == "initializer_list":
        initializer(builder, value, builder.instance(written))
    elif value.type == "argument_list":
        builder.read_all(value)
    else:
        return builder.read(value, 1 if written < 0 else 0)
    return -1


def bind_parts(builder: DeclaredFactsBuilder, names: Node, value: int) -> None:
    """`auto [a, b]`."""
    for at, name in enumerate(part for part in names.named_children if part.type == "identifier"):
        row = builder.define(name, VARIABLE)
        builder.definitions[row][D_VALUE] = builder.expression(ITEM, value, at) if value >= 0 else -1


RULES: dict[str, Rule] = {
    "namespace_definition": namespace,
    "namespace_alias_definition": alias_of_namespace,
    "linkage_specification": linkage,
    "using_declaration": using,
    "alias_declaration": alias,
    "type_definition": type_definition,
    "class_specifier": class_,
    "struct_specifier": class_,
    "union_specifier": class_,
    "enum_specifier": enum,
    "enumerator": enumerator,
    "friend_declaration": friend,
    "declaration": declaration,
    "field_declaration": declaration,
    "function_definition": function,
}
