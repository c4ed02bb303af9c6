"""Anatomy: what stands in one folder: its files with their sizes and first symbols, and the folders below.

Owns: which files and symbols are listed, how sizes are counted.
Must not know: layout, who asks.
Invariant: what is left out is counted; a folder that holds no file of the graph is refused, never empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.made_by_tool import comes_last
from graphls.graph.node_records import FileNodes
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.node_views import NodeView, Presenter

BYTES_A_TOKEN: Final = 4
MOST_SIGNATURE: Final = 96
_SHOWN: Final = frozenset((DefinitionKind.CLASS, DefinitionKind.FUNCTION, DefinitionKind.METHOD))


@attrs.frozen(kw_only=True)
class FileAnatomy:
    """One file. `tokens`: estimated, four bytes each; `symbols`: the first that are no members, then members;
    `omitted`: how many more there are."""

    file: str
    language: str
    lines: int
    bytes: int
    tokens: int
    symbols: tuple[NodeView, ...]
    omitted: int
    made_by_tool: bool


@attrs.frozen(kw_only=True)
class FolderAnatomy:
    """A folder that is not opened: all files below it."""

    folder: str
    files: int
    bytes: int
    tokens: int


@attrs.frozen(kw_only=True)
class Anatomy:
    """One folder, by path. `omitted`: files of it that are not listed."""

    folder: str
    files: tuple[FileAnatomy, ...]
    folders: tuple[FolderAnatomy, ...]
    omitted: int


def anatomy(snapshot: Snapshot, folder: str = "", *, depth: int = 1, symbols: int = 6, limit: int = 100) -> Anatomy:
    """What stands in a folder. `depth`: 1 for its own files alone, 2 for those of its folders too, and so on. Raises
    BadRequest."""
    name = folder.strip().removeprefix("./").strip("/")
    name = "" if name == "." else name
    start = f"{name}/" if name else ""
    inside = [path for path in sorted(snapshot.shards) if path.startswith(start)]
    if not inside:
        raise BadRequest(f"{folder!r} is no folder with files of the graph.")
    near = [path for path in inside if path.count("/", len(start)) < depth]
    things = Presenter(snapshot)
    return Anatomy(
        folder=name or ".",
        files=tuple(_file(things, path, symbols) for path in near[:limit]),
        folders=tuple(_folders(snapshot, start, depth, inside)),
        omitted=max(len(near) - limit, 0),
    )


def _folders(snapshot: Snapshot, start: str, depth: int, inside: Iterable[FilePath]) -> Iterator[FolderAnatomy]:
    below: dict[str, list[int]] = {}
    for path in inside:
        parts = path[len(start) :].split("/")
        if len(parts) > depth:
            below.setdefault(start + "/".join(parts[:depth]), []).append(snapshot.shards[path].size)
    for folder, sizes in below.items():
        whole = sum(sizes)
        yield FolderAnatomy(folder=folder, files=len(sizes), bytes=whole, tokens=whole // BYTES_A_TOKEN)


def _file(things: Presenter, path: FilePath, most: int) -> FileAnatomy:
    spend()
    snapshot = things.snapshot
    shard, text = snapshot.shards[path], snapshot.text(path) or b""
    rows = list(_symbols(snapshot, path)) if shard.language else []
    return FileAnatomy(
        file=path,
        language=shard.language,
        lines=text.count(b"\n") + bool(text and not text.endswith(b"\n")),
        bytes=shard.size,
        tokens=shard.size // BYTES_A_TOKEN,
        symbols=tuple(_shortened(things.node(SymbolRef(path, row))) for row in rows[:most]),
        omitted=max(len(rows) - most, 0),
        made_by_tool=comes_last(snapshot, path),
    )


def _symbols(snapshot: Snapshot, path: FilePath) -> Iterator[int]:
    """Classes and functions of the module in source order, then their members."""
    table = snapshot.facts(path).definitions
    rows = [row for row in FileNodes(snapshot, path).rows(everything=False) if row >= 0 and table.kind[row] in _SHOWN]
    yield from (row for row in rows if table.owner[row] < 0)
    yield from (row for row in rows if table.owner[row] >= 0)


def _shortened(node: NodeView) -> NodeView:
    signature = node.signature
    if signature is None or len(signature) <= MOST_SIGNATURE:
        return node
    return attrs.evolve(node, signature=f"{signature[: MOST_SIGNATURE - 3]}...")
