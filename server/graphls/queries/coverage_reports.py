"""Coverage reports: which lines and branches tests ran, from the files that coverage tools write.

Owns: LCOV, the JSON of coverage.py and Cobertura XML as hits by line and branches by the line that they begin at, how
    paths in them are brought to the workspace.
Must not know: symbols, the disk.
Invariant: a report is taken as a whole or refused as a whole; a path that is no file of the workspace is counted, never
    guessed.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, Literal, cast
from xml.etree import ElementTree

import attrs

from graphls.facts.json_values import mapping_of
from graphls.facts.paths import FilePath

CoverageFormat = Literal["lcov", "coverage.py", "cobertura"]
Branches = Mapping[int, Mapping[str, bool]]
"""Line -> each way on from it, by a name that the report gives it, and whether tests took it."""
_HEAD: Final = 4_096
_CONDITIONS: Final = re.compile(r"\((?P<taken>\d{1,6})/(?P<all>\d{1,6})\)")
"""`condition-coverage="50% (1/2)"`: how many ways on from the line tests took, not which."""
_MOST_WAYS: Final = 10_000


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
    """Hits by file and line from 1: lines that can run, those with 0 hits among them. `branches` is None where the
    report is of lines alone. `outside`: files of the report that are no files of the workspace."""

    name: str
    format: CoverageFormat
    files: Mapping[FilePath, Mapping[int, int]]
    outside: tuple[str, ...]
    branches: Mapping[FilePath, Branches] | None = None


class _FileHits:
    """What one report says of one file, while it is read."""

    def __init__(self) -> None:
        self.lines: dict[int, int] = {}
        self.branches: dict[int, dict[str, bool]] = {}

    def take(self, line: int, way: str, taken: bool) -> None:
        ways = self.branches.setdefault(line, {})
        ways[way] = ways.get(way, False) or taken


@attrs.frozen
class _Parsed:
    """A whole report, by paths as they are written. `roots`: folders that paths may be below."""

    format: CoverageFormat
    files: Mapping[str, _FileHits]
    with_branches: bool
    roots: tuple[str, ...] = ()


def line_coverage(report: CoverageInput, files: Collection[FilePath]) -> LineCoverage:
    """What a report says of files of the workspace. Raises CoverageRefused."""
    if report.text is None:
        raise CoverageRefused(f"{report.name} cannot be read: no such file, or one of more than 100 MB.")
    parsed = _parsed(report.name, report.text)
    found: dict[FilePath, dict[int, int]] = {}
    branches: dict[FilePath, _FileHits] = {}
    outside: list[str] = []
    for written in sorted(parsed.files):
        path = _inside(written, parsed.roots, report.relative, files)
        if path is None:
            outside.append(written)
            continue
        lines = found.setdefault(path, {})
        for line, count in parsed.files[written].lines.items():
            lines[line] = max(lines.get(line, 0), count)
        for line, ways in parsed.files[written].branches.items():
            for way, taken in ways.items():
                branches.setdefault(path, _FileHits()).take(line, way, taken)
    taken = {path: one.branches for path, one in branches.items()} if parsed.with_branches else None
    return LineCoverage(report.name, parsed.format, found, tuple(outside), taken)


def _parsed(name: str, text: bytes) -> _Parsed:
    """The format is told by the contents."""
    head = text[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        return _of_json(name, text)
    if head.startswith(b"<"):
        return _of_xml(name, text)
    lines = text.decode("utf-8", "replace").splitlines()
    if not any(line.startswith("SF:") for line in lines):
        raise CoverageRefused(f"{name} is neither LCOV nor the JSON of coverage.py nor Cobertura XML.")
    return _of_lcov(lines)


def _of_lcov(lines: list[str]) -> _Parsed:
    found: dict[str, _FileHits] = {}
    current: _FileHits | None = None
    with_branches = False
    for line in lines:
        key, _, value = line.strip().partition(":")
        if key == "SF":
            current = found.setdefault(value, _FileHits())
        elif key == "DA" and current is not None:
            number, count = (*value.split(","), "", "")[:2]
            if number.isdecimal() and count.lstrip("-").isdecimal():
                current.lines[int(number)] = current.lines.get(int(number), 0) + max(int(count), 0)
        elif key in ("BRDA", "BRF"):
            with_branches = True
            if key == "BRDA" and current is not None:
                _take_branch(current, value)
        elif key == "end_of_record":
            current = None
    return _Parsed("lcov", found, with_branches)


def _take_branch(current: _FileHits, value: str) -> None:
    """`line,block,branch,taken`: what a branch is called may have commas; `-` is of code that did not run at all."""
    number, _, rest = value.partition(",")
    way, _, taken = rest.rpartition(",")
    if number.isdecimal() and way:
        current.take(int(number), way, taken.isdecimal() and int(taken) > 0)


def _of_json(name: str, text: bytes) -> _Parsed:
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise CoverageRefused(f"{name} is not JSON.") from None
    files = mapping_of(mapping_of(raw).get("files"))
    if not files:
        raise CoverageRefused(f'{name} has no "files": it is no report of `coverage json`.')
    found: dict[str, _FileHits] = {}
    with_branches = False
    for path, entry in files.items():
        one = found[path] = _FileHits()
        one.lines.update(_json_lines(mapping_of(entry)))
        for key, taken in (("missing_branches", False), ("executed_branches", True)):
            pairs = mapping_of(entry).get(key)
            with_branches |= isinstance(pairs, list)
            for pair in cast("list[object]", pairs) if isinstance(pairs, list) else ():
                _take_pair(one, pair, taken)
    return _Parsed("coverage.py", found, with_branches)


def _take_pair(one: _FileHits, pair: object, taken: bool) -> None:
    """From a line to another one, or out of what begins at minus the other."""
    if isinstance(pair, list) and len(ends := cast("list[object]", pair)) == 2:
        start, end = ends
        if isinstance(start, int) and isinstance(end, int) and start > 0:
            one.take(start, str(end), taken)


def _json_lines(entry: Mapping[str, object]) -> Iterator[tuple[int, int]]:
    for key, hits in (("missing_lines", 0), ("executed_lines", 1)):
        for line in cast("list[object]", entry.get(key) or ()):
            if isinstance(line, int):
                yield line, hits


def _of_xml(name: str, text: bytes) -> _Parsed:
    """Reports name a document type and need no entity; one that defines entities is refused unread."""
    if b"<!ENTITY" in text:
        raise CoverageRefused(f"{name} defines XML entities, which no report of coverage needs.")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        raise CoverageRefused(f"{name} is not XML.") from None
    if root.tag != "coverage":
        raise CoverageRefused(f"{name} is no Cobertura report: its root is not <coverage>.")
    found: dict[str, _FileHits] = {}
    with_branches = root.get("branches-valid", "0") != "0"
    for entry in root.iter("class"):
        current = found.setdefault(entry.get("filename", ""), _FileHits())
        for line in entry.findall("./lines/line"):
            number, hits = line.get("number", ""), line.get("hits", "")
            if number.isdecimal() and hits.isdecimal():
                current.lines[int(number)] = max(current.lines.get(int(number), 0), int(hits))
                counts = _CONDITIONS.search(line.get("condition-coverage", ""))
                if counts is not None:
                    with_branches = True
                    for way in range(min(int(counts["all"]), _MOST_WAYS)):
                        current.take(int(number), str(way), way < int(counts["taken"]))
    roots = tuple(source.text.strip() for source in root.iter("source") if source.text)
    return _Parsed("cobertura", found, with_branches, roots)


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
