"""Declarations: namespaces, imports, functions, types and their members.

Owns: the rules of what declares a name for others, and what doc comments add to it.
Must not know: other files.
Invariant: what a namespace clause says holds for what stands behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.declared.doc_blocks import comment_block_above
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    NAME,
    RETURN,
    TYPED,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_NAME, D_TYPE, D_VALUE, EXPRESSION
from graphls.languages.php.syntax.expressions import passed
from graphls.languages.php.syntax.facts_builder import (
    ABSTRACT,
    CLASS,
    CLASS_SCOPE,
    COMPONENT,
    CONSTANT,
    DEFAULTED,
    ENUM,
    ENUM_MEMBER,
    FIELD,
    FINAL,
    FUNCTION,
    IMPLEMENTED,
    IMPORT,
    IMPORTED,
    INHERITED,
    INTERFACE,
    LAMBDA,
    LAMBDA_SCOPE,
    MARK,
    METHOD,
    NAMESPACE,
    NAMESPACE_SCOPE,
    OBJECT,
    OBJECT_SCOPE,
    OF_CLASS,
    OF_CONSTANT,
    OF_FUNCTION,
    PARAMETER,
    STATIC,
    TRAIT,
    TYPE_PARAMETERS,
    UNION,
    VARIADIC,
    PhpFactsBuilder,
    php,
)
from graphls.languages.php.syntax.phpdoc import DocTag, doc_above, tags_in, variable_in, written_type
from graphls.languages.php.syntax.statements import read_statements
from graphls.languages.php.syntax.types import NAMES, better, class_name, says_class, templates

KINDS: Final = {
    "class_declaration": CLASS,
    "trait_declaration": CLASS,
    "interface_declaration": INTERFACE,
    "enum_declaration": ENUM,
}
_FLAGS: Final = {"static_modifier": STATIC, "abstract_modifier": ABSTRACT, "final_modifier": FINAL,
                 "readonly_modifier": FINAL}  # fmt: skip
_HOW: Final = {b"function": OF_FUNCTION, b"const": OF_CONSTANT}
_INHERITING: Final = frozenset(("extends", "implements", "use", "template-extends", "template-implements"))


def child(node: Node, kind: str) -> Node | None:
    """The first part of a kind."""
    return next((part for part in node.named_children if part.type == kind), None)


def flags_of(node: Node) -> int:
    """What the words before a declaration say."""
    flags = 0
    for part in node.named_children:
        flags |= _FLAGS.get(part.type, 0)
    return flags


def attributes(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`#[...]` before a declaration."""
    part = node.child_by_field_name("attributes")
    if part is not None:
        builder.read_all(part)


def behind_attributes(node: Node) -> int:
    """Where the words of a declaration begin."""
    for part in node.children:
        if part.type not in ("attribute_list", "comment"):
            return part.start_byte
    return node.start_byte


def namespace(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`namespace A\\B;`, `namespace A\\B { ... }`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    end = node.end_byte
    if body is None:
        after = builder.ancestry.behind(node)
        while after is not None and after.type != "namespace_definition":
            after = builder.ancestry.behind(after)
        end = after.start_byte if after is not None else len(builder.data)
    builder.scope, row = 0, -1
    if name is not None:
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(name, NAMESPACE)
    builder.scope = builder.open_scope(NAMESPACE_SCOPE, node.start_byte, end, row)
    if row >= 0:
        builder.definitions[row][D_BODY] = builder.scope
    php(builder).enter_flow()
    if body is not None:
        read_statements(builder, body)
        builder.scope = 0
    return -1


def imports(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`use A\\B;`, `use A\\{B, C as D};`, `use function A\\f;`."""
    group = node.child_by_field_name("body")
    how = next((_HOW[part.type.encode()] for part in node.children if part.type in ("function", "const")), OF_CLASS)
    before = child(node, "namespace_name")
    prefix = builder.source(before.start_byte, before.end_byte) + "\\" if group is not None and before else ""
    for clause in (group or node).named_children:
        if clause.type in ("namespace_use_clause", "namespace_use_group_clause"):
            _import(builder, clause, prefix, how)
    return -1


def _import(builder: DeclaredFactsBuilder, node: Node, prefix: str, how: int) -> None:
    alias, word = node.child_by_field_name("alias"), node.child_by_field_name("type")
    target = next((part for part in node.named_children if part.type in NAMES or part.type == "namespace_name"), None)
    if target is None:
        return
    how = _HOW.get(word.text or b"", how) if word is not None else how
    whole = "".join((prefix + builder.source(target.start_byte, target.end_byte)).split()).lstrip("\\")
    last = whole.rpartition("\\")[2]
    begin = target.end_byte - len(last.encode())
    module = builder.text(whole)
    base = builder.module(module, how)
    builder.full = (node.start_byte, node.end_byte)
    if alias is not None:
        row = builder.define(alias, IMPORT)
    else:
        name = builder.name(begin, target.end_byte)
        values = [name, IMPORT, 0, builder.scope, begin, target.end_byte, *builder.full, *([-1] * 6), builder.owner]
        builder.definitions.append(values)
        row = len(builder.definitions) - 1
    builder.definitions[row][D_VALUE] = base
    builder.use(begin, target.end_byte, IMPORTED, base)
    builder.imports.append([module, 0, -1, row, 0, begin, target.end_byte, 0])


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class`, `interface`, `trait`, `enum`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    own = php(builder)
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, KINDS[node.type], flags_of(node) | (TRAIT if node.type == "trait_declaration" else 0))
    outer, owner, full, frame = builder.scope, builder.owner, builder.full, builder.frame
    flow, unseen, class_row = own.enter_flow(), own.unseen, own.class_row
    builder.owner, builder.frame, own.class_row = row, Frame(row), row
    own.unseen = frozenset()
    attributes(builder, node)
    start, end = doc_above(builder.data, node.start_byte)
    tags = tags_in(builder.data, start, end)
    if any(tag.name.startswith("template") for tag in tags):
        builder.scope = builder.open_scope(TYPE_PARAMETERS, start, node.end_byte, row)
        templates(own, tags)
    _supers(own, node, row, [tag for tag in tags if tag.name in _INHERITING])
    begin = body.start_byte if body is not None else node.end_byte
    builder.scope = builder.open_scope(CLASS_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    _magic(own, tags)
    fields, own.fields = own.fields, []
    if body is not None:
        builder.read_row(body, body.named_children, _member)
    own.settle_fields(builder.scope)
    own.fields = fields
    if body is not None and _uses_late(body):
        builder.forget_rows()
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    own.unseen, own.class_row = unseen, class_row
    own.leave_flow(flow)
    builder.describe(row, behind_attributes(node), begin, comment_block_above(builder.data, node.start_byte))
    return -1


def _member(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    builder.read(node)


def _uses_late(body: Node) -> bool:
    """Whether a trait is used behind a member: what it says was read before that."""
    kinds = [part.type for part in body.named_children if part.type != "comment"]
    return "use_declaration" in kinds[kinds.count("use_declaration") :]


def _supers(own: PhpFactsBuilder, node: Node, row: int, tags: Sequence[DocTag]) -> None:
    """What a type extends, implements and uses; comments say with which type arguments."""
    stated: dict[str, int] = {}
    for tag in tags:
        made, _ = written_type(own, tag.start, tag.end)
        if made >= 0 and own.kind_of(made) == 3:
            named = own.expressions[made * EXPRESSION + 1]
            stated[_last(own, named)] = made
    body = node.child_by_field_name("body")
    listed = [part for part in node.named_children if part.type in ("base_clause", "class_interface_clause")]
    listed += [part for part in (body.named_children if body is not None else ()) if part.type == "use_declaration"]
    interface = node.type == "interface_declaration"
    for part in listed:
        role = IMPLEMENTED if part.type == "class_interface_clause" and not interface else INHERITED
        for one in part.named_children:
            if one.type in NAMES:
                type_ = class_name(own, one, role)
                own.bases.append((row, stated.get(_last(own, type_), type_), -1))


def _last(own: PhpFactsBuilder, row: int) -> str:
    text = own.strings[own.expressions[row * EXPRESSION + 1]] if own.kind_of(row) == NAME else ""
    return text.lstrip(MARK).rpartition("\\")[2]


def _magic(own: PhpFactsBuilder, tags: Sequence[DocTag]) -> None:
    """`@property Type $name`, `@method Type name()`, `@mixin Type`: members that only a comment declares."""
    full = own.full
    for tag in tags:
        if tag.name in ("property", "property-read", "property-write"):
            type_, at = written_type(own, tag.start, tag.end)
            found = variable_in(own, at, tag.end)
            if found is not None:
                own.full = (tag.start, found[2])
                own.declare(found[1], found[2], FIELD, type_)
        elif tag.name == "method":
            _magic_method(own, tag)
        elif tag.name == "mixin":
            type_, _ = written_type(own, tag.start, tag.end)
            if type_ >= 0:
                own.bases.append((own.class_row, type_, -1))
    own.full = full


def _magic_method(own: PhpFactsBuilder, tag: DocTag) -> None:
    line = own.data[tag.start : tag.end].split(b"\n")[0]
    call = line.find(b"(")
    if call <= 0:
        return
    words = line[:call].split()
    if not words or not words[-1].replace(b"_", b"a").isalnum():
        return
    begin = tag.start + line.rfind(words[-1], 0, call)
    flags = STATIC if words[0] == b"static" and len(words) > 1 else 0
    start = tag.start + (line.find(words[1]) if flags and len(words) > 2 else 0)
    type_ = written_type(own, start, begin)[0] if len(words) > 1 + bool(flags) else -1
    end = begin + len(words[-1])
    own.full = (tag.start, tag.start + len(line))
    row = own.declare(begin, end, METHOD, -1)
    own.definitions[row][D_FLAGS] |= flags
    if type_ >= 0:
        own.returns.append((row, own.instance(type_), RETURN))


def properties(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`private Type $a = x, $b;`."""
    own, owner, flags = php(builder), builder.owner, flags_of(node)
    attributes(builder, node)
    written = node.child_by_field_name("type")
    native = builder.read(written, 1, TYPED) if written is not None else -1
    start, end = doc_above(builder.data, node.start_byte)
    stated = next((tag for tag in tags_in(builder.data, start, end) if tag.name == "var"), None)
    doc = written_type(own, stated.start, stated.end)[0] if stated is not None else -1
    text = comment_block_above(builder.data, node.start_byte)
    for part in node.named_children:
        if part.type != "property_element":
            if part.type == "property_hook_list":
                builder.read(part)
            continue
        name, value = part.child_by_field_name("name"), part.child_by_field_name("default_value")
        if name is None or not name.named_child_count:
            continue
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(name.named_children[0], FIELD, flags)
        builder.definitions[row][D_TYPE] = better(builder, native, doc)
        builder.owner = row
        if value is not None:
            builder.read(value, 1)
        builder.owner = owner
        builder.describe(row, behind_attributes(node), name.end_byte, text)
    return -1


def constants(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`const A = 1, B = 2;`, of a class or a namespace."""
    owner = builder.owner
    attributes(builder, node)
    written = node.child_by_field_name("type")
    native = builder.read(written, 1, TYPED) if written is not None else -1
    text = comment_block_above(builder.data, node.start_byte)
    for part in node.named_children:
        if part.type != "const_element" or not part.named_child_count:
            continue
        name = part.named_children[0]
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(name, CONSTANT, FINAL | STATIC)
        builder.owner = row
        made = [builder.read(one, 1) for one in part.named_children[1:]]
        builder.owner = owner
        builder.definitions[row][D_TYPE] = native
        if made and native < 0:
            builder.definitions[row][D_VALUE] = made[-1]
        builder.describe(row, behind_attributes(node), part.end_byte, text)
    return -1


def enum_case(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`case Name = value;`."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return -1
    attributes(builder, node)
    row = builder.define(name, ENUM_MEMBER, FINAL | STATIC)
    holder = php(builder).class_row
    if holder >= 0:
        text = builder.text(MARK + builder.strings[builder.definitions[holder][D_NAME]])
        builder.definitions[row][D_TYPE] = builder.expression(NAME, text, builder.scope, node.start_byte)
    if value is not None:
        builder.read(value)
    builder.describe(row, node.start_byte, node.end_byte, comment_block_above(builder.data, node.start_byte))
    return -1


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function or a method."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    own = php(builder)
    method = node.type == "method_declaration"
    attributes(builder, node)
    builder.full = (node.start_byte, node.end_byte)
    scope = builder.scope
    row = builder.define(name, METHOD if method else FUNCTION, flags_of(node))
    if method and body is None:
        builder.definitions[row][D_FLAGS] |= ABSTRACT
    start, end = doc_above(builder.data, node.start_byte)
    tags = tags_in(builder.data, start, end)
    flow, outer, owner, full = own.enter_flow(), (own.unseen, own.stated, own.globals), builder.owner, builder.full
    builder.owner = row
    own.unseen, own.stated = frozenset(), {}
    if any(tag.name.startswith("template") for tag in tags):
        builder.scope = builder.open_scope(TYPE_PARAMETERS, start, node.end_byte, row)
        templates(own, tags)
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    stated, returned = _said(own, tags)
    parameters(own, node.child_by_field_name("parameters"), stated)
    written = node.child_by_field_name("return_type")
    native = builder.read(written, 1, TYPED) if written is not None else -1
    result = better(builder, native, returned)
    if result >= 0:
        builder.returns.append((row, builder.instance(result), RETURN))
    if body is not None:
        builder.read_body(row, body, _inferring if not says_class(builder, result) and result < 0 else read_statements)
    builder.scope, builder.owner, builder.full = scope, owner, full
    own.unseen, own.stated, own.globals = outer
    own.leave_flow(flow)
    begin = body.start_byte if body is not None else node.end_byte
    builder.describe(row, behind_attributes(node), begin, comment_block_above(builder.data, node.start_byte))
    return -1


def _inferring(builder: DeclaredFactsBuilder, node: Node) -> None:
    """A body that nothing is said of: it gives back what its statements give."""
    read_statements(builder, node)
    frame = builder.frame
    rows = list(dict.fromkeys(frame.values))
    if rows and min(rows) >= 0 and len(rows) <= 8:
        made = rows[0] if len(rows) == 1 else builder.expression(UNION, builder.sequence(rows))
        builder.returns.append((frame.definition, made, RETURN))


def _said(own: PhpFactsBuilder, tags: Sequence[DocTag]) -> tuple[dict[str, int], int]:
    """Types of parameters by name, and of what is given back, by a comment; globals are noted."""
    found: dict[str, int] = {}
    result = -1
    own.globals = {}
    for tag in tags:
        if tag.name in ("param", "global", "param-out"):
            type_, at = written_type(own, tag.start, tag.end)
            named = variable_in(own, at, tag.end)
            if named is not None and tag.name != "param-out":
                (found if tag.name == "param" else own.globals).setdefault(named[0], type_)
        elif tag.name == "return":
            type_ = written_type(own, tag.start, tag.end)[0]
            result = type_ if result < 0 else result
        elif tag.name == "throws":
            written_type(own, tag.start, tag.end)
    return found, result


def parameters(own: PhpFactsBuilder, node: Node | None, stated: dict[str, int], handed: Sequence[int] = ()) -> None:
    """Binds parameters in the current scope. A parameter of a constructor may declare a field."""
    at = -1
    for part in node.named_children if node is not None else ():
        name = part.child_by_field_name("name")
        if name is not None and name.type == "by_ref":
            name = name.named_children[0] if name.named_child_count else None
        if name is None or not name.named_child_count:
            if part.type != "comment":
                own.read(part)
            continue
        at += 1
        attributes(own, part)
        word = name.named_children[0]
        text = own.source(word.start_byte, word.end_byte)
        written, default = part.child_by_field_name("type"), part.child_by_field_name("default_value")
        native = own.read(written, 1, TYPED) if written is not None else -1
        doc = stated.get(text, -1)
        if part.type == "property_promotion_parameter" and doc < 0:
            start, end = doc_above(own.data, part.start_byte)
            tag = next((one for one in tags_in(own.data, start, end) if one.name == "var"), None)
            doc = written_type(own, tag.start, tag.end)[0] if tag is not None else -1
        type_ = better(own, native, doc)
        own.full = (part.start_byte, part.end_byte)
        flags = (VARIADIC if part.type == "variadic_parameter" else 0) | (DEFAULTED if default is not None else 0)
        if flags & VARIADIC and type_ >= 0:
            type_ = own.constructed("[]", (type_,))
        if part.type == "property_promotion_parameter":
            _promoted(own, word, type_)
            row = own.define(word, PARAMETER, flags | COMPONENT)
        else:
            row = own.define(word, PARAMETER, flags)
        definition = own.definitions[row]
        definition[D_TYPE] = type_
        if type_ >= 0:
            own.values[text] = own.instance(type_)
        elif at < len(handed) and handed[at] >= 0:
            own.values[text] = definition[D_VALUE] = handed[at]
        if default is not None:
            own.read(default)


def _promoted(own: PhpFactsBuilder, node: Node, type_: int) -> None:
    scope, at = own.scope, own.scope
    while at > 0 and own.scopes[at][0] not in (CLASS_SCOPE, OBJECT_SCOPE):
        at = own.scopes[at][1]
    owner, own.owner = own.owner, own.class_row
    own.scope = at
    row = own.define(node, FIELD, COMPONENT)
    own.definitions[row][D_TYPE] = type_
    own.scope, own.owner = scope, owner


def closure(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function (...) use (...) { }`, `fn (...) => x`."""
    own, arrow = php(builder), node.type == "arrow_function"
    handed, own.handed = own.handed, ()
    uses, body = child(node, "anonymous_function_use_clause"), node.child_by_field_name("body")
    captured: list[str] = []
    for part in uses.named_children if uses is not None else ():
        inside = part.named_children[0] if part.type == "by_ref" and part.named_child_count else part
        if inside.type == "variable_name" and inside.named_child_count:
            word = inside.named_children[0]
            text = builder.source(word.start_byte, word.end_byte)
            captured.append(text)
            if own.is_seen(text):
                builder.use(word.start_byte, word.end_byte, READ_ROLE)
            else:
                own.bind(word, -1)
    outer, scope, full, frame = (own.values, own.unseen, own.stated), builder.scope, builder.full, builder.frame
    builder.frame = Frame(frame.definition)
    lent = [*captured, "this"]
    values = dict(own.values)
    if not arrow:
        values = {key: row for key, row in values.items() if key.partition(".")[0] in lent}
    own.values = values
    own.unseen = own.unseen if arrow else frozenset(captured)
    own.stated = {}
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    attributes(builder, node)
    parameters(own, node.child_by_field_name("parameters"), {}, handed)
    written = node.child_by_field_name("return_type")
    result = builder.read(written, 1, TYPED) if written is not None else -1
    value = -1
    if body is not None and body.type == "compound_statement":
        builder.region(0, body, body.start_byte)
        read_statements(builder, body)
        rows = list(dict.fromkeys(builder.frame.values))
        if rows and min(rows) >= 0 and len(rows) <= 8:
            value = rows[0] if len(rows) == 1 else builder.expression(UNION, builder.sequence(rows))
    elif body is not None:
        value = builder.read(body, 1)
    builder.scope, builder.full, builder.frame = scope, full, frame
    own.values, own.unseen, own.stated = outer
    if says_class(builder, result):
        value = builder.instance(result)
    return builder.expression(LAMBDA, value if value >= 0 else builder.unknown(), 0, 0)


def anonymous_class(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new class(arguments) extends Name { }`."""
    own, body = php(builder), node.child_by_field_name("body")
    passed(builder, child(node, "arguments"), -1)
    bases: list[int] = []
    listed = [part for part in node.named_children if part.type in ("base_clause", "class_interface_clause")]
    listed += [part for part in (body.named_children if body is not None else ()) if part.type == "use_declaration"]
    for part in listed:
        role = IMPLEMENTED if part.type == "class_interface_clause" else INHERITED
        bases += [class_name(builder, one, role) for one in part.named_children if one.type in NAMES]
    outer, owner, full, frame = builder.scope, builder.owner, builder.full, builder.frame
    flow, unseen, class_row = own.enter_flow(), own.unseen, own.class_row
    builder.frame, own.class_row = Frame(frame.definition), -1
    own.unseen = frozenset()
    begin = body.start_byte if body is not None else node.end_byte
    scope = builder.scope = builder.open_scope(OBJECT_SCOPE, begin, node.end_byte)
    fields, own.fields = own.fields, []
    for part in body.named_children if body is not None else ():
        _member(builder, part)
    own.settle_fields(scope)
    own.fields = fields
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    own.unseen, own.class_row = unseen, class_row
    own.leave_flow(flow)
    base = builder.expression(UNION, builder.sequence(bases)) if bases else -1
    return builder.expression(OBJECT, scope, base)


READ_ROLE: Final = 0
RULES: dict[str, Rule] = {
    "namespace_definition": namespace,
    "namespace_use_declaration": imports,
    **dict.fromkeys(KINDS, type_declaration),
    "property_declaration": properties,
    "const_declaration": constants,
    "enum_case": enum_case,
    "method_declaration": function,
    "function_definition": function,
    "anonymous_function": closure,
    "anonymous_function_creation_expression": closure,
    "arrow_function": closure,
    "anonymous_class": anonymous_class,
    "base_clause": nothing,
    "class_interface_clause": nothing,
}


def use_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`use Trait { ... }`: the traits are read with the head of the class."""
    for part in node.named_children:
        if part.type == "use_list":
            builder.read(part)
    return -1


RULES["use_declaration"] = use_declaration
