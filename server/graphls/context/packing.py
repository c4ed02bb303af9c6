"""Packing: ranked declarations into items that fit a budget.

Owns: detail levels, what a declaration costs, cutting long ones, the order of items.
Must not know: how declarations were ranked, output formats.
Invariant: the items of a pack never cost more than its budget; the text of an item is whole lines from its first.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import attrs

from graphls.context.allotment import HEAD, allot
from graphls.context.candidates import Candidate, UnitKey
from graphls.context.lexical import terms_in
from graphls.context.units import FUNCTIONS
from graphls.context.weights import Weights
from graphls.context.windows import doc_end, fitting_end, informative_lines
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot, SymbolRef

Detail = Literal["signature", "documented", "elided", "part", "body"]
"""See `Item.detail`."""
CHARACTERS = 4
"""Characters a token; the rule is named in every answer."""
_HEAD_LINES = 12
_CONSIDERED = 150
"""Declarations that may be shown."""
_SURE = 24
"""Of these the size is looked at whatever time there is."""
_PART_OF_SIZES = 0.8
"""Part of the time of a request after which no further ones are looked at."""
_STRETCH = 3
"""Lines of a body that are not worth showing alone, without the rest of it."""
_GAP_LINES = 6
_GAP_TOKENS = 30
"""Lines, and their tokens, that are shown rather than part two pieces of one file."""
_NEARLY = 0.8
"""The part from which on the whole is shown."""


def tokens(text: str) -> int:
    """What a text costs."""
    return math.ceil(len(text) / CHARACTERS)


def row_cost(file: str, line: int, symbol: str, numbers: Sequence[int]) -> int:
    """What a row costs that names something: its place, its name within the module, and numbers."""
    return tokens(f"{file}:{line} {symbol.partition(':')[2]} {' '.join(map(str, numbers))}\n")


@attrs.frozen(kw_only=True)
class PackFragment:
    """Lines of one declaration that are shown. Lines count from 1, the last is included."""

    key: UnitKey
    place: SymbolRef
    start_line: int
    end_line: int
    text: str
    detail: Detail
    whole: tuple[int, int]
    """First and last line of the declaration."""
    score: float
    also: tuple[UnitKey, ...] = ()
    """Further declarations that these lines show."""

    @property
    def tokens(self) -> int:
        return tokens(self.text)


@attrs.frozen
class PackedFragments:
    """Pieces, most valuable first, and the candidates that found no room."""

    fragments: tuple[PackFragment, ...]
    used: int
    rest: tuple[Candidate, ...]


def pack_fragments(sources: SourceLines, ranked: Sequence[Candidate], budget: int, weights: Weights) -> PackedFragments:
    """Source of the best, each as much as it is worth, best first; then their further parts."""
    room, sizes = budget, list[int]()
    for candidate in ranked[:_CONSIDERED]:
        # A file is read for each: of the rest the answer says that they were left out.
        if len(sizes) >= _SURE and is_spent_to(_PART_OF_SIZES):
            break
        sizes.append(sources.size(candidate.key))
    best = ranked[: len(sizes)]
    scores = [candidate.score for candidate in best]
    heads: list[PackFragment] = []
    parts: list[PackFragment] = []
    visible: set[UnitKey] = set()
    spare = 0
    for candidate, size, part in zip(best, sizes, allot(scores, sizes, room, weights), strict=True):
        # What those before did not use goes to the next that is shown in part.
        wanted = part + max(spare, 0) if HEAD < part < size else part
        found = list(_fragments(sources, candidate, min(size if wanted >= _NEARLY * size else wanted, room)))
        cost = sum(fragment.tokens for fragment in found)
        spare += part
        if found and cost <= room:
            spare -= cost
            heads.append(found[0])
            parts += found[1:]
            visible.add(candidate.key)
            room -= cost
    left = tuple(candidate for candidate in ranked if candidate.key not in visible)
    # Where all of it has room, each declaration is its own item.
    fragments = joined(sources, (*heads, *parts), room) if left else (*heads, *parts)
    return PackedFragments(fragments, sum(fragment.tokens for fragment in fragments), left)


def joined(sources: SourceLines, fragments: Sequence[PackFragment], room: int) -> tuple[PackFragment, ...]:
    """Pieces with those that follow them in their file, where few lines part them: one is read instead of two.

    The better one leads, and what is far less likely joins none of the best, so that likelier ones do not come later.
    """
    at_start = {(fragment.key.file, fragment.start_line): at for at, fragment in enumerate(fragments)}
    found: list[PackFragment | None] = list(fragments)
    for at in range(len(found)):
        here, reach = found[at], at + 2 * at + 2
        while here is not None:
            near = (at_start.get((here.key.file, here.end_line + 1 + gap), -1) for gap in range(_GAP_LINES + 1))
            number = next((number for number in near if at < number <= reach and found[number] is not None), -1)
            other = found[number] if number >= 0 else None
            whole = sources.join(here, other) if other is not None else None
            cost = whole.tokens - here.tokens - other.tokens if whole is not None and other is not None else 0
            if whole is None or cost > min(_GAP_TOKENS, room):
                break
            room -= max(cost, 0)
            found[at], found[number], here = whole, None, whole
    return tuple(fragment for fragment in found if fragment is not None)


def _fragments(sources: SourceLines, candidate: Candidate, part: int) -> Iterator[PackFragment]:
    """A declaration as its part of the budget shows it; its first lines where the rest of its line is another's."""
    whole = part > HEAD or part >= sources.size(candidate.key)
    found = sources.source(candidate, part) if part and whole else []
    head = sources.signature(candidate, 2 * HEAD) if part and not found else None
    yield from found or ([head] if head is not None else [])


class SourceLines:
    """Lines of files; each file is read once. `words`: those of the task, with what each is worth."""

    def __init__(self, snapshot: Snapshot, words: Mapping[str, float]) -> None:
        self._snapshot = snapshot
        self._words = words
        self._texts: dict[FilePath, bytes] = {}
        self._functions: dict[FilePath, list[tuple[int, int]]] = {}

    def size(self, key: UnitKey) -> int:
        """About how many tokens the lines of a declaration have."""
        known, facts = terms_in(self._snapshot, key.file), self._snapshot.facts(key.file)
        start = known.starts[key.unit]
        line, _ = facts.line_column(start)
        # What stands before it on its first line is shown and paid for as well.
        return max(math.ceil((known.ends[key.unit] - min(facts.lines[line], start)) / CHARACTERS), 8)

    def place(self, key: UnitKey) -> SymbolRef:
        """The declaration as a node."""
        return SymbolRef(key.file, terms_in(self._snapshot, key.file).rows[key.unit])

    def line(self, key: UnitKey) -> int:
        """The line of its name, counted from 1."""
        return self._lines_of(key)[1] + 1

    def source(self, candidate: Candidate, room: int) -> list[PackFragment]:
        """The declaration; when it is too long, its head and the lines that say most."""
        first, named, last = self._lines_of(candidate.key)
        lines = self._lines(candidate.key.file, first, last)
        if fitting_end(lines, 0, room * CHARACTERS) == len(lines):
            return [self._fragment(candidate, (first, last), "body")]
        head = self.signature(candidate, room)
        if head is None:
            return []
        left = max(room - head.tokens, 0) * CHARACTERS
        inner = frozenset(line - head.end_line for line in self._inner(candidate.key))
        found = informative_lines(lines[head.end_line - first :], left, self._words, inner)
        runs = [(head.end_line + start, head.end_line + stop) for start, stop in found]
        if runs:
            stop = runs.pop(0)[1] if runs[0][0] == head.end_line else head.end_line
            doc_stop = first + doc_end(lines, head.end_line - first)
            plain = not runs and first < doc_stop <= stop < doc_stop + _STRETCH
            head = self._fragment(candidate, (named, doc_stop if plain else stop), "documented" if plain else "elided")
        return [head, *(self._fragment(candidate, run, "part") for run in runs)]

    def signature(self, candidate: Candidate, room: int) -> PackFragment | None:
        """The lines from the declaration's name to the end of its head, or the first of them that fit."""
        _, named, last = self._lines_of(candidate.key)
        head = self._lines(candidate.key.file, named, min(last, named + _HEAD_LINES))
        stop = next((named + at for at, line in enumerate(head, 1) if _ends_head(line)), named + 1)
        fragment = self._fragment(candidate, (named, stop), "signature")
        if fragment.tokens > room:
            fragment = self._fragment(candidate, (named, named + 1), "signature")
        return fragment if fragment.tokens <= room else None

    def join(self, first: PackFragment, second: PackFragment) -> PackFragment:
        """The lines of both and those between them, as a piece of the first."""
        lines = self._lines(first.key.file, first.start_line - 1, second.end_line)
        keys = (*first.also, second.key, *second.also)
        return attrs.evolve(
            first,
            end_line=second.end_line,
            text="\n".join(lines),
            whole=(min(first.whole[0], second.whole[0]), max(first.whole[1], second.whole[1])),
            also=tuple(key for key in dict.fromkeys(keys) if key != first.key),
        )

    def _fragment(self, candidate: Candidate, lines: tuple[int, int], detail: Detail) -> PackFragment:
        key = candidate.key
        first, stop = lines
        begin, _, end = self._lines_of(key)
        return PackFragment(
            key=key,
            place=self.place(key),
            start_line=first + 1,
            end_line=stop,
            text="\n".join(self._lines(key.file, first, stop)),
            detail=detail,
            whole=(begin + 1, end),
            score=candidate.score,
        )

    def _lines_of(self, key: UnitKey) -> tuple[int, int, int]:
        """First line, line of the name, line after the last; counted from 0."""
        facts, known = self._snapshot.facts(key.file), terms_in(self._snapshot, key.file)
        table, row = facts.definitions, known.rows[key.unit]
        first, _ = facts.line_column(known.starts[key.unit])
        named, _ = facts.line_column(table.start[row])
        last, _ = facts.line_column(max(known.ends[key.unit] - 1, known.starts[key.unit]))
        while last > named and not self._lines(key.file, last, last + 1)[0].strip():
            last -= 1
        return first, named, last + 1

    def _inner(self, key: UnitKey) -> Iterator[int]:
        """Lines, counted from 0, that are bodies of functions inside a declaration, none of which is most of it."""
        known, facts = terms_in(self._snapshot, key.file), self._snapshot.facts(key.file)
        functions, start, end = self._functions_of(key.file), known.starts[key.unit], known.ends[key.unit]
        for begin, stop in functions[bisect_left(functions, (start, 0)) : bisect_left(functions, (end, 0))]:
            if 2 * (stop - begin) < end - start:
                yield from range(facts.line_column(begin)[0] + 1, facts.line_column(stop)[0])

    def _functions_of(self, path: FilePath) -> list[tuple[int, int]]:
        """Start and end of every function of a file, in order."""
        known = self._functions.get(path)
        if known is None:
            scopes = self._snapshot.facts(path).scopes
            rows = zip(scopes.kind, scopes.start, scopes.end, strict=True)
            known = self._functions[path] = sorted((start, end) for kind, start, end in rows if kind in FUNCTIONS)
        return known

    def _lines(self, path: FilePath, first: int, stop: int) -> list[str]:
        """Lines from `first` up to `stop`, counted from 0, without their ends."""
        facts, text = self._snapshot.facts(path), self._text(path)
        ends = [*facts.lines[first + 1 : stop + 1], len(text)]
        parts = zip(facts.lines[first:stop], ends, strict=False)
        return [text[start:end].decode("utf-8", "replace").rstrip("\r\n") for start, end in parts]

    def _text(self, path: FilePath) -> bytes:
        known = self._texts.get(path)
        if known is None:
            known = self._texts[path] = self._snapshot.text(path) or b""
        return known


def _ends_head(line: str) -> bool:
    return line.split("#")[0].rstrip().endswith((":", "{", ";", "=>", ": ..."))
