"""Health trend: the health of a workspace at the last commits that it was judged at.

Owns: which rows are kept, in which order.
Must not know: formulas, layout.
Invariant: one row a commit, the newest judgement of it; at most `MOST` rows; a row that cannot be read is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import attrs

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

MOST = 20
_FORM = "health trend 1"


@attrs.frozen(kw_only=True)
class HealthSnapshot:
    """The health of a whole workspace. `head`: the commit, "" without history; `snapshot`: the contents that were
    judged; `targets`: files with evidence."""

    head: str
    snapshot: str
    health: float
    files: int
    targets: int


def health_trend(store: BlobStore | None, workspace: Workspace) -> tuple[HealthSnapshot, ...]:
    """What was judged before on this machine, oldest first."""
    raw = None if store is None else store.get("values", _key(workspace))
    if raw is None:
        return ()
    try:
        rows = cast("Sequence[tuple[str, str, float, int, int]]", decode_plain(raw))
        return tuple(
            HealthSnapshot(head=str(head), snapshot=str(snapshot), health=float(health), files=int(files),
                           targets=int(targets))
            for head, snapshot, health, files, targets in rows
        )  # fmt: skip
    except (CodecError, TypeError, ValueError):
        return ()


def add_to_trend(store: BlobStore | None, workspace: Workspace, row: HealthSnapshot) -> None:
    """Adds a judgement; an earlier one of the same commit goes, without history one of the same contents."""
    known = health_trend(store, workspace)
    rows = (*(one for one in known if _subject(one) != _subject(row)), row)[-MOST:]
    if store is not None and rows != known:
        store.put("values", _key(workspace), encode_plain(tuple(map(attrs.astuple, rows))))


def _subject(row: HealthSnapshot) -> str:
    return row.head or row.snapshot


def _key(workspace: Workspace) -> str:
    return "\0".join((_FORM, *(folder.root for folder in workspace.folders)))
