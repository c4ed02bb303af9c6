"""Anchors: what tells nodes of one file apart that have the same qualified name and kind.

Owns: titles of the functions and objects around a name, digests of what is written in it.
Must not know: ids, other files.
Invariant: an anchor depends on what is around and in its node, never on a line, nor on how many equals stand before it
    unless these are the same in every respect.

Ninety tests of one file each declare `App`. Where each is declared says which is which: the functions without a name
around it, by the first string that stands before them in the call that they are given to (`it("renders", () => ...)`).
Where these are alike, what is written inside tells them apart, then what is written around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final, TypeAlias

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ScopeKind

FIRST: Final = "0"
"""Of what has no equals, and of the first of several that stand in nothing without a name."""
Span: TypeAlias = tuple[int, int, int]
"""The scope that something is declared in, start and end of all that is written of it."""
_SEPARATOR = "\x1f"
_TITLED = frozenset({ScopeKind.FUNCTION, ScopeKind.LAMBDA, ScopeKind.OBJECT, ScopeKind.CLASS})


class Anchors:
    """Anchors of one file."""

    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts
        self._around: dict[int, tuple[str, ...]] = {0: ()}
        self._whole: dict[int, str] = {}
        """Scope -> digest of all that is written in it: equals beside each other share it."""
        self._scopes: list[tuple[int, int, int]] = []
        """Start, end before 0 and row of each scope, outer ones first."""
        literals = facts.literals
        self._literals = sorted(zip(literals.start, literals.text, literals.position, strict=True))
        first = [(start, text) for start, text, position in self._literals if position == 0]
        self._starts, self._titles = [start for start, _ in first], [text for _, text in first]

    def of(self, rows: Sequence[int]) -> list[str]:
        """The anchors of equals, in the order of the file."""
        table = self._facts.definitions
        return self.of_spans([(table.scope[row], table.full_start[row], table.full_end[row]) for row in rows])

    def of_code(self, stretches: Sequence[tuple[int, int]]) -> list[str]:
        """The anchors of equals that bind no name, by what is written of them."""
        return self.of_spans([(self._scope_at(start), start, end) for start, end in stretches])

    def of_spans(self, spans: Sequence[Span]) -> list[str]:
        """The anchors of equals by where they are."""
        made = [_SEPARATOR.join(self._surroundings(scope)) for scope, _, _ in spans]
        if not made[0]:
            return [FIRST, *self._apart(spans[1:], made[1:])]
        return self._apart(spans, made)

    def _apart(self, spans: Sequence[Span], texts: list[str]) -> list[str]:
        for further in (self._inside, self._neighbours):
            _further(spans, texts, further)
        seen: dict[str, int] = {}
        for number, text in enumerate(texts):
            count = seen[text] = seen.get(text, -1) + 1
            texts[number] = f"{text}#{count}"
        return texts

    def _surroundings(self, scope: int) -> tuple[str, ...]:
        """A title for each scope without a name, outermost first; "" where it has none."""
        known = self._around.get(scope)
        if known is None:
            table = self._facts.scopes
            above = self._surroundings(table.parent[scope])
            unnamed = table.owner[scope] < 0 and table.kind[scope] in _TITLED
            known = (*above, f"{table.kind[scope]}{self._title(scope)}") if unnamed else above
            self._around[scope] = known
        return known

    def _title(self, scope: int) -> str:
        """The nearest string before a scope that is a first argument in the same scope around it."""
        table = self._facts.scopes
        at = bisect_left(self._starts, table.start[scope]) - 1
        parent = table.parent[scope]
        if at < 0 or self._starts[at] < table.start[parent]:
            return ""
        return self._facts.strings[self._titles[at]]

    def _scope_at(self, offset: int) -> int:
        """The innermost scope around an offset."""
        table = self._facts.scopes
        if not self._scopes:
            self._scopes = sorted((start, -table.end[row], row) for row, start in enumerate(table.start))
        at = bisect_right(self._scopes, (offset, 0, 0)) - 1
        row = self._scopes[at][2] if at > 0 else 0
        while row > 0 and table.end[row] <= offset:
            row = table.parent[row]
        return row

    def _inside(self, span: Span) -> str:
        return self._written(span[1], span[2])

    def _neighbours(self, span: Span) -> str:
        scope, table = span[0], self._facts.scopes
        if scope <= 0:
            return ""
        known = self._whole.get(scope)
        if known is None:
            known = self._whole[scope] = self._written(table.start[scope], table.end[scope])
        return known

    def _written(self, start: int, end: int) -> str:
        """Digest of the names that a stretch uses and binds, and of its strings as far as they are recorded."""
        facts, made = self._facts, blake2b(digest_size=12)
        uses, bound = facts.occurrences, facts.definitions
        for starts, names in ((uses.start, uses.name), (bound.start, bound.name)):
            for at in range(bisect_left(starts, start), bisect_right(starts, end)):
                made.update(f"{facts.strings[names[at]]}\n".encode(errors="surrogatepass"))
            made.update(b"\n")
        for at in range(bisect_left(self._literals, (start, -1, -1)), bisect_left(self._literals, (end, -1, -1))):
            made.update(f"{facts.strings[self._literals[at][1]]}\n".encode(errors="surrogatepass"))
        return made.hexdigest()


def _further(spans: Sequence[Span], texts: list[str], describe: Callable[[Span], str]) -> None:
    """Adds to those that are still equal what `describe` says of them."""
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    for number, text in enumerate(texts):
        if counts[text] > 1:
            texts[number] = f"{text}{_SEPARATOR}{describe(spans[number])}"
