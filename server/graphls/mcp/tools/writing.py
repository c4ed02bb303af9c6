"""Writing: the tools that change something, offered only when the server was started so.

Owns: record_feedback, reindex.
Must not know: how feedback is kept, how files are read.
Invariant: nothing of the workspace is written.
"""

from __future__ import annotations

import attrs

from graphls.context.feedback import store_feedback, verdict_on
from graphls.mcp.paging import Reply
from graphls.mcp.requests import RecordFeedback, Reindex
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import answer


@attrs.frozen(kw_only=True)
class Recorded:
    """What was kept, the root it is tied to, and how many verdicts there are now."""

    node: str
    symbol: str
    useful: bool
    root: str
    kept: int


@attrs.frozen(kw_only=True)
class Started:
    """What is being read again."""

    files: int
    everything: bool
    stage: str


def record(context: ToolContext, request: RecordFeedback) -> Reply:
    """Keeps a verdict."""
    bench = context.state
    verdict = verdict_on(context.snapshot, request.node, useful=request.useful, task=request.task, pack=request.pack)
    kept = store_feedback(bench.store, bench.workspace, verdict)
    contents = Recorded(
        node=verdict.node, symbol=verdict.symbol, useful=verdict.useful, root=verdict.root, kept=len(kept)
    )
    return Reply(answer(context.snapshot), contents)


def reindex(context: ToolContext, request: Reindex) -> Reply:
    """Looks at the disk again."""
    session = context.state.session
    paths = [context.subjects.inside(path) for path in request.paths]
    if paths:
        session.read_again(paths)
    else:
        session.rescan(again=True)
    snapshot = context.state.snapshot()
    contents = Started(files=len(paths), everything=not paths, stage=session.progress.stage)
    return Reply(answer(snapshot), contents)


TOOLS = (
    ToolEntry(
        name="record_feedback",
        title="Say whether an item was useful",
        description="Keeps, on this machine, whether an item of a pack was useful for its task. Later packs for like "
        "tasks take it into account until the code around the item changes.",
        request=RecordFeedback,
        contents=Recorded,
        run=record,
        writes=True,
    ),
    ToolEntry(
        name="reindex",
        title="Read files again",
        description="Reads files again, or looks for changes everywhere. Seldom needed: the server watches the disk.",
        request=Reindex,
        contents=Started,
        run=reindex,
        writes=True,
    ),
)
