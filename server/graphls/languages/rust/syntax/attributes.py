"""Attributes: what stands in `#[...]` above items.

Owns: which names of attributes are uses, and what an attribute says of the item below it.
Must not know: other files.
Invariant: attributes that the compiler knows are no uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.declared.facts_builder import MEMBER, NAME, DeclaredFactsBuilder
from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.rust.syntax.facts_builder import DECORATED, MACRO, NAMESPACE, RustFactsBuilder, rust
from graphls.languages.rust.syntax.types import SKIPPED

_EXPORTED: Final = int(DefinitionFlag.EXPORTED)


def items(builder: RustFactsBuilder, node: Node) -> None:
    """Items one after the other, each with the attributes above it."""
    outer, builder.above = builder.above, []
    parts = node.named_children
    if builder.owner < 0 or builder.owner == builder.scopes[builder.scope][4]:
        builder.read_row(node, parts, _in_row)
    else:  # alone they would belong to another owner
        for part in parts:
            _in_row(builder, part)
    builder.above = outer


def _in_row(builder: DeclaredFactsBuilder, node: Node) -> None:
    """An item, or an attribute of the next one."""
    own = rust(builder)
    if node.type == "attribute_item":
        own.above.append(node)
    elif node.type not in SKIPPED:
        above, own.above = own.above, []
        item(own, node, above, 0)


def item(builder: RustFactsBuilder, node: Node, above: Sequence[Node], want: int) -> int:
    """One item or statement with the attributes above it."""
    builder.lead = above[0].start_byte if above else node.start_byte
    builder.full = (builder.lead, node.end_byte)
    before = len(builder.definitions)
    row = builder.read(node, want)
    if above:
        attributes(builder, above, before if len(builder.definitions) > before else -1)
    return row


def attributes(builder: RustFactsBuilder, nodes: Sequence[Node], row: int) -> None:
    """Reads the attributes above an item. `row`: the item, -1 where it defines nothing."""
    for node in nodes:
        for attribute in node.named_children:
            if attribute.type == "attribute":
                _attribute(builder, attribute, row)


def _attribute(builder: RustFactsBuilder, node: Node, row: int) -> None:
    path = node.named_children[0] if node.named_child_count else None
    if path is None:
        return
    name = builder.data[path.start_byte : path.end_byte]
    arguments = node.child_by_field_name("arguments")
    if name == b"derive" and arguments is not None:
        owner, builder.owner = builder.owner, row if row >= 0 else builder.owner
        for words in _paths(arguments):
            _decorate(builder, words)
        builder.owner = owner
    elif name == b"path" and row >= 0 and builder.definitions[row][D_KIND] == NAMESPACE:
        quoted = node.child_by_field_name("value")
        if quoted is not None and quoted.type == "string_literal":
            written = builder.source(quoted.start_byte + 1, quoted.end_byte - 1)
            builder.definitions[row][D_VALUE] = builder.module(builder.text(written), 0)
    elif name == b"macro_export" and row >= 0 and builder.definitions[row][D_FLAGS] & MACRO:
        builder.definitions[row][D_FLAGS] |= _EXPORTED
    elif path.type == "scoped_identifier" and row >= 0:
        owner, builder.owner = builder.owner, row
        builder.read(path, 0, DECORATED)
        builder.owner = owner
    if row >= 0 and name != b"doc":
        last = name.rpartition(b"::")[2].decode("utf-8", "replace")
        text = builder.source(arguments.start_byte, arguments.end_byte) if arguments is not None else ""
        given = builder.text(text[:200]) if text else -1
        builder.decorators.append((row, -1, node.start_byte, node.end_byte, builder.text(last), given))


def _paths(node: Node) -> list[list[Node]]:
    """The paths in a token tree."""
    found: list[list[Node]] = []
    fresh = True
    for part in node.children:
        if part.type in ("identifier", "crate", "self", "super"):
            if fresh:
                found.append([])
            found[-1].append(part)
            fresh = False
        elif part.type != "::":
            fresh = True
    return found


def _decorate(builder: RustFactsBuilder, words: Sequence[Node]) -> None:
    base = -1
    for at, word in enumerate(words):
        last = at == len(words) - 1
        if base < 0:
            name = builder.name(word.start_byte, word.end_byte)
            if last or word.type == "identifier":
                builder.use(word.start_byte, word.end_byte, DECORATED if last else 0)
            base = builder.entered(builder.expression(NAME, name, builder.scope, word.start_byte))
        else:
            builder.use_of(word, DECORATED if last else 0, base)
            name = builder.name(word.start_byte, word.end_byte)
            base = builder.entered(builder.expression(MEMBER, base, name, word.start_byte))
