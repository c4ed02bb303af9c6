"""File moves: the edits by which imports, and what documents name, follow files and folders that get another path.

Owns: which files move along with a folder, which files import them, what could not be written.
Must not know: how a language spells an import, LSP types, disk.
Invariant: an import that cannot follow is named in `left`; nothing is left out silently.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_at
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.import_rewriting import ImportChange, ImportingFile
from graphls.linking.world import RecordingWorld
from graphls.queries.document_moves import document_moves
from graphls.queries.rename import RenameEdit

_NO_WAY: Final = "no import can name the new path"
_MANY: Final = "it may mean several files"


@attrs.frozen
class ImportLeft:
    """An import, or a name in a document, that stays as it is although its module moves, with the reason."""

    file: FilePath
    start: int
    reason: str


@attrs.frozen
class FileMoves:
    """Edits by file and position, in the files as they are before the move."""

    edits: tuple[RenameEdit, ...]
    left: tuple[ImportLeft, ...]


@attrs.frozen(eq=False)
class _Moves:
    asked: Mapping[FilePath, FilePath]
    """Files and folders."""
    files: Mapping[FilePath, FilePath]

    def root_after(self, root: str) -> str:
        """Where a folder will be."""
        for old, new in self.asked.items():
            if root == old or root.startswith(f"{old}/"):
                return new + root[len(old) :]
        return root


def file_moves(snapshot: Snapshot, moves: Mapping[FilePath, FilePath]) -> FileMoves:
    """What to edit when files or folders (old path -> new path) move."""
    moved = _every_file(snapshot, moves)
    every = _Moves(moves, moved)
    edits: list[RenameEdit] = []
    left: list[ImportLeft] = []
    for path in _importers(snapshot, moved):
        spend()
        found = _changes(snapshot, path, every, left)
        for one in sorted(found, key=lambda change: (change.start, change.end)):
            if one.text is None:
                left.append(ImportLeft(path, one.start, _NO_WAY))
            else:
                edits.append(RenameEdit(path, one.start, one.end, one.text, one.doubt))
    for change in document_moves(snapshot, moved, _roots(snapshot, every)):
        if change.text is None:
            left.append(ImportLeft(change.file, change.start, change.reason))
        else:
            edits.append(RenameEdit(change.file, change.start, change.end, change.text, ""))
    return FileMoves(tuple(edits), tuple(left))


def _every_file(snapshot: Snapshot, moves: Mapping[FilePath, FilePath]) -> Mapping[FilePath, FilePath]:
    """Files by their old path, those in folders among them."""
    found: dict[FilePath, FilePath] = {}
    for old, new in moves.items():
        if old in snapshot.shards:
            found[old] = new
        else:
            inside = f"{old}/"
            below = (path for path in snapshot.shards if path.startswith(inside))
            found.update({path: FilePath(f"{new}/{path[len(inside) :]}") for path in below})
    return {old: new for old, new in found.items() if old != new}


def _roots(snapshot: Snapshot, moves: _Moves) -> Mapping[str, str]:
    """Folders that names of modules begin at, with where they will be."""
    names = {name.root for language in snapshot.modules.values() for name in language.names.values()}
    return {root: moves.root_after(root) for root in names}


def _importers(snapshot: Snapshot, moved: Collection[FilePath]) -> Sequence[FilePath]:
    """Files that move themselves, and those that import them."""
    found = {path for path in moved if snapshot.shards[path].language}
    for path in tuple(found):
        for ref in edge_refs_at(snapshot, SymbolRef(path, NONE), incoming=True):
            source = node_of(ref.source_key)
            if isinstance(source, SymbolRef):
                found.add(source.file)
    return sorted(path for path in found if snapshot.shards[path].language)


def _changes(snapshot: Snapshot, path: FilePath, moves: _Moves, left: list[ImportLeft]) -> Collection[ImportChange]:
    moved = moves.files
    facts, links = snapshot.facts(path), snapshot.links(path)
    named: dict[int, set[FilePath]] = {}
    for index, row in enumerate(links.module_targets.occurrence):
        place = snapshot.module_target(path, links, index).place
        if place is not None:
            named.setdefault(row, set()).add(place.file)
    known = snapshot.capabilities(path)
    rewriter = None if known is None or known.file_type(path).wrapped else known.import_rewriter
    touched = [row for row, files in named.items() if files & moved.keys()]
    if rewriter is None:
        left += (ImportLeft(path, facts.imports.start[row], _NO_WAY) for row in touched)
        return ()
    left += (ImportLeft(path, facts.imports.start[row], _MANY) for row in touched if len(named[row]) > 1)
    uses: dict[int, FilePath] = {}
    for index, row in enumerate(links.targets.occurrence):
        place = snapshot.target(path, links, index).place
        if place is not None and place.definition == NONE and place.file in moved:
            uses[row] = place.file
    modules = snapshot.modules[snapshot.shards[path].language]
    importing = ImportingFile(
        path,
        snapshot.text(path) or b"",
        facts,
        {row: next(iter(files)) for row, files in named.items() if len(files) == 1},
        uses,
        {root: moves.root_after(root) for root in {name.root for name in modules.names.values()}},
    )
    world = RecordingWorld(modules, snapshot.surface)
    return set(rewriter.changes(importing, lambda file: moved.get(file, file), world))
