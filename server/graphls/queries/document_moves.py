"""Document moves: the edits by which documents follow files and folders that get another path.

Owns: which names of modules and which paths in documents mean what moves, and how they are written after the move.
Must not know: formats of documents, which references they make, LSP types, disk.
Invariant: what a document names is what it named before; a path or a name that cannot be written so is left and said.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot
from graphls.languages.import_rewriting import module_after

_NO_WAY: Final = "how a document names the new path is not known"


@attrs.frozen
class DocumentChange:
    """A stretch of a document and its new text; None: it stays, for `reason`."""

    file: FilePath
    start: int
    end: int
    text: str | None
    reason: str = ""


def document_moves(
    snapshot: Snapshot, moved: Mapping[FilePath, FilePath], roots: Mapping[str, str]
) -> Iterator[DocumentChange]:
    """Changes in documents, by file and place. `moved`: old path -> new path; `roots`: folders that names of modules
    begin at -> where these will be."""
    if not moved:
        return
    words = {word for path in moved for word in _spelled(path)}
    for path in sorted(snapshot.shards):
        if snapshot.shards[path].language:
            continue
        spend()
        text = snapshot.text(path) or b""
        if path in moved or any(word in text for word in words):
            yield from _changes(snapshot, (path, text), moved, roots)


def _changes(
    snapshot: Snapshot, document: tuple[FilePath, bytes], moved: Mapping[FilePath, FilePath], roots: Mapping[str, str]
) -> Iterator[DocumentChange]:
    path, text = document
    here = moved.get(path, path)
    for (start, end), target in sorted(_named(snapshot, path).items()):
        if target not in moved and here == path:
            continue
        written = text[start:end].decode("utf-8", "replace")
        after = _written(snapshot, (path, here), (target, moved.get(target, target)), written, roots)
        if after is None:
            yield DocumentChange(path, start, end, None, _NO_WAY)
        elif after != written:
            yield DocumentChange(path, start, end, after)


def _named(snapshot: Snapshot, path: FilePath) -> Mapping[tuple[int, int], FilePath]:
    """What a document names, by place, and the file that it is in."""
    found: dict[tuple[int, int], FilePath] = {}
    for edge in snapshot.derivation.edges_from(snapshot, path) if snapshot.derivation is not None else ():
        if edge.kind == "contains" or isinstance(edge.target, str):
            continue
        for file, start, end in edge.sites:
            if file == path and start < end:
                found.setdefault((start, end), edge.target.file)
    return found


def _spelled(path: FilePath) -> Iterator[bytes]:
    """What a text has to have to name a file: its name, or that of the folder that it stands for."""
    folder, _, name = path.rpartition("/")
    yield name.partition(".")[0].encode()
    if folder:
        yield folder.rpartition("/")[2].encode()


def _written(
    snapshot: Snapshot,
    document: tuple[FilePath, FilePath],
    target: tuple[FilePath, FilePath],
    written: str,
    roots: Mapping[str, str],
) -> str | None:
    """The text of a reference after the move; None where nobody knows. Both pairs: path before, path after."""
    path, sign, anchor = written.partition("#")
    as_path = _as_path(document, target, path)
    if as_path is not None:
        return f"{as_path}{sign}{anchor}"
    old, new = target
    modules = snapshot.modules.get(snapshot.shards[old].language)
    name = modules.names.get(old) if modules is not None else None
    if old == new or name is None:
        return written
    before, after = module_after(name, old, {}), module_after(name, new, roots)
    if before is None or after is None:
        return None
    if name.package:
        if before.rpartition(".")[2] != after.rpartition(".")[2]:
            return None
        before, after = before.rpartition(".")[0], after.rpartition(".")[0]
    if written == before or written.startswith((f"{before}.", f"{before}:")):
        return after + written[len(before) :]
    # A short name, whose module is said elsewhere, or one by another way.
    return written


def _as_path(document: tuple[FilePath, FilePath], target: tuple[FilePath, FilePath], path: str) -> str | None:
    """The path after the move; None: it is none, from the folder of the document or from the top."""
    if not path:
        return None
    (here, there), (old, new) = document, target
    near = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
    for end in (*_endings(old), *_tails(old, near)):
        if not new.endswith(end):
            continue
        bare_old, bare_new = old.removesuffix(end), new.removesuffix(end)
        if near == bare_old and not path.startswith("/"):
            if bare_old == bare_new and here == there:
                return path
            found = posixpath.relpath(bare_new, posixpath.dirname(there) or ".")
            return f"./{found}" if path.startswith("./") and not found.startswith(".") else found
        if path.lstrip("/") == bare_old:
            return path[: len(path) - len(path.lstrip("/"))] + bare_new
    return None


def _endings(path: FilePath) -> Iterator[str]:
    """What a reference may leave out."""
    yield ""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    if dot:
        yield f".{ending}"


def _tails(path: FilePath, folder: str) -> Iterator[str]:
    """What stands behind a folder that is named for the file in it."""
    if path.startswith(f"{folder}/"):
        yield path[len(folder) :]
