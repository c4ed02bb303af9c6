"""Diff: how the graph of one commit differs from that of another.

Owns: diff.
Must not know: version control, how graphs are compared.
Invariant: a symbol that only moved is counted, not listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, cast

from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest
from graphls.mcp.results import DiffReply, DiffRow
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import answer
from graphls.queries.diff import DiffQuery
from graphls.queries.diff_view import diff_view
from graphls.session.comparison import difference


class DiffRequest(PagedRequest):
    before: Annotated[str, Field(min_length=1, max_length=250, description="diff: branch, tag or commit")] = "HEAD"
    after: Annotated[str, Field(max_length=250, description="diff: else the files as they are")] = ""
    all_edges: Annotated[bool, Field(description="diff: of every file; slow")] = False
    limit: Annotated[int, Field(ge=1, le=10_000)] = 1_000


def differing(context: ToolContext, request: DiffRequest) -> Reply:
    """The records that two states do not have in common."""
    state, live = context.state, context.snapshot
    query = DiffQuery("all" if request.all_edges else "changed", request.limit)
    found = difference(state.session, live, (request.before, request.after), query)
    form = diff_view(found)
    records = (
        *(DiffRow(change="added", fields=(), before=None, after=record) for record in form.added),
        *(DiffRow(change="removed", fields=(), before=record, after=None) for record in form.removed),
        *(DiffRow(change="changed", **cast("dict[str, Any]", pair)) for pair in form.changed),
    )
    contents = DiffReply(
        before=form.before,
        after=form.after,
        files_added=form.files_added,
        files_removed=form.files_removed,
        files_changed=form.files_changed,
        moved=form.moved,
        counts=form.counts,
        names=form.names,
        without_flow=form.without_flow,
        records=records,
    )

    def text() -> TextAnswer:
        counts = Counter(row.change for row in records)
        head = (
            f"{request.before} to {request.after or 'now'}: {counts['added']} records added, {counts['removed']} "
            f"removed, {counts['changed']} changed in {counted(len(form.files_changed), 'file')}; {form.moved} moved"
        )
        if form.without_flow:
            head += f"; calls by flow of {counted(len(form.without_flow), 'file')} not compared, for want of time"
        return TextAnswer(head, tuple(_rows(contents)))

    return Reply(answer(live, found.coverage), contents, text, "records")


def _rows(contents: DiffReply) -> Iterator[Row]:
    for row in contents.records:
        record = cast("dict[str, Any]", row.after or row.before)
        if "qualified_name" in record:
            said = f"{record['kind']} {record['qualified_name'] or record['name']}  {record.get('file') or ''}"
        else:
            ends = (contents.names.get(str(record[end]), str(record[end])) for end in ("source", "target"))
            said = f" {record['kind']} ".join(ends)
        fields = f"  <- {', '.join(row.fields)}" if row.fields else ""
        yield Row(f"{said}{fields}", (f"{row.change}:",))


QUERIES = (Query(name="diff", request=DiffRequest, contents=DiffReply, run=differing, whole=True),)
