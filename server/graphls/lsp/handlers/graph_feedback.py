"""Feedback: graph/feedback.

Owns: the params as something said, erased or listed.
Must not know: how feedback is kept, what it is worth.
Invariant: a verdict that no longer counts is listed as such.
"""

from __future__ import annotations

import attrs

from graphls.context.feedback import erase_feedback, feedback_of, feedback_status, store_feedback, verdict_on
from graphls.graph.errors import BadRequest
from graphls.lsp.from_proto import Context
from graphls.lsp.messages import FeedbackResult, VerdictView
from graphls.lsp.params import FeedbackParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import envelope


@custom("graph/feedback", FeedbackParams, FeedbackResult)
def record(context: Context, params: FeedbackParams) -> FeedbackResult:
    """Say whether an item of a pack was useful; list or erase what was said."""
    store, workspace = context.session.session.store, context.session.session.workspace
    if params.useful is not None and (params.erase or not params.node):
        raise BadRequest("Give the node that was useful or not, and do not erase at the same time.")
    if params.useful is not None:
        verdict = verdict_on(context.snapshot, params.node, useful=params.useful, task=params.task, pack=params.pack)
        store_feedback(store, workspace, verdict)
    erased = erase_feedback(store, workspace, params.node) if params.erase else 0
    listed = feedback_status(context.snapshot, feedback_of(store, workspace))
    return FeedbackResult(
        **envelope(context.snapshot),
        verdicts=[VerdictView(**attrs.asdict(one.verdict), counts=one.counts) for one in listed],
        erased=erased,
    )


FEATURES: tuple[Declaration, ...] = (record,)
