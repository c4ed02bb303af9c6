"""Statement runs: the facts of a text of which some statements of the module say something else than before.

Owns: which statements stand alone, what of a file a run of them must leave as it is.
Must not know: how a run is found and put, who edits.
Invariant: the facts are those of the whole text; where that is not certain there are none.
"""

from __future__ import annotations

from bisect import bisect_left

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_NAME, D_SCOPE
from graphls.languages.extract.syntax_errors import with_problems
from graphls.languages.incremental.fragments import (
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    X_REGIONS,
    X_SCOPES,
    FileLayout,
    Fragment,
    FragmentCache,
    StatementSpan,
)
from graphls.languages.incremental.runs import EditedRun, StatementKinds, edited_run, has_ordered_uses, replace_run
from graphls.languages.typescript.syntax.commonjs import export_aliases
from graphls.languages.typescript.syntax.expandos import sets_only
from graphls.languages.typescript.syntax.facts_builder import OVERLOAD, TsFactsBuilder
from graphls.languages.typescript.syntax.finish import sort_rows, syntax_problems, without_expandos
from graphls.languages.typescript.syntax.fragment_cache import empty_reader, has_outer_signature
from graphls.languages.typescript.syntax.functions import read_statements
from graphls.languages.typescript.syntax.jsdoc import find_notes

_HEAD = 3
"""Nodes at the beginning of a file among which its documentation is looked for."""
_OUTSIDE = b"infer"
"""Types that bind names further out."""


def note_statements(
    layout: FileLayout, builder: TsFactsBuilder, root: Node, reader: TsFactsBuilder, sizes: list[list[int]]
) -> None:
    """Where the statements of a file stand in its facts, once all of it was read. None are noted where some of them
    decide what others say. `sizes`: of the tables before each and at the end."""
    starts, nodes = layout.facts.regions.start, root.named_children
    made_later = len(builder.scopes) != sizes[-1][X_SCOPES]
    if builder.notes is not None or builder.is_object_set or made_later:
        return
    if any(sizes[at][X_REGIONS] != bisect_left(starts, nodes[at].start_byte) for at in range(_HEAD, len(nodes))):
        return
    layout.statements = [StatementSpan(node, sizes[at], sizes[at + 1]) for at, node in enumerate(nodes)]
    layout.statement_reader = reader
    layout.outer_bindings = bool(builder.expandos)


def patch_run(data: bytes, root: Node, cache: FragmentCache) -> FileFacts | None:
    """The facts of a text of which a few statements say something else than when it was read last; None where more may.
    `root`: of the text itself, not of one that was mended, and where it is broken of a tree from scratch."""
    layout = cache.layout
    reader = layout.statement_reader if layout is not None else None
    if layout is None or not isinstance(reader, TsFactsBuilder):
        return None
    run = edited_run(layout, data, root, StatementKinds(reader.kinds.comment, documents=True, head=_HEAD))
    if run is None or run.holds(_OUTSIDE, layout, data) or (reader.script and find_notes(data, root) is not None):
        return None
    if reader.script and export_aliases(layout.data) != export_aliases(data):
        return None
    tables = _read_run(reader, run, data, layout)
    if tables is None or not _is_self_contained(layout, run, tables):
        return None
    fragment = Fragment(tables, run.start)
    made = replace_run(layout, run.edit(layout, data, root, fragment), fragment)
    if made is None:
        return None
    patched, texts = made
    if root.has_error:
        patched.reported_facts = with_problems(patched.facts, texts, syntax_problems(data, root, False))
    return patched.reported_facts


def _read_run(reader: TsFactsBuilder, run: EditedRun, data: bytes, layout: FileLayout) -> TsFactsBuilder | None:
    """A draft of some statements of the module alone; None where others have a part in what they say."""
    tables = empty_reader(reader)
    tables.data = data
    for scope in tables.scopes:
        scope[3] = len(data)  # what a condition says may hold to the end of the module
    read_statements(tables, run.nodes)
    tables.data = b""
    if tables.problems or tables.rests_on_file():
        return None
    if not tables.expandos:
        sort_rows(tables, OUTER_SCOPES)
        return tables
    return without_expandos(tables, OUTER_SCOPES) if sets_only(tables, layout.facts, layout.texts) else None


def _is_self_contained(layout: FileLayout, run: EditedRun, tables: TsFactsBuilder) -> bool:
    """Whether what a run says, and what it said, has no part in what only the whole file decides."""
    old = _outer_rows(layout, run)
    if has_outer_signature(tables) or any(flags & OVERLOAD for _, _, flags in old) or not has_ordered_uses(tables):
        return False
    if not layout.outer_bindings:
        return True
    now = [
        (tables.strings[row[D_NAME]], row[D_KIND], row[D_FLAGS])
        for row in tables.definitions[OUTER_DEFINITIONS:]
        if row[D_SCOPE] < OUTER_SCOPES
    ]
    return old == now


def _outer_rows(layout: FileLayout, run: EditedRun) -> list[tuple[str, int, int]]:
    """What the statements bound in the module that a run stands for: names, kinds, flags."""
    table, strings = layout.facts.definitions, layout.facts.strings
    rows = range(bisect_left(table.start, run.start), bisect_left(table.start, run.end))
    return [(strings[table.name[row]], table.kind[row], table.flags[row]) for row in rows if table.scope[row] == 0]
