"""Outside: names for definitions in files that are not part of the workspace.

Owns: the module name of a library file, the qualified name at a position in it.
Must not know: checkers, how a language spells imports beyond its file endings.
Invariant: never names a folder of this machine; a definition that cannot be named keeps the name of its file.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_left
from collections import OrderedDict
from pathlib import PurePath

import attrs
from tree_sitter import Tree

from graphls.compilers.locations import CheckerLocation
from graphls.facts.columns import Column
from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import Encoding, LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name, symbol_rows
from graphls.languages.provider import Provider
from graphls.languages.registry import package_files, provider_for
from graphls.sources.read import read_text

_LARGEST = 4_000_000
_FILES = 60
_NAMES = 50_000
_LIBRARY = re.compile(r".*/(?:site-packages|dist-packages|stdlib|stubs/[^/]+|node_modules|lib/python3\.\d+t?)/(.+)$")


@attrs.frozen(eq=False)
class _Names:
    """The names of one library file: where they stand, and their qualified form."""

    starts: Column
    names: tuple[str, ...]


@attrs.define(eq=False)
class _LibraryFile:
    """One library file. Facts are made of it only for names that its tree alone does not tell."""

    provider: Provider
    path: FilePath
    raw: bytes
    lines: LineIndex
    tree: Tree
    all: _Names | None = None

    def name(self, location: CheckerLocation, encoding: Encoding) -> str:
        """The qualified name of what is at a location, "" when nothing is."""
        start, end = (self.lines.offset(*point, encoding) for point in (location.start, location.end))
        name_at = self.provider.capabilities.name_at
        tree_name = None if name_at is None else name_at(self.tree, start, end)
        if tree_name is not None:
            return tree_name
        if self.all is None:
            facts = self.provider.extract(self.path, self.raw, self.tree)
            self.all = _Names(facts.definitions.start, _names(facts))
        at = bisect_left(self.all.starts, start)
        found = at < len(self.all.starts) and self.all.starts[at] < max(end, start + 1)
        return self.all.names[at] if found else ""


class OutsideNames:
    """Dotted names of library definitions. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[str, _LibraryFile | None] = OrderedDict()
        self._names: OrderedDict[tuple[str, tuple[int, int], str], str] = OrderedDict()

    def name(self, location: CheckerLocation, encoding: Encoding, spelled: str) -> str:
        """`package.module.Class.member`; `spelled` is what the workspace calls it."""
        key = (location.path, location.start, spelled)
        with self._lock:
            known = self._names.get(key)
            if known is None:
                known = self._names[key] = self._found(location, encoding, spelled)
                while len(self._names) > _NAMES:
                    self._names.popitem(last=False)
            return known

    def _found(self, location: CheckerLocation, encoding: Encoding, spelled: str) -> str:
        module = module_of(location.path)
        if location.start == location.end == (0, 0):
            return module
        read = self._read(location.path)
        name = "" if read is None else read.name(location, encoding)
        return ".".join(part for part in (module, name or spelled) if part)

    def _read(self, path: str) -> _LibraryFile | None:
        if path in self._files:
            self._files.move_to_end(path)
            return self._files[path]
        provider = provider_for(FilePath(PurePath(path).name))
        raw = read_text(path, _LARGEST) if provider else None
        made = None
        if provider is not None and raw is not None:
            name = FilePath(PurePath(path).name)
            made = _LibraryFile(provider, name, raw, LineIndex(raw), provider.parser(name).parse(raw))
        self._files[path] = made
        while len(self._files) > _FILES:
            self._files.popitem(last=False)
        return made


def module_of(path: str) -> str:
    """Dotted module name of a library file, or the name of the file."""
    posix = PurePath(path).as_posix()
    match = _LIBRARY.match(posix)
    if match is None:
        return posix.rpartition("/")[2]
    parts = match[1].split("/")
    parts[-1] = parts[-1].split(".")[0]
    if parts[-1] in package_files() and len(parts) > 1:
        parts.pop()
    parts[0] = parts[0].removesuffix("-stubs")
    return ".".join(parts)


def _names(facts: FileFacts) -> tuple[str, ...]:
    return tuple(qualified_name(facts, row) for row in symbol_rows(facts))
