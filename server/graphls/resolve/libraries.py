"""Libraries: what resolution may ask about modules outside the workspace.

Owns: the shape of that answer, and the answer where nothing is installed.
Must not know: where library files lie, any language.
Invariant: equal stamps give equal answers; a library file never takes part in a module table.
"""

from __future__ import annotations

from typing import Protocol

from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.provider import ModuleName


class Libraries(Protocol):
    """Files of libraries, read when they are needed. Safe for several threads."""

    @property
    def stamp(self) -> str:
        """Digest of what is installed."""
        ...

    @property
    def kept(self) -> dict[object, object]:
        """Answers of resolvers that rest on libraries alone."""
        ...

    def find(self, dotted: str) -> FilePath | None:
        """The file of an absolute module name."""
        ...

    def name_of(self, file: FilePath) -> ModuleName:
        """The module name of a library file."""
        ...

    def surface(self, file: FilePath) -> Surface:
        """What a library file shows."""
        ...
