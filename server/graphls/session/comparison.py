"""Comparison: the differences of two states for a server, found in a process of its own where the workspace is large.

Owns: when another process compares, how long it is waited for, what its failure means.
Must not know: how records are compared, how a state of a commit is made.
Invariant: the answer is that of the snapshot that was given: a process that sees another state of the files answers
    nothing. Whoever asks in this process meanwhile has it for himself.
"""

from __future__ import annotations

import threading
from typing import Final

from graphls.graph.errors import GraphError
from graphls.graph.merkle import snapshot_id
from graphls.graph.request_budget import BudgetSpentError, is_spent, spend
from graphls.graph.snapshot import Snapshot
from graphls.queries.diff import Difference, DiffQuery, diff
from graphls.session.comparison_messages import difference_of, plain_settings
from graphls.session.imported_files import without_imports
from graphls.session.process.frames import BrokenFrameError, Message
from graphls.session.process.workers import Worker, WorkerError
from graphls.session.revisions import compared
from graphls.session.session import Session
from graphls.store.blobs import BlobStore

CHILD: Final = "graphls.session.comparison_child"
_LARGE: Final = 2_000_000
"""Bytes of code from which on another process is worth its start."""
_LOOK: Final = 0.05
"""Seconds between two looks whether the answer is still wanted."""


def difference(
    session: Session, live: Snapshot, states: tuple[str, str], query: DiffQuery, *, large: int = _LARGE
) -> Difference:
    """How the first of two states differs from the second; "" is the snapshot. Raises NoHistory, BadRequest,
    BudgetSpentError."""
    before, after = ("" if name == snapshot_id(live) else name for name in states)
    size = sum(shard.size for shard in live.shards.values() if shard.language)
    if size >= large and session.store is not None and not live.pending:
        found = _elsewhere(session, session.store, live, (before, after, query))
        if found is not None:
            return found
    one, other = (compared(session.workspace, live, session.settings, name) for name in (before, after))
    return diff(one, other, query)


def _elsewhere(
    session: Session, store: BlobStore, live: Snapshot, question: tuple[str, str, DiffQuery]
) -> Difference | None:
    """What another process finds over the same store; None where it sees another state, or there is none."""
    before, after, query = question
    try:
        worker = Worker(module=CHILD)
    except WorkerError:
        return None
    try:
        worker.send(
            (
                tuple((folder.name, folder.root) for folder in session.workspace.folders),
                plain_settings(session.settings),
                store.home,
                tuple((path, live.text(path) or b"") for path, shard in live.shards.items() if shard.dirty),
                snapshot_id(without_imports(live)),
                (before, after, query.edges, query.limit, query.within),
            )
        )
        kind, *contents = _awaited(worker)
    finally:
        worker.close()
    if kind == "found":
        return difference_of(contents)
    if kind == "refused":
        code, message = contents
        raise GraphError(str(code), str(message))
    if kind == "memory":
        raise BudgetSpentError("memory")
    return None


def _awaited(worker: Worker) -> Message:
    """The answer, unless nobody wants it any more. Who ended without one had too little memory."""
    answers: list[Message] = []

    def receive() -> None:
        try:
            answers.append(worker.receive())
        except BrokenFrameError:
            answers.append(("memory",))

    reading = threading.Thread(target=receive, name="graphls-comparison", daemon=True)
    reading.start()
    while reading.is_alive():
        reading.join(_LOOK)
        if is_spent():
            break
    spend()
    return answers[0]
