"""Inquiry: everything asked while one file is resolved.

Owns: units, the memo, bounds on depth and work.
Must not know: any rule of the language.
Invariant: the same question has the same answer whatever was asked before (see `guarded`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.provider import World
from graphls.languages.typescript.resolution.units import Unit

T = TypeVar("T")

MAX_DEPTH = 90
"""Nested questions; what lies deeper is unknown. Several Python frames stand behind each."""

MAX_STEPS = 300_000
"""Questions for one file; adversarial code gets unknown beyond them."""


class Inquiry:
    """Units, memo, bounds."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self.path = path
        self.facts = facts
        self.world = world
        self.own = Unit(path, facts)
        self.limited = False
        self._units: dict[FilePath, Unit] = {path: self.own}
        self._memo: dict[object, object] = {}
        self._active: dict[object, int] = {}
        self._floor = MAX_DEPTH + 1
        self._steps = 0

    def unit(self, file: FilePath) -> Unit:
        """A file as this inquiry sees it."""
        found = self._units.get(file)
        if found is None:
            found = self._units[file] = Unit(file, self.world.surface(file))
        return found

    def guarded(self, key: object, ask: Callable[[], T], unknown: T) -> T:
        """The memoised answer to a question that may lead back to itself.

        A question met while it is being answered is unknown. Answers that rest on such a cut, other
        than the cut question's own, are not kept: they would depend on where the asking began.
        """
        if key in self._memo:
            return self._memo[key]  # pyright: ignore[reportReturnType]
        depth = len(self._active)
        if key in self._active:
            self._floor = min(self._floor, self._active[key])
            return unknown
        self._steps += 1
        if depth >= MAX_DEPTH or self._steps > MAX_STEPS:
            self.limited = True
            self._floor = 0
            return unknown
        self._active[key] = depth
        outer, self._floor = self._floor, MAX_DEPTH + 1
        try:
            answer = ask()
        finally:
            del self._active[key]
        if self._floor >= depth:
            self._memo[key] = answer
            self._floor = outer
        else:
            self._floor = min(self._floor, outer)
        return answer
