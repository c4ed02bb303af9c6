"""Words among members: where a macro may write some, and that finding them goes through a text once.

Owns: words, separators and brackets in any order.
Must not know: facts.
Invariant: what is found is what a reading of all that is before and behind each word says.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from graphls.languages.c.syntax import written_members
from graphls.languages.c.syntax.written_members import closing

PIECES = (b"WORD", b"int", b"f", b" ", b"\n", b" \t", b"(", b")", b",", b";", b"}", b"=", b"(a, B)", b"")


def _plainly(text: bytes, *, enumerators: bool) -> Iterator[tuple[int, bytes, int]]:
    last = 0
    for match in written_members._IDENTIFIER.finditer(text):  # pyright: ignore[reportPrivateUsage]
        begin, end = match.span()
        before = text[last:begin].rstrip() if begin >= last else b"no"
        if before and before[-1:] not in (b",)" if enumerators else b";)}"):
            continue
        behind = len(text) - len(text[end:].lstrip())
        called = text[behind : behind + 1] == b"("
        if not called and (enumerators or not match[0].isupper()):
            continue
        if called:
            end = closing(text, behind)
        elif len(match[0]) < 3:
            continue
        yield begin, match[0], end
        last = end


@pytest.mark.parametrize("enumerators", [False, True])
def test_words_that_begin_a_member_are_found(enumerators: bool) -> None:
    choose, found = random.Random(5), 0
    for _ in range(3_000):
        text = b"".join(choose.choices(PIECES, k=choose.randrange(14)))
        items = list(written_members._items(text, enumerators=enumerators))  # pyright: ignore[reportPrivateUsage]
        assert items == list(_plainly(text, enumerators=enumerators)), text
        found += len(items)
    assert found > 300


@pytest.mark.parametrize("enumerators", [False, True])
def test_many_members_are_gone_through_once(enumerators: bool) -> None:
    """The rest of the text was copied for each word: a union of 88,000 members took 6 seconds."""
    text = b"int f = 1, g = 2\n" * 150_000
    begun = time.process_time()
    list(written_members._items(text, enumerators=enumerators))  # pyright: ignore[reportPrivateUsage]
    assert time.process_time() - begun < 8
