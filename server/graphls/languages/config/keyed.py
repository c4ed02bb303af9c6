"""Keyed: keys and values of YAML, TOML, JSON, INI and environment files, with where they stand.

Owns: one reader a format.
Must not know: what a key means, in which file it stands.
Invariant: keys and values come in source order; a broken text gives what could be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from graphls.languages.config.document import ConfigKey, ConfigValue, KeyedText
from graphls.languages.extract import grammars

_DEPTH: Final = 60
"""Nesting that is followed."""
_COLUMNS: Final = 110
"""Each column of an indentation may open two blocks."""
_QUOTED: Final = frozenset({"single_quote_scalar", "double_quote_scalar"})


class _Gathering:
    """Keys and values while they are read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.keys: list[ConfigKey] = []
        self.values: list[ConfigValue] = []
        self.anchors: list[tuple[str, int, int]] = []
        self.aliases: list[tuple[str, int, int]] = []

    def text(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def key(self, path: tuple[str, ...], start: int, end: int, full: tuple[int, int]) -> None:
        first, last = full
        self.keys.append(ConfigKey(path, start, end, first, first + len(self.data[first:last].rstrip())))

    def value(self, path: tuple[str, ...], start: int, end: int) -> None:
        """A value between two offsets, with its quotes."""
        raw = self.data[start:end]
        for quote in (b'"""', b"'''", b'"', b"'"):
            if raw.startswith(quote) and raw.endswith(quote) and len(raw) >= 2 * len(quote):
                start, end = start + len(quote), end - len(quote)
                break
        text = self.text(start, end)
        plain = "\n" not in text and "\\" not in text
        self.values.append(ConfigValue(path, text, start, end, plain))

    def done(self) -> KeyedText:
        return KeyedText(self.keys, self.values, self.anchors, self.aliases)


def read_yaml(data: bytes) -> KeyedText:
    """YAML; the paths of further documents of a stream begin anew."""
    found = _Gathering(data)
    if _may_be_too_deep(data):
        return found.done()
    root = _root("yaml", data)
    for document in root.named_children if root is not None else ():
        if document.type == "document":
            for part in document.named_children:
                _yaml(found, part, (), 0)
    return found.done()


def _root(grammar: str, data: bytes) -> Node | None:
    """The tree of a document; None for one that takes too long."""
    try:
        return grammars.parse(grammars.parser(grammar), data).root_node
    except grammars.ParserTooSlow:
        return None


def is_yaml(data: bytes) -> bool:
    """Whether a text can be read as YAML as a whole."""
    root = None if _may_be_too_deep(data) else _root("yaml", data)
    return root is not None and not root.has_error


def _may_be_too_deep(data: bytes) -> bool:
    """Whether so many blocks may be open in a line that the grammar's scanner, which has room for about 250, would
    write beyond its memory and end the process."""
    for line in data.splitlines():
        if len(line) > _COLUMNS:
            indented = len(line) - len(line.lstrip(b" \t-?:"))
            if indented + line.count(b"- ") + line.count(b"? ") + line.count(b"-\t") > _COLUMNS:
                return True
    return False


def _yaml(found: _Gathering, node: Node, path: tuple[str, ...], depth: int) -> None:
    kind = node.type
    if depth > _DEPTH or kind == "comment":
        return
    if kind in ("block_mapping", "flow_mapping"):
        for pair in node.named_children:
            if pair.type in ("block_mapping_pair", "flow_pair"):
                _yaml_pair(found, pair, path, depth)
    elif kind in ("block_sequence", "flow_sequence"):
        items = (item for item in node.named_children if item.type != "comment")
        for number, item in enumerate(items):
            _yaml(found, item, (*path, str(number)), depth + 1)
    elif kind in ("plain_scalar", "block_scalar") or kind in _QUOTED:
        found.value(path, node.start_byte, node.end_byte)
    elif kind == "alias":
        found.aliases.append((found.text(node.start_byte + 1, node.end_byte), node.start_byte, node.end_byte))
    elif kind == "anchor":
        found.anchors.append((found.text(node.start_byte + 1, node.end_byte), node.start_byte, node.end_byte))
    elif kind == "flow_pair":
        _yaml_pair(found, node, path, depth)
    else:
        for child in node.named_children:
            _yaml(found, child, path, depth + 1)


def _yaml_pair(found: _Gathering, pair: Node, path: tuple[str, ...], depth: int) -> None:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    if key is None:
        return
    start, end = key.start_byte, key.end_byte
    if found.data[start : start + 1] in (b'"', b"'") and end - start >= 2:
        start, end = start + 1, end - 1
    inner = (*path, found.text(start, end))
    found.key(inner, start, end, (pair.start_byte, pair.end_byte))
    if value is not None:
        _yaml(found, value, inner, depth + 1)


def read_toml(data: bytes) -> KeyedText:
    """TOML."""
    found = _Gathering(data)
    counts: dict[tuple[str, ...], int] = {}
    root = _root("toml", data)
    for part in root.named_children if root is not None else ():
        if part.type == "pair":
            _toml_pair(found, part, (), 0)
        elif part.type in ("table", "table_array_element") and part.named_children:
            head = part.named_children[0]
            path = _toml_key(found, head)
            found.key(path, head.start_byte, head.end_byte, (part.start_byte, part.end_byte))
            if part.type == "table_array_element":
                counts[path] = counts.get(path, -1) + 1
                path = (*path, str(counts[path]))
            for pair in part.named_children[1:]:
                _toml_pair(found, pair, path, 0)
    return found.done()


def _toml_key(found: _Gathering, node: Node) -> tuple[str, ...]:
    """`a.b.c` is `a.b` and `c` to the grammar."""
    parts: list[str] = []
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type == "dotted_key":
            pending.extend(reversed(one.named_children))
        else:
            parts.append(found.text(one.start_byte, one.end_byte).strip("\"'"))
    return tuple(parts)


def _toml_pair(found: _Gathering, pair: Node, path: tuple[str, ...], depth: int) -> None:
    parts = [part for part in pair.named_children if part.type != "comment"]
    if pair.type != "pair" or len(parts) < 2 or depth > _DEPTH:
        return
    inner = (*path, *_toml_key(found, parts[0]))
    found.key(inner, parts[0].start_byte, parts[0].end_byte, (pair.start_byte, pair.end_byte))
    _toml_value(found, parts[1], inner, depth + 1)


def _toml_value(found: _Gathering, node: Node, path: tuple[str, ...], depth: int) -> None:
    if depth > _DEPTH:
        return
    if node.type == "array":
        items = (item for item in node.named_children if item.type != "comment")
        for number, item in enumerate(items):
            _toml_value(found, item, (*path, str(number)), depth + 1)
    elif node.type == "inline_table":
        for pair in node.named_children:
            _toml_pair(found, pair, path, depth + 1)
    elif node.type == "string":
        found.value(path, node.start_byte, node.end_byte)


_JSON_TOKEN: Final = re.compile(rb'["{}\[\],:]|/[/*]|[^\s{}\[\],:"/]+')
_JSON_STRING: Final = re.compile(rb'"(?:[^"\\\n]|\\.)*+("?)', re.DOTALL)


def json_tokens(data: bytes) -> Iterator[tuple[int, int]]:
    """Where signs, words and strings stand. A quote whose string does not end in its line is none, and then no quote
    up to there begins one: each has a backslash in front."""
    at = unclosed = 0
    closes = True
    while found := _JSON_TOKEN.search(data, at):
        start, end = found.span()
        sign = found[0]
        at = end
        if sign == b'"':
            string = _JSON_STRING.match(data, start) if start >= unclosed else None
            if string is not None and string[1]:
                at = string.end()
                yield start, at
            elif string is not None:
                unclosed = string.end()
        elif sign == b"//":
            line = data.find(b"\n", end)
            at = len(data) if line < 0 else line
        elif sign == b"/*":
            close = data.find(b"*/", end) if closes else -1
            closes = close >= 0
            at = close + 2 if closes else start + 1
        else:
            yield start, end


def read_json_text(data: bytes) -> KeyedText:
    """JSON, with comments and commas too many."""
    return _JsonReading(data).run()


class _JsonReading:
    """One pass over the tokens of a text."""

    def __init__(self, data: bytes) -> None:
        self._found = _Gathering(data)
        self._tokens = list(json_tokens(data))
        self._at = 0

    def run(self) -> KeyedText:
        """Keys and values."""
        self._value((), 0)
        return self._found.done()

    def _first(self) -> bytes:
        """The sign that the next token begins with, b"" behind the last one."""
        if self._at >= len(self._tokens):
            return b""
        start = self._tokens[self._at][0]
        return self._found.data[start : start + 1]

    def _value(self, path: tuple[str, ...], depth: int) -> int:
        """Reads one value; where it ends."""
        first = self._first()
        if not first or first in b":,}]" or depth > _DEPTH:
            self._at = len(self._tokens) if depth > _DEPTH else self._at
            return self._tokens[self._at - 1][1] if self._at else 0
        start, end = self._tokens[self._at]
        self._at += 1
        if first == b"{":
            return self._object(path, depth)
        if first == b"[":
            return self._array(path, depth)
        self._found.value(path, start, end)
        return end

    def _object(self, path: tuple[str, ...], depth: int) -> int:
        found = self._found
        while self._first() not in (b"}", b""):
            start, end = self._tokens[self._at]
            self._at += 1
            if found.data[start : start + 1] != b'"' or self._first() != b":":
                continue
            self._at += 1
            inner = (*path, found.text(start + 1, end - 1))
            row = len(found.keys)
            found.key(inner, start + 1, end - 1, (start, end))
            last = self._value(inner, depth + 1)
            found.keys[row] = ConfigKey(inner, start + 1, end - 1, start, max(last, end))
        return self._closing()

    def _array(self, path: tuple[str, ...], depth: int) -> int:
        number = 0
        while self._first() not in (b"]", b""):
            if self._first() in (b",", b":", b"}"):
                self._at += 1
                continue
            self._value((*path, str(number)), depth + 1)
            number += 1
        return self._closing()

    def _closing(self) -> int:
        self._at = min(self._at + 1, len(self._tokens))
        return self._tokens[self._at - 1][1]


_SECTION: Final = re.compile(rb"^\[([^\]\n]+)\][^\n]*$", re.MULTILINE)
_OPTION: Final = re.compile(
    rb"^(?:export[ \t]+)?([\w.\-:*/]+)[ \t]*[=:][ \t]*([^\n]*(?:\n(?:[ \t]+\S[^\n]*|[ \t]*(?=\n[ \t]+\S)))*)",
    re.MULTILINE,
)


def read_ini(data: bytes) -> KeyedText:
    """Sections, options and their lines; a file of the environment is one without sections."""
    found = _Gathering(data)
    for start, end, section in _sections(data):
        path = tuple(section.split(".")) if section else ()
        for option in _OPTION.finditer(data, start, end):
            inner = (*path, found.text(*option.span(1)))
            found.key(inner, *option.span(1), option.span())
            for number, line in enumerate(_lines(data, *option.span(2))):
                found.value((*inner, str(number)), *line)
    return found.done()


def _sections(data: bytes) -> Iterator[tuple[int, int, str]]:
    heads = list(_SECTION.finditer(data))
    yield 0, heads[0].start() if heads else len(data), ""
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(data)
        yield head.end(), end, head[1].decode("utf-8", "replace")


def _lines(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of the lines of a value, without comments and blanks around."""
    for line in re.finditer(rb"[^\n]+", data[start:end]):
        raw = line[0]
        if raw.lstrip()[:1] in (b"#", b";"):
            continue
        first = start + line.start() + len(raw) - len(raw.lstrip())
        last = start + line.start() + len(raw.rstrip())
        if last > first:
            yield first, last
