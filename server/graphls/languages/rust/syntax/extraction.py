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
from graphls.languages.declared.statement_runs import MendedText, finish, patch_run, run_kinds
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.rust.syntax import declarations, expressions, macros, statements, types, uses
from graphls.languages.rust.syntax.attributes import items
from graphls.languages.rust.syntax.facts_builder import RustFactsBuilder

_LEADING: Final = frozenset({"line_comment", "block_comment", "attribute_item", "inner_attribute_item"})
_EXCLUDED: Final[frozenset[str]] = frozenset()
NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"})


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `cache`: what its items said before, brought up to date."""
    understood, calls, heads = macros.as_calls(data, tree)
    root, mended = tree.root_node, MendedText(understood.root_node, calls)
    cache = cache if not heads else None
    if cache is not None:
        found = patch_run(data, root, cache, run_kinds("rust", _LEADING, _EXCLUDED), mended)
        if found is not None:
            return found
    builder = RustFactsBuilder(data, _rules(), calls)
    if cache is not None:
        builder.note_statements()
    items(builder, mended.root)
    macros.around_items(builder, heads)
    builder.settle()
    facts = finish(builder, root, _documentation(data), cache)
    if cache is not None and cache.layout is not None and cache.layout.data is data:
        cache.layout.statement_reader, cache.layout.root = mended, mended.root
    return facts


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
