"""Doc blocks: the documentation in a `/** ... */` in front of a declaration.

Owns: which comment is documentation, where its first paragraph ends.
Must not know: trees, other files.
Invariant: a function of the bytes in front.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.facts_builder import DOC_CAP, DOC_LINES, block_comment_before

_BLANKS: Final = frozenset(b" \t\n\r\x0b\x0c")


def comment_block_above(data: bytes, start: int) -> str:
    """The first paragraph of the `/** ... */` directly above an offset, on one line, without tags of markup."""
    end = start
    while end > 0 and data[end - 1] in _BLANKS:
        end -= 1
    begin = block_comment_before(data, end)
    if begin < 0 or not data.startswith(b"/**", begin) or end - begin < 5:
        return ""
    lines: list[str] = []
    for line in data[begin + 3 : end - 2].decode("utf-8", "replace").split("\n")[:DOC_LINES]:
        text = line.strip().lstrip("*").strip()
        if text.startswith("@") or (lines and (not text or text.startswith("<p>"))):
            break
        if text:
            lines.append(text)
    return " ".join(" ".join(lines).split())[:DOC_CAP]
