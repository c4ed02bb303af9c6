"""Symbols: from what a person writes to a place in a snapshot.

Owns: telling files from names, paths below the current folder.
Must not know: layout, particular commands, what stands at a position.
Invariant: a text that may mean several things is answered with its candidates, never with a silent choice.
"""

from __future__ import annotations

import os

from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import NotInGraph, UnknownSymbol
from graphls.graph.snapshot import SymbolRef
from graphls.queries.document_uses import document_node_at
from graphls.queries.place_lookup import may_be_path, place_at, position_in
from graphls.queries.symbol_lookup import one_node, one_symbol


def place_of(workspace: OpenWorkspace, text: str) -> SymbolRef:
    """The one place that an argument means. Raises GraphError, OutsideWorkspace, Refused."""
    snapshot, text = workspace.snapshot, text.strip()
    position = position_in(text)
    if position is not None:
        return place_at(snapshot, file_of(workspace, position.path), position)
    if not may_be_path(snapshot, text):
        return one_symbol(snapshot, text)
    try:
        return SymbolRef(file_of(workspace, text), -1)
    except NotInGraph as error:
        try:
            return one_symbol(snapshot, text)
        except UnknownSymbol:
            raise error from None


def node_of_text(workspace: OpenWorkspace, text: str) -> SymbolRef | DerivedNode:
    """The same, or the entry of a document that an argument means."""
    snapshot, text = workspace.snapshot, text.strip()
    position = position_in(text)
    if position is not None:
        path = file_of(workspace, position.path)
        if not snapshot.shards[path].language:
            return document_node_at(snapshot, path, position.line, position.column or 0)
    elif not may_be_path(snapshot, text):
        return one_node(snapshot, text)
    return place_of(workspace, text)


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
