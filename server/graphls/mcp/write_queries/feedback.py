"""Feedback: whether an item of a pack was useful for its task.

Owns: feedback.
Must not know: how feedback is kept, what it counts for.
Invariant: nothing of the workspace is written.
"""

from __future__ import annotations

from typing import Annotated

import attrs
from pydantic import Field

from graphls.context.feedback import store_feedback, verdict_on
from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest
from graphls.mcp.text_form import TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.queries.answer import answer


class FeedbackRequest(PagedRequest):
    node: Annotated[str, Field(min_length=1, max_length=1_000, description="feedback: id or symbol of an item")]
    useful: Annotated[bool, Field(description="feedback")]
    task: Annotated[str, Field(max_length=100_000, description="feedback: the task of the context")] = ""
    pack: Annotated[str, Field(max_length=100, description="feedback: id of the context (p:...)")] = ""


@attrs.frozen(kw_only=True)
class Recorded:
    """What was kept, the root it is tied to, and how many verdicts there are now."""

    node: str
    symbol: str
    useful: bool
    root: str
    kept: int


def record(context: ToolContext, request: FeedbackRequest) -> Reply:
    """Keeps a verdict."""
    state = context.state
    verdict = verdict_on(context.snapshot, request.node, useful=request.useful, task=request.task, pack=request.pack)
    kept = store_feedback(state.store, state.workspace, verdict)
    contents = Recorded(
        node=verdict.node, symbol=verdict.symbol, useful=verdict.useful, root=verdict.root, kept=len(kept)
    )
    said = "useful" if verdict.useful else "not useful"
    text = TextAnswer(f"{verdict.symbol}: {said}; {len(kept)} verdicts kept")
    return Reply(answer(context.snapshot), contents, lambda: text)


QUERIES = (Query(name="feedback", request=FeedbackRequest, contents=Recorded, run=record),)
