"""The queue of files to be read: what a worker is given at once."""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.session.indexing import BATCH_BYTES, Queue, Ticket
from graphls.session.pool import SMALLEST_BATCH


def test_the_last_batches_are_small_and_nothing_is_lost() -> None:
    queue = Queue()
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
    queue = Queue()
    queue.add([Ticket(FilePath("a.py"), 1, 4 * BATCH_BYTES), Ticket(FilePath("b.py"), 2, 10)])
    assert [len(queue.take(BATCH_BYTES)) for _ in range(3)] == [1, 1, 0]
