"""Ignore patterns: what one `.gitignore` or `.ignore` file says about one path.

Owns: the pattern language of gitignore(5) and the precedence inside one file.
Must not know: the disk, other ignore files, folders above or below.
Invariant: matching takes time linear in the name for each `*`: patterns come from repositories and may be hostile.

A pattern is tested against the entry itself, never against what lies below it: the caller does not enter an ignored
folder, which is how Git works too. That is also why the patterns are translated here: ready-made translations match
everything below a folder as well, and so let a re-included folder re-include the ignored files in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import attrs

MAX_PATTERNS = 5_000
MOST_BYTES = 128 * 1024
"""Of one file; what is behind them says nothing. To compile a pattern costs some 10 microseconds for each letter."""
_REMEMBERED_NAMES = 50_000
_TOO_MUCH = (re.error, RecursionError, OverflowError)
_CASE = re.IGNORECASE if os.name == "nt" else re.NOFLAG
_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


@attrs.frozen
class IgnorePattern:
    order: int
    negated: bool
    folders_only: bool
    by_name: bool
    """No slash in it: only the last part of the path counts."""
    source: str


class IgnoreFile:
    """The patterns of one file, arranged so that the usual answer, "says nothing", is quick."""

    def __init__(self, patterns: Iterable[IgnorePattern], *, cut: bool = False) -> None:
        """`cut`: there was more than is read."""
        self.cut = cut
        # Of equal patterns the last one counts, and one is enough.
        last = {(pattern.source, pattern.folders_only, pattern.by_name): pattern for pattern in patterns}
        ordered = sorted(last.values(), key=lambda pattern: -pattern.order)
        self._names, self._any_name = _any(pattern for pattern in ordered if pattern.by_name)
        self._paths, self._any_path = _any(pattern for pattern in ordered if not pattern.by_name)
        self._compiled: dict[str, re.Pattern[str]] = {}
        """Single patterns: few are ever asked, as most names fit none."""
        self._remembered: dict[tuple[str, bool], IgnorePattern | None] = {}

    def verdict(self, path: str, name: str, is_folder: bool) -> bool | None:
        """True: ignored. False: re-included. None: nothing said. `path` is posix, from the ignore file's folder."""
        by_name = self._by_name(name, is_folder)
        by_path = None
        if self._any_path is not None and self._any_path.fullmatch(path):
            by_path = self._first(self._paths, path, is_folder)
        if by_name is not None and by_path is not None:
            return not max(by_name, by_path, key=lambda pattern: pattern.order).negated
        winner = by_name or by_path
        return None if winner is None else not winner.negated

    def _by_name(self, name: str, is_folder: bool) -> IgnorePattern | None:
        if self._any_name is None:
            return None
        key = (name, is_folder)
        if key not in self._remembered:
            if len(self._remembered) >= _REMEMBERED_NAMES:
                self._remembered.clear()
            hit = self._any_name.fullmatch(name) is not None
            self._remembered[key] = self._first(self._names, name, is_folder) if hit else None
        return self._remembered[key]

    def _first(self, patterns: tuple[IgnorePattern, ...], text: str, is_folder: bool) -> IgnorePattern | None:
        for pattern in patterns:
            if pattern.folders_only and not is_folder:
                continue
            regex = self._compiled.get(pattern.source)
            if regex is None:
                regex = self._compiled[pattern.source] = _compile(pattern.source)
            if regex.fullmatch(text):
                return pattern
        return None


def parse_ignore_file(data: bytes) -> IgnoreFile:
    cut = len(data) > MOST_BYTES
    if cut:
        data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1]
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    parsed = (parse_pattern(line, order) for order, line in enumerate(lines[:MAX_PATTERNS]))
    cut = cut or any(line.strip() for line in lines[MAX_PATTERNS:])
    return IgnoreFile((pattern for pattern in parsed if pattern is not None), cut=cut)


def parse_pattern(line: str, order: int = 0) -> IgnorePattern | None:
    """None for blank lines, comments and patterns that can never match."""
    line = _without_trailing_spaces(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line
    folders_only = line.endswith("/")
    line = line[:-1] if folders_only else line
    by_name = "/" not in line
    source = _segment(line) if by_name else _path(line.removeprefix("/").split("/"))
    if source is None or not line.strip("/"):
        return None
    return IgnorePattern(order, negated, folders_only, by_name, source)


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(line) else bare


def _compile(source: str) -> re.Pattern[str]:
    return re.compile(source, _CASE | re.DOTALL)


def _any(patterns: Iterable[IgnorePattern]) -> tuple[tuple[IgnorePattern, ...], re.Pattern[str] | None]:
    """The patterns that Python can compile, and one that fits what one of them fits."""
    found = tuple(patterns)
    try:
        return found, _union(found)
    except _TOO_MUCH:
        found = tuple(pattern for pattern in found if _compiles(pattern.source))
        return found, _union(found)


def _union(patterns: tuple[IgnorePattern, ...]) -> re.Pattern[str] | None:
    return _compile("|".join(f"(?:{pattern.source})" for pattern in patterns)) if patterns else None


def _compiles(source: str) -> bool:
    try:
        _compile(source)
    except _TOO_MUCH:
        return False
    return True


def _path(segments: list[str]) -> str | None:
    """Earliest match is enough for all but the last run of segments: the atomic groups keep matching linear."""
    runs: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            runs.append([])
            continue
        source = _segment(segment) if segment else None
        if source is None:
            return None
        runs[-1].append(source)
    first, *others = [f"{'/'.join(run)}" for run in _joined(runs)]
    if not others:
        return first
    *middle, last = others
    head = f"{first}/" if first else ""
    skipping = "".join(f"(?>(?:[^/]+/)*?{run}/)" for run in middle)
    return f"{head}{skipping}(?:[^/]+/)*{last}" if last else f"{head}{skipping}.+"


def _joined(runs: list[list[str]]) -> list[list[str]]:
    """`**/**` says no more than `**`: empty runs between two are dropped."""
    inner = [run for run in runs[1:-1] if run]
    return [runs[0], *inner, runs[-1]] if len(runs) > 1 else runs


def _segment(segment: str) -> str | None:
    """One part between slashes. None when it can never match (an open bracket, a lone backslash at the end)."""
    pieces: list[str] = [""]
    at = 0
    while at < len(segment):
        char = segment[at]
        if char == "*":
            at += 1
            if pieces[-1] or len(pieces) == 1:
                pieces.append("")
            continue
        source, at = _one(segment, at)
        if source is None:
            return None
        pieces[-1] += source
    first, *rest = pieces
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle) + "[^/]*" + last


def _one(segment: str, at: int) -> tuple[str | None, int]:
    char = segment[at]
    if char == "?":
        return "[^/]", at + 1
    if char == "[":
        return _bracket(segment, at)
    if char == "\\":
        return (re.escape(segment[at + 1]), at + 2) if at + 1 < len(segment) else (None, at)
    return re.escape(char), at + 1


def _bracket(segment: str, at: int) -> tuple[str | None, int]:
    """A character class. The first `]` may stand for itself; `[!` and `[^` negate."""
    at += 1
    negated = segment[at : at + 1] in ("!", "^")
    at += negated
    inside: list[str] = []
    start = at
    while at < len(segment) and (segment[at] != "]" or at == start):
        source, at = _class_item(segment, at)
        if source is None:
            return None, at
        inside.append(source)
    if at >= len(segment):
        return None, at
    chosen = "".join(inside)
    if not chosen:
        return ("[^/]" if negated else "(?!)"), at + 1
    return (f"[^/{chosen}]" if negated else f"[{chosen}]"), at + 1


def _class_item(segment: str, at: int) -> tuple[str | None, int]:
    """One character, range or `[:name:]`; an inverted range matches nothing and is left out."""
    if segment.startswith("[:", at) and (end := segment.find(":]", at)) > 0:
        return _POSIX_CLASSES.get(segment[at + 2 : end]), end + 2
    low, at = _class_char(segment, at)
    if low is None or segment[at : at + 1] != "-" or segment[at + 1 : at + 2] in ("", "]"):
        return (None if low is None else re.escape(low)), at
    high, at = _class_char(segment, at + 1)
    if high is None:
        return None, at
    return (f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)), at


def _class_char(segment: str, at: int) -> tuple[str | None, int]:
    if segment[at] != "\\":
        return segment[at], at + 1
    return (segment[at + 1], at + 2) if at + 1 < len(segment) else (None, at)
