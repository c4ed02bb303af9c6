"""Kinds: what a setting may hold, and how a raw value becomes a typed one.

Owns: one frozen class a kind, its check, the words that describe it to a person.
Must not know: which settings exist, files, editors, JSON.
Invariant: `read` returns a value of the kind or raises `RejectedError` with what was expected; it never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Generic, Protocol, TypeVar, cast

import attrs

_LONGEST_NAME: Final = 100
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class RejectedError(ValueError):
    """The value is not of the kind; `expected` says what is."""

    def __init__(self, expected: str, found: object) -> None:
        super().__init__(f"found {render_value(found)}, expected {expected}")
        self.expected = expected
        self.found = found


@attrs.frozen
class RejectedEntry:
    """An entry of a list that is not of its kind. `name`: what it calls itself."""

    number: int
    name: str
    error: RejectedError


class Kind(Protocol[T_co]):
    """What one setting may hold."""

    @property
    def expected(self) -> str: ...

    def read(self, raw: object) -> T_co: ...


def render_value(value: object, limit: int = 60) -> str:
    """A value as a message may quote it: short, on one line."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


@attrs.frozen
class FlagKind:
    """true or false."""

    expected: str = "true or false"

    def read(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        raise RejectedError(self.expected, raw)


@attrs.frozen
class WholeNumberKind:
    """A whole number within bounds. A boolean is no number."""

    low: int
    high: int

    @property
    def expected(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def read(self, raw: object) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and self.low <= raw <= self.high:
            return raw
        raise RejectedError(self.expected, raw)


@attrs.frozen
class NumberKind:
    """A number within bounds. A boolean is no number."""

    low: float
    high: float

    @property
    def expected(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"

    def read(self, raw: object) -> float:
        if isinstance(raw, int | float) and not isinstance(raw, bool) and self.low <= raw <= self.high:
            return float(raw)
        raise RejectedError(self.expected, raw)


@attrs.frozen
class ChoiceKind:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        return "one of " + ", ".join(f'"{word}"' for word in self.words)

    def read(self, raw: object) -> str:
        if isinstance(raw, str) and raw in self.words:
            return raw
        raise RejectedError(self.expected, raw)


@attrs.frozen
class TextKind:
    """A string without control characters."""

    meaning: str = "a string"

    @property
    def expected(self) -> str:
        return self.meaning

    def read(self, raw: object) -> str:
        if isinstance(raw, str) and (not raw or raw.isprintable()):
            return raw
        raise RejectedError(self.expected, raw)


@attrs.frozen
class PathKind(TextKind):
    """A file or folder, relative to the workspace unless absolute."""

    meaning: str = "a path"


@attrs.frozen
class ListKind(Generic[T]):
    """A list of one kind. `apart`: entries mean something one by one, so a wrong one does not take the others along."""

    item: Kind[T]
    noun: str
    apart: bool = True

    @property
    def expected(self) -> str:
        return f"a list of {self.noun}"

    def read(self, raw: object) -> tuple[T, ...]:
        found, rejected = self.read_apart(raw)
        if rejected:
            raise rejected[0].error
        return found

    def read_apart(self, raw: object) -> tuple[tuple[T, ...], tuple[RejectedEntry, ...]]:
        """Entries of the kind, and the others. Raises RejectedError where it is no list."""
        if isinstance(raw, str | bytes) or not isinstance(raw, Sequence):
            raise RejectedError(self.expected, raw)
        found: list[T] = []
        rejected: list[RejectedEntry] = []
        for number, entry in enumerate(cast("Sequence[object]", raw)):
            try:
                found.append(self.item.read(entry))
            except RejectedError as error:
                rejected.append(RejectedEntry(number, _called(entry), error))
        return tuple(found), tuple(rejected)


def _called(entry: object) -> str:
    """The name that an entry of a list gives itself; "" for none."""
    if not isinstance(entry, Mapping):
        return ""
    table = cast("Mapping[object, object]", entry)
    name = table.get("id", table.get("name"))
    return name if isinstance(name, str) and name.isprintable() and len(name) <= _LONGEST_NAME else ""


@attrs.frozen
class LayerKind:
    """One layer: a name, or several names that may not import each other."""

    expected: str = 'a name, or a list of names, or names joined by "|"'

    def read(self, raw: object) -> tuple[str, ...]:
        parts: Sequence[object] = raw.split("|") if isinstance(raw, str) else self._list(raw)
        names = tuple(part.strip() for part in parts if isinstance(part, str) and part.strip())
        if not names or len(names) != len(parts):
            raise RejectedError(self.expected, raw)
        return names

    def _list(self, raw: object) -> Sequence[object]:
        if isinstance(raw, list | tuple):
            return cast("Sequence[object]", raw)
        raise RejectedError(self.expected, raw)


@attrs.frozen
class TableKind(Generic[T]):
    """Names, each with a value of one kind. `camel_names` brings names to the wire spelling."""

    value: Kind[T]
    noun: str
    camel_names: bool = False

    @property
    def expected(self) -> str:
        return f"a table from {self.noun} to {self.value.expected}"

    def read(self, raw: object) -> Mapping[str, T]:
        if not isinstance(raw, Mapping):
            raise RejectedError(self.expected, raw)
        table = cast("Mapping[object, object]", raw)
        return {self._name(name): self.value.read(value) for name, value in table.items() if value is not None}

    def _name(self, raw: object) -> str:
        if not isinstance(raw, str) or not raw:
            raise RejectedError(self.expected, raw)
        return camel(raw) if self.camel_names else raw


def snake(name: str) -> str:
    """`maxBytes`, `max-bytes` and `max_bytes` are one name: `max_bytes`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def camel(name: str) -> str:
    """The spelling on the wire: `maxBytes`."""
    first, *rest = snake(name).split("_")
    return first + "".join(part.capitalize() for part in rest)
