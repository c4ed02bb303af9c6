"""Engines: where tasks run, here or on the workers of a Dask cluster.

Owns: handing tasks out, how many are under way, what becomes of a lost worker or scheduler.
Must not know: what tasks do.
Invariant: every task ends in one outcome, whatever happens to the machines; one that fails leaves the others standing.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol, cast

import attrs

from graphls.org.tasks import Plain, run_task

_AHEAD: Final = 3
"""Tasks that the scheduler holds for each thread of a worker: so its memory does not grow with the organisation."""
PATIENCE: Final = 600.0
"""Seconds that a scheduler may be gone, or have no worker, before the run ends."""
_GO_ON: Final = "What is done is kept: run the command again."
_log = logging.getLogger(__name__)


class EngineError(RuntimeError):
    """The engine cannot be used, or is lost. The text is fit for users."""


@attrs.frozen
class OrgTask:
    """One task: a step, and its arguments in plain values. `key` names it in reports."""

    key: str
    phase: str
    arguments: dict[str, Plain]


@attrs.frozen
class TaskOutcome:
    """How a task ended: its result, or why there is none."""

    task: OrgTask
    result: dict[str, Plain] | None
    problem: str = ""


class Engine(Protocol):
    """Runs tasks of one step; the next step begins when all have ended."""

    def run(self, tasks: Sequence[OrgTask]) -> Iterator[TaskOutcome]:
        """Outcomes as they come. Raises EngineError."""
        ...

    def close(self) -> None: ...


class LocalEngine:
    """One task after the other, in this process."""

    def run(self, tasks: Sequence[OrgTask]) -> Iterator[TaskOutcome]:
        """Outcomes in the order of tasks."""
        for task in tasks:
            try:
                yield TaskOutcome(task, run_task(task.phase, task.arguments))
            except Exception as error:  # noqa: BLE001 (one bad repository must not end the others)
                yield TaskOutcome(task, None, _words(error))

    def close(self) -> None:
        """Nothing is held."""


class _Future(Protocol):
    key: str

    @property
    def status(self) -> str: ...
    def result(self, timeout: float) -> dict[str, Plain]: ...
    def exception(self, timeout: float) -> BaseException | None: ...
    def release(self) -> None: ...


class _Client(Protocol):
    def submit(self, function: object, *args: object, **options: object) -> _Future: ...
    def nthreads(self) -> dict[str, int]: ...
    def as_current(self) -> AbstractContextManager[object]: ...
    def close(self, timeout: float = ...) -> None: ...


class _Distributed(Protocol):
    def Client(self, address: str, **options: object) -> _Client: ...  # noqa: N802 (its name there)
    def wait(self, futures: Sequence[_Future], **options: object) -> object: ...


class DaskEngine:
    """The workers of a cluster, by the address of its scheduler. Raises EngineError."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        try:
            self._library = cast("_Distributed", importlib.import_module("distributed"))
        except ImportError:
            raise EngineError("Dask is not installed here: pip install 'graphls[org]'") from None
        self._address = address
        self._patience = patience
        self._client = self._connected()

    def run(self, tasks: Sequence[OrgTask]) -> Iterator[TaskOutcome]:
        """Outcomes as they come. What a worker had when it died is done by another one; after a lost scheduler all
        that has no outcome yet is handed out again, once it is back."""
        left = {task.key: task for task in tasks}
        lost_since = 0.0
        while left:
            try:
                for outcome in self._round(list(left.values())):
                    lost_since = 0.0
                    del left[outcome.task.key]
                    yield outcome
            except _Lost as error:
                lost_since = lost_since or time.monotonic()
                if time.monotonic() - lost_since > self._patience:
                    raise EngineError(f"{error}. {_GO_ON}") from error
                _log.warning("%s; trying again", error)
                time.sleep(1)
                self._reconnect()

    def close(self) -> None:
        """Leaves the cluster as it is."""
        _closed(self._client)

    def _round(self, tasks: list[OrgTask]) -> Iterator[TaskOutcome]:
        """Raises _Lost."""
        waiting = tasks[::-1]
        running: dict[str, tuple[OrgTask, _Future]] = {}
        idle_since = time.monotonic()
        while waiting or running:
            try:
                room = _AHEAD * self._threads() - len(running)
                for _ in range(min(room, len(waiting))):
                    task = waiting.pop()
                    future = self._client.submit(
                        run_task,
                        task.phase,
                        task.arguments,
                        pure=False,
                        retries=0,
                        key=f"{task.key}-{time.monotonic_ns()}",
                    )
                    running[future.key] = task, future
                done = self._ended(running)
            except (OSError, RuntimeError, ValueError) as error:
                raise _Lost(f"the scheduler at {self._address} does not answer: {_words(error)}") from error
            if done or self._threads():
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > self._patience:
                raise EngineError(
                    f"the scheduler at {self._address} has had no worker for {self._patience:,.0f} s. {_GO_ON}"
                )
            for key in done:
                task, future = running.pop(key)
                outcome = self._outcome(task, future)
                future.release()
                if outcome is None:
                    waiting.append(task)
                else:
                    yield outcome

    def _ended(self, running: dict[str, tuple[OrgTask, _Future]]) -> list[str]:
        futures = [future for _, future in running.values()]
        if futures:
            # Of its own accord the library asks the client that is everybody's default, which this one is not.
            with contextlib.suppress(TimeoutError), self._client.as_current():
                self._library.wait(futures, timeout=1.0, return_when="FIRST_COMPLETED")
        if any(future.status in ("cancelled", "lost") for future in futures):
            raise _Lost(f"the scheduler at {self._address} is gone")
        return [key for key, (_, future) in running.items() if future.status in ("finished", "error")]

    def _outcome(self, task: OrgTask, future: _Future) -> TaskOutcome | None:
        """None where the result was lost with the worker that held it: then the task is done again."""
        try:
            if future.status == "finished":
                return TaskOutcome(task, future.result(timeout=30))
            error = future.exception(timeout=30)
        except Exception as lost:  # noqa: BLE001 (what Dask raises for a result that is gone is no one class)
            _log.info("%s is done again: %s", task.key, _words(lost))
            return None
        killed = type(error).__name__ == "KilledWorker"
        return TaskOutcome(task, None, "it ended several workers" if killed else _words(error))

    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    def _connected(self) -> _Client:
        try:
            return self._library.Client(self._address, timeout=10, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineError(f"no scheduler answers at {self._address!r}: {_words(error)}") from error

    def _reconnect(self) -> None:
        _closed(self._client)
        try:
            self._client = self._connected()
        except EngineError as error:
            _log.warning("%s", error)


class _Lost(Exception):
    """Nobody knows what became of the tasks under way."""


def _closed(client: _Client) -> None:
    try:
        client.close(timeout=5)
    except (OSError, RuntimeError, TimeoutError) as error:
        _log.info("the connection was gone: %s", error)


def _words(error: BaseException | None) -> str:
    text = (str(error).splitlines() or [""])[0][:300] if error is not None else "no reason was given"
    return text or type(error).__name__
