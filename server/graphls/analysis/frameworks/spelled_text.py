"""Spelled text: what the text of an expression spells as a string.

Owns: literals, templates, sums, names that are bound once to one of these.
Must not know: what the string is for, rules.
Invariant: nothing is evaluated; what is worked out is a hole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.analysis.frameworks.arguments import HASHES, CodeText
from graphls.analysis.frameworks.naming import UseNames
from graphls.analysis.frameworks.texts import chain_end, code_of
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import rows_named
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.url_paths import HOLE

_MOST_STEPS: Final = 4
"""Names that lead to other names, and parts in parts."""
_CONSTANT: Final = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD)
_FORMAT_HOLE: Final = re.compile(r"\{[^{}]*\}|%\(?\w*\)?[sd]")
_FORMATTED: Final = re.compile(rb"\s*\.\s*format\s*\(|\s*%")
_VALUE: Final = re.compile(rb"\s*(?::[^=\n;]*)?=\s*")
_BEHIND: Final = re.compile(rb"\s+as\s+const\s*\Z|\s*;\s*\Z|\s+\Z")


class SpelledText:
    """Strings in the code of one file, and of files that its names lead to."""

    def __init__(self, snapshot: Snapshot, path: FilePath, naming: UseNames, code: CodeText | None = None) -> None:
        self._snapshot = snapshot
        self._path = path
        self._naming = naming
        self._code = code if code is not None else code_of(snapshot, path)

    def whole(self, start: int, end: int) -> str | None:
        """The string between two offsets where all of it is spelled."""
        found = self.of(start, end)
        return None if found is None or HOLE in found else found

    def of(self, start: int, end: int, depth: int = 0) -> str | None:
        """The string between two offsets, with holes; None where nothing says that it is one."""
        parts = list(_parts(self._code, start, end))
        if not parts or depth > _MOST_STEPS:
            return None
        if len(parts) > 1 and not any(_string(self._code, part) for part in parts):
            return None
        found = [self._part(part, depth) for part in parts]
        return None if found == [None] else "".join(HOLE if one is None else one for one in found)

    def _part(self, span: tuple[int, int], depth: int) -> str | None:
        string = _string(self._code, span)
        if string is not None:
            return self._filled(string, depth)
        start, end = span
        while start < end and self._code.data[start : start + 1].isspace():
            start += 1
        while end > start and self._code.data[end - 1 : end].isspace():
            end -= 1
        formatted = _FORMATTED.search(self._code.data, start, end)
        if formatted is not None:
            inner = _string(self._code, (start, formatted.start()))
            return None if inner is None else _FORMAT_HOLE.sub(HOLE, _content(inner))
        return self._named(start, end, depth)

    def _filled(self, string: re.Match[bytes], depth: int) -> str:
        """A string literal, with what its holes spell."""
        data = self._code.data
        start, end = _inside(string)
        opening = _opening(self._code, string)
        found: list[str] = []
        at = start
        for hole in opening.finditer(data, start, end) if opening is not None else ():
            if hole.start() < at or hole[0] == b"{{":
                continue
            found.append(data[at : hole.start()].decode("utf-8", "replace"))
            close = _closing(data, hole.end(), end)
            known = self._named(hole.end(), close, depth + 1) if depth < _MOST_STEPS else None
            found.append(HOLE if known is None else known)
            at = min(close + 1, end)
        found.append(data[at:end].decode("utf-8", "replace"))
        return "".join(found)

    def _named(self, start: int, end: int, depth: int) -> str | None:
        """What a name that is bound once to a string stands for."""
        facts = self._snapshot.facts(self._path)
        use = chain_end(facts, self._code, start, end)
        places = [target.place for target in self._naming.targets(self._path, use)] if use >= 0 else []
        if len(places) != 1 or places[0] is None or places[0].definition < 0:
            return None
        return self._bound(places[0], depth + 1)

    def _bound(self, place: SymbolRef, depth: int) -> str | None:
        facts = self._snapshot.facts(place.file)
        table, row = facts.definitions, place.definition
        if table.kind[row] not in _CONSTANT or depth > _MOST_STEPS:
            return None
        scope = table.scope[row]
        if any(other != row and table.scope[other] == scope for other in rows_named(facts, table.name[row])):
            return None
        there = self if place.file == self._path else SpelledText(self._snapshot, place.file, self._naming)
        data = there._code.data
        value = _VALUE.match(data, table.end[row], table.full_end[row])
        if value is None:
            return None
        stop = _BEHIND.search(data, value.end(), table.full_end[row])
        return there.of(value.end(), table.full_end[row] if stop is None else stop.start(), depth)


def _inside(string: re.Match[bytes]) -> tuple[int, int]:
    """Where the content of a literal stands."""
    quotes = 3 if string[2][:3] in (b'"""', b"'''") else 1
    return string.start(2) + quotes, string.end(2) - quotes


def _content(string: re.Match[bytes]) -> str:
    start, end = _inside(string)
    return string.string[start:end].decode("utf-8", "replace")


def _opening(code: CodeText, string: re.Match[bytes]) -> re.Pattern[bytes] | None:
    """What opens a hole in a literal of this kind."""
    if code.lexis is HASHES:
        return re.compile(rb"\{\{|\{") if b"f" in string[1].lower() else None
    return re.compile(rb"\$\{") if string[2].startswith(b"`") else None


def _parts(code: CodeText, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Summands, and strings that stand in a row."""
    at = begin = start
    depth = 0
    while at < end:
        string = code.lexis.string.match(code.data, at, end)
        if string is not None and depth == 0 and at == begin:
            yield string.span()
            at = begin = string.end()
            continue
        noise = code.lexis.noise.match(code.data, at, end) if at == begin else None
        if noise is not None and noise.end() > at:
            at = begin = noise.end()
            continue
        character = code.data[at : at + 1]
        if string is not None:
            at = string.end()
            continue
        if character == b"+" and depth == 0:
            if at > begin:
                yield begin, at
            begin = at + 1
        depth += (character in b"([{") - (character in b")]}")
        at += 1
    if begin < end and code.data[begin:end].strip():
        yield begin, end


def _string(code: CodeText, span: tuple[int, int]) -> re.Match[bytes] | None:
    found = code.lexis.string.match(code.data, *span)
    return found if found is not None and found.end() == span[1] else None


def _closing(data: bytes, at: int, end: int) -> int:
    depth = 0
    while at < end:
        character = data[at : at + 1]
        if character == b"}" and depth == 0:
            return at
        depth += (character == b"{") - (character == b"}")
        at += 1
    return end
