"""Server limits: what a session that serves may use, and what it does near its limit of memory.

Owns: budgets of requests as the settings say, what is dropped when memory gets short, the problem that says so.
Must not know: requests, faces, how memory is measured.
Invariant: what is dropped is made again where someone asks, with equal values; a command has no limit of memory.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping

import attrs

from graphls.graph.request_budget import RequestBudget, budget_of
from graphls.session.lazy_services import LazyServices
from graphls.session.process.malloc_trimming import trim_heap
from graphls.session.process.memory_guard import MemoryGuard
from graphls.session.publishing import PublishedSnapshot
from graphls.session.shared_caches import SharedCaches
from graphls.settings import Settings


@attrs.frozen
class DroppableState:
    """Where a session has values that can be made again. `states`: the snapshots that it holds on to."""

    states: Callable[[], Iterable[PublishedSnapshot | None]]
    services: LazyServices
    caches: SharedCaches
    forget_texts: Callable[[], None]
    """What is kept of open files for their next texts."""

    def drop(self) -> None:
        """Lets go of them."""
        for one in {id(state): state for state in self.states() if state is not None}.values():
            one.drop_values()
        self.services.drop_values()
        self.caches.drop_values()
        self.forget_texts()
        gc.unfreeze()
        gc.collect()
        trim_heap()


class ServerLimits:
    """Safe to use from any thread."""

    def __init__(self, settings: Callable[[], Settings], state: DroppableState, *, serves: bool) -> None:
        self._settings, self._serves = settings, serves
        self._state = state
        self._guard = MemoryGuard(self._memory_limit, state.drop)

    def request_budget(self) -> RequestBudget:
        """How much work a request that begins now may do."""
        return budget_of(self._settings().server.request_ms, self._guard.is_short)

    def drop_values(self) -> None:
        """Lets go of what can be made again."""
        self._state.drop()

    def settings_changed(self) -> None:
        """The limit may be another one."""
        self._guard.look_soon()

    def is_memory_short(self) -> bool:
        """Whether memory is at the limit though all was dropped that can be."""
        return self._guard.is_short()

    @property
    def problem(self) -> str:
        """What the session is to say of it; "" while there is memory."""
        if not self._guard.is_short():
            return ""
        limit = self._settings().server.memory_limit_mb
        return f"incomplete: memory limit ({limit} MB, setting server.memory-limit-mb)"

    def note(self, problems: dict[str, str], report: Callable[[str, str], None]) -> bool:
        """Whether memory is short, which is then among the problems: nothing is to be done ahead."""
        problem = self.problem
        if problem:
            report("memory", problem)
        else:
            problems.pop("memory", None)
        return bool(problem)

    def problems(self, noted: Mapping[str, str]) -> Mapping[str, str]:
        """What is wrong now, by subject: memory may be short while the session has nothing to do and notes nothing."""
        others = {subject: text for subject, text in noted.items() if subject != "memory"}
        problem = self.problem
        return {**others, "memory": problem} if problem else others

    def condition(self) -> Mapping[str, object]:
        """What can be said about memory, for status."""
        guard = self._guard
        return {"bytes": guard.used, "limit": guard.limit, "short": guard.is_short(), "drops": guard.drops}

    def _memory_limit(self) -> int:
        # A command ends anyway, and is to say all.
        return self._settings().server.memory_limit_mb * 1_000_000 if self._serves else 0
