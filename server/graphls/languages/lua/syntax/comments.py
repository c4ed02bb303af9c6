"""Comments: what the annotations of LuaLS and EmmyLua above a statement say.

Owns: which comments belong to a statement, their tags, written types in them.
Must not know: trees, statements, other files.
Invariant: a type that is not understood to its end is no type; names in it are uses all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from graphls.languages.declared.facts_builder import DOC_CAP, NAME, TUPLE, TYPED
from graphls.languages.declared.type_cursor import TypeCursor
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.lua.syntax.facts_builder import FIELD, OBJECT, OBJECT_SCOPE, UNION, LuaFactsBuilder

_TAG: Final = re.compile(rb"---?-*[ \t]*@(\w+)[ \t]*(?:\([\w, ]*\)[ \t]*)?")
_TEXT: Final = re.compile(rb"-{2,}[ \t]?")
_MORE: Final = re.compile(rb"---[ \t]*\|[+>]?[ \t]*")
_NAME: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:[.-][\w\x80-\xff]+)*(?:\.\*)?")
_KEY: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_LITERAL: Final = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"|-?\d[\w.]*")
_SPACE: Final = re.compile(rb"[ \t]*")
_MAX_DEPTH: Final = 12
_TABLES: Final = frozenset(("table", "list", "array"))
BUILTIN: Final = frozenset((
    "any", "boolean", "bool", "fun", "function", "int", "integer", "lightuserdata", "nil", "number", "string", "table",
    "thread", "unknown", "userdata", "void", "self", "true", "false", "async", "float",
))  # fmt: skip
DECLARING: Final = frozenset(("class", "alias", "enum", "field"))


@final
class LuaTag:
    """`@name ...`, from behind the name to the end of the line, with the lines below it that go on with it."""

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name = name
        self.start = start
        self.end = end
        self.more: list[tuple[int, int]] = []
        """Further choices of an alias: `---| "a"`."""


@final
class Doc:
    """What the comments above one statement say."""

    def __init__(self, tags: list[LuaTag], text: str) -> None:
        self.tags = tags
        self.text = text
        self.table = -1
        """The members of the class that it declares."""
        self.type = -1
        """The type that it gives to what the statement declares, or the class that it declares."""
        self.generics: set[str] = set()

    def named(self, name: str) -> list[LuaTag]:
        """The tags of one name."""
        return [tag for tag in self.tags if tag.name == name]


def doc_of(data: bytes, spans: Sequence[tuple[int, int]]) -> Doc:
    """What comments say that stand below each other, a line each."""
    tags: list[LuaTag] = []
    words: list[str] = []
    ended = False
    for start, end in spans:
        found = _TAG.match(data, start, end)
        if found is not None:
            name = found[1].decode()
            tags.append(LuaTag(name, found.end(), end))
            ended = ended or bool(words)
            continue
        more = _MORE.match(data, start, end)
        if more is not None and tags:
            tags[-1].more.append((more.end(), end))
            continue
        mark = _TEXT.match(data, start, end)
        line = data[mark.end() if mark is not None else start : end].decode("utf-8", "replace").strip(" \t-[]=")
        ended = ended or (not line and bool(words))
        if line and not ended:
            words.append(line)
    return Doc(tags, " ".join(" ".join(words).split())[:DOC_CAP])


def read_type(
    builder: LuaFactsBuilder, start: int, end: int, generics: frozenset[str] = frozenset()
) -> tuple[int, int]:
    """The type that stands between two offsets, -1 for none that says anything, and where it ends."""
    reader = _LuaTypeReader(builder, start, end, generics)
    row = reader.union(0)
    return (-1, reader.at) if reader.failed else (row, reader.at)


@final
class _LuaTypeReader(TypeCursor):
    """Reads one type, from left to right."""

    def __init__(self, builder: LuaFactsBuilder, start: int, end: int, generics: frozenset[str]) -> None:
        super().__init__(builder.data, start, end, _SPACE)
        self.builder = builder
        self.generics = generics

    def union(self, depth: int) -> int:
        """`A|B`. What is not known of it is left out."""
        if depth > _MAX_DEPTH:
            self.failed = True
            return -1
        rows = [self.postfix(depth)]
        while not self.failed:
            before = self.at
            self.space()
            if not self.take(b"|") and not (self.peek(b"&") and self.take(b"&")):
                self.at = before
                break
            self.space()
            rows.append(self.postfix(depth))
        kept = [row for row in dict.fromkeys(rows) if row >= 0]
        if len(kept) <= 1:
            return kept[0] if kept else -1
        return self.builder.expression(UNION, self.builder.sequence(kept))

    def postfix(self, depth: int) -> int:
        """`A[]`, `A?`."""
        row = self.atom(depth)
        while not self.failed:
            if self.take(b"[]"):
                row = self.builder.constructed("[]", (row,))
            elif not self.take(b"?"):
                break
        return row

    def atom(self, depth: int) -> int:
        builder = self.builder
        if self.take(b"("):
            self.space()
            row = self.union(depth + 1)
            self.space()
            while not self.failed and self.take(b","):  # several results in parentheses
                self.space()
                self.union(depth + 1)
                self.space()
            self.failed = self.failed or not self.take(b")")
            return row
        if self.peek(b"{"):
            return self.shape(depth)
        if self.peek(b"["):
            return self.tuple_type(depth)
        if self.take(b"..."):
            return self.postfix(depth + 1) if _NAME.match(builder.data, self.at, self.end) else -1
        if self.take(b"`"):
            close = builder.data.find(b"`", self.at, self.end)
            self.failed = close < 0
            self.at = close + 1 if close >= 0 else self.at
            return -1
        found = _LITERAL.match(builder.data, self.at, self.end)
        if found is not None:
            self.at = found.end()
            return builder.builtin("string" if found[0][:1] in b"'\"" else "number")
        found = _NAME.match(builder.data, self.at, self.end)
        if found is None:
            self.failed = True
            return -1
        self.at = found.end()
        return self.named(found[0].decode("utf-8", "replace"), found.start(), found.end(), depth)

    def named(self, text: str, start: int, end: int, depth: int) -> int:
        builder = self.builder
        if text in ("async", "keyof") and self.peek(b" "):
            self.space()
            return self.atom(depth + 1)
        if text == "fun" and self.peek(b"("):
            return self.function(depth)
        given = self.arguments(depth) if self.peek(b"<") else []
        if text in _TABLES and given:
            return builder.constructed("map" if len(given) > 1 else "[]", given)
        if text == "self":
            return builder.self_expression()
        if text in BUILTIN:
            return builder.builtin(text) if text not in ("any", "unknown", "nil", "void", "table") else -1
        if text in self.generics:
            return -1
        return type_use(builder, text, start, end, TYPED)

    def arguments(self, depth: int) -> list[int]:
        """`<A, B>`."""
        self.take(b"<")
        rows: list[int] = []
        while not self.failed:
            self.space()
            rows.append(self.union(depth + 1))
            self.space()
            if self.take(b","):
                continue
            self.failed = self.failed or not self.take(b">")
            break
        return rows

    def tuple_type(self, depth: int) -> int:
        """`[A, B]`."""
        self.take(b"[")
        while not self.failed:
            self.space()
            self.union(depth + 1)
            self.space()
            if self.take(b","):
                continue
            self.failed = self.failed or not self.take(b"]")
            break
        return -1

    def shape(self, depth: int) -> int:
        """`{ name: A, other?: B, [string]: C, D }`: a table without a name."""
        builder = self.builder
        self.take(b"{")
        outer, builder.scope = builder.scope, 0
        table = builder.open_scope(OBJECT_SCOPE, self.at, self.end)
        builder.scope = outer
        held = -1
        while not self.failed:
            self.space()
            if self.take(b"}"):
                break
            if self.take(b"["):
                self.space()
                self.union(depth + 1)
                self.space()
                self.failed = self.failed or not self.take(b"]")
                self.space()
                if not self.failed and self.take(b":"):
                    self.space()
                    held = self.union(depth + 1)
            else:
                self.part(table, depth)
            self.space()
            if not self.take(b",") and not self.take(b";") and not self.peek(b"}"):
                self.failed = True
        row = builder.expression(OBJECT, table)
        if held >= 0:
            return builder.expression(UNION, builder.sequence((row, builder.constructed("map", (-1, held)))))
        return row

    def part(self, table: int, depth: int) -> None:
        """`name: A`, or a type that stands alone."""
        builder = self.builder
        found = _KEY.match(builder.data, self.at, self.end)
        if found is None:
            self.union(depth + 1)
            return
        before = self.at
        self.at = found.end()
        self.take(b"?")
        self.space()
        if not self.take(b":"):
            self.at = before
            self.union(depth + 1)
            return
        self.space()
        full, builder.full = builder.full, (found.start(), self.end)
        row = declare_field(builder, found.start(), found.end(), table)
        builder.full = full
        builder.definitions[row][D_TYPE] = self.union(depth + 1)

    def function(self, depth: int) -> int:
        """`fun(a: A, b?): B, C`."""
        builder = self.builder
        self.take(b"(")
        taken: list[int] = []
        while not self.failed:
            self.space()
            if self.take(b")"):
                break
            found = _KEY.match(builder.data, self.at, self.end)
            if found is not None:
                self.at = found.end()
            elif not self.take(b"..."):
                self.failed = True
                return -1
            self.take(b"?")
            self.space()
            if self.take(b":"):
                self.space()
                taken.append(self.union(depth + 1))
            else:
                taken.append(-1)
            self.space()
            if not self.take(b",") and not self.peek(b")"):
                self.failed = True
        given: list[int] = []
        before = self.at
        self.space()
        if self.take(b":"):
            self.space()
            given.append(self.result(depth))
            while not self.failed:
                before = self.at
                self.space()
                if not self.take(b","):
                    self.at = before
                    break
                self.space()
                given.append(self.result(depth))
        else:
            self.at = before
        return builder.constructed("func", (builder.expression(TUPLE, builder.sequence(taken)), *given))

    def result(self, depth: int) -> int:
        """A result, which may have a name: `name: A`."""
        found = _KEY.match(self.builder.data, self.at, self.end)
        if found is not None and self.builder.data[found.end() : found.end() + 1] == b":" and found.end() < self.end:
            self.at = found.end() + 1
            self.space()
        return self.union(depth + 1)


def type_use(builder: LuaFactsBuilder, text: str, start: int, end: int, role: int) -> int:
    """A use of the name of a class or alias, which may have dots; it stands at its last part."""
    row = builder.expression(NAME, builder.text(text), 0, -1)
    last = text.rpartition(".")[2]
    builder.use(end - len(last.encode()), end, role, row)
    return row


def declare_field(builder: LuaFactsBuilder, start: int, end: int, table: int) -> int:
    """A field that a comment declares."""
    return builder.member_at(start, end, table, FIELD)
