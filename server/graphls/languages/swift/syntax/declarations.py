"""Declarations: imports, types, extensions, functions and properties.

Owns: the rules of what stands at the top of a file and in the bodies of types, and of functions inside of functions.
Must not know: other files.
Invariant: an extension stands for itself, by its word; what it extends is its written type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind, ImportFlag, Role
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    NAME,
    RETURN,
    TYPED,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    documentation_above,
    nothing,
)
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_TYPE, D_VALUE, USE
from graphls.languages.swift.syntax.closures import last_value
from graphls.languages.swift.syntax.facts_builder import (
    ABSTRACT,
    CLASS_SCOPE,
    COMMENTS,
    CONSTANT_VALUE,
    DEFAULTED,
    EXTENSION,
    FAILABLE,
    FUNCTION,
    METHOD,
    PARAMETER,
    PROPERTY,
    STATIC,
    STORED,
    STRUCT,
    TYPE_PARAMETERS,
    VARIABLE,
    VARIADIC,
    WRAPPED,
    WRAPPED_BY,
    attribute,
    behind_attributes,
    child,
    has,
    modifiers,
    parts_of,
    swift,
)
from graphls.languages.swift.syntax.patterns import pattern_of
from graphls.languages.swift.syntax.types import (
    ARRAY,
    FUNCTION_TYPE,
    TYPES,
    type_constraints,
    type_parameters,
    written_type,
)

CLASS: Final = int(DefinitionKind.CLASS)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
IMPORT: Final = int(DefinitionKind.IMPORT)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
IMPLEMENTED: Final = int(Role.IMPLEMENT)
TESTABLE: Final = 1
"""How an import is written: `@testable import`."""
REEXPORTED: Final = 2
_OPERATORS: Final = frozenset((
    "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "...", "..<", "&&", "||", "<<",
    ">>", "+=", "-=", "*=", "/=", "%=", "===", "!==", "custom_operator", "bang", "++", "--",
))  # fmt: skip
_BODIES: Final = frozenset({"class_body", "enum_class_body", "protocol_body"})


def _doc(builder: DeclaredFactsBuilder, node: Node) -> str:
    return documentation_above(builder.data, node.start_byte).lstrip("/ ")


def import_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import A`, `import struct A.B`, `@testable import A`, `@_exported import A`."""
    path = child(node, "identifier")
    names = [part for part in path.named_children if part.type == "simple_identifier"] if path is not None else []
    if not names:
        return -1
    how = 0
    for part in node.named_children:
        for word in part.children if part.type == "modifiers" else ():
            how |= TESTABLE if word.text == b"@testable" else REEXPORTED if word.text == b"@_exported" else 0
    first = names[0]
    module = builder.text(builder.spelled(first.text or b""))
    builder.full = (node.start_byte, node.end_byte)
    start, end = first.start_byte, first.end_byte
    row = [builder.name(start, end), IMPORT, 0, 0, start, end, *builder.full, -1, -1, -1, -1, -1, -1, builder.owner]
    builder.definitions.append(row)
    row[D_VALUE] = made = builder.module(module, how)
    builder.use(start, end, IMPORTED, made)
    flags = int(ImportFlag.FOR_ALL) if how & REEXPORTED else 0
    builder.imports.append([module, 0, -1, len(builder.definitions) - 1, flags, start, end, 0])
    return -1


# types


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class`, `struct`, `enum`, `actor`, `protocol`, `extension`."""
    word = node.child_by_field_name("declaration_kind")
    name = node.child_by_field_name("name")
    spelled = word.type if word is not None else "protocol" if node.type == "protocol_declaration" else "class"
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    outer, owner, full, frame = builder.scope, builder.owner, builder.full, builder.frame
    state = swift(builder)
    access, words = state.access, state.words
    first = len(builder.occurrences) // USE
    if spelled == "extension":
        row = _extension(builder, node, word or name, name)
    else:
        kind = INTERFACE if spelled == "protocol" else ENUM if spelled == "enum" else CLASS
        row = builder.define(name, kind, STRUCT if spelled == "struct" else 0)
    builder.owner, builder.frame = row, Frame(row)
    flags = modifiers(builder, node, row)
    builder.definitions[row][D_FLAGS] |= flags
    given = child(node, "type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    body = next((part for part in node.named_children if part.type in _BODIES), None)
    begin = body.start_byte if body is not None else node.end_byte
    inside = builder.open_scope(CLASS_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = inside
    _supers(builder, node, row, INHERITED if spelled in ("class", "protocol") else IMPLEMENTED)
    if spelled in ("protocol", "extension"):
        builder.scope = inside  # associated types and type parameters are known in constraints
    for part in node.named_children:
        if part.type == "type_constraints":
            type_constraints(builder, part, row)
    if spelled == "extension":
        state.owned_later(first, builder.definitions[row][0])
    builder.scope, state.words = inside, {}
    state.access = flags if spelled in ("protocol", "extension") else 0
    for part in body.named_children if body is not None else ():
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "enum_entry":
            state.access = flags
        builder.read(part)
        if part.type == "enum_entry":
            state.access = 0
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    state.access, state.words = access, words
    builder.describe(row, behind_attributes(node), begin, _doc(builder, node))
    return -1


def _extension(builder: DeclaredFactsBuilder, node: Node, word: Node, name: Node) -> int:
    """An extension has the last name of what it extends, and stands where its word does."""
    names = [part for part in name.named_children if part.type == "type_identifier"]
    text = names[-1] if names else name
    row = len(builder.definitions)
    spelled = builder.name(text.start_byte, text.end_byte)
    start, end = word.start_byte, word.end_byte
    definition = [spelled, NAMESPACE, EXTENSION, builder.scope, start, end, *builder.full]
    builder.definitions.append([*definition, -1, -1, -1, -1, -1, -1, builder.owner])
    builder.definitions[row][D_TYPE] = builder.read(name, 1, TYPED)
    return row


def _supers(builder: DeclaredFactsBuilder, node: Node, row: int, role: int) -> None:
    for part in node.named_children:
        if part.type == "inheritance_specifier":
            for one in parts_of(part):
                type_ = builder.read(one, 1, role)
                if type_ >= 0:
                    builder.bases.append((row, type_, -1))


def enum_entry(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`case a = 1, b(Int, label: String)`."""
    row, flags = -1, modifiers(builder, node, -1)
    holder = builder.scopes[builder.scope][4]
    own = -1
    if holder >= 0:
        own = builder.expression(NAME, builder.text("Self"), builder.scope, node.start_byte)
    for at, part in enumerate(node.children):
        field = node.field_name_for_child(at)
        if field == "name":
            row = builder.define(part, ENUM_MEMBER, STATIC | flags)
            builder.definitions[row][D_TYPE] = own
            builder.describe(row, part.start_byte, node.end_byte, _doc(builder, node))
        elif part.type == "enum_type_parameters":
            made = _payload(builder, part, own)
            if row >= 0:
                builder.definitions[row][D_TYPE] = made
        elif part.is_named and part.type not in COMMENTS and part.type != "modifiers":
            builder.read(part)
    return -1


def _payload(builder: DeclaredFactsBuilder, node: Node, own: int) -> int:
    """The type of what makes a case of its payload."""
    rows: list[int] = []
    names: list[str] = []
    label, default = "_", False
    for part in node.children:
        if part.type == "simple_identifier" and not default:
            label = builder.spelled(part.text or b"")
        elif part.type in TYPES and not default:
            rows.append(builder.read(part, 1, TYPED))
            names.append(label)
        elif part.type == ",":
            label, default = "_", False
        elif part.type == "=":
            default = True
            if names:
                names[-1] += "="
        elif default and part.is_named:
            builder.read(part)
    return builder.constructed(FUNCTION_TYPE + ",".join(names), [*rows, own])


def type_alias(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typealias Name<T> = Type`, `associatedtype Name: Bound = Type`."""
    name = node.child_by_field_name("name")
    if name is None or name.type in TYPES:
        name = child(node, "type_identifier")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, TYPE_ALIAS)
    outer, owner, builder.owner = builder.scope, builder.owner, row
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    given = child(node, "type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    behind = False
    for part in node.children:
        if part.type == "=":
            behind = True
        elif part.type in TYPES:
            made = builder.read(part, 1, TYPED)
            if node.type == "associatedtype_declaration":
                if not behind:
                    builder.definitions[row][D_TYPE] = made
            else:
                builder.definitions[row][D_VALUE] = made
        elif part.type == "type_constraints":
            type_constraints(builder, part, row)
    builder.scope, builder.owner = outer, owner
    builder.describe(row, behind_attributes(node), node.end_byte, _doc(builder, node))
    return -1


# functions


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`func name<T>(label name: Type) throws -> Type`, `init`, `deinit`, `subscript`."""
    name = _name_of(node)
    if name is None:
        builder.read_all(node)
        return -1
    member = builder.scopes[builder.scope][0] == CLASS_SCOPE
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD if member else FUNCTION)
    outer, owner, full, words = builder.scope, builder.owner, builder.full, swift(builder).words
    access, swift(builder).words = swift(builder).access, {} if member else words
    builder.owner = row
    flags = modifiers(builder, node, row)
    if node.type == "init_declaration" and (has(node, "?") or has(node, "!") or has(node, "bang")):
        flags |= FAILABLE
    code = child(node, "function_body", "computed_property")
    if code is None and member:
        flags |= ABSTRACT
    builder.definitions[row][D_FLAGS] |= flags
    swift(builder).access = 0
    given = child(node, "type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, given)
    constraints = child(node, "type_constraints")
    if constraints is not None:
        type_constraints(builder, constraints, row)
    result = _result(builder, node)
    if result >= 0:
        builder.returns.append((row, builder.instance(result), RETURN))
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    parameters(builder, node)
    if code is not None and code.type == "computed_property":
        accessors(builder, row, code, result)
    elif code is not None:
        code_of(builder, row, code, result)
    builder.scope, builder.owner, builder.full = outer, owner, full
    swift(builder).words, swift(builder).access = words, access
    end = code.start_byte if code is not None else node.end_byte
    builder.describe(row, behind_attributes(node), end, _doc(builder, node))
    return -1


def _name_of(node: Node) -> Node | None:
    if node.type in ("deinit_declaration", "subscript_declaration", "macro_declaration"):
        word = "simple_identifier" if node.type == "macro_declaration" else node.type.partition("_")[0]
        return child(node, word)
    name = node.child_by_field_name("name")
    if name is not None and (name.type in _OPERATORS or name.type in ("simple_identifier", "init")):
        return name
    return name if name is not None and name.type not in TYPES else None


def _result(builder: DeclaredFactsBuilder, node: Node) -> int:
    behind = False
    for part in node.children:
        if part.type == "->":
            behind = True
        elif part.type in TYPES and behind:
            return builder.read(part, 1, TYPED)
        elif part.type == "throws_clause":
            builder.read_all(part)
    return -1


def code_of(builder: DeclaredFactsBuilder, row: int, node: Node, result: int) -> int:
    """Reads a body; answers the value of one that is a single expression."""
    state, made = swift(builder), [-1]
    lambdas, state.lambdas = state.lambdas, []

    def read(_: DeclaredFactsBuilder, body: Node) -> None:
        builder.frame.result = result
        listed = (
            [body] if body.type == "statements" else [one for one in body.named_children if one.type == "statements"]
        )
        for part in listed:
            value = last_value(builder, part)
            if len(parts_of(part)) == 1:
                made[0] = value
                state.expect(value, result)

    builder.read_body(row, node, read)
    state.lambdas = lambdas
    return made[0]


def parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Binds the parameters of a function in the current scope."""
    full, row, type_ = builder.full, -1, -1
    for at, part in enumerate(node.children):
        field = node.field_name_for_child(at)
        if part.type == "parameter":
            row, type_ = _parameter(builder, part, node.type == "subscript_declaration")
        elif field == "default_value" and part.is_named:
            if row >= 0:
                builder.definitions[row][D_FLAGS] |= DEFAULTED
            swift(builder).expect(builder.read(part, 1), type_)
        elif part.type == "attribute":
            attribute(builder, part, -1)
    builder.full = full


def _parameter(builder: DeclaredFactsBuilder, node: Node, subscript: bool) -> tuple[int, int]:
    """Binds one; answers its row and the type of an argument. Its `value` is what arguments are called."""
    name, label = node.child_by_field_name("name"), node.child_by_field_name("external_name")
    named = next((one for one in node.named_children if one.type == "simple_identifier"), name)
    names = [one for one in node.named_children if one.type == "simple_identifier"]
    name = names[-1] if names else None
    for part in node.named_children:
        if part.type in ("attribute", "modifiers"):
            builder.read(part)
    type_ = _parameter_type(builder, node)
    if name is None or named is None:
        return -1, type_
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, PARAMETER)
    spelled = builder.spelled((label or named).text or b"")
    if subscript and label is None:
        spelled = "_"
    builder.definitions[row][D_VALUE] = builder.builtin(f"{spelled}:")
    builder.definitions[row][D_TYPE] = type_
    if has(node, "..."):
        builder.definitions[row][D_FLAGS] |= VARIADIC
        builder.definitions[row][D_TYPE] = builder.constructed(ARRAY, (type_,))
    return row, type_


def _parameter_type(builder: DeclaredFactsBuilder, node: Node) -> int:
    """The type of an argument: of `@autoclosure () -> T` it is `T`."""
    words = child(node, "parameter_modifiers")
    written = child(node, "function_type")
    if words is None or written is None or b"@autoclosure" not in (words.text or b""):
        return written_type(builder, node)
    behind = False
    for part in written.children:
        behind = behind or part.type == "->"
        if behind and part.type in TYPES:
            return builder.read(part, 1, TYPED)
    return -1


# properties


def property_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`let`, `var`: of a file, a type or a block, each name with its type, value and accessors."""
    groups: list[list[Node]] = []
    for at, part in enumerate(node.children):
        if node.field_name_for_child(at) == "name" and part.type == "pattern":
            groups.append([part])
        elif groups and part.type not in COMMENTS and part.type != ",":
            groups[-1].append(part)
    member = builder.scopes[builder.scope][0] == CLASS_SCOPE
    flags, read = 0, False
    for group in groups:
        names = [one for one in group[0].named_children if one.type == "simple_identifier"]
        if len(names) != 1 or any(one.type == "(" for one in group[0].children):
            if not read:
                modifiers(builder, node, -1)
            _taken_apart(builder, node, group)
        elif member or not builder.scope:
            flags = _property(
                builder, node, names[0], group, kind=PROPERTY if member else VARIABLE, known=flags if read else None
            )
        else:
            if not read:
                modifiers(builder, node, -1)
            _local(builder, node, names[0], group)
        read = True
    return -1


def _value_of(group: Sequence[Node]) -> Node | None:
    """What stands behind the equals sign."""
    behind = False
    for part in group:
        if behind and part.is_named:
            return part
        behind = behind or part.type == "="
    return None


def _is_chain(node: Node | None) -> bool:
    """Whether a value is what `a?.b` gives, which may be nothing."""
    while node is not None and node.type in (
        "navigation_expression",
        "call_expression",
        "try_expression",
        "await_expression",
    ):
        if any(part.type == "?" for part in node.children):
            return True
        node = next((part for part in parts_of(node) if part.type != "try_operator"), None)
    return False


def _initial(builder: DeclaredFactsBuilder, value: Node | None, type_: int) -> int:
    made = builder.read(value, 1) if value is not None else -1
    swift(builder).expect(made, type_)
    return builder.expression(WRAPPED, made) if made >= 0 and _is_chain(value) else made


def _taken_apart(builder: DeclaredFactsBuilder, node: Node, group: Sequence[Node]) -> None:
    """`let (a, b) = value`."""
    annotation = next((part for part in group if part.type == "type_annotation"), None)
    type_ = written_type(builder, annotation)
    made = _initial(builder, _value_of(group), type_)
    builder.full = (group[0].start_byte, node.end_byte)
    pattern_of(builder, group[0], builder.instance(type_) if type_ >= 0 else made, True)


def _local(builder: DeclaredFactsBuilder, node: Node, name: Node, group: Sequence[Node]) -> None:
    annotation = next((part for part in group if part.type == "type_annotation"), None)
    type_ = written_type(builder, annotation)
    made = _initial(builder, _value_of(group), type_)
    builder.full = (node.start_byte, group[-1].end_byte)
    row = builder.define(name, VARIABLE)
    builder.definitions[row][D_TYPE], builder.definitions[row][D_VALUE] = type_, made
    _accessors_of(builder, row, group, type_)


def _property(
    builder: DeclaredFactsBuilder, node: Node, name: Node, group: Sequence[Node], *, kind: int, known: int | None
) -> int:  # fmt: skip
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, kind)
    owner, full, state = builder.owner, builder.full, swift(builder)
    access, words, state.access = state.access, state.words, state.access
    builder.owner = row
    flags = modifiers(builder, node, row) if known is None else known
    computed = any(part.type == "computed_property" for part in group)
    value = _value_of(group)
    stored = 0 if computed else STORED
    if (
        stored
        and value is not None
        and any(part.type == "value_binding_pattern" and part.text == b"let" for part in node.children)
    ):
        stored |= CONSTANT_VALUE
    if stored and value is not None:
        stored |= DEFAULTED
    wrapped = any(part.type == "attribute" for one in node.children if one.type == "modifiers" for part in one.children)
    builder.definitions[row][D_FLAGS] |= flags | stored | (WRAPPED_BY if wrapped else 0)
    annotation = next((part for part in group if part.type == "type_annotation"), None)
    type_ = written_type(builder, annotation)
    builder.definitions[row][D_TYPE] = type_
    state.access = 0
    builder.definitions[row][D_VALUE] = _initial(builder, value, type_)
    _accessors_of(builder, row, group, type_)
    builder.owner, builder.full, state.access, state.words = owner, full, access, words
    last = annotation or name
    builder.describe(row, behind_attributes(node), last.end_byte, _doc(builder, node))
    return flags


def _accessors_of(builder: DeclaredFactsBuilder, row: int, group: Sequence[Node], type_: int) -> None:
    for part in group:
        if part.type in ("computed_property", "willset_didset_block"):
            outer = builder.scope
            builder.scope = builder.open_scope(FUNCTION_SCOPE, part.start_byte, part.end_byte, row)
            accessors(builder, row, part, type_)
            builder.scope = outer


def accessors(builder: DeclaredFactsBuilder, row: int, node: Node, type_: int) -> None:
    """`{ get { ... } set(x) { ... } }`, `{ didSet { ... } }`, or the body of a getter."""
    state = swift(builder)
    plain = [part for part in node.named_children if part.type == "statements"]
    if plain:
        code_of(builder, row, plain[0], type_)
    for part in node.named_children:
        if part.type == "statements" or part.type in COMMENTS:
            continue
        outer, words = builder.scope, state.words
        builder.scope = builder.open_scope(FUNCTION_SCOPE, part.start_byte, part.end_byte, row)
        named = child(part, "simple_identifier")
        value = builder.instance(type_) if type_ >= 0 else builder.definitions[row][D_VALUE]
        implied = b"newValue" if part.type in ("computed_setter", "willset_clause") else b"oldValue"
        state.words = dict(words)
        if named is not None:
            builder.full = (named.start_byte, named.end_byte)
            builder.definitions[builder.define(named, PARAMETER)][D_TYPE] = type_
        elif part.type in ("computed_setter", "willset_clause", "didset_clause"):
            state.words[implied] = value
        for one in part.named_children:
            if one.type == "statements":
                code_of(builder, row, one, type_ if part.type == "computed_getter" else -1)
            elif one.type == "attribute":
                attribute(builder, one, -1)
        builder.scope, state.words = outer, words


def protocol_property(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`var name: Type { get set }` of a protocol."""
    shown = child(node, "pattern")
    name = child(shown, "simple_identifier") if shown is not None else None
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, PROPERTY, ABSTRACT)
    owner, builder.owner = builder.owner, row
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    builder.definitions[row][D_TYPE] = written_type(builder, child(node, "type_annotation"))
    builder.owner = owner
    builder.describe(row, behind_attributes(node), node.end_byte, _doc(builder, node))
    return -1


def _read_modifiers(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    for part in node.named_children:
        if part.type == "attribute":
            attribute(builder, part, -1)
    return -1


RULES: dict[str, Rule] = {
    "import_declaration": import_declaration,
    "class_declaration": type_declaration,
    "protocol_declaration": type_declaration,
    "enum_entry": enum_entry,
    "typealias_declaration": type_alias,
    "associatedtype_declaration": type_alias,
    "function_declaration": function,
    "protocol_function_declaration": function,
    "init_declaration": function,
    "deinit_declaration": function,
    "subscript_declaration": function,
    "macro_declaration": function,
    "property_declaration": property_declaration,
    "protocol_property_declaration": protocol_property,
    "modifiers": _read_modifiers,
    "operator_declaration": nothing,
    "precedence_group_declaration": nothing,
}
