"""Libraries: what resolution may ask about modules outside the workspace.

Owns: the shape of that answer, and the answer where nothing is installed.
Must not know: where library files lie, any language.
Invariant: equal stamps give equal answers; a library file never takes part in a module table.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Protocol, TypeAlias

import attrs

from graphls.facts.library_calls import LibraryCalls
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.provider import ModuleName


@attrs.frozen
class LibraryDefinition:
    """Where a library defines a name."""

    path: str
    """Absolute."""
    text: bytes = attrs.field(repr=False)
    start: int
    end: int
    """Of the name in `text`."""
    signature: str
    doc: str
    package: str
    """The installed package, "" for the standard library or when unknown."""
    version: str


Descriptor: TypeAlias = "tuple[str, int]"
"""A name and its DefinitionKind, -1 where that is not known."""


@attrs.frozen
class LibrarySymbol:
    """What a dotted name stands for, wherever it was passed on from."""

    package: str
    """The installed package, "" when unknown."""
    version: str
    module: str
    """That defines it."""
    names: tuple[Descriptor, ...]
    """Inside the module, outermost first; empty for the module itself."""


@attrs.frozen
class LibrarySet:
    """What is installed, in short."""

    version: str
    """Of the language, such as `3.12`."""
    platform: str
    """The system that libraries are read for."""
    distributions: int
    """How many packages are installed beside the standard library."""


class Libraries(Protocol):
    """Files of libraries, read when they are needed. Safe for several threads."""

    @property
    def stamp(self) -> str:
        """Digest of what is installed."""
        ...

    @property
    def about(self) -> LibrarySet:
        """What is installed, in short."""
        ...

    @property
    def memo(self) -> dict[object, object]:
        """Answers of resolvers that rest on libraries alone."""
        ...

    def find(self, dotted: str) -> FilePath | None:
        """The file of an absolute module name."""
        ...

    def name_of(self, file: FilePath) -> ModuleName:
        """The module name of a library file."""
        ...

    def surface(self, file: FilePath) -> Surface:
        """What a library file shows."""
        ...

    def library_calls(self, file: FilePath) -> LibraryCalls:
        """What functions of a library file call on their object and of their arguments."""
        ...

    def called_arguments(self, dotted: str) -> Set[str]:
        """The arguments that a function of a library calls: positions and names."""
        ...

    def called_members(self, dotted: str) -> Mapping[str, Set[str]]:
        """Arguments of a function of a library, by position and name -> names of the members that it calls on these."""
        ...

    def running(self, dotted: str, member: str) -> frozenset[str]:
        """Names of the members of a library's class that may run another one on the same object."""
        ...

    def distribution(self, dotted: str) -> tuple[str, str]:
        """Name and version of the installed package that a dotted name belongs to, or of Python; empty when unknown."""
        ...

    def symbol_of(self, dotted: str) -> LibrarySymbol | None:
        """What a dotted name stands for; None for what is in no library."""
        ...

    def definition_of(self, dotted: str) -> LibraryDefinition | None:
        """Where a dotted name is defined, as far as the files of libraries show it."""
        ...
