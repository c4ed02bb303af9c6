"""Wire: records to and from plain JSON objects and lines.

Owns: the `record` key, the order of keys, the text of a line, which fields a record must have.
Must not know: snapshots, files, streams.
Invariant: reading what was written gives the record back; a field or a record of unknown name comes back unchanged,
behind the known fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import NoReturn, Protocol, cast, get_args, get_origin

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from graphls.graph.records import (
    KINDS,
    Attributes,
    Edge,
    Extensible,
    Header,
    Json,
    Node,
    Opaque,
    Range,
    Record,
    Site,
    wire_fields,
)

_NAMES = {kind: name for name, kind in KINDS.items()}
_RECORD = "record"


class RecordError(ValueError):
    """The object is no record of this schema."""


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=False, detailed_validation=False)
    converter.register_structure_hook_func(_is_attributes, _attributes_of)
    converter.register_unstructure_hook_func(_is_attributes, lambda value: value)
    converter.register_structure_hook_func(_is_range, _range)
    converter.register_structure_hook_factory(_is_list)(_listing)
    converter.register_structure_hook(str, _string)
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(bool, _boolean)
    converter.register_structure_hook_factory(_is_wire)(_structuring)
    converter.register_unstructure_hook_factory(_is_wire)(_unstructuring)
    return converter


# ---- what JSON must be like


def _is_wire(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Extensible)


def _is_attributes(hint: object) -> bool:
    return get_origin(hint) is Mapping


def _is_range(hint: object) -> bool:
    return hint == Range


def _is_list(hint: object) -> bool:
    return get_origin(hint) is tuple and not _is_range(hint)


def _listing(hint: object, converter: cattrs.Converter) -> Callable[[object, object], object]:
    inner = get_args(hint)[0]
    structured = converter.get_structure_hook(inner)

    def structure(value: object, _: object) -> object:
        if not isinstance(value, list):
            _refuse("list", value)
        return tuple([structured(item, inner) for item in cast("list[object]", value)])

    return structure


def _refuse(expected: str, value: object) -> NoReturn:
    raise RecordError(f"{_brief(value)} is no {expected}")


def _attributes_of(value: object, _: object) -> Attributes:
    return cast("Attributes", value) if isinstance(value, dict) else _refuse("object", value)


def _range(value: object, _: object) -> Range:
    if isinstance(value, list):
        numbers = cast("list[object]", value)
        if len(numbers) == 4 and all(type(number) is int and number >= 0 for number in numbers):
            return cast("Range", tuple(numbers))
    return _refuse("list of four numbers", cast("object", value))


def _string(value: object, _: object) -> str:
    return value if isinstance(value, str) else _refuse("text", value)


def _integer(value: object, _: object) -> int:
    return value if type(value) is int and value >= 0 else _refuse("whole number from 0", value)


def _number(value: object, _: object) -> float:
    if isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= 1:
        return value
    return _refuse("number from 0 to 1", value)


def _boolean(value: object, _: object) -> bool:
    return value if isinstance(value, bool) else _refuse("true or false", value)


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


# ---- fields that this version does not know


def _structuring(kind: type[attrs.AttrsInstance], converter: cattrs.Converter) -> Callable[[object, object], object]:
    known = frozenset(field.name for field in wire_fields(kind))
    made = make_dict_structure_fn(kind, converter, extra=override(omit=True))

    def structure(value: object, _: object) -> object:
        if not isinstance(value, dict):
            _refuse("object", value)
        fields = cast("dict[str, Json]", value)
        found = made(fields, kind)
        if fields.keys() <= known:
            return found
        return attrs.evolve(found, extra={name: value for name, value in fields.items() if name not in known})

    return structure


def _unstructuring(kind: type[attrs.AttrsInstance], converter: cattrs.Converter) -> Callable[[object], object]:
    made = cast(
        "Callable[[object], dict[str, Json]]",
        make_dict_unstructure_fn(kind, converter, extra=override(omit=True)),
    )

    def unstructure(value: object) -> dict[str, Json]:
        fields, extra = made(value), cast("Extensible", value).extra
        if extra:
            fields.update(extra)
        return fields

    return unstructure


# ---- records


def to_wire(record: Record) -> dict[str, Json]:
    """The JSON object of a record, keys in order."""
    if isinstance(record, Opaque):
        return dict(record.fields)
    made = cast("dict[str, Json]", _converter().unstructure(record))
    return {_RECORD: _NAMES[type(record)], **made}


def from_wire(fields: Mapping[str, Json]) -> Record:
    """The record of a JSON object.

    Raises RecordError when the object names no kind of record, or when a known kind lacks a field that it must have or
    has one of the wrong type.
    """
    name = fields.get(_RECORD)
    if not isinstance(name, str):
        raise RecordError("a record says what it is under the key record")
    kind = KINDS.get(name)
    if kind is None:
        return Opaque(fields)
    try:
        return _converter().structure({key: value for key, value in fields.items() if key != _RECORD}, kind)
    except KeyError as error:
        raise RecordError(f"no {name} record: it lacks {error.args[0]}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"no {name} record: {error}") from error


def plain_part(part: object) -> object:
    """A part of a record (an object, a list of parts) as JSON has it."""
    return _converter().unstructure(part)


def line_of(record: Record) -> str:
    """One line of JSONL, without its end."""
    match record:
        case Node():
            return node_line(record)
        case Edge():
            return edge_line(record)
        case Header() | Opaque():
            return dumped(to_wire(record))


def object_of(line: str | bytes) -> dict[str, Json]:
    """The JSON object on a line. Raises RecordError."""
    try:
        fields = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise RecordError("a record is a JSON object")
    return cast("dict[str, Json]", fields)


def record_of(line: str | bytes) -> Record:
    """The record on a line of JSONL. Raises RecordError."""
    return from_wire(object_of(line))


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
dumped = _ENCODER.encode


class EdgeFields(Protocol):
    """What is said of an edge, apart from its ends and sites."""

    @property
    def provenance(self) -> str: ...
    @property
    def resolution(self) -> str | None: ...
    @property
    def confidence(self) -> float: ...
    @property
    def ambiguous(self) -> bool: ...
    @property
    def attributes(self) -> Attributes: ...


def edge_line(edge: Edge) -> str:
    """`dumped(to_wire(edge))`, built by hand: an export has hundreds of thousands of them."""
    if edge.extra or any(site.extra for site in edge.sites):
        return dumped(to_wire(edge))
    return _edge_head(edge.id, edge.kind, edge.source, edge.target) + _edge_tail(edge)


def packed_edge(edge: Edge) -> str:
    """An edge without unknown fields as a short row that sorts by source, kind, target and id."""
    return packed_row((edge.source, edge.kind, edge.target, edge.id), edge, map(_site, edge.sites), edge.site_count)


def packed_row(key: tuple[str, str, str, str], fields: EdgeFields, sites: Iterable[str], count: int) -> str:
    """The same of what is no record yet. `key`: source, kind, target and id; `sites`: see `site_text`."""
    return "\t".join(key) + f"\t{_tail(fields, ','.join(sites), count)}"


def unpacked_edge(row: str) -> str:
    """The line of a packed edge."""
    source, kind, target, ident, tail = row.split("\t", 4)
    return _edge_head(ident, kind, source, target) + tail


def _edge_head(ident: str, kind: str, source: str, target: str) -> str:
    return f'{{"record":"edge","id":"{ident}","kind":"{kind}","source":"{source}","target":"{target}",'


def _edge_tail(edge: Edge) -> str:
    return _tail(edge, ",".join(map(_site, edge.sites)) if edge.sites else "", edge.site_count)


def _tail(about: EdgeFields, sites: str, count: int) -> str:
    return (
        f"{evidence_text(about.provenance, about.resolution, about.confidence)},"
        f'"ambiguous":{"true" if about.ambiguous else "false"},"sites":[{sites}],"site_count":{count},'
        f'"attributes":{_attributes(about.attributes) if about.attributes else "{}"}}}'
    )


def _site(site: Site) -> str:
    how = evidence_text(site.provenance, site.resolution, site.confidence)
    return site_text(site.file, site.range, how)


def site_text(file: str, where: Range, how: str) -> str:
    """One site of an edge. `how`: see `evidence_text`."""
    start, left, end, right = where
    return f'{{"file":{_name(file)},"range":[{start},{left},{end},{right}],{how}}}'


@lru_cache(maxsize=1024)
def evidence_text(provenance: str | None, resolution: str | None, confidence: float | None) -> str:
    """How something was resolved, as fields without their brackets."""
    fields = {"provenance": provenance, "resolution": resolution, "confidence": confidence}
    return dumped(fields)[1:-1]


@lru_cache(maxsize=256)
def _name(file: str) -> str:
    return dumped(file)


def _attributes(attributes: Attributes) -> str:
    word = attributes.get("access")
    return _access(word) if len(attributes) == 1 and isinstance(word, str) else dumped(attributes)


@cache
def _access(word: str) -> str:
    return dumped({"access": word})


def node_line(node: Node) -> str:
    """`dumped(to_wire(node))`."""
    return dumped(to_wire(node))
