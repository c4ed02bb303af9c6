"""Included files: what a file sees of others.

Owns: the files that one includes, and those that these include.
Must not know: names, types, which of the two languages a file is in.
Invariant: each file once, the nearest first; the number of files is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.c.includes import included_file
from graphls.languages.c.types.system import SYSTEM_NAMES
from graphls.languages.extract.kinds import IMPORT_DEFINITION, MODULE_SCOPE, NAMESPACE_SCOPE, STATIC_FLAG
from graphls.languages.provider import World

MOST_OTHER_FILES: Final = 64
"""Files that are looked through for a name that no included one declares."""
MOST_FILES: Final = 3000
"""Files that one file includes."""
_OUTER: Final = frozenset({MODULE_SCOPE, NAMESPACE_SCOPE})


@final
class IncludedFiles:
    """Files that one file can see. `written`: the includes of a file, as they are written."""

    def __init__(self, world: World, written: Callable[[FilePath], Sequence[str]]) -> None:
        self._world = world
        self._written = written
        self._direct: dict[FilePath, tuple[FilePath, ...]] = {}
        self._open: dict[FilePath, bool] = {}
        self._outside: dict[FilePath, bool] = {}
        self._seen: dict[FilePath, frozenset[FilePath]] = {}
        self._closures: dict[FilePath, tuple[FilePath, ...]] = {}

    def included(self, file: FilePath) -> tuple[FilePath, ...]:
        """The files of the workspace that a file includes itself."""
        known = self._direct.get(file)
        if known is None:
            written = self._written(file)
            found = [included_file(one, file, self._world) for one in written]
            known = self._direct[file] = tuple([one for one in found if one is not None])
            self._open[file] = len(known) < len(written)
        return known

    def visible(self, file: FilePath) -> tuple[FilePath, ...]:
        """A file and all that it includes, the nearest first."""
        known = self._closures.get(file)
        if known is None:
            found: dict[FilePath, None] = {file: None}
            pending = [file]
            for one in pending:
                for other in self.included(one):
                    if other not in found and len(found) < MOST_FILES:
                        found[other] = None
                        pending.append(other)
            known = self._closures[file] = tuple(found)
        return known

    def is_declared_in_other_file(self, file: FilePath, name: str) -> bool:
        """Whether a file that is not seen declares a name at its top or in a namespace for others: a header that rests
        on what was included before it may mean that, and nobody can say so from the header alone."""
        others = self._world.defining(name)
        if not others or name in SYSTEM_NAMES:
            return False
        seen = self.seen(file)
        return any(
            _offers(self._world.surface(other), name) for other in others[:MOST_OTHER_FILES] if other not in seen
        )

    def seen(self, file: FilePath) -> frozenset[FilePath]:
        """The same as `visible`, for who asks whether a file is among them."""
        known = self._seen.get(file)
        if known is None:
            known = self._seen[file] = frozenset(self.visible(file))
        return known

    def sees_outside(self, file: FilePath) -> bool:
        """Whether a file includes something that is not in the workspace."""
        known = self._outside.get(file)
        if known is None:
            known = self._outside[file] = any(self._open.get(one, False) for one in self.visible(file))
        return known


def _offers(surface: Surface, name: str) -> bool:
    """Whether a file declares a name outside of classes and functions that is not its own alone."""
    symbols, kinds = surface.symbols, surface.scopes.kind
    return any(
        not symbols.flags[row] & STATIC_FLAG
        for scope, kind in enumerate(kinds)
        if kind in _OUTER and surface.members(scope)
        for row in surface.members(scope).get(name, ())
        if symbols.kind[row] != IMPORT_DEFINITION
    )
