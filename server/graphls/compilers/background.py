"""Background: settling every uncertain site of a workspace while nobody waits.

Owns: which files are asked about, their order, how many questions are under way, giving way to people, the share of
    the machine that this takes, progress.
Must not know: protocols of editors, how snapshots are made.
Invariant: the result does not depend on the order of files, nor on what people ask meanwhile; a new snapshot
    is taken up where the last one was left; a file without uncertain sites costs nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from zlib import crc32

import attrs

from graphls.compilers.answer_store import FileAnswers
from graphls.compilers.checker_client import CheckerClient, PendingAnswer
from graphls.compilers.configuration import configuration_in, packages_read
from graphls.compilers.overlay import dependency_key_in, hashes_of
from graphls.compilers.uncertain import sample_rows, uncertain_rows
from graphls.compilers.verifier import Verifier
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.idle_share import IdleShare
from graphls.graph.snapshot import Shard, Snapshot
from graphls.graph.snapshot_pins import pin, pinning

WINDOW = 32
"""Questions under way. A server with two cores is busy from about 16 on; more only makes people wait behind them."""
_BURST = 8
"""Questions that are sent together: threads that wake for each single one cost more than the questions do."""
_BATCH = 16
"""Modules checked at a time: all of them are open meanwhile."""
_PAUSE = 30.0
_LONGEST_WAIT = 0.6
_LONGEST_ANSWER = 2.5
"""Seconds that this gives way to people who wait for the checker, and to those who wait for this process: an answer has
two seconds, and work beside it takes half of them."""
_GRANT = 0.3
"""Seconds of work for each such wait."""
_LOOK = 0.005
_FLUSH_FILES = 100
_TURNS = 3
"""So often a file is asked about in turn, where others ask in between."""
_REPORT = 0.1
"""Seconds between two reports of progress: whoever listens wakes for each."""
_SAMPLED = 2_000
"""Files without uncertain sites that are asked about all the same, for the sample, and judged; of more every second
or third, and so on."""


@attrs.frozen
class CheckerProgress:
    """How far the work on one snapshot is."""

    revision: int
    phase: str
    """`sites`, then `modules`, then `done`; `stopped` when the checker cannot go on."""
    files: int
    total: int
    asked: int
    without_answer: int
    problem: str = ""


@attrs.define(eq=False)
class _PassCounts:
    files: int = 0
    requests: int = 0
    without: int = 0
    problem: str = ""
    stuck: set[object] = attrs.field(factory=set[object])
    """Servers that cannot go on."""


@attrs.frozen(eq=False)
class _FileSites:
    """A file whose sites are asked about one after the other."""

    inquiry: CheckerClient
    snapshot: Snapshot
    page: FileAnswers
    own: Links
    rows: Sequence[int]


class Background:
    """One thread that works on the snapshot given last. `report` is called on that thread."""

    def __init__(
        self,
        verifier: Verifier,
        report: Callable[[CheckerProgress], None] | None = None,
        check_modules: bool = True,
        *,
        is_answering: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_answering`: whether somebody waits for an answer, which need not be one of the checker."""
        self._verifier = verifier
        self._is_answering = is_answering
        self._report = report or _ignore
        self._check_modules = check_modules
        self._wake = threading.Condition()
        self._next: tuple[Snapshot, tuple[FilePath, ...]] | None = None
        self._stopping = False
        self._grant_until = 0.0
        self._working = False
        self._thread: threading.Thread | None = None
        self._share = IdleShare(worked=time.monotonic)
        """The checker works while this waits for it."""
        self._waiting = 0
        """Threads that wait until all is done."""
        self._finished: dict[FilePath, str] = {}
        """What links rested on when all sites of a file had been asked about."""
        self._checked_modules: dict[FilePath, str] = {}

    def work_on(self, snapshot: Snapshot, first: Sequence[FilePath] = ()) -> None:
        """Turns to a snapshot; `first`: open files, then those that changed."""
        if self._verifier.client is None:
            return
        with self._wake:
            self._next = (snapshot, tuple(first))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="verification", daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until there is nothing left to do; whether that is so."""
        with self._wake:
            self._waiting += 1
            self._wake.notify_all()
            try:
                return self._wake.wait_for(lambda: not self._working and self._next is None, timeout)
            finally:
                self._waiting -= 1

    def halt(self) -> None:
        """Begins nothing new; waits for nothing."""
        with self._wake:
            self._stopping = True
            self._next = None
            self._wake.notify_all()

    def stop(self, patience: float = _PAUSE) -> None:
        """Ends the thread soon; what was answered stays."""
        self.halt()
        if self._thread is not None:
            self._thread.join(patience)

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._next is not None or self._stopping)
                if self._stopping or self._next is None:
                    return
                snapshot, first = self._next
                self._next, self._working = None, True
            try:
                with pinning():
                    self._pass(pin(snapshot), first)
            except Exception as error:  # noqa: BLE001 (a file may change under it; the next snapshot is taken up anew)
                problem = f"{type(error).__name__}: {error}"[:300]
                self._report(CheckerProgress(snapshot.revision, "stopped", 0, 0, 0, 0, problem))
            finally:
                with self._wake:
                    self._working = False
                    self._wake.notify_all()

    def _is_superseded(self) -> bool:
        return self._stopping or self._next is not None

    def _pass(self, snapshot: Snapshot, first: Sequence[FilePath]) -> None:
        client = self._verifier.client
        if client is None:
            return
        client.show(snapshot)
        self._verifier.answers.forget(snapshot.shards)
        paths = _wanted(client, snapshot, first)
        count = _PassCounts()
        self._share.resume()
        reported = 0.0
        for phase, step in (("sites", self._sites), ("modules", self._modules)):
            judged = phase == "modules"
            wanted = (
                [path for path in paths if self._check_modules and client.checks_modules(path)] if judged else paths
            )
            if not wanted:
                continue
            count.files = 0
            for _ in step(client, snapshot, wanted, count):
                if (now := time.monotonic()) - reported > _REPORT:
                    reported, asked = now, (count.requests, count.without)
                    self._report(CheckerProgress(snapshot.revision, phase, count.files, len(wanted), *asked))
                if self._is_superseded():
                    break
            if self._is_superseded() or count.stuck >= {client.server_of(path) for path in paths}:
                break
        self._verifier.answers.flush()
        phase = "stopped" if count.problem or self._is_superseded() else "done"
        report = CheckerProgress(
            snapshot.revision, phase, count.files, len(paths), count.requests, count.without, count.problem
        )
        self._report(report)

    def _sites(
        self, client: CheckerClient, snapshot: Snapshot, paths: Sequence[FilePath], count: _PassCounts
    ) -> Iterator[None]:
        """Asks about sites file by file, with a steady number of questions under way."""
        window = _RequestWindow()
        for path in paths:
            stamp = _stamp(snapshot, path)
            if self._is_finished(snapshot, path, stamp):
                count.files += 1
                continue
            self._yield_to_foreground()
            if client.server_of(path) in count.stuck:
                count.files, count.without = count.files + 1, count.without + 1
                continue
            shard, own = snapshot.shards[path], snapshot.own_links(path)
            facts = snapshot.facts(path)
            file_answers = self._verifier.answers.file_answers(snapshot, shard, own)
            # Before the first question: one that fails takes this back, whenever that is.
            self._finished[path] = _stamp(snapshot, path)
            rows = {*uncertain_rows(facts, own, packages_read(path)), *sample_rows(facts)}
            if client.is_order_sensitive(path):
                self._ask_sequentially(_FileSites(client, snapshot, file_answers, own, sorted(rows)), count)
            else:
                for pending in client.ask(
                    snapshot, file_answers, own, self._admit(sorted(rows - file_answers.rows.keys()), window)
                ):
                    window.watch(pending, path, partial(self._finished.pop, path, None))
                    count.requests += 1
            if self._is_superseded():
                self._finished.pop(path, None)
            count.files += 1
            for failed, reasons in window.reasons().items():
                self._note(client, failed, reasons, count)
            if count.files % _FLUSH_FILES == 0:
                self._verifier.answers.flush()
            yield
        window.empty()
        for failed, reasons in window.reasons().items():
            self._note(client, failed, reasons, count)

    def _ask_sequentially(self, file: _FileSites, count: _PassCounts) -> None:
        """Asks a checker that wavers about all sites of a file, one after the other in the order of the text, and once
        more where others asked about the file meanwhile: calls come before what is handed to them."""
        client, file_answers, path = file.inquiry, file.page, file.page.path
        if file_answers.sequential and file_answers.rows.keys() >= set(file.rows):
            return
        for _ in range(_TURNS):
            if client.is_out_of_order(path):
                client.refresh(path)
            reasons: list[str] = []
            for pending in client.ask(file.snapshot, file_answers, file.own, file.rows, sequential=True):
                reasons += filter(None, (pending.result(),))
                count.requests += 1
                self._yield_to_foreground()
                if self._is_superseded():
                    return
            if reasons:
                self._finished.pop(path, None)
                self._note(client, path, reasons, count)
                return
            if not client.is_out_of_order(path):
                self._verifier.answers.mark_sequential(file_answers, file.snapshot)
                return

    def _modules(
        self, client: CheckerClient, snapshot: Snapshot, paths: Sequence[FilePath], count: _PassCounts
    ) -> Iterator[None]:
        """Has the checker judge whole modules, a batch at a time."""
        batch: list[tuple[Shard, str]] = []
        for number, path in enumerate(paths, 1):
            stamp = _stamp(snapshot, path)
            if stamp and self._checked_modules.get(path) == stamp and not (batch and number == len(paths)):
                count.files = number
                continue
            shard, own = snapshot.shards[path], snapshot.own_links(path)
            if client.server_of(path) in count.stuck:
                count.without += 1
            elif self._verifier.answers.check(snapshot, shard, own) is None:
                batch.append((shard, dependency_key_in(snapshot, path, own)))
            if batch and (len(batch) == _BATCH or number == len(paths)):
                self._yield_to_foreground()
                pending = client.check(snapshot, batch)
                for (shard, _), one in zip(batch, pending, strict=True):
                    if reason := one.result():
                        self._note(client, shard.path, (reason,), count)
                    else:
                        self._checked_modules[shard.path] = _stamp(snapshot, shard.path)
                batch = []
            count.files = number
            yield

    def _is_finished(self, snapshot: Snapshot, path: FilePath, stamp: str) -> bool:
        if not stamp or self._finished.get(path) != stamp:
            return False
        return self._verifier.answers.current(path, hashes_of(snapshot))

    def _admit(self, rows: Iterable[int], window: _RequestWindow) -> Iterator[int]:
        self._yield_to_foreground()
        for row in rows:
            if window.full:
                self._yield_to_foreground()
            window.enter()
            if self._is_superseded():
                window.leave()
                return
            yield row

    def _yield_to_foreground(self) -> None:
        """People go first, but a client that asks without a pause does not stop the work for good. For those who wait
        for the end all goes on at once; else it has its share of the time."""
        if (pause := self._share.pause()) > 0:
            with self._wake:
                self._wake.wait_for(lambda: self._waiting or self._is_superseded(), pause)
            self._share.resume()
        if self._waiting or time.monotonic() < self._grant_until:
            return
        began = time.monotonic()
        while not self._is_superseded():
            is_answering = self._is_answering()
            if self._verifier.until_quiet(_LONGEST_WAIT / 2) and not is_answering:
                break
            if time.monotonic() >= began + (_LONGEST_ANSWER if is_answering else _LONGEST_WAIT):
                self._grant_until = time.monotonic() + _GRANT
                break
            if is_answering:
                time.sleep(_LOOK)
        self._share.resume()

    def _note(self, client: CheckerClient, path: FilePath, reasons: Sequence[str], count: _PassCounts) -> None:
        """Counts what got no answer; a server that cannot go on is asked nothing more in this pass."""
        count.without += len(reasons)
        if reasons and client.usable(path):
            count.stuck.add(client.server_of(path))
            count.problem = reasons[-1]


class _RequestWindow:
    """A bounded number of questions under way. Slots are taken by one thread, and freed by any."""

    def __init__(self) -> None:
        self._free = WINDOW
        self._ended = 0
        """Slots of questions that ended since slots were taken back last."""
        self._awaited = _BURST
        self._some = threading.Condition()
        self._failed: list[tuple[FilePath, str]] = []

    @property
    def full(self) -> bool:
        """Whether the next `enter` waits."""
        return not self._free

    def enter(self) -> None:
        """Takes a slot; where none is left waits until a burst of them is."""
        if not self._free:
            self._take_back(_BURST)
        self._free -= 1

    def leave(self) -> None:
        """Frees a slot that was not used."""
        self._free += 1

    def watch(self, pending: PendingAnswer, path: FilePath, failed: Callable[[], object]) -> None:
        """The slot is free when this ends."""
        pending.add_done_callback(partial(self._done, path, failed))

    def reasons(self) -> Mapping[FilePath, list[str]]:
        """Why questions about files got no answer, since this was asked last."""
        failed, self._failed = self._failed, []
        found: dict[FilePath, list[str]] = {}
        for path, reason in failed:
            found.setdefault(path, []).append(reason)
        return found

    def empty(self) -> None:
        """Waits until nothing is under way."""
        self._take_back(WINDOW - self._free)

    def _take_back(self, slots: int) -> None:
        with self._some:
            self._awaited = slots
            self._some.wait_for(lambda: self._ended >= slots)
            self._free, self._ended = self._free + self._ended, 0

    def _done(self, path: FilePath, failed: Callable[[], object], pending: PendingAnswer) -> None:
        if reason := pending.result():
            self._failed.append((path, reason))
            failed()
        with self._some:
            self._ended += 1
            if self._ended >= self._awaited:
                self._some.notify()


def _ordered(snapshot: Snapshot, first: Sequence[FilePath]) -> list[FilePath]:
    present = [path for path in dict.fromkeys(first) if path in snapshot.shards and snapshot.shards[path].language]
    rest = set(present)
    return present + [path for path in snapshot.files() if path not in rest]


def _wanted(client: CheckerClient, snapshot: Snapshot, first: Sequence[FilePath]) -> list[FilePath]:
    """Files with uncertain sites, those that people look at, and a sample of the others, which the order of files and
    their contents have no part in."""
    paths = [path for path in _ordered(snapshot, first) if client.covers(path)]
    step, shown = len(paths) // _SAMPLED + 1, frozenset(first)
    return [
        path
        for path in paths
        if snapshot.may_be_uncertain(path) or crc32(path.encode(errors="surrogatepass")) % step == 0 or path in shown
    ]


def _stamp(snapshot: Snapshot, path: FilePath) -> str:
    """Names all that answers about a file rest on, except their targets; "" when that is not known at once."""
    stamp = snapshot.links_stamp(path)
    return stamp and stamp + configuration_in(snapshot, path)


def _ignore(progress: CheckerProgress) -> None:
    pass
