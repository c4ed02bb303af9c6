"""JSDoc growth: what comments of JavaScript cost grows with them.

Owns: comments in a row, how much of the text is gone through to find what they document.
Must not know: facts.
Invariant: counted in bytes, not in seconds.
"""

from __future__ import annotations

import re

import pytest

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.typescript.syntax import jsdoc


class _Counted:
    """A pattern that notes how many bytes it went over."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self.pattern, self.bytes = pattern, 0

    def match(self, data: bytes, start: int) -> re.Match[bytes] | None:
        found = self.pattern.match(data, start)
        self.bytes += 0 if found is None else found.end() - found.start()
        return found


@pytest.mark.parametrize("between", ["", "\n", "\n// a remark\n", "\n/* a remark */\n"])
def test_comments_in_a_row_are_gone_through_once(between: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """8,000 aliases in 357 kB took 63 seconds: behind each comment all that follow were gone through."""
    counted = _Counted(jsdoc._GAP)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(jsdoc, "_GAP", counted)
    row = [f"/** @typedef {{(one: A{number}) => void}} T{number} */" for number in range(1_000)]
    data = (between.join(row) + between + "\nconst last = 1\n").encode()
    notes = jsdoc.find_notes(data, parse(parser("javascript"), data).root_node)
    assert notes is not None
    assert len(notes.blocks) == 1_000
    assert {block.documents for block in notes.blocks} == {data.index(b"const last")}
    assert counted.bytes <= 2 * len(data)


def test_a_comment_documents_what_follows_it() -> None:
    data = b"/** @type {A} */\nlet a\n/** @type {B} */ // a remark\n/* another */ let b\n/** @type {C} */"
    notes = jsdoc.find_notes(data, parse(parser("javascript"), data).root_node)
    assert notes is not None
    assert [block.documents for block in notes.blocks] == [data.index(b"let a"), data.index(b"let b"), len(data)]
