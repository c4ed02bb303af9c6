"""Subjects: from what an agent writes to a place or a file of the snapshot.

Owns: paths of the workspace and its scopes.
Must not know: tools, answers, what a text means.
Invariant: a name with several meanings is refused with its candidates, a path that leaves the workspace always.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import BadRequest, NotInGraph
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.place_lookup import node_of_text, place_of_text
from graphls.sources.workspace import OutsideWorkspaceError as LeavesWorkspace
from graphls.sources.workspace import Workspace


class Subjects:
    """Reads the arguments of one request."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot) -> None:
        self._workspace = workspace
        self._snapshot = snapshot

    def place(self, text: str) -> SymbolRef:
        """The one place that an argument means."""
        return place_of_text(self._snapshot, text, self.file)

    def node(self, text: str) -> SymbolRef | DerivedNode:
        """The same, or the entry of a document that an argument means."""
        return node_of_text(self._snapshot, text, self.file)

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
