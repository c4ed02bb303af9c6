"""Baseline: the findings that are known and no longer shown.

Owns: the form of the file, reading it or a SARIF log in its place, adding to it, what is gone since.
Must not know: where the file is, who writes it.
Invariant: entries hold ids and words, never lines, so edits elsewhere leave them true; output is sorted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, cast
from urllib.parse import unquote

import attrs

from graphls.analysis.finding import Finding, FindingId
from graphls.analysis.moved_findings import moved_findings
from graphls.facts.json_values import mapping_of, sequence_of
from graphls.graph.snapshot import Snapshot

VERSION: Final = 1


@attrs.frozen
class FixedFinding:
    """A finding of the baseline that is no longer there. `file`: where it was shown, "" where that is not known."""

    id: str
    rule: str
    title: str
    file: str


@attrs.frozen
class Baseline:
    """Ids with the words that say to people what they are. `problem` is why the file could not be read, or ""."""

    entries: Mapping[FindingId, Mapping[str, str]] = attrs.field(factory=dict[FindingId, Mapping[str, str]])
    problem: str = ""
    given: bool = False
    """Whether there is one that could be read: findings can be compared with it."""
    is_log: bool = False
    """It is a SARIF log, which nothing is added to."""
    moved: Mapping[FindingId, FindingId] = attrs.field(factory=dict[FindingId, FindingId])
    """Findings whose symbol moved to another file, with the id that they have in it."""

    def following(self, snapshot: Snapshot, found: Iterable[Finding]) -> Baseline:
        """The same, with those of the findings whose symbol it knows in another file."""
        return attrs.evolve(self, moved=moved_findings(snapshot, self.entries, found))

    def knows(self, finding: Finding) -> bool:
        """Whether it has the finding, where that is now or where its symbol was before."""
        return finding.id in self.entries or finding.id in self.moved

    def fixed(
        self,
        found: Iterable[Finding],
        judged: Callable[[FixedFinding], bool],
    ) -> tuple[FixedFinding, ...]:
        """Entries that are gone, but for those that moved. `judged`: whether the rule has looked again at where an
        entry was."""
        there = {*self.moved.values(), *(finding.id for finding in found)}
        gone = (
            FixedFinding(known, words.get("rule", ""), words.get("title", ""), words.get("file", ""))
            for known, words in self.entries.items()
            if known not in there
        )
        return tuple(sorted(filter(judged, gone), key=lambda one: (one.rule, one.title, one.id)))

    def apply(self, finding: Finding) -> Finding:
        """The finding, marked when it is known."""
        known = finding.status == "open" and self.knows(finding)
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
    if isinstance(table.get("runs"), list):
        return Baseline(dict(_entries_of_log(cast("Sequence[object]", table["runs"]))), given=True, is_log=True)
    rows: object = table.get("findings")
    if table.get("version") != VERSION or not isinstance(rows, list):
        return Baseline(problem=f'The baseline lacks "version": {VERSION} or a list "findings". Write it anew.')
    return Baseline(dict(_entries(cast("Sequence[object]", rows))), given=True)


def baseline_text(baseline: Baseline, added: Iterable[Finding]) -> str:
    """The text of the baseline with these findings too."""
    entries = dict(baseline.entries)
    entries.update(
        (finding.id, {"rule": finding.rule, "title": finding.title, "file": finding.at.file}) for finding in added
    )
    rows = [{"id": known, **words} for known, words in entries.items()]
    rows.sort(key=lambda row: (row.get("rule", ""), row.get("title", ""), row["id"]))
    return json.dumps({"version": VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


def _entries(rows: Sequence[object]) -> Iterator[tuple[FindingId, Mapping[str, str]]]:
    for row in rows:
        if isinstance(row, dict):
            table = cast("Mapping[str, object]", row)
            texts = {key: value for key, value in table.items() if isinstance(value, str)}
            yield FindingId(texts.pop("id", "")), texts


def _entries_of_log(runs: Sequence[object]) -> Iterator[tuple[FindingId, Mapping[str, str]]]:
    """Results that this program wrote, without those that were gone then already."""
    for run in runs:
        for result in sequence_of(mapping_of(run).get("results")):
            table = mapping_of(result)
            own = mapping_of(table.get("properties"))
            known, title = own.get("finding_id"), own.get("title")
            if isinstance(known, str) and table.get("baselineState") != "absent":
                place = mapping_of(next(iter(sequence_of(table.get("locations"))), None)).get("physicalLocation")
                file = unquote(str(mapping_of(mapping_of(place).get("artifactLocation")).get("uri", "")))
                yield FindingId(known), {"rule": str(table.get("ruleId", "")), "title": str(title or ""), "file": file}
