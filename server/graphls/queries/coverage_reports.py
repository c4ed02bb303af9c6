"""Coverage reports: which lines tests ran, from the files that coverage tools write.

Owns: LCOV, the JSON of coverage.py and Cobertura XML as hits by line, how paths in them are brought to the workspace.
Must not know: symbols, the disk.
Invariant: a report is taken as a whole or refused as a whole; a path that is no file of the workspace is counted, never
    guessed.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, Literal, cast
from xml.etree import ElementTree

import attrs

from graphls.facts.json_values import mapping_of
from graphls.facts.paths import FilePath

CoverageFormat = Literal["lcov", "coverage.py", "cobertura"]
_Hits = dict[str, dict[int, int]]
_HEAD: Final = 4_096


class CoverageRefused(ValueError):
    """Why a report cannot be taken in, in words for users."""


@attrs.frozen
class CoverageInput:
    """One report as it is on disk. `relative`: the path in the workspace of an absolute one, None where that is
    outside."""

    name: str
    text: bytes | None
    relative: Callable[[str], str | None] = attrs.field(eq=False, default=lambda path: None)


@attrs.frozen
class LineCoverage:
    """Hits by file and line from 1: lines that can run, those with 0 hits among them. `outside`: files of the report
    that are no files of the workspace."""

    name: str
    format: CoverageFormat
    files: Mapping[FilePath, Mapping[int, int]]
    outside: tuple[str, ...]


def line_coverage(report: CoverageInput, files: Collection[FilePath]) -> LineCoverage:
    """What a report says of files of the workspace. Raises CoverageRefused."""
    if report.text is None:
        raise CoverageRefused(f"{report.name} cannot be read.")
    kind, hits, roots = _parsed(report.name, report.text)
    found: dict[FilePath, dict[int, int]] = {}
    outside: list[str] = []
    for written in sorted(hits):
        path = _inside(written, roots, report.relative, files)
        if path is None:
            outside.append(written)
            continue
        lines = found.setdefault(path, {})
        for line, count in hits[written].items():
            lines[line] = max(lines.get(line, 0), count)
    return LineCoverage(report.name, kind, found, tuple(outside))


def _parsed(name: str, text: bytes) -> tuple[CoverageFormat, _Hits, tuple[str, ...]]:
    """The format is told by the contents."""
    head = text[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        return "coverage.py", _of_json(name, text), ()
    if head.startswith(b"<"):
        return ("cobertura", *_of_xml(name, text))
    lines = text.decode("utf-8", "replace").splitlines()
    if not any(line.startswith("SF:") for line in lines):
        raise CoverageRefused(f"{name} is neither LCOV nor the JSON of coverage.py nor Cobertura XML.")
    return "lcov", _of_lcov(lines), ()


def _of_lcov(lines: list[str]) -> _Hits:
    found: _Hits = {}
    current: dict[int, int] | None = None
    for line in lines:
        key, _, value = line.strip().partition(":")
        if key == "SF":
            current = found.setdefault(value, {})
        elif key == "DA" and current is not None:
            number, count = (*value.split(","), "", "")[:2]
            if number.isdecimal() and count.lstrip("-").isdecimal():
                current[int(number)] = current.get(int(number), 0) + max(int(count), 0)
        elif key == "end_of_record":
            current = None
    return found


def _of_json(name: str, text: bytes) -> _Hits:
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise CoverageRefused(f"{name} is not JSON.") from None
    files = mapping_of(mapping_of(raw).get("files"))
    if not files:
        raise CoverageRefused(f'{name} has no "files": it is no report of `coverage json`.')
    return {path: dict(_json_lines(mapping_of(entry))) for path, entry in files.items()}


def _json_lines(entry: Mapping[str, object]) -> Iterator[tuple[int, int]]:
    for key, hits in (("missing_lines", 0), ("executed_lines", 1)):
        for line in cast("list[object]", entry.get(key) or ()):
            if isinstance(line, int):
                yield line, hits


def _of_xml(name: str, text: bytes) -> tuple[_Hits, tuple[str, ...]]:
    """Reports name a document type and need no entity; one that defines entities is refused unread."""
    if b"<!ENTITY" in text:
        raise CoverageRefused(f"{name} defines XML entities, which no report of coverage needs.")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        raise CoverageRefused(f"{name} is not XML.") from None
    if root.tag != "coverage":
        raise CoverageRefused(f"{name} is no Cobertura report: its root is not <coverage>.")
    found: _Hits = {}
    for entry in root.iter("class"):
        lines = found.setdefault(entry.get("filename", ""), {})
        for line in entry.findall("./lines/line"):
            number, hits = line.get("number", ""), line.get("hits", "")
            if number.isdecimal() and hits.isdecimal():
                lines[int(number)] = max(lines.get(int(number), 0), int(hits))
    return found, tuple(source.text.strip() for source in root.iter("source") if source.text)


def _inside(
    written: str, roots: tuple[str, ...], relative: Callable[[str], str | None], files: Collection[FilePath]
) -> FilePath | None:
    """The file of the workspace that a path means: as written, or below a root that the report names."""
    plain = written.replace("\\", "/")
    for candidate in (plain, *(posixpath.join(root.replace("\\", "/"), plain) for root in roots)):
        absolute = candidate.startswith("/") or candidate[1:2] == ":"
        path = relative(candidate) if absolute else posixpath.normpath(candidate)
        if path is not None and FilePath(path) in files:
            return FilePath(path)
    return None
