"""Linters: the results of linters in formats of their own, as values of the SARIF reader.

Owns: which members of the JSON of ruff and of eslint mean what, how one is told from the other.
Must not know: the graph, the disk, any particular rule of a linter.
Invariant: a list is taken as a whole or refused as a whole; what is neither is refused, never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from graphls.analysis.sarif.reading import Level, SarifRefused, SarifResult, sarif_results

_SEVERITIES: Final[Mapping[object, Level]] = {1: "warning", 2: "error"}


def log_results(text: bytes) -> tuple[SarifResult, ...]:
    """The results of a SARIF log, or of the JSON that ruff or eslint writes. Raises SarifRefused."""
    if text.lstrip()[:1] != b"[":
        return sarif_results(text)
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise SarifRefused("is not JSON") from None
    rows = [_mapping(row) for row in cast("Sequence[object]", raw)]
    if all(isinstance(row.get("filename"), str) and "location" in row for row in rows):
        return tuple(_of_ruff(row) for row in rows)
    if all(isinstance(row.get("filePath"), str) and isinstance(row.get("messages"), list) for row in rows):
        return tuple(result for row in rows for result in _of_eslint(row))
    raise SarifRefused("is a list, but neither of ruff nor of eslint")


def _of_ruff(row: Mapping[str, object]) -> SarifResult:
    """Columns count characters; a file that does not parse has no code. Of each other rule ruff says `error`, which
    ranks nothing: they are warnings."""
    start, end = _mapping(row.get("location")), _mapping(row.get("end_location"))
    return SarifResult(
        tool="ruff",
        rule=_text(row.get("code")) or "syntax-error",
        level="warning" if row.get("code") else "error",
        message=_text(row.get("message")),
        place=_text(row.get("filename")),
        line=_number(start.get("row")),
        column=_number(start.get("column")),
        end_line=_number(end.get("row")),
        end_column=_number(end.get("column")),
        in_characters=True,
        help=_text(_mapping(row.get("fix")).get("message")) or _text(row.get("url")),
    )


def _of_eslint(row: Mapping[str, object]) -> Iterator[SarifResult]:
    for raw in _sequence(row.get("messages")):
        yield _eslint_result(_text(row.get("filePath")), _mapping(raw), None)
    for raw in _sequence(row.get("suppressedMessages")):
        message = _mapping(raw)
        said = (_text(_mapping(one).get("justification")) for one in _sequence(message.get("suppressions")))
        yield _eslint_result(_text(row.get("filePath")), message, next(said, ""))


def _eslint_result(place: str, message: Mapping[str, object], suppressed: str | None) -> SarifResult:
    """Columns count UTF-16 units; a file that does not parse has a message without a rule."""
    line = _number(message.get("line"))
    return SarifResult(
        tool="eslint",
        rule=_text(message.get("ruleId")) or "syntax-error",
        level=_SEVERITIES.get(message.get("severity"), "warning"),
        message=_text(message.get("message")),
        place=place,
        line=line,
        column=_number(message.get("column")),
        end_line=_number(message.get("endLine")) or line,
        end_column=_number(message.get("endColumn")),
        suppressed=suppressed,
    )


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _sequence(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
