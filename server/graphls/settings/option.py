"""Option: one documented field of the settings tree.

Owns: attaching a kind, a document and a trust rule to an attrs field, and reading them back.
Must not know: which settings exist, where raw values come from.
Invariant: every value of a settings class passed its kind, also when it was constructed in code.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Final, TypeVar, cast

import attrs

from graphls.settings.kinds import Kind, camel

T = TypeVar("T")
_KEY: Final = "graphls.option"


class Trust(enum.Enum):
    """What a repository may say here while the user has not trusted the workspace."""

    ANY = "any value"
    INSIDE = "a path inside the workspace"
    NOTHING = "nothing"
    PROGRAM = "nothing, and a client over a network neither"
    """It names a program, or where one is looked for, or the cache."""


@attrs.frozen
class Option:
    """What is known about one setting besides its value."""

    kind: Kind[object]
    doc: str
    trust: Trust
    most: int | None = None
    """Of a number: what such a repository may raise it to. Of a list or table: how many entries it may have."""
    harmless: tuple[object, ...] = ()
    """Values that such a repository may choose although it may not choose others."""
    per_folder: bool = False
    """Whether each of several open folders may have its own."""


@attrs.frozen
class Section:
    """A group of settings: the class that holds them."""

    cls: type[object]
    doc: str


def option(
    default: T,
    kind: Kind[T],
    doc: str,
    trust: Trust = Trust.ANY,
    *,
    most: int | None = None,
    harmless: tuple[T, ...] = (),
    per_folder: bool = False,
) -> T:
    """A field of a settings class."""
    about = Option(kind, " ".join(doc.split()), trust, most, harmless, per_folder)
    field = attrs.field(default=default, metadata={_KEY: about}, validator=_validate, kw_only=True)
    return cast("T", field)


def section(cls: type[T], doc: str) -> T:
    """A field that holds a group of settings."""
    field = attrs.field(factory=cls, metadata={_KEY: Section(cls, doc)}, kw_only=True)
    return cast("T", field)


def _validate(_owner: object, attribute: attrs.Attribute[object], value: object) -> None:
    about = about_field(attribute)
    if isinstance(about, Option):
        about.kind.read(value)


def about_field(attribute: attrs.Attribute[object]) -> Option | Section:
    metadata = cast("Mapping[str, Option | Section]", attribute.metadata)
    return metadata[_KEY]


@attrs.frozen
class SettingEntry:
    """A setting in the tree: `files.max_bytes` is at ("files", "max_bytes")."""

    path: tuple[str, ...]
    option: Option
    default: object

    @property
    def key(self) -> str:
        """The spelling on the wire: `files.maxBytes`."""
        return wire_key(self.path)


def wire_key(path: tuple[str, ...]) -> str:
    return ".".join(camel(part) for part in path)


def setting_entries(cls: type[object], path: tuple[str, ...] = ()) -> Iterator[SettingEntry]:
    """Every setting under a settings class, in the order of its fields."""
    for attribute in fields_of(cls):
        about = about_field(attribute)
        where = (*path, attribute.name)
        if isinstance(about, Option):
            yield SettingEntry(where, about, attribute.default)
        else:
            yield from setting_entries(about.cls, where)


def fields_of(cls: type[object]) -> tuple[attrs.Attribute[object], ...]:
    return cast("tuple[attrs.Attribute[object], ...]", attrs.fields(cast("type[attrs.AttrsInstance]", cls)))
