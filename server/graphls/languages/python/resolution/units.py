"""Units: one file as resolution of Python sees it.

Owns: what lookups in a file have found.
Must not know: the rules by which they find it.
Invariant: what is kept here rests on the file alone.
"""

from __future__ import annotations

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages import units


class Unit(units.Unit):
    """Names, scopes, expressions of one file."""

    def __init__(self, file: FilePath, source: FileFacts | Surface) -> None:
        super().__init__(file, source)
        self.found: dict[tuple[int, str], tuple[int, ...]] = {}
        """Rows that a name means in a scope."""
