"""Extraction: facts of one TypeScript or JavaScript file from its tree.

Owns: the table of rules by node kind of each grammar.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes, tree and ending; what a file contains never makes it raise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import Final

from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.grammars import language
from graphls.languages.pieces import X_DECORATORS, X_REGIONS, X_STRINGS, Laid, Memory, extents
from graphls.languages.typescript import (
    assignments,
    blocks,
    calls,
    classes,
    declarations,
    expressions,
    imports,
    objects,
    texts,
    types,
)
from graphls.languages.typescript.documented import read_notes
from graphls.languages.typescript.draft import (
    BODY,
    MODULE_SCOPE,
    READ,
    Draft,
    Frame,
    Kinds,
    Rule,
)
from graphls.languages.typescript.finish import find_problems, finish
from graphls.languages.typescript.functions import documentation, read_statements
from graphls.languages.typescript.jsdoc import GRAMMAR, find_notes
from graphls.languages.typescript.mending import mended
from graphls.languages.typescript.nesting import generic, guarded, nothing
from graphls.languages.typescript.recall import patched

ERROR_KIND: Final = 65535
"""Number of the node that holds what could not be parsed."""
NOTHING = (
    "comment",
    "html_comment",
    "hash_bang_line",
    "string_fragment",
    "escape_sequence",
    "jsx_text",
    "empty_statement",
    "break_statement",
    "continue_statement",
    "debugger_statement",
    "regex_pattern",
    "regex_flags",
)


def extract(data: bytes, tree: Tree, grammar: str, ambient: bool, memory: Memory | None = None) -> FileFacts:
    """Facts of one file. `memory`: what its statements and members said before, brought up to date."""
    understood = mended(data, tree, grammar)
    root = understood.root_node
    if memory is not None and understood is tree:
        found = patched(data, root, memory)
        if found is not None:
            return found
    draft = Draft(
        data,
        rules=rules(grammar),
        kinds=kinds(grammar),
        script=grammar == "javascript",
        ambient=ambient,
        frame=Frame(-1, False),
    )
    draft.scopes.append([MODULE_SCOPE, -1, 0, len(data), -1])
    draft.regions.append((BODY, 0, len(data), 0))
    draft.mended = understood is not tree
    draft.dotted = not draft.mended and not root.has_error
    draft.memory = memory
    if draft.script:
        draft.notes = find_notes(data, root)
        draft.note_rules, draft.note_kinds = rules(GRAMMAR), kinds(GRAMMAR)
        read_notes(draft)
    read_statements(draft, root.named_children)
    doc, before = module_doc(draft, root), extents(draft)
    find_problems(draft, root)
    facts = finish(draft, doc)
    if memory is not None:
        memory.turn(_laid(draft, root, memory, facts, before))
    return facts


def extract_edited(data: bytes, tree: Tree, grammar: str, memory: Memory) -> FileFacts | None:
    """The same facts, where the text differs little from the one before; None where all must be read."""
    return patched(data, tree.root_node, memory) if mended(data, tree, grammar) is tree else None


def _laid(draft: Draft, root: Node, memory: Memory, facts: FileFacts, before: list[int]) -> Laid | None:
    """Where the pieces stand in the facts; None where rows of theirs may stand elsewhere."""
    after = extents(draft)
    if root.has_error or draft.mended or draft.script or draft.problems or draft.heirs:
        return None
    if any(after[table] != before[table] for table in range(X_DECORATORS, X_STRINGS)):
        return None
    regions = facts.regions.start
    spots = [
        spot
        for spot in memory.spots
        if (spot.first[X_REGIONS], spot.after[X_REGIONS])
        == (bisect_left(regions, spot.start), bisect_left(regions, spot.end))
    ]
    laid = Laid(draft, spots, facts)
    laid.nodes = root.descendant_count
    return laid


def module_doc(draft: Draft, root: Node) -> str:
    """The first comment, when a blank line or another comment parts it from what follows."""
    parts = root.named_children[:3]
    comments = [part for part in parts if part.type == "comment"]
    if not comments or len(parts) < 2 or comments[0].start_byte > parts[0].end_byte:
        return ""
    follower = parts[parts.index(comments[0]) + 1] if parts.index(comments[0]) + 1 < len(parts) else None
    gap = draft.data[comments[0].end_byte : follower.start_byte] if follower is not None else b"\n\n"
    row = documentation(draft, comments[0]) if gap.count(b"\n") > 1 else -1
    return draft.strings[row] if row >= 0 else ""


def statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """An expression that stands alone."""
    read = draft.rules
    for part in node.named_children:
        read[part.kind_id](draft, part, 0, READ)
    return -1


@cache
def kinds(name: str) -> Kinds:
    """Numbers of the node kinds of a grammar that are asked for most."""
    return Kinds(name)


@cache
def rules(name: str) -> Sequence[Rule]:
    """The rule of each node kind of a grammar, by its number."""
    grammar = language(name)
    named: dict[str, Rule] = dict.fromkeys(NOTHING, nothing)
    named["expression_statement"] = statement
    for part in (assignments, blocks, calls, classes, declarations, expressions, imports, objects, texts, types):
        named.update(part.RULES)
    other = guarded(generic)
    count = grammar.node_kind_count
    table = [named.get(grammar.node_kind_for_id(number) or "", other) for number in range(count)]
    return table + [other] * (ERROR_KIND + 1 - count)
