"""Declarations: packages, imports, types and their members.

Owns: the rules of what stands at the top of a file and in the bodies of types.
Must not know: other files.
Invariant: a constructor is a method that is called like its class.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag, Role
from graphls.languages.declared.doc_blocks import comment_block_above
from graphls.languages.declared.facts_builder import (
    CALL,
    FUNCTION_SCOPE,
    NAME,
    RETURN,
    TYPED,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    nothing,
)
from graphls.languages.declared.statements import read_statements
from graphls.languages.extract.facts_builder import D_BODY, D_DOC, D_FLAGS, D_TYPE, D_VALUE, EXPRESSION
from graphls.languages.java.syntax.expressions import OBJECT, arguments
from graphls.languages.java.syntax.members import anonymous_body, parameters
from graphls.languages.java.syntax.types import (
    ABSTRACT,
    CLASS_SCOPE,
    FINAL,
    METHOD,
    STATIC,
    TYPE_PARAMETERS,
    modifiers,
    read_type,
    type_parameters,
    with_dimensions,
)

CLASS: Final = int(DefinitionKind.CLASS)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
IMPORT: Final = int(DefinitionKind.IMPORT)
SHARED: Final = int(DefinitionFlag.SHARED)
STAR: Final = int(DefinitionFlag.STAR)
COMPONENT: Final = int(DefinitionFlag.INSTANCE)
"""On a field: the component of a record, which a method of its name reads."""
IMPORTED: Final = int(Role.IMPORT)
EXPORTED: Final = int(Role.EXPORT)
INHERITED: Final = int(Role.INHERIT)
IMPLEMENTED: Final = int(Role.IMPLEMENT)
STAR_IMPORT: Final = int(ImportFlag.STAR)
KINDS: Final = {
    "class_declaration": CLASS,
    "record_declaration": CLASS,
    "interface_declaration": INTERFACE,
    "annotation_type_declaration": INTERFACE,
    "enum_declaration": ENUM,
}
PLAIN, OF_STATIC = 0, 1
"""How an import is meant: a type, or a static member."""


def package_clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`package a.b;`: which package the file belongs to."""
    for part in node.named_children:
        if part.type in ("identifier", "scoped_identifier"):
            builder.use(part.start_byte, part.end_byte, EXPORTED)
        else:
            builder.read(part)
    return -1


def import_clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import a.b.C;`, `import static a.b.C.d;`, both with a star."""
    star = next((part for part in node.named_children if part.type == "asterisk"), None)
    path = next((part for part in node.named_children if part.type in ("identifier", "scoped_identifier")), None)
    if path is None:
        return -1
    how = OF_STATIC if any(part.type == "static" for part in node.children) else PLAIN
    segments = _segments(path)
    builder.full = (node.start_byte, node.end_byte)
    spelled = [builder.source(part.start_byte, part.end_byte) for part in segments]
    module = builder.text(".".join(spelled))
    flags = STAR_IMPORT if star is not None else 0
    last = star or segments[-1]
    row = _bind(builder, last, star is not None)
    builder.definitions[row][D_VALUE] = builder.module(module, how)
    first = len(segments) if star is not None and how == PLAIN else len(segments) - (2 if how and not star else 1)
    for at, part in enumerate(segments):
        small = 0x61 <= builder.data[part.start_byte] <= 0x7A
        if at >= first or (at and not small):
            member = how if at == len(segments) - 1 and star is None else PLAIN
            text = builder.text(".".join(spelled[: at + 1]))
            builder.use(part.start_byte, part.end_byte, IMPORTED, builder.module(text, member))
    builder.imports.append([module, 0, -1, row, flags, last.start_byte, last.end_byte, 0])
    return -1


def _bind(builder: DeclaredFactsBuilder, node: Node, star: bool) -> int:
    start, end = node.start_byte, node.end_byte
    name = builder.text("*") if star else builder.name(start, end)
    full_start, full_end = builder.full
    row = [name, IMPORT, STAR if star else 0, 0, start, end, full_start, full_end]
    builder.definitions.append([*row, -1, -1, -1, -1, -1, -1, builder.owner])
    return len(builder.definitions) - 1


def _segments(node: Node) -> list[Node]:
    found: list[Node] = []
    while node.type == "scoped_identifier":
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if scope is None or name is None:
            break
        found.append(name)
        node = scope
    found.append(node)
    found.reverse()
    return found


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class`, `interface`, `enum`, `record`, `@interface`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, KINDS[node.type])
    outer, owner, full, frame = builder.scope, builder.owner, builder.full, builder.frame
    builder.owner, builder.frame = row, Frame(row)
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    given = node.child_by_field_name("type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    _supers(builder, node, row)
    begin = body.start_byte if body is not None else node.end_byte
    builder.scope = builder.open_scope(CLASS_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    if node.type == "record_declaration":
        parameters(builder, node.child_by_field_name("parameters"), FIELD, COMPONENT)
    if body is not None:
        _body(builder, body)
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    builder.describe(row, _behind_annotations(node), begin, comment_block_above(builder.data, node.start_byte))
    return -1


def _body(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.read_row(node, node.named_children, _member)


def _member(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    if node.type == "enum_body_declarations":
        _body(builder, node)
    else:
        builder.read(node)


def _supers(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    for part in node.named_children:
        if part.type in ("superclass", "super_interfaces", "extends_interfaces", "permits"):
            role = IMPLEMENTED if part.type == "super_interfaces" else TYPED if part.type == "permits" else INHERITED
            for inside in part.named_children:
                for written in inside.named_children if inside.type == "type_list" else [inside]:
                    type_ = builder.read(written, 1, role)
                    if type_ >= 0 and part.type != "permits":
                        builder.bases.append((row, type_, -1))


def _behind_annotations(node: Node) -> int:
    """Where the words of a declaration begin, behind annotations on lines of their own."""
    for part in node.children:
        if part.type != "modifiers":
            return part.start_byte if part.type not in ("line_comment", "block_comment") else node.start_byte
        plain = [word.start_byte for word in part.children if not word.is_named]
        if plain:
            return plain[0]
    return node.start_byte


def fields(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T a = x, b[];` of a type."""
    written, flags, type_, first = node.child_by_field_name("type"), 0, -1, True
    doc = comment_block_above(builder.data, node.start_byte)
    owner = builder.owner
    for part in node.children_by_field_name("declarator"):
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if name is None:
            continue
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(name, FIELD, 0 if first else SHARED)
        builder.owner = row
        if first:
            flags = modifiers(builder, node, row)
            type_ = read_type(builder, written)
            first = False
        definition = builder.definitions[row]
        definition[D_FLAGS] |= flags
        definition[D_TYPE] = with_dimensions(builder, type_, part.child_by_field_name("dimensions"))
        if value is not None:
            definition[D_VALUE] = builder.read(value, 1)
        builder.owner = owner
        builder.describe(row, _behind_annotations(node), name.end_byte, doc)
    return -1


def enum_constant(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`NAME(arguments) { ... }`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return -1
    row = builder.define(name, ENUM_MEMBER, STATIC | FINAL)
    modifiers(builder, node, row)
    owner, builder.owner = builder.owner, row
    holder = builder.scopes[builder.scope][4]
    if holder >= 0:
        own = builder.expression(NAME, builder.definitions[holder][0], builder.scope, node.start_byte)
        builder.definitions[row][D_TYPE] = own
        given = node.child_by_field_name("arguments")
        if given is not None:
            builder.expression(CALL, builder.instance(own), builder.sequence(arguments(builder, given)))
        if body is not None:
            scope = anonymous_body(builder, body, own)
            builder.expression(OBJECT, scope, own)
    builder.owner = owner
    doc = comment_block_above(builder.data, node.start_byte)
    if doc:
        builder.definitions[row][D_DOC] = builder.text(doc)
    return -1


def method(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A method, a constructor, an element of an annotation."""
    name, code = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    flags = modifiers(builder, node, row)
    builder.definitions[row][D_FLAGS] |= flags | (ABSTRACT if code is None else 0)
    given = node.child_by_field_name("type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    written = node.child_by_field_name("type")
    result = with_dimensions(builder, read_type(builder, written), node.child_by_field_name("dimensions"))
    if result >= 0 and written is not None and written.type != "void_type":
        builder.returns.append((row, builder.instance(result), RETURN))
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    parameters(builder, node.child_by_field_name("parameters"))
    for part in node.named_children:
        if part.type == "throws":
            for one in part.named_children:
                builder.read(one, 0, TYPED)
    default = node.child_by_field_name("value")
    if default is not None:
        builder.read(default)
    if code is not None:
        builder.read_body(row, code, _statements)
    builder.scope, builder.owner, builder.full = outer, owner, full
    begin = code.start_byte if code is not None else node.end_byte
    builder.describe(row, _behind_annotations(node), begin, comment_block_above(builder.data, node.start_byte))
    return -1


def _statements(builder: DeclaredFactsBuilder, node: Node) -> None:
    last = builder.returns[-1] if builder.returns else (-1, -1, 0)
    if last[0] == builder.frame.definition:
        builder.frame.result = builder.expressions[last[1] * EXPRESSION + 1]
    read_statements(builder, node)


def initializer(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`static { ... }`."""
    builder.read_all(node)
    return -1


def module_directive(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`uses a.B;`, `provides a.B with c.D;` of module-info."""
    for part in node.named_children:
        if part.type == "scoped_identifier":
            segments = _segments(part)
            text = builder.text(".".join(builder.source(one.start_byte, one.end_byte) for one in segments))
            last = segments[-1]
            builder.use(last.start_byte, last.end_byte, IMPORTED, builder.module(text, PLAIN))
    return -1


RULES: dict[str, Rule] = {
    "package_declaration": package_clause,
    "import_declaration": import_clause,
    **dict.fromkeys(KINDS, type_declaration),
    "field_declaration": fields,
    "constant_declaration": fields,
    "enum_constant": enum_constant,
    "method_declaration": method,
    "constructor_declaration": method,
    "compact_constructor_declaration": method,
    "annotation_type_element_declaration": method,
    "static_initializer": initializer,
    "uses_module_directive": module_directive,
    "provides_module_directive": module_directive,
    "requires_module_directive": nothing,
    "exports_module_directive": nothing,
    "opens_module_directive": nothing,
    "modifiers": nothing,
}
