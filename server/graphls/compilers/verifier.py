"""Verifier: the checker of a workspace as the session sees it.

Owns: verify on read within a budget, the current overlay, precedence of people over background work.
Must not know: protocols of editors, who shows what, when snapshots are made.
Invariant: never raises because of a checker, never waits past the budget; what it left out it counts, with the reason.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable
from concurrent.futures import wait
from contextlib import contextmanager
from functools import partial

import attrs

from graphls.compilers.checkers import Checker, NoChecker
from graphls.compilers.configuration import packages_read
from graphls.compilers.inquiry import Asked, Inquiry
from graphls.compilers.ledger import Kept, Ledger, Page
from graphls.compilers.listed_uses import Asked as AskedName
from graphls.compilers.listed_uses import ListedUses
from graphls.compilers.overlay import Overlay
from graphls.compilers.problems import CheckerProblemRecord
from graphls.compilers.shown import Shown, Spot
from graphls.compilers.status import CheckerState, CheckerStatus
from graphls.compilers.uncertain import uncertain_among, uncertain_rows
from graphls.compilers.upstream import Limits
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import verified
from graphls.languages.registry import language_of
from graphls.settings.tree import Checker as CheckerSettings
from graphls.sources.workspace import Workspace

Site = tuple[FilePath, int]
"""File and row of its occurrences."""
Group = tuple[FilePath, Callable[[], Collection[int]]]
"""A file, and rows of its occurrences, which are looked up when their turn comes."""

_MOST_ASKED = 400
_ATTENTION = 0.1
"""Seconds for which background work gives way after somebody took a snapshot: more questions may follow."""


@attrs.frozen(eq=False)
class Settled:
    """What verification on read came to."""

    snapshot: Snapshot
    """The same contents, with all answers there are."""
    uncertain: int
    """Sites among those named that needed the checker."""
    answered: int
    left_out: int
    """Uncertain sites without an answer yet."""
    reason: str
    """Why sites were left out, "" when none were."""


@attrs.define(eq=False)
class _Tally:
    patient: bool
    uncertain: int = 0
    left: int = 0
    asked: list[Asked] = attrs.field(factory=list[Asked])
    reasons: set[str] = attrs.field(factory=set[str])

    def skip(self, sites: int, reason: str) -> None:
        self.left += sites
        self.reasons.add(reason or "the checker cannot answer")


def home_of(workspace: Workspace) -> str:
    """Names a workspace on this machine."""
    return "\n".join(folder.root for folder in workspace.folders)


class Verifier:
    """Safe to use from any thread."""

    def __init__(
        self,
        workspace: Workspace,
        checkers: Iterable[Checker | NoChecker],
        limits: Limits | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.checkers = tuple(checkers)
        found = [checker for checker in self.checkers if isinstance(checker, Checker)]
        names = {language: f"{one.name} {one.stamp}" for one in found for language in one.known.languages}
        self.attended: Snapshot | None = None
        """The snapshot that was seen last."""
        self._languages: frozenset[str] | None = None
        """Its languages."""
        self.ledger = Ledger(names, kept, home_of(workspace))
        self.inquiry = Inquiry(workspace, found, self.ledger, limits or Limits()) if found else None
        self._people = 0
        self._people_until = 0.0
        self._last: tuple[Snapshot | None, Snapshot | None] = (None, None)
        self._quiet = threading.Condition()

    def overlay(self) -> Overlay:
        """Everything answered so far."""
        return self.ledger.overlay()

    def verified(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with all answers there are."""
        self.attend(snapshot)
        self._people_until = time.monotonic() + _ATTENTION
        return self._seen(snapshot)

    def seen(self, snapshot: Snapshot) -> Snapshot:
        """The same for work that nobody waits for."""
        return self._seen(snapshot)

    def _seen(self, snapshot: Snapshot) -> Snapshot:
        if self.inquiry is None and not self.ledger.imported:
            return snapshot
        overlay = self.ledger.overlay()
        before, seen = self._last
        if before is not snapshot or seen is None or seen.verification is not overlay:
            seen = verified(snapshot, overlay)
            self._last = (snapshot, seen)
        return seen

    def settle(self, snapshot: Snapshot, sites: Iterable[Site], budget_ms: float) -> Settled:
        """Asks about those of the sites that are uncertain, and waits for answers until the budget is used up."""
        return self.settle_groups(snapshot, _by_file(sites), budget_ms)

    def settle_groups(
        self, snapshot: Snapshot, groups: Iterable[Group], budget_ms: float, patient: bool = True
    ) -> Settled:
        """The same for the sites of one file after the other, as far as time allows. A checker that is starting is
        waited for by the `patient` only."""
        self.attend(snapshot)
        deadline = time.monotonic() + budget_ms / 1000
        tally = _Tally(patient)
        with self._precedence():
            for path, rows in groups:
                if time.monotonic() >= deadline or len(tally.asked) >= _MOST_ASKED:
                    # How many of a file are uncertain nobody knows: it counts as one.
                    tally.skip(1, f"there are more places than {budget_ms:g} ms allow")
                else:
                    self._ask(snapshot, path, rows(), tally)
            done, late = wait(tally.asked, timeout=max(0.0, deadline - time.monotonic()))
        for reason in filter(None, (one.result() for one in done)):
            tally.skip(1, reason)
        if late:
            tally.skip(len(late), f"the checker needed more than {budget_ms:g} ms")
        left = tally.left
        reason = "; ".join(sorted(tally.reasons))
        return Settled(self._seen(snapshot), tally.uncertain, max(tally.uncertain - left, 0), left, reason)

    def _ask(self, snapshot: Snapshot, path: FilePath, rows: Collection[int], tally: _Tally) -> None:
        shard = snapshot.shards.get(path)
        if shard is None or not shard.language or not rows:
            return
        own = snapshot.own_links_at(path, rows)
        wanted = uncertain_among(snapshot.facts(path), own, rows, packages_read(path))
        tally.uncertain += len(wanted)
        if not wanted:
            return
        if self.inquiry is None or not self.inquiry.covers(path):
            tally.skip(len(wanted), self._obstacle(path, patient=True))
            return
        known = snapshot.known_links(path)
        ledger = self.ledger
        page = ledger.passing_page(snapshot, shard) if known is None else ledger.page(snapshot, shard, known)
        missing = [row for row in wanted if row not in page.rows]
        reason = self._obstacle(path, patient=tally.patient) if missing else ""
        if reason:
            tally.skip(len(missing), reason)
        elif missing:
            self.inquiry.show(snapshot)
            tally.asked.extend(self.inquiry.ask(snapshot, page, own, missing))

    def settle_file(self, snapshot: Snapshot, path: FilePath, budget_ms: float) -> Settled:
        """All uncertain sites of one file."""
        rows = uncertain_rows(snapshot.facts(path), snapshot.own_links(path), packages_read(path))
        return self.settle(snapshot, ((path, row) for row in rows), budget_ms)

    def uses(self, snapshot: Snapshot, asked: AskedName, budget_ms: float) -> ListedUses | None:
        """What the checker lists as uses of a name, where it knows of more than graphls does; else None."""
        if self.inquiry is None or not self.inquiry.covers(asked.path):
            return None
        return self.inquiry.uses(snapshot, asked, budget_ms)

    def shown(self, snapshot: Snapshot, spot: Spot, budget_ms: float) -> Shown | None:
        """What the checker shows of a place; None where there is none that can answer now."""
        if self.inquiry is None or not self.inquiry.covers(spot.path):
            return None
        return self.inquiry.shown(snapshot, spot, budget_ms)

    def attend(self, snapshot: Snapshot) -> None:
        """Takes note of the languages there are: a checker of none of them is neither started nor reported."""
        before, self.attended = self.attended, snapshot
        # Snapshots with the same modules have the same files.
        if before is None or before.modules is not snapshot.modules:
            self._languages = frozenset(shard.language for shard in snapshot.shards.values())
            if self.inquiry is not None:
                self.inquiry.attend(snapshot)

    def wake(self) -> None:
        """Starts the checkers of the languages there are, in the background."""
        if self.inquiry is not None:
            self.inquiry.wake()

    def wait_ready(self, timeout: float) -> bool:
        """Starts the checkers and waits until they can answer, or cannot be had; whether all can that are installed,
        and one is."""
        end = time.monotonic() + timeout
        self.wake()
        while time.monotonic() < end:
            states = {status.state for status in (self.inquiry.status() if self.inquiry is not None else ())}
            if states <= {CheckerState.READY}:
                return bool(states)
            if CheckerState.STARTING not in states:
                return False
            time.sleep(0.01)
        return False

    def lacking(self) -> tuple[NoChecker, ...]:
        """Languages there are whose checker cannot be had."""
        wanted = self._languages
        missing = [one for one in self.checkers if isinstance(one, NoChecker)]
        return tuple(one for one in missing if wanted is None or wanted & set(one.languages) or not one.languages)

    def lacks(self, path: FilePath) -> bool:
        """Whether there is no checker for a file."""
        return self.inquiry is None or not self.inquiry.covers(path)

    def left_out(self, snapshot: Snapshot, path: FilePath) -> int:
        """Uncertain sites of a file that have no answer yet."""
        page, _, wanted = self._wanted(snapshot, path)
        return sum(1 for row in wanted if page is None or row not in page.rows)

    def problems(self, snapshot: Snapshot, path: FilePath) -> tuple[CheckerProblemRecord, ...] | None:
        """What the checker finds wrong with a module; None when it has not looked at these contents yet."""
        shard = snapshot.shards[path]
        if self.inquiry is None or not shard.language:
            return None
        check = self.ledger.check(snapshot, shard, snapshot.own_links(path))
        return None if check is None else check.problems

    def recall(self, snapshot: Snapshot) -> None:
        """Takes in what was kept of earlier runs and what was imported; asks nobody."""
        inquiry, brought = self.inquiry, self.ledger.imported
        for path in snapshot.files() if inquiry is not None or brought else ():
            if path in brought or (inquiry is not None and inquiry.covers(path)):
                shard, own = snapshot.shards[path], snapshot.own_links(path)
                self.ledger.page(snapshot, shard, own)
                self.ledger.check(snapshot, shard, own)

    def status(self) -> tuple[CheckerStatus, ...]:
        """How the checkers are doing."""
        running = self.inquiry.status() if self.inquiry is not None else ()
        return (*running, *map(_absent, self.lacking()))

    def until_quiet(self, timeout: float) -> bool:
        """Waits until nobody waits for an answer; whether that is so."""
        with self._quiet:
            alone = self._quiet.wait_for(lambda: self._people == 0, timeout)
        rest = min(self._people_until - time.monotonic(), timeout)
        if alone and rest > 0:
            time.sleep(rest)
        return alone and time.monotonic() >= self._people_until

    @contextmanager
    def precedence(self) -> Generator[None]:
        """While this is held, background work pauses: a person waits for something."""
        with self._precedence():
            yield

    def close(self) -> None:
        """Ends all servers and keeps what they said."""
        if self.inquiry is not None:
            self.inquiry.stop()
        self.ledger.flush()

    @contextmanager
    def _precedence(self) -> Generator[None]:
        with self._quiet:
            self._people += 1
        try:
            yield
        finally:
            with self._quiet:
                self._people -= 1
                self._quiet.notify_all()

    def _wanted(self, snapshot: Snapshot, path: FilePath) -> tuple[Page | None, Links, list[int]]:
        """The page of a file and all its uncertain rows."""
        shard, own = snapshot.shards[path], snapshot.own_links(path)
        covered = self.inquiry is not None and self.inquiry.covers(path)
        page = self.ledger.page(snapshot, shard, own) if covered else None
        known = page.uncertain if page else None
        if known is None:
            known = frozenset(uncertain_rows(snapshot.facts(path), own, packages_read(path)))
        if page is not None:
            page.uncertain = known
        return page, own, sorted(known)

    def _obstacle(self, path: FilePath, *, patient: bool) -> str:
        if self.inquiry is None or not self.inquiry.covers(path):
            language = language_of(path)
            missing = (one for one in self.checkers if isinstance(one, NoChecker))
            problem = next((one.problem for one in missing if language in one.languages or not one.languages), "")
            return problem or f"no checker reads files like {path.rpartition('/')[2]}"
        reason = self.inquiry.usable(path)
        if not (reason or patient or self.inquiry.ready(path)):
            self.inquiry.wake()
            return f"{self.inquiry.name_of(path)} is starting"
        return reason


def _absent(one: NoChecker) -> CheckerStatus:
    state = CheckerState.OFF if one.off else CheckerState.MISSING
    return CheckerStatus(one.name, "", state, 0, one.problem, 0, 0, 0, None, 0.0, one.languages)


def limits_of(settings: CheckerSettings) -> Limits:
    """The limits that a user set."""
    return Limits(memory_bytes=settings.memory_limit_mb * 1_000_000, idle_seconds=float(settings.idle_seconds))


def _by_file(sites: Iterable[Site]) -> Iterable[Group]:
    grouped: dict[FilePath, list[int]] = {}
    for path, row in sites:
        grouped.setdefault(path, []).append(row)
    return [(path, partial(tuple[int, ...], rows)) for path, rows in grouped.items()]
