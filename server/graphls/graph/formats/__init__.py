"""Formats: records as texts other than JSON lines.

Owns: the list of formats that an export can be written in.
Must not know: snapshots, where text goes.
Invariant: each is a function of the records; names and text from source are escaped for the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from graphls.graph.formats.compact import compact_graph
from graphls.graph.formats.dot import dot
from graphls.graph.formats.graphml import graphml
from graphls.graph.formats.json_object import json_object
from graphls.graph.formats.mermaid import mermaid
from graphls.graph.formats.svg import svg
from graphls.graph.records import Record

WHOLE_GRAPH: Mapping[str, Callable[[Iterable[Record]], Iterator[str]]] = {
    "json": json_object,
    "dot": dot,
    "mermaid": mermaid,
    "graphml": graphml,
    "svg": svg,
    "compact": compact_graph,
}
"""Name of a format -> pieces of its text. `jsonl` is `Export.lines`."""
