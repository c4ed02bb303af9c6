"""Import lines: which files each line of a file imports, and when it does so.

Owns: these per file, and that they are kept and stored with what their links rest on.
Must not know: names of modules, packages, maps.
Invariant: what is stored is what the present links say: it bears their stamp; what a checker said is never stored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias, cast

import attrs

from graphls.facts.cached_property import cached_property
from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ImportFlag
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.edges import imports_of
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot, SymbolRef

LOADING, RUNNING, CHECKING = range(3)
"""When an import runs: while the module loads; inside of a function; for a type checker only."""
ImportLine: TypeAlias = "tuple[int, str, int]"
"""From 1; the file; when."""
_SUBJECT: Final = "import lines"
_LINES: Final = Memo["tuple[str, Sequence[ImportLine]]"](_SUBJECT)
_VERSION: Final = "1"
_ATTRIBUTES: Final = {"type_checking": ImportFlag.TYPE_CHECKING, "local": ImportFlag.LOCAL}
_MUCH: Final = 100
"""Files from which on what was found is stored: fewer are read as quickly as that is."""


class ImportLines:
    """The files of one question."""

    def __init__(self, snapshot: Snapshot, paths: Iterable[FilePath]) -> None:
        self._snapshot = snapshot
        self._made: dict[FilePath, bytes] = {}
        shards = snapshot.shards
        missing = [path for path in paths if shards[path].language and _LINES.get(shards[path]) is None]
        for path, raw in snapshot.reader.file_values(snapshot, _SUBJECT, missing).items():
            with contextlib.suppress(CodecError, ValueError, TypeError):
                stamp, rows = cast("tuple[str, Sequence[ImportLine]]", decode_plain(raw))
                _LINES.put(shards[path], (stamp, rows))

    def of(self, path: FilePath) -> Sequence[ImportLine]:
        """Those of one file, in order of line."""
        snapshot = self._snapshot
        shard, stamp = snapshot.shards[path], snapshot.links_stamp(path)
        own = snapshot.verification is None or not snapshot.verification.may_answer(shard)
        known = _LINES.get(shard) if own and stamp else None
        if known is not None and known[0] == f"{_VERSION} {stamp}":
            return known[1]
        rows = tuple(sorted(_read(snapshot, path)))
        stamp = snapshot.links_stamp(path)
        if own and stamp:
            _LINES.put(shard, (f"{_VERSION} {stamp}", rows))
            self._made[path] = encode_plain((f"{_VERSION} {stamp}", rows))
        return rows

    def store(self) -> None:
        """Has what was found for later runs."""
        if len(self._made) >= _MUCH:
            self._snapshot.reader.store_file_values(self._snapshot, _SUBJECT, self._made)
        self._made = {}


def _read(snapshot: Snapshot, path: FilePath) -> Iterable[ImportLine]:
    found, own = dict[tuple[int, str], int](), _OwnImports(snapshot, path)
    for edge in imports_of(snapshot, path):
        if not isinstance(edge.target, SymbolRef):
            continue
        alike = sum(flag for name, flag in _ATTRIBUTES.items() if edge.attributes.get(name))
        for at, start, _ in edge.sites:
            if at == path:
                flags, key = alike or own.flags_at(start, edge.target.file), (own.line(start), edge.target.file)
                found[key] = min(_when(flags), found.get(key, CHECKING))
    return ((*key, when) for key, when in found.items())


@attrs.frozen(eq=False, slots=False)
class _OwnImports:
    """The imports of one file, each with its own circumstances: an edge says what holds for all of its imports."""

    snapshot: Snapshot
    path: FilePath

    @cached_property
    def _facts(self) -> FileFacts:
        return self.snapshot.facts(self.path)

    def line(self, start: int) -> int:
        """From 1."""
        return self._facts.line_column(min(start, self._facts.size))[0] + 1

    def flags_at(self, start: int, target: FilePath) -> int:
        """Of the import of a module that is the nearest to a place."""
        if not self._is_mixed:
            return 0
        rows, imports = self._rows.get(target, ()), self._facts.imports
        return imports.flags[min(rows, key=lambda row: abs(imports.start[row] - start))] if rows else 0

    @cached_property
    def _is_mixed(self) -> bool:
        return any(_when(flags) for flags in self._facts.imports.flags)

    @cached_property
    def _rows(self) -> Mapping[str, Sequence[int]]:
        """Imports by the module that they bring in."""
        links, found = self.snapshot.own_links(self.path), dict[str, list[int]]()
        table = links.module_targets
        for row, file, symbol in zip(table.occurrence, table.file, table.symbol, strict=True):
            if symbol != EXTERNAL:
                found.setdefault(links.files[file], []).append(row)
        return found


_CHECKS, _RUNS = int(ImportFlag.TYPE_CHECKING), int(ImportFlag.LOCAL)


def _when(flags: int) -> int:
    return CHECKING if flags & _CHECKS else RUNNING if flags & _RUNS else LOADING
