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
from typing import Final

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ScopeKind

FIRST: Final = "0"
"""Of what has no equals, and of the first of several that stand in nothing without a name."""
_SEPARATOR = "\x1f"
_TITLED = frozenset({ScopeKind.FUNCTION, ScopeKind.LAMBDA, ScopeKind.OBJECT, ScopeKind.CLASS})


class Anchors:
    """Anchors of one file."""

    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts
        self._around: dict[int, tuple[str, ...]] = {0: ()}
        literals = facts.literals
        self._literals = sorted(zip(literals.start, literals.text, literals.position, strict=True))
        first = [(start, text) for start, text, position in self._literals if position == 0]
        self._starts, self._titles = [start for start, _ in first], [text for _, text in first]

    def of(self, rows: Sequence[int]) -> list[str]:
        """The anchors of equals, in the order of the file."""
        scopes = self._facts.definitions.scope
        made = [_SEPARATOR.join(self._surroundings(scopes[row])) for row in rows]
        if not made[0]:
            return [FIRST, *self._apart(rows[1:], made[1:])]
        return self._apart(rows, made)

    def _apart(self, rows: Sequence[int], texts: list[str]) -> list[str]:
        for further in (self._inside, self._beside):
            _further(rows, texts, further)
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

    def _inside(self, row: int) -> str:
        table = self._facts.definitions
        return self._written(table.full_start[row], table.full_end[row])

    def _beside(self, row: int) -> str:
        scope = self._facts.definitions.scope[row]
        table = self._facts.scopes
        return self._written(table.start[scope], table.end[scope]) if scope > 0 else ""

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


def _further(rows: Sequence[int], texts: list[str], told: Callable[[int], str]) -> None:
    """Adds to those that are still equal what `told` says of them."""
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    for number, text in enumerate(texts):
        if counts[text] > 1:
            texts[number] = f"{text}{_SEPARATOR}{told(rows[number])}"
