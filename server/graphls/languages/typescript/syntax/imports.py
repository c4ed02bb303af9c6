"""Imports and exports: what a file takes from modules and what it gives.

Owns: definitions, occurrences and rows of `import`, `export` and `require`.
Must not know: which modules exist.
Invariant: names that only importers see are bound in the export scope, never in the module's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.typescript.export_names import ASSIGNED
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import (
    CLASS,
    DEFAULT_EXPORT,
    EXPORT,
    EXPORTED,
    FUNCTION,
    IMPORT,
    IMPORTED,
    KEPT,
    MEMBER,
    NAME,
    STAR,
    TYPE_ONLY,
    TYPED,
    VARIABLE,
    WANTED,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import function
from graphls.languages.typescript.syntax.nesting import children, field, generic, guarded, has
from graphls.languages.typescript.syntax.patterns import PatternName, assign_values

REQUIRED: Final = 1
"""Mode of a module expression: what `require` gives, not the namespace."""
DEFAULT: Final = "default"


def specifier(builder: TsFactsBuilder, node: Node | None) -> int:
    """The text of a module's name, as a row of strings."""
    if node is None or node.end_byte - node.start_byte < 2:
        return 0
    return builder.name(node.start_byte + 1, node.end_byte - 1)


def _row(builder: TsFactsBuilder, node: Node, module: int, name: int, bound: int, *, flags: int = 0) -> None:
    flags |= int(ImportFlag.LOCAL) if builder.frame.function else 0
    if bound >= 0 and builder.definitions[bound][D_FLAGS] & TYPE_ONLY:
        flags |= int(ImportFlag.TYPE_CHECKING)
    builder.imports.append([module, 0, name, bound, flags, node.start_byte, node.end_byte, builder.scope])


# ---------------------------------------------------------------- import


def import_statement(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import d, { a as b } from "m"`, `import * as n from "m"`, `import n = require("m")`, `import "m"`."""
    builder.full = (node.start_byte, node.end_byte)
    flags = TYPE_ONLY if has(builder, node, nodes.TYPE) else 0
    outer, builder.bind_flags = builder.bind_flags, builder.bind_flags | flags
    module = specifier(builder, field(builder, node, nodes.F_SOURCE))
    clauses = [
        part for part in children(node) if builder.kinds.of(part) in (nodes.IMPORT_CLAUSE, nodes.IMPORT_REQUIRE_CLAUSE)
    ]
    for clause in clauses:
        for part in children(clause):
            _imported(builder, clause, part, module)
    if not clauses:
        _row(builder, node, module, -1, -1)
    builder.bind_flags = outer
    return -1


def _imported(builder: TsFactsBuilder, clause: Node, part: Node, module: int) -> None:
    if builder.kinds.of(clause) == nodes.IMPORT_REQUIRE_CLAUSE:
        if builder.kinds.of(part) == nodes.IDENTIFIER:
            source = specifier(builder, field(builder, clause, nodes.F_SOURCE))
            row = _bind(builder, part, builder.module(source, REQUIRED))
            _row(builder, part, source, -1, row)
    elif builder.kinds.of(part) == nodes.IDENTIFIER:
        default = builder.text(DEFAULT)
        base = builder.module(module, 0)
        row = _bind(builder, part, builder.expression(MEMBER, base, default, -1))
        _row(builder, part, module, default, row)
    elif builder.kinds.of(part) == nodes.NAMESPACE_IMPORT:
        for name in children(part):
            row = _bind(builder, name, builder.module(module, 0))
            _row(builder, part, module, -1, row)
    elif builder.kinds.of(part) == nodes.NAMED_IMPORTS:
        for entry in children(part):
            _specifier(builder, entry, module)


def _bind(builder: TsFactsBuilder, node: Node, value: int) -> int:
    """The definition of an imported name, and its use: it means what it stands for."""
    start, end = node.start_byte, node.end_byte
    row = builder.define(builder.name(start, end), IMPORT, start, end, builder.scope)
    builder.definitions[row][D_VALUE] = value
    builder.use(start, end, IMPORTED)
    return row


def _specifier(builder: TsFactsBuilder, node: Node, module: int) -> None:
    name, alias = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_ALIAS)
    if builder.kinds.of(node) != nodes.IMPORT_SPECIFIER or name is None:
        builder.read(node)
        return
    outer = builder.bind_flags
    builder.bind_flags |= TYPE_ONLY if has(builder, node, nodes.TYPE) else 0
    base = builder.module(module, 0)
    imported = name_text(builder, name)
    value = builder.expression(MEMBER, base, imported, name.start_byte)
    if alias is not None:
        builder.use(name.start_byte, name.end_byte, IMPORTED, base)
    row = _bind(builder, alias or name, value)
    _row(builder, node, module, imported, row)
    builder.bind_flags = outer


def name_text(builder: TsFactsBuilder, node: Node) -> int:
    """A name, which may be written as a string."""
    if builder.kinds.of(node) == nodes.STRING:
        return builder.name(node.start_byte + 1, node.end_byte - 1)
    return builder.name(node.start_byte, node.end_byte)


def import_alias(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import a = b.c`."""
    parts = children(node)
    if len(parts) != 2:
        return generic(builder, node, 0, 0)
    builder.full = (node.start_byte, node.end_byte)
    row = _bind(builder, parts[0], -1)
    if builder.kinds.of(parts[1]) == nodes.IDENTIFIER:
        builder.definitions[row][D_VALUE] = builder.read(parts[1], WANTED)
    else:
        builder.definitions[row][D_VALUE] = builder.read(parts[1], WANTED, TYPED)
    return -1


# ---------------------------------------------------------------- require


def required(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether a value is `require("m")`, alone."""
    while builder.kinds.of(node) == nodes.AWAIT_EXPRESSION and node.named_child_count:
        node = node.named_children[-1]
    if builder.kinds.of(node) != nodes.CALL_EXPRESSION:
        return False
    callee = field(builder, node, nodes.F_FUNCTION)
    if callee is None or builder.data[callee.start_byte : callee.end_byte] not in (b"require", b"import"):
        return False
    arguments = field(builder, node, nodes.F_ARGUMENTS)
    return (
        arguments is not None
        and len(children(arguments)) == 1
        and builder.kinds.of(children(arguments)[0]) == nodes.STRING
    )


def require_row(builder: TsFactsBuilder, node: Node, pending: Sequence[PatternName], value: int) -> None:
    """`const x = require("m")` and `const { a, b: c } = require("m")` are imports."""
    assign_values(builder, pending, value, imported=True)
    call = builder.imports.pop()  # the row of the call itself: the names it binds say more
    module, flags = call[0], call[4] & ImportFlag.DYNAMIC
    for bound in pending:
        definition = builder.definitions[bound.row]
        if not bound.path:
            definition[D_KIND] = IMPORT
            builder.use(definition[4], definition[5], IMPORTED)
            _row(builder, node, module, -1, bound.row, flags=flags)
        elif definition[D_KIND] == IMPORT:
            if bound.path[0][2] != definition[4]:
                builder.use(definition[4], definition[5], IMPORTED)
            _row(builder, node, module, bound.path[0][1], bound.row, flags=flags)


def required_part(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether a value is `require("m").name`."""
    module = field(builder, node, nodes.F_OBJECT) if builder.kinds.of(node) == nodes.MEMBER_EXPRESSION else None
    return module is not None and builder.kinds.of(module) == nodes.CALL_EXPRESSION and required(builder, module)


def part_row(builder: TsFactsBuilder, node: Node, pending: Sequence[PatternName], value: int) -> None:
    """`const x = require("m").name` is an import of that name; names that it is taken apart into are none."""
    assign_values(builder, pending, value)
    part = field(builder, node, nodes.F_PROPERTY)
    if part is None or len(pending) != 1 or pending[0].path:
        return
    row = pending[0].row
    definition = builder.definitions[row]
    definition[D_KIND] = IMPORT
    builder.use(definition[4], definition[5], IMPORTED)
    call = builder.imports.pop()
    name, flags = builder.name(part.start_byte, part.end_byte), call[4] & ImportFlag.DYNAMIC
    _row(builder, node, call[0], name, row, flags=flags)


# ---------------------------------------------------------------- export


def export_statement(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """Every form of `export`."""
    outer = builder.full, builder.bind_flags
    builder.full = (node.start_byte, node.end_byte)
    source, declaration = field(builder, node, nodes.F_SOURCE), field(builder, node, nodes.F_DECLARATION)
    flags = TYPE_ONLY if has(builder, node, nodes.TYPE) else 0
    if has(builder, node, nodes.DEFAULT):
        _default(builder, node, declaration)
    elif declaration is not None:
        builder.bind_flags |= EXPORTED
        builder.decorators_before = tuple(part for part in children(node) if builder.kinds.of(part) == nodes.DECORATOR)
        builder.read(declaration)
    elif source is not None:
        builder.bind_flags |= flags
        _from(builder, node, specifier(builder, source))
    else:
        _own(builder, node, flags)
    builder.full, builder.bind_flags = outer
    return -1


def give(
    builder: TsFactsBuilder, name: int, kind: int, span: tuple[int, int], value: int, *, flags: int = EXPORTED
) -> int:
    """A definition that only importers see."""
    row = builder.define(name, kind, *span, builder.export_scope() if builder.scope == 0 else builder.scope)
    builder.definitions[row][D_FLAGS] |= flags
    builder.definitions[row][D_VALUE] = value
    return row


def _from(builder: TsFactsBuilder, node: Node, module: int) -> None:
    """`export * from "m"`, `export * as n from "m"`, `export { a as b } from "m"`."""
    base = builder.module(module, 0)
    for part in children(node):
        if builder.kinds.of(part) == nodes.NAMESPACE_EXPORT:
            for exported in children(part):
                span = (exported.start_byte, exported.end_byte)
                row = give(builder, name_text(builder, exported), IMPORT, span, base)
                builder.use(*span, IMPORTED)
                _row(builder, part, module, -1, row, flags=int(ImportFlag.REEXPORT))
        elif builder.kinds.of(part) == nodes.EXPORT_CLAUSE:
            for entry in children(part):
                _reexported(builder, entry, base, module)
    if any(builder.kinds.of(child) == nodes.STAR for child in node.children):
        star = next(child for child in node.children if builder.kinds.of(child) == nodes.STAR)
        name = builder.text("*")
        row = give(builder, name, IMPORT, (star.start_byte, star.end_byte), base, flags=STAR)
        _row(builder, node, module, name, row, flags=int(ImportFlag.STAR | ImportFlag.REEXPORT))


def _reexported(builder: TsFactsBuilder, node: Node, base: int, module: int) -> None:
    name, alias = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_ALIAS)
    if name is None:
        builder.read(node)
        return
    start, end = name.start_byte, name.end_byte
    imported = name_text(builder, name)
    value = builder.expression(MEMBER, base, imported, start)
    target = alias or name
    flags = EXPORTED | (TYPE_ONLY if has(builder, node, nodes.TYPE) else 0)
    row = give(builder, name_text(builder, target), IMPORT, (target.start_byte, target.end_byte), value, flags=flags)
    builder.use(start, end, IMPORTED, base)
    if alias is not None:
        builder.use(alias.start_byte, alias.end_byte, IMPORTED)
    _row(builder, node, module, imported, row, flags=int(ImportFlag.REEXPORT))


def _own(builder: TsFactsBuilder, node: Node, flags: int) -> None:
    """`export { a, b as c }`, `export = value`, `export as namespace N`."""
    for part in children(node):
        if builder.kinds.of(part) == nodes.EXPORT_CLAUSE:
            entries = children(part)
            if not entries and builder.scope == 0:
                builder.export_scope()  # It gives nothing, and makes the file a module: its names are its own then.
            for entry in entries:
                _listed(builder, entry, flags)
        elif has(builder, node, nodes.EQUALS):
            _assigned(builder, node, part)
        elif not has(builder, node, nodes.NAMESPACE):
            builder.read(part)


def _assigned(builder: TsFactsBuilder, node: Node, part: Node) -> None:
    """`export = name` gives what the name means, `export = value` gives the value."""
    name, span, flags = builder.text(ASSIGNED), (node.start_byte, node.start_byte + 6), EXPORTED | DEFAULT_EXPORT
    if part.type == "identifier":
        own = builder.use(part.start_byte, part.end_byte, EXPORT)
        give(builder, name, IMPORT, span, builder.expression(NAME, own, builder.scope, -1), flags=flags)
    elif _dotted(part):
        give(builder, name, IMPORT, span, builder.read(part, WANTED, TYPED), flags=flags)
    else:
        give(builder, name, VARIABLE, span, builder.read(part, KEPT), flags=flags)


def _dotted(node: Node) -> bool:
    """Whether a value is `a.b.c`, names alone."""
    inner: Node | None = node
    while inner is not None and inner.type == "member_expression":
        inner = inner.child_by_field_name("object")
    return inner is not node and inner is not None and inner.type == "identifier"


def _listed(builder: TsFactsBuilder, node: Node, flags: int) -> None:
    name, alias = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_ALIAS)
    if name is None:
        builder.read(node)
        return
    start, end = name.start_byte, name.end_byte
    own = builder.use(start, end, EXPORT)
    value = builder.expression(NAME, own, builder.scope, -1)
    target = alias or name
    outer, builder.bind_flags = builder.bind_flags, builder.bind_flags | flags
    give(builder, name_text(builder, target), IMPORT, (target.start_byte, target.end_byte), value)
    builder.bind_flags = outer
    if alias is not None:
        builder.use(alias.start_byte, alias.end_byte, IMPORTED)


def _default(builder: TsFactsBuilder, node: Node, declaration: Node | None) -> None:
    """`export default ...`: a declaration that has a name keeps it; anything else is named `default`."""
    word = next(child for child in node.children if builder.kinds.of(child) == nodes.DEFAULT)
    flags = EXPORTED | DEFAULT_EXPORT
    value = field(builder, node, nodes.F_VALUE) or declaration
    if value is None:
        return
    builder.decorators_before = tuple(part for part in children(node) if builder.kinds.of(part) == nodes.DECORATOR)
    if declaration is not None and field(builder, declaration, nodes.F_NAME) is not None:
        builder.bind_flags |= flags
        builder.read(declaration)
        return
    span = (word.start_byte, word.end_byte)
    name = builder.text(DEFAULT)
    if builder.kinds.of(value) in (nodes.FUNCTION_EXPRESSION, nodes.ARROW_FUNCTION, nodes.GENERATOR_FUNCTION) or (
        value.type.startswith(("function", "generator_function"))
    ):
        row = give(builder, name, FUNCTION, span, -1, flags=flags)
        function(builder, value, row)
    elif builder.kinds.of(value) in (nodes.CLASS, nodes.CLASS_DECLARATION, nodes.ABSTRACT_CLASS_DECLARATION):
        row = give(builder, name, CLASS, span, -1, flags=flags)
        builder.object_owner = row
        builder.read(value, KEPT)
    elif builder.kinds.of(value) == nodes.IDENTIFIER:
        start, end = value.start_byte, value.end_byte
        own = builder.use(start, end, EXPORT)
        give(builder, name, IMPORT, span, builder.expression(NAME, own, builder.scope, -1), flags=flags)
    else:
        row = give(builder, name, VARIABLE, span, -1, flags=flags)
        owner, builder.owner, builder.object_owner = builder.owner, row, row
        builder.definitions[row][D_VALUE] = builder.read(value, KEPT)
        builder.owner = owner


RULES: Mapping[str, Rule] = {
    "import_alias": guarded(import_alias),
    "import_statement": guarded(import_statement),
    "export_statement": guarded(export_statement),
}
