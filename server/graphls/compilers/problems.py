"""Problems: what a checker finds wrong with a module, as plain records.

Owns: the values, reading them from a server's report.
Must not know: editors, suppression, how records are shown.
Invariant: a module counts as clean only when the checker looked at exactly these contents and found no error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import attrs

from graphls.compilers.wire import Json, items, mapping, number, text
from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import Column, Table
from graphls.facts.paths import ContentHash, FilePath

Severity = Literal["error", "warning", "information", "hint"]
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information", "hint")
_MOST = 2000


@attrs.frozen
class CheckerProblemRecord:
    """One diagnostic. Offsets are bytes."""

    path: FilePath
    start: int
    end: int
    code: str
    severity: Severity
    message: str
    source: str


@attrs.frozen
class ModuleCheck:
    """The verdict on one module."""

    path: FilePath
    content: ContentHash
    dependency_key: str
    """Digest of the surfaces that were there when it was checked."""
    problems: tuple[CheckerProblemRecord, ...]

    @property
    def clean(self) -> bool:
        """Without errors; warnings are allowed."""
        return not any(problem.severity == "error" for problem in self.problems)


def read_problems(
    report: Json, path: FilePath, source: str, offset: Callable[[int, int], int]
) -> tuple[CheckerProblemRecord, ...]:
    """Diagnostics of a pull report. `offset` turns line and character into bytes."""
    found: list[CheckerProblemRecord] = []
    for item in items(mapping(report).get("items"))[:_MOST]:
        one = mapping(item)
        stretch = mapping(one.get("range"))
        start, end = mapping(stretch.get("start")), mapping(stretch.get("end"))
        severity = number(one.get("severity"), 1)
        code = one.get("code")
        found.append(
            CheckerProblemRecord(
                path=path,
                start=offset(number(start.get("line")), number(start.get("character"))),
                end=offset(number(end.get("line")), number(end.get("character"))),
                code=text(code) or (str(code) if isinstance(code, int) else ""),
                severity=_SEVERITIES[severity - 1] if 1 <= severity <= len(_SEVERITIES) else "error",
                # What follows a blank line says where was searched: absolute paths of this machine.
                message=text(one.get("message")).partition("\n\n")[0],
                source=text(one.get("source")) or source,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.start, one.end, one.code, one.message)))


# ---- encoded form


@attrs.frozen(eq=False)
class _Problems(Table):
    start: Column
    end: Column
    severity: Column
    code: Column
    message: Column
    source: Column


@attrs.frozen(eq=False)
class _EncodedProblems:
    path: str
    content: str
    dependency_key: str
    strings: tuple[str, ...]
    problems: _Problems


def pack_check(check: ModuleCheck) -> bytes:
    """Bytes of a verdict."""
    strings: dict[str, int] = {"": 0}

    def string(value: str) -> int:
        return strings.setdefault(value.replace("\0", " "), len(strings))

    rows = [
        (
            one.start,
            one.end,
            _SEVERITIES.index(one.severity),
            string(one.code),
            string(one.message),
            string(one.source),
        )
        for one in check.problems
    ]
    return encode(_EncodedProblems(check.path, check.content, check.dependency_key, tuple(strings), _Problems.of(rows)))


def unpack_check(raw: bytes) -> ModuleCheck | None:
    """The inverse; None for bytes that are something else."""
    try:
        encoded = decode(_EncodedProblems, raw)
        path, strings, table = FilePath(encoded.path), encoded.strings, encoded.problems
        whats = zip(table.code, table.message, table.source, strict=True)
        wheres = zip(table.start, table.end, table.severity, strict=True)
        problems = tuple(
            CheckerProblemRecord(
                path, start, end, strings[code], _SEVERITIES[severity], strings[message], strings[source]
            )
            for (start, end, severity), (code, message, source) in zip(wheres, whats, strict=True)
        )
    except (CodecError, IndexError):
        return None
    return ModuleCheck(path, ContentHash(encoded.content), encoded.dependency_key, problems)
