"""Prisma: what a `.prisma` schema declares and uses.

Owns: models, views, types, enumerations, their fields and values; which table and column each stands for.
Must not know: other files, databases, clients.
Invariant: every name stands where it stands in the file; a line that is none of the language is passed over.

Source: https://www.prisma.io/docs/orm/reference/prisma-schema-reference. A schema is read line by line, as Prisma's own
formatter writes one declaration a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.languages.config.databases import COLUMN, TABLE
from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference, ReferenceKind

MODEL: Final = "model"
_VALUE: Final = "value"
_FIELD: Final = "field"
_BLOCK: Final = re.compile(
    rb"^[ \t]*(model|view|type|enum|datasource|generator)[ \t]+(\w+)[ \t]*"
    rb"\{((?:[^\n}\"]|\"(?:[^\"\\\n]|\\.)*\"|\n(?![ \t]*(?:\}|(?:model|view|type|enum)[ \t]+\w+[ \t]*\{)))*)"
    rb"\n?[ \t]*\}?",
    re.MULTILINE,
)
_LINE: Final = re.compile(rb"^[ \t]*(?![ \t]|//|@@)(\w+)(?:[ \t]+(\w+)(\[\]|\?|!)?)?([^\n]*)$", re.MULTILINE)
_MAPPED: Final = re.compile(rb"(?<!@)@map\(\s*(?:name\s*:\s*)?\"(\w+)\"")
_TABLE: Final = re.compile(rb"@@map\(\s*(?:name\s*:\s*)?\"([\w.]+)\"")
_SCHEMA: Final = re.compile(rb"@@schema\(\s*\"(\w+)\"")
_KEYS: Final = re.compile(rb"@@(?:index|unique|id|fulltext)\(\s*(?:fields\s*:\s*)?\[([^\]\n]*)\]")
_OWN: Final = re.compile(rb"\bfields\s*:\s*\[([^\]\n]*)\]")
_THERE: Final = re.compile(rb"\breferences\s*:\s*\[([^\]\n]*)\]")
_DEFAULT: Final = re.compile(rb"@default\(\s*\[?\s*([A-Za-z_]\w*)\s*\]?\s*\)")
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_GIVEN: Final = re.compile(rb"\((?:[^()]|\([^()]*\))*\)")
_REMARK: Final = re.compile(rb"//[^\n]*")
_STORED: Final = (b"model", b"view")
_BUILT_IN: Final = frozenset(
    (b"String", b"Int", b"BigInt", b"Float", b"Decimal", b"Boolean", b"DateTime", b"Json", b"Bytes", b"Unsupported")
)


@attrs.frozen
class _SchemaBlock:
    """One declaration with braces. Bytes."""

    kind: bytes
    name: bytes
    start: int
    end: int
    body: tuple[int, int]
    whole: tuple[int, int]


def read_prisma(_path: str, data: bytes) -> ConfigDocument:
    """Entries in source order; a field or value has the name of its declaration before its own."""
    text = _REMARK.sub(lambda found: b" " * len(found[0]), data)
    blocks = [
        _SchemaBlock(found[1], found[2], *found.span(2), found.span(3), found.span())
        for found in _BLOCK.finditer(text)
        if found[1] not in (b"datasource", b"generator")
    ]
    reading = _SchemaReader(text, {block.name: block for block in blocks})
    entries, references = list[ConfigEntry](), list[ConfigReference]()
    for block in blocks:
        entries.append(ConfigEntry(block.kind.decode(), block.name.decode(), block.start, block.end, *block.whole))
        entries += reading.members(block)
        references += reading.references(block)
    return ConfigDocument(entries, sorted(references, key=lambda one: (one.start, one.end)))


class _SchemaReader:
    """The declarations of one file."""

    def __init__(self, text: bytes, blocks: dict[bytes, _SchemaBlock]) -> None:
        self._text = text
        self._blocks = blocks

    def members(self, block: _SchemaBlock) -> Iterator[ConfigEntry]:
        """Fields of a model, values of an enumeration."""
        kind = _VALUE if block.kind == b"enum" else _FIELD
        for line in self._lines(block):
            yield ConfigEntry(
                kind, f"{block.name.decode()}.{line[1].decode()}", *line.span(1), line.start(1), line.end()
            )

    def references(self, block: _SchemaBlock) -> Iterator[ConfigReference]:
        """What a declaration names: its table and columns, types, fields of indexes and relations."""
        stored = block.kind in _STORED
        table = self._table(block) if stored else ""
        if stored:
            mapped = _TABLE.search(self._text, *block.body)
            span = mapped.span(1) if mapped is not None else (block.start, block.end)
            yield ConfigReference(ReferenceKind.DECLARED, table, *span, TABLE)
            for keys in _KEYS.finditer(self._text, *block.body):
                yield from self._fields(block.name, keys)
        if block.kind == b"enum":
            return
        for line in self._lines(block):
            related = line[2] if line[2] in self._blocks else b""
            if related:
                yield ConfigReference(ReferenceKind.ENTRY, related.decode(), *line.span(2))
            yield from self._attributes(block, line, related)
            if stored and line[2] and (not related or self._blocks[related].kind == b"enum"):
                mapped = _MAPPED.search(self._text, line.start(4), line.end())
                span = mapped.span(1) if mapped is not None else line.span(1)
                column = self._text[slice(*span)].decode()
                yield ConfigReference(ReferenceKind.DECLARED, column, *span, COLUMN, (table,))

    def _attributes(self, block: _SchemaBlock, line: re.Match[bytes], related: bytes) -> Iterator[ConfigReference]:
        """Fields that a relation names, a value that is the default."""
        for pattern, holder in ((_OWN, block.name), (_THERE, related)):
            found = pattern.search(self._text, line.start(4), line.end())
            if found is not None and holder:
                yield from self._fields(holder, found)
        default = _DEFAULT.search(self._text, line.start(4), line.end())
        if default is not None and related and self._blocks[related].kind == b"enum":
            text = f"{related.decode()}.{default[1].decode()}"
            yield ConfigReference(ReferenceKind.ENTRY, text, *default.span(1))

    def _fields(self, holder: bytes, listed: re.Match[bytes]) -> Iterator[ConfigReference]:
        start = listed.start(1)
        names = _GIVEN.sub(lambda found: b" " * len(found[0]), listed[1])
        for word in _WORD.finditer(names):
            text = f"{holder.decode()}.{word[0].decode()}"
            yield ConfigReference(ReferenceKind.ENTRY, text, start + word.start(), start + word.end())

    def _table(self, block: _SchemaBlock) -> str:
        mapped, schema = (pattern.search(self._text, *block.body) for pattern in (_TABLE, _SCHEMA))
        name = (mapped[1] if mapped is not None else block.name).decode()
        return f"{schema[1].decode()}.{name}" if schema is not None else name

    def _lines(self, block: _SchemaBlock) -> Iterator[re.Match[bytes]]:
        """Lines that declare a member."""
        for line in _LINE.finditer(self._text, *block.body):
            if block.kind == b"enum" or line[2]:
                yield line
