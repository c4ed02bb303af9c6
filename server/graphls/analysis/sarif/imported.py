"""Imported: results of SARIF logs as findings on the symbols that they are in.

Owns: which symbol a result belongs to, its identity, priority and status among findings.
Must not know: the format, the disk, what a tool looks for.
Invariant: a result is linked by its symbol or its place, never by likeness; what cannot be linked is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import attrs

from graphls.analysis.finding import OWN_TOOL, Evidence, Finding, Priority, finding_id
from graphls.analysis.sarif.anchors import SeenText, anchor_of
from graphls.analysis.sarif.linters import read_log
from graphls.analysis.sarif.reading import SarifLog, SarifRefused, SarifResult, path_of
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.node_records import FileNodes
from graphls.graph.snapshot import Snapshot, SymbolRef

OBSERVED: Final = "process_observed"
_PRIORITIES: Final[Mapping[str, Priority]] = {"error": "P1", "warning": "P2", "note": "P3", "none": "info"}


@attrs.frozen
class SarifReport:
    """One log. `text`: its bytes, None where it could not be read. `relative`: the path in the workspace of an absolute
    one, None where that is outside. `seen`: of a log that is kept, what it was about; one that is read each time is
    about the files as they are."""

    name: str
    text: bytes | None
    relative: Callable[[str], str | None] = attrs.field(eq=False, default=lambda path: None)
    seen: SeenText | None = None


@attrs.frozen
class ImportedFindings:
    """What logs brought. `unlinked`: results without a place in the graph, by log; `problems`: logs that were
    refused."""

    findings: tuple[Finding, ...] = ()
    unlinked: Mapping[str, int] = attrs.field(factory=dict[str, int])
    problems: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()
    """Whose results were taken in."""
    own: Mapping[str, int] = attrs.field(factory=dict[str, int])
    """Results of this program, by log: its rules say them anew, so they are no findings of the log."""


def imported_findings(snapshot: Snapshot, reports: Sequence[SarifReport]) -> ImportedFindings:
    """Results of every log, equal ones once, in order of place. Those of this program are counted and left out."""
    found: dict[str, Finding] = {}
    unlinked: Counter[str] = Counter()
    own: Counter[str] = Counter()
    problems: list[str] = []
    tools: set[str] = set()
    for report in reports:
        try:
            placed = placed_results(snapshot, report)
        except SarifRefused as refused:
            problems.append(f"{report.name} {refused}.")
            continue
        for one in placed:
            tools.add(one.result.tool)
            if one.finding is not None:
                found.setdefault(one.finding.id, one.finding)
            elif one.result.tool == OWN_TOOL:
                own[report.name] += 1
            else:
                unlinked[report.name] += 1
    ordered = sorted(found.values(), key=lambda one: (one.at.file, one.at.start, one.rule, one.id))
    return ImportedFindings(tuple(ordered), dict(unlinked), tuple(problems), frozenset(tools), dict(own))


@attrs.frozen
class ResultPlace:
    """Where a result stands now. `stale`: why it is true no longer, or ""."""

    place: SymbolRef
    span: tuple[int, int]
    symbol: str
    stale: str = ""


@attrs.frozen
class PlacedResult:
    """One result of a log. `path`: in the workspace, "" where it names none. `at`: where it stands now, None where that
    is in no file of the graph. `finding`: None there, and of this program's own results."""

    result: SarifResult
    path: str
    at: ResultPlace | None
    finding: Finding | None


def placed_results(snapshot: Snapshot, report: SarifReport) -> tuple[PlacedResult, ...]:
    """Every result of a log, where it stands now. Raises SarifRefused."""
    results = [(one, _path(report, one)) for one in parsed_log(report).results]
    ordinals: Counter[str] = Counter()
    found: list[PlacedResult] = []
    for number, (one, path) in enumerate(results):
        here = _here(snapshot, report, number, one, path)
        own = here is None or one.tool == OWN_TOOL
        found.append(PlacedResult(one, path, here, None if here is None or own else _finding(one, here, ordinals)))
    return tuple(found)


def rule_name(tool: str, rule: str) -> str:
    """How a rule of another tool is called among findings: `ruff/F401`."""
    return f"{tool.lower().replace(' ', '-')}/{rule}"


def parsed_log(report: SarifReport) -> SarifLog:
    """What a log holds. Raises SarifRefused."""
    if report.text is None:
        raise SarifRefused("cannot be read: no such file, or one of more than 100 MB")
    return _parsed(report.text)


@lru_cache(maxsize=8)
def _parsed(text: bytes) -> SarifLog:
    return read_log(text)


def _path(report: SarifReport, result: SarifResult) -> str:
    """The path in the workspace, "" where the result has none. Raises SarifRefused."""
    path = path_of(result.place)
    if not path:
        return ""
    plain = path.removeprefix("./")
    if plain.startswith("/") or plain[1:2] == ":":
        inside = report.relative(plain)
    else:
        inside = None if ".." in plain.split("/") else plain
    if inside is None:
        raise SarifRefused(f"has a result outside the workspace ({path[:200]!r})")
    return inside


def seen_text(snapshot: Snapshot, report: SarifReport) -> SeenText:
    """What a log is about, if it is about the files as they are. Raises SarifRefused."""
    seen = SeenText({}, {})
    for number, result in enumerate(parsed_log(report).results):
        path = FilePath(_path(report, result))
        shard = snapshot.shards.get(path)
        if shard is not None:
            start, end = _span(LineIndex(snapshot.text(path) or b""), result)
            seen.contents[path] = shard.content
            seen.anchors[number] = anchor_of(snapshot, _owner(snapshot, result, path, start), start, end)
    return seen


def _here(snapshot: Snapshot, report: SarifReport, number: int, result: SarifResult, path: str) -> ResultPlace | None:
    """None: it is in no file of the graph."""
    shard = snapshot.shards.get(FilePath(path))
    if shard is None:
        return None
    path = shard.path
    found = None if report.seen is None else report.seen.place(snapshot, path, number)
    if found == "gone":
        anchor = None if report.seen is None else report.seen.anchors.get(number)
        symbol = anchor.symbol if anchor is not None else ""
        place = _named(snapshot, path, symbol) or SymbolRef(path, -1)
        why = f"the code changed after {report.name} was taken in"
        return ResultPlace(place, _name_span(snapshot, place), symbol or symbol_name(snapshot, place), why)
    span = _span(LineIndex(snapshot.text(path) or b""), result) if found is None else found
    innermost = SymbolRef(path, _innermost(snapshot, path, span[0]))
    place = _owner(snapshot, result, path, span[0]) if found is None else innermost
    return ResultPlace(place, span, symbol_name(snapshot, place))


def _name_span(snapshot: Snapshot, place: SymbolRef) -> tuple[int, int]:
    if place.definition < 0:
        return 0, 0
    table = snapshot.facts(place.file).definitions
    return table.start[place.definition], table.end[place.definition]


def _finding(result: SarifResult, here: ResultPlace, ordinals: Counter[str]) -> Finding:
    symbol, rule, place = here.symbol, rule_name(result.tool, result.rule), here.place
    ordinals[f"{rule}\0{symbol}\0{result.message}"] += 1
    ordinal = ordinals[f"{rule}\0{symbol}\0{result.message}"]
    return Finding(
        id=finding_id(rule, (symbol, result.message, str(ordinal))),
        rule=rule,
        category="external",
        priority=_PRIORITIES[result.level],
        confidence="high",
        title=f"{symbol}: {_first_line(result.message)}",
        pressure=" ".join(list(_lines(result.message))[1:]),
        suggestions=(_first_line(result.help),) if result.help and result.help != result.message else (),
        risks=(),
        measures={},
        caveats=(),
        evidence=(Evidence(place.file, *here.span, f"reported by {result.tool}", place, OBSERVED),),
        status="stale" if here.stale else "open" if result.suppressed is None else "suppressed",
        reason=here.stale or result.suppressed or "",
        tool=result.tool,
    )


def _innermost(snapshot: Snapshot, path: FilePath, start: int) -> int:
    return FileNodes(snapshot, path).owner_at(start) if snapshot.shards[path].language else -1


def _named(snapshot: Snapshot, path: FilePath, symbol: str) -> SymbolRef | None:
    if not symbol or not snapshot.shards[path].language:
        return None
    rows = (SymbolRef(path, row) for row in FileNodes(snapshot, path).rows(everything=False))
    return next((place for place in rows if symbol_name(snapshot, place) == symbol), None)


def _owner(snapshot: Snapshot, result: SarifResult, path: FilePath, start: int) -> SymbolRef:
    """The symbol that a result names, where the file has it; else the innermost around the place."""
    here = SymbolRef(path, _innermost(snapshot, path, start) if result.line else -1)
    if not result.symbol or symbol_name(snapshot, here) == result.symbol:
        return here
    # It stands elsewhere by now: the log is older than the text.
    return _named(snapshot, path, result.symbol) or here


def _span(lines: LineIndex, result: SarifResult) -> tuple[int, int]:
    """Offsets of a region. Without a column it is the line without its indentation."""
    units = "utf-32" if result.in_characters else "utf-16"
    row = max(result.line - 1, 0)
    first, last = lines.span(row)
    if not result.column:
        text = lines.data[first:last]
        start = first + len(text) - len(text.lstrip())
    else:
        start = lines.offset(row, result.column - 1, units)
    if result.end_column:
        end = lines.offset(max(result.end_line - 1, row), result.end_column - 1, units)
    else:
        end = lines.span(max(result.end_line - 1, row))[1] if result.end_line else start
    return start, max(start, end)


def _first_line(text: str) -> str:
    return next(_lines(text), "")


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())
