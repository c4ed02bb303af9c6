"""Journal: which questions agents asked of a workspace, on this machine.

Owns: what is noted of a question and its answer, the cap on it, retention.
Must not know: tools, protocols, what a question means.
Invariant: no source text and no whole answer is kept, a question that was refused is not noted, nothing leaves the
    machine; a journal that cannot be written is no fault of an answer.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.session.dated_rows import MOST, DatedRows
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_LONGEST: Final = 200
_SHOWN: Final = 5
_FORM: Final = "journal 2"


@attrs.frozen
class AnswerSize:
    """Bytes of an answer, and of source that was left out of it, since it was sent before."""

    sent: int = 0
    spared: int = 0


@attrs.frozen(kw_only=True)
class JournalEntry:
    """One question. `time`: seconds since 1970; `asked`: its arguments, cut; `results`: how many there were; `ids`: the
    first of them; `stale`: the answer was of an earlier state."""

    time: int
    session: str
    operation: str
    asked: str
    results: int | None
    ids: tuple[str, ...]
    snapshot: str
    stale: bool
    size: AnswerSize


@attrs.frozen(kw_only=True)
class SessionTotals:
    """One session of an agent. `operations`: how often each question was asked, most often first; `sent`, `spared`:
    bytes of answers, and of source that was left out since the session had it."""

    session: str
    first: int
    last: int
    questions: int
    operations: Mapping[str, int]
    stale: int
    sent: int
    spared: int


@attrs.frozen(kw_only=True)
class Observation:
    """What is noted of an answer. `results` None: it is no list."""

    results: int | None
    ids: tuple[str, ...]
    snapshot: str
    stale: bool
    size: AnswerSize = attrs.field(factory=AnswerSize)


class Journal:
    """Safe to use from any thread and process: every entry is a row of its own."""

    def __init__(self, store: BlobStore | None, workspace: Workspace, session: str = "") -> None:
        self._rows = DatedRows(store, workspace, _FORM)
        self._session = session

    def note(self, operation: str, arguments: Mapping[str, object], answered: Observation) -> None:
        """Notes a question that was answered."""
        row = (answered.results, tuple(one[:_LONGEST] for one in answered.ids[:_SHOWN]), answered.snapshot)
        sizes = (answered.size.sent, answered.size.spared)
        entry = (int(time.time()), self._session, operation, _words(arguments), *row, answered.stale, *sizes)
        self._rows.put(encode_plain(entry))

    def entries(
        self, session: str = "", operation: str = "", limit: int = 50, *, since: int = 0
    ) -> tuple[JournalEntry, ...]:
        """The newest first, none older than entries are kept. `since`: seconds since 1970."""
        chosen = (
            one for one in map(_entry, self._rows.newest())
            if one is not None and session in ("", one.session) and operation in ("", one.operation)
            and one.time >= since
        )  # fmt: skip
        return tuple(itertools.islice(chosen, limit))

    def sessions(self, limit: int = 50) -> tuple[SessionTotals, ...]:
        """The newest first."""
        by_session: dict[str, list[JournalEntry]] = {}
        for one in self.entries(limit=MOST):
            by_session.setdefault(one.session, []).append(one)
        return tuple(_totals(session, rows) for session, rows in itertools.islice(by_session.items(), limit))

    def erase(self) -> int:
        """Forgets everything; how much there was."""
        return self._rows.erase()

    def prune(self, days: int | None = None) -> int:
        """Drops what is too old, and the oldest of too many; how many."""
        return self._rows.prune(days)


def _words(arguments: Mapping[str, object]) -> str:
    """Arguments in order, each cut; texts of proposed code by their size alone."""
    said: list[str] = []
    for name in sorted(arguments):
        value = arguments[name]
        if name in ("proposed", "patch", "code"):
            said.append(f"{name}: {len(str(value))} characters")
        elif value not in (None, "", (), [], {}) and name not in ("cursor", "format"):
            said.append(f"{name}: {str(value)[:_LONGEST]}")
    return "; ".join(said)[: 2 * _LONGEST]


def _totals(session: str, rows: Sequence[JournalEntry]) -> SessionTotals:
    asked = Counter(one.operation for one in rows)
    return SessionTotals(
        session=session,
        first=min(one.time for one in rows),
        last=max(one.time for one in rows),
        questions=len(rows),
        operations=dict(sorted(asked.items(), key=lambda pair: (-pair[1], pair[0]))),
        stale=sum(one.stale for one in rows),
        sent=sum(one.size.sent for one in rows),
        spared=sum(one.size.spared for one in rows),
    )


def _entry(raw: bytes) -> JournalEntry | None:
    try:
        row = cast("tuple[int, str, str, str, int | None, tuple[str, ...], str, bool, int, int]", decode_plain(raw))
        when, session, operation, asked, results, ids, snapshot, stale, sent, spared = row
        return JournalEntry(
            time=int(when), session=str(session), operation=str(operation), asked=str(asked), results=results,
            ids=tuple(map(str, ids)), snapshot=str(snapshot), stale=bool(stale),
            size=AnswerSize(int(sent), int(spared)),
        )  # fmt: skip
    except (CodecError, TypeError, ValueError):
        return None
