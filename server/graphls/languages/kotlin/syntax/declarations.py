"""Declarations: packages, imports, types, functions and properties.

Owns: the rules of what stands at the top of a file and in the bodies of types, and of functions inside of functions.
Must not know: other files.
Invariant: a class is its first constructor, whose parameters are bound in the scope of the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag, Role
from graphls.languages.declared.doc_blocks import comment_block_above
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    CALLED,
    FUNCTION_SCOPE,
    NAME,
    RETURN,
    TYPED,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_BODY, D_DOC, D_FLAGS, D_TYPE, D_VALUE
from graphls.languages.kotlin.syntax.expressions import anonymous_body, last_value, passed
from graphls.languages.kotlin.syntax.facts_builder import (
    ABSTRACT,
    CLASS_SCOPE,
    COMPANION,
    COMPONENT,
    CONSTANT,
    DEFAULTED,
    EXTENSION,
    FUNCTION,
    LAMBDA,
    LAMBDA_SCOPE,
    METHOD,
    NARROWED,
    OBJECT,
    OBJECT_SCOPE,
    PARAMETER,
    PROPERTY,
    SINGLE,
    TYPE_PARAMETERS,
    VARIABLE,
    VARIADIC,
    WITH_CONSTRUCTOR,
    annotation,
    behind_annotations,
    child,
    kotlin,
    modifiers,
    parts_of,
)
from graphls.languages.kotlin.syntax.mending import delegate
from graphls.languages.kotlin.syntax.statements import initial, local_variable
from graphls.languages.kotlin.syntax.types import TYPES, type_constraints, type_parameters, written_type

CLASS: Final = int(DefinitionKind.CLASS)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
IMPORT: Final = int(DefinitionKind.IMPORT)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
IMPORTED: Final = int(Role.IMPORT)
EXPORTED: Final = int(Role.EXPORT)
INHERITED: Final = int(Role.INHERIT)
IMPLEMENTED: Final = int(Role.IMPLEMENT)
STAR_IMPORT: Final = int(ImportFlag.STAR)
STAR: Final = int(DefinitionFlag.STAR)


def package_header(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`package a.b`: which package the file belongs to."""
    for part in node.named_children:
        if part.type == "identifier":
            builder.use(part.start_byte, part.end_byte, EXPORTED)
    return -1


def import_header(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import a.b.C`, `import a.b.C as D`, `import a.b.*`."""
    path = child(node, "identifier")
    segments = [part for part in path.named_children if part.type == "simple_identifier"] if path is not None else []
    if not segments:
        return -1
    star, alias = child(node, "wildcard_import"), child(node, "import_alias")
    builder.full = (node.start_byte, node.end_byte)
    spelled = [builder.spelled(part.text or b"") for part in segments]
    module = builder.text(".".join(spelled))
    last = star or (child(alias, "type_identifier", "simple_identifier") if alias is not None else None) or segments[-1]
    row = _bind(builder, last, star is not None)
    builder.definitions[row][D_VALUE] = builder.module(module, 0)
    for at, part in enumerate(segments):
        if (at == len(segments) - 1 and star is None) or (at and spelled[at][:1].isupper()):
            text = builder.text(".".join(spelled[: at + 1]))
            builder.use(part.start_byte, part.end_byte, IMPORTED, builder.module(text, 0))
    flags = STAR_IMPORT if star is not None else 0
    builder.imports.append([module, 0, -1, row, flags, last.start_byte, last.end_byte, 0])
    return -1


def _bind(builder: DeclaredFactsBuilder, node: Node, star: bool) -> int:
    start, end = node.start_byte, node.end_byte
    name = builder.text("*") if star else builder.name(start, end)
    full_start, full_end = builder.full
    row = [name, IMPORT, STAR if star else 0, 0, start, end, full_start, full_end]
    builder.definitions.append([*row, -1, -1, -1, -1, -1, -1, builder.owner])
    return len(builder.definitions) - 1


# types


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class`, `interface`, `enum class`, `object`, `companion object`."""
    words = {part.type for part in node.children if not part.is_named}
    single = node.type in ("object_declaration", "companion_object")
    kind = INTERFACE if "interface" in words else ENUM if "enum" in words else CLASS
    name = child(node, "type_identifier", "simple_identifier")
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, kind) if name is not None else _unnamed(builder, node)
    if row < 0:
        builder.read_all(node)
        return -1
    outer, owner, full, frame = builder.scope, builder.owner, builder.full, builder.frame
    state = kotlin(builder)
    lambdas, end, state.lambdas, state.block_end = state.lambdas, state.block_end, [], node.end_byte
    builder.owner, builder.frame = row, Frame(row)
    flags = modifiers(builder, node, row)
    flags |= SINGLE if single else 0
    builder.definitions[row][D_FLAGS] |= flags | (COMPANION if node.type == "companion_object" else 0)
    given = child(node, "type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    begin = name.end_byte if name is not None else builder.definitions[row][5]
    inside = builder.open_scope(CLASS_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = inside
    _constructor(builder, child(node, "primary_constructor"), inside)
    _supers(builder, node, row, kind)
    builder.scope = inside
    body = child(node, "class_body", "enum_class_body")
    if body is not None:
        _body(builder, body)
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    state.lambdas, state.block_end = lambdas, end
    close = body.start_byte if body is not None else node.end_byte
    builder.describe(row, behind_annotations(node), close, comment_block_above(builder.data, node.start_byte))
    return -1


def _unnamed(builder: DeclaredFactsBuilder, node: Node) -> int:
    """A companion without a name is called `Companion`; it stands where its word does."""
    word = next((part for part in node.children if part.type == "object"), None)
    if word is None:
        return -1
    start, end = word.start_byte, word.end_byte
    name, (full_start, full_end) = builder.text("Companion"), builder.full
    row = [name, CLASS, 0, builder.scope, start, end, full_start, full_end]
    builder.definitions.append([*row, -1, -1, -1, -1, -1, -1, builder.owner])
    return len(builder.definitions) - 1


def _constructor(builder: DeclaredFactsBuilder, node: Node | None, inside: int) -> None:
    """The parameters of the first constructor: those with `val` or `var` are properties."""
    if node is None:
        return
    outer, full, holder = builder.scope, builder.full, builder.owner
    builder.scope = inside  # types inside of the class are known here
    modifiers(builder, node, holder)
    builder.definitions[holder][D_FLAGS] |= WITH_CONSTRUCTOR
    for part in node.named_children:
        name = child(part, "simple_identifier") if part.type == "class_parameter" else None
        if name is None:
            continue
        builder.full = (part.start_byte, part.end_byte)
        held = child(part, "binding_pattern_kind") is not None
        row = builder.define(name, PROPERTY if held else PARAMETER, COMPONENT if held else 0)
        flags = modifiers(builder, part, row)
        type_ = written_type(builder, part)
        default = _default(part)
        if flags & VARIADIC and type_ >= 0:
            type_ = builder.constructed("[]", (type_,))
        builder.definitions[row][D_FLAGS] |= flags | (DEFAULTED if default is not None else 0)
        builder.definitions[row][D_TYPE] = type_
        _default_value(builder, default, type_)
        if held:
            builder.describe(row, part.start_byte, part.end_byte, comment_block_above(builder.data, part.start_byte))
    builder.scope, builder.full = outer, full


def _default(node: Node) -> Node | None:
    """What stands behind the equals sign of a parameter."""
    seen = False
    for part in node.children:
        if seen and part.is_named:
            return part
        seen = seen or part.type == "="
    return None


def _default_value(builder: DeclaredFactsBuilder, node: Node | None, type_: int) -> None:
    if node is None:
        return
    made = builder.read(node, 1)
    if made >= 0 and type_ >= 0 and builder.kind_of(made) == LAMBDA:
        builder.expression(NARROWED, made, type_, 1)


def _supers(builder: DeclaredFactsBuilder, node: Node, row: int, kind: int) -> None:
    for part in node.named_children:
        if part.type == "delegation_specifier":
            type_ = delegation(builder, part, 1, IMPLEMENTED if kind != INTERFACE else INHERITED)
            if type_ >= 0:
                builder.bases.append((row, type_, -1))
        elif part.type == "type_constraints":
            type_constraints(builder, part)


def delegation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Base(arguments)`, `Interface`, `Interface by value`; answers the written type."""
    scope = builder.scope
    for part in parts_of(node):
        if part.type == "constructor_invocation":
            written, values = child(part, "user_type"), child(part, "value_arguments")
            type_ = builder.read(written, 1, INHERITED) if written is not None else -1
            if builder.owner >= 0 and builder.definitions[builder.owner][D_BODY] >= 0:
                builder.scope = builder.definitions[builder.owner][D_BODY]
            if values is not None:
                passed(builder, part, builder.instance(type_))
            builder.scope = scope
            return type_
        if part.type == "explicit_delegation":
            inside = parts_of(part)
            type_ = builder.read(inside[0], 1, role) if inside else -1
            _delegates(builder, inside[1:])
            return type_
        if part.type in TYPES:
            type_ = builder.read(part, 1, role or IMPLEMENTED)
            value = delegate(builder.data, part.end_byte)
            _delegates(builder, [value] if value is not None else [])
            return type_
        builder.read(part)
    return -1


def _delegates(builder: DeclaredFactsBuilder, values: Sequence[Node]) -> None:
    """What is behind `by` sees what the constructor declares."""
    scope = builder.scope
    if builder.owner >= 0 and builder.definitions[builder.owner][D_BODY] >= 0:
        builder.scope = builder.definitions[builder.owner][D_BODY]
    for one in values:
        builder.read(one)
    builder.scope = scope


def _body(builder: DeclaredFactsBuilder, node: Node) -> None:
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)


def enum_entry(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`NAME(arguments) { ... }`."""
    name, body, values = child(node, "simple_identifier"), child(node, "class_body"), child(node, "value_arguments")
    if name is None:
        builder.read_all(node)
        return -1
    row = builder.define(name, ENUM_MEMBER, SINGLE)
    modifiers(builder, node, row)
    owner, builder.owner = builder.owner, row
    holder = builder.scopes[builder.scope][4]
    if holder >= 0:
        own = builder.expression(NAME, builder.definitions[holder][0], builder.scope, node.start_byte)
        builder.definitions[row][D_TYPE] = own
        if values is not None:
            passed(builder, node, builder.instance(own))
        if body is not None:
            scope = anonymous_body(builder, body, body.start_byte, body.end_byte)
            builder.expression(OBJECT, scope, own)
    builder.owner = owner
    doc = comment_block_above(builder.data, node.start_byte)
    if doc:
        builder.definitions[row][D_DOC] = builder.text(doc)
    return -1


def type_alias(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typealias Name<T> = Type`."""
    name = child(node, "type_identifier")
    if name is None:
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, TYPE_ALIAS)
    outer, owner, builder.owner = builder.scope, builder.owner, row
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    given = child(node, "type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    builder.definitions[row][D_VALUE] = written_type(builder, node)
    builder.scope, builder.owner = outer, owner
    builder.describe(row, behind_annotations(node), node.end_byte, comment_block_above(builder.data, node.start_byte))
    return -1


# functions


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`fun <T> R.name(parameters): Type = value`."""
    name = child(node, "simple_identifier")
    if name is None:
        builder.read_all(node)
        return -1
    inner = builder.scopes[builder.scope][0]
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD if inner in (CLASS_SCOPE, OBJECT_SCOPE) else FUNCTION)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    code = child(node, "function_body")
    if code is None and inner in (CLASS_SCOPE, OBJECT_SCOPE):
        builder.definitions[row][D_FLAGS] |= ABSTRACT
    given = child(node, "type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
        constraints = child(node, "type_constraints")
        if constraints is not None:
            type_constraints(builder, constraints)
    receiver = child(node, "receiver_type")
    if receiver is not None:
        builder.definitions[row][D_FLAGS] |= EXTENSION
        builder.definitions[row][D_VALUE] = builder.read(receiver, 1, TYPED)
    result = next(
        (part for part in node.named_children if part.type in TYPES and part.start_byte > name.end_byte), None
    )
    type_ = builder.read(result, 1, TYPED) if result is not None else -1
    if type_ >= 0:
        builder.returns.append((row, builder.instance(type_), RETURN))
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    parameters(builder, child(node, "function_value_parameters"))
    if code is not None:
        made = code_of(builder, row, code, type_)
        if type_ < 0 and made >= 0:
            builder.returns.append((row, made, RETURN))
    builder.scope, builder.owner, builder.full = outer, owner, full
    end = code.start_byte if code is not None else node.end_byte
    builder.describe(row, behind_annotations(node), end, comment_block_above(builder.data, node.start_byte))
    return -1


def code_of(builder: DeclaredFactsBuilder, row: int, node: Node, result: int) -> int:
    """Reads the body of a function; answers the value of one that is an expression."""
    state, made = kotlin(builder), [-1]
    lambdas, end, state.lambdas, state.block_end = state.lambdas, state.block_end, [], node.end_byte
    whole = any(part.type == "=" for part in node.children)

    def read(_: DeclaredFactsBuilder, body: Node) -> None:
        builder.frame.result = result
        for part in parts_of(body):
            builder.full = (part.start_byte, part.end_byte)
            if part.type == "statements":
                last_value(builder, part)
                continue
            value = builder.read(part, 1)
            made[0] = value if whole else -1
            if result >= 0 and builder.kind_of(value) == LAMBDA:
                builder.expression(NARROWED, value, result, 1)

    builder.read_body(row, node, read)
    state.lambdas, state.block_end = lambdas, end
    return made[0]


def parameters(builder: DeclaredFactsBuilder, node: Node | None) -> None:
    """Binds the parameters of a function in the current scope."""
    full, words = builder.full, 0
    parts = node.children if node is not None else ()
    last: tuple[int, int] = (-1, -1)
    waits = False
    for part in parts:
        if part.type == "parameter_modifiers":
            for word in part.named_children:
                if word.type == "annotation":
                    annotation(builder, word, -1)
                elif word.text == b"vararg":
                    words |= VARIADIC
        elif part.type in ("parameter", "parameter_with_optional_type"):
            last = (_parameter(builder, part, words), words)
            words = 0
        elif part.type == "=":
            waits = True
        elif waits and part.is_named:
            waits = False
            row = last[0]
            if row >= 0:
                builder.definitions[row][D_FLAGS] |= DEFAULTED
            _default_value(builder, part, builder.definitions[row][D_TYPE] if row >= 0 else -1)
    builder.full = full


def _parameter(builder: DeclaredFactsBuilder, node: Node, flags: int) -> int:
    name = child(node, "simple_identifier")
    if name is None:
        builder.read_all(node)
        return -1
    type_ = written_type(builder, node)
    if flags & VARIADIC and type_ >= 0:
        type_ = builder.constructed("[]", (type_,))
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, PARAMETER, flags)
    builder.definitions[row][D_TYPE] = type_
    return row


def anonymous_function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`fun(x: Int): Int { ... }` as a value."""
    outer, full = builder.scope, builder.full
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    scope, value = builder.scope, -1
    kotlin(builder).lambdas.append(False)
    given = child(node, "function_value_parameters")
    parameters(builder, given)
    code = child(node, "function_body")
    for part in node.named_children:
        if part.type in TYPES:
            value = builder.instance(builder.read(part, 1, TYPED))
    for part in parts_of(code) if code is not None else ():
        made = last_value(builder, part) if part.type == "statements" else builder.read(part, 1)
        value = made if value < 0 and part.type != "statements" else value
    kotlin(builder).lambdas.pop()
    builder.scope, builder.full = outer, full
    count = sum(part.type.startswith("parameter") for part in given.named_children) if given is not None else 0
    return builder.expression(LAMBDA, value if value >= 0 else builder.unknown(), scope, max(count, 1))


def secondary_constructor(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`constructor(parameters) : this(arguments) { ... }`."""
    name = child(node, "constructor")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    parameters(builder, child(node, "function_value_parameters"))
    begin = node.end_byte
    for part in node.named_children:
        if part.type == "constructor_delegation_call":
            word = next((one for one in part.children if one.type in ("this", "super")), None)
            if word is not None:
                passed(builder, part, builder.name_expression(word, 1, CALLED))
        elif part.type == "statements":
            begin = part.start_byte
            builder.read_body(row, part, lambda _, code: (last_value(builder, code), None)[1])
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.describe(row, behind_annotations(node), begin, comment_block_above(builder.data, node.start_byte))
    return -1


def initializer(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`init { ... }`."""
    outer, state = builder.scope, kotlin(builder)
    end, state.block_end = state.block_end, node.end_byte
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.read_all(node)
    builder.scope, state.block_end = outer, end
    return -1


# properties


def property_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`val`, `var`: of a file, a type or a block."""
    inner = builder.scopes[builder.scope][0]
    shown = child(node, "variable_declaration")
    name = child(shown, "simple_identifier") if shown is not None else None
    if (inner not in (CLASS_SCOPE, OBJECT_SCOPE) and builder.scope) or shown is None or name is None:
        local_variable(builder, node)
        return -1
    member = inner in (CLASS_SCOPE, OBJECT_SCOPE)
    const = b"const" in [
        word.text for part in node.named_children if part.type == "modifiers" for word in part.children
    ]
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, CONSTANT if const else PROPERTY if member else VARIABLE)
    kotlin(builder).property = row
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    given, receiver = child(node, "type_parameters"), child(node, "receiver_type")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    extended = builder.read(receiver, 1, TYPED) if receiver is not None else -1
    type_ = written_type(builder, shown)
    builder.definitions[row][D_TYPE] = type_
    made = initial(builder, node)
    if made >= 0 and type_ >= 0 and builder.kind_of(made) == LAMBDA:
        builder.expression(NARROWED, made, type_, 1)
    if receiver is not None:
        builder.definitions[row][D_FLAGS] |= EXTENSION
        builder.definitions[row][D_VALUE] = extended
    else:
        builder.definitions[row][D_VALUE] = made
    for part in node.named_children:
        if part.type in ("getter", "setter"):
            builder.read(part)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.describe(row, behind_annotations(node), shown.end_byte, comment_block_above(builder.data, node.start_byte))
    return -1


def accessor(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`get() = value`, `set(value) { ... }`, perhaps behind the property they belong to."""
    state = kotlin(builder)
    row = state.property
    outer, owner, full = builder.scope, builder.owner, builder.full
    if row >= 0:
        builder.owner = row
    modifiers(builder, node, -1)
    builder.scope = builder.open_scope(FUNCTION_SCOPE, node.start_byte, node.end_byte, row)
    parameters(builder, node)
    type_ = written_type(builder, node)
    for part in node.named_children:
        if part.type != "function_body":
            continue
        made = code_of(builder, row, part, -1) if row >= 0 else builder.read(part)
        if row < 0 or node.type != "getter":
            continue
        definition = builder.definitions[row]
        value = builder.instance(type_) if type_ >= 0 else made
        if definition[D_TYPE] < 0 and value >= 0:
            if definition[D_FLAGS] & EXTENSION:
                builder.returns.append((row, value, RETURN))
            elif definition[D_VALUE] < 0:
                definition[D_VALUE] = value
    builder.scope, builder.owner, builder.full = outer, owner, full
    return -1


RULES: dict[str, Rule] = {
    "package_header": package_header,
    "import_header": import_header,
    "class_declaration": type_declaration,
    "object_declaration": type_declaration,
    "companion_object": type_declaration,
    "enum_entry": enum_entry,
    "type_alias": type_alias,
    "function_declaration": function,
    "anonymous_function": anonymous_function,
    "secondary_constructor": secondary_constructor,
    "anonymous_initializer": initializer,
    "property_declaration": property_declaration,
    "getter": accessor,
    "setter": accessor,
    "delegation_specifier": delegation,
    "modifiers": nothing,
    "binding_pattern_kind": nothing,
}
