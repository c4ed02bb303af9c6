"""Document: the text of one open buffer, and what a client's changes make of it.

Owns: applying changes in order, version rules, the byte edits that a kept parse tree needs.
Must not know: LSP types, URIs (a key is opaque), disk, snapshots, who is asking.
Invariant: a change is applied as a whole or not at all; text that may differ from the client's is never called synced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

from graphls.facts.lines import Encoding, LineIndex, encode_text

Position = tuple[int, int]
Point = tuple[int, int]
Reason = Literal["unopened", "stale", "inverted", "beyond", "lost"]

_ADVICE: dict[Reason, str] = {
    "unopened": "the document was never opened; send didOpen first",
    "stale": "the version is not newer than the one already held; the change was dropped",
    "inverted": "a range ends before it starts; send the full text or reopen the document",
    "beyond": "a range starts after the last line; send the full text or reopen the document",
    "lost": "an earlier change could not be applied; send the full text or reopen the document",
}


@attrs.frozen
class TextChange:
    """One change: `text` replaces `range`, or the whole document where range is None."""

    text: str
    range: tuple[Position, Position] | None = None


@attrs.frozen
class Document:
    """One revision of an open document. `synced` is False after a change that could not be applied."""

    key: str
    version: int
    data: bytes = attrs.field(repr=False)
    lines: LineIndex = attrs.field(repr=False, eq=False)
    language_id: str
    synced: bool = True


@attrs.frozen
class ByteEdit:
    """The arguments of tree-sitter's Tree.edit: bytes, and points of (row, byte column) where only LF ends a row."""

    start: int
    old_end: int
    new_end: int
    start_point: Point
    old_end_point: Point
    new_end_point: Point


@attrs.frozen
class AppliedChange:
    """The document after a change, its edits in order, and how many versions the client left out (allowed, but odd)."""

    document: Document
    edits: tuple[ByteEdit, ...]
    skipped: int = 0


@attrs.frozen
class OutOfSync:
    """Why a change was dropped; `document` is what to keep instead (its text unchanged, perhaps no longer synced)."""

    document: Document | None
    reason: Reason

    @property
    def advice(self) -> str:
        """A sentence for the log that says what to do."""
        return _ADVICE[self.reason]


def open_document(key: str, version: int, text: str, language_id: str) -> Document:
    """A freshly opened document."""
    data = encode_text(text)
    return Document(key, version, data, LineIndex(data), language_id)


def lose(document: Document) -> Document:
    """The document after a change that could not even be read."""
    return attrs.evolve(document, synced=False)


def apply(
    document: Document | None, version: int, changes: Sequence[TextChange], encoding: Encoding
) -> AppliedChange | OutOfSync:
    """Apply the changes of one notification, in order.

    A full text heals a document that lost sync. Ranges may end after the text (clients delete "to the end" so),
    but may not start there: then the client holds lines that are not known here.
    """
    if document is None:
        return OutOfSync(None, "unopened")
    heals = any(change.range is None for change in changes)
    if version < document.version or (version == document.version and not heals):
        return OutOfSync(document, "stale")
    if not document.synced and not heals:
        return OutOfSync(attrs.evolve(document, version=version), "lost")
    lines, edits = document.lines, list[ByteEdit]()
    synced = document.synced
    for change in changes:
        if not synced and change.range is not None:
            continue  # whatever it did, a full text later in the same notification replaces it
        step = _step(lines, change, encoding)
        if isinstance(step, str):
            if not heals:
                return OutOfSync(attrs.evolve(document, version=version, synced=False), step)
            synced = False
            continue
        synced = synced or change.range is None
        lines, edit = step
        edits.append(edit)
    if not synced:
        return OutOfSync(attrs.evolve(document, version=version, synced=False), "lost")
    after = attrs.evolve(document, version=version, data=lines.data, lines=lines, synced=True)
    return AppliedChange(after, tuple(edits), skipped=max(version - document.version - 1, 0))


def _step(lines: LineIndex, change: TextChange, encoding: Encoding) -> tuple[LineIndex, ByteEdit] | Reason:
    text = encode_text(change.text)
    if change.range is None:
        return _replaced(lines, 0, len(lines.data), text)
    start, end = change.range
    if end < start:
        return "inverted"
    if start[0] >= lines.line_count or min(*start, *end) < 0:
        return "beyond"
    return _replaced(lines, lines.offset(*start, encoding), lines.offset(*end, encoding), text)


def _replaced(lines: LineIndex, start: int, end: int, text: bytes) -> tuple[LineIndex, ByteEdit]:
    new = lines.edited(start, end, text)
    new_end = start + len(text)
    points = lines.row_column(start), lines.row_column(end), new.row_column(new_end)
    return new, ByteEdit(start, end, new_end, *points)
