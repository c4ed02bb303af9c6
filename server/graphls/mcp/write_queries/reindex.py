"""Reindex: reading files again.

Owns: reindex.
Must not know: how files are read.
Invariant: a path that leaves the workspace is refused before anything is read.
"""

from __future__ import annotations

from typing import Annotated

import attrs
from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Path
from graphls.mcp.text_form import TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.queries.answer import answer


class ReindexRequest(PagedRequest):
    paths: Annotated[tuple[Path, ...], Field(max_length=1_000, description="reindex: all when left out")] = ()


@attrs.frozen(kw_only=True)
class Started:
    """What is being read again."""

    files: int
    everything: bool
    stage: str


def reindex(context: ToolContext, request: ReindexRequest) -> Reply:
    """Looks at the disk again."""
    session = context.state.session
    paths = [context.subjects.inside(path) for path in request.paths]
    if paths:
        session.read_again(paths)
    else:
        session.rescan(again=True)
    snapshot = context.state.snapshot()
    contents = Started(files=len(paths), everything=not paths, stage=session.progress.stage)
    text = TextAnswer(f"{len(paths) or 'all'} files are read again: {contents.stage}")
    return Reply(answer(snapshot), contents, lambda: text)


QUERIES = (Query(name="reindex", request=ReindexRequest, contents=Started, run=reindex),)
