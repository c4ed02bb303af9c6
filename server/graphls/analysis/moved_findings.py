"""Moved findings: those whose symbol moved to another file, so that what is kept by id has them under another one.

Owns: which id a finding of now had before.
Must not know: what is kept about findings: baselines, review marks.
Invariant: one to one; what several findings say, or what names no symbol, moved nowhere that anybody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from graphls.analysis.finding import Finding, FindingId
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

FindingWords: TypeAlias = "Mapping[FindingId, Mapping[str, str]]"
"""Rule, title and file of findings that are kept, by id."""


def moved_findings(snapshot: Snapshot, kept: FindingWords, found: Iterable[Finding]) -> Mapping[FindingId, FindingId]:
    """Findings that nobody kept, with the id of the only one kept and gone that said the same of a symbol which its
    file no longer declares."""
    found = tuple(found)
    there = {finding.id for finding in found}
    gone: dict[tuple[str, str], list[FindingId]] = {}
    for known, words in kept.items():
        if known not in there:
            gone.setdefault((words.get("rule", ""), words.get("title", "")), []).append(known)
    new: dict[tuple[str, str], list[Finding]] = {}
    for finding in found:
        if finding.id not in kept and (finding.rule, finding.title) in gone:
            new.setdefault((finding.rule, finding.title), []).append(finding)
    pairs = ((one[0], gone[words][0]) for words, one in new.items() if len(one) == 1 and len(gone[words]) == 1)
    return {finding.id: known for finding, known in pairs if _has_moved(snapshot, finding, kept[known].get("file", ""))}


def _has_moved(snapshot: Snapshot, finding: Finding, file: str) -> bool:
    """Whether a finding is about a symbol that its title names, and that stood in another file."""
    place, path = finding.at.place, FilePath(file)
    if not file or file == finding.at.file or place is None or place.definition < 0:
        return False
    facts = snapshot.facts(place.file)
    name = facts.strings[facts.definitions.name[place.definition]]
    if name not in finding.title:
        return False
    if path not in snapshot.shards or not snapshot.shards[path].language:
        return True
    there = snapshot.facts(path)
    return all(there.strings[number] != name for number in there.definitions.name)
