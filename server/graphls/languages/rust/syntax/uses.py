"""Uses: what `use` and `extern crate` bring into a module.

Owns: the rules of trees of imports.
Must not know: which module a path means.
Invariant: each name that a tree binds is one definition, whose value is the whole path.
"""

from __future__ import annotations

from typing import Final, final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, ImportFlag, OccurrenceFlag
from graphls.languages.declared.facts_builder import MEMBER, READ
from graphls.languages.extract.facts_builder import D_NAME, D_VALUE, EXPRESSION
from graphls.languages.rust.syntax.facts_builder import IMPORT, IMPORTED, RustFactsBuilder, RustRule
from graphls.languages.rust.syntax.types import SKIPPED

ALIAS: Final = int(OccurrenceFlag.ALIAS)
STAR: Final = int(DefinitionFlag.STAR)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
STAR_IMPORT: Final = int(ImportFlag.STAR)
REEXPORT: Final = int(ImportFlag.REEXPORT)
_KEYWORDS: Final = frozenset({"crate", "self", "super", "metavariable"})
_DEEPEST: Final = 60


@final
class UsePrefix:
    """What stands before a tree of imports: entered (-1: nothing), as written; `public`: what it binds is passed on."""

    def __init__(self, base: int, text: str, public: bool) -> None:
        self.base = base
        self.text = text
        self.public = public


def use_declaration(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`use a::{b, c as d, e::*};`."""
    tree = node.child_by_field_name("argument")
    if tree is None:
        return -1
    public = any(part.type == "visibility_modifier" for part in node.named_children)
    builder.full = (node.start_byte, node.end_byte)
    _tree(builder, tree, UsePrefix(-1, "", public), 0)
    return -1


def extern_crate(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`extern crate name as other;`."""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is None or name.type != "identifier":
        return -1
    builder.full = (node.start_byte, node.end_byte)
    word = builder.name(name.start_byte, name.end_byte)
    row = builder.module(word, 1)
    builder.use(name.start_byte, name.end_byte, IMPORTED, row)
    bound = alias or name
    definition = -1
    if builder.data[bound.start_byte : bound.end_byte] != b"_":
        definition = builder.define(bound, IMPORT)
        builder.definitions[definition][D_VALUE] = row
    builder.imports.append([word, 0, -1, definition, 0, node.start_byte, node.end_byte, builder.scope])
    return -1


def _tree(builder: RustFactsBuilder, node: Node, before: UsePrefix, depth: int) -> None:
    """One tree behind a prefix."""
    kind = node.type
    if depth > _DEEPEST:
        builder.read(node)
    elif kind in ("identifier", "scoped_identifier") or kind in _KEYWORDS:
        _leaf(builder, node, before, node)
    elif kind == "use_as_clause":
        path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
        if path is not None:
            _leaf(builder, path, before, alias)
    elif kind == "use_wildcard":
        path = node.named_children[0] if node.named_child_count else None
        _star(builder, node, _prefix(builder, path, before))
    elif kind == "scoped_use_list":
        path, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
        if inner is not None:
            _tree(builder, inner, _prefix(builder, path, before), depth + 1)
    elif kind == "use_list":
        for part in node.named_children:
            if part.type not in SKIPPED:
                _tree(builder, part, before, depth + 1)


def _path(builder: RustFactsBuilder, node: Node, before: UsePrefix) -> tuple[int, str]:
    """A path as an expression, with its uses, the last one aside; and as written."""
    names: list[Node] = []
    while node.type == "scoped_identifier":
        path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if name is None:
            return -1, before.text
        names.append(name)
        if path is None:  # `::std`
            break
        node = path
    else:
        names.append(node)
    names.reverse()
    for name in names[:-1]:
        before = _entered(builder, name, *_step(builder, name, before), before.public)
    return _step(builder, names[-1], before)


def _entered(builder: RustFactsBuilder, last: Node, row: int, text: str, public: bool) -> UsePrefix:
    """The prefix that a path is, whose last name is a use."""
    if last.type == "identifier":
        builder.use(last.start_byte, last.end_byte, READ, _base_of(builder, row))
    return UsePrefix(builder.entered(row), text, public)


def _step(builder: RustFactsBuilder, node: Node, before: UsePrefix) -> tuple[int, str]:
    word = builder.source(node.start_byte, node.end_byte)
    after = f"{before.text}::{word}" if before.text else word
    if before.base < 0:
        return builder.named(node), after
    if node.type == "self":
        return builder.expressions[before.base * EXPRESSION + 1], before.text  # `a::{self}` is `a`
    name = builder.name(node.start_byte, node.end_byte)
    return builder.expression(MEMBER, before.base, name, node.start_byte), after


def _prefix(builder: RustFactsBuilder, node: Node | None, before: UsePrefix) -> UsePrefix:
    """A prefix with what stands before `::`, and its uses."""
    if node is None:
        return before
    row, after = _path(builder, node, before)
    last = node.child_by_field_name("name") if node.type == "scoped_identifier" else node
    return before if last is None else _entered(builder, last, row, after, before.public)


def _base_of(builder: RustFactsBuilder, row: int) -> int:
    """What a path is below, -1 for a plain name."""
    return builder.expressions[row * EXPRESSION + 1] if builder.kind_of(row) == MEMBER else -1


def _leaf(builder: RustFactsBuilder, path: Node, before: UsePrefix, bound: Node | None) -> None:
    row, written = _path(builder, path, before)
    last = path.child_by_field_name("name") if path.type == "scoped_identifier" else path
    if row < 0 or last is None:
        return
    if last.type == "identifier" or (last.type == "self" and before.base >= 0):
        builder.use(last.start_byte, last.end_byte, IMPORTED, row)
    if bound is not None and bound is not path and bound.type == "identifier":
        number = builder.text(written.rpartition("::")[2])
        place = (bound.start_byte, bound.end_byte, number, IMPORTED)
        builder.occurrences += (*place, builder.use_flags | ALIAS, builder.scope, row, builder.owner)
    definition = -1
    name = bound if bound is not None and bound is not path else last
    if name.type in ("identifier", "self") and builder.data[name.start_byte : name.end_byte] != b"_":
        definition = builder.define(name, IMPORT, EXPORTED if before.public else 0)
        builder.definitions[definition][D_VALUE] = row
        if name.type == "self":
            builder.definitions[definition][D_NAME] = builder.text(written.rpartition("::")[2])
    module, _, imported = written.rpartition("::")
    flags = REEXPORT if before.public else 0
    entry = [builder.text(module or imported), 0, builder.text(imported) if module else -1, definition, flags]
    builder.imports.append([*entry, path.start_byte, path.end_byte, builder.scope])


def _star(builder: RustFactsBuilder, node: Node, before: UsePrefix) -> None:
    row = before.base
    if row < 0:
        return
    end = node.end_byte
    full_start, full_end = builder.full
    flags = STAR | (EXPORTED if before.public else 0)
    definition = [builder.text("*"), IMPORT, flags, builder.scope, end - 1, end, full_start, full_end]
    path = builder.expressions[row * EXPRESSION + 1]
    builder.definitions.append([*definition, -1, -1, path, -1, -1, -1, builder.owner])
    flags = STAR_IMPORT | (REEXPORT if before.public else 0)
    entry = [builder.text(before.text), 0, -1, len(builder.definitions) - 1, flags]
    builder.imports.append([*entry, node.start_byte, node.end_byte, builder.scope])


RULES: dict[str, RustRule] = {
    "use_declaration": use_declaration,
    "extern_crate_declaration": extern_crate,
}
