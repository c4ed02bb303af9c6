"""GraphML: a graph for tools that read XML.

Owns: keys, escaping.
Must not know: snapshots.
Invariant: the document is well-formed whatever names hold; edges come after the nodes they join.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from graphls.graph.control_escapes import escape_line
from graphls.graph.records import Edge, Node, Record

_NODE_KEYS = ("kind", "subkind", "name", "qualified_name", "module", "package", "file", "visibility", "provenance")
_EDGE_KEYS = ("kind", "provenance", "resolution", "confidence", "ambiguous", "site_count")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml(records: Iterable[Record]) -> Iterator[str]:
    """One `graphml` document."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for owner, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            kind = {"confidence": "double", "ambiguous": "boolean", "site_count": "int"}.get(key, "string")
            yield f'  <key id="{owner}_{key}" for="{owner}" attr.name="{key}" attr.type="{kind}"/>\n'
    yield '  <graph id="graphls" edgedefault="directed">\n'
    for record in _edges_last(records):
        match record:
            case Node():
                values = {key: getattr(record, key) for key in _NODE_KEYS}
                yield f"    <node id={_attribute(record.id)}>{_data('node', values)}</node>\n"
            case Edge():
                values = {key: getattr(record, key) for key in _EDGE_KEYS}
                ends = f"source={_attribute(record.source)} target={_attribute(record.target)}"
                yield f"    <edge id={_attribute(record.id)} {ends}>{_data('edge', values)}</edge>\n"
            case _:
                pass
    yield "  </graph>\n</graphml>\n"


def _edges_last(records: Iterable[Record]) -> Iterator[Record]:
    """Diagnostics come last in JSONL; only what comes before them is passed on at once."""
    waiting: list[Edge] = []
    for record in records:
        if isinstance(record, Edge) and record.kind == "diagnoses":
            waiting.append(record)
        else:
            yield record
    yield from waiting


def _data(owner: str, values: dict[str, object]) -> str:
    return "".join(
        f'<data key="{owner}_{key}">{escape(_plain(_text(value)))}</data>'
        for key, value in values.items()
        if value is not None
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(text: str) -> str:
    return _NOT_XML.sub("�", escape_line(text))


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))
