"""Unread edits: whether an answer waits until a document is read that somebody edits and that takes long.

Owns: that choice, for requests whose answers may lie anywhere in the workspace, and what is said of documents that were
    not read in time.
Must not know: how documents are read, how answers are made.
Invariant: who does not wait asks about nothing that such a document spells, as it was read last or as it is now; a list
    without the newest text of one that may have a part in it says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.lsp.from_proto import Context, WithPosition, item_place, offset_of, to_proto
from graphls.lsp.verification import seeing, settled_around
from graphls.queries.definition import Destinations
from graphls.queries.neighborhood import Direction
from graphls.queries.position import word_at
from graphls.queries.spelled_uses import names_of_uses
from graphls.queries.spelled_words import spells

_NAMED: Final = 3
"""Documents that a message names."""


def with_edits_in_question(context: Context, params: WithPosition) -> Context:
    """With edits read that may be part of the answer, in the time that an answer may take."""
    snapshot = context.snapshot
    where = offset_of(context, to_proto(context), params) if snapshot.pending else None
    if where is None:
        return context
    names = names_of_uses(snapshot, *where)
    if not _spelled_in(context, snapshot, names):
        return context
    context = seeing(context, context.take_soon())
    tell_of(context, _spelled_in(context, context.snapshot, names))
    return context


def with_edits_in_time(context: Context, uri: str = "") -> Context:
    """With all edits read, in the same time: for lists of things that need not spell one name. Those of the document
    that is asked about are read in any case."""
    context = seeing(context, context.take_soon())
    pending = context.snapshot.pending
    if uri and context.session.uris.path(uri) in pending:
        return seeing(context, context.take_newest())
    tell_of(context, pending)
    return context


def settled_item(context: Context, item: types.CallHierarchyItem, direction: Direction) -> Context:
    """The same for an item that was given out before, with its edges settled."""
    context = with_edits_in_time(context, item.uri)
    return settled_around(context, (item_place(context, to_proto(context), item),), direction)


def found_elsewhere(context: Context, params: WithPosition, found: Destinations | None) -> Sequence[FilePath]:
    """Files whose edits are not read yet and may lead a name elsewhere than was found: it leads to such a file, or
    nowhere and one spells it."""
    pending = context.snapshot.pending
    if not pending:
        return ()
    if found is not None and found.places:
        places = {place.file for place in found.places}
        return [path for path in pending if path in places]
    where = offset_of(context, to_proto(context), params)
    word = word_at(context.snapshot.text(where[0]) or b"", where[1]) if where else b""
    names, session = (word.decode("utf-8", "replace"),), context.session.session
    return [path for path in pending if word and session.may_spell(names, (path,))]


def tell_of(context: Context, paths: Sequence[FilePath]) -> None:
    """Says that an answer lacks edits of these, where there are any: protocols of editors have no place for that."""
    if paths:
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        named = ", ".join(paths[:_NAMED])
        context.tell(f"The answer lacks the last edits of {named}{more}, still being read. Ask again soon.")


def _spelled_in(context: Context, snapshot: Snapshot, names: Collection[str] | None) -> Sequence[FilePath]:
    """The documents that a snapshot lacks edits of and that have one of these names, before these or now; all of them
    where uses may be called anything."""
    session = context.session.session
    if names is None:
        return snapshot.pending
    return [
        path for path in snapshot.pending if session.may_spell(names, (path,)) or spells(_text(snapshot, path), names)
    ]


def _text(snapshot: Snapshot, path: FilePath) -> bytes:
    """As it was read last; nothing where it never was."""
    return (snapshot.text(path) or b"") if path in snapshot.shards else b""
