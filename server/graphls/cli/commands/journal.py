"""Journal: which questions agents asked.

Owns: arguments of `graphls journal`, its layout.
Must not know: how entries are kept.
Invariant: nothing is sent anywhere; what is erased is counted.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import located, opened_store
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted
from graphls.session.journal import Journal, JournalEntry, SessionTotals
from graphls.session.session_events import SessionEvents

COMMAND = CommandEntry(help="List or erase what agents asked on this machine.", rank=292)
_SHOWN = 5


@attrs.frozen
class JournalView:
    """Entries, or totals of sessions, newest first. `erased`: how many were forgotten just now."""

    entries: tuple[JournalEntry, ...]
    erased: int
    sessions: tuple[SessionTotals, ...] | None = None


def run(
    ctx: typer.Context,
    *,
    session: Annotated[str, typer.Option("--session", metavar="ID", help="Of this session only.")] = "",
    operation: Annotated[str, typer.Option("--operation", metavar="NAME", help="Of this question only.")] = "",
    since: Annotated[str, typer.Option("--since", metavar="DAY", help="Asked on this day (UTC) or later.")] = "",
    sessions: Annotated[bool, typer.Option("--sessions", help="Totals of each session instead.")] = False,
    erase: Annotated[bool, typer.Option("--erase", help="Forget all of it.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Entries to list.")] = 50,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    place = located(ctx, root)
    store = opened_store(ctx, place.settings)
    if store is None:
        raise UsageError("The cache is switched off, and the journal stands there.")
    try:
        journal = Journal(store, place.workspace)
        erased = journal.erase() + SessionEvents(store, place.workspace).erase() if erase else 0
        totals = journal.sessions(limit) if sessions else None
        first = _first_second(since)
        entries = () if sessions else journal.entries(session, operation, limit, since=first)
        view = JournalView(entries, erased, totals)
    finally:
        store.close()
    if format is Format.JSON:
        write_json(view)
    else:
        page = TextPage()
        page.rows(

                (datetime.fromtimestamp(one.time, UTC).isoformat(" ")[:16], (one.operation, KIND),
                 "" if one.results is None else counted(one.results, "result"), one.asked, (one.session, FAINT))
                for one in view.entries

        )  # fmt: skip
        page.rows(
            [
                (datetime.fromtimestamp(one.first, UTC).isoformat(" ")[:16], (one.session, KIND),
                 counted(one.questions, "question"), f"{one.sent} bytes sent, {one.spared} left out as known",
                 (", ".join(f"{count} {name}" for name, count in list(one.operations.items())[:_SHOWN]), FAINT))
                for one in view.sessions or ()
            ]
        )  # fmt: skip
        if erase:
            page.line(f"{counted(view.erased, 'entry', 'entries')} forgotten.")
        elif not (view.entries or view.sessions):
            page.line("Nothing was asked, or the journal is off (agents.journal).")
        page.write()
    if not (view.entries or view.erased or view.sessions):
        raise NegativeAnswer


def _first_second(day: str) -> int:
    """When a day begins, in seconds since 1970; 0 for none. Raises UsageError."""
    try:
        return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) if day else 0
    except ValueError:
        raise UsageError(f"{day!r} is no day: write it as 2026-01-31.") from None
