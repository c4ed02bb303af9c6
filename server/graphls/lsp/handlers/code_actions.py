"""Code actions: code actions on findings.

Owns: which actions a range has, their edits as workspace edits.
Must not know: what an action changes.
Invariant: an edit is computed when it is asked for, from the snapshot of that moment.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from graphls.analysis.actions import FindingAction, ReviewFile, actions
from graphls.analysis.baseline import read_baseline
from graphls.analysis.finding import Finding
from graphls.analysis.review_marks import read_marks
from graphls.facts.paths import FilePath
from graphls.lsp.edits import workspace_edit
from graphls.lsp.from_proto import Context, file_of, table, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import ToProto
from graphls.session.marking import author_of
from graphls.session.reports import file_text

OPTIONS = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix], resolve_provider=True)
SHOW_EVIDENCE = "graphls.showEvidence"


@feature(types.TEXT_DOCUMENT_CODE_ACTION, options=OPTIONS)
def offered(context: Context, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Actions on the findings that touch a range."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return []
    proto = to_proto(context)
    uri = params.text_document.uri
    start, end = (proto.positions.offset(path, at, uri) for at in (params.range.start, params.range.end))
    found = context.session.findings.findings_in(context.snapshot, path)
    touched = [finding for finding in found if finding.at.start <= end and finding.at.end >= start]
    return [
        _action(proto, action, number) for finding in touched for number, action in _actions(context, path, finding)
    ]


@feature(types.CODE_ACTION_RESOLVE)
def resolved(context: Context, action: types.CodeAction) -> types.CodeAction:
    """One action with its edit."""
    data = table(action.data)
    path = file_of(context, str(data.get("uri", "")))
    for finding in context.session.findings.findings_in(context.snapshot, path) if path else ():
        for number, known in _actions(context, path, finding) if path else ():
            if (finding.id, number) == (data.get("finding"), data.get("number")):
                action.edit = workspace_edit(to_proto(context), known.edits)
                return action
    action.disabled = types.CodeActionDisabled("The finding is no longer there.")
    return action


def _actions(context: Context, path: FilePath, finding: Finding) -> Iterator[tuple[int, FindingAction]]:
    """Baseline and review marks are read anew: an edit is made for the file as it is now."""
    chosen, workspace = context.session.settings.findings, context.session.session.workspace
    known, marks = file_text(workspace, chosen.baseline), file_text(workspace, chosen.reviews)
    reviews = ReviewFile(marks=read_marks(marks), path=chosen.reviews, size=len(marks), author=author_of(workspace))
    found = actions(
        context.snapshot,
        finding,
        baseline=read_baseline(known),
        baseline_path=chosen.baseline,
        baseline_size=len(known),
        reviews=reviews,
    )
    yield from enumerate(found)


def _action(proto: ToProto, action: FindingAction, number: int) -> types.CodeAction:
    finding = action.finding
    made = types.CodeAction(action.title, kind=types.CodeActionKind.QuickFix, is_preferred=action.preferred or None)
    if action.places:
        places = [proto.location(item.file, item.start, item.end) for item in action.places]
        made.command = types.Command(action.title, SHOW_EVIDENCE, arguments=[finding.title, places])
    else:
        made.data = {"uri": proto.uri(finding.at.file, finding.at.start), "finding": finding.id, "number": number}
    return made


FEATURES: tuple[Declaration, ...] = (offered, resolved)
