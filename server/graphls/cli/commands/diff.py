"""Diff: how the graph of one commit differs from that of another, or from the files as they are.

Owns: arguments of `graphls diff`, its layout.
Must not know: version control, how records are compared.
Invariant: the JSON form holds whole records; a node that only moved is counted, not listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Within
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted
from graphls.graph.records import Edge, Node
from graphls.queries.answer import answer
from graphls.queries.diff import WITHIN, Difference, DiffQuery, diff, symbol_of
from graphls.queries.diff_view import diff_view
from graphls.session.revisions import compared

COMMAND = CommandEntry(help="Show how the graphs of two commits differ.", rank=180, read_only=True)


def run(
    ctx: typer.Context,
    before: Annotated[str, typer.Argument(metavar="[BEFORE]", help="Branch, tag or commit.")] = "HEAD",
    after: Annotated[
        str, typer.Argument(metavar="[AFTER]", help="Branch, tag or commit; the files as they are when left out.")
    ] = "",
    *,
    all_edges: Annotated[
        bool, typer.Option("--all-edges", help="Compare the edges of every file, not only of files that differ.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Records of each kind.")] = 1_000,
    within: Within = WITHIN,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        live = workspace.snapshot
        one = compared(workspace.workspace, live, workspace.settings, before)
        other = compared(workspace.workspace, live, workspace.settings, after)
        found = diff(one, other, DiffQuery("all" if all_edges else "changed", limit, within))
        envelope = answer(live, found.coverage)
        page = _page(found)
    if format is Format.JSON:
        write_answer(envelope, diff_view(found))
        return
    close_page(page, envelope)
    page.write()


def _page(found: Difference) -> TextPage:
    page, names = TextPage(), found.names
    page.line(f"{counted(len(found.files_added), 'file')} added, {len(found.files_removed)} removed, "
              f"{len(found.files_changed)} changed; {counted(found.moved, 'record')} only moved")  # fmt: skip
    for title, sign, records in (("added", "+", found.added), ("removed", "-", found.removed)):
        if records:
            page.heading(f"{title} {counted(len(records), 'record')}")
            page.rows(_rows(records, sign, names), indent="  ")
    if found.changed:
        page.heading(f"changed {counted(len(found.changed), 'record')}")
        rows = [
            (*row, (", ".join(pair.fields), FAINT)) for pair in found.changed for row in _rows([pair.after], "~", names)
        ]
        page.rows(rows, indent="  ")
    if found.without_flow:
        files = f"{counted(len(found.without_flow), 'file')}, {', '.join(found.without_flow[:3])}"
        more = " and others" if len(found.without_flow) > 3 else ""
        page.line()
        page.line(
            (f"Calls by flow were not compared of {files}{more}: --within 0 takes as long as it needs.", "yellow")
        )
    return page


def _rows(records: Iterable[Node | Edge], sign: str, names: Mapping[str, str]) -> Iterable[tuple[Part, ...]]:
    for record in records:
        if isinstance(record, Node):
            yield sign, (record.subkind or record.kind, KIND), (symbol_of(record), NAME), (record.file or "", PLACE)
        else:
            ends = f"{_named(names, record.source)} -> {_named(names, record.target)}"
            yield sign, (record.kind, FAINT), (ends, ""), ""


def _named(names: Mapping[str, str], ident: str) -> str:
    return names.get(ident, ident)
