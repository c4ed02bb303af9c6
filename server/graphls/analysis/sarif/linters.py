"""Linters: the results of linters in formats of their own, as values of the SARIF reader.

Owns: which members of the JSON of ruff and of eslint mean what, how one is told from the other.
Must not know: the graph, the disk, any particular rule of a linter.
Invariant: a list is taken as a whole or refused as a whole; what is neither is refused, never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, cast

from graphls.analysis.sarif.reading import Level, SarifLog, SarifRefused, SarifResult, SarifRun, read_sarif
from graphls.facts.json_values import mapping_of, number_of, sequence_of, text_of

_SEVERITIES: Final[Mapping[object, Level]] = {1: "warning", 2: "error"}


def read_log(text: bytes) -> SarifLog:
    """A SARIF log, or the JSON that ruff or eslint writes, as one run of it. Raises SarifRefused."""
    if text.lstrip()[:1] != b"[":
        return read_sarif(text)
    results = _of_linter(text)
    digest = blake2b(text, digest_size=12).hexdigest()
    return SarifLog((SarifRun(tool=results[0].tool if results else "unknown", digest=digest),), results)


def _of_linter(text: bytes) -> tuple[SarifResult, ...]:
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        raise SarifRefused("is not JSON") from None
    rows = [mapping_of(row) for row in cast("Sequence[object]", raw)]
    if all(isinstance(row.get("filename"), str) and "location" in row for row in rows):
        return tuple(_of_ruff(row) for row in rows)
    if all(isinstance(row.get("filePath"), str) and isinstance(row.get("messages"), list) for row in rows):
        return tuple(result for row in rows for result in _of_eslint(row))
    raise SarifRefused("is a list, but neither of ruff nor of eslint")


def _of_ruff(row: Mapping[str, object]) -> SarifResult:
    """Columns count characters; a file that does not parse has no code. Of each other rule ruff says `error`, which
    ranks nothing: they are warnings."""
    start, end = mapping_of(row.get("location")), mapping_of(row.get("end_location"))
    return SarifResult(
        tool="ruff",
        rule=text_of(row.get("code")) or "syntax-error",
        level="warning" if row.get("code") else "error",
        message=text_of(row.get("message")),
        place=text_of(row.get("filename")),
        line=number_of(start.get("row")),
        column=number_of(start.get("column")),
        end_line=number_of(end.get("row")),
        end_column=number_of(end.get("column")),
        in_characters=True,
        help=text_of(mapping_of(row.get("fix")).get("message")) or text_of(row.get("url")),
    )


def _of_eslint(row: Mapping[str, object]) -> Iterator[SarifResult]:
    for raw in sequence_of(row.get("messages")):
        yield _eslint_result(text_of(row.get("filePath")), mapping_of(raw), None)
    for raw in sequence_of(row.get("suppressedMessages")):
        message = mapping_of(raw)
        said = (text_of(mapping_of(one).get("justification")) for one in sequence_of(message.get("suppressions")))
        yield _eslint_result(text_of(row.get("filePath")), message, next(said, ""))


def _eslint_result(place: str, message: Mapping[str, object], suppressed: str | None) -> SarifResult:
    """Columns count UTF-16 units; a file that does not parse has a message without a rule."""
    line = number_of(message.get("line"))
    return SarifResult(
        tool="eslint",
        rule=text_of(message.get("ruleId")) or "syntax-error",
        level=_SEVERITIES.get(message.get("severity"), "warning"),
        message=text_of(message.get("message")),
        place=place,
        line=line,
        column=number_of(message.get("column")),
        end_line=number_of(message.get("endLine")) or line,
        end_column=number_of(message.get("endColumn")),
        suppressed=suppressed,
    )
