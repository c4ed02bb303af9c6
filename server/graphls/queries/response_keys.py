"""Response keys: the keys of objects that a handler writes out where it answers, by status.

Owns: where a text answers, keys of an object as they are written, the status beside it.
Must not know: frameworks, layout.
Invariant: a key is one that stands in the text; an object that is put together elsewhere has none, and one with a
    spread or a key that is computed says that there may be more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.kinds import Role, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef

_ANSWERS: Final = re.compile(
    r"\breturn\s*\(?(?=\{)|\b(?:jsonify|JSONResponse|ORJSONResponse|UJSONResponse|JsonResponse|HTTPException)\s*(?=\()"
    r"|\.(?:json|send)\s*(?=\()"
)
_STATUS_BEFORE: Final = re.compile(r"\.(?:status|code)\(\s*(\d{3})\s*\)\s*\Z")
_STATUS: Final = re.compile(
    r"\A(?:\w+\.)?(?:status(?:_code)?\s*[=:]\s*)?(?:\w+\.)*(?:HTTP_)?(\d{3})\b|\A\{\s*status\s*:\s*(\d{3})\b"
)
_KEYWORD: Final = re.compile(r"\A([A-Za-z_]\w*)\s*=(?!=)")
_NAMED: Final = re.compile(r"\A(?:\"([^\"\\\n]*)\"|'([^'\\\n]*)'|([A-Za-z_$][\w$]*))\s*(:|\Z)", re.DOTALL)
_SKIPPED: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
_SAID_BY: Final = frozenset(
    ("status_code", "status", "headers", "media_type", "background", "content", "safe", "encoder")
)
_FUNCTIONS: Final = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
_MOST: Final = 100_000


@attrs.frozen
class AnsweredKeys:
    """One place that answers. `status`: 0 where none is written; `more`: there may be other keys."""

    status: int
    keys: tuple[str, ...]
    more: bool
    file: FilePath
    start: int


def answered_keys(snapshot: Snapshot, place: SymbolRef) -> tuple[AnsweredKeys, ...]:
    """Where the text of a function answers with an object of its own, in order."""
    data = snapshot.text(place.file) or b""
    table = snapshot.facts(place.file).definitions
    if place.definition < 0:
        return ()
    start, end = table.full_start[place.definition], min(table.full_end[place.definition], len(data))
    text = data[start:end][:_MOST].decode("latin-1")  # one character a byte: places stay those of the file
    return tuple(_answers(text, place.file, start, _values(snapshot, place.file), _inner(snapshot, place)))


def keys_of_call(snapshot: Snapshot, file: FilePath, start: int, end: int) -> tuple[AnsweredKeys, ...]:
    """Where functions written inside of a call answer. What they return is not told from what others in them do."""
    text = (snapshot.text(file) or b"")[start:end][:_MOST].decode("latin-1")
    return tuple(_answers(text, file, start, _values(snapshot, file), ((start, end),)))


def _values(snapshot: Snapshot, file: FilePath) -> frozenset[int]:
    """Where names are used as values. What an object calls its members is none; `{name: 1}` of a language where it is
    one has another key."""
    table = snapshot.facts(file).occurrences
    return frozenset(at for at, role in zip(table.start, table.role, strict=True) if role != Role.KEYWORD)


def _inner(snapshot: Snapshot, place: SymbolRef) -> tuple[tuple[int, int], ...]:
    """Spans of functions inside a function: what they return is no answer of it."""
    facts = snapshot.facts(place.file)
    scopes, own = facts.scopes, facts.definitions.body[place.definition]
    if own < 0:
        return ()
    first, last = scopes.start[own], scopes.end[own]
    return tuple(
        (scopes.start[row], scopes.end[row])
        for row, kind in enumerate(scopes.kind)
        if kind in _FUNCTIONS and row != own and first <= scopes.start[row] and scopes.end[row] <= last
    )


def _answers(
    text: str, file: FilePath, offset: int, uses: frozenset[int], inner: Sequence[tuple[int, int]]
) -> Iterator[AnsweredKeys]:
    for found in _ANSWERS.finditer(text):
        at, word = found.end(), found[0]
        end = closed_at(text, at)
        place = offset + found.start()
        if end < 0 or (word.startswith("return") and any(start <= place < stop for start, stop in inner)):
            continue
        if word.startswith("return"):
            keys, more = _object(text, at, end, offset, uses)
            said = _status(text[end : end + 60].lstrip(" )\n,"))
        else:
            keys, more, said = _call(text, at, end, offset, uses)
            before = _STATUS_BEFORE.search(text[max(0, found.start() - 40) : found.start()])
            said = int(before[1]) if before is not None else said
        if keys or more:
            yield AnsweredKeys(said, keys, more, file, place)


def _call(text: str, at: int, end: int, offset: int, uses: frozenset[int]) -> tuple[tuple[str, ...], bool, int]:
    """Keys of the arguments of a call: those of an object, and keywords, which are keys where they say nothing else."""
    keys: list[str] = []
    more, status = False, 0
    for start, stop in parts_of(text, at + 1, end - 1):
        part = text[start:stop]
        keyword = _KEYWORD.match(part)
        said = _status(part)
        inner = start + (keyword.end() if keyword is not None else 0)
        inner += len(text[inner:stop]) - len(text[inner:stop].lstrip())
        if said:
            status = said
        elif text[inner : inner + 1] == "{" and (keyword is None or keyword[1] == "content"):
            found, open_ended = _object(text, inner, stop, offset, uses)
            keys += found
            more = more or open_ended
        elif keyword is not None and keyword[1] not in _SAID_BY:
            keys.append(keyword[1])
        elif part.startswith("**"):
            more = True
    return tuple(dict.fromkeys(keys)), more, status


def _object(text: str, at: int, end: int, offset: int, uses: frozenset[int]) -> tuple[tuple[str, ...], bool]:
    """Keys of an object as it is written, and whether there may be others."""
    close = closed_at(text, at)
    keys: list[str] = []
    more = False
    for start, stop in parts_of(text, at + 1, min(close, end) - 1):
        named = _NAMED.match(text[start:stop].rstrip())
        plain = named[3] if named is not None else None
        if named is None or (plain and named[4] == ":" and offset + start in uses):
            more = True  # a spread, a method, a key that is computed
        else:
            keys.append(next(one for one in named.groups()[:3] if one is not None))
    return tuple(dict.fromkeys(keys)), more


def _status(part: str) -> int:
    found = _STATUS.match(part)
    return int(found[1] or found[2]) if found is not None else 0


def parts_of(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    """What commas part at one depth, without the white space around."""
    depth, start = 0, at
    while at < end:
        skipped = _SKIPPED.match(text, at, end)
        if skipped is not None:
            at = skipped.end()
            continue
        letter = text[at]
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            yield from _trimmed(text, start, at)
            start = at + 1
        at += 1
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def closed_at(text: str, at: int) -> int:
    """Behind the bracket that closes the one at a place; -1 where none does."""
    depth = 0
    while at < len(text):
        skipped = _SKIPPED.match(text, at)
        if skipped is not None:
            at = skipped.end()
            continue
        letter = text[at]
        depth += (letter in "([{") - (letter in ")]}")
        at += 1
        if not depth:
            return at
    return -1
