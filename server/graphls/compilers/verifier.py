"""Verifier: the checker of a workspace as the session sees it.

Owns: verify on read within a budget, the current overlay, precedence of people over background work.
Must not know: protocols of editors, who shows what, when snapshots are made.
Invariant: never raises because of a checker, never waits past the budget; what it left out it counts, with the reason.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable
from concurrent.futures import wait
from contextlib import contextmanager

import attrs

from graphls.compilers.checkers import Checker, NoChecker
from graphls.compilers.inquiry import Asked, Inquiry
from graphls.compilers.ledger import Kept, Ledger, Page
from graphls.compilers.overlay import Overlay
from graphls.compilers.problems import CheckerProblemRecord
from graphls.compilers.status import CheckerState, CheckerStatus
from graphls.compilers.uncertain import uncertain_rows
from graphls.compilers.upstream import Limits
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import verified
from graphls.settings.tree import Checker as CheckerSettings
from graphls.sources.workspace import Workspace

Site = tuple[FilePath, int]
"""File and row of its occurrences."""


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


class Verifier:
    """Safe to use from any thread."""

    def __init__(
        self, workspace: Workspace, checker: Checker | NoChecker, limits: Limits | None = None, kept: Kept | None = None
    ) -> None:
        self.checker = checker
        name = f"{checker.name} {checker.stamp}" if isinstance(checker, Checker) else ""
        self.ledger = Ledger(name, kept)
        self.inquiry = (
            Inquiry(workspace, checker, self.ledger, limits or Limits()) if isinstance(checker, Checker) else None
        )
        self._people = 0
        self._quiet = threading.Condition()

    def overlay(self) -> Overlay:
        """Everything answered so far."""
        return self.ledger.overlay()

    def verified(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with all answers there are."""
        return snapshot if self.inquiry is None else verified(snapshot, self.ledger.overlay())

    def settle(self, snapshot: Snapshot, sites: Iterable[Site], budget_ms: float) -> Settled:
        """Asks about those of the sites that are uncertain, and waits for answers until the budget is used up."""
        deadline = time.monotonic() + budget_ms / 1000
        with self._precedence():
            uncertain, asked, reasons = 0, list[Asked](), set[str]()
            for path, rows in _by_file(sites).items():
                page, own, wanted = self._wanted(snapshot, path, rows)
                uncertain += len(wanted)
                missing = [row for row in wanted if page is None or row not in page.rows]
                if not missing:
                    continue
                reason = self._obstacle(path)
                if page is None or self.inquiry is None or reason:
                    reasons.add(reason)
                    asked.extend(_without_answer(reason) for _ in missing)
                    continue
                self.inquiry.show(snapshot)
                asked.extend(self.inquiry.ask(snapshot, page, own, missing))
            done, late = wait(asked, timeout=max(0.0, deadline - time.monotonic()))
        failed = [reason for one in done if (reason := one.result())]
        if late:
            reasons.add(f"the checker needed more than {budget_ms:g} ms")
        reasons.update(failed)
        left = len(late) + len(failed)
        return Settled(self.verified(snapshot), uncertain, uncertain - left, left, "; ".join(sorted(reasons - {""})))

    def settle_file(self, snapshot: Snapshot, path: FilePath, budget_ms: float) -> Settled:
        """All uncertain sites of one file."""
        rows = uncertain_rows(snapshot.facts(path), snapshot.own_links(path))
        return self.settle(snapshot, ((path, row) for row in rows), budget_ms)

    def left_out(self, snapshot: Snapshot, path: FilePath) -> int:
        """Uncertain sites of a file that have no answer yet."""
        page, _, wanted = self._wanted(snapshot, path, None)
        return sum(1 for row in wanted if page is None or row not in page.rows)

    def problems(self, snapshot: Snapshot, path: FilePath) -> tuple[CheckerProblemRecord, ...] | None:
        """What the checker finds wrong with a module; None when it has not looked at these contents yet."""
        shard = snapshot.shards[path]
        if self.inquiry is None or not shard.language:
            return None
        check = self.ledger.check(snapshot, shard, snapshot.own_links(path))
        return None if check is None else check.problems

    def status(self) -> tuple[CheckerStatus, ...]:
        """How the checkers are doing."""
        if self.inquiry is not None:
            return self.inquiry.status()
        checker = self.checker
        off = isinstance(checker, NoChecker) and checker.off
        problem = checker.problem if isinstance(checker, NoChecker) else ""
        state = CheckerState.OFF if off else CheckerState.MISSING
        return (CheckerStatus(checker.name, "", state, 0, problem, 0, 0, 0, None, 0.0),)

    def until_quiet(self, timeout: float) -> bool:
        """Waits until nobody waits for an answer; whether that is so."""
        with self._quiet:
            return self._quiet.wait_for(lambda: self._people == 0, timeout)

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

    def _wanted(
        self, snapshot: Snapshot, path: FilePath, rows: Iterable[int] | None
    ) -> tuple[Page | None, Links, list[int]]:
        """The page of a file and the uncertain rows among those given, or all of them."""
        shard, own = snapshot.shards[path], snapshot.own_links(path)
        covered = self.inquiry is not None and self.inquiry.covers(path)
        page = self.ledger.page(snapshot, shard, own) if covered else None
        known = page.uncertain if page else None
        uncertain = frozenset(uncertain_rows(snapshot.facts(path), own)) if known is None else known
        if page is not None:
            page.uncertain = uncertain
        return page, own, sorted(uncertain if rows is None else uncertain.intersection(rows))

    def _obstacle(self, path: FilePath) -> str:
        if isinstance(self.checker, NoChecker):
            return self.checker.problem
        if self.inquiry is None or not self.inquiry.covers(path):
            return f"{self.checker.name} does not check this language"
        return self.inquiry.usable(path)


def limits_of(settings: CheckerSettings) -> Limits:
    """The limits that a user set."""
    return Limits(memory_bytes=settings.memory_limit_mb * 1_000_000, idle_seconds=float(settings.idle_seconds))


def _by_file(sites: Iterable[Site]) -> dict[FilePath, list[int]]:
    grouped: dict[FilePath, list[int]] = {}
    for path, row in sites:
        grouped.setdefault(path, []).append(row)
    return grouped


def _without_answer(reason: str) -> Asked:
    ended = Asked()
    ended.set_result(reason or "the checker cannot answer")
    return ended
