"""Provider: TypeScript and JavaScript as the core sees them.

Owns: names, endings and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Set
from functools import cache
from hashlib import blake2b

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FACTS_VERSION, FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.extract import grammars
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports
from graphls.languages.typescript.conventions import conventions
from graphls.languages.typescript.import_keys import import_keys
from graphls.languages.typescript.manifests import MANIFESTS, aliases
from graphls.languages.typescript.modules import declaration_files
from graphls.languages.typescript.packages import declares, is_standard
from graphls.languages.typescript.visibility import offered, visibility

EXTRACTOR_VERSION = 20
"""Raised whenever extraction says something else about the same bytes."""

GRAMMARS: Mapping[str, str] = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
}


AMBIENT = (".d.ts", ".d.mts", ".d.cts")
COMPONENTS: Mapping[str, str] = {".vue": "vue", ".svelte": "svelte", ".astro": "astro"}
"""Files that hold scripts and a template; the grammar is the template's."""
_ABOVE = re.compile(rb"(?:\xef\xbb\xbf)?(?:#![^\n]*)?(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*+")
"""What may stand above the first statement. It never goes back over what it took, so any text costs its length once."""


def ending_of(path: str) -> str:
    """The ending of a file's name, as it stands in `GRAMMARS` and `COMPONENTS`."""
    return path[path.rfind(".") :].lower()


def grammar_of(path: str) -> str:
    """The grammar of a file by its ending."""
    ending = ending_of(path)
    return COMPONENTS.get(ending) or GRAMMARS.get(ending, "typescript")


@attrs.frozen
class TypeScriptProvider:
    """TypeScript and JavaScript."""

    name: str = "typescript"
    extensions: tuple[str, ...] = (*GRAMMARS, *COMPONENTS)
    line_comment: str = "//"
    manifest_names: tuple[str, ...] = MANIFESTS

    @property
    def recipe(self) -> str:
        """Digest of grammars, queries and extractor version."""
        return _recipe()

    def parser(self, path: FilePath) -> Parser:
        """A new parser for files of this name."""
        return grammars.parser(grammar_of(path))

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        # Both load grammars, which not every command needs.
        if ending_of(path) in COMPONENTS:
            from graphls.languages.typescript.components.extraction import extract_component

            return extract_component(data, tree, ending_of(path))
        from graphls.languages.typescript.syntax.extraction import extract

        return extract(data, tree, grammar_of(path), path.endswith(AMBIENT))

    def new_cache(self) -> object:
        """An empty memory of one file."""
        from graphls.languages.incremental.fragments import FragmentCache

        return FragmentCache()

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """Facts of one file, with what was read of an earlier text of it."""
        from graphls.languages.incremental.fragments import FragmentCache

        if ending_of(path) in COMPONENTS or not isinstance(cache, FragmentCache):
            return self.extract(path, data, tree)
        from graphls.languages.typescript.syntax.extraction import extract

        return extract(data, tree, grammar_of(path), path.endswith(AMBIENT), cache)

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """Facts of one file, where its text differs little from the one read before."""
        from graphls.languages.incremental.fragments import FragmentCache

        if ending_of(path) in COMPONENTS or not isinstance(cache, FragmentCache):
            return None
        from graphls.languages.typescript.syntax.extraction import extract_edited

        return extract_edited(data, tree, grammar_of(path), cache)

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """The workspace: modules are named by their path."""
        return ("",)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The path itself: two endings are two modules."""
        return ModuleName(path, False, "")

    def module_aliases(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes]
    ) -> Mapping[str, tuple[str, ...]]:
        """What configs and packages say about module names."""
        manifest_aliases = aliases(manifests)
        return {**manifest_aliases, **declaration_files(files), **conventions(manifest_aliases, files)}

    def declares(self, aliases: Mapping[str, tuple[str, ...]], path: FilePath, dotted: str) -> bool:
        """Whether a `package.json` around a file names the package of a name, or what declares its types."""
        return declares(aliases, path, dotted)

    def import_keys(self, aliases: Mapping[str, tuple[str, ...]], path: FilePath) -> Collection[str]:
        """The file's own name, its folder's where it is an index, and what manifests call either."""
        return import_keys(aliases, path)

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """What a file exports."""
        return offered(facts, path.endswith(AMBIENT))

    def visibility(self, name: str, before: bytes) -> str:
        """By `private`, `protected` and `#`."""
        return visibility(name, before)

    def standard(self, dotted: str) -> bool:
        """Whether a name comes with the language, browsers or Node.js."""
        return is_standard(dotted)

    def module_start(self, path: FilePath, data: bytes) -> int:
        """Where what is not space or comment begins; in a component its file begins."""
        if ending_of(path) in COMPONENTS:
            return 0
        at = _ABOVE.match(data).end()  # pyright: ignore[reportOptionalMemberAccess]  # it matches nothing as well
        return at if at < len(data) else 0

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        from graphls.languages.typescript.types import TypeScriptResolver  # those who only extract do without

        return TypeScriptResolver(path, facts, surface, world)


@cache
def _recipe() -> str:
    names = sorted({*GRAMMARS.values(), *COMPONENTS.values()})
    parts = (*map(grammars.version, names), str(FACTS_VERSION), str(EXTRACTOR_VERSION))
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


PROVIDER = TypeScriptProvider()
