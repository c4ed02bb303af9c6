"""Schemas: the JSON Schema of what a tool answers, from the classes of the answer.

Owns: shapes of attrs classes, one `$defs` entry a class.
Must not know: tools, the protocol.
Invariant: what `plain` makes of an instance fits the schema of its class.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from typing import Any, Literal, NewType, Union, cast, get_args, get_origin, get_type_hints

import attrs

_PLAIN: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(*classes: type[attrs.AttrsInstance]) -> dict[str, Any]:
    """One object with the fields of all classes; of two fields with one name the first counts."""
    defs: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    for cls in classes:
        for name, shape in _fields(cls, defs).items():
            properties.setdefault(name, shape)
    made: dict[str, Any] = {"type": "object", "properties": properties, "required": list(properties)}
    return {**made, "$defs": dict(sorted(defs.items()))} if defs else made


def plain(value: object) -> Any:
    """The value as objects, lists, texts and numbers."""
    if isinstance(value, StrEnum):
        return str(value)
    if attrs.has(type(value)):
        return {field.name: plain(getattr(value, field.name)) for field in attrs.fields(type(value))}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("Sequence[object]", value)]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in cast("Set[object]", value))
    return value


def _fields(cls: type[attrs.AttrsInstance], defs: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: _shape(hints[field.name], defs) for field in attrs.fields(cls)}


def _shape(hint: Any, defs: dict[str, Any]) -> dict[str, Any]:
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [str(word) for word in hint]}
    if isinstance(hint, type) and attrs.has(hint):
        return _reference(hint, defs)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_shape(item, defs) for item in inner]}
    if origin is tuple and Ellipsis not in inner:
        return {"type": "array", "prefixItems": [_shape(item, defs) for item in inner], "items": False}
    if origin in (tuple, list, frozenset):
        return {"type": "array", "items": _shape(inner[0], defs)}
    if isinstance(hint, NewType):
        return _shape(hint.__supertype__, defs)
    if origin is not None and issubclass(origin, Mapping):
        values = _shape(inner[1], defs)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    return {}


def _reference(cls: type[attrs.AttrsInstance], defs: dict[str, Any]) -> dict[str, Any]:
    if cls.__name__ not in defs:
        defs[cls.__name__] = {}
        shapes = _fields(cls, defs)
        defs[cls.__name__] = {"type": "object", "properties": shapes, "required": list(shapes)}
    return {"$ref": f"#/$defs/{cls.__name__}"}
