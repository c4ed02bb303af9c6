"""Provider: a language with declared types as the core sees it, made of a record.

Owns: what the provider of every such language does alike, and what several of them say alike.
Must not know: any particular language, how any part works.
Invariant: the recipe changes whenever facts of the same bytes may; no grammar is loaded before a file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.capabilities import Capabilities
from graphls.languages.extract import grammars
from graphls.languages.extract.recovery import Stretch, deciding_stretches
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports

if TYPE_CHECKING:
    from graphls.languages.incremental.fragments import FragmentCache

Extractor: TypeAlias = Callable[[bytes, Tree], FileFacts]
ResolverFactory: TypeAlias = Callable[[FilePath, FileFacts, World], Resolver]


def file_names(path: FilePath) -> tuple[str, ...]:
    """Every name by which a path that is written in code may mean a file: its path, and whatever that ends in."""
    parts = path.split("/")
    return tuple("/".join(parts[at:]) for at in range(len(parts)))


def implies_no_name(name: str) -> bool:
    """No name is asked for that no text spells."""
    return False


class RunExtractor(Protocol):
    """An extractor that reads a text faster when it has read an earlier text of the same file."""

    def __call__(self, data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
        """Facts of one file. `cache`: what its statements said before, brought up to date."""
        ...


class EditedExtractor(Protocol):
    """The same of a broken text of which it is known what decides how it is parsed."""

    def __call__(self, data: bytes, tree: Tree, cache: FragmentCache, deciding: Sequence[Stretch]) -> FileFacts:
        """Facts of one file. `deciding`: the stretches of the text that do."""
        ...


@attrs.frozen
class DeclaredFragments:
    """A language that is read by runs of statements."""

    grammar: str
    load_extractor: Callable[[], RunExtractor]
    load_edited: Callable[[], EditedExtractor] | None = None
    """None: it is read as any text."""
    head: int = 0
    """So many nodes at the top belong to every text."""

    def new_cache(self) -> object:
        """An empty memory of one file."""
        from graphls.languages.incremental.fragments import FragmentCache

        return FragmentCache()

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """Facts of one file, with what was read of an earlier text of it."""
        from graphls.languages.incremental.fragments import FragmentCache

        return self.load_extractor()(data, tree, cache if isinstance(cache, FragmentCache) else None)

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """Facts of one file, where its tree is that of a whole parse."""
        from graphls.languages.incremental.fragments import FragmentCache

        if not isinstance(cache, FragmentCache):
            return None
        deciding = deciding_stretches(data, tree.root_node, self.grammar, self.head)
        if deciding is None:
            return None
        if self.load_edited is not None:
            return self.load_edited()(data, tree, cache, deciding)
        return self.load_extractor()(data, tree, cache)


@attrs.frozen(kw_only=True)
class DeclaredProvider:
    """One language with one grammar, which has its name. Files are modules by their paths."""

    capabilities: Capabilities
    extractor_version: int
    """Raised whenever extraction says something else about the same bytes."""
    load_extractor: Callable[[], Extractor]
    """Imports the extraction, which loads the grammar: not every command needs it."""
    load_resolver: Callable[[], ResolverFactory]
    """Imports the resolution: those who only extract do without it."""
    packages_of: Callable[[FilePath], tuple[str, ...]]
    """Names under which `World.package` lists a file."""

    @property
    def recipe(self) -> str:
        """Digest of grammar and extractor version."""
        return grammars.recipe((self.capabilities.name,), self.extractor_version)

    def parser(self, path: FilePath, data: bytes | None = None) -> Parser:
        """A new parser."""
        return grammars.parser(self.capabilities.name)

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        return self.load_extractor()(data, tree)

    def read(self, path: FilePath, data: bytes) -> FileFacts:
        """Facts of a file that nobody parsed."""
        return self.extract(path, data, grammars.parse(self.parser(path, data), data))

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """The workspace: packages are named by what the language says of a path."""
        return ("",)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself, and the packages that the file belongs to."""
        return ModuleName(path, False, "", packages=self.packages_of(path))

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        return self.load_resolver()(path, facts, world)
