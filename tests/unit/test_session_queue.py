"""The queue of files to be read: what a worker is given at once."""

from __future__ import annotations

import heapq

import pytest

from graphls.facts.paths import FilePath
from graphls.session.index.indexing import BATCH_BYTES, Ticket, TicketQueue
from graphls.session.index.scanning import compare
from graphls.session.process.pool import LARGE, SMALLEST_BATCH
from graphls.sources.source_files import FoundFile


def _two(_chosen: int) -> int:
    return 2


def test_the_last_batches_are_small_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphls.session.process.pool.worker_count", _two)
    queue = TicketQueue()
    tickets = [Ticket(FilePath(f"{number}.py"), number, 10_000) for number in range(100)]
    queue.add(tickets)
    sizes: list[int] = []
    taken: list[Ticket] = []
    while batch := queue.take(BATCH_BYTES):
        sizes.append(sum(ticket.size for ticket in batch))
        taken += batch
    assert taken == tickets
    assert sizes[0] > 10 * SMALLEST_BATCH
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= SMALLEST_BATCH + 10_000


def test_a_file_that_is_larger_than_a_batch_is_taken_alone() -> None:
    queue = TicketQueue()
    queue.add([Ticket(FilePath("a.py"), 1, 4 * BATCH_BYTES), Ticket(FilePath("b.py"), 2, 10)])
    assert [len(queue.take(BATCH_BYTES)) for _ in range(3)] == [1, 1, 0]


@pytest.mark.parametrize("workers", [1, 2, 4, 8])
def test_workers_end_at_about_the_same_time(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:

    def counted(_chosen: int) -> int:
        return workers

    monkeypatch.setattr("graphls.session.process.pool.worker_count", counted)
    # One file in forty is large, and the very last one is.
    found = [FoundFile(FilePath(f"{number:03}.ts"), LARGE if number % 40 == 39 else 5_000, 0) for number in range(400)]
    changed = compare(found, {}, ()).changed
    queue = TicketQueue()
    queue.add([Ticket(path, number, size) for number, (path, size) in enumerate(changed)])
    free, last = [0] * workers, 0
    while batch := queue.take(BATCH_BYTES):
        last = heapq.heappop(free) + sum(ticket.size for ticket in batch)
        heapq.heappush(free, last)
    assert max(free) < 1.2 * sum(size for _, size in changed) / workers
