"""Written members: enumerators and fields that a macro of the same file writes.

Owns: where such macros stand in braces, what of their text is a name and its type.
Must not know: other files; macros that another file defines.
Invariant: a member stands where it is spelled among the arguments of its macro; else where this does, behind its name,
    as compilers have it, and takes up no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind
from graphls.languages.c.syntax.facts_builder import CFactsBuilder
from graphls.languages.declared.facts_builder import MEMBER, NAME, DeclaredFactsBuilder
from graphls.languages.extract.facts_builder import D_BODY, D_TYPE, EXPRESSION
from graphls.languages.extract.kinds import CLASS_SCOPE

ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
MOST: Final = 4000
"""Members that the macros of one type write."""
TAGS: Final = "struct"
_OPEN: Final = 40
_CLOSED: Final = 41
_BLANKS: Final = b" \t\r\n\v\f"
_BLANKED: Final = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
_LEFT_OUT: Final = re.compile(
    rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*|/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.MULTILINE | re.DOTALL
)
_BRACE: Final = re.compile(rb"[{}]")
MOST_DEPTH: Final = 32
"""Braces in braces in the text of a macro whose members are read."""
WRITER: Final = "macro"
"""Keyword of a base that is a macro: what it writes are members."""
MOST_WRITERS: Final = 16
_NO_FIELDS: Final = re.compile(
    rb"=|\b(?:do|if|else|for|while|switch|return|goto|break|continue|typedef|extern|case)\b|->|#"
)
_JOINED: Final = re.compile(rb"\\[ \t]*\r?$", re.MULTILINE)
FEWEST: Final = 3
"""Uses of macros that make a list."""
_LISTED: Final = re.compile(
    rb"^[ \t]*[A-Z_][A-Z0-9_]*[ \t]*\([ \t]*([A-Z][A-Z0-9_]*)[ \t]*(?:,[^\n]*)?\)[ \t]*[,;]?[ \t]*\r?$", re.MULTILINE
)
_IDENTIFIER: Final = re.compile(rb"[A-Za-z_]\w*")
_CAPITALS: Final = re.compile(rb"[A-Z][A-Z0-9_]{2,}")
_NAME: Final = re.compile(rb"\s*([A-Za-z_]\w*)\s*(?:=|$)")
_POINTER: Final = re.compile(rb"\(\s*\*\s*(\w+)")
_LAST: Final = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?::[^:]*)?$")
_TYPE: Final = re.compile(
    rb"\s*(?:(?:const|volatile|static|unsigned|signed)\s+)*(struct\s+|union\s+|enum\s+)?([A-Za-z_]\w*)"
)


def read_written(builder: DeclaredFactsBuilder, body: Node, *, enumerators: bool) -> None:
    """Members that macros between two braces write, in the current scope."""
    if not isinstance(builder, CFactsBuilder):
        return
    start = body.start_byte + 1
    text = emptied(_LEFT_OUT.sub(_blank, builder.between(start, body.end_byte - 1)))
    count = 0
    for begin, name, end in _items(text, enumerators=enumerators):
        builder.is_written_by_macros = True
        at = start + begin
        macro = builder.macros().at(name, at)
        if macro is None and not enumerators and text[begin:end] == name:
            note_writer(builder, builder.scopes[builder.scope][4], name)
        if macro is None or (macro.given is not None and _is_spelled(macro.given, macro.text)):
            continue
        made = builder.macros().written(text[begin:end] if macro.given is not None else name, at)
        if not enumerators:
            note_writers(builder, builder.scopes[builder.scope][4], made)
        for found, type_ in _enumerators(made) if enumerators else _fields(made):
            count += 1
            if count > MOST:
                return
            spelled = re.search(rb"\b" + found + rb"\b", text[begin + len(name) : end])
            place = at + len(name) + (spelled.start() if spelled is not None else 0)
            _define(builder, found, type_, place, len(found) if spelled is not None else 0, enumerators=enumerators)


def note_writers(builder: CFactsBuilder, row: int, text: bytes) -> None:
    """Notes the macros of other files among what a macro of the file writes in a struct."""
    for begin, name, end in _items(text, enumerators=False):
        if text[begin:end] == name:
            note_writer(builder, row, name)


def note_writer(builder: CFactsBuilder, row: int, name: bytes) -> None:
    """A macro of another file may write members of a struct, or of another macro."""
    text = builder.text(builder.spelled(name))
    if row >= 0 and not any(
        base[0] == row and builder.expressions[base[1] * EXPRESSION + 1] == text
        for base in builder.bases[-MOST_WRITERS:]
    ):
        builder.bases.append((row, builder.expression(NAME, text, 0, -1), builder.text(WRITER)))


def read_fields(builder: DeclaredFactsBuilder, row: int, start: int, end: int) -> None:
    """Members that the text of a macro declares: structs that name it, mostly of other files, have these."""
    text = builder.between(start, end)
    if not isinstance(builder, CFactsBuilder) or b";" not in text or _NO_FIELDS.search(text) is not None:
        return
    shown = _JOINED.sub(b" ", _LEFT_OUT.sub(_blank, text))
    found = list(_fields(shown))
    outer = builder.scope
    scope = builder.scope = builder.open_scope(CLASS_SCOPE, start, end, row)
    at, count = 0, 0
    for name, type_ in found[:MOST]:
        spelled = re.compile(rb"\b" + name + rb"\b").search(text, at) or re.compile(rb"\b" + name + rb"\b").search(text)
        if spelled is not None:
            at, count = spelled.end(), count + 1
            _define(builder, name, type_, start + spelled.start(), len(name), enumerators=False)
    builder.definitions[row][D_BODY] = scope
    note_writers(builder, row, shown)
    builder.scope = outer


def read_listed(builder: CFactsBuilder) -> None:
    """Names in capital letters that a file of nothing but uses of macros lists: whoever includes it says what they are,
    mostly enumerators."""
    text = _LEFT_OUT.sub(_blank, builder.data) if _LISTED.search(builder.data) is not None else b""
    found = list(_LISTED.finditer(text))
    if len(found) < FEWEST or _LISTED.sub(b"", text).strip(b" \t\r\n,;"):
        return
    builder.is_written_by_macros = True
    for match in found[:MOST]:
        builder.full = match.span()
        builder.define_written(match[1], ENUM_MEMBER, match.start(1), len(match[1]))


def _items(text: bytes, *, enumerators: bool) -> Iterator[tuple[int, bytes, int]]:
    """Words that stand where a member may begin: where, which, and the end of their brackets."""
    last = word = 0
    for match in _IDENTIFIER.finditer(text):
        begin, end = match.span()
        if begin < last:
            continue
        before, follows, word = text[max(last, word) : begin].rstrip(), word > last, end
        if before[-1:] not in (b",)" if enumerators else b";)}") or (follows and not before):
            continue
        behind = end
        while behind < len(text) and text[behind] in _BLANKS:
            behind += 1
        called = text[behind : behind + 1] == b"("
        if not called and (enumerators or _CAPITALS.fullmatch(match[0]) is None):
            continue
        if called:
            end = closing(text, behind)
        yield begin, match[0], end
        last = end


def closing(text: bytes, at: int) -> int:
    """The end of the brackets that begin at an offset."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == _OPEN) - (text[end] == _CLOSED)
        if depth == 0:
            return end + 1
    return len(text)


def _is_spelled(given: Sequence[bytes], text: bytes) -> bool:
    """Whether the text of a macro begins with its first argument: such an enumerator is spelled where it stands."""
    if not given or not given[0] or not text.startswith(given[0]):
        return False
    behind = text[len(given[0]) :]
    return not (
        behind[:1].isalnum() or behind.startswith(b"_") or behind.lstrip().startswith((b"##", b"(", b".", b"["))
    )


def _enumerators(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    for part in _parts(text, b","):
        found = _NAME.match(part)
        if found is not None:
            yield found[1], b""


def _fields(text: bytes, depth: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Names of members, with their types as far as a name says them."""
    for part in _parts(text, b";"):
        brace = part.find(b"{")
        if brace >= 0:
            end = part.rfind(b"}")
            if end < brace:
                continue
            behind = _LAST.search(part[end + 1 :].rstrip())
            if behind is not None:
                yield behind[1], b""
            elif depth < MOST_DEPTH:
                yield from _fields(part[brace + 1 : end], depth + 1)
            continue
        type_, pointer = _TYPE.match(part), _POINTER.search(part)
        if type_ is None:
            continue
        written = (b"struct " if type_[1] else b"") + type_[2]
        if pointer is not None:
            yield pointer[1], b""
            continue
        for name in _parts(part[type_.end() :], b","):
            found = _LAST.search(name.rstrip())
            if found is not None:
                yield found[1], written


def _parts(text: bytes, sign: bytes) -> Iterator[bytes]:
    """What is between signs outside of brackets."""
    depth = begin = 0
    for at, code in enumerate(text):
        if code in b"([{":
            depth += 1
        elif code in b")]}":
            depth -= 1
        elif depth == 0 and code == sign[0]:
            yield text[begin:at]
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:]


def _define(builder: CFactsBuilder, name: bytes, type_: bytes, at: int, length: int, *, enumerators: bool) -> None:
    row = builder.define_written(name, ENUM_MEMBER if enumerators else FIELD, at, length)
    if type_ and row >= 0:
        tag, _, word = type_.rpartition(b" ")
        text = builder.text(builder.spelled(word))
        written = builder.expression(NAME, text, builder.scope, at)
        if tag:
            written = builder.expression(MEMBER, builder.builtin(TAGS), text, at)
        builder.definitions[row][D_TYPE] = written


def _blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(_BLANKED)


def emptied(text: bytes) -> bytes:
    """A text with nothing but a semicolon at the end in the place of what stands in braces: one walk over the braces,
    however deep they are."""
    opened: list[int] = []
    outermost: list[tuple[int, int]] = []
    for match in _BRACE.finditer(text):
        if match[0] == b"{":
            opened.append(match.start())
        elif opened:
            begin = opened.pop()
            while outermost and outermost[-1][0] > begin:
                outermost.pop()
            outermost.append((begin, match.end()))
    parts: list[bytes] = []
    at = 0
    for begin, end in outermost:
        parts += (text[at:begin], text[begin : end - 1].translate(_BLANKED), b";")
        at = end
    return b"".join((*parts, text[at:]))
