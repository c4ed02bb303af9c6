"""Scripts: where the blocks of code of a component file stand.

Owns: `<script>` tags with their attributes, the frontmatter of Astro.
Must not know: what is in a block, templates.
Invariant: found in the bytes alone, so that a template that no grammar understands hides no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import attrs

_ATTRIBUTE = rb"""[^\s"'>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>]++))?+"""
_TAG = re.compile(rb"<(?P<tag>script)(?P<attributes>(?:\s++%b)*+)\s*+>" % _ATTRIBUTE, re.IGNORECASE)
_PAIR = re.compile(rb"""([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_END = re.compile(rb"</script\b", re.IGNORECASE)
_FRONTMATTER = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:<!--.*?-->\s*+)*+---", re.DOTALL)
_FENCE = re.compile(rb"(?<=\n)[ \t]*---")
_GRAMMARS: Mapping[str, str] = {
    "": "javascript",
    "js": "javascript",
    "jsx": "javascript",
    "javascript": "javascript",
    "ts": "typescript",
    "typescript": "typescript",
    "tsx": "tsx",
}
_CODE_TYPES = ("", "module", "text/javascript", "application/javascript", "text/typescript", "ts")


@attrs.frozen
class Script:
    """One block of code: where it stands, and what its tag says."""

    start: int
    end: int
    tag: int
    """Where the name of the tag, or the fence before the block, begins."""
    tag_end: int
    attributes: Mapping[str, str]

    @property
    def grammar(self) -> str:
        """The grammar of the block, "" for a language that is not read."""
        return _GRAMMARS.get(self.attributes.get("lang", "").lower(), "")


def scripts(data: bytes, start: int = 0) -> Iterator[Script]:
    """Blocks of JavaScript and TypeScript in `<script>` tags, in order."""
    # Where a sign is missing that ends something, it is looked for once: thousands may be open.
    closed, found, commented = data + b">", None, True
    while True:
        if found is None or found.start() < start:
            found = _TAG.search(closed, start)
        if found is None or found.end() > len(data):
            return
        comment = data.find(b"<!--", start, found.start()) if commented else -1
        if comment >= 0:
            end = data.find(b"-->", comment + 4)
            commented = end >= 0
            start = end + 3 if commented else start
            continue
        start = found.end()
        ending = _END.search(data, start)
        last = ending.start() if ending else len(data)
        attributes = _attributes(found["attributes"])
        if attributes.get("type", "").lower() in _CODE_TYPES:
            yield Script(start, last, found.start("tag"), found.end("tag"), attributes)
        start = last


def frontmatter(data: bytes) -> Script | None:
    """The block between the fences at the beginning."""
    opening = _FRONTMATTER.match(data)
    if opening is None:
        return None
    closing = _FENCE.search(data, opening.end())
    end = closing.start() if closing else len(data)
    return Script(opening.end(), end, opening.end() - 3, opening.end(), {"lang": "ts"})


def _attributes(text: bytes) -> Mapping[str, str]:
    return {
        found[1].decode("utf-8", "replace").lower(): next((value for value in found.groups()[1:] if value), b"").decode(
            "utf-8", "replace"
        )
        for found in _PAIR.finditer(text)
    }
