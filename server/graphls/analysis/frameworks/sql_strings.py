"""SQL strings: statements in strings of code, and what they name.

Owns: which strings of a file are statements of SQL, the names of tables and columns in them.
Must not know: which tables there are, who asks.
Invariant: a string is a statement where it begins as one does; what a program puts in between is a name that no table
    has, and every name stands where it stands in the file.

Strings are found by their first words and read to their quote, as strings of twenty languages end. Those that stand in
a row or are added to one another are one statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import attrs

from graphls.languages.config.databases import COLUMN, TABLE
from graphls.languages.config.document import ConfigDocument

MOST_BYTES: Final = 20_000
"""Of one statement."""
_MOST_STATEMENTS: Final = 2_000
"""Of one file; one with more is written by a tool."""
_MOST_OPENINGS: Final = 5_000
"""Of one file that are looked at."""
_LONGEST_LINE: Final = 400
"""Bytes before a string in which a comment is looked for."""
_WORDS: Final = rb"SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|MERGE|CREATE|ALTER|DROP|TRUNCATE"
_OPENING: Final = re.compile(
    rb"""(?:r(?P<hashes>\#{1,8})"|R"(?P<tag>\w{0,16})\(|<<[<~-]?["']?(?P<word>[A-Za-z_]\w*)["']?[^\n]*\n"""
    rb"""|(?P<quote>\"\"\"|'''|@\$?"|\$@"|["'`]))(?=(?:\s|\\[nrt]|\\\n|--[^\n]*\n){0,400}(?i:""" + _WORDS + rb")\b)"
)
_HINTS: Final = tuple(
    tuple(word.encode() for word in (words if upper else words.lower()).split("+"))
    for words in (
        "SELECT+FROM", "INSERT+INTO ", "UPDATE +SET", "DELETE +FROM ", "CREATE +TABLE", "ALTER +TABLE", "DROP +TABLE",
    )
    for upper in (True, False)
)  # fmt: skip
"""A file that has all words of none of these is not looked at any further: to find words costs next to nothing."""
_STATEMENT: Final = re.compile(
    rb"\s*(?:--[^\n]*\n\s*)*(?:SELECT\b.*?\bFROM\b|(?:INSERT|REPLACE)\b.{0,40}?\bINTO\b|UPDATE\b.*?\bSET\b|DELETE\s+FROM\b"
    rb"|WITH\b.*?\bAS\b|MERGE\s+INTO\b|CREATE\b.{0,60}?\b(?:TABLE|INDEX|VIEW|TRIGGER|FUNCTION)\b|ALTER\s+TABLE\b"
    rb"|DROP\s+(?:TABLE|VIEW|INDEX)\b|TRUNCATE\s+TABLE\b)",
    re.IGNORECASE | re.DOTALL,
)
_GLUE: Final = re.compile(
    rb"""(?:\s|\\\n|//[^\n]*\n|\#[^\n]*\n)*(?:[+.&]\s*(?P<hole>[\w.$()\[\]>-]{1,80}?\s*[+.&])?)?\s*[rRbBuUfF$@]{0,2}(?P<quote>["'`])"""
)
_HOLE: Final = re.compile(
    rb"\$\{[^{}\n]*\}|#\{[^{}\n]*\}|\{\$?[\w.\[\]()'\"> -]*\}|\\\([^()\n]*\)|%\(\w+\)[sdr]|%[sdr]\b|\\(?:\r?\n|.)",
    re.DOTALL,
)
_ARGUMENTS: Final = (
    (b"table", re.compile(rb"table(?:_name|name|Name)?\s*[=:]\s*[\"'](\w+)[\"']")),
    *(
        (b"." + verb + b"(", re.compile(rb"\." + verb + rb"\(\s*[\"'`](\w+)[\"'`]\s*[),]"))
        for verb in (
            b"from", b"into", b"table", b"from_", b"selectFrom", b"insertInto", b"updateTable", b"deleteFrom",
            b"insert_into",
        )
    ),
)  # fmt: skip
"""What stands before the name of a table as an argument, and what must be there for that. Each begins with plain bytes,
which are found fast."""
_CLASS: Final = re.compile(rb"\b[A-Z]\w*\Z")
_WORD: Final = re.compile(rb"[^\W\d]\w*")
_CREATING: Final = re.compile(
    rb"\b(?i:TABLE|VIEW)\s+(?:(?i:IF\s+NOT\s+EXISTS)\s+)?(?:[\"'`\[\\]*\w+[\"'`\]\\]*\s*\.\s*)?[\"'`\[\\]*(\w+)"
)
_PUT_IN: Final = re.compile(r"__|\?")
"""Beginning of what a program puts in."""
_COMMENT: Final = re.compile(rb"//|/\*|^\s*\*|(?:^|\s)\#(?!\{)")
_TRIPLE: Final = (b'"""', b"'''")
_QUOTED: Final[dict[bytes, re.Pattern[bytes]]] = {
    **{quote: re.compile(rb"\\.|" + quote, re.DOTALL) for quote in (b'"', b"'", b"`", *_TRIPLE)},
    **{quote: re.compile(rb'""|"') for quote in (b'@"', b'$@"', b'@$"')},
}
"""Opening -> what ends a string, or is passed as an escape."""
_ESCAPED: Final = {b"\\n": b" \n", b'\\"': b' "', b"\\'": b" '", b"\\`": b" `"}


@attrs.frozen
class SqlName:
    """A name in a statement. Bytes of the file."""

    kind: str
    """`table` or `column`."""
    text: str
    start: int
    end: int
    holders: tuple[str, ...] = ()
    """Tables that a column may be of."""
    declares: bool = False


def sql_words(text: bytes) -> frozenset[str]:
    """All words of the statements of a file, and names of tables for a library that makes them; folded."""
    found = {word for _, statement in islice(_statements(text), _MOST_STATEMENTS) for word in _words(statement)}
    return frozenset(found.union(one[1].decode().casefold() for one in _arguments(text)))


def _words(statement: bytes) -> Iterator[str]:
    yield from (word[0].decode("utf-8", "replace").casefold() for word in _WORD.finditer(statement))


def created_tables(text: bytes) -> frozenset[str]:
    """Last parts of the names of tables that statements of a file may create; folded."""
    return frozenset(found[1].decode("utf-8", "replace").casefold() for found in _CREATING.finditer(text))


def sql_names(path: str, text: bytes) -> Iterator[SqlName]:
    """Names of all statements of a file, statement by statement."""
    statements = tuple(islice(_statements(text), _MOST_STATEMENTS))
    if statements:
        from graphls.languages.config.sql import read_sql  # its parser costs a quarter of a second, and few need it

        for start, statement in statements:
            yield from _names(start, read_sql(path, statement))
    for found in _arguments(text):
        yield SqlName(TABLE, found[1].decode(), *found.span(1))


def _arguments(text: bytes) -> Iterator[re.Match[bytes]]:
    """Names of tables that code gives to what makes statements: `table="users"`, `.from("users")`."""
    for hint, pattern in _ARGUMENTS:
        for found in pattern.finditer(text) if hint in text else ():
            line = text[max(found.start() - _LONGEST_LINE, 0) : found.start()].rpartition(b"\n")[2]
            # `Array.from("users")` is none, nor is `my_table = "users"`.
            other = line[-1:].isalnum() or line.endswith(b"_") if hint == b"table" else _CLASS.search(line) is not None
            if not other and _COMMENT.search(line) is None:
                yield found


def _names(start: int, read: ConfigDocument) -> Iterator[SqlName]:
    for entry in read.entries:
        if entry.kind in (TABLE, "view", COLUMN) and not _PUT_IN.match(entry.name):
            kind = COLUMN if entry.kind == COLUMN else TABLE
            yield SqlName(kind, entry.name, start + entry.start, start + entry.end, declares=True)
    for one in read.references:
        if one.base in (TABLE, COLUMN) and not any(map(_PUT_IN.match, (one.text, *one.also))):
            yield SqlName(one.base, one.text, start + one.start, start + one.end, one.also)


def _statements(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Where each statement begins, and its text: as long as in the file, without what is no SQL."""
    if not any(all(word in text for word in words) for words in _HINTS):
        return
    behind, lines = 0, _LongStrings(text)
    for opening in islice(_OPENING.finditer(text), _MOST_OPENINGS):
        if opening.start() < behind or lines.holds(opening) or _is_remark(text, opening.start()):
            continue
        content, behind = _content(text, opening)
        if _STATEMENT.match(content) is not None:
            yield opening.end(), content


class _LongStrings:
    """Strings of several lines, by how many of their quotes stand before; asked in the order of the text."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._at = 0
        self._odd = dict.fromkeys(_TRIPLE, False)

    def holds(self, opening: re.Match[bytes]) -> bool:
        """Whether a string stands in one of these."""
        for quote in _TRIPLE:
            self._odd[quote] ^= self._text.count(quote, self._at, opening.start()) % 2 == 1
        self._at = opening.start()
        quote = opening["quote"]
        return self._odd[quote] if quote in _TRIPLE else quote is not None and any(self._odd.values())


def _is_remark(text: bytes, at: int) -> bool:
    """Whether an offset stands in a comment of its line."""
    line = text[max(text.rfind(b"\n", max(at - _LONGEST_LINE, 0), at) + 1, at - _LONGEST_LINE) : at]
    remark = _COMMENT.search(line)
    return remark is not None and line.count(b'"', 0, remark.start()) % 2 == 0


def _content(text: bytes, opening: re.Match[bytes]) -> tuple[bytes, int]:
    """A statement with what is added to it, and where it ends; nothing where a string has no end, or is too long."""
    start = at = opening.end()
    quote: bytes | None = opening["quote"]
    closing, made = _closing(opening), bytearray()
    plain = quote is not None and len(quote) == 1
    while True:
        end = _end(text, at, closing)
        if end is None or end.end() - start > MOST_BYTES:
            return b"", at
        made += _cleaned(text[at : end.start()], raw=quote is None or quote[:1] in b"@$")
        added = _GLUE.match(text, end.end()) if plain else None
        if added is None or added["quote"] != quote:
            return bytes(made), end.end()
        between = bytearray(b" " * (added.end() - end.start()))
        if added["hole"] is not None:
            hole, begun = len(added["hole"]), added.start("hole") - end.start()
            between[begun : begun + hole] = b"_" * hole
        made += between
        at = added.end()


def _closing(opening: re.Match[bytes]) -> re.Pattern[bytes]:
    """What ends a string."""
    quote, word = opening["quote"], opening["word"]
    if quote is not None:
        return _QUOTED[quote]
    if word is not None:
        return re.compile(rb"\n[ \t]*" + word + rb"\b")
    if opening["hashes"] is not None:
        return re.compile(b'"' + opening["hashes"])
    return re.compile(rb"\)" + opening["tag"] + b'"')


def _end(text: bytes, at: int, closing: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """What ends a string; None where nothing near does."""
    stop = at + MOST_BYTES
    return next(
        (found for found in closing.finditer(text, at, stop) if found[0][:1] != b"\\" and found[0] != b'""'), None
    )


def _cleaned(content: bytes, *, raw: bool) -> bytes:
    """The text of a statement, each byte where it was: escapes are blank, and what a program puts in is a name."""

    def replaced(found: re.Match[bytes]) -> bytes:
        text = found[0]
        if text[:1] == b"%":
            return b"?".ljust(len(text))
        if text[:1] == b"\\" and text[1:2] != b"(":
            return text if raw else _ESCAPED.get(text, b" " * len(text))
        return b"_" * len(text)

    return _HOLE.sub(replaced, content)
