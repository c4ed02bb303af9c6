"""Doc blocks: the comment in front of a declaration is one comment, also in broken text."""

from __future__ import annotations

import pytest

from graphls.languages.declared.doc_blocks import comment_block_above
from graphls.languages.declared.facts_builder import block_comment_before, documentation_above
from graphls.languages.php.syntax.phpdoc import doc_above


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        (b"/** one */", 0),
        (b"x; /* one */", 3),
        (b"/** one */ x; two */", -1),
        (b"/** one */ x; /** two */", 14),
        (b"two */", -1),
        (b"/*/", -1),
        (b"x;", -1),
    ],
)
def test_where_a_block_begins(text: bytes, begin: int) -> None:
    assert block_comment_before(text, len(text)) == begin


def test_what_stands_before_a_lone_end_is_no_documentation() -> None:
    """The opening of the second comment is gone: what it documents said all of the code above."""
    text = b"/** One. */\nfunction one() {}\n Two.\n */\nfunction two() {}\n"
    at = text.index(b"function two")
    assert (comment_block_above(text, at), documentation_above(text, at), doc_above(text, at)) == ("", "", (0, 0))
    at = text.index(b"function one")
    assert (comment_block_above(text, at), documentation_above(text, at)) == ("One.", "One.")
    assert doc_above(text, at) == (0, 11)
