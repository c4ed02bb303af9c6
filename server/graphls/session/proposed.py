"""Proposed: the workspace as it would be with contents that nobody has written yet.

Owns: which files these contents replace or add.
Must not know: what is asked, who proposes.
Invariant: nothing is written anywhere; the live snapshot stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import FileDiff
from graphls.session.before import pre_edit_snapshot
from graphls.settings import Settings


def with_proposed(
    live: Snapshot, texts: Mapping[FilePath, str | None], settings: Settings, folders: Collection[str]
) -> tuple[Snapshot, tuple[FileDiff, ...]]:
    """The workspace with these contents (None: without the file), linked only where a question leads, and how its
    files differ."""
    replaced = {path: text.encode("utf-8", "replace") for path, text in texts.items() if text is not None}
    unchanged = {path for path in live.shards if path not in texts}
    proposed = pre_edit_snapshot(live, unchanged, replaced, settings, folders)
    before = {path: live.text(path) if path in live.shards else None for path in texts}
    gone = tuple(FileDiff(path, "deleted", None, before[path]) for path, text in texts.items() if text is None)
    edits = (
        FileDiff(path, "added" if before[path] is None else "modified", None, before[path])
        for path, text in replaced.items()
        if before[path] != text
    )
    return proposed, (*edits, *gone)
