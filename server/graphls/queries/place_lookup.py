"""Place lookup: from what people write, a name, a path or a position, to the one place that it means.

Owns: positions as people write them, whether a text names a file, what a line declares or lies in.
Must not know: how a path is found in the workspace, which names there are, protocols.
Invariant: a text that may mean several things is answered with its candidates, never with a silent choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import AmbiguousSymbol, BadRequest, NotInGraph, OutsideSymbol, UnknownSymbol
from graphls.graph.identity import symbol_name
from graphls.graph.nodes import is_node, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.document_uses import document_node_at
from graphls.queries.node_views import line_index
from graphls.queries.symbol import meaning
from graphls.queries.symbol_lookup import one_node, one_symbol

_POSITION: Final = re.compile(r"(?P<path>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?")


@attrs.frozen
class WrittenPosition:
    """`path:LINE` or `path:LINE:COLUMN`, counted from 1."""

    path: str
    line: int
    column: int | None


def place_of_text(snapshot: Snapshot, text: str, file: Callable[[str], FilePath]) -> SymbolRef:
    """The one place that a text means. `file`: the file that a path names; raises NotInGraph where there is none.
    Raises GraphError."""
    text = text.strip()
    position = _position_in(text)
    if position is not None:
        return _place_at(snapshot, file(position.path), position)
    if not _may_be_path(snapshot, text):
        return one_symbol(snapshot, text)
    try:
        return SymbolRef(file(text), NONE)
    except NotInGraph as error:
        try:
            return one_symbol(snapshot, text)
        except UnknownSymbol:
            raise error from None


def node_of_text(snapshot: Snapshot, text: str, file: Callable[[str], FilePath]) -> SymbolRef | DerivedNode:
    """The same, or the entry of a document that the text means."""
    text = text.strip()
    position = _position_in(text)
    if position is not None:
        path = file(position.path)
        if not snapshot.shards[path].language:
            return document_node_at(snapshot, path, position.line, position.column or 0)
    elif not _may_be_path(snapshot, text):
        return one_node(snapshot, text)
    return place_of_text(snapshot, text, file)


def _position_in(text: str) -> WrittenPosition | None:
    """The position that a text is; None where it is a name or a path."""
    found = _POSITION.fullmatch(text)
    if found is None:
        return None
    return WrittenPosition(found["path"], int(found["line"]), int(found["column"]) if found["column"] else None)


def _may_be_path(snapshot: Snapshot, text: str) -> bool:
    """Whether a text rather names a file than a symbol, as far as its letters say."""
    return FilePath(text.removeprefix("./")) in snapshot.shards or ("/" in text and ":" not in text)


def _place_at(snapshot: Snapshot, path: FilePath, position: WrittenPosition) -> SymbolRef:
    """What stands there. Raises BadRequest, AmbiguousSymbol, OutsideSymbol and UnknownSymbol."""
    if not snapshot.shards[path].language:
        raise BadRequest(f"{path} is in no language that graphls reads; give the path alone for the file itself.")
    lines, line = snapshot.facts(path).lines, position.line
    if not 1 <= line <= max(len(lines), 1):
        raise BadRequest(f"{path} has {len(lines)} lines; there is no line {line}.")
    if position.column is None:
        return _on_line(snapshot, path, line)
    if position.column < 1:
        raise BadRequest("Columns count from 1.")
    return _at_offset(
        snapshot, path, _offset(snapshot, path, line, position.column), f"{path}:{line}:{position.column}"
    )


def _at_offset(snapshot: Snapshot, path: FilePath, offset: int, spelled: str) -> SymbolRef:
    found = meaning(snapshot, path, offset)
    if found is None:
        raise BadRequest(f"No name stands at {spelled}. Give the column of a name, or the line alone.")
    if len(found.places) == 1:
        return found.places[0]
    if found.places:
        raise AmbiguousSymbol(spelled, [symbol_name(snapshot, place) for place in found.places])
    outside = [target.external for target in found.targets if target.external]
    if outside:
        raise OutsideSymbol(spelled, outside[0])
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


def _offset(snapshot: Snapshot, path: FilePath, line: int, column: int) -> int:
    facts, lines = snapshot.facts(path), line_index(snapshot, path)
    if isinstance(lines, LineIndex):
        return lines.offset(line - 1, column - 1, "utf-32")
    end = facts.lines[line] - 1 if line < len(facts.lines) else facts.size
    return min(facts.lines[line - 1] + column - 1, end)
