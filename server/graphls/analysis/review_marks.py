"""Review marks: what people decided about findings, with reason and author.

Owns: the form of the file, reading it, adding marks and taking them out, when a mark no longer fits its finding.
Must not know: where the file is, who writes it, any particular rule.
Invariant: a mark holds an id and a digest of what the finding rests on, never lines: it outlives moved lines, and is
    out of date, never silently applied, once that changed; it goes with a symbol that moves to another file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, cast, get_args

import attrs

from graphls.analysis.finding import Evidence, Finding, FindingId, ReviewMark, Status, Verdict
from graphls.analysis.moved_findings import moved_findings
from graphls.analysis.records import owner_of
from graphls.facts.lines import LineIndex
from graphls.graph.addresses import digest_of
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef

VERSION: Final = 1
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_STATUS: Final[Mapping[Verdict, Status]] = {"accept": "open", "reject": "rejected", "defer": "deferred"}
MarkState = Literal["accepted", "outdated"]
"""What a mark says of a finding that it does not close."""


@attrs.frozen
class StoredMark:
    """One mark as the file has it. `words`: rule, title and file of the finding, for people who read the file."""

    verdict: Verdict
    reason: str
    author: str
    content: str
    words: Mapping[str, str] = attrs.field(factory=dict[str, str])


@attrs.frozen
class ReviewMarks:
    """Marks by finding. `problem`: why the file could not be read, or ""."""

    entries: Mapping[FindingId, StoredMark] = attrs.field(factory=dict[FindingId, StoredMark])
    problem: str = ""
    moved: Mapping[FindingId, FindingId] = attrs.field(factory=dict[FindingId, FindingId])
    """Findings whose symbol moved to another file, with the id under which they are marked."""

    def following(self, snapshot: Snapshot, found: Iterable[Finding]) -> ReviewMarks:
        """The same, with those of the findings whose symbol it knows in another file."""
        words = {known: one.words for known, one in self.entries.items()}
        return attrs.evolve(self, moved=moved_findings(snapshot, words, found))

    def apply(self, snapshot: Snapshot, finding: Finding) -> Finding:
        """The finding with its mark. What the code itself silences stays so; a mark that is out of date changes no
        status."""
        known = self.entries.get(self.moved.get(finding.id, finding.id))
        if known is None:
            return finding
        outdated = not is_same_content(snapshot, finding, known.content)
        mark = ReviewMark(known.verdict, known.reason, known.author, outdated=outdated)
        if outdated or finding.status != "open" or known.verdict == "accept":
            return attrs.evolve(finding, review=mark)
        return attrs.evolve(finding, review=mark, status=_STATUS[known.verdict], reason=known.reason)


def mark_state(finding: Finding) -> MarkState | None:
    """Whether a review accepted the finding, or is out of date."""
    mark = finding.review
    if mark is None or not (mark.outdated or mark.verdict == "accept"):
        return None
    return "outdated" if mark.outdated else "accepted"


def read_marks(text: bytes | None) -> ReviewMarks:
    """The marks in a file's bytes. A file that makes no sense is named, and hides nothing."""
    if text is None or not text.strip():
        return ReviewMarks()
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        return ReviewMarks(problem="The file of review marks is not JSON. Mend it or delete it.")
    table = cast("Mapping[str, object]", raw) if isinstance(raw, dict) else {"version": None}
    rows = table.get("reviews")
    if table.get("version") != VERSION or not isinstance(rows, list):
        problem = f'The file of review marks lacks "version": {VERSION} or a list "reviews". Mend it or delete it.'
        return ReviewMarks(problem=problem)
    return ReviewMarks(dict(_entries(cast("Sequence[object]", rows))))


def mark_of(snapshot: Snapshot, finding: Finding, verdict: Verdict, reason: str, author: str) -> StoredMark:
    """A mark on a finding as it is now."""
    words = {"rule": finding.rule, "title": finding.title, "file": str(finding.at.file)}
    return StoredMark(verdict, reason, author, content_of(snapshot, finding), words)


def marks_text(marks: ReviewMarks, added: Mapping[FindingId, StoredMark], removed: Collection[FindingId] = ()) -> str:
    """The text of the file with these marks too, and without others."""
    gone = {*removed, *(marks.moved[one] for one in (*added, *removed) if one in marks.moved)}
    entries = {known: one for known, one in {**marks.entries, **added}.items() if known not in gone}
    rows = [
        {"id": known, **one.words, "verdict": one.verdict, "reason": one.reason, "author": one.author,
         "content": one.content}
        for known, one in entries.items()
    ]  # fmt: skip
    rows.sort(key=lambda row: (row.get("rule", ""), row.get("title", ""), row["id"]))
    return json.dumps({"version": VERSION, "reviews": rows}, indent=2, ensure_ascii=False) + "\n"


def content_of(snapshot: Snapshot, finding: Finding) -> str:
    """A digest of what a finding says and of the code that it cites, but for indentation and ends of lines. It is the
    same for a symbol in another file."""
    return _digest(snapshot, finding, _inside)


def is_same_content(snapshot: Snapshot, finding: Finding, content: str) -> bool:
    """Whether a digest is that of a finding as it is now. Earlier versions had the names of modules in theirs."""
    return content in (_digest(snapshot, finding, _inside), _digest(snapshot, finding, symbol_name))


def _digest(snapshot: Snapshot, finding: Finding, named: Callable[[Snapshot, SymbolRef], str]) -> str:
    parts = (part for evidence in finding.evidence for part in _cited(snapshot, evidence, named))
    return digest_of("review", finding.title, *parts).hex()[:24]


def _inside(snapshot: Snapshot, place: SymbolRef) -> str:
    """A name that a symbol keeps in another file."""
    name = symbol_name(snapshot, place)
    return name.partition(":")[2] if place.definition >= 0 else name


def _cited(snapshot: Snapshot, evidence: Evidence, named: Callable[[Snapshot, SymbolRef], str]) -> Iterator[str]:
    """The definition that evidence is in; the lines themselves, where they are in none."""
    place = owner_of(snapshot, evidence)
    text = snapshot.text(evidence.file) or b""
    if place.definition >= 0:
        table = snapshot.facts(place.file).definitions
        start, end = table.full_start[place.definition], table.full_end[place.definition]
    else:
        lines = LineIndex(text)
        start = lines.span(lines.line_of(evidence.start))[0]
        end = lines.span(lines.line_of(max(evidence.end, evidence.start)))[1]
    yield named(snapshot, place)
    yield "\n".join(line.strip() for line in text[start:end].decode("utf-8", "replace").splitlines())


def _entries(rows: Iterable[object]) -> Iterator[tuple[FindingId, StoredMark]]:
    for row in rows:
        if not isinstance(row, dict):
            continue
        table = cast("Mapping[str, object]", row)
        texts = {key: value for key, value in table.items() if isinstance(value, str)}
        said = texts.pop("verdict", "")
        verdict: Verdict | None = next((one for one in VERDICTS if one == said), None)
        if verdict is not None:
            known = FindingId(texts.pop("id", ""))
            reason, author, content = (texts.pop(name, "") for name in ("reason", "author", "content"))
            yield known, StoredMark(verdict, reason, author, content, texts)
