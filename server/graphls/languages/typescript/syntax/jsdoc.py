"""JSDoc: what `/** ... */` comments of JavaScript say about types.

Owns: finding tags, and a text of the same length in which only their types stand, read as TypeScript.
Must not know: facts, what any type means.
Invariant: offsets are those of the file; a comment that is not understood says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs
from tree_sitter import Node

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.typescript.syntax.mending import mended

GRAMMAR: Final = "typescript"
MOST: Final = 4000
"""Comments and tags that are read in one file."""

_COMMENT = re.compile(rb"/\*\*(?![/*])(?:[^*]|\*(?!/))*\*/")
_TAG = re.compile(
    rb"@(?:(import)(?=[\s{*])"
    rb"|(type|typedef|this|param|arg|argument|returns?|property|prop|implements|template)(?=[\s{])"
    rb"|(callback|template)(?=\s))"
)
_LINE = re.compile(rb"\n[ \t]*\*(?!/)")
_BRACE = re.compile(rb"[ \t]*\{")
_NAME = re.compile(rb"[ \t]*(?:\n[ \t]*\*[ \t]*)?(\[?)[ \t]*((?:[\w$]+)(?:(?:\[\])?\.[\w$]+)*)")
_IMPORTED = re.compile(rb"[ \t]+(?:[^;'\"@]*\bfrom[ \t]*)?(?:'[^'\n]*'|\"[^\"\n]*\")")
_BEFORE = re.compile(
    rb"(?:export|default|return|const|let|var)\b[ \t]*|[\w$.#]+(?:\[[^\]\n]*\])?[ \t]*(?:=(?![=>])|:)\s*"
)
_GAP = re.compile(rb"\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/")
"""What may stand between a comment and what it documents, one of each."""
_NOTHING = re.compile(rb"[\s*?]*\Z|.*\bfunction\s*\(|.*\bmodule:", re.DOTALL)
_MARKS = re.compile(rb"(?:(?<=[<,(|&])|\A)\s*([?!])(?=\s*[\w({'\"])")
_ALIAS = b"type _="
ALIASES: Final = ("typedef", "callback")
PARAMETERS: Final = ("param", "arg", "argument")
MAX_GENERIC: Final = 256
"""Type parameters of all aliases of one comment, each of which has all of them; of more none has any."""


@attrs.frozen
class JsDocTag:
    """One tag: its type, the name behind it, where that stands."""

    word: str
    type: Node | None
    path: tuple[str, ...] = ()
    """`a.b` in parts."""
    end: int = 0
    """Where the last part of the name ends."""
    rest: bool = False
    """Written with dots: one of several."""


@attrs.frozen
class JsDocBlock:
    """One comment."""

    start: int
    end: int
    tags: tuple[JsDocTag, ...]
    documents: int
    """Offset of what follows."""
    parameters: tuple[JsDocTag, ...]
    """Of these tags, those that say the type of a parameter, in order."""
    named: Mapping[str, JsDocTag]
    """The first of these for each name."""
    parts: Mapping[tuple[str, str], Sequence[JsDocTag]]
    """Tags of members, `options.name`, by their word and what they are members of."""
    is_generic: bool
    """Its aliases have the type parameters that its tags declare."""


@attrs.frozen
class JsDocNotes:
    """All that comments of one file say."""

    blocks: tuple[JsDocBlock, ...]
    by_place: Mapping[int, JsDocBlock]
    """By where what a comment documents may begin: behind `export`, `const`, `name =`."""


def find_notes(data: bytes, root: Node) -> JsDocNotes | None:
    """What the comments of a file say; None where they say nothing about types."""
    if _TAG.search(data) is None:
        return None
    masked = bytearray(b" " * len(data))
    found: list[tuple[int, int, list[_DocTag]]] = []
    for _, match in zip(range(MOST), _COMMENT.finditer(data), strict=False):
        start, end = match.span()
        if _TAG.search(data, start, end) is not None and _is_comment(root, start, end):
            seen = list(_seen(data, start, end, masked))
            if seen:
                found.append((start, end, seen))
    if not found:
        return None
    text = bytes(masked)
    types = _types(mended(text, parse(parser(GRAMMAR), text), GRAMMAR).root_node)
    documented = _documented(data, found)
    blocks = tuple([_block(start, end, seen, types, documented[start]) for start, end, seen in found])
    places: dict[int, JsDocBlock] = {}
    for block in blocks:
        for place in _places(data, block.documents):
            places[place] = block
    return JsDocNotes(blocks, places)


def _documented(data: bytes, found: Sequence[tuple[int, int, Sequence[_DocTag]]]) -> dict[int, int]:
    """What follows each comment, by where the comment begins. From the last one on: of those in a row all document what
    the last one does, and each would go through all behind it."""
    places: dict[int, int] = {}
    for start, end, _ in reversed(found):
        at = end
        while at not in places and (gap := _GAP.match(data, at)) is not None:
            at = gap.end()
        places[start] = places.get(at, at)
    return places


def _is_comment(root: Node, start: int, end: int) -> bool:
    node = root.descendant_for_byte_range(start, end)
    return node is not None and node.type == "comment" and node.start_byte == start


def _places(data: bytes, start: int) -> Iterator[int]:
    yield start
    for _ in range(4):
        match = _BEFORE.match(data, start, start + 200)
        if match is None:
            return
        start = match.end()
        yield start


# ---------------------------------------------------------------- tags


@attrs.frozen
class _DocTag:
    word: str
    place: int
    """Where the type stands in the text that is read, -1 for none."""
    path: tuple[str, ...] = ()
    end: int = 0
    rest: bool = False


def _seen(data: bytes, start: int, end: int, masked: bytearray) -> Iterator[_DocTag]:
    last = start
    for _, match in zip(range(MOST), _TAG.finditer(data, start, end), strict=False):
        if match.start() < last or data[match.start() - 1 : match.start()] not in (b" ", b"*", b"\t", b"\n"):
            continue
        word = (match.group(1) or match.group(2) or match.group(3) or b"").decode()
        if word == "import":
            last = _import(data, match.start(), end, masked) or last
            yield _DocTag(word, match.start() + 1)
            continue
        place, at, rest = -1, match.end(), False
        brace = _BRACE.match(data, at, end)
        if brace is not None:
            close = _close(data, brace.end() - 1, end)
            if close < 0:
                continue
            at = close + 1
            place, rest = _write(data, brace.end(), close, last, masked)
            last = at
        name = _NAME.match(data, at, end)
        if name is None or word in ("type", "this", "return", "returns", "implements"):
            yield _DocTag(word, place, rest=rest)
        else:
            path = tuple(part.decode("utf-8", "replace") for part in name.group(2).replace(b"[]", b"").split(b"."))
            yield _DocTag(word, place, path, name.end(2), rest)


def _close(data: bytes, start: int, end: int) -> int:
    """The brace that closes one."""
    depth = 0
    for at in range(start, min(end, start + 4000)):
        sign = data[at]
        if sign == _OPEN:
            depth += 1
        elif sign == _CLOSE:
            depth -= 1
            if depth == 0:
                return at
    return -1


def _write(data: bytes, start: int, end: int, last: int, masked: bytearray) -> tuple[int, bool]:
    """Writes a type as an alias of its own; where that begins, -1 for nothing, and whether it stands for several."""
    text = bytearray(data[start:end])
    for line in _LINE.finditer(data, start, end):
        first, last_of_line = line.start() - start, line.end() - start
        # Between braces the end of a line ends a member, elsewhere a type goes on.
        inside = text.count(b"{", 0, first) > text.count(b"}", 0, first)
        text[first:last_of_line] = (b"\n" if inside else b" ") + b" " * (last_of_line - first - 1)
    if _NOTHING.match(text) or start - len(_ALIAS) < last:
        return -1, False
    rest = text.lstrip().startswith(b"...")
    if rest:
        at = text.index(b"...")
        text[at : at + 3] = b"   "
    bare = text.rstrip()
    if bytes(bare[-1:]) in (b"=", b"?", b"!"):
        text[len(bare) - 1] = _SPACE
    for mark in _MARKS.finditer(bytes(text)):
        text[mark.start(1)] = _SPACE
    text = bytearray(re.sub(rb"\.(?=<)", b" ", text))
    text = bytearray(re.sub(rb"(?<=[<,|])(\s*)\*(?=\s*[>,|])", rb"\g<1>0", text))
    masked[start - len(_ALIAS) : start] = _ALIAS
    masked[start:end] = text
    masked[end] = _END
    return start - len(_ALIAS), rest


def _import(data: bytes, start: int, end: int, masked: bytearray) -> int:
    """`@import { A } from "m"`, which is an import statement but for its first sign."""
    match = _IMPORTED.match(data, start + len(b"@import"), end)
    if match is None:
        return 0
    text = re.sub(_LINE, lambda line: b" " * len(line.group()), data[start + 1 : match.end()])
    masked[start + 1 : match.end()] = text
    masked[match.end()] = _END
    return match.end()


def _types(root: Node) -> Mapping[int, Node]:
    """What was written, by where it begins."""
    made: dict[int, Node] = {}
    for node in root.named_children:
        if node.has_error:
            continue
        value = node.child_by_field_name("value") if node.type == "type_alias_declaration" else node
        if value is not None and node.type in ("type_alias_declaration", "import_statement"):
            made[node.start_byte] = value
    return made


def _block(start: int, end: int, seen: list[_DocTag], types: Mapping[int, Node], documents: int) -> JsDocBlock:
    tags = [JsDocTag(one.word, types.get(one.place), one.path, one.end, one.rest) for one in seen]
    parameters = tuple([tag for tag in tags if tag.word in PARAMETERS and len(tag.path) == 1])
    parts: dict[tuple[str, str], list[JsDocTag]] = {}
    for tag in tags:
        if len(tag.path) > 1:
            parts.setdefault((tag.word, tag.path[0]), []).append(tag)
    generic = sum(tag.word == "template" for tag in tags) * sum(tag.word in ALIASES for tag in tags)
    return JsDocBlock(
        start=start,
        end=end,
        tags=tuple(tags),
        documents=documents,
        parameters=parameters,
        named={tag.path[0]: tag for tag in reversed(parameters)},
        parts=parts,
        is_generic=0 < generic <= MAX_GENERIC,
    )


_OPEN, _CLOSE, _SPACE, _END = b"{} ;"
