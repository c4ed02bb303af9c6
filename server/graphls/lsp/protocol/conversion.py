"""Conversion: JSON values to typed params and results to JSON, for standard and own methods alike.

Owns: the cattrs converter, camelCase names of own message classes, strictness, sentences about wrong params.
Must not know: transports, lifecycle, what the params mean.
Invariant: wrong params raise BadParams and nothing else; values of the core go out under their own field names.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast, get_args, get_origin

import attrs
from cattrs import Converter, transform_error
from cattrs.cols import homogenous_tuple_structure_factory, list_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.strategies import configure_union_passthrough
from cattrs.v import format_exception
from lsprotocol import types
from pygls.protocol import default_converter

from graphls.lsp.protocol.errors import ErrorWithCode
from graphls.lsp.protocol.raw_json import JsonLocations, RawJson

MAX_PROBLEMS = 3
_ALLOWED = re.compile(r" not in literal typing\.Literal\[(.*)\]\Z", re.DOTALL)

_BOUND = re.compile(r"'(\w+)' must be (>=|<=) ([\d.]+): ")
_BOUNDS = {">=": "at least", "<=": "at most"}


class BadParams(ErrorWithCode):
    """The params do not fit the method."""

    def __init__(self, message: str) -> None:
        super().__init__("graphls.badParams", message)


def make_converter() -> Converter:
    """pygls' converter, made strict about primitives, with camelCase names for own classes."""
    converter = default_converter()
    for primitive in (str, int, float, bool):
        converter.register_structure_hook(primitive, _strict(primitive))
    converter.register_structure_hook_func(_is_change, partial(_structure_change, converter))
    converter.register_structure_hook_factory(_is_sequence, _structure_sequence)
    converter.register_structure_hook_func(lambda cls: cls is object, lambda value, _: value)
    configure_union_passthrough(str | bool | int | float | None, converter)
    converter.register_structure_hook_factory(_is_own, partial(_structure_own, converter))
    converter.register_unstructure_hook_factory(_is_own, partial(_unstructure_own, converter))
    # They take their places when the message is text.
    converter.register_unstructure_hook_func(_is_written, lambda value: value)
    return converter


def camel(name: str) -> str:
    """The wire name of a field."""
    head, *rest = name.rstrip("_").split("_")
    return head + "".join(word.capitalize() for word in rest)


class Conversion:
    """Params and results by method."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._own: dict[str, tuple[type | None, type | None]] = {}

    def register(self, method: str, params: type | None, result: type | None) -> None:
        """Make the classes of an own method known."""
        self._own[method] = (params, result)

    def prepare(self, give_way: Callable[[], object] = lambda: None) -> None:
        """Makes what the first message of each own method would have to make. `give_way`: called between steps."""
        for params, result in tuple(self._own.values()):
            give_way()
            if params is not None:
                self._converter.get_structure_hook(params)
            if result is not None:
                self._converter.get_unstructure_hook(result)

    @property
    def own_methods(self) -> tuple[str, ...]:
        """Own methods in the order of their registration."""
        return tuple(self._own)

    def params(self, method: str, raw: object) -> Any:
        """Typed params; the raw value for a method whose params have no type."""
        wanted = self._own[method][0] if method in self._own else _standard_params(method)
        if wanted is None:
            return raw
        return self.structure({} if raw is None else raw, wanted)

    def structure(self, raw: object, wanted: Any) -> Any:
        """A typed value, or BadParams."""
        try:
            return self._converter.structure(raw, wanted)
        except RecursionError:
            raise BadParams("The params are nested too deeply.") from None
        except Exception as error:  # noqa: BLE001 - converters raise anything
            raise BadParams(_sentence(error)) from None

    def encode(self, message: object) -> bytes:
        """The body of a message. Escapes non-ASCII text, so lone surrogates are harmless."""
        places = JsonLocations(self._plain)
        text = json.dumps(message, default=places.plain, allow_nan=False, separators=(",", ":"))
        return places.filled(text).encode("ascii")

    def _plain(self, value: object) -> object:
        if attrs.has(type(value)):
            return self._converter.unstructure(value)
        if isinstance(value, enum.Enum):
            return value.value
        if isinstance(value, set | frozenset):
            return sorted(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        raise TypeError(f"{type(value).__name__} has no form in JSON")


def _standard_params(method: str) -> Any:
    known = types.METHOD_TO_TYPES.get(method)
    return None if known is None else known[2]


def _sentence(error: Exception) -> str:
    problems = transform_error(error, path="params", format_exception=_problem)
    problems_text = "; ".join(_on_the_wire(line)[:160] for line in problems[:MAX_PROBLEMS])
    return f"The params do not fit the method: {problems_text}."


def _problem(error: BaseException, wanted: type | None) -> str:
    """What cattrs says of one value; what it says of words that are not among those allowed names types of Python."""
    if bound := _BOUND.match(str(error)):
        return f"{camel(bound[1])} must be {_BOUNDS[bound[2]]} {bound[3]}"
    words = _ALLOWED.search(str(error))
    return format_exception(error, wanted) if words is None else f"expected one of {words[1]}"


def _on_the_wire(problem: str) -> str:
    """cattrs names the fields as Python does."""
    what, at, where = problem.partition(" @ ")
    return what + at + ".".join(camel(part) for part in where.split("."))


def _strict(primitive: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if primitive is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if primitive is int and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            return int(value)
        if not isinstance(value, primitive) or (primitive is not bool and isinstance(value, bool)):
            raise TypeError(f"expected {primitive.__name__}")
        return value

    return structure


def _is_change(cls: Any) -> bool:
    whole, part = types.TextDocumentContentChangeWholeDocument, types.TextDocumentContentChangePartial
    return get_args(cls) in ((whole, part), (part, whole))


def _structure_change(converter: Converter, value: Any, _: Any) -> types.TextDocumentContentChangeEvent:
    """Some clients write a missing range as null."""
    if not isinstance(value, dict):
        raise TypeError("expected an object")
    change = cast("dict[str, object]", value)
    if change.get("range") is None:
        return converter.structure(change, types.TextDocumentContentChangeWholeDocument)
    return converter.structure(change, types.TextDocumentContentChangePartial)


def _is_sequence(cls: Any) -> bool:
    origin, arguments = get_origin(cls), get_args(cls)
    return origin in (list, Sequence) or (origin is tuple and arguments[1:] == (Ellipsis,))


def _structure_sequence(cls: Any, converter: Any) -> Any:
    """A list, not anything that can be iterated: a string is no list of its letters."""
    factory: Any = list_structure_factory if get_origin(cls) is list else homogenous_tuple_structure_factory
    inner = factory(cls, converter)

    def structure(value: object, wanted: Any) -> Any:
        if not isinstance(value, list):
            raise TypeError("expected list")
        return inner(value, wanted)

    return structure


def _is_own(cls: Any) -> bool:
    """Message classes of the faces; the core's records keep the field names of their own contract."""
    if not attrs.has(getattr(cls, "__origin__", cls)):
        return False
    module = str(getattr(cls, "__module__", ""))
    if module.startswith("graphls."):
        return module.startswith("graphls.lsp.")
    return not module.startswith(("lsprotocol.", "pygls."))


def _is_written(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, RawJson)


def _structure_own(converter: Converter, cls: Any) -> Any:
    names: Any = {field.name: override(rename=camel(field.name)) for field in attrs.fields(cls)}
    return make_dict_structure_fn(cls, converter, **names)


def _unstructure_own(converter: Converter, cls: Any) -> Any:
    names: Any = {
        field.name: override(rename=camel(field.name), omit_if_default=field.default is None)
        for field in attrs.fields(cls)
    }
    return make_dict_unstructure_fn(cls, converter, **names)
