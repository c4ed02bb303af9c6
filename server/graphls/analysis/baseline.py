"""Baseline: the findings that are known and no longer shown.

Owns: the form of the file, reading it, adding to it.
Must not know: where the file is, who writes it.
Invariant: entries hold ids and words, never lines, so edits elsewhere leave them true; output is sorted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.analysis.finding import Finding, FindingId

VERSION: Final = 1


@attrs.frozen
class Baseline:
    """Ids with the words that say to people what they are. `problem` is why the file could not be read, or ""."""

    entries: Mapping[FindingId, Mapping[str, str]] = attrs.field(factory=dict[FindingId, Mapping[str, str]])
    problem: str = ""

    def apply(self, finding: Finding) -> Finding:
        """The finding, marked when it is known."""
        known = finding.status == "open" and finding.id in self.entries
        return attrs.evolve(finding, status="baselined") if known else finding


def read_baseline(text: bytes | None) -> Baseline:
    """The baseline in a file's bytes. A file that makes no sense is named, and hides nothing."""
    if text is None or not text.strip():
        return Baseline()
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        return Baseline(problem="The baseline is not JSON. Write it anew or delete it.")
    table = cast("Mapping[str, object]", raw) if isinstance(raw, dict) else {"version": None}
    rows: object = table.get("findings")
    if table.get("version") != VERSION or not isinstance(rows, list):
        return Baseline(problem=f'The baseline lacks "version": {VERSION} or a list "findings". Write it anew.')
    return Baseline(dict(_entries(cast("Sequence[object]", rows))))


def baseline_text(baseline: Baseline, added: Iterable[Finding]) -> str:
    """The text of the baseline with these findings too."""
    entries = dict(baseline.entries)
    entries.update((finding.id, {"rule": finding.rule, "title": finding.title}) for finding in added)
    rows = [{"id": known, **words} for known, words in entries.items()]
    rows.sort(key=lambda row: (row.get("rule", ""), row.get("title", ""), row["id"]))
    return json.dumps({"version": VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


def _entries(rows: Sequence[object]) -> Iterator[tuple[FindingId, Mapping[str, str]]]:
    for row in rows:
        if isinstance(row, dict):
            table = cast("Mapping[str, object]", row)
            texts = {key: value for key, value in table.items() if isinstance(value, str)}
            yield FindingId(texts.pop("id", "")), texts
