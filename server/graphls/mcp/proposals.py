"""Proposals: code that an agent means to write, as tools take it.

Owns: the arguments for such code, the workspace with it.
Must not know: what a tool asks of it.
Invariant: nothing is written; a path that leaves the workspace is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.mcp.tool_catalog import ToolContext
from graphls.queries.changed import FileDiff
from graphls.session.patches import patched
from graphls.session.proposed import with_proposed

Texts = Annotated[dict[str, str], Field(max_length=50, description="path -> whole text not written yet")]
Patch = Annotated[str, Field(description="the same as a unified diff")]
_MOST_TEXT = 2_000_000


def with_proposal(context: ToolContext, texts: Mapping[str, str], patch: str) -> tuple[Snapshot, tuple[FileDiff, ...]]:
    """The workspace with proposed texts, then with a patch, and the files that differ."""
    if any(len(text) > _MOST_TEXT for text in (patch, *texts.values())):
        raise BadRequest(f"A text or patch has at most {_MOST_TEXT} characters.")
    snapshot, subjects, state = context.snapshot, context.subjects, context.state
    made: dict[FilePath, str | None] = {subjects.inside(path): text for path, text in texts.items()}

    def text_of(path: str) -> str | None:
        key = subjects.inside(path)
        if key in made:
            return made[key]
        known = snapshot.text(key) if key in snapshot.shards else None
        return None if known is None else known.decode("utf-8", "replace")

    if patch:
        made.update((subjects.inside(path), text) for path, text in patched(patch, text_of).items())
    return with_proposed(snapshot, made, state.settings, state.workspace.prefixes)
