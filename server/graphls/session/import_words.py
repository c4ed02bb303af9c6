"""Import words: what files import, for whoever names modules.

Owns: absolute imports by their first word; what of them a layout rests on.
Must not know: what is concluded from them, the disk.
Invariant: a function of the contents of files; who asks for no word reads no file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from graphls.facts.file_facts import FileFacts
from graphls.facts.import_keys import marked_key
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Shard
from graphls.languages.provider import Imports
from graphls.session.cache.contents import ContentStore
from graphls.session.shared_caches import key_of


class RecordedImports:
    """Imports, with a note of the words that were asked for and of what files said."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports
        self.words: frozenset[str] = frozenset()
        self.answers: Mapping[FilePath, Collection[str]] = {}

    def __call__(self, words: Collection[str]) -> Mapping[FilePath, Collection[str]]:
        """Absolute dotted names that files import, of those that begin with one of these words."""
        self.words = self.words | frozenset(words)
        found = self._imports(self.words)
        self.answers = found
        return found


def words_of(facts: FileFacts, words: Collection[str]) -> Collection[str]:
    """The same of one file; with each name that an import takes from a module, since that may be a module too."""
    imports, strings = facts.imports, facts.strings
    found: set[str] = set()
    for module, name, level in zip(imports.module, imports.name, imports.level, strict=True):
        dotted = strings[module] if not level else ""
        if dotted.partition(".")[0] in words:
            found.add(dotted)
            if name >= 0:
                found.add(f"{dotted}.{strings[name]}")
    return frozenset(found)


def imports_among(files: Mapping[FilePath, Callable[[], FileFacts | None]]) -> Imports:
    """Imports of files whose facts are at hand."""

    def lookup(words: Collection[str]) -> Mapping[FilePath, Collection[str]]:
        names_by_file = {path: words_of(facts, words) for path, read in files.items() if (facts := read()) is not None}
        return {path: names for path, names in names_by_file.items() if names}

    return lookup


def stored_imports(contents: ContentStore, shards: Mapping[FilePath, Shard], language: str) -> Imports:
    """Imports of all files of a language; of these only such are read as may say one of the words."""

    def lookup(words: Collection[str]) -> Mapping[FilePath, Collection[str]]:
        keys = {path: key_of(shard) for path, shard in shards.items() if shard.language == language}
        every = tuple(keys.values())
        mentioning = {
            key
            for word in words
            for key, says in zip(every, contents.mentions(every, marked_key(word)), strict=True)
            if says
        }
        chosen = {path: key for path, key in keys.items() if key in mentioning}
        return imports_among({path: lambda key=key: contents.facts(key) for path, key in chosen.items()})(words)

    return lookup
