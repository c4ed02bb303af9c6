"""Context: what is asked while one file is resolved, and of which files.

Owns: the file asked for, the units of others as this inquiry sees them.
Must not know: rules of any particular language.
Invariant: the surface of a file is asked for once, so the world records each file that was looked at.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from mypy_extensions import mypyc_attr

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.extract.yielding import release_entries
from graphls.languages.provider import World
from graphls.languages.resolve.cycle_guard import QueryMemo
from graphls.languages.resolve.units import Unit

U = TypeVar("U", bound=Unit)


@mypyc_attr(allow_interpreted_subclasses=True)
class ResolverContext(QueryMemo, Generic[U]):
    """Units, memo, bounds."""

    def __init__(self, own: U, facts: FileFacts, world: World, max_depth: int, max_queries: int) -> None:
        super().__init__({}, max_depth, max_queries)
        self.path = own.file
        self.facts = facts
        self.world = world
        self.own = own
        self._units: dict[FilePath, U] = {own.file: own}

    def release_memo(self) -> None:
        """The answers go, in portions: nobody asks any more."""
        release_entries(self._memo)

    def unit(self, file: FilePath) -> U:
        """A file as this inquiry sees it."""
        found = self._units.get(file)
        if found is None:
            found = self._units[file] = type(self.own).of_surface(file, self.world.surface(file))
        return found
