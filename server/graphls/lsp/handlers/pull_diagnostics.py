"""Pull diagnostics: diagnostics that the client pulls.

Owns: unchanged reports, the order of files in a workspace report.
Must not know: what a diagnostic is made from.
Invariant: a report never waits for rules that look at the whole workspace.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.lsp.diagnostics import diagnostics, result_id
from graphls.lsp.from_proto import Context, file_of, to_proto
from graphls.lsp.protocol import Declaration, feature

OPTIONS = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="graphls")
Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


@feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options=OPTIONS, one_document=True)
def of_document(context: Context, params: types.DocumentDiagnosticParams) -> Report:
    """Syntax problems and known findings of one document."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    proto, known = to_proto(context), context.session.findings
    now = result_id(proto, known, path)
    if now == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=now)
    items = diagnostics(proto, known, params.text_document.uri, path, context.session.settings.disabled_services)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=now)


FEATURES: tuple[Declaration, ...] = (of_document,)
