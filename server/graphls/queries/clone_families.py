"""Clone families: functions whose bodies are the same but for names, strings and numbers.

Owns: which functions are compared, the families.
Must not know: who asks, layout.
Invariant: members of a family have equal streams of tokens; a file that changed is read again alone.

Bodies are first told apart by their shapes, where the facts of their language have one; only those with a shape in
common are read as tokens (the normal form of `similar`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import MemoTable
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import is_stub
from graphls.queries.body_sketches import lines_of
from graphls.queries.body_tokens import LEAST_TOKENS, body_tokens
from graphls.settings import SimilaritySettings

_CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_Shape = tuple[int, int]
"""A number for the shape of a body, 0 where its language has none; lines of the function."""
_SHAPES: Final = MemoTable[int, "Mapping[int, _Shape]"]("shapes of functions", rests_on_links=False)
_PRINTS: Final = MemoTable[int, bytes]("prints of functions", rests_on_links=False)
_PRINT_BYTES: Final = 12
_USUAL: Final = SimilaritySettings()


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
    measured = [(path, snapshot.shards[path].language, _shapes(snapshot, path, least)) for path in compared]
    times: dict[str, Counter[int]] = {}
    for _, language, shapes in measured:
        times.setdefault(language, Counter()).update(shape for shape, _ in shapes.values())
    marks: dict[bytes, list[tuple[FilePath, int, int]]] = {}
    for path, language, shapes in measured:
        often, prints = times[language], _PRINTS.of(snapshot.shards[path])
        for row, (shape, lines) in shapes.items():
            if often[shape] > 1:
                mark = prints[row] if row in prints else _print(snapshot, path, row)
                if mark:
                    marks.setdefault(mark, []).append((path, row, lines))
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


def _shapes(snapshot: Snapshot, path: FilePath, least: int) -> Mapping[int, _Shape]:
    memo = _SHAPES.of(snapshot.shards[path])
    if least not in memo:
        memo[least] = dict(_measured(snapshot.facts(path), least))
    return memo[least]


def _measured(facts: FileFacts, least: int) -> Iterator[tuple[int, _Shape]]:
    """Functions that are long enough, each with its shape and lines."""
    spend()
    shapes = dict(zip(facts.metrics.definition, facts.metrics.shape, strict=True))
    table = facts.definitions
    for row, kind in enumerate(table.kind):
        if kind in _CALLABLES and table.body[row] != NONE:
            lines = lines_of(facts, row)
            if lines >= least:
                yield row, (shapes.get(row, 0), lines)


def _print(snapshot: Snapshot, path: FilePath, row: int) -> bytes:
    """A digest of the tokens of a body; empty where these are too few."""
    known = _PRINTS.of(snapshot.shards[path])
    if row not in known:
        spend()
        tokens = body_tokens(snapshot, SymbolRef(path, row))
        text = "\0".join(tokens).encode("utf-8", "surrogatepass")
        known[row] = blake2b(text, digest_size=_PRINT_BYTES).digest() if len(tokens) >= LEAST_TOKENS else b""
    return known[row]


def _key(place: SymbolRef) -> tuple[str, int]:
    return place.file, place.definition
