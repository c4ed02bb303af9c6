"""Schema: JSON Schema of the records, and the page about them, from the classes that define them.

Owns: how a field's type becomes a schema, the layout of the page.
Must not know: any particular record.
Invariant: what the schema allows is what `wire` reads; a newer kind or field does not make a record invalid, nor does
the absence of a field that has a default.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Union, cast, get_args, get_origin, get_type_hints

import attrs

from graphls.graph.records import (
    KINDS,
    SCHEMA_VERSION,
    Counts,
    Decorator,
    Generator,
    PositionUnit,
    ProviderName,
    Range,
    Site,
    Skipped,
    Verified,
    WorkspaceName,
    wire_fields,
)

_PARTS = (Site, Decorator, Generator, WorkspaceName, PositionUnit, ProviderName, Skipped, Counts, Verified)
_PLAIN: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_BOUNDS: Mapping[object, Mapping[str, int]] = {int: {"minimum": 0}, float: {"minimum": 0, "maximum": 1}}
"""Whole numbers are counts, others say how sure something is."""


def json_schema() -> dict[str, object]:
    """Schema of one line of JSONL."""
    parts = {part.__name__: _object(part) for part in _PARTS}
    kinds = {name: _object(cls, record=name) for name, cls in KINDS.items()}
    unknown = {
        "type": "object",
        "description": "A record of a later version: kept and passed on.",
        "required": ["record"],
        "properties": {"record": {"type": "string", "not": {"enum": list(KINDS)}}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"graphls records {SCHEMA_VERSION}",
        "anyOf": [*({"$ref": f"#/$defs/{name}"} for name in kinds), {"$ref": "#/$defs/unknown"}],
        "$defs": {**kinds, **parts, "unknown": unknown},
    }


def schema_text() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def schema_page() -> str:
    """The page about the records, without its heading."""
    return "\n".join(_page())


def _object(cls: type[attrs.AttrsInstance], record: str | None = None) -> dict[str, object]:
    hints = get_type_hints(cls)
    properties: dict[str, object] = {"record": {"const": record}} if record else {}
    required = list(properties)
    for field in wire_fields(cls):
        properties[field.name] = {**_shape(hints[field.name]), "description": str(field.metadata["doc"])}
        known = cast("tuple[str, ...]", field.metadata["known"])
        if known:
            cast("dict[str, object]", properties[field.name])["examples"] = list(known)
        if field.default is attrs.NOTHING:
            required.append(field.name)
    return {
        "type": "object",
        "description": cleandoc(cls.__doc__ or ""),
        "required": required,
        "properties": properties,
    }


def _shape(hint: object) -> dict[str, object]:
    if hint == Range:
        return {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 4, "maxItems": 4}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint], **_BOUNDS.get(hint, {})}
    if isinstance(hint, type) and attrs.has(hint):
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_shape(item) for item in get_args(hint)]}
    if origin is tuple:
        return {"type": "array", "items": _shape(get_args(hint)[0])}
    if origin is Mapping:
        return {"type": "object"}
    raise TypeError(f"{hint} has no shape in JSON Schema")


def _page() -> Iterator[str]:
    for name, cls in KINDS.items():
        yield f"## {name}\n\n{cleandoc(cls.__doc__ or '')}\n"
        yield from _table(cls)
    for part in _PARTS:
        yield f"### {part.__name__}\n\n{cleandoc(part.__doc__ or '')}\n"
        yield from _table(part)


def _table(cls: type[attrs.AttrsInstance]) -> Iterator[str]:
    hints = get_type_hints(cls)
    yield "| key | type | meaning |\n|---|---|---|"
    for field in wire_fields(cls):
        known = cast("tuple[str, ...]", field.metadata["known"])
        words = f" One of: {', '.join(f'`{word}`' for word in known)}, or a later word." if known else ""
        yield f"| `{field.name}` | {_spelled(hints[field.name])} | {field.metadata['doc']}{words} |"
    yield ""


def _spelled(hint: object) -> str:
    if hint == Range:
        return "four integers"
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(_spelled(item) for item in get_args(hint))
    if origin is tuple:
        return f"list of {_spelled(get_args(hint)[0])}"
    return getattr(hint, "__name__", "object") if origin is None else "object"
