"""Docs: links of documents that lead nowhere.

Owns: docs.
Must not know: formats of documents.
Invariant: what may lead out of the graph is counted, not listed.
"""

from __future__ import annotations

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.document_report import DocumentReport, document_report


class DocsRequest(PagedRequest):
    scope: Scope = ""


def broken_links(context: ToolContext, request: DocsRequest) -> Reply:
    """Of the documents below a scope."""
    scope = context.subjects.scope(request.scope)
    report = document_report(context.state.workspace, context.snapshot, context.state.settings, scope)

    def text() -> TextAnswer:
        head = (
            f"{counted(report.documents, 'document')}: {counted(len(report.broken), 'broken link')}, "
            f"{report.resolved} lead to something, {report.unsettled} may lead elsewhere"
        )
        rows = (Row(f"{one.line}: {one.text} (no such {one.cause})", (one.file,)) for one in report.broken)
        return TextAnswer(head, tuple(rows))

    return Reply(answer(context.snapshot, Coverage(empty=not report.documents)), report, text, "broken")


QUERIES = (Query(name="docs", request=DocsRequest, contents=DocumentReport, run=broken_links),)
