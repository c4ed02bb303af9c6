"""Comparison: the differences of two states for a server, found in a process of its own where the workspace is large.

Owns: when another process compares, how long it is waited for and may take, what its failure means.
Must not know: how records are compared, how a state of a commit is made.
Invariant: the answer is that of the snapshot that was given: a process that sees another state of the files answers
    nothing. Whoever asks in this process meanwhile has it for himself. One process at a time compares for a session.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

import attrs

from graphls.graph.errors import GraphError
from graphls.graph.merkle import snapshot_id
from graphls.graph.request_budget import BudgetSpentError, is_spent, spend, within
from graphls.graph.snapshot import Snapshot
from graphls.queries.diff import Difference, DiffQuery, diff
from graphls.session.comparison_messages import difference_of, plain_settings
from graphls.session.imported_files import without_imports
from graphls.session.process.frames import BrokenFrameError, Message
from graphls.session.process.workers import Worker, WorkerError
from graphls.session.revisions import compared
from graphls.sources.git_changes import commit_of
from graphls.sources.git_program import GitRefused, repository
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.session.session import Session

CHILD: Final = "graphls.session.comparison_child"
_LARGE: Final = 500_000
"""Bytes of code from which on another process is worth its start."""
_LOOK: Final = 0.05
"""Seconds between two looks whether the answer is still wanted."""
PATIENCE: Final = 20.0
"""Seconds that an answer is waited for; then who asks again has what was found meanwhile."""
_LONGEST: Final = 600.0
"""Seconds that a process may compare."""


def difference(
    session: Session,
    live: Snapshot,
    states: tuple[str, str],
    query: DiffQuery,
    *,
    large: int = _LARGE,
    patience: float = PATIENCE,
    waits: float = PATIENCE,
) -> Difference:
    """How the first of two states differs from the second; "" is the snapshot. `waits`: seconds that what another
    process finds is waited for. Raises NoHistory, BadRequest, BudgetSpentError: where the time was over, asked again
    it goes on."""
    before, after = ("" if name == snapshot_id(live) else name for name in states)
    size = sum(shard.size for shard in live.shards.values() if shard.language)
    if size >= large and session.store is not None and not live.pending:
        found = _elsewhere(session, session.store, live, (before, after, query), min(patience, waits))
        if found is not None:
            return found
    # Without a store nothing of it would be there the next time.
    with within(patience if session.store is not None else 0.0):
        one, other = (compared(session.workspace, live, session.settings, name) for name in (before, after))
        return diff(one, other, query)


def _elsewhere(
    session: Session, store: BlobStore, live: Snapshot, question: tuple[str, str, DiffQuery], patience: float
) -> Difference | None:
    """What another process finds over the same store; None where it sees another state, or there is none."""
    ends = time.monotonic() + patience
    before, after, query = question
    wanted = snapshot_id(without_imports(live))
    key = (wanted, _commits(session, before), _commits(session, after), query)
    try:
        running = session.comparisons.running(key)
    except WorkerError:
        return None
    if not running.is_asked:
        running.ask(
            (
                tuple((folder.name, folder.root) for folder in session.workspace.folders),
                plain_settings(session.settings),
                store.home,
                tuple((path, live.text(path) or b"") for path, shard in live.shards.items() if shard.dirty),
                wanted,
                (before, after, query.edges, query.limit, query.within),
            )
        )
    kind, *contents = session.comparisons.awaited(running, ends)
    if kind == "found":
        return difference_of(contents)
    if kind == "refused":
        code, message = contents
        raise GraphError(str(code), str(message))
    if kind in ("memory", "time"):
        raise BudgetSpentError("memory" if kind == "memory" else "time")
    return None


def _commits(session: Session, name: str) -> tuple[str, ...]:
    """What a name stands for now, in each folder."""
    found: list[str] = []
    for folder in session.workspace.folders if name else ():
        try:
            found.append(commit_of(repository(folder.root), name))
        except GitRefused:
            found.append(name)
    return tuple(found)


@attrs.define(eq=False)
class RunningComparison:
    """One process that compares."""

    key: object
    worker: Worker
    is_asked: bool = False
    waiting: int = 0
    """How many want its answer."""
    answers: list[Message] = attrs.field(factory=list[Message])
    _reading: threading.Thread | None = None

    def ask(self, message: Message) -> None:
        """Hands over the question."""
        self.is_asked = True
        self.worker.send(message)
        self._reading = threading.Thread(target=self._receive, name="graphls-comparison", daemon=True)
        self._reading.start()

    def is_at_work(self) -> bool:
        """Whether the answer is still to come."""
        return self._reading is not None and self._reading.is_alive()

    def wait(self, seconds: float) -> None:
        """Waits for the answer, so long at most."""
        if self._reading is not None:
            self._reading.join(seconds)

    def _receive(self) -> None:
        """The answer. Who ended without one had too little memory, or took too long."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self.worker.close()

        limit = threading.Timer(_LONGEST, end)
        limit.daemon = True
        limit.start()
        try:
            self.answers.append(self.worker.receive())
        except BrokenFrameError:
            self.answers.append(("time" if late.is_set() else "memory",))
        finally:
            limit.cancel()


class Comparisons:
    """The comparison that goes on for a session, or was not asked for since it ended. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: RunningComparison | None = None

    def running(self, key: object) -> RunningComparison:
        """The one with this question, else a new one in the place of what is there. Raises WorkerError."""
        with self._lock:
            current = self._current
            if current is not None and current.key == key:
                return current
            self._current = None
        if current is not None:
            current.worker.close()
        made = RunningComparison(key, Worker(module=CHILD))
        with self._lock:
            self._current, before = made, self._current
        if before is not None:
            before.worker.close()
        return made

    def awaited(self, running: RunningComparison, ends: float) -> Message:
        """Its answer, until a time of the monotonic clock. Who does not want it any more ends it; where the time is
        over, it goes on. Raises BudgetSpentError."""
        self._count(running, 1)
        try:
            while running.is_at_work():
                running.wait(_LOOK)
                if is_spent():
                    if running.waiting == 1:
                        self._end(running)
                    spend()
                if running.is_at_work() and time.monotonic() >= ends:
                    raise BudgetSpentError("time")
        finally:
            self._count(running, -1)
        self._end(running)
        return running.answers[0]

    def _count(self, running: RunningComparison, more: int) -> None:
        with self._lock:
            running.waiting += more

    def close(self) -> None:
        """Ends what goes on."""
        with self._lock:
            current = self._current
        if current is not None:
            self._end(current)

    def _end(self, running: RunningComparison) -> None:
        with self._lock:
            if self._current is running:
                self._current = None
        running.worker.close()
