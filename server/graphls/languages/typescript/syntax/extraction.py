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
from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.extract.grammars import language
from graphls.languages.extract.recovery import Stretch
from graphls.languages.extract.tables import release_tables
from graphls.languages.incremental.fragments import (
    X_DECORATORS,
    X_REGIONS,
    X_STRINGS,
    FileLayout,
    FragmentCache,
    table_sizes,
)
from graphls.languages.typescript.syntax import (
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
from graphls.languages.typescript.syntax.commonjs import own_aliases
from graphls.languages.typescript.syntax.documented import read_notes
from graphls.languages.typescript.syntax.facts_builder import (
    BODY,
    MODULE_SCOPE,
    READ,
    Rule,
    TsFactsBuilder,
    TsFrame,
    TsNodeKinds,
)
from graphls.languages.typescript.syntax.finish import find_problems, finish
from graphls.languages.typescript.syntax.fragment_cache import empty_reader, patch_facts
from graphls.languages.typescript.syntax.functions import documentation, read_statements
from graphls.languages.typescript.syntax.jsdoc import GRAMMAR, find_notes
from graphls.languages.typescript.syntax.mending import mended
from graphls.languages.typescript.syntax.minified import has_long_lines, note_words
from graphls.languages.typescript.syntax.nesting import generic, guarded, nothing
from graphls.languages.typescript.syntax.pragmas import read_pragma
from graphls.languages.typescript.syntax.statement_runs import note_statements, patch_run

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


def extract(data: bytes, tree: Tree, grammar: str, ambient: bool, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `memory`: what its statements and members said before, brought up to date."""
    understood = _mended_once(data, tree, grammar, cache)
    root = understood.root_node
    long_lines = has_long_lines(data)
    if cache is not None and long_lines:
        # Pieces that were read in full would stand among those that are not.
        cache.begin_reading(root)
        cache.end_reading(None)
        cache = None
    if cache is not None:
        found = patch_facts(data, root, cache) or patch_run(data, root, cache) if understood is tree else None
        if found is not None:
            return found
        cache.begin_reading(root)
    builder = TsFactsBuilder(
        data,
        rules=rules(grammar),
        kinds=kinds(grammar),
        script=grammar == "javascript",
        ambient=ambient,
        frame=TsFrame(-1, False),
    )
    builder.scopes.append([MODULE_SCOPE, -1, 0, len(data), -1])
    builder.regions.append((BODY, 0, len(data), 0))
    builder.ancestry = Ancestry(root)
    builder.mended = understood is not tree
    builder.long_lines = long_lines
    builder.dotted = not builder.mended and not root.has_error
    builder.cache = cache
    if builder.script:
        builder.notes = find_notes(data, root)
        builder.note_rules, builder.note_kinds = rules(GRAMMAR), kinds(GRAMMAR)
        read_notes(builder)
    read_pragma(builder, root)
    reader = empty_reader(builder)
    sizes: list[list[int]] = []
    read_statements(builder, root.named_children, sizes if cache is not None else None)
    if builder.script and own_aliases(builder):
        builder.export_scope()  # what others put into it are exports, whatever is set here
    doc, before = module_doc(builder, root), table_sizes(builder)
    find_problems(builder, root)
    if long_lines:
        note_words(builder)
    facts = finish(builder, doc)
    if cache is not None:
        layout = _file_layout(builder, root, cache, facts, before)
        if layout is not None:
            note_statements(layout, builder, root, reader, sizes)
        cache.end_reading(layout)
    release_tables(builder)
    return facts


def extract_edited(
    data: bytes, tree: Tree, grammar: str, cache: FragmentCache, deciding: Sequence[Stretch]
) -> FileFacts | None:
    """The same facts, where the text differs little from the one before; None where all must be read. `deciding`: the
    stretches that decide how what is broken is parsed."""
    if has_long_lines(data) or _mended_once(data, tree, grammar, cache, deciding) is not tree:
        return None
    return patch_facts(data, tree.root_node, cache) or patch_run(data, tree.root_node, cache)


def _mended_once(
    data: bytes, tree: Tree, grammar: str, cache: FragmentCache | None, deciding: Sequence[Stretch] | None = None
) -> Tree:
    """`mended`, which parses a broken text a second time, once for each tree."""
    if cache is None:
        return mended(data, tree, grammar)
    known = cache.mended
    if known is None or known[0] is not tree:
        known = cache.mended = (tree, mended(data, tree, grammar, deciding))
    return known[1]


def _file_layout(
    builder: TsFactsBuilder, root: Node, cache: FragmentCache, facts: FileFacts, before: list[int]
) -> FileLayout | None:
    """Where the pieces stand in the facts; None where rows of theirs may stand elsewhere."""
    after = table_sizes(builder)
    if root.has_error or builder.mended or builder.problems or builder.heirs:
        return None
    if any(after[table] != before[table] for table in range(X_DECORATORS, X_STRINGS)):
        return None
    regions = facts.regions.start
    spans = [
        span
        for span in cache.spans
        if (span.first[X_REGIONS], span.after[X_REGIONS])
        == (bisect_left(regions, span.start), bisect_left(regions, span.end))
    ]
    layout = FileLayout(builder, spans, facts, root)
    layout.nodes = root.descendant_count
    return layout


def module_doc(builder: TsFactsBuilder, root: Node) -> str:
    """The first comment, when a blank line or another comment parts it from what follows."""
    parts = root.named_children[:3]
    comments = [part for part in parts if part.type == "comment"]
    if not comments or len(parts) < 2 or comments[0].start_byte > parts[0].end_byte:
        return ""
    follower = parts[parts.index(comments[0]) + 1] if parts.index(comments[0]) + 1 < len(parts) else None
    gap = builder.data[comments[0].end_byte : follower.start_byte] if follower is not None else b"\n\n"
    row = documentation(builder, comments[0]) if gap.count(b"\n") > 1 else -1
    return builder.strings[row] if row >= 0 else ""


def statement(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """An expression that stands alone."""
    read = builder.rules
    for part in node.named_children:
        read[part.kind_id](builder, part, 0, READ)
    return -1


@cache
def kinds(name: str) -> TsNodeKinds:
    """Numbers of the node kinds of a grammar that are asked for most."""
    return TsNodeKinds(name)


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
