"""Fragment cache: statements and members whose text an earlier reading of the same file has seen.

Owns: which of them are kept, under what they are found again.
Must not know: what is in them, who edits.
Invariant: with a memory or without, of any earlier text, extraction gives the same facts.

What a statement of the module or a member of its classes says depends on its text, and on the few things about the
reader that are part of `UnitKey`; apart from that only on where it stands.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FLAGS,
    D_KIND,
    D_NAME,
    D_SCOPE,
    D_START,
)
from graphls.languages.extract.syntax_errors import with_problems
from graphls.languages.incremental.fragments import (
    OCCURRENCES,
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    FileLayout,
    Fragment,
    FragmentCache,
    FragmentSpan,
    table_sizes,
)
from graphls.languages.incremental.patching import EditedFragment, edited_fragment, replace_fragment
from graphls.languages.incremental.runs import has_ordered_uses
from graphls.languages.typescript.syntax.expandos import sets_only
from graphls.languages.typescript.syntax.facts_builder import (
    CLASS_SCOPE,
    FUNCTION,
    FUNCTION_SCOPE,
    LAMBDA_SCOPE,
    METHOD,
    OBJECT_SCOPE,
    READ,
    WAITING,
    Expando,
    Rule,
    TsFactsBuilder,
    TsFrame,
)
from graphls.languages.typescript.syntax.finish import sort_rows, syntax_problems, without_expandos

Key: TypeAlias = tuple[bytes, int, str, int, int, int, int, bool]
"""Text, number of nodes, documentation, kind of the scope, depth, flags of bindings and uses, whether it was mended."""

SHORTEST: Final = 200
"""Bytes of what is worth keeping."""
_BLANKS: Final = b" \t\r\n"


def read_cached(builder: TsFactsBuilder, node: Node, rule: Rule) -> bool:
    """Reads a node from memory, or into it; False where it must be read as if there were none."""
    cache = builder.cache
    if cache is None or builder.script or node.has_error or not _is_outside_functions(builder):
        return False
    start, end = node.start_byte, node.end_byte
    if end - start < SHORTEST:
        return False
    key = _key(builder, node)
    if b"infer" in key[0]:
        return False
    fragment = cache.lookup(key, node)
    if fragment is None:
        tables = _read_fragment(builder, node, rule)
        if tables.problems or tables.rests_on_file():
            return False
        fragment = cache.fragment(tables, node)
    cache.add(key, fragment)
    first = table_sizes(builder)
    _insert(builder, fragment, start)
    cache.record(builder, FragmentSpan(key, fragment, _reader_context(builder, cache, rule)), node, first)
    return True


@final
class TsReaderContext:
    """Where the reader stood when it came to a stretch."""

    def __init__(self, builder: TsFactsBuilder, rule: Rule) -> None:
        self.scope = builder.scope
        self.rule = rule
        self.reader: TsFactsBuilder = empty_reader(builder)

    def matches(self, builder: TsFactsBuilder, rule: Rule) -> bool:
        """Whether the reader stands so again."""
        reader = self.reader
        return (
            self.scope == builder.scope
            and self.rule is rule
            and (reader.depth, reader.bind_flags, reader.use_flags)
            == (builder.depth, builder.bind_flags, builder.use_flags)
            and _doc(reader) == _doc(builder)
        )


def _reader_context(builder: TsFactsBuilder, cache: FragmentCache, rule: Rule) -> TsReaderContext:
    last = cache.last_context()
    return last if isinstance(last, TsReaderContext) and last.matches(builder, rule) else TsReaderContext(builder, rule)


def patch_facts(data: bytes, root: Node, cache: FragmentCache) -> FileFacts | None:
    """The facts of a text of which one stretch says something else than when it was read last; None where more may.
    `root`: of the text itself, not of one that was mended."""
    layout = cache.layout
    if layout is None or not cache.first_try(data):
        return None
    edit = edited_fragment(layout, data, root)
    if edit is None:
        return None
    span, context = edit.span, edit.span.context
    if edit.first_offset > span.end and layout.data[span.end : span.end + 1] not in _BLANKS:
        # What follows at once would have moved too.
        return None
    if not isinstance(context, TsReaderContext):
        return None
    reader = context.reader
    reader.data = data
    key = _key(reader, edit.node)
    cache.broken = root.has_error
    fragment = None if edit.node.has_error else cache.lookup(key, edit.node)
    if fragment is None and b"infer" not in key[0]:
        tables = _read_fragment(reader, edit.node, context.rule)
        fragment = None if tables.problems or tables.rests_on_file() else cache.fragment(tables, edit.node)
    reader.data = b""
    if fragment is None:
        return None
    made = _replace_fragment(cache, layout, edit, key, fragment)
    if made is None and not edit.node.has_error:
        # The whole file is read next, and meets it.
        cache.previous[key] = fragment
    if made is not None and root.has_error:
        made = layout.reported_facts = with_problems(made, layout.texts, syntax_problems(data, root, False))
    return made


def _replace_fragment(
    cache: FragmentCache, layout: FileLayout, edit: EditedFragment, key: Key, fragment: Fragment
) -> FileFacts | None:
    before, now = _file_variant(edit.span.fragment, layout), _file_variant(fragment, layout)
    if before is None or now is None or not _is_self_contained(before, now):
        return None
    return replace_fragment(cache, edit, key, fragment, (before, now))


def _file_variant(fragment: Fragment, layout: FileLayout) -> Fragment | None:
    """What a piece says in this file; None where the file decides more of it than that members set declare nothing."""
    tables = fragment.tables
    if not isinstance(tables, TsFactsBuilder):
        return None
    if not tables.expandos:
        return fragment
    if not sets_only(tables, layout.facts, layout.texts):
        return None
    if fragment.file_variant is None:
        fragment.file_variant = Fragment(without_expandos(tables, OUTER_SCOPES), fragment.start)
    return fragment.file_variant


def _is_self_contained(before: Fragment, now: Fragment) -> bool:
    """Whether what a stretch says has no part in what only the whole file decides."""
    tables, old_tables = now.tables, before.tables
    if not isinstance(tables, TsFactsBuilder) or not isinstance(old_tables, TsFactsBuilder):
        return False
    return (
        not has_outer_signature(tables)
        and not has_outer_signature(old_tables)
        and _outer_bindings(tables) == _outer_bindings(old_tables)
        and has_ordered_uses(tables)
    )


def has_outer_signature(tables: TsFactsBuilder) -> bool:
    """Whether a signature without a body stands around, where others of its name may."""
    with_body = {metric[0] for metric in tables.metrics}
    for number, row in enumerate(tables.definitions):
        outer = number >= OUTER_DEFINITIONS and row[D_SCOPE] < OUTER_SCOPES
        if outer and row[D_KIND] in (FUNCTION, METHOD) and row[D_BODY] >= 0 and number not in with_body:
            return True
    return False


def _outer_bindings(tables: TsFactsBuilder) -> list[tuple[int, str, int, int]]:
    """What a stretch binds in the scopes around it."""
    rows = tables.definitions[OUTER_DEFINITIONS:]
    return [
        (row[D_SCOPE], tables.strings[row[D_NAME]], row[D_KIND], row[D_FLAGS])
        for row in rows
        if row[D_SCOPE] < OUTER_SCOPES
    ]


def _key(builder: TsFactsBuilder, node: Node) -> Key:
    return (
        builder.data[node.start_byte : node.end_byte],
        # What is broken, the text alone does not decide: it is never found under this.
        -1 if node.has_error else node.descendant_count,
        _doc(builder),
        builder.scopes[builder.scope][0],
        builder.depth,
        builder.bind_flags,
        builder.use_flags,
        builder.mended,
    )


def _doc(builder: TsFactsBuilder) -> str:
    return builder.strings[builder.doc] if builder.doc >= 0 else "\0"


def _is_outside_functions(builder: TsFactsBuilder) -> bool:
    """Whether no function is around: bodies of functions are measured as a whole, with whatever is declared in them."""
    scope = builder.scope
    if scope == 0:
        return not builder.frame.function
    if builder.scopes[scope][0] != CLASS_SCOPE or builder.owner != builder.scopes[scope][4]:
        return False
    while scope > 0:
        if builder.scopes[scope][0] in (FUNCTION_SCOPE, LAMBDA_SCOPE, OBJECT_SCOPE):
            return False
        scope = builder.scopes[scope][1]
    return True


def empty_reader(builder: TsFactsBuilder) -> TsFactsBuilder:
    """A reader that stands where another one does, with nothing read."""
    inside = 0 if builder.scope == 0 else OUTER_SCOPES - 1
    made = TsFactsBuilder(
        b"",
        rules=builder.rules,
        kinds=builder.kinds,
        script=builder.script,
        ambient=builder.ambient,
        frame=TsFrame(-1, False),
    )
    around = list(builder.scopes[builder.scope])
    around[1], around[4] = (0, 0) if inside else (-1, -1)
    made.scopes += [list(builder.scopes[0]), around]
    made.definitions.append(list(builder.definitions[builder.owner]) if builder.owner >= 0 else [0] * 15)
    made.scope, made.owner, made.depth = inside, -1 if builder.owner < 0 else 0, builder.depth
    made.bind_flags, made.use_flags = builder.bind_flags, builder.use_flags
    made.doc = made.text(builder.strings[builder.doc]) if builder.doc >= 0 else -1
    return made


def _read_fragment(builder: TsFactsBuilder, node: Node, rule: Rule) -> TsFactsBuilder:
    """A draft of the node alone."""
    tables = empty_reader(builder)
    tables.data = builder.data
    tables.full = (node.start_byte, node.end_byte) if tables.scope else (0, 0)
    rule(tables, node, 0, READ)
    if not tables.expandos and not tables.heirs:
        # What stands inside, the stretch alone decides.
        _sort_rows(tables)
    # Facts refer to no text of their own: the bytes of a file that has changed since are let go of.
    tables.data = b""
    return tables


def _sort_rows(tables: TsFactsBuilder) -> None:
    """Puts rows in source order, where that leaves alone which binding of a name is the first."""
    starts = [row[D_START] for row in tables.definitions]
    names = {(row[D_SCOPE], row[D_NAME]) for row in tables.definitions}
    if starts == sorted(starts) or len(names) == len(tables.definitions):
        sort_rows(tables, OUTER_SCOPES)


def _insert(builder: TsFactsBuilder, fragment: Fragment, start: int) -> None:
    placement = fragment.insert(builder, start)
    tables = fragment.tables
    if not isinstance(tables, TsFactsBuilder):
        return
    for expando in tables.expandos:
        definition = placement.definitions[expando.definition]
        builder.definitions[definition][D_SCOPE] = WAITING
        base = placement.strings[expando.base] if expando.base >= 0 else -1
        columns = OCCURRENCES if expando.use else ()  # what a call describes (`Object.defineProperty`) is no use
        use = tuple([placement.value(what, value) for what, value in zip(columns, expando.use, strict=True)])
        scope = placement.scopes[expando.scope]
        builder.expandos.append(
            Expando(base, scope, expando.prototype, definition=definition, use=use, called=expando.called)
        )
