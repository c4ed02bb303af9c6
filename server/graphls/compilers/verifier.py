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

from graphls.compilers.answer_store import AnswerBackend, AnswerStore, FileAnswers
from graphls.compilers.checker_client import CheckerClient, PendingAnswer
from graphls.compilers.checker_hover import HoverPosition, HoverRequest
from graphls.compilers.checkers import Checker, NoChecker
from graphls.compilers.configuration import packages_read
from graphls.compilers.listed_uses import UsesQuery, UsesRequest
from graphls.compilers.overlay import Overlay
from graphls.compilers.problems import CheckerProblemRecord
from graphls.compilers.status import CheckerState, CheckerStatus
from graphls.compilers.uncertain import uncertain_among, uncertain_rows
from graphls.compilers.upstream import CheckerLimits
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.memo import drop_values
from graphls.graph.snapshot import Snapshot
from graphls.graph.snapshot_pins import pin, retire
from graphls.graph.verification import with_verification
from graphls.languages.registry import language_of
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.workspace import Workspace

Site = tuple[FilePath, int]
"""File and row of its occurrences."""
Group = tuple[FilePath, Callable[[], Collection[int]]]
"""A file, and rows of its occurrences, which are looked up when their turn comes."""

_MAX_REQUESTS = 400
_ATTENTION = 0.1
"""Seconds for which background work gives way after somebody took a snapshot: more questions may follow."""


@attrs.frozen(eq=False)
class SiteVerification:
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
    pending: list[PendingAnswer] = attrs.field(factory=list[PendingAnswer])
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
        limits: CheckerLimits | None = None,
        backend: AnswerBackend | None = None,
    ) -> None:
        self.checkers = tuple(checkers)
        found = [checker for checker in self.checkers if isinstance(checker, Checker)]
        names = {language: f"{one.name} {one.stamp}" for one in found for language in one.description.languages}
        self.observed: Snapshot | None = None
        """The snapshot that was seen last."""
        self._languages: frozenset[str] | None = None
        """Its languages."""
        self.answers = AnswerStore(names, backend, home_of(workspace))
        self.client = CheckerClient(workspace, found, self.answers, limits or CheckerLimits()) if found else None
        self._waiters = 0
        self._busy_until = 0.0
        self._last: tuple[Snapshot | None, Snapshot | None] = (None, None)
        self._quiet = threading.Condition()

    def overlay(self) -> Overlay:
        """Everything answered so far."""
        return self.answers.overlay()

    def drop_values(self) -> None:
        """Lets go of what the last verified snapshot carries along."""
        seen = self._last[1]
        if seen is not None:
            drop_values(seen)

    def verified(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with all answers there are."""
        self.observe(snapshot)
        self._busy_until = time.monotonic() + _ATTENTION
        return self._with_answers(snapshot)

    def verified_in_background(self, snapshot: Snapshot) -> Snapshot:
        """The same for work that nobody waits for."""
        return self._with_answers(snapshot)

    def _with_answers(self, snapshot: Snapshot) -> Snapshot:
        if self.client is None and not self.answers.imported:
            return snapshot
        overlay = self.answers.overlay()
        before, seen = self._last
        result = seen
        if before is not snapshot or result is None or result.verification is not overlay:
            result = with_verification(snapshot, overlay)
            self._last = (snapshot, result)
            if seen is not None and seen is not before:
                retire(seen)
        return pin(result)

    def verify(self, snapshot: Snapshot, sites: Iterable[Site], budget_ms: float) -> SiteVerification:
        """Asks about those of the sites that are uncertain, and waits for answers until the budget is used up."""
        return self.verify_groups(snapshot, _by_file(sites), budget_ms)

    def verify_groups(
        self, snapshot: Snapshot, groups: Iterable[Group], budget_ms: float, patient: bool = True
    ) -> SiteVerification:
        """The same for the sites of one file after the other, as far as time allows. A checker that is starting is
        waited for by the `patient` only."""
        self.observe(snapshot)
        deadline = time.monotonic() + budget_ms / 1000
        tally = _Tally(patient)
        with self._precedence():
            for path, rows in groups:
                if time.monotonic() >= deadline or len(tally.pending) >= _MAX_REQUESTS:
                    # How many of a file are uncertain nobody knows: it counts as one.
                    tally.skip(1, f"there are more places than {budget_ms:g} ms allow")
                else:
                    self._ask(snapshot, path, rows(), tally)
            done, late = wait(tally.pending, timeout=max(0.0, deadline - time.monotonic()))
        for reason in filter(None, (one.result() for one in done)):
            tally.skip(1, reason)
        if late:
            tally.skip(len(late), f"the checker needed more than {budget_ms:g} ms")
        left = tally.left
        reason = "; ".join(sorted(tally.reasons))
        return SiteVerification(
            self._with_answers(snapshot), tally.uncertain, max(tally.uncertain - left, 0), left, reason
        )

    def _ask(self, snapshot: Snapshot, path: FilePath, rows: Collection[int], tally: _Tally) -> None:
        shard = snapshot.shards.get(path)
        if shard is None or not shard.language or not rows:
            return
        own = snapshot.own_links_at(path, rows)
        wanted = uncertain_among(snapshot.facts(path), own, rows, packages_read(path))
        tally.uncertain += len(wanted)
        if not wanted:
            return
        if self.client is None or not self.client.covers(path):
            tally.skip(len(wanted), self._why_unavailable(path, patient=True))
            return
        known = snapshot.known_links(path)
        answers = self.answers
        file_answers = (
            answers.unlinked_answers(snapshot, shard) if known is None else answers.file_answers(snapshot, shard, known)
        )
        missing = [row for row in wanted if row not in file_answers.rows]
        reason = self._why_unavailable(path, patient=tally.patient) if missing else ""
        if reason:
            tally.skip(len(missing), reason)
        elif missing:
            self.client.show(snapshot)
            tally.pending.extend(self.client.ask(snapshot, file_answers, own, missing))

    def verify_file(self, snapshot: Snapshot, path: FilePath, budget_ms: float) -> SiteVerification:
        """All uncertain sites of one file."""
        rows = uncertain_rows(snapshot.facts(path), snapshot.own_links(path), packages_read(path))
        return self.verify(snapshot, ((path, row) for row in rows), budget_ms)

    def uses(self, snapshot: Snapshot, query: UsesQuery, budget_ms: float) -> UsesRequest | None:
        """What the checker lists as uses of a name, where it knows of more than graphls does; else None."""
        if self.client is None or not self.client.covers(query.path):
            return None
        return self.client.uses(snapshot, query, budget_ms)

    def hover(self, snapshot: Snapshot, position: HoverPosition, budget_ms: float) -> HoverRequest | None:
        """What the checker shows of a place; None where there is none that can answer now."""
        if self.client is None or not self.client.covers(position.path):
            return None
        return self.client.hover(snapshot, position, budget_ms)

    def observe(self, snapshot: Snapshot) -> None:
        """Takes note of the languages there are: a checker of none of them is neither started nor reported."""
        before, self.observed = self.observed, snapshot
        # Snapshots with the same modules have the same files.
        if before is None or before.modules is not snapshot.modules:
            self._languages = frozenset(shard.language for shard in snapshot.shards.values())
            if self.client is not None:
                self.client.observe(snapshot)

    def wake(self) -> None:
        """Starts the checkers of the languages there are, in the background."""
        if self.client is not None:
            self.client.wake()

    def wait_ready(self, timeout: float) -> bool:
        """Starts the checkers and waits until they can answer, or cannot be had; whether all can that are installed,
        and one is."""
        end = time.monotonic() + timeout
        self.wake()
        while time.monotonic() < end:
            states = {status.state for status in (self.client.status() if self.client is not None else ())}
            if states <= {CheckerState.READY}:
                return bool(states)
            if CheckerState.STARTING not in states:
                return False
            time.sleep(0.01)
        return False

    def missing_checkers(self) -> tuple[NoChecker, ...]:
        """Languages there are whose checker cannot be had."""
        wanted = self._languages
        missing = [one for one in self.checkers if isinstance(one, NoChecker)]
        return tuple(one for one in missing if wanted is None or wanted & set(one.languages) or not one.languages)

    def has_no_checker(self, path: FilePath) -> bool:
        """Whether there is no checker for a file."""
        return self.client is None or not self.client.covers(path)

    def left_out(self, snapshot: Snapshot, path: FilePath) -> int:
        """Uncertain sites of a file that have no answer yet."""
        file_answers, _, wanted = self._uncertain_rows(snapshot, path)
        return sum(1 for row in wanted if file_answers is None or row not in file_answers.rows)

    def problems(self, snapshot: Snapshot, path: FilePath) -> tuple[CheckerProblemRecord, ...] | None:
        """What the checker finds wrong with a module; None when it has not looked at these contents yet."""
        shard = snapshot.shards[path]
        if self.client is None or not shard.language:
            return None
        check = self.answers.check(snapshot, shard, snapshot.own_links(path))
        return None if check is None else check.problems

    def load_stored(self, snapshot: Snapshot) -> None:
        """Takes in what was kept of earlier runs and what was imported; asks nobody."""
        client, brought = self.client, self.answers.imported
        for path in snapshot.files() if client is not None or brought else ():
            if path in brought or (client is not None and client.covers(path)):
                shard, own = snapshot.shards[path], snapshot.own_links(path)
                self.answers.file_answers(snapshot, shard, own)
                self.answers.check(snapshot, shard, own)

    def status(self) -> tuple[CheckerStatus, ...]:
        """How the checkers are doing."""
        running = self.client.status() if self.client is not None else ()
        return (*running, *map(_absent, self.missing_checkers()))

    def until_quiet(self, timeout: float) -> bool:
        """Waits until nobody waits for an answer; whether that is so."""
        with self._quiet:
            alone = self._quiet.wait_for(lambda: self._waiters == 0, timeout)
        rest = min(self._busy_until - time.monotonic(), timeout)
        if alone and rest > 0:
            time.sleep(rest)
        return alone and time.monotonic() >= self._busy_until

    @contextmanager
    def precedence(self) -> Generator[None]:
        """While this is held, background work pauses: a person waits for something."""
        with self._precedence():
            yield

    def close(self) -> None:
        """Ends all servers and keeps what they said."""
        if self.client is not None:
            self.client.stop()
        self.answers.flush()

    @contextmanager
    def _precedence(self) -> Generator[None]:
        with self._quiet:
            self._waiters += 1
        try:
            yield
        finally:
            with self._quiet:
                self._waiters -= 1
                self._quiet.notify_all()

    def _uncertain_rows(self, snapshot: Snapshot, path: FilePath) -> tuple[FileAnswers | None, Links, list[int]]:
        """The page of a file and all its uncertain rows."""
        shard, own = snapshot.shards[path], snapshot.own_links(path)
        covered = self.client is not None and self.client.covers(path)
        file_answers = self.answers.file_answers(snapshot, shard, own) if covered else None
        known = file_answers.uncertain if file_answers else None
        if known is None:
            known = frozenset(uncertain_rows(snapshot.facts(path), own, packages_read(path)))
        if file_answers is not None:
            file_answers.uncertain = known
        return file_answers, own, sorted(known)

    def _why_unavailable(self, path: FilePath, *, patient: bool) -> str:
        if self.client is None or not self.client.covers(path):
            language = language_of(path)
            missing = (one for one in self.checkers if isinstance(one, NoChecker))
            problem = next((one.problem for one in missing if language in one.languages or not one.languages), "")
            return problem or f"no checker reads files like {path.rpartition('/')[2]}"
        reason = self.client.usable(path)
        if not (reason or patient or self.client.ready(path)):
            self.client.wake()
            return f"{self.client.name_of(path)} is starting"
        return reason


def _absent(one: NoChecker) -> CheckerStatus:
    state = CheckerState.OFF if one.off else CheckerState.MISSING
    return CheckerStatus(one.name, "", state, 0, one.problem, 0, 0, 0, None, 0.0, one.languages)


def limits_of(settings: CheckerSettings) -> CheckerLimits:
    """The limits that a user set."""
    return CheckerLimits(memory_bytes=settings.memory_limit_mb * 1_000_000, idle_seconds=float(settings.idle_seconds))


def _by_file(sites: Iterable[Site]) -> Iterable[Group]:
    grouped: dict[FilePath, list[int]] = {}
    for path, row in sites:
        grouped.setdefault(path, []).append(row)
    return [(path, partial(tuple[int, ...], rows)) for path, rows in grouped.items()]
