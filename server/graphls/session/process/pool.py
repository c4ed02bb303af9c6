"""Pool: a job done in several worker processes at once.

Owns: one thread a worker, replacing workers, what becomes of the file that ended one.
Must not know: what the job is.
Invariant: every file that is taken from a job is accepted or failed exactly once, in whatever process, or put back.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Generic, Protocol, TypeVar

from graphls.session.process.forked_workers import ForkedWorker
from graphls.session.process.frames import Message
from graphls.session.process.workers import CpuLimit, StalledError, Worker, WorkerError, fork_workers

_MOST_WORKERS = 8
_A_CORE = 2
_WORKER_BYTES = 256_000_000
"""What a worker may come to need."""
_CLOSED = "the session is closed"


class Sized(Protocol):
    """One file of a job."""

    @property
    def size(self) -> int:
        """Bytes of its text."""
        ...


_NEARLY_DONE = 1_000
"""Only when so few files are left it is worth while to add up their sizes."""
_PARTS = 2
"""For each worker."""
SMALLEST_BATCH = 16_000
LARGE = 100_000
"""Bytes of a file that goes before others: one worker would be alone with it at the end."""


def batch_size(waiting: Collection[Sized], most: int) -> int:
    """Bytes that a worker is given at once: less towards the end, so that none idles while another has much to do."""
    if len(waiting) > _NEARLY_DONE:
        return most
    parts = _PARTS * worker_count(0)
    return min(most, max(sum(item.size for item in waiting) // parts, SMALLEST_BATCH))


_PAUSES = (0.05, 0.3, 1.0)
"""Seconds before a file gets another fresh worker, where somebody else ended the one before."""

T = TypeVar("T", bound=Sized)


class Job(Protocol, Generic[T]):
    """Work on many files. Called from several threads."""

    def first(self) -> Message | None:
        """What each worker must be told before it gets any file."""
        ...

    def take(self) -> Sequence[T]:
        """The next files, none when there are none left."""
        ...

    def put_back(self, items: Sequence[T]) -> None:
        """These were taken, and no worker started to do them."""
        ...

    def message(self, items: Sequence[T]) -> Message:
        """What a worker is told to do."""
        ...

    def accept(self, item: T, answer: Message) -> None:
        """A worker's answer for one file."""
        ...

    def doubtful(self, answer: Message) -> bool:
        """Whether an answer may owe to what the worker did before, so that a fresh one is to be asked."""
        ...

    def fail(self, item: T, reason: str) -> None:
        """The file, alone in a fresh worker, stalled or ended it."""
        ...


def worker_count(chosen: int) -> int:
    """Number of workers: as chosen, as far as that makes sense on this machine, else one for each core that this
    process may use, within reason."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if chosen:
        return max(1, min(chosen, cores * _A_CORE, _memory() // _WORKER_BYTES))
    return max(1, min(cores, _MOST_WORKERS))


def _memory() -> int:
    """Bytes of memory that the machine has."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _MOST_WORKERS * _WORKER_BYTES


class Pool:
    """Worker processes, started when they are first needed and kept until `close`."""

    def __init__(self, count: int, limit: CpuLimit | None = None) -> None:
        self._count = count
        self._limit = limit or CpuLimit()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._starting = 0
        self._copies: list[ForkedWorker] = []
        """Processes that run and wait to be spoken to."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._closed = False

    def fork(self) -> None:
        """Copies this process for the first workers, where that is safe: a fresh one has all to load again."""
        self._copies.extend(fork_workers(self._count))

    def warm_up(self) -> None:
        """Starts the workers while something else is done."""
        with self._lock:
            # Counted at once: a job that begins meanwhile must not start further ones.
            wanted = self._count - len(self._all) - self._starting
            self._starting += wanted
        for _ in range(wanted):
            threading.Thread(target=self._fill, name="graphls-start", daemon=True).start()

    def run(self, job: Job[T], meanwhile: Callable[[], None]) -> None:
        """Does the job, and `meanwhile` again and again. Raises WorkerError when no worker starts."""
        errors: list[Exception] = []
        threads = [
            threading.Thread(target=self._serve, args=(job, errors), name=f"graphls-pool-{number}", daemon=True)
            for number in range(self._count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.05)
                meanwhile()
        if errors:
            raise errors[0]

    def processes(self) -> tuple[int, ...]:
        """Ids of the worker processes that run now."""
        with self._lock:
            return tuple(sorted(worker.process_id for worker in self._all))

    def close(self) -> None:
        """Ends all workers at once."""
        with self._changed:
            self._closed = True
            workers, self._all = self._all, set()
            self._idle.clear()
            waiting, self._copies = self._copies, []
            self._changed.notify_all()
        for process in (*workers, *waiting):
            process.close()

    def _fill(self) -> None:
        with contextlib.suppress(WorkerError):  # noticed, and reported, when a job needs one
            self._start(idle=True)

    def _start(self, *, idle: bool = False) -> Worker:
        """One more, of those that `_starting` counts already."""
        try:
            worker = self._take_forked() or Worker()
        except WorkerError:
            with self._changed:
                self._starting -= 1
                self._changed.notify_all()
            raise
        with self._changed:
            self._starting -= 1
            self._changed.notify_all()
            if not self._closed:
                self._all.add(worker)
                if idle:
                    self._idle.append(worker)
                return worker
        worker.close()
        raise WorkerError(_CLOSED)

    def _take_forked(self) -> Worker | None:
        with self._lock:
            copy = self._copies.pop() if self._copies else None
        try:
            return None if copy is None else Worker(copy)
        except WorkerError:  # it ended before anyone spoke to it
            return None

    def _worker(self) -> Worker:
        with self._changed:
            # One that is about to be ready is waited for: a further process would be one too many.
            while not (self._closed or self._idle) and self._starting and self._enough():
                self._changed.wait()
            if self._closed:
                raise WorkerError(_CLOSED)
            if self._idle:
                return self._idle.pop()
            self._starting += 1
        return self._start()

    def _fresh(self) -> Worker:
        """One that nobody spoke to yet, in the place of one that ended."""
        with self._lock:
            if self._closed:
                raise WorkerError(_CLOSED)
            self._starting += 1
        return self._start()

    def _enough(self) -> bool:
        return len(self._all) + self._starting >= self._count

    def _give_back(self, worker: Worker) -> None:
        if worker.worn:
            self._end(worker)
            return
        with self._changed:
            if not self._closed:
                self._idle.append(worker)
            self._changed.notify_all()

    def _end(self, worker: Worker) -> None:
        with self._lock:
            self._all.discard(worker)
        worker.close()

    def _serve(self, job: Job[T], errors: list[Exception]) -> None:
        worker: Worker | None = None
        items: Sequence[T] = ()
        try:
            while not self._closed and (items := job.take()):
                while items and not self._closed:
                    worker = worker or self._introduced(job)
                    items, worker = self._served(job, worker, items)
                    if items and not self._closed:
                        self._alone(job, items[0])
                        items = items[1:]
                if worker is not None and worker.worn:
                    self._end(worker)
                    worker = None
        except Exception as error:  # noqa: BLE001 (raised again by `run`, in the thread that asked)
            if isinstance(error, WorkerError):
                job.put_back(items)
            errors.append(error)
        finally:
            if worker is not None:
                self._give_back(worker)

    def _introduced(self, job: Job[T], *, fresh: bool = False) -> Worker:
        worker = self._fresh() if fresh else self._worker()
        first = job.first()
        if first is not None:
            worker.send(first)
        return worker

    def _served(self, job: Job[T], worker: Worker, items: Sequence[T]) -> tuple[Sequence[T], Worker | None]:
        """The files that are left, that at which the worker ended foremost; and the worker if it still runs."""
        done = 0
        try:
            for answer in worker.exchange(job.message(items), [item.size for item in items], self._limit):
                if job.doubtful(answer):
                    break
                job.accept(items[done], answer)
                done += 1
            else:
                return (), worker
        except StalledError:
            pass
        self._end(worker)
        return items[done:], None

    def _alone(self, job: Job[T], item: T) -> None:
        """One file in a fresh worker, which what came before it cannot have harmed. Who ends that too is named."""
        pauses = iter(_PAUSES)
        while not self._closed:
            worker = self._introduced(job, fresh=True)
            try:
                for answer in worker.exchange(job.message((item,)), (item.size,), self._limit):
                    job.accept(item, answer)
                self._give_back(worker)
                return
            except StalledError as stalled:
                self._end(worker)
                pause = next(pauses, None)
                if self._closed:
                    return
                if not stalled.outside or pause is None:
                    job.fail(item, str(stalled))
                    return
                time.sleep(pause)
