"""Risk: raw measures of files, from history and the graph.

Owns: which measures a file has, which of its co-changes no edge explains, their order.
Must not know: how history was read, layout.
Invariant: a measure without its input is absent, never zero; a score lists its parts and only sorts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Final

import attrs

from graphls.analysis.finding import Measure
from graphls.analysis.git_signals import CoChange, FileSignals, GitSignals, Reviewer, reviewers
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot

_SHOWN: Final = 5
_FEW: Final = 3
"""Commits in common from which on a co-change is worth a word."""
_PART_OF_COUPLINGS: Final = 0.75
"""Of a request, up to which links of files that change together are read."""


@attrs.frozen
class CoupledFile:
    """A file that changes together with another one. `hidden`: no edge of the graph ties the two, in either direction;
    null where one of them is in no language that graphls reads."""

    file: str
    count: int
    share: float
    """Percent of the commits of the file that is asked about."""
    last_seen: str
    hidden: bool | None


@attrs.frozen
class FileOwner:
    """One author; `share`: percent of the file's commits."""

    name: str
    email: str
    commits: int
    added: int
    deleted: int
    share: float
    last_seen: str


@attrs.frozen
class RiskSignal:
    """One kind of measure: raw numbers of one input."""

    signal: str
    input: str
    measures: Mapping[str, float | Measure]


@attrs.frozen
class FileRisk:
    """One file that the window has commits of. `rank`: percent of files with a lower score."""

    file: str
    hotspot: float
    rank: float
    signals: tuple[RiskSignal, ...]
    owners: tuple[FileOwner, ...]
    coupled: tuple[CoupledFile, ...]


@attrs.frozen
class HistoryWindow:
    """What the measures are of: commits that are no merges. Dates are in UTC."""

    head: str
    commits: int
    asked: int
    since: str | None
    until: str | None
    caveats: tuple[str, ...]


def history_window(signals: GitSignals) -> HistoryWindow:
    """The commits that were looked at."""
    history = signals.history
    times = [commit.time for commit in history.commits]
    caveats = ["The clone is shallow: what earlier commits did is unknown."] if history.shallow else []
    return HistoryWindow(
        history.head,
        len(times),
        history.asked,
        day_of(min(times)) if times else None,
        day_of(max(times)) if times else None,
        tuple(caveats),
    )


def by_hotspot(signals: GitSignals, paths: Collection[str]) -> Sequence[str]:
    """Those of the files that the window has commits of, highest score first."""
    return sorted(
        (path for path in paths if path in signals.files), key=lambda path: (-signals.files[path].hotspot, path)
    )


def file_risks(snapshot: Snapshot, signals: GitSignals, paths: Collection[str]) -> tuple[FileRisk, ...]:
    """Those of the files that the window has commits of, highest score first."""
    reached: dict[str, frozenset[str] | None] = {}
    return tuple(file_risk(snapshot, signals, signals.files[path], reached) for path in by_hotspot(signals, paths))


def file_risk(
    snapshot: Snapshot, signals: GitSignals, found: FileSignals, reached: dict[str, frozenset[str] | None]
) -> FileRisk:
    """The measures of one file. `reached`: what is known already of the files that others lead to."""
    coupled = tuple(_coupled(snapshot, found, reached))
    first = found.authors[0]
    rows: list[RiskSignal] = [
        RiskSignal("churn", "git", {
            "commits": found.commits, "added": found.added, "deleted": found.deleted, "churn": found.churn,
            "first_seen": day_of(found.first_seen), "last_seen": day_of(found.last_seen),
        }),
        RiskSignal("ownership", "git", {
            "authors": len(found.authors), "primary": f"{first.name} <{first.email}>", "primary_share": first.share,
        }),
        RiskSignal("volatility", "git", {"recent_commits": found.recent, "earlier_commits": found.earlier}),
    ]  # fmt: skip
    hidden = [one for one in coupled if one.hidden]
    if coupled:
        measures = {"co_changing": len(found.co_changes), "hidden_shown": len(hidden)}
        rows.append(RiskSignal("co_change", "git", measures))
    owners = tuple(
        FileOwner(one.name, one.email, one.commits, one.added, one.deleted, one.share, day_of(one.last_seen))
        for one in found.authors[:_SHOWN]
    )
    return FileRisk(found.path, found.hotspot, signals.ranks[found.path], tuple(rows), owners, coupled)


def left_behind(
    snapshot: Snapshot, signals: GitSignals, changed: Sequence[str], limit: int = 10
) -> tuple[tuple[str, CoupledFile], ...]:
    """Files that changed together with those of a change at least three times and in half of their commits, and that
    the change leaves alone: (file of the change, the other), most often first."""
    found: dict[str, tuple[str, CoupledFile]] = {}
    reached: dict[str, frozenset[str] | None] = {}
    for path in changed:
        own = signals.files.get(path)
        for other in own.changes_often_with(_FEW) if own is not None else ():
            if other.path in changed or other.path not in snapshot.shards or own is None:
                continue
            if 2 * other.count < own.commits:
                continue
            known = found.get(other.path)
            if known is None or known[1].count < other.count:
                found[other.path] = (path, _view(snapshot, own, other, reached))
    return tuple(sorted(found.values(), key=lambda one: (-one[1].count, one[1].file))[:limit])


def co_change_rows(snapshot: Snapshot, signals: GitSignals) -> Iterator[tuple[FilePath, CoChange, bool | None]]:
    """Pairs of files of the graph that changed together at least three times, each once, by paths; whether no edge
    ties the two, None where one of them is no code."""
    reached: dict[str, frozenset[str] | None] = {}
    for path in snapshot.shards:
        known = signals.files.get(path)
        there = [] if known is None else [
            one for one in known.changes_often_with(_FEW)
            if path < one.path and FilePath(one.path) in snapshot.shards
        ]  # fmt: skip
        for one in sorted(there, key=lambda one: one.path):
            yield path, one, _is_hidden(snapshot, path, one.path, reached)


def hidden_couplings(snapshot: Snapshot, signals: GitSignals) -> Mapping[FilePath, int]:
    """For each file, with how many of the five that it changes with most, three times at least, no edge ties it; of
    those that a request has the time for, and its answer says that."""
    reached: dict[str, frozenset[str] | None] = {}
    found: dict[FilePath, int] = {}
    for path, shard in snapshot.shards.items():
        known = signals.files.get(path) if shard.language else None
        if known is None:
            continue
        if is_spent_to(_PART_OF_COUPLINGS):
            break
        often = [one for one in known.changes_often_with(_FEW) if FilePath(one.path) in snapshot.shards]
        hidden = sum(_is_hidden(snapshot, path, one.path, reached) is True for one in often[:_SHOWN])
        if hidden:
            found[path] = hidden
    return found


def hidden_of(
    snapshot: Snapshot, own: FileSignals, reached: dict[str, frozenset[str] | None], judged: Callable[[str], bool]
) -> tuple[CoupledFile, ...]:
    """Files of those that are `judged` which changed with one three times at least and that no edge ties to it, most
    often first, at most five. `reached`: what is known already of the files that others lead to."""
    known = own.changes_often_with(_FEW)
    often = (one for one in known if one.path in snapshot.shards and judged(one.path))
    views = (_view(snapshot, own, one, reached) for one in often)
    return tuple(islice((one for one in views if one.hidden), _SHOWN))


def suggested_reviewers(signals: GitSignals, paths: Sequence[str], limit: int = 5) -> tuple[Reviewer, ...]:
    """Who knows these files."""
    return reviewers(signals, tuple(sorted(set(paths))), limit)


def day_of(time: int) -> str:
    """A date in UTC."""
    return datetime.fromtimestamp(time, UTC).date().isoformat()


def _coupled(
    snapshot: Snapshot, found: FileSignals, reached: dict[str, frozenset[str] | None]
) -> Iterator[CoupledFile]:
    """The most frequent that are still there, hidden ones first among equals."""
    there = [one for one in found.co_changes if one.path in snapshot.shards]
    if not there:
        return
    least = there[min(_SHOWN, len(there)) - 1].count
    views = [_view(snapshot, found, one, reached) for one in there[: 10 * _SHOWN] if one.count >= least]
    yield from sorted(views, key=lambda one: (-one.count, one.hidden is not True, one.file))[:_SHOWN]


def _view(
    snapshot: Snapshot, own: FileSignals, other: CoChange, reached: dict[str, frozenset[str] | None]
) -> CoupledFile:
    share = round(100 * other.count / own.commits, 1)
    hidden = _is_hidden(snapshot, own.path, other.path, reached)
    return CoupledFile(other.path, other.count, share, day_of(other.last_seen), hidden)


def _is_hidden(snapshot: Snapshot, one: str, other: str, reached: dict[str, frozenset[str] | None]) -> bool | None:
    from_one, from_other = _reached(snapshot, one, reached), _reached(snapshot, other, reached)
    if from_one is None or from_other is None:
        return None
    return other not in from_one and one not in from_other


def _reached(snapshot: Snapshot, path: str, known: dict[str, frozenset[str] | None]) -> frozenset[str] | None:
    """Files that names of a file lead to; None where nothing can be said, or a request has no time to look."""
    if path not in known:
        if is_spent_to(_PART_OF_COUPLINGS):
            return None
        shard = snapshot.shards.get(FilePath(path))
        known[path] = frozenset(snapshot.links(shard.path).files) if shard is not None and shard.language else None
    return known[path]
