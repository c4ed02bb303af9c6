"""Response mismatches: keys that code reads from an answer, and that what answers never writes.

Owns: when all that is answered is known, which keys a consumer reads from an answer.
Must not know: frameworks, layout.
Invariant: said only where both sides stand in the text whole: every answer is an object written out, and the answer is
    bound once to a name whose keys are read; anything else says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.response_keys import AnsweredKeys

_COMMENT: Final = re.compile(
    r"(\"\"\".*?\"\"\"|'''.*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|//[^\n]*|/\*.*?\*/|#[^\n]*",
    re.DOTALL,
)
_RETURN: Final = re.compile(r"\b(?:return|yield)\b(?!\s*(?:[;}\n]|None\b|null\b|undefined\b))")
_SENT: Final = re.compile(r"\.\s*(?:json|send|end|render|redirect|sendFile|sendStatus|pipe|text|html|body|write)\s*\(")
_BETWEEN: Final = re.compile(r"(?:return|yield)\s*(?:await\s+)?\(?(?:[\w$]+\s*(?:\([^()]*\))?\s*\.\s*)*\Z")
_OF_FRAMEWORKS: Final = frozenset(("detail", "message", "error", "errors", "msg", "code", "status", "statusCode"))
"""Keys of the errors that frameworks answer with by themselves."""
_MEMBER: Final = re.compile(
    r"\s*(?:\?\.|!?\.)\s*([A-Za-z_$][\w$]*)(?!\s*\(|[\w$])|\s*(?:\?\.)?\[\s*[\"']([^\"'\n]+)[\"']\s*\]"
)
_GOT: Final = re.compile(r"\s*\.get\(\s*[\"']([^\"'\n]+)[\"']")
_BOUND: Final = re.compile(
    r"(?:\b(?:const|let|var)\s+)?(?:(?P<name>[A-Za-z_$][\w$]*)(?:\s*:[^=\n]{1,80})?"
    r"|\{\s*data(?:\s*:\s*(?P<data>[\w$]+))?\s*(?:,[^{}]*)?\}|\[\s*(?P<first>[\w$]+)[^\[\]]*\])"
    r"\s*=\s*(?:\(?\s*await\s+)?\(?\s*(?:[\w$]+\s*(?:\(\s*\))?\s*\.\s*)*(?:[\w$]+\s*(?:<[^<>()]*>)?\s*\(\s*[^()]{0,60})?\Z"
)
_READ: Final = (
    r"(?:\b(?:const|let|var)\s+)?(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=\n]{{1,80}})?=\s*(?:await\s+)?{0}\.json\(\)"
)
_MOST: Final = 20_000
_LOOKED_BACK: Final = 300


@attrs.frozen
class ReadKey:
    """A key that code reads and nothing answers with."""

    key: str
    reader: SymbolRef
    file: FilePath
    start: int


def mismatches(
    snapshot: Snapshot, spans: Sequence[tuple[FilePath, int, int]], answers: Sequence[AnsweredKeys],
    consumers: Sequence[RawEdge],
) -> tuple[ReadKey, ...]:  # fmt: skip
    """Reads of keys that no answer has. `spans`: the text of what answers."""
    keys = _all_keys(snapshot, spans, answers)
    if keys is None:
        return ()
    found: dict[tuple[FilePath, int], ReadKey] = {}
    for edge in consumers:
        if not isinstance(edge.source, SymbolRef) or edge.source.definition < 0:
            continue
        for path, start, _ in edge.sites:
            for key, at in _reads(snapshot, edge.source, start) if path == edge.source.file else ():
                if key not in keys and key not in _OF_FRAMEWORKS:
                    found.setdefault((edge.source.file, at), ReadKey(key, edge.source, edge.source.file, at))
    return tuple(found[place] for place in sorted(found))


def _all_keys(
    snapshot: Snapshot, spans: Sequence[tuple[FilePath, int, int]], answers: Sequence[AnsweredKeys]
) -> frozenset[str] | None:
    """Keys of all answers; None where one is not written out whole."""
    if not spans or not answers or any(one.more or not one.keys for one in answers):
        return None
    for path, start, end in spans:
        text = _plain((snapshot.text(path) or b"")[start:end].decode("latin-1"))
        known = sorted(one.start - start for one in answers if one.file == path and start <= one.start < end)
        if not known or len(text) > _MOST:
            return None
        places = [found.start() for found in (*_RETURN.finditer(text), *_SENT.finditer(text))]
        if any(not _is_known(text, place, known) for place in places):
            return None
    return frozenset(key for one in answers for key in one.keys)


def _is_known(text: str, place: int, known: Sequence[int]) -> bool:
    """Whether what stands at a place is one of the answers, or leads right to one."""
    # An answer that is sent begins with its dot.
    return any(place == at or (place < at and _BETWEEN.match(text[place : at + (text[at] == ".")])) for at in known)


def _reads(snapshot: Snapshot, reader: SymbolRef, site: int) -> Iterator[tuple[str, int]]:
    """Keys that a function reads from what the call at a site gives, and where."""
    table = snapshot.facts(reader.file).definitions
    start, end = table.full_start[reader.definition], table.full_end[reader.definition]
    text = _plain((snapshot.text(reader.file) or b"")[start:end].decode("latin-1"))
    at = site - start
    bound = _BOUND.search(text[max(0, at - _LOOKED_BACK) : at])
    if bound is None or not 0 <= at < len(text) <= _MOST:
        return
    name = bound["name"] or bound["data"] or bound["first"] or "data"
    direct = bound["name"] is None
    for one, behind in _names_of_body(text, name, direct=direct):
        if len(re.findall(rf"(?<![\w$.]){re.escape(one)}\s*(?::[^=\n]{{1,80}})?=(?!=|>)", text)) > 1:
            continue  # bound again: to something else
        for use in re.finditer(rf"(?<![\w$.]){re.escape(one)}{behind}", text):
            member = _GOT.match(text, use.end()) or _MEMBER.match(text, use.end())
            key = member and next(part for part in member.groups() if part is not None)
            if member is not None and key:
                yield key, start + member.start() + member[0].index(key)


def _names_of_body(text: str, name: str, *, direct: bool) -> Iterator[tuple[str, str]]:
    """Names that stand for the body of an answer, each with what follows before its keys."""
    if direct:
        yield name, ""
        return
    parsed = re.compile(_READ.format(re.escape(name)))
    for found in parsed.finditer(text):
        yield found["name"], ""
    yield name, r"\.json\(\)"
    if not parsed.search(text) and not re.search(rf"(?<![\w$.]){re.escape(name)}\s*\.\s*json\b", text):
        yield name, r"(?:\?|!)?\.data(?![\w$])"


def _plain(text: str) -> str:
    """Comments as blanks: places stay."""
    return _COMMENT.sub(lambda found: found[1] or " " * len(found[0]), text)
