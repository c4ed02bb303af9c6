"""Body sketches: a few numbers of each function, by which bodies that are alike meet without all being compared.

Owns: signatures and bands, which functions have one, their form in the cache.
Must not know: what counts as like, who asks.
Invariant: a sketch is a function of a body's tokens; a file that changed is sketched again alone.

Signatures are MinHash (Broder 1997) by one permutation (Li, Owen, Zhang 2012): each run of tokens is hashed once into
one of 128 bins, empty bins borrow from their neighbours (Shrivastava, Li 2014). Bodies with an equal band, a digest of
some values of the signature, are candidates; whether they are alike is counted on their runs themselves.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, cast
from zlib import crc32

import attrs

from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import Memo
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import is_stub
from graphls.queries.body_tokens import LEAST_TOKENS, RUN, tokens_of

LEAST_LINES: Final = 5
SIGNATURE: Final = 128
BANDS: Final = 16
"""Bands of eight values: chosen by measured recall (docs/health.md)."""
_SUBJECT: Final = "sketches of bodies 2"
_CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_MASK: Final = (1 << 64) - 1
_BASE: Final = 0x9E3779B97F4A7C15
_SPREAD: Final = 0xBF58476D1CE4E5B9
_BORROWED: Final = 0xD1B54A32D192ED03
_SKETCHES: Final = Memo["Mapping[int, BodySketch]"]("sketches of bodies", rests_on_links=False)


@attrs.frozen
class BodySketch:
    """One function. `runs`: a number of 32 bits for each different one; `print`: equal for equal streams of tokens."""

    runs: array[int]
    print: bytes
    bands: array[int]

    def share(self, runs: frozenset[int]) -> float:
        """Part of the runs of both that both have: the Jaccard index."""
        both = len(runs.intersection(self.runs))
        return both / (len(runs) + len(self.runs) - both) if runs else 0.0


def sketches(snapshot: Snapshot, paths: Iterable[FilePath] | None = None) -> Iterator[tuple[SymbolRef, BodySketch]]:
    """Those of functions of at least five lines and 25 tokens, in files that people of the project maintain."""
    files = [path for path in snapshot.files() if is_compared(snapshot, path)] if paths is None else list(paths)
    _recall(snapshot, files)
    made: dict[FilePath, bytes] = {}
    try:
        for path in files:
            shard = snapshot.shards[path]
            known = _SKETCHES.get(shard)
            if known is None:
                known = _SKETCHES.put(shard, dict(_sketched(snapshot, path)))
                made[path] = _stored(known)
            for row, sketch in known.items():
                yield SymbolRef(path, row), sketch
    finally:
        if made:
            snapshot.reader.store_file_values(snapshot, _SUBJECT, made)


def is_compared(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether bodies of a file are compared with others."""
    return bool(snapshot.shards[path].language) and not comes_last(snapshot, path) and not is_stub(path)


def sketch_of(tokens: Sequence[str]) -> BodySketch:
    """The sketch of a stream of tokens."""
    values = hashed_runs(tokens)
    text = "\0".join(tokens).encode("utf-8", "surrogatepass")
    runs = array("I", sorted({value >> 32 for value in values}))
    return BodySketch(runs, blake2b(text, digest_size=12).digest(), bands_of(signature_of(values), BANDS))


def hashed_runs(tokens: Sequence[str]) -> set[int]:
    """A number of 64 bits for each run of tokens."""
    numbers = [_number(token) for token in tokens]
    found: set[int] = set()
    for a, b, c, d, e in set(zip(*(numbers[at:] for at in range(RUN)), strict=False)):
        value = ((((a * _BASE + b) * _BASE + c) * _BASE + d) * _BASE + e) & _MASK
        value = ((value ^ (value >> 31)) * _SPREAD) & _MASK
        found.add(value ^ (value >> 29))
    return found


def signature_of(values: Iterable[int]) -> list[int]:
    """128 values: the least number in each bin; what an empty bin borrows is marked by how far it came."""
    least = [-1] * SIGNATURE
    for value in values:
        at, rest = value & (SIGNATURE - 1), value >> 7
        if least[at] < 0 or rest < least[at]:
            least[at] = rest
    if max(least) < 0:
        return least
    return [value if value >= 0 else _borrowed(least, at) for at, value in enumerate(least)]


def bands_of(signature: Sequence[int], bands: int) -> array[int]:
    """Digests of as many equal parts of a signature, of 32 bits each."""
    rows = SIGNATURE // bands
    found = array("I")
    for start in range(0, SIGNATURE, rows):
        value = start
        for at in range(start, start + rows):
            value = ((value ^ signature[at]) * _SPREAD) & _MASK
            value ^= value >> 29
        found.append(value & 0xFFFFFFFF)
    return found


def _borrowed(least: Sequence[int], at: int) -> int:
    """To the right or to the left, as the number of the bin decides: bins beside each other are to differ."""
    step = 1 if (at * _BASE >> 17) & 1 else -1
    for far in range(1, SIGNATURE):
        value = least[(at + step * far) % SIGNATURE]
        if value >= 0:
            return (value + far * _BORROWED) & _MASK
    return -1


@lru_cache(maxsize=4096)
def _number(token: str) -> int:
    return crc32(token.encode("utf-8", "surrogatepass")) + 1


def _sketched(snapshot: Snapshot, path: FilePath) -> Iterator[tuple[int, BodySketch]]:
    spend()
    facts, language = snapshot.facts(path), snapshot.shards[path].language
    table, text = facts.definitions, snapshot.text(path) or b""
    for row, kind in enumerate(table.kind):
        if kind in _CALLABLES and table.body[row] != NONE and lines_of(facts, row) >= LEAST_LINES:
            body = text[table.full_start[row] : table.full_end[row]].decode("utf-8", "replace")
            tokens = tokens_of(body, language)
            if len(tokens) >= LEAST_TOKENS:
                yield row, sketch_of(tokens)


def lines_of(facts: FileFacts, row: int) -> int:
    """Lines of a definition as a whole."""
    table = facts.definitions
    return facts.line_column(table.full_end[row])[0] - facts.line_column(table.full_start[row])[0] + 1


def _recall(snapshot: Snapshot, paths: Sequence[FilePath]) -> None:
    """Has at hand what earlier runs stored."""
    missing = [path for path in paths if _SKETCHES.get(snapshot.shards[path]) is None]
    for path, raw in snapshot.reader.file_values(snapshot, _SUBJECT, missing).items():
        known = _restored(raw)
        if known is not None:
            _SKETCHES.put(snapshot.shards[path], known)


def _stored(known: Mapping[int, BodySketch]) -> bytes:
    return encode_plain([(row, one.runs.tobytes(), one.print, one.bands.tobytes()) for row, one in known.items()])


def _restored(raw: bytes) -> Mapping[int, BodySketch] | None:
    found: dict[int, BodySketch] = {}
    try:
        for row, runs, mark, bands in cast("Sequence[tuple[int, bytes, bytes, bytes]]", decode_plain(raw)):
            found[row] = BodySketch(_numbers(runs), mark, _numbers(bands))
    except (CodecError, TypeError, ValueError):
        return None
    return found


def _numbers(raw: bytes) -> array[int]:
    found = array("I")
    found.frombytes(raw)
    return found
