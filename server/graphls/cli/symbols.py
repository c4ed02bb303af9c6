"""Symbols: from what a person writes to a place in a snapshot.

Owns: paths below the current folder, which places a checker may know.
Must not know: layout, particular commands, what a text means.
Invariant: a path below the root comes before one below the current folder.
"""

from __future__ import annotations

import os
from functools import partial

from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import NotInGraph
from graphls.graph.snapshot import SymbolRef
from graphls.queries import place_lookup


def place_of(workspace: OpenWorkspace, text: str) -> SymbolRef:
    """The one place that an argument means. Raises GraphError, OutsideWorkspace, Refused."""
    return place_lookup.place_of_text(workspace.snapshot, text, partial(file_of, workspace))


def node_of_text(workspace: OpenWorkspace, text: str) -> SymbolRef | DerivedNode:
    """The same, or the entry of a document that an argument means."""
    return place_lookup.node_of_text(workspace.snapshot, text, partial(file_of, workspace))


def code_places(*nodes: SymbolRef | DerivedNode) -> tuple[SymbolRef, ...]:
    """Those that a checker may know something about."""
    return tuple(node for node in nodes if isinstance(node, SymbolRef))


def file_of(workspace: OpenWorkspace, argument: str) -> FilePath:
    """The file of the graph that a path means: below the root, or else below the current folder."""
    snapshot = workspace.snapshot
    path = workspace.workspace.contained(argument)
    if path not in snapshot.shards and os.path.exists(argument):
        path = workspace.workspace.contained(os.path.abspath(argument))
    if path in snapshot.shards:
        return path
    skipped = next((skipped for skipped in snapshot.skipped if skipped.path == path), None)
    if skipped is not None:
        raise UsageError(f"{path} is not in the graph: {skipped.reason}.")
    raise NotInGraph(argument)
