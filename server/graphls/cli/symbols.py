"""Symbols: from what a person writes to a place in a snapshot.

Owns: telling positions from names, what stands at a line or a column.
Must not know: layout, particular commands.
Invariant: a position that may mean several things is answered with its candidates, never with a silent choice.
"""

from __future__ import annotations

import os
import re

from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import AmbiguousSymbol, NotInGraph, UnknownSymbol
from graphls.graph.identity import symbol_name
from graphls.graph.nodes import is_node, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.document_uses import document_node_at
from graphls.queries.node_views import line_index
from graphls.queries.symbol import meaning
from graphls.queries.symbol_lookup import one_node, one_symbol

_POSITION = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")


def place_of(workspace: OpenWorkspace, text: str) -> SymbolRef:
    """The one place that an argument means. Raises GraphError, OutsideWorkspace, Refused."""
    snapshot = workspace.snapshot
    position = _POSITION.fullmatch(text.strip())
    if position is not None:
        path = file_of(workspace, position["path"])
        line = int(position["line"])
        column = int(position["column"]) if position["column"] else None
        return _at(snapshot, path, line, column)
    if ("/" in text or text in snapshot.shards) and ":" not in text:
        return SymbolRef(file_of(workspace, text), -1)
    return one_symbol(snapshot, text)


def node_of_text(workspace: OpenWorkspace, text: str) -> SymbolRef | DerivedNode:
    """The same, or the entry of a document that an argument means."""
    snapshot = workspace.snapshot
    position = _POSITION.fullmatch(text.strip())
    if position is not None:
        path = file_of(workspace, position["path"])
        if not snapshot.shards[path].language:
            return document_node_at(snapshot, path, int(position["line"]), int(position["column"] or 0))
    elif text not in snapshot.shards and not ("/" in text and ":" not in text):
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


def _at(snapshot: Snapshot, path: FilePath, line: int, column: int | None) -> SymbolRef:
    if not snapshot.shards[path].language:
        raise UsageError(f"{path} is in no language that graphls reads; give the path alone for the file itself.")
    facts, lines = snapshot.facts(path), line_index(snapshot, path)
    if not 1 <= line <= max(len(facts.lines), 1):
        raise UsageError(f"{path} has {len(facts.lines)} lines; there is no line {line}.")
    if column is None:
        return _on_line(snapshot, path, line)
    if column < 1:
        raise UsageError("Columns count from 1.")
    return _at_offset(snapshot, path, _offset(facts, lines, line, column), f"{path}:{line}:{column}")


def _at_offset(snapshot: Snapshot, path: FilePath, offset: int, spelled: str) -> SymbolRef:
    found = meaning(snapshot, path, offset)
    if found is None:
        raise UsageError(f"No name stands at {spelled}. Give the column of a name, or the line alone.")
    if len(found.places) == 1:
        return found.places[0]
    if found.places:
        raise AmbiguousSymbol(spelled, [symbol_name(snapshot, place) for place in found.places])
    outside = [target.external for target in found.targets if target.external]
    if outside:
        raise UsageError(f"The name at {spelled} is {outside[0]}, outside the workspace.", 1)
    raise UnknownSymbol(spelled)


def _on_line(snapshot: Snapshot, path: FilePath, line: int) -> SymbolRef:
    """What the line declares; else the innermost thing around it."""
    facts = snapshot.facts(path)
    start, end = facts.lines[line - 1], facts.lines[line] if line < len(facts.lines) else facts.size + 1
    table = facts.definitions
    nodes = [row for row in range(len(table)) if is_node(facts, row)]
    declared = [row for row in nodes if start <= table.start[row] < end]
    outer = [row for row in declared if table.owner[row] not in declared]
    if len(outer) > 1:
        raise AmbiguousSymbol(f"{path}:{line}", [symbol_name(snapshot, SymbolRef(path, row)) for row in outer])
    if outer:
        return SymbolRef(path, node_row(facts, outer[0]))
    holding = (row for row in nodes if table.body[row] >= 0)
    around = [row for row in holding if table.full_start[row] < end and start < table.full_end[row]]
    return SymbolRef(path, max(around, key=lambda row: table.full_start[row], default=-1))


def _offset(facts: FileFacts, lines: FileFacts | LineIndex, line: int, column: int) -> int:
    if isinstance(lines, LineIndex):
        return lines.offset(line - 1, column - 1, "utf-32")
    end = facts.lines[line] - 1 if line < len(facts.lines) else facts.size
    return min(facts.lines[line - 1] + column - 1, end)
