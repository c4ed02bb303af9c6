"""Fragment cache: functions whose text an earlier reading of the same file has seen.

Owns: which functions are kept, under what they are found again.
Must not know: what is in a function, who edits.
Invariant: with a memory or without, of any earlier text, extraction gives the same facts.

A function directly in a module or a class says the same wherever it stands, apart from numbers of rows and offsets:
what it says depends on its text, and on the few things about the reader that are part of `UnitKey`.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.facts_builder import D_NAME, D_SCOPE
from graphls.languages.extract.syntax_errors import with_problems
from graphls.languages.extract.tables import sort_definitions
from graphls.languages.incremental.fragments import (
    DEFINED,
    DEFINITIONS,
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    SCOPE,
    FileLayout,
    Fragment,
    FragmentCache,
    FragmentColumns,
    FragmentSpan,
    table_sizes,
)
from graphls.languages.incremental.patching import edited_fragment, replace_fragment
from graphls.languages.incremental.runs import EditedRun, StatementKinds, edited_run, replace_run
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.blocks import statements_in
from graphls.languages.python.syntax.facts_builder import READ, PyFactsBuilder, PyFrame, Rule, StatementLevel
from graphls.languages.python.syntax.finish import bind_nonlocals, bound_by_augmenting
from graphls.languages.python.syntax.problems import syntax_problems

Key: TypeAlias = tuple[bytes, int, int, bool, int, int, int, int]
"""Text, number of nodes, level and enumeration of the frame, kind of the scope, depth, flags of bindings and uses."""

_OFFERED: Final = b"__all__"
_AROUND: Final = [0] * 15
"""Stands for the definition around a function."""


def read_cached(builder: PyFactsBuilder, node: Node, rule: Rule) -> bool:
    """Reads a function from memory, or into it; False where it must be read as if there were none."""
    cache = builder.cache
    frame = builder.frame
    if cache is None or frame.declared or _in_function(frame) or node.has_error:
        return False
    start = node.start_byte
    key = _key(builder, node)
    fragment = cache.lookup(key, node)
    if fragment is None:
        tables = _read_fragment(builder, node, rule)
        if tables.problems:
            return False
        fragment = cache.fragment(tables, node)
    cache.add(key, fragment)
    first = table_sizes(builder)
    _insert(builder, fragment, start)
    cache.record(builder, FragmentSpan(key, fragment, _reader_context(builder, cache, rule)), node, first)
    return True


@final
class PyReaderContext:
    """Where the reader stood when it came to a function."""

    def __init__(self, builder: PyFactsBuilder, rule: Rule) -> None:
        self.frame = builder.frame
        self.scope = builder.scope
        self.rule = rule
        self.reader: PyFactsBuilder = empty_reader(builder)

    def matches(self, builder: PyFactsBuilder, rule: Rule) -> bool:
        """Whether the reader stands so again."""
        reader = self.reader
        return (
            self.frame is builder.frame
            and self.scope == builder.scope
            and self.rule is rule
            and (reader.depth, reader.bind_flags, reader.use_flags)
            == (builder.depth, builder.bind_flags, builder.use_flags)
        )


def _reader_context(builder: PyFactsBuilder, cache: FragmentCache, rule: Rule) -> PyReaderContext:
    last = cache.last_context()
    return last if isinstance(last, PyReaderContext) and last.matches(builder, rule) else PyReaderContext(builder, rule)


def patch_facts(data: bytes, root: Node, cache: FragmentCache) -> FileFacts | None:
    """The facts of a text of which one function says something else than when it was read last; None where more may."""
    layout = cache.layout
    if layout is None or not cache.first_try(data):
        return None
    edit = edited_fragment(layout, data, root)
    if edit is None:
        return None
    context = edit.span.context
    if not isinstance(context, PyReaderContext):
        return None
    reader = context.reader
    reader.data = data
    key = _key(reader, edit.node)
    cache.broken = root.has_error
    fragment = None if edit.node.has_error else cache.lookup(key, edit.node)
    if fragment is None:
        fragment = cache.fragment(_read_fragment(reader, edit.node, context.rule), edit.node)
    reader.data = b""
    made = (
        replace_fragment(cache, edit, key, fragment)
        if _is_self_contained(layout, edit.span.fragment, fragment)
        else None
    )
    if made is not None and root.has_error:
        made = layout.reported_facts = with_problems(made, layout.texts, syntax_problems(data, root))
    return made


def patch_run(data: bytes, root: Node, cache: FragmentCache) -> FileFacts | None:
    """The facts of a text of which a few statements say something else than when it was read last; None where more may.
    `root`: where it is broken of a tree from scratch, as what is around an error may rest on the tree before."""
    layout = cache.broken_layout or cache.layout
    if layout is None:
        return None
    reader, run = layout.statement_reader, edited_run(layout, data, root, StatementKinds(nodes.COMMENT, nodes.STRING))
    if run is None or not isinstance(reader, PyFactsBuilder):
        return None
    if (
        _OFFERED in layout.data[run.start : run.end]
        or _OFFERED in data[run.start : run.end + len(data) - len(layout.data)]
    ):
        return None
    tables = _read_run(reader, run, data, root)
    if tables is None:
        return None
    fragment = Fragment(tables, run.start)
    made = replace_run(layout, run.edit(layout, data, root, fragment), fragment)
    if made is None:
        return None
    patched, texts = made
    if root.has_error:
        patched.reported_facts = with_problems(patched.facts, texts, syntax_problems(data, root))
    return patched.reported_facts


def _read_run(reader: PyFactsBuilder, run: EditedRun, data: bytes, root: Node) -> PyFactsBuilder | None:
    """A draft of some statements of the module alone; None where others have a part in what they say."""
    tables = empty_reader(reader)
    tables.data, tables.broken = data, root.has_error
    tables.frame = PyFrame(StatementLevel.MODULE, -1, 0)
    tables.definitions.append(list(_AROUND))
    statements_in(tables, run.nodes, root.end_byte, None)
    if tables.problems or tables.exports or tables.frame.declared:
        return None
    bind_nonlocals(tables)
    tables.definitions += bound_by_augmenting(tables, OUTER_SCOPES)
    if tables.augmented:
        return None
    sort_definitions(tables)
    tables.nonlocals.clear()
    tables.data = b""
    return tables


def _is_self_contained(layout: FileLayout, before: Fragment, now: Fragment) -> bool:
    """Whether what a function says has no part in what only the whole file decides."""
    tables, old_tables = now.tables, before.tables
    if not isinstance(tables, PyFactsBuilder) or not isinstance(old_tables, PyFactsBuilder):
        return False
    if tables.problems or tables.augmented or tables.nonlocals or tables.exports or old_tables.exports:
        return False
    return not layout.outer_bindings or _outer_bindings(tables) == _outer_bindings(old_tables)


def _outer_bindings(tables: PyFactsBuilder) -> set[tuple[int, str]]:
    """What a function binds in the scopes around it."""
    rows = tables.definitions[OUTER_DEFINITIONS:]
    return {(row[D_SCOPE], tables.strings[row[D_NAME]]) for row in rows if row[D_SCOPE] < OUTER_SCOPES}


def _key(builder: PyFactsBuilder, node: Node) -> Key:
    frame = builder.frame
    return (
        builder.data[node.start_byte : node.end_byte],
        # What is broken, the text alone does not decide: it is never found under this.
        -1 if node.has_error else node.descendant_count,
        frame.level,
        frame.enum,
        builder.scopes[builder.scope][0],
        builder.depth,
        builder.bind_flags,
        builder.use_flags,
    )


def empty_reader(builder: PyFactsBuilder) -> PyFactsBuilder:
    """A reader that stands where another one does, with nothing read."""
    inside = 0 if builder.scope == 0 else OUTER_SCOPES - 1
    made = PyFactsBuilder(b"", builder.rules, builder.frame)
    around = list(builder.scopes[builder.scope])
    around[1], around[4] = (0, 0) if inside else (-1, -1)
    made.scopes += [list(builder.scopes[0]), around]
    made.scope, made.owner, made.depth = inside, -1 if builder.owner < 0 else 0, builder.depth
    made.bind_flags, made.use_flags = builder.bind_flags, builder.use_flags
    made.full, made.block_end = builder.full, builder.block_end
    return made


def _in_function(frame: PyFrame | None) -> bool:
    """Bodies of functions are measured as a whole, with whatever is declared in them."""
    while frame is not None:
        if frame.level == StatementLevel.FUNCTION:
            return True
        frame = frame.parent
    return False


def _read_fragment(builder: PyFactsBuilder, node: Node, rule: Rule) -> PyFactsBuilder:
    """A draft of the function alone."""
    tables, outer = empty_reader(builder), builder.frame
    owner = -1 if outer.definition < 0 else 0
    tables.data, tables.broken, tables.parts = builder.data, node.has_error, builder.parts
    tables.frame = PyFrame(outer.level, owner, tables.scope, enum=outer.enum, parent=outer.parent)
    tables.definitions.append(list(_AROUND))
    rule(tables, node, 0, READ)
    if not tables.nonlocals:
        # What is bound inside, the function alone decides.
        tables.definitions += bound_by_augmenting(tables, OUTER_SCOPES)
        if not tables.augmented:
            sort_definitions(tables)
    # Facts refer to no text of their own: the bytes of a file that has changed since are let go of.
    builder.parts, tables.parts, tables.data = tables.parts, None, b""
    return tables


def _insert(builder: PyFactsBuilder, fragment: Fragment, start: int) -> None:
    placement = fragment.insert(builder, start)
    tables = fragment.tables
    if not isinstance(tables, PyFactsBuilder):
        return
    if tables.augmented:
        builder.augmented += placement.mutable_rows(FragmentColumns(tables.augmented, DEFINITIONS))
    for definition, scope in tables.nonlocals:
        builder.nonlocals.append((placement.value(DEFINED, definition), placement.value(SCOPE, scope)))
    if tables.exports:
        builder.exports.update([placement.strings[name] for name in tables.exports])
