"""PHPDoc: what doc comments say of types.

Owns: where the comment of a declaration stands, its tags, written types in it.
Must not know: trees, other files.
Invariant: a type that is not understood to its end is no type.
"""

from __future__ import annotations

import re
from typing import Final, final

from graphls.languages.declared.facts_builder import NAME, SUBSCRIPT, TUPLE, TYPED, block_comment_before
from graphls.languages.declared.type_cursor import TypeCursor
from graphls.languages.php.syntax.facts_builder import UNION, PhpFactsBuilder
from graphls.languages.php.syntax.words import BUILTIN_TYPES, RELATIVE

_TAG: Final = re.compile(rb"(?:^|\n)[ \t]*(?:/\*\*|\*)?[ \t]*@([\w-]+)[ \t]*")
_NAME: Final = re.compile(rb"\$?[A-Za-z_\\\x80-\xff][\w\\\x80-\xff]*(?:-[a-z][\w-]*)?")
_SPACE: Final = re.compile(rb"(?:[ \t]|\r?\n[ \t]*\*(?!/)[ \t]*)*")
_LITERAL: Final = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"|-?\d[\d_.]*|\*")
_VARIABLE: Final = re.compile(rb"(?:&|\.\.\.|\s)*\$([A-Za-z_\x80-\xff][\w\x80-\xff]*)")
_MAX_DEPTH: Final = 12
_ARRAYS: Final = frozenset(("array", "list", "non-empty-array", "non-empty-list", "iterable", "associative-array"))
_TYPE_TAGS: Final = ("phpstan-", "psalm-")


@final
class DocTag:
    """`@name ...`, from behind the name to the next tag."""

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name = name
        self.start = start
        self.end = end


def doc_above(data: bytes, start: int) -> tuple[int, int]:
    """Start and end of the doc comment directly above an offset; equal where there is none."""
    end = start
    while end > 0 and data[end - 1] in b" \t\r\n":
        end -= 1
    begin = block_comment_before(data, end)
    return (begin, end) if begin >= 0 and data.startswith(b"/**", begin) else (0, 0)


def tags_in(data: bytes, start: int, end: int) -> list[DocTag]:
    """The tags of a comment; those that a checker has for itself go before the common ones of the same kind."""
    text = data[start:end]
    found = list(_TAG.finditer(text))
    tags: list[DocTag] = []
    for at, one in enumerate(found):
        stop = found[at + 1].start() if at + 1 < len(found) else len(text) - 2
        tags.append(DocTag(one[1].decode(), start + one.end(), start + stop))
    special = {tag.name.split("-", 1)[1] for tag in tags if tag.name.startswith(_TYPE_TAGS)}
    kept: list[DocTag] = []
    for tag in tags:
        if tag.name.startswith(_TYPE_TAGS):
            kept.insert(0, DocTag(tag.name.split("-", 1)[1], tag.start, tag.end))
        else:
            kept.append(tag)
    return kept if special else tags


def variable_in(builder: PhpFactsBuilder, start: int, end: int) -> tuple[str, int, int] | None:
    """The variable that stands next in a tag: its name, and where that stands."""
    found = _VARIABLE.match(builder.data, start, end)
    return None if found is None else (found[1].decode("utf-8", "replace"), found.start(1), found.end(1))


def written_type(builder: PhpFactsBuilder, start: int, end: int) -> tuple[int, int]:
    """The type that stands next in a tag, -1 for none that says anything, and where it ends."""
    reader = _TypeReader(builder, start, end)
    row = reader.union(0)
    return (row, reader.at) if not reader.failed else (-1, reader.at)


@final
class _TypeReader(TypeCursor):
    """Reads one type, from left to right."""

    def __init__(self, builder: PhpFactsBuilder, start: int, end: int) -> None:
        super().__init__(builder.data, start, end, _SPACE)
        self.builder = builder

    def union(self, depth: int) -> int:
        """`A|B`, `A&B`. One space may stand around the sign, but not before what describes a variable."""
        if depth > _MAX_DEPTH:
            self.failed = True
            return -1
        rows = [self.postfix(depth)]
        while not self.failed:
            before = self.at
            self.space()
            if self.take(b"|") or (self.peek(b"&") and not _VARIABLE.match(self.builder.data, self.at, self.end)
                                   and self.take(b"&")):  # fmt: skip
                self.space()
                rows.append(self.postfix(depth))
            else:
                self.at = before
                break
        kept = [row for row in rows if row >= 0]
        if len(kept) != len(rows):
            return -1
        return kept[0] if len(kept) == 1 else self.builder.expression(UNION, self.builder.sequence(kept))

    def postfix(self, depth: int) -> int:
        row = self.atom(depth)
        while self.take(b"[]"):
            row = self.builder.constructed("[]", (row,))
        return row

    def atom(self, depth: int) -> int:
        builder = self.builder
        if self.take(b"?"):
            return self.postfix(depth + 1)
        if self.take(b"("):
            self.space()
            row = self.union(depth + 1)
            self.space()
            if not self.take(b")"):
                self.failed = True
            return row
        found = _LITERAL.match(builder.data, self.at, self.end)
        if found is not None:
            self.at = found.end()
            return builder.builtin("string" if found[0][:1] in b"'\"" else "int")
        found = _NAME.match(builder.data, self.at, self.end)
        if found is None:
            self.failed = True
            return -1
        self.at = found.end()
        text = found[0].decode("utf-8", "replace")
        if self.peek(b"::"):  # the values of constants
            while self.at < self.end and builder.data[self.at] not in b" \t\r\n|,>)]}":
                self.at += 1
            return builder.builtin("mixed")
        return self.named(text, found.start(), found.end(), depth)

    def named(self, text: str, start: int, end: int, depth: int) -> int:
        builder = self.builder
        low = text.lower()
        if self.peek(b"{"):
            self.shape(depth)
            return builder.builtin("array")
        if self.peek(b"(") and (low in ("callable", "closure", "\\closure", "pure-callable")):
            return self.function(depth)
        given = self.arguments(depth) if self.peek(b"<") else None
        if low in _ARRAYS:
            return builder.constructed("[]", (given[-1],)) if given else builder.builtin("array")
        if low == "class-string" and given:
            return builder.constructed("class", given)
        if low in RELATIVE:
            if low in ("static", "$this"):
                return builder.builtin("static")
            return builder.expression(NAME, builder.text(f":{low}"), builder.scope, start)
        if low in BUILTIN_TYPES or "-" in low or text.startswith("$"):
            return builder.builtin("mixed" if low not in BUILTIN_TYPES else low)
        row = builder.spelled_name(start, end, TYPED)
        return builder.expression(SUBSCRIPT, row, builder.sequence(given)) if given else row

    def arguments(self, depth: int) -> list[int]:
        """`<A, B>`."""
        self.take(b"<")
        rows: list[int] = []
        while not self.failed:
            self.space()
            rows.append(self.union(depth + 1))
            self.space()
            if self.take(b","):
                self.space()
                if not self.peek(b">"):
                    continue
            if not self.take(b">"):
                self.failed = True
            break
        return rows

    def shape(self, depth: int) -> None:
        """`{name: A, other?: B}`: types in it are read for what they name."""
        self.take(b"{")
        while not self.failed:
            self.space()
            if self.take(b"}"):
                return
            if self.take(b"..."):
                continue
            key = re.compile(rb"(?:'[^'\n]*'|\"[^\"\n]*\"|[\w-]+)\??\s*:(?!:)").match(
                self.builder.data, self.at, self.end
            )
            if key is not None:
                self.at = key.end()
                self.space()
            self.union(depth + 1)
            self.space()
            if not self.take(b",") and not self.peek(b"}"):
                self.failed = True

    def function(self, depth: int) -> int:
        """`callable(A, B=): C`."""
        builder = self.builder
        self.take(b"(")
        taken: list[int] = []
        while not self.failed:
            self.space()
            if self.take(b")"):
                break
            taken.append(self.union(depth + 1))
            self.space()
            self.take(b"...")
            self.take(b"=")
            found = _VARIABLE.match(builder.data, self.at, self.end)
            if found is not None:
                self.at = found.end()
            self.space()
            if not self.take(b",") and not self.peek(b")"):
                self.failed = True
        given = -1
        before = self.at
        self.space()
        if self.take(b":"):
            self.space()
            given = self.postfix(depth + 1)
        else:
            self.at = before
        return builder.constructed("func", (builder.expression(TUPLE, builder.sequence(taken)), given))
