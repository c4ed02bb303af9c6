"""Context: what is asked while one TypeScript file is resolved.

Owns: the units and the memo of the own file, answers about module names.
Must not know: how names, members or values are found.
Invariant: the same question has the same answer whatever was asked before (see `QueryMemo.guarded`).
"""

from __future__ import annotations

from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.provider import World
from graphls.languages.resolve.context import ResolverContext
from graphls.languages.typescript.modules import Modules
from graphls.languages.typescript.types.queries import TsQueries
from graphls.languages.typescript.types.units import TsUnit

MAX_DEPTH: Final = 90
"""Nested questions; what lies deeper is unknown. Several Python frames stand behind each."""

MAX_STEPS: Final = 300_000
"""Questions for one file; adversarial code gets unknown beyond them."""


class TsContext(ResolverContext[TsUnit]):
    """Units, memo and modules that all parts of a resolver share."""

    __deletable__ = ("queries",)

    queries: TsQueries
    """Who answers what leads back to earlier parts. Whoever makes the parts sets it, and takes it away at the end."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(TsUnit(path, facts), facts, world, MAX_DEPTH, MAX_STEPS)
        self._modules = Modules(world)

    def modules(self) -> Modules:
        """Answers about module names."""
        return self._modules
