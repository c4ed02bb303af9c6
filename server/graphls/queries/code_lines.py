"""Code lines: places in code as the line that stands there.

Owns: the record of a line, its text and the symbol around it.
Must not know: layout, JSON, why a line is shown.
Invariant: one record a line, however often the line names the thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name, sources
from graphls.graph.snapshot import Snapshot
from graphls.queries.node_views import Presenter

LONGEST: Final = 160


@attrs.frozen(kw_only=True)
class CodeLine:
    """A line of code; `owner`: the name, within the file, of the symbol around it, "" for the module."""

    file: str
    line: int
    text: str
    owner: str


class CodeLines:
    """Makes records of one snapshot; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._presenter = Presenter(snapshot)
        self._texts: dict[FilePath, Sequence[bytes]] = {}
        self._owners: dict[tuple[FilePath, int], str] = {}

    def at(self, path: FilePath, offset: int, owner: int = NONE) -> CodeLine:
        """The line around a byte. `owner`: the definition around it."""
        line = self._presenter.position(path, offset).line
        return CodeLine(file=path, line=line, text=self.text(path, line), owner=self._owner(path, owner))

    def text(self, path: FilePath, line: int) -> str:
        """A line, counted from 1, without the space around it; the beginning of one that is long."""
        lines = self._texts.get(path)
        if lines is None:
            lines = self._texts[path] = (self._snapshot.text(path) or b"").split(b"\n")
        return lines[line - 1].decode("utf-8", "replace").strip()[:LONGEST] if 0 < line <= len(lines) else ""

    def _owner(self, path: FilePath, owner: int) -> str:
        if owner == NONE or not self._snapshot.shards[path].language:
            return ""
        known = self._owners.get((path, owner))
        if known is None:
            facts = self._snapshot.facts(path)
            known = self._owners[path, owner] = qualified_name(facts, sources(facts, (owner,))[owner][0])
        return known
