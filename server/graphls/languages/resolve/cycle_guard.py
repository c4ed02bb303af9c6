"""Cycle guard: questions that may lead back to themselves, asked once and answered the same.

Owns: the memo, the cut of cycles, bounds on depth and work.
Must not know: any particular language, what is asked.
Invariant: the same question has the same answer whatever was asked before (see `guarded`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, cast

from mypy_extensions import mypyc_attr

from graphls.languages.bounds import MAX_REPEATED
from graphls.languages.extract.yielding import yield_now

T = TypeVar("T")

_TURN: Final = 0x3F
"""Questions between turns of other threads, less one."""
NOT_CACHED: Final = object()
"""Stands for an answer that is not kept."""


class _RepeatedAnswer:
    """The last answer to a question that rests on cuts, and how many there were. `outermost`: depth of the cut."""

    def __init__(self, answer: object, outermost: int) -> None:
        self.answer = answer
        self.outermost = outermost
        self.times = 1


@mypyc_attr(allow_interpreted_subclasses=True)
class QueryMemo:
    """Questions that are being asked, and the answers to those that were."""

    def __init__(self, memo: dict[object, object], max_depth: int, max_queries: int) -> None:
        """`deepest`: nested questions, several Python frames stand behind each; `most`: questions in all."""
        self.exhausted = False
        self._memo = memo
        self._max_depth = max_depth
        self._budget = max_queries
        self._active: dict[object, int] = {}
        self._cuts = 0
        """Bits of the depths of questions that were met while they were being answered."""
        self._provisional: dict[object, tuple[object, int, int]] = {}
        self._resting: dict[int, list[object]] = {}
        self._repeated: dict[object, _RepeatedAnswer] = {}
        self._below: dict[int, list[object]] = {}
        """Questions in `_repeated` by the depth of their outermost cut."""

    def guarded(self, key: object, compute: Callable[[], T], unknown: T) -> T:
        """The memoised answer to a question that may lead back to itself.

        A question met while it is being answered is unknown. Answers that rest on such a cut, other
        than the cut question's own, are not kept: they would depend on where the asking began. As long as
        the question at the cut is being answered they are right, and asking again would take as long as before.
        """
        cached_answer = self._memo.get(key, NOT_CACHED)
        if cached_answer is not NOT_CACHED:
            return cast("T", cached_answer)
        depth = len(self._active)
        if key in self._active:
            self._cuts |= 1 << self._active[key]
            return unknown
        if self._repeated:
            known = self._known(key, depth)
            if known is not NOT_CACHED:
                return cast("T", known)
        self._budget -= 1
        if self._budget & _TURN == 0:
            yield_now()
        if depth >= self._max_depth or self._budget < 0:
            self.exhausted = True
            self._cuts |= 1
            return unknown
        self._active[key] = depth
        outer, self._cuts = self._cuts, 0
        try:
            answer = compute()
        finally:
            del self._active[key]
        cuts = self._cuts & ((1 << depth) - 1) if self._cuts else 0
        self._cuts = outer | cuts
        if self._resting:
            for rested in self._resting.pop(depth, ()):
                self._provisional.pop(rested, None)
        if self._below:
            self._end_repeated(depth, cuts)
        if cuts:
            self._repeat(key, answer, cuts)
            self._provisional[key] = (answer, depth, cuts)
            self._resting.setdefault(cuts.bit_length() - 1, []).append(key)
        else:
            self._memo[key] = answer
        return answer

    def _repeat(self, key: object, answer: object, cuts: int) -> None:
        """Counts an answer that rests on cuts.

        Counts end with the question at the outermost cut. So the answers that are kept do not depend on what was asked
        before: a kept answer rests on no question around it, hence whatever it leads to was either answered for good
        before, or was counted only while a question that it leads to was answered, and that one has ended.
        """
        outermost = (cuts & -cuts).bit_length() - 1
        repeated = self._repeated.get(key)
        if repeated is None:
            self._repeated[key] = _RepeatedAnswer(answer, outermost)
        else:
            repeated.times += 1
            repeated.answer = answer
            if repeated.outermost <= outermost:
                return
            repeated.outermost = outermost
        self._below.setdefault(outermost, []).append(key)

    def _end_repeated(self, depth: int, cuts: int) -> None:
        """The question at a depth is answered: what rests on it rests on its own outermost cut, or is asked anew."""
        keys = self._below.pop(depth, None)
        if keys is None:
            return
        outermost = (cuts & -cuts).bit_length() - 1
        for key in keys:
            repeated = self._repeated.get(key)
            if repeated is None or repeated.outermost != depth:
                continue  # another cut is further out
            if cuts:
                repeated.outermost = outermost
                self._below.setdefault(outermost, []).append(key)
            else:
                del self._repeated[key]

    def kept(self, key: object, compute: Callable[[], T]) -> T:
        """The memoised answer to what leads back to itself through guarded questions only: it has no place among those
        that are being asked, and is not kept where one of them was cut."""
        known = self._memo.get(key, NOT_CACHED)
        if known is not NOT_CACHED:
            return cast("T", known)
        outer, self._cuts = self._cuts, 0
        answer = compute()
        if not self._cuts:
            self._memo[key] = answer
        self._cuts |= outer
        return answer

    @property
    def is_cut(self) -> bool:
        """Whether an answer may rest on a question that was met while it was being answered."""
        return self._cuts != 0

    def _known(self, key: object, depth: int) -> object:
        """The answer that was given under this very cut, or too often under others, or `NOT_CACHED`.

        What was cut for its depth may reach further from much nearer.
        """
        if not depth:
            self._provisional.clear()  # an error ended the last question
            self._resting.clear()
            self._repeated.clear()
            self._below.clear()
            return NOT_CACHED
        found = self._provisional.get(key)
        if found is None:
            repeated = self._repeated.get(key)
            if repeated is None or repeated.times < MAX_REPEATED:
                return NOT_CACHED
            self._cuts |= 1 << repeated.outermost
            return repeated.answer
        answer, asked_at, cuts = found
        if cuts & 1 and 2 * depth < asked_at:
            return NOT_CACHED
        self._cuts |= cuts
        return answer

    def cached(self, key: object) -> object:
        """The kept answer to a question, or `NOT_CACHED`: for those who ask so often that asking itself costs."""
        return self._memo.get(key, NOT_CACHED)

    def is_cached(self, key: object) -> bool:
        """Whether the answer to a question is kept."""
        return key in self._memo
