"""Extraction: the facts of one Rust file from its tree.

Owns: which rule reads which node, the documentation of the file.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, cast

from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import DOC_CAP, Rule, rule_table
from graphls.languages.rust.syntax import declarations, expressions, macros, statements, types, uses
from graphls.languages.rust.syntax.attributes import items
from graphls.languages.rust.syntax.facts_builder import RustFactsBuilder

NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    understood, calls, heads = macros.as_calls(data, tree)
    builder = RustFactsBuilder(data, _rules(), calls)
    items(builder, understood.root_node)
    macros.around_items(builder, heads)
    builder.settle()
    return builder.facts(tree.root_node, _documentation(data))


def _documentation(data: bytes) -> str:
    """The first paragraph of the lines with `//!` at the top."""
    lines: list[str] = []
    for line in data[: 20 * DOC_CAP].splitlines():
        text = line.strip()
        if text.startswith(b"//!"):
            lines.append(text[3:].decode("utf-8", "replace").strip())
        elif lines or (text and not text.startswith((b"//", b"#!["))):
            break
        if lines and len(lines) > 1 and not lines[-1]:
            break
    return " ".join(" ".join(lines).split())[:DOC_CAP]


@cache
def _rules() -> Sequence[Rule]:
    named = {
        **types.RULES,
        **expressions.RULES,
        **statements.RULES,
        **declarations.RULES,
        **uses.RULES,
        **macros.RULES,
    }
    return rule_table("rust", {**cast("Mapping[str, Rule]", named), **expressions.NOTHING}, NAMES)
