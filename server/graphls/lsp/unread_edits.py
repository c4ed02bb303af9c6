"""Unread edits: whether an answer waits until a document is read that somebody edits and that takes long.

Owns: that choice, for requests about one name whose answers may lie anywhere in the workspace.
Must not know: how documents are read, how answers are made.
Invariant: who does not wait asks about nothing that such a document spells, as it was read last or as it is now.
"""

from __future__ import annotations

from collections.abc import Collection

from graphls.graph.snapshot import Snapshot
from graphls.lsp.from_proto import Context, WithPosition, offset_of, to_proto
from graphls.lsp.verification import seeing
from graphls.queries.spelled_uses import names_of_uses
from graphls.queries.spelled_words import spells


def with_edits_in_question(context: Context, params: WithPosition) -> Context:
    """With edits read that may be part of the answer."""
    snapshot = context.snapshot
    where = offset_of(context, to_proto(context), params) if snapshot.pending else None
    if where is None:
        return context
    names = names_of_uses(snapshot, *where)
    waits = names is None or _may_spell(context, snapshot, names)
    return seeing(context, context.take_newest()) if waits else context


def _may_spell(context: Context, snapshot: Snapshot, names: Collection[str]) -> bool:
    """Whether one of the documents that a snapshot lacks edits of has one of these names: before these, or now."""
    if context.session.session.may_spell(names, snapshot.pending):
        return True
    return any(spells(snapshot.text(path) or b"", names) for path in snapshot.pending)
