"""Tests: graph/tests.

Owns: the params as a subject or as edits.
Must not know: how tests are found.
Invariant: ids are those of the runner.
"""

from __future__ import annotations

from graphls.lsp.from_proto import Context, subject, to_proto
from graphls.lsp.messages import RunRecordView, SelectedTestView, TestsResult
from graphls.lsp.params import TestsParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import listing, node_view
from graphls.queries.tests_to_run import RunRecord, TestSelection, way_text
from graphls.session.comparing import edits
from graphls.session.selected_tests import selection_of, selection_of_edits
from graphls.sources.limits import SourceLimits


@custom("graph/tests", TestsParams, TestsResult, kind="long")
def to_run(context: Context, params: TestsParams) -> TestsResult:
    """The tests that may execute a subject or what edits touch."""
    snapshot, proto = context.snapshot, to_proto(context)
    named = params.node or params.symbol or params.text_document is not None
    session = context.session.session
    if named:
        found = selection_of(session.workspace, session.settings, snapshot, subject(context, proto, params))
    else:
        found = _of_edits(context, params)
    running = found.running
    return TestsResult(
        **listing(proto, found.coverage, 0),
        changed=[node_view(proto, seed) for seed in found.seeds],
        tests=[
            SelectedTestView(
                ids=list(test.ids),
                runner=test.runner,
                certainty=test.certainty,
                steps=test.steps,
                why=way_text(snapshot, test),
                node=node_view(proto, test.node),
            )
            for test in (running[: params.limit] if params.limit > 0 else running)
        ],
        importing=found.count("import"),
        whole=list(found.whole),
        record=_record(found.record),
    )


def _record(record: RunRecord | None) -> RunRecordView | None:
    if record is None:
        return None
    return RunRecordView(made=record.made, decided=record.decided, undecided=record.undecided)


def _of_edits(context: Context, params: TestsParams) -> TestSelection:
    snapshot, session = context.snapshot, context.session.session
    limits = SourceLimits.of(session.settings.files)
    found = edits(session.workspace, snapshot, limits, params.changes, params.base, at=params.at)
    return selection_of_edits(session.workspace, session.settings, snapshot, found)


FEATURES: tuple[Declaration, ...] = (to_run,)
