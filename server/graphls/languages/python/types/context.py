"""Context: what is asked while one Python file is resolved, and which answers all files share.

Owns: memos of the own file and of libraries, reaching bindings of the own file.
Must not know: how names, members or values are found.
Invariant: the same question has the same answer whatever was asked before (see `QueryMemo.guarded`).
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.provider import World
from graphls.languages.python.types.flow import Flow
from graphls.languages.python.types.queries import PyQueries
from graphls.languages.python.types.units import PyUnit
from graphls.languages.resolve.context import ResolverContext
from graphls.languages.resolve.cycle_guard import QueryMemo
from graphls.languages.resolve.units import is_library

MAX_DEPTH: Final = 110
"""Nested questions; what lies deeper is unknown. Several Python frames stand behind each."""

MAX_OUTSIDE: Final = 50
"""The same for questions about libraries, which come on top."""

MAX_SHARED: Final = 400_000
"""Answers about libraries that one process keeps."""

MAX_STEPS: Final = 200_000
"""Questions for one file; adversarial code gets unknown beyond them."""


class PyContext(ResolverContext[PyUnit]):
    """Units and memos that all parts of a resolver share."""

    __deletable__ = ("queries",)

    queries: PyQueries
    """Who answers what leads back to earlier parts. Whoever makes the parts sets it, and takes it away at the end."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(PyUnit(path, facts), facts, world, MAX_DEPTH, MAX_STEPS)
        self.flow = Flow(facts.regions, facts.definitions)
        self._beyond: QueryMemo | None = None

    @property
    def beyond(self) -> QueryMemo:
        """For questions about libraries, whose answers all linked files share. Not asked for, not depended on."""
        if self._beyond is None:
            memo = self.world.library_memo()
            if len(memo) > MAX_SHARED:
                memo.clear()
            self._beyond = QueryMemo(memo, MAX_OUTSIDE, MAX_STEPS)
        return self._beyond

    def guard(self, file: FilePath) -> QueryMemo:
        """For questions about a file."""
        return self.beyond if is_library(file) else self
