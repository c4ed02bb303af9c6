"""Classes: types that comments declare, and what comments say of variables and functions.

Owns: `@class`, `@field`, `@alias`, `@enum`; the types that `@type`, `@param` and `@return` give.
Must not know: statements, how types are spelled, other files.
Invariant: a class is a definition of its own, called by the last part of its name, with the rest as its value.
"""

from __future__ import annotations

import re
from typing import Final

from graphls.languages.declared.facts_builder import NAME, RETURN, TYPE
from graphls.languages.extract.facts_builder import D_BODY, D_DOC, D_TYPE, D_VALUE
from graphls.languages.lua.syntax.comments import Doc, LuaTag, declare_field, read_type, type_use
from graphls.languages.lua.syntax.facts_builder import (
    CLASS,
    CLASS_SCOPE,
    ENUM,
    INHERITED,
    RESULTS,
    TEXT,
    TYPE_ALIAS,
    TYPE_ONLY,
    UNION,
    LuaFactsBuilder,
)

_NAME: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:[.-][\w\x80-\xff]+)*")
_WORD: Final = re.compile(rb"[ \t]*(?:\(\w+\)[ \t]*)?([A-Za-z_\x80-\xff][\w\x80-\xff]*|\.\.\.)(\??)")
_ACCESS: Final = re.compile(rb"[ \t]*(?:public|private|protected|package)[ \t]+(?=[\w\[\"'])")
_GENERIC: Final = re.compile(r"[A-Za-z_]\w*")
_QUOTED: Final = re.compile(rb"[ \t]*\[[ \t]*[\"']([^\"'\n]+)[\"'][ \t]*\]")


def declare(builder: LuaFactsBuilder, doc: Doc) -> None:
    """The types that a comment declares."""
    full = builder.full
    table = -1
    for tag in doc.tags:
        builder.full = (tag.start, tag.end)
        if tag.name == "class":
            table = _class(builder, tag, doc, CLASS)
        elif tag.name == "enum":
            table = _class(builder, tag, doc, ENUM)
        elif tag.name == "field" and table >= 0:
            _field(builder, tag, table)
        elif tag.name == "alias":
            _alias(builder, tag)
        elif tag.name == "generic":
            doc.generics.update(part.split(":")[0].strip() for part in builder.source(tag.start, tag.end).split(","))
    builder.full = full


def _class(builder: LuaFactsBuilder, tag: LuaTag, doc: Doc, kind: int) -> int:
    """`@class (partial) name<T>: A, B`; answers its members."""
    found = _NAME.match(builder.data, tag.start, tag.end)
    if found is None:
        return -1
    whole = found[0].decode("utf-8", "replace")
    row = _define_type(builder, whole, found.end(), kind)
    table = builder.open_scope(CLASS_SCOPE, tag.start, tag.end, row)
    builder.scopes[table][1] = 0
    builder.definitions[row][D_BODY] = table
    doc.table = table
    doc.type = builder.expression(NAME, builder.text(whole), 0, -1)
    if doc.text:
        builder.definitions[row][D_DOC] = builder.text(doc.text)
    builder.describe(row, tag.start, tag.end, doc.text)
    builder.classes[whole] = table
    at = found.end()
    outer, builder.owner = builder.owner, row
    generics: frozenset[str] = frozenset()
    if builder.data[at : at + 1] == b"<":
        close = builder.data.find(b">", at, tag.end)
        at = close + 1 if close >= 0 else tag.end
        generics = frozenset(_GENERIC.findall(builder.source(found.end(), at)))
    colon = re.compile(rb"[ \t]*:[ \t]*").match(builder.data, at, tag.end)
    if colon is not None:
        _supers(builder, row, colon.end(), tag.end, generics)
    builder.owner = outer
    return table


def _supers(builder: LuaFactsBuilder, row: int, start: int, end: int, generics: frozenset[str]) -> None:
    while True:
        found = _NAME.match(builder.data, start, end)
        if found is not None:
            text = found[0].decode("utf-8", "replace")
            above, start = type_use(builder, text, found.start(), found.end(), INHERITED), found.end()
            if builder.data[start : start + 1] == b"<":
                _, start = read_type(builder, found.start(), end, generics | {text})
        else:
            above, start = read_type(builder, start, end, generics)
        if above >= 0:
            builder.bases.append((row, above, -1))
        comma = re.compile(rb"[ \t]*,[ \t]*").match(builder.data, start, end)
        if comma is None:
            return
        start = comma.end()


def _define_type(builder: LuaFactsBuilder, whole: str, end: int, kind: int) -> int:
    before, _, last = whole.rpartition(".")
    row = builder.define_at(end - len(last.encode()), end, 0, kind, TYPE_ONLY)
    if before:
        builder.definitions[row][D_VALUE] = builder.expression(NAME, builder.text(before), 0, -1)
    return row


def _field(builder: LuaFactsBuilder, tag: LuaTag, table: int) -> None:
    """`@field private name? type`, `@field ["name"] type`, `@field [string] type`."""
    access = _ACCESS.match(builder.data, tag.start, tag.end)
    start = access.end() if access is not None else tag.start
    owner, builder.owner = builder.owner, builder.scopes[table][4]
    found = _WORD.match(builder.data, start, tag.end) or _QUOTED.match(builder.data, start, tag.end)
    if found is not None and found[1] != b"...":
        row = builder.member_row(table, builder.name(found.start(1), found.end(1)))
        if row < 0:
            row = declare_field(builder, found.start(1), found.end(1), table)
        builder.describe(row, tag.start, tag.end, _behind(builder, tag))
        builder.owner = row
        at = found.end()
    else:
        close = builder.data.find(b"]", start, tag.end)
        row, at = -1, close + 1 if close >= 0 else tag.end
    written = re.compile(rb"[ \t]*:?[ \t]*").match(builder.data, at, tag.end)
    at = written.end() if written is not None else at
    type_ = read_type(builder, at, tag.end)[0] if at < tag.end else -1
    if row >= 0 and type_ >= 0:
        builder.definitions[row][D_TYPE] = type_
    builder.owner = owner


def _behind(builder: LuaFactsBuilder, tag: LuaTag) -> str:
    """What is said behind the type of a field, where a sign divides it."""
    text = builder.source(tag.start, tag.end)
    for sign in ("@ ", " # ", " -- "):
        if sign in text:
            return text.partition(sign)[2].strip()
    return ""


def _alias(builder: LuaFactsBuilder, tag: LuaTag) -> None:
    """`@alias name type`, and with `---| type` below."""
    found = _NAME.match(builder.data, tag.start, tag.end)
    if found is None:
        return
    before, _, last = found[0].decode("utf-8", "replace").rpartition(".")
    row = builder.define_at(found.end() - len(last.encode()), found.end(), 0, TYPE_ALIAS, TYPE_ONLY)
    if before:
        builder.definitions[row][D_TYPE] = builder.expression(NAME, builder.text(before), 0, -1)
    builder.describe(row, tag.start, tag.end, "")
    owner, builder.owner = builder.owner, row
    generics: frozenset[str] = frozenset()
    at = found.end()
    if builder.data[at : at + 1] == b"<":
        close = builder.data.find(b">", at, tag.end)
        at = close + 1 if close >= 0 else tag.end
        generics = frozenset(_GENERIC.findall(builder.source(found.end(), at)))
    rows: list[int] = []
    for start, end in [(at, tag.end), *tag.more]:
        while start < end and builder.data[start] in b" \t":
            start += 1
        if start < end:
            rows.append(read_type(builder, start, end, generics)[0])
    kept = [one for one in rows if one >= 0]
    if kept:
        value = kept[0] if len(kept) == 1 else builder.expression(UNION, builder.sequence(kept))
        builder.definitions[row][D_VALUE] = value
    builder.owner = owner


def give_type(builder: LuaFactsBuilder, row: int, doc: Doc | None, position: int = 0) -> None:
    """What comments say of a variable or a member: its class, its type, its documentation."""
    if doc is None:
        return
    definition = builder.definitions[row]
    if position == 0 and doc.text and definition[D_DOC] < 0:
        definition[D_DOC] = builder.text(doc.text)
    if position == 0 and doc.table >= 0:
        if definition[D_BODY] < 0:
            definition[D_BODY] = doc.table
        definition[D_TYPE] = doc.type
        return
    types = doc.named("type")
    if not types:
        return
    owner, builder.owner = builder.owner, row
    start, end = types[0].start, types[0].end
    for at in range(position + 1):
        type_, start = (
            read_type(builder, start, end, frozenset(doc.generics)) if at == position else _skip(builder, start, end)
        )
        if at == position and type_ >= 0:
            definition[D_TYPE] = type_
        while start < end and builder.data[start] in b" \t,":
            start += 1
    builder.owner = owner


def _skip(builder: LuaFactsBuilder, start: int, end: int) -> tuple[int, int]:
    """Where the next of several types begins, which commas divide."""
    depth = 0
    for at in range(start, end):
        sign = builder.data[at]
        depth += (sign in b"<({[") - (sign in b">)}]")
        if sign == 44 and depth == 0:
            return -1, at + 1
    return -1, end


def read_signature(builder: LuaFactsBuilder, row: int, doc: Doc | None) -> None:
    """`@param` and `@return` of a function, in its scope; `row`: -1 for one without a name."""
    if doc is None:
        return
    generics = frozenset(doc.generics)
    results: list[int] = []
    said = False
    for tag in doc.tags:
        if tag.name == "param":
            found = _WORD.match(builder.data, tag.start, tag.end)
            if found is None:
                continue
            at = found.end()
            while at < tag.end and builder.data[at] in b" \t":
                at += 1
            type_ = read_type(builder, at, tag.end, generics)[0] if at < tag.end else -1
            if found[1] == b"...":
                continue
            parameter = builder.locals.get((builder.scope, builder.name(found.start(1), found.end(1))), -1)
            if parameter >= 0:
                builder.use(found.start(1), found.end(1), TEXT)
                if type_ >= 0:
                    builder.definitions[parameter][D_TYPE] = type_
        elif tag.name == "return":
            said = True
            results += _results(builder, tag, generics)
        elif tag.name in ("see", "overload", "cast"):
            continue
    if row < 0 or not said:
        return
    made = [builder.expression(TYPE, one) if one >= 0 else -1 for one in results]
    first = made[0] if len(made) == 1 else builder.collected(made, RESULTS) if made else -1
    builder.returns.append((row, first, RETURN))


def _results(builder: LuaFactsBuilder, tag: LuaTag, generics: frozenset[str]) -> list[int]:
    """`@return A name, B name`."""
    rows: list[int] = []
    at = tag.start
    while at < tag.end:
        type_, at = read_type(builder, at, tag.end, generics)
        rows.append(type_)
        behind = re.compile(rb"[ \t]*(?:[\w.]+\??[ \t]*)?,[ \t]*(?=[\w`\"'({\[])").match(builder.data, at, tag.end)
        if behind is None:
            break
        at = behind.end()
    return rows
