"""Session: where a session of an agent stands.

Owns: arguments of `graphls session`, its layout.
Must not know: how sessions are kept.
Invariant: what the text says is in the record, with the same numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.analysis.findings import findings
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import located, opened, opened_store
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted
from graphls.session.agent_snapshot import AgentSnapshot, agent_snapshot
from graphls.session.known_findings import known_findings
from graphls.session.session_events import EventTotals, SessionEvent, SessionEvents

COMMAND = CommandEntry(help="Show a session of an agent, or take in its events.", rank=291)


class SessionAction(StrEnum):
    """What is asked."""

    SNAPSHOT = "snapshot"
    RECORD = "record"
    EVENTS = "events"


_ACTION = typer.Argument(
    metavar="[snapshot|record|events]",
    help="Its snapshot; take in events of an agent, JSON, one a line, from standard input; list them.",
)


@attrs.frozen
class EventsView:
    """Events, newest first. `taken_in`: how many came just now."""

    events: tuple[SessionEvent, ...]
    totals: EventTotals
    taken_in: int = 0


def run(
    ctx: typer.Context,
    action: Annotated[SessionAction, _ACTION] = SessionAction.SNAPSHOT,
    *,
    session: Annotated[str, typer.Option("--session", metavar="ID", help="Which; the last one if not given.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Rows of each list.")] = 10,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if action is not SessionAction.SNAPSHOT:
        _events(ctx, root, session, limit, format, taking=action is SessionAction.RECORD)
        return
    with opened(ctx, root, "complete") as workspace:
        beside = known_findings(workspace.workspace, workspace.settings, workspace.store)
        answered = findings(workspace.snapshot, workspace.settings, beside)
        found = agent_snapshot(
            workspace.workspace, workspace.snapshot, answered, workspace.store, session=session, limit=limit
        )
    if format is Format.JSON:
        write_json(found)
    else:
        _page(found).write()


def _events(ctx: typer.Context, root: str, session: str, limit: int, format: Format, *, taking: bool) -> None:
    place = located(ctx, root)
    store = opened_store(ctx, place.settings)
    if store is None:
        raise UsageError("The cache is switched off, and events stand there.")
    if taking and not place.settings.agents.journal:
        raise UsageError("The journal is off (agents.journal).")
    try:
        events = SessionEvents(store, place.workspace)
        count = events.take_in(sys.stdin, session) if taking else 0
        view = EventsView(() if taking else events.entries(session, limit=limit), events.totals(session), count)
    finally:
        store.close()
    if format is Format.JSON:
        write_json(view)
        return
    page = TextPage()
    if taking:
        page.line(f"{counted(count, 'event')} taken in.")
    page.rows(
        (datetime.fromtimestamp(one.time, UTC).isoformat(" ")[:16], (one.kind, KIND), (one.tool, NAME), one.target,
         f"{one.bytes} bytes" if one.bytes else "", one.decision,
         (" ".join(filter(None, (one.session, one.provider, one.model))), FAINT))
        for one in view.events
    )  # fmt: skip
    page.write()


def _page(found: AgentSnapshot) -> TextPage:
    page, ledger, graph = TextPage(), found.ledger, found.graph
    where = f"{found.repository.branch or 'no branch'} at {(found.repository.head or 'no commit')[:12]}"
    session = found.session.id or "none has asked yet"
    reads = f"{counted(ledger.reads, 'reading')}, {ledger.cache_hits} known"
    tokens = f"about {ledger.tokens_sent} tokens sent, {ledger.tokens_removed} left out"
    page.rows([
        ("repository", (found.repository.root, NAME), where if found.repository.git_detected else "no git repository"),
        ("session", (session, NAME), "" if found.session.source == "fallback" else found.session.source),
        ("graph", graph.freshness, f"{counted(graph.indexed, 'file')} of {graph.files} in a language"),
        ("findings", _counts(found.findings), ""),
        ("outcomes", _counts(found.outcomes), ""),
        ("ledger", counted(ledger.events, "event"),
         f"{reads}; {tokens}"),
        ("reported", counted(ledger.reported.events, "event"), _counts(ledger.reported.kinds)),
        ("risk", found.risk.level, "; ".join(found.risk.reasons)),
    ])  # fmt: skip
    for one in found.current_blockers:
        page.line(f"  {one.rule}  {one.title}  ", (f"{one.file}:{one.line}", PLACE))
    if found.linked_ids:
        page.heading("the last answers were about")
        page.rows([(one,) for one in found.linked_ids], indent="  ")
    if found.recommended_checks:
        page.heading("to look at next")
        page.rows([((one, FAINT),) for one in found.recommended_checks], indent="  ")
    return page


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
