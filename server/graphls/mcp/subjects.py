"""Subjects: from what an agent writes to a place or a file of the snapshot.

Owns: telling files from names, paths of the workspace.
Must not know: tools, answers, what stands at a position.
Invariant: a name with several meanings is refused with its candidates, a path that leaves the workspace always.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import BadRequest, NotInGraph, UnknownSymbol
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.document_uses import document_node_at
from graphls.queries.place_lookup import may_be_path, place_at, position_in
from graphls.queries.symbol_lookup import one_node, one_symbol
from graphls.sources.workspace import OutsideWorkspaceError as LeavesWorkspace
from graphls.sources.workspace import Workspace


class Subjects:
    """Reads the arguments of one request."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot) -> None:
        self._workspace = workspace
        self._snapshot = snapshot

    def place(self, text: str) -> SymbolRef:
        """The one place that an argument means."""
        text = text.strip()
        position = position_in(text)
        if position is not None:
            return place_at(self._snapshot, self.file(position.path), position)
        if not may_be_path(self._snapshot, text):
            return one_symbol(self._snapshot, text)
        try:
            return SymbolRef(self.file(text), -1)
        except NotInGraph as error:
            try:
                return one_symbol(self._snapshot, text)
            except UnknownSymbol:
                raise error from None

    def node(self, text: str) -> SymbolRef | DerivedNode:
        """The same, or the entry of a document that an argument means."""
        text = text.strip()
        position = position_in(text)
        if position is not None:
            path = self.file(position.path)
            if not self._snapshot.shards[path].language:
                return document_node_at(self._snapshot, path, position.line, position.column or 0)
        elif not may_be_path(self._snapshot, text):
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
