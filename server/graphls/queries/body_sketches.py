"""Body sketches: a few numbers of each function, by which bodies that are alike meet without all being compared.

Owns: signatures and bands, which functions have one, their form in the cache.
Must not know: what counts as like, who asks.
Invariant: a sketch is a function of a body's tokens; a file that changed is sketched again alone.

Signatures are MinHash (Broder 1997) by one permutation (Li, Owen, Zhang 2012): each run of tokens is hashed once into
one of 128 bins, or as many as settings say; empty bins borrow from their neighbours (Shrivastava, Li 2014). Bodies with
an equal band, a digest of some values of the signature, are candidates; whether they are alike is counted on their runs
themselves.
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
from graphls.graph.memo import MemoTable
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import is_stub
from graphls.queries.body_tokens import LEAST_TOKENS, tokens_of
from graphls.settings import SimilaritySettings

_SUBJECT: Final = "sketches of bodies 3"
_CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_MASK: Final = (1 << 64) - 1
_BASE: Final = 0x9E3779B97F4A7C15
_SPREAD: Final = 0xBF58476D1CE4E5B9
_BORROWED: Final = 0xD1B54A32D192ED03
_SKETCHES: Final = MemoTable["SketchForm", "Mapping[int, BodySketch]"]("sketches of bodies", rests_on_links=False)


@attrs.frozen
class SketchForm:
    """How sketches are made: values of a signature, its bands, tokens of a run, lines of the shortest function. The
    bands were chosen by measured recall (docs/health.md)."""

    size: int = 128
    bands: int = 16
    run: int = 5
    least_lines: int = 5

    @classmethod
    def of(cls, chosen: SimilaritySettings) -> SketchForm:
        """As settings say."""
        return cls(chosen.minhash_size, chosen.lsh_bands, chosen.shingle_size, chosen.min_symbol_lines)

    @property
    def subject(self) -> str:
        """What sketches of this form are stored as."""
        return _SUBJECT if self == _USUAL else f"{_SUBJECT} {self.size} {self.bands} {self.run} {self.least_lines}"


_USUAL: Final = SketchForm()


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


def sketches(snapshot: Snapshot, form: SketchForm = _USUAL) -> Iterator[tuple[SymbolRef, BodySketch]]:
    """Those of functions of at least five lines (or as the form says) and 25 tokens, in files that people of the
    project maintain."""
    files = [path for path in snapshot.files() if is_compared(snapshot, path)]
    _recall(snapshot, files, form)
    made: dict[FilePath, bytes] = {}
    try:
        for path in files:
            memo = _SKETCHES.of(snapshot.shards[path])
            known = memo.get(form)
            if known is None:
                known = memo[form] = dict(_sketched(snapshot, path, form))
                made[path] = _stored(known)
            for row, sketch in known.items():
                yield SymbolRef(path, row), sketch
    finally:
        if made:
            snapshot.reader.store_file_values(snapshot, form.subject, made)


def is_compared(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether bodies of a file are compared with others."""
    return bool(snapshot.shards[path].language) and not comes_last(snapshot, path) and not is_stub(path)


def sketch_of(tokens: Sequence[str], form: SketchForm = _USUAL) -> BodySketch:
    """The sketch of a stream of tokens."""
    values = hashed_runs(tokens, form.run)
    text = "\0".join(tokens).encode("utf-8", "surrogatepass")
    runs = array("I", sorted({value >> 32 for value in values}))
    return BodySketch(
        runs, blake2b(text, digest_size=12).digest(), bands_of(signature_of(values, form.size), form.bands)
    )


def hashed_runs(tokens: Sequence[str], length: int = _USUAL.run) -> set[int]:
    """A number of 64 bits for each run of tokens."""
    numbers = [_number(token) for token in tokens]
    found: set[int] = set()
    for run in set(zip(*(numbers[at:] for at in range(length)), strict=False)):
        value = 0
        for number in run:
            value = (value * _BASE + number) & _MASK
        value = ((value ^ (value >> 31)) * _SPREAD) & _MASK
        found.add(value ^ (value >> 29))
    return found


def signature_of(values: Iterable[int], size: int = _USUAL.size) -> list[int]:
    """As many values: the least number in each bin; what an empty bin borrows is marked by how far it came."""
    least = [-1] * size
    for value in values:
        rest, at = divmod(value, size)
        if least[at] < 0 or rest < least[at]:
            least[at] = rest
    if max(least) < 0:
        return least
    return [value if value >= 0 else _borrowed(least, at) for at, value in enumerate(least)]


def bands_of(signature: Sequence[int], bands: int) -> array[int]:
    """Digests of as many equal parts of a signature, of 32 bits each."""
    rows = len(signature) // bands
    found = array("I")
    for start in range(0, len(signature), rows):
        value = start
        for at in range(start, start + rows):
            value = ((value ^ signature[at]) * _SPREAD) & _MASK
            value ^= value >> 29
        found.append(value & 0xFFFFFFFF)
    return found


def _borrowed(least: Sequence[int], at: int) -> int:
    """To the right or to the left, as the number of the bin decides: bins beside each other are to differ."""
    step = 1 if (at * _BASE >> 17) & 1 else -1
    for far in range(1, len(least)):
        value = least[(at + step * far) % len(least)]
        if value >= 0:
            return (value + far * _BORROWED) & _MASK
    return -1


@lru_cache(maxsize=4096)
def _number(token: str) -> int:
    return crc32(token.encode("utf-8", "surrogatepass")) + 1


def _sketched(snapshot: Snapshot, path: FilePath, form: SketchForm) -> Iterator[tuple[int, BodySketch]]:
    spend()
    facts, language = snapshot.facts(path), snapshot.shards[path].language
    table, text = facts.definitions, snapshot.text(path) or b""
    for row, kind in enumerate(table.kind):
        if kind in _CALLABLES and table.body[row] != NONE and lines_of(facts, row) >= form.least_lines:
            body = text[table.full_start[row] : table.full_end[row]].decode("utf-8", "replace")
            tokens = tokens_of(body, language)
            if len(tokens) >= LEAST_TOKENS:
                yield row, sketch_of(tokens, form)


def lines_of(facts: FileFacts, row: int) -> int:
    """Lines of a definition as a whole."""
    table = facts.definitions
    return facts.line_column(table.full_end[row])[0] - facts.line_column(table.full_start[row])[0] + 1


def _recall(snapshot: Snapshot, paths: Sequence[FilePath], form: SketchForm) -> None:
    """Has at hand what earlier runs stored."""
    missing = [path for path in paths if form not in _SKETCHES.of(snapshot.shards[path])]
    for path, raw in snapshot.reader.file_values(snapshot, form.subject, missing).items():
        known = _restored(raw)
        if known is not None:
            _SKETCHES.of(snapshot.shards[path])[form] = known


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
