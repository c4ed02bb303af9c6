"""Declarations: imports, constants, functions, models, classes, traits, enums, newtypes and aliases of Incan.

Owns: the rules of what stands at the top of a file, and of members.
Must not know: statements inside of functions, other files.
Invariant: members are bound in the scope of their type; what tests and conditions hold is bound as if it stood outside.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag, Role
from graphls.languages.declared.facts_builder import (
    CLASS_SCOPE,
    DOC_CAP,
    FUNCTION_SCOPE,
    RETURN,
    TUPLE,
    TYPE_PARAMETERS_SCOPE,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    comments_above,
    nothing,
)
from graphls.languages.declared.statements import read_statements
from graphls.languages.extract.facts_builder import D_BODY, D_TYPE, D_VALUE
from graphls.languages.incan.syntax.types import own_type, type_parameters

CLASS: Final = int(DefinitionKind.CLASS)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
IMPORT: Final = int(DefinitionKind.IMPORT)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
ASYNC: Final = int(DefinitionFlag.ASYNC)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
KEYWORDS: Final = int(DefinitionFlag.KEYWORDS)
RECEIVER: Final = int(DefinitionFlag.RECEIVER)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
DECORATED: Final = int(Role.DECORATE)
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
IMPLEMENTED: Final = int(Role.IMPLEMENT)
REEXPORT: Final = int(ImportFlag.REEXPORT)
WHOLE: Final = 0
ITEM_OF: Final = 1
"""How a module is named: itself, or a name in it, which stands behind `#`."""
_CLASSES: Final[dict[str, int]] = {
    "model_declaration": CLASS,
    "class_declaration": CLASS,
    "newtype_declaration": CLASS,
    "trait_declaration": INTERFACE,
    "enum_declaration": ENUM,
}


# ---- imports


def import_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import a.b as c`, `from a.b import c, d as e`."""
    source = node.child_by_field_name("source")
    if source is None:
        builder.read_all(node)
        return -1
    module, last = _module_path(builder, source)
    flags = EXPORTED if node.child_by_field_name("visibility") is not None else 0
    items = [part for part in node.named_children if part.type == "import_item"]
    entry_flags = REEXPORT if flags else 0
    whole = builder.module(builder.text(module), WHOLE)
    if last is not None:
        builder.use(last.start_byte, last.end_byte, IMPORTED, whole)
    for item in items:
        _imported(builder, item, module, flags, entry_flags)
    if not items and last is not None:
        alias = node.child_by_field_name("alias")
        builder.full = (node.start_byte, node.end_byte)
        bound = alias or last
        definition = builder.define(bound, IMPORT, flags) if bound.type == "identifier" else -1
        if definition >= 0:
            builder.definitions[definition][D_VALUE] = whole
        _note(builder, node, [builder.text(module), 0, -1, definition, entry_flags])
    return -1


def _imported(builder: DeclaredFactsBuilder, item: Node, module: str, flags: int, entry_flags: int) -> None:
    name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
    if name is None:
        return
    text = builder.source(name.start_byte, name.end_byte)
    base = builder.module(builder.text(f"{module}#{text}"), ITEM_OF)
    builder.use(name.start_byte, name.end_byte, IMPORTED, base)
    builder.full = (item.start_byte, item.end_byte)
    definition = builder.define(alias or name, IMPORT, flags)
    builder.definitions[definition][D_VALUE] = base
    _note(builder, item, [builder.text(module), 0, builder.text(text), definition, entry_flags])


def _note(builder: DeclaredFactsBuilder, node: Node, entry: list[int]) -> None:
    builder.imports.append([*entry, node.start_byte, node.end_byte, builder.scope])


def _module_path(builder: DeclaredFactsBuilder, node: Node) -> tuple[str, Node | None]:
    """The path of a module with slashes, and its last word."""
    words: list[str] = []
    last: Node | None = None
    if node.type == "string":
        return f"python/{builder.source(node.start_byte + 1, node.end_byte - 1)}", node
    for part in node.children:
        if part.type == "identifier":
            words.append(builder.source(part.start_byte, part.end_byte))
            last = part
        elif part.type in ("..", "super"):
            words.append("..")
        elif part.type == "...":
            words += ["..", ".."]
        elif part.type in ("crate", "rust", "pub"):
            words.append(part.type)
        elif part.type in ("@", "with"):
            break
    return "/".join(words), last


# ---- values


def constant(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`const NAME: T = value`, `static name: T = value`."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, CONSTANT if node.type == "const_declaration" else VARIABLE, _visible(node))
    owner, builder.owner = builder.owner, row
    written, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    type_ = builder.read(written, 1, TYPED) if written is not None else -1
    given = builder.read(value, 1) if value is not None else -1
    builder.owner = owner
    builder.definitions[row][D_TYPE], builder.definitions[row][D_VALUE] = type_, given
    _describe(builder, row, node)
    return -1


def alias(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name = other`, `name = partial f(x=1)`, of a module, a type or an enum."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    around = builder.scopes[builder.scope][0]
    kind = CONSTANT if around != CLASS_SCOPE else ENUM_MEMBER if node.type == "variant_alias" else FIELD
    row = builder.define(name, kind, _visible(node))
    owner, builder.owner = builder.owner, row
    builder.definitions[row][D_VALUE] = builder.read(value, 1)
    builder.owner = owner
    _describe(builder, row, node)
    return -1


def field(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name: T = value`."""
    name, written, default = (node.child_by_field_name(one) for one in ("name", "type", "default"))
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, FIELD, _visible(node))
    owner, builder.owner = builder.owner, row
    builder.definitions[row][D_TYPE] = builder.read(written, 1, TYPED) if written is not None else -1
    if default is not None:
        builder.definitions[row][D_VALUE] = builder.read(default, 1)
    builder.owner = owner
    _describe(builder, row, node)
    return -1


def variant(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name`, `Name(T)`, `Name = value` of an enum."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    around = own_type(builder)
    row = builder.define(name, ENUM_MEMBER, EXPORTED)
    owner, builder.owner = builder.owner, row
    value = node.child_by_field_name("value")
    if value is not None:
        builder.read(value)
    given = [builder.read(part, 1, TYPED) for part in node.named_children if part not in (name, value)]
    builder.owner = owner
    if given:
        builder.definitions[row][D_TYPE] = builder.expression(TUPLE, builder.sequence(given))
    # A variant is a value of its enum, and makes one where it is called.
    builder.definitions[row][D_VALUE] = around
    _describe(builder, row, node)
    return -1


def _describe(builder: DeclaredFactsBuilder, row: int, node: Node) -> None:
    """By the whole declaration, and the comment above it."""
    builder.describe(row, node.start_byte, node.end_byte, comments_above(builder.data, node.start_byte, b"#"))


def _visible(node: Node) -> int:
    return EXPORTED if node.child_by_field_name("visibility") is not None else 0


# ---- functions


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`def name[T](parameters) -> T: ...`, a method where a type is around."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    member = builder.scopes[builder.scope][0] == CLASS_SCOPE
    body = node.child_by_field_name("body")
    flags = _visible(node) | (ASYNC if any(child.type == "async" for child in node.children) else 0)
    flags |= ABSTRACT if body is None else 0
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD if member else FUNCTION, flags)
    outer, owner, full = builder.scope, builder.owner, builder.full
    own = own_type(builder) if member else -1
    _decorators(builder, node, row)
    builder.owner = row
    _open_type_parameters(builder, node, row)
    begin = body.start_byte if body is not None else node.end_byte
    builder.scope = builder.open_scope(FUNCTION_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    _parameters(builder, node.child_by_field_name("parameters"), own)
    _result(builder, node, row)
    trait = node.child_by_field_name("trait")
    if trait is not None:
        builder.read(trait, 0, TYPED)
    if body is not None:
        builder.read_body(row, body, read_statements)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.describe(row, _after_decorators(node), begin, _documentation(builder, node, body))
    return -1


def property_(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`property name -> T: ...`."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    body = node.child_by_field_name("body")
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, PROPERTY, _visible(node) | (ABSTRACT if body is None else 0))
    outer, owner, full = builder.scope, builder.owner, builder.full
    own = own_type(builder)
    builder.owner = row
    begin = body.start_byte if body is not None else node.end_byte
    builder.scope = builder.open_scope(FUNCTION_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    _bind_self(builder, node, own)
    written = node.child_by_field_name("return_type")
    builder.definitions[row][D_TYPE] = builder.read(written, 1, TYPED) if written is not None else -1
    if body is not None:
        builder.read_body(row, body, read_statements)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.describe(row, node.start_byte, begin, _documentation(builder, node, body))
    return -1


def _bind_self(builder: DeclaredFactsBuilder, node: Node, own: int) -> None:
    """`self` of a property stands nowhere: its name is bound without a place."""
    at = node.start_byte
    full_start, full_end = builder.full
    row = [builder.text("self"), PARAMETER, RECEIVER, builder.scope, at, at, full_start, full_end]
    builder.definitions.append([*row, -1, own, -1, -1, -1, -1, builder.owner])


def _open_type_parameters(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    parameters = node.child_by_field_name("type_parameters")
    if parameters is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS_SCOPE, node.start_byte, node.end_byte, row)
        type_parameters(builder, parameters)


def _parameters(builder: DeclaredFactsBuilder, node: Node | None, own: int) -> None:
    for part in node.named_children if node is not None else ():
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "receiver":
            word = part.children[-1]
            row = builder.define(word, PARAMETER, RECEIVER)
            builder.definitions[row][D_TYPE] = own
            continue
        name, written, default = (part.child_by_field_name(one) for one in ("name", "type", "default"))
        if part.type != "parameter" or name is None:
            builder.read(part)
            continue
        stars = [child.type for child in part.children if child.type in ("*", "**")]
        flags = (KEYWORDS if "**" in stars else VARIADIC if stars else 0) | (DEFAULTED if default is not None else 0)
        type_ = builder.read(written, 1, TYPED) if written is not None else -1
        if default is not None:
            builder.read(default)
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(name, PARAMETER, flags)
        if stars:
            type_ = builder.constructed("map" if "**" in stars else "[]", (type_,))
        builder.definitions[row][D_TYPE] = type_


def _result(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    written = node.child_by_field_name("return_type")
    type_ = builder.read(written, 1, TYPED) if written is not None else -1
    if type_ >= 0:
        builder.returns.append((row, builder.instance(type_), RETURN))


def _decorators(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    owner, builder.owner = builder.owner, row
    for part in node.named_children:
        if part.type != "decorator":
            continue
        name, arguments = part.child_by_field_name("name"), part.child_by_field_name("arguments")
        if name is None:
            continue
        made = builder.read(name, 1, DECORATED)
        if arguments is not None:
            builder.read_all(arguments)
        last = builder.text(builder.source(name.start_byte, name.end_byte).replace("::", ".").rpartition(".")[2])
        given = builder.source(arguments.start_byte, arguments.end_byte) if arguments is not None else ""
        text = builder.text(given[:200]) if given else -1
        builder.decorators.append((row, made, part.start_byte, part.end_byte, last, text))
    builder.owner = owner


def _after_decorators(node: Node) -> int:
    return next((part.start_byte for part in node.children if part.type != "decorator"), node.start_byte)


def _documentation(builder: DeclaredFactsBuilder, node: Node, body: Node | None) -> str:
    """The string at the beginning of a body, else the comment above."""
    for part in body.named_children[:1] if body is not None else ():
        text = part if part.type == "docstring" else None
        if part.type == "expression_statement" and part.named_children[0].type == "string":
            text = part
        if text is not None:
            return docstring(builder, text)
    return comments_above(builder.data, node.start_byte, b"#")


def docstring(builder: DeclaredFactsBuilder, node: Node) -> str:
    """The first paragraph of a string, on one line."""
    words = builder.source(node.start_byte, node.end_byte).strip().strip("\"'").strip()
    return " ".join(words.split("\n\n")[0].split())[:DOC_CAP]


# ---- types


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`type Name = T`."""
    name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, TYPE_ALIAS, _visible(node))
    outer, owner = builder.scope, builder.owner
    _decorators(builder, node, row)
    builder.owner = row
    _open_type_parameters(builder, node, row)
    builder.definitions[row][D_VALUE] = builder.read(written, 1, TYPED) if written is not None else -1
    builder.scope, builder.owner = outer, owner
    _describe(builder, row, node)
    return -1


def class_like(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Models, classes, traits, enums and newtypes."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, _CLASSES[node.type], _visible(node))
    outer, owner, full = builder.scope, builder.owner, builder.full
    _decorators(builder, node, row)
    builder.owner = row
    _open_type_parameters(builder, node, row)
    _bases(builder, node, row)
    written = node.child_by_field_name("type")
    if written is not None:
        builder.definitions[row][D_VALUE] = builder.read(written, 1, TYPED)
    begin = body.start_byte if body is not None else node.end_byte
    builder.scope = builder.open_scope(CLASS_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    if body is not None:
        builder.read_all(body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.describe(row, _after_decorators(node), begin, _documentation(builder, node, body))
    return -1


def _bases(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    above = node.child_by_field_name("superclass")
    if above is not None:
        builder.bases.append((row, builder.read(above, 1, INHERITED), -1))
    traits = node.child_by_field_name("traits")
    inherits = INHERITED if node.type == "trait_declaration" else IMPLEMENTED
    for part in traits.named_children if traits is not None else ():
        if part.type == "type_path":
            type_ = builder.read(part, 1, inherits)
            if type_ >= 0:
                builder.bases.append((row, type_, -1))


def test_module(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`module tests: ...`, `when feature("x"): ...`: what they hold is declared as if it stood outside."""
    for part in node.named_children:
        if part.type != "identifier":
            builder.full = (part.start_byte, part.end_byte)
            builder.read(part)
    return -1


RULES: dict[str, Rule] = {
    "test_module": test_module,
    "feature_condition": test_module,
    "rust_module_directive": nothing,
    "import_declaration": import_declaration,
    "const_declaration": constant,
    "static_declaration": constant,
    "alias_declaration": alias,
    "member_alias": alias,
    "variant_alias": alias,
    "field_declaration": field,
    "variant": variant,
    "function_declaration": function,
    "property_declaration": property_,
    "type_declaration": type_declaration,
    "associated_type": type_declaration,
    **dict.fromkeys(_CLASSES, class_like),
}
