"""Identity: ids and names of nodes.

Owns: node, edge and external ids, symbol spelling.
Must not know: records, edges, positions of an editor, how a spelled symbol is found again.
Invariant: an id is a function of what a node is, not of when it was seen.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from graphls.facts.paths import FilePath
from graphls.graph.addresses import (
    EdgeId,
    NodeId,
    addresses,
    declared_package,
    digest_of,
    format_id,
    home_of,
    local_digest,
)
from graphls.graph.derivation import DIAGNOSTIC, DerivedNode
from graphls.graph.memo import Memo
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.spelling import module_spelling, suffix

_ROWS: Final = Memo["Sequence[int]"]("rows of plain files", rests_on_links=False)


def node_id(snapshot: Snapshot, place: SymbolRef) -> NodeId:
    """Id of a node; of a variable of a function too. For a plain file it is the file's own."""
    if not snapshot.shards[place.file].language:
        return file_id(snapshot, place.file)
    digest = addresses(snapshot, place.file).digest(place.definition)
    return NodeId(format_id("n", digest or local_digest(snapshot, place.file, place.definition)))


def end_id(snapshot: Snapshot, end: SymbolRef | DerivedNode | str) -> NodeId:
    """Id of what stands at the end of an edge."""
    if isinstance(end, str):
        return external_id(end)
    return derived_id(snapshot, end) if isinstance(end, DerivedNode) else node_id(snapshot, end)


def derived_id(snapshot: Snapshot, derived: DerivedNode) -> NodeId:
    """Id of what no binding site stands for: its home, kind and name, and what tells it from its equals."""
    if derived.kind == DIAGNOSTIC:
        return NodeId(derived.anchor)
    home = home_of(snapshot, derived.file)
    kind = f"{derived.kind}.{derived.subkind}"
    return NodeId(format_id("n", digest_of(home, derived.name, kind, derived.anchor)))


def file_id(snapshot: Snapshot, path: FilePath) -> NodeId:
    """Id of a file, by its path."""
    return NodeId(format_id("n", digest_of(declared_package(snapshot, path), path, "file")))


def range_of(snapshot: Snapshot, path: FilePath, start: int, end: int) -> tuple[int, int, int, int]:
    """Lines and byte columns of two offsets, in a plain file too."""
    if snapshot.shards[path].language:
        facts = snapshot.facts(path)
        return (*facts.line_column(start), *facts.line_column(end))
    begins = _ROWS.once(snapshot.shards[path], lambda: _row_starts(snapshot.text(path) or b""))
    line, last = bisect_right(begins, start) - 1, bisect_right(begins, end) - 1
    return line, start - begins[line], last, end - begins[last]


def _row_starts(text: bytes) -> Sequence[int]:
    """Where the rows of a text begin, as tree-sitter counts them."""
    return array("I", (0, *(found.end() for found in re.finditer(b"\n", text))))


def external_id(dotted: str) -> NodeId:
    """Id of something outside the workspace."""
    return NodeId(format_id("n", digest_of("", dotted, "external")))


def edge_id(source: str, target: str, kind: str, provenance: str) -> EdgeId:
    """Id of an edge between two node ids."""
    return EdgeId(format_id("e", digest_of(source, target, kind, provenance)))


def end_name(snapshot: Snapshot, end: SymbolRef | DerivedNode | str) -> str:
    """How people write what stands at the end of an edge."""
    if isinstance(end, str):
        return end
    if isinstance(end, DerivedNode):
        if end.kind == DIAGNOSTIC:
            return diagnostic_name(end)
        return f"{end.subkind if end.in_document else end.kind} {end.name}"
    return symbol_name(snapshot, end)


def diagnostic_name(node: DerivedNode) -> str:
    """How people write a diagnostic: how bad it is, who says it, by which rule, and what."""
    said = {name: value for name, value in node.attributes if isinstance(value, str)}
    source, code = said.get("source", ""), said.get("code", "")
    who = source if source == code else f"{source} {code}".strip()
    message = said.get("message", "").partition("\n")[0]
    return f"{said.get('severity', '')} {who}: {message}".strip()


def symbol_name(snapshot: Snapshot, place: SymbolRef) -> str:
    """`module.path:Class.method`; the module name alone for a module, the path for a plain file. See `spelling`."""
    if not snapshot.shards[place.file].language:
        return place.file
    module = module_spelling(snapshot, place.file)
    if place.definition < 0:
        return module
    name = qualified_name(snapshot.facts(place.file), place.definition)
    return f"{module}:{name}{suffix(snapshot, place.file, place.definition)}"
