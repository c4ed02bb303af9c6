"""Provider: what a language must bring to take part in the graph.

Owns: the contract between the core and a language folder.
Must not know: any particular language.
Invariant: `extract` is a pure function of the bytes and the recipe, and never raises on what a file contains.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from typing import Protocol, TypeAlias, runtime_checkable

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface

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


class World(Protocol):
    """What a resolver may ask about other files. Every question is recorded as a dependency."""

    def module(self, dotted: str, importer: FilePath) -> FilePath | None:
        """The file of an absolute module name, as the importer sees it."""
        ...

    def namespace(self, dotted: str, importer: FilePath) -> bool:
        """Whether the name is a package without a file of its own (a folder of modules)."""
        ...

    def aliases(self, key: str, importer: FilePath) -> tuple[str, ...]:
        """What the manifests of the workspace say about a key of `Aliasing.module_aliases`."""
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

    def library_memo(self) -> dict[object, object]:
        """A place for answers that rest on libraries alone; all files linked in one process share it."""
        ...


class Resolver(Protocol):
    """Answers for the occurrences of one file. Made for one state of the world, then dropped."""

    def links(self) -> Links:
        """Every occurrence of the file."""
        ...

    def at(self, occurrences: Collection[int], frame: bool = False) -> Links:
        """The same answer as `links`, for these rows of Occurrences only; `frame`: overrides and modules as well.

        Numbers of files and externals stay what they are in later answers of the same resolver.
        """
        ...

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have, as targets; nothing where code does not decide."""
        ...


class Provider(Protocol):
    """One language."""

    @property
    def name(self) -> str:
        """Lower-case name, as editors spell the language id."""
        ...

    @property
    def extensions(self) -> tuple[str, ...]:
        """File name endings with the dot."""
        ...

    @property
    def line_comment(self) -> str:
        """What begins a comment that ends with its line."""
        ...

    @property
    def recipe(self) -> str:
        """Digest of everything but the bytes that facts depend on: grammar, queries, extractor version."""
        ...

    def parser(self, path: FilePath) -> Parser:
        """A new parser for files of this name."""
        ...

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file. Only the ending of `path` may matter."""
        ...

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports
    ) -> tuple[str, ...]:
        """Source roots from file names and the contents of `manifest_names`; `imports` are asked where these leave
        it open.

        Declared ones first, deepest first; then the workspace (""); behind it roots for the files below them only.
        """
        ...

    @property
    def manifest_names(self) -> tuple[str, ...]:
        """Base names of files that `roots` wants to read."""
        ...

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The module name of a file under these roots."""
        ...

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        ...


@runtime_checkable
class ImpliedNameProvider(Protocol):
    """A language whose resolver comes to what other files show by names alone, in whichever text these stand."""

    def is_implied_name(self, name: str) -> bool:
        """Whether the resolver asks for a name that no text spells."""
        ...


@runtime_checkable
class IncrementalProvider(Protocol):
    """A language that reads a text faster when it has read an earlier text of the same file."""

    def new_cache(self) -> object:
        """An empty memory of one file; only the language itself looks into it."""
        ...

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """What `extract` gives, whatever was read with this memory before; brings the memory up to date."""
        ...

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """What `extract` gives, where it differs little from what was read before; None, and nothing done, where
        that is not certain."""
        ...


@runtime_checkable
class TreeNameProvider(Protocol):
    """A language whose trees tell the qualified names of most definitions without facts."""

    def name_at(self, tree: Tree, start: int, end: int) -> str | None:
        """What facts would call the definition whose name is in this stretch; None where only facts say it."""
        ...


@runtime_checkable
class ModuleAliasProvider(Protocol):
    """A language whose manifests give modules other names than their paths."""

    def module_aliases(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes]
    ) -> Mapping[str, tuple[str, ...]]:
        """Entries by key; both are opaque to the core, and entries hold neither NUL nor line ends."""
        ...


@runtime_checkable
class ImportKeyProvider(Protocol):
    """A language whose imports name files by paths, not by the names of modules."""

    def import_keys(self, aliases: Mapping[str, tuple[str, ...]], path: FilePath) -> Collection[str]:
        """Keys (`facts.import_keys`) of all names by which imports may name a file; more do no harm."""
        ...


@runtime_checkable
class PackageDeclarationProvider(Protocol):
    """A language whose manifests name the packages that code takes from."""

    def declares(self, aliases: Mapping[str, tuple[str, ...]], path: FilePath, dotted: str) -> bool:
        """Whether a manifest around a file says where a dotted name outside comes from. `aliases`: the entries that the
        language made of manifests."""
        ...


@runtime_checkable
class ExportProvider(Protocol):
    """A language that says by words, not by the names themselves, what others may use."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Definitions outside of classes and objects that other files may use."""
        ...

    def visibility(self, name: str, before: bytes) -> str:
        """`public`, `internal` or `private`, by a name and what stands before it in its statement."""
        ...


@runtime_checkable
class StandardLibraryProvider(Protocol):
    """A language with a library of its own."""

    def standard(self, dotted: str) -> bool:
        """Whether a dotted name outside the workspace is in that library."""
        ...


@runtime_checkable
class ModuleStartProvider(Protocol):
    """A language whose tools say a module begins where its code does, not where its file does."""

    def module_start(self, path: FilePath, data: bytes) -> int:
        """Where the first statement of a text begins; 0 for a text without any."""
        ...
