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
from graphls.languages.draft import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.typescript import nodes
from graphls.languages.typescript.draft import (
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
    Draft,
    Rule,
)
from graphls.languages.typescript.functions import function
from graphls.languages.typescript.nesting import children, field, generic, guarded, has
from graphls.languages.typescript.patterns import Bound, settle

REQUIRED: Final = 1
"""Mode of a module expression: what `require` gives, not the namespace."""
DEFAULT: Final = "default"
ASSIGNED: Final = "export="
"""Name of what `export =` and `module.exports =` give."""


def specifier(draft: Draft, node: Node | None) -> int:
    """The text of a module's name, as a row of strings."""
    if node is None or node.end_byte - node.start_byte < 2:
        return 0
    return draft.name(node.start_byte + 1, node.end_byte - 1)


def _row(draft: Draft, node: Node, module: int, name: int, bound: int, *, flags: int = 0) -> None:
    flags |= int(ImportFlag.LOCAL) if draft.frame.function else 0
    if bound >= 0 and draft.definitions[bound][D_FLAGS] & TYPE_ONLY:
        flags |= int(ImportFlag.TYPE_CHECKING)
    draft.imports.append([module, 0, name, bound, flags, node.start_byte, node.end_byte, draft.scope])


# ---------------------------------------------------------------- import


def import_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`import d, { a as b } from "m"`, `import * as n from "m"`, `import n = require("m")`, `import "m"`."""
    draft.full = (node.start_byte, node.end_byte)
    flags = TYPE_ONLY if has(draft, node, nodes.TYPE) else 0
    outer, draft.bind_flags = draft.bind_flags, draft.bind_flags | flags
    module = specifier(draft, field(draft, node, nodes.F_SOURCE))
    clauses = [
        part for part in children(node) if draft.kinds.of(part) in (nodes.IMPORT_CLAUSE, nodes.IMPORT_REQUIRE_CLAUSE)
    ]
    for clause in clauses:
        for part in children(clause):
            _imported(draft, clause, part, module)
    if not clauses:
        _row(draft, node, module, -1, -1)
    draft.bind_flags = outer
    return -1


def _imported(draft: Draft, clause: Node, part: Node, module: int) -> None:
    if draft.kinds.of(clause) == nodes.IMPORT_REQUIRE_CLAUSE:
        if draft.kinds.of(part) == nodes.IDENTIFIER:
            source = specifier(draft, field(draft, clause, nodes.F_SOURCE))
            row = _bind(draft, part, draft.module(source, REQUIRED))
            _row(draft, part, source, -1, row)
    elif draft.kinds.of(part) == nodes.IDENTIFIER:
        default = draft.text(DEFAULT)
        base = draft.module(module, 0)
        row = _bind(draft, part, draft.expression(MEMBER, base, default, -1))
        _row(draft, part, module, default, row)
    elif draft.kinds.of(part) == nodes.NAMESPACE_IMPORT:
        for name in children(part):
            row = _bind(draft, name, draft.module(module, 0))
            _row(draft, part, module, -1, row)
    elif draft.kinds.of(part) == nodes.NAMED_IMPORTS:
        for entry in children(part):
            _specifier(draft, entry, module)


def _bind(draft: Draft, node: Node, value: int) -> int:
    """The definition of an imported name, and its use: it means what it stands for."""
    start, end = node.start_byte, node.end_byte
    row = draft.define(draft.name(start, end), IMPORT, start, end, draft.scope)
    draft.definitions[row][D_VALUE] = value
    draft.use(start, end, IMPORTED)
    return row


def _specifier(draft: Draft, node: Node, module: int) -> None:
    name, alias = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_ALIAS)
    if draft.kinds.of(node) != nodes.IMPORT_SPECIFIER or name is None:
        draft.read(node)
        return
    outer = draft.bind_flags
    draft.bind_flags |= TYPE_ONLY if has(draft, node, nodes.TYPE) else 0
    base = draft.module(module, 0)
    imported = name_text(draft, name)
    value = draft.expression(MEMBER, base, imported, name.start_byte)
    if alias is not None:
        draft.use(name.start_byte, name.end_byte, IMPORTED, base)
    row = _bind(draft, alias or name, value)
    _row(draft, node, module, imported, row)
    draft.bind_flags = outer


def name_text(draft: Draft, node: Node) -> int:
    """A name, which may be written as a string."""
    if draft.kinds.of(node) == nodes.STRING:
        return draft.name(node.start_byte + 1, node.end_byte - 1)
    return draft.name(node.start_byte, node.end_byte)


def import_alias(draft: Draft, node: Node, want: int, role: int) -> int:
    """`import a = b.c`."""
    parts = children(node)
    if len(parts) != 2:
        return generic(draft, node, 0, 0)
    draft.full = (node.start_byte, node.end_byte)
    row = _bind(draft, parts[0], -1)
    if draft.kinds.of(parts[1]) == nodes.IDENTIFIER:
        draft.definitions[row][D_VALUE] = draft.read(parts[1], WANTED)
    else:
        draft.definitions[row][D_VALUE] = draft.read(parts[1], WANTED, TYPED)
    return -1


# ---------------------------------------------------------------- require


def required(draft: Draft, node: Node) -> bool:
    """Whether a value is `require("m")`, alone."""
    while draft.kinds.of(node) == nodes.AWAIT_EXPRESSION and node.named_child_count:
        node = node.named_children[-1]
    if draft.kinds.of(node) != nodes.CALL_EXPRESSION:
        return False
    callee = field(draft, node, nodes.F_FUNCTION)
    if callee is None or draft.data[callee.start_byte : callee.end_byte] not in (b"require", b"import"):
        return False
    arguments = field(draft, node, nodes.F_ARGUMENTS)
    return (
        arguments is not None
        and len(children(arguments)) == 1
        and draft.kinds.of(children(arguments)[0]) == nodes.STRING
    )


def require_row(draft: Draft, node: Node, pending: Sequence[Bound], value: int) -> None:
    """`const x = require("m")` and `const { a, b: c } = require("m")` are imports."""
    settle(draft, pending, value, imported=True)
    module = draft.imports.pop()[0]  # the row of the call itself: the names it binds say more
    for bound in pending:
        definition = draft.definitions[bound.row]
        if not bound.path:
            definition[D_KIND] = IMPORT
            draft.use(definition[4], definition[5], IMPORTED)
            _row(draft, node, module, -1, bound.row)
        elif definition[D_KIND] == IMPORT:
            if bound.path[0][2] != definition[4]:
                draft.use(definition[4], definition[5], IMPORTED)
            _row(draft, node, module, bound.path[0][1], bound.row)


def required_part(draft: Draft, node: Node) -> bool:
    """Whether a value is `require("m").name`."""
    module = field(draft, node, nodes.F_OBJECT) if draft.kinds.of(node) == nodes.MEMBER_EXPRESSION else None
    return module is not None and draft.kinds.of(module) == nodes.CALL_EXPRESSION and required(draft, module)


def part_row(draft: Draft, node: Node, pending: Sequence[Bound], value: int) -> None:
    """`const x = require("m").name` is an import of that name; names that it is taken apart into are none."""
    settle(draft, pending, value)
    part = field(draft, node, nodes.F_PROPERTY)
    if part is None or len(pending) != 1 or pending[0].path:
        return
    row = pending[0].row
    definition = draft.definitions[row]
    definition[D_KIND] = IMPORT
    draft.use(definition[4], definition[5], IMPORTED)
    module = draft.imports.pop()[0]
    _row(draft, node, module, draft.name(part.start_byte, part.end_byte), row)


# ---------------------------------------------------------------- export


def export_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """Every form of `export`."""
    outer = draft.full, draft.bind_flags
    draft.full = (node.start_byte, node.end_byte)
    source, declaration = field(draft, node, nodes.F_SOURCE), field(draft, node, nodes.F_DECLARATION)
    flags = TYPE_ONLY if has(draft, node, nodes.TYPE) else 0
    if has(draft, node, nodes.DEFAULT):
        _default(draft, node, declaration)
    elif declaration is not None:
        draft.bind_flags |= EXPORTED
        draft.decorators_before = tuple(part for part in children(node) if draft.kinds.of(part) == nodes.DECORATOR)
        draft.read(declaration)
    elif source is not None:
        draft.bind_flags |= flags
        _from(draft, node, specifier(draft, source))
    else:
        _own(draft, node, flags)
    draft.full, draft.bind_flags = outer
    return -1


def give(draft: Draft, name: int, kind: int, span: tuple[int, int], value: int, *, flags: int = EXPORTED) -> int:
    """A definition that only importers see."""
    row = draft.define(name, kind, *span, draft.export_scope() if draft.scope == 0 else draft.scope)
    draft.definitions[row][D_FLAGS] |= flags
    draft.definitions[row][D_VALUE] = value
    return row


def _from(draft: Draft, node: Node, module: int) -> None:
    """`export * from "m"`, `export * as n from "m"`, `export { a as b } from "m"`."""
    base = draft.module(module, 0)
    for part in children(node):
        if draft.kinds.of(part) == nodes.NAMESPACE_EXPORT:
            for exported in children(part):
                span = (exported.start_byte, exported.end_byte)
                row = give(draft, name_text(draft, exported), IMPORT, span, base)
                draft.use(*span, IMPORTED)
                _row(draft, part, module, -1, row, flags=int(ImportFlag.REEXPORT))
        elif draft.kinds.of(part) == nodes.EXPORT_CLAUSE:
            for entry in children(part):
                _reexported(draft, entry, base, module)
    if any(draft.kinds.of(child) == nodes.STAR for child in node.children):
        star = next(child for child in node.children if draft.kinds.of(child) == nodes.STAR)
        name = draft.text("*")
        row = give(draft, name, IMPORT, (star.start_byte, star.end_byte), base, flags=STAR)
        _row(draft, node, module, name, row, flags=int(ImportFlag.STAR | ImportFlag.REEXPORT))


def _reexported(draft: Draft, node: Node, base: int, module: int) -> None:
    name, alias = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_ALIAS)
    if name is None:
        draft.read(node)
        return
    start, end = name.start_byte, name.end_byte
    imported = name_text(draft, name)
    value = draft.expression(MEMBER, base, imported, start)
    target = alias or name
    flags = EXPORTED | (TYPE_ONLY if has(draft, node, nodes.TYPE) else 0)
    row = give(draft, name_text(draft, target), IMPORT, (target.start_byte, target.end_byte), value, flags=flags)
    draft.use(start, end, IMPORTED, base)
    if alias is not None:
        draft.use(alias.start_byte, alias.end_byte, IMPORTED)
    _row(draft, node, module, imported, row, flags=int(ImportFlag.REEXPORT))


def _own(draft: Draft, node: Node, flags: int) -> None:
    """`export { a, b as c }`, `export = value`, `export as namespace N`."""
    for part in children(node):
        if draft.kinds.of(part) == nodes.EXPORT_CLAUSE:
            entries = children(part)
            if not entries and draft.scope == 0:
                draft.export_scope()  # It gives nothing, and makes the file a module: its names are its own then.
            for entry in entries:
                _listed(draft, entry, flags)
        elif has(draft, node, nodes.EQUALS):
            _assigned(draft, node, part)
        elif not has(draft, node, nodes.NAMESPACE):
            draft.read(part)


def _assigned(draft: Draft, node: Node, part: Node) -> None:
    """`export = name` gives what the name means, `export = value` gives the value."""
    name, span, flags = draft.text(ASSIGNED), (node.start_byte, node.start_byte + 6), EXPORTED | DEFAULT_EXPORT
    if part.type == "identifier":
        own = draft.use(part.start_byte, part.end_byte, EXPORT)
        give(draft, name, IMPORT, span, draft.expression(NAME, own, draft.scope, -1), flags=flags)
    elif _dotted(part):
        give(draft, name, IMPORT, span, draft.read(part, WANTED, TYPED), flags=flags)
    else:
        give(draft, name, VARIABLE, span, draft.read(part, KEPT), flags=flags)


def _dotted(node: Node) -> bool:
    """Whether a value is `a.b.c`, names alone."""
    inner: Node | None = node
    while inner is not None and inner.type == "member_expression":
        inner = inner.child_by_field_name("object")
    return inner is not node and inner is not None and inner.type == "identifier"


def _listed(draft: Draft, node: Node, flags: int) -> None:
    name, alias = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_ALIAS)
    if name is None:
        draft.read(node)
        return
    start, end = name.start_byte, name.end_byte
    own = draft.use(start, end, EXPORT)
    value = draft.expression(NAME, own, draft.scope, -1)
    target = alias or name
    outer, draft.bind_flags = draft.bind_flags, draft.bind_flags | flags
    give(draft, name_text(draft, target), IMPORT, (target.start_byte, target.end_byte), value)
    draft.bind_flags = outer
    if alias is not None:
        draft.use(alias.start_byte, alias.end_byte, IMPORTED)


def _default(draft: Draft, node: Node, declaration: Node | None) -> None:
    """`export default ...`: a declaration that has a name keeps it; anything else is named `default`."""
    word = next(child for child in node.children if draft.kinds.of(child) == nodes.DEFAULT)
    flags = EXPORTED | DEFAULT_EXPORT
    value = field(draft, node, nodes.F_VALUE) or declaration
    if value is None:
        return
    draft.decorators_before = tuple(part for part in children(node) if draft.kinds.of(part) == nodes.DECORATOR)
    if declaration is not None and field(draft, declaration, nodes.F_NAME) is not None:
        draft.bind_flags |= flags
        draft.read(declaration)
        return
    span = (word.start_byte, word.end_byte)
    name = draft.text(DEFAULT)
    if draft.kinds.of(value) in (nodes.FUNCTION_EXPRESSION, nodes.ARROW_FUNCTION, nodes.GENERATOR_FUNCTION) or (
        value.type.startswith(("function", "generator_function"))
    ):
        row = give(draft, name, FUNCTION, span, -1, flags=flags)
        function(draft, value, row)
    elif draft.kinds.of(value) in (nodes.CLASS, nodes.CLASS_DECLARATION, nodes.ABSTRACT_CLASS_DECLARATION):
        row = give(draft, name, CLASS, span, -1, flags=flags)
        draft.object_owner = row
        draft.read(value, KEPT)
    elif draft.kinds.of(value) == nodes.IDENTIFIER:
        start, end = value.start_byte, value.end_byte
        own = draft.use(start, end, EXPORT)
        give(draft, name, IMPORT, span, draft.expression(NAME, own, draft.scope, -1), flags=flags)
    else:
        row = give(draft, name, VARIABLE, span, -1, flags=flags)
        owner, draft.owner, draft.object_owner = draft.owner, row, row
        draft.definitions[row][D_VALUE] = draft.read(value, KEPT)
        draft.owner = owner


RULES: Mapping[str, Rule] = {
    "import_alias": guarded(import_alias),
    "import_statement": guarded(import_statement),
    "export_statement": guarded(export_statement),
}
