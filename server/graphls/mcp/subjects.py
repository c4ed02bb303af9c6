"""Subjects: from what an agent writes to a place or a file of the snapshot.

Owns: ids, symbols, paths, `path:LINE`.
Must not know: tools, answers.
Invariant: a name with several meanings is refused with its candidates, a path that leaves the workspace always.
"""

from __future__ import annotations

import re

from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import AmbiguousSymbol, BadRequest, NotInGraph, UnknownSymbol
from graphls.graph.identity import symbol_name
from graphls.graph.nodes import is_node, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.document_uses import document_node_at
from graphls.queries.node_views import line_index
from graphls.queries.symbol import meaning
from graphls.queries.symbol_lookup import one_node, one_symbol
from graphls.sources.workspace import OutsideWorkspaceError as LeavesWorkspace
from graphls.sources.workspace import Workspace

_POSITION = re.compile(r"(?P<path>[^:]+):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?")


class Subjects:
    """Reads the arguments of one request."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot) -> None:
        self._workspace = workspace
        self._snapshot = snapshot

    def place(self, text: str) -> SymbolRef:
        """The one place that an argument means."""
        text = text.strip()
        position = _POSITION.fullmatch(text)
        if position is not None:
            column = int(position["column"]) if position["column"] else None
            return self._at(self.file(position["path"]), int(position["line"]), column)
        if FilePath(text.removeprefix("./")) in self._snapshot.shards or ("/" in text and ":" not in text):
            return SymbolRef(self.file(text), -1)
        return one_symbol(self._snapshot, text)

    def node(self, text: str) -> SymbolRef | DerivedNode:
        """The same, or the entry of a document that an argument means."""
        text = text.strip()
        position = _POSITION.fullmatch(text)
        if position is not None:
            path = self.file(position["path"])
            if not self._snapshot.shards[path].language:
                return document_node_at(self._snapshot, path, int(position["line"]), int(position["column"] or 0))
        elif text.removeprefix("./") not in self._snapshot.shards and not ("/" in text and ":" not in text):
            return one_node(self._snapshot, text)
        return self.place(text)

    def file(self, text: str) -> FilePath:
        """The file of the graph that a path names."""
        path = self.inside(text)
        if path not in self._snapshot.shards:
            skipped = next((skipped for skipped in self._snapshot.skipped if skipped.path == path), None)
            if skipped is not None:
                raise BadRequest(f"{path} is not in the graph: {skipped.reason}.")
            if self._snapshot.pending:
                raise BadRequest(f"{path} is not in the graph yet; ask again in a moment.")
            raise NotInGraph(path)
        return path

    def inside(self, text: str) -> FilePath:
        """A path inside the workspace, whether the graph has it or not."""
        try:
            return self._workspace.contained(text)
        except LeavesWorkspace:
            raise NotInGraph(text.replace("\\", "/").rpartition("/")[2]) from None

    def scope(self, text: str) -> str:
        """A scope, unless it is a path that leaves the workspace."""
        if not text.startswith(("/", "~", "\\")) and ".." not in text.split("/"):
            return text
        path = self.inside(text)
        return "" if path == "." else path

    def _at(self, path: FilePath, line: int, column: int | None) -> SymbolRef:
        snapshot = self._snapshot
        if not snapshot.shards[path].language:
            raise BadRequest(f"{path} is in no language that graphls reads; give the path alone for the file itself.")
        facts = snapshot.facts(path)
        if not 1 <= line <= max(len(facts.lines), 1):
            raise BadRequest(f"{path} has {len(facts.lines)} lines; there is no line {line}.")
        if column is None:
            return self._on_line(path, line)
        lines = line_index(snapshot, path)
        start = facts.lines[line - 1] if facts.lines else 0
        offset = (
            lines.offset(line - 1, max(column - 1, 0), "utf-32") if isinstance(lines, LineIndex) else start + column - 1
        )
        found = meaning(snapshot, path, offset)
        places = found.places if found else ()
        if len(places) > 1:
            raise AmbiguousSymbol(f"{path}:{line}", [symbol_name(snapshot, place) for place in places])
        if not places:
            raise UnknownSymbol(f"{path}:{line}:{column}")
        return places[0]

    def _on_line(self, path: FilePath, line: int) -> SymbolRef:
        """What the line declares; else the innermost thing around it."""
        facts = self._snapshot.facts(path)
        table = facts.definitions
        start = facts.lines[line - 1]
        end = facts.lines[line] if line < len(facts.lines) else facts.size + 1
        nodes = [row for row in range(len(table)) if is_node(facts, row)]
        declared = next((row for row in nodes if start <= table.start[row] < end), None)
        if declared is not None:
            return SymbolRef(path, node_row(facts, declared))
        around = [
            row for row in nodes if table.body[row] >= 0 and table.full_start[row] < end <= table.full_end[row] + 1
        ]
        return SymbolRef(path, max(around, key=lambda row: table.full_start[row], default=-1))
