"""Provider: what a language must bring to take part in the graph.

Owns: the contract between the core and a language folder.
Must not know: any particular language.
Invariant: `extract` is a pure function of the bytes and the recipe, and never raises on what a file contains.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol, TypeAlias

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.library_calls import LibraryCalls
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.capabilities import Capabilities

Imports: TypeAlias = Callable[[Collection[str]], Mapping[FilePath, Collection[str]]]
"""Absolute dotted names that files import, by file, of those that begin with one of the given words."""

LIBRARY = "lib:"
"""Begins the paths of files that are outside the workspace."""


def no_imports(words: Collection[str]) -> Mapping[FilePath, Collection[str]]:
    """Where no file is known."""
    return {}


@attrs.frozen
class ModuleName:
    """How other files of the language name a file."""

    dotted: str
    package: bool
    """The file stands for its folder (`__init__.py`)."""
    root: str
    """The source root it was found under, workspace-relative, "" for the workspace itself."""
    local: bool = False
    """Nothing declares the root: only files below it see the module under this name."""
    also: tuple[str, ...] = ()
    """Names under the wider roots around a local one, by which every file sees the module."""
    packages: tuple[str, ...] = ()
    """Names under which `World.package` lists the file; the language alone knows what they mean."""


class World(Protocol):
    """What a resolver may ask about other files. Every question is recorded as a dependency."""

    def module(self, dotted: str, importer: FilePath) -> FilePath | None:
        """The file of an absolute module name, as the importer sees it."""
        ...

    def namespace(self, dotted: str, importer: FilePath) -> bool:
        """Whether the name is a package without a file of its own (a folder of modules)."""
        ...

    def package(self, name: str) -> tuple[FilePath, ...]:
        """The files that belong to a package of several files, sorted."""
        ...

    def defining(self, name: str) -> tuple[FilePath, ...]:
        """The files that define a name for others, whatever it is there, sorted; for languages that say so."""
        ...

    def aliases(self, key: str, importer: FilePath) -> tuple[str, ...]:
        """What the manifests of the workspace say about a key of `Capabilities.module_aliases`."""
        ...

    def name_of(self, file: FilePath) -> ModuleName:
        """The module name of a file of the workspace."""
        ...

    def surface(self, file: FilePath) -> Surface:
        """What a file shows to others. An unreadable file shows nothing."""
        ...

    def library(self, dotted: str) -> FilePath | None:
        """The file of a module outside the workspace."""
        ...

    def library_calls(self, file: FilePath) -> LibraryCalls:
        """What functions of a file outside the workspace call on their object and of their arguments."""
        ...

    def library_memo(self) -> dict[object, object]:
        """A place for answers that rest on libraries alone; all files linked in one process share it."""
        ...


Pace: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
"""The same rows, with something done between them; it may raise."""


class Resolver(Protocol):
    """Answers for the occurrences of one file. Made for one state of the world, then dropped."""

    def links(self, paced: Pace | None = None) -> Links:
        """Every occurrence of the file. `paced`: the rows to go through, as whoever asks wants to go through them."""
        ...

    def at(self, occurrences: Collection[int], frame: bool = False, constructs: bool = False) -> Links:
        """The same answer as `links`, for these rows of Occurrences only; `frame`: overrides and modules as well;
        `constructs`: what constructs run in the definitions that own these rows.

        Numbers of files and externals stay what they are in later answers of the same resolver.
        """
        ...

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have, as targets; nothing where code does not decide."""
        ...


class Provider(Protocol):
    """One language."""

    @property
    def capabilities(self) -> Capabilities:
        """What it is called, how its files look, what it can do besides."""
        ...

    @property
    def recipe(self) -> str:
        """Digest of everything but the bytes that facts depend on: grammar, queries, extractor version."""
        ...

    def parser(self, path: FilePath, data: bytes | None = None) -> Parser:
        """A new parser for files of this name; with a text for this one, else for whatever the file may hold later."""
        ...

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file. Only the ending of `path` may matter; any is there where a base name or a first line tells
        the language."""
        ...

    def read(self, path: FilePath, data: bytes) -> FileFacts:
        """The same of a file that nobody parsed: where facts come from another text than its own, or are read with
        another grammar, its own is not parsed."""
        ...

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports
    ) -> tuple[str, ...]:
        """Source roots from file names and the contents of its manifests; `imports` are asked where these leave
        it open.

        Declared ones first, deepest first; then the workspace (""); behind it roots for the files below them only.
        """
        ...

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The module name of a file under these roots."""
        ...

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        ...
