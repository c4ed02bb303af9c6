"""Decision health: decisions that may be out of date or get in each other's way, and hot files that none governs.

Owns: from when a decision counts as stale, which code counts as ungoverned, the records of an answer.
Must not know: layout, how decisions are found, how history is read.
Invariant: ages count from the newest commit of the window, never from the clock; without history nothing is stale or
    ungoverned, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.decisions import Decision, conflicts, decisions, unreadable_records
from graphls.analysis.git_signals import GitSignals
from graphls.analysis.risk import day_of
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.node_views import Presenter
from graphls.session.comparing import NoHistory, edits
from graphls.session.decision_report import ConflictView
from graphls.session.health_report import HealthSources
from graphls.session.risk_report import signals_of
from graphls.sources.limits import SourceLimits

STALE_DAYS: Final = 180
_DAY: Final = 86_400


@attrs.frozen(kw_only=True)
class StaleDecision:
    """A decision in a document that nobody changed for 180 days, or that code it governs has outlived. `changed`: the
    day of its last commit, null where the window has none; `since`: files it governs that changed later, newest
    first."""

    id: str
    title: str
    file: str
    changed: str | None
    days: int | None
    since: tuple[str, ...]


@attrs.frozen(kw_only=True)
class UngovernedFile:
    """A file of code that no decision is about, with its score of history."""

    file: str
    hotspot: float
    commits: int


@attrs.frozen(kw_only=True)
class DecisionHealth:
    """`head`: the commit that history ends with, null without one; then `stale` and `ungoverned` are null.
    `overlapping`: places that several decisions govern, `conflicting` those among them of different status;
    `unreadable`: documents in folders for decisions whose front matter is no YAML."""

    head: str | None
    decisions: int
    stale: tuple[StaleDecision, ...] | None
    conflicting: tuple[ConflictView, ...]
    overlapping: tuple[ConflictView, ...]
    ungoverned: tuple[UngovernedFile, ...] | None
    unreadable: tuple[str, ...]


def decision_health(snapshot: Snapshot, sources: HealthSources, limit: int = 20) -> DecisionHealth:
    """How the decisions of a workspace stand."""
    found, things = decisions(snapshot), Presenter(snapshot)
    try:
        signals = signals_of(sources.workspace, snapshot, sources.store)
    except NoHistory:
        signals = None
    return DecisionHealth(
        head=None if signals is None else signals.history.head,
        decisions=len(found),
        stale=None if signals is None else tuple(_stale(found, signals, _edited(snapshot, sources))),
        conflicting=tuple(ConflictView(symbol=things.symbol(one.place), decisions=one.decisions)
                          for one in conflicts(found)),
        overlapping=tuple(ConflictView(symbol=things.symbol(place), decisions=ids)
                          for place, ids in _overlapping(found).items()),
        ungoverned=None if signals is None else tuple(_ungoverned(snapshot, found, signals))[:limit],
        unreadable=tuple(unreadable_records(snapshot)),
    )  # fmt: skip


def _edited(snapshot: Snapshot, sources: HealthSources) -> frozenset[FilePath]:
    """Files that nobody committed as they are: these are newer than any commit."""
    try:
        found = edits(sources.workspace, snapshot, SourceLimits.of(sources.settings.files), "all")
    except NoHistory:
        return frozenset()
    return frozenset(one.path for one in found)


def _stale(found: Sequence[Decision], signals: GitSignals, edited: frozenset[FilePath]) -> Iterator[StaleDecision]:
    times = [commit.time for commit in signals.history.commits]
    if not times:
        return
    newest, oldest = max(times), min(times)
    for one in found:
        if one.source != "document" or one.status not in ("accepted", "proposed") or one.file in edited:
            continue
        known = signals.files.get(one.file)
        last = known.last_seen if known is not None else None
        # Without a commit in the window it is older than all of these.
        age = (newest - (oldest if last is None else last)) // _DAY
        later = {
            place.file: signals.files[place.file].last_seen
            for place in one.governs
            if place.file in signals.files and signals.files[place.file].last_seen > (oldest if last is None else last)
        }
        if age >= STALE_DAYS or later:
            since = tuple(sorted(later, key=lambda path: (-later[path], path)))
            day = None if last is None else day_of(last)
            yield StaleDecision(id=one.id, title=one.title, file=one.file, changed=day,
                                days=age if last is not None else None, since=since)  # fmt: skip


def _overlapping(found: Sequence[Decision]) -> Mapping[SymbolRef, tuple[str, ...]]:
    by_place: dict[SymbolRef, list[str]] = {}
    for one in found:
        for place in dict.fromkeys(one.governs):
            by_place.setdefault(place, []).append(one.id)
    places = sorted(by_place, key=lambda place: (place.file, place.definition))
    return {place: tuple(by_place[place]) for place in places if len(by_place[place]) > 1}


def _ungoverned(snapshot: Snapshot, found: Sequence[Decision], signals: GitSignals) -> Iterator[UngovernedFile]:
    governed = {place.file for one in found for place in one.governs}
    hot = [
        signals.files[path] for path, shard in snapshot.shards.items()
        if shard.language and path in signals.files and path not in governed
        and not is_test_file(path) and not comes_last(snapshot, path)
    ]  # fmt: skip
    for one in sorted(hot, key=lambda one: (-one.hotspot, one.path)):
        yield UngovernedFile(file=FilePath(one.path), hotspot=one.hotspot, commits=one.commits)
