"""Imports: `import` and `from` statements.

Owns: the definitions, occurrences and rows of imports.
Must not know: which modules exist.
Invariant: every written part of a module path is an occurrence whose base is the module before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag
from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.facts_builder import (
    CONDITIONAL,
    IMPORTED,
    MEMBER,
    READ,
    PyFactsBuilder,
    Rule,
    StatementLevel,
)
from graphls.languages.python.syntax.nesting import children, generic
from graphls.languages.python.syntax.targets import bind_name

IMPORT: Final = int(DefinitionKind.IMPORT)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
STAR: Final = int(DefinitionFlag.STAR)
CHECKING: Final = int(DefinitionFlag.TYPE_CHECKING)
MAIN: Final = int(DefinitionFlag.MAIN_GUARD)


def import_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`import a.b, c as d`."""
    builder.full = (node.start_byte, node.end_byte)
    for part in children(node):
        if part.kind_id == nodes.DOTTED_NAME:
            _import(builder, part, part, None)
        elif part.kind_id == nodes.ALIASED_IMPORT and len(children(part)) == 2:
            name, alias = children(part)
            _import(builder, part, name, alias)
        else:
            builder.read(part)
    return -1


def _import(builder: PyFactsBuilder, clause: Node, path: Node, alias: Node | None) -> None:
    parts = children(path)
    first = parts[0]
    if alias is None:
        row = _bind(builder, first)
        builder.definitions[row][D_VALUE] = builder.module(builder.name(first.start_byte, first.end_byte), 0)
        module = _path(builder, parts, 0)
    else:
        module = _path(builder, parts, 0)
        row = _bind(builder, alias)
        before, _, last = module.rpartition(".")
        builder.use_as(alias, builder.text(last), IMPORTED, builder.module(builder.text(before), 0))
        builder.definitions[row][D_VALUE] = builder.module(builder.text(module), 0)
    _row(builder, clause, (builder.text(module), 0), (-1, row, 0))


def _bind(builder: PyFactsBuilder, node: Node) -> int:
    row = bind_name(builder, node, IMPORT)
    builder.definitions[row][D_KIND] = IMPORT
    return row


def _path(builder: PyFactsBuilder, parts: list[Node], level: int) -> str:
    """Records the parts of a module path; answers the whole path."""
    module = ""
    for part in parts:
        if part.kind_id != nodes.IDENTIFIER:
            builder.read(part)
            continue
        name = builder.use(part.start_byte, part.end_byte, IMPORTED, builder.module(builder.text(module), level))
        module = f"{module}.{builder.strings[name]}" if module else builder.strings[name]
    return module


def from_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`from .a import b as c, d`."""
    builder.full = (node.start_byte, node.end_byte)
    source = node.child_by_field_name("module_name")
    if source is None:
        return generic(builder, node, 0, READ)
    level, module = _source(builder, source)
    for part in children(node)[1:]:
        _imported(builder, part, module, level)
    return -1


def future_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`from __future__ import x`."""
    builder.full = (node.start_byte, node.end_byte)
    for part in node.children:
        if part.type == "__future__":
            builder.use(part.start_byte, part.end_byte, IMPORTED, builder.module(0, 0))
        elif part.is_named and part.kind_id not in nodes.EXTRAS:
            _imported(builder, part, "__future__", 0)
    return -1


def _source(builder: PyFactsBuilder, node: Node) -> tuple[int, str]:
    """Level and path of the module that is imported from."""
    if node.kind_id == nodes.DOTTED_NAME:
        return 0, _path(builder, children(node), 0)
    level, module = 0, ""
    for part in children(node):
        if part.kind_id == nodes.DOTTED_NAME:
            module = _path(builder, children(part), level)
        else:
            level = builder.data.count(b".", part.start_byte, part.end_byte)
    return level, module


def _imported(builder: PyFactsBuilder, node: Node, module: str, level: int) -> None:
    """One name after `import`."""
    source = (builder.text(module), level)
    base = builder.module(*source)
    if node.kind_id == nodes.WILDCARD_IMPORT:
        start, end = node.start_byte, node.end_byte
        row = builder.define(builder.text("*"), IMPORT, start, end, builder.scope)
        builder.definitions[row][D_FLAGS] |= STAR
        builder.definitions[row][D_VALUE] = base
        _row(builder, node, source, (builder.text("*"), -1, int(ImportFlag.STAR)))
        return
    parts = children(node)
    aliased = node.kind_id == nodes.ALIASED_IMPORT and len(parts) == 2
    name = children(parts[0])[0] if aliased and parts[0].named_child_count else (parts[0] if parts else None)
    if name is None or name.kind_id != nodes.IDENTIFIER:
        builder.read(node)
        return
    target = parts[1] if aliased else name
    imported = builder.use(name.start_byte, name.end_byte, IMPORTED, base)
    row = _bind(builder, target)
    if aliased:
        builder.use_as(target, imported, IMPORTED, base)
    definition = builder.definitions[row]
    definition[D_VALUE] = builder.expression(MEMBER, base, imported, name.start_byte)
    again = aliased and definition[0] == imported
    definition[D_FLAGS] |= EXPORTED if again else 0
    _row(builder, node, source, (imported, row, int(ImportFlag.REEXPORT) if again else 0))


def _row(builder: PyFactsBuilder, node: Node, source: tuple[int, int], bound: tuple[int, int, int]) -> None:
    """A row of `imports`: `bound` is name, definition and flags."""
    flags, state = bound[2], builder.bind_flags
    flags |= int(ImportFlag.TYPE_CHECKING) if state & CHECKING else 0
    flags |= int(ImportFlag.CONDITIONAL) if state & CONDITIONAL else 0
    flags |= int(ImportFlag.MAIN_GUARD) if state & MAIN else 0
    flags |= int(ImportFlag.LOCAL) if builder.frame.level == StatementLevel.FUNCTION else 0
    builder.imports.append([*source, bound[0], bound[1], flags, node.start_byte, node.end_byte, builder.scope])


RULES: Mapping[str, Rule] = {
    "import_statement": import_statement,
    "import_from_statement": from_statement,
    "future_import_statement": future_statement,
}
