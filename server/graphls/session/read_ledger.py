"""Read ledger: which files a session of an agent was given, so that none is given twice unchanged.

Owns: what is noted of a reading, when a text counts as known, how many readings are kept.
Must not know: protocols, layout, what a file holds.
Invariant: a text is left out only where the same session was given the same bytes of the same file; no source is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final, cast

import attrs

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.paths import FilePath
from graphls.session.dated_rows import DAYS
from graphls.session.feedback_rows import rows_from, start_of_rows
from graphls.session.journal import AnswerSize, Journal, Observation
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

READ_OPERATION: Final = "read-file"
TRANSFORM: Final = "file-read-cache"
"""What is noted where a text was left out."""
MOST: Final = 5_000
"""Files of all sessions."""
_FORM: Final = "file read 1"


@attrs.frozen(kw_only=True)
class FileReading:
    """One reading. `text`: null where the session has it; `since`: when it was given it, in seconds since 1970, null
    the first time and where it changed. `transform`: why bytes were left out."""

    file: str
    session: str
    content: str
    bytes: int
    text: str | None
    since: int | None
    changed: bool
    transform: str | None


class ReadLedger:
    """Of one session of one workspace; without a store every reading is the first."""

    def __init__(
        self, store: BlobStore | None, workspace: Workspace, session: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._session, self._clock = store, session, clock
        self._all = start_of_rows(_FORM, workspace)
        self._journal = Journal(store, workspace, session)
        self._pruned = False

    def read(self, path: FilePath, data: bytes, snapshot: str) -> FileReading:
        """The text of a file, unless the session has it. `snapshot`: the id of the state that it is of."""
        content = blake2b(data, digest_size=16).hexdigest()
        known = self._known(path)
        same = known is not None and known[0] == content
        if not same:
            self._keep(path, content)
        size = AnswerSize(0, len(data)) if same else AnswerSize(len(data), 0)
        noted = Observation(results=None, ids=(path,), snapshot=snapshot, stale=False, size=size)
        self._journal.note(READ_OPERATION, {"path": path}, noted)
        return FileReading(
            file=path,
            session=self._session,
            content=content,
            bytes=len(data),
            text=None if same else data.decode("utf-8", "replace"),
            since=known[1] if same and known is not None else None,
            changed=known is not None and not same,
            transform=TRANSFORM if same else None,
        )

    def _row(self, path: FilePath) -> str:
        return f"{self._all}{self._session}\0{path}"

    def _known(self, path: FilePath) -> tuple[str, int] | None:
        """What the session was given, and when; None where that is too long ago to be known to anybody."""
        row = self._row(path)
        raw = None if self._store is None else self._store.get_many("feedback", [row]).get(row)
        known = _given(raw)
        return known if known is not None and known[1] >= self._oldest() else None

    def _oldest(self) -> int:
        return int(self._clock()) - DAYS * 86_400

    def _keep(self, path: FilePath, content: str) -> None:
        if self._store is None:
            return
        self._store.put("feedback", self._row(path), encode_plain((content, int(self._clock()))))
        rows = rows_from(self._store, self._all)
        if not self._pruned or len(rows) > MOST:
            self._prune(self._store, rows)

    def _prune(self, store: BlobStore, rows: Sequence[str]) -> None:
        """Drops what is too old, and of too many rows the oldest, whatever session they are of."""
        self._pruned = True
        times = {
            row: given[1] if (given := _given(raw)) else 0 for row, raw in store.get_many("feedback", rows).items()
        }
        kept = sorted((row for row in times if times[row] >= self._oldest()), key=lambda row: times[row])
        if len(kept) > MOST:
            kept = kept[len(kept) - MOST * 9 // 10 :]  # with room for some: going through all takes a while
        gone = times.keys() - set(kept)
        if gone:
            store.delete("feedback", sorted(gone))


def _given(raw: bytes | None) -> tuple[str, int] | None:
    """A row: the digest of the text that was given, and when."""
    try:
        content, when = cast("tuple[str, int]", decode_plain(raw or b""))
        return str(content), int(when)
    except (CodecError, TypeError, ValueError):
        return None
