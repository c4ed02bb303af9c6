"""Wire: records to and from plain JSON objects and lines.

Owns: the `record` key, the order of keys, the text of a line, what is read leniently.
Must not know: snapshots, files, streams.
Invariant: reading what was written gives the record back; a record of unknown kind comes back unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import cast, get_origin

import cattrs

from graphls.graph.records import KINDS, Attributes, Edge, Header, Json, Node, Opaque, Range, Record

_NAMES = {kind: name for name, kind in KINDS.items()}


class RecordError(ValueError):
    """The object is no record of this schema."""


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=False, detailed_validation=False)
    converter.register_structure_hook_func(_is_attributes, _as_it_is)
    converter.register_unstructure_hook_func(_is_attributes, lambda value: value)
    converter.register_structure_hook_func(_is_range, _range)
    return converter


def _is_attributes(hint: object) -> bool:
    return get_origin(hint) is Mapping


def _is_range(hint: object) -> bool:
    return hint == Range


def _as_it_is(value: Attributes, _: object) -> Attributes:
    return value


def _range(value: object, _: object) -> Range:
    if not isinstance(value, (list, tuple)):
        raise RecordError("a range is a list of four numbers")
    numbers = cast("list[object]", value)
    if len(numbers) != 4 or not all(isinstance(number, int) for number in numbers):
        raise RecordError("a range is a list of four numbers")
    return cast("Range", tuple(numbers))


def to_wire(record: Record) -> dict[str, Json]:
    """The JSON object of a record, keys in order."""
    if isinstance(record, Opaque):
        return dict(record.fields)
    made = cast("dict[str, Json]", _converter().unstructure(record))
    return {"record": _NAMES[type(record)], **made}


def from_wire(fields: Mapping[str, Json]) -> Record:
    """The record of a JSON object. Raises RecordError when a known kind of record has fields of the wrong type."""
    kind = KINDS.get(str(fields.get("record")))
    if kind is None:
        return Opaque(fields)
    try:
        return _converter().structure({key: value for key, value in fields.items() if key != "record"}, kind)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"not a {fields['record']} record: {error}") from error


def line_of(record: Record) -> str:
    """One line of JSONL, without its end."""
    match record:
        case Node():
            return node_line(record)
        case Edge():
            return edge_line(record)
        case Header() | Opaque():
            return dumped(to_wire(record))


def record_of(line: str | bytes) -> Record:
    """The record on a line of JSONL. Raises RecordError."""
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise RecordError(f"not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise RecordError("a record is a JSON object")
    return from_wire(cast("dict[str, Json]", fields))


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
dumped = _ENCODER.encode


def edge_line(edge: Edge) -> str:
    """`dumped(to_wire(edge))`, built by hand: an export has hundreds of thousands of them."""
    return _edge_head(edge.id, edge.kind, edge.source, edge.target) + _edge_tail(edge)


def packed_edge(edge: Edge) -> str:
    """An edge as a short row that sorts by source, kind, target and id."""
    return f"{edge.source}\t{edge.kind}\t{edge.target}\t{edge.id}\t{_edge_tail(edge)}"


def unpacked_edge(row: str) -> str:
    """The line of a packed edge."""
    source, kind, target, ident, tail = row.split("\t", 4)
    return _edge_head(ident, kind, source, target) + tail


def _edge_head(ident: str, kind: str, source: str, target: str) -> str:
    return f'{{"record":"edge","id":"{ident}","kind":"{kind}","source":"{source}","target":"{target}",'


def _edge_tail(edge: Edge) -> str:
    resolution = f'"{edge.resolution}"' if edge.resolution else "null"
    sites = ""
    if edge.sites:
        sites = ",".join([f'{{"file":{_name(site.file)},"range":{_numbers(site.range)}}}' for site in edge.sites])
    return (
        f'"provenance":"{edge.provenance}","resolution":{resolution},"confidence":{edge.confidence!r},'
        f'"ambiguous":{"true" if edge.ambiguous else "false"},"sites":[{sites}],"site_count":{edge.site_count},'
        f'"attributes":{_attributes(edge.attributes) if edge.attributes else "{}"}}}'
    )


@lru_cache(maxsize=256)
def _name(file: str) -> str:
    return dumped(file)


def _attributes(attributes: Attributes) -> str:
    word = attributes.get("access")
    return _access(word) if len(attributes) == 1 and isinstance(word, str) else dumped(attributes)


@cache
def _access(word: str) -> str:
    return dumped({"access": word})


def _numbers(numbers: Range) -> str:
    return f"[{numbers[0]},{numbers[1]},{numbers[2]},{numbers[3]}]"


def node_line(node: Node) -> str:
    """`dumped(to_wire(node))`."""
    return dumped(to_wire(node))
