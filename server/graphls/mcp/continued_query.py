"""Continued query: a question that met its time limit goes on, as long as an agent is better served by waiting.

Owns: how often and how long such a question is put again.
Must not know: tools, the protocol, how files are linked.
Invariant: each time has the budget of one request, so whoever stops waiting frees the thread soon. The text of a reply
    is made once it is given, so what is thrown away does not count as sent.

What a question needed first is there the next time: files that were linked, findings of files that were looked at. So
two or three times are enough on a workspace of some thousand files, where an agent would have had to ask as often. A
part of an answer is given as it is once all files are linked: what is still missing then is costly by itself. So is one
in which calls of an earlier state stand for those that were not found in time, and one without rows where that is often
the answer.
"""

from __future__ import annotations

import threading
import time

from graphls.graph.request_budget import BudgetSpentError, RequestBudget, limited
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ToolRequest
from graphls.mcp.tool_catalog import Query, ToolContext


def answered(query: Query, context: ToolContext, request: ToolRequest, gone: threading.Event) -> Reply:
    """The reply, after at most the time that a question waits for files. `gone`: nobody waits for it any more. Raises
    GraphError."""
    session = context.state.session
    until = time.monotonic() + context.state.patience
    while True:
        reply, refused = None, None
        budget = None if query.whole else session.server_limits.request_budget()
        with limited(budget):
            try:
                reply = query.run(context, request)
            except BudgetSpentError as error:
                refused = error
        over = gone.is_set() or time.monotonic() >= until
        if refused is not None and over:
            raise refused
        if reply is not None and (
            over or not reply.answer.is_cut_short or (_is_given(reply, budget) and session.wait("complete", 0))
        ):
            return reply


def _is_given(reply: Reply, budget: RequestBudget | None) -> bool:
    """Whether a part of an answer is given and not waited on: it has rows, or what stands for them."""
    if reply.is_secondary:
        return False
    has_stand_ins = budget is not None and budget.has_stand_ins
    return has_stand_ins or reply.may_be_empty or not reply.pages or bool(getattr(reply.contents, reply.pages))
