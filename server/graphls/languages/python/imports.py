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
from graphls.languages.draft import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.python import nodes
from graphls.languages.python.draft import (
    CONDITIONAL,
    IMPORTED,
    MEMBER,
    READ,
    Draft,
    Level,
    Rule,
)
from graphls.languages.python.nesting import children, generic
from graphls.languages.python.targets import bind_name

IMPORT: Final = int(DefinitionKind.IMPORT)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
STAR: Final = int(DefinitionFlag.STAR)
CHECKING: Final = int(DefinitionFlag.TYPE_CHECKING)
MAIN: Final = int(DefinitionFlag.MAIN_GUARD)


def import_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`import a.b, c as d`."""
    draft.full = (node.start_byte, node.end_byte)
    for part in children(node):
        if part.kind_id == nodes.DOTTED_NAME:
            _import(draft, part, part, None)
        elif part.kind_id == nodes.ALIASED_IMPORT and len(children(part)) == 2:
            name, alias = children(part)
            _import(draft, part, name, alias)
        else:
            draft.read(part)
    return -1


def _import(draft: Draft, clause: Node, path: Node, alias: Node | None) -> None:
    parts = children(path)
    first = parts[0]
    if alias is None:
        row = _bind(draft, first)
        draft.definitions[row][D_VALUE] = draft.module(draft.name(first.start_byte, first.end_byte), 0)
        module = _path(draft, parts, 0)
    else:
        module = _path(draft, parts, 0)
        row = _bind(draft, alias)
        before, _, last = module.rpartition(".")
        draft.use_as(alias, draft.text(last), IMPORTED, draft.module(draft.text(before), 0))
        draft.definitions[row][D_VALUE] = draft.module(draft.text(module), 0)
    _row(draft, clause, (draft.text(module), 0), (-1, row, 0))


def _bind(draft: Draft, node: Node) -> int:
    row = bind_name(draft, node, IMPORT)
    draft.definitions[row][D_KIND] = IMPORT
    return row


def _path(draft: Draft, parts: list[Node], level: int) -> str:
    """Records the parts of a module path; answers the whole path."""
    module = ""
    for part in parts:
        if part.kind_id != nodes.IDENTIFIER:
            draft.read(part)
            continue
        name = draft.use(part.start_byte, part.end_byte, IMPORTED, draft.module(draft.text(module), level))
        module = f"{module}.{draft.strings[name]}" if module else draft.strings[name]
    return module


def from_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`from .a import b as c, d`."""
    draft.full = (node.start_byte, node.end_byte)
    source = node.child_by_field_name("module_name")
    if source is None:
        return generic(draft, node, 0, READ)
    level, module = _source(draft, source)
    for part in children(node)[1:]:
        _imported(draft, part, module, level)
    return -1


def future_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`from __future__ import x`."""
    draft.full = (node.start_byte, node.end_byte)
    for part in node.children:
        if part.type == "__future__":
            draft.use(part.start_byte, part.end_byte, IMPORTED, draft.module(0, 0))
        elif part.is_named and part.kind_id not in nodes.EXTRAS:
            _imported(draft, part, "__future__", 0)
    return -1


def _source(draft: Draft, node: Node) -> tuple[int, str]:
    """Level and path of the module that is imported from."""
    if node.kind_id == nodes.DOTTED_NAME:
        return 0, _path(draft, children(node), 0)
    level, module = 0, ""
    for part in children(node):
        if part.kind_id == nodes.DOTTED_NAME:
            module = _path(draft, children(part), level)
        else:
            level = draft.data.count(b".", part.start_byte, part.end_byte)
    return level, module


def _imported(draft: Draft, node: Node, module: str, level: int) -> None:
    """One name after `import`."""
    source = (draft.text(module), level)
    base = draft.module(*source)
    if node.kind_id == nodes.WILDCARD_IMPORT:
        start, end = node.start_byte, node.end_byte
        row = draft.define(draft.text("*"), IMPORT, start, end, draft.scope)
        draft.definitions[row][D_FLAGS] |= STAR
        draft.definitions[row][D_VALUE] = base
        _row(draft, node, source, (draft.text("*"), -1, int(ImportFlag.STAR)))
        return
    parts = children(node)
    aliased = node.kind_id == nodes.ALIASED_IMPORT and len(parts) == 2
    name = children(parts[0])[0] if aliased and parts[0].named_child_count else (parts[0] if parts else None)
    if name is None or name.kind_id != nodes.IDENTIFIER:
        draft.read(node)
        return
    target = parts[1] if aliased else name
    imported = draft.use(name.start_byte, name.end_byte, IMPORTED, base)
    row = _bind(draft, target)
    if aliased:
        draft.use_as(target, imported, IMPORTED, base)
    definition = draft.definitions[row]
    definition[D_VALUE] = draft.expression(MEMBER, base, imported, name.start_byte)
    again = aliased and definition[0] == imported
    definition[D_FLAGS] |= EXPORTED if again else 0
    _row(draft, node, source, (imported, row, int(ImportFlag.REEXPORT) if again else 0))


def _row(draft: Draft, node: Node, source: tuple[int, int], bound: tuple[int, int, int]) -> None:
    """A row of `imports`: `bound` is name, definition and flags."""
    flags, state = bound[2], draft.bind_flags
    flags |= int(ImportFlag.TYPE_CHECKING) if state & CHECKING else 0
    flags |= int(ImportFlag.CONDITIONAL) if state & CONDITIONAL else 0
    flags |= int(ImportFlag.MAIN_GUARD) if state & MAIN else 0
    flags |= int(ImportFlag.LOCAL) if draft.frame.level == Level.FUNCTION else 0
    draft.imports.append([*source, bound[0], bound[1], flags, node.start_byte, node.end_byte, draft.scope])


RULES: Mapping[str, Rule] = {
    "import_statement": import_statement,
    "import_from_statement": from_statement,
    "future_import_statement": future_statement,
}
