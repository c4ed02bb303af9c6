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
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Final, cast

import attrs

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import said_of_all
from graphls.graph.memo import MemoTable
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef
from graphls.languages.registry import is_stub
from graphls.queries.body_sketches import lines_of
from graphls.queries.body_tokens import LEAST_TOKENS, body_text, tokens_of
from graphls.settings import SimilaritySettings

_CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_SHAPES: Final = MemoTable[int, "_FileShapes"]("shapes of functions", rests_on_links=False)
_PRINTS: Final = MemoTable[int, bytes]("prints of functions", rests_on_links=False)
_PRINTED: Final = MemoTable[int, "_FilePrints"]("prints of a file in columns", rests_on_links=False)
_PRINT_BYTES: Final = 12
_SUBJECT: Final = "shapes of functions 2"
_DECIDING: Final = frozenset(("if", "for", "while", "switch", "match", "try", "case", "lambda"))
_USUAL: Final = SimilaritySettings()


@attrs.frozen(eq=False)
class _FileShapes:
    """The functions of one file that are long enough, in columns: all files are gone through after each edit."""

    rows: tuple[int, ...] = ()
    shapes: tuple[int, ...] = ()
    """A number for the shape of a body, 0 where its language has none."""
    lines: tuple[int, ...] = ()


@attrs.frozen(eq=False)
class _FilePrints:
    """The functions of one file whose bodies were read, in columns."""

    marks: tuple[bytes, ...]
    """Digests; empty where a body has too few tokens."""
    places: tuple[SymbolRef, ...]
    lines: tuple[int, ...]
    unread: frozenset[int]
    """Shapes of the functions that were not."""


@attrs.frozen
class CloneFamily:
    """Functions with one body, by file and place; `lines` of the first, `tokens` of the body are what all have."""

    members: tuple[SymbolRef, ...]
    lines: int


def clone_families(snapshot: Snapshot, chosen: SimilaritySettings = _USUAL) -> tuple[CloneFamily, ...]:
    """All families of at least two functions of five lines (or as settings say) and 25 tokens, the largest first; none
    where settings say so. Generated and vendored files are left out, and constructors that decide nothing."""
    if not (chosen.enabled and chosen.exact_normalized):
        return ()
    least, is_foreign = chosen.min_symbol_lines, said_of_all(snapshot)
    compared = [path for path in snapshot.files() if not (is_foreign(path) or is_stub(path))]
    made = _FamilyWork(snapshot, least)
    try:
        marks = made.marks(compared)
    finally:  # what a request found before it had to end is there for the next one, and for the next run
        made.store()
    found = [CloneFamily(tuple(place for place, _ in places), places[0][1]) for places in marks.values()]
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

    def marks(self, paths: Sequence[FilePath]) -> Mapping[bytes, Sequence[tuple[SymbolRef, int]]]:
        """Digest of a body -> the functions that have it, two at least, with their lines. Raises BudgetSpentError."""
        shards = self._snapshot.shards
        self._recall(paths)
        measured: dict[str, list[tuple[FilePath, _FileShapes]]] = {}
        for path in paths:
            own = self._shapes(path)
            if own.rows:
                measured.setdefault(shards[path].language, []).append((path, own))
        found: dict[bytes, list[tuple[SymbolRef, int]]] = {}
        for files in measured.values():
            times = Counter(chain.from_iterable(own.shapes for _, own in files))
            often = frozenset(shape for shape, count in times.items() if count > 1)
            printed = [self._printed(path, own, often) for path, own in files]
            marks = Counter(chain.from_iterable(one.marks for one in printed))
            marks.pop(b"", None)
            joint = frozenset(mark for mark, count in marks.items() if count > 1)
            for one in printed:
                if not joint.isdisjoint(one.marks):
                    for mark, place, lines in zip(one.marks, one.places, one.lines, strict=True):
                        if mark in joint:
                            found.setdefault(mark, []).append((place, lines))
        return found

    def _printed(self, path: FilePath, own: _FileShapes, often: frozenset[int]) -> _FilePrints:
        """The digests of a file, at least of the functions whose shape others have too."""
        shard = self._snapshot.shards[path]
        known = (_PRINTED.get(shard) or {}).get(self._least)
        if known is None or not often.isdisjoint(known.unread):
            prints = _PRINTS.of(shard)
            for row, shape in zip(own.rows, own.shapes, strict=True):
                if shape in often and row not in prints:
                    self._print(path, row)
            known = _PRINTED.of(shard)[self._least] = _file_prints(path, own, prints)
        return known

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
        missing = [path for path in paths if self._least not in (_SHAPES.get(shards[path]) or ())]
        for path, raw in reader.file_values(self._snapshot, _subject(self._least), missing).items():
            with contextlib.suppress(CodecError, TypeError, ValueError):
                own, prints = _unpacked(raw)
                _SHAPES.of(shards[path])[self._least] = own
                _PRINTS.of(shards[path]).update(prints)

    def _shapes(self, path: FilePath) -> _FileShapes:
        shard = self._snapshot.shards[path]
        known = (_SHAPES.get(shard) or {}).get(self._least)
        if known is None:
            spend()
            known = _SHAPES.of(shard)[self._least] = _shapes_of(self._snapshot.facts(path), self._least)
            self._made.add(path)
        return known

    def _print(self, path: FilePath, row: int) -> None:
        """Has a digest of the tokens of a body; empty where these are too few."""
        spend()
        text, language = body_text(self._snapshot, SymbolRef(path, row)), self._snapshot.shards[path].language
        mark = _mark(text, language, makes=_is_constructor(self._snapshot, path, row))
        self._made.add(path)
        _PRINTS.of(self._snapshot.shards[path]).setdefault(row, mark)


@lru_cache(maxsize=1 << 10)
def _mark(text: str, language: str, *, makes: bool) -> bytes:
    """An edit leaves most functions of a file as they are. `makes`: it is a constructor; one that decides nothing
    stores what it is given, as that of any other class does."""
    tokens = tokens_of(text, language)
    if len(tokens) < LEAST_TOKENS or (makes and _DECIDING.isdisjoint(tokens)):
        return b""
    return blake2b("\0".join(tokens).encode("utf-8", "surrogatepass"), digest_size=_PRINT_BYTES).digest()


def _is_constructor(snapshot: Snapshot, path: FilePath, row: int) -> bool:
    facts, known = snapshot.facts(path), snapshot.capabilities(path)
    table = facts.definitions
    owner, name = table.owner[row], facts.strings[table.name[row]]
    if table.kind[row] != DefinitionKind.METHOD or known is None:
        return False
    return name in known.constructors or (owner >= 0 and table.name[owner] == table.name[row])


def _file_prints(path: FilePath, own: _FileShapes, prints: Mapping[int, bytes]) -> _FilePrints:
    read = [at for at, row in enumerate(own.rows) if row in prints]
    return _FilePrints(
        tuple(prints[own.rows[at]] for at in read),
        tuple(SymbolRef(path, own.rows[at]) for at in read),
        tuple(own.lines[at] for at in read),
        frozenset(shape for row, shape in zip(own.rows, own.shapes, strict=True) if row not in prints),
    )


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
