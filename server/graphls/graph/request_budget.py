"""Request budget: how much work one request may do.

Owns: the budget of the request that runs in this thread, the way to ask for it and to say that it is spent.
Must not know: which requests there are, clocks and limits of any face.
Invariant: what is derived under a budget is whole or not there: `spend` raises, and nobody keeps half of a value. What
    a step left out that had a part of it is in `spent_reason`: who remembers values looks there.

A budget is bound to the thread of its request, not to a snapshot: snapshots and what they carry outlive requests.
Without one, as in commands about a whole workspace, nothing ends early.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import ContextVar
from typing import Final, Literal, TypeVar

from graphls.graph.errors import GraphError

T = TypeVar("T")
_LEAST_WORK: Final = 0.125
"""Part of its time that a request works, however little of the machine it gets."""
_REST: Final = 0.06
"""Part of its time that is work once a budget is spent: what is shown of it is found and put into words."""
_SURE: Final = 0.6
"""Part of its time that a request has at whatever pace."""
SpentReason = Literal["", "time", "memory"]
"""Why a request may do no more; "" while it may."""


class BudgetSpentError(GraphError):
    """The request has done all that it may. Whoever has a part of an answer by then gives that."""

    def __init__(self, reason: SpentReason) -> None:
        self.reason: SpentReason = reason
        what = "took more work than one request may" if reason == "time" else "met the server's limit of memory"
        super().__init__(
            "graphls.budgetSpent",
            f"The question {what}. Ask again, it goes on; or ask for less: a smaller depth, scope or limit.",
            {"reason": reason},
        )


class RequestBudget:
    """The budget of one request. `over` says at each step whether it is spent, and for which reason."""

    def __init__(self, over: Callable[[float], SpentReason]) -> None:
        """`over`: whether a part of it is spent, 1 for all."""
        self._over = over
        self.reason: SpentReason = ""
        self.cut: SpentReason = ""
        """Why a step that had a part of it left something out."""
        self.has_stand_ins = False
        """Whether what was left out of calls has those of an earlier state in its place."""

    def spend(self) -> None:
        """One step of work is about to be done."""
        self.reason = self.reason or self._over(1.0)
        if self.reason:
            raise BudgetSpentError(self.reason)

    def is_spent_to(self, part: float) -> bool:
        """Whether a step that may take a part of it has to end, and leaves something out."""
        reason = self.reason or self._over(part)
        self.cut = self.cut or reason
        return bool(reason)

    def limit(self, part: float) -> SpentReason:
        """Why a step that may take a part of it may not be taken; "" where it may."""
        return self.reason or self._over(part)

    def up_to(self, part: float) -> RequestBudget:
        """What is left of it up to a part of the whole."""
        return RequestBudget(lambda step: self._over(step * part))


_BUDGET: Final[ContextVar[RequestBudget | None]] = ContextVar("graphls_request_budget", default=None)


@contextlib.contextmanager
def limited(budget: RequestBudget | None) -> Generator[None]:
    """Within this, work of this thread is done under a budget."""
    before = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(before)


class PartOfBudget:
    """Within this, a search may take the budget up to a part of the whole. Where that is spent it ends, and the answer
    says that something is left out; the rest of the budget is for others."""

    def __init__(self, part: float) -> None:
        self._whole = _BUDGET.get()
        self._part = None if self._whole is None else self._whole.up_to(part)
        self._limits = limited(self._part)
        self.is_spent = False
        """Whether the search ended so."""

    def __enter__(self) -> None:
        self._limits.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self._limits.__exit__(None, None, None)
        if self._whole is None or self._part is None:
            return False
        # What a part of this part left out is left out of the whole.
        self._whole.cut = self._whole.cut or self._part.cut
        self._whole.has_stand_ins |= self._part.has_stand_ins
        if not isinstance(error, BudgetSpentError):
            return False
        self.is_spent = True
        self._whole.spend()
        self._whole.cut = self._whole.cut or error.reason
        return True


def spend() -> None:
    """One step of work is about to be done: a file looked at, a node's edges. Raises BudgetSpentError."""
    budget = _BUDGET.get()
    if budget is not None:
        budget.spend()


def is_spent() -> bool:
    """The same for whoever has a part of an answer at hand: whether to end with that."""
    try:
        spend()
    except BudgetSpentError:
        return True
    return False


def note_stand_ins() -> None:
    """What a step left out has something of an earlier state in its place: who waits needs not wait for it."""
    budget = _BUDGET.get()
    if budget is not None:
        budget.has_stand_ins = True


def has_stand_ins() -> bool:
    """Whether that was so in the present request."""
    budget = _BUDGET.get()
    return budget is not None and budget.has_stand_ins


def until_spent(items: Iterable[T]) -> Iterator[T]:
    """What is found while the budget lasts; the answer says that it ended."""
    with contextlib.suppress(BudgetSpentError):
        yield from items


def is_spent_to(part: float) -> bool:
    """The same for a step that may take a part of the whole, up to which others have taken theirs: it ends with what it
    has, and the answer says that something is left out."""
    budget = _BUDGET.get()
    return budget is not None and budget.is_spent_to(part)


def spent_reason() -> SpentReason:
    """Why the present request left something out; "" where it did not."""
    budget = _BUDGET.get()
    return "" if budget is None else budget.reason or budget.cut


class _Waits(threading.local):
    """Seconds for which a thread waited for work that another one, or another process, does for it."""

    def __init__(self) -> None:
        self.seconds = 0.0


_WAITS: Final = _Waits()


def note_wait(seconds: float) -> None:
    """This thread waited so long for work that is done for it elsewhere: that is work of its request, which would else
    wait without an end, as one that has nothing of the machine yet."""
    _WAITS.seconds += seconds


def _work_seconds() -> float:
    return time.thread_time() + _WAITS.seconds


def budget_of(
    milliseconds: int,
    is_memory_short: Callable[[], bool],
    clock: Callable[[], float] = _work_seconds,
    wall_clock: Callable[[], float] = time.monotonic,
) -> RequestBudget:
    """A budget of so much time, begun now: of work of this thread, and of waiting. On a busy machine an eighth of it
    is work all the same, and it ends as much earlier as the rest takes longer at the pace so far. 0: as much as it
    takes, while there is memory. The clock of its work, for which the system has to be asked, says nothing before."""
    seconds = milliseconds / 1000
    begun, begun_to_wait = clock(), wall_clock()

    def over(part: float) -> SpentReason:
        if is_memory_short():
            return "memory"
        waited = wall_clock() - begun_to_wait
        if not milliseconds or waited <= seconds * part * _SURE:
            return ""
        worked = clock() - begun
        if worked <= seconds * part * _LEAST_WORK:
            return ""
        late = seconds * _REST * max(waited / worked - 1, 0)
        return "time" if waited > part * max(seconds - late, seconds * _SURE) else ""

    return RequestBudget(over)


@contextlib.contextmanager
def within(seconds: float) -> Generator[None]:
    """Within this, work of this thread ends after so many seconds, or with the budget that holds already. 0: with
    that."""
    outer, own = _BUDGET.get(), budget_of(round(seconds * 1000), lambda: False)
    with limited(RequestBudget(lambda part: (outer.limit(1.0) if outer is not None else "") or own.limit(part))):
        yield


def is_whole_within(seconds: float, work: Iterable[Callable[[], object]]) -> int:
    """Does one piece of work after the other, each whole or not at all, for so many seconds: how many were done. 0
    seconds: as long as it takes. What ends the request itself is raised."""
    outer, own = _BUDGET.get(), budget_of(max(round(seconds * 1000), 1) if seconds else 0, lambda: False)
    both = RequestBudget(lambda part: (outer.limit(1.0) if outer is not None else "") or own.limit(part))
    done = 0
    with contextlib.suppress(BudgetSpentError), limited(both):
        for one in work:
            spend()
            one()
            if both.cut:
                break
            done += 1
    spend()
    return done


def budget_of_steps(count: int) -> RequestBudget:
    """A budget of so many steps."""
    left = iter(range(count))
    return RequestBudget(lambda part: "time" if next(left, count) >= count * part else "")
