"""Clone families: functions whose bodies are the same but for names, strings and numbers.

Owns: which functions are compared, the families.
Must not know: who asks, layout.
Invariant: members of a family have equal streams of tokens; a file that changed is read again alone.

Bodies are first told apart by their shapes, where the facts of their language have one; only those with a shape in
common are read as tokens (the normal form of `similar`). Shapes and digests are stored from run to run.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Final, cast

import attrs

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import MemoTable
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef
from graphls.languages.registry import is_stub
from graphls.queries.body_sketches import lines_of
from graphls.queries.body_tokens import LEAST_TOKENS, body_tokens
from graphls.settings import SimilaritySettings

_CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_SHAPES: Final = MemoTable[int, "_FileShapes"]("shapes of functions", rests_on_links=False)
_PRINTS: Final = MemoTable[int, bytes]("prints of functions", rests_on_links=False)
_PRINT_BYTES: Final = 12
_SUBJECT: Final = "shapes of functions 1"
_USUAL: Final = SimilaritySettings()


@attrs.frozen(eq=False)
class _FileShapes:
    """The functions of one file that are long enough, in columns: all files are gone through after each edit."""

    rows: tuple[int, ...] = ()
    shapes: tuple[int, ...] = ()
    """A number for the shape of a body, 0 where its language has none."""
    lines: tuple[int, ...] = ()


@attrs.frozen
class CloneFamily:
    """Functions with one body, by file and place; `lines` of the first, `tokens` of the body are what all have."""

    members: tuple[SymbolRef, ...]
    lines: int


def clone_families(snapshot: Snapshot, chosen: SimilaritySettings = _USUAL) -> tuple[CloneFamily, ...]:
    """All families of at least two functions of five lines (or as settings say) and 25 tokens, the largest first; none
    where settings say so. Files that tools made or others wrote take no part."""
    if not (chosen.enabled and chosen.exact_normalized):
        return ()
    least = chosen.min_symbol_lines
    compared = [path for path in snapshot.files() if not (comes_last(snapshot, path) or is_stub(path))]
    made = _FamilyWork(snapshot, least)
    try:
        marks = made.marks(compared)
    finally:  # what a request found before it had to end is there for the next one, and for the next run
        made.store()
    found = [
        CloneFamily(tuple(SymbolRef(path, row) for path, row, _ in places), places[0][2])
        for places in marks.values()
        if len(places) > 1
    ]
    return tuple(sorted(found, key=lambda one: (-one.lines * (len(one.members) - 1), _key(one.members[0]))))


def clones_elsewhere(families: Sequence[CloneFamily]) -> Mapping[SymbolRef, int]:
    """For each member, in how many other files its body stands."""
    found: dict[SymbolRef, int] = {}
    for family in families:
        files = {place.file for place in family.members}
        if len(files) > 1:
            found.update(dict.fromkeys(family.members, len(files) - 1))
    return found


def packed_shapes(facts: FileFacts) -> bytes:
    """What is stored of a file whose facts are at hand, as `SHAPES`."""
    return _packed(_shapes_of(facts, _USUAL.min_symbol_lines), {})


def is_measured(shard: Shard) -> bool:
    """Whether somebody asked for the shapes of a file: what is stored of it then has digests too."""
    return bool(_SHAPES.of(shard))


class _FamilyWork:
    """Shapes and digests of the functions of a snapshot. What was found and is not stored is known by file."""

    def __init__(self, snapshot: Snapshot, least: int) -> None:
        self._snapshot = snapshot
        self._least = least
        self._made: set[FilePath] = set()

    def marks(self, paths: Sequence[FilePath]) -> Mapping[bytes, Sequence[tuple[FilePath, int, int]]]:
        """Digest of a body -> functions that have it, with their lines. Raises BudgetSpentError."""
        snapshot = self._snapshot
        self._recall(paths)
        measured: dict[str, list[tuple[FilePath, _FileShapes]]] = {}
        for path in paths:
            own = self._shapes(path)
            if own.rows:
                measured.setdefault(snapshot.shards[path].language, []).append((path, own))
        found: dict[bytes, list[tuple[FilePath, int, int]]] = {}
        for files in measured.values():
            times = Counter(chain.from_iterable(own.shapes for _, own in files))
            often = frozenset(shape for shape, count in times.items() if count > 1)
            for path, own in files:
                prints = _PRINTS.of(snapshot.shards[path])
                for row, shape, lines in zip(own.rows, own.shapes, own.lines, strict=True):
                    if shape in often:
                        mark = prints[row] if row in prints else self._print(path, row)
                        if mark:
                            found.setdefault(mark, []).append((path, row, lines))
        return found

    def store(self) -> None:
        """Has what was found for later runs."""
        shards, reader = self._snapshot.shards, self._snapshot.reader
        values = {path: _packed(self._shapes(path), _PRINTS.of(shards[path])) for path in self._made}
        self._made.clear()
        if values:
            reader.store_file_values(self._snapshot, _subject(self._least), values)

    def _recall(self, paths: Sequence[FilePath]) -> None:
        """Has at hand what earlier runs stored."""
        shards, reader = self._snapshot.shards, self._snapshot.reader
        missing = [path for path in paths if self._least not in _SHAPES.of(shards[path])]
        for path, raw in reader.file_values(self._snapshot, _subject(self._least), missing).items():
            with contextlib.suppress(CodecError, TypeError, ValueError):
                own, prints = _unpacked(raw)
                _SHAPES.of(shards[path])[self._least] = own
                _PRINTS.of(shards[path]).update(prints)

    def _shapes(self, path: FilePath) -> _FileShapes:
        memo = _SHAPES.of(self._snapshot.shards[path])
        known = memo.get(self._least)
        if known is None:
            spend()
            known = memo[self._least] = _shapes_of(self._snapshot.facts(path), self._least)
            self._made.add(path)
        return known

    def _print(self, path: FilePath, row: int) -> bytes:
        """A digest of the tokens of a body; empty where these are too few."""
        spend()
        tokens = body_tokens(self._snapshot, SymbolRef(path, row))
        text = "\0".join(tokens).encode("utf-8", "surrogatepass")
        mark = blake2b(text, digest_size=_PRINT_BYTES).digest() if len(tokens) >= LEAST_TOKENS else b""
        self._made.add(path)
        return _PRINTS.of(self._snapshot.shards[path]).setdefault(row, mark)


def _subject(least: int) -> str:
    return f"{_SUBJECT} {least}"


SHAPES: Final = _subject(_USUAL.min_symbol_lines)
"""What the shapes of a file's functions are stored as, where settings do not say how many lines count."""


def _packed(own: _FileShapes, prints: Mapping[int, bytes]) -> bytes:
    return encode_plain([own.rows, own.shapes, own.lines, sorted(prints.items())])


def _unpacked(raw: bytes) -> tuple[_FileShapes, Mapping[int, bytes]]:
    rows, shapes, lines, prints = cast(
        "tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[tuple[int, bytes]]]", decode_plain(raw)
    )
    return _FileShapes(tuple(rows), tuple(shapes), tuple(lines)), dict(prints)


def _shapes_of(facts: FileFacts, least: int) -> _FileShapes:
    measured = tuple(_measured(facts, least))
    return _FileShapes(*zip(*measured, strict=True)) if measured else _FileShapes()


def _measured(facts: FileFacts, least: int) -> Iterator[tuple[int, int, int]]:
    """Functions that are long enough, each with its shape and lines."""
    shapes = dict(zip(facts.metrics.definition, facts.metrics.shape, strict=True))
    table = facts.definitions
    for row, kind in enumerate(table.kind):
        if kind in _CALLABLES and table.body[row] != NONE:
            lines = lines_of(facts, row)
            if lines >= least:
                yield row, shapes.get(row, 0), lines


def _key(place: SymbolRef) -> tuple[str, int]:
    return place.file, place.definition
