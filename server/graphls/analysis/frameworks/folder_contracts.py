"""Folder contracts: edges from documents that take in whole folders, `COPY src ./src`, to the files in these.

Owns: which folder a path means, which of its files a build is given, in both directions.
Must not know: how documents are read.
Invariant: a folder is there, and is one of the workspace; what `.dockerignore` leaves out is not taken in. A folder
    with more than MOST_FILES files leads to none of them, so that no document has an edge to everything.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from posixpath import normpath
from typing import Final

import attrs

from graphls.analysis.frameworks.declared_nodes import edges_by_site
from graphls.analysis.frameworks.document_entries import MANIFEST, document_of, entry_nodes, is_plain_document
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.globs import matches_any
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.document import ConfigReference, ReferenceKind
from graphls.languages.config.reading import format_of

MOST_FILES: Final = 1_000
"""Of one folder."""
_FORMAT: Final = "docker"
_LAST: Final = "\U0010ffff"


@attrs.frozen(eq=False)
class _TakenFolder:
    """A folder that a document takes in."""

    prefix: str
    """With a slash behind; empty for the top."""
    context: str
    one: ConfigReference


class FolderContracts:
    """The edges of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._files: Sequence[FilePath] | None = None
        self._taken: dict[FilePath, Sequence[_TakenFolder]] = {}
        self._ignored: dict[FilePath, Sequence[tuple[bool, tuple[str, ...]]]] = {}
        self._documents: Sequence[FilePath] | None = None

    def edges_from(self, path: FilePath) -> Sequence[RawEdge]:
        """Edges whose source is in one file."""
        if format_of(path) != _FORMAT:
            return ()
        edges = (self._edge(path, taken, file) for taken in self._of(path) for file in self._inside(path, taken))
        return edges_by_site(edges)

    def edges_to(self, place: SymbolRef | DerivedNode) -> Sequence[RawEdge]:
        """Edges that end at one place."""
        if isinstance(place, DerivedNode) or place.definition >= 0:
            return ()
        file = FilePath(place.file)
        found = (
            self._edge(path, taken, file)
            for path in self._all()
            for taken in self._of(path)
            if file.startswith(taken.prefix) and self._takes(path, taken, file)
        )
        return edges_by_site(found)

    def _all(self) -> Sequence[FilePath]:
        if self._documents is None:
            self._documents = tuple(path for path in self._snapshot.shards if format_of(path) == _FORMAT)
        return self._documents

    def _of(self, path: FilePath) -> Sequence[_TakenFolder]:
        known = self._taken.get(path)
        if known is None:
            known = ()
            if path in self._snapshot.shards and is_plain_document(self._snapshot, path):
                references = document_of(self._snapshot, path).references
                given = [one for one in references if one.kind == ReferenceKind.FOLDER]
                contexts = self._contexts(given)
                folders = (self._folder(one, contexts) for one in given)
                known = tuple(one for one in folders if one is not None)
            self._taken[path] = known
        return known

    def _contexts(self, given: Sequence[ConfigReference]) -> Sequence[str]:
        """The folders that a build may be given: that of the document and the top, or the one of these alone that all
        paths which are in only one of them are in."""
        both = tuple(dict.fromkeys((given[0].base, ""))) if given else ()
        alone: set[str] = set()
        for one in given:
            found = [context for context in both if one.text and self._is_there(context, one.text)]
            alone.update(found if len(found) == 1 else ())
        return tuple(alone) if len(alone) == 1 else both

    def _is_there(self, context: str, text: str) -> bool:
        whole = normpath(f"{context}/{text}".strip("/"))
        return whole in self._snapshot.shards or bool(self._span(f"{whole}/"))

    def _folder(self, one: ConfigReference, contexts: Sequence[str]) -> _TakenFolder | None:
        """What a path leads to from the folders that a build may be given, where that is one folder."""
        found: dict[str, str] = {}
        for context in contexts:
            whole = normpath(f"{context}/{one.text}".strip("/") or ".")
            prefix = "" if whole == "." else f"{whole}/"
            if not whole.startswith("..") and whole not in self._snapshot.shards and self._span(prefix):
                found.setdefault(prefix, context)
        if len(found) != 1:
            return None
        prefix, context = next(iter(found.items()))
        return _TakenFolder(prefix, context, one)

    def _span(self, prefix: str) -> Sequence[FilePath]:
        """All files below a folder."""
        if self._files is None:
            self._files = tuple(sorted(self._snapshot.shards))
        files = self._files
        return files[bisect_left(files, prefix) : bisect_left(files, prefix + _LAST)]

    def _inside(self, path: FilePath, taken: _TakenFolder) -> Iterator[FilePath]:
        """The files of a folder that a build is given."""
        return (file for file in self._span(taken.prefix) if self._takes(path, taken, file))

    def _takes(self, path: FilePath, taken: _TakenFolder, file: FilePath) -> bool:
        """Whether a file of a folder is one that a build is given."""
        small = len(self._span(taken.prefix)) <= MOST_FILES
        return small and file != path and not _is_ignored(file, taken.context, self._rules(path, taken.context))

    def _rules(self, path: FilePath, context: str) -> Sequence[tuple[bool, tuple[str, ...]]]:
        """Lines of what says which files a build is not given: whether each takes back, and its patterns."""
        beside, shared = FilePath(f"{path}.dockerignore"), FilePath(f"{context}/.dockerignore".lstrip("/"))
        source = beside if beside in self._snapshot.shards else shared
        known = self._ignored.get(source)
        if known is None:
            text = self._snapshot.text(source) if source in self._snapshot.shards else None
            known = self._ignored[source] = tuple(_lines((text or b"").decode("utf-8", "replace")))
        return known

    def _edge(self, path: FilePath, taken: _TakenFolder, file: FilePath) -> RawEdge:
        one = taken.one
        return RawEdge(
            source=self._around(path, one.start),
            target=SymbolRef(file, -1),
            kind="references",
            provenance=MANIFEST,
            resolution="name",
            confidence=1.0,
            ambiguous=False,
            sites=((path, one.start, one.end),),
            attributes={"via": "folder"},
        )

    def _around(self, path: FilePath, at: int) -> SymbolRef | DerivedNode:
        """The innermost entry around an offset."""
        nodes = entry_nodes(self._snapshot, path)
        number = Nesting((node.full_start, node.full_end, number) for number, node in enumerate(nodes)).around(at)
        return SymbolRef(path, -1) if number < 0 else nodes[number]


def _lines(text: str) -> Iterator[tuple[bool, tuple[str, ...]]]:
    for raw in text.splitlines():
        line = raw.strip()
        if line and not line.startswith("#"):
            back = line.startswith("!")
            name = line.removeprefix("!").strip("/").removeprefix("./")
            if name:
                yield back, (name, f"{name}/**")


def _is_ignored(file: str, context: str, rules: Sequence[tuple[bool, tuple[str, ...]]]) -> bool:
    """Whether the last line that speaks of a file leaves it out. Source: docs.docker.com, `.dockerignore` files."""
    name = file.removeprefix(f"{context}/") if context else file
    ignored = False
    for back, patterns in rules:
        if ignored == back and matches_any(name, patterns):
            ignored = not back
    return ignored
